//===- Looks.h - what `run --print` and `--dump` want to see ----*- C++ -*-===//
//
// A Look names an instruction and one thing it makes or touches. Memory is seen when
// the instruction has taken effect, a register or scalar when the program has
// computed it; nothing is ordered, checked or counted differently because of it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_LOOKS_H
#define PTOSCOPE_TILE_LOOKS_H

#include "pto/detail/abi.hpp"
#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Support/Array.h"

#include <memory>

namespace ptoscope {
class Onlooker;
struct DirectRegion;
} // namespace ptoscope
struct PtoContext;

namespace ptoscope::tile {

/// Elements in C order, each in bytes of its own.
struct Image {
  Elem elem;
  std::vector<uint64_t> shape;
  std::vector<uint8_t> items; ///< of itemBytes() each

  uint32_t itemBytes() const { return bitsOf(elem) < 8 ? 1 : bitsOf(elem) / 8; }
};

/// A thing that can be shown, and what it is made of.
struct Shown {
  enum What : uint8_t {
    Tile,     ///< tile `operand` of a tile instruction, as its record counts
    View,     ///< its view of GM
    Source,   ///< where a transfer reads
    Target,   ///< where a transfer writes
    Written,  ///< region `operand` of a sort or a cube instruction
    Stores,   ///< what a scope has stored, or a store in it
    Register, ///< from here on: values that the program hands over by the look's number
    Mask,
    Scalar,
    TileValue,
  };
  What what = Scalar;
  Elem elem = Elem::u8;                  ///< of a register or a lane of a mask; of what a pointer points to
  ElementType scalar = ElementType::I64; ///< of a number
  uint32_t lanes = 0;                    ///< of a vector or mask of any length; 0: those of one register

  bool isValue() const { return what >= Register; }
};

struct Look : Shown {
  std::string name = {};         ///< "%a"
  uint32_t line = 0, column = 0; ///< of the instruction
  uint8_t operand = 0;
  uint8_t rank = 0;      ///< of a view
  int position = 0;      ///< of a value: which result, or the complement of which operand
  uint64_t time = 0;     ///< only the k-th time in a block, from 1; 0: every time
  int64_t block = -1;    ///< only there; -1: everywhere
  std::string path = {}; ///< where the array goes; empty: print it

  bool sees(const ptoscope::Place &place) const { return place.line == line && place.column == column; }
};

/// The host's address of byte 0 of the memory that a region is in; of GM, where that would be
/// by the object that it is in.
uintptr_t zeroOf(const PtoContext *core, const DirectRegion &region);

/// Sees a launch through its onlooker; afterwards there are the arrays to write.
class Looks {
public:
  /// The table must outlive it.
  Looks(std::vector<Look> looks, const SiteTable &sites);
  ~Looks();
  Onlooker *onlooker();

  const std::vector<Look> &all() const;
  /// How often the instruction of look `i` ran in the block that it wants, or in the
  /// one where it ran most.
  uint64_t times(size_t i) const;
  /// What look `i` saw last, as NumPy stores it: bf16 as u16, elements of 8 bits that it
  /// does not have and each of 4 bits as u8. Null: it saw nothing.
  const Array *arrayOf(size_t i);

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_LOOKS_H
