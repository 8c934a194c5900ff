//===- Axis.cpp - axis registry ---------------------------------*- C++ -*-===//
#include "tirx/Layout/Axis.h"

#include "Detail.h"

namespace tirx::layout {

using enum Axis;
static constexpr auto T = AxisKind::Thread;
static constexpr auto M = AxisKind::Memory;

// Bounds: PTX ISA 2.2 (32 threads a warp), 9.7.15.1 (4 warps a warpgroup),
// CUDA limits of 1024 threads a CTA and 16 CTAs a (non-portable) cluster,
// PTX ISA 9.7.16.1 (128 TMEM lanes).
static constexpr AxisInfo table[kNumAxes] = {
    {bx, "bx", T, Scope::Grid, Scope::Cta, 0, "CTA in the grid, x"},
    {by, "by", T, Scope::Grid, Scope::Cta, 0, "CTA in the grid, y"},
    {bz, "bz", T, Scope::Grid, Scope::Cta, 0, "CTA in the grid, z"},
    {cbx, "cbx", T, Scope::Cluster, Scope::Cta, 16, "CTA in the cluster, x"},
    {cby, "cby", T, Scope::Cluster, Scope::Cta, 16, "CTA in the cluster, y"},
    {cbz, "cbz", T, Scope::Cluster, Scope::Cta, 16, "CTA in the cluster, z"},
    {tx, "tx", T, Scope::Cta, Scope::Thread, 1024, "thread in the CTA"},
    {warpid, "warpid", T, Scope::Cta, Scope::Warp, 32, "warp in the CTA"},
    {laneid, "laneid", T, Scope::Warp, Scope::Thread, 32, "thread in the warp"},
    {wgid, "wgid", T, Scope::Cta, Scope::Warpgroup, 8, "warpgroup in the CTA"},
    {tid_in_wg, "tid_in_wg", T, Scope::Warpgroup, Scope::Thread, 128,
     "thread in the warpgroup"},
    {wid_in_wg, "wid_in_wg", T, Scope::Warpgroup, Scope::Warp, 4,
     "warp in the warpgroup"},
    {m, "m", M, {}, {}, 0, "linear memory, in elements"},
    {TLane, "TLane", M, {}, {}, 128, "tensor memory lane"},
    {TCol, "TCol", M, {}, {}, 0, "tensor memory column, in elements"},
    {P, "P", M, {}, {}, 0, "scratchpad partition"},
    {F, "F", M, {}, {}, 0, "scratchpad free dimension"},
    {Bank, "Bank", M, {}, {}, 0, "accumulator bank"},
};

static constexpr bool tableInOrder() {
  for (unsigned i = 0; i < kNumAxes; ++i)
    if (table[i].axis != Axis(i))
      return false;
  return true;
}
static_assert(tableInOrder());

const AxisInfo &axisInfo(Axis axis) { return table[unsigned(axis)]; }
std::span<const AxisInfo> axisTable() { return table; }
std::string_view toString(Axis axis) { return axisInfo(axis).name; }

std::string_view toString(Scope scope) {
  static constexpr std::string_view names[] = {"thread", "warp",    "warpgroup",
                                               "cta",    "cluster", "grid"};
  return names[unsigned(scope)];
}

Expected<Axis> parseAxis(std::string_view name) {
  for (const AxisInfo &info : table)
    if (info.name == name)
      return info.axis;
  std::string known;
  for (const AxisInfo &info : table)
    known += fmt::format("{}{}", known.empty() ? "" : ", ", info.name);
  return detail::makeError("unknown axis '{}'; known axes: {}", name, known);
}

std::string toString(const AxisValues &values) {
  std::string out;
  values.forEach([&](Axis axis, int64_t value) {
    out +=
        fmt::format("{}{}: {}", out.empty() ? "" : ", ", toString(axis), value);
  });
  return "{" + out + "}";
}

} // namespace tirx::layout
