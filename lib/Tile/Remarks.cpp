//===- Remarks.cpp - what is said about calls that are computed -----------===//
//
// Forms that only some targets have, or have otherwise (docs/isa/33c-host-meanings.md):
// said where operands are prepared, so once for a line of the program in most cases.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"
#include "Indexed.h"
#include "Issuer.h"
#include "pto/detail/host_elems.hpp"
#include "ptoscope/Machine/FormSentences.h"

#include <string_view>

namespace ptoscope::tile {

namespace {
const char *nameOf(Elem elem) {
  constexpr const char *kNames[] = {"int8",  "uint8",  "int16", "uint16",   "int32", "uint32",
                                    "int64", "uint64", "half",  "bfloat16", "float"};
  return size_t(elem) < std::size(kNames) ? kNames[size_t(elem)] : "small";
}

/// HMEAN-21, HMEAN-22, HMEAN-24.
Fact bitsRemark(const Call &call, std::string_view name) {
  const Operands &ops = call.operands;
  const bool selects = name == "TSEL";
  if (!selects && name != "TCMPS")
    return {};
  const TileRef &mask = ops.tile[selects ? 1 : 0].ref, &data = ops.tile[selects ? 0 : 1].ref;
  // A stream that breaks where rows of the mask do is none.
  if (isStream(ops, mask, data) && (selects || rowBytesOf(mask) * 8 != capacityOf(data).cols))
    return say::kStreamedBits(data.validCols, rowBytesOf(mask) * 8);
  if (takesFirstElement(*call.record, ops)) {
    const TileRef &second = ops.tile[2].ref;
    if (int64_t(second.validRows) * second.validCols > 1)
      return say::kFirstElementOnly(say::kShape(second.validRows, second.validCols));
  }
  return {};
}

/// HMEAN-25 to HMEAN-27.
Fact patternRemark(const Call &call, bool gathers) {
  const Operands &ops = call.operands;
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  if (ops.mode & kPatternOfRows) {
    const int64_t taken = patternOf(ops.mode).count(gathers ? src.validRows : dst.validRows);
    const TileRef &packed = gathers ? dst : src;
    if (packed.validRows != taken)
      return say::kPatternRows(taken, ptoscope::tile::nameOf(call, gathers ? 0 : 1), packed.validRows);
  }
  if (gathers && ops.isHost() && bitsOf(dst.elem) == 8)
    return say::kElementsOfHost(nameOf(dst.elem));
  return {};
}

/// The record of the library by this name; those of a program are copies.
const Record *recordNamed(std::string_view name) {
  constexpr const Record *kRecords[] = {
      &record::TLOG,  &record::TRECIP, &record::TLRELU,   &record::TPRELU,           &record::TEXP,
      &record::TSQRT, &record::TRSQRT, &record::TADDRELU, &record::TROWEXPANDEXPDIF, &record::TCOLEXPANDEXPDIF};
  for (const Record *r : kRecords)
    if (name == r->name)
      return r;
  return nullptr;
}
} // namespace

Fact remarkOf(const Call &call) {
  const Operands &ops = call.operands;
  if (ops.isText())
    return {};
  const std::string_view name = call.record->name;
  const TileRef &dst = ops.tile[0].ref, &src = ops.tile[1].ref;
  if (name == "TTRANS" && (dst.validRows != src.validCols || dst.validCols != src.validRows)) // REPORT-14
    return say::kTransposed(say::kShape(src.validRows, src.validCols), say::kShape(dst.validRows, dst.validCols));
  if (name == "TGATHER_MASK" || name == "TSCATTER_MASK")
    return patternRemark(call, name == "TGATHER_MASK");
  if (Fact found = bitsRemark(call, name); found.code)
    return found;
  const Elem elem = ops.tile[0].ref.elem;
  if (const Record *r = ops.isHost() ? recordNamed(name) : nullptr; r && !has(r->tile[0].elems, elem))
    return say::kElementsOfHost(nameOf(elem));
  return {};
}

const Meaning *logMeaning() {
  static const Meaning *const meaning = findMeaning("TLOG");
  return meaning;
}
const Meaning *recipMeaning() {
  static const Meaning *const meaning = findMeaning("TRECIP");
  return meaning;
}

Fact integerProblem(const void *payload) {
  const Call &call = *static_cast<const Call *>(payload);
  const TileView &src = call.operands.tile[1];
  const bool isLog = call.meaning == logMeaning();
  const Map map = tileMap(src.ref);
  const unsigned unused = 64 - bitsOf(src.ref.elem);
  for (int64_t r = 0; r < src.ref.validRows; ++r)
    for (int64_t c = 0; c < src.ref.validCols; ++c) {
      const auto value = int64_t(indexAt(src, map, r, c) << unused) >> unused;
      if (value == 0 || (isLog && value < 0))
        return say::kNoInteger(value, r, c);
    }
  return {};
}

} // namespace ptoscope::tile
