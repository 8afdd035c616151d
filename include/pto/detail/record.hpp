//===- record.hpp - what is known about each tile instruction ---*- C++ -*-===//
//
// One record per instruction: the pipe that executes it, what it does with each
// operand, which elements and memories an operand may have. The templates check
// it at compile time; the library takes footprints, pipes and timing from it.
// Records stand in records/*.def, one line each.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_RECORD_HPP
#define PTO_DETAIL_RECORD_HPP

#include "pto/detail/abi.hpp"
#include "pto/detail/kinds.hpp"
#include "ptoscope/timing.hpp"

namespace ptoscope::tile {

/// What an instruction does with the bytes of an operand.
enum class Role : uint8_t {
  None,
  Read,    ///< computes with them: undefined ones are an error
  Copy,    ///< carries them, defined or not
  Write,   ///< defines them
  Update,  ///< reads, then writes
  Scratch, ///< may write; what they hold afterwards is undefined
  Alias,   ///< does not touch them
  Index,   ///< computes with them as places of other operands, looked at when it takes effect
};

/// Which elements of a tile are touched.
enum class Area : uint8_t {
  Own,       ///< its valid region
  Dst,       ///< the valid region of the leading tile, which this one has to share
  Whole,     ///< its capacity
  Row0,      ///< row 0 of its valid region
  Column0,   ///< column 0 of its valid region
  PerColumn, ///< row 0, an element for each valid column of the leading tile
  PerRow,    ///< column 0, an element for each valid row of the leading tile
  Common,    ///< what its valid region and that of the leading tile have in common
  Bits,      ///< a bit per element of the leading tile, row by row
  Inner,     ///< as Custom, with at least as many valid rows as the leading tile has columns
  Custom,    ///< the library has a function for this instruction
};

/// Pipes by their number in the architecture; Path: from the memories on both ends.
enum class On : uint8_t { S = 0, V = 1, M = 2, MTE1 = 3, MTE2 = 4, MTE3 = 5, FIX = 10, Path = 0xff };

using ElemSet = uint32_t;
using LocationSet = uint16_t;
template <typename... E> constexpr ElemSet elems(E... e) { return (ElemSet(0) | ... | (ElemSet(1) << unsigned(e))); }
template <typename... L> constexpr LocationSet locations(L... l) {
  return LocationSet((0u | ... | (1u << unsigned(l))));
}
constexpr bool has(ElemSet set, Elem elem) { return set >> unsigned(elem) & 1; }

inline constexpr ElemSet kInts8To32 = elems(Elem::i8, Elem::u8, Elem::i16, Elem::u16, Elem::i32, Elem::u32),
                         kInts = kInts8To32 | elems(Elem::i64, Elem::u64),
                         kFloats = elems(Elem::f16, Elem::bf16, Elem::f32), kHalfFloats = elems(Elem::f16, Elem::f32),
                         kArithmetic = kInts8To32 | kFloats, kAnyElem = 0xffffffff,
                         kByteFloats = elems(Elem::e4m3, Elem::e5m2, Elem::hif8),
                         kTwinFloats = elems(Elem::e2m1x2, Elem::e1m2x2),
                         kConvertible = kArithmetic | elems(Elem::i64) | kByteFloats | kTwinFloats,
                         kSums = elems(Elem::f32, Elem::i32), kFactors = kFloats | kByteFloats | elems(Elem::i8),
                         kIndices = elems(Elem::i32, Elem::u32),
                         kSameElem = 0; ///< that of tile 0
inline constexpr LocationSet kVec = locations(TileType::Vec), kMat = locations(TileType::Mat),
                             kAcc = locations(TileType::Acc), kLeft = locations(TileType::Left),
                             kRight = locations(TileType::Right), kBias = locations(TileType::Bias),
                             kScaling = locations(TileType::Scaling), kMovable = kVec | kMat | kAcc,
                             kAnyLocation = 0xffff;

struct OperandSpec {
  Role role = Role::None;
  Area area = Area::Own;
  ElemSet elems = kSameElem;
  LocationSet locations = kVec;
  bool isApart = false; ///< elements change their places: it may not be a destination too

  constexpr OperandSpec of(ElemSet set) const { return {role, area, set, locations, isApart}; }
  constexpr OperandSpec in(LocationSet set) const { return {role, area, elems, set, isApart}; }
  constexpr OperandSpec over(Area other) const { return {role, other, elems, locations, isApart}; }
  constexpr OperandSpec apart() const { return {role, area, elems, locations, true}; }
};

// How rows of records spell operands: write.of(kFloats), read.over(Area::Row0) …
namespace spec {
inline constexpr OperandSpec write{Role::Write}, update{Role::Update}, read{Role::Read, Area::Dst},
    index{Role::Index, Area::Custom, elems(Elem::i16, Elem::u16, Elem::i32, Elem::u32)}, copy{Role::Copy},
    scratch{Role::Scratch, Area::Whole, kAnyElem}, alias{Role::Alias, Area::Own, kAnyElem, kAnyLocation};
} // namespace spec

/// The view of global memory, if the instruction has one. Its region is the valid
/// region of tile 0 unless the instruction has a footprint of its own.
enum class Gm : uint8_t { None, Load, Store };

struct Record {
  const char *name;
  On pipe;
  Timing timing;
  Gm gm;
  OperandSpec tile[kMaxTiles];
};

/// The tile whose valid region says how much is done: the first of area Own, else
/// tile 0.
constexpr size_t leadingTile(const Record &record) {
  for (size_t i = 0; i < kMaxTiles && record.tile[i].role != Role::None; ++i)
    if (record.tile[i].area == Area::Own)
      return i;
  return 0;
}

/// RECORD(name, kernel, shape, pipe, timing, gm, operands …): `kernel` is the meaning's
/// name in lib/Tile/Kernels, `shape` the signature's in inst/shapes.hpp, `timing` a class
/// of ptoscope/timing.def. CUSTOM_RECORD: the library also has `kernel`Footprint.
namespace record {
using namespace spec;
#define PTO_CUSTOM_RECORD PTO_RECORD
#define PTO_RECORD(NAME, KERNEL, SHAPE, PIPE, TIMING, GM, ...)                                                         \
  inline constexpr Record NAME{#NAME, On::PIPE, Timing::TIMING, Gm::GM, {__VA_ARGS__}};
#include "pto/detail/records/all.def"
#undef PTO_RECORD
#undef PTO_CUSTOM_RECORD
} // namespace record

} // namespace ptoscope::tile

#endif // PTO_DETAIL_RECORD_HPP
