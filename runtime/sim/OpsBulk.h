//===- OpsBulk.h - parts of the table of asynchronous copies ----*- C++ -*-===//
#pragma once

#include "Handlers.h"

namespace tirx::rt::sim {

std::vector<OpRow> tensorCopyRows();
std::vector<OpRow> bulkCopyRows();
std::vector<OpRow> asyncCopyRows();

/// Common fields of an operation that `lane` issues now.
void stamp(AsyncOp &op, Context &context, unsigned lane, std::string_view name);
/// "cp.async.bulk.tensor issued by CTA 0 warp 1 lane 0 (PTX line 7: ...)".
std::string describeIssue(const AsyncOp &op);
/// The actor that completes for `op`.
Actor actorOf(const AsyncOp &op);

/// complete_tx on the barrier at `offset` of `cta`; false after a fault.
bool completeTx(Machine &machine, const AsyncOp &op, Cta &cta, uint32_t offset,
                uint64_t bytes);

/// An mbarrier operand of a copy: CTA and offset; false after a fault.
bool barrierOperand(Context &context, uint64_t address, unsigned lane,
                    SharedRef &out);

/// Reports an error that arises when an operation is carried out.
void asyncFault(Machine &machine, const AsyncOp &op, const std::string &what);

} // namespace tirx::rt::sim
