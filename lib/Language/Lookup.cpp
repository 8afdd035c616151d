//===- Lookup.cpp - what is where in a text -------------------------------===//

#include "Features.h"

using namespace llvm;

namespace ptoscope {

const Token *tokenUnder(const Document &document, size_t at) {
  const std::vector<Token> &tokens = document.tokens();
  size_t i = tokenAt(tokens, at);
  if (i < tokens.size() && tokens[i].begin <= at && tokens[i].kind != Token::Mark)
    return &tokens[i];
  if (i > 0 && tokens[i - 1].end == at)
    return &tokens[i - 1];
  return i < tokens.size() && tokens[i].begin <= at ? &tokens[i] : nullptr;
}

const ValueName *valueAt(const Document &document, size_t at) {
  const Token *token = tokenUnder(document, at);
  if (!token || token->kind != Token::Value)
    return nullptr;
  for (const ValueName &value : document.names().values)
    if (value.range.begin == token->begin)
      return &value;
  return nullptr;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

namespace {

/// Depth of brackets along tokens.
int depthChange(StringRef word) {
  if (word == "(" || word == "[" || word == "{" || word == "<")
    return 1;
  return word == ")" || word == "]" || word == "}" || word == ">" ? -1 : 0;
}

/// A list of types, apart.
SmallVector<std::string> typeList(StringRef text) {
  text = text.trim();
  if (text.starts_with("(") && text.ends_with(")"))
    text = text.drop_front().drop_back();
  SmallVector<std::string> types;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && depth == 0)) {
      StringRef type = text.slice(begin, i).trim();
      if (!type.empty())
        types.push_back(type.str());
      begin = i + 1;
    } else if (!(text[i] == '>' && i > 0 && text[i - 1] == '-')) {
      depth += depthChange(text.substr(i, 1));
    }
  }
  return types;
}

/// What a statement says of types at its end.
struct Signature {
  SmallVector<std::string> results; ///< behind `->`
  SmallVector<std::string> types;   ///< behind the last `:`
  StringRef op;
  unsigned resultNames = 0;
};

/// The statement up to its first region.
Signature signatureOf(const Document &document, TextRange statement) {
  const std::vector<Token> &tokens = document.tokens();
  size_t colon = 0, arrow = 0, end = statement.begin;
  int depth = 0;
  Signature signature;
  for (size_t i = tokenAt(tokens, statement.begin); i < tokens.size() && tokens[i].begin < statement.end; ++i) {
    StringRef word = document.wordOf(tokens[i]);
    if (tokens[i].kind == Token::Comment)
      continue;
    if (signature.op.empty() && (tokens[i].kind == Token::Word || tokens[i].kind == Token::String))
      signature.op = word.trim('"');
    if (signature.op.empty() && tokens[i].kind == Token::Value)
      ++signature.resultNames;
    if (depth == 0 && word == "{" && arrow && arrow > colon)
      break; // a region behind `-> (types)`
    if (depth == 0 && word == ":")
      colon = tokens[i].end, arrow = 0;
    if (depth == 0 && (word == "->" || (word == "to" && colon)))
      arrow = tokens[i].end;
    if (tokens[i].kind == Token::Mark)
      depth += depthChange(word);
    if (depth == 0 && word == "}" && !colon && !arrow)
      continue; // a dictionary
    end = tokens[i].end;
  }
  StringRef text = document.text();
  if (arrow)
    signature.results = typeList(text.slice(arrow, end));
  else if (colon)
    signature.types = typeList(text.slice(colon, end).take_until([](char c) { return c == '{'; }));
  return signature;
}

} // namespace

std::string typeOf(const Document &document, const ValueName &definition) {
  const std::vector<Token> &tokens = document.tokens();
  const ProgramNames &names = document.names();
  const StringRef text = document.text();
  size_t i = tokenAt(tokens, definition.range.begin);
  if (definition.argument) {
    if (i + 1 < tokens.size() && document.wordOf(tokens[i + 1]) == ":") {
      int depth = 0;
      for (size_t k = i + 2; k < tokens.size(); ++k) {
        StringRef word = document.wordOf(tokens[k]);
        if (tokens[k].kind == Token::Mark && depth == 0 && (word == "," || word == ")" || word == "{"))
          return text.slice(tokens[i + 2].begin, tokens[k - 1].end).str();
        if (tokens[k].kind == Token::Mark)
          depth += depthChange(word);
      }
      return "";
    }
    if (definition.statement >= names.statements.size())
      return "";
    // A loop: its counter, and what it carries in the order of its results.
    Signature signature = signatureOf(document, names.statements[definition.statement]);
    size_t position = 0;
    for (const ValueName &other : names.values)
      position += other.argument && other.region == definition.region && other.range.begin < definition.range.begin;
    if (signature.op == "scf.for" && position == 0)
      return signature.types.empty() ? "index" : signature.types[0];
    if (signature.op == "scf.for")
      --position;
    return position < signature.results.size() ? signature.results[position] : "";
  }
  if (definition.statement >= names.statements.size())
    return "";
  Signature signature = signatureOf(document, names.statements[definition.statement]);
  size_t position = 0;
  for (const ValueName &other : names.values)
    position += !other.argument && other.statement == definition.statement && &other != &definition &&
                other.definition != std::string::npos && &names.values[other.definition] == &other &&
                other.range.begin < definition.range.begin;
  if (!signature.results.empty())
    return position < signature.results.size() ? signature.results[position] : "";
  if (signature.op == "arith.cmpi" || signature.op == "arith.cmpf")
    return "i1";
  if (signature.types.size() == 1 || position < signature.types.size())
    return signature.types.size() == signature.resultNames || signature.types.size() == 1 ? signature.types[position]
                                                                                          : "";
  return "";
}

//===----------------------------------------------------------------------===//
// Operations and functions
//===----------------------------------------------------------------------===//

StringRef operationAt(const Document &document, size_t at) {
  // A line that begins with an operation is believed, whatever is open above it.
  const std::vector<Token> &tokens = document.tokens();
  size_t i = tokenAt(tokens, document.lineStart(size_t(document.positionOf(at).line)));
  while (i + 1 < tokens.size() && tokens[i].kind == Token::Value)
    i += 2; // `%a,` or `%a =`
  if (i < tokens.size() && tokens[i].begin <= at && tokens[i].kind == Token::Word &&
      document.wordOf(tokens[i]).contains('.') && (i == 0 || document.wordOf(tokens[i - 1]) != ","))
    return document.wordOf(tokens[i]);
  TextRange statement = document.names().statementAt(at);
  return statement.end == 0 ? "" : operationOf(document, statement);
}

StringRef operationOf(const Document &document, TextRange statement) {
  const std::vector<Token> &tokens = document.tokens();
  for (size_t i = tokenAt(tokens, statement.begin); i < tokens.size() && tokens[i].begin < statement.end; ++i)
    if (tokens[i].kind == Token::Word || tokens[i].kind == Token::String)
      return document.wordOf(tokens[i]).trim('"');
  return "";
}

std::vector<FunctionText> functionsOf(const Document &document) {
  const std::vector<Token> &tokens = document.tokens();
  const ProgramNames &names = document.names();
  std::vector<FunctionText> functions;
  for (size_t i = 0; i + 1 < tokens.size(); ++i) {
    if (tokens[i].kind != Token::Word || document.wordOf(tokens[i]) != "func.func")
      continue;
    size_t k = i + 1;
    while (k < tokens.size() && tokens[k].kind == Token::Word)
      ++k; // `private`
    if (k == tokens.size() || tokens[k].kind != Token::Symbol)
      continue;
    TextRange whole{tokens[i].begin, tokens[k].end};
    bool body = false;
    for (const TextRegion &region : names.regions)
      if (region.statement < names.statements.size() && names.statements[region.statement].begin == whole.begin &&
          !region.dictionary) {
        whole.end = std::min(region.range.end + 1, document.text().size());
        body = true;
      }
    functions.push_back({{tokens[k].begin, tokens[k].end}, whole, !body});
  }
  return functions;
}

} // namespace ptoscope
