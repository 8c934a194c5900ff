//===- LoopCounts.h - how often an operation is executed --------*- C++ -*-===//
#pragma once

#include "Polynomial.h"

#include "tirx/Dialect/TIRx.h"

#include "llvm/ADT/DenseMap.h"

namespace tirx::passes {

/// Counts executions as polynomials. Values that are computed alike are one
/// symbol, wherever they are computed: so the counts of two roles that loop
/// over the same extent are equal.
class LoopCounts {
public:
  using Symbol = Polynomial::Symbol;

  /// How often a thread that runs `root` executes `op` in it. None where the
  /// numbers get too large to follow.
  std::optional<Polynomial> get(mlir::Operation *op, mlir::Operation *root);

  /// The value as a sum of symbols, as text: for people.
  std::string describe(mlir::Value value);

  /// Whether the symbol is the number of tiles that a schedule of several tiles
  /// a CTA gives, which differs between CTAs and launches.
  bool isTileCount(Symbol symbol) const;
  /// Whether the symbol may well be 0 each time: a condition, or something that
  /// is not understood.
  bool isVague(Symbol symbol) const;
  /// "ceil(A.dim(1) / 64)", "tiles".
  std::string name(Symbol symbol) const;

private:
  enum class Kind { value, quotient, tileCount, condition, unknown };
  /// What makes a symbol: operation and attributes, operands' symbols, or the
  /// value itself.
  using Key = std::vector<uintptr_t>;
  struct Info {
    Kind kind;
    std::string name;
  };

  Symbol intern(Kind kind, Key key, const std::function<std::string()> &name);
  /// The symbol of a value as it stands.
  Symbol number(mlir::Value value, int depth);
  Symbol computeNumber(mlir::Value value, int depth);
  /// The value as a sum of symbols: additions and constant factors are
  /// followed.
  const Polynomial &linearize(mlir::Value value, int depth = 0);
  std::optional<Polynomial> computeLinear(mlir::Value value, int depth);
  /// ceil(dividend / divisor).
  std::optional<Polynomial> divide(const Polynomial &dividend, int64_t divisor);
  std::optional<Polynomial> getTripCount(mlir::Operation *loop);
  /// How often `region` runs each time that its operation does.
  std::optional<Polynomial> getFactor(mlir::Region *region);
  Symbol unknown(const void *what);

  std::map<Key, Symbol> symbols;
  std::vector<Info> infos;
  llvm::DenseMap<mlir::Value, Symbol> numbers;
  llvm::DenseMap<mlir::Value, Polynomial> linear;
};

} // namespace tirx::passes
