//===- ElementType.cpp - the table of element types -----------------------===//
//
// One row per type, in the order of the enumeration.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/ElementType.h"

#include <string>

namespace ptoscope {

static constexpr ElementInfo kTypes[] = {
    {ElementType::F16, "f16", 2, ElementClass::Float, 'f', &kF16},
    {ElementType::BF16, "bf16", 2, ElementClass::Float, 'u', &kBF16},
    {ElementType::F32, "f32", 4, ElementClass::Float, 'f', &kF32},
    {ElementType::F64, "f64", 8, ElementClass::Float, 'f'},
    {ElementType::F8E4M3FN, "f8E4M3FN", 1, ElementClass::Float, 'u', &kF8E4M3FN},
    {ElementType::F8E5M2, "f8E5M2", 1, ElementClass::Float, 'u', &kF8E5M2},
    {ElementType::I8, "i8", 1, ElementClass::Signed, 'i'},
    {ElementType::I16, "i16", 2, ElementClass::Signed, 'i'},
    {ElementType::I32, "i32", 4, ElementClass::Signed, 'i'},
    {ElementType::I64, "i64", 8, ElementClass::Signed, 'i'},
    {ElementType::U8, "u8", 1, ElementClass::Unsigned, 'u'},
    {ElementType::U16, "u16", 2, ElementClass::Unsigned, 'u'},
    {ElementType::U32, "u32", 4, ElementClass::Unsigned, 'u'},
    {ElementType::U64, "u64", 8, ElementClass::Unsigned, 'u'},
    {ElementType::Bool, "bool", 1, ElementClass::Unsigned, 'b'},
    {ElementType::Raw, "raw", 0, ElementClass::Raw, 'V'},
};

const ElementInfo &infoOf(ElementType type) { return kTypes[static_cast<size_t>(type)]; }

std::optional<ElementType> parseElementType(std::string_view word) {
  std::string name(word);
  // `si8` is `i8`, `ui8` is `u8`.
  if (name.starts_with("si"))
    name.erase(0, 1);
  else if (name.starts_with("ui"))
    name.erase(1, 1);
  for (const ElementInfo &info : kTypes)
    if (info.name == name && info.type != ElementType::Bool && info.type != ElementType::Raw)
      return info.type;
  return std::nullopt;
}

} // namespace ptoscope
