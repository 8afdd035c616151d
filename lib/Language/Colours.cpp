//===- Colours.cpp - what kind of word each token is ----------------------===//

#include "Features.h"

#include "llvm/ADT/StringExtras.h"

#include <unordered_set>

using namespace llvm;

namespace ptoscope {

namespace {

constexpr StringLiteral kKinds[] = {"comment", "string", "number", "variable", "parameter", "function",
                                    "label",   "type",   "enum",   "method",   "keyword",   "property"};
enum Kind { Comment, String, Number, Variable, Parameter, Function, Label, Type, Enum, Method, Keyword, Property };
constexpr StringLiteral kModifiers[] = {"definition"};

bool isBuiltinType(StringRef word) {
  StringRef digits = word.drop_while([](char c) { return StringRef("bsuif").contains(c); });
  if (digits.size() < word.size() && !digits.empty() && isDigit(digits[0]))
    return true; // i32, ui8, bf16
  return word == "index" || word == "none" || word == "vector" || word == "memref" || word == "tensor";
}

/// UTF-16 units: a character of four bytes has two.
int64_t unitsOf(StringRef text) {
  return count_if(text, [](char c) { return (c & 0xc0) != 0x80; }) +
         count_if(text, [](char c) { return (c & 0xf8) == 0xf0; });
}

Kind kindOfWord(StringRef word, StringRef next) {
  if (word.starts_with("pto.") && next != "=" && next != "," && next != "}")
    return Method;
  if (isBuiltinType(word))
    return Type;
  return next == "=" ? Property : Keyword;
}

} // namespace

ArrayRef<StringLiteral> colourKinds() { return kKinds; }
ArrayRef<StringLiteral> colourModifiers() { return kModifiers; }

json::Value colours(const Document &document) {
  const std::vector<Token> &tokens = document.tokens();
  const ProgramNames &names = document.names();
  std::unordered_set<size_t> definitions, parameters; // where they begin
  for (size_t i = 0; i < names.values.size(); ++i) {
    const ValueName &value = names.values[i];
    if (value.definition == i)
      definitions.insert(value.range.begin);
    if (value.definition != std::string::npos && names.values[value.definition].argument)
      parameters.insert(value.range.begin);
  }
  for (const LabelName &label : names.labels)
    if (label.definition)
      definitions.insert(label.range.begin);
  for (const FunctionText &function : functionsOf(document))
    definitions.insert(function.name.begin);
  json::Array data;
  data.reserve(5 * tokens.size());
  const StringRef text = document.text();
  int64_t line = 0, lastLine = 0, lastCharacter = 0;
  size_t lineStart = 0;
  for (size_t i = 0; i < tokens.size(); ++i) {
    const Token &token = tokens[i];
    const StringRef next = i + 1 < tokens.size() ? document.wordOf(tokens[i + 1]) : "";
    Kind kind;
    switch (token.kind) {
    case Token::Comment:
      kind = Comment;
      break;
    case Token::String: // the name of an operation in generic form
      kind = next == "(" && document.wordOf(token).starts_with("\"pto.") ? Method : String;
      break;
    case Token::Number:
      kind = Number;
      break;
    case Token::Value:
      kind = parameters.contains(token.begin) ? Kind::Parameter : Variable;
      break;
    case Token::Symbol:
      kind = Function;
      break;
    case Token::Label:
      kind = Label;
      break;
    case Token::Type:
      kind = Type;
      break;
    case Token::Attribute:
      kind = Enum;
      break;
    case Token::Word:
      kind = kindOfWord(document.wordOf(token), next);
      break;
    case Token::Mark:
      continue;
    }
    while (document.lineStart(size_t(line) + 1) <= token.begin)
      lineStart = document.lineStart(size_t(++line));
    const int64_t character = unitsOf(text.slice(lineStart, token.begin));
    data.push_back(line - lastLine);
    data.push_back(line == lastLine ? character - lastCharacter : character);
    data.push_back(unitsOf(document.wordOf(token)));
    data.push_back(int(kind));
    data.push_back(definitions.contains(token.begin) ? 1 : 0);
    lastLine = line;
    lastCharacter = character;
  }
  return json::Object{{"data", std::move(data)}};
}

} // namespace ptoscope
