//===- Generators.cpp - arrays made from a word ---------------------------===//
//
// `zeros:f32:32x32` and its relatives. What each element is depends on its
// index, the type and the parameter only, so results are the same on every
// host and for every length.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/Text.h"

#include <charconv>
#include <cmath>
#include <cstring>

namespace ptoscope {

namespace {

struct Generator {
  std::string_view name;
  std::string_view parameter; ///< empty when it takes none
};
constexpr Generator kGenerators[] = {
    {"zeros", ""},
    {"iota", ""},
    {"random", "SEED"},
    {"fill", "VALUE"},
};

const Generator *findGenerator(std::string_view name) {
  for (const Generator &generator : kGenerators)
    if (generator.name == name)
      return &generator;
  return nullptr;
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  for (;;) {
    size_t end = text.find(separator);
    parts.push_back(text.substr(0, end));
    if (end == std::string_view::npos)
      return parts;
    text.remove_prefix(end + 1);
  }
}

template <typename T> bool parseWhole(std::string_view text, T &value, int base = 10) {
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return error == std::errc() && end == text.data() + text.size();
}

/// A sign and a magnitude, decimal or with 0x.
struct Integer {
  bool negative = false;
  uint64_t magnitude = 0;
};
enum class Parsed { Yes, Malformed, TooLarge };
Parsed parseInteger(std::string_view text, Integer &integer) {
  if (text.starts_with('-') || text.starts_with('+')) {
    integer.negative = text[0] == '-';
    text.remove_prefix(1);
  }
  bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex)
    text.remove_prefix(2);
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), integer.magnitude, hex ? 16 : 10);
  if (text.empty() || end != text.data() + text.size() || error == std::errc::invalid_argument)
    return Parsed::Malformed;
  return error == std::errc() ? Parsed::Yes : Parsed::TooLarge;
}

Parsed parseDouble(std::string_view text, double &value) {
  bool negative = text.starts_with('-');
  if (negative || text.starts_with('+'))
    text.remove_prefix(1);
  bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex)
    text.remove_prefix(2);
  // from_chars would take another sign, and letters that name no number here.
  if (text.empty() || text[0] == '-' || text[0] == '+' || text.find('(') != std::string_view::npos)
    return Parsed::Malformed;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value,
                                      hex ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::invalid_argument || end != text.data() + text.size())
    return Parsed::Malformed;
  if (error != std::errc())
    return Parsed::TooLarge;
  if (negative)
    value = -value;
  return Parsed::Yes;
}

/// Element i of a random array is the i-th output of SplitMix64.
uint64_t splitMix64(uint64_t seed, uint64_t i) {
  uint64_t z = seed + (i + 1) * 0x9e3779b97f4a7c15u;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
  return z ^ (z >> 31);
}

/// Bits of the float `value` in `type`, rounded once.
uint64_t encode(ElementType type, double value) {
  if (const FloatFormat *format = formatOf(type))
    return encodeFloat(*format, value);
  return std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<uint64_t>(value);
}

/// Stores the low bytes of what `bitsOf(i)` gives for every element.
template <typename Bits> void store(Array &array, Bits bitsOf) {
  auto run = [&array, &bitsOf]<typename T>(T) {
    uint8_t *out = array.bytes.data();
    for (uint64_t i = 0, n = array.elements(); i < n; ++i, out += sizeof(T)) {
      T element = static_cast<T>(bitsOf(i));
      std::memcpy(out, &element, sizeof(T));
    }
  };
  switch (array.itemBytes) {
  case 1:
    return run(uint8_t());
  case 2:
    return run(uint16_t());
  case 4:
    return run(uint32_t());
  default:
    return run(uint64_t());
  }
}

/// Stores `valueOf(i)`, rounded once, for every element of a float array. The
/// choice of type stands outside the loop, which may run a billion times.
template <typename Value> void storeFloats(Array &array, Value valueOf) {
  switch (array.type) {
  case ElementType::F64:
    return store(array, [&valueOf](uint64_t i) { return std::bit_cast<uint64_t>(valueOf(i)); });
  case ElementType::F32:
    // The language rounds to nearest here, as encodeFloat does.
    return store(array, [&valueOf](uint64_t i) { return std::bit_cast<uint32_t>(static_cast<float>(valueOf(i))); });
  default:
    return store(array,
                 [&valueOf, format = *formatOf(array.type)](uint64_t i) { return encodeFloat(format, valueOf(i)); });
  }
}

/// Precision of a float type: bits of the significand, the hidden one included.
int precisionOf(ElementType type) {
  const FloatFormat *format = formatOf(type);
  return format ? format->fractionBits + 1 : 53;
}

class Word {
public:
  explicit Word(std::string_view text) : text(text) {}

  Result<Array> generate() {
    std::vector<std::string_view> parts = split(text, ':');
    const Generator *generator = findGenerator(parts[0]);
    if (!generator)
      return wrong("no generator is called `" + std::string(parts[0]) +
                   "`; there are `zeros`, `iota`, `random` and `fill`");
    size_t expected = generator->parameter.empty() ? 3 : 4;
    const bool limited = generator->name == "random" && parts.size() == 5;
    if (parts.size() != expected && !limited)
      return wrong("it has " + std::to_string(parts.size()) + " parts, expected " + std::to_string(expected) + ": `" +
                   form(*generator) + "`");
    std::optional<ElementType> type = parseElementType(parts[1]);
    if (!type)
      return wrong("`" + std::string(parts[1]) +
                   "` is not an element type; there are f16 bf16 f32 f64 f8E4M3FN f8E5M2, and i, si, u or ui "
                   "with 8, 16, 32 or 64");
    array.type = *type;
    array.itemBytes = infoOf(*type).bytes;
    for (std::string_view extent : split(parts[2], 'x')) {
      uint64_t number;
      if (!parseWhole(extent, number))
        return wrong("`" + std::string(parts[2]) + "` is not a shape; write `1024` or `32x32`");
      array.shape.push_back(number);
    }
    std::optional<uint64_t> bytes = arrayBytes(array.shape, array.itemBytes);
    if (!bytes)
      return wrong("the array would be larger than the limit of " + std::to_string(kMaxArrayBytes) + " bytes");
    // Checked before anything is allocated.
    uint64_t seed = 0, fillBits = 0;
    if (generator->name == "random" && !parseWhole(parts[3], seed))
      return wrong("the seed `" + std::string(parts[3]) + "` is not a number from 0 to 18446744073709551615");
    if (limited)
      if (Result<void> done = parseLimit(parts[4]); !done)
        return done.takeFinding();
    if (generator->name == "fill")
      if (Result<void> done = fillValue(parts[3], fillBits); !done)
        return done.takeFinding();
    if (generator->name == "iota")
      if (Result<void> done = canCount(*bytes / array.itemBytes); !done)
        return done.takeFinding();

    std::optional<ByteBuffer> buffer = ByteBuffer::allocate(*bytes);
    if (!buffer)
      return wrong("not enough memory for " + std::to_string(*bytes) + " bytes");
    array.bytes = std::move(*buffer);
    if (generator->name == "iota")
      iota();
    else if (generator->name == "random")
      random(seed);
    else if (generator->name == "fill" && fillBits != 0)
      store(array, [fillBits](uint64_t) { return fillBits; });
    return std::move(array);
  }

private:
  Finding wrong(const std::string &reason) const {
    return makeFinding("usage", Place{}, "`" + std::string(text.substr(0, 80)) + "`: " + reason);
  }

  static std::string form(const Generator &generator) {
    std::string form = std::string(generator.name) + ":TYPE:SHAPE";
    return generator.parameter.empty() ? form : form + ":" + std::string(generator.parameter);
  }

  bool isFloat() const { return infoOf(array.type).kind == ElementClass::Float; }

  /// Bits of a fill value, or why it does not fit.
  Result<void> fillValue(std::string_view value, uint64_t &bits) const {
    std::string name(infoOf(array.type).name), shown = "the value `" + std::string(value) + "` ";
    if (isFloat()) {
      double number = 0;
      Parsed parsed = parseDouble(value, number);
      if (parsed == Parsed::Malformed)
        return wrong(shown + "is not a number");
      bits = encode(array.type, number);
      const FloatFormat *format = formatOf(array.type);
      // Infinity is stored only when it is asked for, and where there is one.
      bool stored = std::isnan(number) || !format || format->isFinite(static_cast<uint32_t>(bits)) ||
                    (std::isinf(number) && format->hasInfinity);
      if (parsed == Parsed::TooLarge || !stored)
        return wrong(shown + "is outside the range of " + name);
      return {};
    }
    Integer number;
    Parsed parsed = parseInteger(value, number);
    if (parsed == Parsed::Malformed)
      return wrong(shown + "is not an integer");
    unsigned width = array.itemBytes * 8;
    bool isSigned = infoOf(array.type).kind == ElementClass::Signed;
    uint64_t most = ~uint64_t(0) >> (64 - width + (isSigned ? 1 : 0));
    uint64_t limit = !number.negative ? most : isSigned ? most + 1 : 0;
    if (parsed == Parsed::TooLarge || number.magnitude > limit)
      return wrong(shown + "is outside the range of " + name + ", " +
                   (isSigned ? "-" + std::to_string(most + 1) : "0") + " to " + std::to_string(most));
    bits = number.negative ? 0 - number.magnitude : number.magnitude;
    return {};
  }

  /// `random:i32:64:SEED:LIMIT` has numbers below LIMIT, none of them negative.
  Result<void> parseLimit(std::string_view word) {
    uint64_t last = 0;
    if (isFloat())
      return wrong("random floats have no limit");
    if (!parseWhole(word, limit) || limit == 0)
      return wrong("the limit `" + std::string(word) + "` is not a number from 1 on");
    return fillValue(std::to_string(limit - 1), last);
  }

  /// Whether the largest number of an iota is finite in its float type.
  Result<void> canCount(uint64_t elements) const {
    const FloatFormat *format = formatOf(array.type);
    if (!format || elements == 0)
      return {};
    uint32_t last = encodeFloat(*format, static_cast<double>(elements - 1));
    if (format->isFinite(last))
      return {};
    auto most = static_cast<uint64_t>(decodeFloat(*format, format->maxFinite()));
    return wrong(std::string(infoOf(array.type).name) + " cannot count to " + std::to_string(elements - 1) +
                 "; its largest number is " + std::to_string(most));
  }

  void iota() {
    if (!isFloat())
      return store(array, [](uint64_t i) { return i; });
    storeFloats(array, [](uint64_t i) { return static_cast<double>(i); });
  }

  void random(uint64_t seed) {
    if (!isFloat()) {
      if (limit)
        return store(array, [seed, limit = limit](uint64_t i) { return splitMix64(seed, i) % limit; });
      unsigned drop = 64 - array.itemBytes * 8;
      return store(array, [seed, drop](uint64_t i) { return splitMix64(seed, i) >> drop; });
    }
    int precision = precisionOf(array.type);
    double unit = std::ldexp(1.0, -precision);
    storeFloats(array, [seed, precision, unit](uint64_t i) {
      auto top = static_cast<int64_t>(splitMix64(seed, i) >> (63 - precision));
      return static_cast<double>(top - (int64_t(1) << precision)) * unit;
    });
  }

  std::string_view text;
  Array array;
  uint64_t limit = 0; ///< of random integers; 0 for none
};

} // namespace

bool isGeneratorWord(std::string_view word) {
  size_t colon = word.find(':');
  return colon != std::string_view::npos && findGenerator(word.substr(0, colon));
}

std::string_view nearestGenerator(std::string_view word) {
  std::vector<std::string_view> names;
  for (const Generator &generator : kGenerators)
    names.push_back(generator.name);
  const size_t colon = word.find(':');
  return colon == std::string_view::npos ? "" : nearestOf(word.substr(0, colon), names);
}

Result<Array> generateArray(std::string_view word) { return Word(word).generate(); }

} // namespace ptoscope
