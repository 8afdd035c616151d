//===- Exports.cpp - the meanings as functions of the bitcode -------------===//
//
// Compiled to bitcode, never linked natively. Makes `ptom_<op>_<variant>` of
// every list of element types or variants behind the meanings. Always built for
// x86-64 with AVX-512, whatever the host: that is the target where clang passes
// every group as a plain vector value; elsewhere the same source would take
// pointers.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Meaning/ForEach.h"

#define PTOM_EXPORT extern "C" [[gnu::always_inline]]

// The types are those of the meaning.
#define PTOM_RESULT(op, variant) typename Signature<decltype(op<variant>)>::Result
#define PTOM_OPERAND(op, variant, i) typename Signature<decltype(op<variant>)>::template Operand<i>
#define PTOM_EXPORT1(op, variant)                                                                                      \
  PTOM_EXPORT PTOM_RESULT(op, variant) ptom_##op##_##variant(PTOM_OPERAND(op, variant, 0) a) { return op<variant>(a); }
#define PTOM_EXPORT2(op, variant)                                                                                      \
  PTOM_EXPORT PTOM_RESULT(op, variant)                                                                                 \
      ptom_##op##_##variant(PTOM_OPERAND(op, variant, 0) a, PTOM_OPERAND(op, variant, 1) b) {                          \
    return op<variant>(a, b);                                                                                          \
  }
#define PTOM_EXPORT3(op, variant)                                                                                      \
  PTOM_EXPORT PTOM_RESULT(op, variant) ptom_##op##_##variant(                                                          \
      PTOM_OPERAND(op, variant, 0) a, PTOM_OPERAND(op, variant, 1) b, PTOM_OPERAND(op, variant, 2) c) {                \
    return op<variant>(a, b, c);                                                                                       \
  }
#define PTOM_UNARY(op, ...) PTOM_FOR_EACH(PTOM_EXPORT1, op, __VA_ARGS__)
#define PTOM_BINARY(op, ...) PTOM_FOR_EACH(PTOM_EXPORT2, op, __VA_ARGS__)
#define PTOM_TERNARY(op, ...) PTOM_FOR_EACH(PTOM_EXPORT3, op, __VA_ARGS__)

#define PTOM_EXPORT_LANES(op, type)                                                                                    \
  PTOM_EXPORT MaskGroup<type> ptom_##op##_##type(uint64 word) { return op<type>(word); }
#define PTOM_EXPORT_WORD(op, type)                                                                                     \
  PTOM_EXPORT uint64 ptom_##op##_##type(MaskGroup<type> lanes) { return op<type>(lanes); }
#define PTOM_FROM_WORD(op, ...) PTOM_FOR_EACH(PTOM_EXPORT_LANES, op, __VA_ARGS__)
#define PTOM_TO_WORD(op, ...) PTOM_FOR_EACH(PTOM_EXPORT_WORD, op, __VA_ARGS__)

// The result type is that of the meaning: none, a count or an answer.
#pragma clang diagnostic ignored "-Wreturn-type-c-linkage"

// What varies over the list is the variant alone: op, parameters and arguments
// travel as one.
#define PTOM_EXPORT_VARIANT(shape, variant) PTOM_EXPORT_OF(PTOM_SPLIT shape, variant)
#define PTOM_SPLIT(op, parameters, arguments) op, parameters, arguments
#define PTOM_EXPORT_OF(...) PTOM_EXPORT_SPLIT(__VA_ARGS__)
#define PTOM_EXPORT_SPLIT(op, parameters, arguments, variant)                                                          \
  PTOM_EXPORT auto ptom_##op##_##variant parameters { return op<variant> arguments; }
#define PTOM_FUNCTIONS(op, parameters, arguments, ...)                                                                 \
  PTOM_FOR_EACH(PTOM_EXPORT_VARIANT, (op, parameters, arguments), __VA_ARGS__)
#define PTOM_FUNCTION(op, parameters, arguments)                                                                       \
  PTOM_EXPORT auto ptom_##op parameters { return op arguments; }

// Conversions differ in the part more than in anything else: what all parts have
// in common is a function of its own, which the reader inlines.
#define PTOM_VALUES(src, dst, rnd, sat)                                                                                \
  extern "C" [[gnu::noinline]] Results<src, dst> ptom_shared_##src##_##dst##_##rnd##sat(Sources<src, dst> a) {         \
    return convertLanes<src, dst, roundingOf(#rnd), saturates(#sat)>(a);                                               \
  }
#define PTOM_CONVERSION(src, dst, rnd, sat, part)                                                                      \
  PTOM_EXPORT Group<dst> ptom_vcvt_##src##_##dst##_##rnd##sat##part(Group<src> a) {                                    \
    return place<src, dst, partOf(#part)>(ptom_shared_##src##_##dst##_##rnd##sat(take<src, dst, partOf(#part)>(a)));   \
  }
#define PTOM_MORE_VALUES(src, dst, rnd, sat)                                                                           \
  extern "C" [[gnu::noinline]] Results<src, dst> ptom_shared_##src##_##dst##_##rnd##sat(Sources<src, dst> a) {         \
    return convertMore<src, dst, roundingOf(#rnd), saturates(#sat)>(a);                                                \
  }
#define PTOM_TRUNCATION(type, rnd)                                                                                     \
  PTOM_EXPORT Group<type> ptom_vtrc_##type##_##rnd(Group<type> a) { return vtrc<type, roundingOf(#rnd)>(a); }
#define PTOM_FUSED_CONVERSION(op, src, dst)                                                                            \
  PTOM_EXPORT Group<dst> ptom_##op##_##src##_##dst(Group<src> a, Group<src> b) { return op<src, dst>(a, b); }

#include "ptoscope/Meaning/Convert.h"
#include "ptoscope/Meaning/Lanes.h"
#include "ptoscope/Meaning/Memory.h"
#include "ptoscope/Meaning/Rearrange.h"
#include "ptoscope/Meaning/Reduce.h"
#include "ptoscope/Meaning/Sequences.h"
#include "ptoscope/Meaning/Streams.h"
