//===- Polynomial.h - counts with unknown factors ---------------*- C++ -*-===//
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace tirx::passes {

/// A sum of products of symbols, which are non-negative integers that are not
/// known. Numbers stay within `limit`; results that would not are none.
class Polynomial {
public:
  using Symbol = unsigned;
  using Product = std::vector<Symbol>; ///< sorted; empty for 1
  static constexpr int64_t limit = int64_t(1) << 31;
  static constexpr size_t maxTerms = 64;

  Polynomial(int64_t constant = 0);
  static Polynomial symbol(Symbol symbol);

  std::optional<Polynomial> plus(const Polynomial &other) const;
  std::optional<Polynomial> times(const Polynomial &other) const;
  std::optional<Polynomial> minus(const Polynomial &other) const;
  bool operator==(const Polynomial &other) const = default;

  bool isZero() const { return terms.empty(); }
  std::optional<int64_t> getConstant() const;
  /// Coefficient of each product of symbols; none is 0.
  const std::map<Product, int64_t> &getTerms() const { return terms; }
  /// Divided by the product that all terms have in common.
  Polynomial withoutCommonFactor() const;
  /// "4 * tiles - 1".
  std::string print(const std::function<std::string(Symbol)> &name) const;

private:
  bool add(const Product &product, int64_t coefficient);
  std::map<Product, int64_t> terms;
};

} // namespace tirx::passes
