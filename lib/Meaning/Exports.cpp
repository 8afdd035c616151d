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

#define PTOM_EXPORT1(op, type)                                                                               \
  PTOM_EXPORT Group<type> ptom_##op##_##type(Group<type> a) { return op<type>(a); }
#define PTOM_EXPORT2(op, type)                                                                               \
  PTOM_EXPORT Group<type> ptom_##op##_##type(Group<type> a, Group<type> b) { return op<type>(a, b); }
#define PTOM_UNARY(op, ...) PTOM_FOR_EACH(PTOM_EXPORT1, op, __VA_ARGS__)
#define PTOM_BINARY(op, ...) PTOM_FOR_EACH(PTOM_EXPORT2, op, __VA_ARGS__)

#define PTOM_EXPORT_LANES(op, type)                                                                          \
  PTOM_EXPORT MaskGroup<type> ptom_##op##_##type(uint64 word) { return op<type>(word); }
#define PTOM_EXPORT_WORD(op, type)                                                                           \
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
#define PTOM_EXPORT_SPLIT(op, parameters, arguments, variant)                                                \
  PTOM_EXPORT auto ptom_##op##_##variant parameters { return op<variant> arguments; }
#define PTOM_FUNCTIONS(op, parameters, arguments, ...)                                                       \
  PTOM_FOR_EACH(PTOM_EXPORT_VARIANT, (op, parameters, arguments), __VA_ARGS__)
#define PTOM_FUNCTION(op, parameters, arguments)                                                             \
  PTOM_EXPORT auto ptom_##op parameters { return op arguments; }

#include "ptoscope/Meaning/Lanes.h"
#include "ptoscope/Meaning/Memory.h"
#include "ptoscope/Meaning/Rearrange.h"
#include "ptoscope/Meaning/Reduce.h"
#include "ptoscope/Meaning/Streams.h"
