//===- Activation.cpp - activations of register tiles ---------------------===//

#include "Kernel.h"

#include <cmath>
#include <numbers>

namespace tirx::kernels::detail {

namespace {

/// Defines a tile with one value everywhere.
void writeSplat(Text &text, std::string_view name, double value,
                const std::string &type) {
  text.line("{} = arith.constant dense<{:.9e}> : {}", name, value, type);
}

/// x / (1 + 2^w): ex2.approx and an approximate division, which need no library
/// function. docs/numerics.md has the error.
std::string writeGate(Text &text, const std::string &x,
                      const std::string &type) {
  writeSplat(text, "%one", 1, type);
  text.line("%exp2 = math.exp2 %w fastmath<afn> : {}", type);
  text.line("%sum = arith.addf %exp2, %one : {}", type);
  text.line("%activated = arith.divf {}, %sum fastmath<arcp,afn> : {}", x,
            type);
  return "%activated";
}

} // namespace

std::string writeActivation(Text &text, Activation activation,
                            const std::string &x, const std::string &type) {
  const double log2e = std::numbers::log2e;
  switch (activation) {
  case Activation::none:
    return x;
  case Activation::relu:
    writeSplat(text, "%zero", 0, type);
    text.line("%activated = arith.maximumf {}, %zero : {}", x, type);
    return "%activated";
  case Activation::silu:
    writeSplat(text, "%scale", -log2e, type);
    text.line("%w = arith.mulf {}, %scale : {}", x, type);
    return writeGate(text, x, type);
  case Activation::gelu: {
    // x / 2 * (1 + tanh(y)) = x / (1 + exp(-2 y)), y = sqrt(2 / pi) * (x +
    // 0.044715 x^3): w = x * (scale + cubic * x^2).
    const double scale = -2 * log2e * std::sqrt(2 / std::numbers::pi);
    writeSplat(text, "%scale", scale, type);
    writeSplat(text, "%cubic", scale * 0.044715, type);
    text.line("%square = arith.mulf {}, {} : {}", x, x, type);
    text.line("%slope = math.fma %square, %cubic, %scale : {}", type);
    text.line("%w = arith.mulf {}, %slope : {}", x, type);
    return writeGate(text, x, type);
  }
  }
  return x;
}

} // namespace tirx::kernels::detail
