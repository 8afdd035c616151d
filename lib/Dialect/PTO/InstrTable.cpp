//===- InstrTable.cpp - look-ups in the generated table -------------------===//

#include "ptoscope/Dialect/PTO/InstrTable.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"

using namespace llvm;

namespace ptoscope::pto {

#define PTO_TRANSFERS
#define PTO_INSTR(...)
#define PTO_ALIAS(...)
#define PTO_NOT_MODELLED(...)
#include "ptoscope/Dialect/PTO/InstrTable.inc"

static constexpr InstrInfo kInstructions[] = {
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

ArrayRef<InstrInfo> instructions() { return kInstructions; }
ArrayRef<AliasInfo> aliases() { return kAliases; }
ArrayRef<NotModelledInfo> notModelled() { return kNotModelled; }

/// Rows are sorted by name (the script sorts them).
template <typename Row> static const Row *lookUp(ArrayRef<Row> rows, StringRef name) {
  auto it = partition_point(rows, [&](const Row &row) { return row.name < name; });
  return it != rows.end() && it->name == name ? &*it : nullptr;
}

const InstrInfo *findInstr(StringRef name) { return lookUp(instructions(), name); }
const NotModelledInfo *findNotModelled(StringRef name) { return lookUp(notModelled(), name); }

const AliasInfo *findAlias(StringRef alias) {
  for (const AliasInfo &row : kAliases)
    if (row.alias == alias)
      return &row;
  return nullptr;
}

StringRef nearestName(StringRef name) {
  StringRef best;
  unsigned bestDistance = ~0u;
  auto consider = [&](StringRef candidate) {
    unsigned distance = name.edit_distance(candidate, true, bestDistance);
    if (distance < bestDistance) {
      bestDistance = distance;
      best = candidate;
    }
  };
  for (const InstrInfo &row : kInstructions)
    consider(row.name);
  for (const AliasInfo &row : kAliases)
    consider(row.alias);
  for (const NotModelledInfo &row : kNotModelled)
    consider(row.name);
  return best;
}

} // namespace ptoscope::pto
