//===- VmiConversions.cpp - pairs of element types of vmi.vcvt ------------===//
//
// VCVT-1 to VCVT-5. Pairs of integers follow from width and sign; those with
// floats are a table.
//
//===----------------------------------------------------------------------===//

#include "VmiRules.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

namespace {

struct FloatPair {
  StringLiteral from, to;
  VmiConversion conversion;
};

constexpr StringLiteral kToFloat = "RAHZ", kToHif8 = "ARHZ", kToInteger = "RAFCZ";
constexpr VmiConversion kWiden = {"float-widen", "", false};
constexpr VmiConversion kNarrow = {"float-narrow", kToFloat, true};
constexpr VmiConversion kNarrowHif8 = {"float-narrow", kToHif8, true};
constexpr VmiConversion kSigned = {"float-to-signed", kToInteger, true};
constexpr VmiConversion kUnsigned = {"float-to-unsigned", kToInteger, true};

constexpr FloatPair kPairs[] = {
    {"f16", "f32", kWiden},
    {"bf16", "f32", kWiden},
    {"e4m3", "f32", kWiden},
    {"e5m2", "f32", kWiden},
    {"hif8", "f32", kWiden},
    {"e4m3", "f16", kWiden},
    {"e5m2", "f16", kWiden},
    {"hif8", "f16", kWiden},
    {"e4m3", "bf16", kWiden},
    {"e5m2", "bf16", kWiden},
    {"hif8", "bf16", kWiden},
    {"f32", "f16", kNarrow},
    {"f32", "bf16", kNarrow},
    {"f32", "e4m3", kNarrow},
    {"f32", "e5m2", kNarrow},
    {"f32", "hif8", kNarrowHif8},
    {"f16", "hif8", kNarrowHif8},
    {"bf16", "f16", kNarrow},
    {"f32", "si32", kSigned},
    {"f32", "si16", kSigned},
    {"f16", "si16", kSigned},
    {"f16", "si8", kSigned},
    {"bf16", "si32", kSigned},
    {"f16", "si32", {"float-to-signed", kToInteger, false}},
    {"f16", "ui8", kUnsigned},
    {"f16", "i8", kUnsigned},
    {"si32", "f32", {"signed-to-float", "", false}},
    {"bf16x2", "e1m2x2", {"fp4-narrow", kToInteger, false}},
    {"bf16x2", "e2m1x2", {"fp4-narrow", kToInteger, false}},
    {"e1m2x2", "bf16x2", {"fp4-widen", "", false}},
    {"e2m1x2", "bf16x2", {"fp4-widen", "", false}},
};

std::optional<VmiConversion> integerPair(IntegerType from, IntegerType to) {
  if (from.getWidth() == to.getWidth())
    return std::nullopt;
  if (from.getWidth() > to.getWidth())
    return VmiConversion{"int-narrow", "", true};
  if (from.isSigned())
    return to.isSigned() ? VmiConversion{"signed-widen", "", false} : VmiConversion{"mixed-widen", "", false};
  return VmiConversion{"unsigned-widen", "", false};
}

} // namespace

std::optional<VmiConversion> ptoscope::pto::findVmiConversion(Type from, Type to) {
  if (auto source = dyn_cast<IntegerType>(from))
    if (auto result = dyn_cast<IntegerType>(to))
      return integerPair(source, result);
  std::string source = vmiElementName(from), result = vmiElementName(to);
  for (const FloatPair &pair : kPairs)
    if (pair.from == source && pair.to == result)
      return pair.conversion;
  return std::nullopt;
}

LogicalResult vmi::checkConversion(VmiOp op, StringRef label) {
  auto vector = [&](Value value) { return cast<VmiVRegType>(value.getType()); };
  VmiVRegType from = vector(op->getOperand(0)), to = vector(op->getResult(0));
  if (label == "VCVT-4") {
    if (from.getBytes() == to.getBytes())
      return success();
    return breaks(op, label) << from << " has " << from.getBytes() << " bytes, " << to << " has " << to.getBytes();
  }
  std::optional<VmiConversion> pair = findVmiConversion(from.getElement(), to.getElement());
  if (label == "VCVT-1") {
    if (pair)
      return success();
    InFlightDiagnostic diag = breaks(op, label);
    diag << "there is no conversion from " << from.getElement() << " to " << to.getElement();
    SmallVector<StringRef> others;
    for (const FloatPair &row : kPairs)
      if (row.from == vmiElementName(from.getElement()))
        others.push_back(row.to);
    if (!others.empty())
      diag << "; among others, " << from.getElement() << " converts to " << llvm::join(others, ", ");
    return diag;
  }
  bool rounding = label == "VCVT-2";
  auto word = op->getAttrOfType<StringAttr>(rounding ? "rounding" : "saturate");
  auto wrong = [&] {
    InFlightDiagnostic diag = breaks(op, label);
    diag << "from " << from.getElement() << " to " << to.getElement() << " `" << (rounding ? "rounding" : "saturate");
    return diag;
  };
  if (rounding ? pair->roundings.empty() : !pair->saturates) {
    if (!word)
      return success();
    return wrong() << "` is not allowed, but it is " << word;
  }
  if (rounding) {
    if (!word || (word.size() == 1 && pair->roundings.contains(word.getValue())))
      return success();
    SmallVector<std::string> letters;
    for (char letter : pair->roundings)
      letters.push_back(std::string(1, letter));
    return wrong() << "` is " << llvm::join(letters, ", ") << ", not " << word;
  }
  if (!word || (word.getValue() != "SAT" && word.getValue() != "NOSAT")) {
    InFlightDiagnostic diag = wrong();
    diag << "` must be \"SAT\" or \"NOSAT\"";
    if (word)
      diag << ", not " << word;
    return diag;
  }
  bool refused =
      from.getElement().isSignedInteger(32) && to.getElement().isSignedInteger(8) && word.getValue() == "SAT";
  return refused ? LogicalResult(wrong() << "` must be \"NOSAT\"; convert to si16 with \"SAT\" first") : success();
}
