//===- Exports.cpp - the meanings as functions of the bitcode -------------===//
//
// Compiled to bitcode, never linked natively. Makes `ptom_<op>_<type>` of every
// line of types in Lanes.h. Always built for x86-64 with AVX-512, whatever the
// host: that is the target where clang passes every group as a plain vector
// value; elsewhere the same source would take pointers.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Meaning/ForEach.h"

#define PTOM_EXPORT1(op, type)                                                                               \
  extern "C" [[gnu::always_inline]] Group<type> ptom_##op##_##type(Group<type> a) { return op<type>(a); }
#define PTOM_EXPORT2(op, type)                                                                               \
  extern "C" [[gnu::always_inline]] Group<type> ptom_##op##_##type(Group<type> a, Group<type> b) {           \
    return op<type>(a, b);                                                                                   \
  }
#define PTOM_UNARY(op, ...) PTOM_FOR_EACH(PTOM_EXPORT1, op, __VA_ARGS__)
#define PTOM_BINARY(op, ...) PTOM_FOR_EACH(PTOM_EXPORT2, op, __VA_ARGS__)

#include "ptoscope/Meaning/Lanes.h"
