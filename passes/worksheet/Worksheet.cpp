//===- Worksheet.cpp - what a kernel's roles share and hand over ----------===//

#include "tirx/Passes/Worksheet.h"

#include "../lowering/RegisterBudget.h"
#include "../lowering/Storage.h"
#include "../lowering/StorageAttrs.h"
#include "../verify/LoopCounts.h"
#include "Handoffs.h"
#include "TextTable.h"

#include "llvm/ADT/StringSet.h"

using namespace mlir;
using namespace tirx::ir;
using namespace tirx::passes;

/// PTX ISA, setmaxnreg: a warpgroup's registers change together.
constexpr int64_t groupWarps = 4;

static std::string toText(int64_t number) { return std::to_string(number); }

static std::string describeWarps(int64_t first, int64_t warps) {
  return toText(first) + (warps == 1 ? "" : " to " + toText(first + warps - 1));
}

static std::string join(const std::vector<std::string> &words) {
  return words.empty() ? "-" : llvm::join(words, ", ");
}

static std::string nameExecutor(const Executor &executor) {
  return executor.role.empty() ? "(CTA)" : executor.role;
}

static std::string nameExecutors(const std::vector<Executor> &executors) {
  std::vector<std::string> names;
  for (const Executor &executor : executors)
    names.push_back(nameExecutor(executor));
  return join(names);
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

void tirx::passes::nameStorage(KernelOp kernel) {
  llvm::StringSet<> used;
  auto name = [&](Operation *op, StringRef kind) {
    auto known = dyn_cast<NameLoc>(op->getLoc());
    std::string base = known ? known.getName().str() : kind.str();
    std::string unique = base;
    for (int number = 0; !used.insert(unique).second || (!known && number == 0);
         ++number)
      unique = base + toText(number);
    Location place = known ? known.getChildLoc() : op->getLoc();
    op->setLoc(NameLoc::get(StringAttr::get(op->getContext(), unique), place));
  };
  kernel.walk([&](Operation *op) {
    if (isa<PipelineOp>(op))
      name(op, "pipeline");
    else if (isa<SharedAllocOp>(op))
      name(op, "shared");
    else if (isa<TmemAllocOp>(op))
      name(op, "tmem");
    else if (isa<MbarrierAllocOp>(op))
      name(op, "barrier");
    else if (isa<ScheduleOp>(op))
      name(op, "schedule");
  });
}

//===----------------------------------------------------------------------===//
// Grid and schedule
//===----------------------------------------------------------------------===//

static std::string printLaunch(KernelOp kernel, LaunchOp launch) {
  LoopCounts values;
  auto describe = [&](Value extent) -> std::string {
    if (auto size = extent.getDefiningOp<GridSizeOp>())
      if (Operation *schedule = size.getSchedule().getDefiningOp())
        return "CTAs of " + getName(schedule);
    return values.describe(extent);
  };
  std::string text = "kernel " + kernel.getSymName().str() + "\n";
  text += "  grid      " + describe(launch.getGridX()) + " x " +
          describe(launch.getGridY()) + " x " + describe(launch.getGridZ()) +
          "\n";
  auto [x, y, z] = launch.getClusterSize();
  text +=
      "  cluster   " + toText(x) + " x " + toText(y) + " x " + toText(z) + "\n";
  text += "  threads   " + toText(launch.getThreads()) + "\n";
  return text;
}

static TextTable tabulateSchedules(KernelOp kernel) {
  TextTable table("Schedules", {"name", "kind", "group", "tiles"});
  LoopCounts values;
  for (auto schedule : kernel.getBody().getOps<ScheduleOp>()) {
    std::string extents;
    for (Value extent : schedule.getExtents())
      extents += (extents.empty() ? "" : " x ") + values.describe(extent);
    table.add({getName(schedule),
               stringifyScheduleKind(schedule.getKind()).str(),
               toText(schedule.getGroup()), extents});
  }
  return table;
}

//===----------------------------------------------------------------------===//
// Roles
//===----------------------------------------------------------------------===//

/// The registers that a role states, "-" if none.
static std::string findBudget(LaunchOp launch, const Executor &executor) {
  std::string budget = "-";
  launch.walk([&](RoleOp role) {
    if (role.getRegisters() &&
        getExecutor(role.getBody().front().getTerminator()) == executor)
      budget = toText(*role.getRegisters());
  });
  return budget;
}

static TextTable tabulateRoles(LaunchOp launch,
                               const std::vector<Handoff> &handoffs) {
  TextTable table("Roles", {"role", "warps", "threads", "CTAs", "registers",
                            "waits for", "signals"});
  std::vector<Executor> executors;
  auto note = [&](const Executor &executor) {
    if (!llvm::is_contained(executors, executor))
      executors.push_back(executor);
  };
  launch.walk([&](RoleOp role) {
    note(getExecutor(role.getBody().front().getTerminator()));
  });
  for (const Handoff &handoff : handoffs) {
    llvm::for_each(handoff.from, note);
    llvm::for_each(handoff.to, note);
  }
  if (executors.empty())
    note(getExecutor(launch.getBody().front().getTerminator()));
  for (const Executor &executor : executors) {
    std::vector<std::string> waits, signals;
    for (const Handoff &handoff : handoffs) {
      if (llvm::is_contained(handoff.to, executor))
        waits.push_back(handoff.name);
      if (llvm::is_contained(handoff.from, executor))
        signals.push_back(handoff.name);
    }
    table.add({nameExecutor(executor),
               describeWarps(executor.firstWarp, executor.warps),
               toText(executor.getThreads()),
               executor.leader ? "even of a pair" : "all",
               findBudget(launch, executor), join(waits), join(signals)});
  }
  return table;
}

static TextTable tabulateHandoffs(const std::vector<Handoff> &handoffs) {
  TextTable table("Hand-offs",
                  {"barrier", "slots", "from", "to", "signal", "arrivals",
                   "bytes", "first wait", "scope", "fences"});
  for (const Handoff &handoff : handoffs)
    table.add({handoff.name, toText(handoff.slots), nameExecutors(handoff.from),
               nameExecutors(handoff.to),
               handoff.signal.empty() ? "-" : handoff.signal,
               toText(handoff.arrivals),
               handoff.bytes ? toText(handoff.bytes) : "-", handoff.firstWait,
               handoff.cluster ? "cluster" : "CTA", handoff.fences});
  return table;
}

static TextTable tabulateRegisters(LaunchOp launch) {
  TextTable table("Registers", {"warpgroup", "warps", "a thread", "of roles"});
  int64_t warps = launch.getThreads() / 32;
  for (int64_t first = 0; first < warps; first += groupWarps) {
    int64_t count = std::min(groupWarps, warps - first);
    std::optional<int64_t> budget;
    std::vector<std::string> names;
    launch.walk([&](RoleOp role) {
      if (role.getLastWarp() < first ||
          (int64_t)role.getFirstWarp() >= first + count)
        return;
      if (!llvm::is_contained(names, role.getRoleName()))
        names.push_back(role.getRoleName().str());
      if (role.getRegisters())
        budget = role.getRegisters();
    });
    int64_t most = getMaxRegisters(launch.getThreads());
    table.add({toText(first / groupWarps), describeWarps(first, count),
               budget ? toText(*budget) : "at most " + toText(most),
               join(names)});
  }
  return table;
}

//===----------------------------------------------------------------------===//
// Storage
//===----------------------------------------------------------------------===//

namespace {
/// Names of what storage assignment has placed: a pipeline became several
/// tiles and two barriers, all at its location.
class StorageNames {
public:
  explicit StorageNames(LaunchOp source) {
    for (auto pipeline : source.getBody().getOps<PipelineOp>())
      pipelines[pipeline.getLoc()] = pipeline;
  }
  std::string nameTile(Operation *alloc) {
    auto it = pipelines.find(alloc->getLoc());
    if (it == pipelines.end())
      return getName(alloc);
    auto type = cast<PipelineType>(it->second.getResult().getType());
    std::string name = getName(alloc);
    if (type.getTiles().size() > 1)
      name += "[" + toText(tiles[alloc->getLoc()]++) + "]";
    return name;
  }
  std::string nameBarrier(Operation *alloc) {
    if (!pipelines.contains(alloc->getLoc()))
      return getName(alloc);
    return getName(alloc) + (barriers[alloc->getLoc()]++ ? ".empty" : ".full");
  }

private:
  llvm::DenseMap<Location, PipelineOp> pipelines;
  llvm::DenseMap<Location, int64_t> tiles, barriers;
};
} // namespace

static int64_t getAttr(LaunchOp launch, StringRef name) {
  auto attr = launch->getAttrOfType<IntegerAttr>(name);
  return attr ? attr.getInt() : 0;
}

static std::string printShared(LaunchOp lowered, StorageNames &names,
                               int64_t limit) {
  TextTable table("Shared memory",
                  {"offset", "bytes", "align", "what", "contents"});
  if (getAttr(lowered, tmemColumnsAttr))
    table.add({toText(getAttr(lowered, tmemAddressOffsetAttr)), "4", "4",
               "(added)", "address of tensor memory"});
  for (auto alloc : lowered.getBody().getOps<MbarrierAllocOp>()) {
    int64_t slots = cast<BarrierType>(alloc.getResult().getType()).getSlots();
    table.add({toText(alloc.getOffset().value_or(0)),
               toText(slots * mbarrierBytes), toText(mbarrierBytes),
               names.nameBarrier(alloc),
               toText(slots) + (slots == 1 ? " mbarrier" : " mbarriers")});
  }
  for (auto alloc : lowered.getBody().getOps<SharedAllocOp>()) {
    auto type = cast<BufferType>(alloc.getResult().getType());
    table.add({toText(alloc.getOffset().value_or(0)),
               toText(type.getStorageBytes()), toText(getSharedAlignment(type)),
               names.nameTile(alloc), describeTile(type)});
  }
  return table.print() + "  total " +
         toText(getAttr(lowered, sharedBytesAttr)) + " of " + toText(limit) +
         " bytes\n";
}

static std::string printTmem(LaunchOp lowered, StorageNames &names,
                             int64_t limit) {
  TextTable table("Tensor memory", {"column", "columns", "what", "contents"});
  for (auto alloc : lowered.getBody().getOps<TmemAllocOp>()) {
    auto type = cast<BufferType>(alloc.getResult().getType());
    table.add({toText(alloc.getColumn().value_or(0)),
               toText(getTmemColumns(type)), names.nameTile(alloc),
               describeTile(type)});
  }
  if (table.empty())
    return "";
  return table.print() + "  allocated " +
         toText(getAttr(lowered, tmemColumnsAttr)) + " of " + toText(limit) +
         " columns\n";
}

static TextTable tabulateTensorMaps(KernelOp lowered) {
  TextTable table("Tensor maps", {"argument", "box", "swizzle"});
  for (auto map : lowered.getBody().getOps<TensorMapOp>()) {
    auto type = cast<TensorMapType>(map.getResult().getType());
    std::string box;
    llvm::raw_string_ostream os(box);
    for (int64_t extent : type.getBox())
      os << extent << 'x';
    os << type.getElementType();
    auto argument = cast<BlockArgument>(map.getBuffer());
    table.add({lowered.getArgumentName(argument.getArgNumber()).str(), box,
               stringifySwizzleMode(type.getSwizzle()).str()});
  }
  return table;
}

//===----------------------------------------------------------------------===//
// The worksheet
//===----------------------------------------------------------------------===//

FailureOr<std::string>
tirx::passes::writeWorksheet(KernelOp kernel, KernelOp lowered,
                             const WorksheetLimits &limits) {
  auto launch = dyn_cast<LaunchOp>(kernel.getBody().front().back());
  auto placed = dyn_cast<LaunchOp>(lowered.getBody().front().back());
  if (!launch || !placed)
    return kernel.emitOpError("has no tirx.launch: it has been outlined");
  auto handoffs = collectHandoffs(launch);
  if (failed(handoffs))
    return failure();
  StorageNames names(launch);
  std::string text = printLaunch(kernel, launch);
  for (const std::string &part :
       {tabulateSchedules(kernel).print(),
        tabulateRoles(launch, *handoffs).print(),
        tabulateHandoffs(*handoffs).print(),
        printShared(placed, names, limits.sharedBytes),
        printTmem(placed, names, limits.tmemColumns),
        tabulateRegisters(launch).print(), tabulateTensorMaps(lowered).print()})
    if (!part.empty())
      text += "\n" + part;
  return text;
}
