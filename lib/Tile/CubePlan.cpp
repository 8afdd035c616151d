//===- CubePlan.cpp - layouts of loads and products -----------------------===//
//
// docs/isa/04-cube.md, sections 2 to 6: every instruction becomes matrices with a Map
// each. Loops of an instruction are digits of a coordinate.
//
//===----------------------------------------------------------------------===//

#include "CubePlanner.h"

#include <algorithm>

namespace ptoscope::tile {

using namespace cube;

//===----------------------------------------------------------------------===//
// GM to L1
//===----------------------------------------------------------------------===//

/// Two numbers of 4 bits are a byte.
static Elem storedAs(Elem elem) { return bitsOf(elem) == 4 ? Elem::u8 : elem; }

bool Planner::frac() {
  // FRAC-13
  for (auto [place, name, least] : {std::tuple(kRows, "the number of rows", 0),
                                    {kCols, "the number of columns", 0},
                                    {kGroups, "the number of groups", 1}})
    if (!within("FRAC-13", name, number(place), least, 65535))
      return false;
  for (auto [place, name] :
       {std::pair(kL2, "the step of rows"), {kL3, "the step of blocks"}, {kL4, "the step of groups"}})
    if (!within("FRAC-13", name, number(place), 0, 65535))
      return false;
  const int64_t rows = number(kRows), cols = number(kCols), groups = number(kGroups);
  const Elem elem = storedAs(call.elem[0]);
  const int64_t bytes = elementBytes(elem), block = kBlock / bytes;
  for (auto [place, name] : {std::pair(kInner, "the inner stride"), {kOuter, "the outer stride"}})
    if (!within("FRAC-13", name, number(place), 0, kMaxStride) || !multiple("FRAC-9", name, number(place), bytes))
      return false;
  const bool small = number(kSmallC0) != 0;
  if (small && !within("FRAC-14", "the number of columns with `smallc0`", cols, 0, 4))
    return false;
  if (rows == 0 || cols == 0)
    return true;

  const int64_t inner = number(kInner) / bytes, outer = number(kOuter) / bytes;
  const bool columns = call.transpose;
  plan.put(CubePlan::kFrom,
           gm(0, {axis({{rows, columns ? 1 : inner}, {groups, outer}}), axis({{cols, columns ? inner : 1}})}));
  const int64_t width = small ? 4 : roundUp(cols, block), l4 = number(kL4) * block;
  Map to;
  to.row = small ? axis({{rows, 4}, {groups, l4}}) : axis({{rows, number(kL2) * block}, {groups, l4}});
  to.col = small ? axis({{4, 1}}) : axis({{block, 1}, {width / block, number(kL3) * block}});
  plan.put(CubePlan::kTo, local(1, Space::L1, to, kBlock)).matrix.elem = elem;
  plan.matrix[CubePlan::kFrom].matrix.elem = plan.conversion.from = plan.conversion.to = elem;
  move(rows * groups, cols, DirectRole::Read);
  fill(CubePlan::kTo, {0, cols, rows * groups, width - cols});
  // FRAC-12: the last block of a matrix of narrow rows.
  if (const int64_t end = rows * 4, last = roundUp(end, block); small && last > end) {
    plan.put(CubePlan::kTail, local(1, Space::L1, {axis({{groups, l4}}), axis({{last, 1}})}, kBlock)).matrix.elem =
        elem;
    fill(CubePlan::kTail, {0, end, groups, last - end});
  }
  return overlaps(to, rows * groups, width) ? warn(say::kCubeOverlap("FRAC-13")) : true;
}

//===----------------------------------------------------------------------===//
// L1 to L0
//===----------------------------------------------------------------------===//

/// CUBE-8: what a shape is in steps. False: refused.
bool Planner::stepsOfShape(int64_t (&steps)[6], int64_t block) {
  const int64_t length = number(kLength), depth = number(kDepth);
  if (!within("CUBE-8", call.dst == Space::L0A ? "m" : "n", length, 1, 65535) ||
      !within("CUBE-8", "k", depth, 1, 65535))
    return false;
  if (number(kStartRow) != 0 || number(kStartCol) != 0)
    return refuse(say::kCubeStart(number(kStartRow), number(kStartCol)));
  const int64_t unit = call.transpose ? std::max<int64_t>(16, block) : 16;
  const int64_t rows = roundUp(length, unit), cols = roundUp(depth, call.transpose ? unit : block);
  const int64_t source = call.transpose ? cols : rows; // rows of the source
  const int64_t given[] = {0, 0, source / 16, (call.transpose ? rows : cols) / block, source / 16, rows / 16};
  std::copy(given, std::end(given), steps);
  return true;
}

bool Planner::stepsGiven(int64_t (&steps)[6], const char *label) {
  constexpr const char *kNames[] = {"the start of rows",     "the start of columns", "the number of rows",
                                    "the number of columns", "the source stride",    "the destination stride"};
  for (int i = 0; i < 6; ++i) {
    steps[i] = number(i);
    if (!within(label, kNames[i], steps[i], i < 2 ? 0 : 1, i == kRowSteps || i == kColSteps ? 255 : 65535))
      return false;
  }
  return true;
}

bool Planner::load() {
  const Elem elem = storedAs(call.elem[0]);
  const int64_t block = kBlock / elementBytes(elem), halves = elem == call.elem[0] ? 1 : 2;
  if (halves == 2 && call.transpose)
    return refuse(say::kLayout("transposed loads of 4-bit elements are not modelled: no manual says how they are cut"));
  int64_t steps[6];
  if (call.form == CubeForm::Steps ? !stepsGiven(steps, "CUBE-7") : !stepsOfShape(steps, block * halves))
    return false;
  // CUBE-13: a start in pairs of f4 values counts bytes.
  if (call.form == CubeForm::Steps && (call.elem[0] == Elem::e2m1x2 || call.elem[0] == Elem::e1m2x2)) {
    if (!multiple("CUBE-13", "the start of columns", steps[kColStart], kBlock))
      return false;
    steps[kColStart] /= kBlock;
  }
  const int64_t high = steps[kRowSteps] * 16, wide = steps[kColSteps] * block;
  const int64_t start = (steps[kColStart] * steps[kSrcStride] + steps[kRowStart]) * kFractal;
  Map from = {axis({{high, block}}), axis({{block, 1}, {steps[kColSteps], steps[kSrcStride] * 16 * block}})};
  if (call.transpose)
    from = from.transposed();
  const int64_t rows = call.transpose ? wide : high, cols = call.transpose ? high : wide;
  const int64_t pitch = steps[kDstStride] * 16;
  Map to = {axis({{rows, block}}), axis({{block, 1}, {roundUp(cols, block) / block, pitch * block}})};
  PlacedMatrix &source = plan.put(CubePlan::kFrom, local(0, Space::L1, from, kBlock));
  source.address += uint64_t(start);
  source.matrix.elem = elem;
  plan.put(CubePlan::kTo, local(1, call.dst, to, kFractal)).matrix.elem = elem;
  plan.conversion.from = plan.conversion.to = elem;
  plan.isOfPairs = halves == 2;
  plan.pitch[0] = uint32_t(pitch);
  move(rows, cols, DirectRole::Copy);
  return overlaps(to, rows, cols) ? warn(say::kCubeOverlap("CUBE-7")) : true;
}

//===----------------------------------------------------------------------===//
// Scales
//===----------------------------------------------------------------------===//

/// MXS-2: fragments of 16 rows by 2 groups, `stride` of them for 16 rows.
static Map scaleMap(int64_t rows, int64_t groups, int64_t stride) {
  return {Planner::axis({{16, 2}, {(rows + 15) / 16, stride * kBlock}}),
          Planner::axis({{2, 1}, {(groups + 1) / 2, kBlock}})};
}
static Space scaleSpace(Space space) { return space == Space::L0A ? Space::L0AMx : Space::L0BMx; }
/// Scales are beside the tile they belong to.
static constexpr uint64_t kScaled = 16;

bool Planner::scales() {
  int64_t steps[6];
  if (call.form == CubeForm::Steps) {
    if (!stepsGiven(steps, "MXS-4"))
      return false;
  } else {
    const int64_t length = number(kLength), depth = number(kDepth);
    if (!within("MXS-3", call.dst == Space::L0A ? "m" : "n", length, 1, 65535) ||
        !within("MXS-3", "k", depth, 64, 65535) || !multiple("MXS-3", "k", depth, 64))
      return false;
    if (number(kStartRow) != 0 || number(kStartCol) != 0)
      return refuse(say::kCubeStart(number(kStartRow), number(kStartCol)));
    const int64_t given[] = {0, 0, (length + 15) / 16, depth / 64, depth / 64, depth / 64};
    std::copy(given, std::end(given), steps);
  }
  const int64_t rows = steps[kRowSteps] * 16, groups = steps[kColSteps] * 2;
  PlacedMatrix &source =
      plan.put(CubePlan::kFrom, local(0, Space::L1, scaleMap(rows, groups, steps[kSrcStride]), kBlock));
  source.address += uint64_t(steps[kRowStart] * steps[kSrcStride] + steps[kColStart]) * kBlock;
  PlacedMatrix &target =
      plan.put(CubePlan::kTo, local(1, scaleSpace(call.dst), scaleMap(rows, groups, steps[kDstStride]), 1));
  if (!multiple("MXS-3", "the destination", int64_t(target.address), kScaled))
    return false;
  target.address /= kScaled;
  source.matrix.elem = target.matrix.elem = plan.conversion.from = plan.conversion.to = Elem::u8;
  move(rows, groups, DirectRole::Copy);
  return true;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

bool Planner::mad() {
  int64_t m = number(kM), n = number(kN), k = number(kK);
  CubeStart start = call.start;
  bool gemv = !call.disableGemv;
  plan.unitFlag = call.unitFlag;
  if (call.form == CubeForm::Word) { // MAD-19
    const auto word = uint64_t(number(kWord));
    const auto field = [&](int low, int bits) { return int64_t(word >> low & ((uint64_t(1) << bits) - 1)); };
    m = field(0, 12), k = field(12, 12), n = field(24, 12);
    gemv = !field(61, 1);
    start = field(63, 1)                               ? CubeStart::Zero
            : field(62, 1) && start == CubeStart::Bias ? CubeStart::Bias
                                                       : CubeStart::Sum;
    switch (field(55, 2)) {
    case 0:
      break;
    case 2:
      plan.unitFlag = UnitFlag::CheckOnly;
      break;
    case 3:
      plan.unitFlag = UnitFlag::CheckAndSet;
      break;
    default:
      return refuse(say::kUnitFlagWord(field(55, 2)));
    }
  }
  for (auto [name, value] : {std::pair("m", m), {"n", n}, {"k", k}})
    if (!within("MAD-18", name, value, 1, 4095))
      return false;
  if (call.mx && !multiple("MXS-3", "k", k, 64))
    return false;
  if (call.elem[0] == Elem::i4x2 && !multiple("MAD-9", "k", k, 2))
    return false;
  const auto blockOf = [](Elem elem) { return kBlock * 8 / int64_t(bitsOf(elem)); };
  const int64_t block = blockOf(call.elem[0]), m16 = roundUp(m, 16), n16 = roundUp(n, 16);
  const int64_t blocks = (k + block - 1) / block;
  Map left = {axis({{m16, block}}), axis({{block, 1}, {blocks, m16 * block}})};
  if (m == 1 && gemv) // MAD-14
    left = {axis({{1, 0}}), axis({{k, 1}})};
  else if (profile.id != ProfileId::A5) // FRAC-3
    left = {axis({{16, block}, {m16 / 16, blocks * 16 * block}}), axis({{block, 1}, {blocks, 16 * block}})};
  else
    plan.pitch[0] = uint32_t(blocks > 1 ? m16 : 0);
  plan.pitch[1] = uint32_t(blocks > 1 ? n16 : 0);
  const int64_t deep = blockOf(call.elem[1]);
  const Map right = {axis({{deep, 1}, {(k + deep - 1) / deep, n16 * deep}}), axis({{n16, deep}})};
  const Map sum = {axis({{m16, 16}}), axis({{16, 1}, {n16 / 16, m16 * 16}})};
  plan.put(CubePlan::kLeft, local(CubePlan::kLeft, Space::L0A, left, kFractal)).matrix.elem = call.elem[0];
  plan.put(CubePlan::kRight, local(CubePlan::kRight, Space::L0B, right, kFractal)).matrix.elem = call.elem[1];
  plan.put(CubePlan::kSum, local(CubePlan::kSum, Space::L0C, sum, 64)).matrix.elem = call.elem[2];
  plan.touch(CubePlan::kLeft, DirectRole::Read, {0, 0, m, k});
  plan.touch(CubePlan::kRight, DirectRole::Read, {0, 0, k, n});
  if (start == CubeStart::Bias) {
    plan.put(CubePlan::kStart, local(CubePlan::kStart, Space::Bt, {axis({{1, 0}}), axis({{n, 1}})}, 64)).matrix.elem =
        call.elem[2];
    plan.touch(CubePlan::kStart, DirectRole::Read, {0, 0, 1, n});
  }
  plan.touch(CubePlan::kSum, start == CubeStart::Sum ? DirectRole::Update : DirectRole::Write, {0, 0, m, n});
  plan.touch(CubePlan::kSum, DirectRole::Scratch, {m, 0, m16 - m, n}); // MAD-3
  MatrixProduct &product = plan.product;
  product.fromZero = start == CubeStart::Zero;
  product.m = m, product.n = n, product.k = k;
  product.mode.tf32 = ProductMode::Tf32(call.tf32);
  product.mode.saturates = call.saturation == CubeSaturation::Saturate;
  if (call.mx) {
    product.scaled = true;
    for (auto [place, of, rows] :
         {std::tuple(CubePlan::kLeftScale, CubePlan::kLeft, m), {CubePlan::kRightScale, CubePlan::kRight, n}}) {
      const PlacedMatrix &tile = plan.matrix[of];
      PlacedMatrix &scale = plan.put(uint8_t(place), tile);
      scale.space = scaleSpace(tile.space);
      scale.address = tile.address / kScaled;
      scale.alignment = 1;
      scale.matrix.map = scaleMap(rows, k / 32, k / 64);
      scale.matrix.elem = Elem::u8;
      plan.touch(uint8_t(place), DirectRole::Read, {0, 0, rows, k / 32});
    }
  }
  return placeOfSum(plan.matrix[CubePlan::kSum]);
}

bool Planner::placeOfSum(const PlacedMatrix &sum) {
  return sum.address % 1024 == 0 || sum.address % 64 != 0 || warn(say::kL0cPlace(sum.address));
}

//===----------------------------------------------------------------------===//
// What they have in common
//===----------------------------------------------------------------------===//

/// Whether two elements of a prefix may share their place: digits from the smallest stride up, each
/// has to step over all before it.
bool Planner::overlaps(const Map &map, int64_t rows, int64_t cols) {
  struct Step {
    int64_t stride, count;
  } steps[2 * Axis::kMaxDigits];
  int n = 0;
  for (auto [axis, extent] : {std::pair(&map.row, rows), {&map.col, cols}})
    for (int k = 0; k < axis->digits; ++k) {
      const int64_t count = k + 1 < axis->digits ? std::min(axis->digit[k].count, extent) : extent;
      extent = (extent + axis->digit[k].count - 1) / std::max<int64_t>(1, axis->digit[k].count);
      if (count > 1)
        steps[n++] = {axis->digit[k].stride, count};
    }
  std::sort(steps, steps + n, [](const Step &a, const Step &b) { return a.stride < b.stride; });
  int64_t reach = 1;
  for (int i = 0; i < n; ++i) {
    if (steps[i].stride < reach)
      return true;
    reach += (steps[i].count - 1) * steps[i].stride;
  }
  return false;
}

Fact planCube(const PtoCubeCall &call, const Profile &profile, uint64_t control, CubePlan &plan) {
  Planner planner{call, profile, control, plan};
  plan.op = call.op;
  plan.conversion.from = call.elem[0];
  plan.conversion.to = call.elem[1];
  switch (call.op) {
  case CubeOp::Frac:
    planner.frac();
    break;
  case CubeOp::Load:
    planner.load();
    break;
  case CubeOp::Scales:
    planner.scales();
    break;
  case CubeOp::Bias:
    planner.bias();
    break;
  case CubeOp::Mad:
    planner.mad();
    break;
  case CubeOp::Store:
    planner.store();
    break;
  case CubeOp::Fill:
    planner.raw();
    break;
  }
  return std::move(planner.problem);
}

} // namespace ptoscope::tile
