//===- Symbols.cpp - numbers of a program as sums over symbols ------------===//
//
// What is not a sum is a symbol of its own, and what is known of pairs of such symbols
// is added when a query has both: products with one factor in common, and quotients
// with one divisor, keep the order of their other operand (docs/proving.md).
//
//===----------------------------------------------------------------------===//

#include "Symbols.h"

#include "mlir/Analysis/Presburger/IntegerRelation.h"

#include <algorithm>
#include <numeric>
#include <set>

using namespace mlir::presburger;

namespace ptoscope {

/// Pairs of products and quotients that are told apart by cases.
static constexpr size_t kMaxLemmas = 24;
/// Larger numbers are not those of a program that works.
static constexpr int64_t kMaxFactor = int64_t(1) << 48;

Sum symbol(SymbolId id) {
  Sum sum;
  sum.terms[id] = 1;
  return sum;
}

static int64_t limited(__int128 value, bool &overflows) {
  overflows |= value > kMaxFactor || value < -__int128(kMaxFactor);
  return overflows ? 0 : int64_t(value);
}

Sum operator+(const Sum &a, const Sum &b) {
  Sum sum = a;
  sum.overflows |= b.overflows;
  sum.base = limited(__int128(a.base) + b.base, sum.overflows);
  for (auto [id, factor] : b.terms) {
    int64_t &own = sum.terms[id];
    own = limited(__int128(own) + factor, sum.overflows);
    if (own == 0)
      sum.terms.erase(id);
  }
  return sum;
}

Sum operator*(const Sum &a, int64_t factor) {
  Sum sum;
  if (factor == 0)
    return sum;
  sum.overflows = a.overflows;
  sum.base = limited(__int128(a.base) * factor, sum.overflows);
  for (auto [id, own] : a.terms)
    sum.terms[id] = limited(__int128(own) * factor, sum.overflows);
  return sum;
}

Sum operator-(const Sum &a, const Sum &b) { return a + b * -1; }

/// What all numbers of a sum are multiples of.
static int64_t contentOf(const Sum &sum) {
  int64_t content = sum.base;
  for (auto [id, factor] : sum.terms)
    content = std::gcd(content, factor);
  return content;
}

static Sum dividedBy(Sum sum, int64_t divisor) {
  sum.base /= divisor;
  for (auto &[id, factor] : sum.terms)
    factor /= divisor;
  return sum;
}

//===----------------------------------------------------------------------===//
// Symbols
//===----------------------------------------------------------------------===//

SymbolId Symbols::add(Symbol symbol) {
  symbols.push_back(std::move(symbol));
  return SymbolId(symbols.size() - 1);
}

/// The same operands make the same symbol.
SymbolId Symbols::shared(Symbol symbol) {
  auto key = std::tuple(int(symbol.kind), symbol.a, symbol.b, symbol.divisor);
  auto [it, isNew] = made.try_emplace(key, SymbolId(symbols.size()));
  if (isNew)
    add(std::move(symbol));
  return it->second;
}

Varies Symbols::varies(const Sum &sum) const {
  Varies most = Varies::Never;
  for (auto [id, factor] : sum.terms)
    most = std::max(most, symbols[id].varies);
  return most;
}

bool Symbols::mentions(const Sum &sum, Symbol::Kind kind) const {
  return std::ranges::any_of(sum.terms, [&](const auto &term) {
    const Symbol &own = symbols[term.first];
    return own.kind == kind || mentions(own.a, kind) || mentions(own.b, kind);
  });
}

bool Symbols::mentions(const Sum &sum, SymbolId id) const {
  return std::ranges::any_of(sum.terms, [&](const auto &term) {
    const Symbol &own = symbols[term.first];
    return term.first == id || mentions(own.a, id) || mentions(own.b, id);
  });
}

Sum Symbols::floorDiv(const Sum &sum, int64_t divisor) {
  if (divisor == 1)
    return sum;
  // What is a multiple of the divisor comes out of the quotient.
  Sum whole, rest;
  auto floor = [&](int64_t value) { return value / divisor - (value % divisor < 0); };
  whole.base = floor(sum.base);
  rest.base = sum.base - whole.base * divisor;
  for (auto [id, factor] : sum.terms)
    if (factor % divisor == 0)
      whole.terms[id] = factor / divisor;
    else
      rest.terms[id] = factor;
  if (rest.isConstant())
    return whole;
  Symbol symbol{Symbol::Floor, varies(rest), "", rest, {}, divisor, {}};
  const SymbolId id = shared(std::move(symbol));
  if (symbols[id].facts.empty()) {
    Sum left = rest - ptoscope::symbol(id) * divisor; // 0 <= left < divisor
    symbols[id].facts = {left, Sum(divisor - 1) - left};
  }
  return whole + ptoscope::symbol(id);
}

/// Which of two a symbol is: the smaller or the larger one.
static constexpr int64_t kLeast = 1, kMost = 2;
/// Not above, or not below, both; a lemma says that it is one of them.
static Symbol between(const Sum &a, const Sum &b, Varies varies, int64_t which) {
  return {Symbol::Between, varies, "", a, b, which, {}};
}

Sum Symbols::least(const Sum &a, const Sum &b) {
  if (Sum difference = a - b; difference.isConstant())
    return difference.base <= 0 ? a : b;
  const SymbolId id = shared(between(a, b, std::max(varies(a), varies(b)), kLeast));
  if (symbols[id].facts.empty())
    symbols[id].facts = {a - ptoscope::symbol(id), b - ptoscope::symbol(id)};
  return ptoscope::symbol(id);
}

Sum Symbols::most(const Sum &a, const Sum &b) {
  if (Sum difference = a - b; difference.isConstant())
    return difference.base >= 0 ? a : b;
  const SymbolId id = shared(between(a, b, std::max(varies(a), varies(b)), kMost));
  if (symbols[id].facts.empty())
    symbols[id].facts = {ptoscope::symbol(id) - a, ptoscope::symbol(id) - b};
  return ptoscope::symbol(id);
}

Sum Symbols::product(const Sum &a, const Sum &b) {
  if (a.isConstant() || b.isConstant())
    return a.isConstant() ? b * a.base : a * b.base;
  const bool swap = varies(b) > varies(a) || (varies(b) == varies(a) && b < a);
  const Sum &first = swap ? b : a, &second = swap ? a : b;
  if (varies(second) != Varies::Never)
    return unknown(varies(first));
  // (base + x) * b = base * b + x * b, so that products differ in what varies only; numbers come out of both.
  Sum rest = first;
  rest.base = 0;
  const int64_t outer = contentOf(rest), inner = contentOf(second);
  Symbol symbol{Symbol::Product, varies(first), "", dividedBy(rest, outer), dividedBy(second, inner), 0, {}};
  return second * first.base + ptoscope::symbol(shared(std::move(symbol))) * inner * outer;
}

Sum Symbols::quotient(const Sum &a, const Sum &b) {
  if (b.isConstant() && b.base > 0)
    return floorDiv(a, b.base);
  if (varies(b) != Varies::Never)
    return unknown(std::max(varies(a), varies(b)));
  const SymbolId id = shared({Symbol::Quotient, varies(a), "", a, b, 0, {}});
  if (symbols[id].facts.empty()) // both are not negative
    symbols[id].facts = {ptoscope::symbol(id), a - ptoscope::symbol(id), b - Sum(1)};
  return ptoscope::symbol(id);
}

Sum Symbols::unknown(Varies varies) { return ptoscope::symbol(add({Symbol::Unknown, varies, "", {}, {}, 0, {}})); }

//===----------------------------------------------------------------------===//
// Queries
//===----------------------------------------------------------------------===//

uint32_t Query::columnOf(SymbolId id, int copy) {
  const Symbol &own = symbols[id];
  if (own.varies == Varies::Never || (own.varies == Varies::ByBlock && !twoBlocks))
    copy = 0;
  auto [it, isNew] = columns.try_emplace({id, copy}, columnCount);
  const uint32_t column = it->second;
  if (!isNew)
    return column;
  ++columnCount;
  for (const Sum &fact : own.facts)
    notNegative(fact, copy);
  // What a product is made of takes part in lemmas.
  for (const Sum *sum : {&own.a, &own.b})
    for (auto [inner, factor] : sum->terms)
      columnOf(inner, copy);
  return column;
}

void Query::addTo(Constraint &constraint, const Sum &sum, int copy, int64_t factor) {
  constraint.base += sum.base * factor;
  for (auto [id, own] : sum.terms) {
    int64_t &total = constraint.factors[columnOf(id, copy)];
    total += own * factor;
  }
}

void Query::differ(const Sum &a, int copyA, const Sum &b, int copyB, int64_t least) {
  Constraint constraint;
  addTo(constraint, a, copyA, 1);
  addTo(constraint, b, copyB, -1);
  constraint.base -= least;
  constraints.push_back(std::move(constraint));
}

void Query::equal(const Sum &a, int copyA, const Sum &b, int copyB) {
  Constraint constraint;
  addTo(constraint, a, copyA, 1);
  addTo(constraint, b, copyB, -1);
  constraint.isEqual = true;
  constraints.push_back(std::move(constraint));
}

void Query::remainder(const Sum &sum, int copy, int64_t divisor, int64_t rest) {
  Constraint constraint;
  addTo(constraint, sum, copy, 1);
  constraint.base -= rest;
  constraint.factors[columnCount++] = -divisor;
  constraint.isEqual = true;
  constraints.push_back(std::move(constraint));
}

void Query::commonByte(const Sum &beginA, const Sum &endA, int copyA, const Sum &beginB, const Sum &endB, int copyB) {
  differ(endA, copyA, beginA, copyA, 1);
  differ(endB, copyB, beginB, copyB, 1);
  differ(endA, copyA, beginB, copyB, 1);
  differ(endB, copyB, beginA, copyA, 1);
  compared.push_back({endA, copyA, beginB, copyB});
  compared.push_back({endB, copyB, beginA, copyA});
}

/// Of the products with `b` in a sum: the sum of their other factors, and their own.
std::pair<Sum, Sum> Query::productsWith(const Sum &b, const Sum &sum) const {
  std::pair<Sum, Sum> result;
  for (auto [id, factor] : sum.terms)
    if (symbols[id].kind == Symbol::Product && symbols[id].b == b) {
      result.first = result.first + symbols[id].a * factor;
      result.second = result.second + symbol(id) * factor;
    }
  return result;
}

/// Of each pair, the cases of which one holds.
std::vector<std::vector<Query::Case>> Query::lemmas() {
  std::vector<std::vector<Case>> result;
  std::vector<std::pair<SymbolId, int>> own;
  for (const auto &[key, column] : columns)
    own.push_back(key);
  auto minus = [&](const Sum &a, int copyA, const Sum &b, int copyB, int64_t constant) {
    Constraint constraint;
    addTo(constraint, a, copyA, 1);
    addTo(constraint, b, copyB, -1);
    constraint.base += constant;
    return constraint;
  };
  // u = v, or they are at least one apart, and the products at least one factor, to the side that its sign says.
  auto products = [&](const Sum &u, const Sum &x, int copyX, const Sum &v, const Sum &y, int copyY, const Sum &b) {
    Constraint same = minus(u, copyX, v, copyY, 0), equal = minus(x, copyX, y, copyY, 0);
    same.isEqual = equal.isEqual = true;
    const Constraint positive = minus(b, 0, {}, 0, 0), negative = minus(Sum(-1), 0, b, 0, 0);
    const Constraint above = minus(u, copyX, v, copyY, -1), below = minus(v, copyY, u, copyX, -1);
    std::vector<Case> cases = {{same, equal}};
    cases.push_back({positive, above, minus(x, copyX, y + b, copyY, 0)});
    cases.push_back({positive, below, minus(y, copyY, x + b, copyX, 0)});
    cases.push_back({negative, above, minus(y + b, copyY, x, copyX, 0)});
    cases.push_back({negative, below, minus(x + b, copyX, y, copyY, 0)});
    result.push_back(std::move(cases));
  };
  // Several products with one factor in common are one product of a sum: rows of a matrix and where they begin.
  for (const Compared &each : compared) {
    std::set<Sum> factors;
    for (const Sum *sum : {&each.a, &each.b})
      for (auto [id, factor] : sum->terms)
        if (symbols[id].kind == Symbol::Product)
          factors.insert(symbols[id].b);
    for (const Sum &factor : factors) {
      auto [u, x] = productsWith(factor, each.a);
      auto [v, y] = productsWith(factor, each.b);
      if (x.terms.size() + y.terms.size() < 3 || result.size() >= kMaxLemmas)
        continue;
      const int64_t common = std::gcd(contentOf(x), contentOf(y));
      products(dividedBy(u, common), dividedBy(x, common), each.copyA, dividedBy(v, common), dividedBy(y, common),
               each.copyB, factor);
    }
  }
  for (size_t i = 0; i < own.size(); ++i)
    for (size_t j = i + 1; j < own.size() && result.size() < kMaxLemmas; ++j) {
      auto [x, copyX] = own[i];
      auto [y, copyY] = own[j];
      const Symbol &p = symbols[x], &q = symbols[y];
      if (p.kind != q.kind || p.b != q.b)
        continue;
      const Sum sx = symbol(x), sy = symbol(y);
      if (p.kind == Symbol::Product)
        products(p.a, sx, copyX, q.a, sy, copyY, p.b);
      if (p.kind == Symbol::Quotient) {
        Constraint same = minus(p.a, copyX, q.a, copyY, 0), equal = minus(sx, copyX, sy, copyY, 0);
        same.isEqual = equal.isEqual = true;
        result.push_back({{same, equal},
                          {minus(p.a, copyX, q.a, copyY, -1), minus(sx, copyX, sy, copyY, 0)},
                          {minus(q.a, copyY, p.a, copyX, -1), minus(sy, copyY, sx, copyX, 0)}});
      }
    }
  // The smaller of two is one of them, and so is the larger.
  for (auto [x, copy] : own)
    if (const Symbol &p = symbols[x]; p.kind == Symbol::Between && (p.divisor == kLeast || p.divisor == kMost)) {
      const Sum sx = symbol(x);
      if (result.size() < kMaxLemmas && p.divisor == kLeast)
        result.push_back({{minus(sx, copy, p.a, copy, 0)}, {minus(sx, copy, p.b, copy, 0)}});
      else if (result.size() < kMaxLemmas)
        result.push_back({{minus(p.a, copy, sx, copy, 0)}, {minus(p.b, copy, sx, copy, 0)}});
    }
  for (auto [x, copy] : own)
    if (symbols[x].kind == Symbol::Product && result.size() < kMaxLemmas)
      products(symbols[x].a, symbol(x), copy, Sum(0), Sum(0), copy, symbols[x].b);
  return result;
}

Query::Answer Query::decide(const std::vector<Constraint> &added, bool wantsPoint) {
  if (deadline.over())
    return Answer::GaveUp;
  IntegerPolyhedron set(PresburgerSpace::getSetSpace(columnCount));
  std::vector<int64_t> row(columnCount + 1);
  for (const std::vector<Constraint> *list : {static_cast<const std::vector<Constraint> *>(&constraints), &added})
    for (const Constraint &constraint : *list) {
      std::fill(row.begin(), row.end(), 0);
      for (auto [column, factor] : constraint.factors)
        row[column] = factor;
      row[columnCount] = constraint.base;
      if (constraint.isEqual)
        set.addEquality(llvm::ArrayRef<int64_t>(row));
      else
        set.addInequality(llvm::ArrayRef<int64_t>(row));
    }
  auto found = set.findIntegerSample();
  if (!found)
    return Answer::Empty;
  if (wantsPoint) {
    point.assign(columnCount, 0);
    for (uint32_t column = 0; column < columnCount; ++column)
      point[column] = int64_t((*found)[column]);
  }
  return Answer::Found;
}

Query::Answer Query::tryCases(const std::vector<std::vector<Case>> &choices, size_t next,
                              std::vector<Constraint> &added) {
  const bool last = next == choices.size();
  Answer answer = decide(added, last);
  if (last || answer != Answer::Found)
    return answer;
  for (const Case &each : choices[next]) {
    const size_t kept = added.size();
    added.insert(added.end(), each.begin(), each.end());
    answer = tryCases(choices, next + 1, added);
    added.resize(kept);
    if (answer != Answer::Empty)
      return answer;
  }
  return Answer::Empty;
}

Query::Answer Query::solve() {
  std::vector<Constraint> added;
  const std::vector<std::vector<Case>> choices = lemmas();
  return tryCases(choices, 0, added);
}

int64_t Query::value(SymbolId id, int copy) const {
  const Symbol &own = symbols[id];
  if (own.varies == Varies::Never || (own.varies == Varies::ByBlock && !twoBlocks))
    copy = 0;
  auto it = columns.find({id, copy});
  return it == columns.end() || it->second >= point.size() ? 0 : point[it->second];
}

int64_t Query::value(const Sum &sum, int copy) const {
  int64_t total = sum.base;
  for (auto [id, factor] : sum.terms)
    total += factor * value(id, copy);
  return total;
}

} // namespace ptoscope
