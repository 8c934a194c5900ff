//===- RoleOps.cpp - warps that do different things -----------------------===//

#include "Directives.h"

#include "tirx/Layout/HardwareLimits.h"

#include "llvm/ADT/DenseMap.h"

using namespace mlir;
using namespace tirx::ir;
namespace layout = tirx::layout;

/// PTX ISA, ".reqntid": 1024 threads.
constexpr int64_t maxWarps = 32;

/// Whether a CTA can have the warps from `begin` to `end` (not included).
static bool isWarpRange(int64_t begin, int64_t end) {
  return begin >= 0 && begin < end && end <= maxWarps;
}

ParseResult tirx::ir::parseWarpRange(OpAsmParser &parser, IntegerAttr &first,
                                     IntegerAttr &warps) {
  int64_t begin, end;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseLParen() || parser.parseInteger(begin))
    return failure();
  end = std::min(begin, maxWarps) + 1;
  if (succeeded(parser.parseOptionalKeyword("to")) && parser.parseInteger(end))
    return failure();
  if (parser.parseRParen())
    return failure();
  if (!isWarpRange(begin, end))
    return parser.emitError(location)
           << "warps(" << begin << " to " << end << ") is no range of the "
           << maxWarps << " warps that a CTA can have";
  first = parser.getBuilder().getI64IntegerAttr(begin);
  warps = parser.getBuilder().getI64IntegerAttr(end - begin);
  return success();
}

void tirx::ir::printWarpRange(OpAsmPrinter &printer, Operation *,
                              IntegerAttr first, IntegerAttr warps) {
  printer << '(' << first.getInt();
  if (warps.getInt() != 1)
    printer << " to " << first.getInt() + warps.getInt();
  printer << ')';
}

//===----------------------------------------------------------------------===//
// RoleOp
//===----------------------------------------------------------------------===//

LogicalResult RoleOp::verify() {
  if (getBody().getNumArguments())
    return emitOpError("region takes no arguments");
  int64_t first = getFirstWarp(), warps = getWarps();
  // Whatever the generic form says, the sum must not overflow.
  if (first < 0 || first >= maxWarps || warps < 1 || warps > maxWarps ||
      !isWarpRange(first, first + warps))
    return emitOpError("has ")
           << warps << " warps from warp " << first << ", no range of the "
           << maxWarps << " that a CTA can have";
  if ((*this)->getParentOfType<RoleOp>())
    return emitOpError("may not be nested in another tirx.role");
  if ((*this)->getParentOfType<ElectOp>())
    return emitOpError("may not be in tirx.elect, which leaves one thread");
  if (std::optional<int64_t> registers = getRegisters()) {
    if (*registers < 24 || *registers > 256 || *registers % 8)
      return emitOpError("registers(")
             << *registers
             << ") must be a multiple of 8 between 24 and 256 (PTX ISA, "
                "setmaxnreg)";
    if (!isa<RolesOp>((*this)->getParentOp()))
      return emitOpError("registers are divided in tirx.roles only");
  }
  if (getCarried().getTypes() != getResultTypes())
    return emitOpError("carries values of other types than its results have");
  if (!getCarried().empty() && isa<RolesOp>((*this)->getParentOp()))
    return emitOpError("in tirx.roles may not carry values: no warp comes back "
                       "to it");
  auto launch = (*this)->getParentOfType<LaunchOp>();
  if (!launch)
    return success();
  if (int64_t available = launch.getThreads() / 32; first + warps > available)
    return emitOpError("warps(")
           << first << " to " << first + warps << ") exceed the launch's "
           << available << " warps";
  if (getLeader() && launch.getClusterSize()[0] % 2)
    return emitOpError("leader needs a cluster of CTA pairs: an even x extent, "
                       "not ")
           << launch.getClusterSize()[0];
  return success();
}

//===----------------------------------------------------------------------===//
// RolesOp
//===----------------------------------------------------------------------===//

static LogicalResult verifyDistinctWarps(RolesOp roles) {
  llvm::DenseMap<int64_t, RoleOp> owners;
  for (RoleOp role : roles.getBody().getOps<RoleOp>())
    for (int64_t warp = role.getFirstWarp(); warp <= role.getLastWarp();
         ++warp) {
      auto [owner, isNew] = owners.try_emplace(warp, role);
      if (isNew)
        continue;
      InFlightDiagnostic diagnostic =
          role.emitOpError("\"")
          << role.getRoleName() << "\" takes warp " << warp << ", which role \""
          << owner->second.getRoleName() << "\" has";
      diagnostic.attachNote(owner->second.getLoc()) << "here";
      return diagnostic;
    }
  return success();
}

/// Whole warpgroups execute setmaxnreg, with one value.
static LogicalResult verifyRegisters(RolesOp roles) {
  llvm::DenseMap<int64_t, RoleOp> budgets;
  for (RoleOp role : roles.getBody().getOps<RoleOp>())
    for (int64_t group = role.getFirstWarp() / layout::kWarpgroupWarps;
         group <= role.getLastWarp() / layout::kWarpgroupWarps; ++group) {
      auto [known, isNew] = budgets.try_emplace(group, role);
      RoleOp other = known->second;
      if (isNew || other.getRegisters() == role.getRegisters())
        continue;
      auto describe = [](RoleOp op) {
        return op.getRegisters()
                   ? "registers(" + std::to_string(*op.getRegisters()) + ")"
                   : std::string("no registers");
      };
      InFlightDiagnostic diagnostic =
          role.emitOpError("\"")
          << role.getRoleName() << "\" states " << describe(role) << ", role \""
          << other.getRoleName() << "\" of the same warpgroup "
          << describe(other)
          << ": setmaxnreg is executed by whole "
             "warpgroups (PTX ISA, setmaxnreg)";
      diagnostic.attachNote(other.getLoc()) << "here";
      return diagnostic;
    }
  int64_t stated = llvm::count_if(
      budgets, [](auto &entry) { return entry.second.getRegisters(); });
  if (!stated)
    return success();
  auto launch = roles->getParentOfType<LaunchOp>();
  if (!launch)
    return success();
  int64_t threads = launch.getThreads();
  if (threads % layout::kWarpgroupThreads)
    return roles.emitOpError("states registers, but the launch's threads(")
           << threads << ") are no whole warpgroups of 128";
  if (stated != threads / layout::kWarpgroupThreads)
    return roles.emitOpError("states registers for ")
           << stated << " of " << threads / layout::kWarpgroupThreads
           << " warpgroups: state them for all";
  int64_t total = 0;
  for (auto &entry : budgets)
    total += *entry.second.getRegisters() * layout::kWarpgroupThreads;
  if (total > layout::kSmRegisters)
    return roles.emitOpError("takes ")
           << total << " registers (128 threads times the budget of each "
           << "warpgroup), an SM has " << layout::kSmRegisters;
  return success();
}

bool RolesOp::statesRegisters() {
  return llvm::any_of(getBody().getOps<RoleOp>(), [](RoleOp role) {
    return role.getRegisters().has_value();
  });
}

LogicalResult RolesOp::verifyRegions() {
  if (getBody().getNumArguments())
    return emitOpError("region takes no arguments");
  for (Operation &op : getBody().front())
    if (!isa<RoleOp, ReturnOp>(op))
      return op.emitOpError("may not stand in tirx.roles, which holds "
                            "tirx.role operations only");
  if (failed(verifyDistinctWarps(*this)))
    return failure();
  return verifyRegisters(*this);
}
