//===- OpsTensor.h - parts of the tcgen05 table -----------------*- C++ -*-===//
#pragma once

#include "Handlers.h"

namespace tirx::rt::sim {

std::vector<OpRow> tmemRows();
std::vector<OpRow> mmaRows();

/// Pipelines of the async engine: operations of one thread and cta_group.
uint64_t tensorPipe(const Context &context, unsigned lane, unsigned cta_group);

} // namespace tirx::rt::sim
