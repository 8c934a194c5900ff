//===- ParserFunction.cpp - entries, blocks, registers, labels --*- C++ -*-===//

#include "ParserImpl.h"

namespace tirx::rt::sim {

using ast::Operand;

void Parser::parseFunction() {
  ast::Function function;
  function.is_entry = take().text == ".entry";
  function.line = peek().line;
  scopes.clear();
  scopes.emplace_back();
  current_loc = -1;
  if (peek().is("(")) { // return value of a .func
    while (!failed && !accept(")"))
      take(), checkEnd();
  }
  function.name = std::string(takeName());
  if (accept("(")) {
    if (!accept(")")) {
      do {
        parseParameter(function);
      } while (!failed && accept(","));
      expect(")");
    }
  }
  parsePerformanceDirectives(function);
  if (failed)
    return;
  if (accept(";")) {
    module.functions.push_back(std::move(function));
    return;
  }
  function.has_body = true;
  if (!peek().is("{"))
    return fail("expected '{' or ';' after the function's head");
  current = &function;
  parseBlock(0);
  if (failed)
    return;
  for (const PendingLabel &pending : scopes.back().pending) {
    if (pending.in_table)
      return failAt(pending.line,
                    fmt::format("unknown label '{}'", pending.name));
    Operand &operand =
        function.instructions[pending.index].operands[pending.operand];
    if (function.instructions[pending.index].mnemonic == "bra")
      return failAt(pending.line,
                    fmt::format("unknown label '{}'", pending.name));
    operand.variable = -1; // a function's name, or an error at decode
  }
  current = nullptr;
  scopes.clear();
  module.functions.push_back(std::move(function));
}

void Parser::parseParameter(ast::Function &function) {
  uint32_t line = peek().line;
  if (function.is_entry || peek().is(".param"))
    expect(".param");
  else if (!accept(".reg"))
    return fail("expected .param or .reg");
  ast::Parameter parameter;
  unsigned element = 0;
  uint32_t align = 0;
  bool pointer = false;
  while (!failed && peek().kind == Token::Kind::word &&
         peek().text.front() == '.') {
    if (accept(".align")) {
      uint64_t value = takeInteger();
      if (value == 0 || value > 65536 || (value & (value - 1)))
        return failAt(line, "alignment must be a power of two up to 65536");
      if (!pointer) // after .ptr: what the pointer points to
        align = static_cast<uint32_t>(value);
    } else if (accept(".ptr")) {
      pointer = true;
    } else if (acceptSpace() || accept(".shared::cluster")) {
    } else if (unsigned bytes = typeBytes(peek().text)) {
      element = bytes;
      take();
    } else if (accept(".pred")) {
      element = 1;
    } else {
      return fail(fmt::format("unknown type or attribute '{}' of a parameter",
                              peek().text));
    }
  }
  if (failed)
    return;
  if (element == 0)
    return fail("parameter without a type");
  parameter.name = std::string(takeName());
  uint64_t count = 1;
  if (accept("[")) {
    count = peek().is("]") ? 0 : takeInteger();
    expect("]");
  }
  if (failed)
    return;
  // PTX ISA: kernel parameters take at most 32764 bytes.
  if (count * element > 32764 || function.parameter_bytes > 32764)
    return failAt(line, "parameters beyond 32764 bytes");
  parameter.align = align ? align : element;
  parameter.bytes = static_cast<uint32_t>(count * element);
  parameter.offset = (function.parameter_bytes + parameter.align - 1) /
                     parameter.align * parameter.align;
  function.parameter_bytes = parameter.offset + parameter.bytes;
  function.parameters.push_back(std::move(parameter));
}

void Parser::parseTriple(uint32_t (&out)[3]) {
  for (unsigned i = 0; i < 3; ++i) {
    out[i] = 1;
    if (i == 0 || accept(","))
      out[i] = static_cast<uint32_t>(takeInteger());
  }
}

void Parser::parsePerformanceDirectives(ast::Function &function) {
  while (!failed && peek().kind == Token::Kind::word &&
         peek().text.front() == '.') {
    if (accept(".reqntid")) {
      parseTriple(function.reqntid);
    } else if (accept(".maxntid")) {
      parseTriple(function.maxntid);
    } else if (accept(".reqnctapercluster")) {
      parseTriple(function.reqnctapercluster);
    } else if (accept(".maxnreg")) {
      function.maxnreg = static_cast<uint32_t>(takeInteger());
    } else if (accept(".minnctapersm")) {
      function.minnctapersm = static_cast<uint32_t>(takeInteger());
    } else if (accept(".maxnctapersm") || accept(".maxclusterrank")) {
      takeInteger();
    } else if (accept(".explicitcluster") || accept(".noreturn") ||
               accept(".blocksareclusters")) {
    } else if (accept(".pragma")) {
      while (!failed && !accept(";"))
        take(), checkEnd();
    } else {
      return fail(
          fmt::format("unknown directive '{}' of a function", peek().text));
    }
  }
}

void Parser::parseBlock(unsigned depth) {
  if (depth > kMaxNesting)
    return fail("blocks nested too deeply");
  expect("{");
  while (!failed && !peek().is("}")) {
    if (peek().kind == Token::Kind::end)
      return fail("'{' without '}'");
    if (peek().is("{")) {
      scopes.emplace_back();
      parseBlock(depth + 1);
      if (!failed)
        closeScope();
      continue;
    }
    parseStatement();
  }
  expect("}");
  if (depth == 0 && !failed)
    resolveLabels(scopes.back());
}

/// Labels of `scope` are known now; what is none of them stays pending.
void Parser::resolveLabels(Scope &scope) {
  std::vector<PendingLabel> left;
  for (const PendingLabel &pending : scope.pending) {
    auto found = scope.labels.find(pending.name);
    if (found == scope.labels.end()) {
      left.push_back(pending);
      continue;
    }
    if (pending.in_table) {
      current->branch_targets[pending.index][pending.operand] = found->second;
      continue;
    }
    Operand &operand =
        current->instructions[pending.index].operands[pending.operand];
    operand.kind = Operand::Kind::label;
    operand.imm = found->second;
  }
  scope.pending = std::move(left);
}

void Parser::closeScope() {
  Scope scope = std::move(scopes.back());
  scopes.pop_back();
  resolveLabels(scope);
  Scope &outer = scopes.back();
  outer.pending.insert(outer.pending.end(), scope.pending.begin(),
                       scope.pending.end());
}

void Parser::parseStatement() {
  const Token &token = peek();
  if (token.is(".loc"))
    return parseLoc();
  if (token.is(".file"))
    return parseFile();
  if (accept(".pragma")) {
    while (!failed && !accept(";"))
      take(), checkEnd();
    return;
  }
  if (accept(".reg"))
    return parseRegisters();
  if (token.kind == Token::Kind::word && token.text.front() == '.') {
    if (std::optional<ast::Space> space = acceptSpace())
      return parseVariable(*space, false, current);
    return fail(fmt::format("unknown directive '{}'", token.text));
  }
  if (token.kind == Token::Kind::word && peek(1).is(":"))
    return parseLabel();
  if (accept(";"))
    return;
  parseInstruction();
}

void Parser::parseLabel() {
  uint32_t line = peek().line;
  std::string_view name = take().text;
  take(); // ':'
  if (accept(".branchtargets")) {
    uint32_t index = static_cast<uint32_t>(current->branch_targets.size());
    std::vector<uint32_t> entries;
    do {
      uint32_t at = peek().line;
      std::string_view label = takeName();
      scopes.back().pending.push_back(
          {label, at, true, index, static_cast<uint32_t>(entries.size())});
      entries.push_back(0);
    } while (!failed && accept(","));
    current->branch_targets.push_back(std::move(entries));
    scopes.back().tables[name] = index;
    return expect(";");
  }
  if (accept(".callprototype") || accept(".calltargets")) {
    while (!failed && !accept(";"))
      take(), checkEnd();
    return;
  }
  uint32_t target = static_cast<uint32_t>(current->instructions.size());
  if (!scopes.back().labels.emplace(name, target).second)
    failAt(line, fmt::format("label '{}' is defined twice in one block", name));
}

void Parser::parseRegisters() {
  std::string_view type = takeName();
  ast::RegClass cls = ast::RegClass::b32;
  unsigned bits = 0;
  if (type == ".pred") {
    cls = ast::RegClass::pred;
    bits = 1;
  } else if (unsigned bytes = typeBytes(type)) {
    bits = bytes * 8;
    cls = bits == 128  ? ast::RegClass::b128
          : bits == 64 ? ast::RegClass::b64
                       : ast::RegClass::b32;
  } else if (type == ".v2" || type == ".v4") {
    return fail("vector registers are not supported by the simulator");
  } else {
    return fail(fmt::format("unknown register type '{}'", type));
  }
  do {
    std::string_view name = takeName();
    if (failed)
      return;
    if (accept("<")) {
      uint64_t count = takeInteger();
      expect(">");
      scopes.back().ranges.push_back(
          {name, count, cls, static_cast<uint8_t>(bits)});
    } else {
      scopes.back().registers[name] =
          addRegister(name, cls, static_cast<uint8_t>(bits));
    }
  } while (!failed && accept(","));
  expect(";");
}

std::optional<uint32_t> Parser::findRegister(std::string_view name) {
  size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9')
    --digits;
  for (size_t i = scopes.size(); i-- > 0;) {
    Scope &scope = scopes[i];
    auto found = scope.registers.find(name);
    if (found != scope.registers.end())
      return found->second;
    if (digits == name.size() || name.size() - digits > 10 ||
        (name[digits] == '0' && name.size() - digits > 1))
      continue;
    uint64_t number = std::stoull(std::string(name.substr(digits)));
    for (const Range &range : scope.ranges)
      if (range.prefix == name.substr(0, digits) && number < range.count) {
        uint32_t reg = addRegister(name, range.cls, range.bits);
        scope.registers[name] = reg;
        return reg;
      }
  }
  return std::nullopt;
}

} // namespace tirx::rt::sim
