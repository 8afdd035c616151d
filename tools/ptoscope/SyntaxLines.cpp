//===- SyntaxLines.cpp - lines of syntax as programs ----------------------===//

#include "SyntaxLines.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <map>
#include <optional>

using llvm::StringRef;

namespace ptoscope {

//===----------------------------------------------------------------------===//
// Letters
//===----------------------------------------------------------------------===//

/// Words of the column of elements, as types are written.
static const std::map<std::string, std::string, std::less<>> kElements = {
    {"i8", "i8"},       {"i16", "i16"},       {"i32", "i32"},   {"i64", "i64"},   {"si8", "si8"},  {"si16", "si16"},
    {"si32", "si32"},   {"si64", "si64"},     {"s8", "si8"},    {"s16", "si16"},  {"s32", "si32"}, {"s64", "si64"},
    {"ui8", "ui8"},     {"ui16", "ui16"},     {"ui32", "ui32"}, {"ui64", "ui64"}, {"u8", "ui8"},   {"u16", "ui16"},
    {"u32", "ui32"},    {"u64", "ui64"},      {"f16", "f16"},   {"bf16", "bf16"}, {"f32", "f32"},  {"e4m3", "f8E4M3FN"},
    {"e5m2", "f8E5M2"}, {"hif8", "!pto.hif8"}};
static constexpr StringRef kAnyElement[] = {"f32",  "i32",  "f16", "i16",  "i8",  "ui8",       "ui16",    "ui32",
                                            "si32", "si16", "si8", "bf16", "i64", "!pto.hif8", "f8E4M3FN"};

static unsigned widthOf(StringRef element) {
  if (element == "f8E4M3FN" || element == "f8E5M2" || element == "!pto.hif8")
    return 8;
  unsigned width = 0;
  element.drop_while([](char c) { return !llvm::isDigit(c); }).getAsInteger(10, width);
  return width;
}

namespace {
/// What the letters stand for in one attempt.
struct Letters {
  std::map<std::string, std::string> types; ///< T, U, S, D, I: elements; G0, G1, G2: granularities
  bool any = false;                         ///< vectors of any length
  bool groups = false;                      ///< the line has a number of groups

  std::string element(const std::string &letter) const {
    auto found = types.find(letter);
    return found == types.end() ? "" : found->second;
  }
  /// A number of lanes; 0 for a word that is none.
  unsigned lanes(StringRef word, StringRef of) const {
    unsigned number = 0;
    if (!word.getAsInteger(10, number))
      return number;
    if (!any) // N, M, 2N: as many as a register has
      return widthOf(of) ? 2048 / widthOf(of) : 0;
    if (word == "N2")
      return widthOf(of) ? 64 * widthOf(element("S")) / widthOf(of) : 0;
    static const std::map<std::string, unsigned, std::less<>> kCounts = {{"N", 64}, {"H", 32}, {"B", 256}, {"S", 8}};
    if (word == "C")
      return groups ? 8 : 1;
    auto found = kCounts.find(word.str());
    return found == kCounts.end() ? 0 : found->second;
  }
};
} // namespace

/// Words for views and tiles, `$` being the element.
static const std::map<std::string, std::string, std::less<>> kTiles = {
    {"TB", "!pto.tile_buf<vec, 8x64x$>"},         {"TV", "!pto.tensor_view<8x64x$>"},
    {"PV", "!pto.partition_tensor_view<8x64x$>"}, {"TI", "!pto.tile_buf<vec, 8x64xi32>"},
    {"Ti", "!pto.tile_buf<vec, 8x64xi32>"},       {"Tm", "!pto.tile_buf<vec, 8x32xui8>"},
    {"Ti8", "!pto.tile_buf<vec, 8x32xui8>"},      {"Tui32", "!pto.tile_buf<vec, 8x64xui32>"}};

/// The letters of elements and granularities in a text.
static std::vector<std::string> lettersIn(StringRef text) {
  std::vector<std::string> result;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!isWord(text[i]) || (i > 0 && (isWord(text[i - 1]) || StringRef(".%#!\"").contains(text[i - 1]))))
      continue;
    StringRef word = text.substr(i).take_while(isWord);
    if (const size_t cross = word.find('x'); cross != StringRef::npos && cross > 0)
      word = word.substr(cross + 1);
    for (StringRef letter : {"T", "U", "S", "D", "I", "T0", "T1", "G0", "G1", "G2"})
      if (word == letter && !text.take_front(i).ends_with("= ") && !llvm::is_contained(result, word.str()))
        result.push_back(word.str());
    const bool needsElement = word == "V" || word == "M" || word == "G" || word == "E" || kTiles.contains(word.str());
    if (needsElement && !llvm::is_contained(result, "T"))
      result.push_back("T");
  }
  return result;
}

/// One word with its letters filled in; nothing if it stands for something the table does not say.
static std::optional<std::string> filled(StringRef word, const Letters &letters, bool isNumber) {
  const std::string t = letters.element("T");
  if (isNumber && word.size() == 1 && llvm::isAlpha(word[0])) {
    const unsigned number = llvm::isUpper(word[0]) ? letters.lanes(word, "") : 0;
    return number ? std::optional(std::to_string(number)) : std::nullopt;
  }
  if (std::string own = letters.element(word.str()); !own.empty())
    return own;
  if (auto tile = kTiles.find(word.str()); tile != kTiles.end() && !letters.any) {
    std::string type = tile->second;
    if (const size_t gap = type.find('$'); gap != std::string::npos)
      type.replace(gap, 1, letters.element("E"));
    return type;
  }
  if (word == "G" && !t.empty())
    return "b" + std::to_string(std::min(32u, widthOf(t)));
  if (word == "V" && !t.empty())
    return "!pto.vreg<" + std::to_string(2048 / widthOf(t)) + "x" + t + ">";
  if (word == "M" && !t.empty())
    return "!pto.mask<b" + std::to_string(std::min(32u, widthOf(t))) + ">";
  if (const size_t cross = word.find('x'); cross != StringRef::npos && cross > 0) {
    const StringRef count = word.take_front(cross), of = word.substr(cross + 1);
    if (count.size() > 3 || (!llvm::isUpper(count.back()) && !llvm::all_of(count, llvm::isDigit) && count != "N2"))
      return word.str();
    const std::string element = letters.element(of.str()).empty() ? of.str() : letters.element(of.str());
    const unsigned lanes = letters.lanes(count, element);
    return lanes ? std::optional(std::to_string(lanes) + "x" + element) : std::nullopt;
  }
  if (llvm::all_of(word, [](char c) { return llvm::isUpper(c) || llvm::isDigit(c); }) && llvm::isUpper(word[0]))
    return std::nullopt;
  if (word == "memref" || word == "int")
    return std::nullopt;
  if (word == "sp") // any space
    return "gm";
  return word.str();
}

/// A text with its letters filled in, quoted words apart.
static std::optional<std::string> fill(StringRef text, const Letters &letters, std::string &why) {
  std::string result;
  bool quoted = false;
  for (size_t i = 0; i < text.size();) {
    quoted ^= text[i] == '"';
    const bool starts = isWord(text[i]) && (i == 0 || !StringRef(".%#!").contains(text[i - 1]));
    if (!isWord(text[i]) || quoted || !starts) {
      // A name that begins with a mark is taken whole.
      const size_t end = isWord(text[i]) ? i + text.substr(i).take_while(isWord).size() : i + 1;
      result += text.slice(i, end);
      i = end;
      continue;
    }
    const StringRef word = text.substr(i).take_while(isWord), before = text.take_front(i);
    const bool ofAttribute =
        before.ends_with("<") && before.drop_back().rtrim("abcdefghijklmnopqrstuvwxyz_.").ends_with("#");
    const bool literal =
        (before.ends_with(", ") || before.ends_with("[")) && (word == "n" || word == "id" || word == "mode");
    std::optional<std::string> one = filled(word, letters, before.ends_with("= "));
    if (!one || literal || (ofAttribute && word.size() == 1))
      return why = "the table does not say what `" + word.str() + "` stands for", std::nullopt;
    result += *one;
    i += word.size();
  }
  return result;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

/// Parts between commas that stand outside of brackets.
static std::vector<std::string> listed(StringRef text) {
  std::vector<std::string> result;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    if (i < text.size() && StringRef("<([{").contains(text[i]))
      ++depth;
    if (i < text.size() && StringRef(">)]}").contains(text[i]) && !text.take_front(i).ends_with("-"))
      --depth;
    if (i < text.size() && (text[i] != ',' || depth > 0))
      continue;
    if (const StringRef type = text.slice(begin, i).trim(); !type.empty())
      result.push_back(type.str());
    begin = i + 1;
  }
  return result;
}

/// Operands in the order of the text, and whether they stand in the brackets of an address.
static std::vector<std::pair<std::string, bool>> operandsIn(StringRef text) {
  std::vector<std::pair<std::string, bool>> result;
  for (size_t i = text.find('%'); i != StringRef::npos; i = text.find('%', i + 1)) {
    const std::string name = text.substr(i + 1).take_while(isWord).str();
    const bool offset = i > 0 && text[i - 1] == '[' && i > 1 && isWord(text[i - 2]);
    if (llvm::none_of(result, [&](const auto &known) { return known.first == name; }))
      result.emplace_back(name, offset);
  }
  return result;
}

/// Operands whose types lines leave out.
static const std::map<std::string, std::string, std::less<>> kUnlisted = {
    {"off", "index"}, {"stride", "index"}, {"bs", "i16"}, {"rs", "i16"}, {"id", "index"},
    {"i", "index"},   {"event", "index"},  {"c", "i1"},   {"i64", "i64"}};

/// Where ` : ` starts the types; npos without any.
static size_t typesAt(StringRef text) {
  int depth = 0;
  size_t found = StringRef::npos;
  for (size_t i = 0; i < text.size(); ++i) {
    depth += StringRef("<([{").contains(text[i]);
    if (StringRef(">)]}").contains(text[i]) && !text.take_front(i).ends_with("-"))
      --depth;
    if (depth == 0 && text.substr(i).starts_with(" : "))
      found = i;
  }
  return found;
}

using Operands = std::vector<std::pair<std::string, std::string>>; // name and type

/// How operands and listed types belong together: one by one, in the opposite order, with numbers
/// of 64 bits where none is listed, or one type for all, as other dialects list it.
enum class Pairing { plain, reversed, wide, upstream };

/// Gives each operand its type; `text` has the operands, `types` their types.
static bool pairUp(StringRef text, StringRef types, Pairing way, Operands &operands, std::string &why) {
  std::vector<std::pair<std::string, bool>> names = operandsIn(text);
  StringRef before = types.split("->").first.split(" to ").first.trim();
  if (before.starts_with("(") && before.ends_with(")"))
    before = before.drop_front().drop_back();
  std::vector<std::string> kinds = listed(before);
  // Without operands, the type is that of the result.
  if (names.empty())
    return true;
  for (bool addresses : {true, false}) {
    if (names.size() <= kinds.size())
      break;
    llvm::erase_if(names, [&](const auto &name) {
      auto known = kUnlisted.find(name.first);
      if (addresses ? !name.second : known == kUnlisted.end())
        return false;
      std::string type = addresses ? "index" : known->second;
      operands.emplace_back(name.first, way == Pairing::wide && type == "index" ? "i64" : type);
      return true;
    });
  }
  if (way == Pairing::upstream && !kinds.empty())
    kinds.assign(names.size(), kinds[0]);
  if (way == Pairing::reversed)
    std::reverse(kinds.begin(), kinds.end());
  if (names.empty())
    return true;
  if (names.size() != kinds.size())
    return why = "its operands and the types it lists do not pair up", false;
  for (auto [name, kind] : llvm::zip_equal(names, kinds))
    operands.emplace_back(name.first, kind);
  return true;
}

/// Operands of a filled line with their types: of the whole line, or of each list in parentheses.
static std::optional<Operands> operandsOf(StringRef line, Pairing way, std::string &why) {
  Operands operands;
  const size_t colon = line.contains("ins(") ? StringRef::npos : typesAt(line);
  if (colon != StringRef::npos)
    return pairUp(line.take_front(colon), line.substr(colon + 3), way, operands, why) ? std::optional(operands)
                                                                                      : std::nullopt;
  StringRef rest = line.split(") outs : ").first;
  std::string outside;
  while (rest.contains('(')) {
    auto [head, tail] = rest.split('(');
    const size_t close = tail.find(')');
    const StringRef group = tail.take_front(close);
    outside += head;
    const size_t types = std::min(typesAt(group), group.size());
    if (!pairUp(group.take_front(types), group.substr(types).drop_front(std::min<size_t>(3, group.size() - types)), way,
                operands, why))
      return std::nullopt;
    rest = close == StringRef::npos ? "" : tail.substr(close + 1);
  }
  outside += rest;
  if (!pairUp(outside, "", way, operands, why))
    return std::nullopt;
  return operands;
}

/// `number`: of integers, whose values rules may ask for.
static std::string definition(StringRef name, StringRef type, StringRef number) {
  const std::string head = ("  %" + name + " = ").str();
  if (type == "index" || (type.starts_with("i") && llvm::all_of(type.drop_front(), llvm::isDigit)))
    return head + "arith.constant " +
           (type == "i1" ? (number == "0" ? "false" : "true") : (number + " : " + type).str()) + "\n";
  if (type == "f32" || type == "f16" || type == "bf16")
    return head + "arith.constant 1.0 : " + type.str() + "\n";
  return head + "builtin.unrealized_conversion_cast to " + type.str() + "\n";
}

bool tryReading(const std::string &name, const std::string &reading, const std::string &elements,
                const std::string &profile, const std::function<bool(const std::string &)> &accepts, std::string &why) {
  const StringRef text = reading;
  const size_t at = text.find(name);
  const bool generic = at > 0 && text[at - 1] == '"';
  const StringRef results = text.take_front(at - generic), rest = text.substr(at + name.size() + generic);
  // Lines of tiles have tiles for the letter.
  const bool tiles = rest.contains("outs(");

  std::vector<std::string> named;
  llvm::SmallVector<StringRef> words;
  llvm::SplitString(elements, words, " ,;:()");
  for (StringRef word : words)
    if (auto known = kElements.find(word.str()); known != kElements.end() && !llvm::is_contained(named, known->second))
      named.push_back(known->second);
  if (StringRef(elements).contains("any sign"))
    for (StringRef sign : {"s", "u"})
      for (StringRef element : {"i32", "i16", "i8"})
        named.push_back((sign + element).str());
  if (named.empty())
    named.assign(std::begin(kAnyElement), std::end(kAnyElement));

  Letters letters;
  letters.any = StringRef(name).starts_with("pto.vmi.");
  letters.groups = rest.contains("= C");
  const std::vector<std::string> open = lettersIn(rest);
  std::vector<std::vector<std::string>> candidates;
  for (const std::string &letter : open) {
    if (letter[0] == 'G')
      candidates.push_back({"b8", "b16", "b32"});
    else if (letter == "I")
      candidates.push_back({"i32", "ui16", "i16", "i8", "ui32"});
    else if (letter == "T")
      candidates.push_back(named);
    else
      candidates.emplace_back(std::begin(kAnyElement), std::end(kAnyElement));
    if (letter == "T0" || letter == "T1")
      candidates.back().push_back("index");
  }
  std::vector<size_t> turn(open.size(), 0);
  bool written = false;
  while (true) {
    for (size_t k = 0; k < open.size(); ++k)
      letters.types[open[k]] = candidates[k][turn[k]];
    Letters here = letters;
    here.types["E"] = letters.element("T");
    if (tiles)
      here.types["T"] = "!pto.tile_buf<vec, 8x64x" + letters.element("T") + ">";
    std::string reason;
    std::optional<std::string> line = fill(rest, here, reason);
    bool paired = false;
    const bool upstream = !StringRef(name).starts_with("pto.");
    for (Pairing way : {upstream ? Pairing::upstream : Pairing::plain, Pairing::reversed, Pairing::wide}) {
      std::optional<Operands> operands;
      if (line)
        operands = operandsOf(*line, way, reason);
      for (StringRef number : {"1", "0", "32"}) {
        if (!operands)
          break;
        paired = true;
        std::string program = "module attributes {pto.target_arch = \"" + profile + "\"} {\nfunc.func @k() {\n";
        for (auto &[operand, type] : *operands)
          program += definition(operand, type, number);
        const std::string quote = generic ? "\"" : "";
        program += ("  " + results + quote + name + quote + *line + "\n").str() + "  return\n}\n}\n";
        if (accepts(program))
          return true;
      }
    }
    if (paired) {
      written = true;
    } else if (why.empty()) {
      why = reason;
    }
    size_t k = 0;
    while (k < turn.size() && ++turn[k] == candidates[k].size())
      turn[k++] = 0;
    if (k == turn.size())
      break;
  }
  if (written)
    why.clear();
  return false;
}

} // namespace ptoscope
