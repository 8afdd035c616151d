//===- InstrTable.cpp - look-ups in the generated table -------------------===//

#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Support/Text.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using llvm::ArrayRef;
using llvm::StringRef;

namespace ptoscope::pto {

#define PTO_TRANSFERS
#define PTO_INSTR(...)
#define PTO_ALIAS(...)
#define PTO_NOT_MODELLED(...)
#include "ptoscope/Dialect/PTO/InstrTable.inc"

static constexpr InstrInfo kRecords[] = {
#define PTO_INSTR(...) {__VA_ARGS__},
#define PTO_ALIAS(...)
#define PTO_NOT_MODELLED(...)
#include "ptoscope/Dialect/PTO/InstrTable.inc"
};

static constexpr AliasInfo kAliases[] = {
#define PTO_INSTR(...)
#define PTO_ALIAS(...) {__VA_ARGS__},
#define PTO_NOT_MODELLED(...)
#include "ptoscope/Dialect/PTO/InstrTable.inc"
};

static constexpr NotModelledInfo kNotModelled[] = {
#define PTO_INSTR(...)
#define PTO_ALIAS(...)
#define PTO_NOT_MODELLED(...) {__VA_ARGS__},
#include "ptoscope/Dialect/PTO/InstrTable.inc"
};

bool InstrInfo::takesElement(StringRef element) const {
  SmallVector<StringRef> words;
  elements.split(words, ' ');
  return is_contained(words, element);
}
StringRef InstrInfo::pipeText() const {
  return pipe ? StringRef(nameOf(*pipe)).drop_front(sizeof("PIPE_") - 1) : "operand";
}

std::string ProfileSet::text() const {
  std::string result;
  for (ProfileId id : {ProfileId::A5, ProfileId::A3, ProfileId::A2})
    if (has(id))
      result += (result.empty() ? "" : " ") + std::string(profileOf(id).name);
  return result;
}

/// Records of this dialect, and those that it shares with the tile API; sorted by name.
ArrayRef<InstrInfo> instructions() {
  static const std::vector<InstrInfo> all = [] {
    std::vector<InstrInfo> result(std::begin(kRecords), std::end(kRecords));
    append_range(result, tileInstructions());
    llvm::sort(result, [](const InstrInfo &a, const InstrInfo &b) { return a.name < b.name; });
    return result;
  }();
  return all;
}
ArrayRef<AliasInfo> aliases() { return kAliases; }

/// Rows are sorted by name (the script sorts them).
template <typename Row> static const Row *lookUp(ArrayRef<Row> rows, StringRef name) {
  auto it = partition_point(rows, [&](const Row &row) { return row.name < name; });
  return it != rows.end() && it->name == name ? &*it : nullptr;
}

const InstrInfo *findInstr(StringRef name) { return lookUp(instructions(), name); }

/// Why a whole category is missing, and what there is instead.
static constexpr std::pair<StringLiteral, StringLiteral> kReasons[] = {
    {"multi-device", "no document gives its operands (IRNOT-3); C++ programs have `pto::comm`"},
    {"matmul mx", "text has no `loc` for the memories of scales (IRNOT-2); C++ programs have `TMATMUL_MX`"},
};

/// Names without a record; those of tiles are not among the ones the script knows.
ArrayRef<NotModelledInfo> notModelled() {
  static const std::vector<NotModelledInfo> rows = [] {
    std::vector<NotModelledInfo> result;
    llvm::copy_if(kNotModelled, std::back_inserter(result),
                  [](const NotModelledInfo &row) { return !findInstr(row.name); });
    for (NotModelledInfo &row : result)
      for (auto [category, reason] : kReasons)
        if (row.category == category)
          row.reason = reason;
    return result;
  }();
  return rows;
}
const NotModelledInfo *findNotModelled(StringRef name) { return lookUp(notModelled(), name); }

const AliasInfo *findAlias(StringRef alias) {
  for (const AliasInfo &row : kAliases)
    if (row.alias == alias)
      return &row;
  return nullptr;
}

StringRef nearestName(StringRef name) {
  std::vector<std::string_view> names;
  for (const InstrInfo &row : instructions())
    names.push_back(row.name);
  for (const AliasInfo &row : kAliases)
    names.push_back(row.alias);
  for (const NotModelledInfo &row : notModelled())
    names.push_back(row.name);
  return nearestOf(name, names);
}

} // namespace ptoscope::pto
