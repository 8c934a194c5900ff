//===- OpsConvert.cpp - cvt and its narrow formats --------------*- C++ -*-===//

#include "Decoder.h"
#include "Handlers.h"
#include "units/FloatFormats.h"

#include <bit>
#include <cmath>

namespace tirx::rt::sim {
namespace {

using ast::Operand;
using ast::RegClass;

RegClass registerClass(NumType type) {
  return bytesOf(type) == 8 ? RegClass::b64 : RegClass::b32;
}

/// cvt between the standard types. cvt accepts registers that are wider than
/// their type.
bool decodeCvt(Decoder &d, const OpRow &, const ast::Instruction &in,
               Instr &out) {
  if (!d.expectOperands(in, 2, 2))
    return false;
  size_t count = in.modifiers.size();
  NumType to = *numType(in.modifiers[count - 2]);
  NumType from = *numType(in.modifiers[count - 1]);
  const Operand &dst = in.operands[0], &src = in.operands[1];
  out.mods = modsOf(in);
  out.sub[0] = static_cast<uint8_t>(from);
  out.sub[1] = static_cast<uint8_t>(to);
  bool integral =
      has(in, "rni") || has(in, "rzi") || has(in, "rmi") || has(in, "rpi");
  if (isFloat(from) && isFloat(to)) {
    out.alu = aluKernel(AluOp::cvt_float_float);
    out.sub[4] = integral;
    bool half = to == NumType::f16 || to == NumType::bf16;
    bool directed = has(in, "rm") || has(in, "rp") || has(in, "rna");
    if (half && directed)
      return d.fail("this rounding to f16 or bf16 is not supported by the "
                    "simulator");
  } else if (isFloat(from)) {
    out.alu = aluKernel(AluOp::cvt_float_int);
  } else if (isFloat(to)) {
    out.alu = aluKernel(AluOp::cvt_int_float);
    if (bytesOf(from) == 8 && to != NumType::f64 &&
        (has(in, "rz") || has(in, "rm") || has(in, "rp")))
      return d.fail("directed rounding of 64-bit integers is not supported by "
                    "the simulator");
    if (to != NumType::f32 && to != NumType::f64 &&
        (has(in, "rz") || has(in, "rm") || has(in, "rp")))
      return d.fail("this rounding to f16 or bf16 is not supported by the "
                    "simulator");
  } else {
    out.alu = aluKernel(AluOp::cvt_int_int);
  }
  RegClass source = registerClass(from), target = registerClass(to);
  if (d.isReg(src) && source == RegClass::b32 && !isFloat(from) &&
      d.classOf(src) == RegClass::b64) {
    source = RegClass::b64;
    out.sub[2] = 1;
  }
  if (d.isReg(dst) && target == RegClass::b32 && !isFloat(to)) {
    if (d.classOf(dst) == RegClass::b64) {
      target = RegClass::b64;
      out.sub[3] = 1;
    } else if (isSigned(to) && d.function.registers[dst.reg].bits == 32 &&
               bytesOf(to) < 4) {
      out.sub[3] = 2;
    }
  }
  return d.dstReg(dst, target, 0) && d.srcValue(src, source, 2);
}

/// cvt.rn{.relu}{.satfinite}.{f16x2,bf16x2}.f32 d, a, b.
Outcome opPackSatfinite(Context &c) {
  const Instr &i = c.instr;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    uint16_t half[2];
    for (unsigned k = 0; k < 2; ++k) {
      float x = std::bit_cast<float>(c.read32(i.src[1 - k], lane));
      if ((i.mods & kRelu) && x < 0)
        x = 0;
      Rounding r =
          (i.mods >> kRoundShift & 7) == kRz ? Rounding::rz : Rounding::rn;
      half[k] =
          i.sub[0] ? floatToBf16(x, r, i.sub[1]) : floatToF16(x, r, i.sub[1]);
    }
    c.write32(i.dst, lane, half[0] | uint32_t(half[1]) << 16);
  }
  return Outcome::next;
}

bool decodePack16(Decoder &d, const OpRow &, const ast::Instruction &in,
                  Instr &out) {
  if (in.operands.size() == 2 && in.modifiers.back() == "f32")
    return d.fail("cvt to a packed type takes two sources");
  if (!d.expectOperands(in, 3, 3))
    return false;
  out.mods = modsOf(in);
  bool bf16 = has(in, "bf16x2");
  if (has(in, "satfinite") || has(in, "rz")) {
    out.op = opPackSatfinite;
    out.sub[0] = bf16;
    out.sub[1] = has(in, "satfinite");
  } else {
    out.alu = aluKernel(bf16 ? AluOp::cvt_pack_bf16x2 : AluOp::cvt_pack_f16x2);
  }
  return d.dstReg(in.operands[0], RegClass::b32, 0) &&
         d.srcValue(in.operands[1], RegClass::b32, 2) &&
         d.srcValue(in.operands[2], RegClass::b32, 3);
}

/// cvt to and from tf32, and f16/bf16 with .satfinite.
Outcome opTf32(Context &c) {
  const Instr &i = c.instr;
  uint32_t mode = i.mods >> kRoundShift & 7;
  Rounding rounding = mode == kRz    ? Rounding::rz
                      : mode == kRna ? Rounding::rna
                                     : Rounding::rn;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    float x = std::bit_cast<float>(c.read32(i.src[0], lane));
    if ((i.mods & kRelu) && x < 0)
      x = 0;
    uint32_t r = i.sub[0] == 0   ? floatToTf32(x, rounding, i.sub[1])
                 : i.sub[0] == 1 ? floatToF16(x, rounding, i.sub[1])
                                 : floatToBf16(x, rounding, i.sub[1]);
    c.write32(i.dst, lane, r);
  }
  return Outcome::next;
}
bool decodeTf32(Decoder &d, const OpRow &, const ast::Instruction &in,
                Instr &out) {
  out.op = opTf32;
  out.mods = modsOf(in);
  out.sub[0] = has(in, "f16") ? 1 : has(in, "bf16") ? 2 : 0;
  out.sub[1] = has(in, "satfinite");
  return d.expectOperands(in, 2, 2) &&
         d.dstReg(in.operands[0], RegClass::b32, 0) &&
         d.srcValue(in.operands[1], RegClass::b32, 2);
}

/// 8-, 6- and 4-bit formats, two at a time.
enum class Narrow : uint8_t { e4m3, e5m2, e2m3, e3m2, e2m1, ue8m0 };

std::optional<Narrow> narrowType(std::string_view name) {
  static constexpr std::string_view names[] = {"e4m3x2", "e5m2x2", "e2m3x2",
                                               "e3m2x2", "e2m1x2", "ue8m0x2"};
  for (unsigned i = 0; i < 6; ++i)
    if (names[i] == name)
      return static_cast<Narrow>(i);
  return std::nullopt;
}

uint8_t narrow(Narrow type, float x, Rounding rounding) {
  switch (type) {
  case Narrow::e4m3:
    return floatToE4m3(x);
  case Narrow::e5m2:
    return floatToE5m2(x);
  case Narrow::e2m3:
    return floatToE2m3(x);
  case Narrow::e3m2:
    return floatToE3m2(x);
  case Narrow::e2m1:
    return floatToE2m1(x);
  default:
    return floatToUe8m0(x, rounding);
  }
}
float widen(Narrow type, uint8_t bits) {
  switch (type) {
  case Narrow::e4m3:
    return e4m3ToFloat(bits);
  case Narrow::e5m2:
    return e5m2ToFloat(bits);
  case Narrow::e2m3:
    return e2m3ToFloat(bits);
  case Narrow::e3m2:
    return e3m2ToFloat(bits);
  case Narrow::e2m1:
    return e2m1ToFloat(bits & 15);
  default:
    return ue8m0ToFloat(bits);
  }
}

/// sub[0]: Narrow; sub[1]: source, 0 two f32, 1 f16x2, 2 bf16x2.
Outcome opToNarrow(Context &c) {
  const Instr &i = c.instr;
  Narrow type = static_cast<Narrow>(i.sub[0]);
  Rounding rounding =
      (i.mods >> kRoundShift & 7) == kRp ? Rounding::rp : Rounding::rz;
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    float x[2]; // low, high
    for (unsigned k = 0; k < 2; ++k) {
      if (i.sub[1] == 0)
        x[k] = std::bit_cast<float>(c.read32(i.src[1 - k], lane));
      else {
        uint16_t raw =
            static_cast<uint16_t>(c.read32(i.src[0], lane) >> (16 * k));
        x[k] = i.sub[1] == 1 ? f16ToFloat(raw) : bf16ToFloat(raw);
      }
      if ((i.mods & kRelu) && x[k] < 0)
        x[k] = 0;
    }
    uint32_t low = narrow(type, x[0], rounding);
    uint32_t high = narrow(type, x[1], rounding);
    c.write32(i.dst, lane,
              type == Narrow::e2m1 ? (low & 15) | (high & 15) << 4
                                   : low | high << 8);
  }
  return Outcome::next;
}
bool decodeToNarrow(Decoder &d, const OpRow &, const ast::Instruction &in,
                    Instr &out) {
  size_t count = in.modifiers.size();
  const std::string &source = in.modifiers[count - 1];
  out.op = opToNarrow;
  out.mods = modsOf(in);
  out.sub[0] = static_cast<uint8_t>(*narrowType(in.modifiers[count - 2]));
  out.sub[1] = source == "f16x2" ? 1 : source == "bf16x2" ? 2 : 0;
  size_t operands = out.sub[1] ? 2 : 3;
  return d.expectOperands(in, operands, operands) &&
         d.dstReg(in.operands[0], RegClass::b32, 0) &&
         d.srcValue(in.operands[1], RegClass::b32, 2) &&
         (operands == 2 || d.srcValue(in.operands[2], RegClass::b32, 3));
}

/// sub[0]: Narrow; sub[1]: 1 when the result is bf16x2.
Outcome opFromNarrow(Context &c) {
  const Instr &i = c.instr;
  Narrow type = static_cast<Narrow>(i.sub[0]);
  for (unsigned lane = 0; lane < kLanes; ++lane) {
    if (!(c.mask >> lane & 1))
      continue;
    uint32_t raw = c.read32(i.src[0], lane), result = 0;
    for (unsigned k = 0; k < 2; ++k) {
      float x = widen(type, static_cast<uint8_t>(type == Narrow::e2m1
                                                     ? raw >> (4 * k) & 15
                                                     : raw >> (8 * k)));
      if ((i.mods & kRelu) && x < 0)
        x = 0;
      uint32_t half = i.sub[1] ? floatToBf16(x) : floatToF16(x);
      result |= half << (16 * k);
    }
    c.write32(i.dst, lane, result);
  }
  return Outcome::next;
}
bool decodeFromNarrow(Decoder &d, const OpRow &, const ast::Instruction &in,
                      Instr &out) {
  size_t count = in.modifiers.size();
  out.op = opFromNarrow;
  out.mods = modsOf(in);
  out.sub[0] = static_cast<uint8_t>(*narrowType(in.modifiers[count - 1]));
  out.sub[1] = in.modifiers[count - 2] == "bf16x2";
  return d.expectOperands(in, 2, 2) &&
         d.dstReg(in.operands[0], RegClass::b32, 0) &&
         d.srcValue(in.operands[1], RegClass::b32, 2);
}

} // namespace

std::span<const OpRow> convertRows() {
#define ROW(pattern, decode, fidelity, note)                                   \
  {pattern, "", decode, AluOp::count, {0, 0, 0}, fidelity, "9.7.9.21", note}
#define INTS "u8|s8|u16|s16|u32|s32|u64|s64"
#define FLOATS "f16|bf16|f32|f64"
  static const OpRow rows[] = {
      ROW("cvt [sat] " INTS " " INTS, decodeCvt, Fidelity::exact, ""),
      ROW("cvt rni|rzi|rmi|rpi [ftz] [sat] " INTS " " FLOATS, decodeCvt,
          Fidelity::exact, ""),
      ROW("cvt rn|rz|rm|rp [sat] " FLOATS " " INTS, decodeCvt, Fidelity::exact,
          "64-bit integers: .rn only"),
      ROW("cvt [rn|rz|rm|rp|rna|rni|rzi|rmi|rpi] [ftz] [sat] [relu] " FLOATS
          " " FLOATS,
          decodeCvt, Fidelity::exact, "to f16 and bf16: .rn and .rz only"),
      ROW("cvt rn|rz [relu] satfinite f16|bf16 f32", decodeTf32,
          Fidelity::exact, ""),
      ROW("cvt rn|rz|rna [relu] [satfinite] tf32 f32", decodeTf32,
          Fidelity::exact, ""),
      ROW("cvt rna [satfinite] tf32 f32", decodeTf32, Fidelity::exact, ""),
      ROW("cvt rn|rz [relu] [satfinite] f16x2|bf16x2 f32", decodePack16,
          Fidelity::exact, ""),
      ROW("cvt rn|rz [satfinite] [relu] f16x2|bf16x2 f32", decodePack16,
          Fidelity::exact, ""),
      ROW("cvt rn satfinite [relu] e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2 f32",
          decodeToNarrow, Fidelity::exact, ""),
      ROW("cvt rn satfinite [relu] e4m3x2|e5m2x2 f16x2|bf16x2", decodeToNarrow,
          Fidelity::exact, ""),
      ROW("cvt rz|rp [satfinite] ue8m0x2 f32|bf16x2", decodeToNarrow,
          Fidelity::exact, ""),
      ROW("cvt rn [relu] f16x2 e4m3x2|e5m2x2|e2m3x2|e3m2x2|e2m1x2",
          decodeFromNarrow, Fidelity::exact, ""),
      ROW("cvt rn bf16x2 ue8m0x2", decodeFromNarrow, Fidelity::exact, ""),
      ROW("cvt rs [relu] [satfinite] "
          "f16x2|bf16x2|e4m3x4|e5m2x4|e2m3x4|e3m2x4|e2m1x4 f32",
          nullptr, Fidelity::unsupported,
          "the layout of the random bits is not documented"),
  };
#undef ROW
#undef INTS
#undef FLOATS
  return rows;
}

} // namespace tirx::rt::sim
