//===- Phases.cpp - the table of hidden phases ----------------------------===//

#include "Phases.h"

#include "pto/detail/gather.hpp"
#include "pto/detail/record.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace ptoscope::tile {

namespace {

const TileRef &tile(const Operands &ops, size_t i) { return ops.tile[i].ref; }
bool isVec(const TileRef &ref) { return TileType(ref.location) == TileType::Vec; }
bool isPlain(const TileRef &ref) { return SLayout(ref.innerLayout) == SLayout::NoneBox; }
int64_t bytesOf(const TileRef &ref, int64_t elements) { return bytesFor(ref.elem, elements); }
bool isOne(const TileRef &ref) { return ref.validRows == 1 && ref.validCols == 1; }
bool isInt(Elem elem) { return has(kInts, elem); }

// --- conditions -----------------------------------------------------------------------------

bool always(const Operands &) { return true; }
/// Elements of the first source.
bool ints16To32(const Operands &ops) {
  return has(elems(Elem::i16, Elem::u16, Elem::i32, Elem::u32), tile(ops, 1).elem);
}
bool ints(const Operands &ops) { return isInt(tile(ops, 0).elem); }
bool shortInts(const Operands &ops) { return has(kInts8To32, tile(ops, 0).elem); }
bool hasThree(const Operands &ops) { return ops.tiles == 3; }

/// A vector of full blocks of 32 bytes is repeated by the vector unit alone.
bool expandsByScalar(const Operands &ops) {
  const TileRef &dst = tile(ops, 0), &src = tile(ops, 1);
  const unsigned bits = bitsOf(dst.elem);
  const bool full =
      dst.validRows == dst.rows && dst.validCols == dst.cols && src.validRows == src.rows && src.validCols == src.cols;
  const bool vector = (src.rows == 1 && src.cols == dst.rows) || (src.cols == 1 && src.rows == dst.rows);
  return !(full && vector && (bits == 16 || bits == 32) && bytesOf(dst, dst.cols) == 32);
}
/// More columns than one repeat of 256 bytes, or values beside indices in rows of more than a block.
bool wideArg(const Operands &ops) {
  return bytesOf(tile(ops, 1), tile(ops, 1).validCols) > 256 ||
         (ops.tiles > 3 && bytesOf(tile(ops, 3), tile(ops, 3).cols) > 32);
}
bool joinsPartBlock(const Operands &ops) { return bytesOf(tile(ops, 1), tile(ops, 1).validCols) % 32 != 0; }
bool padsPartBlock(const Operands &ops) {
  const TileRef &src = tile(ops, 1);
  return isVec(tile(ops, 0)) && bitsOf(src.elem) == 8 && src.validCols % 32 != 0;
}
/// Sub-tiles of the transpose: 32 bytes of columns, 16 rows (32 of bytes).
bool transposesPart(const Operands &ops) {
  const TileRef &src = tile(ops, 1);
  const int64_t rows = bitsOf(src.elem) == 8 ? 32 : 16;
  return src.validRows % rows != 0 || bytesOf(src, src.validCols) % 32 != 0;
}
bool exhausted(const Operands &ops) { return ops.mode != 0; }
bool extractsOne(const Operands &ops) { return isVec(tile(ops, 0)) && isVec(tile(ops, 1)) && isOne(tile(ops, 0)); }
bool insertsOne(const Operands &ops) { return isVec(tile(ops, 0)) && isVec(tile(ops, 1)) && isOne(tile(ops, 1)); }
/// From rows into fractals, with a part of a block of 32 bytes.
bool extractsPart(const Operands &ops) {
  const TileRef &dst = tile(ops, 0), &src = tile(ops, 1);
  return isVec(dst) && isVec(src) && !isPlain(dst) && isPlain(src) &&
         (bytesOf(src, int64_t(ops.scalar[1])) % 32 != 0 || bytesOf(dst, dst.validCols) % 32 != 0);
}
bool toMat(const Operands &ops) { return TileType(tile(ops, 0).location) == TileType::Mat; }
bool byRow(const Operands &ops) { return IndexMode::unpack(ops.mode).byRow; }
bool gathersOne(const Operands &ops) { return isOne(tile(ops, 0)); }
bool adds(const Operands &ops) { return IndexMode::unpack(ops.mode).atomic == uint32_t(AtomicType::AtomicAdd); }
bool isAtomic(const Operands &ops) { return IndexMode::unpack(ops.mode).atomic != 0; }

} // namespace

/// Two letters are a pair of pipes that flag 0 orders, a star and a letter the pipe of the
/// effect: S, V, and 1, 2, 3 for MTE1 to MTE3. An empty text: one pipe does it all.
struct PhaseRow {
  std::string_view name;
  bool (*when)(const Operands &);
  std::string_view a3, a5;
};

/// PHASE-4. Rows of one instruction stand together; the first whose condition holds counts.
static constexpr PhaseRow kRows[] = {
    {"MGATHER", toMat, "", "S2 *2"},
    {"MGATHER", gathersOne, "VS 3S 2S *S S2 2V 23 SV S3", "VS *S SV"},
    {"MGATHER", byRow, "VS 3S S2 *2 2V 23 SV S3", ""},
    {"MGATHER", always, "VS 3S 2S *S S2 2V 23 SV S3", ""},
    {"MSCATTER", adds, "VS 2S S3 *3 3V 32 3S SV S2", ""},
    {"MSCATTER", isAtomic, "VS 2S S3 *3 3V 32", ""},
    {"MSCATTER", gathersOne, "VS 2S S3 *3 3S 3V 32", "VS *S SV"},
    {"MSCATTER", always, "VS 2S S3 *3 3S 3V 32", ""},
    {"TCMPS", hasThree, "VS 1S 2S *V", ""},
    {"TCONCAT", joinsPartBlock, "VS 2S *S", ""},
    {"TDEQUANT", always, "VS SV *V", ""},
    {"TDIVS", shortInts, "VS *S SV", "VS *S"},
    {"TEXTRACT", extractsOne, "VS *S SV", "VS *S SV"},
    {"TEXTRACT", extractsPart, "VS *S SV", ""},
    {"TFILLPAD", padsPartBlock, "VS *S", ""},
    {"TFILLPAD_EXPAND", padsPartBlock, "VS *S", ""},
    {"TFILLPAD_INPLACE", padsPartBlock, "VS *S", ""},
    {"TINSERT", insertsOne, "VS *S SV", "VS *S SV"},
    {"TMRGSORT", exhausted, "*V VS", "*V VS"},
    {"TPOW", ints, "VS *S SV", ""},
    {"TPOW", always, "*V VS SV", ""},
    {"TPOWS", ints, "VS *S SV", ""},
    {"TPOWS", always, "*V VS SV", ""},
    {"TROWARGMAX", wideArg, "*V VS SV", ""},
    {"TROWARGMIN", wideArg, "*V VS SV", ""},
    {"TROWEXPAND", expandsByScalar, "VS SV *V", ""},
    {"TROWMAX", ints16To32, "*V VS SV", ""},
    {"TROWMIN", ints16To32, "*V VS SV", ""},
    {"TROWPROD", always, "*V VS SV", ""},
    {"TROWSUM", ints16To32, "*V VS SV", ""},
    {"TSCATTER", always, "VS *S SV", ""},
    {"TSCATTER_MASK", always, "*V SV", ""},
    {"TSELS", always, "SV *V", ""},
    {"TSHL", always, "VS *S SV", ""},
    {"TSHR", always, "VS *S SV", ""},
    {"TTRANS", transposesPart, "*V VS SV", ""},
    {"TTRANS_CONV", always, "*V VS S3 3S SV V3 3V", ""},
};

static Pipe pipeOfLetter(char letter) {
  switch (letter) {
  case 'V':
    return Pipe::V;
  case '1':
    return Pipe::MTE1;
  case '2':
    return Pipe::MTE2;
  case '3':
    return Pipe::MTE3;
  default:
    return Pipe::S;
  }
}

static Phases parse(std::string_view text) {
  Phases phases{Pipe::V, 0, 0, {}};
  for (size_t i = 0; i + 1 < text.size(); i += 3)
    if (text[i] == '*') {
      phases.pipe = pipeOfLetter(text[i + 1]);
      phases.first = phases.count;
    } else {
      phases.edge[phases.count++] = {pipeOfLetter(text[i]), pipeOfLetter(text[i + 1])};
    }
  return phases;
}

const PhaseRow *phaseRows(std::string_view name) {
  const auto *row = std::lower_bound(std::begin(kRows), std::end(kRows), name,
                                     [](const PhaseRow &a, std::string_view wanted) { return a.name < wanted; });
  return row != std::end(kRows) && row->name == name ? row : nullptr;
}

const Phases *phasesOf(const PhaseRow &first, const Operands &ops, const Profile &profile) {
  static const auto parsed = [] {
    std::array<std::array<Phases, 2>, std::size(kRows)> result{};
    for (size_t i = 0; i < std::size(kRows); ++i)
      result[i] = {parse(kRows[i].a3), parse(kRows[i].a5)};
    return result;
  }();
  const bool a5 = profile.id == ProfileId::A5;
  for (const PhaseRow *row = &first; row != std::end(kRows) && row->name == first.name; ++row)
    if (row->when(ops))
      return (a5 ? row->a5 : row->a3).empty() ? nullptr : &parsed[size_t(row - kRows)][a5];
  return nullptr;
}

} // namespace ptoscope::tile
