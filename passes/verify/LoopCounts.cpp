//===- LoopCounts.cpp - how often an operation is executed ----------------===//

#include "LoopCounts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// Longer computations are not followed: their value is a symbol.
constexpr int maxDepth = 64;

static std::optional<int64_t> getConstant(Value value) {
  APInt constant;
  if (!matchPattern(value, m_ConstantInt(&constant)) ||
      constant.getSignificantBits() > 31)
    return std::nullopt;
  return constant.getSExtValue();
}

LoopCounts::Symbol
LoopCounts::intern(Kind kind, Key key,
                   const std::function<std::string()> &name) {
  key.push_back((uintptr_t)kind);
  auto [it, isNew] = symbols.try_emplace(std::move(key), infos.size());
  if (isNew)
    infos.push_back({kind, name()});
  return it->second;
}

LoopCounts::Symbol LoopCounts::unknown(const void *what) {
  return intern(Kind::unknown, {(uintptr_t)what}, [&] {
    return "x" + std::to_string(llvm::count_if(infos,
                                               [](const Info &info) {
                                                 return info.kind ==
                                                        Kind::unknown;
                                               }) +
                                1);
  });
}

bool LoopCounts::isTileCount(Symbol symbol) const {
  return infos[symbol].kind == Kind::tileCount;
}

bool LoopCounts::isVague(Symbol symbol) const {
  return infos[symbol].kind == Kind::condition ||
         infos[symbol].kind == Kind::unknown;
}

std::string LoopCounts::name(Symbol symbol) const { return infos[symbol].name; }

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// What diagnostics call a value, of a source that they cannot see.
static std::string nameValue(Value value, size_t index) {
  if (auto dim = value.getDefiningOp<DimOp>())
    if (auto argument = dyn_cast<BlockArgument>(dim.getBuffer()))
      if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp()))
        return kernel.getArgumentName(argument.getArgNumber()).str() + ".dim(" +
               std::to_string(dim.getAxis()) + ")";
  if (auto id = value.getDefiningOp<IdOp>())
    return stringifyThreadAxis(id.getAxis()).str();
  if (auto argument = dyn_cast<BlockArgument>(value))
    if (auto kernel = dyn_cast<KernelOp>(argument.getOwner()->getParentOp()))
      return kernel.getArgumentName(argument.getArgNumber()).str();
  if (Operation *op = value.getDefiningOp())
    if (auto name = dyn_cast<NameLoc>(op->getLoc()))
      return name.getName().str();
  return "n" + std::to_string(index);
}

LoopCounts::Symbol LoopCounts::computeNumber(Value value, int depth) {
  auto named = [&](Key key) {
    return intern(Kind::value, std::move(key),
                  [&] { return nameValue(value, infos.size()); });
  };
  auto itself = [&] { return named({(uintptr_t)value.getAsOpaquePointer()}); };
  if (depth > maxDepth)
    return itself();
  if (auto argument = dyn_cast<BlockArgument>(value)) {
    Operation *parent = argument.getOwner()->getParentOp();
    // Coordinates of a tile, and induction variables, are alike in loops that
    // are alike.
    if (auto tiles = dyn_cast<ForTilesOp>(parent))
      return named({(uintptr_t)parent->getName().getAsOpaquePointer(),
                    number(tiles.getSchedule(), depth + 1),
                    argument.getArgNumber()});
    auto loop = dyn_cast<scf::ForOp>(parent);
    if (loop && argument == loop.getInductionVar())
      return named({(uintptr_t)parent->getName().getAsOpaquePointer(),
                    number(loop.getLowerBound(), depth + 1),
                    number(loop.getUpperBound(), depth + 1),
                    number(loop.getStep(), depth + 1)});
    return itself();
  }
  Operation *op = value.getDefiningOp();
  if (op->getNumRegions() || !isPure(op))
    return itself();
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return number(op->getOperand(0), depth + 1);
  Key key = {(uintptr_t)op->getName().getAsOpaquePointer(),
             (uintptr_t)op->getAttrDictionary().getAsOpaquePointer(),
             (uintptr_t)value.getType().getAsOpaquePointer(),
             cast<OpResult>(value).getResultNumber()};
  for (Value operand : op->getOperands())
    key.push_back(number(operand, depth + 1));
  return named(std::move(key));
}

LoopCounts::Symbol LoopCounts::number(Value value, int depth) {
  auto it = numbers.find(value);
  if (it != numbers.end())
    return it->second;
  Symbol symbol = computeNumber(value, depth);
  return numbers.try_emplace(value, symbol).first->second;
}

//===----------------------------------------------------------------------===//
// Sums and quotients
//===----------------------------------------------------------------------===//

std::optional<Polynomial> LoopCounts::divide(const Polynomial &dividend,
                                             int64_t divisor) {
  if (divisor < 1)
    return std::nullopt;
  // ceil((g * L + c) / (g * d)) = ceil((L + ceil(c / g)) / d)
  int64_t constant = 0, gcd = divisor;
  for (auto &[product, coefficient] : dividend.getTerms())
    if (product.empty())
      constant = coefficient;
    else
      gcd = std::gcd(gcd, coefficient);
  constant = llvm::divideCeilSigned(constant, gcd);
  divisor /= gcd;
  Polynomial rest;
  Key key = {(uintptr_t)divisor};
  for (auto &[product, coefficient] : dividend.getTerms()) {
    if (product.empty())
      continue;
    Polynomial term(coefficient / gcd);
    key.push_back(coefficient / gcd);
    for (Symbol symbol : product) {
      auto longer = term.times(Polynomial::symbol(symbol));
      if (!longer)
        return std::nullopt;
      term = *longer;
      key.push_back(symbol);
    }
    key.push_back(~uintptr_t(0));
    auto sum = rest.plus(term);
    if (!sum)
      return std::nullopt;
    rest = *sum;
  }
  // Whole quotients leave the division: ceil((L + q * d + r) / d) = q + ...
  int64_t whole = llvm::divideFloorSigned(constant, divisor);
  int64_t remainder = constant - whole * divisor;
  if (rest.isZero())
    return Polynomial(whole + (remainder ? 1 : 0));
  if (divisor == 1)
    return rest.plus(Polynomial(whole));
  key.push_back(remainder);
  Symbol symbol = intern(Kind::quotient, std::move(key), [&] {
    auto sum = rest.plus(Polynomial(remainder));
    std::string text =
        (sum ? *sum : rest).print([&](Symbol s) { return name(s); });
    return "ceil(" + text + " / " + std::to_string(divisor) + ")";
  });
  return Polynomial::symbol(symbol).plus(Polynomial(whole));
}

std::optional<Polynomial> LoopCounts::computeLinear(Value value, int depth) {
  if (auto constant = getConstant(value))
    return Polynomial(*constant);
  Operation *op = value.getDefiningOp();
  if (!op || depth > maxDepth || op->getNumOperands() == 0)
    return std::nullopt;
  if (isa<arith::IndexCastOp, arith::IndexCastUIOp>(op))
    return linearize(op->getOperand(0), depth + 1);
  if (op->getNumOperands() != 2 || !value.getType().isIntOrIndex())
    return std::nullopt;
  if (isa<arith::AddIOp, arith::SubIOp>(op)) {
    Polynomial a = linearize(op->getOperand(0), depth + 1);
    Polynomial b = linearize(op->getOperand(1), depth + 1);
    return isa<arith::AddIOp>(op) ? a.plus(b) : a.minus(b);
  }
  auto factor = getConstant(op->getOperand(1));
  if (!factor)
    return std::nullopt;
  if (isa<arith::MulIOp>(op))
    return linearize(op->getOperand(0), depth + 1).times(*factor);
  if (isa<arith::CeilDivUIOp, arith::CeilDivSIOp>(op)) {
    Polynomial dividend = linearize(op->getOperand(0), depth + 1);
    return divide(dividend, *factor);
  }
  return std::nullopt;
}

const Polynomial &LoopCounts::linearize(Value value, int depth) {
  auto it = linear.find(value);
  if (it != linear.end())
    return it->second;
  auto sum = computeLinear(value, depth);
  if (!sum)
    sum = Polynomial::symbol(number(value, depth));
  return linear.try_emplace(value, std::move(*sum)).first->second;
}

std::string LoopCounts::describe(Value value) {
  Polynomial sum = linearize(value);
  return sum.print([&](Symbol symbol) { return name(symbol); });
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

std::optional<Polynomial> LoopCounts::getTripCount(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  auto step = getConstant(loop.getStep());
  if (!step || *step < 1)
    return Polynomial::symbol(unknown(op));
  Polynomial begin = linearize(loop.getLowerBound());
  Polynomial end = linearize(loop.getUpperBound());
  auto length = end.minus(begin);
  auto count = length ? divide(*length, *step) : std::nullopt;
  if (!count)
    return Polynomial::symbol(unknown(op));
  if (auto constant = count->getConstant())
    return Polynomial(std::max<int64_t>(*constant, 0));
  return count;
}

std::optional<Polynomial> LoopCounts::getFactor(Region *region) {
  Operation *op = region->getParentOp();
  if (isa<scf::ForOp>(op))
    return getTripCount(op);
  if (auto tiles = dyn_cast<ForTilesOp>(op)) {
    auto schedule = tiles.getSchedule().getDefiningOp<ScheduleOp>();
    if (schedule && schedule.getKind() == ScheduleKind::one_tile)
      return Polynomial(1);
    return Polynomial::symbol(intern(Kind::tileCount,
                                     {number(tiles.getSchedule(), 0)},
                                     [] { return "tiles"; }));
  }
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    bool isThen = region == &branch.getThenRegion();
    if (auto constant = getConstant(branch.getCondition()))
      return Polynomial((*constant != 0) == isThen);
    Symbol condition = number(branch.getCondition(), 0);
    Symbol symbol = intern(Kind::condition, {condition},
                           [&] { return "(1 if " + name(condition) + ")"; });
    Polynomial taken = Polynomial::symbol(symbol);
    return isThen ? taken : Polynomial(1).minus(taken);
  }
  if (isa<ElectOp, RolesOp, RoleOp>(op))
    return Polynomial(1);
  return Polynomial::symbol(unknown(region));
}

std::optional<Polynomial> LoopCounts::get(Operation *op, Operation *root) {
  std::optional<Polynomial> count = Polynomial(1);
  for (Region *region = op->getParentRegion();
       count && region && region->getParentOp() != root;
       region = region->getParentOp()->getParentRegion()) {
    auto factor = getFactor(region);
    count = factor ? count->times(*factor) : std::nullopt;
  }
  return count;
}
