//===- OpsFloat.cpp - floating-point rows -----------------------*- C++ -*-===//

#include "Decoder.h"

namespace tirx::rt::sim {
namespace {

/// abs shares the kernel of neg.
bool decodeAbs(Decoder &d, const OpRow &row, const ast::Instruction &in,
               Instr &out) {
  if (!decodeAlu(d, row, in, out))
    return false;
  out.mods &= ~uint32_t(kAbs);
  out.sub[0] = in.mnemonic == "abs";
  return true;
}

/// add/sub/fma with f16 or bf16 operands and an f32 result.
bool decodeMixed(Decoder &d, const OpRow &row, const ast::Instruction &in,
                 Instr &out) {
  if (!decodeAlu(d, row, in, out))
    return false;
  out.sub[0] = static_cast<uint8_t>(*numType(in.modifiers.back()));
  out.sub[1] = in.mnemonic == "sub";
  return true;
}

bool decodeTestp(Decoder &d, const OpRow &row, const ast::Instruction &in,
                 Instr &out) {
  static constexpr const char *kinds[] = {
      "finite", "infinite", "number", "notanumber", "normal", "subnormal"};
  if (!decodeAlu(d, row, in, out))
    return false;
  for (unsigned i = 0; i < 6; ++i)
    if (has(in, kinds[i]))
      out.sub[0] = static_cast<uint8_t>(i);
  return true;
}

/// The boolean operand of setp is there when its modifier is.
bool decodeFloatSetp(Decoder &d, const OpRow &row, const ast::Instruction &in,
                     Instr &out) {
  OpRow form = row;
  std::string operands = row.operands;
  if (has(in, "and") || has(in, "or") || has(in, "xor"))
    operands += "p";
  form.operands = operands.c_str();
  if (!decodeAlu(d, form, in, out))
    return false;
  if (in.mnemonic == "set")
    out.sub[0] = in.modifiers[in.modifiers.size() - 2] == "f32";
  return true;
}

} // namespace

std::span<const OpRow> floatRows() {
  static std::vector<std::string> keep;
  static const std::vector<OpRow> rows = [] {
    keep.reserve(256);
    std::vector<OpRow> r;
    auto add = [&](std::string pattern, const char *operands, AluOp alu,
                   const char *source, DecodeFn decode = nullptr,
                   Fidelity fidelity = Fidelity::exact, const char *note = "") {
      keep.push_back(std::move(pattern));
      OpRow row;
      row.pattern = keep.back().c_str();
      row.operands = operands;
      row.decode = decode;
      row.alu = alu;
      row.fidelity = fidelity;
      row.source = source;
      row.note = note;
      r.push_back(row);
    };
    using enum AluOp;
    constexpr Fidelity close = Fidelity::approximate;
    const char *once = "rounded once from f64: within PTX's bound, bits may "
                       "differ from the hardware's";
    struct Two {
      const char *name;
      AluOp f16, bf16, f16x2, bf16x2, f32, f32x2, f64;
      const char *half, *single;
    };
    for (const Two &t :
         {Two{"add", add_f16, add_bf16, add_f16x2, add_bf16x2, add_f32,
              add_f32x2, add_f64, "9.7.4.1", "9.7.3.3"},
          Two{"sub", sub_f16, sub_bf16, sub_f16x2, sub_bf16x2, sub_f32,
              sub_f32x2, sub_f64, "9.7.4.2", "9.7.3.4"},
          Two{"mul", mul_f16, mul_bf16, mul_f16x2, mul_bf16x2, mul_f32,
              mul_f32x2, mul_f64, "9.7.4.3", "9.7.3.5"}}) {
      std::string n = t.name;
      add(n + " [rn] [ftz] [sat] f16", "w,ww", t.f16, t.half);
      add(n + " [rn] [ftz] [sat] f16x2", "w,ww", t.f16x2, t.half);
      add(n + " [rn] bf16", "w,ww", t.bf16, t.half);
      add(n + " [rn] bf16x2", "w,ww", t.bf16x2, t.half);
      add(n + " [rn|rz|rm|rp] [ftz] [sat] f32", "w,ww", t.f32, t.single);
      add(n + " [rn|rz|rm|rp] [ftz] f32x2", "l,ll", t.f32x2, t.single);
      add(n + " [rn] f64", "l,ll", t.f64, t.single);
    }
    add("add|sub [rn|rz|rm|rp] [sat] f32 f16|bf16", "w,ww", add_f32_mixed,
        "9.7.5.1", decodeMixed);
    add("fma rn|rz|rm|rp [sat] f32 f16|bf16", "w,www", fma_f32_mixed, "9.7.5.3",
        decodeMixed);
    add("fma rn [ftz] [sat] [relu] f16", "w,www", fma_f16, "9.7.4.4");
    add("fma rn [ftz] [sat] [relu] f16x2", "w,www", fma_f16x2, "9.7.4.4");
    add("fma rn [relu] bf16", "w,www", fma_bf16, "9.7.4.4");
    add("fma rn [relu] bf16x2", "w,www", fma_bf16x2, "9.7.4.4");
    add("fma|mad rn|rz|rm|rp [ftz] [sat] f32", "w,www", fma_f32, "9.7.3.6");
    add("fma rn|rz|rm|rp [ftz] f32x2", "l,lll", fma_f32x2, "9.7.3.6");
    add("fma|mad rn f64", "l,lll", fma_f64, "9.7.3.6");
    struct MinMax {
      const char *name;
      AluOp f16, bf16, f16x2, bf16x2, f32, f64, three;
      const char *half, *single;
    };
    for (const MinMax &t :
         {MinMax{"min", fmin_f16, fmin_bf16, fmin_f16x2, fmin_bf16x2, fmin_f32,
                 fmin_f64, fmin3_f32, "9.7.4.7", "9.7.3.11"},
          MinMax{"max", fmax_f16, fmax_bf16, fmax_f16x2, fmax_bf16x2, fmax_f32,
                 fmax_f64, fmax3_f32, "9.7.4.8", "9.7.3.12"}}) {
      std::string n = t.name;
      add(n + " [ftz] [NaN] [xorsign] [abs] f16", "w,ww", t.f16, t.half);
      add(n + " [ftz] [NaN] [xorsign] [abs] f16x2", "w,ww", t.f16x2, t.half);
      add(n + " [NaN] [xorsign] [abs] bf16", "w,ww", t.bf16, t.half);
      add(n + " [NaN] [xorsign] [abs] bf16x2", "w,ww", t.bf16x2, t.half);
      add(
          n + " [ftz] [NaN] [xorsign] [abs] f32", "w,ww", t.f32, t.single,
          [](Decoder &d, const OpRow &row, const ast::Instruction &in,
             Instr &out) {
            // Three inputs since PTX ISA 8.8.
            if (in.operands.size() != 4)
              return decodeAlu(d, row, in, out);
            OpRow three = row;
            three.operands = "w,www";
            three.alu = in.mnemonic == "min" ? fmin3_f32 : fmax3_f32;
            return decodeAlu(d, three, in, out);
          },
          Fidelity::exact, "two or three inputs");
      add(n + " f64", "l,ll", t.f64, t.single);
    }
    for (const char *n : {"neg", "abs"}) {
      std::string name = n;
      const char *half = name == "neg" ? "9.7.4.5" : "9.7.4.6";
      const char *single = name == "neg" ? "9.7.3.10" : "9.7.3.9";
      add(name + " [ftz] f16", "w,w", fneg_f16, half, decodeAbs);
      add(name + " [ftz] f16x2", "w,w", fneg_f16x2, half, decodeAbs);
      add(name + " bf16", "w,w", fneg_bf16, half, decodeAbs);
      add(name + " bf16x2", "w,w", fneg_f16x2, half, decodeAbs);
      add(name + " [ftz] f32", "w,w", fneg_f32, single, decodeAbs);
      add(name + " f64", "l,l", fneg_f64, single, decodeAbs);
    }
    add("div rn [ftz] f32", "w,ww", div_f32, "9.7.3.8");
    add("div approx|full [ftz] f32", "w,ww", div_f32, "9.7.3.8", nullptr, close,
        once);
    add("div rn f64", "l,ll", div_f64, "9.7.3.8");
    add("rcp rn [ftz] f32", "w,w", rcp_f32, "9.7.3.13");
    add("rcp approx [ftz] f32", "w,w", rcp_f32, "9.7.3.13", nullptr, close,
        once);
    add("rcp rn f64", "l,l", rcp_f64, "9.7.3.13");
    add("sqrt rn [ftz] f32", "w,w", sqrt_f32, "9.7.3.15");
    add("sqrt approx [ftz] f32", "w,w", sqrt_f32, "9.7.3.15", nullptr, close,
        once);
    add("sqrt rn f64", "l,l", sqrt_f64, "9.7.3.15");
    add("rsqrt approx [ftz] f32", "w,w", rsqrt_f32, "9.7.3.16", nullptr, close,
        once);
    add("rsqrt approx f64", "l,l", rsqrt_f64, "9.7.3.16", nullptr, close, once);
    add("sin approx [ftz] f32", "w,w", sin_f32, "9.7.3.18", nullptr, close,
        once);
    add("cos approx [ftz] f32", "w,w", cos_f32, "9.7.3.19", nullptr, close,
        once);
    add("lg2 approx [ftz] f32", "w,w", lg2_f32, "9.7.3.20", nullptr, close,
        once);
    add("ex2 approx [ftz] f32", "w,w", ex2_f32, "9.7.3.21", nullptr, close,
        once);
    add("ex2 approx f16", "w,w", ex2_f16, "9.7.4.10", nullptr, close, once);
    add("ex2 approx f16x2", "w,w", ex2_f16x2, "9.7.4.10", nullptr, close, once);
    add("ex2 approx ftz bf16", "w,w", ex2_bf16, "9.7.4.10", nullptr, close,
        once);
    add("ex2 approx ftz bf16x2", "w,w", ex2_bf16x2, "9.7.4.10", nullptr, close,
        once);
    add("tanh approx f32", "w,w", tanh_f32, "9.7.3.22", nullptr, close, once);
    add("tanh approx f16", "w,w", tanh_f16, "9.7.4.9", nullptr, close, once);
    add("tanh approx f16x2", "w,w", tanh_f16x2, "9.7.4.9", nullptr, close,
        once);
    add("tanh approx bf16", "w,w", tanh_bf16, "9.7.4.9", nullptr, close, once);
    add("tanh approx bf16x2", "w,w", tanh_bf16x2, "9.7.4.9", nullptr, close,
        once);
    const std::string kinds =
        "finite|infinite|number|notanumber|normal|subnormal ";
    add("testp " + kinds + "f32", "p,w", testp_f32, "9.7.3.1", decodeTestp);
    add("testp " + kinds + "f64", "p,l", testp_f64, "9.7.3.1", decodeTestp);
    add("copysign f32", "w,ww", copysign_f32, "9.7.3.2");
    add("copysign f64", "l,ll", copysign_f64, "9.7.3.2");

    const std::string cmp =
        "eq|ne|lt|le|gt|ge|equ|neu|ltu|leu|gtu|geu|num|nan [and|or|xor] ";
    add("setp " + cmp + "[ftz] f16", "p,ww", setp_f16, "9.7.7.2",
        decodeFloatSetp);
    add("setp " + cmp + "bf16", "p,ww", setp_bf16, "9.7.7.2", decodeFloatSetp);
    add("setp " + cmp + "[ftz] f16x2", "p,ww", setp_f16x2, "9.7.7.2",
        decodeFloatSetp);
    add("setp " + cmp + "bf16x2", "p,ww", setp_bf16x2, "9.7.7.2",
        decodeFloatSetp);
    add("setp " + cmp + "[ftz] f32", "p,ww", setp_f32, "9.7.6.2",
        decodeFloatSetp);
    add("setp " + cmp + "f64", "p,ll", setp_f64, "9.7.6.2", decodeFloatSetp);
    add("set " + cmp + "[ftz] u32|s32|f32 f32", "w,ww", set_f32, "9.7.6.1",
        decodeFloatSetp);
    add("set " + cmp + "[ftz] u32|s32|f32 f64", "w,ll", set_f64, "9.7.6.1",
        decodeFloatSetp);
    return r;
  }();
  return rows;
}

} // namespace tirx::rt::sim
