//===- TileManual.cpp - what people read about tile instructions ----------===//
//
// A tile instruction has no words of its own: its operands are those of the record,
// its meaning and its rules stand in docs/isa/ops-tile-ir.tsv (text) and
// docs/isa/ops-tile.tsv (C++).
//
//===----------------------------------------------------------------------===//

#include "TileInstr.h"

#include "ptoscope/Tile/Names.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"

#include <deque>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

const TileTextInfo kMnemonics[] = {
#define PTO_TILE_TEXT(MNEMONIC, PIPE, PROFILES, RULES, SUMMARY) {MNEMONIC, PIPE, PROFILES, RULES, SUMMARY},
#include "ptoscope/Dialect/PTO/TileWords.inc"
#undef PTO_TILE_TEXT
};
const TileCallInfo kCalls[] = {
#define PTO_TILE_CALL(NAME, SIGNATURE, RULES, SUMMARY) {NAME, SIGNATURE, RULES, SUMMARY},
#include "ptoscope/Dialect/PTO/TileWords.inc"
#undef PTO_TILE_CALL
};

constexpr StringLiteral kElements[] = {"i8",     "ui8",         "i16",       "ui16", "i32",           "ui32",
                                       "i64",    "ui64",        "f16",       "bf16", "f32",           "f8E4M3FN",
                                       "f8E5M2", "!pto.f8E8M0", "!pto.hif8", "i4x2", "!pto.f4E2M1x2", "!pto.f4E1M2x2"};
constexpr StringLiteral kMemories[] = {"vec", "mat", "left", "right", "acc", "bias", "scaling"};

/// The words whose bits are set; all of them are "any".
std::string wordsOf(uint32_t set, ArrayRef<StringLiteral> words) {
  std::string text;
  size_t count = 0;
  for (auto [bit, word] : llvm::enumerate(words))
    if (set >> bit & 1) {
      text += (text.empty() ? "" : " ") + word.str();
      ++count;
    }
  return count == words.size() ? "any" : text;
}

StringRef roleOf(tile::Role role) {
  switch (role) {
  case tile::Role::None:
    return "";
  case tile::Role::Read:
    return "read";
  case tile::Role::Copy:
    return "copied";
  case tile::Role::Write:
    return "written";
  case tile::Role::Update:
    return "read and written";
  case tile::Role::Scratch:
    return "scratch";
  case tile::Role::Alias:
    return "named only";
  case tile::Role::Index:
    return "read as indices";
  }
  return "";
}

std::string operandName(const TileForm &form, const TileSlot &slot) {
  switch (slot.kind) {
  case TileSlot::Tile:
    return tile::tileName(*form.record, slot.index);
  case TileSlot::View:
    return "view";
  case TileSlot::Element:
  case TileSlot::SourceElement:
  case TileSlot::Float:
    return "scalar";
  case TileSlot::Integer:
    return form.rule == TileRule::Move ? (slot.index ? "col" : "row") : "n";
  case TileSlot::Word:
    return "quant";
  case TileSlot::HalfScalar:
    return "word" + std::to_string(slot.index);
  case TileSlot::Ignored:
    return "counts";
  }
  return "";
}

StringRef attributesOf(TileRule rule) {
  static constexpr StringLiteral kAttributes[] = {
#define PTO_TILE_RULE(NAME, FUNCTION, PLACE, ATTRIBUTES) ATTRIBUTES,
#include "ptoscope/Dialect/PTO/TileRules.def"
#undef PTO_TILE_RULE
  };
  return kAttributes[size_t(rule)];
}

template <typename Row> const Row *findNamed(ArrayRef<Row> rows, StringRef name) {
  const Row *row = llvm::find_if(rows, [&](const Row &each) { return each.name == name; });
  return row == rows.end() ? nullptr : row;
}

ProfileSet profilesOf(StringRef words) {
  const auto id = [](StringRef word) {
    return llvm::StringSwitch<ProfileId>(word)
        .Case("a5", ProfileId::A5)
        .Case("a3", ProfileId::A3)
        .Default(ProfileId::A2);
  };
  auto [first, rest] = words.split(' ');
  ProfileSet set(id(first));
  for (; !rest.empty(); std::tie(first, rest) = rest.split(' '), set = set | ProfileSet(id(first)))
    ;
  return set;
}

} // namespace

const TileTextInfo *ptoscope::pto::findTileText(StringRef mnemonic) {
  return findNamed<TileTextInfo>(kMnemonics, mnemonic);
}

/// Forms that have a record of their own (TGATHER_MASK) have the row of the call.
const TileCallInfo *ptoscope::pto::findTileCall(StringRef record) {
  if (const TileCallInfo *row = findNamed<TileCallInfo>(kCalls, record))
    return row;
  return record.contains('_') ? findTileCall(record.rsplit('_').first) : nullptr;
}

SmallVector<StringRef> ptoscope::pto::tileRulesOf(StringRef mnemonic) {
  SmallVector<StringRef> labels, more;
  ArrayRef<TileForm> forms = tileFormsOf(mnemonic);
  if (forms.empty())
    return labels;
  if (const TileTextInfo *text = findTileText(mnemonic))
    text->rules.split(labels, ' ');
  if (const TileCallInfo *call = findTileCall(forms[0].record->name))
    call->rules.split(more, ' ');
  llvm::copy_if(more, std::back_inserter(labels), [&](StringRef label) { return !llvm::is_contained(labels, label); });
  return labels;
}

SmallVector<TileOperandInfo> ptoscope::pto::operandsOf(const tile::Record &record) {
  SmallVector<TileOperandInfo> result;
  for (size_t i = 0; i < tile::kMaxTiles && record.tile[i].role != tile::Role::None; ++i) {
    const tile::OperandSpec &spec = record.tile[i];
    const std::string elements =
        spec.elems == tile::kSameElem ? "those of " + tile::tileName(record, 0) : wordsOf(spec.elems, kElements);
    result.push_back(
        {tile::tileName(record, i), roleOf(spec.role).str(), elements, wordsOf(spec.locations, kMemories)});
  }
  return result;
}

std::string ptoscope::pto::syntaxOf(const TileForm &form) {
  static constexpr StringLiteral kTypes[] = {"TILE", "VIEW", "E", "E", "f32", "index", "i64", "i32", "T"};
  auto group = [&](ArrayRef<TileSlot> slots, bool types) {
    std::string text;
    for (const TileSlot &slot : slots) {
      const std::string word = types ? kTypes[slot.kind].str() : "%" + operandName(form, slot);
      text += (slot.optional ? "[" : "") + std::string(&slot == slots.begin() ? "" : ", ") + word +
              (slot.optional ? "]" : "");
    }
    return text;
  };
  const std::string attributes = attributesOf(form.rule).str();
  auto at = [&](AttributePlace place) {
    if (attributes.empty() || placeOf(form.rule) != place)
      return std::string();
    return place == AttributePlace::Operand ? ", {" + attributes + "}" : " [{" + attributes + "}]";
  };
  std::string text = "pto." + form.mnemonic + " ";
  if (!form.ins.empty())
    text += "ins(" + group(form.ins, false) + at(AttributePlace::Inside) + at(AttributePlace::Operand) + " : " +
            group(form.ins, true) + ") ";
  return text + "outs(" + group(form.outs, false) + " : " + group(form.outs, true) + ")" + at(AttributePlace::Behind);
}

/// The rows refer to texts that live as long as they do.
ArrayRef<InstrInfo> ptoscope::pto::tileInstructions() {
  static std::deque<std::string> texts;
  static const std::vector<InstrInfo> rows = [] {
    std::vector<InstrInfo> result;
    for (ArrayRef<TileForm> rest = tileForms(); !rest.empty();) {
      ArrayRef<TileForm> forms = tileFormsOf(rest[0].mnemonic);
      rest = rest.drop_front(forms.size());
      const tile::Record &record = *forms[0].record;
      const TileTextInfo *text = findTileText(forms[0].mnemonic);
      const TileCallInfo *call = findTileCall(record.name);
      std::string &syntax = texts.emplace_back();
      for (const TileForm &form : forms)
        if (!StringRef(syntax).contains(form.syntax))
          syntax += (syntax.empty() ? "" : "\n") + form.syntax;
      result.push_back({.name = forms[0].mnemonic,
                        .family = Family::Tile,
                        .pipe = record.pipe == tile::On::Path ? std::nullopt : std::optional(Pipe(record.pipe)),
                        .footprint = Footprint::Tile,
                        .definedness = Definedness::None,
                        .timing = record.timing,
                        .profiles = profilesOf(text ? text->profiles : "a5 a3 a2"),
                        .nan = NanRule::Other,
                        .meaning = MeaningKind::Other,
                        .inactive = Inactive::None,
                        .inactiveOperand = 0,
                        .summary = text   ? text->summary
                                   : call ? call->summary
                                          : "",
                        .elements = texts.emplace_back(wordsOf(record.tile[0].elems, kElements)),
                        .syntax = syntax,
                        .constraints = "",
                        .symbol = "",
                        .sets = std::nullopt,
                        .mayLackMask = false,
                        .transfer = nullptr});
    }
    return result;
  }();
  return rows;
}
