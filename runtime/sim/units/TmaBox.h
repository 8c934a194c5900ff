//===- TmaBox.h - tiled tensor copies, planned and executed -----*- C++ -*-===//
#pragma once

#include "SharedSpan.h"
#include "TensorMap.h"

#include <vector>

namespace tirx::rt::sim {

/// Global memory as the units see it; the simulator core implements it.
class GlobalSpace {
public:
  virtual ~GlobalSpace() = default;
  /// Host memory behind [address, address+bytes). Errors: the range is not
  /// inside one known allocation; the error names the nearest one.
  virtual Expected<std::byte *> access(uint64_t address, uint64_t bytes,
                                       bool isWrite) = 0;
};

/// A run of bytes of one box row.
struct TmaSegment {
  uint64_t global; ///< first global byte; 0 when `fill`
  uint32_t shared; ///< linear (not yet swizzled) shared-window address
  uint32_t bytes;  ///< length of the run
  bool fill;       ///< out of bounds: load writes the fill pattern
};

/// A planned copy of one box. Segments cover the box in linear order, at most
/// three a row (left of, inside, right of the tensor); each may be executed at
/// any time, in any order, once.
struct TmaPlan {
  std::vector<TmaSegment> segments;
  Swizzle swizzle = Swizzle::none;
  TensorMapDType type = TensorMapDType::u8;
  TensorMapFill fillKind = TensorMapFill::zero;
  uint32_t sharedBegin = 0; ///< first byte of the shared tile
  uint32_t sharedBytes = 0; ///< bytes the tile spans
  uint64_t txBytes = 0;     ///< bytes for complete_tx: the full box, also where
                            ///< the box sticks out of the tensor
};

/// Plans cp.async.bulk.tensor.Nd global -> shared, tile mode. `coords` has
/// `rank` signed element coordinates, innermost first; any value is legal, and
/// elements outside the tensor are filled. `sharedAddress` is the destination
/// in the window. Errors: coordinate count, destination not 128-byte aligned,
/// tile out of the window; not simulated: interleaved, packed and flushing
/// (_FTZ) types, several box rows shorter than the swizzle width (their pitch
/// is undocumented). Warning: destination not aligned to the swizzle period.
Expected<TmaPlan> planTmaLoad(const TensorMapFields &map,
                              std::span<const int32_t> coords,
                              uint32_t sharedAddress, uint64_t windowBytes,
                              Warnings *warnings = nullptr);

/// Plans shared -> global. As planTmaLoad; negative coordinates are an error
/// (PTX ISA cp.async.bulk.tensor); elements outside the tensor are skipped and
/// have no segment.
Expected<TmaPlan> planTmaStore(const TensorMapFields &map,
                               std::span<const int32_t> coords,
                               uint32_t sharedAddress, uint64_t windowBytes,
                               Warnings *warnings = nullptr);

/// Bytes of the full box: what a load adds to complete_tx.
Expected<uint64_t> tmaBoxBytes(const TensorMapFields &map);

/// Executes segments [first, first+count) of a load into `shared`. NaN fill
/// writes the type's canonical NaN (PTX does not give its bits); TFLOAT32 maps
/// round f32 to tf32, to nearest even. Errors: a global range refused by
/// `global` (nothing of that segment is written).
Expected<void> executeTmaLoad(const TmaPlan &plan, size_t first, size_t count,
                              SharedSpan shared, GlobalSpace &global);

/// Executes segments [first, first+count) of a store from `shared`.
Expected<void> executeTmaStore(const TmaPlan &plan, size_t first, size_t count,
                               ConstSharedSpan shared, GlobalSpace &global);

/// Element-wise operations of cp.reduce.async.bulk(.tensor).
enum class TmaReduceOp : uint8_t {
  add,
  min,
  max,
  inc,
  dec,
  bitAnd,
  bitOr,
  bitXor
};

/// Executes segments [first, first+count) of a reduction shared -> global,
/// global = op(global, shared) per element of plan.type. Errors: an operation
/// that PTX does not define for the type; ranges as above.
Expected<void> executeTmaReduce(const TmaPlan &plan, TmaReduceOp op,
                                size_t first, size_t count,
                                ConstSharedSpan shared, GlobalSpace &global);

/// global[i] = op(global[i], source[i]) for elements of `type` in `bytes`
/// contiguous bytes, as cp.reduce.async.bulk does. Error: an operation that PTX
/// does not define for the type (u32 and u64 stand for b32 and b64).
Expected<void> reduceBulk(TmaReduceOp op, TensorMapDType type,
                          std::byte *global, const std::byte *source,
                          uint32_t bytes);

} // namespace tirx::rt::sim
