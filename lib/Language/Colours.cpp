//===- Colours.cpp - what kind of word each token is ----------------------===//

#include "Features.h"

#include "llvm/ADT/StringExtras.h"

#include <set>

using namespace llvm;

namespace ptoscope {

namespace {

constexpr StringLiteral kKinds[] = {"comment", "string", "number", "variable", "parameter", "function",
                                    "label",   "type",   "enum",   "method",   "keyword",   "property"};
enum Kind { Comment, String, Number, Variable, Parameter, Function, Label, Type, Enum, Method, Keyword, Property };
constexpr StringLiteral kModifiers[] = {"definition"};

bool isBuiltinType(StringRef word) {
  StringRef digits = word;
  if (digits.consume_front("si") || digits.consume_front("ui") || digits.consume_front("bf") ||
      digits.consume_front("i") || digits.consume_front("f"))
    return !digits.empty() && isDigit(digits[0]);
  return word == "index" || word == "none" || word == "vector" || word == "memref" || word == "tensor";
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
  std::set<size_t> definitions, parameters; // where they begin
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
  Position last;
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
      kind = parameters.contains(token.begin) ? Parameter : Variable;
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
    const Position begin = document.positionOf(token.begin), end = document.positionOf(token.end);
    const bool sameLine = begin.line == last.line;
    data.push_back(begin.line - last.line);
    data.push_back(sameLine ? begin.character - last.character : begin.character);
    data.push_back(end.character - begin.character);
    data.push_back(int(kind));
    data.push_back(definitions.contains(token.begin) ? 1 : 0);
    last = begin;
  }
  return json::Object{{"data", std::move(data)}};
}

} // namespace ptoscope
