//===- Ops.cpp - rows of single instructions as work ----------------------===//
//
// A row names a tile instruction, its element types and extents. Its timing class is
// that of the record, as it is when a program runs.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Validate/Ops.h"

#include <algorithm>
#include <array>
#include <span>

namespace ptoscope::validate {

namespace {
struct TypeInfo {
  std::string_view name;
  uint8_t bits;
  bool isFloat;
};
constexpr TypeInfo kTypes[] = {
    {"f64", 64, true},  {"f32", 32, true},  {"f16", 16, true},  {"bf16", 16, true},  {"hif8", 8, true},
    {"e4m3", 8, true},  {"e5m2", 8, true},  {"fp8", 8, true},   {"e1m2x2", 4, true}, {"e2m1x2", 4, true},
    {"fp4", 4, true},   {"i64", 64, false}, {"u64", 64, false}, {"i32", 32, false},  {"u32", 32, false},
    {"i16", 16, false}, {"u16", 16, false}, {"i8", 8, false},   {"u8", 8, false},
};
const TypeInfo *findType(std::string_view name) {
  auto it = std::ranges::find(kTypes, name, &TypeInfo::name);
  return it == std::end(kTypes) ? nullptr : it;
}

struct Instruction {
  const char *name;
  Timing timing;
};
constexpr Instruction kInstructions[] = {
#define PTO_RECORD(name, kernel, shape, pipe, timing, ...) {#name, Timing::timing},
#define PTO_CUSTOM_RECORD(name, kernel, shape, pipe, timing, ...) {#name, Timing::timing},
#include "pto/detail/records/all.def"
#undef PTO_RECORD
#undef PTO_CUSTOM_RECORD
};

/// The memories of `GM->UB`.
bool findPath(const Fields &extra, Space &from, Space &to) {
  constexpr std::pair<std::string_view, Space> kSpaces[] = {
      {"GM", Space::Gm}, {"UB", Space::Ub}, {"L1", Space::L1}, {"L0A", Space::L0A}, {"L0B", Space::L0B}};
  for (auto [source, sourceSpace] : kSpaces)
    for (auto [target, targetSpace] : kSpaces)
      if (extra.says(std::string(source) + "->" + std::string(target))) {
        from = sourceSpace;
        to = targetSpace;
        return true;
      }
  return false;
}

/// A product of extents, if a transfer or a tile can have as many.
std::optional<uint32_t> countOf(std::span<const int64_t> extents) {
  uint64_t count = 1;
  for (const int64_t extent : extents) {
    if (extent < 0 || extent > UINT32_MAX || count * uint64_t(extent) > UINT32_MAX)
      return std::nullopt;
    count *= uint64_t(extent);
  }
  return uint32_t(count);
}
constexpr const char *kTooLarge = "its extents are larger than those of any instruction";

/// A transfer: bytes, bursts and transfers as the row gives them, or as the extents imply.
OrReason<Work> transferOf(const Anchor &anchor, Work work) {
  const Fields &extra = anchor.extra;
  work.kind = Work::Kind::Transfer;
  if (!findPath(extra, work.from, work.to))
    return OrReason<Work>::none("the row does not say from where to where, such as GM->UB");
  auto number = [&](std::string_view key, int64_t otherwise) { return extra.number(key).value_or(otherwise); };
  std::vector<int64_t> extents = anchor.extents;
  extents.push_back(number("C0", 1)); // of a blocked layout: its innermost extent
  const bool isContiguous = work.isContiguous || work.to == Space::L1;
  const int64_t rows = number("bursts", number("rows", isContiguous ? 1 : work.rows));
  const int64_t rowBytes = number("burstbytes", number("rowbytes", 0));
  const int64_t transfers = number("transfers", 1);
  const std::optional<uint32_t> elements = countOf(extents), bursts = countOf(std::array{rows, transfers}),
                                burstBytes = countOf(std::array{rowBytes});
  if (!elements || !bursts || !burstBytes)
    return OrReason<Work>::none(kTooLarge);
  work.transfers = uint32_t(transfers);
  work.bursts = *bursts;
  const uint64_t allBytes = uint64_t(*elements) * work.fromBits / 8;
  work.bytes = rowBytes ? uint64_t(*burstBytes) * *bursts : uint64_t(number("bytes", int64_t(allBytes)));
  return work;
}
} // namespace

OrReason<Work> workOf(const Anchor &anchor) {
  // A convolution's load is a load into another layout.
  std::string name = anchor.name == "TLOAD_CONV" ? "TLOAD" : anchor.name;
  auto instruction = std::ranges::find(kInstructions, name, [](const Instruction &i) { return std::string(i.name); });
  if (instruction == std::end(kInstructions))
    return OrReason<Work>::none("there is no tile instruction `" + anchor.name + "`");
  Work work;
  work.timing = instruction->timing;
  work.name = instruction->name;

  std::string_view from = anchor.dtype, to = from;
  if (size_t arrow = from.find("->"); arrow != std::string_view::npos) {
    to = from.substr(arrow + 2);
    from = from.substr(0, arrow);
  }
  const TypeInfo *fromType = findType(from), *toType = findType(to);
  if (!fromType || !toType)
    return OrReason<Work>::none("`" + anchor.dtype + "` is not an element type");
  work.fromBits = fromType->bits;
  work.toBits = toType->bits;
  work.isFloat = fromType->isFloat;

  const std::vector<int64_t> &extents = anchor.extents;
  const std::optional<uint32_t> rows = countOf(std::span(extents).first(extents.size() - 1));
  if (!rows || !countOf(std::span(extents).last(1)))
    return OrReason<Work>::none(kTooLarge);
  if (instruction->timing == Timing::cube) {
    if (extents.size() != 3)
      return OrReason<Work>::none("the shape of a product is MxKxN");
    work.kind = Work::Kind::Product;
    work.rows = uint32_t(extents[0]);
    work.depth = uint32_t(extents[1]);
    work.cols = uint32_t(extents[2]);
    return work;
  }
  work.cols = uint32_t(extents.back());
  work.rows = *rows;
  std::vector<int64_t> tile = anchor.extra.extents("tile");
  work.isContiguous = anchor.extra.has("loop") ? anchor.extra["loop"] == "1D"
                      : tile.size() == 2       ? tile[1] == extents.back() || work.rows == 1
                                               : true;
  work.isScalarForm = name.ends_with('S') && name != "TABS";
  // A column sum by halves is the more precise one.
  work.isExact = anchor.extra["variant"] == "high_precision" || anchor.extra["binary"] == "true";
  work.isInPlace = anchor.extra["inplace"] == "true";
  if (instruction->timing == Timing::load || instruction->timing == Timing::store ||
      instruction->timing == Timing::move)
    return transferOf(anchor, work);
  work.kind = Work::Kind::Vector;
  work.from = work.to = Space::Ub;
  return work;
}

} // namespace ptoscope::validate
