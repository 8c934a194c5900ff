//===- ParserImpl.h - the PTX parser's state --------------------*- C++ -*-===//
#pragma once

#include "Ast.h"
#include "Lexer.h"
#include "Parser.h"

#include <optional>
#include <unordered_map>

namespace tirx::rt::sim {

/// Bytes of a fundamental type (".b32"), 0 if `name` is none. Predicates have
/// none.
unsigned typeBytes(std::string_view name);

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

inline constexpr unsigned kMaxNesting = 64;
inline constexpr uint64_t kMaxVariableBytes = uint64_t(1) << 30;

/// A recursive-descent parser. The first error is kept, and moves the parser to
/// the end of the text, so that no loop needs to look for it.
class Parser {
public:
  explicit Parser(ast::Module &module) : module(module) {}

  Expected<void> run();

private:
  // Tokens.
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

  // Module level.
  void parseTopLevel();
  void checkEnd();
  void parseFile();
  void parseLoc();
  void parseLinkedEntity();
  std::optional<ast::Space> acceptSpace();

  // Variables.
  void parseVariable(ast::Space space, bool is_extern, ast::Function *owner);
  void parseInitializer(unsigned element, std::vector<uint8_t> &out,
                        unsigned depth);

  // Functions.
  void parseFunction();
  void parseParameter(ast::Function &function);
  void parseTriple(uint32_t (&out)[3]);
  void parsePerformanceDirectives(ast::Function &function);

  // Bodies and operands.
  void parseBlock(unsigned depth);
  /// Labels of `scope` are known now; what is none of them stays pending.
  void resolveLabels(Scope &scope);
  void closeScope();
  void parseStatement();
  void parseLabel();
  void parseRegisters();
  std::optional<uint32_t> findRegister(std::string_view name);
  void parseInstruction();
  static void splitOpcode(std::string_view text, ast::Instruction &out);
  ast::Operand parseOperand(unsigned depth);
  /// A register, number, symbol or sink, with an optional constant offset.
  ast::Operand parseSimple();
  void resolveName(const Token &token, ast::Operand &operand);
  uint32_t addRegister(std::string_view name, ast::RegClass cls, uint8_t bits) {
    current->registers.push_back({std::string(name), cls, bits});
    return static_cast<uint32_t>(current->registers.size() - 1);
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

} // namespace tirx::rt::sim
