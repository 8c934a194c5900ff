//===- ExprFacts.cpp - ranges and residues of operations --------*- C++ -*-===//
#include "ExprFacts.h"

#include "Detail.h"

#include <algorithm>
#include <numeric>

namespace tirx::layout::detail {

using Wide = __int128;

/// Bounds beyond this are dropped, so that int64 never overflows on them.
static constexpr int64_t kLimit = int64_t(1) << 62;

static ExprFacts range(Wide low, Wide high) {
  ExprFacts f;
  f.min = low < -kLimit ? INT64_MIN : int64_t(std::min<Wide>(low, kLimit));
  f.max = high > kLimit ? INT64_MAX : int64_t(std::max<Wide>(high, -kLimit));
  return f;
}
static ExprFacts unknown() {
  return range(-Wide(kLimit) - 1, Wide(kLimit) + 1);
}

static Wide gcd(Wide a, Wide b) {
  a = a < 0 ? -a : a;
  b = b < 0 ? -b : b;
  while (b)
    a = std::exchange(b, a % b);
  return a;
}

static void setResidue(ExprFacts &f, Wide modulus, Wide remainder) {
  if (modulus < 0)
    modulus = -modulus;
  f.modulus = 1;
  f.remainder = 0;
  if (modulus == 0 && remainder >= INT64_MIN && remainder <= INT64_MAX) {
    f.modulus = 0;
    f.remainder = int64_t(remainder);
  } else if (modulus > 0 && modulus <= kLimit) {
    f.modulus = int64_t(modulus);
    f.remainder = int64_t((remainder % modulus + modulus) % modulus);
  }
}

ExprFacts tightened(ExprFacts f) {
  if (f.modulus > 1 && f.min != INT64_MIN) {
    const Wide r =
        ((Wide(f.remainder) - f.min) % f.modulus + f.modulus) % f.modulus;
    f.min = range(f.min + r, 0).min;
  }
  if (f.modulus > 1 && f.max != INT64_MAX) {
    const Wide r =
        ((Wide(f.max) - f.remainder) % f.modulus + f.modulus) % f.modulus;
    f.max = range(0, f.max - r).max;
  }
  if (f.modulus == 0 && f.remainder <= kLimit && f.remainder >= -kLimit)
    f.min = f.max = f.remainder;
  if (f.min == f.max && f.bounded()) {
    f.modulus = 0;
    f.remainder = f.min;
  }
  return f;
}

/// The number of low bits that the residue fixes.
static int knownLowBits(const ExprFacts &f) {
  return f.modulus == 0 ? 62 : std::countr_zero(uint64_t(f.modulus));
}
static uint64_t lowMask(int bits) {
  return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1;
}

std::optional<uint64_t> possibleBits(const ExprFacts &f) {
  if (f.min < 0 || f.max > kLimit)
    return std::nullopt;
  const uint64_t known = lowMask(knownLowBits(f));
  return (lowMask(std::bit_width(uint64_t(f.max))) & ~known) |
         (uint64_t(f.remainder) & known & lowMask(63));
}

static ExprFacts addFacts(const ExprFacts &a, const ExprFacts &b) {
  ExprFacts f =
      range(a.min == INT64_MIN || b.min == INT64_MIN ? -Wide(kLimit) - 1
                                                     : Wide(a.min) + b.min,
            a.max == INT64_MAX || b.max == INT64_MAX ? Wide(kLimit) + 1
                                                     : Wide(a.max) + b.max);
  setResidue(f, gcd(a.modulus, b.modulus), Wide(a.remainder) + b.remainder);
  return f;
}

static ExprFacts mulFacts(const ExprFacts &a, const ExprFacts &b) {
  ExprFacts f = unknown();
  if (a.bounded() && b.bounded()) {
    const Wide corners[] = {Wide(a.min) * b.min, Wide(a.min) * b.max,
                            Wide(a.max) * b.min, Wide(a.max) * b.max};
    f = range(*std::min_element(corners, corners + 4),
              *std::max_element(corners, corners + 4));
  } else if (a.min >= 0 && b.min >= 0) {
    f.min = range(Wide(a.min) * b.min, 0).min;
  }
  // (Mk + r)(Nl + s): the products with k and l bound the residue.
  const Wide m =
      gcd(gcd(Wide(a.modulus) * b.modulus, Wide(a.modulus) * b.remainder),
          Wide(b.modulus) * a.remainder);
  setResidue(f, m, Wide(a.remainder) * b.remainder);
  return f;
}

static ExprFacts divFacts(const ExprFacts &a, const ExprFacts &b) {
  if (b.modulus != 0 || b.remainder < 1) {
    ExprFacts f = unknown();
    if (a.min >= 0) { // divisors are positive
      f.min = 0;
      f.max = a.max;
    }
    return f;
  }
  const int64_t d = b.remainder;
  ExprFacts f =
      range(a.min == INT64_MIN ? -Wide(kLimit) - 1 : Wide(floorDiv(a.min, d)),
            a.max == INT64_MAX ? Wide(kLimit) + 1 : Wide(floorDiv(a.max, d)));
  if (a.modulus % d == 0)
    setResidue(f, a.modulus / d, floorDiv(a.remainder, d));
  return f;
}

static ExprFacts modFacts(const ExprFacts &a, const ExprFacts &b) {
  if (b.modulus != 0 || b.remainder < 1)
    return range(0, b.max == INT64_MAX ? Wide(kLimit) + 1 : Wide(b.max) - 1);
  const int64_t d = b.remainder;
  ExprFacts f = range(0, Wide(d) - 1);
  if (a.bounded() && floorDiv(a.min, d) == floorDiv(a.max, d)) {
    const int64_t base = floorDiv(a.min, d) * d;
    f = range(a.min - base, a.max - base);
  }
  setResidue(f, a.modulus % d == 0 ? Wide(d) : gcd(a.modulus, d), a.remainder);
  return f;
}

/// Both values lie in [-2^k, 2^k), and so does any bitwise combination.
static ExprFacts bitwiseRange(const ExprFacts &a, const ExprFacts &b) {
  if (!a.bounded() || !b.bounded())
    return unknown();
  uint64_t widest = 0;
  for (int64_t v : {a.min, a.max, b.min, b.max})
    widest = std::max(widest, uint64_t(v < 0 ? ~v : v));
  const Wide bound = Wide(lowMask(std::bit_width(widest)));
  const bool nonNegative = a.min >= 0 && b.min >= 0;
  return range(nonNegative ? 0 : -bound - 1, bound);
}

static ExprFacts xorFacts(const ExprFacts &a, const ExprFacts &b) {
  ExprFacts f = bitwiseRange(a, b);
  const int bits = std::min(knownLowBits(a), knownLowBits(b));
  setResidue(f, Wide(1) << bits, Wide(a.remainder ^ b.remainder));
  return f;
}

static ExprFacts andFacts(const ExprFacts &a, const ExprFacts &b) {
  ExprFacts f = bitwiseRange(a, b);
  if (a.min >= 0 || b.min >= 0) {
    const int64_t high = std::min(a.min >= 0 ? a.max : INT64_MAX,
                                  b.min >= 0 ? b.max : INT64_MAX);
    f = range(0, high == INT64_MAX ? Wide(kLimit) + 1 : Wide(high));
  }
  // Low bits are known where both are, and zero where either is.
  auto zeroBits = [](const ExprFacts &x) {
    return std::min(knownLowBits(x),
                    std::countr_zero(uint64_t(x.remainder) | kLimit));
  };
  const int bits = std::min(knownLowBits(a), knownLowBits(b));
  const int zeros = std::max(zeroBits(a), zeroBits(b));
  setResidue(f, Wide(1) << std::max(bits, zeros),
             Wide(a.remainder & b.remainder));
  return f;
}

ExprFacts factsOf(ExprKind kind, const ExprFacts &a, const ExprFacts &b) {
  switch (kind) {
  case ExprKind::Add:
    return tightened(addFacts(a, b));
  case ExprKind::Mul:
    return tightened(mulFacts(a, b));
  case ExprKind::FloorDiv:
    return tightened(divFacts(a, b));
  case ExprKind::Mod:
    return tightened(modFacts(a, b));
  case ExprKind::Xor:
    return tightened(xorFacts(a, b));
  case ExprKind::And:
    return tightened(andFacts(a, b));
  case ExprKind::Symbol:
  case ExprKind::Const:
    break;
  }
  return unknown();
}

} // namespace tirx::layout::detail
