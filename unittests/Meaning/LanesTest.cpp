//===- LanesTest.cpp - every meaning against the plain model --------------===//
//
// Makes one test per instruction and variant of Lanes.h. Inputs: all of them for
// 8-bit pairs and 16-bit unary instructions; otherwise the cross product of
// special values, and random bits. Scalars are the same in all lanes of a group.
//
// A meaning that Reference.h does not model is skipped, visibly: the run test of
// its instruction, which every instruction has (test/Inputs/coverage.py), holds
// the model then.
//
//===----------------------------------------------------------------------===//

#define PTOM_TEST(op, variant)                                                                                         \
  TEST(op, variant) {                                                                                                  \
    /* Found by the type of the question, in namespace reference. */                                                   \
    auto model = [](auto... x)                                                                                         \
      requires requires { op(x...); }                                                                                  \
    { return op(x...); };                                                                                              \
    checkAgainst<variant>(                                                                                             \
        #op, static_cast<decltype(&op<variant>)>(nullptr), [](auto... x) { return op<variant>(x...); }, model);        \
  }
#define PTOM_UNARY(op, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_BINARY(op, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_TERNARY(op, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)

#include "Reference.h"
#include "ptoscope/Meaning/ForEach.h"
#include "ptoscope/Meaning/Lists.h"

#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <random>
#include <sstream>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

namespace ptoscope::meaning {

using reference::Bits;
/// Up to three operands.
using Inputs = std::vector<std::array<Bits, 3>>;

//===----------------------------------------------------------------------===//
// Types as the model knows them
//===----------------------------------------------------------------------===//

template <typename T> constexpr reference::Type kType = {int(sizeof(typename T::Elem)) * 8, kIsSigned<T>};
template <> constexpr reference::Type kType<f16> = {16, true, 10};
template <> constexpr reference::Type kType<bf16> = {16, true, 7};
template <> constexpr reference::Type kType<f32> = {32, true, 23};

template <typename V>
concept MixedVariant = requires { typename V::Result; };
template <typename V>
concept SecondResult = requires { typename V::Operand; } && !MixedVariant<V>;

/// What the model is asked for: picks its overload.
template <typename V> constexpr auto kQuestion = kType<OperandOf<V>>;
template <MixedVariant V>
constexpr reference::Mixed kQuestion<V> = {kType<typename V::Operand>, kType<typename V::Result>};
template <SecondResult V> constexpr reference::Second kQuestion<V> = {kType<typename V::Operand>};

/// Element type of the result, where that is of the same kind as the operands.
template <typename V> struct ResultOf {
  using Type = OperandOf<V>;
};
template <MixedVariant V> struct ResultOf<V> {
  using Type = typename V::Result;
};

//===----------------------------------------------------------------------===//
// Inputs
//===----------------------------------------------------------------------===//

/// Edges of every kind: for floats zeros, denormals, powers of two and their
/// neighbours, infinities, quiet and signalling NaNs, both signs.
static std::vector<Bits> specialValues(reference::Type t) {
  std::vector<Bits> values;
  if (t.isFloat()) {
    Bits half = Bits(1) << (t.fraction - 1);
    int top = t.exponentMax(), bias = t.bias();
    for (int exponent : {0, 1, 2, bias - t.fraction - 1, bias - 1, bias, bias + 1, bias + t.fraction, top - 1, top})
      for (Bits fraction : {Bits(0), Bits(1), half - 1, half, half + 1, 2 * half - 1})
        for (Bits sign : {Bits(0), t.sign()})
          values.push_back(sign | Bits(exponent) << t.fraction | fraction);
  } else {
    for (int shift = 0; shift < t.width; ++shift)
      for (int step = -1; step <= 1; ++step) {
        values.push_back(((Bits(1) << shift) + Bits(step)) & t.mask());
        values.push_back((0 - (Bits(1) << shift) + Bits(step)) & t.mask());
      }
    values.push_back(0x5555555555555555 & t.mask());
    values.push_back(0xAAAAAAAAAAAAAAAA & t.mask());
  }
  // Whole groups, so that each meets each even where one is a scalar.
  for (size_t i = 0; values.size() % kGroupBytes; ++i)
    values.push_back(values[i]);
  return values;
}

static Inputs unaryInputs(reference::Type t) {
  Inputs inputs;
  if (t.width <= 16) {
    for (Bits a = 0; a <= t.mask(); ++a)
      inputs.push_back({a});
    return inputs;
  }
  for (Bits a : specialValues(t))
    inputs.push_back({a});
  std::mt19937_64 random(t.width);
  for (int i = 0; i < 1 << 17; ++i)
    inputs.push_back({random() & t.mask()});
  return inputs;
}

/// Raw bits, and for floats often a pair of similar size, since sums of lanes
/// far apart are the larger one.
static Inputs binaryInputs(reference::Type t) {
  Inputs inputs;
  if (t.width == 8) {
    for (Bits b = 0; b < 256; ++b)
      for (Bits a = 0; a < 256; ++a)
        inputs.push_back({a, b});
    return inputs;
  }
  std::vector<Bits> values = specialValues(t);
  for (Bits b : values)
    for (Bits a : values)
      inputs.push_back({a, b});
  std::mt19937_64 random(t.width + t.fraction);
  for (int i = 0; i < 1 << 17; ++i) {
    Bits a = random() & t.mask(), b = random() & t.mask();
    if (t.isFloat() && i % 2) {
      Bits fraction = (Bits(1) << t.fraction) - 1;
      Bits step = Bits(i / 2 % 5) << t.fraction;
      b = (b & (fraction | t.sign())) | ((a + step) & ~(fraction | t.sign()) & t.mask());
    }
    inputs.push_back({a, b});
  }
  return inputs;
}

/// For floats the hard sums of a product: one operand is often near the negated
/// product of the others, or a tie away from it, or as far below as fits.
static Inputs ternaryInputs(reference::Type t) {
  Inputs inputs;
  std::vector<Bits> values = specialValues(t);
  std::mt19937_64 random(t.width + t.fraction);
  auto special = [&] { return values[random() % values.size()]; };
  for (int i = 0; i < 1 << 18; ++i)
    inputs.push_back({special(), special(), special()});
  Bits shared = 0;
  for (int i = 0; i < 1 << 18; ++i) {
    Bits a = random() & t.mask(), b = random() & t.mask(), c = random() & t.mask();
    if (i % 64 == 0)
      shared = i % 128 ? special() : b;
    if (i / 128 % 2)
      b = shared; // as it is in all lanes where it is a scalar
    if (t.isFloat() && i / 256 % 2) {
      double product = reference::toDouble(t, a) * reference::toDouble(t, b);
      int scale = i % 4 ? 0 : int(random() % 80) - 40;
      c = reference::fromReal(t, std::ldexp(i % 2 ? product : -product, scale));
      c = (c + random() % 5 - 2) & t.mask();
    }
    switch (i / 512 % 3) {
    case 0:
      inputs.push_back({a, b, c});
      break;
    case 1:
      inputs.push_back({c, a, b});
      break;
    case 2:
      inputs.push_back({a, c, b});
      break;
    }
  }
  return inputs;
}

//===----------------------------------------------------------------------===//
// Comparison
//===----------------------------------------------------------------------===//

using Bytes = std::array<uint8_t, kGroupBytes>;

struct Operand {
  enum Kind { Lanes, MaskLanes, Scalar } kind;
  int bytes; ///< of a lane or of the scalar
};

/// An instruction on memory, and one lane of it as the model has it.
struct Instruction {
  reference::Type type;
  std::vector<Operand> operands;
  int resultBytes;             ///< of a lane
  bool canonical;              ///< NaNs are compared after they are made canonical
  reference::Type resultType;  ///< where canonical
  int firstLane = 0, step = 1; ///< lane i depends on lane first + step * i
  void (*run)(const std::array<Bytes, 3> &operands, Bytes &result);
  Bits (*model)(const std::array<Bits, 3> &lanes);
};

template <typename T, typename P> static Operand operandOf() {
  if constexpr (std::is_arithmetic_v<P> || std::is_same_v<P, _Float16>)
    return {Operand::Scalar, int(sizeof(P))};
  else
    return {std::is_same_v<P, Group<T>> ? Operand::Lanes : Operand::MaskLanes, int(sizeof(typename Shape<P>::Elem))};
}

template <typename P> static P read(const Bytes &bytes) {
  P value;
  std::memcpy(&value, bytes.data(), sizeof(value));
  return value;
}

/// Arithmetic may return any NaN; what acts on bits is compared as it is.
static bool actsOnBits(std::string_view op) { return op == "vabs" || op == "vneg" || op == "canon"; }

template <typename V, typename Fn, typename Model, typename R, typename... P>
static Instruction describe(std::string_view op, R (*)(P...), Fn, Model) {
  using T = OperandOf<V>;
  using ResultType = typename ResultOf<V>::Type;
  Instruction result;
  result.type = kType<T>;
  result.operands = {operandOf<T, P>()...};
  result.resultBytes = sizeof(typename Shape<R>::Elem);
  result.canonical = kIsFloat<ResultType> && std::is_same_v<R, Group<ResultType>> && !actsOnBits(op);
  result.resultType = kType<ResultType>;
  if constexpr (MixedVariant<V>) {
    result.firstLane = V::kFirst;
    result.step = V::kStep;
  }
  result.run = [](const std::array<Bytes, 3> &operands, Bytes &bytes) {
    int k = 0;
    // Braces: operands are read from left to right.
    R lanes = std::apply(Fn(), std::tuple<P...>{read<P>(operands[k++])...});
    std::memcpy(bytes.data(), &lanes, sizeof(lanes));
  };
  result.model = [](const std::array<Bits, 3> &x) -> Bits {
    if constexpr (sizeof...(P) == 1)
      return Model()(kQuestion<V>, x[0]);
    else if constexpr (sizeof...(P) == 2)
      return Model()(kQuestion<V>, x[0], x[1]);
    else
      return Model()(kQuestion<V>, x[0], x[1], x[2]);
  };
  return result;
}

/// Makes the inputs of a group what the instruction takes: a scalar is the same for
/// all lanes, lanes of a mask are 0 or -1.
static Bytes pack(const Operand &operand, std::array<Bits, 3> *inputs, int k, int lanes) {
  Bytes bytes = {};
  Bits mask = ~Bits(0) >> (64 - 8 * operand.bytes);
  for (int i = 0; i < lanes; ++i) {
    Bits &bits = inputs[i][k];
    if (operand.kind == Operand::MaskLanes)
      bits = bits & 1 ? mask : 0;
    if (operand.kind == Operand::Scalar)
      bits = inputs[0][k] & mask;
    else
      std::memcpy(bytes.data() + i * operand.bytes, &bits, operand.bytes);
  }
  if (operand.kind == Operand::Scalar)
    std::memcpy(bytes.data(), &inputs[0][k], operand.bytes);
  return bytes;
}

/// Runs whole groups; the inputs are padded with zeros. Stops at the first group
/// that differs.
static void check(const Instruction &instruction) {
  size_t count = instruction.operands.size();
  Inputs inputs = count == 1   ? unaryInputs(instruction.type)
                  : count == 2 ? binaryInputs(instruction.type)
                               : ternaryInputs(instruction.type);
  int lanes = kGroupBytes * 8 / instruction.type.width;
  inputs.resize((inputs.size() + lanes - 1) / lanes * lanes);
  for (size_t first = 0; first < inputs.size(); first += lanes) {
    std::array<Bytes, 3> operands;
    for (size_t k = 0; k < count; ++k)
      operands[k] = pack(instruction.operands[k], &inputs[first], int(k), lanes);
    Bytes result;
    instruction.run(operands, result);
    bool same = true;
    for (int i = 0; i < kGroupBytes / instruction.resultBytes; ++i) {
      const std::array<Bits, 3> &input = inputs[first + instruction.firstLane + instruction.step * i];
      Bits bits = 0, expected = instruction.model(input);
      std::memcpy(&bits, result.data() + i * instruction.resultBytes, instruction.resultBytes);
      if (instruction.canonical && instruction.resultType.isNaN(bits))
        bits = instruction.resultType.quietNaN();
      if (bits == expected)
        continue;
      same = false;
      std::ostringstream text;
      text << std::hex << "0x" << bits << " instead of 0x" << expected << " of";
      for (size_t k = 0; k < count; ++k)
        text << " 0x" << input[k];
      ADD_FAILURE() << text.str();
    }
    ASSERT_TRUE(same) << "first group that differs starts at input " << first;
  }
}

template <typename V, typename Fn, typename Model, typename R, typename... P>
static void checkAgainst(std::string_view op, R (*function)(P...), Fn fn, Model model) {
  if constexpr (std::is_invocable_v<Model, decltype(kQuestion<V>), std::conditional_t<true, Bits, P>...>)
    check(describe<V>(op, function, fn, model));
  else
    GTEST_SKIP() << "modelled by test/Ops/" << op << ".test alone";
}

} // namespace ptoscope::meaning

#include "ptoscope/Meaning/Lanes.h"
