//===- ParserOperand.cpp - instructions and their operands ------*- C++ -*-===//

#include "ParserImpl.h"

namespace tirx::rt::sim {

using ast::Operand;

void Parser::parseInstruction() {
  ast::Instruction instruction;
  instruction.line = peek().line;
  instruction.loc = current_loc;
  if (accept("@")) {
    instruction.guard_negated = accept("!");
    uint32_t line = peek().line;
    std::string_view name = takeName();
    if (failed)
      return;
    std::optional<uint32_t> reg = findRegister(name);
    if (!reg || current->registers[*reg].cls != ast::RegClass::pred)
      return failAt(line, fmt::format("'{}' is no predicate register", name));
    instruction.guard = static_cast<int32_t>(*reg);
    instruction.line = peek().line;
  }
  std::string_view opcode = takeName();
  if (failed)
    return;
  splitOpcode(opcode, instruction);
  uint32_t index = static_cast<uint32_t>(current->instructions.size());
  while (!failed && !peek().is(";")) {
    if (peek().is("}") || peek().kind == Token::Kind::end)
      return failAt(instruction.line, "instruction without ';'");
    if (!instruction.operands.empty())
      expect(",");
    if (failed)
      return;
    instruction.operands.push_back(parseOperand(0));
    Operand &operand = instruction.operands.back();
    if (!failed && operand.kind == Operand::Kind::symbol &&
        operand.variable < 0 && operand.imm == 0)
      scopes.back().pending.push_back(
          {pending_name, instruction.line, false, index,
           static_cast<uint32_t>(instruction.operands.size() - 1)});
  }
  expect(";");
  if (!failed)
    current->instructions.push_back(std::move(instruction));
}

void Parser::splitOpcode(std::string_view text, ast::Instruction &out) {
  size_t dot = text.find('.');
  out.mnemonic = std::string(text.substr(0, dot));
  while (dot != std::string_view::npos) {
    size_t next = text.find('.', dot + 1);
    out.modifiers.emplace_back(text.substr(
        dot + 1, next == std::string_view::npos ? std::string_view::npos
                                                : next - dot - 1));
    dot = next;
  }
}

Operand Parser::parseOperand(unsigned depth) {
  Operand operand;
  if (depth > 8) {
    fail("operands nested too deeply");
    return operand;
  }
  if (accept("{")) {
    operand.kind = Operand::Kind::vector;
    do {
      operand.elements.push_back(parseOperand(depth + 1));
    } while (!failed && accept(","));
    expect("}");
    return operand;
  }
  if (accept("(")) {
    operand.kind = Operand::Kind::list;
    if (accept(")"))
      return operand;
    do {
      operand.elements.push_back(parseOperand(depth + 1));
    } while (!failed && accept(","));
    expect(")");
    return operand;
  }
  if (accept("[")) {
    operand.kind = Operand::Kind::address;
    operand.elements.push_back(parseSimple());
    Operand &base = operand.elements.front();
    operand.imm = base.imm;
    if (base.kind != Operand::Kind::integer)
      base.imm = 0;
    else
      operand.imm = 0;
    while (!failed && accept(","))
      operand.elements.push_back(parseOperand(depth + 1));
    expect("]");
    return operand;
  }
  operand = parseSimple();
  if (!failed && accept("|")) {
    Operand pair;
    pair.kind = Operand::Kind::pair;
    pair.elements.push_back(std::move(operand));
    pair.elements.push_back(parseSimple());
    return pair;
  }
  return operand;
}

/// A register, number, symbol or sink, with an optional constant offset.
Operand Parser::parseSimple() {
  Operand operand;
  operand.negated = accept("!");
  bool minus = accept("-");
  const Token &token = take();
  switch (token.kind) {
  case Token::Kind::integer:
    operand.kind = Operand::Kind::integer;
    operand.imm = static_cast<int64_t>(minus ? 0 - token.value : token.value);
    break;
  case Token::Kind::f32:
    operand.kind = Operand::Kind::f32;
    operand.imm = static_cast<int64_t>(token.value ^ (minus ? 0x80000000u : 0));
    return operand;
  case Token::Kind::f64:
    operand.kind = Operand::Kind::f64;
    operand.imm =
        static_cast<int64_t>(token.value ^ (minus ? uint64_t(1) << 63 : 0));
    return operand;
  case Token::Kind::word:
    if (minus) {
      failAt(token.line, "'-' before a name");
      return operand;
    }
    resolveName(token, operand);
    break;
  default:
    failAt(token.line,
           fmt::format("expected an operand before '{}'", describe(token)));
    return operand;
  }
  while (!failed && (peek().is("+") || peek().is("-"))) {
    bool negative = take().text == "-";
    if (accept("-"))
      negative = !negative;
    uint64_t value = takeInteger();
    operand.imm = static_cast<int64_t>(static_cast<uint64_t>(operand.imm) +
                                       (negative ? 0 - value : value));
  }
  return operand;
}

void Parser::resolveName(const Token &token, Operand &operand) {
  std::string_view name = token.text;
  if (name == "_") {
    operand.kind = Operand::Kind::sink;
    return;
  }
  if (std::optional<uint32_t> reg = findRegister(name)) {
    operand.kind = Operand::Kind::reg;
    operand.reg = *reg;
    return;
  }
  operand.symbol = std::string(name);
  if (name == "WARP_SZ") {
    operand.kind = Operand::Kind::integer;
    operand.imm = 32;
    return;
  }
  for (size_t i = scopes.size(); i-- > 0;) {
    Scope &scope = scopes[i];
    if (auto found = scope.variables.find(name);
        found != scope.variables.end()) {
      operand.kind = Operand::Kind::symbol;
      operand.variable = static_cast<int32_t>(found->second);
      return;
    }
    if (auto found = scope.tables.find(name); found != scope.tables.end()) {
      operand.kind = Operand::Kind::targets;
      operand.imm = found->second;
      return;
    }
  }
  for (size_t i = 0; i < current->parameters.size(); ++i)
    if (current->parameters[i].name == name) {
      operand.kind = Operand::Kind::symbol;
      operand.variable = static_cast<int32_t>(i);
      operand.parameter = true;
      return;
    }
  if (auto found = module_variables.find(name);
      found != module_variables.end()) {
    operand.kind = Operand::Kind::symbol;
    operand.variable = static_cast<int32_t>(found->second);
    operand.module_scope = true;
    return;
  }
  if (name.front() == '%') {
    operand.kind = Operand::Kind::special;
    return;
  }
  operand.kind = Operand::Kind::symbol;
  operand.variable = -1;
  pending_name = name;
}

} // namespace tirx::rt::sim
