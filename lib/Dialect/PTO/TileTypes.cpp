//===- TileTypes.cpp - types and words of tile-level text -----------------===//

#include "Parsing.h"
#include "ptoscope/Dialect/PTO/Tokens.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;
using tile::BLayout;
using tile::CompactMode;
using tile::Elem;
using tile::PadValue;
using tile::SLayout;

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

namespace {

/// Where a tile is; the position is its pto::TileType.
struct Place {
  StringLiteral word;
  Space space;
};
constexpr Place kPlaces[] = {{"vec", Space::Ub},  {"mat", Space::L1},  {"left", Space::L0A},  {"right", Space::L0B},
                             {"acc", Space::L0C}, {"bias", Space::Bt}, {"scaling", Space::Fb}};
constexpr StringLiteral kBLayouts[] = {"row_major", "col_major"};
constexpr StringLiteral kSLayouts[] = {"none_box", "row_major", "col_major"};
constexpr int64_t kFractals[] = {32, 512, 1024};
constexpr int64_t kPads = 4, kCompacts = 3;
constexpr int64_t kDefaultFractal = 512;
constexpr int64_t kDynamic = ShapedType::kDynamic;

const Place *placeOf(Space space) {
  return llvm::find_if(kPlaces, [space](const Place &place) { return place.space == space; });
}

/// Words with numbers from 0 on, or the one behind `=`; other spellings behind `|`. Without any, every word will do.
struct Mode {
  StringLiteral kind, words;
};
constexpr StringLiteral kPrecisions = "default high_precision";
constexpr Mode kModes[] = {
    {"layout", "nd dn nz"},
    {"cmp", "eq|equal ne|not_equal lt|less_than le|less_equal gt|greater_than ge|greater_equal"},
    {"round_mode",
     "NONE|CAST_NONE RINT ROUND|CAST_ROUND FLOOR|CAST_FLOOR CEIL|CAST_CEIL TRUNC|CAST_TRUNC ODD|CAST_ODD CAST_RINT"},
    {"saturation_mode", "ON OFF"},
    {"mask_pattern", "P0101=1 P1010 P0001 P0010 P0100 P1000 P1111"},
    {"atomic_type", "atomic_none atomic_add"},
    {"relu_pre_mode", "no_relu normal_relu scalar_relu vector_relu pwl"},
    {"st_phase", "unspecified partial=2 final"},
    {"acc_phase", "unspecified partial=2 final"},
    {"acc_to_vec_mode", "single_mode_vec0 single_mode_vec1 dual_mode_split_m dual_mode_split_n"},
    {"quant_type", "MXFP8 MXFP4_E2M1 INT8_SYM INT8_ASYM"},
    {"quant_scale_alg", "ocp nv"},
    {"mx_group_axis", "axis0 axis1"},
    {"vec_store_mode", "nd nz"},
    {"gather_oob", "undefined clamp wrap zero"},
    {"scatter_oob", "undefined skip clamp wrap"},
    {"scatter_atomic_op", "none add max min"},
    {"scatter_conflict", "last default"},
    {"coalesce", "row elem"},
    {"tinsert_mode", "split2 split4"},
    {"compact_mode", "null normal row_plus_one"},
    {"pad_value", "null zero max min"},
    {"padmode", "PadNull PadFirstElem PadValue"},
    {"quant_pre_mode",
     "no_convert f32_f16 f32_bf16 req8_vec req8_scalar deqf16_vec deqf16_scalar deqs16_vec deqs16_scalar "
     "qs322bf16_pre_vec qs322bf16_pre_scalar qf322b8_pre_vec qf322b8_pre_scalar qf322f16_pre_vec qf322f16_pre_scalar "
     "qf322bf16_pre_vec qf322bf16_pre_scalar qf322f32_pre_vec qf322f32_pre_scalar qf322fp8_pre_vec "
     "qf322fp8_pre_scalar qf322hif8_pre_vec qf322hif8_pre_scalar"},
    {"ld_l2cache", "nmfv nmlv nmprs nmpref nakeep naclean nadrop idsfv=8 idslv idsprs idspref exfv exlv exprs expref"},
    {"st_l2cache", "nmfv nmlv nmprs nmred naci napw napi nared wbhfv wbhlv wbhprs wbhred wtsfv wtslv wtsprs wtsred"},
    {"l1cache", "uncache cache"},
    {"module_core_type", ""},
    {"vector_function", ""},
    {"print_format", "width8_precision4 width8_precision2 width10_precision6"},
    {"precision_mode", "DEFAULT HIGH_PRECISION"},
    {"div_precision", kPrecisions},
    {"exp_precision", kPrecisions},
    {"log_precision", kPrecisions},
    {"pow_precision", kPrecisions},
    {"recip_precision", kPrecisions},
    {"rem_precision", kPrecisions},
    {"rsqrt_precision", kPrecisions},
    {"sqrt_precision", kPrecisions},
    {"fmod_precision", kPrecisions},
    {"dcci_cache_line", "SINGLE_CACHE_LINE ENTIRE_DATA_CACHE"},
    {"dcci_dst", "CACHELINE_ALL|ALL CACHELINE_UB|UB CACHELINE_OUT|OUT CACHELINE_ATOMIC|ATOMIC"},
    {"dsb_mem", "ALL DDR UB SEQ"},
    {"fence_scope", "local_memory gm all"},
};

/// Those of instructions and forms that are not modelled (IRNOT-4).
constexpr StringLiteral kNotModelled[] = {"acc_store_atomic_op",
                                          "acc_store_atomic_type",
                                          "acc_store_mode",
                                          "acc_store_sat_mode",
                                          "acc_store_ub_dst_mode",
                                          "cube_load_frac_mode",
                                          "mad_sat_mode",
                                          "mad_unit_flag_mode",
                                          "notify_op",
                                          "reduce_op",
                                          "rounding",
                                          "saturation",
                                          "unit_flag_ctrl",
                                          "wait_cmp"};

} // namespace

SmallVector<std::pair<StringRef, StringRef>> ptoscope::pto::attributeKinds() {
  SmallVector<std::pair<StringRef, StringRef>> kinds;
  for (const Mode &mode : kModes)
    kinds.push_back({mode.kind, mode.words});
  return kinds;
}

namespace {

const Mode *findMode(StringRef kind) {
  const Mode *found = llvm::find_if(kModes, [kind](const Mode &mode) { return mode.kind == kind; });
  return found == std::end(kModes) ? nullptr : found;
}

/// Calls fn(spellings, number) for each word of a mode until it says true.
template <typename Fn> bool anyWord(const Mode &mode, Fn fn) {
  SmallVector<StringRef> words;
  mode.words.split(words, ' ');
  unsigned number = 0;
  for (StringRef word : words) {
    auto [spellings, given] = word.split('=');
    if (!given.empty())
      (void)given.getAsInteger(10, number);
    SmallVector<StringRef> each;
    spellings.split(each, '|');
    if (fn(ArrayRef<StringRef>(each), number++))
      return true;
  }
  return false;
}

} // namespace

/// `<blayout=row_major, pad=0>` (TATTR-7): operations that are not modelled have it.
static Attribute parseConfig(AsmParser &parser, StringRef kind) {
  std::string text;
  auto field = [&]() -> ParseResult {
    StringRef key, word;
    int64_t number;
    if (parser.parseKeyword(&key) || parser.parseEqual())
      return failure();
    OptionalParseResult isNumber = parser.parseOptionalInteger(number);
    if (isNumber.has_value() ? failed(*isNumber) : failed(parser.parseKeyword(&word)))
      return failure();
    text += (text.empty() ? "" : ", ") + key.str() + "=" + (isNumber.has_value() ? std::to_string(number) : word.str());
    return success();
  };
  if (parser.parseLess() || parser.parseCommaSeparatedList(field) || parser.parseGreater())
    return {};
  return ModeAttr::get(parser.getContext(), kind, text);
}

std::optional<Attribute> ModeAttr::parseMode(AsmParser &parser, StringRef kind) {
  if (kind == "tile_buf_config")
    return parseConfig(parser, kind);
  llvm::SMLoc loc = parser.getCurrentLocation();
  const auto notModelled = [&](const Twine &spelled) {
    emitCoded(parser.emitError(loc), "not-modelled") << "attribute `#pto." << spelled << "` is not modelled";
    return Attribute();
  };
  if (llvm::is_contained(kNotModelled, kind))
    return notModelled(kind);
  const Mode *mode = findMode(kind);
  if (!mode)
    return std::nullopt;
  std::string word, canonical, known;
  if (parseWord(parser, kind, {StringRef()}, word))
    return Attribute();
  if (mode->words.empty())
    return get(parser.getContext(), kind, word);
  anyWord(*mode, [&](ArrayRef<StringRef> spellings, unsigned) {
    known += (known.empty() ? "" : ", ") + spellings.front().str();
    if (llvm::any_of(spellings, [&](StringRef each) { return each.equals_insensitive(word); }))
      canonical = spellings.front().str();
    return word == spellings.front();
  });
  if (canonical.empty() && kind == "quant_pre_mode") // conversions that no accumulator makes
    return notModelled(kind + "<" + word + ">");
  if (canonical.empty()) {
    parser.emitError(loc) << "`#pto." << kind << "<" << word << ">`: the word must be one of " << known;
    return Attribute();
  }
  if (word != canonical)
    remarkLoose(parser, loc, "`" + Twine(word) + "` is taken as `" + canonical + "`");
  return get(parser.getContext(), kind, canonical);
}

unsigned ModeAttr::getNumber() const {
  unsigned result = 0;
  const Mode *mode = findMode(getKind());
  if (!mode)
    return result;
  anyWord(*mode, [&](ArrayRef<StringRef> spellings, unsigned number) {
    result = number;
    return spellings.front() == getValue();
  });
  return result;
}

//===----------------------------------------------------------------------===//
// What a push applies
//===----------------------------------------------------------------------===//

namespace {
/// A word of `#pto.acc_push_epilogue`, the first one being what counts without it.
struct EpilogueWord {
  StringLiteral key;
  SmallVector<StringRef, 15> words;
};
ArrayRef<EpilogueWord> epilogueWords() {
  static const EpilogueWord kWords[] = {
      {"layout", {"nz2nd", "nz2dn", "nz2nz"}},
      {"quant",
       {"no_convert", "f32_f16", "f32_bf16", "req8_scalar", "req8_vec", "deqf16_scalar", "deqf16_vec",
        "qf322b8_pre_scalar", "qf322b8_pre_vec", "qf322f16_pre_scalar", "qf322bf16_pre_scalar", "qs322bf16_pre_scalar",
        "qs322bf16_pre_vec", "qf322hif8_pre_scalar", "qf322fp8_pre_scalar"}},
      {"relu", {"no_relu", "normal_relu"}}};
  return kWords;
}
} // namespace

/// `<layout = WORD, quant = WORD, relu = WORD>`, each at most once.
Attribute AccPushEpilogueAttr::parse(AsmParser &parser, Type) {
  ArrayRef<EpilogueWord> known = epilogueWords();
  SmallVector<std::string> chosen(known.size());
  const bool bracket = succeeded(parser.parseOptionalLess()); // not in `#pto<acc_push_epilogue layout = nz2nd>`
  auto pair = [&]() -> ParseResult {
    llvm::SMLoc loc = parser.getCurrentLocation();
    std::string key, word;
    if (parser.parseKeywordOrString(&key) || parser.parseEqual() || parser.parseKeywordOrString(&word))
      return failure();
    const auto *own = llvm::find_if(known, [&](const EpilogueWord &each) { return each.key == key; });
    if (own == known.end() || !chosen[size_t(own - known.begin())].empty())
      return parser.emitError(loc) << "`#pto.acc_push_epilogue` has `layout`, `quant` and `relu`, each once";
    if (!llvm::is_contained(own->words, word))
      return parser.emitError(loc) << "`" << key << "` of `#pto.acc_push_epilogue` is one of "
                                   << llvm::join(own->words, ", ") << ", not `" << word << "`";
    chosen[size_t(own - known.begin())] = word;
    return success();
  };
  if (parser.parseCommaSeparatedList(pair) || (bracket && parser.parseGreater()))
    return {};
  for (auto [word, own] : llvm::zip(chosen, known))
    if (word.empty())
      word = own.words.front().str();
  return get(parser.getContext(), chosen[0], chosen[1], chosen[2]);
}

void AccPushEpilogueAttr::print(AsmPrinter &printer) const {
  printer << "<layout = " << getLayout() << ", quant = " << getQuant() << ", relu = " << getRelu() << ">";
}

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

std::optional<Elem> TileBufType::elemOf(Type element) {
  if (auto integer = llvm::dyn_cast_or_null<IntegerType>(element)) {
    bool isSigned = !integer.isUnsigned();
    switch (integer.getWidth()) {
    case 8:
      return isSigned ? Elem::i8 : Elem::u8;
    case 16:
      return isSigned ? Elem::i16 : Elem::u16;
    case 32:
      return isSigned ? Elem::i32 : Elem::u32;
    case 64:
      return isSigned ? Elem::i64 : Elem::u64;
    default:
      return std::nullopt;
    }
  }
  return llvm::TypeSwitch<Type, std::optional<Elem>>(element)
      .Case([](Float16Type) { return Elem::f16; })
      .Case([](BFloat16Type) { return Elem::bf16; })
      .Case([](Float32Type) { return Elem::f32; })
      .Case([](Float8E4M3FNType) { return Elem::e4m3; })
      .Case([](Float8E5M2Type) { return Elem::e5m2; })
      .Case([](F8E8M0Type) { return Elem::e8m0; })
      .Case([](Hif8Type) { return Elem::hif8; })
      .Case([](F4E2M1x2Type) { return Elem::e2m1x2; })
      .Case([](F4E1M2x2Type) { return Elem::e1m2x2; })
      .Default(std::optional<Elem>());
}

/// Pairs that no instruction computes with are elements too: they are carried along.
static bool isElement(Type element) {
  return TileBufType::elemOf(element) || llvm::isa_and_nonnull<Hif8x2Type, BF16x2Type>(element);
}

//===----------------------------------------------------------------------===//
// Tiles
//===----------------------------------------------------------------------===//

namespace {

/// The fields of a tile type as they are written, in any order, with or without keys.
class TileFields {
public:
  /// `count` is a key of rows of slots only.
  TileFields(AsmParser &parser, int64_t *count) : parser(parser), count(count) {}

  /// What follows the `<`, and the `>`.
  TileBufType parse() {
    llvm::SMLoc begin = parser.getCurrentLocation();
    if (parser.parseCommaSeparatedList([this] { return item(); }) || parser.parseGreater())
      return {};
    for (auto [missing, what] : {std::pair(space == Space::None, "its memory, such as `vec`"),
                                 {rows < 0 || cols < 0, "rows and columns"},
                                 {!element, "an element type"}})
      if (missing)
        return parser.emitError(begin) << "a tile type has " << what, TileBufType();
    if (count && !seen.contains("count"))
      return parser.emitError(begin) << "`!pto.multi_tile_buf` says how many slots it has: `count=N`", TileBufType();
    if (seen.contains("loc"))
      for (StringRef key : {"v_row", "v_col", "blayout", "slayout", "fractal", "pad"})
        if (!seen.contains(key))
          return refuse(begin, "TBUF-3") << "written with keys, it needs `" << key << "`", TileBufType();
    // The enumerations are narrower than the numbers.
    if (pad < 0 || pad >= kPads)
      return refuse(begin, "TBUF-7") << "`pad` is 0 to 3, not " << pad, TileBufType();
    if (compact < 0 || compact >= kCompacts)
      return refuse(begin, "TBUF-7") << "`compact` is 0, 1 or 2, not " << compact, TileBufType();
    if (space == Space::L0A) // whatever it says: pto-resolve-types gives it that of the target
      blayout = BLayout::ColMajor;
    return TileBufType::getChecked([&] { return parser.emitError(begin); }, parser.getContext(), space, element, rows,
                                   cols, validRows.value_or(rows), validCols.value_or(cols), blayout, slayout, fractal,
                                   PadValue(pad), CompactMode(compact));
  }

private:
  ParseResult item() {
    llvm::SMLoc loc = parser.getCurrentLocation();
    char next = *loc.getPointer();
    if (next == '#') {
      AddressSpaceAttr attr;
      return failure(parser.parseAttribute(attr) || once(loc, "place") || setPlace(loc, attr.getValue()));
    }
    if (llvm::isDigit(next) || next == '?') {
      SmallVector<int64_t> dims;
      if (once(loc, "rows") || once(loc, "cols") || once(loc, "dtype") ||
          parser.parseDimensionList(dims, /*allowDynamic=*/false) || parseElement(parser, element))
        return failure();
      if (dims.size() != 2)
        return parser.emitError(loc) << "a tile has two extents, `ROWSxCOLSxT`, not " << dims.size();
      rows = dims[0], cols = dims[1];
      return success();
    }
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    if (failed(parser.parseOptionalEqual()))
      return failure(once(loc, "place") || setPlace(loc, word));
    return failure(once(loc, word) || value(loc, word));
  }

  ParseResult value(llvm::SMLoc loc, StringRef key) {
    StringRef word;
    if (key == "loc")
      return failure(parser.parseKeyword(&word) || setPlace(loc, word));
    if (key == "dtype")
      return parseElement(parser, element);
    if (key == "rows" || key == "cols")
      return parser.parseInteger(key == "rows" ? rows : cols);
    if (key == "v_row" || key == "v_col")
      return extent(key == "v_row" ? validRows : validCols);
    if (key == "valid")
      return failure(once(loc, "v_row") || once(loc, "v_col") || valid(loc));
    if (key == "blayout" || key == "slayout")
      return layout(key);
    if (key == "fractal" || key == "pad" || key == "compact")
      return parser.parseInteger(key == "fractal" ? fractal : key == "pad" ? pad : compact);
    if (count && key == "count")
      return parser.parseInteger(*count);
    return parser.emitError(loc) << "a tile type has no `" << key
                                 << "`; the keys are loc, dtype, rows, cols, v_row, v_col, valid, blayout, slayout, "
                                    "fractal, pad, compact";
  }

  /// MLIR reads `0x8` as a number, and `-1` not at all, where extents are written
  /// with an `x` between them.
  ParseResult valid(llvm::SMLoc loc) {
    StringRef text = StringRef(loc.getPointer()).take_while([](char c) { return c != ',' && c != '>'; });
    if (!text.contains('-')) {
      SmallVector<int64_t> dims;
      if (parser.parseDimensionList(dims, /*allowDynamic=*/true, /*withTrailingX=*/false))
        return failure();
      if (dims.size() != 2)
        return parser.emitError(loc) << "valid extents are written `valid=ROWSxCOLS`";
      validRows = dims[0], validCols = dims[1];
      return success();
    }
    return failure(extent(validRows) || parser.parseXInDimensionList() || extent(validCols));
  }

  ParseResult extent(std::optional<int64_t> &extent) {
    extent = kDynamic;
    if (succeeded(parser.parseOptionalQuestion()))
      return success();
    llvm::SMLoc loc = parser.getCurrentLocation();
    int64_t number;
    if (parser.parseInteger(number))
      return failure();
    if (number < -1)
      return refuse(loc, "TBUF-6") << "a valid extent is a number from 0 on, or `?`, not " << number;
    if (number >= 0)
      extent = number;
    return success();
  }

  ParseResult layout(StringRef key) {
    llvm::SMLoc loc = parser.getCurrentLocation();
    ArrayRef<StringLiteral> words = key == "blayout" ? ArrayRef(kBLayouts) : ArrayRef(kSLayouts);
    StringRef word;
    if (parser.parseKeyword(&word))
      return failure();
    const StringLiteral *found = llvm::find(words, word);
    if (found == words.end())
      return parser.emitError(loc) << "unknown `" << key << "` " << word << "; it is one of "
                                   << llvm::join(words, ", ");
    if (key == "blayout")
      blayout = BLayout(found - words.begin());
    else
      slayout = SLayout(found - words.begin());
    return success();
  }

  ParseResult setPlace(llvm::SMLoc loc, StringRef word) {
    std::optional<Space> parsed = parseSpace(word);
    const Place *place = parsed ? placeOf(*parsed) : std::end(kPlaces);
    if (place == std::end(kPlaces))
      return parser.emitError(loc) << "a tile is in vec, mat, left, right, acc, bias or scaling, not in `" << word
                                   << "`";
    if (place->word != word)
      remarkLoose(parser, loc, "`" + word + "` is taken as `" + place->word + "`");
    if (space != Space::None)
      return parser.emitError(loc) << "the memory of a tile is written once";
    space = *parsed;
    return success();
  }

  InFlightDiagnostic refuse(llvm::SMLoc loc, StringRef label) {
    return parser.emitError(loc) << "the tile type breaks " << label << ": ";
  }

  ParseResult once(llvm::SMLoc loc, StringRef key) {
    if (seen.insert(key).second)
      return success();
    return refuse(loc, "TBUF-2") << "`" << key << "` is there twice";
  }

  AsmParser &parser;
  int64_t *count;
  llvm::StringSet<> seen;
  Space space = Space::None;
  Type element;
  int64_t rows = -1, cols = -1, fractal = kDefaultFractal, pad = 0, compact = 0;
  std::optional<int64_t> validRows, validCols;
  BLayout blayout = BLayout::RowMajor;
  SLayout slayout = SLayout::NoneBox;
};

/// More than any memory has; products of extents stay small.
constexpr int64_t kMaxTileBytes = int64_t(1) << 20;

} // namespace

Type TileBufType::parseBody(AsmParser &parser) {
  return parser.parseLess() ? Type() : TileFields(parser, nullptr).parse();
}

Type TileBufType::parse(AsmParser &parser) { return parseBody(parser); }

void TileBufType::printBody(AsmPrinter &printer) const {
  auto extent = [&](int64_t value) {
    if (ShapedType::isDynamic(value))
      printer << "?";
    else
      printer << value;
  };
  printer << placeOf(getSpace())->word << ", " << getRows() << "x" << getCols() << "x" << getElement();
  if (getValidRows() != getRows() || getValidCols() != getCols()) {
    printer << ", valid=";
    extent(getValidRows());
    printer << "x";
    extent(getValidCols());
  }
  if (getBlayout() != BLayout::RowMajor)
    printer << ", blayout=" << kBLayouts[size_t(getBlayout())];
  if (isBoxed())
    printer << ", slayout=" << kSLayouts[size_t(getSlayout())];
  if (getFractal() != kDefaultFractal)
    printer << ", fractal=" << getFractal();
  if (getPad() != PadValue::Null)
    printer << ", pad=" << uint64_t(getPad());
  if (getCompact() != CompactMode::Null)
    printer << ", compact=" << unsigned(getCompact());
}

void TileBufType::print(AsmPrinter &printer) const {
  printer << "<";
  printBody(printer);
  printer << ">";
}

LogicalResult TileBufType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, Space space, Type element,
                                  int64_t rows, int64_t cols, int64_t validRows, int64_t validCols, BLayout, SLayout,
                                  int64_t fractal, PadValue, CompactMode) {
  auto breaks = [&](StringRef label) { return emitError() << "the tile type breaks " << label << ": "; };
  if (placeOf(space) == std::end(kPlaces))
    return breaks("TBUF-10") << "a tile is in an on-chip memory";
  if (!isElement(element))
    return breaks("TATTR-1") << element << " is no element of a tile";
  int64_t bytes = bitsOf(element) / 8;
  if (rows < 1 || cols < 1)
    return breaks("TBUF-6") << "a tile has at least one row and one column, not " << rows << "x" << cols;
  if (rows > kMaxTileBytes || cols > kMaxTileBytes || rows * cols > kMaxTileBytes / bytes)
    return breaks("TBUF-16") << "a tile has at most 2^20 bytes, more than any memory; " << rows << "x" << cols
                             << " elements of " << bytes << " bytes are more";
  for (auto [valid, capacity, what] : {std::tuple(validRows, rows, "rows"), {validCols, cols, "columns"}})
    if (!ShapedType::isDynamic(valid) && (valid < 0 || valid > capacity))
      return breaks("TBUF-6") << valid << " valid " << what << ", but it has " << capacity;
  if (!llvm::is_contained(kFractals, fractal))
    return breaks("TBUF-7") << "`fractal` is 32, 512 or 1024, not " << fractal;
  return success();
}

tile::Extents TileBufType::unit() const {
  if (!llvm::isa<F4E1M2x2Type, F4E2M1x2Type>(getElement()))
    return {1, 1};
  bool alongRows = isBoxed() ? getSlayout() == SLayout::ColMajor : getBlayout() == BLayout::ColMajor;
  return alongRows ? tile::Extents{2, 1} : tile::Extents{1, 2};
}

tile::TileRef TileBufType::ref() const {
  tile::Extents per = unit();
  auto valid = [](int64_t extent, int32_t unit) { return ShapedType::isDynamic(extent) ? -1 : int32_t(extent) * unit; };
  tile::TileRef ref = {};
  ref.location = uint8_t(placeOf(getSpace()) - kPlaces);
  // Pairs without a name have the size of an integer; instructions look at elemOf.
  ref.elem = elemOf(getElement()).value_or(bitsOf(getElement()) == 16 ? Elem::u16 : Elem::u32);
  ref.blockLayout = uint8_t(getBlayout());
  ref.innerLayout = uint8_t(getSlayout());
  ref.fractalBytes = uint16_t(getFractal());
  ref.compact = uint8_t(getCompact());
  ref.rows = int32_t(getRows()) * per.rows;
  ref.cols = int32_t(getCols()) * per.cols;
  ref.validRows = valid(getValidRows(), per.rows);
  ref.validCols = valid(getValidCols(), per.cols);
  ref.pad = uint64_t(getPad());
  return ref;
}

tile::Extents TileBufType::box() const {
  tile::TileRef tile = ref();
  tile::Extents box = tile::innerBox(tile.elem, getSlayout(), int(getFractal())), per = unit();
  return {std::max(1, box.rows / per.rows), std::max(1, box.cols / per.cols)};
}

int64_t TileBufType::getBytes() const {
  tile::TileRef whole = ref();
  whole.validRows = whole.rows;
  whole.validCols = whole.cols;
  return tile::bytesFor(whole.elem, tile::tileEnd(whole, whole.rows, whole.cols));
}

TileBufType TileBufType::withElement(Type element) const {
  return get(getContext(), getSpace(), element, getRows(), getCols(), getValidRows(), getValidCols(), getBlayout(),
             getSlayout(), getFractal(), getPad(), getCompact());
}

TileBufType TileBufType::withShape(int64_t rows, int64_t cols, int64_t validRows, int64_t validCols) const {
  return get(getContext(), getSpace(), getElement(), rows, cols, validRows, validCols, getBlayout(), getSlayout(),
             getFractal(), getPad(), getCompact());
}

TileBufType TileBufType::withBLayout(BLayout blayout) const {
  return get(getContext(), getSpace(), getElement(), getRows(), getCols(), getValidRows(), getValidCols(), blayout,
             getSlayout(), getFractal(), getPad(), getCompact());
}

//===----------------------------------------------------------------------===//
// Slots
//===----------------------------------------------------------------------===//

Type MultiTileBufType::parse(AsmParser &parser) {
  int64_t count = 0;
  TileBufType tile;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parser.parseLess())
    return {};
  if (*parser.getCurrentLocation().getPointer() == '!') {
    if (parser.parseType(tile) || parser.parseComma() || parser.parseKeyword("count") || parser.parseEqual() ||
        parser.parseInteger(count) || parser.parseGreater())
      return {};
  } else if (!(tile = TileFields(parser, &count).parse())) {
    return {};
  }
  return getChecked([&] { return parser.emitError(loc); }, parser.getContext(), tile, count);
}

void MultiTileBufType::print(AsmPrinter &printer) const {
  printer << "<";
  getTile().printBody(printer);
  printer << ", count=" << getCount() << ">";
}

LogicalResult MultiTileBufType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, TileBufType tile,
                                       int64_t count) {
  auto breaks = [&]() { return emitError() << "`!pto.multi_tile_buf` breaks TBUF-15: "; };
  if (count < 2 || count > 16)
    return breaks() << "`count` is 2 to 16, not " << count;
  if (bitsOf(tile.getElement()) < 16 && !llvm::isa<IntegerType>(tile.getElement()))
    return breaks() << "slots do not hold " << tile.getElement();
  if (tile.getCompact() == CompactMode::RowPlusOne)
    return breaks() << "slots are not `compact=2`";
  return success();
}

//===----------------------------------------------------------------------===//
// Views, arrays, structs
//===----------------------------------------------------------------------===//

static ParseResult parseShaped(AsmParser &parser, bool allowDynamic, SmallVectorImpl<int64_t> &shape, Type &element) {
  return failure(parser.parseLess() || parser.parseDimensionList(shape, allowDynamic) ||
                 parseElement(parser, element) || parser.parseGreater());
}

template <typename T> static Type parseShapedType(AsmParser &parser, bool allowDynamic) {
  SmallVector<int64_t> shape;
  Type element;
  llvm::SMLoc loc = parser.getCurrentLocation();
  if (parseShaped(parser, allowDynamic, shape, element))
    return {};
  return T::getChecked([&] { return parser.emitError(loc); }, parser.getContext(), ArrayRef<int64_t>(shape), element);
}

template <typename T> static void printShapedType(AsmPrinter &printer, T type) {
  printer << "<";
  for (int64_t extent : type.getShape()) {
    if (ShapedType::isDynamic(extent))
      printer << "?x";
    else
      printer << extent << "x";
  }
  printer << type.getElement() << ">";
}

static LogicalResult verifyView(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                Type element) {
  auto breaks = [&](StringRef label) { return emitError() << "the view type breaks " << label << ": "; };
  if (shape.empty() || shape.size() > 5)
    return breaks("VIEW-1") << "a view has 1 to 5 extents, not " << shape.size();
  if (!isElement(element))
    return breaks("TATTR-1") << element << " is no element of a view";
  for (int64_t extent : shape)
    if (extent == 0)
      return breaks("VIEW-1") << "an extent of 0 elements";
  return success();
}

Type TensorViewType::parse(AsmParser &parser) { return parseShapedType<TensorViewType>(parser, true); }
void TensorViewType::print(AsmPrinter &printer) const { printShapedType(printer, *this); }
LogicalResult TensorViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                     Type element) {
  return verifyView(emitError, shape, element);
}

Type PartitionTensorViewType::parse(AsmParser &parser) {
  return parseShapedType<PartitionTensorViewType>(parser, true);
}
void PartitionTensorViewType::print(AsmPrinter &printer) const { printShapedType(printer, *this); }
LogicalResult PartitionTensorViewType::verify(llvm::function_ref<InFlightDiagnostic()> emitError,
                                              ArrayRef<int64_t> shape, Type element) {
  return verifyView(emitError, shape, element);
}

Type LocalArrayType::parse(AsmParser &parser) { return parseShapedType<LocalArrayType>(parser, false); }
void LocalArrayType::print(AsmPrinter &printer) const { printShapedType(printer, *this); }
LogicalResult LocalArrayType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<int64_t> shape,
                                     Type element) {
  auto breaks = [&]() { return emitError() << "`!pto.local_array` breaks TVAL-2: "; };
  if (!element.isIntOrIndexOrFloat() || bitsOf(element) > 64)
    return breaks() << element << " is no scalar";
  int64_t size = 1;
  for (int64_t extent : shape)
    if (extent < 1 || extent > kMaxLocalScalars || (size *= extent) > kMaxLocalScalars)
      return breaks() << "it holds 1 to " << kMaxLocalScalars << " scalars";
  if (shape.empty() || shape.size() > 5)
    return breaks() << "it has 1 to 5 extents, not " << shape.size();
  return success();
}

int64_t StructType::getScalars() const {
  int64_t scalars = 0;
  for (Type field : getFields())
    if (auto inner = llvm::dyn_cast<StructType>(field))
      scalars += inner.getScalars();
    else
      ++scalars;
  return scalars;
}

LogicalResult StructType::verify(llvm::function_ref<InFlightDiagnostic()> emitError, ArrayRef<Type> fields) {
  auto breaks = [&]() { return emitError() << "`!pto.struct` breaks TVAL-3: "; };
  int64_t scalars = 0;
  for (Type field : fields) {
    auto inner = llvm::dyn_cast<StructType>(field);
    unsigned bits = bitsOf(field);
    bool scalar = field.isSignlessInteger() ? bits >= 8 && bits <= 64 && llvm::isPowerOf2_32(bits)
                                            : llvm::isa<Float16Type, BFloat16Type, Float32Type, Float64Type>(field);
    if (!inner && !scalar)
      return breaks() << "a field is i8 to i64, f16, bf16, f32, f64 or a struct, not " << field;
    scalars += inner ? inner.getScalars() : 1;
  }
  if (scalars < 1 || scalars > kMaxLocalScalars)
    return breaks() << "it holds 1 to " << kMaxLocalScalars << " scalars";
  return success();
}
