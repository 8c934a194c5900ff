//===- OpsMemory.cpp - ld, st, atom, red, address conversion ----*- C++ -*-===//

#include "MemoryAccess.h"
#include "units/FloatFormats.h"

#include <bit>
#include <cstring>

namespace tirx::rt::sim {
namespace {

using ast::Operand;
using ast::RegClass;

/// Instr::sub of loads and stores.
enum MemorySub { kKind, kSpace, kCount, kType, kPitch };

unsigned pitchOf(RegClass cls) {
  return cls == RegClass::b128 ? 16 : cls == RegClass::b64 ? 8 : 4;
}

/// Copies elements of Bytes between memory and lanes of Pitch bytes.
template <unsigned Bytes, unsigned Pitch, bool Load>
void transfer(uint32_t mask, unsigned char *slot, std::byte *const *base,
              unsigned offset) {
  auto one = [&](unsigned lane) {
    unsigned char *reg = slot + lane * Pitch;
    std::byte *memory = base[lane] + offset;
    if constexpr (Load) {
      if constexpr (Bytes < Pitch)
        std::memset(reg, 0, Pitch);
      std::memcpy(reg, memory, Bytes);
    } else {
      std::memcpy(memory, reg, Bytes);
    }
  };
  if (mask == 0xFFFFFFFFu)
    for (unsigned lane = 0; lane < kLanes; ++lane)
      one(lane);
  else
    for (uint32_t left = mask; left; left &= left - 1)
      one(static_cast<unsigned>(__builtin_ctz(left)));
}

template <bool Load>
void transferAny(unsigned bytes, unsigned pitch, uint32_t mask,
                 unsigned char *slot, std::byte *const *base, unsigned offset) {
  switch (bytes * 100 + pitch) {
  case 104:
    return transfer<1, 4, Load>(mask, slot, base, offset);
  case 108:
    return transfer<1, 8, Load>(mask, slot, base, offset);
  case 204:
    return transfer<2, 4, Load>(mask, slot, base, offset);
  case 208:
    return transfer<2, 8, Load>(mask, slot, base, offset);
  case 404:
    return transfer<4, 4, Load>(mask, slot, base, offset);
  case 408:
    return transfer<4, 8, Load>(mask, slot, base, offset);
  case 808:
    return transfer<8, 8, Load>(mask, slot, base, offset);
  default:
    return transfer<16, 16, Load>(mask, slot, base, offset);
  }
}

/// Sign-extends what a load has put into the lanes.
void signExtend(unsigned char *slot, uint32_t mask, unsigned bytes,
                unsigned pitch, bool narrow) {
  for (uint32_t left = mask; left; left &= left - 1) {
    unsigned char *reg =
        slot + static_cast<unsigned>(__builtin_ctz(left)) * pitch;
    uint64_t value = 0;
    std::memcpy(&value, reg, bytes);
    unsigned shift = 64 - 8 * bytes;
    value =
        static_cast<uint64_t>(static_cast<int64_t>(value << shift) >> shift);
    if (narrow) // 16-bit registers are kept zero-extended
      value &= 0xFFFF;
    std::memcpy(reg, &value, pitch);
  }
}

Outcome opLoad(Context &c) {
  const Instr &i = c.instr;
  NumType type = static_cast<NumType>(i.sub[kType]);
  unsigned bytes = bytesOf(type), count = i.sub[kCount], pitch = i.sub[kPitch];
  const uint32_t *registers = c.machine.entry.lists.data() + i.list;
  std::byte *base[kLanes];
  if (!resolveLanes(c, static_cast<MemSpace>(i.sub[kSpace]),
                    uint64_t(bytes) * count, false, base))
    return Outcome::fault;
  if (i.strong)
    synchroniseMemory(c.warp);
  for (unsigned k = 0; k < count; ++k) {
    if (registers[k] == kNoOperand)
      continue;
    unsigned char *slot = c.warp.lanes.at(registers[k]);
    transferAny<true>(bytes, pitch, c.mask, slot, base, k * bytes);
    if (isSigned(type) && bytes < pitch)
      signExtend(slot, c.mask, bytes, pitch, i.sub[5] == 16);
  }
  return Outcome::next;
}

Outcome opStore(Context &c) {
  const Instr &i = c.instr;
  unsigned bytes = bytesOf(static_cast<NumType>(i.sub[kType]));
  unsigned count = i.sub[kCount];
  const uint32_t *registers = c.machine.entry.lists.data() + i.list;
  std::byte *base[kLanes];
  if (!resolveLanes(c, static_cast<MemSpace>(i.sub[kSpace]),
                    uint64_t(bytes) * count, true, base))
    return Outcome::fault;
  for (unsigned k = 0; k < count; ++k)
    transferAny<false>(bytes, i.sub[kPitch], c.mask,
                       c.warp.lanes.at(registers[k]), base, k * bytes);
  if (i.strong)
    synchroniseMemory(c.warp);
  ++c.machine.stores;
  return Outcome::next;
}

unsigned vectorCount(const ast::Instruction &in) {
  return has(in, "v8") ? 8 : has(in, "v4") ? 4 : has(in, "v2") ? 2 : 1;
}

bool decodeLoadStore(Decoder &d, const OpRow &, const ast::Instruction &in,
                     Instr &out) {
  bool load = in.mnemonic == "ld" || in.mnemonic == "ldu";
  if (!d.expectOperands(in, 2, 3)) // a third: cache policy
    return false;
  NumType type = *numType(in.modifiers.back());
  unsigned count = vectorCount(in), bytes = bytesOf(type);
  if (count * bytes > 32)
    return d.fail("vector accesses take at most 32 bytes");
  MemSpace space = spaceOf(in);
  if (!load && (space == MemSpace::param || space == MemSpace::constant))
    return d.fail("stores to this state space are not supported by the "
                  "simulator");
  const Operand &data = in.operands[load ? 0 : 1];
  RegClass cls = bytes == 16  ? RegClass::b128
                 : bytes == 8 ? RegClass::b64
                              : RegClass::b32;
  // Registers may be wider than the type.
  const Operand *first = &data;
  if (data.kind == Operand::Kind::vector)
    for (const Operand &element : data.elements)
      if (d.isReg(element)) {
        first = &element;
        break;
      }
  if (d.isReg(*first)) {
    RegClass own = d.classOf(*first);
    if (cls == RegClass::b32 && own == RegClass::b64)
      cls = own;
    out.sub[5] = static_cast<uint8_t>(d.function.registers[first->reg].bits);
  }
  out.op = load ? opLoad : opStore;
  for (const char *kind : {"relaxed", "acquire", "release", "volatile", "mmio"})
    out.strong |= has(in, kind);
  out.sub[kSpace] = static_cast<uint8_t>(space);
  out.sub[kCount] = static_cast<uint8_t>(count);
  out.sub[kType] = static_cast<uint8_t>(type);
  out.sub[kPitch] = static_cast<uint8_t>(pitchOf(cls));
  if (in.operands.size() == 3 && !d.srcValue(in.operands[2], RegClass::b64, 3))
    return false;
  return d.listOperand(data, cls, load, count, count) &&
         d.address(in.operands[load ? 1 : 0], space, out);
}

// --- atomics
// ------------------------------------------------------------------

enum class AtomOp : uint8_t {
  add,
  min,
  max,
  inc,
  dec,
  bit_and,
  bit_or,
  bit_xor,
  exch,
  cas,
};
constexpr const char *kAtomNames[] = {"add", "min", "max", "inc",  "dec",
                                      "and", "or",  "xor", "exch", "cas"};

template <class T> T applyInt(AtomOp op, T old, T b, T c) {
  switch (op) {
  case AtomOp::add:
    return static_cast<T>(static_cast<uint64_t>(old) +
                          static_cast<uint64_t>(b));
  case AtomOp::min:
    return std::min(old, b);
  case AtomOp::max:
    return std::max(old, b);
  case AtomOp::inc:
    return old >= b ? T(0) : T(old + 1);
  case AtomOp::dec:
    return old == T(0) || old > b ? b : T(old - 1);
  case AtomOp::bit_and:
    return old & b;
  case AtomOp::bit_or:
    return old | b;
  case AtomOp::bit_xor:
    return old ^ b;
  case AtomOp::exch:
    return b;
  case AtomOp::cas:
    return old == b ? c : old;
  }
  return old;
}

float applyFloat(AtomOp op, float a, float b) {
  if (op == AtomOp::add)
    return a + b;
  if (a != a)
    return b;
  if (b != b)
    return a;
  return op == AtomOp::min ? std::min(a, b) : std::max(a, b);
}

uint64_t halfPair(AtomOp op, uint64_t a, uint64_t b, unsigned halves,
                  bool bf16) {
  uint64_t result = 0;
  for (unsigned k = 0; k < halves; ++k) {
    uint16_t x = static_cast<uint16_t>(a >> (16 * k));
    uint16_t y = static_cast<uint16_t>(b >> (16 * k));
    uint16_t r =
        bf16 ? floatToBf16(applyFloat(op, bf16ToFloat(x), bf16ToFloat(y)))
             : floatToF16(applyFloat(op, f16ToFloat(x), f16ToFloat(y)));
    result |= uint64_t(r) << (16 * k);
  }
  return result;
}

/// sub[3]: NumType, or 64 f16x2, 65 bf16x2; sub[5]: AtomOp.
uint64_t applyAtom(const Instr &i, uint64_t old, uint64_t b, uint64_t c) {
  AtomOp op = static_cast<AtomOp>(i.sub[5]);
  switch (i.sub[3]) {
  case 64:
    return halfPair(op, old, b, 2, false);
  case 65:
    return halfPair(op, old, b, 2, true);
  case static_cast<uint8_t>(NumType::f16):
    return halfPair(op, old, b, 1, false);
  case static_cast<uint8_t>(NumType::bf16):
    return halfPair(op, old, b, 1, true);
  case static_cast<uint8_t>(NumType::f32): {
    float x = std::bit_cast<float>(static_cast<uint32_t>(old));
    float y = std::bit_cast<float>(static_cast<uint32_t>(b));
    return std::bit_cast<uint32_t>(applyFloat(op, x, y));
  }
  case static_cast<uint8_t>(NumType::f64):
    return std::bit_cast<uint64_t>(std::bit_cast<double>(old) +
                                   std::bit_cast<double>(b));
  case static_cast<uint8_t>(NumType::s32):
    return static_cast<uint32_t>(applyInt(op, static_cast<int32_t>(old),
                                          static_cast<int32_t>(b),
                                          static_cast<int32_t>(c)));
  case static_cast<uint8_t>(NumType::s64):
    return static_cast<uint64_t>(applyInt(op, static_cast<int64_t>(old),
                                          static_cast<int64_t>(b),
                                          static_cast<int64_t>(c)));
  case static_cast<uint8_t>(NumType::u64):
    return applyInt(op, old, b, c);
  case static_cast<uint8_t>(NumType::u16):
    return applyInt(op, static_cast<uint16_t>(old), static_cast<uint16_t>(b),
                    static_cast<uint16_t>(c));
  default:
    return applyInt(op, static_cast<uint32_t>(old), static_cast<uint32_t>(b),
                    static_cast<uint32_t>(c));
  }
}

/// Lanes act one after the other, in lane order. Operands: list holds the
/// destinations (atom), then b, then c for cas; sub[2] elements, sub[4] bytes.
Outcome opAtom(Context &c) {
  const Instr &i = c.instr;
  unsigned count = i.sub[2], bytes = i.sub[4];
  bool returns = i.sub[6];
  const uint32_t *list = c.machine.entry.lists.data() + i.list;
  const uint32_t *sources = list + (returns ? count : 0);
  bool cas = static_cast<AtomOp>(i.sub[5]) == AtomOp::cas;
  synchroniseMemory(c.warp);
  for (uint32_t left = c.mask; left; left &= left - 1) {
    unsigned lane = static_cast<unsigned>(__builtin_ctz(left));
    std::byte *at = resolveAccess(c, static_cast<MemSpace>(i.sub[1]),
                                  laneAddress(c, lane), uint64_t(bytes) * count,
                                  uint64_t(bytes) * count, true, lane);
    if (!at)
      return Outcome::fault;
    for (unsigned k = 0; k < count; ++k) {
      uint64_t old = 0;
      std::memcpy(&old, at + k * bytes, bytes);
      auto value = [&](uint32_t operand) {
        return bytes == 8 ? c.read64(operand, lane) : c.read32(operand, lane);
      };
      uint64_t next = applyAtom(i, old, value(sources[k]),
                                cas ? value(sources[count + k]) : 0);
      std::memcpy(at + k * bytes, &next, bytes);
      if (returns && list[k] != kNoOperand) {
        if (bytes == 8)
          c.write64(list[k], lane, old);
        else
          c.write32(list[k], lane, static_cast<uint32_t>(old));
      }
    }
  }
  ++c.machine.stores;
  // A spin on an atomic lets the others go on.
  return Outcome::yielded;
}

bool decodeAtom(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  bool returns = in.mnemonic == "atom";
  out.strong = true;
  for (uint8_t k = 0; k < 10; ++k)
    if (has(in, kAtomNames[k]))
      out.sub[5] = k;
  bool cas = static_cast<AtomOp>(out.sub[5]) == AtomOp::cas;
  const std::string &name = in.modifiers.back();
  unsigned bytes = 4;
  if (name == "f16x2" || name == "bf16x2") {
    out.sub[3] = name == "f16x2" ? 64 : 65;
  } else {
    NumType type = *numType(name);
    out.sub[3] = static_cast<uint8_t>(type);
    bytes = bytesOf(type);
  }
  size_t least = 2u + returns + cas;
  if (!d.expectOperands(in, least, least + 1))
    return false;
  MemSpace space = spaceOf(in);
  unsigned count = vectorCount(in);
  RegClass cls = bytes == 8 ? RegClass::b64 : RegClass::b32;
  out.op = opAtom;
  out.sub[1] = static_cast<uint8_t>(space);
  out.sub[2] = static_cast<uint8_t>(count);
  out.sub[4] = static_cast<uint8_t>(bytes);
  out.sub[6] = returns;
  size_t at = 0;
  if (returns && !d.listOperand(in.operands[at++], cls, true, count, count))
    return false;
  const Operand &address = in.operands[at++];
  if (!d.listOperand(in.operands[at++], cls, false, count, count))
    return false;
  if (cas && !d.listOperand(in.operands[at++], cls, false, count, count))
    return false;
  if (at < in.operands.size() &&
      !d.srcValue(in.operands[at], RegClass::b64, 3)) // cache policy
    return false;
  return d.address(address, space, out);
}

} // namespace

std::span<const OpRow> memoryRows() {
  static const std::vector<OpRow> all = [] {
    std::vector<OpRow> out = accessRows();
    for (const OpRow &row : addressRows())
      out.push_back(row);
    return out;
  }();
  return all;
}

std::vector<OpRow> accessRows() {
#define ROW(pattern, decode, source, ...)                                      \
  {pattern,         "",     decode,     AluOp::count, {0, 0, 0},               \
   Fidelity::exact, source, __VA_ARGS__}
#define NOPE(pattern, source, note)                                            \
  {pattern, "",  nullptr, AluOp::count, {0, 0, 0}, Fidelity::unsupported,      \
   source,  note}
#define SCOPE "[cta|cluster|gpu|sys]"
#define LEVELS                                                                 \
  "[L1::evict_normal|L1::evict_unchanged|L1::evict_first|L1::evict_last|L1::"  \
  "no_allocate] "                                                              \
  "[L2::evict_normal|L2::evict_first|L2::evict_last] [L2::cache_hint] "        \
  "[L2::64B|L2::128B|L2::256B]"
#define TYPES "b8|u8|s8|b16|u16|s16|b32|u32|s32|b64|u64|s64|f32|f64|b128"
  return {
      ROW("ld [weak|relaxed|acquire|volatile|mmio] " SCOPE
          " [global|shared|shared::cta|shared::cluster|local|param|param::"
          "entry|const] [nc] [ca|cg|cs|lu|cv] [nc] " LEVELS
          " [v2|v4|v8] " TYPES,
          decodeLoadStore, "9.7.9.8",
          "sequentially consistent; caches and policies have no effect"),
      ROW("ldu [global] [v2|v4] " TYPES, decodeLoadStore, "9.7.9.10", ""),
      ROW("st [weak|relaxed|release|volatile|mmio] " SCOPE
          " [global|shared|shared::cta|shared::cluster|local|param|param::func]"
          " [wb|cg|cs|wt] " LEVELS " [v2|v4|v8] " TYPES,
          decodeLoadStore, "9.7.9.11", "sequentially consistent"),
      ROW("atom [relaxed|acquire|release|acq_rel] " SCOPE
          " [global|shared|shared::cta|shared::cluster] "
          "add|min|max|inc|dec|and|or|xor|exch|cas [noftz] [L2::cache_hint] "
          "[v2|v4|v8] "
          "b16|b32|u32|s32|b64|u64|s64|f16|f16x2|bf16|bf16x2|f32|f64",
          decodeAtom, "9.7.13.5",
          "sequentially consistent; lanes in lane order"),
      ROW("red [relaxed|release] " SCOPE
          " [global|shared|shared::cta|shared::cluster] "
          "add|min|max|inc|dec|and|or|xor [noftz] [L2::cache_hint] [v2|v4|v8] "
          "b32|u32|s32|b64|u64|s64|f16|f16x2|bf16|bf16x2|f32|f64",
          decodeAtom, "9.7.13.7",
          "sequentially consistent; lanes in lane order"),
      NOPE("atom [relaxed|acquire|release|acq_rel] " SCOPE
           " [global|shared|shared::cta|shared::cluster] exch|cas b128",
           "9.7.13.5", "128-bit atomics"),
      NOPE("multimem ld_reduce|st|red", "9.7.9.13", "multicast objects"),
      NOPE("st async|bulk", "9.7.9.12", ""),
      NOPE("red async", "9.7.13.8", ""),
  };
#undef ROW
#undef NOPE
#undef SCOPE
#undef LEVELS
#undef TYPES
}

} // namespace tirx::rt::sim
