//===- Update.cpp - read-modify-write of elements of global memory --------===//
//
// In the element's own type, with the arithmetic of the vector instructions:
// integers wrap, floats are rounded once, every NaN becomes the canonical one.
//
//===----------------------------------------------------------------------===//

#include "Fixpipe.h"

#include "ptoscope/Meaning/Arithmetic.h"

#include <cstring>

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
using namespace ptoscope::meaning;

struct Add {
  template <typename T> [[gnu::always_inline]] static Group<T> apply(Group<T> a, Group<T> b) { return vadd<T>(a, b); }
};
struct Max {
  template <typename T> [[gnu::always_inline]] static Group<T> apply(Group<T> a, Group<T> b) { return vmax<T>(a, b); }
};
struct Min {
  template <typename T> [[gnu::always_inline]] static Group<T> apply(Group<T> a, Group<T> b) { return vmin<T>(a, b); }
};

/// The order of the operands is dst, src: sums of one block follow its program.
template <typename T, typename Op> void run(uint8_t *dst, const uint8_t *src, int64_t n) {
  constexpr int64_t kBytes = sizeof(typename T::Elem);
  auto group = [&](uint8_t *to, const uint8_t *from, int64_t bytes) {
    Group<T> a = {}, b = {};
    std::memcpy(&a, to, size_t(bytes));
    std::memcpy(&b, from, size_t(bytes));
    Group<T> result = Op::template apply<T>(a, b);
    if constexpr (kIsFloat<T>)
      result = canon<T>(result);
    std::memcpy(to, &result, size_t(bytes));
  };
  int64_t done = 0;
  for (; done + kGroupBytes <= n * kBytes; done += kGroupBytes)
    group(dst + done, src + done, kGroupBytes);
  if (done < n * kBytes)
    group(dst + done, src + done, n * kBytes - done);
}

using RunUpdate = void (*)(uint8_t *, const uint8_t *, int64_t);

template <typename Op> RunUpdate updateOf(Elem elem) {
  switch (elem) {
  case Elem::f32:
    return run<f32, Op>;
  case Elem::f16:
    return run<f16, Op>;
  case Elem::bf16:
    return run<bf16, Op>;
  case Elem::i32:
    return run<i32, Op>;
  case Elem::i16:
    return run<i16, Op>;
  case Elem::i8:
    return run<i8, Op>;
  // Of the host profile (hasAtomicOnHost).
  case Elem::u32:
    return run<u32, Op>;
  case Elem::u16:
    return run<u16, Op>;
  case Elem::u8:
    return run<u8, Op>;
  default:
    __builtin_trap(); // refused when the instruction is issued
  }
}

RunUpdate updateOf(AtomicType op, Elem elem) {
  return op == AtomicType::AtomicAdd   ? updateOf<Add>(elem)
         : op == AtomicType::AtomicMax ? updateOf<Max>(elem)
                                       : updateOf<Min>(elem);
}
} // namespace

void updateRun(AtomicType op, Elem elem, uint8_t *dst, const uint8_t *src, int64_t n) {
  updateOf(op, elem)(dst, src, n);
}

void updateElements(AtomicType op, Elem elem, const Side &dst, const Side &src, int64_t rows, int64_t cols) {
  const RunUpdate update = updateOf(op, elem);
  const int64_t bytes = bitsOf(elem) / 8;
  constexpr int64_t kStaged = 512; // bytes gathered before one update
  forEachBlock(dst, src, rows, cols, [&](Block b) {
    if (b.cols == 1 || (b.dstRow == 1 && b.dstCol != 1 && b.rows != 1))
      b = {b.col, b.row, b.cols, b.rows, b.dst, b.dstCol, b.dstRow, b.src, b.srcCol, b.srcRow};
    uint8_t *to = dst.data + b.dst * bytes;
    const uint8_t *from = src.data + b.src * bytes;
    if (b.dstCol == 1 && b.srcCol == 1) {
      if (b.dstRow == b.cols && b.srcRow == b.cols)
        return update(to, from, b.rows * b.cols);
      for (int64_t r = 0; r < b.rows; ++r)
        update(to + r * b.dstRow * bytes, from + r * b.srcRow * bytes, b.cols);
      return;
    }
    // An element that occurs twice in the destination is updated twice.
    const int64_t together = b.dstCol == 1 ? kStaged / bytes : 1;
    for (int64_t r = 0; r < b.rows; ++r)
      for (int64_t c = 0; c < b.cols; c += together) {
        uint8_t staged[kStaged];
        const int64_t n = smaller(together, b.cols - c);
        for (int64_t i = 0; i < n; ++i)
          std::memcpy(staged + i * bytes, from + (r * b.srcRow + (c + i) * b.srcCol) * bytes, size_t(bytes));
        update(to + (r * b.dstRow + c * b.dstCol) * bytes, staged, n);
      }
  });
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
