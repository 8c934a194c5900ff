//===- Decoder.cpp - operands, constants, variables -------------*- C++ -*-===//

#include "Decoder.h"
#include "Handlers.h"
#include "Parser.h"
#include "RegAlloc.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace tirx::rt::sim {

using ast::Operand;
using ast::RegClass;

bool has(const ast::Instruction &in, std::string_view modifier) {
  return std::find(in.modifiers.begin(), in.modifiers.end(), modifier) !=
         in.modifiers.end();
}

uint32_t modsOf(const ast::Instruction &in) {
  static const std::unordered_map<std::string_view, uint32_t> table = {
      {"ftz", kFtz},
      {"sat", kSat},
      {"NaN", kNaN},
      {"abs", kAbs},
      {"relu", kRelu},
      {"rn", kRn << kRoundShift},
      {"rz", kRz << kRoundShift},
      {"rm", kRm << kRoundShift},
      {"rp", kRp << kRoundShift},
      {"rna", kRna << kRoundShift},
      {"rni", kRn << kRoundShift},
      {"rzi", kRz << kRoundShift},
      {"rmi", kRm << kRoundShift},
      {"rpi", kRp << kRoundShift},
      {"eq", kEq << kCompareShift},
      {"ne", kNe << kCompareShift},
      {"lt", kLt << kCompareShift},
      {"le", kLe << kCompareShift},
      {"gt", kGt << kCompareShift},
      {"ge", kGe << kCompareShift},
      {"lo", kLt << kCompareShift},
      {"ls", kLe << kCompareShift},
      {"hi", kGt << kCompareShift},
      {"hs", kGe << kCompareShift},
      {"equ", kEqu << kCompareShift},
      {"neu", kNeu << kCompareShift},
      {"ltu", kLtu << kCompareShift},
      {"leu", kLeu << kCompareShift},
      {"gtu", kGtu << kCompareShift},
      {"geu", kGeu << kCompareShift},
      {"num", kNum << kCompareShift},
      {"nan", kNan << kCompareShift},
      {"and", kAnd << kBoolShift},
      {"or", kOr << kBoolShift},
      {"xor", kXor << kBoolShift},
  };
  uint32_t mods = 0;
  for (const std::string &modifier : in.modifiers) {
    auto found = table.find(modifier);
    if (found != table.end())
      mods |= found->second;
    else if (modifier == "xorsign")
      mods |= kXorSign;
  }
  return mods;
}

Decoder::Decoder(const ast::Module &module, const ast::Function &function,
                 EntryCode &out)
    : module(module), function(function), code(out) {}

bool Decoder::fail(const std::string &what) {
  if (!failed)
    message = ptxMessage(module,
                         pc < function.instructions.size()
                             ? function.instructions[pc].line
                             : function.line,
                         what);
  failed = true;
  return false;
}

Expected<void> Decoder::run() {
  code.function = &function;
  if (Expected<void> laid = layoutVariables(); !laid)
    return laid;
  code.code.resize(function.instructions.size() + 1);
  for (pc = 0; pc < function.instructions.size(); ++pc) {
    current = &code.code[pc];
    current->ast = pc;
    if (!decodeOne(function.instructions[pc], *current))
      return tl::unexpected<Error>(Error{message});
  }
  // Control that falls off the end returns.
  code.code.back().op = opExit;
  code.code.back().ast = pc;
  findJoins();
  return allocateRegisters();
}

bool Decoder::decodeOne(const ast::Instruction &in, Instr &out) {
  std::string reason;
  const OpRow *row = findRow(in, reason);
  if (!row)
    return fail(reason);
  if (row->fidelity == Fidelity::unsupported)
    return fail(fmt::format("'{}' is not supported by the simulator{}{}",
                            in.opcode(), *row->note ? ": " : "", row->note));
  if (in.guard >= 0) {
    use(static_cast<uint32_t>(in.guard), 6, false);
    out.guard_invert = in.guard_negated ? 0xFFFFFFFFu : 0;
  }
  std::copy(std::begin(row->sub), std::end(row->sub), out.sub);
  DecodeFn decode = row->decode ? row->decode : decodeAlu;
  if (!decode(*this, *row, in, out))
    return fail("malformed operands"); // keeps an earlier message
  if (!out.alu && !out.op)
    return fail("instruction without a handler");
  return true;
}

// --- operands
// -----------------------------------------------------------------

void Decoder::place(uint32_t operand, uint8_t field) {
  switch (field) {
  case 0:
    current->dst = operand;
    break;
  case 1:
    current->dst2 = operand;
    break;
  case 6:
    current->guard = operand;
    break;
  default:
    current->src[field - 2] = operand;
    break;
  }
}

void Decoder::use(uint32_t reg, uint8_t field, bool is_def, uint32_t index) {
  // A guarded definition leaves the lanes that are off as they were.
  bool guarded = function.instructions[pc].guard >= 0;
  uses.push_back({pc, reg, field, is_def, !is_def || guarded, index});
}

RegClass Decoder::classOf(const Operand &operand) const {
  return function.registers[operand.reg].cls;
}

static const char *className(RegClass cls) {
  switch (cls) {
  case RegClass::pred:
    return "predicate";
  case RegClass::b32:
    return "32-bit (or narrower)";
  case RegClass::b64:
    return "64-bit";
  default:
    return "128-bit";
  }
}

bool Decoder::expectOperands(const ast::Instruction &in, size_t least,
                             size_t most) {
  if (in.operands.size() >= least && in.operands.size() <= most)
    return true;
  return fail(fmt::format("'{}' has {} operands, expected {}{}", in.opcode(),
                          in.operands.size(), least,
                          most > least ? fmt::format(" to {}", most) : ""));
}

bool Decoder::dstReg(const Operand &operand, RegClass cls, uint8_t field) {
  if (operand.kind == Operand::Kind::sink) {
    place(kNoOperand, field);
    return true;
  }
  if (!isReg(operand))
    return fail("destination is no register");
  if (classOf(operand) != cls)
    return fail(fmt::format("destination '{}' is no {} register",
                            function.registers[operand.reg].name,
                            className(cls)));
  use(operand.reg, field, true);
  return true;
}

uint32_t Decoder::constantSlot(uint64_t value, bool is64) {
  auto &table = is64 ? constants64 : constants32;
  if (!is64)
    value &= 0xFFFFFFFFu;
  auto found = table.find(value);
  if (found != table.end())
    return found->second;
  uint32_t offset = static_cast<uint32_t>(code.constants.size() * 8);
  code.constants.resize(code.constants.size() + 32);
  uint8_t *slot = reinterpret_cast<uint8_t *>(code.constants.data()) + offset;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    std::memcpy(slot + lane * (is64 ? 8 : 4), &value, is64 ? 8 : 4);
  return table[value] = offset | kConstantBit;
}

bool Decoder::srcValue(const Operand &operand, RegClass cls, uint8_t field,
                       bool allow_negated) {
  if (operand.negated && !allow_negated)
    return fail("'!' is not allowed here");
  switch (operand.kind) {
  case Operand::Kind::reg:
    if (classOf(operand) != cls)
      return fail(fmt::format("source '{}' is no {} register",
                              function.registers[operand.reg].name,
                              className(cls)));
    use(operand.reg, field, false);
    return true;
  case Operand::Kind::integer:
    if (cls == RegClass::pred)
      place(operand.imm ? kTruePred : kFalsePred, field);
    else if (cls == RegClass::b128)
      return fail("constants of 128 bits are not supported");
    else
      place(constantSlot(static_cast<uint64_t>(operand.imm),
                         cls == RegClass::b64),
            field);
    return true;
  case Operand::Kind::f32:
    if (cls != RegClass::b32)
      return fail("32-bit float constant for an operand that is none");
    place(constantSlot(static_cast<uint64_t>(operand.imm), false), field);
    return true;
  case Operand::Kind::f64:
    if (cls == RegClass::b64) {
      place(constantSlot(static_cast<uint64_t>(operand.imm), true), field);
      return true;
    }
    if (cls == RegClass::b32) {
      float narrow = static_cast<float>(std::bit_cast<double>(operand.imm));
      place(constantSlot(std::bit_cast<uint32_t>(narrow), false), field);
      return true;
    }
    return fail("float constant for an operand that is none");
  default:
    return fail("source is neither a register nor a constant");
  }
}

bool Decoder::srcWord(const Operand &operand, uint8_t field, bool &is64) {
  is64 = isReg(operand) && classOf(operand) == RegClass::b64;
  return srcValue(operand, is64 ? RegClass::b64 : RegClass::b32, field);
}

bool Decoder::listOperand(const Operand &operand, RegClass cls, bool is_def,
                          size_t least, size_t most) {
  std::span<const Operand> elements(&operand, 1);
  if (operand.kind == Operand::Kind::vector)
    elements = operand.elements;
  if (elements.size() < least || elements.size() > most)
    return fail(fmt::format("vector of {} registers, expected {}{}",
                            elements.size(), least,
                            most > least ? fmt::format(" to {}", most) : ""));
  if (current->list_count == 0)
    current->list = static_cast<uint32_t>(code.lists.size());
  for (const Operand &element : elements) {
    uint32_t index = static_cast<uint32_t>(code.lists.size());
    code.lists.push_back(kNoOperand);
    ++current->list_count;
    if (element.kind == Operand::Kind::sink && is_def)
      continue;
    if (isReg(element)) {
      if (classOf(element) != cls)
        return fail(fmt::format("'{}' is no {} register",
                                function.registers[element.reg].name,
                                className(cls)));
      use(element.reg, 7, is_def, index);
      continue;
    }
    if (is_def || cls == RegClass::pred || cls == RegClass::b128)
      return fail("vector element is no register");
    uint64_t value = static_cast<uint64_t>(element.imm);
    if (element.kind == Operand::Kind::f64 && cls == RegClass::b32)
      value = std::bit_cast<uint32_t>(
          static_cast<float>(std::bit_cast<double>(element.imm)));
    else if (element.kind != Operand::Kind::integer &&
             element.kind != Operand::Kind::f32 &&
             element.kind != Operand::Kind::f64)
      return fail("vector element is neither a register nor a constant");
    code.lists[index] = constantSlot(value, cls == RegClass::b64);
  }
  return true;
}

bool Decoder::variableOffset(const Operand &operand, ast::Space &space,
                             uint32_t &offset) {
  if (operand.parameter) {
    space = ast::Space::param;
    offset = function.parameters[operand.variable].offset;
    return true;
  }
  if (operand.module_scope) {
    space = module.variables[operand.variable].space;
    offset = code.module_shared_offsets[operand.variable];
    return space == ast::Space::shared;
  }
  space = function.variables[operand.variable].space;
  offset = code.variable_offsets[operand.variable];
  return space == ast::Space::shared || space == ast::Space::local;
}

bool Decoder::address(const Operand &operand, MemSpace space, Instr &out,
                      uint8_t field) {
  if (operand.kind != Operand::Kind::address)
    return fail("expected an address in []");
  const Operand &base = operand.elements.front();
  out.imm = operand.imm;
  switch (base.kind) {
  case Operand::Kind::reg: {
    RegClass cls = classOf(base);
    if (cls != RegClass::b32 && cls != RegClass::b64)
      return fail("address register is neither 32 nor 64 bits wide");
    out.sub[0] = static_cast<uint8_t>(
        cls == RegClass::b64 ? AddressKind::reg64 : AddressKind::reg32);
    use(base.reg, field, false);
    return true;
  }
  case Operand::Kind::integer:
    out.sub[0] = static_cast<uint8_t>(AddressKind::constant);
    out.imm = operand.imm + base.imm;
    return true;
  case Operand::Kind::symbol: {
    if (base.variable < 0)
      return fail(fmt::format("unknown symbol '{}'", base.symbol));
    ast::Space of;
    uint32_t offset = 0;
    if (variableOffset(base, of, offset)) {
      bool fits =
          (of == ast::Space::param && space == MemSpace::param) ||
          (of == ast::Space::local && space == MemSpace::local) ||
          (of == ast::Space::shared && (space == MemSpace::shared_cta ||
                                        space == MemSpace::shared_cluster));
      if (!fits)
        return fail(fmt::format("'{}' lies in another state space than the "
                                "instruction accesses",
                                base.symbol));
      out.sub[0] = static_cast<uint8_t>(of == ast::Space::shared
                                            ? AddressKind::shared
                                            : AddressKind::constant);
      out.imm += offset;
      return true;
    }
    if (!base.module_scope)
      return fail(fmt::format(
          "variable '{}' of a function in this state space is not supported by "
          "the simulator",
          base.symbol));
    if (space != MemSpace::global && space != MemSpace::constant &&
        space != MemSpace::generic)
      return fail(fmt::format("'{}' lies in another state space than the "
                              "instruction accesses",
                              base.symbol));
    out.sub[0] = static_cast<uint8_t>(AddressKind::variable);
    out.target = static_cast<uint32_t>(base.variable);
    return true;
  }
  default:
    return fail("unsupported form of address");
  }
}

bool Decoder::addressValue(const Operand &operand, uint8_t field,
                           int64_t &offset, uint8_t &is64) {
  if (operand.kind != Operand::Kind::address)
    return fail("expected an address in []");
  const Operand &base = operand.elements.front();
  offset = operand.imm;
  if (base.kind == Operand::Kind::reg) {
    bool wide;
    if (!srcWord(base, field, wide))
      return false;
    is64 = wide;
    return true;
  }
  is64 = 1;
  ast::Space space;
  uint32_t at = 0;
  if (base.kind == Operand::Kind::symbol && base.variable >= 0 &&
      variableOffset(base, space, at)) {
    uint64_t window = space == ast::Space::param ? kParamWindow : 0;
    if (space == ast::Space::local)
      return fail("local variables are not supported in this operand");
    if (space == ast::Space::shared)
      is64 = 2;
    place(constantSlot(window | at, true), field);
    return true;
  }
  if (base.kind == Operand::Kind::integer) {
    place(constantSlot(static_cast<uint64_t>(base.imm), true), field);
    return true;
  }
  return fail("unsupported form of address");
}

bool Decoder::immediate(const Operand &operand, int64_t &value) {
  if (operand.kind != Operand::Kind::integer)
    return fail("expected an integer constant");
  value = operand.imm;
  return true;
}

bool Decoder::target(const Operand &operand, uint32_t &out) {
  if (operand.kind != Operand::Kind::label)
    return fail(operand.symbol.empty()
                    ? "branch target is no label"
                    : fmt::format("unknown label '{}'", operand.symbol));
  out = static_cast<uint32_t>(operand.imm);
  return true;
}

// --- variables
// ----------------------------------------------------------------

static uint64_t alignUp(uint64_t value, uint64_t align) {
  return (value + align - 1) / align * align;
}

/// Module variables that operands name.
static void markUsed(const Operand &operand, std::vector<bool> &used) {
  if (operand.module_scope && operand.variable >= 0)
    used[static_cast<size_t>(operand.variable)] = true;
  for (const Operand &element : operand.elements)
    markUsed(element, used);
}

Expected<void> Decoder::layoutVariables() {
  // sm_100: 227 KiB a CTA. Local memory: 512 KiB a thread.
  constexpr uint64_t kMaxShared = 227 * 1024, kMaxLocal = 512 * 1024;
  uint64_t shared = kSharedBase, local = 0;
  uint64_t dynamic_align = 16;
  code.module_shared_offsets.assign(module.variables.size(), 0);
  code.variable_offsets.assign(function.variables.size(), 0);
  auto place = [&](const ast::Variable &variable, uint32_t &offset,
                   bool in_function) -> Expected<void> {
    if (variable.space == ast::Space::shared) {
      if (variable.bytes == 0 && variable.is_extern) {
        dynamic_align = std::max<uint64_t>(dynamic_align, variable.align);
        return {};
      }
      shared = alignUp(shared, variable.align);
      offset = static_cast<uint32_t>(shared);
      shared += variable.bytes;
    } else if (variable.space == ast::Space::local && in_function) {
      local = alignUp(local, variable.align);
      offset = static_cast<uint32_t>(local);
      local += variable.bytes;
    }
    if (shared > kSharedBase + kMaxShared)
      return makeError("{}: static shared memory of entry '{}' exceeds {} "
                       "bytes, the limit of sm_100",
                       module.name, function.name, kMaxShared);
    if (local > kMaxLocal)
      return makeError("{}: local memory of entry '{}' exceeds {} bytes",
                       module.name, function.name, kMaxLocal);
    return {};
  };
  // Only what this entry uses takes its shared memory.
  std::vector<bool> used(module.variables.size(), false);
  for (const ast::Instruction &in : function.instructions)
    for (const Operand &operand : in.operands)
      markUsed(operand, used);
  for (size_t i = 0; i < module.variables.size(); ++i) {
    if (!used[i])
      continue;
    if (auto placed =
            place(module.variables[i], code.module_shared_offsets[i], false);
        !placed)
      return placed;
  }
  for (size_t i = 0; i < function.variables.size(); ++i)
    if (auto placed =
            place(function.variables[i], code.variable_offsets[i], true);
        !placed)
      return placed;
  code.static_shared_bytes = static_cast<uint32_t>(shared - kSharedBase);
  code.dynamic_shared_base =
      static_cast<uint32_t>(alignUp(shared, dynamic_align));
  code.local_bytes = static_cast<uint32_t>(alignUp(local, 16));
  for (size_t i = 0; i < module.variables.size(); ++i)
    if (module.variables[i].space == ast::Space::shared &&
        module.variables[i].bytes == 0)
      code.module_shared_offsets[i] = code.dynamic_shared_base;
  for (size_t i = 0; i < function.variables.size(); ++i)
    if (function.variables[i].space == ast::Space::shared &&
        function.variables[i].bytes == 0)
      code.variable_offsets[i] = code.dynamic_shared_base;
  return {};
}

// --- control flow and registers
// -----------------------------------------------

void Decoder::findJoins() {
  ControlFlowGraph graph(code.code, function);
  for (size_t at = 0; at < function.instructions.size(); ++at) {
    if (!graph.isDivergent(at))
      continue;
    code.code[at].join = graph.joinOf(at);
    if (code.code[at].join != kNoOperand)
      code.code[code.code[at].join].is_join = true;
  }
}

Expected<void> Decoder::allocateRegisters() {
  ControlFlowGraph graph(code.code, function);
  RegisterMap map = allocateSlots(graph, function, uses);
  code.slots32 = map.slots32;
  code.slots64 = map.slots64;
  code.slots128 = map.slots128;
  code.predicates = map.predicates;
  uint64_t bytes = uint64_t(map.slots64) * 256 + uint64_t(map.slots128) * 512 +
                   uint64_t(map.slots32) * 128;
  if (bytes >= kConstantBit)
    return makeError("{}: entry '{}' has too many live registers", module.name,
                     function.name);
  code.register_bytes = static_cast<uint32_t>(bytes);
  for (const RegisterUse &u : uses) {
    Instr &instr = code.code[u.instr];
    uint32_t slot = map.slot[u.reg];
    if (u.field == 7)
      code.lists[u.index] = slot;
    else if (u.field == 0)
      instr.dst = slot;
    else if (u.field == 1)
      instr.dst2 = slot;
    else if (u.field == 6)
      instr.guard = slot;
    else
      instr.src[u.field - 2] = slot;
  }
  return {};
}

// --- plain arithmetic
// ---------------------------------------------------------

bool decodeAlu(Decoder &decoder, const OpRow &row, const ast::Instruction &in,
               Instr &out) {
  std::string_view form = row.operands;
  size_t comma = form.find(',');
  std::string_view defs = form.substr(0, comma);
  std::string_view srcs = form.substr(comma + 1);
  out.alu = aluKernel(row.alu);
  out.mods = modsOf(in);
  auto classOf = [](char c) {
    return c == 'p'   ? RegClass::pred
           : c == 'l' ? RegClass::b64
           : c == 'q' ? RegClass::b128
                      : RegClass::b32;
  };
  if (!decoder.expectOperands(in, defs.size() + srcs.size(),
                              defs.size() + srcs.size()))
    return false;
  size_t at = 0;
  for (size_t i = 0; i < defs.size(); ++i, ++at) {
    const Operand &operand = in.operands[at];
    if (operand.kind == Operand::Kind::pair && defs[i] == 'p') {
      if (!decoder.dstReg(operand.elements[0], RegClass::pred, 0) ||
          !decoder.dstReg(operand.elements[1], RegClass::pred, 1))
        return false;
    } else if (!decoder.dstReg(operand, classOf(defs[i]),
                               static_cast<uint8_t>(i))) {
      return false;
    }
  }
  for (size_t i = 0; i < srcs.size(); ++i, ++at) {
    const Operand &operand = in.operands[at];
    if (srcs[i] == 'i') {
      if (!decoder.immediate(operand, out.imm))
        return false;
      continue;
    }
    bool pred = srcs[i] == 'p';
    if (!decoder.srcValue(operand, classOf(srcs[i]),
                          static_cast<uint8_t>(2 + i), pred))
      return false;
    if (pred && operand.negated) {
      if (in.mnemonic == "setp" || in.mnemonic == "set")
        out.mods |= kBoolNegate;
      else if (in.mnemonic == "selp")
        out.sub[0] = 1;
      else
        out.sub[i] = 1;
    }
  }
  return true;
}

} // namespace tirx::rt::sim
