//===- Activation.cpp - activations of register tiles ---------------------===//

#include "Kernel.h"

#include <cmath>
#include <numbers>

namespace tirx::kernels::detail {

namespace {

/// Defines a tile with one value everywhere.
void writeSplat(Text &text, const std::string &name, double value,
                const std::string &type) {
  text.line("%{} = arith.constant dense<{:.9e}> : {}", name, value, type);
}

/// x / (1 + 2^-w): ex2.approx and an approximate division, which no library
/// functions stand for. docs/numerics.md has the error.
std::string writeGate(Text &text, const std::string &x, const std::string &w,
                      const std::string &type, const std::string &names) {
  writeSplat(text, names + "_one", 1, type);
  text.line("%{}_exp2 = math.exp2 {} fastmath<afn> : {}", names, w, type);
  text.line("%{}_sum = arith.addf %{}_exp2, %{}_one : {}", names, names, names,
            type);
  text.line("%{}_act = arith.divf {}, %{}_sum fastmath<arcp,afn> : {}", names,
            x, names, type);
  return fmt::format("%{}_act", names);
}

} // namespace

std::string writeActivation(Text &text, Activation activation,
                            const std::string &x, const std::string &type,
                            const std::string &names) {
  const double log2e = std::numbers::log2e;
  switch (activation) {
  case Activation::none:
    return x;
  case Activation::relu:
    writeSplat(text, names + "_zero", 0, type);
    text.line("%{}_act = arith.maximumf {}, %{}_zero : {}", names, x, names,
              type);
    return fmt::format("%{}_act", names);
  case Activation::silu:
    writeSplat(text, names + "_scale", -log2e, type);
    text.line("%{}_w = arith.mulf {}, %{}_scale : {}", names, x, names, type);
    return writeGate(text, x, fmt::format("%{}_w", names), type, names);
  case Activation::gelu: {
    // x / 2 * (1 + tanh(y)) = x / (1 + exp(-2 y)), y = sqrt(2 / pi) * (x +
    // 0.044715 x^3) = x * (scale + cubic * x^2) up to the factor -2 log2(e).
    const double scale = -2 * log2e * std::sqrt(2 / std::numbers::pi);
    writeSplat(text, names + "_scale", scale, type);
    writeSplat(text, names + "_cubic", scale * 0.044715, type);
    text.line("%{}_square = arith.mulf {}, {} : {}", names, x, x, type);
    text.line("%{}_slope = math.fma %{}_square, %{}_cubic, %{}_scale : {}",
              names, names, names, names, type);
    text.line("%{}_w = arith.mulf {}, %{}_slope : {}", names, x, names, type);
    return writeGate(text, x, fmt::format("%{}_w", names), type, names);
  }
  }
  return x;
}

} // namespace tirx::kernels::detail
