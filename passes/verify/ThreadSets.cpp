//===- ThreadSets.cpp - which threads of a CTA execute an operation -------===//

#include "ThreadSets.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// Longer computations of a thread's number are not followed.
constexpr int maxDepth = 64;

static std::optional<int64_t> getCoordinate(ThreadAxis axis, int64_t thread) {
  constexpr int64_t groupSize = 4 * warpSize;
  switch (axis) {
  case ThreadAxis::tx:
    return thread;
  case ThreadAxis::warpid:
    return thread / warpSize;
  case ThreadAxis::laneid:
    return thread % warpSize;
  case ThreadAxis::wgid:
    return thread / groupSize;
  case ThreadAxis::tid_in_wg:
    return thread % groupSize;
  case ThreadAxis::wid_in_wg:
    return thread % groupSize / warpSize;
  default:
    return std::nullopt; // of the CTA: not known, but alike
  }
}

static std::optional<int64_t> compare(arith::CmpIPredicate predicate, int64_t a,
                                      int64_t b) {
  switch (predicate) {
  case arith::CmpIPredicate::eq:
    return a == b;
  case arith::CmpIPredicate::ne:
    return a != b;
  case arith::CmpIPredicate::ult:
  case arith::CmpIPredicate::slt:
    return a < b;
  case arith::CmpIPredicate::ule:
  case arith::CmpIPredicate::sle:
    return a <= b;
  case arith::CmpIPredicate::ugt:
  case arith::CmpIPredicate::sgt:
    return a > b;
  case arith::CmpIPredicate::uge:
  case arith::CmpIPredicate::sge:
    return a >= b;
  }
  return std::nullopt;
}

/// Results of operations on numbers that are small and not negative, so that
/// signed and unsigned, and all widths, agree. None for everything else.
static std::optional<int64_t> apply(Operation *op, ArrayRef<int64_t> operands) {
  constexpr int64_t limit = 1 << 30;
  if (llvm::any_of(operands, [](int64_t x) { return x < 0 || x > limit; }))
    return std::nullopt;
  Type type = op->getResult(0).getType();
  bool isBit = type.isInteger(1);
  if (!isBit && type.isInteger() && type.getIntOrFloatBitWidth() < 32)
    return std::nullopt;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp, arith::ExtUIOp>(op))
    return operands[0];
  if (auto cmp = dyn_cast<arith::CmpIOp>(op);
      cmp && !cmp.getLhs().getType().isInteger(1))
    return compare(cmp.getPredicate(), operands[0], operands[1]);
  if (isa<arith::SelectOp>(op))
    return operands[0] ? operands[1] : operands[2];
  if (operands.size() != 2)
    return std::nullopt;
  auto [a, b] = std::pair(operands[0], operands[1]);
  if (isa<arith::AndIOp>(op))
    return a & b;
  if (isa<arith::OrIOp>(op))
    return a | b;
  if (isa<arith::XOrIOp>(op))
    return a ^ b;
  if (isBit)
    return std::nullopt;
  if (isa<arith::AddIOp>(op))
    return a + b;
  if (isa<arith::SubIOp>(op) && a >= b)
    return a - b;
  if (isa<arith::MulIOp>(op) && (b == 0 || a <= limit / b))
    return a * b;
  if (isa<arith::DivUIOp, arith::DivSIOp>(op) && b)
    return a / b;
  if (isa<arith::RemUIOp, arith::RemSIOp>(op) && b)
    return a % b;
  if (isa<arith::ShRUIOp>(op) && b < 30)
    return a >> b;
  return std::nullopt;
}

ThreadSets::PerThread ThreadSets::compute(Value value, int depth) {
  Operation *op = value.getDefiningOp();
  int64_t threads = launch.getThreads();
  if (!op || depth > maxDepth)
    return std::nullopt;
  APInt constant;
  if (matchPattern(value, m_ConstantInt(&constant))) {
    if (constant.getSignificantBits() > 64)
      return std::nullopt;
    // True is 1, not the -1 of its one bit.
    int64_t number = value.getType().isInteger(1) ? constant.getZExtValue()
                                                  : constant.getSExtValue();
    return SmallVector<int64_t>(threads, number);
  }
  SmallVector<int64_t> results;
  if (auto id = dyn_cast<IdOp>(op)) {
    for (int64_t thread = 0; thread < threads; ++thread) {
      auto coordinate = getCoordinate(id.getAxis(), thread);
      if (!coordinate)
        return std::nullopt;
      results.push_back(*coordinate);
    }
    return results;
  }
  if (op->getNumResults() != 1 || op->getNumOperands() > 3)
    return std::nullopt;
  SmallVector<SmallVector<int64_t>, 3> operands;
  for (Value operand : op->getOperands()) {
    const PerThread &values = evaluate(operand, depth + 1);
    if (!values)
      return std::nullopt;
    operands.push_back(*values);
  }
  for (int64_t thread = 0; thread < threads; ++thread) {
    SmallVector<int64_t, 3> row;
    for (auto &column : operands)
      row.push_back(column[thread]);
    auto result = apply(op, row);
    if (!result)
      return std::nullopt;
    results.push_back(*result);
  }
  return results;
}

const ThreadSets::PerThread &ThreadSets::evaluate(Value value, int depth) {
  auto it = known.find(value);
  if (it != known.end())
    return it->second;
  PerThread values = compute(value, depth);
  return known.try_emplace(value, std::move(values)).first->second;
}

bool ThreadSets::restrict(ThreadSet &threads, Operation *parent,
                          Region *region) {
  if (auto role = dyn_cast<RoleOp>(parent)) {
    ThreadSet ofRole;
    for (int64_t i = 0; i < role.getThreads(); ++i)
      ofRole.set(role.getFirstWarp() * warpSize + i);
    threads &= ofRole;
    return true;
  }
  if (auto elect = dyn_cast<ElectOp>(parent)) {
    ThreadSet elected;
    elected.set(elect.getElectedWarp() * warpSize);
    threads &= elected;
    return true;
  }
  for (const Guard &guard : getGuards(parent)) {
    if (!amongCta.isDependent(guard.value))
      continue;
    auto branch = dyn_cast<scf::IfOp>(parent);
    if (!branch)
      return false;
    const PerThread &values = evaluate(guard.value);
    if (!values)
      return false;
    bool isThen = region == &branch.getThenRegion();
    for (auto [thread, taken] : llvm::enumerate(*values))
      if ((taken != 0) != isThen)
        threads.reset(thread);
  }
  return true;
}

std::optional<ThreadSet> ThreadSets::get(Operation *op) {
  ThreadSet threads;
  for (int64_t thread = 0, n = launch.getThreads(); thread < n; ++thread)
    threads.set(thread);
  bool elected = false;
  for (Region *region = op->getParentRegion();
       region && region->getParentOp() != launch;
       region = region->getParentOp()->getParentRegion()) {
    Operation *parent = region->getParentOp();
    // Who was elected is not known: conditions inside may or may not hold.
    if (!elected && isa<ElectOp>(parent) &&
        threads.count() != (size_t)launch.getThreads())
      return std::nullopt;
    elected |= isa<ElectOp>(parent);
    if (!restrict(threads, parent, region))
      return std::nullopt;
  }
  return threads;
}
