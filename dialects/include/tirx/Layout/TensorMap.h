//===- TensorMap.h - tensor-map parameters and copy planning ----*- C++ -*-===//
#ifndef TIRX_LAYOUT_TENSORMAP_H
#define TIRX_LAYOUT_TENSORMAP_H

#include "tirx/Layout/SwizzleMode.h"

namespace tirx::layout {

//===--- parameters of cuTensorMapEncodeTiled ----------------------------===//

/// Values are those of CUtensorMapDataType.
enum class TensorMapType : uint32_t {
  U8,
  U16,
  U32,
  S32,
  U64,
  S64,
  F16,
  F32,
  F64,
  BF16,
  F32Ftz,
  TF32,
  TF32Ftz,
  U4x16Align8,
  U4x16Align16,
  U6x16Align16,
};

struct TensorMapTypeInfo {
  TensorMapType type;
  std::string_view name;
  int64_t bits;
  bool isFloat;
  bool packed; ///< sub-byte; sm_100a
};
/// nullptr for a value that is no type.
const TensorMapTypeInfo *tensorMapTypeInfo(TensorMapType type);

enum class TensorMapInterleave : uint32_t { None, B16, B32 };
enum class TensorMapL2 : uint32_t { None, B64, B128, B256 };
enum class TensorMapOob : uint32_t { Zero, NaN };

enum class SmTarget : uint8_t { Sm90a, Sm100a };

/// The arguments of the driver's encoder: dims fastest first, strides in bytes
/// of dims 1.. . `swizzle` has the numbering of CUtensorMapSwizzle, which is
/// that of SwizzleMode. Any value may be stored; checkTensorMap judges it.
struct TensorMapParams {
  TensorMapType type = TensorMapType::F16;
  uint32_t rank = 2;
  uint64_t globalAddress = 0;
  std::array<uint64_t, 5> globalDim{1, 1, 1, 1, 1};
  std::array<uint64_t, 4> globalStride{};
  std::array<uint32_t, 5> boxDim{1, 1, 1, 1, 1};
  std::array<uint32_t, 5> elementStride{1, 1, 1, 1, 1};
  TensorMapInterleave interleave = TensorMapInterleave::None;
  SwizzleMode swizzle = SwizzleMode::None;
  TensorMapL2 l2 = TensorMapL2::None;
  TensorMapOob oob = TensorMapOob::Zero;
  friend bool operator==(const TensorMapParams &,
                         const TensorMapParams &) = default;
};

/// Whether cuTensorMapEncodeTiled accepts the parameters for `target`. The
/// message starts with the rule: rank, type, target, global_dim,
/// global_stride_range, global_stride_alignment, global_base_alignment,
/// box_dim, inner_box_bytes, swizzle_inner_box, element_stride, interleave,
/// swizzle, l2_promotion, oob, nan_oob_dtype.
Expected<void> checkTensorMap(const TensorMapParams &params, SmTarget target);

//===--- planning --------------------------------------------------------===//

/// One cp.async.bulk.tensor instruction.
struct TensorCopyIssue {
  /// Added to the tile's global coordinate; one per tensor dim, fastest first.
  std::vector<int64_t> coord;
  int64_t sharedOffset; ///< bytes from the start of the shared buffer
  int64_t bytes;
};

struct TensorCopyPlan {
  TensorMapType type;
  SwizzleMode swizzle;
  std::vector<uint32_t> box; ///< one per tensor dim, fastest first
  std::vector<TensorCopyIssue> issues;
  int64_t totalBytes; ///< what the barrier must expect
  int64_t alignment;  ///< bytes to which the shared buffer must be aligned
};

/// Plans the copy between a shared tile and the region of a row-major global
/// tensor of rank `rank` (1..5, extents and strides known at run time only).
/// `axes[d]` is the global axis (0 the slowest) that tile dim d covers; other
/// axes have box 1. The largest dense boxes are taken: at most 256 elements a
/// dim, the inner one at most the swizzle width; what does not fit is split
/// into several issues. No assumption on divisibility of the global extents.
/// Refusals: innermost global axis not contiguous in the tile, inner box not a
/// multiple of 16 bytes, an issue not 128-byte aligned in shared memory, a
/// swizzled box narrower than its pattern, axes other than m, replicas, more
/// than 4096 issues, packed types.
Expected<TensorCopyPlan> planTensorCopy(const Layout &shared,
                                        ShapeRef tileShape,
                                        std::span<const int> axes, int rank,
                                        TensorMapType type);

/// Executes the plan symbolically, as TMA would, and compares every element
/// with shared.apply: exact, up to 2^22 elements. Error: the first element that
/// is missing, written twice or elsewhere.
Expected<void> proveTensorCopy(const TensorCopyPlan &plan, const Layout &shared,
                               ShapeRef tileShape, std::span<const int> axes);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_TENSORMAP_H
