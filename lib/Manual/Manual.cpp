//===- Manual.cpp - what people read about instructions and rules ---------===//

#include "ptoscope/Manual/Manual.h"

#include "ptoscope/Dialect/PTO/TileInstr.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>

using namespace ptoscope;
using namespace ptoscope::pto;

namespace ptoscope {

static constexpr Rule kRules[] = {
#define PTO_RULE(LABEL, TEXT, DOCUMENT, HEADING) {LABEL, TEXT, DOCUMENT, HEADING},
#include "Rules.inc"
};

llvm::ArrayRef<Rule> rules() { return kRules; }

const Rule *findRule(llvm::StringRef label) {
  const auto *rule = llvm::find_if(kRules, [&](const Rule &rule) { return rule.label == label.upper(); });
  return rule == std::end(kRules) ? nullptr : rule;
}

llvm::StringRef familyOf(llvm::StringRef label) { return label.rtrim("0123456789").rtrim('-'); }

static llvm::SmallVector<llvm::StringRef> linesOf(llvm::StringRef text) {
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n', -1, /*KeepEmpty=*/false);
  return lines;
}

std::vector<std::string> instructionsWith(llvm::StringRef label) {
  std::vector<std::string> names;
  for (const InstrInfo &info : instructions())
    if (llvm::any_of(linesOf(info.constraints), [&](llvm::StringRef line) { return line.split(':').first == label; }) ||
        llvm::is_contained(tileRulesOf(info.name), label))
      names.push_back("pto." + info.name.str());
  return names;
}

// Tile instructions also have the name of their call in C++.
const InstrInfo *findInstruction(llvm::StringRef name) {
  name.consume_front("pto.");
  if (const AliasInfo *alias = findAlias(name))
    name = alias->name;
  if (const InstrInfo *info = findInstr(name))
    return info;
  const auto *tile = llvm::find_if(
      tileInstructions(), [&](const InstrInfo &info) { return tileFormsOf(info.name)[0].record->name == name; });
  return tile == tileInstructions().end() ? nullptr : findInstr(tile->name);
}

std::string unitText(const TransferInfo &info) {
  auto [a5, a3, a2] = info.units;
  if (a5 == 1 && a3 == 1 && a2 == 1)
    return "bytes";
  std::string blocks = std::to_string(a5) + "-byte blocks";
  return a5 == a3 && a5 == a2 ? blocks : blocks + " (a3: " + std::to_string(a3) + ", a2: " + std::to_string(a2) + ")";
}

/// The call in C++ and the operands, as people read them.
static void describeTile(llvm::raw_ostream &out, const InstrInfo &info) {
  llvm::ArrayRef<TileForm> forms = tileFormsOf(info.name);
  const tile::Record *shown = nullptr;
  for (const TileForm &form : forms) {
    if (form.record == shown)
      continue;
    const TileCallInfo *call = shown ? nullptr : findTileCall(form.record->name);
    if (call)
      out << "  C++: " << call->signature << "\n       " << call->summary << "\n";
    out << "\n";
    if (shown || form.record != forms.back().record)
      out << "  " << form.record->name << ":\n";
    for (const TileOperandInfo &operand : operandsOf(*form.record))
      out << "  " << llvm::left_justify(operand.name, 6) << " " << operand.role << "; " << operand.elements << "; in "
          << operand.memories << "\n";
    shown = form.record;
  }
}

std::string textOf(const InstrInfo &info) {
  std::string text;
  llvm::raw_string_ostream out(text);
  out << "pto." << info.name << ": " << info.summary << "\n\n";
  for (llvm::StringRef line : linesOf(info.syntax))
    out << "  " << line << "\n";
  describeTile(out, info);
  out << "\n  pipe " << info.pipeText() << ", elements " << (info.elements.empty() ? "-" : info.elements)
      << ", profiles " << info.profiles.text() << "\n";
  if (const TransferInfo *transfer = info.transfer)
    out << "  path " << nameOf(transfer->src) << " to " << nameOf(transfer->dst) << ", " << nameOf(transfer->steps)
        << "s, lengths and steps of rows in " << unitText(*transfer) << "\n";
  return text;
}

std::vector<std::string> rulesOf(const InstrInfo &info) {
  std::vector<std::string> lines;
  for (llvm::StringRef line : linesOf(info.constraints))
    lines.push_back(line.str());
  for (llvm::StringRef label : tileRulesOf(info.name))
    if (const Rule *rule = findRule(label))
      lines.push_back(label.str() + ": " + rule->text.str());
  return lines;
}

} // namespace ptoscope
