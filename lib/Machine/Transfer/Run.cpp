//===- Run.cpp - moving the rows of a transfer ----------------------------===//
//
// Moves bytes row by row with memcpy; a GM side that leaves its object is
// clipped exactly: bytes beyond read as zero, writes there are dropped. Local
// bounds were checked when the transfer was planned.
//
//===----------------------------------------------------------------------===//

#include "Transfer/TransferUnit.h"

#include "ptoscope/Machine/Onlooker.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

namespace {
/// `count` rows of `len` bytes from one memory to another. GM is larger than the
/// caches of the host: its side is fetched ahead.
struct RowCopy {
  uint8_t *to;
  const uint8_t *from;
  uint64_t toStride, fromStride;
  uint64_t len, count;
  bool fromGm;
};

void copyRows(const RowCopy &rows) {
  for (uint64_t i = 0; i < rows.count; ++i)
    std::memcpy(rows.to + i * rows.toStride, rows.from + i * rows.fromStride, rows.len);
}

/// Hosts with AArch64 write whole lines without reading them first, unless they were fetched.
#if defined(__aarch64__)
constexpr bool kFetchesTargets = false;
#else
constexpr bool kFetchesTargets = true;
#endif

/// A length known to the compiler costs no call per row.
template <uint64_t Bytes, bool FromGm> [[gnu::always_inline]] inline void copyFixedRows(const RowCopy &rows) {
  // In rows. Reads ahead go to the second level of cache, which has room for more
  // of them in flight.
  constexpr uint64_t kAhead = FromGm ? 64 : 16, kLine = 64;
  auto [to, from, toStride, fromStride, len, count, fromGm] = rows;
  auto fetch = [&](uint64_t row) {
    for (uint64_t k = 0; k < Bytes; k += kLine)
      if constexpr (FromGm)
        __builtin_prefetch(from + row * fromStride + k, 0, 2);
      else if constexpr (kFetchesTargets)
        __builtin_prefetch(to + row * toStride + k, 1);
  };
  for (uint64_t row = 0; row < std::min(kAhead, count); ++row)
    fetch(row);
  uint64_t i = 0;
  for (; i + kAhead < count; ++i) {
    fetch(i + kAhead);
    std::memcpy(to + i * toStride, from + i * fromStride, Bytes);
  }
  for (; i < count; ++i)
    std::memcpy(to + i * toStride, from + i * fromStride, Bytes);
}

using Copier = void (*)(const RowCopy &);
template <uint64_t Bytes, bool FromGm> void copyShortRows(const RowCopy &rows) { copyFixedRows<Bytes, FromGm>(rows); }
#if defined(__x86_64__)
/// Moves of 32 bytes instead of 16: with fewer instructions a row, the host has more
/// rows under way.
template <uint64_t Bytes, bool FromGm> [[gnu::target("avx2")]] void copyShortRowsWide(const RowCopy &rows) {
  copyFixedRows<Bytes, FromGm>(rows);
}
bool hasWideMoves() { return __builtin_cpu_supports("avx2"); }
#else
template <uint64_t Bytes, bool FromGm> constexpr Copier copyShortRowsWide = copyShortRows<Bytes, FromGm>;
bool hasWideMoves() { return false; }
#endif

/// By wide moves and by whether GM is the source.
template <uint64_t Bytes>
constexpr std::array<std::array<Copier, 2>, 2> kCopiers = {
    {{copyShortRows<Bytes, false>, copyShortRows<Bytes, true>},
     {copyShortRowsWide<Bytes, false>, copyShortRowsWide<Bytes, true>}}};

void copy(const RowCopy &rows) {
  static constexpr std::array kShort = {kCopiers<32>, kCopiers<64>, kCopiers<96>, kCopiers<128>};
  uint64_t blocks = rows.len / kBlockBytes;
  if (rows.len % kBlockBytes == 0 && blocks - 1 < kShort.size())
    kShort[blocks - 1][hasWideMoves()][rows.fromGm](rows);
  else
    copyRows(rows);
}

/// What every row needs, with GM resolved to host memory.
struct RowMover {
  const Transfer &t;
  const uint8_t *srcBase; ///< host byte of `t.src`; null when clipped GM
  uint8_t *dstBase;       ///< host byte of `t.dst`; null when clipped GM
  uint32_t element;

  RowMover(const Memories &local, const Transfer &transfer) : t(transfer) {
    auto host = [&](Space space, uint8_t *memory, uint64_t address, const GmObject *object) -> uint8_t * {
      if (space != Space::Gm)
        return memory + address;
      return t.clipped ? nullptr : object->host + (address - object->base);
    };
    srcBase = host(t.srcSpace, local.base(t.srcSpace), t.src, t.srcObject);
    dstBase = host(t.dstSpace, t.dstMemory, t.dst, t.dstObject);
    element = t.atomic() ? bytesOf(t.atomicType) : 1;
  }

  /// The part of [address, address + len) that lies in `object`, as offsets.
  static std::pair<uint64_t, uint64_t> present(const GmObject *object, uint64_t address, uint64_t len) {
    if (!object)
      return {0, 0};
    uint64_t objectEnd = object->base + object->bytes;
    uint64_t begin = address < object->base ? std::min(object->base - address, len) : 0;
    uint64_t end = address >= objectEnd ? begin : std::min(len, objectEnd - address);
    return {begin, std::max(begin, end)};
  }

  void data(uint64_t srcOffset, uint64_t dstOffset) const {
    uint64_t len = t.len;
    if (srcBase && dstBase) {
      if (t.atomic())
        applyAtomic(t.atomicType, t.atomicOp, dstBase + dstOffset, srcBase + srcOffset, len / element);
      else if (t.srcSpace == t.dstSpace)
        std::memmove(dstBase + dstOffset, srcBase + srcOffset, len);
      else
        std::memcpy(dstBase + dstOffset, srcBase + srcOffset, len);
    } else if (!srcBase) {
      uint64_t address = t.src + srcOffset;
      auto [begin, end] = present(t.srcObject, address, len);
      uint8_t *to = dstBase + dstOffset;
      std::memset(to, 0, begin);
      if (begin < end)
        std::memcpy(to + begin, t.srcObject->host + (address + begin - t.srcObject->base), end - begin);
      std::memset(to + end, 0, len - end);
    } else {
      uint64_t address = t.dst + dstOffset;
      auto [begin, end] = present(t.dstObject, address, len);
      begin = (begin + element - 1) / element * element;
      end = end / element * element;
      if (begin >= end)
        return;
      uint8_t *to = t.dstObject->host + (address + begin - t.dstObject->base);
      applyAtomic(t.atomicType, t.atomicOp, to, srcBase + srcOffset + begin, (end - begin) / element);
    }
  }

  /// Pad bytes [begin, end) of a row; the phase is locked to the row's start.
  void fill(uint8_t *row, uint64_t begin, uint64_t end) const {
    if (begin >= end)
      return;
    if (t.padWidth == 1) {
      std::memset(row + begin, int(t.padValue & 0xff), end - begin);
      return;
    }
    constexpr uint64_t kChunk = 64;
    uint8_t chunk[kChunk];
    for (uint64_t i = 0; i < kChunk; ++i)
      chunk[i] = uint8_t(t.padValue >> (8 * ((begin + i) % t.padWidth)));
    for (uint64_t at = begin; at < end; at += kChunk)
      std::memcpy(row + at, chunk, std::min(kChunk, end - at));
  }

  void row(uint64_t srcOffset, uint64_t dstOffset) const {
    if (!t.pad) {
      data(srcOffset, dstOffset);
      return;
    }
    uint8_t *start = dstBase + dstOffset;
    fill(start, 0, t.dataBegin);
    data(srcOffset, dstOffset + t.dataBegin);
    fill(start, t.dataBegin + t.len, t.fillEnd);
  }

  void nest(size_t level, uint64_t srcOffset, uint64_t dstOffset) const {
    if (level == 0) {
      row(srcOffset, dstOffset);
      return;
    }
    const TransferDim &dim = t.dims[level - 1];
    if (level == 1 && !t.pad && !t.atomic() && srcBase && dstBase && t.srcSpace != t.dstSpace) {
      copy({dstBase + dstOffset, srcBase + srcOffset, dim.dstStride, dim.srcStride, t.len, dim.count,
            t.srcSpace == Space::Gm});
      return;
    }
    for (uint64_t i = 0; i < dim.count; ++i)
      nest(level - 1, srcOffset + i * dim.srcStride, dstOffset + i * dim.dstStride);
  }
};

/// A GM side as executed. A single row is cut exactly; of several, the
/// iterations of the outermost dimension that start beyond the object go.
Box clippedBox(const Box &box, const GmObject *object) {
  Box result = box;
  uint64_t low = object ? object->base : 0, high = object ? object->base + object->bytes : 0;
  if (result.base >= high || result.end() <= low) {
    result.rowBytes = 0;
    result.dims.clear();
    return result;
  }
  if (result.dims.empty()) {
    uint64_t end = std::min(result.end(), high);
    result.base = std::max(result.base, low);
    result.rowBytes = end - result.base;
    return result;
  }
  Box::Dim &outer = result.dims.back();
  if (outer.stride > 0)
    outer.count = std::min(outer.count, (high - result.base - 1) / uint64_t(outer.stride) + 1);
  return result;
}
} // namespace

void PlainRows::move() const {
  if (count == 1 || (toStride == len && fromStride == len))
    std::memcpy(to, from, len * count);
  else
    copy({to, from, toStride, fromStride, len, count, fromGm});
}

void runTransfer(const Memories &local, const Transfer &transfer) {
  RowMover(local, transfer).nest(transfer.dims.size(), 0, 0);
}

void runRows(const Memories &local, const Transfer &transfer, RowCursor &cursor, uint64_t rows) {
  RowMover mover(local, transfer);
  const auto &dims = transfer.dims;
  cursor.index.resize(dims.size(), 0);
  while (rows-- > 0 && !cursor.done) {
    uint64_t srcOffset = 0, dstOffset = 0;
    for (size_t i = 0; i < dims.size(); ++i) {
      srcOffset += cursor.index[i] * dims[i].srcStride;
      dstOffset += cursor.index[i] * dims[i].dstStride;
    }
    mover.row(srcOffset, dstOffset);
    size_t level = 0;
    while (level < dims.size() && ++cursor.index[level] == dims[level].count)
      cursor.index[level++] = 0;
    cursor.done = level == dims.size();
  }
}

static TransferEvent eventOf(const Transfer &t) {
  TransferEvent event{t.srcSpace, t.dstSpace, {}, {}, {}, t.srcObject, t.dstObject, AccessKind::Write, t.dstCore};
  if (t.atomic())
    event.write = atomicUpdate(unsigned(t.atomicType), unsigned(t.atomicOp));
  event.src = Box{t.src, t.len, {}};
  event.dst = Box{t.dst, t.fillEnd, {}};
  event.copied = Box{t.dst + t.dataBegin, t.len, {}};
  for (const TransferDim &dim : t.dims) {
    event.src.dims.push_back({dim.count, int64_t(dim.srcStride)});
    event.dst.dims.push_back({dim.count, int64_t(dim.dstStride)});
    event.copied.dims.push_back({dim.count, int64_t(dim.dstStride)});
  }
  if (t.clipped) {
    // The other side of what is not there: `copied` and `src` keep one shape.
    if (t.srcSpace == Space::Gm) {
      Box whole = event.src;
      event.src = clippedBox(whole, t.srcObject);
      event.copied.rowBytes = event.src.rowBytes;
      if (whole.dims.empty())
        event.copied.base += event.src.base - whole.base;
      else if (event.src.empty())
        event.copied.dims.clear();
      else
        event.copied.dims.back().count = event.src.dims.back().count;
    } else {
      Box whole = event.dst;
      event.dst = clippedBox(whole, t.dstObject);
      event.copied = event.dst;
      event.src.rowBytes = event.dst.rowBytes;
      if (whole.dims.empty())
        event.src.base += event.dst.base - whole.base;
      else if (event.dst.empty())
        event.src.dims.clear();
      else
        event.src.dims.back().count = event.dst.dims.back().count;
    }
  }
  event.dst.normalise();
  return event;
}

void TransferUnit::announce(const Instr &instr, const Transfer &t) {
  ++transfers;
  bytes += t.rows() * t.len;
  if (t.atomic())
    atomics->enter();
  if (observer)
    observer->transfer(instr, eventOf(t));
}

void TransferUnit::show(const Instr &instr, const Transfer &t) {
  if (!onlooker)
    return;
  auto zero = [](uint8_t *memory, const GmObject *object) {
    return object ? reinterpret_cast<uintptr_t>(object->host) - object->base : reinterpret_cast<uintptr_t>(memory);
  };
  TransferEvent event = eventOf(t);
  onlooker->transfer(report->context, instr.site,
                     {t.srcSpace, event.src, zero(memories->base(t.srcSpace), t.srcObject), t.srcObject},
                     {t.dstSpace, event.dst, zero(t.dstMemory, t.dstObject), t.dstObject});
}

std::unique_ptr<Operation> TransferOperation::keep() {
  auto copy = std::make_unique<TransferOperation>(*this);
  copy->own = std::make_unique<Transfer>(*transfer);
  copy->transfer = copy->own.get();
  return copy;
}

void TransferOperation::effect(const Instr &instr) {
  if (transfer->skip)
    return;
  unit->announce(instr, *transfer);
  unit->move(*transfer);
  unit->show(instr, *transfer);
}

bool TransferOperation::advance(const Instr &instr, Random &random) {
  if (!moved)
    unit->announce(instr, *transfer);
  moved = true;
  if (unit->isDataless())
    return true;
  // Mostly a row or a few; sometimes far, so that large transfers end.
  uint64_t rows = random.oneIn(4) ? transfer->rows() / 4 + 1 : 1 + random.below(4);
  runRows(*unit->memories, *transfer, cursor, rows);
  if (cursor.done)
    unit->show(instr, *transfer);
  return cursor.done;
}

} // namespace ptoscope
