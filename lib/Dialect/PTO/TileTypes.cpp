//===- TileTypes.cpp - types of tiles and their slots ---------------------===//

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

} // namespace

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

bool ptoscope::pto::isTileElement(Type element) {
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
  if (!isTileElement(element))
    return breaks("TATTR-1") << element << " is not an element of a tile";
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
