//===- AsyncEngine.cpp ------------------------------------------*- C++ -*-===//

#include "AsyncEngine.h"
#include "Machine.h"

namespace tirx::rt::sim {

void AsyncEngine::issue(std::unique_ptr<AsyncOp> op) {
  if (op->pipe)
    pipes[op->pipe].push_back(op.get());
  operations.push_back(std::move(op));
}

bool AsyncEngine::isHead(const AsyncOp &op) const {
  return op.pipe == 0 || pipes.at(op.pipe).front() == &op;
}

void AsyncEngine::remove(size_t index) {
  AsyncOp &op = *operations[index];
  if (op.pipe) {
    auto found = pipes.find(op.pipe);
    found->second.pop_front();
    if (found->second.empty())
      pipes.erase(found);
  }
  operations.erase(operations.begin() + static_cast<ptrdiff_t>(index));
}

void AsyncEngine::drain(Machine &machine) {
  bool again = true;
  while (again && machine.error.empty()) {
    again = false;
    for (size_t i = 0; i < operations.size() && machine.error.empty();) {
      if (!operations[i]->ready() || !isHead(*operations[i])) {
        ++i;
        continue;
      }
      while (machine.error.empty() && !operations[i]->step(machine)) {
      }
      remove(i);
      machine.event();
      again = true;
    }
  }
}

bool AsyncEngine::finishOldest(Machine &machine) {
  for (size_t i = 0; i < operations.size(); ++i) {
    if (!operations[i]->ready() || !isHead(*operations[i]))
      continue;
    while (machine.error.empty() && !operations[i]->step(machine)) {
    }
    remove(i);
    machine.event();
    return true;
  }
  return false;
}

bool AsyncEngine::stepRandom(Machine &machine) {
  std::vector<size_t> candidates;
  for (size_t i = 0; i < operations.size(); ++i)
    if (operations[i]->ready() && isHead(*operations[i]))
      candidates.push_back(i);
  if (candidates.empty())
    return false;
  size_t chosen = candidates[machine.random(candidates.size())];
  if (operations[chosen]->step(machine))
    remove(chosen);
  machine.event();
  return true;
}

void AsyncEngine::drop(const Cta &cta) {
  for (auto found = pipes.begin(); found != pipes.end();) {
    std::erase_if(found->second,
                  [&](const AsyncOp *op) { return op->cta == &cta; });
    found = found->second.empty() ? pipes.erase(found) : std::next(found);
  }
  std::erase_if(operations, [&](const std::unique_ptr<AsyncOp> &op) {
    return op->cta == &cta;
  });
}

bool AsyncEngine::anyFor(const Cta &cta) const {
  for (const auto &op : operations)
    if (op->cta == &cta)
      return true;
  return false;
}

} // namespace tirx::rt::sim
