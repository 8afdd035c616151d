//===- Compare.cpp - results against expected arrays ----------------------===//
//
// One loop per element type, behind a single memcmp that settles the usual
// case. Differences are measured exactly for integers and in double for
// floats, which is exact enough to rank them.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Compare.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <limits>

namespace ptoscope {

namespace {

template <typename T> std::string printed(T value) {
  char text[64];
  auto [end, error] = std::to_chars(text, text + sizeof(text), value);
  return std::string(text, end);
}

std::string hexBits(const uint8_t *bytes, uint32_t n) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text = "0x";
  for (uint32_t i = n; i-- > 0;) {
    text += kDigits[bytes[i] >> 4];
    text += kDigits[bytes[i] & 15];
  }
  return text;
}

template <typename T> T loadAs(const uint8_t *bytes) {
  T value;
  std::memcpy(&value, bytes, sizeof(T));
  return value;
}

/// Elements of at most 32 bits in a FloatFormat, or f64.
template <typename Storage> struct FloatElements {
  const FloatFormat *format; ///< null: f64

  double valueOf(const uint8_t *bytes) const {
    Storage bits = loadAs<Storage>(bytes);
    return format ? decodeFloat(*format, static_cast<uint32_t>(bits)) : std::bit_cast<double>(uint64_t(bits));
  }
  /// NaN against a number, and infinity against anything else, is infinite.
  double distance(const uint8_t *got, const uint8_t *expected) const {
    double a = valueOf(got), b = valueOf(expected);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      return 0;
    double difference = std::fabs(a - b);
    return std::isnan(difference) ? std::numeric_limits<double>::infinity() : difference;
  }
  bool within(const uint8_t *got, const uint8_t *expected, const Tolerance &tolerance) const {
    double a = valueOf(got), b = valueOf(expected);
    if (a == b || (std::isnan(a) && std::isnan(b)))
      return true;
    if (!std::isfinite(a) || !std::isfinite(b))
      return false;
    return std::fabs(a - b) <= tolerance.atol + tolerance.rtol * std::fabs(b);
  }
  std::string print(const uint8_t *bytes) const {
    double value = valueOf(bytes);
    // The shortest digits that give an f32 back are also enough for less.
    return format ? printed(static_cast<float>(value)) : printed(value);
  }
  static std::string printDistance(double distance) {
    char text[64];
    auto [end, error] = std::to_chars(text, text + sizeof(text), distance, std::chars_format::general, 6);
    return std::string(text, end);
  }
};

template <typename T> struct IntegerElements {
  static uint64_t distance(const uint8_t *got, const uint8_t *expected) {
    T a = loadAs<T>(got), b = loadAs<T>(expected);
    // Unsigned subtraction is right for signed numbers too: the distance fits.
    return a > b ? uint64_t(a) - uint64_t(b) : uint64_t(b) - uint64_t(a);
  }
  static bool within(const uint8_t *got, const uint8_t *expected, const Tolerance &tolerance) {
    double allowed = tolerance.atol + tolerance.rtol * std::fabs(static_cast<double>(loadAs<T>(expected)));
    if (!(allowed < 0x1p64))
      return true;
    return distance(got, expected) <= static_cast<uint64_t>(allowed);
  }
  static std::string print(const uint8_t *bytes) { return std::to_string(loadAs<T>(bytes)); }
  static std::string printDistance(uint64_t distance) { return std::to_string(distance); }
};

struct RawElements {
  static bool distance(const uint8_t *, const uint8_t *) { return true; }
  static std::string print(const uint8_t *) { return {}; }
  static std::string printDistance(bool) { return {}; }
};

std::vector<uint64_t> indexOf(uint64_t flat, std::span<const uint64_t> shape) {
  std::vector<uint64_t> index(shape.size());
  for (size_t d = shape.size(); d-- > 0;) {
    uint64_t extent = shape[d] ? shape[d] : 1;
    // The outermost index takes the rest: shape need not cover the buffer.
    index[d] = d == 0 ? flat : flat % extent;
    flat /= extent;
  }
  return index;
}

struct Operands {
  const uint8_t *got;
  const uint8_t *expected;
  uint32_t itemBytes;
  std::span<const uint64_t> shape;
};

template <typename Elements> Difference describe(const Elements &elements, const Operands &operands, uint64_t i) {
  const uint8_t *got = operands.got + i * operands.itemBytes;
  const uint8_t *expected = operands.expected + i * operands.itemBytes;
  Difference difference;
  difference.flatIndex = i;
  difference.index = indexOf(i, operands.shape);
  difference.got = elements.print(got);
  difference.expected = elements.print(expected);
  difference.difference = elements.printDistance(elements.distance(got, expected));
  difference.gotBits = hexBits(got, operands.itemBytes);
  difference.expectedBits = hexBits(expected, operands.itemBytes);
  return difference;
}

template <typename Elements>
void compareAll(const Elements &elements, const Operands &operands, std::optional<Tolerance> tolerance,
                Comparison &result) {
  uint64_t first = 0, largest = 0;
  decltype(elements.distance(nullptr, nullptr)) most{};
  for (uint64_t i = 0; i < result.elements; ++i) {
    const uint8_t *got = operands.got + i * operands.itemBytes;
    const uint8_t *expected = operands.expected + i * operands.itemBytes;
    if (std::memcmp(got, expected, operands.itemBytes) == 0)
      continue;
    if constexpr (!std::is_same_v<Elements, RawElements>)
      if (tolerance && elements.within(got, expected, *tolerance))
        continue;
    auto distance = elements.distance(got, expected);
    if (result.differing++ == 0) {
      first = largest = i;
      most = distance;
    } else if (distance > most) {
      largest = i;
      most = distance;
    }
  }
  if (result.differing) {
    result.first = describe(elements, operands, first);
    result.largest = describe(elements, operands, largest);
  }
}

} // namespace

Comparison compareBytes(ElementType type, uint32_t itemBytes, std::span<const uint64_t> shape,
                        std::span<const uint8_t> got, std::span<const uint8_t> expected,
                        std::optional<Tolerance> tolerance) {
  if (itemBytes == 0 || got.size() % itemBytes != 0) {
    type = ElementType::Raw;
    itemBytes = 1;
    shape = {};
  }
  Comparison result;
  result.type = type;
  result.gotBytes = got.size();
  result.expectedBytes = expected.size();
  result.elements = got.size() / itemBytes;
  if (got.size() != expected.size() || got.empty() || std::memcmp(got.data(), expected.data(), got.size()) == 0)
    return result;

  Operands operands = {got.data(), expected.data(), itemBytes, shape};
  auto run = [&](const auto &elements) { compareAll(elements, operands, tolerance, result); };
  auto integers = [&]<typename... T>() { ((sizeof(T) == itemBytes ? run(IntegerElements<T>()) : void()), ...); };
  auto floats = [&]<typename... T>() {
    ((sizeof(T) == itemBytes ? run(FloatElements<T>{formatOf(type)}) : void()), ...);
  };
  switch (infoOf(type).kind) {
  case ElementClass::Float:
    floats.operator()<uint8_t, uint16_t, uint32_t, uint64_t>();
    break;
  case ElementClass::Signed:
    integers.operator()<int8_t, int16_t, int32_t, int64_t>();
    break;
  case ElementClass::Unsigned:
    integers.operator()<uint8_t, uint16_t, uint32_t, uint64_t>();
    break;
  case ElementClass::Raw:
    run(RawElements());
    break;
  }
  return result;
}

Comparison compareArrays(const Array &got, const Array &expected, std::optional<Tolerance> tolerance) {
  return compareBytes(got.type, got.itemBytes, got.shape, got.bytes.span(), expected.bytes.span(), tolerance);
}

static std::string describeElement(const Difference &difference) {
  std::string text = "element ";
  if (difference.index.size() > 1) {
    text += "[";
    for (size_t d = 0; d < difference.index.size(); ++d)
      text += (d ? ", " : "") + std::to_string(difference.index[d]);
    text += "] (flat " + std::to_string(difference.flatIndex) + ")";
  } else {
    text += std::to_string(difference.flatIndex);
  }
  if (difference.got.empty())
    return text + ": got " + difference.gotBits + ", expected " + difference.expectedBits;
  return text + ": got " + difference.got + " (" + difference.gotBits + "), expected " + difference.expected + " (" +
         difference.expectedBits + "), difference " + difference.difference;
}

Finding expectMismatch(const Comparison &comparison, std::string_view what, std::string_view expectedPath,
                       Place place) {
  std::string buffer(what), path = "`" + std::string(expectedPath) + "`";
  if (comparison.gotBytes != comparison.expectedBytes)
    return makeFinding("expect-mismatch", std::move(place),
                       buffer + " has " + std::to_string(comparison.gotBytes) + " bytes, but " + path + " has " +
                           std::to_string(comparison.expectedBytes));
  std::string type(infoOf(comparison.type).name);
  Finding finding = makeFinding("expect-mismatch", std::move(place),
                                buffer + " differs from " + path + " in " + std::to_string(comparison.differing) +
                                    " of " + std::to_string(comparison.elements) + " " + type + " elements");
  if (comparison.first)
    finding.notes.push_back({Place{}, "first difference at " + describeElement(*comparison.first)});
  if (comparison.largest && comparison.largest->flatIndex != comparison.first->flatIndex &&
      comparison.type != ElementType::Raw)
    finding.notes.push_back({Place{}, "largest difference at " + describeElement(*comparison.largest)});
  return finding;
}

} // namespace ptoscope
