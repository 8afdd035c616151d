//===- abi.hpp - what a tile instruction hands to the library ---*- C++ -*-===//
//
// The templates of the tile API know everything at compile time; the library
// knows element types, layouts and places as values. Every instruction becomes
// one Call of plain data between the two, so that meanings are compiled once, in
// the library, with its floating-point rules, whatever compiles the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_ABI_HPP
#define PTO_DETAIL_ABI_HPP

#include <cstddef>
#include <cstdint>

namespace ptoscope::tile {

/// Element types. The x2 types hold two elements in a byte, element 2n in the
/// low nibble.
enum class Elem : uint8_t {
  i8, u8, i16, u16, i32, u32, i64, u64,
  f16, bf16, f32,
  e4m3, e5m2, e8m0, hif8,
  i4x2, e2m1x2, e1m2x2,
};

/// Bits of one element.
constexpr unsigned bitsOf(Elem elem) {
  switch (elem) {
  case Elem::i4x2: case Elem::e2m1x2: case Elem::e1m2x2:
    return 4;
  case Elem::i8: case Elem::u8: case Elem::e4m3: case Elem::e5m2: case Elem::e8m0: case Elem::hif8:
    return 8;
  case Elem::i16: case Elem::u16: case Elem::f16: case Elem::bf16:
    return 16;
  case Elem::i32: case Elem::u32: case Elem::f32:
    return 32;
  case Elem::i64: case Elem::u64:
    return 64;
  }
  return 0;
}

/// A tile as an instruction sees it. Numbers of enumerations are those of `pto`.
struct TileRef {
  uint32_t address;  ///< of its first byte, in its memory
  uint8_t location;  ///< pto::TileType
  Elem elem;
  uint8_t blockLayout; ///< pto::BLayout
  uint8_t innerLayout; ///< pto::SLayout
  uint16_t fractalBytes; ///< 512, 1024 or 32
  uint8_t compact;     ///< pto::CompactMode
  uint8_t reserved;
  int32_t rows, cols;           ///< capacity, in elements
  int32_t validRows, validCols; ///< the prefix that holds data
  uint64_t pad;                 ///< pto::PadValue
};

/// A view of global memory: extents and strides in elements.
struct GlobalRef {
  void *pointer;
  Elem elem;
  uint8_t layout; ///< pto::Layout
  int64_t shape[5];
  int64_t stride[5];
};

/// Where the program says it.
struct Source {
  const char *file;
  uint32_t line;
  uint32_t column;
};

inline constexpr size_t kMaxTiles = 8;
inline constexpr size_t kMaxScalars = 4;

} // namespace ptoscope::tile

#endif // PTO_DETAIL_ABI_HPP
