//===- Lists.h - the lists behind lane-wise meanings ------------*- C++ -*-===//
//
// After each lane-wise meaning stands the list of what it is defined for: its
// element types, or variants, which are types that also say which of several
// results is meant (u32_mask, f16_f32_EVEN). A list is a macro that the
// includer may define first: the bitcode source makes exported functions
// `ptom_<op>_<variant>` of it, the tests make test cases; otherwise it is
// nothing. The macros differ in the number of operands alone; what each operand
// is follows from the function.
//
//   PTOM_UNARY(op, variants...)     op<Variant>(a)
//   PTOM_BINARY(op, variants...)    op<Variant>(a, b)
//   PTOM_TERNARY(op, variants...)   op<Variant>(a, b, c)
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_LISTS_H
#define PTOSCOPE_MEANING_LISTS_H

#include "ptoscope/Meaning/Vec.h"

#ifndef PTOM_UNARY
#define PTOM_UNARY(op, ...)
#endif
#ifndef PTOM_BINARY
#define PTOM_BINARY(op, ...)
#endif
#ifndef PTOM_TERNARY
#define PTOM_TERNARY(op, ...)
#endif

#define PTOM_INT32 i8, i16, i32, u8, u16, u32
#define PTOM_INT64 i8, i16, i32, i64, u8, u16, u32, u64
#define PTOM_BITS b8, b16, b32, b64

namespace ptoscope::meaning {

/// Element type of the operands of a variant: its member `Operand`, or itself.
template <typename V> struct OperandOfVariant {
  using Type = V;
};
template <typename V>
  requires requires { typename V::Operand; }
struct OperandOfVariant<V> {
  using Type = typename V::Operand;
};
template <typename V> using OperandOf = typename OperandOfVariant<V>::Type;

/// Types of a meaning: Signature<decltype(vadds<f32>)>.
template <typename Function> struct Signature;
template <typename R, typename... P> struct Signature<R(P...)> {
  using Result = R;
  template <int I> using Operand = __type_pack_element<I, P...>;
};

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_LISTS_H
