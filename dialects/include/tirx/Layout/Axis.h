//===- Axis.h - named axes a layout maps to ---------------------*- C++ -*-===//
#ifndef TIRX_LAYOUT_AXIS_H
#define TIRX_LAYOUT_AXIS_H

#include "tirx/Layout/Support.h"

#include <array>
#include <initializer_list>
#include <string_view>
#include <utility>

namespace tirx::layout {

/// The axes of the registry. Thread axes say which thread holds an element,
/// memory axes where in its memory the element is.
enum class Axis : uint8_t {
  bx,
  by,
  bz,
  cbx,
  cby,
  cbz,
  tx,
  warpid,
  laneid,
  wgid,
  tid_in_wg,
  wid_in_wg,
  m,
  TLane,
  TCol,
  P,
  F,
  Bank,
};
inline constexpr unsigned kNumAxes = 18;

enum class AxisKind : uint8_t { Thread, Memory };

/// Levels of the thread hierarchy, innermost first.
enum class Scope : uint8_t { Thread, Warp, Warpgroup, Cta, Cluster, Grid };

struct AxisInfo {
  Axis axis;
  std::string_view name;
  AxisKind kind;
  /// For a thread axis: it numbers the `subscope` units inside one `scope`
  /// unit (laneid: threads in a warp). Unused for memory axes.
  Scope scope;
  Scope subscope;
  /// Hardware limit of the coordinate (exclusive), 0 when there is none.
  int64_t bound;
  std::string_view description;
};

/// The registry entry of `axis`.
const AxisInfo &axisInfo(Axis axis);

/// All entries in enum order.
std::span<const AxisInfo> axisTable();

std::string_view toString(Axis axis);
std::string_view toString(Scope scope);
inline bool isThread(Axis axis) {
  return axisInfo(axis).kind == AxisKind::Thread;
}
inline bool isMemory(Axis axis) { return !isThread(axis); }

/// The axis called `name`; the error of an unknown name lists the known ones.
Expected<Axis> parseAxis(std::string_view name);

/// A sparse map axis -> value. An axis may be present with the value 0.
class AxisValues {
public:
  AxisValues() = default;
  AxisValues(std::initializer_list<std::pair<Axis, int64_t>> list) {
    for (auto [axis, value] : list)
      set(axis, value);
  }
  bool has(Axis axis) const { return mask >> unsigned(axis) & 1; }
  bool empty() const { return mask == 0; }
  /// The value, 0 when the axis is absent.
  int64_t get(Axis axis) const { return values[unsigned(axis)]; }
  void set(Axis axis, int64_t value) {
    mask |= 1u << unsigned(axis);
    values[unsigned(axis)] = value;
  }
  void add(Axis axis, int64_t value) { set(axis, get(axis) + value); }
  void erase(Axis axis) {
    mask &= ~(1u << unsigned(axis));
    values[unsigned(axis)] = 0;
  }
  /// Calls fn(Axis, int64_t) for every present axis in registry order.
  template <class Fn> void forEach(Fn &&fn) const {
    for (unsigned i = 0; i < kNumAxes; ++i)
      if (mask >> i & 1)
        fn(Axis(i), values[i]);
  }
  friend bool operator==(const AxisValues &, const AxisValues &) = default;
  friend auto operator<=>(const AxisValues &, const AxisValues &) = default;

private:
  std::array<int64_t, kNumAxes> values{};
  uint32_t mask = 0;
};

/// `{laneid: 21, m: 1}`.
std::string toString(const AxisValues &values);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_AXIS_H
