//===- GeneratorTest.cpp - arrays made from a word ------------------------===//
//
// Values against the published SplitMix64 sequence and plain arithmetic; every
// malformed word with its exact message.
//
//===----------------------------------------------------------------------===//

#include "Samples.h"
#include "ptoscope/Support/Array.h"

#include <cmath>
#include <cstring>

using namespace ptoscope;

namespace {

template <typename T> std::vector<T> elements(const std::string &word) {
  Result<Array> array = generateArray(word);
  if (!array) {
    ADD_FAILURE() << array.finding().message;
    return {};
  }
  EXPECT_EQ(array->itemBytes, sizeof(T));
  std::vector<T> values(array->elements());
  if (!values.empty())
    std::memcpy(values.data(), array->bytes.data(), array->bytes.size());
  return values;
}

std::string refusal(const std::string &word) {
  Result<Array> array = generateArray(word);
  if (array)
    return "accepted";
  EXPECT_EQ(array.finding().code, "usage");
  std::string start = "`" + word.substr(0, 80) + "`: ";
  EXPECT_TRUE(array.finding().message.starts_with(start)) << array.finding().message;
  return array.finding().message.substr(start.size());
}

TEST(Generator, Zeros) {
  Result<Array> array = generateArray("zeros:f16:4x8");
  ASSERT_TRUE(array);
  EXPECT_EQ(array->type, ElementType::F16);
  EXPECT_EQ(array->shape, (std::vector<uint64_t>{4, 8}));
  EXPECT_EQ(array->bytes.size(), 64u);
  EXPECT_TRUE(std::ranges::all_of(array->bytes.span(), [](uint8_t byte) { return byte == 0; }));
  EXPECT_EQ(elements<uint8_t>("zeros:u8:0").size(), 0u);
}

TEST(Generator, Iota) {
  EXPECT_EQ(elements<float>("iota:f32:4"), (std::vector<float>{0, 1, 2, 3}));
  EXPECT_EQ(elements<double>("iota:f64:2x2"), (std::vector<double>{0, 1, 2, 3}));
  EXPECT_EQ(elements<int64_t>("iota:i64:3"), (std::vector<int64_t>{0, 1, 2}));
  std::vector<uint8_t> bytes = elements<uint8_t>("iota:ui8:300");
  EXPECT_EQ(bytes[255], 255);
  EXPECT_EQ(bytes[256], 0); // integers wrap around
  EXPECT_EQ(elements<int8_t>("iota:si8:300")[200], int8_t(200 - 256));
  EXPECT_EQ(elements<uint16_t>("iota:f16:4"), (std::vector<uint16_t>{0, 0x3c00, 0x4000, 0x4200}));
  EXPECT_EQ(elements<uint16_t>("iota:bf16:4"), (std::vector<uint16_t>{0, 0x3f80, 0x4000, 0x4040}));
  EXPECT_EQ(elements<uint16_t>("iota:f16:2052")[2049], 0x6800); // 2049 rounds to 2048
  EXPECT_EQ(elements<uint16_t>("iota:f16:65520").back(), 0x7bff);
  EXPECT_EQ(refusal("iota:f16:65521"), "f16 cannot count to 65520; its largest number is 65504");
  EXPECT_EQ(refusal("iota:f8E4M3FN:500"), "f8E4M3FN cannot count to 499; its largest number is 448");
}

TEST(Generator, RandomBelowALimit) {
  EXPECT_EQ(elements<int32_t>("random:i32:3:1234567:10"),
            (std::vector<int32_t>{6457827717110365317u % 10, 3203168211198807973u % 10, 9817491932198370423u % 10}));
  EXPECT_EQ(elements<uint8_t>("random:u8:2:1:1"), (std::vector<uint8_t>{0, 0}));
  EXPECT_EQ(elements<int8_t>("random:i8:1:1234567:128"), (std::vector<int8_t>{6457827717110365317u % 128}));
  EXPECT_EQ(refusal("random:i8:1:1:129"), "the value `128` is outside the range of i8, -128 to 127");
  EXPECT_EQ(refusal("random:i8:1:1:0"), "the limit `0` is not a number from 1 on");
  EXPECT_EQ(refusal("random:i8:1:1:-1"), "the limit `-1` is not a number from 1 on");
  EXPECT_EQ(refusal("random:f32:1:1:2"), "random floats have no limit");
  EXPECT_EQ(refusal("random:i8:1:1:2:3"), "it has 6 parts, expected 4: `random:TYPE:SHAPE:SEED`");
  EXPECT_EQ(refusal("fill:i8:1:1:2"), "it has 5 parts, expected 4: `fill:TYPE:SHAPE:VALUE`");
}

TEST(Generator, RandomIsSplitMix64) {
  // The first outputs of the published generator for seed 1234567.
  EXPECT_EQ(elements<uint64_t>("random:u64:5:1234567"),
            (std::vector<uint64_t>{6457827717110365317u, 3203168211198807973u, 9817491932198370423u,
                                   4593380528125082431u, 16408922859458223821u}));
  EXPECT_EQ(elements<uint8_t>("random:u8:3:1234567"),
            (std::vector<uint8_t>{uint8_t(6457827717110365317u >> 56), uint8_t(3203168211198807973u >> 56),
                                  uint8_t(9817491932198370423u >> 56)}));
  EXPECT_EQ(elements<int32_t>("random:i32:1:1234567")[0], int32_t(6457827717110365317u >> 32));
  // f32: 24 bits of precision, so 25 bits of the output.
  EXPECT_EQ(elements<float>("random:f32:1:1234567")[0],
            float((double(6457827717110365317u >> 39) - 16777216.0) / 16777216.0));
}

TEST(Generator, RandomFloatsAreUniform) {
  for (const char *type : {"f16", "bf16", "f32", "f64", "f8E4M3FN", "f8E5M2"}) {
    SCOPED_TRACE(type);
    Result<Array> array = generateArray(std::string("random:") + type + ":100000:42");
    ASSERT_TRUE(array);
    double sum = 0, squares = 0, least = 9, most = -9;
    for (uint64_t i = 0; i < array->elements(); ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, array->bytes.data() + i * array->itemBytes, array->itemBytes);
      const FloatFormat *format = formatOf(array->type);
      double value = format ? decodeFloat(*format, uint32_t(bits)) : std::bit_cast<double>(bits);
      sum += value;
      squares += value * value;
      least = std::min(least, value);
      most = std::max(most, value);
    }
    EXPECT_GE(least, -1.0);
    EXPECT_LT(most, 1.0);
    // The mean is half a step below 0 by construction; fp8 has large steps.
    EXPECT_NEAR(sum / 1e5, 0.0, 0.08);
    EXPECT_NEAR(squares / 1e5, 1.0 / 3, 0.03);
  }
}

TEST(Generator, RandomDependsOnSeedOnly) {
  EXPECT_EQ(elements<float>("random:f32:64:7"), elements<float>("random:f32:8x8:7"));
  EXPECT_NE(elements<float>("random:f32:64:7"), elements<float>("random:f32:64:8"));
  std::vector<float> longer = elements<float>("random:f32:1024:7");
  longer.resize(64);
  EXPECT_EQ(longer, elements<float>("random:f32:64:7"));
}

TEST(Generator, Fill) {
  EXPECT_EQ(elements<float>("fill:f32:2:-0.1"), (std::vector<float>{-0.1f, -0.1f}));
  EXPECT_EQ(elements<float>("fill:f32:1:1e-3")[0], 1e-3f);
  EXPECT_EQ(elements<float>("fill:f32:1:0x1.8p1")[0], 3.0f);
  EXPECT_EQ(elements<float>("fill:f32:1:+inf")[0], INFINITY);
  EXPECT_EQ(elements<uint32_t>("fill:f32:1:nan")[0], 0x7fc00000u);
  EXPECT_EQ(elements<uint32_t>("fill:f32:1:-0.0")[0], 0x80000000u);
  EXPECT_EQ(elements<uint16_t>("fill:f16:2:65504"), (std::vector<uint16_t>{0x7bff, 0x7bff}));
  EXPECT_EQ(elements<uint16_t>("fill:f16:1:nan")[0], 0x7e00);
  EXPECT_EQ(elements<uint16_t>("fill:bf16:1:nan")[0], 0x7fc0);
  EXPECT_EQ(elements<uint8_t>("fill:f8E4M3FN:1:448")[0], 0x7e);
  EXPECT_EQ(elements<double>("fill:f64:1:1e300")[0], 1e300);
  EXPECT_EQ(elements<int8_t>("fill:i8:3:-128"), (std::vector<int8_t>{-128, -128, -128}));
  EXPECT_EQ(elements<uint8_t>("fill:u8:1:0xff")[0], 255);
  EXPECT_EQ(elements<int64_t>("fill:i64:1:-9223372036854775808")[0], INT64_MIN);
  EXPECT_EQ(elements<uint64_t>("fill:u64:1:18446744073709551615")[0], UINT64_MAX);
  EXPECT_EQ(elements<uint32_t>("fill:u32:1:-0")[0], 0u);
}

TEST(Generator, FillValuesMustFit) {
  EXPECT_EQ(refusal("fill:i8:4:128"), "the value `128` is outside the range of i8, -128 to 127");
  EXPECT_EQ(refusal("fill:i8:4:-129"), "the value `-129` is outside the range of i8, -128 to 127");
  EXPECT_EQ(refusal("fill:u8:4:-1"), "the value `-1` is outside the range of u8, 0 to 255");
  EXPECT_EQ(refusal("fill:u64:4:18446744073709551616"),
            "the value `18446744073709551616` is outside the range of u64, 0 to 18446744073709551615");
  EXPECT_EQ(refusal("fill:i64:4:9223372036854775808"),
            "the value `9223372036854775808` is outside the range of i64, -9223372036854775808 to "
            "9223372036854775807");
  EXPECT_EQ(refusal("fill:i32:4:1.5"), "the value `1.5` is not an integer");
  EXPECT_EQ(refusal("fill:i32:4:"), "the value `` is not an integer");
  EXPECT_EQ(refusal("fill:i32:4:--1"), "the value `--1` is not an integer");
  EXPECT_EQ(refusal("fill:i32:4:0x"), "the value `0x` is not an integer");
  EXPECT_EQ(refusal("fill:f16:4:65520"), "the value `65520` is outside the range of f16");
  EXPECT_EQ(refusal("fill:f32:4:1e39"), "the value `1e39` is outside the range of f32");
  EXPECT_EQ(refusal("fill:f64:4:1e999"), "the value `1e999` is outside the range of f64");
  EXPECT_EQ(refusal("fill:f8E4M3FN:4:inf"), "the value `inf` is outside the range of f8E4M3FN");
  for (const char *bad : {"", "x", "1.0f", "--1", "+-1", "1 ", " 1", "nan(1)", "0x"})
    EXPECT_EQ(refusal(std::string("fill:f32:4:") + bad), "the value `" + std::string(bad) + "` is not a number");
}

TEST(Generator, MalformedWords) {
  EXPECT_EQ(refusal("zeros:f32"), "it has 2 parts, expected 3: `zeros:TYPE:SHAPE`");
  EXPECT_EQ(refusal("zeros:f32:4:1"), "it has 4 parts, expected 3: `zeros:TYPE:SHAPE`");
  EXPECT_EQ(refusal("random:f32:4"), "it has 3 parts, expected 4: `random:TYPE:SHAPE:SEED`");
  EXPECT_EQ(refusal("ones:f32:4"), "no generator is called `ones`; there are `zeros`, `iota`, `random` and `fill`");
  EXPECT_EQ(refusal("zeros:float:4"),
            "`float` is not an element type; there are f16 bf16 f32 f64 f8E4M3FN f8E5M2, and i, si, u or ui with 8, "
            "16, 32 or 64");
  for (const char *shape : {"", "x", "4x", "x4", "4xx4", "-4", "4 ", "4.0", "18446744073709551616", "1e3"})
    EXPECT_EQ(refusal("zeros:f32:" + std::string(shape)),
              "`" + std::string(shape) + "` is not a shape; write `1024` or `32x32`");
  EXPECT_EQ(refusal("random:f32:4:-1"), "the seed `-1` is not a number from 0 to 18446744073709551615");
  EXPECT_EQ(refusal("random:f32:4:"), "the seed `` is not a number from 0 to 18446744073709551615");
  std::string tooLarge = "the array would be larger than the limit of 1099511627776 bytes";
  EXPECT_EQ(refusal("zeros:f32:1000000000000"), tooLarge);
  EXPECT_EQ(refusal("zeros:f32:4294967296x4294967296"), tooLarge);
  EXPECT_EQ(refusal("zeros:u64:18446744073709551615"), tooLarge);
}

TEST(Generator, WordsAreTold) {
  EXPECT_TRUE(isGeneratorWord("zeros:f32:4"));
  EXPECT_TRUE(isGeneratorWord("fill:"));
  EXPECT_FALSE(isGeneratorWord("zeros"));
  EXPECT_FALSE(isGeneratorWord("data/zeros:f32:4"));
  EXPECT_FALSE(isGeneratorWord("ones:f32:4"));
  EXPECT_FALSE(isGeneratorWord("x.npy"));
  EXPECT_FALSE(isGeneratorWord(""));
}

} // namespace
