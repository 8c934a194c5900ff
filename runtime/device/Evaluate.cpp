//===- Evaluate.cpp - host expressions at launch ----------------*- C++ -*-===//
#include "device/Evaluate.h"

#include <algorithm>

using namespace tirx::rt;

namespace {

class Evaluator {
public:
  Evaluator(const Kernel &kernel, const std::vector<BoundArgument> &arguments,
            uint32_t smCount)
      : kernel(kernel), arguments(arguments), smCount(smCount) {}

  Expected<int64_t> run(const HostExpr &expr) const {
    using Kind = HostExpr::Kind;
    switch (expr.kind) {
    case Kind::constant:
      return expr.value;
    case Kind::dim:
      return arguments[expr.argument].shape[expr.axis];
    case Kind::stride:
      return arguments[expr.argument].strides[expr.axis];
    case Kind::scalar:
      return arguments[expr.argument].integer;
    case Kind::sm_count:
      return smCount;
    default:
      break;
    }
    const auto first = run(expr.operands[0]);
    if (!first)
      return first;
    if (expr.kind == Kind::select)
      return run(expr.operands[*first ? 1 : 2]);
    if (expr.kind == Kind::logical_and && *first == 0)
      return 0;
    if (expr.kind == Kind::logical_or && *first != 0)
      return 1;
    const auto second = run(expr.operands[1]);
    if (!second)
      return second;
    return combine(expr, *first, *second);
  }

private:
  const Kernel &kernel;
  const std::vector<BoundArgument> &arguments;
  const uint32_t smCount;

  Expected<int64_t> combine(const HostExpr &expr, int64_t a, int64_t b) const {
    using Kind = HostExpr::Kind;
    int64_t result = 0;
    switch (expr.kind) {
    case Kind::add:
      return __builtin_add_overflow(a, b, &result) ? overflow(expr, a, b)
                                                   : result;
    case Kind::sub:
      return __builtin_sub_overflow(a, b, &result) ? overflow(expr, a, b)
                                                   : result;
    case Kind::mul:
      return __builtin_mul_overflow(a, b, &result) ? overflow(expr, a, b)
                                                   : result;
    case Kind::floordiv:
    case Kind::ceildiv:
    case Kind::mod:
      return divide(expr, a, b);
    case Kind::min:
      return std::min(a, b);
    case Kind::max:
      return std::max(a, b);
    case Kind::eq:
      return a == b;
    case Kind::ne:
      return a != b;
    case Kind::lt:
      return a < b;
    case Kind::le:
      return a <= b;
    case Kind::gt:
      return a > b;
    case Kind::ge:
      return a >= b;
    case Kind::logical_and:
    case Kind::logical_or: // the first operand did not decide
      return b != 0;
    default:
      return makeError("{}: not an operation", toString(expr, kernel));
    }
  }

  Expected<int64_t> divide(const HostExpr &expr, int64_t a, int64_t b) const {
    if (b == 0)
      return makeError("{}: division by zero", toString(expr, kernel));
    if (a < 0 || b < 0)
      return makeError("{}: division of {} by {}, neither may be negative",
                       toString(expr, kernel), a, b);
    if (expr.kind == HostExpr::Kind::mod)
      return a % b;
    // a / b + 1 cannot overflow: it would need b = 1, which leaves no rest.
    return a / b + (expr.kind == HostExpr::Kind::ceildiv && a % b != 0);
  }

  Expected<int64_t> overflow(const HostExpr &expr, int64_t a, int64_t b) const {
    return makeError("{}: overflows 64 bits (operands {} and {})",
                     toString(expr, kernel), a, b);
  }
};

} // namespace

Expected<int64_t>
tirx::rt::evaluate(const HostExpr &expr, const Kernel &kernel,
                   const std::vector<BoundArgument> &arguments,
                   uint32_t smCount) {
  return Evaluator(kernel, arguments, smCount).run(expr);
}
