//===- OpsSync.h - parts of the synchronisation table -----------*- C++ -*-===//
#pragma once

#include "OpTable.h"

namespace tirx::rt::sim {

std::vector<OpRow> barrierRows();
std::vector<OpRow> mbarrierRows();
std::vector<OpRow> launchControlRows();

} // namespace tirx::rt::sim
