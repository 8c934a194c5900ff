//===- TestSupport.h - shared by the layout tests ---------------*- C++ -*-===//
#ifndef TIRX_LAYOUT_UNIT_TESTSUPPORT_H
#define TIRX_LAYOUT_UNIT_TESTSUPPORT_H

#include "tirx/Layout/Proofs.h"

#include <catch2/catch.hpp>
#include <random>

namespace tirx::layout {

inline std::ostream &operator<<(std::ostream &os, const AxisValues &v) {
  return os << toString(v);
}
inline std::ostream &operator<<(std::ostream &os, const Layout &l) {
  return os << toString(l);
}
inline std::ostream &operator<<(std::ostream &os, const TileLayout &l) {
  return os << toString(l);
}

namespace test {

inline Layout L(std::string_view text) {
  auto layout = parseLayout(text);
  if (!layout)
    FAIL(text << ": " << layout.error().message);
  return *layout;
}

/// Unwraps, failing the test with the error.
template <class T> T get(Expected<T> value) {
  if (!value)
    FAIL(value.error().message);
  return std::move(*value);
}

/// The error message of an Expected that must be one.
template <class T> std::string errorOf(const Expected<T> &value) {
  if (value)
    FAIL("expected an error");
  return value.error().message;
}

/// The place on axis m of a logical coordinate.
inline int64_t at(const Layout &layout, Shape coord, Shape shape) {
  return get(apply(layout, coord, shape)).get(Axis::m);
}

/// Catch2's --rng-seed, printed by Catch2 on failure through INFO.
inline std::mt19937_64 rng() {
  return std::mt19937_64(Catch::rngSeed() ? Catch::rngSeed() : 1);
}

} // namespace test
} // namespace tirx::layout

#endif // TIRX_LAYOUT_UNIT_TESTSUPPORT_H
