//===- OpsTmem.cpp - tcgen05 alloc, ld, st, wait, fence ---------*- C++ -*-===//

#include "MemoryAccess.h"
#include "OpsBulk.h"
#include "OpsTensor.h"
#include "TmemUse.h"
#include "units/TmemAccess.h"

#include <cstring>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

bool touchesPendingRegisters(const Context &c) {
  const Instr &i = c.instr;
  const std::set<uint32_t> &pending = c.warp.pending_slots;
  auto hit = [&](uint32_t operand) { return pending.contains(operand); };
  if (hit(i.dst) || hit(i.dst2))
    return true;
  for (uint32_t source : i.src)
    if (hit(source))
      return true;
  for (uint32_t k = 0; k < i.list_count; ++k)
    if (hit(c.machine.entry.lists[i.list + k]))
      return true;
  return false;
}

namespace {

uint8_t groupOf(const ast::Instruction &in) {
  return has(in, "cta_group::2") ? 2 : 1;
}

/// A value that all lanes must agree on.
bool uniform(Context &c, uint32_t operand, std::string_view what,
             uint32_t &value) {
  value = c.read32(operand, c.firstLane());
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    if (c.read32(operand, lane) != value) {
      c.fault(fmt::format("lanes {} and {} give {} {:#x} and {:#x}; all lanes "
                          "must give the same",
                          c.firstLane(), lane, what, value,
                          c.read32(operand, lane)),
              static_cast<int>(lane));
      return false;
    }
  }
  return true;
}

// --- allocation
// ---------------------------------------------------------------

Outcome opAlloc(Context &c) {
  const Instr &i = c.instr;
  if (!c.resumed())
    if (Converged v = convergeWarp(c); !v.run)
      return v.outcome;
  uint32_t columns = 0;
  if (!uniform(c, i.src[1], "column counts", columns))
    return Outcome::fault;
  unsigned lane = c.firstLane();
  auto granted = c.cta().allocator.allocate(columns, i.sub[2], c.actor(lane));
  if (!granted)
    return c.fault(granted.error().message);
  if (!*granted) {
    Wait wait;
    wait.kind = Wait::Kind::tmem_alloc;
    wait.cta = &c.cta();
    wait.count = columns;
    return c.block(wait);
  }
  std::byte *to = resolveAccess(c, static_cast<MemSpace>(i.sub[1]),
                                laneAddress(c, lane), 4, 4, true, lane);
  if (!to)
    return Outcome::fault;
  std::memcpy(to, &**granted, 4);
  ++c.machine.stores;
  return Outcome::next;
}
bool decodeAlloc(Decoder &d, const OpRow &, const ast::Instruction &in,
                 Instr &out) {
  out.op = opAlloc;
  MemSpace space = spaceOf(in);
  out.sub[1] = static_cast<uint8_t>(space);
  out.sub[2] = groupOf(in);
  return d.expectOperands(in, 2, 2) && d.address(in.operands[0], space, out) &&
         d.srcValue(in.operands[1], RegClass::b32, 3);
}

Outcome opDealloc(Context &c) {
  const Instr &i = c.instr;
  if (Converged v = convergeWarp(c); !v.run)
    return v.outcome;
  uint32_t columns = 0, address = 0;
  if (!uniform(c, i.src[0], "addresses", address) ||
      !uniform(c, i.src[1], "column counts", columns))
    return Outcome::fault;
  unsigned lane = c.firstLane();
  TmemRegion all{0, tmemLanes, static_cast<uint16_t>(tmemColumn(address)),
                 static_cast<uint16_t>(columns)};
  if (!checkTmemUse(c, lane, c.cta(), {&all, 1}, TmemAccessKind::mma_write,
                    "tcgen05.dealloc") ||
      !checkTmemUse(c, lane, c.cta(), {&all, 1}, TmemAccessKind::store,
                    "tcgen05.dealloc"))
    return Outcome::fault;
  auto r =
      c.cta().allocator.deallocate(address, columns, i.sub[2], c.actor(lane));
  if (!r)
    return c.fault(r.error().message);
  c.machine.event();
  return Outcome::next;
}
bool decodeDealloc(Decoder &d, const OpRow &, const ast::Instruction &in,
                   Instr &out) {
  out.op = opDealloc;
  out.sub[2] = groupOf(in);
  return d.expectOperands(in, 2, 2) &&
         d.srcValue(in.operands[0], RegClass::b32, 2) &&
         d.srcValue(in.operands[1], RegClass::b32, 3);
}

Outcome opRelinquish(Context &c) {
  if (Converged v = convergeWarp(c); !v.run)
    return v.outcome;
  auto r = c.cta().allocator.relinquish(c.instr.sub[2], c.actor(c.firstLane()));
  if (!r)
    return c.fault(r.error().message);
  return Outcome::next;
}
bool decodeRelinquish(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  out.op = opRelinquish;
  out.sub[2] = groupOf(in);
  return d.expectOperands(in, 0, 0);
}

// --- ld and st
// ----------------------------------------------------------------

struct TmemTransfer final : AsyncOp {
  bool store = false;
  TmemAccess access;
  uint32_t address = 0;
  std::vector<uint32_t> slots;                ///< ld: where to
  std::vector<std::array<uint32_t, 32>> data; ///< st: captured at issue

  bool step(Machine &machine) override {
    removeTmemUse(*cta, *this);
    TensorMemory &memory = cta->tensorMemory();
    Expected<void> r;
    if (store) {
      --warp->pending_tmem_stores;
      r = tmemStore(memory, &cta->allocator, access, address, warp->index,
                    reinterpret_cast<const uint32_t (*)[32]>(data.data()));
    } else {
      data.resize(slots.size());
      r = tmemLoad(memory, &cta->allocator, access, address, warp->index,
                   reinterpret_cast<uint32_t (*)[32]>(data.data()));
      --warp->pending_tmem_loads;
      for (size_t k = 0; k < slots.size(); ++k) {
        if (slots[k] == kNoOperand)
          continue;
        warp->pending_slots.erase(slots[k]);
        std::memcpy(warp->lanes.at(slots[k]), data[k].data(), 128);
      }
    }
    if (!r)
      asyncFault(machine, *this, r.error().message);
    return true;
  }
  std::string describe() const override {
    return fmt::format("{}; TMEM address {:#x}", describeIssue(*this), address);
  }
};

/// sub[1] TmemShape, sub[2] pack, sub[3] store, sub[4] log2 num; imm: half
/// split offset; src[1]: address.
Outcome opTmemTransfer(Context &c) {
  const Instr &i = c.instr;
  if (Converged v = convergeWarp(c); !v.run)
    return v.outcome;
  bool store = i.sub[3];
  uint32_t address = 0;
  if (!uniform(c, i.src[0], "addresses", address))
    return Outcome::fault;
  address += static_cast<uint32_t>(i.offset1);
  auto op = std::make_unique<TmemTransfer>();
  unsigned lane = c.firstLane();
  stamp(*op, c, lane, store ? "tcgen05.st" : "tcgen05.ld");
  op->store = store;
  op->access.shape = static_cast<TmemShape>(i.sub[1]);
  op->access.num = 1u << i.sub[4];
  op->access.pack16 = i.sub[2];
  op->access.halfSplitOffset = static_cast<unsigned>(i.imm);
  op->address = address;
  Warnings found;
  auto regions = tmemRegions(op->access, address, c.warp.index, &found);
  if (!regions)
    return c.fault(regions.error().message);
  for (const std::string &text : found)
    c.machine.warn(c.frag().pc, "tmem", text);
  for (const TmemRegion &region : *regions)
    if (auto r = c.cta().allocator.checkColumns(region.column, region.columns,
                                                op->name);
        !r)
      return c.fault(r.error().message);
  TmemAccessKind kind = store ? TmemAccessKind::store : TmemAccessKind::load;
  if (!checkTmemUse(c, lane, c.cta(), *regions, kind, op->name))
    return Outcome::fault;
  addTmemUse(c.cta(), *regions, kind, c.machine.entry.lineOf(op->pc), *op);
  orderTmem(c, lane, c.cta(), *regions, store, false);
  const uint32_t *list = c.machine.entry.lists.data() + i.list;
  // Each direction keeps its order within the warp.
  op->pipe = uint64_t(1) << 63 | uint64_t(c.cta().linear) << 16 |
             c.warp.index << 1 | store;
  if (store) {
    op->data.resize(i.list_count);
    for (uint32_t k = 0; k < i.list_count; ++k)
      std::memcpy(op->data[k].data(), c.warp.lanes.at(list[k]), 128);
    ++c.warp.pending_tmem_stores;
  } else {
    op->slots.assign(list, list + i.list_count);
    for (uint32_t slot : op->slots)
      if (slot != kNoOperand)
        c.warp.pending_slots.insert(slot);
    ++c.warp.pending_tmem_loads;
  }
  c.machine.engine.issue(std::move(op));
  return Outcome::next;
}
bool decodeTmemTransfer(Decoder &d, const OpRow &, const ast::Instruction &in,
                        Instr &out) {
  static constexpr const char *shapes[] = {"32x32b", "16x64b", "16x128b",
                                           "16x256b", "16x32bx2"};
  out.op = opTmemTransfer;
  bool store = has(in, "st");
  TmemAccess access;
  for (uint8_t k = 0; k < 5; ++k)
    if (has(in, shapes[k]))
      access.shape = static_cast<TmemShape>(k);
  for (uint8_t k = 0; k <= 7; ++k)
    if (has(in, "x" + std::to_string(1u << k)))
      out.sub[4] = k;
  access.num = 1u << out.sub[4];
  out.sub[1] = static_cast<uint8_t>(access.shape);
  out.sub[2] = has(in, "pack::16b") || has(in, "unpack::16b");
  out.sub[3] = store;
  auto count = tmemRegisters(access);
  if (!count)
    return d.fail(count.error().message);
  bool split = access.shape == TmemShape::s16x32bx2;
  if (!d.expectOperands(in, 2u + split, 2u + split))
    return false;
  const Operand &address = in.operands[store ? 0 : 1];
  const Operand &registers = in.operands[store ? 1u + split : 0];
  uint8_t wide = 0;
  if (!d.addressValue(address, 2, out.offset1, wide))
    return false;
  if (wide)
    return d.fail("TMEM addresses have 32 bits");
  if (split && !d.immediate(in.operands[store ? 1 : 2], out.imm))
    return false;
  return d.listOperand(registers, RegClass::b32, !store, *count, *count);
}

/// sub[0]: 1 for st.
Outcome opTmemWait(Context &c) {
  if (!c.resumed())
    if (Converged v = convergeWarp(c); !v.run)
      return v.outcome;
  bool store = c.instr.sub[0];
  if ((store ? c.warp.pending_tmem_stores : c.warp.pending_tmem_loads) == 0)
    return Outcome::next;
  Wait wait;
  wait.kind = store ? Wait::Kind::tmem_store : Wait::Kind::tmem_load;
  wait.arrived = true;
  return c.block(wait);
}
bool decodeTmemWait(Decoder &d, const OpRow &, const ast::Instruction &in,
                    Instr &out) {
  out.op = opTmemWait;
  out.sub[0] = has(in, "wait::st");
  return d.expectOperands(in, 0, 0);
}

/// sub[0]: 1 for after_thread_sync.
Outcome opTensorFence(Context &c) {
  uint64_t *times = c.instr.sub[0] ? c.warp.after_time : c.warp.before_time;
  for (uint32_t left = c.mask; left; left &= left - 1)
    times[__builtin_ctz(left)] = c.machine.time;
  return Outcome::next;
}
bool decodeTensorFence(Decoder &d, const OpRow &, const ast::Instruction &in,
                       Instr &out) {
  out.op = opTensorFence;
  out.sub[0] = has(in, "fence::after_thread_sync");
  return d.expectOperands(in, 0, 0);
}

} // namespace

std::vector<OpRow> tmemRows() {
#define ROW(pattern, decode, fidelity, source, note)                           \
  {pattern, "", decode, AluOp::count, {0, 0, 0}, fidelity, source, note}
#define GROUP "cta_group::1|cta_group::2"
#define NUM "x1|x2|x4|x8|x16|x32|x64|x128"
#define SHAPE "32x32b|16x64b|16x128b|16x256b|16x32bx2"
  constexpr Fidelity exact = Fidelity::exact;
  return {
      ROW("tcgen05 alloc " GROUP " sync aligned [shared::cta] b32", decodeAlloc,
          exact, "9.7.16.7",
          "lowest free columns; one CTA an SM; cta_group::2: each CTA for "
          "itself"),
      ROW("tcgen05 dealloc " GROUP " sync aligned b32", decodeDealloc, exact,
          "9.7.16.7", ""),
      ROW("tcgen05 relinquish_alloc_permit " GROUP " sync aligned",
          decodeRelinquish, exact, "9.7.16.7", ""),
      ROW("tcgen05 ld sync aligned " SHAPE " " NUM " [pack::16b] b32",
          decodeTmemTransfer, exact, "9.7.16.8", ""),
      ROW("tcgen05 st sync aligned " SHAPE " " NUM " [unpack::16b] b32",
          decodeTmemTransfer, exact, "9.7.16.8",
          ".unpack::16b clears the upper halves, which PTX leaves open"),
      ROW("tcgen05 wait::ld|wait::st sync aligned", decodeTmemWait, exact,
          "9.7.16.8", ""),
      ROW("tcgen05 fence::before_thread_sync|fence::after_thread_sync",
          decodeTensorFence, Fidelity::approximate, "9.7.16.11",
          "orders nothing, since operations are ordered anyway; its absence is "
          "a "
          "warning"),
      ROW("tcgen05 cp " GROUP " 128x256b|4x256b|128x128b|64x128b|32x128b "
          "[warpx2::02_13|warpx2::01_23|warpx4] [b8x16] [b4x16_p64|b6x16_p32]",
          nullptr, Fidelity::unsupported, "9.7.16.9", ""),
      ROW("tcgen05 shift " GROUP " down", nullptr, Fidelity::unsupported,
          "9.7.16.9", ""),
  };
#undef ROW
#undef GROUP
#undef NUM
#undef SHAPE
}

std::span<const OpRow> tensorRows() {
  static const std::vector<OpRow> rows = [] {
    std::vector<OpRow> all = tmemRows();
    for (const OpRow &row : mmaRows())
      all.push_back(row);
    return all;
  }();
  return rows;
}

} // namespace tirx::rt::sim
