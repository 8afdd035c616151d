//===- Blocks.cpp - copies and fills between layouts ----------------------===//

#include "Walk.h"

#include <cstring>

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {

//===----------------------------------------------------------------------===//
// Rows of bytes
//===----------------------------------------------------------------------===//

template <typename T> T load(const uint8_t *from) {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return value;
}
template <typename T> void store(uint8_t *to, T value) { std::memcpy(to, &value, sizeof(T)); }

template <int Bytes> struct Piece {
  uint64_t word[Bytes / 8];
};

template <typename T>
void copyFixed(uint8_t *dst, int64_t dstStride, const uint8_t *src, int64_t srcStride, int64_t rows) {
#pragma clang loop unroll_count(4)
  for (int64_t r = 0; r < rows; ++r)
    store(dst + r * dstStride, load<T>(src + r * srcStride));
}

void copyRows(uint8_t *dst, int64_t dstStride, const uint8_t *src, int64_t srcStride, int64_t rows, int64_t bytes) {
  if (dstStride == bytes && srcStride == bytes) {
    std::memmove(dst, src, size_t(rows * bytes));
    return;
  }
  switch (bytes) {
  case 1:
    return copyFixed<uint8_t>(dst, dstStride, src, srcStride, rows);
  case 2:
    return copyFixed<uint16_t>(dst, dstStride, src, srcStride, rows);
  case 4:
    return copyFixed<uint32_t>(dst, dstStride, src, srcStride, rows);
  case 8:
    return copyFixed<uint64_t>(dst, dstStride, src, srcStride, rows);
  case 16:
    return copyFixed<Piece<16>>(dst, dstStride, src, srcStride, rows);
  case 32:
    return copyFixed<Piece<32>>(dst, dstStride, src, srcStride, rows);
  case 64:
    return copyFixed<Piece<64>>(dst, dstStride, src, srcStride, rows);
  }
  for (int64_t r = 0; r < rows; ++r)
    std::memmove(dst + r * dstStride, src + r * srcStride, size_t(bytes));
}

template <typename E> void fillRow(uint8_t *dst, int64_t n, E value) {
  for (int64_t i = 0; i < n; ++i)
    store(dst + i * int64_t(sizeof(E)), value);
}

//===----------------------------------------------------------------------===//
// Transposition
//===----------------------------------------------------------------------===//

template <typename E> using Lanes = E __attribute__((ext_vector_type(16 / sizeof(E))));

/// a0 b0 a1 b1 … from the lower or the upper half of both.
template <bool Upper, typename E> [[gnu::always_inline]] inline Lanes<E> interleave(Lanes<E> a, Lanes<E> b) {
  if constexpr (sizeof(E) == 8)
    return Upper ? __builtin_shufflevector(a, b, 1, 3) : __builtin_shufflevector(a, b, 0, 2);
  else if constexpr (sizeof(E) == 4)
    return Upper ? __builtin_shufflevector(a, b, 2, 6, 3, 7) : __builtin_shufflevector(a, b, 0, 4, 1, 5);
  else if constexpr (sizeof(E) == 2)
    return Upper ? __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15)
                 : __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11);
  else
    return Upper ? __builtin_shufflevector(a, b, 8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31)
                 : __builtin_shufflevector(a, b, 0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23);
}

/// dst[c * dstStride + r] = src[r * srcStride + c] of 16 bytes each way.
template <typename E> void transposeSquare(uint8_t *dst, int64_t dstStride, const uint8_t *src, int64_t srcStride) {
  constexpr int kSide = 16 / sizeof(E);
  Lanes<E> row[kSide];
  for (int i = 0; i < kSide; ++i)
    row[i] = load<Lanes<E>>(src + i * srcStride);
  // Interleaving the two halves of the rows moves one bit of the row number to
  // the front of the lane number; after log2(kSide) times they have changed places.
  for (int step = 1; step < kSide; step *= 2) {
    Lanes<E> next[kSide];
    for (int i = 0; i < kSide / 2; ++i) {
      next[2 * i] = interleave<false, E>(row[i], row[i + kSide / 2]);
      next[2 * i + 1] = interleave<true, E>(row[i], row[i + kSide / 2]);
    }
    for (int i = 0; i < kSide; ++i)
      row[i] = next[i];
  }
  for (int i = 0; i < kSide; ++i)
    store(dst + i * dstStride, row[i]);
}

/// dst[c * dstStride + r] = src[r * srcStride + c], strides in elements. Kept
/// apart from the squares, whose loop its vector forms would overload.
template <typename E>
[[gnu::noinline]] void transposeRest(uint8_t *dst, int64_t dstStride, const uint8_t *src, int64_t srcStride,
                                     int64_t rows, int64_t cols) {
  constexpr int64_t kBytes = sizeof(E);
  for (int64_t c = 0; c < cols; ++c)
    for (int64_t r = 0; r < rows; ++r)
      store(dst + (c * dstStride + r) * kBytes, load<E>(src + (r * srcStride + c) * kBytes));
}

template <typename E>
void transpose(uint8_t *dst, int64_t dstStride, const uint8_t *src, int64_t srcStride, int64_t rows, int64_t cols) {
  constexpr int64_t kSide = 16 / sizeof(E), kBytes = sizeof(E);
  const int64_t fullRows = rows / kSide * kSide, fullCols = cols / kSide * kSide;
  for (int64_t c = 0; c < fullCols; c += kSide) {
    for (int64_t r = 0; r < fullRows; r += kSide)
      transposeSquare<E>(dst + (c * dstStride + r) * kBytes, dstStride * kBytes, src + (r * srcStride + c) * kBytes,
                         srcStride * kBytes);
    if (fullRows < rows)
      transposeRest<E>(dst + (c * dstStride + fullRows) * kBytes, dstStride, src + (fullRows * srcStride + c) * kBytes,
                       srcStride, rows - fullRows, kSide);
  }
  if (fullCols < cols)
    transposeRest<E>(dst + fullCols * dstStride * kBytes, dstStride, src + fullCols * kBytes, srcStride, rows,
                     cols - fullCols);
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

template <typename E> [[gnu::noinline]] void moveBlock(uint8_t *dstData, const uint8_t *srcData, const Block &b) {
  constexpr int64_t kBytes = sizeof(E);
  // Columns are to be what is contiguous in the destination.
  if (b.rows != 1 && (b.cols == 1 || (b.dstRow == 1 && b.dstCol != 1)))
    return moveBlock<E>(dstData, srcData,
                        {b.col, b.row, b.cols, b.rows, b.dst, b.dstCol, b.dstRow, b.src, b.srcCol, b.srcRow});
  uint8_t *dst = dstData + b.dst * kBytes;
  const uint8_t *src = srcData + b.src * kBytes;
  if (b.dstCol == 1 && b.srcCol == 1)
    return copyRows(dst, b.dstRow * kBytes, src, b.srcRow * kBytes, b.rows, b.cols * kBytes);
  if (b.dstCol == 1 && b.srcCol == 0) {
    for (int64_t r = 0; r < b.rows; ++r)
      fillRow<E>(dst + r * b.dstRow * kBytes, b.cols, load<E>(src + r * b.srcRow * kBytes));
    return;
  }
  if (b.dstCol == 1 && b.srcRow == 1)
    return transpose<E>(dst, b.dstRow, src, b.srcCol, b.cols, b.rows);
  for (int64_t r = 0; r < b.rows; ++r)
    for (int64_t c = 0; c < b.cols; ++c)
      store(dst + (r * b.dstRow + c * b.dstCol) * kBytes, load<E>(src + (r * b.srcRow + c * b.srcCol) * kBytes));
}

/// Rows of one stride, whose columns lie together in runs of one stride: every boxed
/// layout with rows in its boxes, and every plain one with rows.
constexpr int64_t kWholeRow = int64_t(1) << 40; ///< longer than any, and bytes of it still have a number
struct Runs {
  int64_t length; ///< columns of a run; kWholeRow where all lie together
  int64_t stride;
};
bool hasRuns(const Side &side, int64_t rows, Runs &runs) {
  const Axis &row = side.map.row, &col = side.map.col;
  if (side.row != 0 || side.col != 0 || col.digit[0].stride != 1 || col.digits > 2 ||
      (row.digits != 1 && rows > row.digit[0].count))
    return false;
  runs = col.digits == 1 ? Runs{kWholeRow, 0} : Runs{col.digit[0].count, col.digit[1].stride};
  return true;
}

/// Count runs of every row.
template <typename T, int64_t Count>
void copyTogether(uint8_t *dst, int64_t dstRow, int64_t dstStep, const uint8_t *src, int64_t srcRow, int64_t srcStep,
                  int64_t rows) {
  // Rows of a large matrix are on pages of their own, where no host looks ahead by itself.
  constexpr int64_t kAhead = 12;
  for (int64_t r = 0; r < rows; ++r) {
    for (int64_t k = 0; k < Count; k += 64 / int64_t(sizeof(T)))
      __builtin_prefetch(src + (r + kAhead) * srcRow + k * srcStep);
    for (int64_t k = 0; k < Count; ++k)
      store(dst + r * dstRow + k * dstStep, load<T>(src + r * srcRow + k * srcStep));
  }
}

/// The frequent case of a move, without the general one's preparations.
template <typename E> bool moveRuns(const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  constexpr int64_t kBytes = sizeof(E);
  Runs to, from;
  if (rows > kBlockRows || !hasRuns(dst, rows, to) || !hasRuns(src, rows, from))
    return false;
  const int64_t length = smaller(to.length, from.length);
  if ((to.length != length && to.length != kWholeRow) || (from.length != length && from.length != kWholeRow))
    return false;
  uint8_t *at = dst.data + dst.offset * kBytes;
  const uint8_t *of = src.data + src.offset * kBytes;
  const int64_t step = (to.length == length ? to.stride : length) * kBytes;
  const int64_t srcStep = (from.length == length ? from.stride : length) * kBytes;
  const int64_t row = dst.map.row.digit[0].stride * kBytes, srcRow = src.map.row.digit[0].stride * kBytes;
  int64_t c = 0;
  // Fractals on both sides: rows of a run lie together.
  if (const int64_t bytes = length * kBytes; row == bytes && srcRow == bytes)
    for (; c + length <= cols; c += length, at += step, of += srcStep)
      std::memmove(at, of, size_t(rows * bytes)); // a tile may be moved onto itself
  // A row is long on one side at least: several runs of it at a time use whole lines
  // of the host's caches.
  constexpr int64_t kTogether = 8;
  if (const int64_t bytes = length * kBytes; bytes == 32 || bytes == 64)
    for (; c + kTogether * length <= cols; c += kTogether * length, at += kTogether * step, of += kTogether * srcStep)
      bytes == 32 ? copyTogether<Piece<32>, kTogether>(at, row, step, of, srcRow, srcStep, rows)
                  : copyTogether<Piece<64>, kTogether>(at, row, step, of, srcRow, srcStep, rows);
  for (; c < cols; c += length, at += step, of += srcStep)
    copyRows(at, row, of, srcRow, rows, smaller(length, cols - c) * kBytes);
  return true;
}

Side transposed(const Side &side) { return {side.data, side.map.transposed(), side.col, side.row, side.offset}; }

template <typename E> void move(const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  if (moveRuns<E>(dst, src, rows, cols))
    return;
  auto block = [&](const Block &b) { moveBlock<E>(dst.data, src.data, b); };
  // Blocks have in columns what is contiguous in the destination, see moveBlock.
  if (dst.map.row.digit[0].stride == 1 && dst.map.col.digit[0].stride != 1)
    forEachBlock(transposed(dst), transposed(src), cols, rows, block);
  else
    forEachBlock(dst, src, rows, cols, block);
}

template <typename E> void fill(const Side &dst, int64_t rows, int64_t cols, uint64_t pattern) {
  constexpr int64_t kBytes = sizeof(E);
  E value = E(pattern);
  forEachBlock(dst, dst, rows, cols, [&](Block b) {
    if (b.cols == 1 || (b.dstRow == 1 && b.dstCol != 1))
      b = {b.col, b.row, b.cols, b.rows, b.dst, b.dstCol, b.dstRow, b.src, b.srcCol, b.srcRow};
    uint8_t *to = dst.data + b.dst * kBytes;
    if (b.dstCol == 1 && b.dstRow == b.cols)
      return fillRow<E>(to, b.rows * b.cols, value);
    for (int64_t r = 0; r < b.rows; ++r) {
      if (b.dstCol == 1) {
        fillRow<E>(to + r * b.dstRow * kBytes, b.cols, value);
        continue;
      }
      for (int64_t c = 0; c < b.cols; ++c)
        store(to + (r * b.dstRow + c * b.dstCol) * kBytes, value);
    }
  });
}

//===----------------------------------------------------------------------===//
// Two elements in a byte
//===----------------------------------------------------------------------===//

uint8_t loadNibble(const uint8_t *data, int64_t offset) { return (data[offset >> 1] >> (offset & 1 ? 4 : 0)) & 15; }

void storeNibble(uint8_t *data, int64_t offset, uint8_t value) {
  uint8_t &byte = data[offset >> 1];
  byte = offset & 1 ? uint8_t((byte & 0x0f) | (value << 4)) : uint8_t((byte & 0xf0) | value);
}

bool halve(Axis &axis, bool pairs) {
  for (int k = 0; k < axis.digits; ++k) {
    Digit &digit = axis.digit[k];
    if (pairs && k == 0) {
      if (digit.stride != 1 || (axis.digits > 1 && digit.count % 2 != 0))
        return false;
      digit.count /= 2;
    } else {
      if (digit.stride % 2 != 0)
        return false;
      digit.stride /= 2;
    }
  }
  return true;
}

/// The side in bytes, if columns come in whole bytes.
bool inBytes(Side &side) {
  if (side.col % 2 != 0 || side.offset % 2 != 0 || !halve(side.map.col, true) || !halve(side.map.row, false))
    return false;
  side.col /= 2;
  side.offset /= 2;
  return true;
}

void moveNibbles(const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  forEachBlock(dst, src, rows, cols, [&](const Block &b) {
    for (int64_t r = 0; r < b.rows; ++r)
      for (int64_t c = 0; c < b.cols; ++c)
        storeNibble(dst.data, b.dst + r * b.dstRow + c * b.dstCol,
                    loadNibble(src.data, b.src + r * b.srcRow + c * b.srcCol));
  });
}

/// Whole bytes first, then a last column that is half of one.
bool moveBytePairs(Side dst, Side src, int64_t rows, int64_t cols) {
  Side dstBytes = dst, srcBytes = src;
  if (cols < 2 || !inBytes(dstBytes) || !inBytes(srcBytes))
    return false;
  move<uint8_t>(dstBytes, srcBytes, rows, cols / 2);
  if (cols % 2 != 0) {
    dst.col += cols - 1;
    src.col += cols - 1;
    moveNibbles(dst, src, rows, 1);
  }
  return true;
}

void fillNibbles(Side dst, int64_t rows, int64_t cols, uint8_t value) {
  Side bytes = dst;
  if (cols >= 2 && inBytes(bytes)) {
    fill<uint8_t>(bytes, rows, cols / 2, uint64_t(value) * 0x11);
    dst.col += cols / 2 * 2;
    cols %= 2;
  }
  forEachBlock(dst, dst, rows, cols, [&](const Block &b) {
    for (int64_t r = 0; r < b.rows; ++r)
      for (int64_t c = 0; c < b.cols; ++c)
        storeNibble(dst.data, b.dst + r * b.dstRow + c * b.dstCol, value);
  });
}
} // namespace

void moveElements(unsigned bits, const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  if (rows <= 0 || cols <= 0)
    return;
  switch (bits) {
  case 8:
    return move<uint8_t>(dst, src, rows, cols);
  case 16:
    return move<uint16_t>(dst, src, rows, cols);
  case 32:
    return move<uint32_t>(dst, src, rows, cols);
  case 64:
    return move<uint64_t>(dst, src, rows, cols);
  }
  if (!moveBytePairs(dst, src, rows, cols) && !moveBytePairs(transposed(dst), transposed(src), cols, rows))
    moveNibbles(dst, src, rows, cols);
}

void fillElements(unsigned bits, const Side &dst, int64_t rows, int64_t cols, uint64_t pattern) {
  if (rows <= 0 || cols <= 0)
    return;
  switch (bits) {
  case 8:
    return fill<uint8_t>(dst, rows, cols, pattern);
  case 16:
    return fill<uint16_t>(dst, rows, cols, pattern);
  case 32:
    return fill<uint32_t>(dst, rows, cols, pattern);
  case 64:
    return fill<uint64_t>(dst, rows, cols, pattern);
  }
  fillNibbles(dst, rows, cols, uint8_t(pattern & 15));
}

uint64_t loadElement(unsigned bits, const uint8_t *data, int64_t offset) {
  if (bits == 4)
    return loadNibble(data, offset);
  uint64_t value = 0;
  std::memcpy(&value, data + offset * int64_t(bits / 8), bits / 8);
  return value;
}

void storeElement(unsigned bits, uint8_t *data, int64_t offset, uint64_t value) {
  if (bits == 4)
    return storeNibble(data, offset, uint8_t(value & 15));
  std::memcpy(data + offset * int64_t(bits / 8), &value, bits / 8);
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
