//===- Expr.h - integer expressions with known facts ------------*- C++ -*-===//
//
// Index expressions over named symbols. An expression denotes a mathematical
// integer; division rounds towards minus infinity, and xor/and act on the
// infinite two's complement form. Every expression carries what is known about
// its value, so that rewrites and refusals rest on proofs.
//
//===----------------------------------------------------------------------===//
#ifndef TIRX_LAYOUT_EXPR_H
#define TIRX_LAYOUT_EXPR_H

#include "tirx/Layout/Support.h"

#include <map>
#include <memory>

namespace tirx::layout {

/// What is known about a value: min <= value <= max and
/// value mod modulus == remainder.
struct ExprFacts {
  int64_t min = -kMaxReach; ///< INT64_MIN: no lower bound known
  int64_t max = kMaxReach;  ///< INT64_MAX: no upper bound known
  int64_t modulus = 1;      ///< 1: nothing known; 0: the value is `remainder`
  int64_t remainder = 0;    ///< in [0, modulus) unless modulus is 0
  bool bounded() const { return min != INT64_MIN && max != INT64_MAX; }
  bool within(int64_t low, int64_t high) const {
    return min >= low && max <= high;
  }
  /// The value is proven to be a multiple of d (d >= 1).
  bool multipleOf(int64_t d) const {
    return modulus % d == 0 && remainder % d == 0;
  }
  friend bool operator==(const ExprFacts &, const ExprFacts &) = default;
};

enum class ExprKind { Symbol, FloorDiv, Mod, Xor, And, Mul, Add, Const };

/// Values of symbols by name.
using Bindings = std::map<std::string, int64_t, std::less<>>;

/// An immutable expression; copies share their nodes. Operations recurse over
/// the nesting depth.
class Expr {
public:
  /// A constant.
  Expr(int64_t value);
  /// A named value with stated facts, which `evaluate` checks. Two symbols of
  /// one name are the same variable. Errors: empty name, min > max, a bound
  /// beyond 2^48, modulus < 1, remainder outside [0, modulus), facts that no
  /// value satisfies.
  static Expected<Expr> symbol(std::string name, ExprFacts facts = {});

  ExprKind kind() const;
  /// The value of a constant; nullopt otherwise.
  std::optional<int64_t> constant() const;
  /// The name of a symbol, empty otherwise.
  const std::string &name() const;
  /// Operands of a binary expression; must not be called on leaves.
  const Expr &lhs() const;
  const Expr &rhs() const;
  const ExprFacts &facts() const;
  /// Identity of the shared node, for memo tables.
  const void *id() const { return node.get(); }

  /// Structural equality; see `proveEqual` for equality of values.
  friend bool operator==(const Expr &a, const Expr &b) {
    return compare(a, b) == 0;
  }
  /// A total order on structure: negative, 0 or positive.
  friend int compare(const Expr &a, const Expr &b);

  // These build one node (constants fold) and do not simplify.
  friend Expr operator+(const Expr &a, const Expr &b);
  friend Expr operator-(const Expr &a, const Expr &b);
  friend Expr operator*(const Expr &a, const Expr &b);
  friend Expr operator^(const Expr &a, const Expr &b);
  friend Expr operator&(const Expr &a, const Expr &b);
  /// Quotient rounded down and its remainder in [0, b); `b` must be positive
  /// where it is evaluated.
  friend Expr floorDiv(const Expr &a, const Expr &b);
  friend Expr mod(const Expr &a, const Expr &b);

private:
  struct Node;
  explicit Expr(std::shared_ptr<const Node> node) : node(std::move(node)) {}
  static Expr binary(ExprKind kind, const Expr &a, const Expr &b);
  std::shared_ptr<const Node> node;
};

int compare(const Expr &a, const Expr &b);
Expr operator+(const Expr &a, const Expr &b);
Expr operator-(const Expr &a, const Expr &b);
Expr operator*(const Expr &a, const Expr &b);
Expr operator^(const Expr &a, const Expr &b);
Expr operator&(const Expr &a, const Expr &b);
Expr floorDiv(const Expr &a, const Expr &b);
Expr mod(const Expr &a, const Expr &b);

/// The value under `bindings`. Errors: unbound symbol, a value that contradicts
/// the symbol's facts, division by a value < 1, a result beyond int64 (or an
/// intermediate beyond 128 bits).
Expected<int64_t> evaluate(const Expr &expr, const Bindings &bindings);

/// A normal form with the same value wherever `expr` evaluates: sums of
/// products in a fixed order, divisions and remainders reduced by ranges and
/// divisibility, low-bit masks written as remainders, xor of disjoint bits as a
/// sum. Rewrites that the facts do not prove exact are not made.
Expr simplify(const Expr &expr);

/// a == b for all bindings, proven by the normal form; false means unproven.
bool proveEqual(const Expr &a, const Expr &b);

/// The bits that may be set in a value known to be in [0, 2^62]; nullopt when
/// that is not known.
std::optional<uint64_t> possibleBits(const Expr &expr);

/// A sum (of a simplified expression) as its terms: `constant` plus, for each
/// entry, coefficient times value.
struct LinearTerms {
  int64_t constant = 0;
  std::vector<std::pair<Expr, int64_t>> terms;
};
LinearTerms linearTerms(const Expr &expr);

/// C spelling, `%` and `/` being floored: `64*x + (y ^ 8*((x + 1) % 8))`.
std::string toString(const Expr &expr);

} // namespace tirx::layout

#endif // TIRX_LAYOUT_EXPR_H
