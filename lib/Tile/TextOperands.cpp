//===- TextOperands.cpp - operands that an instruction of text cannot have ===//
//
// What types of C++ refuse at compile time: before a run as far as descriptors are
// known, and when an instruction is issued for the first time.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "TextRules.h"
#include "pto/detail/bits.hpp"
#include "pto/detail/convert.hpp"
#include "pto/detail/modes.hpp"
#include "pto/detail/paths.hpp"
#include "ptoscope/Tile/Runtime.h"

#include <algorithm>
#include <array>
#include <string_view>

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
  if (&r == &TQUANT_MX)
    return 0b11;
  return &r == &TGATHER_CMP ? 1 << 2 : 0;
}

static bool isIn(const TileRef &tile, TileType type) { return TileType(tile.location) == type; }

static Fact storeProblem(const Operands &ops) {
  const TileRef &tile = ops.tile[0].ref;
  const MoveMode mode = MoveMode::unpack(ops.mode);
  const Elem to = ops.global.ref.elem;
  if (!isIn(tile, TileType::Acc) && (mode.quant != Quant::None || mode.relu != ReluPreMode::NoRelu))
    return say::kAccOnly();
  if (!isIn(tile, TileType::Acc) && bitsOf(tile.elem) != bitsOf(to))
    return say::kStoredSizes();
  if (!movesElements(ops, tile.elem, to, false))
    return say::kNoConversion();
  if (mode.atomic != AtomicType::AtomicNone && !hasAtomic(to))
    return say::kNoAtomic();
  constexpr int32_t kMost = 4095;
  if (ops.rules != Rules::TextOfA3 || !isIn(tile, TileType::Acc))
    return {};
  if (capacityOf(tile).cols > kMost)
    return say::kStoreColumns(capacityOf(tile).cols);
  const bool small = to == Elem::i8 || to == Elem::u8 || (to == Elem::f16 && tile.elem == Elem::i32);
  return mode.quant != Quant::None && !small ? say::kScaledElem() : Fact{};
}

static Fact moveProblem(const Operands &ops, FootprintFunction footprint) {
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  const MoveMode mode = MoveMode::unpack(ops.mode);
  const bool a3 = ops.rules == Rules::TextOfA3, whole = footprint == &tmovFootprint, acc = isIn(src, TileType::Acc);
  const Window window = whole                             ? Window::None
                        : footprint == &textractFootprint ? Window::OfSource
                                                          : Window::OfDestination;
  const bool between = (isIn(src, TileType::Vec) && isIn(dst, TileType::Mat)) || (acc && isIn(dst, TileType::Vec));
  if (!moves(TileType(src.location), TileType(dst.location), window))
    return say::kNoPath();
  if (a3 && (between || (!whole && isIn(dst, TileType::Scaling))))
    return say::kNoPathOnA3();
  if (!acc && (mode.quant != Quant::None || mode.relu != ReluPreMode::NoRelu))
    return say::kAccOnly();
  const bool equal = src.elem == dst.elem || (bitsOf(src.elem) == bitsOf(dst.elem) && !has(kFloats, src.elem) &&
                                              !has(kFloats, dst.elem)); // a sign changes nothing
  if (!movesElements(ops, src.elem, dst.elem, isIn(dst, TileType::Bias)) ||
      (window == Window::OfSource && !acc && !equal))
    return say::kNoConversion();
  if (acc && window == Window::OfSource && mode.quant == Quant::None)
    return say::kNeedsQuantisation();
  const Extents to = capacityOf(dst), from = capacityOf(src);
  if (whole && (a3 || isIn(src, TileType::Mat)) && (to.rows != from.rows || to.cols != from.cols))
    return say::kMoveExtents(say::kShape(to.rows, to.cols), say::kShape(from.rows, from.cols));
  return {};
}

/// TMATMUL-2: the tiles of a product by their memories.
static bool isMove(FootprintFunction footprint) {
  return footprint == &tmovFootprint || footprint == &textractFootprint || footprint == &tinsertFootprint;
}
static bool isProduct(FootprintFunction footprint) {
  return footprint == &tmatmulFootprint || footprint == &tmatmulaccFootprint || footprint == &tmatmulbiasFootprint;
}
/// M, K and N (IRMM-1).
static std::array<int32_t, 3> productExtents(const Call &call) {
  const size_t left = leadingTile(*call.record);
  const TileRef &l = call.operands.tile[left].ref, &r = call.operands.tile[left + 1].ref;
  return {l.validRows, l.validCols, r.validCols};
}

static Fact productProblem(const Call &call) {
  const Operands &ops = call.operands;
  const size_t last = ops.tiles - 1;
  if (!multiplies(ops.tile[0].ref.elem, ops.tile[last - 1].ref.elem, ops.tile[last].ref.elem))
    return say::kProductElems();
  for (size_t i = 0; i < ops.tiles; ++i) {
    const TileRef &tile = ops.tile[i].ref;
    const bool rows = BLayout(tile.blockLayout) == BLayout::RowMajor;
    const auto inner = SLayout(tile.innerLayout);
    const bool fits = isIn(tile, TileType::Left)    ? inner == SLayout::RowMajor
                      : isIn(tile, TileType::Right) ? rows && inner == SLayout::ColMajor
                      : isIn(tile, TileType::Acc)   ? !rows && inner == SLayout::RowMajor && tile.fractalBytes == 1024
                                                    : rows && inner == SLayout::NoneBox;
    if (!fits)
      return say::kProductLayout(nameOf(call, i));
  }
  return {};
}

/// IRMM-1, IRMM-2: valid rows that are known to be more than one.
static Fact productRows(const Call &call) {
  using namespace record;
  const Record *r = call.record;
  const size_t left = leadingTile(*r);
  const bool oneRow = r == &TGEMV || r == &TGEMV_ACC || r == &TGEMV_BIAS;
  for (size_t i = 0; i < call.operands.tiles; ++i) {
    const TileRef &tile = call.operands.tile[i].ref;
    const bool isLeft = oneRow && i == left;
    if (tile.validRows > 1 && (isLeft || isIn(tile, TileType::Bias)))
      return (isLeft ? say::kOneRowLeft : say::kOneRowBias)(nameOf(call, i), tile.validRows, capacityOf(tile).cols);
  }
  return {};
}

/// IREW-11: which elements a power has depends on the target and on the algorithm.
static Fact powerProblem(const Call &call) {
  const Operands &ops = call.operands;
  const OperandSpec *specs = call.record->tile;
  const bool a3 = ops.rules == Rules::TextOfA3, precise = ops.scalar[kAlgorithmScalar] == 1;
  const Elem elem = ops.tile[0].ref.elem;
  for (size_t i = 0; i < ops.tiles; ++i)
    if (specs[i].role != Role::Scratch && BLayout(ops.tile[i].ref.blockLayout) != BLayout::RowMajor)
      return say::kPowerRows(nameOf(call, i));
  if (precise && a3)
    return say::kPrecisePowerOnA3();
  if (precise)
    return has(kFloats, elem) ? Fact{} : say::kPrecisePower();
  if (a3 && (elem == Elem::f16 || elem == Elem::bf16))
    return say::kPowerOnA3();
  if (elem == Elem::bf16)
    return say::kPowerOfBf16();
  return !has(kFloats, elem) && specs[ops.tiles - 1].role == Role::Scratch ? say::kIntegerScratch() : Fact{};
}

Fact operandProblem(const Call &call) {
  const Operands &ops = call.operands;
  const Record &r = *call.record;
  for (size_t i = 0; i < ops.tiles; ++i) {
    const TileRef &tile = ops.tile[i].ref;
    const OperandSpec &spec = r.tile[i];
    if (spec.role == Role::None)
      return say::kExtraTile();
    if (!(spec.locations >> tile.location & 1))
      return say::kTileMemory(nameOf(call, i));
    const bool plain = SLayout(tile.innerLayout) == SLayout::NoneBox && BLayout(tile.blockLayout) == BLayout::RowMajor;
    if (!plain && (tilesInRows(r) >> i & 1) && spec.role != Role::Scratch)
      return say::kTileRows(nameOf(call, i));
    if (&r == &record::TSORT32 && i == 2 && tile.elem == Elem::i32)
      continue; // IRSORT-1
    if (spec.elems == kSameElem ? tile.elem != ops.tile[0].ref.elem : !has(spec.elems, tile.elem))
      return say::kTileElem(nameOf(call, i));
  }
  constexpr uint32_t kEqual = 0, kGreater = 4;
  if (&r == &record::TGATHER_CMP && ops.mode != kEqual && ops.mode != kGreater)
    return say::kGatherCompare();
  if (&r == &record::TCMP && ops.tile[1].ref.elem != ops.tile[2].ref.elem)
    return say::kTileElem(nameOf(call, 2));
  const Elem from = ops.tile[1].ref.elem, to = ops.tile[0].ref.elem;
  const FootprintFunction footprint = call.meaning->footprint;
  if (footprint == &tstoreFootprint)
    return storeProblem(ops);
  if (isMove(footprint))
    return moveProblem(ops, footprint);
  if (isProduct(footprint))
    return productProblem(call);
  if (&r == &record::TCVT)
    return converts(from, to) ? Fact{} : say::kNoConversion();
  if (&r == &record::TAXPY)
    return from == to || (from == Elem::f16 && to == Elem::f32) ? Fact{} : say::kNoConversion();
  const bool wide = bitsOf(to) == 64, limits = ops.tile[0].ref.pad == 2 || ops.tile[0].ref.pad == 3;
  if (footprint == &tloadFootprint && bitsOf(to) != bitsOf(ops.global.ref.elem))
    return say::kLoadedSizes();
  if (footprint == &tloadFootprint && wide && limits)
    return say::kWidePad();
  if (footprint == &tfillpadFootprint && ops.tile[0].ref.location != ops.tile[1].ref.location)
    return say::kOtherMemory();
  if ((&r == &record::TANDS || &r == &record::TORS) && ops.tile[0].ref.address == ops.tile[1].ref.address)
    return say::kNotInPlace();
  if (&r == &record::TPOW || &r == &record::TPOWS)
    return powerProblem(call);
  if (&r == &record::TGATHER) {
    const unsigned bytes = bitsOf(to) / 8, index = bitsOf(ops.tile[2].ref.elem) / 8;
    if (bytes >= 4 ? index != 4 : index == 4 && bytes == 1)
      return say::kIndexWidth();
  }
  if (&r == &record::TMRGSORT || &r == &record::TMRGSORT_RUNS)
    for (size_t i = 0; i < ops.tiles; ++i)
      if (r.tile[i].role != Role::Scratch && capacityOf(ops.tile[i].ref).rows != 1)
        return say::kSortRows(nameOf(call, i));
  return {};
}

Fact extentProblem(const Call &call) {
  const Operands &ops = call.operands;
  const Record &r = *call.record;
  const TileRef &dst = ops.tile[0].ref;
  const FootprintFunction footprint = call.meaning->footprint;
  if (isProduct(footprint)) {
    constexpr int32_t kMost = 4095;
    const auto extents = productExtents(call);
    const int32_t largest = *std::max_element(extents.begin(), extents.end());
    return largest > kMost ? say::kProductExtent(largest) : productRows(call);
  }
  if (&r == &record::TSORT32 && ops.tiles < 4 && ops.tile[1].ref.validCols % 32 != 0)
    return say::kSortScratch();
  const TileRef &lead = ops.tile[leadingTile(r)].ref;
  if (lead.validRows == 0 || lead.validCols == 0)
    return {};
  // IRRED-1, IRRED-2
  if (r.tile[0].area == Area::PerRow && dst.validCols != 1)
    return say::kOneColumn(dst.validCols, dst.validRows);
  if (r.tile[0].area == Area::PerColumn && dst.validRows != 1)
    return say::kOneRow(dst.validRows, dst.validCols);
  // IRRED-6: a column, or rows of a block.
  if (expandsRows(*call.record)) {
    const TileRef &vector = ops.tile[2].ref;
    const int32_t block = int32_t(32 * 8 / bitsOf(vector.elem));
    const bool rows = BLayout(vector.blockLayout) == BLayout::RowMajor;
    if (vector.validCols != 1 && !(rows && vector.validCols == block))
      return say::kExpandedBlock(nameOf(call, 2), vector.validCols, block);
  }
  return {};
}

//===----------------------------------------------------------------------===//
// Without a run
//===----------------------------------------------------------------------===//

Fact placeProblem(const TileRef &tile, int64_t address, int64_t bytes) {
  const Space space = spaceOf(tile.location);
  if (space == Space::None)
    return say::kTileType(tile.location);
  if (address < 0 || address >= std::max<int64_t>(bytes, 1))
    return say::kTileOutside.as(say::boundsCode(space))(address, space, bytes);
  if (address % 32 != 0)
    return say::kPlacedMisaligned(address);
  const int64_t past = address + hullOf(tile, validRegion(tile)).end;
  return past <= bytes ? Fact{} : say::kTileBehind.as(say::boundsCode(space))(address, past, space, bytes);
}

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
  ops.mode = given.mode & ~uint32_t(PTO_STORE_FIXED_EXTENTS | PTO_MOVE_TO_SECOND);
  ops.rules = rules;
  std::copy(given.scalar, std::end(given.scalar), ops.scalar);
  for (size_t i = 0; i < given.tiles; ++i)
    ops.tile[i] = *given.tile[i];
  ops.hasGlobal = given.global;
  if (given.global)
    ops.global = *given.global;
  countPairs(*call.record, ops);
  return call;
}

Pipe staticPipe(const PtoTileCall &given, Rules rules) { return pipeOf(callOf(given, rules)); }

bool ignoresScalars(uint32_t record) { return !findMeaning(recordAt(record)->name)->footprint; }

StaticFootprint staticFootprint(const PtoTileCall &given, Rules rules) {
  StaticFootprint result;
  Call call = callOf(given, rules);
  call.operands.mode = given.mode & ~uint32_t(PTO_MOVE_TO_SECOND);
  if (const AdaptFunction adapt = kAdaptFunctions[given.record])
    if (!adapt({nullptr, kNoSite, call, &result.problem}))
      return result;
  result.isVectorFirst = expandsRows(*call.record) && (given.mode & PTO_VECTOR_BY_EXTENTS) && call.operands.mode;
  call.meaning = findMeaning(call.record->name);
  Hulls hulls;
  const auto keep = [&](Fact found) {
    if (!result.problem.code)
      result.problem = std::move(found);
  };
  if (Fact found = callProblem(call, hulls); found.code) {
    const bool refused = findCode(found.code)->severity == Severity::Error;
    keep(std::move(found));
    if (refused)
      return result;
  }
  // What indices name, and how many elements compare equal, is in memory.
  const bool compares = call.meaning->footprint == &tgathercmpFootprint;
  if (!compares)
    keep(sharingProblem(call, hulls));
  result.isExact = !call.meaning->indexed && !compares;
  if (result.isExact)
    regionsOf(&call, result.regions);
  else
    for (const DirectHull &hull : hulls.all())
      result.regions.push_back({hull.space, hull.writes ? DirectRole::Write : DirectRole::Read, hull.operand,
                                Box{hull.begin, hull.end - hull.begin, {}}});
  return result;
}

Fact staticProblem(const PtoTileCall &given, Rules rules, bool scalars) {
  Call call = callOf(given, rules);
  Operands &ops = call.operands;
  if (Fact problem = operandProblem(call); problem.code)
    return problem;
  for (size_t i = 0; i < ops.tiles; ++i)
    if (const char *problem = layoutProblem(ops.tile[i].ref); *problem)
      return say::kLayout(problem);
  const FootprintFunction footprint = call.meaning->footprint;
  if (footprint == &tstoreFootprint || isMove(footprint))
    if (Fact problem = wordProblem(ops); problem.code)
      return problem;
  if (isProduct(footprint)) {
    for (int32_t extent : productExtents(call))
      if (extent == 0) // at run time it does nothing
        return say::kProductExtent(extent);
    if (Fact problem = productRows(call); problem.code)
      return problem;
  }
  if ((given.mode & PTO_VECTOR_BY_EXTENTS) && expandsRows(*call.record))
    return {}; // which source is the vector is not known
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
  if (footprint == &tloadFootprint || footprint == &tstoreFootprint) {
    const int64_t *n = ops.global.ref.shape;
    const bool known = ops.hasGlobal && std::all_of(n, n + 5, [](int64_t extent) { return extent >= 0; });
    return known ? transferProblem(ops, footprint == &tloadFootprint) : Fact{};
  }
  if (ops.hasGlobal)
    return shapeProblem(call);
  // From here on as a run does it.
  Fact problem;
  if (const AdaptFunction adapt = kAdaptFunctions[given.record]; adapt && scalars)
    adapt({nullptr, 0, call, &problem});
  else if (adapt)
    return {};
  if (!problem.code)
    problem = shapeProblem(call);
  if (!problem.code)
    problem = extentProblem(call);
  // Whether two tiles are at one address is not known.
  if (problem.code || !scalars || call.record == &record::TFILLPAD_INPLACE)
    return problem;
  Hulls hulls;
  Footprint told(*call.record, ops, &hulls, nullptr);
  tellFootprint(*call.record, call.meaning->footprint, told);
  return told.problem.code && findCode(told.problem.code)->severity == Severity::Error ? told.problem : Fact{};
}

} // namespace ptoscope::tile
