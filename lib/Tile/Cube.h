//===- Cube.h - a cube instruction on its way to the Machine ----*- C++ -*-===//
//
// A plan is what an instruction does: matrices by operand, what is moved or
// multiplied, and which parts of each matrix are touched. Bounds, exact bytes,
// execution and the static check all read it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_CUBE_H
#define PTOSCOPE_LIB_TILE_CUBE_H

#include "Layout.h"
#include "Matrix.h"
#include "ptoscope/Machine/CubeSentences.h"
#include "ptoscope/Machine/TileSentences.h"
#include "ptoscope/Tile/Cube.h"

#include <array>
#include <optional>

namespace ptoscope::tile {

/// A matrix by its place in a memory of the device.
struct PlacedMatrix {
  Matrix matrix; ///< `data` is filled in when the instruction is issued
  uint64_t address;
  Space space;
  uint8_t operand;  ///< as the text counts pointers
  uint8_t subblock; ///< whose UB it is
  uint32_t alignment;
  std::optional<CoreId> core = {}; ///< for regions of UB
};

struct MatrixAccess {
  uint8_t matrix;
  DirectRole role;
  Region region;
};

struct CubePlan {
  static constexpr size_t kMaxMatrices = 6, kMaxAccesses = 8, kMaxMoves = 2;
  /// Places of matrices: of moves, and of products.
  enum : uint8_t { kFrom, kTo, kWords, kFactors, kSecondTo, kTail };
  enum : uint8_t { kLeft, kRight, kSum, kStart, kLeftScale, kRightScale };

  CubeOp op;
  UnitFlag unitFlag = UnitFlag::None;
  uint8_t accesses = 0, moves = 0;
  bool isAtomic = false;
  bool isOfPairs = false; ///< a load of 4-bit elements, which are moved as bytes
  uint64_t pattern = 0;   ///< of what is filled
  /// Rows for each block of k, of what a load writes and of what a product reads; 0: any.
  uint32_t pitch[2] = {};
  std::array<PlacedMatrix, kMaxMatrices> matrix;
  std::array<MatrixAccess, kMaxAccesses> access;
  /// Of kFrom to kTo, or to kSecondTo.
  struct Move {
    uint8_t to;
    Place from;
    int64_t rows, cols;
  };
  std::array<Move, kMaxMoves> move;
  /// Parts of kTo and kTail that are filled.
  struct Filled {
    uint8_t matrix;
    Region region;
  };
  std::array<Filled, 2> filled;
  uint8_t fills = 0;
  Conversion conversion = {}; ///< without its pointers
  Finish finish = {};
  MatrixProduct product = {}; ///< without its matrices

  PlacedMatrix &put(uint8_t place, const PlacedMatrix &placed) { return matrix[place] = placed; }
  void touch(uint8_t place, DirectRole role, const Region &region) {
    if (!region.empty())
      access[accesses++] = {place, role, region};
  }
};

/// Elements of atomic updates, by the numbers that CTRL[8:6] has for them, from 1 on.
inline constexpr Elem kAtomicElems[] = {Elem::f32, Elem::f16, Elem::i16, Elem::i32, Elem::i8, Elem::bf16};

/// Fills in the plan. A problem whose code is an error leaves nothing to do.
Fact planCube(const PtoCubeCall &call, const Profile &profile, uint64_t control, CubePlan &plan);

/// What it computes, with the data of its matrices filled in.
void runCube(const CubePlan &plan);
/// The exact bytes.
void regionsOf(const CubePlan &plan, std::vector<DirectRegion> &regions);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_CUBE_H
