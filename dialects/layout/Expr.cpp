//===- Expr.cpp - expression nodes, evaluation and text ---------*- C++ -*-===//
#include "ExprFacts.h"

#include "Detail.h"

#include <unordered_map>

namespace tirx::layout {

using detail::makeError;
using Wide = __int128;

struct Expr::Node {
  ExprKind kind;
  int64_t value = 0;
  std::string name;
  ExprFacts facts;
  std::optional<Expr> lhs, rhs;
};

//===--- construction ----------------------------------------------------===//

Expr::Expr(int64_t value) {
  Node n{ExprKind::Const, value, {}, {value, value, 0, value}, {}, {}};
  node = std::make_shared<const Node>(std::move(n));
}

Expected<Expr> Expr::symbol(std::string name, ExprFacts facts) {
  if (name.empty())
    return makeError("a symbol needs a name");
  if (facts.min > facts.max || facts.min < -kMaxReach || facts.max > kMaxReach)
    return makeError("symbol {} has range [{}, {}]; bounds must be ordered and "
                     "within 2^48",
                     name, facts.min, facts.max);
  if (facts.modulus < 1 || facts.remainder < 0 ||
      facts.remainder >= facts.modulus)
    return makeError("symbol {} is stated as {} mod {}; the modulus must be "
                     ">= 1 and the remainder in [0, modulus)",
                     name, facts.remainder, facts.modulus);
  const ExprFacts tight = detail::tightened(facts);
  if (tight.min > tight.max)
    return makeError("symbol {}: no value in [{}, {}] is {} mod {}", name,
                     facts.min, facts.max, facts.remainder, facts.modulus);
  Node n{ExprKind::Symbol, 0, std::move(name), tight, {}, {}};
  return Expr(std::make_shared<const Node>(std::move(n)));
}

/// The result of one operation; nullopt when it is undefined or too large.
static std::optional<Wide> compute(ExprKind kind, Wide a, Wide b) {
  Wide r = 0;
  switch (kind) {
  case ExprKind::Add:
    return __builtin_add_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case ExprKind::Mul:
    return __builtin_mul_overflow(a, b, &r) ? std::nullopt : std::optional(r);
  case ExprKind::FloorDiv:
  case ExprKind::Mod: {
    if (b < 1)
      return std::nullopt;
    Wide q = a / b;
    r = a % b;
    if (r < 0) {
      r += b;
      --q;
    }
    return kind == ExprKind::Mod ? r : q;
  }
  case ExprKind::Xor:
    return a ^ b;
  case ExprKind::And:
    return a & b;
  case ExprKind::Symbol:
  case ExprKind::Const:
    break;
  }
  return std::nullopt;
}

Expr Expr::binary(ExprKind kind, const Expr &a, const Expr &b) {
  const auto ca = a.constant(), cb = b.constant();
  if (ca && cb)
    if (auto r = compute(kind, *ca, *cb);
        r && *r >= INT64_MIN && *r <= INT64_MAX)
      return Expr(int64_t(*r));
  Node n{kind, 0, {}, detail::factsOf(kind, a.facts(), b.facts()), a, b};
  return Expr(std::make_shared<const Node>(std::move(n)));
}

Expr operator+(const Expr &a, const Expr &b) {
  return Expr::binary(ExprKind::Add, a, b);
}
Expr operator-(const Expr &a, const Expr &b) { return a + Expr(-1) * b; }
Expr operator*(const Expr &a, const Expr &b) {
  return Expr::binary(ExprKind::Mul, a, b);
}
Expr operator^(const Expr &a, const Expr &b) {
  return Expr::binary(ExprKind::Xor, a, b);
}
Expr operator&(const Expr &a, const Expr &b) {
  return Expr::binary(ExprKind::And, a, b);
}
Expr floorDiv(const Expr &a, const Expr &b) {
  return Expr::binary(ExprKind::FloorDiv, a, b);
}
Expr mod(const Expr &a, const Expr &b) {
  return Expr::binary(ExprKind::Mod, a, b);
}

ExprKind Expr::kind() const { return node->kind; }
std::optional<int64_t> Expr::constant() const {
  return node->kind == ExprKind::Const ? std::optional(node->value)
                                       : std::nullopt;
}
const std::string &Expr::name() const { return node->name; }
const Expr &Expr::lhs() const { return *node->lhs; }
const Expr &Expr::rhs() const { return *node->rhs; }
const ExprFacts &Expr::facts() const { return node->facts; }

int compare(const Expr &a, const Expr &b) {
  if (a.node == b.node)
    return 0;
  if (a.kind() != b.kind())
    return a.kind() < b.kind() ? -1 : 1;
  if (a.kind() == ExprKind::Const)
    return a.node->value < b.node->value ? -1 : a.node->value > b.node->value;
  if (a.kind() == ExprKind::Symbol) {
    if (int c = a.name().compare(b.name()))
      return c < 0 ? -1 : 1;
    const ExprFacts &f = a.facts(), &g = b.facts();
    const std::array x{f.min, f.max, f.modulus, f.remainder},
        y{g.min, g.max, g.modulus, g.remainder};
    return x < y ? -1 : x > y;
  }
  if (int c = compare(a.lhs(), b.lhs()))
    return c;
  return compare(a.rhs(), b.rhs());
}

//===--- evaluation ------------------------------------------------------===//

namespace {

class Evaluator {
public:
  explicit Evaluator(const Bindings &bindings) : bindings(bindings) {}

  Expected<Wide> eval(const Expr &e) {
    if (auto c = e.constant())
      return Wide(*c);
    if (e.kind() == ExprKind::Symbol)
      return symbolValue(e);
    if (auto it = memo.find(e.id()); it != memo.end())
      return it->second;
    TIRX_LAYOUT_ASSIGN(const Wide a, eval(e.lhs()));
    TIRX_LAYOUT_ASSIGN(const Wide b, eval(e.rhs()));
    const bool divides =
        e.kind() == ExprKind::FloorDiv || e.kind() == ExprKind::Mod;
    if (divides && b < 1)
      return makeError("the divisor {} is {}; it must be >= 1",
                       toString(e.rhs()),
                       int64_t(std::max<Wide>(b, INT64_MIN)));
    const auto r = compute(e.kind(), a, b);
    if (!r)
      return makeError("{} needs more than 128 bits", toString(e));
    memo.emplace(e.id(), *r);
    return *r;
  }

private:
  Expected<Wide> symbolValue(const Expr &e) {
    const auto it = bindings.find(e.name());
    if (it == bindings.end())
      return makeError("symbol {} has no value", e.name());
    const int64_t v = it->second;
    const ExprFacts &f = e.facts();
    if (v < f.min || v > f.max)
      return makeError("symbol {} is {}, outside its stated range [{}, {}]",
                       e.name(), v, f.min, f.max);
    if (f.modulus > 0 &&
        v - detail::floorDiv(v, f.modulus) * f.modulus != f.remainder)
      return makeError("symbol {} is {}, which is not {} mod {} as stated",
                       e.name(), v, f.remainder, f.modulus);
    return Wide(v);
  }

  const Bindings &bindings;
  std::unordered_map<const void *, Wide> memo;
};

} // namespace

Expected<int64_t> evaluate(const Expr &expr, const Bindings &bindings) {
  TIRX_LAYOUT_ASSIGN(const Wide v, Evaluator(bindings).eval(expr));
  if (v < INT64_MIN || v > INT64_MAX)
    return makeError("{} does not fit in 64 bits", toString(expr));
  return int64_t(v);
}

//===--- bits and text ---------------------------------------------------===//

std::optional<uint64_t> possibleBits(const Expr &e) {
  auto mask = detail::possibleBits(e.facts());
  if (!mask || e.kind() == ExprKind::Symbol || e.kind() == ExprKind::Const)
    return mask;
  const auto a = possibleBits(e.lhs()), b = possibleBits(e.rhs());
  switch (e.kind()) {
  case ExprKind::Add:
    if (a && b && (*a & *b) == 0)
      *mask &= *a | *b;
    break;
  case ExprKind::Xor:
    if (a && b)
      *mask &= *a | *b;
    break;
  case ExprKind::And:
    *mask &= a.value_or(~uint64_t(0)) & b.value_or(~uint64_t(0));
    break;
  case ExprKind::Mod:
    if (auto d = e.rhs().constant(); d && a && detail::isPowerOfTwo(*d))
      *mask &= *a;
    break;
  case ExprKind::Mul:
    if (auto c = e.lhs().constant(); c && b && detail::isPowerOfTwo(*c))
      if (const int s = detail::log2Exact(*c); std::countl_zero(*b) > s)
        *mask &= *b << s;
    break;
  default:
    break;
  }
  return mask;
}

/// Binding strength: 0 bitwise, 1 sum, 2 product, 3 leaf.
static std::string print(const Expr &e, int level);

/// Products associate, so a product in a product needs no parentheses.
static int factorLevel(const Expr &e) {
  return e.kind() == ExprKind::Mul ? 2 : 3;
}

static std::string printSum(const Expr &e) {
  const Expr &l = e.lhs(), &r = e.rhs();
  std::string out = print(l, 1);
  if (auto c = r.constant(); c && *c < 0)
    return out + fmt::format(" - {}", -uint64_t(*c));
  if (r.kind() == ExprKind::Mul)
    if (auto c = r.lhs().constant(); c && *c < 0) {
      out += *c == -1 ? " - " : fmt::format(" - {}*", -uint64_t(*c));
      return out + print(r.rhs(), factorLevel(r.rhs()));
    }
  return out + " + " + print(r, 2);
}

static std::string print(const Expr &e, int level) {
  auto wrap = [&](int own, std::string text) {
    return own < level ? "(" + text + ")" : text;
  };
  switch (e.kind()) {
  case ExprKind::Const:
    return std::to_string(*e.constant());
  case ExprKind::Symbol:
    return e.name();
  case ExprKind::Add:
    return wrap(1, printSum(e));
  case ExprKind::Mul:
    return wrap(2, print(e.lhs(), factorLevel(e.lhs())) + "*" +
                       print(e.rhs(), factorLevel(e.rhs())));
  case ExprKind::FloorDiv:
    return wrap(2, print(e.lhs(), 3) + " / " + print(e.rhs(), 3));
  case ExprKind::Mod:
    return wrap(2, print(e.lhs(), 3) + " % " + print(e.rhs(), 3));
  case ExprKind::Xor:
    return wrap(0, print(e.lhs(), 2) + " ^ " + print(e.rhs(), 2));
  case ExprKind::And:
    return wrap(0, print(e.lhs(), 2) + " & " + print(e.rhs(), 2));
  }
  return {};
}

std::string toString(const Expr &expr) { return print(expr, 0); }

} // namespace tirx::layout
