//===- Instr.h - decoded instructions ---------------------------*- C++ -*-===//
//
// Plain data only: the SIMD kernels that include this header are compiled
// several times with different instruction sets, and no inline function of the
// standard library may leak from them into the rest of the program.
//
//===----------------------------------------------------------------------===//
#pragma once

#include <stdint.h>

namespace tirx::rt::sim {

inline constexpr unsigned kLanes = 32;
inline constexpr uint32_t kNoOperand = 0xFFFFFFFFu;
/// Operand offsets with this bit lie in the constant pool, not in the warp's
/// registers.
inline constexpr uint32_t kConstantBit = 0x80000000u;
/// Predicate slots that every warp has.
inline constexpr uint32_t kFalsePred = 0, kTruePred = 1, kCarryPred = 2,
                          kFirstPred = 3;

/// The registers of a warp: slots of 32 lanes of 4, 8 or 16 bytes; a predicate
/// is a mask with a bit a lane.
struct LaneState {
  unsigned char *bases[2]; ///< registers, constants
  uint32_t *preds;

  unsigned char *at(uint32_t operand) const {
    return bases[operand >> 31] + (operand & ~kConstantBit);
  }
};

struct Instr;
using AluFn = void (*)(const LaneState &, const Instr &, uint32_t mask);

struct Context;
/// What an instruction did to the control flow of its fragment.
enum class Outcome : uint8_t {
  next,    ///< go on behind it
  jumped,  ///< Fragment::pc is set
  gone,    ///< the list of fragments has changed
  blocked, ///< Fragment::wait is set; the instruction runs again when woken
  yielded, ///< go on behind it, but let others run first
  fault,   ///< Machine::error is set
};
using OpFn = Outcome (*)(Context &);

/// Instr::mods of arithmetic: flags, then rounding and comparison.
enum Mod : uint32_t {
  kFtz = 1,
  kSat = 2,
  kNaN = 4,
  kAbs = 8,
  kXorSign = 16,
  kRelu = 32,
  kRoundShift = 8,    ///< 3 bits: RoundMode
  kCompareShift = 12, ///< 5 bits: Compare
  kBoolShift = 20,    ///< 2 bits: BoolOp; bit 22: the predicate is negated
  kBoolNegate = 1 << 22,
};
enum RoundMode : uint32_t { kRn, kRz, kRm, kRp, kRna };
enum Compare : uint32_t {
  kEq,
  kNe,
  kLt,
  kLe,
  kGt,
  kGe,
  kEqu,
  kNeu,
  kLtu,
  kLeu,
  kGtu,
  kGeu,
  kNum,
  kNan,
};
enum BoolOp : uint32_t { kNoBool, kAnd, kOr, kXor };

struct Instr {
  AluFn alu = nullptr; ///< arithmetic on lanes; else `op`
  OpFn op = nullptr;
  /// Byte offsets of slots (LaneState::at), or indices of predicates.
  uint32_t dst = kNoOperand, dst2 = kNoOperand;
  uint32_t src[4] = {kNoOperand, kNoOperand, kNoOperand, kNoOperand};
  uint32_t guard = kTruePred;
  uint32_t guard_invert = 0; ///< all ones for @!p
  uint32_t mods = 0;
  uint32_t target = 0;               ///< branch target
  uint32_t join = kNoOperand;        ///< where the arms of a branch meet again
  uint32_t list = 0, list_count = 0; ///< operands in Function::lists
  int64_t imm = 0;
  int64_t offset1 = 0, offset2 = 0; ///< of further addresses
  uint32_t ast = 0;                 ///< index of the parsed instruction
  bool is_join = false;             ///< some branch's `join`
  bool strong = false;  ///< atomic or strong memory access: synchronises
  uint8_t sub[10] = {}; ///< selectors; their meaning belongs to the handler
};

} // namespace tirx::rt::sim
