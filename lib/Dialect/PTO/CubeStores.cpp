//===- CubeStores.cpp - fixpipe stores ------------------------------------===//

#include "CubeText.h"

#include "pto/detail/kinds.hpp"

#include "llvm/ADT/StringSwitch.h"

using namespace mlir;

namespace ptoscope::pto {

namespace cube = tile::cube;

//===----------------------------------------------------------------------===//
// Modes
//===----------------------------------------------------------------------===//

namespace {
/// Where the parameters of a mode come from.
enum class Payload : uint8_t { Unused, Vector, Scalar };
/// A mode of `pre_quant` (FIX-10 to FIX-20).
struct QuantMode {
  StringRef name;
  uint8_t number;
  Payload payload;
  StringRef source;         ///< empty: any
  StringRef destination;    ///< names of elements, separated by spaces; empty: that of the source
  bool isUndefined = false; ///< FIX-43
};
} // namespace

static constexpr QuantMode kModes[] = {
    {"no_convert", 0, Payload::Unused, "", ""},
    {"f32_f16", 1, Payload::Unused, "f32", "f16"},
    {"f32_bf16", 16, Payload::Unused, "f32", "bf16"},
#define FAMILY(NAME, NUMBER, SOURCE, ...)                                                                              \
  {NAME "_vec", NUMBER, Payload::Vector, SOURCE, __VA_ARGS__},                                                         \
      {NAME "_scalar", NUMBER + 1, Payload::Scalar, SOURCE, __VA_ARGS__},
    FAMILY("qf322f16_pre", 31, "f32", "f16")         //
    FAMILY("qf322bf16_pre", 33, "f32", "bf16")       //
    FAMILY("qf322f32_pre", 14, "f32", "f32")         //
    FAMILY("qf322hif8_pre", 2, "f32", "hif8")        //
    FAMILY("qf322hif8_pre_hybrid", 4, "f32", "hif8") //
    FAMILY("qf322fp8_pre", 12, "f32", "e4m3 e5m2")   //
    FAMILY("qf322b8_pre", 23, "f32", "i8 u8")        //
    FAMILY("qf322s4_pre", 25, "f32", "i4")           //
    FAMILY("qf162b8_pre", 17, "f32", "i8 u8")        //
    FAMILY("qf162s4_pre", 19, "f32", "i4")           //
    FAMILY("qf162s16_pre", 29, "i32", "i16", true)   //
    FAMILY("deqs32_int", 6, "i32", "i32", true)      //
    FAMILY("deqs16", 27, "i32", "i16", true)         //
    FAMILY("req8", 8, "i32", "i8 u8")                //
    FAMILY("req4", 21, "i32", "i4")                  //
    FAMILY("deqf16", 10, "i32", "f16")               //
    FAMILY("qs322bf16_pre", 35, "i32", "bf16")       //
#undef FAMILY
};

static const QuantMode *findMode(StringRef name) {
  const auto *it = llvm::find_if(kModes, [&](const QuantMode &mode) { return mode.name == name; });
  return it == std::end(kModes) ? nullptr : it;
}
static bool isListed(StringRef element, StringRef list) {
  SmallVector<StringRef> words;
  list.split(words, ' ');
  return llvm::is_contained(words, element);
}

//===----------------------------------------------------------------------===//
// Calls
//===----------------------------------------------------------------------===//

bool bindStore(const FixStore &s, CubeBinding &binding) {
  PtoCubeCall &known = binding.known;
  known.op = tile::CubeOp::Store;
  known.dst = cast<PtrType>(s.dst.getType()).getSpace();
  known.elem[0] = pointeeOf(s.src);
  known.elem[1] = pointeeOf(s.dst);
  binding.pointer[cube::kSrc] = s.src;
  binding.pointer[cube::kDst] = s.dst;
  known.number[cube::kCount] = known.number[cube::kLoop0] = 1;
  for (auto [place, value] : {std::pair(cube::kStoreM, s.m),
                              {cube::kStoreN, s.n},
                              {cube::kSrcRows, s.srcRows},
                              {cube::kDstStep, s.dstStep},
                              {cube::kLoop0, s.loop0},
                              {cube::kSplit, s.split},
                              {cube::kSubblock, s.subblock},
                              {cube::kSid, s.sid},
                              {cube::kL2Hint, s.l2}})
    bindNumber(binding, place, value);
  static constexpr cube::Store kLoop3[] = {cube::kCount, cube::kSrc3, cube::kDst3};
  for (auto [place, value] : llvm::zip(kLoop3, s.loop3))
    bindNumber(binding, place, value);

  const QuantMode *mode = findMode(s.quant);
  known.quant = mode ? mode->number : 0;
  if (mode && mode->payload == Payload::Vector)
    binding.pointer[cube::kQuantWords] = s.scale;
  else if (mode && mode->payload == Payload::Scalar)
    binding.payload[cube::kScale] = s.scale;
  known.relu = llvm::StringSwitch<tile::CubeRelu>(s.relu)
                   .Case("normal_relu", tile::CubeRelu::Normal)
                   .Case("scalar_relu", tile::CubeRelu::Scalar)
                   .Case("vector_relu", tile::CubeRelu::Vector)
                   .Default(tile::CubeRelu::None);
  if (known.relu == tile::CubeRelu::Vector)
    binding.pointer[cube::kReluWords] = s.slope;
  else
    binding.payload[cube::kSlope] = s.slope;
  known.clip = bool(s.clip);
  binding.payload[cube::kClip] = s.clip;

  known.unitFlag = llvm::StringSwitch<UnitFlag>(s.unitFlag)
                       .Case("check_only", UnitFlag::CheckOnly)
                       .Case("check_and_clear", UnitFlag::CheckAndClear)
                       .Default(UnitFlag::None);
  known.layout = llvm::StringSwitch<tile::CubeLayout>(s.layout)
                     .Case("nz2dn", tile::CubeLayout::Nz2Dn)
                     .Case("nz2nz", tile::CubeLayout::Nz2Nz)
                     .Default(tile::CubeLayout::Nz2Nd); // FIX-5
  known.saturation = llvm::StringSwitch<tile::CubeSaturation>(s.saturation)
                         .Case("sat", tile::CubeSaturation::Saturate)
                         .Case("preserve_nan", tile::CubeSaturation::KeepNan)
                         .Case("nosat", tile::CubeSaturation::None)
                         .Default(tile::CubeSaturation::Default);
  known.atomic = uint8_t(llvm::StringSwitch<tile::AtomicType>(s.atomicOp)
                             .Case("add", tile::AtomicType::AtomicAdd)
                             .Case("max", tile::AtomicType::AtomicMax)
                             .Case("min", tile::AtomicType::AtomicMin)
                             .Default(tile::AtomicType::AtomicNone));
  known.target = llvm::StringSwitch<tile::CubeTarget>(s.dstMode)
                     .Case("split_m", tile::CubeTarget::SplitRows)
                     .Case("split_n", tile::CubeTarget::SplitColumns)
                     .Default(tile::CubeTarget::Subblock);
  return true;
}

//===----------------------------------------------------------------------===//
// Rules
//===----------------------------------------------------------------------===//

static bool isParameter(Type type) { return type && (type.isF16() || type.isBF16() || type.isF32()); }

/// A pointer into fb, or a value. True for one that a bare pointer may still become.
static bool isPayload(Value value, Payload wanted) {
  auto pointer = dyn_cast<PtrType>(value.getType());
  if (!pointer)
    return wanted != Payload::Vector && isParameter(value.getType());
  if (!pointer.isResolved())
    return wanted != Payload::Scalar;
  return wanted != Payload::Scalar && pointer.getSpace() == Space::Fb && isParameter(pointer.getElement());
}

/// FIX-8, FIX-32, FIX-40.
static LogicalResult verifyQuant(const FixStore &s) {
  Type from = elementOf(s.src), to = elementOf(s.dst);
  const QuantMode *mode = s.quant.empty() ? kModes : findMode(s.quant);
  if (!mode)
    return breaks(s.op, "FIX-32") << "`pre_quant` has no mode `" << s.quant << "`";
  if (s.quant.empty() != !s.scale)
    return breaks(s.op, "FIX-32") << "`pre_quant` has a payload and a mode";
  if (s.scale && !isPayload(s.scale, mode->payload))
    return breaks(s.op, "FIX-32") << "the payload of `" << mode->name << "` is "
                                  << (mode->payload == Payload::Vector ? "a pointer into fb to f16, bf16 or f32, not "
                                                                       : "an f16, bf16 or f32 value, not ")
                                  << s.scale.getType();
  if (!from || !to) // not resolved yet
    return success();
  const std::string source = elementName(from);
  if (source != "f32" && source != "i32")
    return breaks(s.op, "FIX-32") << "the source is " << from << "; L0C holds f32 or i32";
  if (mode->isUndefined)
    return emitCoded(s.op->emitError(), "not-modelled")
           << "`pre_quant` with mode `" << mode->name << "` is not modelled: no text says what it computes (FIX-43)";
  if (!mode->source.empty() && source != mode->source)
    return breaks(s.op, "FIX-32") << "`" << mode->name << "` takes " << mode->source << ", the source is " << from;
  if (mode->destination.empty() && from != to)
    return breaks(s.op, "FIX-8") << "without a conversion the destination is " << from << ", not " << to
                                 << "; `pre_quant` converts";
  if (!mode->destination.empty() && !isListed(elementName(to), mode->destination))
    return breaks(s.op, "FIX-40") << "`" << mode->name << "` gives " << mode->destination << ", the destination is "
                                  << to;
  return success();
}

/// FIX-33, FIX-34.
static LogicalResult verifyRelu(const FixStore &s) {
  const bool scalar = s.relu == "scalar_relu", vector = s.relu == "vector_relu";
  if (!s.relu.empty() && !scalar && !vector && s.relu != "no_relu" && s.relu != "normal_relu")
    return breaks(s.op, "FIX-33") << "`pre_relu` has no mode `" << s.relu
                                  << "`; it is one of no_relu, normal_relu, scalar_relu, vector_relu";
  if (bool(s.slope) != (scalar || vector))
    return breaks(s.op, "FIX-33") << "`" << (s.relu.empty() ? "pre_relu" : s.relu) << "` has "
                                  << (s.slope ? "no payload" : "a payload");
  if (s.slope && !isPayload(s.slope, scalar ? Payload::Scalar : Payload::Vector))
    return breaks(s.op, "FIX-33") << "the payload of `" << s.relu << "` is "
                                  << (vector ? "a pointer into fb to f16, bf16 or f32, not "
                                             : "an f16, bf16 or f32 value, not ")
                                  << s.slope.getType();
  if (!s.clip)
    return success();
  if (s.relu.empty())
    return breaks(s.op, "FIX-34") << "`clip` stands inside `pre_relu`";
  Type to = elementOf(s.dst), bound = s.clip.getType();
  if (!to)
    return success();
  const StringRef wanted = llvm::StringSwitch<StringRef>(elementName(to))
                               .Case("f16", "f16")
                               .Case("u8", "i16 u16")
                               .Cases("i4", "i8", "i16", "i4 i8 i16")
                               .Default("");
  if (wanted.empty())
    return breaks(s.op, "FIX-34") << "a destination of " << to << " takes no `clip`";
  if (!isListed(elementName(bound), wanted))
    return breaks(s.op, "FIX-34") << "`clip` of a destination of " << to << " is " << wanted << ", not " << bound;
  return success();
}

/// FIX-35 to FIX-37.
static LogicalResult verifyLayout(const FixStore &s) {
  const bool isDn = s.layout == "nz2dn", isNz = s.layout == "nz2nz";
  if (isDn != bool(s.loop0))
    return breaks(s.op, "FIX-35") << "`nz2dn` has `loop0`, and nothing else has";
  if (isDn && !s.unitFlag.empty() && fixedNumber(s.loop0) != 1)
    return breaks(s.op, "FIX-35") << "`unit_flag` with `nz2dn` needs a `loop0` that is the constant 1";
  if (s.split && !isNz)
    return breaks(s.op, "FIX-36") << "`split` belongs to `nz2nz`";
  if (Type to = elementOf(s.dst); isNz && to && !to.isF32())
    return breaks(s.op, "FIX-36") << "`nz2nz` gives f32, the destination is " << to;
  if (!s.loop3.empty() && isNz)
    return breaks(s.op, "FIX-37") << "`nz2nz` has no `loop3`";
  if (!s.loop3.empty() && s.loop3.size() != 3)
    return breaks(s.op, "FIX-37") << "`loop3` has a count and two strides, not " << s.loop3.size() << " operands";
  return success();
}

/// FIX-38.
static LogicalResult verifyAtomic(const FixStore &s) {
  if (s.atomicType.empty() && s.atomicOp.empty())
    return success();
  auto to = cast<PtrType>(s.dst.getType());
  if (to.isResolved() && to.getSpace() != Space::Gm)
    return breaks(s.op, "FIX-38") << "`atomic` combines with GM, the destination is " << to;
  if (s.atomicType.empty() || s.atomicOp.empty())
    return breaks(s.op, "FIX-38") << "`atomic` has a type and an operation";
  if (!to.getElement())
    return success();
  const std::string element = elementName(to.getElement());
  const StringRef wanted = llvm::StringSwitch<StringRef>(element)
                               .Cases("f32", "f16", "bf16", element)
                               .Case("i32", "s32")
                               .Case("i16", "s16")
                               .Case("i8", "s8")
                               .Default("");
  if (s.atomicType != wanted)
    return breaks(s.op, "FIX-38") << "`atomic` of " << s.atomicType << " does not fit a destination of "
                                  << to.getElement();
  return success();
}

/// FIX-39, and the hints of GM.
static LogicalResult verifyTarget(const FixStore &s) {
  const Space space = cast<CubeOpInterface>(s.op).getPointerSpaces()[1];
  if ((space == Space::Gm) != bool(s.sid) || bool(s.sid) != bool(s.l2))
    return breaks(s.op, "FIX-31") << "stores to gm, and only those, have sid and l2";
  const bool splits = !s.dstMode.empty();
  if (space != Space::Ub)
    return s.subblock || splits ? LogicalResult(breaks(s.op, "FIX-31") << "only stores to ub have `dst_mode`")
                                : success();
  if (bool(s.subblock) == splits)
    return breaks(s.op, "FIX-39") << "a store to ub has a `dst_mode`: a vector core, `split_m` or `split_n`";
  if (!splits)
    return verifyRange(s.op, "FIX-39", "the vector core of `dst_mode`", s.subblock, 0, 1);
  const std::pair<bool, StringRef> others[] = {{!s.quant.empty(), "pre_quant"},
                                               {!s.relu.empty(), "pre_relu"},
                                               {!s.layout.empty() && s.layout != "nz2nd", s.layout},
                                               {!s.loop3.empty(), "loop3"}};
  for (auto [stands, clause] : others)
    if (stands)
      return breaks(s.op, "FIX-39") << "`" << s.dstMode << "` cannot be combined with `" << clause << "`";
  const bool rows = s.dstMode == "split_m";
  const int64_t unit = rows ? 2 : 32;
  if (std::optional<int64_t> fixed = fixedNumber(rows ? s.m : s.n); fixed && *fixed % unit)
    return breaks(s.op, "FIX-39") << "`" << s.dstMode << "` needs a multiple of " << unit
                                  << (rows ? " rows" : " columns") << ", not " << *fixed;
  return success();
}

LogicalResult verifyStore(const FixStore &s) {
  return failure(failed(verifySpaces(s.op, "FIX-31")) || failed(verifyTarget(s)) || failed(verifyLayout(s)) ||
                 failed(verifyQuant(s)) || failed(verifyRelu(s)) || failed(verifyAtomic(s)));
}

} // namespace ptoscope::pto
