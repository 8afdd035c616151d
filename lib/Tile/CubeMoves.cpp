//===- CubeMoves.cpp - the fixpipe, the bias table, words over L1 ---------===//

#include "CubePlanner.h"

#include <algorithm>
#include <optional>

namespace ptoscope::tile {

using namespace cube;

//===----------------------------------------------------------------------===//
// Modes of `pre_quant`
//===----------------------------------------------------------------------===//

namespace {
struct QuantMode {
  uint8_t number; ///< of the first of two: words of a vector; the next one has a scalar
  Quant quant;    ///< None: the payload is not used, and there is only this one
  bool viaHalf = false;
};
constexpr QuantMode kQuantModes[] = {
    {1, Quant::None},          // f32_f16
    {2, Quant::Vector},        // qf322hif8_pre
    {4, Quant::Vector},        // qf322hif8_pre_hybrid: rounded away like the other one
    {8, Quant::Vector},        // req8
    {10, Quant::Vector},       // deqf16
    {12, Quant::Vector},       // qf322fp8_pre
    {14, Quant::Vector},       // qf322f32_pre
    {16, Quant::None},         // f32_bf16
    {17, Quant::Vector, true}, // qf162b8_pre
    {19, Quant::Vector, true}, // qf162s4_pre
    {21, Quant::Vector},       // req4
    {23, Quant::Vector},       // qf322b8_pre
    {25, Quant::Vector},       // qf322s4_pre
    {31, Quant::Vector},       // qf322f16_pre
    {33, Quant::Vector},       // qf322bf16_pre
    {35, Quant::Vector},       // qs322bf16_pre
};

/// Nothing when no manual says what it computes (FIX-16, FIX-17).
std::optional<QuantMode> findMode(uint8_t number) {
  for (const QuantMode &row : kQuantModes) {
    if (row.number == number)
      return row;
    if (row.quant == Quant::Vector && row.number + 1 == number)
      return QuantMode{number, Quant::Scalar, row.viaHalf};
  }
  return std::nullopt;
}

/// The low 13 bits of a scale or a slope have no place in their fields (FIX-22, FIX-23).
constexpr uint64_t kFieldBits = 0xffffe000;
constexpr int kSignBit = 46;

bool isWhole(Elem elem) { return elem == Elem::i8 || elem == Elem::u8 || elem == Elem::i4x2; }
} // namespace

/// Quantisation, relu, saturation, clip and atomic update of a store. False: refused.
bool Planner::quantise() {
  Conversion &conversion = plan.conversion;
  Finish &finish = plan.finish;
  const int64_t n = number(kStoreN);
  MoveMode &mode = conversion.mode;
  const auto parameters = [&](uint8_t place, uint8_t pointer, Elem elem) {
    PlacedMatrix table = local(pointer, Space::Fb, {axis({{1, 0}}), axis({{n, 1}})}, 64);
    table.matrix.elem = elem;
    plan.put(place, table);
    plan.touch(place, DirectRole::Read, {0, 0, 1, n});
  };
  if (call.quant != 0) {
    const std::optional<QuantMode> found = findMode(call.quant);
    if (!found)
      return refuse(say::kCubeMode(call.quant));
    mode.quant = found->quant;
    finish.viaHalf = found->viaHalf;
    conversion.word = (call.payload[kScale] & kFieldBits) | uint64_t(call.elem[1] != Elem::u8) << kSignBit;
    if (mode.quant == Quant::Vector)
      parameters(CubePlan::kWords, kQuantWords, Elem::u64);
    finish.roundsFirst = mode.quant != Quant::None && isWhole(call.elem[1]);
  }
  switch (call.relu) {
  case CubeRelu::None:
    break;
  case CubeRelu::Normal:
    mode.relu = ReluPreMode::NormalRelu;
    break;
  case CubeRelu::Scalar:
    finish.slope = Finish::Slope::Scalar;
    finish.factor = __builtin_bit_cast(float, uint32_t(call.payload[kSlope] & kFieldBits));
    break;
  case CubeRelu::Vector:
    finish.slope = Finish::Slope::Vector;
    parameters(CubePlan::kFactors, kReluWords, Elem::f32);
    break;
  }
  finish.clips = call.clip;
  finish.bound = int64_t(call.payload[kClip]);
  constexpr int kSaturationBit = 48;
  mode.saturate = call.saturation == CubeSaturation::Default ? !(control >> kSaturationBit & 1)
                                                             : call.saturation != CubeSaturation::None;
  finish.keepsNan = call.saturation == CubeSaturation::KeepNan && bitsOf(call.elem[1]) < 32 && !isWhole(call.elem[1]);
  if (call.dst != Space::Gm)
    return true;
  // FIX-27: the clause, or else CTRL.
  mode.atomic = AtomicType(call.atomic);
  if (const uint64_t type = control >> 6 & 7, op = control >> 9 & 3;
      type != 0 && mode.atomic == AtomicType::AtomicNone) {
    if (type > std::size(kAtomicElems) || op > 2 || kAtomicElems[type - 1] != call.elem[1])
      return refuse(say::kAtomicOfControl());
    mode.atomic = AtomicType(op + 1);
  }
  plan.isAtomic = mode.atomic != AtomicType::AtomicNone;
  return true;
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

bool Planner::store() {
  struct Limit {
    int place;
    const char *label, *name;
    int64_t low, high;
  };
  constexpr int64_t k16 = 65535, k32 = 0xffffffff;
  for (const Limit &limit : {Limit{kStoreM, "FIX-4", "m", 1, k16},
                             {kStoreN, "FIX-4", "n", 1, k16},
                             {kSrcRows, "FIX-4", "the source stride", 1, k16},
                             {kDstStep, "FIX-4", "the destination stride", 1, k32},
                             {kLoop0, "FIX-6", "`loop0`", 1, k16},
                             {kCount, "FIX-4", "the count of `loop3`", 1, k16},
                             {kSrc3, "FIX-4", "the source step of `loop3`", 0, k16},
                             {kDst3, "FIX-4", "the destination step of `loop3`", 0, k32},
                             {kSubblock, "FIX-28", "the subblock", 0, 1},
                             {kSid, "FIX-27", "`sid`", 0, 3},
                             {kL2Hint, "FIX-27", "`l2`", 0, 15}})
    if (!within(limit.label, limit.name, number(limit.place), limit.low, limit.high))
      return false;
  const int64_t m = number(kStoreM), n = number(kStoreN), step = number(kDstStep), count = number(kCount);
  const bool split = call.dst == Space::Ub && call.target != CubeTarget::Subblock;
  if (split && call.target == CubeTarget::SplitRows && !multiple("FIX-29", "m", m, 2))
    return false;
  if (split && call.target == CubeTarget::SplitColumns && !multiple("FIX-29", "n", n, 32))
    return false;
  plan.unitFlag = call.unitFlag;
  if (!quantise())
    return false;

  const int64_t rows = m * count, box = number(kSplit) != 0 ? 8 : 16;
  const Map from = {axis({{m, number(kLoop0) * 16}, {count, number(kSrc3) * 16}}),
                    axis({{16, 1}, {(n + 15) / 16, number(kSrcRows) * 16}})};
  Map to;
  switch (call.layout) {
  case CubeLayout::Nz2Nd:
    to = {axis({{m, step}, {count, number(kDst3)}}), axis({{n, 1}})};
    break;
  case CubeLayout::Nz2Dn:
    to = {axis({{m, 1}, {count, number(kDst3)}}), axis({{n, step}})};
    break;
  case CubeLayout::Nz2Nz:
    to = {axis({{m, box}}), axis({{box, 1}, {(n + box - 1) / box, step}})};
    break;
  }
  PlacedMatrix &sum = plan.put(CubePlan::kFrom, local(kSrc, Space::L0C, from, 64));
  PlacedMatrix target = call.dst == Space::Gm ? gm(kDst, to) : local(kDst, call.dst, to, kBlock);
  target.subblock = uint8_t(split ? 0 : number(kSubblock));
  plan.put(CubePlan::kTo, target);
  if (!split) {
    move(rows, n, DirectRole::Read);
  } else {
    const bool byRows = call.target == CubeTarget::SplitRows;
    const int64_t high = byRows ? m / 2 : m, wide = byRows ? n : n / 2;
    target.subblock = 1;
    plan.put(CubePlan::kSecondTo, target);
    plan.touch(CubePlan::kFrom, DirectRole::Read, {0, 0, m, n});
    for (int half = 0; half < 2; ++half) {
      const auto place = uint8_t(half == 0 ? CubePlan::kTo : CubePlan::kSecondTo);
      plan.move[plan.moves++] = {place, {byRows ? half * high : 0, byRows ? 0 : half * wide}, high, wide};
      plan.touch(place, DirectRole::Write, {0, 0, high, wide});
    }
  }
  if (overlaps(to, rows, n))
    return warn(say::kCubeOverlap("FIX-4"));
  return placeOfSum(sum);
}

//===----------------------------------------------------------------------===//
// The bias table, and L1
//===----------------------------------------------------------------------===//

bool Planner::bias() {
  for (auto [place, name] : {std::pair(kBurst, "the length"),
                             {kBursts, "the number of rows"},
                             {kSrcGap, "the source gap"},
                             {kDstGap, "the destination gap"}})
    if (!within("BIAS-2", name, number(place), 0, 65535))
      return false;
  const int64_t unit = (profile.id == ProfileId::A5 ? 32 : 64) / elementBytes(call.elem[0]);
  const int64_t rows = number(kBursts), cols = number(kBurst) * unit;
  // Steps of the destination are doubled as its elements are, so both count elements alike.
  plan.put(CubePlan::kFrom,
           local(kSrc, Space::L1, {axis({{rows, cols + number(kSrcGap) * unit}}), axis({{cols, 1}})}, kBlock));
  plan.put(CubePlan::kTo,
           local(kDst, Space::Bt, {axis({{rows, cols + number(kDstGap) * unit}}), axis({{cols, 1}})}, 64));
  move(rows, cols, DirectRole::Copy);
  return true;
}

bool Planner::raw() {
  for (auto [place, name] :
       {std::pair(kRepeat, "the number of repetitions"), {kBlocks, "the number of blocks"}, {kGap, "the gap"}})
    if (!within("FILL-2", name, number(place), 0, 32767))
      return false;
  if (!within("FILL-2", "the offset", number(kOffset), 0, kMaxStride) ||
      !multiple("FILL-2", "the offset", number(kOffset), kBlock))
    return false;
  const int64_t words = kBlock / elementBytes(call.elem[1]), rows = number(kRepeat), cols = number(kBlocks) * words;
  PlacedMatrix &target = plan.put(
      CubePlan::kTo, local(kDst, Space::L1, {axis({{rows, cols + number(kGap) * words}}), axis({{cols, 1}})}, kBlock));
  target.address += uint64_t(number(kOffset));
  plan.pattern = uint64_t(number(kPattern));
  fill(CubePlan::kTo, {0, 0, rows, cols});
  return true;
}

} // namespace ptoscope::tile
