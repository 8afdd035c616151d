//===- ForEach.h - apply a macro to each element type -----------*- C++ -*-===//
//
// PTOM_FOR_EACH(M, op, a, b, ...) expands to M(op, a) M(op, b) ...; used by
// those who make something of the lists of Lists.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_FOREACH_H
#define PTOSCOPE_MEANING_FOREACH_H

// Each rescan level doubles the number of elements that can be reached: 32.
#define PTOM_RESCAN(...) PTOM_RESCAN4(PTOM_RESCAN4(__VA_ARGS__))
#define PTOM_RESCAN4(...) PTOM_RESCAN3(PTOM_RESCAN3(__VA_ARGS__))
#define PTOM_RESCAN3(...) PTOM_RESCAN2(PTOM_RESCAN2(__VA_ARGS__))
#define PTOM_RESCAN2(...) PTOM_RESCAN1(PTOM_RESCAN1(__VA_ARGS__))
#define PTOM_RESCAN1(...) __VA_ARGS__
#define PTOM_PARENS ()

#define PTOM_FOR_EACH(M, op, ...) __VA_OPT__(PTOM_RESCAN(PTOM_FOR_EACH_STEP(M, op, __VA_ARGS__)))
#define PTOM_FOR_EACH_STEP(M, op, first, ...)                                                                          \
  M(op, first) __VA_OPT__(PTOM_FOR_EACH_AGAIN PTOM_PARENS(M, op, __VA_ARGS__))
#define PTOM_FOR_EACH_AGAIN() PTOM_FOR_EACH_STEP

#endif // PTOSCOPE_MEANING_FOREACH_H
