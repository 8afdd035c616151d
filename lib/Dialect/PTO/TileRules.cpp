//===- TileRules.cpp - attributes of tile instructions --------------------===//
//
// What the attributes of an instruction choose, as the `mode` of its call. The C++
// tile API says the same by template arguments.
//
//===----------------------------------------------------------------------===//

#include "TileInstr.h"

#include "pto/detail/convert.hpp"
#include "pto/detail/gather.hpp"
#include "pto/detail/modes.hpp"
#include "pto/detail/quant.hpp"
#include "ptoscope/Tile/Runtime.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

/// What the accumulator's way out is called. Without a name, nothing is converted.
std::string conversionName(tile::Quant quant, tile::Elem from, tile::Elem to) {
  using tile::Elem;
  if (quant == tile::Quant::None)
    return from != Elem::f32  ? "no_convert"
           : to == Elem::f16  ? "f32_f16"
           : to == Elem::bf16 ? "f32_bf16"
                              : "no_convert";
  struct Way {
    Elem from, to;
    StringLiteral name;
  };
  static constexpr Way kWays[] = {{Elem::i32, Elem::i8, "req8"},
                                  {Elem::i32, Elem::u8, "req8"},
                                  {Elem::i32, Elem::f16, "deqf16"},
                                  {Elem::i32, Elem::i16, "deqs16"},
                                  {Elem::i32, Elem::bf16, "qs322bf16_pre"},
                                  {Elem::f32, Elem::i8, "qf322b8_pre"},
                                  {Elem::f32, Elem::u8, "qf322b8_pre"},
                                  {Elem::f32, Elem::f16, "qf322f16_pre"},
                                  {Elem::f32, Elem::bf16, "qf322bf16_pre"},
                                  {Elem::f32, Elem::f32, "qf322f32_pre"},
                                  {Elem::f32, Elem::e4m3, "qf322fp8_pre"},
                                  {Elem::f32, Elem::e5m2, "qf322fp8_pre"},
                                  {Elem::f32, Elem::hif8, "qf322hif8_pre"}};
  const Way *way = llvm::find_if(kWays, [&](const Way &each) { return each.from == from && each.to == to; });
  if (way == std::end(kWays))
    return "no_convert";
  return way->name.str() + (quant == tile::Quant::Vector ? "_vec" : "_scalar");
}

/// The attributes of one instruction under the rule that reads them.
class Attributes {
public:
  Attributes(Operation *op, TileBinding &binding) : op(op), binding(binding) {}

  TileRuleResult result;

  /// The number of a word; `otherwise` without the attribute.
  unsigned word(StringRef name, StringRef kind, unsigned otherwise) {
    Attribute attribute = op->getAttr(name);
    if (!attribute)
      return otherwise;
    if (auto mode = dyn_cast<ModeAttr>(attribute); mode && mode.getKind() == kind)
      return mode.getNumber();
    refuse("TATTR-5", name, "`#pto." + kind.str() + "<…>`");
    return otherwise;
  }
  int64_t integer(StringRef label, StringRef name, int64_t otherwise, int64_t least, int64_t most) {
    Attribute attribute = op->getAttr(name);
    if (!attribute)
      return otherwise;
    auto value = dyn_cast<IntegerAttr>(attribute);
    if (value && value.getValue().sge(least) && value.getValue().sle(most))
      return value.getInt();
    refuse(label, name, "a number from " + std::to_string(least) + " to " + std::to_string(most));
    return otherwise;
  }
  bool flag(StringRef name) {
    Attribute attribute = op->getAttr(name);
    if (!attribute || isa<UnitAttr>(attribute))
      return bool(attribute);
    auto value = dyn_cast<BoolAttr>(attribute);
    if (!value)
      refuse("TATTR-5", name, "`true` or `false`");
    return value && value.getValue();
  }
  bool has(StringRef name) { return op->hasAttr(name); }
  bool hasWord() {
    return llvm::any_of(binding.scalars, [](const auto &scalar) { return scalar.slot.kind == TileSlot::Word; });
  }

  void breaks(StringRef label, const std::string &why) {
    result.problem = quoted(op) + " breaks " + label.str() + ": " + why;
  }
  void refuse(StringRef label, StringRef name, const std::string &wanted) {
    breaks(label, "attribute `" + name.str() + "` must be " + wanted);
  }
  void notModelled(StringRef what) {
    result.problem = "[not-modelled] " + quoted(op) + ": " + what.str() + " is not modelled";
  }
  void decline(bool declines) { result.declines = declines; }
  void mode(uint32_t value) { binding.mode = value; }

  TileBufType tile(size_t i) { return cast<TileBufType>(binding.tiles[i].getType()); }
  std::optional<tile::Elem> elem(size_t i) { return TileBufType::elemOf(tile(i).getElement()); }
  tile::MoveMode moveMode() {
    tile::MoveMode mode;
    mode.atomic = tile::AtomicType(word("atomicType", "atomic_type", 0));
    const unsigned relu = word("reluPreMode", "relu_pre_mode", 0);
    if (relu > 1)
      notModelled("this `reluPreMode`");
    mode.relu = tile::ReluPreMode(relu & 1);
    mode.quant = hasWord() ? tile::Quant::Scalar : tile::Quant::None;
    mode.phase = uint8_t(word("stPhase", "st_phase", 0));
    return mode;
  }
  /// TATTR-8: a conversion that is named is the one that types and operands give.
  void checkConversion(tile::Quant quant, tile::Elem from, tile::Elem to) {
    for (NamedAttribute attribute : op->getAttrs()) {
      auto named = dyn_cast<ModeAttr>(attribute.getValue());
      if (!named || named.getKind() != "quant_pre_mode")
        continue;
      const std::string wanted = conversionName(quant, from, to);
      if (named.getValue() != wanted)
        refuse("TATTR-8", attribute.getName(), "`#pto.quant_pre_mode<" + wanted + ">` here, as types and operands say");
    }
  }

  Operation *op;
  TileBinding &binding;
};

using Rule = void (*)(Attributes &);

void none(Attributes &) {}
void product(Attributes &a) { a.mode(tile::phaseMode(a.word("accPhase", "acc_phase", 0))); }
void reversed(Attributes &a) { a.mode(1); }
void descending(Attributes &a) { a.mode(a.flag("descending")); }
void upper(Attributes &a) { a.mode(uint32_t(a.integer("IRGEN-1", "upperOrLower", 0, 0, 1))); }
void rounds(Attributes &a) {
  const int64_t rounds = a.integer("IRGEN-2", "rounds", 10, 7, 10);
  if (rounds != 7 && rounds != 10)
    a.refuse("IRGEN-2", "rounds", "7 or 10");
  a.mode(uint32_t(rounds));
}
void compare(Attributes &a) { a.mode(a.word("cmpMode", "cmp", 0)); }
void compareFrom(Attributes &a) {
  compare(a);
  a.binding.offset = a.integer("IRGATHER-3", "offset", 0, INT32_MIN, INT32_MAX);
}
void binary(Attributes &a) { a.mode(a.flag("isBinary")); }

/// IRRED-6: one source of a row expansion is a column; the other has the shape of the
/// destination.
bool startsWithColumn(Attributes &a, size_t first, size_t second) {
  TileBufType dst = a.tile(0), one = a.tile(first), other = a.tile(second);
  return one.getValidCols() != dst.getValidCols() && other.getValidCols() == dst.getValidCols();
}
void tileFirst(Attributes &a) {
  if (llvm::any_of(ArrayRef<size_t>{0, 1, 2}, [&](size_t i) { return a.tile(i).hasDynamicCols(); }))
    a.mode(PTO_VECTOR_BY_EXTENTS);
  else
    a.decline(startsWithColumn(a, 1, 2));
}
void vectorFirst(Attributes &a) { a.mode(1); }

void byte(Attributes &a) {
  if (a.has("isMSB") && !a.has("byte"))
    return a.mode(1);
  a.mode(uint32_t(a.integer("IRGATHER-9", "byte", 1, 0, 3)));
}

/// Words 0 to 6 are the rounding; 7 is another name of the default.
void convert(Attributes &a) {
  constexpr unsigned kRint = 1, kCastRint = 7;
  unsigned rounding = a.word("rmode", "round_mode", kRint);
  const StringRef name = a.has("satmode") ? "satmode" : "sat_mode";
  const auto from = a.elem(1), to = a.elem(0);
  bool saturates = from && to && !tile::wrapsByDefault(*from, *to);
  if (a.has(name))
    saturates = a.word(name, "saturation_mode", 0) == 0;
  a.mode(tile::convertMode(rounding == kCastRint ? kRint : rounding, saturates));
}
void lowBits(Attributes &a) {
  constexpr unsigned kTrunc = 5;
  using tile::Elem;
  const auto from = a.elem(1), to = a.elem(0);
  const auto isOne = [](std::optional<Elem> elem, Elem one, Elem other) { return elem == one || elem == other; };
  if (!(isOne(from, Elem::i32, Elem::u32) && isOne(to, Elem::i16, Elem::u16)) &&
      !(isOne(from, Elem::i16, Elem::u16) && isOne(to, Elem::i8, Elem::u8)))
    a.breaks("IRCVT-4", "it packs i32 to i16 and i16 to i8");
  a.mode(tile::convertMode(kTrunc, false));
}

/// Numbers of pto::QuantType.
constexpr unsigned kSymmetric = 2, kAsymmetric = 3;
void quantise(Attributes &a, unsigned wanted) {
  const unsigned type = a.word("quant_type", "quant_type", kSymmetric);
  if (type < kSymmetric)
    return a.breaks("MXQ-1", "MXFP8 and MXFP4_E2M1 are written `pto.tquant.mx`");
  a.decline(type != wanted);
}
void symmetric(Attributes &a) { quantise(a, kSymmetric); }
void asymmetric(Attributes &a) { quantise(a, kAsymmetric); }

/// MXQ-2 to MXQ-4: what types show. Tiles: dst, src, exp, max, scaling, exp_zz.
std::string microscalingProblem(Attributes &a, bool fp4, bool alongColumns, bool interleaved) {
  using tile::Elem;
  const auto isByte = [&](size_t i) { return a.elem(i) == Elem::i8 || a.elem(i) == Elem::u8; };
  const bool isSource = a.elem(1) == Elem::f16 || a.elem(1) == Elem::bf16 || (!fp4 && a.elem(1) == Elem::f32);
  if (!isSource || !(fp4 ? a.elem(0) == Elem::e2m1x2 : isByte(0) || a.elem(0) == Elem::e4m3))
    return fp4 ? "MXFP4_E2M1 makes f4E2M1x2 of f16 and bf16"
               : "MXFP8 makes bytes (i8, ui8, f8E4M3FN) of f16, bf16 and f32";
  if (a.elem(3) != a.elem(1) || a.elem(4) != a.elem(1))
    return "`max` and `scaling` have the elements of the source";
  for (Value value : a.binding.tiles)
    if (auto tile = cast<TileBufType>(value.getType()); tile.hasDynamicRows() || tile.hasDynamicCols())
      return "the valid extents of its tiles are numbers";
  const int64_t rows = a.tile(1).getValidRows(), cols = a.tile(1).getValidCols();
  if ((alongColumns ? rows : cols) % tile::mx::kGroup)
    return std::string("the source has whole groups of 32 ") + (alongColumns ? "rows" : "columns");
  const auto isShape = [&](size_t i, int64_t r, int64_t c) {
    return a.tile(i).getValidRows() == r && a.tile(i).getValidCols() == c;
  };
  if (!isShape(0, rows, fp4 ? cols / 2 : cols))
    return "the result has as many valid rows and columns as the source, columns of pairs half as many";
  const int64_t r = alongColumns ? rows / tile::mx::kGroup : rows, c = alongColumns ? cols : cols / tile::mx::kGroup;
  const bool mayBeFlat = !alongColumns || interleaved;
  for (size_t i : {2, 3, 4})
    if (!isShape(i, r, c) && !(mayBeFlat && isShape(i, 1, r * c)))
      return "`exp`, `max` and `scaling` have " + std::to_string(r) + " x " + std::to_string(c) + " valid elements" +
             (mayBeFlat ? ", or as many in one row" : "");
  return "";
}
void microscaling(Attributes &a) {
  constexpr unsigned kFp4 = 1, kNv = 1, kAxis0 = 0, kNz = 1;
  const unsigned type = a.word("quant_type", "quant_type", kSymmetric);
  if (type > kFp4)
    return a.refuse("MXQ-1", "quant_type", "`#pto<quant_type MXFP8>` or `#pto<quant_type MXFP4_E2M1>`");
  tile::mx::Mode mode{{type == kFp4, a.word("quantScaleAlg", "quant_scale_alg", 0) == kNv},
                      a.word("grpAxis", "mx_group_axis", 1) == kAxis0,
                      a.flag("interleave"),
                      /*byShape=*/true};
  const bool again = a.binding.tiles.size() > 5;
  if ((a.word("storeMode", "vec_store_mode", again ? kNz : 0) == kNz) != again)
    return a.breaks("MXQ-5", "`storeMode` nz and `exp_zz` come together");
  if (mode.interleaved && (again || !mode.alongColumns))
    return a.breaks("MXQ-5", "`interleave` is for groups along axis0, without `exp_zz`");
  if (std::string problem = microscalingProblem(a, mode.kind.fp4, mode.alongColumns, mode.interleaved);
      !problem.empty())
    return a.breaks("MXQ-2", problem);
  a.mode(mode.pack());
}

void load(Attributes &a) { a.mode(uint32_t(tile::LoadMode::Hardware)); }
void store(Attributes &a) {
  tile::MoveMode mode = a.moveMode();
  if (a.binding.tiles.size() > 1)
    mode.quant = tile::Quant::Vector;
  // IRSTORE-2: extents that types fix may be another factorisation.
  const TileBufType tile = a.tile(0);
  const Type type = a.binding.view.getType();
  ArrayRef<int64_t> extents;
  Type element;
  if (auto part = dyn_cast<PartitionTensorViewType>(type)) {
    extents = part.getShape();
    element = part.getElement();
  } else if (auto whole = dyn_cast<TensorViewType>(type)) {
    extents = whole.getShape();
    element = whole.getElement();
  } else {
    element = cast<MemRefType>(type).getElementType();
  }
  if (const auto from = a.elem(0))
    a.checkConversion(mode.quant, *from, viewElemOf(element));
  const bool fixed = !extents.empty() && !tile.hasDynamicRows() && !tile.hasDynamicCols() &&
                     llvm::none_of(extents, ShapedType::isDynamic);
  a.mode(mode.pack() | (fixed ? uint32_t(PTO_STORE_FIXED_EXTENTS) : 0));
}
void move(Attributes &a) {
  tile::MoveMode mode = a.moveMode();
  if (a.binding.tiles.size() > 2)
    mode.quant = tile::Quant::Vector;
  if (a.has("grpAxis") || a.has("tinsertMode"))
    return a.notModelled(a.has("grpAxis") ? "`grpAxis`" : "`tinsertMode`");
  if (const auto from = a.elem(1), to = a.elem(0); from && to)
    a.checkConversion(mode.quant, *from, *to);
  // IRMOV-3: which of the vector cores gets it; which half each of them is known at run time.
  using tile::AccToVecMode, tile::Part;
  const auto to = AccToVecMode(a.word("accToVecMode", "acc_to_vec_mode", 0));
  const bool halves = to == AccToVecMode::DualModeSplitM || to == AccToVecMode::DualModeSplitN;
  if (halves && !StringRef(a.binding.form->mnemonic).starts_with("tmov"))
    return a.notModelled("a dual `accToVecMode` of a window");
  if (halves)
    mode.part = to == AccToVecMode::DualModeSplitM ? Part::FirstRows : Part::FirstCols;
  a.binding.split = unsigned(to);
  a.mode(mode.pack() | (to == AccToVecMode::SingleModeVec1 ? uint32_t(PTO_MOVE_TO_SECOND) : 0));
}
void fillPad(Attributes &a) {
  const StringRef name = a.binding.form->mnemonic;
  const auto mode = name == "tfillpad_inplace"  ? tile::TFillPadMode::InPlace
                    : name == "tfillpad_expand" ? tile::TFillPadMode::Expand
                                                : tile::TFillPadMode::Normal;
  // IRPAD-4: that of the instruction comes before that of the type.
  const auto number = dyn_cast_or_null<IntegerAttr>(a.op->getAttr("padValue"));
  const int64_t given = number ? a.integer("IRPAD-4", "padValue", 0, 0, 3) : a.word("padValue", "pad_value", 0);
  a.mode(uint32_t(mode) | (a.has("padValue") ? uint32_t(given) + 1 : 0) << PTO_PAD_SHIFT);
}
void pattern(Attributes &a) {
  if (a.has("axis") && !a.has("maskPattern"))
    return a.notModelled("`axis` without `maskPattern`");
  a.decline(!a.has("maskPattern"));
  uint32_t mode = a.word("maskPattern", "mask_pattern", 0);
  if (a.has("axis")) { // IRGATHER-7
    auto axis = dyn_cast<StringAttr>(a.op->getAttr("axis"));
    if (!axis || (axis != "row" && axis != "col"))
      return a.refuse("IRGATHER-7", "axis", "\"row\" or \"col\"");
    mode |= axis == "col" ? tile::kPatternOfRows : 0;
  }
  a.mode(mode);
}

/// Without `coalesce` the valid extents of the indices tell (IRGATHER-8).
uint32_t indexMode(Attributes &a, uint32_t atomic, tile::Outside outside) {
  if (!a.has("coalesce"))
    return tile::IndexMode{atomic, false, outside}.pack() | PTO_INDEX_BY_EXTENTS;
  return tile::IndexMode{atomic, a.word("coalesce", "coalesce", 0) == 0, outside}.pack();
}
void gather(Attributes &a) {
  using tile::Outside;
  constexpr Outside kRules[] = {Outside::Refuse, Outside::Clamp, Outside::Wrap, Outside::Zero};
  a.mode(indexMode(a, 0, kRules[a.word("gatherOob", "gather_oob", 0) & 3]));
}
void scatterGm(Attributes &a) {
  using tile::Outside;
  constexpr Outside kRules[] = {Outside::Refuse, Outside::Skip, Outside::Clamp, Outside::Wrap};
  const unsigned atomic = a.word("scatterAtomicOp", "scatter_atomic_op", 0);
  a.mode(indexMode(a, atomic, kRules[a.word("scatterOob", "scatter_oob", 0) & 3]));
}
void exhausted(Attributes &a) { a.mode(a.flag("exhausted")); }

} // namespace

TileRuleResult ptoscope::pto::applyRule(Operation *op, TileBinding &binding) {
  static constexpr Rule kRules[] = {
#define PTO_TILE_RULE(NAME, FUNCTION, ...) FUNCTION,
#include "ptoscope/Dialect/PTO/TileRules.def"
#undef PTO_TILE_RULE
  };
  Attributes attributes(op, binding);
  kRules[size_t(binding.form->rule)](attributes);
  return attributes.result;
}
