//===- TextOperands.cpp - operands that an instruction of text cannot have ===//
//
// What types of C++ refuse at compile time: before a run as far as descriptors are
// known, and when an instruction is issued for the first time.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "TextRules.h"
#include "pto/detail/convert.hpp"
#include "pto/detail/modes.hpp"
#include "ptoscope/Tile/Runtime.h"

#include <algorithm>

namespace ptoscope::tile {

static bool movesElements(const Operands &ops, Elem from, Elem to, bool toBias) {
  const MoveMode mode = MoveMode::unpack(ops.mode);
  if (mode.quant != Quant::None)
    return accConverts(from, to, mode.quant);
  if (mode.relu != ReluPreMode::NoRelu)
    return accConverts(from, to, Quant::None);
  return bitsOf(from) == bitsOf(to) || accConverts(from, to, Quant::None) ||
         (toBias && to == Elem::f32 && has(kFloats, from));
}

/// Which tiles have to be `row_major` without boxes: a bit for each.
static uint32_t tilesInRows(const Record &r) {
  using namespace record;
  for (const OperandSpec &spec : r.tile)
    if (spec.area == Area::Bits)
      return 0xff;
  if (r.tile[0].area == Area::PerRow || r.tile[0].area == Area::PerColumn || &r == &THISTOGRAM)
    return 1 << 1;
  if (&r == &TPARTARGMAX || &r == &TPARTARGMIN || &r == &TMRGSORT || &r == &TMRGSORT_RUNS || &r == &TPAIRREDUCESUM)
    return 0xff;
  if (&r == &TGATHERB || &r == &TSORT32)
    return 1;
  return &r == &TGATHER_CMP ? 1 << 2 : 0;
}

Fact operandProblem(const Call &call) {
  const Operands &ops = call.operands;
  const Record &r = *call.record;
  for (size_t i = 0; i < ops.tiles; ++i) {
    const TileRef &tile = ops.tile[i].ref;
    const OperandSpec &spec = r.tile[i];
    if (spec.role == Role::None)
      return say::kExtraTile(i);
    if (!(spec.locations >> tile.location & 1))
      return say::kTileMemory(i);
    const bool plain = SLayout(tile.innerLayout) == SLayout::NoneBox && BLayout(tile.blockLayout) == BLayout::RowMajor;
    if (!plain && (tilesInRows(r) >> i & 1) && spec.role != Role::Scratch)
      return say::kTileRows(i);
    if (&r == &record::TSORT32 && i == 2 && tile.elem == Elem::i32)
      continue; // IRSORT-1
    if (spec.elems == kSameElem ? tile.elem != ops.tile[0].ref.elem : !has(spec.elems, tile.elem))
      return say::kTileElem(i);
  }
  constexpr uint32_t kEqual = 0, kGreater = 4;
  if (&r == &record::TGATHER_CMP && ops.mode != kEqual && ops.mode != kGreater)
    return say::kGatherCompare();
  if (&r == &record::TCMP && ops.tile[1].ref.elem != ops.tile[2].ref.elem)
    return say::kTileElem(2);
  const Elem from = ops.tile[1].ref.elem, to = ops.tile[0].ref.elem;
  const FootprintFunction footprint = call.meaning->footprint;
  bool converted = true;
  if (footprint == &tstoreFootprint)
    converted = movesElements(ops, to, ops.global.ref.elem, false);
  else if (footprint == &tmovFootprint || footprint == &textractFootprint || footprint == &tinsertFootprint)
    converted = movesElements(ops, from, to, TileType(ops.tile[0].ref.location) == TileType::Bias);
  else if (&r == &record::TCVT)
    converted = converts(from, to);
  else if (&r == &record::TAXPY)
    converted = from == to || (from == Elem::f16 && to == Elem::f32);
  return converted ? Fact{} : say::kNoConversion();
}

//===----------------------------------------------------------------------===//
// Without a run
//===----------------------------------------------------------------------===//

static bool isKnown(const TileRef &tile) { return tile.validRows >= 0 && tile.validCols >= 0; }

/// IRLOAD-5, IRSTORE-2: extents of tile and view that are all known.
static Fact transferProblem(const Operands &ops, bool loads) {
  const TileRef &tile = ops.tile[0].ref;
  GlobalRef view = ops.global.ref;
  if (TileType(tile.location) == TileType::Vec)
    view.layout = uint8_t(layoutInVec(tile));
  else if (view.shape[0] != 1 || view.shape[1] != 1 || view.shape[2] != 1)
    return {}; // the layout of the view counts, and its type does not have it
  const Coverage offered = coverage(view);
  const Extents room = capacityOf(tile);
  const bool fits = loads ? tile.validRows <= offered.rows && tile.validCols <= offered.cols &&
                                offered.rows <= room.rows && offered.cols <= room.cols
                          : extentProduct(offered.rows, offered.cols) == int64_t(tile.validRows) * tile.validCols;
  if (fits)
    return {};
  const std::string valid = say::kShape(tile.validRows, tile.validCols), part = say::kShape(offered.rows, offered.cols);
  return loads ? say::kLoadShape(valid, part, say::kShape(room.rows, room.cols)) : say::kStoreShape(valid, part);
}

static Call callOf(const PtoTileCall &given, Rules rules) {
  Call call{};
  call.record = recordAt(given.record);
  call.meaning = findMeaning(call.record->name);
  Operands &ops = call.operands;
  ops.tiles = given.tiles;
  ops.mode = given.mode & ~uint32_t(PTO_STORE_FIXED_EXTENTS);
  ops.rules = rules;
  std::copy(given.scalar, std::end(given.scalar), ops.scalar);
  for (size_t i = 0; i < given.tiles; ++i)
    ops.tile[i] = *given.tile[i];
  ops.hasGlobal = given.global;
  if (given.global)
    ops.global = *given.global;
  return call;
}

Pipe staticPipe(const PtoTileCall &given, Rules rules) { return pipeOf(callOf(given, rules)); }

Fact staticProblem(const PtoTileCall &given, Rules rules) {
  Call call = callOf(given, rules);
  Operands &ops = call.operands;
  if (Fact problem = operandProblem(call); problem.code)
    return problem;
  for (size_t i = 0; i < ops.tiles; ++i)
    if (const char *problem = layoutProblem(ops.tile[i].ref); *problem)
      return say::kLayout(problem);
  // What a run would compare, where both sides are known.
  const size_t leading = leadingTile(*call.record);
  for (size_t i = 0; i < ops.tiles; ++i) {
    TileRef &tile = ops.tile[i].ref;
    const OperandSpec &spec = call.record->tile[i];
    if (isKnown(tile))
      continue;
    if (i == leading || spec.area != Area::Dst)
      return {};
    if (tile.validRows < 0)
      tile.validRows = ops.tile[leading].ref.validRows;
    if (tile.validCols < 0)
      tile.validCols = ops.tile[leading].ref.validCols;
  }
  const FootprintFunction footprint = call.meaning->footprint;
  if (footprint == &tloadFootprint || footprint == &tstoreFootprint) {
    const int64_t *n = ops.global.ref.shape;
    const bool known = ops.hasGlobal && std::all_of(n, n + 5, [](int64_t extent) { return extent >= 0; });
    return known ? transferProblem(ops, footprint == &tloadFootprint) : Fact{};
  }
  if (const AdaptFunction adapt = kAdaptFunctions[given.record]; !adapt)
    return shapeProblem(call);
  return {};
}

} // namespace ptoscope::tile
