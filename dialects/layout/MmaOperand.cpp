//===- MmaOperand.cpp - operand plans with a proof --------------*- C++ -*-===//
#include "tirx/Layout/MmaOperand.h"

#include "Detail.h"

#include "tirx/Layout/Algebra.h"

namespace tirx::layout {

using detail::makeError;

Expected<SmemDescriptor> MmaOperandPlan::descriptor(MmaGeneration generation,
                                                    uint32_t base,
                                                    size_t mnSlice,
                                                    size_t kSlice) const {
  if (mnSlice >= mnOffsets.size() || kSlice >= kOffsets.size())
    return makeError("slice ({}, {}) of an operand of {} x {} slices", mnSlice,
                     kSlice, mnOffsets.size(), kOffsets.size());
  if (base % alignment != 0)
    return makeError(
        "operand at shared address {:#x} must be aligned to {} bytes, "
        "the period of swizzle {}",
        base, alignment, toString(swizzle));
  SmemDescriptor d;
  d.generation = generation;
  d.startAddress = base + uint32_t(offset(mnSlice, kSlice));
  d.leadingByteOffset = uint32_t(leadingByteOffset);
  d.strideByteOffset = uint32_t(strideByteOffset);
  d.swizzle = swizzle;
  TIRX_LAYOUT_CHECK(encode(d));
  return d;
}

namespace {

/// The tile's element index as f(mn) + g(k) + base, before the swizzle.
struct Separated {
  std::vector<int64_t> f, g;
  int64_t base;
};

class Planner {
public:
  Planner(const Separated &s, MmaOperandPlan plan)
      : s(s), plan(std::move(plan)) {}

  Expected<MmaOperandPlan> run() {
    TIRX_LAYOUT_CHECK(strides());
    TIRX_LAYOUT_CHECK(offsets());
    TIRX_LAYOUT_CHECK(prove());
    return plan;
  }

private:
  const Separated &s;
  MmaOperandPlan plan;

  int64_t elements(int64_t bytes) const { return bytes * 8 / plan.elementBits; }
  int64_t bytes(int64_t index) const { return index * plan.elementBits / 8; }

  Expected<int64_t> step(const char *name, const std::vector<int64_t> &values,
                         int64_t at) const {
    const int64_t b = bytes(values[size_t(at)]);
    if (b < 0 || b % 16 != 0 || b >= 1 << 18 ||
        values[size_t(at)] * plan.elementBits % 8 != 0)
      return makeError(
          "{} would be {} bytes; the field holds multiples of 16 below "
          "262144",
          name, b);
    return b;
  }

  /// LBO and SBO, where the slice is large enough to use them.
  Expected<void> strides() {
    const int64_t width = swizzleWidth(plan.swizzle);
    // Where the two offsets take effect, as element counts along (mn, k).
    int64_t mnAt, kAt;
    if (plan.major == Major::K) {
      mnAt = 8;
      kAt = elements(width ? width : 16);
    } else {
      mnAt = elements(width ? width : 16);
      kAt = plan.swizzle == SwizzleMode::B128Atom32B ? 4 : 8;
    }
    int64_t mnStride = 0, kStride = 0;
    if (mnAt < plan.mnStep) {
      TIRX_LAYOUT_ASSIGN(mnStride, step("offset along MN", s.f, mnAt));
    }
    // A swizzled K-major slice is 32 bytes, inside one atom: the leading offset
    // is not used. It is still reported when the tile has several atoms.
    if (kAt < plan.kStep) {
      TIRX_LAYOUT_ASSIGN(kStride, step("offset along K", s.g, kAt));
    } else if (plan.major == Major::K && width && kAt < plan.k) {
      if (auto b = step("offset along K", s.g, kAt))
        kStride = *b;
    }
    const bool mnLeads = plan.major == Major::MN && width;
    plan.leadingByteOffset = mnLeads ? mnStride : kStride;
    plan.strideByteOffset = mnLeads ? kStride : mnStride;
    return {};
  }

  Expected<void> offsets() {
    for (int64_t i = 0; i < plan.mn; i += plan.mnStep)
      plan.mnOffsets.push_back(bytes(s.base + s.f[size_t(i)]));
    for (int64_t j = 0; j < plan.k; j += plan.kStep)
      plan.kOffsets.push_back(bytes(s.g[size_t(j)]));
    for (const auto *list : {&plan.mnOffsets, &plan.kOffsets})
      for (int64_t o : *list)
        if (o % 16 != 0 || o < 0)
          return makeError(
              "a slice would start at byte {}, which is no multiple of "
              "16",
              o);
    return {};
  }

  /// The canonical formula is a sum of a part in mn and one in k, as the layout
  /// is, so agreement along both axes is agreement everywhere.
  Expected<void> prove() const {
    SmemDescriptor d;
    d.leadingByteOffset = uint32_t(plan.leadingByteOffset);
    d.strideByteOffset = uint32_t(plan.strideByteOffset);
    d.swizzle = plan.swizzle;
    const SmemOperand operand{plan.major, plan.elementBits};
    auto check = [&](const std::vector<int64_t> &values, int64_t sliceSize,
                     bool alongMn) -> Expected<void> {
      for (int64_t i = 0; i < int64_t(values.size()); ++i) {
        const int64_t in = i % sliceSize;
        const int64_t have = values[size_t(i)] - values[size_t(i - in)];
        const int64_t mn = alongMn ? in : 0, k = alongMn ? 0 : in;
        const int64_t want = int64_t(operandLinearAddress(d, operand, mn, k));
        const int64_t contiguous = plan.major == Major::K ? k : mn;
        const int64_t wantBit = contiguous * plan.elementBits % 8;
        if (have * plan.elementBits != want * 8 + wantBit)
          return makeError(
              "{} {} of its slice is {} bytes from the slice's start; "
              "the hardware reads byte {}",
              alongMn ? "row" : "K index", in, bytes(have), want);
      }
      return {};
    };
    TIRX_LAYOUT_CHECK(check(s.f, plan.mnStep, true));
    return check(s.g, plan.kStep, false);
  }
};

} // namespace

static Expected<Separated> separate(const Layout &layout, int64_t mn,
                                    int64_t k) {
  const TileLayout tile = canonicalize(layout.tile);
  for (Axis axis : axes(tile))
    if (axis != Axis::m)
      return makeError(
          "operand layout {} uses axis {}; a shared-memory operand "
          "lies on axis m",
          toString(layout), toString(axis));
  if (!tile.replica.empty())
    return makeError("operand layout {} has replicas", toString(layout));
  const Shape shape{mn, k};
  TIRX_LAYOUT_ASSIGN(const Grouped g, group(tile, shape));
  auto values = [](std::span<const Iter> run, int64_t n) {
    TileLayout t;
    t.shard.assign(run.begin(), run.end());
    std::vector<int64_t> out(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i)
      out[size_t(i)] = apply(Layout(t), i).get(Axis::m);
    return out;
  };
  return Separated{values(g.dim(0), mn), values(g.dim(1), k),
                   tile.offset.get(Axis::m)};
}

Expected<MmaOperandPlan> planMmaOperand(const Layout &layout, int64_t mn,
                                        int64_t k, int64_t elementBits,
                                        int64_t mnStep) {
  if (elementBits != 4 && elementBits != 8 && elementBits != 16 &&
      elementBits != 32)
    return makeError("operand elements are 4, 8, 16 or 32 bits wide, not {}",
                     elementBits);
  if (mn < 1 || k < 1 || mn > 1 << 16 || k > 1 << 16)
    return makeError("operand shape ({}, {}) is outside [1, 65536]", mn, k);
  const int64_t kStep = 256 / elementBits; // PTX ISA 9.7.16.2.1: 32 bytes of K
  if (k % kStep != 0)
    return makeError(
        "K = {} is not a multiple of {}, the K of one instruction for "
        "{}-bit elements",
        k, kStep, elementBits);
  if (mnStep == 0)
    mnStep = mn;
  if (mnStep < 8 || mnStep % 8 != 0 || mn % mnStep != 0)
    return makeError(
        "an instruction slice of {} rows does not divide {} rows into "
        "multiples of 8",
        mnStep, mn);
  TIRX_LAYOUT_ASSIGN(const SwizzleMode mode,
                     swizzleModeOf(layout.swizzle, elementBits));
  if (mode > SwizzleMode::B128Atom32B)
    return makeError("swizzle {} is not readable by the matrix units",
                     toString(mode));
  TIRX_LAYOUT_ASSIGN(const Separated s, separate(layout, mn, k));
  std::string reasons;
  for (Major major : {Major::K, Major::MN}) {
    SmemDescriptor probe;
    probe.swizzle = mode;
    auto result = checkSmemDescriptor(probe, {major, elementBits})
                      .and_then([&]() -> Expected<MmaOperandPlan> {
                        MmaOperandPlan plan{};
                        plan.major = major;
                        plan.swizzle = mode;
                        plan.elementBits = elementBits;
                        plan.mn = mn;
                        plan.k = k;
                        plan.mnStep = mnStep;
                        plan.kStep = kStep;
                        plan.alignment = swizzlePeriod(mode);
                        return Planner(s, std::move(plan)).run();
                      });
    if (result)
      return result;
    reasons += fmt::format("{}{}: {}", reasons.empty() ? "" : "; ",
                           toString(major), result.error().message);
  }
  return makeError("layout {} of shape ({},{}) with swizzle {} is no matrix "
                   "operand: {}",
                   toString(layout), mn, k, toString(mode), reasons);
}

} // namespace tirx::layout
