//===- Parser.cpp -----------------------------------------------*- C++ -*-===//

#include "ParserImpl.h"

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

Expected<void> Parser::run() {
  std::string error;
  uint32_t error_line = 0;
  tokens = tokenize(module.text, error, error_line);
  if (!error.empty())
    return tl::unexpected<Error>(Error{ptxMessage(module, error_line, error)});
  while (!failed && peek().kind != Token::Kind::end)
    parseTopLevel();
  if (failed)
    return tl::unexpected<Error>(Error{message});
  if (module.target.empty() || module.version_major == 0)
    return makeError("{}: no .version and .target: this is no PTX module",
                     module.name);
  return {};
}

void Parser::parseTopLevel() {
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

void Parser::checkEnd() {
  if (peek().kind == Token::Kind::end)
    fail("unexpected end of text");
}

void Parser::parseFile() {
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

void Parser::parseLoc() {
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

void Parser::parseLinkedEntity() {
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

std::optional<ast::Space> Parser::acceptSpace() {
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

void Parser::parseVariable(ast::Space space, bool is_extern,
                           ast::Function *owner) {
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

void Parser::parseInitializer(unsigned element, std::vector<uint8_t> &out,
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
