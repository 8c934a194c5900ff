//===- Detail.h - helpers private to the layout library ---------*- C++ -*-===//
#ifndef TIRX_LAYOUT_DETAIL_H
#define TIRX_LAYOUT_DETAIL_H

#include "tirx/Layout/Layout.h"

#include <bit>
#include <fmt/format.h>

namespace tirx::layout::detail {

template <class... Args>
tl::unexpected<Error> makeError(fmt::format_string<Args...> format,
                                Args &&...args) {
  return tl::make_unexpected(
      Error{fmt::format(format, std::forward<Args>(args)...)});
}

inline std::optional<int64_t> mulChecked(int64_t a, int64_t b) {
  int64_t r;
  if (__builtin_mul_overflow(a, b, &r))
    return std::nullopt;
  return r;
}

inline int64_t floorDiv(int64_t a, int64_t b) {
  return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

inline bool isPowerOfTwo(int64_t v) {
  return v > 0 && std::has_single_bit(uint64_t(v));
}
inline int log2Exact(int64_t v) { return std::countr_zero(uint64_t(v)); }

/// Verified value: `layout` or the error of verify.
inline Expected<Layout> verified(Layout layout) {
  if (auto ok = verify(layout); !ok)
    return tl::make_unexpected(ok.error());
  return layout;
}
inline Expected<TileLayout> verified(TileLayout tile) {
  if (auto ok = verify(Layout(tile)); !ok)
    return tl::make_unexpected(ok.error());
  return tile;
}

/// A run of iters without unit iters and with neighbours fused; empty when the
/// run has only unit iters.
std::vector<Iter> fuseRun(std::span<const Iter> run);

/// The iters, slow to fast, of the range [begin, begin+extent) of a run,
/// without its base value. nullopt when it is no mixed-radix range.
std::optional<std::vector<Iter>> sliceRun(std::vector<Iter> run, int64_t begin,
                                          int64_t extent);

} // namespace tirx::layout::detail

/// Returns the error of an Expected expression, or binds its value.
#define TIRX_LAYOUT_CONCAT2(a, b) a##b
#define TIRX_LAYOUT_CONCAT(a, b) TIRX_LAYOUT_CONCAT2(a, b)
#define TIRX_LAYOUT_ASSIGN_IMPL(tmp, decl, expr)                               \
  auto tmp = (expr);                                                           \
  if (!tmp)                                                                    \
    return tl::make_unexpected(std::move(tmp.error()));                        \
  decl = std::move(*tmp)
#define TIRX_LAYOUT_ASSIGN(decl, ...)                                          \
  TIRX_LAYOUT_ASSIGN_IMPL(TIRX_LAYOUT_CONCAT(expected_, __LINE__), decl,       \
                          (__VA_ARGS__))
#define TIRX_LAYOUT_CHECK(...)                                                 \
  do {                                                                         \
    if (auto ok = (__VA_ARGS__); !ok)                                          \
      return tl::make_unexpected(std::move(ok.error()));                       \
  } while (false)

#endif // TIRX_LAYOUT_DETAIL_H
