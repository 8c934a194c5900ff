//===- Plan.cpp - is a config legal, and what follows from it -------------===//

#include "Detail.h"

#include "tirx/Layout/Algebra.h"
#include "tirx/Layout/Factories.h"
#include "tirx/Layout/InstrDescriptor.h"
#include "tirx/Layout/MmaOperand.h"

#include <algorithm>

namespace tirx::kernels {

using namespace detail;
using layout::ElementType;
using layout::MmaKind;
using rt::DType;
using rt::makeError;

namespace {
/// How tensor cores take an operand dtype.
struct OperandType {
  DType dtype;
  std::string_view mlir;
  MmaKind kind;
  ElementType element;
};
constexpr OperandType operandTypes[] = {
    {DType::f16, "f16", MmaKind::F16, ElementType::F16},
    {DType::bf16, "bf16", MmaKind::F16, ElementType::BF16},
    {DType::f32, "f32", MmaKind::TF32, ElementType::TF32},
    {DType::f8e4m3, "f8E4M3FN", MmaKind::F8F6F4, ElementType::E4M3},
    {DType::f8e5m2, "f8E5M2", MmaKind::F8F6F4, ElementType::E5M2},
};

const OperandType *findOperandType(DType dtype) {
  auto *it = std::ranges::find(operandTypes, dtype, &OperandType::dtype);
  return it == std::end(operandTypes) ? nullptr : it;
}

std::string_view plural(int64_t count) { return count == 1 ? "" : "s"; }

rt::Expected<void> checkTypes(const GemmOperation &op) {
  const OperandType *a = findOperandType(op.a), *b = findOperandType(op.b);
  for (auto [name, dtype, type] : {std::tuple("A", op.a, a), {"B", op.b, b}})
    if (!type)
      return makeError("{} is {}; tensor cores multiply f16, bf16, f32 (as "
                       "tf32), f8e4m3 and f8e5m2",
                       name, rt::nameOf(dtype));
  if (op.a != op.b && a->kind != MmaKind::F8F6F4)
    return makeError("A is {} and B {}; only f8e4m3 and f8e5m2 mix (PTX ISA, "
                     "tcgen05.mma kinds)",
                     rt::nameOf(op.a), rt::nameOf(op.b));
  if (a->kind != b->kind)
    return makeError(
        "A is {} and B {}; one MMA takes operands of one kind (PTX "
        "ISA, tcgen05.mma kinds)",
        rt::nameOf(op.a), rt::nameOf(op.b));
  if (op.d != DType::f16 && op.d != DType::bf16 && op.d != DType::f32)
    return makeError("D is {}; it may be f16, bf16 or f32", rt::nameOf(op.d));
  return {};
}

struct Field {
  std::string_view name;
  int64_t value, least, most;
};

rt::Expected<void> checkRanges(const GemmConfig &config) {
  const GemmSchedule &s = config.schedule;
  // TMA loads whole tiles: a box has at most 256 rows (cuTensorMapEncodeTiled).
  const Field fields[] = {
      {"tileK", s.tileK, 1, 256},
      {"tileN", s.tileN, 8, 256},
      {"ctaGroup", s.ctaGroup, 1, 2},
      {"consumers", s.consumers, 1, 2},
      {"clusterM", s.clusterM, 1, kClusterCtas},
      {"clusterN", s.clusterN, 1, kClusterCtas},
      {"stages", s.stages, 2, 64},
      {"accumulatorStages", s.accumulatorStages, 1, 64},
      {"epilogueColumns", s.epilogueColumns, 8, 128},
      {"storeStages", s.storeStages, 1, 64},
      {"group", s.group, 1, int64_t(1) << 20},
  };
  for (const Field &field : fields)
    if (field.value < field.least || field.value > field.most)
      return makeError("{} is {}; it may be {} to {}", field.name, field.value,
                       field.least, field.most);
  const bool residual = config.operation.residual;
  if (residual ? s.residualStages < 1 || s.residualStages > 64
               : s.residualStages != 0)
    return makeError("residualStages is {}; it may be {}", s.residualStages,
                     residual ? "1 to 64" : "0 only: there is no residual");
  if (s.scheduler == Scheduler::automatic)
    return makeError("the scheduler is not chosen; there are one_tile, "
                     "persistent and clc");
  return {};
}

rt::Expected<void> checkMma(const GemmConfig &config) {
  const GemmOperation &op = config.operation;
  const GemmSchedule &s = config.schedule;
  const int64_t rows = kGemmRows * s.ctaGroup * s.consumers;
  if (s.tileM != rows)
    return makeError("tileM is {}; ctaGroup {} and {} consumer{} make it {}: "
                     "each has {} rows "
                     "a CTA, one for each lane of tensor memory",
                     s.tileM, s.ctaGroup, s.consumers, plural(s.consumers),
                     rows, kGemmRows);
  layout::InstrDescriptor instruction;
  instruction.kind = findOperandType(op.a)->kind;
  instruction.aType = findOperandType(op.a)->element;
  instruction.bType = findOperandType(op.b)->element;
  instruction.aMajor = op.aMajor;
  instruction.bMajor = op.bMajor;
  instruction.m = kGemmRows * s.ctaGroup;
  instruction.n = s.tileN;
  if (auto legal = layout::checkInstrDescriptor(
          instruction, {static_cast<int>(s.ctaGroup), false});
      !legal)
    return makeError("tileN: {} (PTX ISA, tcgen05.mma shapes)",
                     legal.error().message);
  const int64_t step = layout::mmaK(instruction.kind);
  if (s.tileK % step)
    return makeError(
        "tileK is {}; one MMA of kind::{} multiplies {} elements of "
        "K, and a stage must hold a multiple (PTX ISA, tcgen05.mma "
        "shapes)",
        s.tileK, layout::toString(instruction.kind), step);
  return {};
}

/// Rows of 16-byte units under the swizzle, cut into the dimensions of `shape`.
layout::Expected<layout::Layout>
sharedTile(int64_t bits, layout::SwizzleMode mode, const layout::Shape &shape) {
  auto made = layout::mmaSharedLayout(bits, mode, shape);
  if (made)
    made->tile = layout::group(made->tile, shape)->layout;
  return made;
}

/// The same places under exchanged coordinates.
layout::Layout transposed(const layout::Layout &matrix,
                          const layout::Shape &shape) {
  const layout::Grouped grouped = *layout::group(matrix.tile, shape);
  layout::Layout result = matrix;
  result.tile.shard.clear();
  for (size_t dim : {1, 0})
    for (const layout::Iter &iter : grouped.dim(dim))
      result.tile.shard.push_back(iter);
  return result;
}

struct OperandLayouts {
  layout::Layout multiplied, filled;
};

/// A stage of an operand of `rows` x `k`: 128-byte rows if it has them.
rt::Expected<OperandLayouts> layoutOperand(std::string_view name, DType dtype,
                                           Major major, int64_t rows,
                                           int64_t k) {
  const int64_t bytes = rt::sizeOf(dtype), bits = 8 * bytes;
  const int64_t contiguous = (major == Major::K ? k : rows) * bytes;
  layout::SwizzleMode mode = widestSwizzle(contiguous);
  // PTX ISA, tcgen05 matrix descriptor: 32-bit elements are transposed only
  // from rows of 128 bytes whose atoms are 32 bytes.
  if (major == Major::MN && bits == 32)
    mode = layout::SwizzleMode::B128Atom32B;
  if (mode == layout::SwizzleMode::None ||
      contiguous % layout::swizzleWidth(mode))
    return makeError(
        "a stage of {} has {} {} in a row, {} bytes; it must be a multiple of "
        "{}, the {} swizzle (PTX ISA, tcgen05 shared memory layouts)",
        name, major == Major::K ? k : rows,
        major == Major::K ? "elements of K" : "rows", contiguous,
        mode == layout::SwizzleMode::None ? 32 : layout::swizzleWidth(mode),
        mode == layout::SwizzleMode::None ? "smallest" : "only");
  const layout::Shape shape =
      major == Major::K ? layout::Shape{rows, k} : layout::Shape{k, rows};
  auto filled = sharedTile(bits, mode, shape);
  if (!filled)
    return makeError("a stage of {}, {}x{}: {}", name, rows, k,
                     filled.error().message);
  const layout::Layout multiplied =
      major == Major::K ? *filled : transposed(*filled, shape);
  if (auto plan = layout::planMmaOperand(multiplied, rows, k, bits); !plan)
    return makeError("a stage of {}, {}x{}, is no operand of an MMA: {}", name,
                     rows, k, plan.error().message);
  return OperandLayouts{multiplied, *filled};
}

rt::Expected<void> layoutTiles(const GemmConfig &config, GemmPlan &plan) {
  const GemmOperation &op = config.operation;
  const GemmSchedule &s = config.schedule;
  auto a = layoutOperand("A", op.a, op.aMajor, kGemmRows, s.tileK);
  if (!a)
    return tl::unexpected(a.error());
  auto b = layoutOperand("B", op.b, op.bMajor, plan.rowsB, s.tileK);
  if (!b)
    return tl::unexpected(b.error());
  plan.a = a->multiplied;
  plan.aFilled = a->filled;
  plan.b = b->multiplied;
  plan.bFilled = b->filled;

  if (s.tileN % s.epilogueColumns)
    return makeError("epilogueColumns is {}, no divisor of tileN, {}",
                     s.epilogueColumns, s.tileN);
  plan.chunks = s.tileN / s.epilogueColumns;
  if (plan.chunks % s.storeStages)
    return makeError("storeStages is {}, no divisor of the {} chunks of {} "
                     "columns that a tile has: a chunk must not overwrite the "
                     "one before it",
                     s.storeStages, plan.chunks, s.epilogueColumns);
  const int64_t bytes = rt::sizeOf(op.d), row = s.epilogueColumns * bytes;
  const layout::SwizzleMode mode = widestSwizzle(row);
  if (mode == layout::SwizzleMode::None)
    return makeError(
        "epilogueColumns is {}, {} bytes of D; it must be a multiple "
        "of 32 bytes, the smallest swizzle",
        s.epilogueColumns, row);
  auto chunk =
      sharedTile(8 * bytes, mode, layout::Shape{kGemmRows, s.epilogueColumns});
  auto staging =
      sharedTile(8 * bytes, mode,
                 layout::Shape{s.storeStages, kGemmRows, s.epilogueColumns});
  for (auto *made : {&chunk, &staging})
    if (!*made)
      return makeError("a chunk of D, {}x{}: {}", kGemmRows, s.epilogueColumns,
                       made->error().message);
  plan.chunk = *chunk;
  plan.staging = *staging;
  return {};
}

rt::Expected<void> checkCluster(const GemmConfig &config, GemmPlan &plan) {
  const GemmOperation &op = config.operation;
  const GemmSchedule &s = config.schedule;
  plan.cluster = {s.ctaGroup, s.clusterN, s.clusterM};
  plan.ctas = s.ctaGroup * s.clusterN * s.clusterM;
  if (plan.ctas > kClusterCtas)
    return makeError(
        "clusters of ctaGroup {} x clusterM {} x clusterN {} have {} "
        "CTAs, at most {} are portable (CUDA programming guide, "
        "thread block clusters)",
        s.ctaGroup, s.clusterM, s.clusterN, plan.ctas, kClusterCtas);
  // Each of the CTAs that share a tile loads an equal part of its rows as they
  // lie in memory, which are whole atoms of 8 rows.
  struct Shared {
    std::string_view name, shares;
    int64_t rows, ctas;
  };
  const Shared tiles[] = {
      {"A", "clusterN", op.aMajor == Major::K ? kGemmRows : s.tileK,
       s.clusterN},
      {"B", "clusterM", op.bMajor == Major::K ? plan.rowsB : s.tileK,
       s.clusterM}};
  for (const Shared &tile : tiles)
    if (tile.ctas > 1 && tile.rows % (8 * tile.ctas))
      return makeError("{} is {}: that many CTAs cannot share the {} rows of a "
                       "stage of {} in whole atoms of 8 rows",
                       tile.shares, tile.ctas, tile.rows, tile.name);
  return {};
}

std::string listBytes(const std::vector<GemmBytes> &items) {
  std::string text;
  for (const GemmBytes &item : items)
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", item.name, item.bytes);
  return text;
}

rt::Expected<void> checkMemory(const GemmConfig &config, GemmPlan &plan) {
  const GemmOperation &op = config.operation;
  const GemmSchedule &s = config.schedule;
  plan.shared = {
      {fmt::format("{} stages of A and B", s.stages),
       s.stages * ringStageBytes(config)},
      {"staging of D", s.consumers * s.storeStages * chunkBytes(config)}};
  if (op.residual)
    plan.shared.push_back(
        {"staging of C", s.consumers * s.residualStages * chunkBytes(config)});
  if (op.bias) {
    plan.biasColumns = biasColumns(config);
    plan.shared.push_back({"bias", biasBytes(config)});
  }
  plan.shared.push_back({"barriers and alignment", kBarrierBytes});
  plan.sharedBytes = 0;
  for (const GemmBytes &item : plan.shared)
    plan.sharedBytes += item.bytes;
  if (plan.sharedBytes > layout::kMaxSharedBytes)
    return makeError("shared memory: {} bytes ({}), a CTA may have {} (CUDA "
                     "programming guide, compute capability 10.0)",
                     plan.sharedBytes, listBytes(plan.shared),
                     layout::kMaxSharedBytes);
  plan.tmemColumns = s.consumers * s.accumulatorStages * s.tileN;
  if (plan.tmemColumns > layout::kTmemColumns)
    return makeError(
        "tensor memory: {} consumer{} x {} accumulator stage{} x {} "
        "columns (tileN) = {}, an SM has {} (PTX ISA, Tensor "
        "Memory)",
        s.consumers, plural(s.consumers), s.accumulatorStages,
        plural(s.accumulatorStages), s.tileN, plan.tmemColumns,
        layout::kTmemColumns);
  return {};
}

/// Registers of a thread that starts asynchronous operations, and of one with a
/// row of the accumulator.
struct Registers {
  int64_t issue, epilogue;
};
/// With a single warpgroup of issuers, and where there are two.
constexpr Registers registersOf[] = {{88, 208}, {72, 184}};

rt::Expected<void> assignWarps(const GemmConfig &config, GemmPlan &plan) {
  const GemmSchedule &s = config.schedule;
  const bool loadsEpilogue = config.operation.residual || config.operation.bias;
  const int64_t issuers =
      s.consumers + 1 + loadsEpilogue + (s.scheduler == Scheduler::clc);
  const int64_t issueGroups = (issuers + 3) / 4;
  const Registers registers = registersOf[issueGroups - 1];
  int64_t warp = 0;
  auto add = [&](std::string name, int64_t warps, int64_t count) {
    plan.roles.push_back({std::move(name), warp, warps, count});
    warp += warps;
  };
  auto numbered = [&](std::string_view name, int64_t c) {
    return s.consumers == 1 ? std::string(name) : fmt::format("{}{}", name, c);
  };
  for (int64_t c = 0; c < s.consumers; ++c)
    add(numbered("epilogue", c), 4, registers.epilogue);
  for (int64_t c = 0; c < s.consumers; ++c)
    add(numbered("mma", c), 1, registers.issue);
  add("load", 1, registers.issue);
  if (loadsEpilogue)
    add("load_epilogue", 1, registers.issue);
  if (s.scheduler == Scheduler::clc)
    add("schedule", 1, registers.issue);
  plan.threads = 128 * (s.consumers + issueGroups);
  plan.registers =
      128 * (s.consumers * registers.epilogue + issueGroups * registers.issue);
  if (plan.registers > layout::kSmRegisters)
    return makeError("registers: {} threads need {}, an SM has {} (CUDA "
                     "programming guide, compute capability 10.0)",
                     plan.threads, plan.registers, layout::kSmRegisters);
  return {};
}

} // namespace

namespace detail {

std::string_view mlirType(DType dtype) { return findOperandType(dtype)->mlir; }

layout::SwizzleMode widestSwizzle(int64_t bytes) {
  using enum layout::SwizzleMode;
  for (layout::SwizzleMode mode : {B128, B64, B32})
    if (bytes % layout::swizzleWidth(mode) == 0)
      return mode;
  return None;
}

int64_t chunkBytes(const GemmConfig &config) {
  return kGemmRows * config.schedule.epilogueColumns *
         rt::sizeOf(config.operation.d);
}

int64_t biasColumns(const GemmConfig &config) {
  if (!config.operation.bias)
    return 0;
  const int64_t bytes = rt::sizeOf(config.operation.d);
  return (config.schedule.tileN * bytes + 127) / 128 * 128 / bytes;
}

int64_t biasBytes(const GemmConfig &config) {
  return kBiasStages * biasColumns(config) * rt::sizeOf(config.operation.d);
}

int64_t ringStageBytes(const GemmConfig &config) {
  const GemmSchedule &s = config.schedule;
  return s.tileK * (s.consumers * kGemmRows * rt::sizeOf(config.operation.a) +
                    s.tileN / s.ctaGroup * rt::sizeOf(config.operation.b));
}

} // namespace detail

rt::Expected<GemmPlan> planGemm(const GemmConfig &config) {
  GemmPlan plan;
  using Check = rt::Expected<void> (*)(const GemmConfig &, GemmPlan &);
  const Check checks[] = {
      [](const GemmConfig &c, GemmPlan &) { return checkTypes(c.operation); },
      [](const GemmConfig &c, GemmPlan &) { return checkRanges(c); },
      [](const GemmConfig &c, GemmPlan &) { return checkMma(c); },
      [](const GemmConfig &c, GemmPlan &p) -> rt::Expected<void> {
        p.rowsB = c.schedule.tileN / c.schedule.ctaGroup;
        return {};
      },
      checkCluster,
      layoutTiles,
      checkMemory,
      assignWarps,
  };
  for (Check check : checks)
    if (auto passed = check(config, plan); !passed)
      return tl::unexpected(passed.error());
  return plan;
}

std::string_view toString(Activation activation) {
  static constexpr std::string_view names[] = {"none", "relu", "gelu", "silu"};
  return names[static_cast<unsigned>(activation)];
}

std::string_view toString(Scheduler scheduler) {
  static constexpr std::string_view names[] = {"automatic", "one_tile",
                                               "persistent", "clc"};
  return names[static_cast<unsigned>(scheduler)];
}

std::string toString(const GemmSchedule &s) {
  std::string text = fmt::format(
      "{}x{}x{}, cta_group {}, {} consumer{}, cluster {}x{}, {} stages, {} "
      "accumulator stage{}, epilogue of {} columns in {} stage{}, {} group {}",
      s.tileM, s.tileN, s.tileK, s.ctaGroup, s.consumers, plural(s.consumers),
      s.clusterM, s.clusterN, s.stages, s.accumulatorStages,
      plural(s.accumulatorStages), s.epilogueColumns, s.storeStages,
      plural(s.storeStages), toString(s.scheduler), s.group);
  if (s.residualStages)
    text += fmt::format(", {} residual stage{}", s.residualStages,
                        plural(s.residualStages));
  return text + (s.pdl ? ", pdl" : "");
}

} // namespace tirx::kernels
