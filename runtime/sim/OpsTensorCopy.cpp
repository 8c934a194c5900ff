//===- OpsTensorCopy.cpp - cp.async.bulk.tensor -----------------*- C++ -*-===//

#include "AsyncProxy.h"
#include "MemoryAccess.h"
#include "OpsBulk.h"
#include "units/TensorMap.h"
#include "units/TmaBox.h"

#include <algorithm>
#include <numeric>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

void stamp(AsyncOp &op, Context &c, unsigned lane, std::string_view name) {
  op.cta = &c.cta();
  op.warp = &c.warp;
  op.lane = lane;
  op.pc = c.frag().pc;
  op.name = name;
}

Actor actorOf(const AsyncOp &op) {
  Actor actor;
  actor.cta = op.cta->linear;
  actor.warp = static_cast<uint16_t>(op.warp->index);
  actor.lane = static_cast<uint8_t>(op.lane);
  actor.line = op.cta->machine->entry.lineOf(op.pc);
  actor.op = op.name;
  return actor;
}

std::string describeIssue(const AsyncOp &op) {
  const Cta &cta = *op.cta;
  return fmt::format("{} issued by CTA ({},{},{}) warp {} lane {} at {}",
                     op.name, cta.id[0], cta.id[1], cta.id[2], op.warp->index,
                     op.lane, cta.machine->whereLine(op.pc));
}

void asyncFault(Machine &machine, const AsyncOp &op, const std::string &what) {
  machine.fault(*op.warp, op.pc, 1u << op.lane, what);
}

bool completeTx(Machine &machine, const AsyncOp &op, Cta &cta, uint32_t offset,
                uint64_t bytes) {
  auto r = cta.barriers.completeTx(cta.span(), offset,
                                   static_cast<uint32_t>(bytes), actorOf(op));
  if (!r)
    asyncFault(machine, op, r.error().message);
  else
    arrivedAt(cta, offset, *op.warp, r->phaseCompleted);
  return bool(r);
}

bool barrierOperand(Context &c, uint64_t address, unsigned lane,
                    SharedRef &out) {
  // shared::cluster addresses; those without a rank of a CTA that has one are
  // taken as this CTA's only when they carry the generic window.
  return resolveShared(c, address, c.machine.cluster_size > 1, "mbarrier", out,
                       lane);
}

namespace {

/// Segments that one step of a random delivery copies.
constexpr size_t kChunk = 8;

std::vector<uint32_t> segmentOrder(Machine &machine, size_t count) {
  std::vector<uint32_t> order(count);
  std::iota(order.begin(), order.end(), 0u);
  if (machine.options.delivery == SimOptions::Delivery::random)
    for (size_t i = count; i > 1; --i)
      std::swap(order[i - 1], order[machine.random(i)]);
  return order;
}

struct TensorLoad final : AsyncOp {
  struct Destination {
    Cta *cta;
    Cta *barrier_cta;
  };
  TmaPlan plan;
  std::vector<uint32_t> order;
  std::vector<Destination> destinations;
  uint32_t barrier = 0;
  size_t done = 0;

  bool step(Machine &machine) override {
    size_t end = std::min(done + kChunk, order.size());
    for (; done < end; ++done)
      for (const Destination &to : destinations)
        if (auto r =
                executeTmaLoad(plan, order[done], 1, to.cta->span(), machine);
            !r) {
          asyncFault(machine, *this, r.error().message);
          return true;
        }
    if (done < order.size())
      return false;
    for (const Destination &to : destinations) {
      endAsyncWrite(*to.cta, plan.sharedBegin, plan.sharedBytes, plan.swizzle);
      if (!completeTx(machine, *this, *to.barrier_cta, barrier, plan.txBytes))
        return true;
    }
    return true;
  }
  bool uses(const Cta &other) const override {
    for (const Destination &to : destinations)
      if (to.cta == &other || to.barrier_cta == &other)
        return true;
    return false;
  }
  std::string describe() const override {
    return fmt::format("{}; {} bytes to shared offset {:#x}, mbarrier {:#x}",
                       describeIssue(*this), plan.txBytes, plan.sharedBegin,
                       barrier);
  }
};

struct TensorStore final : AsyncOp {
  TmaPlan plan;
  std::vector<uint32_t> order;
  std::optional<TmaReduceOp> reduce;
  std::shared_ptr<CopyStatus> status;
  std::vector<std::byte> copy; ///< the window up to the tile, read at once
  size_t done = 0;

  bool step(Machine &machine) override {
    if (!status->read) {
      copy.assign(cta->shared.begin(),
                  cta->shared.begin() + plan.sharedBegin + plan.sharedBytes);
      endAsyncRead(*cta, plan.sharedBegin, plan.sharedBytes);
      status->read = true;
      return false;
    }
    size_t end = std::min(done + kChunk, order.size());
    for (; done < end; ++done) {
      auto r = reduce ? executeTmaReduce(plan, *reduce, order[done], 1, copy,
                                         machine)
                      : executeTmaStore(plan, order[done], 1, copy, machine);
      if (!r) {
        asyncFault(machine, *this, r.error().message);
        return true;
      }
    }
    if (done < order.size())
      return false;
    status->written = true;
    return true;
  }
  std::string describe() const override {
    return fmt::format("{}; {} bytes from shared offset {:#x}",
                       describeIssue(*this), plan.sharedBytes,
                       plan.sharedBegin);
  }
};

/// The tensor map at a generic address.
bool readMap(Context &c, unsigned lane, uint64_t address,
             TensorMapFields &fields) {
  if (address % 64 != 0) {
    c.fault(fmt::format("tensor map at {:#x}: it must be aligned to 64 bytes",
                        address),
            static_cast<int>(lane));
    return false;
  }
  std::byte *bytes =
      resolveAccess(c, MemSpace::generic, address, 128, 1, false, lane);
  if (!bytes)
    return false;
  auto decoded = decodeTensorMap(std::span<const std::byte, 128>(bytes, 128));
  if (!decoded) {
    c.fault(fmt::format("tensor map at {:#x}: {}", address,
                        decoded.error().message),
            static_cast<int>(lane));
    return false;
  }
  fields = *decoded;
  return true;
}

std::vector<int32_t> coordinates(const Context &c, unsigned lane) {
  std::vector<int32_t> out;
  for (uint32_t k = 0; k < c.instr.list_count; ++k)
    out.push_back(static_cast<int32_t>(
        c.read32(c.machine.entry.lists[c.instr.list + k], lane)));
  return out;
}

bool checkRank(Context &c, unsigned lane, const TensorMapFields &map) {
  if (map.rank == c.instr.list_count)
    return true;
  c.fault(fmt::format("tensor map of rank {} used by a copy of {} dimensions",
                      map.rank, c.instr.list_count),
          static_cast<int>(lane));
  return false;
}

void warnings(Context &c, const Warnings &found) {
  for (const std::string &text : found)
    c.machine.warn(c.frag().pc, text, text);
}

/// sub[1]: MemSpace of dst; sub[4]: multicast; sub[5]: cta_group.
Outcome opTensorLoad(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    TensorMapFields map;
    SharedRef dst, barrier;
    bool cluster =
        static_cast<MemSpace>(i.sub[1]) == MemSpace::shared_cluster &&
        c.machine.cluster_size > 1;
    if (!readMap(c, lane,
                 operandAddress(c, i.src[1], i.sub[2], i.offset1, lane), map) ||
        !checkRank(c, lane, map) ||
        !resolveShared(c, laneAddress(c, lane), cluster, "TMA destination", dst,
                       lane) ||
        !barrierOperand(c,
                        operandAddress(c, i.src[2], i.sub[3], i.offset2, lane),
                        lane, barrier))
      return Outcome::fault;
    Warnings found;
    auto plan = planTmaLoad(map, coordinates(c, lane), dst.offset,
                            dst.cta->shared.size(), &found);
    if (!plan)
      return c.fault(plan.error().message, static_cast<int>(lane));
    warnings(c, found);
    auto op = std::make_unique<TensorLoad>();
    stamp(*op, c, lane, "cp.async.bulk.tensor");
    op->must_finish = true;
    op->plan = std::move(*plan);
    op->order = segmentOrder(c.machine, op->plan.segments.size());
    op->barrier = barrier.offset;
    std::vector<Cta *> targets = {dst.cta};
    if (i.sub[4]) {
      uint32_t mask = c.read32(i.src[3], lane) & 0xFFFF;
      targets.clear();
      for (uint32_t bit = 0; bit < 16; ++bit)
        if (mask >> bit & 1) {
          if (bit >= c.cta().cluster->ctas.size())
            return c.fault(
                fmt::format("multicast mask {:#x} names CTA rank {}; "
                            "the cluster has {}",
                            mask, bit, c.cta().cluster->ctas.size()),
                static_cast<int>(lane));
          targets.push_back(c.cta().cluster->ctas[bit].get());
        }
      for (const Cta *target : targets)
        c.cta().cluster->multicast_beyond_pair |=
            target->rank / 2 != targets.front()->rank / 2;
    }
    for (Cta *target : targets) {
      if (target->live_threads == 0)
        return c.fault(fmt::format("multicast to CTA rank {}, which has exited",
                                   target->rank),
                       static_cast<int>(lane));
      Cta *signal = target;
      if (i.sub[5] == 2) // the CTA of the pair with the barrier's parity
        signal = target->cluster
                     ->ctas[(target->rank & ~1u) | (barrier.cta->rank & 1)]
                     .get();
      else if (!i.sub[4] && barrier.cta != target)
        return c.fault(fmt::format("the mbarrier lies in CTA rank {}, the "
                                   "destination in rank {}; only .cta_group::2 "
                                   "allows that",
                                   barrier.cta->rank, target->rank),
                       static_cast<int>(lane));
      if (!beginAsyncWrite(c, lane, *target, op->plan.sharedBegin,
                           op->plan.sharedBytes, "cp.async.bulk.tensor"))
        return Outcome::fault;
      op->destinations.push_back({target, signal});
    }
    c.machine.engine.issue(std::move(op));
    ++c.machine.stats.tma_ops;
  }
  return Outcome::next;
}

unsigned dimensions(const ast::Instruction &in) {
  for (const std::string &modifier : in.modifiers)
    if (modifier.size() == 2 && modifier[1] == 'd' && modifier[0] >= '1' &&
        modifier[0] <= '5')
      return static_cast<unsigned>(modifier[0] - '0');
  return 0;
}

/// [map, {coordinates}]: map into src[1], coordinates into the list.
bool tensorOperand(Decoder &d, const Operand &operand, unsigned rank,
                   Instr &out) {
  if (operand.kind != Operand::Kind::address || operand.elements.size() != 2)
    return d.fail("expected [tensorMap, {coordinates}]");
  return d.addressValue(operand, 3, out.offset1, out.sub[2]) &&
         d.listOperand(operand.elements[1], RegClass::b32, false, rank, rank);
}

bool decodeTensorLoad(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opTensorLoad;
  MemSpace space = has(in, "shared::cluster") ? MemSpace::shared_cluster
                                              : MemSpace::shared_cta;
  out.sub[1] = static_cast<uint8_t>(space);
  out.sub[4] = has(in, "multicast::cluster");
  out.sub[5] = has(in, "cta_group::2") ? 2 : 1;
  bool hint = has(in, "L2::cache_hint");
  size_t operands = 3u + out.sub[4] + hint;
  if (!d.expectOperands(in, operands, operands))
    return false;
  if (!d.address(in.operands[0], MemSpace::shared_cta, out) ||
      !tensorOperand(d, in.operands[1], dimensions(in), out) ||
      !d.addressValue(in.operands[2], 4, out.offset2, out.sub[3]))
    return false;
  return !out.sub[4] || d.srcValue(in.operands[3], RegClass::b32, 5);
}

Outcome opTensorStore(Context &c) {
  const Instr &i = c.instr;
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    TensorMapFields map;
    SharedRef src;
    if (!readMap(c, lane,
                 operandAddress(c, i.src[1], i.sub[2], i.offset1, lane), map) ||
        !checkRank(c, lane, map) ||
        !resolveShared(c, laneAddress(c, lane), false, "TMA source", src, lane))
      return Outcome::fault;
    Warnings found;
    auto plan = planTmaStore(map, coordinates(c, lane), src.offset,
                             src.cta->shared.size(), &found);
    if (!plan)
      return c.fault(plan.error().message, static_cast<int>(lane));
    warnings(c, found);
    auto op = std::make_unique<TensorStore>();
    stamp(*op, c, lane,
          i.sub[4] ? "cp.reduce.async.bulk.tensor" : "cp.async.bulk.tensor");
    op->plan = std::move(*plan);
    op->order = segmentOrder(c.machine, op->plan.segments.size());
    if (i.sub[4])
      op->reduce = static_cast<TmaReduceOp>(i.sub[4] - 1);
    op->status = std::make_shared<CopyStatus>();
    op->status->line = c.machine.entry.lineOf(op->pc);
    if (!beginAsyncRead(c, lane, *src.cta, op->plan.sharedBegin,
                        op->plan.sharedBytes, op->name))
      return Outcome::fault;
    c.warp.bulk[lane].open.push_back(op->status);
    noteBulkRead(c, lane, *src.cta, op->plan.sharedBegin, op->plan.sharedBytes,
                 op->status);
    c.machine.engine.issue(std::move(op));
    ++c.machine.stats.tma_ops;
  }
  return Outcome::next;
}
bool decodeTensorStore(Decoder &d, const OpRow &, const ast::Instruction &in,
                       Instr &out) {
  static constexpr const char *ops[] = {"add", "min", "max", "inc",
                                        "dec", "and", "or",  "xor"};
  out.op = opTensorStore;
  for (uint8_t k = 0; in.modifiers[0] == "reduce" && k < 8; ++k)
    if (has(in, ops[k]))
      out.sub[4] = static_cast<uint8_t>(k + 1);
  size_t operands = 2u + has(in, "L2::cache_hint");
  return d.expectOperands(in, operands, operands) &&
         d.address(in.operands[1], MemSpace::shared_cta, out) &&
         tensorOperand(d, in.operands[0], dimensions(in), out);
}

Outcome opPrefetchTensor(Context &) { return Outcome::next; }
bool decodePrefetchTensor(Decoder &, const OpRow &, const ast::Instruction &,
                          Instr &out) {
  out.op = opPrefetchTensor;
  return true;
}

} // namespace

std::vector<OpRow> tensorCopyRows() {
#define ROW(pattern, decode, fidelity, source, note)                           \
  {pattern, "", decode, AluOp::count, {0, 0, 0}, fidelity, source, note}
#define ND "1d|2d|3d|4d|5d"
  constexpr Fidelity exact = Fidelity::exact, no = Fidelity::unsupported;
  return {
      ROW("cp async bulk tensor " ND
          " shared::cta|shared::cluster global [tile] "
          "mbarrier::complete_tx::bytes [multicast::cluster] "
          "[cta_group::1|cta_group::2] [L2::cache_hint]",
          decodeTensorLoad, exact, "9.7.9.27",
          "the tensor map is our own record"),
      ROW("cp async bulk tensor " ND
          " global shared::cta [tile] bulk_group [L2::cache_hint]",
          decodeTensorStore, exact, "9.7.9.27", ""),
      ROW("cp reduce async bulk tensor " ND
          " global shared::cta add|min|max|inc|dec|and|or|xor [tile] "
          "bulk_group "
          "[L2::cache_hint]",
          decodeTensorStore, exact, "9.7.9.27", ""),
      ROW("cp async bulk prefetch tensor " ND " L2 global [tile] "
          "[L2::cache_hint]",
          decodePrefetchTensor, Fidelity::approximate, "9.7.9.27", "no effect"),
      ROW("cp async bulk tensor " ND " shared::cta|shared::cluster|global "
          "global|shared::cta "
          "im2col|im2col::w|im2col::w::128|im2col_no_offs|tile::gather4|tile::"
          "scatter4 [mbarrier::complete_tx::bytes|bulk_group] "
          "[multicast::cluster] [cta_group::1|cta_group::2] [L2::cache_hint]",
          nullptr, no, "9.7.9.27", "tile mode only"),
      ROW("tensormap replace|cp_fenceproxy", nullptr, no, "9.7.9.28",
          "tensor maps cannot be changed"),
  };
#undef ROW
#undef ND
}

std::span<const OpRow> bulkRows() {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all = tensorCopyRows();
    for (const OpRow &row : bulkCopyRows())
      all.push_back(row);
    for (const OpRow &row : asyncCopyRows())
      all.push_back(row);
    return all;
  }();
  return rows;
}

} // namespace tirx::rt::sim
