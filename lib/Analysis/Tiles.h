//===- Tiles.h - what is known of tiles and views ---------------*- C++ -*-===//
//
// Descriptors of tiles and of views of global memory, followed through the program as
// a run follows them (Tile/Descriptors.h). Values carries their numbers, so loops,
// branches and calls need not know of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_TILES_H
#define PTOSCOPE_LIB_ANALYSIS_TILES_H

#include "Values.h"
#include "ptoscope/Tile/Descriptors.h"

namespace ptoscope {

struct KnownTile {
  tile::TileRef ref;  ///< unknown extents are -1
  uint64_t reach = 0; ///< how far behind its address it may be
  uint32_t place = 0; ///< that its address counts from (PlaceSums); 0: the start of its memory
  bool isKnown() const { return reach == 0 && ref.validRows >= 0 && ref.validCols >= 0; }
};

struct KnownView {
  tile::GlobalRef ref; ///< `pointer` counts bytes from the start of the array; unknown extents are -1
  uint32_t array;
  bool isKnown;            ///< all of it
  int64_t lowest, highest; ///< where `pointer` may be
  uint64_t begin, end;     ///< all bytes are in between
  bool hasShape() const {
    return llvm::all_of(ref.shape, [](int64_t extent) { return extent >= 0; });
  }
};

class Tiles {
public:
  Tiles(Values &values, const Profile &profile) : values(values), profile(profile) {}

  /// True when `op` makes, changes or asks descriptors; `problem` is what a run would say.
  bool evaluate(mlir::Operation *op, Fact &problem);
  const KnownTile *tile(mlir::Value value) const;
  const KnownView *view(mlir::Value value) const;
  /// The memory whose places `operand` of `op` is one of, or an index that becomes one: where a tile lies.
  static std::optional<uint32_t> storageOfPlace(mlir::Operation *op, mlir::Value operand);

private:
  void set(mlir::Value value, const KnownTile &tile);
  void set(mlir::Value value, const KnownView &view);
  template <typename Op> void alloc(Op op, mlir::Type type, const tile::Descriptors &descriptors);
  template <typename Op> void changed(Op op, const tile::Descriptors &descriptors);
  void slot(mlir::Operation *op, const tile::Descriptors &descriptors);
  void subview(mlir::Operation *op, const tile::Descriptors &descriptors);
  void makeView(mlir::Operation *op, const tile::Descriptors &descriptors);
  void partition(mlir::Operation *op, const tile::Descriptors &descriptors);
  void query(mlir::Operation *op);
  uint32_t placeOf(mlir::Value address) const;
  std::optional<std::pair<int64_t, int64_t>> range(mlir::Value value) const;
  std::optional<int64_t> extent(mlir::Value computed, int64_t given, int64_t unit) const;

  Values &values;
  const Profile &profile;
  std::vector<KnownTile> tiles;
  std::vector<KnownView> views;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_TILES_H
