//===- Handlers.h - helpers that several handlers share ---------*- C++ -*-===//
#pragma once

#include "Machine.h"

namespace tirx::rt::sim {

/// Parts of controlRows().
std::vector<OpRow> branchRows();
std::vector<OpRow> warpRows();
std::vector<OpRow> registerRows();

/// mov from a special register: `bytes` of the destination, 0: predicate.
bool decodeSpecial(Decoder &decoder, const ast::Operand &dst,
                   const ast::Operand &src, Instr &out, unsigned bytes);
/// mov.b128 between registers.
Outcome opMov128(Context &context);

/// ret, exit and the end of the code.
Outcome opExit(Context &context);

/// Makes sure that the lanes of `required` (less those that exited) execute
/// this instruction together. `run`: go on, with Context::mask widened to all
/// lanes that take part. Else return its `outcome`. Not to be called again when
/// the instruction blocked and is resumed.
struct Converged {
  bool run;
  Outcome outcome;
};
Converged converge(Context &context, uint32_t required);

/// converge() over all lanes of the warp, for .aligned instructions.
Converged convergeWarp(Context &context);

/// Removes lanes from the warp; completes the joins that waited for them.
void exitLanes(Machine &machine, Warp &warp, uint32_t mask);
/// If the fragment stands where its innermost branch joins, it waits there or,
/// as the last, goes on with all the others. False: it does not run now.
bool arriveAtJoin(Warp &warp, uint32_t fragment);
/// Splits the fragment at a branch: `taken` lanes go to `target`.
void splitFragment(Warp &warp, uint32_t fragment, uint32_t taken,
                   uint32_t target, uint32_t join);

/// Address of one lane for an operand decoded by Decoder::address.
uint64_t laneAddress(const Context &context, unsigned lane);

/// Value of a further address operand (Decoder::addressValue).
uint64_t operandAddress(const Context &context, uint32_t operand, uint8_t is64,
                        int64_t offset, unsigned lane);

/// Resolves a shared-memory address operand value, shared::cta or ::cluster or
/// generic, to a CTA and an offset into its window; faults otherwise.
struct SharedRef {
  Cta *cta = nullptr;
  uint32_t offset = 0;
};
bool resolveShared(Context &context, uint64_t address, bool cluster,
                   std::string_view what, SharedRef &out, unsigned lane);

/// Completes named and cluster barriers that waited for threads which have
/// exited.
void recheckBarriers(Cta &cta);

/// Registers of a thread at entry as ptxas chooses them; 0: not known.
uint32_t registersAtEntry(const ast::Function &function);
/// Gives each warp of a new CTA its registers.
void shareRegisters(Cta &cta, uint32_t registers);
/// Who has how many, for reports.
std::string describeRegisters(const Cta &cta);
/// At the end of a CTA: whole warpgroups executed setmaxnreg. `ended` begins
/// the report.
void checkRegisterChanges(Cta &cta, const std::string &ended);

/// To be called when an operation of `warp` has arrived at, or completed bytes
/// of, the mbarrier at offset `barrier` of `cta`.
void arrivedAt(Cta &cta, uint32_t barrier, Warp &warp, bool phaseCompleted);

/// Text of a 32-bit lane mask: "lanes 0-31", "lane 5", "lanes 0,2-3".
std::string laneText(uint32_t mask);

/// Whether an earlier tcgen05.ld of the warp still has to write a register that
/// the instruction reads or writes.
bool touchesPendingRegisters(const Context &context);

} // namespace tirx::rt::sim
