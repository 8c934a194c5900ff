//===- OperandPlanes.h - operands decoded for the accumulator ---*- C++ -*-===//
#pragma once

#include "MmaGeometry.h"

namespace tirx::rt::sim {

/// One operand, element by element, in the order that the accumulation wants:
/// A as [k][line], B as [line][k], where a line is a row of A or a column of B.
struct OperandPlane {
  unsigned lines = 0, k = 0;
  bool kOuter = false;              ///< [k][line]
  std::vector<float> value;         ///< float kinds; specials 0 if `exact`
  std::vector<int16_t> exponent;    ///< float kinds, as the exact rule counts
  std::vector<int32_t> integer;     ///< i8
  std::vector<uint8_t> specialLine; ///< per line: has an infinity or NaN;
                                    ///< empty: none has
  std::vector<float> kindOf; ///< when special: 0, +-1 (finite), +-inf, NaN
  int leastExponent = 0, largestExponent = 0; ///< over non-zero elements
  bool anyNonZero = false;

  size_t index(unsigned line, unsigned kIndex) const {
    return kOuter ? size_t(kIndex) * lines + line : size_t(line) * k + kIndex;
  }
};

/// Decodes raw element bits, already in plane order. `exact` prepares for
/// accumulateExact: specials leave `value`.
OperandPlane decodePlane(std::span<const uint32_t> bits, unsigned lines,
                         unsigned k, bool kOuter, ElementType type, bool negate,
                         bool exact);

/// Replaces values by significands (AccumulateTile::significandsOnly).
void reduceToSignificands(OperandPlane &plane);

/// Appends the lines of `more` to a [line][k] plane.
void appendLines(OperandPlane &plane, const OperandPlane &more);

/// Expands dense [line][k] raw bytes to words in plane order.
std::vector<uint32_t> expandDense(std::span<const std::byte> dense,
                                  unsigned lines, unsigned k,
                                  unsigned elementBytes, bool kOuter);

} // namespace tirx::rt::sim
