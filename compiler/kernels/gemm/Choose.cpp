//===- Choose.cpp - a schedule for a problem, with reasons ----------------===//
//
// A model of one kind of cost, cycles of the busiest SM, ranks the tiles. It
// needs to be right about order only; what it says is printed as "modelled".
//
//===----------------------------------------------------------------------===//

#include "Detail.h"

#include <algorithm>
#include <limits>
#include <optional>

namespace tirx::kernels {

using namespace detail;
using rt::makeError;

namespace {

/// Multiply-adds of 16-bit operands that an SM does in a cycle: 2.25 PFLOP/s
/// dense over 148 SMs at 1.85 GHz (B200 data sheet). 8-bit: twice, tf32: half.
constexpr double kMultiplyAdds = 4096;
/// Bytes that an SM gets from L2 in a cycle. Chosen so that the model gives the
/// published ratio of a 256x256 to a 512x256 tile at 4096^3, 0.104 to 0.094 ms.
constexpr double kLoadBytes = 56;
/// Bytes of D that an SM stores in a cycle, and what starting a tile costs.
constexpr double kStoreBytes = 64;
constexpr double kTileCycles = 600;
/// Rows of A that should stay in L2 while columns of B pass.
constexpr int64_t kGroupRows = 2048;
/// Cycles from a load's start to its data, which all stages but one hide.
constexpr double kLoadLatency = 1000;
/// Stages of the ring that are worth a staging stage less.
constexpr int64_t kEnoughStages = 4;

int64_t ceilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

/// `wanted`, or `otherwise` where it is left open.
int64_t fixedOr(int64_t wanted, int64_t otherwise) {
  return wanted ? wanted : otherwise;
}

struct Cost {
  int64_t tiles, clusters, waves;
  double cycles;
};

Cost modelCost(const GemmConfig &config, const GemmShape &shape) {
  const GemmSchedule &s = config.schedule;
  const int64_t bytesA = rt::sizeOf(config.operation.a);
  const int64_t bytesB = rt::sizeOf(config.operation.b);
  const int64_t ctas = s.ctaGroup * s.clusterM * s.clusterN;
  Cost cost;
  cost.tiles = ceilDiv(shape.m, s.tileM * s.clusterM) *
               ceilDiv(shape.n, s.tileN * s.clusterN) * shape.batch;
  cost.clusters = std::max<int64_t>(1, shape.sms / ctas);
  cost.waves = ceilDiv(cost.tiles, cost.clusters);
  const double rows = double(kGemmRows * s.consumers);
  const double multiply = rows * s.tileN * s.tileK / kMultiplyAdds * bytesA / 2;
  const double load = double(s.tileK) *
                      (rows * bytesA / s.clusterN +
                       double(s.tileN) / s.ctaGroup * bytesB / s.clusterM) /
                      kLoadBytes;
  const double latency =
      kLoadLatency / double(std::max<int64_t>(s.stages - 1, 1));
  const double store =
      rows * s.tileN * rt::sizeOf(config.operation.d) / kStoreBytes;
  // A second accumulator hides all epilogues but the last.
  const double exposed = s.accumulatorStages > 1 ? 0 : store;
  cost.cycles = cost.waves * (ceilDiv(shape.k, s.tileK) *
                                  std::max({multiply, load, latency}) +
                              exposed + kTileCycles) +
                store;
  return cost;
}

/// Staging that leaves enough stages to the ring, else the one that leaves
/// most.
void chooseStages(GemmConfig &config, const GemmSchedule &wanted) {
  GemmSchedule &s = config.schedule;
  const bool residual = config.operation.residual;
  struct Staging {
    int64_t store, residual;
  };
  const int64_t chunks = s.tileN / s.epilogueColumns;
  Staging best{1, residual ? 1 : 0};
  int64_t bestStages = -1;
  for (Staging option : {Staging{2, 2}, {1, 2}, {1, 1}}) {
    const int64_t store =
        fixedOr(wanted.storeStages, chunks % 2 ? 1 : option.store);
    const int64_t loads = residual
                              ? fixedOr(wanted.residualStages, option.residual)
                              : wanted.residualStages;
    const int64_t staging = s.consumers * (store + loads) * chunkBytes(config);
    const int64_t stages =
        std::min<int64_t>((layout::kMaxSharedBytes - kBarrierBytes -
                           biasBytes(config) - staging) /
                              ringStageBytes(config),
                          8);
    if (stages > bestStages) {
      best = {store, loads};
      bestStages = stages;
    }
    if (bestStages >= fixedOr(wanted.stages, kEnoughStages))
      break;
  }
  s.storeStages = best.store;
  s.residualStages = best.residual;
  s.stages = fixedOr(wanted.stages, bestStages);
}

/// Everything but the tile, ctaGroup and consumers, which are set.
void complete(GemmConfig &config, const GemmShape &shape,
              const GemmSchedule &wanted) {
  const GemmOperation &op = config.operation;
  GemmSchedule &s = config.schedule;
  s.tileK = fixedOr(wanted.tileK, 128 / rt::sizeOf(op.a));
  s.clusterM = fixedOr(wanted.clusterM, 1);
  s.clusterN = fixedOr(wanted.clusterN, 1);
  s.accumulatorStages =
      fixedOr(wanted.accumulatorStages,
              std::clamp<int64_t>(
                  layout::kTmemColumns / (s.consumers * s.tileN), 1, 2));
  s.epilogueColumns =
      fixedOr(wanted.epilogueColumns,
              std::min<int64_t>(128 / rt::sizeOf(op.d), s.tileN));
  if (s.epilogueColumns > 0 && ringStageBytes(config) > 0)
    chooseStages(config, wanted);
  s.group = fixedOr(wanted.group,
                    std::max<int64_t>(1, kGroupRows / (s.tileM * s.clusterM)));
  s.pdl = wanted.pdl;
  s.scheduler = wanted.scheduler;
  if (s.scheduler == Scheduler::automatic) {
    Cost cost = modelCost(config, shape);
    s.scheduler = cost.waves > 1 ? Scheduler::persistent : Scheduler::one_tile;
  }
}

struct Candidate {
  GemmConfig config;
  Cost cost;
};

struct Candidates {
  std::vector<Candidate> legal;     ///< best first
  std::optional<rt::Error> refusal; ///< of the first that is not
};

std::vector<int64_t> choices(int64_t wanted,
                             std::initializer_list<int64_t> all) {
  return wanted ? std::vector<int64_t>{wanted} : std::vector<int64_t>(all);
}

Candidates findCandidates(const GemmOperation &operation,
                          const GemmShape &shape, const GemmSchedule &wanted) {
  Candidates found;
  for (int64_t group : choices(wanted.ctaGroup, {2, 1}))
    for (int64_t consumers : choices(wanted.consumers, {2, 1}))
      for (int64_t n : choices(wanted.tileN, {256, 128, 64, 32, 16})) {
        GemmConfig config;
        config.operation = operation;
        GemmSchedule &s = config.schedule;
        s.ctaGroup = group;
        s.consumers = consumers;
        s.tileM = kGemmRows * group * consumers;
        s.tileN = n;
        const bool fits = !wanted.tileM || wanted.tileM == s.tileM;
        if (!fits)
          s.tileM = wanted.tileM; // planGemm says what is wrong with it
        complete(config, shape, wanted);
        if (auto plan = planGemm(config); !plan) {
          if (!found.refusal)
            found.refusal = plan.error();
          continue;
        }
        // Best first; of equals the larger tile, which comes first here.
        Candidate candidate{config, modelCost(config, shape)};
        auto at = std::ranges::upper_bound(
            found.legal, candidate.cost.cycles, {},
            [](const Candidate &other) { return other.cost.cycles; });
        found.legal.insert(at, candidate);
      }
  return found;
}

std::vector<std::string> explain(const std::vector<Candidate> &candidates,
                                 const GemmShape &shape,
                                 const GemmSchedule &wanted) {
  const GemmConfig &config = candidates.front().config;
  const GemmSchedule &s = config.schedule;
  const Cost &cost = candidates.front().cost;
  auto plan = planGemm(config);
  std::vector<std::string> reasons;
  auto say = [&](int64_t fixed, std::string what, std::string why) {
    reasons.push_back(what + ": " + (fixed ? "as asked" : std::move(why)));
  };
  reasons.push_back(fmt::format("problem {}x{}x{}, batch {}, {} SMs", shape.m,
                                shape.n, shape.k, shape.batch, shape.sms));
  std::string others;
  for (size_t i = 1; i < std::min<size_t>(candidates.size(), 4); ++i) {
    const Candidate &other = candidates[i];
    others +=
        fmt::format("{}{}x{} cta_group {} {:.0f}", i > 1 ? ", " : "",
                    other.config.schedule.tileM, other.config.schedule.tileN,
                    other.config.schedule.ctaGroup, other.cost.cycles);
  }
  reasons.push_back(fmt::format(
      "tile {}x{}, cta_group {}, {} consumer(s): {} tiles on {} clusters, {} "
      "wave(s) {:.0f}% full; modelled cycles {:.0f}{}",
      s.tileM, s.tileN, s.ctaGroup, s.consumers, cost.tiles, cost.clusters,
      cost.waves, 100.0 * cost.tiles / (cost.waves * cost.clusters),
      cost.cycles, others.empty() ? "" : ", next " + others));
  say(wanted.tileK, fmt::format("tile K {}", s.tileK),
      "rows of 128 bytes, the widest swizzle");
  say(wanted.stages, fmt::format("{} stages", s.stages),
      fmt::format("what fits: {} bytes each, {} of {} bytes in all",
                  ringStageBytes(config), plan->sharedBytes,
                  layout::kMaxSharedBytes));
  say(wanted.accumulatorStages,
      fmt::format("{} accumulator stage(s)", s.accumulatorStages),
      fmt::format("{} of {} columns of tensor memory{}", plan->tmemColumns,
                  layout::kTmemColumns,
                  s.accumulatorStages > 1
                      ? ": the epilogue of a tile overlaps the next one"
                      : ""));
  say(wanted.epilogueColumns,
      fmt::format("epilogue of {} columns", s.epilogueColumns),
      "rows of at most 128 bytes, the widest swizzle");
  say(wanted.storeStages, fmt::format("{} store stage(s)", s.storeStages),
      s.storeStages > 1 ? "a chunk is written while the one before is stored"
                        : "a second would take stages of the ring");
  say(wanted.scheduler != Scheduler::automatic,
      fmt::format("scheduler {}", toString(s.scheduler)),
      s.scheduler == Scheduler::one_tile
          ? "there are no more tiles than clusters"
          : "there are more tiles than clusters: the next one's loads overlap "
            "this one's epilogue");
  say(wanted.group, fmt::format("group {}", s.group),
      fmt::format("{} rows of A stay in L2 while columns of B pass",
                  s.group * s.tileM * s.clusterM));
  return reasons;
}

} // namespace

rt::Expected<GemmChoice> chooseGemm(const GemmOperation &operation,
                                    const GemmShape &shape,
                                    const GemmSchedule &wanted) {
  struct Extent {
    std::string_view name;
    int64_t value;
  };
  for (Extent extent : {Extent{"M", shape.m},
                        {"N", shape.n},
                        {"K", shape.k},
                        {"batch", shape.batch},
                        {"the number of SMs", shape.sms}})
    // Products of three extents must not overflow.
    if (extent.value < 1 || extent.value > 1 << 20)
      return makeError("{} is {}; a problem to choose for has 1 to {}",
                       extent.name, extent.value, 1 << 20);
  for (const auto &[name, value] :
       {std::pair("tileM", wanted.tileM),
        {"tileN", wanted.tileN},
        {"tileK", wanted.tileK},
        {"ctaGroup", wanted.ctaGroup},
        {"consumers", wanted.consumers},
        {"clusterM", wanted.clusterM},
        {"clusterN", wanted.clusterN},
        {"stages", wanted.stages},
        {"accumulatorStages", wanted.accumulatorStages},
        {"epilogueColumns", wanted.epilogueColumns},
        {"storeStages", wanted.storeStages},
        {"residualStages", wanted.residualStages},
        {"group", wanted.group}})
    if (value < 0 || value > 1 << 20)
      return makeError("{} is {}; it may be 0 (choose) to {}", name, value,
                       1 << 20);
  Candidates candidates = findCandidates(operation, shape, wanted);
  if (candidates.legal.empty())
    return tl::unexpected(*candidates.refusal);
  return GemmChoice{candidates.legal.front().config,
                    explain(candidates.legal, shape, wanted)};
}

} // namespace tirx::kernels
