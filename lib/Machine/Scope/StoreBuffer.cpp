//===- StoreBuffer.cpp - delayed stores of a scope ------------------------===//
//
// See StoreBuffer.h. Between two drains the arenas only grow; a drain that
// leaves nothing resets them.
//
//===----------------------------------------------------------------------===//

#include "Scope/StoreBuffer.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

void storeActive(uint8_t *target, uint32_t bytes, const uint8_t *data, const uint64_t *active) {
  if (!active) {
    std::memcpy(target, data, bytes);
    return;
  }
  for (uint32_t base = 0; base < bytes; base += 64) {
    uint32_t count = std::min(bytes - base, 64u);
    uint64_t valid = count == 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
    uint64_t bits = active[base / 64] & valid;
    if (bits == valid) {
      std::memcpy(target + base, data + base, count);
      continue;
    }
    // Runs of active bytes.
    while (bits) {
      unsigned begin = unsigned(__builtin_ctzll(bits));
      uint64_t rest = ~(bits >> begin);
      unsigned length = rest ? unsigned(__builtin_ctzll(rest)) : 64;
      std::memcpy(target + base + begin, data + base + begin, length);
      if (begin + length >= 64)
        break;
      bits &= ~uint64_t(0) << (begin + length);
    }
  }
}

StoreBuffer::Store StoreBuffer::make(uint8_t *target, uint32_t bytes, const uint8_t *data, const uint64_t *active) {
  Store store{target, bytes, epoch, arena.size(), kAll};
  arena.insert(arena.end(), data, data + bytes);
  if (active) {
    store.active = masks.size();
    masks.insert(masks.end(), active, active + (bytes + 63) / 64);
  }
  return store;
}

void StoreBuffer::write(const Store &store) const {
  storeActive(store.target, store.bytes, arena.data() + store.data,
              store.active == kAll ? nullptr : masks.data() + store.active);
}

void StoreBuffer::addVector(Random &random, uint8_t *target, uint32_t bytes, const uint8_t *data,
                            const uint64_t *active) {
  vectors.push_back(make(target, bytes, data, active));
  // Now and then a store becomes visible before others; only while no epoch
  // orders them.
  while (epoch == 0 && !vectors.empty() && (vectors.size() > kMaxStores || random.oneIn(8))) {
    size_t pick = random.below(vectors.size());
    write(vectors[pick]);
    vectors[pick] = vectors.back();
    vectors.pop_back();
  }
  if (full())
    drain(random);
  if (empty())
    reset();
}

void StoreBuffer::addScalar(Random &random, uint8_t *target, uint32_t bytes, const uint8_t *data) {
  scalars.push_back(make(target, bytes, data, nullptr));
  if (full())
    drain(random);
}

void StoreBuffer::overlay(const uint8_t *target, uint32_t bytes, uint8_t *data) const {
  for (const Store &store : scalars) {
    const uint8_t *low = std::max<const uint8_t *>(target, store.target);
    const uint8_t *high = std::min<const uint8_t *>(target + bytes, store.target + store.bytes);
    if (low < high)
      std::memcpy(data + (low - target), arena.data() + store.data + (low - store.target), size_t(high - low));
  }
}

void StoreBuffer::fence(Random &random, FenceClasses classes) {
  if (empty())
    return;
  bool vectorsSeen = (classes.prior & VectorStore) && (classes.later & (VectorLoad | ScalarLoad));
  bool scalarsSeen = (classes.prior & ScalarStore) && (classes.later & VectorLoad);
  if (vectorsSeen && !scalarsSeen && epoch == 0 && !vectors.empty()) {
    drainVectors(random);
    return;
  }
  if (vectorsSeen || scalarsSeen) {
    drain(random);
    return;
  }
  bool orders = ((classes.prior & VectorStore) && (classes.later & (VectorStore | ScalarStore))) ||
                ((classes.prior & ScalarStore) && (classes.later & VectorStore));
  if (orders)
    ++epoch;
}

void StoreBuffer::drainVectors(Random &random) {
  while (!vectors.empty()) {
    size_t pick = random.below(vectors.size());
    write(vectors[pick]);
    vectors[pick] = vectors.back();
    vectors.pop_back();
  }
  if (empty())
    reset();
}

void StoreBuffer::drain(Random &random) {
  // Random order inside an epoch, scalar stores in their own order, epochs one
  // after another (both lists have rising epochs until they are shuffled here).
  size_t v = 0, s = 0;
  for (uint32_t e = 0; e <= epoch; ++e) {
    size_t vEnd = v, sEnd = s;
    while (vEnd < vectors.size() && vectors[vEnd].epoch == e)
      ++vEnd;
    while (sEnd < scalars.size() && scalars[sEnd].epoch == e)
      ++sEnd;
    while (v < vEnd || s < sEnd) {
      size_t left = (vEnd - v) + (sEnd - s);
      if (random.below(left) < vEnd - v) {
        std::swap(vectors[v], vectors[v + random.below(vEnd - v)]);
        write(vectors[v++]);
      } else {
        write(scalars[s++]);
      }
    }
  }
  vectors.clear();
  scalars.clear();
  reset();
}

void StoreBuffer::reset() {
  arena.clear();
  masks.clear();
  epoch = 0;
}

} // namespace ptoscope
