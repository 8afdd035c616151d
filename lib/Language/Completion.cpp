//===- Completion.cpp - words that may stand at the cursor ----------------===//

#include "Features.h"

#include "ptoscope/Dialect/PTO/Tokens.h"
#include "ptoscope/Manual/Manual.h"
#include "ptoscope/Meaning/Distribution.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;

namespace ptoscope {

namespace {

/// Numbers of the protocol.
enum ItemKind { kFunctionItem = 3, kVariable = 6, kProperty = 10, kEnumMember = 20, kLabelItem = 18, kTypeItem = 25 };

constexpr StringLiteral kTypes[] = {"!pto.ptr<f32, gm>",
                                    "!pto.ptr<f32, ub>",
                                    "!pto.vreg<64xf32>",
                                    "!pto.mask<b32>",
                                    "!pto.align",
                                    "!pto.tile_buf<vec, 8x64xf32>",
                                    "!pto.tensor_view<?x?xf32>",
                                    "!pto.partition_tensor_view<8x64xf32>",
                                    "!pto.vmi.vreg<256xf32>",
                                    "!pto.vmi.mask<256xpred>"};
/// Operations of other dialects that programs use most.
constexpr StringLiteral kOthers[] = {
    "arith.addf",  "arith.addi", "arith.andi",  "arith.cmpi",  "arith.constant", "arith.divui", "arith.index_cast",
    "arith.minui", "arith.mulf", "arith.muli",  "arith.remui", "arith.select",   "arith.subi",  "arith.subf",
    "func.call",   "func.func",  "func.return", "scf.for",     "scf.if",         "scf.while",   "scf.yield"};

/// Words of attributes of vector instructions, where no table of `#pto` attributes has them.
struct AttributeWords {
  StringLiteral attribute, words;
};
constexpr AttributeWords kWords[] = {
    {"rnd", "R A F C Z O H"},        {"round_mode", "ROUND_R ROUND_A ROUND_F ROUND_C ROUND_Z ROUND_O ROUND_H"},
    {"rounding", "R A F C Z O H"},   {"sat", "SAT NOSAT"},
    {"saturate", "SAT NOSAT"},       {"part", "EVEN ODD P0 P1 P2 P3"},
    {"order", "ASC DESC"},           {"cmp", "eq ne lt le gt ge"},
    {"pto.target_arch", "a5 a3 a2"},
};

class Completer {
public:
  Completer(const Document &document, size_t at, bool snippets)
      : document(document), text(document.text()), at(at), snippets(snippets) {}

  json::Value run() {
    if (const Token *token = tokenUnder(document, at); token && token->kind == Token::Comment && token->begin < at)
      return finish();
    begin = at;
    while (begin > 0 && (isAlnum(text[begin - 1]) || StringRef("_.$-").contains(text[begin - 1])))
      --begin;
    const char sigil = begin > 0 ? text[begin - 1] : ' ';
    if (inString())
      words();
    else if (sigil == '%')
      values();
    else if (sigil == '@')
      symbols();
    else if (sigil == '^')
      labels();
    else if (sigil == '!')
      types();
    else if (sigil == '#')
      attributes();
    else if (sigil == '<')
      wordsOfKind();
    else if (startsOperation())
      operations();
    else
      properties();
    return finish();
  }

private:
  json::Value finish() { return json::Object{{"isIncomplete", false}, {"items", std::move(items)}}; }

  void add(const std::string &label, int kind, std::string detail, std::string insert = "", bool snippet = false) {
    if (!range)
      range = document.rangeOf({begin, at});
    json::Object item{
        {"label", label},
        {"kind", kind},
        {"filterText", label},
        {"textEdit", json::Object{{"range", *range}, {"newText", json::fixUTF8(insert.empty() ? label : insert)}}}};
    if (!detail.empty())
      item["detail"] = json::fixUTF8(detail);
    if (snippet)
      item["insertTextFormat"] = 2;
    items.push_back(std::move(item));
  }

  //===--- where the cursor is ----------------------------------------------===//

  bool inString() {
    const std::vector<Token> &tokens = document.tokens();
    for (size_t i = tokenAt(tokens, begin ? begin - 1 : 0); i < tokens.size() && tokens[i].begin < at; ++i)
      if (tokens[i].kind == Token::String &&
          (at < tokens[i].end ||
           (at == tokens[i].end && !(tokens[i].end - tokens[i].begin > 1 && text[at - 1] == '"')))) {
        begin = tokens[i].begin + 1;
        return true;
      }
    return false;
  }

  /// Only blanks, a list of results or the start of a region before the word.
  bool startsOperation() const {
    StringRef before = text.take_front(begin);
    before = before.drop_front(before.rfind('\n') + 1).trim();
    return before.empty() || before.ends_with("{") || before.ends_with("}") ||
           (before.ends_with("=") && before.starts_with("%")) || StringRef(text).slice(begin, at).starts_with("pto.");
  }

  //===--- what may stand there ---------------------------------------------===//

  void values() {
    const ProgramNames &names = document.names();
    --begin;
    std::set<size_t> visible;
    for (size_t region = names.regionAt(at); region != std::string::npos; region = names.regions[region].parent) {
      visible.insert(region);
      if (names.regions[region].isolated)
        break;
    }
    const TextRange own = names.statementAt(at);
    std::set<std::string> seen;
    for (size_t i = names.values.size(); i-- > 0;) {
      const ValueName &value = names.values[i];
      if (value.definition != i || value.range.begin >= begin || !visible.contains(value.region))
        continue;
      if (!value.argument && value.range.begin >= own.begin && value.range.begin < own.end &&
          value.statement < names.statements.size() && names.statements[value.statement].begin == own.begin)
        continue; // a result of this very statement
      std::string name = document.wordOf(value.range).str();
      if (seen.insert(name).second)
        add(name, kVariable, typeOf(document, value));
    }
  }

  void symbols() {
    --begin;
    std::set<std::string> seen;
    for (const FunctionText &function : functionsOf(document))
      if (std::string name = document.wordOf(function.name).str(); seen.insert(name).second)
        add(name, kFunctionItem, document.lineAt(size_t(document.positionOf(function.name.begin).line)).trim().str());
  }

  void labels() {
    const ProgramNames &names = document.names();
    size_t region = names.regionAt(at);
    while (region && names.regions[region].dictionary)
      region = names.regions[region].parent;
    --begin;
    for (const LabelName &label : names.labels)
      if (label.definition && label.region == region)
        add(document.wordOf(label.range).str(), kLabelItem, "");
  }

  void types() {
    --begin;
    for (StringRef type : kTypes)
      add(type.str(), kTypeItem, "");
  }

  /// `#pto.round_mode<…>`: its words are completed behind `<`.
  void attributes() {
    --begin;
    for (StringRef kind : {"pipe", "event", "pipe_event_type", "kernel_kind"})
      add("#pto." + kind.str(), kEnumMember, "");
    for (auto [kind, all] : pto::attributeKinds())
      add("#pto." + kind.str(), kEnumMember, join(spellings(all), ", "));
  }

  static std::vector<std::string> spellings(StringRef all) {
    std::vector<std::string> result;
    SmallVector<StringRef> apart;
    all.split(apart, ' ', -1, /*KeepEmpty=*/false);
    for (StringRef word : apart)
      result.push_back(word.split('|').first.split('=').first.str());
    return result;
  }

  void wordsOfKind() {
    const std::vector<Token> &tokens = document.tokens();
    const size_t open = tokenAt(tokens, begin - 1);
    StringRef kind = open > 0 && tokens[open - 1].kind == Token::Attribute ? document.wordOf(tokens[open - 1]) : "";
    kind.consume_front("#pto.");
    if (kind.empty() || kind == "pipe")
      pipes();
    if (kind.empty() || kind == "event")
      events();
    if (kind == "kernel_kind")
      for (const char *word : {"vector", "cube"})
        add(word, kEnumMember, "");
    for (auto [name, all] : pto::attributeKinds())
      if (name == kind)
        for (const std::string &word : spellings(all))
          add(word, kEnumMember, ("#pto." + name).str());
  }

  void pipes() {
    for (unsigned i = 0; i < 16; ++i)
      if (std::string_view name = nameOf(Pipe(i)); !name.empty())
        add(std::string(name), kEnumMember, "a pipe");
  }
  void events() {
    for (unsigned i = 0; i < 8; ++i)
      add("EVENT_ID" + std::to_string(i), kEnumMember, "an event id");
  }

  /// The name before `=` in front of the string; empty for a word without one.
  StringRef attributeBefore() const {
    StringRef before = text.take_front(begin - 1).rtrim();
    if (!before.consume_back("="))
      return "";
    before = before.rtrim();
    size_t start = before.size();
    while (start > 0 && (isAlnum(before[start - 1]) || before[start - 1] == '_' || before[start - 1] == '.'))
      --start;
    return before.drop_front(start);
  }

  void words() {
    const StringRef attribute = attributeBefore(), op = operationAt(document, begin);
    const pto::InstrInfo *info = op.starts_with("pto.") ? findInstruction(op) : nullptr;
    std::set<std::string> seen;
    auto offer = [&](StringRef word, const char *detail) {
      if (!word.empty() && seen.insert(word.str()).second)
        add(word.str(), kEnumMember, detail);
    };
    for (const AttributeWords &row : kWords)
      if (row.attribute == attribute)
        for (const std::string &word : spellings(row.words))
          offer(word, "");
    if (!info)
      return;
    const bool stores = info->footprint == pto::Footprint::VectorStore || op.contains("vst");
    const bool isDist = attribute == "dist" || (attribute.empty() && info->syntax.contains("_B32\""));
    if (isDist && info->family != pto::Family::Tile && stores)
      for (const StoreDist &dist : kStoreDists)
        offer(StringRef(dist.name.data(), dist.name.size()), "a distribution");
    else if (isDist && info->family != pto::Family::Tile)
      for (const LoadDist &dist : kLoadDists)
        offer(StringRef(dist.name.data(), dist.name.size()), "a distribution");
    if (info->syntax.contains("\"PAT_ALL\""))
      for (StringRef pattern : pto::maskPatterns())
        offer(pattern, "a pattern");
    if (attribute.empty() && info->syntax.contains("\"PIPE_")) {
      pipes();
      events();
      return;
    }
    // Words that the manual's own lines show.
    SmallVector<StringRef> parts;
    info->syntax.split(parts, '"');
    for (size_t i = 1; i < parts.size(); i += 2)
      if (!parts[i].contains("pto.") && (attribute.empty() || parts[i - 1].rtrim(" =").ends_with(attribute)))
        offer(parts[i], "");
  }

  /// Names of attributes of the statement's instruction, inside its braces.
  void properties() {
    const StringRef op = operationAt(document, at);
    const pto::InstrInfo *info = op.starts_with("pto.") ? findInstruction(op) : nullptr;
    if (!info)
      return;
    std::set<std::string> seen;
    SmallVector<StringRef> parts;
    info->syntax.split(parts, " = ");
    for (size_t i = 0; i + 1 < parts.size(); ++i) {
      size_t start = parts[i].size();
      while (start > 0 && (isAlnum(parts[i][start - 1]) || parts[i][start - 1] == '_'))
        --start;
      std::string name = parts[i].drop_front(start).str();
      const bool isValue = start > 0 && parts[i][start - 1] == '%';
      if (!name.empty() && !isValue && seen.insert(name).second)
        add(name, kProperty, "an attribute of " + op.str(), name + " = ");
    }
  }

  /// The manual's line as a snippet: operands and words are where the cursor stops.
  std::string snippetOf(StringRef line, bool hasResults) const {
    if (hasResults && line.starts_with("%"))
      line = line.drop_front(std::min(line.find(" = ") + 3, line.size()));
    std::string result;
    unsigned stop = 0;
    for (size_t i = 0; i < line.size();) {
      size_t end = i + 1;
      if (line[i] == '%' && end < line.size() && isAlnum(line[end])) {
        while (end < line.size() && (isAlnum(line[end]) || line[end] == '_'))
          ++end;
        result += "${" + std::to_string(++stop) + ":" + line.slice(i, end).str() + "}";
      } else {
        if (StringRef("$}\\").contains(line[i]))
          result += '\\';
        result += line[i];
      }
      i = end;
    }
    return result;
  }

  void operations() {
    StringRef before = text.take_front(begin);
    before = before.drop_front(before.rfind('\n') + 1).trim();
    const bool hasResults = before.ends_with("=");
    for (const pto::InstrInfo &info : pto::instructions()) {
      const std::string name = "pto." + info.name.str();
      const StringRef line = info.syntax.split('\n').first;
      // Lines with choices are for readers, and so are those of results where none is taken.
      const bool usable = snippets && !line.empty() && !line.contains("[, ") && !line.contains('|') &&
                          line.contains(name) && !(hasResults && !line.starts_with("%"));
      add(name, kFunctionItem, info.summary.str(), usable ? snippetOf(line, hasResults) : name, usable);
    }
    for (const pto::AliasInfo &alias : pto::aliases())
      add("pto." + alias.alias.str(), kFunctionItem, "pto." + alias.name.str());
    for (StringRef name : kOthers)
      add(name.str(), kFunctionItem, "");
  }

  const Document &document;
  StringRef text;
  size_t at, begin = 0;
  bool snippets;
  std::optional<json::Value> range; ///< what is replaced
  json::Array items;
};

} // namespace

json::Value completions(const Document &document, size_t at, bool snippets) {
  return Completer(document, at, snippets).run();
}

json::Value completed(json::Object item) {
  StringRef name = item.getString("label").value_or("");
  if (const pto::InstrInfo *info = name.starts_with("pto.") ? findInstruction(name) : nullptr) {
    std::string page = "```\n" + textOf(*info) + "```\n";
    for (const std::string &rule : rulesOf(*info))
      page += "- " + rule + "\n";
    item["documentation"] = json::Object{{"kind", "markdown"}, {"value", json::fixUTF8(page)}};
  }
  return item;
}

} // namespace ptoscope
