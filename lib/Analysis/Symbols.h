//===- Symbols.h - numbers of a program as sums over symbols ----*- C++ -*-===//
//
// For `check --prove`. A number is a constant plus multiples of symbols: arguments,
// the block, turns of loops, and names for what is not a sum itself (quotients,
// smallest of two, products of two symbols). A symbol has facts, sums that are never
// negative. A Query asks for a point that satisfies facts of one or two executions.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_SYMBOLS_H
#define PTOSCOPE_LIB_ANALYSIS_SYMBOLS_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <chrono>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ptoscope {

using SymbolId = uint32_t;

/// base + sum of factor * symbol.
struct Sum {
  int64_t base = 0;
  std::map<SymbolId, int64_t> terms; ///< no factor is 0
  bool overflows = false;            ///< a number was too large, so that the sum says nothing

  Sum() = default;
  Sum(int64_t base) : base(base) {}
  bool isConstant() const { return terms.empty() && !overflows; }
  auto operator<=>(const Sum &) const = default;
};
Sum symbol(SymbolId id);
Sum operator+(const Sum &a, const Sum &b);
Sum operator-(const Sum &a, const Sum &b);
Sum operator*(const Sum &a, int64_t factor);

/// How often a symbol has another value.
enum class Varies : uint8_t {
  Never,     ///< an argument of the kernel
  ByBlock,   ///< the number of the block
  ByInstance ///< the turn of a loop
};

struct Symbol {
  enum Kind : uint8_t {
    Argument,
    Block,
    Blocks,
    Turn,
    Row,      ///< of a transfer: any number that its facts allow
    Floor,    ///< a / divisor, rounded down
    Between,  ///< facts say all there is: min, max, a choice
    Product,  ///< a * b; b does not vary
    Quotient, ///< a / b, both not negative; b does not vary
    Unknown,  ///< read from memory, or computed in a way that is not followed
  };
  Kind kind;
  Varies varies;
  std::string name; ///< "%n" of an argument
  Sum a, b;
  int64_t divisor = 0;
  std::vector<Sum> facts; ///< of this symbol and of those it is made of
};

class Symbols {
public:
  SymbolId add(Symbol symbol);
  const Symbol &operator[](SymbolId id) const { return symbols[id]; }
  Symbol &operator[](SymbolId id) { return symbols[id]; }
  size_t size() const { return symbols.size(); }
  Varies varies(const Sum &sum) const;
  /// True when the sum has a symbol of this kind, also inside of others.
  bool mentions(const Sum &sum, Symbol::Kind kind) const;
  bool mentions(const Sum &sum, SymbolId id) const;

  Sum floorDiv(const Sum &sum, int64_t divisor);
  Sum least(const Sum &a, const Sum &b);
  Sum most(const Sum &a, const Sum &b);
  Sum product(const Sum &a, const Sum &b);
  Sum quotient(const Sum &a, const Sum &b);
  Sum unknown(Varies varies);

private:
  SymbolId shared(Symbol symbol);
  std::vector<Symbol> symbols;
  std::map<std::tuple<int, Sum, Sum, int64_t>, SymbolId> made;
};

/// The clock that ends a proof.
struct Deadline {
  std::chrono::steady_clock::time_point end;
  bool over() const { return std::chrono::steady_clock::now() >= end; }
};

/// Integers that satisfy everything that was asked for. Symbols that vary by instance
/// exist once for each copy; those that vary by block once for each copy where `blocks`.
class Query {
public:
  Query(const Symbols &symbols, const Deadline &deadline, bool twoBlocks = false)
      : symbols(symbols), deadline(deadline), twoBlocks(twoBlocks) {}

  /// `sum` of `copy` is not negative.
  void notNegative(const Sum &sum, int copy) { differ(sum, copy, {}, copy, 0); }
  /// a - b >= least
  void differ(const Sum &a, int copyA, const Sum &b, int copyB, int64_t least);
  void equal(const Sum &a, int copyA, const Sum &b, int copyB);
  /// `sum` leaves `rest` when divided by `divisor`.
  void remainder(const Sum &sum, int copy, int64_t divisor, int64_t rest);
  /// A byte that is in [begin, end) of both.
  void commonByte(const Sum &beginA, const Sum &endA, int copyA, const Sum &beginB, const Sum &endB, int copyB);

  enum class Answer { Empty, Found, GaveUp };
  Answer solve();
  /// After Found: the value of a symbol that the query has; 0 for others.
  int64_t value(SymbolId id, int copy = 0) const;
  int64_t value(const Sum &sum, int copy) const;

private:
  struct Constraint {
    std::map<uint32_t, int64_t> factors;
    int64_t base = 0;
    bool isEqual = false;
  };
  using Case = std::vector<Constraint>;

  struct Compared {
    Sum a;
    int copyA;
    Sum b;
    int copyB;
  };

  std::pair<Sum, Sum> productsWith(const Sum &b, const Sum &sum) const;
  uint32_t columnOf(SymbolId id, int copy);
  void addTo(Constraint &constraint, const Sum &sum, int copy, int64_t factor);
  std::vector<std::vector<Case>> lemmas();
  Answer tryCases(const std::vector<std::vector<Case>> &choices, size_t next, std::vector<Constraint> &added);
  Answer decide(const std::vector<Constraint> &added, bool wantsPoint);

  const Symbols &symbols;
  const Deadline &deadline;
  bool twoBlocks;
  std::map<std::pair<SymbolId, int>, uint32_t> columns;
  uint32_t columnCount = 0;
  std::vector<Constraint> constraints;
  std::vector<Compared> compared; ///< ends and begins of bytes
  std::vector<int64_t> point;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_SYMBOLS_H
