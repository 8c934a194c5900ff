//===- VectorCopy.cpp - plans of copies by ld and st ----------------------===//

#include "CopyTiles.h"
#include "LayoutArithmetic.h"
#include "Plans.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Proofs.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;
namespace layout = tirx::layout;

/// PTX ISA, ld: vectors of up to 128 bits in every space and on every target.
constexpr int64_t maxAccessBits = 128;

Planned<GlobalTile> tirx::passes::findGlobalTile(Value buffer) {
  GlobalTile tile;
  SmallVector<SliceOp> slices;
  while (auto slice = buffer.getDefiningOp<SliceOp>()) {
    slices.push_back(slice);
    buffer = slice.getSource();
  }
  tile.argument = dyn_cast<BlockArgument>(buffer);
  if (!tile.argument || !isa<KernelOp>(tile.argument.getOwner()->getParentOp()))
    return refuse("the global tile is no slice of a kernel argument");
  if (slices.size() > 1)
    return refuse("the global tile is a slice of a slice: slice the argument "
                  "itself");
  if (slices.empty())
    return refuse("the global buffer is a whole argument: take a tirx.slice of "
                  "it");
  llvm::append_range(tile.offsets, slices.front().getOffsets());
  return tile;
}

/// The widest access, in elements, that divides a row of the tile; a power of
/// two up to `limit`.
static int64_t getRowVector(ArrayRef<int64_t> shape, unsigned elementBits,
                            int64_t limit) {
  int64_t row = shape.back();
  return std::min({limit & -limit, row & -row, maxAccessBits / elementBits});
}

/// Where a tile begins in a row is part of every address. The launch checks
/// the strides, and that the argument itself is aligned.
static int64_t limitToGlobal(int64_t elements, const GlobalTile &tile) {
  return std::min(elements, getKnownDivisor(tile.offsets.back()));
}

/// Neighbours must stay together in shared memory.
static int64_t limitToShared(int64_t elements, BufferType buffer) {
  for (; elements > 1; elements /= 2) {
    auto aligned =
        layout::proveAligned(buffer.getLayout().getValue(), elements);
    if (aligned && *aligned)
      break;
  }
  return elements;
}

static Planned<void> checkElements(unsigned bits) {
  if (!llvm::isPowerOf2_32(bits))
    return refuse("elements of " + llvm::Twine(bits) +
                  " bits: ld and st move 8, 16, 32 or 64");
  return {};
}

Planned<VectorCopyPlan> tirx::passes::planVectorCopy(Operation *op) {
  CopyTiles tiles(op);
  if (!tiles.sourceBuffer || !tiles.destinationBuffer)
    return refuse("one side is in registers");
  BufferType global = tiles.sourceBuffer, shared = tiles.destinationBuffer;
  if (!global.isGlobal())
    std::swap(global, shared);
  if (!global.isGlobal() || !shared.isShared())
    return refuse("the source is " + tiles.describeSource() +
                  ", the destination " + tiles.describeDestination() +
                  "; it copies between global and shared memory");
  Value globalValue =
      tiles.sourceBuffer.isGlobal() ? tiles.source : tiles.destination;
  auto tile = findGlobalTile(globalValue);
  if (!tile)
    return refuse(tile.error());
  if (auto elements = checkElements(tiles.getElementBits()); !elements)
    return refuse(elements.error());
  int64_t elements =
      getRowVector(tiles.getShape(), tiles.getElementBits(), maxAccessBits);
  return VectorCopyPlan{limitToShared(limitToGlobal(elements, *tile), shared)};
}

/// The threads that one step along the axis leads past.
static int64_t getThreadsOf(const layout::AxisInfo &axis) {
  switch (axis.subscope) {
  case layout::Scope::Thread:
    return 1;
  case layout::Scope::Warp:
    return 32;
  default:
    return 128;
  }
}

/// The threads of a warpgroup, or of the CTA, that a role lacks.
static Planned<void> checkRoleThreads(RoleOp role, layout::Scope scope,
                                      int64_t needed) {
  constexpr int64_t groupWarps = 4;
  int64_t first = role.getFirstWarp(), warps = role.getWarps();
  int64_t neededWarps = llvm::divideCeil(needed, 32);
  std::string described = "role \"" + role.getRoleName().str() + "\"";
  if (needed > role.getThreads())
    return refuse("the register tile is distributed over " +
                  std::to_string(needed) + " threads, " + described + " has " +
                  std::to_string(role.getThreads()));
  if (scope == layout::Scope::Cta && first != 0)
    return refuse("the register tile is distributed over the CTA's first " +
                  std::to_string(needed) + " threads, " + described +
                  " begins at warp " + std::to_string(first));
  int64_t rest = warps % groupWarps;
  if (scope == layout::Scope::Warpgroup &&
      (first % groupWarps != 0 || (rest != 0 && rest < neededWarps)))
    return refuse("the register tile is distributed over " +
                  std::to_string(needed) + " threads of a warpgroup, " +
                  described + " has only a part of one: warps " +
                  std::to_string(first) + " to " +
                  std::to_string(role.getLastWarp()));
  return {};
}

Planned<void> tirx::passes::checkThreads(Operation *op,
                                         const layout::TileLayout &layout) {
  auto launch = op->getParentOfType<LaunchOp>();
  if (!launch)
    return refuse("it is not in a tirx.launch, which says how many threads "
                  "there are");
  int64_t threads = launch.getThreads();
  int64_t needed = 1;
  layout::Scope scope = layout::Scope::Warp;
  for (layout::Axis axis : layout::axes(layout)) {
    if (layout::isMemory(axis))
      continue;
    const layout::AxisInfo &info = layout::axisInfo(axis);
    if (info.scope > layout::Scope::Cta)
      return refuse("the register tile is distributed over axis " +
                    std::string(info.name) +
                    ", which numbers no threads of a "
                    "CTA");
    scope = std::max(scope, info.scope);
    needed = std::max(needed, layout::span(layout, axis) * getThreadsOf(info));
  }
  if (needed > threads)
    return refuse("the register tile is distributed over " +
                  std::to_string(needed) + " threads, the launch has " +
                  std::to_string(threads));
  if (auto role = op->getParentOfType<RoleOp>())
    return checkRoleThreads(role, scope, needed);
  return {};
}

/// Consecutive registers of a thread that hold consecutive elements.
static int64_t getRegisterRun(const layout::TileLayout &layout) {
  int64_t run = 1;
  for (auto it = layout.shard.rbegin(); it != layout.shard.rend(); ++it) {
    if (it->axis != layout::Axis::m || it->stride != run)
      break;
    run *= it->extent;
  }
  return run;
}

/// The iters of each thread axis, replicas included, must be digits of the
/// thread's number, so that a thread can compute its coordinates; the same
/// holds for registers.
static Planned<void> checkDigits(const layout::TileLayout &layout, bool load) {
  if (!layout.replica.empty() && !load)
    return refuse("the register tile is replicated over threads, which would "
                  "all store it");
  for (const layout::Iter &iter : layout.replica)
    if (layout::isMemory(iter.axis))
      return refuse("the register tile is replicated over registers");
  if (!layout.offset.empty())
    return refuse("the register tile's layout has an offset");
  for (layout::Axis axis : layout::axes(layout)) {
    SmallVector<layout::Iter> iters;
    for (const auto *list : {&layout.shard, &layout.replica})
      for (const layout::Iter &iter : *list)
        if (iter.axis == axis && iter.extent > 1)
          iters.push_back(iter);
    llvm::sort(iters, [](auto &a, auto &b) { return a.stride < b.stride; });
    int64_t next = 1;
    for (const layout::Iter &iter : iters) {
      if (iter.stride != next)
        return refuse("the register tile leaves gaps on axis " +
                      std::string(layout::toString(axis)));
      next *= iter.extent;
    }
  }
  return {};
}

Planned<RegisterCopyPlan> tirx::passes::planRegisterCopy(Operation *op) {
  CopyTiles tiles(op);
  RankedTensorType tile = tiles.getRegisterTile();
  if (!tile)
    return refuse("neither side is in registers");
  BufferType memory = tiles.getMemoryType();
  if (memory.isTmem())
    return refuse("the memory is tensor memory");
  if (auto elements = checkElements(tiles.getElementBits()); !elements)
    return refuse(elements.error());
  const layout::TileLayout &layout =
      cast<LayoutAttr>(tile.getEncoding()).getValue().tile;
  if (auto digits = checkDigits(layout, /*load=*/(bool)tiles.destinationTile);
      !digits)
    return refuse(digits.error());
  if (auto threads = checkThreads(op, layout); !threads)
    return refuse(threads.error());
  if (auto grouped = layout::group(layout, tile.getShape()); !grouped)
    return refuse(
        "the register tile's layout does not follow its dimensions: " +
        grouped.error().message);
  RegisterCopyPlan plan;
  plan.registers = layout::size(layout, layout::Axis::m);
  // Vectors are cut from the thread's registers in order.
  int64_t elements = getRowVector(tile.getShape(), tiles.getElementBits(),
                                  getRegisterRun(layout));
  if (memory.isShared()) {
    plan.vectorElements = limitToShared(elements, memory);
    return plan;
  }
  auto global = findGlobalTile(tiles.getMemory());
  if (!global)
    return refuse(global.error());
  plan.vectorElements = limitToGlobal(elements, *global);
  return plan;
}
