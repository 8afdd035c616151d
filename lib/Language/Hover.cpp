//===- Hover.cpp - what the manual says of the word under the cursor ------===//

#include "Features.h"

#include "ptoscope/Manual/Manual.h"

#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace ptoscope {

namespace {

/// The page of an instruction with its rules; empty for a word that is none.
std::string pageOf(StringRef name) {
  if (!name.consume_front("pto."))
    return "";
  name.consume_front("mi.");
  if (const pto::InstrInfo *info = findInstruction(name)) {
    std::string page = "```\n" + textOf(*info) + "```\n";
    for (const std::string &rule : rulesOf(*info)) {
      auto [label, text] = StringRef(rule).split(": ");
      page += "- **" + label.str() + "** " + text.str() + "\n";
    }
    return page;
  }
  if (const pto::NotModelledInfo *refused = pto::findNotModelled(name))
    return ("`pto." + name + "` is not modelled" + (refused->reason.empty() ? "" : ": " + refused->reason)).str();
  return "";
}

/// A rule or a code of findings that a comment names.
std::string pageOfWord(StringRef word) {
  if (const Rule *rule = findRule(word); rule && rule->label == word)
    return "**" + rule->label.str() + "** (" + rule->document.str() + ", " + rule->heading.str() + ")\n\n" +
           rule->text.str();
  if (const CodeInfo *code = findCode({word.data(), word.size()}))
    return "**" + std::string(code->code) + "**: " + std::string(code->title) + "\n\n" +
           std::string(code->page.meaning);
  return "";
}

std::string pageOfValue(const Document &document, const ValueName &value) {
  const StringRef name = document.wordOf(value.range);
  if (value.definition == std::string::npos)
    return ("`" + name + "`, which nothing above defines").str();
  const ValueName &definition = document.names().values[value.definition];
  const std::string type = typeOf(document, definition);
  const int64_t line = document.positionOf(definition.range.begin).line;
  return "```pto\n" + name.str() + (type.empty() ? "" : " : " + type) + "\n```\n" +
         (definition.argument ? "an argument, line " : "defined in line ") + std::to_string(line + 1) + "\n```pto\n" +
         document.lineAt(size_t(line)).trim().str() + "\n```\n";
}

} // namespace

json::Value hover(const Document &document, size_t at) {
  const Token *token = tokenUnder(document, at);
  if (!token)
    return nullptr;
  TextRange range{token->begin, token->end};
  std::string page;
  if (token->kind == Token::Value) {
    if (const ValueName *value = valueAt(document, at))
      page = pageOfValue(document, *value);
  } else if (token->kind == Token::Symbol) {
    if (std::optional<TextRange> place = definition(document, at))
      page = "```pto\n" + document.lineAt(size_t(document.positionOf(place->begin).line)).trim().str() + "\n```\n";
  } else if (token->kind == Token::Comment) {
    const StringRef text = document.text();
    auto isPart = [](char c) { return isAlnum(c) || c == '-'; };
    while (range.begin < at && !all_of(text.slice(range.begin, at), isPart))
      ++range.begin;
    range.end = std::max<size_t>(at, range.begin);
    while (range.end < token->end && isPart(text[range.end]))
      ++range.end;
    page = pageOfWord(document.wordOf(range));
  } else {
    page = pageOf(document.wordOf(*token).trim('"'));
  }
  if (page.empty())
    return nullptr;
  return json::Object{{"contents", json::Object{{"kind", "markdown"}, {"value", json::fixUTF8(page)}}},
                      {"range", document.rangeOf(range)}};
}

} // namespace ptoscope
