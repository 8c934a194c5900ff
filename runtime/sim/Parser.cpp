//===- Parser.cpp -----------------------------------------------*- C++ -*-===//

#include "Parser.h"
#include "Lexer.h"

#include <optional>
#include <unordered_map>

namespace tirx::rt::sim {

using ast::Operand;

std::string_view ast::Module::lineText(uint32_t line) const {
  if (line == 0 || line > line_starts.size())
    return {};
  size_t start = line_starts[line - 1];
  size_t end = text.find('\n', start);
  std::string_view view = std::string_view(text).substr(
      start, end == std::string::npos ? std::string::npos : end - start);
  size_t first = view.find_first_not_of(" \t\r");
  if (first == std::string_view::npos)
    return {};
  size_t last = view.find_last_not_of(" \t\r");
  return view.substr(first, last - first + 1);
}

std::string_view ast::Module::filePath(uint32_t key) const {
  for (const File &file : files)
    if (file.key == key)
      return file.path;
  return {};
}

std::string ptxMessage(const ast::Module &module, uint32_t line,
                       std::string_view what) {
  std::string_view text = module.lineText(line);
  if (text.size() > 200)
    text = text.substr(0, 200);
  return fmt::format("{}:{}: {}\n  | {}", module.name, line, what, text);
}

namespace {

/// Bytes of a fundamental type, 0 if `name` is none. Predicates have none.
unsigned typeBytes(std::string_view name) {
  static const std::unordered_map<std::string_view, unsigned> table = {
      {".b8", 1},  {".u8", 1},  {".s8", 1},    {".b16", 2},    {".u16", 2},
      {".s16", 2}, {".f16", 2}, {".bf16", 2},  {".b32", 4},    {".u32", 4},
      {".s32", 4}, {".f32", 4}, {".f16x2", 4}, {".bf16x2", 4}, {".b64", 8},
      {".u64", 8}, {".s64", 8}, {".f64", 8},   {".b128", 16},
  };
  auto found = table.find(name);
  return found == table.end() ? 0 : found->second;
}

struct Range {
  std::string_view prefix;
  uint64_t count;
  ast::RegClass cls;
  uint8_t bits;
};

/// Where a name that may be a label of this or an outer scope is used.
struct PendingLabel {
  std::string_view name;
  uint32_t line;
  bool in_table;
  uint32_t index;   ///< instruction or branch table
  uint32_t operand; ///< operand or table entry
};

struct Scope {
  std::unordered_map<std::string_view, uint32_t> registers;
  std::vector<Range> ranges;
  std::unordered_map<std::string_view, uint32_t> labels;
  std::unordered_map<std::string_view, uint32_t> variables;
  std::unordered_map<std::string_view, uint32_t> tables;
  std::vector<PendingLabel> pending;
};

constexpr unsigned kMaxNesting = 64;
constexpr uint64_t kMaxVariableBytes = uint64_t(1) << 30;

class Parser {
public:
  explicit Parser(ast::Module &module) : module(module) {}

  Expected<void> run() {
    std::string error;
    uint32_t error_line = 0;
    tokens = tokenize(module.text, error, error_line);
    if (!error.empty())
      return tl::unexpected<Error>(
          Error{ptxMessage(module, error_line, error)});
    while (!failed && peek().kind != Token::Kind::end)
      parseTopLevel();
    if (failed)
      return tl::unexpected<Error>(Error{message});
    if (module.target.empty() || module.version_major == 0)
      return makeError("{}: no .version and .target: this is no PTX module",
                       module.name);
    return {};
  }

private:
  // --- tokens -------------------------------------------------------------
  const Token &peek(size_t ahead = 0) const {
    return tokens[std::min(pos + ahead, tokens.size() - 1)];
  }
  const Token &take() {
    const Token &token = peek();
    if (pos + 1 < tokens.size())
      ++pos;
    return token;
  }
  bool accept(std::string_view text) {
    if (!peek().is(text))
      return false;
    take();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text))
      fail(fmt::format("expected '{}' before '{}'", text, describe(peek())));
  }
  static std::string describe(const Token &token) {
    return token.kind == Token::Kind::end ? "end of text"
                                          : std::string(token.text);
  }
  /// Keeps the first error and moves to the end, so that every loop stops.
  void fail(const std::string &what) { failAt(peek().line, what); }
  void failAt(uint32_t line, const std::string &what) {
    if (!failed)
      message = ptxMessage(module, line, what);
    failed = true;
    pos = tokens.size() - 1;
  }
  std::string_view takeName() {
    if (peek().kind != Token::Kind::word) {
      fail(fmt::format("expected a name before '{}'", describe(peek())));
      return {};
    }
    return take().text;
  }
  uint64_t takeInteger() {
    if (peek().kind != Token::Kind::integer) {
      fail(fmt::format("expected an integer before '{}'", describe(peek())));
      return 0;
    }
    return take().value;
  }
  void skipLine(uint32_t line) {
    while (peek().kind != Token::Kind::end && peek().line == line)
      take();
  }
  void skipBraces() {
    unsigned depth = 0;
    do {
      if (peek().is("{"))
        ++depth;
      else if (peek().is("}"))
        --depth;
      if (peek().kind == Token::Kind::end)
        return fail("'{' without '}'");
      take();
    } while (depth > 0);
  }

  // --- module level ---------------------------------------------------------
  void parseTopLevel() {
    const Token &token = peek();
    uint32_t line = token.line;
    if (token.kind != Token::Kind::word)
      return fail(
          fmt::format("expected a directive before '{}'", describe(token)));
    if (accept(".version")) {
      // "8.8" is one number token.
      std::string text(take().text);
      if (std::sscanf(text.c_str(), "%u.%u", &module.version_major,
                      &module.version_minor) != 2)
        return failAt(line, "malformed .version");
      return;
    }
    if (accept(".target")) {
      module.target = std::string(takeName());
      return skipLine(line);
    }
    if (accept(".address_size")) {
      if (takeInteger() != 64)
        failAt(line, ".address_size must be 64");
      return;
    }
    if (token.is(".file"))
      return parseFile();
    if (token.is(".loc"))
      return parseLoc();
    if (accept(".section")) {
      takeName();
      if (!peek().is("{"))
        return fail("expected '{' after .section");
      return skipBraces();
    }
    if (accept(".pragma")) {
      while (!failed && !accept(";"))
        take(), checkEnd();
      return;
    }
    parseLinkedEntity();
  }

  void checkEnd() {
    if (peek().kind == Token::Kind::end)
      fail("unexpected end of text");
  }

  void parseFile() {
    uint32_t line = take().line;
    ast::File file;
    file.key = static_cast<uint32_t>(takeInteger());
    if (peek().kind != Token::Kind::string)
      return fail("expected a quoted path after .file N");
    file.path = std::string(take().text);
    // "dir" "name" as DWARF 5 has it.
    if (peek().line == line && peek().kind == Token::Kind::string)
      file.path += "/" + std::string(take().text);
    module.files.push_back(std::move(file));
    skipLine(line);
  }

  void parseLoc() {
    uint32_t line = take().line;
    ast::SourceLoc loc;
    loc.file = static_cast<uint32_t>(takeInteger());
    loc.line = static_cast<uint32_t>(takeInteger());
    loc.column = static_cast<uint32_t>(takeInteger());
    while (peek().kind != Token::Kind::end && peek().line == line) {
      if (accept("inlined_at")) {
        ast::SourceLoc outer;
        outer.file = static_cast<uint32_t>(takeInteger());
        outer.line = static_cast<uint32_t>(takeInteger());
        outer.column = static_cast<uint32_t>(takeInteger());
        if (failed)
          return;
        module.locs.push_back(outer);
        loc.inlined_at = static_cast<int32_t>(module.locs.size() - 1);
        continue;
      }
      take();
    }
    module.locs.push_back(loc);
    current_loc = static_cast<int32_t>(module.locs.size() - 1);
  }

  void parseLinkedEntity() {
    bool is_extern = false;
    while (true) {
      if (accept(".extern")) {
        is_extern = true;
      } else if (accept(".visible") || accept(".weak") || accept(".common")) {
      } else {
        break;
      }
    }
    if (peek().is(".entry") || peek().is(".func"))
      return parseFunction();
    if (peek().is(".alias"))
      return fail(".alias is not supported by the simulator");
    std::optional<ast::Space> space = acceptSpace();
    if (!space)
      return fail(fmt::format("unknown directive '{}'", describe(peek())));
    parseVariable(*space, is_extern, nullptr);
  }

  std::optional<ast::Space> acceptSpace() {
    if (accept(".global"))
      return ast::Space::global;
    if (accept(".const"))
      return ast::Space::constant;
    if (accept(".shared") || accept(".shared::cta"))
      return ast::Space::shared;
    if (accept(".local"))
      return ast::Space::local;
    if (accept(".param"))
      return ast::Space::param;
    return std::nullopt;
  }

  // --- variables --------------------------------------------------------
  void parseVariable(ast::Space space, bool is_extern, ast::Function *owner) {
    uint32_t line = peek().line;
    uint32_t align = 0;
    unsigned element = 0, vector = 1;
    while (!failed && peek().kind == Token::Kind::word &&
           peek().text.front() == '.') {
      if (accept(".align")) {
        uint64_t value = takeInteger();
        if (value == 0 || value > 65536 || (value & (value - 1)))
          return failAt(line, "alignment must be a power of two up to 65536");
        align = static_cast<uint32_t>(value);
      } else if (accept(".v2")) {
        vector = 2;
      } else if (accept(".v4")) {
        vector = 4;
      } else if (accept(".attribute")) {
        while (!failed && !accept(")"))
          take(), checkEnd();
      } else if (unsigned bytes = typeBytes(peek().text)) {
        element = bytes;
        take();
      } else {
        return fail(fmt::format("unknown type or attribute '{}' of a variable",
                                peek().text));
      }
    }
    if (failed)
      return;
    if (element == 0)
      return fail("variable without a type");
    do {
      ast::Variable variable;
      variable.space = space;
      variable.is_extern = is_extern;
      variable.line = line;
      std::string_view name = takeName();
      variable.name = std::string(name);
      uint64_t count = vector;
      bool open = false;
      while (!failed && accept("[")) {
        if (accept("]")) {
          open = true;
          continue;
        }
        uint64_t extent = takeInteger();
        if (extent > kMaxVariableBytes)
          return failAt(line, "variable larger than 1 GiB");
        count *= extent;
        if (count > kMaxVariableBytes)
          return failAt(line, "variable larger than 1 GiB");
        expect("]");
      }
      variable.align = align ? align : element * vector;
      std::vector<uint8_t> init;
      if (accept("=")) {
        parseInitializer(element, init, 0);
        if (failed)
          return;
        if (open)
          count = (init.size() + element - 1) / element;
        if (init.size() > count * element)
          return failAt(line, "initializer is longer than the variable");
        init.resize(count * element);
      } else if (open) {
        count = 0;
        if (!(space == ast::Space::shared && is_extern) &&
            space != ast::Space::param)
          return failAt(line, "only .extern .shared arrays may be unsized");
      }
      variable.bytes = count * element;
      variable.init = std::move(init);
      if (failed)
        return;
      if (owner) {
        scopes.back().variables[name] =
            static_cast<uint32_t>(owner->variables.size());
        owner->variables.push_back(std::move(variable));
      } else {
        module_variables[name] = static_cast<uint32_t>(module.variables.size());
        module.variables.push_back(std::move(variable));
      }
    } while (!failed && accept(","));
    expect(";");
  }

  void parseInitializer(unsigned element, std::vector<uint8_t> &out,
                        unsigned depth) {
    if (depth > kMaxNesting)
      return fail("initializer nested too deeply");
    if (accept("{")) {
      if (accept("}"))
        return;
      do {
        parseInitializer(element, out, depth + 1);
      } while (!failed && accept(","));
      return expect("}");
    }
    bool negative = accept("-");
    const Token &token = peek();
    uint64_t bits = token.value;
    if (token.kind == Token::Kind::f32 && element == 8)
      return fail("32-bit float in an initializer of 64-bit elements");
    if (token.kind != Token::Kind::integer && token.kind != Token::Kind::f32 &&
        token.kind != Token::Kind::f64)
      return fail("initializers that are no numbers (addresses of symbols) are "
                  "not supported by the simulator");
    if (negative)
      bits = token.kind == Token::Kind::integer ? 0 - bits
             : token.kind == Token::Kind::f32   ? bits ^ 0x80000000u
                                                : bits ^ (uint64_t(1) << 63);
    take();
    for (unsigned i = 0; i < element; ++i)
      out.push_back(i < 8 ? static_cast<uint8_t>(bits >> (8 * i)) : 0);
  }

  // --- functions ------------------------------------------------------------
  void parseFunction() {
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

  void parseParameter(ast::Function &function) {
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

  void parseTriple(uint32_t (&out)[3]) {
    for (unsigned i = 0; i < 3; ++i) {
      out[i] = 1;
      if (i == 0 || accept(","))
        out[i] = static_cast<uint32_t>(takeInteger());
    }
  }

  void parsePerformanceDirectives(ast::Function &function) {
    while (!failed && peek().kind == Token::Kind::word &&
           peek().text.front() == '.') {
      if (accept(".reqntid")) {
        parseTriple(function.reqntid);
      } else if (accept(".maxntid")) {
        parseTriple(function.maxntid);
      } else if (accept(".reqnctapercluster")) {
        parseTriple(function.reqnctapercluster);
      } else if (accept(".minnctapersm") || accept(".maxnctapersm") ||
                 accept(".maxnreg") || accept(".maxclusterrank")) {
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

  // --- function bodies ------------------------------------------------------
  void parseBlock(unsigned depth) {
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
  void resolveLabels(Scope &scope) {
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

  void closeScope() {
    Scope scope = std::move(scopes.back());
    scopes.pop_back();
    resolveLabels(scope);
    Scope &outer = scopes.back();
    outer.pending.insert(outer.pending.end(), scope.pending.begin(),
                         scope.pending.end());
  }

  void parseStatement() {
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

  void parseLabel() {
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
      failAt(line,
             fmt::format("label '{}' is defined twice in one block", name));
  }

  void parseRegisters() {
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

  uint32_t addRegister(std::string_view name, ast::RegClass cls, uint8_t bits) {
    current->registers.push_back({std::string(name), cls, bits});
    return static_cast<uint32_t>(current->registers.size() - 1);
  }

  std::optional<uint32_t> findRegister(std::string_view name) {
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

  void parseInstruction() {
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

  static void splitOpcode(std::string_view text, ast::Instruction &out) {
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

  Operand parseOperand(unsigned depth) {
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
  Operand parseSimple() {
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
      operand.imm =
          static_cast<int64_t>(token.value ^ (minus ? 0x80000000u : 0));
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

  void resolveName(const Token &token, Operand &operand) {
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

  ast::Module &module;
  std::vector<Token> tokens;
  size_t pos = 0;
  bool failed = false;
  std::string message;
  ast::Function *current = nullptr;
  std::vector<Scope> scopes;
  std::unordered_map<std::string_view, uint32_t> module_variables;
  std::string_view pending_name;
  int32_t current_loc = -1;
};

} // namespace

Expected<ast::Module> parseModule(std::string_view text,
                                  std::string_view name) {
  // 32-bit line offsets; no kernel comes near.
  if (text.size() > (uint64_t(1) << 31))
    return makeError("{}: PTX text of {} bytes; the limit is 2 GiB", name,
                     text.size());
  ast::Module module;
  module.name = std::string(name);
  module.text = std::string(text);
  module.line_starts.push_back(0);
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      module.line_starts.push_back(static_cast<uint32_t>(i + 1));
  if (Expected<void> result = Parser(module).run(); !result)
    return tl::unexpected<Error>(result.error());
  return module;
}

} // namespace tirx::rt::sim
