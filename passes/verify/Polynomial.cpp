//===- Polynomial.cpp - counts with unknown factors -----------------------===//

#include "Polynomial.h"

#include <algorithm>

using namespace tirx::passes;

Polynomial::Polynomial(int64_t constant) {
  if (constant)
    terms[{}] = constant;
}

Polynomial Polynomial::symbol(Symbol symbol) {
  Polynomial result;
  result.terms[{symbol}] = 1;
  return result;
}

/// False if the result is too large.
bool Polynomial::add(const Product &product, int64_t coefficient) {
  int64_t &sum = terms[product];
  sum += coefficient;
  bool fits = sum >= -limit && sum <= limit;
  if (!sum)
    terms.erase(product);
  return fits && terms.size() <= maxTerms;
}

std::optional<Polynomial> Polynomial::plus(const Polynomial &other) const {
  Polynomial result = *this;
  for (auto &[product, coefficient] : other.terms)
    if (!result.add(product, coefficient))
      return std::nullopt;
  return result;
}

std::optional<Polynomial> Polynomial::times(const Polynomial &other) const {
  Polynomial result;
  for (auto &[a, factorA] : terms)
    for (auto &[b, factorB] : other.terms) {
      Product product;
      std::merge(a.begin(), a.end(), b.begin(), b.end(),
                 std::back_inserter(product));
      // Both factors are within 2^31: the product fits 64 bits.
      if (!result.add(product, factorA * factorB))
        return std::nullopt;
    }
  return result;
}

std::optional<Polynomial> Polynomial::minus(const Polynomial &other) const {
  auto negative = other.times(-1);
  return negative ? plus(*negative) : std::nullopt;
}

std::optional<int64_t> Polynomial::getConstant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

Polynomial Polynomial::withoutCommonFactor() const {
  if (terms.empty())
    return *this;
  Product common = terms.begin()->first;
  for (auto &[product, coefficient] : terms) {
    Product both;
    std::set_intersection(common.begin(), common.end(), product.begin(),
                          product.end(), std::back_inserter(both));
    common = both;
  }
  Polynomial result;
  for (auto &[product, coefficient] : terms) {
    Product rest;
    std::set_difference(product.begin(), product.end(), common.begin(),
                        common.end(), std::back_inserter(rest));
    result.terms[rest] = coefficient;
  }
  return result;
}

std::string
Polynomial::print(const std::function<std::string(Symbol)> &name) const {
  if (terms.empty())
    return "0";
  std::string text;
  // The longest products first, the constant last.
  std::vector<std::pair<Product, int64_t>> sorted(terms.begin(), terms.end());
  std::sort(sorted.begin(), sorted.end(), [](auto &a, auto &b) {
    return std::pair(b.first.size(), a.first) <
           std::pair(a.first.size(), b.first);
  });
  for (auto &[product, coefficient] : sorted) {
    int64_t size = std::abs(coefficient);
    if (text.empty())
      text += coefficient < 0 ? "-" : "";
    else
      text += coefficient < 0 ? " - " : " + ";
    if (size != 1 || product.empty())
      text += std::to_string(size) + (product.empty() ? "" : " * ");
    for (size_t i = 0; i < product.size(); ++i)
      text += (i ? " * " : "") + name(product[i]);
  }
  return text;
}
