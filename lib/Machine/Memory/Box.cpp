//===- Box.cpp - arithmetic on strided sets of bytes ----------------------===//
//
// The overlap test is exact and works on strides, not on bytes: two boxes meet
// when the difference of a row start of one and a row start of the other falls
// into a short interval. All differences form one strided set again (strides
// of both boxes together), which is searched from the largest stride down,
// visiting only multiples that can still reach the interval.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Box.h"

#include <algorithm>
#include <cstddef>

namespace ptoscope {

namespace {
using Wide = __int128;

/// One stride of the set of differences. `a` and `b` are dimensions of the two
/// boxes that have this stride, or -1.
struct Term {
  Wide stride;
  Wide count;
  int a = -1, b = -1;
  Wide value = 0; ///< chosen multiple
};

struct Span {
  Wide low, high;
};

Span spanOf(const Box &box) {
  Wide low = box.base, high = Wide(box.base) + box.rowBytes;
  for (const Box::Dim &dim : box.dims) {
    Wide reach = Wide(dim.count - 1) * dim.stride;
    (reach < 0 ? low : high) += reach;
  }
  return {low, high};
}

Wide floorDiv(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

/// Is there a choice of multiples from `terms[level]` on whose sum lies in
/// [low, high]? Terms have falling strides.
bool reaches(std::vector<Term> &terms, const std::vector<Wide> &restReach, size_t level, Wide low, Wide high) {
  if (high < 0 || low > restReach[level])
    return false;
  if (level == terms.size())
    return true;
  Term &term = terms[level];
  // v * stride has to lie in [low - rest, high].
  Wide rest = restReach[level + 1];
  Wide first = std::max<Wide>(0, -floorDiv(-(low - rest), term.stride));
  Wide last = std::min(term.count - 1, floorDiv(high, term.stride));
  for (Wide v = first; v <= last; ++v) {
    term.value = v;
    if (reaches(terms, restReach, level + 1, low - v * term.stride, high - v * term.stride))
      return true;
  }
  return false;
}

/// Start and dimensions with positive strides only, as a set of bytes.
struct Positive {
  Wide base;
  std::vector<std::pair<Wide, Wide>> dims; ///< stride, count
};

Positive positive(const Box &box) {
  Positive result{Wide(box.base), {}};
  for (const Box::Dim &dim : box.dims) {
    if (dim.count <= 1 || dim.stride == 0)
      continue;
    if (dim.stride < 0) {
      result.base += Wide(dim.count - 1) * dim.stride;
      result.dims.push_back({-Wide(dim.stride), Wide(dim.count)});
    } else {
      result.dims.push_back({Wide(dim.stride), Wide(dim.count)});
    }
  }
  return result;
}

uint64_t saturate(Wide value) { return value > Wide(UINT64_MAX) ? UINT64_MAX : value < 0 ? 0 : uint64_t(value); }
} // namespace

uint64_t Box::lowestOfRows() const { return saturate(spanOf(*this).low); }
uint64_t Box::endOfRows() const { return empty() ? lowest() : saturate(spanOf(*this).high); }

uint64_t Box::bytes() const {
  unsigned __int128 total = rowBytes;
  for (const Dim &dim : dims) {
    total *= dim.count;
    if (total > UINT64_MAX)
      return UINT64_MAX;
  }
  return uint64_t(total);
}

void Box::normalise() {
  for (const Dim &dim : dims)
    if (dim.count == 0)
      rowBytes = 0;
  if (rowBytes == 0) {
    dims.clear();
    return;
  }
  std::erase_if(dims, [](const Dim &dim) { return dim.count == 1; });
  auto magnitude = [](const Dim &dim) {
    return dim.stride < 0 ? uint64_t(0) - uint64_t(dim.stride) : uint64_t(dim.stride);
  };
  std::sort(dims.begin(), dims.end(), [&](const Dim &a, const Dim &b) {
    return std::pair(magnitude(a), a.count) < std::pair(magnitude(b), b.count);
  });
  // A dimension that continues what is inside it becomes part of it. Products
  // that would overflow are left apart; they are rejected by their users.
  size_t kept = 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    const Dim dim = dims[i];
    uint64_t product;
    if (kept == 0 && dim.stride > 0 && uint64_t(dim.stride) == rowBytes &&
        !__builtin_mul_overflow(rowBytes, dim.count, &product)) {
      rowBytes = product;
      continue;
    }
    if (kept > 0) {
      Dim &inner = dims[kept - 1];
      int64_t reach;
      if (inner.stride != 0 && inner.count <= uint64_t(INT64_MAX) &&
          !__builtin_mul_overflow(inner.stride, int64_t(inner.count), &reach) && reach == dim.stride &&
          !__builtin_mul_overflow(inner.count, dim.count, &product)) {
        inner.count = product;
        continue;
      }
    }
    dims[kept++] = dim;
  }
  dims.resize(kept);
}

bool Box::overlaps(const Box &other, uint64_t *firstCommonByte) const {
  if (empty() || other.empty())
    return false;
  for (const Box *box : {this, &other})
    for (const Dim &dim : box->dims)
      if (dim.count == 0)
        return false;
  Span mine = spanOf(*this), theirs = spanOf(other);
  if (mine.high <= theirs.low || theirs.high <= mine.low)
    return false;

  // Row starts meet when startA - startB lies in (-rowA, rowB).
  Positive a = positive(*this), b = positive(other);
  std::vector<Term> terms;
  Wide base = a.base - b.base;
  for (size_t i = 0; i < a.dims.size(); ++i)
    terms.push_back({a.dims[i].first, a.dims[i].second, int(i), -1});
  for (size_t j = 0; j < b.dims.size(); ++j) {
    auto [stride, count] = b.dims[j];
    base -= (count - 1) * stride;
    auto same = std::find_if(terms.begin(), terms.end(), [&](const Term &t) { return t.stride == stride && t.b < 0; });
    if (same != terms.end()) {
      same->count += count - 1;
      same->b = int(j);
    } else {
      terms.push_back({stride, count, -1, int(j)});
    }
  }
  std::sort(terms.begin(), terms.end(), [](const Term &x, const Term &y) { return x.stride > y.stride; });
  std::vector<Wide> restReach(terms.size() + 1, 0);
  for (size_t i = terms.size(); i-- > 0;)
    restReach[i] = restReach[i + 1] + (terms[i].count - 1) * terms[i].stride;
  if (!reaches(terms, restReach, 0, -Wide(rowBytes) + 1 - base, Wide(other.rowBytes) - 1 - base))
    return false;

  if (firstCommonByte) {
    // Back from differences to one row of each box.
    Wide startA = a.base, startB = b.base;
    for (const Term &term : terms) {
      Wide i = term.value, j = 0;
      if (term.b >= 0) {
        Wide countB = b.dims[size_t(term.b)].second;
        Wide difference = term.value - (countB - 1);
        i = term.a >= 0 ? std::max<Wide>(0, difference) : 0;
        j = i - difference;
      }
      if (term.a >= 0)
        startA += i * term.stride;
      if (term.b >= 0)
        startB += j * term.stride;
    }
    *firstCommonByte = uint64_t(std::max(startA, startB));
  }
  return true;
}

} // namespace ptoscope
