//===- ExprSimplify.cpp - proven-exact rewrites -----------------*- C++ -*-===//
//
// The normal form of a sum is a polynomial over atoms (symbols and bitwise,
// quotient and remainder expressions). A rewrite is kept only if every term of
// its result has known bounds within 2^62; otherwise the node stays as it is.
//
//===----------------------------------------------------------------------===//
#include "tirx/Layout/Expr.h"

#include "Detail.h"

#include <algorithm>
#include <numeric>
#include <unordered_map>

namespace tirx::layout {

using detail::isPowerOfTwo;

namespace {

/// Products beyond this many terms are not multiplied out.
constexpr size_t kMaxTerms = 256;
/// Larger coefficients and divisors are left alone, so that coefficient plus
/// or minus divisor is exact in int64.
constexpr int64_t kMaxCoefficient = int64_t(1) << 61;

bool isSmall(int64_t c) {
  return c <= kMaxCoefficient && c >= -kMaxCoefficient;
}

struct ExprLess {
  bool operator()(const Expr &a, const Expr &b) const {
    return compare(a, b) < 0;
  }
};
using Monomial = std::vector<Expr>; // sorted atoms; empty for the constant
struct MonomialLess {
  bool operator()(const Monomial &a, const Monomial &b) const {
    return std::lexicographical_compare(a.begin(), a.end(), b.begin(), b.end(),
                                        ExprLess());
  }
};
/// Coefficients of monomials, never 0.
using Poly = std::map<Monomial, int64_t, MonomialLess>;

bool addTo(Poly &p, const Monomial &mono, int64_t c) {
  int64_t &slot = p[mono];
  if (__builtin_add_overflow(slot, c, &slot) || !isSmall(slot))
    return false;
  if (slot == 0)
    p.erase(mono);
  return true;
}

bool addTo(Poly &p, const Poly &q, int64_t factor) {
  for (const auto &[mono, c] : q) {
    const auto scaled = detail::mulChecked(c, factor);
    if (!scaled || !addTo(p, mono, *scaled))
      return false;
  }
  return true;
}

std::optional<Poly> multiply(const Poly &a, const Poly &b) {
  if (a.size() * b.size() > kMaxTerms)
    return std::nullopt;
  Poly out;
  for (const auto &[ma, ca] : a)
    for (const auto &[mb, cb] : b) {
      const auto c = detail::mulChecked(ca, cb);
      Monomial mono;
      std::merge(ma.begin(), ma.end(), mb.begin(), mb.end(),
                 std::back_inserter(mono), ExprLess());
      if (!c || !addTo(out, mono, *c))
        return std::nullopt;
    }
  return out;
}

Poly atomPoly(const Expr &e) { return {{{e}, 1}}; }

/// The polynomial of a simplified expression; parts that cannot be multiplied
/// out are atoms.
Poly toPoly(const Expr &e) {
  if (auto c = e.constant(); c && isSmall(*c))
    return *c ? Poly{{{}, *c}} : Poly();
  if (e.kind() == ExprKind::Add) {
    Poly sum = toPoly(e.lhs());
    return addTo(sum, toPoly(e.rhs()), 1) ? sum : atomPoly(e);
  }
  if (e.kind() == ExprKind::Mul)
    if (auto product = multiply(toPoly(e.lhs()), toPoly(e.rhs())))
      return *product;
  return atomPoly(e);
}

Expr termExpr(const Monomial &mono, int64_t c) {
  std::optional<Expr> product;
  for (const Expr &atom : mono)
    product = product ? *product * atom : atom;
  if (!product)
    return Expr(c);
  return c == 1 ? *product : Expr(c) * *product;
}

/// d * (a / d) + a % d == a.
void recombine(Poly &p) {
  for (bool changed = true; changed;) {
    changed = false;
    for (const auto &[mono, c] : p) {
      if (mono.size() != 1 || mono[0].kind() != ExprKind::Mod)
        continue;
      const Expr rem = mono[0];
      const auto d = rem.rhs().constant();
      const auto scaled = d ? detail::mulChecked(c, *d) : std::nullopt;
      const auto div = p.find({floorDiv(rem.lhs(), rem.rhs())});
      if (!scaled || div == p.end() || div->second != *scaled)
        continue;
      Poly next = p;
      next.erase(mono);
      next.erase(div->first);
      if (!addTo(next, toPoly(rem.lhs()), c))
        continue;
      p = std::move(next);
      changed = true;
      break;
    }
  }
}

/// The sum in map order, the constant last; nullopt if a term is unbounded.
std::optional<Expr> fromPoly(Poly p) {
  recombine(p);
  std::optional<Expr> sum;
  int64_t constant = 0;
  for (const auto &[mono, c] : p) {
    if (mono.empty()) {
      constant = c;
      continue;
    }
    const Expr term = termExpr(mono, c);
    if (!term.facts().bounded())
      return std::nullopt;
    sum = sum ? *sum + term : term;
  }
  if (!sum)
    return Expr(constant);
  if (constant)
    sum = *sum + Expr(constant);
  if (!sum->facts().bounded())
    return std::nullopt;
  return sum;
}

/// The value of floor(p / d) when the bounds of p prove it constant.
std::optional<int64_t> constantQuotient(const Poly &p, int64_t d) {
  const auto e = fromPoly(p);
  if (!e || !e->facts().bounded())
    return std::nullopt;
  const int64_t low = detail::floorDiv(e->facts().min, d);
  if (low != detail::floorDiv(e->facts().max, d))
    return std::nullopt;
  return low;
}

/// p = g * multiple + rest with rest proven in [0, g), for a g > 1 dividing d.
struct Factored {
  int64_t g;
  Poly multiple;
  Poly rest;
};
std::optional<Factored> factor(const Poly &p, int64_t d) {
  std::vector<int64_t> candidates;
  for (const auto &[mono, c] : p)
    if (const int64_t g = std::gcd(d, c); !mono.empty() && g > 1)
      candidates.push_back(g);
  std::sort(candidates.rbegin(), candidates.rend());
  candidates.erase(std::unique(candidates.begin(), candidates.end()),
                   candidates.end());
  for (const int64_t g : candidates) {
    Factored f{g, {}, {}};
    for (const auto &[mono, c] : p) {
      const int64_t q =
          mono.empty() ? detail::floorDiv(c, g) : (c % g == 0 ? c / g : 0);
      if (q)
        f.multiple[mono] = q;
      if (c - q * g)
        f.rest[mono] = c - q * g;
    }
    if (constantQuotient(f.rest, g) == 0)
      return f;
  }
  return std::nullopt;
}

std::optional<Expr> divPoly(const Poly &p, int64_t d) {
  if (d == 1)
    return fromPoly(p);
  Poly quotient, rest, multiples, others;
  for (const auto &[mono, c] : p) {
    const int64_t q = mono.empty() ? detail::floorDiv(c, d) : c / d;
    if (q)
      quotient[mono] = q;
    const int64_t r = c - q * d;
    if (!r)
      continue;
    rest[mono] = r;
    const bool multiple = termExpr(mono, r).facts().multipleOf(d);
    (multiple ? multiples : others)[mono] = r;
  }
  auto plusQuotient = [&](const std::optional<Expr> &e) -> std::optional<Expr> {
    if (!e)
      return std::nullopt;
    Poly sum = toPoly(*e);
    if (!addTo(sum, quotient, 1))
      return std::nullopt;
    return fromPoly(sum);
  };
  if (auto k = constantQuotient(others, d); k && (*k || !others.empty())) {
    // Multiples of d add to the quotient without disturbing the remainder.
    if (!addTo(quotient, Poly{{{}, 1}}, *k))
      return std::nullopt;
    rest = multiples;
  }
  if (rest.empty())
    return fromPoly(quotient);
  if (auto f = factor(rest, d))
    return plusQuotient(divPoly(f->multiple, d / f->g));
  // floor((floor(a / b) + c) / d) == floor((a + b*c) / (b*d)).
  int64_t constant = 0;
  const Expr *inner = nullptr;
  size_t terms = 0;
  for (const auto &[mono, c] : rest) {
    if (mono.empty()) {
      constant = c;
      continue;
    }
    ++terms;
    if (c == 1 && mono.size() == 1 && mono[0].kind() == ExprKind::FloorDiv)
      inner = &mono[0];
  }
  if (inner && terms == 1)
    if (auto b = inner->rhs().constant(); b && *b >= 1)
      if (auto bd = detail::mulChecked(*b, d); bd && isSmall(*bd)) {
        Poly a = toPoly(inner->lhs());
        const auto bc = detail::mulChecked(*b, constant);
        if (bc && addTo(a, Poly{{{}, 1}}, *bc))
          if (auto r = divPoly(a, *bd))
            return plusQuotient(r);
      }
  const auto e = fromPoly(rest);
  return e ? plusQuotient(floorDiv(*e, d)) : std::nullopt;
}

std::optional<Expr> modPoly(const Poly &p, int64_t d) {
  Poly rest;
  for (const auto &[mono, c] : p) {
    const int64_t r = mono.empty() ? c - detail::floorDiv(c, d) * d : c % d;
    if (!r || termExpr(mono, r).facts().multipleOf(d))
      continue;
    // r * (a % b) and r * a differ by a multiple of r * b.
    if (mono.size() == 1 && mono[0].kind() == ExprKind::Mod)
      if (auto b = mono[0].rhs().constant(); b && *b >= 1)
        if (auto rb = detail::mulChecked(r, *b); rb && *rb % d == 0) {
          Poly next;
          if (!addTo(next, p, 1) || !addTo(next, mono, -c) ||
              !addTo(next, toPoly(mono[0].lhs()), r))
            return std::nullopt;
          return modPoly(next, d);
        }
    rest[mono] = r;
  }
  const auto e = fromPoly(rest);
  if (!e)
    return std::nullopt;
  if (const ExprFacts &f = e->facts(); f.modulus % d == 0)
    return Expr(f.remainder - detail::floorDiv(f.remainder, d) * d);
  if (auto k = constantQuotient(rest, d)) {
    if (*k && !addTo(rest, Poly{{{}, 1}}, -*k * d))
      return std::nullopt;
    return fromPoly(rest);
  }
  if (auto f = factor(rest, d)) {
    const auto high = modPoly(f->multiple, d / f->g);
    if (!high || !addTo(f->rest, toPoly(*high), f->g))
      return std::nullopt;
    return fromPoly(f->rest);
  }
  return mod(*e, d);
}

std::optional<Expr> sumOf(const Expr &a, const Expr &b) {
  Poly p = toPoly(a);
  if (!addTo(p, toPoly(b), 1))
    return std::nullopt;
  return fromPoly(p);
}

bool disjoint(const Expr &a, const Expr &b) {
  const auto x = possibleBits(a), y = possibleBits(b);
  return x && y && (*x & *y) == 0;
}

void flattenXor(const Expr &e, std::vector<Expr> &out) {
  if (e.kind() != ExprKind::Xor) {
    out.push_back(e);
    return;
  }
  flattenXor(e.lhs(), out);
  flattenXor(e.rhs(), out);
}

Expr simplifyXor(const Expr &a, const Expr &b) {
  std::vector<Expr> operands;
  flattenXor(a, operands);
  flattenXor(b, operands);
  std::sort(operands.begin(), operands.end(), ExprLess());
  std::vector<Expr> kept; // equal neighbours cancel, constants combine
  int64_t constant = 0;
  for (const Expr &e : operands) {
    if (auto c = e.constant())
      constant ^= *c;
    else if (!kept.empty() && kept.back() == e)
      kept.pop_back();
    else
      kept.push_back(e);
  }
  if (constant || kept.empty())
    kept.push_back(Expr(constant));
  // Operands without common bits are a sum.
  for (size_t i = 0; i < kept.size(); ++i)
    for (size_t j = i + 1; j < kept.size(); ++j)
      if (disjoint(kept[i], kept[j]))
        if (auto sum = sumOf(kept[i], kept[j])) {
          kept.erase(kept.begin() + ptrdiff_t(j));
          kept[i] = *sum;
          i = size_t(-1);
          break;
        }
  std::sort(kept.begin(), kept.end(), ExprLess());
  Expr out = kept[0];
  for (size_t i = 1; i < kept.size(); ++i)
    out = out ^ kept[i];
  return out;
}

Expr simplifyAnd(Expr a, Expr b) {
  if (compare(a, b) > 0) // constants last
    std::swap(a, b);
  if (a == b)
    return a;
  if (disjoint(a, b))
    return 0;
  if (auto c = b.constant()) {
    if (*c == 0 || *c == -1)
      return *c ? a : Expr(0);
    const auto bits = possibleBits(a);
    if (bits && (*bits & ~uint64_t(*c)) == 0)
      return a;
    if (*c > 0 && *c < kMaxCoefficient && isPowerOfTwo(*c + 1))
      if (auto m = modPoly(toPoly(a), *c + 1))
        return *m;
  }
  return a & b;
}

class Simplifier {
public:
  Expr run(const Expr &e) {
    if (e.kind() == ExprKind::Const)
      return e;
    if (e.kind() == ExprKind::Symbol)
      return e.facts().modulus == 0 ? Expr(e.facts().remainder) : e;
    if (auto it = memo.find(e.id()); it != memo.end())
      return it->second;
    const Expr a = run(e.lhs()), b = run(e.rhs());
    const Expr out = combine(e.kind(), a, b);
    memo.emplace(e.id(), out);
    return out;
  }

private:
  static Expr combine(ExprKind kind, const Expr &a, const Expr &b) {
    switch (kind) {
    case ExprKind::Add:
      return sumOf(a, b).value_or(a + b);
    case ExprKind::Mul:
      if (auto p = multiply(toPoly(a), toPoly(b)))
        if (auto e = fromPoly(*p))
          return *e;
      return a * b;
    case ExprKind::FloorDiv:
      if (auto d = b.constant(); d && *d >= 1 && isSmall(*d))
        if (auto e = divPoly(toPoly(a), *d))
          return *e;
      return floorDiv(a, b);
    case ExprKind::Mod:
      if (auto d = b.constant(); d && *d >= 1 && isSmall(*d))
        if (auto e = modPoly(toPoly(a), *d))
          return *e;
      return mod(a, b);
    case ExprKind::Xor:
      return simplifyXor(a, b);
    case ExprKind::And:
      return simplifyAnd(a, b);
    case ExprKind::Symbol:
    case ExprKind::Const:
      break;
    }
    return a;
  }

  std::unordered_map<const void *, Expr> memo;
};

} // namespace

Expr simplify(const Expr &expr) { return Simplifier().run(expr); }

bool proveEqual(const Expr &a, const Expr &b) {
  return simplify(a - b).constant() == 0 || simplify(a) == simplify(b);
}

LinearTerms linearTerms(const Expr &expr) {
  LinearTerms out;
  for (const auto &[mono, c] : toPoly(simplify(expr))) {
    if (mono.empty())
      out.constant = c;
    else
      out.terms.emplace_back(termExpr(mono, 1), c);
  }
  return out;
}

} // namespace tirx::layout
