//===- ExprText.cpp - host expressions for people ---------------*- C++ -*-===//
#include "artifact/Names.h"
#include "tirx/Runtime/Artifact.h"

using namespace tirx::rt;

namespace {

std::string_view infixSymbol(HostExpr::Kind kind) {
  using Kind = HostExpr::Kind;
  switch (kind) {
  case Kind::add:
    return "+";
  case Kind::sub:
    return "-";
  case Kind::mul:
    return "*";
  case Kind::floordiv:
    return "/";
  case Kind::mod:
    return "%";
  case Kind::eq:
    return "==";
  case Kind::ne:
    return "!=";
  case Kind::lt:
    return "<";
  case Kind::le:
    return "<=";
  case Kind::gt:
    return ">";
  case Kind::ge:
    return ">=";
  case Kind::logical_and:
    return "&&";
  case Kind::logical_or:
    return "||";
  default:
    return {};
  }
}

class Printer {
public:
  explicit Printer(const Kernel &kernel) : kernel(kernel) {}

  std::string print(const HostExpr &expr, unsigned depth) const {
    using Kind = HostExpr::Kind;
    if (depth > kMaxExprDepth)
      return "...";
    switch (expr.kind) {
    case Kind::constant:
      return fmt::format("{}", expr.value);
    case Kind::dim:
      return fmt::format("{}.shape[{}]", argumentName(expr), expr.axis);
    case Kind::stride:
      return fmt::format("{}.strides[{}]", argumentName(expr), expr.axis);
    case Kind::scalar:
      return argumentName(expr);
    default:
      break;
    }
    std::vector<std::string> operands;
    for (const HostExpr &operand : expr.operands)
      operands.push_back(print(operand, depth + 1));
    const std::string_view infix = infixSymbol(expr.kind);
    if (!infix.empty() && operands.size() == 2) {
      const std::string text =
          fmt::format("{} {} {}", operands[0], infix, operands[1]);
      return depth == 1 ? text : "(" + text + ")";
    }
    return fmt::format("{}({})", nameOfEnum(expr.kind),
                       fmt::join(operands, ", "));
  }

private:
  const Kernel &kernel;

  std::string argumentName(const HostExpr &expr) const {
    if (expr.argument < kernel.arguments.size())
      return kernel.arguments[expr.argument].name;
    return fmt::format("#{}", expr.argument);
  }
};

} // namespace

std::string tirx::rt::toString(const HostExpr &expr, const Kernel &kernel) {
  return Printer(kernel).print(expr, 1);
}
