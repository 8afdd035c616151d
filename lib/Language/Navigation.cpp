//===- Navigation.cpp - definitions, uses, new names, outline -------------===//

#include "Features.h"

#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace ptoscope {

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

namespace {

/// Places of one thing, the definition first where there is one.
struct Occurrences {
  std::vector<TextRange> places;
  bool defined = false;
  Token::Kind kind = Token::Mark;
  size_t region = 0; ///< of a label
};

Occurrences valuePlaces(const Document &document, size_t at) {
  Occurrences found;
  const ValueName *value = valueAt(document, at);
  if (!value)
    return found;
  found.kind = Token::Value;
  if (value->definition == std::string::npos) {
    found.places.push_back(value->range);
    return found;
  }
  const std::vector<ValueName> &values = document.names().values;
  found.defined = true;
  found.places.push_back(values[value->definition].range);
  for (size_t i = 0; i < values.size(); ++i)
    if (values[i].definition == value->definition && i != value->definition)
      found.places.push_back(values[i].range);
  return found;
}

Occurrences labelPlaces(const Document &document, const Token &token) {
  Occurrences found;
  const std::vector<LabelName> &labels = document.names().labels;
  const auto own = std::ranges::find_if(labels, [&](const LabelName &l) { return l.range.begin == token.begin; });
  if (own == labels.end())
    return found;
  found.kind = Token::Label;
  found.region = own->region;
  for (const LabelName &label : labels)
    if (label.region == own->region && document.wordOf(label.range) == document.wordOf(own->range)) {
      if (label.definition && !found.defined) {
        found.places.insert(found.places.begin(), label.range);
        found.defined = true;
      } else {
        found.places.push_back(label.range);
      }
    }
  return found;
}

Occurrences symbolPlaces(const Document &document, const Token &token) {
  Occurrences found;
  found.kind = Token::Symbol;
  const StringRef name = document.wordOf(token);
  for (const FunctionText &function : functionsOf(document))
    if (document.wordOf(function.name) == name && (!found.defined || !function.declared)) {
      if (found.defined)
        found.places.erase(found.places.begin());
      found.places.insert(found.places.begin(), function.name);
      found.defined = true;
    }
  for (const Token &other : document.tokens())
    if (other.kind == Token::Symbol && document.wordOf(other) == name &&
        (found.places.empty() || other.begin != found.places[0].begin))
      found.places.push_back({other.begin, other.end});
  return found;
}

Occurrences placesOf(const Document &document, size_t at) {
  const Token *token = tokenUnder(document, at);
  if (!token)
    return {};
  if (token->kind == Token::Value)
    return valuePlaces(document, at);
  if (token->kind == Token::Label)
    return labelPlaces(document, *token);
  return token->kind == Token::Symbol ? symbolPlaces(document, *token) : Occurrences();
}

} // namespace

std::vector<TextRange> occurrences(const Document &document, size_t at, bool withDefinition) {
  Occurrences found = placesOf(document, at);
  if (found.defined && !withDefinition)
    found.places.erase(found.places.begin());
  std::ranges::sort(found.places, {}, &TextRange::begin);
  return found.places;
}

std::optional<TextRange> definition(const Document &document, size_t at) {
  Occurrences found = placesOf(document, at);
  return found.defined ? std::optional(found.places[0]) : std::nullopt;
}

//===----------------------------------------------------------------------===//
// New names
//===----------------------------------------------------------------------===//

std::optional<TextRange> renamable(const Document &document, size_t at) {
  Occurrences found = placesOf(document, at);
  for (const TextRange &place : found.places)
    if (found.defined && place.begin <= at && at <= place.end)
      return place;
  return std::nullopt;
}

static Finding refusal(std::string message) { return makeFinding("usage", {}, std::move(message)); }

static bool isName(StringRef name, Token::Kind kind) {
  const bool number = !name.empty() && all_of(name, isDigit);
  if (number)
    return kind == Token::Value;
  return !name.empty() && !isDigit(name[0]) && name[0] != '-' &&
         all_of(name, [](char c) { return isAlnum(c) || StringRef("_$.-").contains(c); });
}

/// Whether regions see the values of each other: one is around the other, and nothing between hides them.
static bool meet(const ProgramNames &names, size_t a, size_t b) {
  auto within = [&](size_t inner, size_t outer) {
    for (size_t region = inner; region != std::string::npos; region = names.regions[region].parent) {
      if (region == outer)
        return true;
      if (names.regions[region].isolated)
        return false;
    }
    return false;
  };
  return within(a, b) || within(b, a);
}

Result<std::vector<TextRange>> rename(const Document &document, size_t at, std::string &newName) {
  Occurrences found = placesOf(document, at);
  if (!found.defined)
    return refusal("there is no name here that this file defines");
  const std::string sigil = document.wordOf(found.places[0]).take_front(1).str();
  StringRef bare = newName;
  bare.consume_front(sigil);
  if (!isName(bare, found.kind))
    return refusal("`" + newName + "` is not a name: letters, digits, `_`, `$`, `.` and `-`, and no digit first");
  const std::string wanted = sigil + bare.str();
  auto clash = [&](TextRange where) {
    return refusal("`" + wanted + "` is already defined in line " +
                   std::to_string(document.positionOf(where.begin).line + 1));
  };
  const ProgramNames &names = document.names();
  if (found.kind == Token::Value) {
    const ValueName *value = valueAt(document, at);
    const ValueName &own = names.values[value->definition];
    for (const ValueName &other : names.values)
      if (document.wordOf(other.range) == wanted && other.definition != value->definition &&
          meet(names, other.region, own.region))
        return clash(other.range);
  } else if (found.kind == Token::Label) {
    for (const LabelName &label : names.labels)
      if (label.region == found.region && document.wordOf(label.range) == wanted &&
          wanted != document.wordOf(found.places[0]))
        return clash(label.range);
  } else if (wanted != document.wordOf(found.places[0])) {
    for (const Token &token : document.tokens())
      if (token.kind == Token::Symbol && document.wordOf(token) == wanted)
        return clash({token.begin, token.end});
  }
  newName = wanted;
  std::ranges::sort(found.places, {}, &TextRange::begin);
  return found.places;
}

//===----------------------------------------------------------------------===//
// The outline
//===----------------------------------------------------------------------===//

/// Numbers of the protocol.
static constexpr int kNamespace = 3, kFunction = 12;

json::Value outline(const Document &document) {
  json::Array symbols;
  const ProgramNames &names = document.names();
  for (const FunctionText &function : functionsOf(document)) {
    json::Array inner;
    for (const TextRegion &region : names.regions) {
      if (region.dictionary || region.statement >= names.statements.size())
        continue;
      const TextRange statement = names.statements[region.statement];
      if (statement.begin <= function.whole.begin || region.range.end >= function.whole.end)
        continue;
      const StringRef op = operationOf(document, statement);
      if (!op.starts_with("pto.")) // scopes and sections; loops are for the folds
        continue;
      const TextRange whole{statement.begin, region.range.end + 1};
      inner.push_back(json::Object{{"name", op},
                                   {"kind", kNamespace},
                                   {"range", document.rangeOf(whole)},
                                   {"selectionRange", document.rangeOf({statement.begin, statement.begin + 1})}});
    }
    json::Object symbol{{"name", document.wordOf(function.name)},
                        {"kind", kFunction},
                        {"range", document.rangeOf(function.whole)},
                        {"selectionRange", document.rangeOf(function.name)},
                        {"children", std::move(inner)}};
    if (function.declared)
      symbol["detail"] = "declared";
    symbols.push_back(std::move(symbol));
  }
  return symbols;
}

json::Value foldings(const Document &document) {
  json::Array folds;
  auto fold = [&](size_t begin, size_t end, const char *kind) {
    const int64_t first = document.positionOf(begin).line, last = document.positionOf(end).line;
    if (last > first)
      folds.push_back(json::Object{{"startLine", first}, {"endLine", last}, {"kind", kind}});
  };
  for (size_t i = 1; i < document.names().regions.size(); ++i) {
    const TextRange range = document.names().regions[i].range;
    const int64_t first = document.positionOf(range.begin).line, last = document.positionOf(range.end).line;
    if (last > first + 1) // the line of `}` stays
      folds.push_back(json::Object{{"startLine", first}, {"endLine", last - 1}, {"kind", "region"}});
  }
  // Comments on lines of their own, several in a row.
  const std::vector<Token> &tokens = document.tokens();
  for (size_t i = 0; i < tokens.size(); ++i) {
    size_t k = i;
    auto alone = [&](size_t n) {
      return tokens[n].kind == Token::Comment &&
             (n == 0 || document.positionOf(tokens[n - 1].begin).line < document.positionOf(tokens[n].begin).line);
    };
    while (k < tokens.size() && alone(k) &&
           (k == i || document.positionOf(tokens[k].begin).line == document.positionOf(tokens[k - 1].begin).line + 1))
      ++k;
    if (k > i + 1)
      fold(tokens[i].begin, tokens[k - 1].begin, "comment");
    i = std::max(i, k ? k - 1 : 0);
  }
  return folds;
}

/// The editor runs the file with arguments that the tool makes up.
json::Value lenses(const Document &document) {
  json::Array result;
  for (const FunctionText &function : functionsOf(document)) {
    if (function.declared)
      continue;
    const StringRef head =
        StringRef(document.text()).slice(function.whole.begin, function.whole.end).take_until([](char c) {
          return c == '\n';
        });
    if (head.contains("func.func private"))
      continue; // no kernel
    result.push_back(json::Object{
        {"range", document.rangeOf(function.name)},
        {"command",
         json::Object{{"title", "Run with automatic arguments"},
                      {"command", "ptoscope.run"},
                      {"arguments", json::Array{document.uri, document.wordOf(function.name).drop_front()}}}}});
  }
  return result;
}

} // namespace ptoscope
