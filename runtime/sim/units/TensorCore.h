//===- TensorCore.h - tcgen05.mma -------------------------------*- C++ -*-===//
#pragma once

#include "FusedSum.h"
#include "OperandGather.h"
#include "TensorMemory.h"

#include <memory>

namespace tirx::rt::sim {

/// `exact`: the hardware's truncating fused sum. `fast`: sequential f32 FMA
/// (then one rounding for f16 D). i8 is exact in both.
enum class MmaNumerics : uint8_t { exact, fast };

/// The fields of one tcgen05.mma, decoded. Simulated: kinds f16, tf32, f8f6f4,
/// i8, dense, without .ws and .ashift; other kinds are refused by
/// checkMma with a message that says so.
struct MmaRequest {
  InstructionDescriptor idesc;
  unsigned ctaGroup = 1;
  bool ws = false;
  bool aInTmem = false;
  MatrixDescriptor a; ///< !aInTmem
  uint32_t aTmem = 0; ///< aInTmem: TMEM address
  MatrixDescriptor b;
  uint32_t dTmem = 0;        ///< TMEM address of D, the same in both CTAs
  bool enableInputD = false; ///< false: D = A*B
  unsigned scaleInputD = 0;  ///< D = A*B + D*2^-s, 0..15, f16 and tf32 only
  /// Bit i set: lane i is not written. Words 0-3 lanes 0-127 of the even CTA,
  /// 4-7 of the odd one.
  std::array<uint32_t, 8> disableOutputLane = {};
  MmaNumerics numerics = MmaNumerics::exact;
};

/// The memories of one CTA that takes part; index 0 is the even CTA.
struct MmaCta {
  ConstSharedSpan shared;
  TensorMemory *tmem = nullptr;
  const TmemAllocator *allocator = nullptr; ///< null: allocation unchecked
};

/// How D rows and columns lie in TMEM, named as PTX ISA names the layouts.
enum class DatapathLayout : uint8_t { A, B, D, F };
/// Layout of D for (M, ctaGroup): 256/2 A, 128/2 B, 128/1 D, 64/1 F.
DatapathLayout datapathLayout(unsigned m, unsigned ctaGroup);
/// (lane, column) of D element (row of this CTA, n) of an N-wide tile, relative
/// to the base column; `baseLane` 0, or 16 for F.
struct TmemCell {
  unsigned lane, column;
};
TmemCell datapathCell(DatapathLayout layout, unsigned row, unsigned n,
                      unsigned totalN, unsigned baseLane = 0);

/// Everything that can be refused before any memory is read: kind, shapes,
/// operand layouts, TMEM base lanes, columns, allocation. Run it at issue.
Expected<void> checkMma(const MmaRequest &request, std::span<const MmaCta> ctas,
                        Warnings *warnings = nullptr);

/// Memory that the instruction touches in CTA `cta` (0, 1), for race detection.
struct MmaFootprint {
  std::vector<uint32_t> sharedChunks; ///< 16-byte chunk addresses, sorted,
                                      ///< unique
  std::vector<TmemRegion> tmemReads;  ///< A in TMEM; D if enableInputD
  std::vector<TmemRegion> tmemWrites; ///< D
};
Expected<MmaFootprint> mmaFootprint(const MmaRequest &request, unsigned cta,
                                    uint64_t windowBytes);
/// The same without shared memory, which takes most of the time; equal in both
/// CTAs.
MmaFootprint mmaTmemFootprint(const MmaRequest &request);

/// Operands read at one instant; opaque, movable, reusable for one commit.
class MmaOperands {
public:
  MmaOperands();
  ~MmaOperands();
  MmaOperands(MmaOperands &&) noexcept;
  MmaOperands &operator=(MmaOperands &&) noexcept;

  struct Planes;
  std::unique_ptr<Planes> planes;
};

/// Reads A and B (shared memory or TMEM) now. `ctas`: one or two entries, as
/// request.ctaGroup says. Errors: chunks outside the window.
Expected<MmaOperands> gatherMmaOperands(const MmaRequest &request,
                                        std::span<const MmaCta> ctas);

/// Reads D if enableInputD, computes, writes D. Call at the completion instant.
void commitMma(const MmaRequest &request, const MmaOperands &operands,
               std::span<const MmaCta> ctas);

} // namespace tirx::rt::sim
