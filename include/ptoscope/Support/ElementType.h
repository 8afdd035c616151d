//===- ElementType.h - element types of buffers -----------------*- C++ -*-===//
//
// The types a GM buffer's elements can have: their names in programs and on the
// command line, their width, and the NumPy dtype they are stored as. NumPy has
// no bf16 and no fp8: those are stored as unsigned integers of the same width.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_ELEMENTTYPE_H
#define PTOSCOPE_SUPPORT_ELEMENTTYPE_H

#include "ptoscope/Support/Half.h"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ptoscope {

enum class ElementType : uint8_t {
  F16,
  BF16,
  F32,
  F64,
  F8E4M3FN,
  F8E5M2,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  Bool,
  Raw, ///< bytes without a meaning, of any width (NumPy's `V`)
};

enum class ElementClass : uint8_t { Float, Signed, Unsigned, Raw };

struct ElementInfo {
  ElementType type;
  std::string_view name; ///< as programs write it; "u8" for unsigned
  uint32_t bytes;        ///< 0 for Raw: the array says
  ElementClass kind;
  char numpyKind;                      ///< 'f', 'i', 'u', 'b' or 'V'
  const FloatFormat *format = nullptr; ///< of float types of at most 32 bits
};

const ElementInfo &infoOf(ElementType type);
inline const FloatFormat *formatOf(ElementType type) { return infoOf(type).format; }

/// "f32", "bf16", "i8", "si8", "ui8", "u8", "f8E4M3FN" … Signless `i8` is int8.
/// Nothing for other words; Bool and Raw have no word.
std::optional<ElementType> parseElementType(std::string_view word);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_ELEMENTTYPE_H
