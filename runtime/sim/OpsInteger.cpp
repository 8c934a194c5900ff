//===- OpsInteger.cpp - integer, logic, move, comparison rows ---*- C++ -*-===//

#include "Decoder.h"
#include "Handlers.h"

#include <cstring>

namespace tirx::rt::sim {
namespace {

using ast::Operand;
using ast::RegClass;

/// Rows whose only special modifier is .wrap or .clamp (the default).
bool decodeWrap(Decoder &d, const OpRow &row, const ast::Instruction &in,
                Instr &out) {
  if (!decodeAlu(d, row, in, out))
    return false;
  out.sub[0] = has(in, "wrap");
  return true;
}

bool decodeBfind(Decoder &d, const OpRow &row, const ast::Instruction &in,
                 Instr &out) {
  if (!decodeAlu(d, row, in, out))
    return false;
  out.sub[0] = has(in, "shiftamt");
  return true;
}

bool decodePrmt(Decoder &d, const OpRow &row, const ast::Instruction &in,
                Instr &out) {
  static constexpr const char *modes[] = {"f4e", "b4e", "rc8",
                                          "ecl", "ecr", "rc16"};
  if (!decodeAlu(d, row, in, out))
    return false;
  for (unsigned i = 0; i < 6; ++i)
    if (has(in, modes[i]))
      out.sub[0] = static_cast<uint8_t>(i + 1);
  return true;
}

bool decodeDot(Decoder &d, const OpRow &row, const ast::Instruction &in,
               Instr &out) {
  if (!decodeAlu(d, row, in, out))
    return false;
  size_t count = in.modifiers.size();
  out.sub[0] = in.modifiers[count - 2][0] == 's';
  out.sub[1] = in.modifiers[count - 1][0] == 's';
  out.sub[2] = has(in, "hi");
  return true;
}

/// The carry is a hidden predicate, the last of the warp's.
bool decodeCarry(Decoder &d, const OpRow &row, const ast::Instruction &in,
                 Instr &out) {
  if (!decodeAlu(d, row, in, out))
    return false;
  out.src[3] = kCarryPred;
  return true;
}

/// setp/set with an optional boolean operand.
bool decodeSetp(Decoder &d, const OpRow &row, const ast::Instruction &in,
                Instr &out) {
  OpRow form = row;
  bool combined = has(in, "and") || has(in, "or") || has(in, "xor");
  std::string operands = row.operands;
  if (combined)
    operands += "p";
  form.operands = operands.c_str();
  if (!decodeAlu(d, form, in, out))
    return false;
  if (in.mnemonic == "set")
    out.sub[0] =
        has(in, "f32") && in.modifiers[in.modifiers.size() - 2] == "f32";
  return true;
}

/// mov: registers, constants, predicates, special registers, addresses, and
/// packing or unpacking of vectors.
Outcome opMovVariable(Context &c) {
  uint64_t base = c.machine.variable_addresses[c.instr.target] +
                  static_cast<uint64_t>(c.instr.imm);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (c.mask >> lane & 1) {
      if (c.instr.sub[1])
        c.write64(c.instr.dst, lane, base);
      else
        c.write32(c.instr.dst, lane, static_cast<uint32_t>(base));
    }
  return Outcome::next;
}

/// Shared addresses carry the CTA's rank in the cluster.
Outcome opMovShared(Context &c) {
  uint32_t value =
      (c.cta().rank << kRankShift) | static_cast<uint32_t>(c.instr.imm);
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (c.mask >> lane & 1) {
      if (c.instr.sub[1])
        c.write64(c.instr.dst, lane, value);
      else
        c.write32(c.instr.dst, lane, value);
    }
  return Outcome::next;
}

/// Splits or joins registers by copying bytes: lists hold the parts, from the
/// least significant on; sub[0]: bytes of a part, sub[1]: 1 to unpack.
Outcome opMovPack(Context &c) {
  const Instr &i = c.instr;
  const uint32_t *parts = c.machine.entry.lists.data() + i.list;
  unsigned bytes = i.sub[0];
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    unsigned char whole[16] = {};
    if (i.sub[1]) {
      std::memcpy(whole, c.warp.lanes.at(i.src[0]) + lane * i.sub[2], i.sub[2]);
      for (unsigned k = 0; k < i.list_count; ++k) {
        if (parts[k] == kNoOperand)
          continue;
        unsigned pitch = bytes < 4 ? 4 : bytes;
        unsigned char *to = c.warp.lanes.at(parts[k]) + lane * pitch;
        std::memset(to, 0, pitch);
        std::memcpy(to, whole + k * bytes, bytes);
      }
    } else {
      for (unsigned k = 0; k < i.list_count; ++k)
        std::memcpy(whole + k * bytes,
                    c.warp.lanes.at(parts[k]) + lane * (bytes < 4 ? 4 : bytes),
                    bytes);
      std::memcpy(c.warp.lanes.at(i.dst) + lane * i.sub[2], whole, i.sub[2]);
    }
  }
  return Outcome::next;
}

bool decodePack(Decoder &d, unsigned whole, const ast::Instruction &in,
                Instr &out) {
  bool unpack = in.operands[0].kind == Operand::Kind::vector;
  const Operand &vector = in.operands[unpack ? 0 : 1];
  const Operand &scalar = in.operands[unpack ? 1 : 0];
  size_t parts = vector.elements.size();
  if (vector.kind != Operand::Kind::vector || (parts != 2 && parts != 4) ||
      whole % parts != 0)
    return d.fail("mov packs or unpacks vectors of 2 or 4 elements");
  unsigned bytes = whole / static_cast<unsigned>(parts);
  RegClass part = bytes == 8 ? RegClass::b64 : RegClass::b32;
  RegClass all = whole == 16  ? RegClass::b128
                 : whole == 8 ? RegClass::b64
                              : RegClass::b32;
  if (parts == 2 && whole <= 8) {
    out.alu =
        aluKernel(unpack ? (whole == 8 ? AluOp::unpack_b64 : AluOp::unpack_b32)
                         : (whole == 8 ? AluOp::pack_b64 : AluOp::pack_b32));
    const Operand &low = vector.elements[0], &high = vector.elements[1];
    return unpack ? d.dstReg(low, part, 0) && d.dstReg(high, part, 1) &&
                        d.srcValue(scalar, all, 2)
                  : d.srcValue(low, part, 2) && d.srcValue(high, part, 3) &&
                        d.dstReg(scalar, all, 0);
  }
  if (!d.listOperand(vector, part, unpack, parts, parts))
    return false;
  out.op = opMovPack;
  out.sub[0] = static_cast<uint8_t>(bytes);
  out.sub[1] = unpack;
  out.sub[2] = static_cast<uint8_t>(whole < 4 ? 4 : whole);
  return unpack ? d.srcValue(scalar, all, 2) : d.dstReg(scalar, all, 0);
}

bool decodeMov(Decoder &d, const OpRow &, const ast::Instruction &in,
               Instr &out) {
  if (!d.expectOperands(in, 2, 2))
    return false;
  const Operand &dst = in.operands[0], &src = in.operands[1];
  const std::string &type = in.modifiers.back();
  if (type == "pred") {
    out.alu = aluKernel(AluOp::mov_pred);
    if (src.kind == Operand::Kind::special)
      return decodeSpecial(d, dst, src, out, 0);
    return d.dstReg(dst, RegClass::pred, 0) &&
           d.srcValue(src, RegClass::pred, 2, true) &&
           ((out.sub[0] = src.negated), true);
  }
  unsigned bytes = bytesOf(*numType(type));
  if (dst.kind == Operand::Kind::vector || src.kind == Operand::Kind::vector)
    return decodePack(d, bytes, in, out);
  RegClass cls = bytes == 16  ? RegClass::b128
                 : bytes == 8 ? RegClass::b64
                              : RegClass::b32;
  if (src.kind == Operand::Kind::special)
    return decodeSpecial(d, dst, src, out, bytes);
  if (!d.dstReg(dst, cls, 0))
    return false;
  if (src.kind == Operand::Kind::symbol) {
    if (src.variable < 0)
      return d.fail(fmt::format("unknown symbol '{}'", src.symbol));
    ast::Space space;
    uint32_t offset = 0;
    out.sub[1] = bytes == 8;
    if (d.variableOffset(src, space, offset)) {
      out.imm = src.imm + offset;
      if (space == ast::Space::shared) {
        out.op = opMovShared;
        return true;
      }
      // Offsets into the local and parameter windows.
      Operand constant;
      constant.imm = out.imm;
      out.alu = aluKernel(bytes == 8 ? AluOp::mov_b64 : AluOp::mov_b32);
      return d.srcValue(constant, cls, 2);
    }
    if (!src.module_scope)
      return d.fail(
          fmt::format("the address of '{}' cannot be taken", src.symbol));
    if (bytes != 8)
      return d.fail("global addresses have 64 bits");
    out.op = opMovVariable;
    out.target = static_cast<uint32_t>(src.variable);
    out.imm = src.imm;
    return true;
  }
  if (bytes == 16) {
    // Two 64-bit halves of 32 lanes: a lane-wise copy of 16 bytes.
    out.op = opMov128;
    return d.srcValue(src, cls, 2);
  }
  out.alu = aluKernel(bytes == 8 ? AluOp::mov_b64 : AluOp::mov_b32);
  return d.srcValue(src, cls, 2);
}

constexpr const char *kCompareInt = "eq|ne|lt|le|gt|ge|lo|ls|hi|hs";

} // namespace

std::span<const OpRow> integerRows() {
  static const std::string setp_int =
      std::string(kCompareInt) + " [and|or|xor] ";
  static std::vector<std::string> keep;
  static const std::vector<OpRow> rows = [] {
    keep.reserve(256);
    std::vector<OpRow> r;
    auto add = [&](std::string pattern, const char *operands, AluOp alu,
                   const char *source, DecodeFn decode = nullptr,
                   const char *note = "") {
      keep.push_back(std::move(pattern));
      OpRow row;
      row.pattern = keep.back().c_str();
      row.operands = operands;
      row.decode = decode;
      row.alu = alu;
      row.source = source;
      row.note = note;
      r.push_back(row);
    };
    using enum AluOp;
    add("add u16|s16", "w,ww", add_b16, "9.7.1.1");
    add("add u32|s32", "w,ww", add_b32, "9.7.1.1");
    add("add u64|s64", "l,ll", add_b64, "9.7.1.1");
    add("add sat s32", "w,ww", add_sat_s32, "9.7.1.1");
    add("add u16x2|s16x2", "w,ww", add_u16x2, "9.7.1.1");
    add("sub u16|s16", "w,ww", sub_b16, "9.7.1.2");
    add("sub u32|s32", "w,ww", sub_b32, "9.7.1.2");
    add("sub u64|s64", "l,ll", sub_b64, "9.7.1.2");
    add("sub sat s32", "w,ww", sub_sat_s32, "9.7.1.2");
    add("mul lo u16|s16", "w,ww", mul_lo_b16, "9.7.1.3");
    add("mul lo u32|s32", "w,ww", mul_lo_b32, "9.7.1.3");
    add("mul lo u64|s64", "l,ll", mul_lo_b64, "9.7.1.3");
    add("mul hi u16", "w,ww", mul_hi_u16, "9.7.1.3");
    add("mul hi s16", "w,ww", mul_hi_s16, "9.7.1.3");
    add("mul hi u32", "w,ww", mul_hi_u32, "9.7.1.3");
    add("mul hi s32", "w,ww", mul_hi_s32, "9.7.1.3");
    add("mul hi u64", "l,ll", mul_hi_u64, "9.7.1.3");
    add("mul hi s64", "l,ll", mul_hi_s64, "9.7.1.3");
    add("mul wide u16", "w,ww", mul_wide_u16, "9.7.1.3");
    add("mul wide s16", "w,ww", mul_wide_s16, "9.7.1.3");
    add("mul wide u32", "l,ww", mul_wide_u32, "9.7.1.3");
    add("mul wide s32", "l,ww", mul_wide_s32, "9.7.1.3");
    add("mad lo u16|s16", "w,www", mad_lo_b16, "9.7.1.4");
    add("mad lo u32|s32", "w,www", mad_lo_b32, "9.7.1.4");
    add("mad lo u64|s64", "l,lll", mad_lo_b64, "9.7.1.4");
    add("mad hi u32", "w,www", mad_hi_u32, "9.7.1.4");
    add("mad hi s32", "w,www", mad_hi_s32, "9.7.1.4");
    add("mad hi u64", "l,lll", mad_hi_u64, "9.7.1.4");
    add("mad hi s64", "l,lll", mad_hi_s64, "9.7.1.4");
    add("mad wide u16", "w,www", mad_wide_u16, "9.7.1.4");
    add("mad wide s16", "w,www", mad_wide_s16, "9.7.1.4");
    add("mad wide u32", "l,wwl", mad_wide_u32, "9.7.1.4");
    add("mad wide s32", "l,wwl", mad_wide_s32, "9.7.1.4");
    add("sad u32", "w,www", sad_u32, "9.7.1.7");
    add("sad s32", "w,www", sad_s32, "9.7.1.7");
    const char *zero = "a zero divisor gives all ones (rem: the dividend); PTX "
                       "leaves it open";
    add("div u16", "w,ww", div_u16, "9.7.1.8", nullptr, zero);
    add("div s16", "w,ww", div_s16, "9.7.1.8", nullptr, zero);
    add("div u32", "w,ww", div_u32, "9.7.1.8", nullptr, zero);
    add("div s32", "w,ww", div_s32, "9.7.1.8", nullptr, zero);
    add("div u64", "l,ll", div_u64, "9.7.1.8", nullptr, zero);
    add("div s64", "l,ll", div_s64, "9.7.1.8", nullptr, zero);
    add("rem u16", "w,ww", rem_u16, "9.7.1.9", nullptr, zero);
    add("rem s16", "w,ww", rem_s16, "9.7.1.9", nullptr, zero);
    add("rem u32", "w,ww", rem_u32, "9.7.1.9", nullptr, zero);
    add("rem s32", "w,ww", rem_s32, "9.7.1.9", nullptr, zero);
    add("rem u64", "l,ll", rem_u64, "9.7.1.9", nullptr, zero);
    add("rem s64", "l,ll", rem_s64, "9.7.1.9", nullptr, zero);
    add("abs s16", "w,w", abs_s16, "9.7.1.10");
    add("abs s32", "w,w", abs_s32, "9.7.1.10");
    add("abs s64", "l,l", abs_s64, "9.7.1.10");
    add("neg s16", "w,w", neg_s16, "9.7.1.11");
    add("neg s32", "w,w", neg_s32, "9.7.1.11");
    add("neg s64", "l,l", neg_s64, "9.7.1.11");
    add("min u16", "w,ww", min_u16, "9.7.1.12");
    add("min s16", "w,ww", min_s16, "9.7.1.12");
    add("min u32", "w,ww", min_u32, "9.7.1.12");
    add("min s32", "w,ww", min_s32, "9.7.1.12");
    add("min relu s32", "w,ww", min_relu_s32, "9.7.1.12");
    add("min u64", "l,ll", min_u64, "9.7.1.12");
    add("min s64", "l,ll", min_s64, "9.7.1.12");
    add("min u16x2", "w,ww", min_u16x2, "9.7.1.12");
    add("min s16x2", "w,ww", min_s16x2, "9.7.1.12");
    add("max u16", "w,ww", max_u16, "9.7.1.13");
    add("max s16", "w,ww", max_s16, "9.7.1.13");
    add("max u32", "w,ww", max_u32, "9.7.1.13");
    add("max s32", "w,ww", max_s32, "9.7.1.13");
    add("max relu s32", "w,ww", max_relu_s32, "9.7.1.13");
    add("max u64", "l,ll", max_u64, "9.7.1.13");
    add("max s64", "l,ll", max_s64, "9.7.1.13");
    add("max u16x2", "w,ww", max_u16x2, "9.7.1.13");
    add("max s16x2", "w,ww", max_s16x2, "9.7.1.13");
    add("popc b32", "w,w", popc_b32, "9.7.1.14");
    add("popc b64", "w,l", popc_b64, "9.7.1.14");
    add("clz b32", "w,w", clz_b32, "9.7.1.15");
    add("clz b64", "w,l", clz_b64, "9.7.1.15");
    add("bfind [shiftamt] u32", "w,w", bfind_u32, "9.7.1.16", decodeBfind);
    add("bfind [shiftamt] s32", "w,w", bfind_s32, "9.7.1.16", decodeBfind);
    add("bfind [shiftamt] u64", "w,l", bfind_u64, "9.7.1.16", decodeBfind);
    add("bfind [shiftamt] s64", "w,l", bfind_s64, "9.7.1.16", decodeBfind);
    add("brev b32", "w,w", brev_b32, "9.7.1.18");
    add("brev b64", "l,l", brev_b64, "9.7.1.18");
    add("bfe u32", "w,www", bfe_u32, "9.7.1.19");
    add("bfe s32", "w,www", bfe_s32, "9.7.1.19");
    add("bfe u64", "l,lww", bfe_u64, "9.7.1.19");
    add("bfe s64", "l,lww", bfe_s64, "9.7.1.19");
    add("bfi b32", "w,wwww", bfi_b32, "9.7.1.20");
    add("bfi b64", "l,llww", bfi_b64, "9.7.1.20");
    add("szext wrap|clamp u32", "w,ww", szext_u32, "9.7.1.21", decodeWrap);
    add("szext wrap|clamp s32", "w,ww", szext_s32, "9.7.1.21", decodeWrap);
    add("bmsk wrap|clamp b32", "w,ww", bmsk_b32, "9.7.1.22", decodeWrap);
    add("dp4a u32|s32 u32|s32", "w,www", AluOp::dp4a, "9.7.1.23", decodeDot);
    add("dp2a lo|hi u32|s32 u32|s32", "w,www", AluOp::dp2a, "9.7.1.24",
        decodeDot);
    add("add cc u32|s32", "w,ww", add_cc_u32, "9.7.2.1", decodeCarry);
    add("add cc u64|s64", "l,ll", add_cc_u64, "9.7.2.1", decodeCarry);
    add("addc u32|s32", "w,ww", addc_u32, "9.7.2.2", decodeCarry);
    add("addc u64|s64", "l,ll", addc_u64, "9.7.2.2", decodeCarry);
    add("addc cc u32|s32", "w,ww", addc_cc_u32, "9.7.2.2", decodeCarry);
    add("addc cc u64|s64", "l,ll", addc_cc_u64, "9.7.2.2", decodeCarry);
    add("sub cc u32|s32", "w,ww", sub_cc_u32, "9.7.2.3", decodeCarry);
    add("sub cc u64|s64", "l,ll", sub_cc_u64, "9.7.2.3", decodeCarry);
    add("subc u32|s32", "w,ww", subc_u32, "9.7.2.4", decodeCarry);
    add("subc u64|s64", "l,ll", subc_u64, "9.7.2.4", decodeCarry);
    add("subc cc u32|s32", "w,ww", subc_cc_u32, "9.7.2.4", decodeCarry);
    add("subc cc u64|s64", "l,ll", subc_cc_u64, "9.7.2.4", decodeCarry);

    add("and b16", "w,ww", and_b16, "9.7.8.1");
    add("and b32", "w,ww", and_b32, "9.7.8.1");
    add("and b64", "l,ll", and_b64, "9.7.8.1");
    add("and pred", "p,pp", and_pred, "9.7.8.1");
    add("or b16", "w,ww", or_b16, "9.7.8.2");
    add("or b32", "w,ww", or_b32, "9.7.8.2");
    add("or b64", "l,ll", or_b64, "9.7.8.2");
    add("or pred", "p,pp", or_pred, "9.7.8.2");
    add("xor b16", "w,ww", xor_b16, "9.7.8.3");
    add("xor b32", "w,ww", xor_b32, "9.7.8.3");
    add("xor b64", "l,ll", xor_b64, "9.7.8.3");
    add("xor pred", "p,pp", xor_pred, "9.7.8.3");
    add("not b16", "w,w", not_b16, "9.7.8.4");
    add("not b32", "w,w", not_b32, "9.7.8.4");
    add("not b64", "l,l", not_b64, "9.7.8.4");
    add("not pred", "p,p", not_pred, "9.7.8.4");
    add("cnot b16", "w,w", cnot_b16, "9.7.8.5");
    add("cnot b32", "w,w", cnot_b32, "9.7.8.5");
    add("cnot b64", "l,l", cnot_b64, "9.7.8.5");
    add("lop3 b32", "w,wwwi", lop3_b32, "9.7.8.6");
    add("shf l wrap|clamp b32", "w,www", shf_l, "9.7.8.7", decodeWrap);
    add("shf r wrap|clamp b32", "w,www", shf_r, "9.7.8.7", decodeWrap);
    add("shl b16", "w,ww", shl_b16, "9.7.8.8");
    add("shl b32", "w,ww", shl_b32, "9.7.8.8");
    add("shl b64", "l,lw", shl_b64, "9.7.8.8");
    add("shr b16|u16", "w,ww", shr_u16, "9.7.8.9");
    add("shr b32|u32", "w,ww", shr_u32, "9.7.8.9");
    add("shr b64|u64", "l,lw", shr_u64, "9.7.8.9");
    add("shr s16", "w,ww", shr_s16, "9.7.8.9");
    add("shr s32", "w,ww", shr_s32, "9.7.8.9");
    add("shr s64", "l,lw", shr_s64, "9.7.8.9");
    add("prmt b32 [f4e|b4e|rc8|ecl|ecr|rc16]", "w,www", prmt_b32, "9.7.9.7",
        decodePrmt);

    add("mov pred|b8|b16|u16|s16|f16|bf16|b32|u32|s32|f32|b64|u64|s64|f64|b128",
        "", count, "9.7.9.1", decodeMov,
        "registers, constants, special registers, addresses, packing");
    add("selp b16|u16|s16|f16|bf16|b32|u32|s32|f32", "w,wwp", selp_b32,
        "9.7.6.4");
    add("selp b64|u64|s64|f64", "l,llp", selp_b64, "9.7.6.4");
    add("slct b32|u32|s32|f32 s32", "w,www", slct_b32_s32, "9.7.6.5");
    add("slct b64|u64|s64|f64 s32", "l,llw", slct_b64_s32, "9.7.6.5");
    add("slct [ftz] b32|u32|s32|f32 f32", "w,www", slct_b32_f32, "9.7.6.5");
    add("slct [ftz] b64|u64|s64|f64 f32", "l,llw", slct_b64_f32, "9.7.6.5");

    add("setp " + setp_int + "u16|b16", "p,ww", setp_u16, "9.7.6.2",
        decodeSetp);
    add("setp " + setp_int + "s16", "p,ww", setp_s16, "9.7.6.2", decodeSetp);
    add("setp " + setp_int + "u32|b32", "p,ww", setp_u32, "9.7.6.2",
        decodeSetp);
    add("setp " + setp_int + "s32", "p,ww", setp_s32, "9.7.6.2", decodeSetp);
    add("setp " + setp_int + "u64|b64", "p,ll", setp_u64, "9.7.6.2",
        decodeSetp);
    add("setp " + setp_int + "s64", "p,ll", setp_s64, "9.7.6.2", decodeSetp);
    add("set " + setp_int + "u32|s32|f32 u16|b16", "w,ww", set_u16, "9.7.6.1",
        decodeSetp);
    add("set " + setp_int + "u32|s32|f32 s16", "w,ww", set_s16, "9.7.6.1",
        decodeSetp);
    add("set " + setp_int + "u32|s32|f32 u32|b32", "w,ww", set_u32, "9.7.6.1",
        decodeSetp);
    add("set " + setp_int + "u32|s32|f32 s32", "w,ww", set_s32, "9.7.6.1",
        decodeSetp);
    add("set " + setp_int + "u32|s32|f32 u64|b64", "w,ll", set_u64, "9.7.6.1",
        decodeSetp);
    add("set " + setp_int + "u32|s32|f32 s64", "w,ll", set_s64, "9.7.6.1",
        decodeSetp);
    return r;
  }();
  return rows;
}

} // namespace tirx::rt::sim
