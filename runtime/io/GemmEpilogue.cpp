//===- GemmEpilogue.cpp - one element of an epilogue, and its error -------===//
//
// docs/numerics.md derives the constants.
//
//===----------------------------------------------------------------------===//
#include "GemmEpilogue.h"
#include "FloatLimits.h"

#include <cmath>
#include <limits>
#include <numbers>

using namespace tirx::rt;
using Activation = GemmEpilogue::Activation;

namespace {

constexpr double kRoundoff = 0x1p-24; ///< of one f32 operation, relative
constexpr double kTiny = 0x1p-149;    ///< the smallest f32
constexpr double kInfinity = std::numeric_limits<double>::infinity();

/// The largest slope of each activation.
constexpr double kReluSlope = 1, kGeluSlope = 1.13, kSiluSlope = 1.1;
/// What computing gelu or silu of an exact x adds, relative to |x|.
constexpr double kSigmoidError = 0x1p-20;
/// tanh.approx.f32 (PTX ISA, tanh): largest relative error.
constexpr double kTanhError = 0x1p-11;

double sigmoid(double t) { return 1 / (1 + std::exp(-t)); }

double geluArgument(double x) { // twice that of tanh
  return 2 * std::sqrt(2 / std::numbers::pi) * (x + 0.044715 * x * x * x);
}

Approximate overflowing(Approximate x) {
  const bool fits = std::fabs(x.value) + x.error < limitsOf(DType::f32).maximum;
  return fits || std::isnan(x.value) ? x : Approximate{x.value, kInfinity};
}

} // namespace

Approximate tirx::rt::combine(const GemmEpilogue &epilogue,
                              Approximate accumulator,
                              const EpilogueTerms &terms) {
  const double alpha = static_cast<float>(epilogue.alpha),
               beta = static_cast<float>(epilogue.beta);
  const double fromC = terms.hasC ? beta * terms.c : 0;
  const double value = alpha * accumulator.value + fromC + terms.bias;
  const double magnitude =
      std::fabs(alpha) * (std::fabs(accumulator.value) + accumulator.error) +
      std::fabs(fromC) + std::fabs(terms.bias);
  const int operations = (alpha != 1) + 2 * terms.hasC + terms.hasBias;
  // No intermediate passes `magnitude` by more than its own roundings.
  const double rounding =
      operations * (kRoundoff * magnitude * (1 + 0x1p-20) + kTiny);
  return overflowing({value, std::fabs(alpha) * accumulator.error + rounding});
}

Approximate tirx::rt::activate(const GemmEpilogue &epilogue, Approximate x) {
  double value = 0, slope = 0;
  switch (epilogue.activation) {
  case Activation::none:
    return x;
  case Activation::relu: // exact
    return {x.value < 0 ? 0 : x.value, kReluSlope * x.error};
  case Activation::gelu:
    value = x.value * sigmoid(geluArgument(x.value));
    slope = kGeluSlope;
    break;
  case Activation::silu:
    value = x.value * sigmoid(x.value);
    slope = kSiluSlope;
    break;
  }
  const double magnitude = std::fabs(x.value) + x.error;
  const double error =
      slope * x.error + kSigmoidError * magnitude + kTiny +
      (epilogue.approximate_tanh ? magnitude / 2 * kTanhError : 0);
  return {value, error};
}

Approximate tirx::rt::roundTo(DType output, Approximate x) {
  const FloatLimits &format = limitsOf(output);
  const double magnitude = std::fabs(x.value) + x.error;
  if (!(magnitude < format.maximum))
    return {x.value, kInfinity};
  if (format.precision >= limitsOf(DType::f32).precision)
    return x; // the f32 itself
  // Half a unit in the last place of numbers up to `magnitude`.
  const double rounding = exponentScale(magnitude, format.minimumExponent) *
                          std::ldexp(1.0, -format.precision);
  return {x.value, x.error + rounding};
}
