//===- Ops.h - operations that several families share -----------*- C++ -*-===//
//
// An operation: the element types it has, and run<T> on groups. Floats leave
// arithmetic with one NaN; operations on signs and bits keep what they find.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_KERNELS_OPS_H
#define PTOSCOPE_LIB_TILE_KERNELS_OPS_H

#include "Lines.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

using namespace lanes;

/// Raw groups have NaNs as they come, run is what leaves. LEAVES: whether there is a difference.
#define PTOSCOPE_OP(NAME, TYPES, LEAVES, PARAMETERS, ...)                                                              \
  struct NAME {                                                                                                        \
    using Elems = TYPES;                                                                                               \
    template <typename T> static constexpr bool kLeaves = LEAVES && kIsFloat<T>;                                       \
    template <typename T> PTOM_INLINE static Group<T> raw PARAMETERS { return __VA_ARGS__; }                           \
    template <typename T, typename... Args> PTOM_INLINE static Group<T> run(Args... args) {                            \
      if constexpr (kLeaves<T>)                                                                                        \
        return canon<T>(raw<T>(args...));                                                                              \
      else                                                                                                             \
        return raw<T>(args...);                                                                                        \
    }                                                                                                                  \
  };
#define SIGN_OP(NAME, TYPES, ...) PTOSCOPE_OP(NAME, TYPES, false, (Group<T> a), __VA_ARGS__)
#define UNARY_OP(NAME, TYPES, ...) PTOSCOPE_OP(NAME, TYPES, true, (Group<T> a), __VA_ARGS__)
#define BINARY_OP(NAME, TYPES, ...) PTOSCOPE_OP(NAME, TYPES, true, (Group<T> a, Group<T> b), __VA_ARGS__)
#define TERNARY_OP(NAME, TYPES, ...) PTOSCOPE_OP(NAME, TYPES, true, (Group<T> a, Group<T> b, Group<T> c), __VA_ARGS__)

BINARY_OP(AddOp, ArithmeticTypes, vadd<T>(a, b))
BINARY_OP(SubOp, ArithmeticTypes, vsub<T>(a, b))
BINARY_OP(MulOp, ArithmeticTypes, vmul<T>(a, b))
BINARY_OP(MaxOp, ArithmeticTypes, vmax<T>(a, b))
BINARY_OP(MinOp, ArithmeticTypes, vmin<T>(a, b))

/// The meaning NAME: OP on arguments from tile(i), scalar(i), perRow(i) or perColumn(i). MAP_EITHER: in one of two
/// orders, mode 0 or 1.
#define PTOSCOPE_BARE(...) __VA_ARGS__
#define MAP(NAME, OP, ...)                                                                                             \
  void NAME(const Operands &ops) { mapTiles<OP>(ops, Inputs<__VA_ARGS__>()); }
/// With an operation for each of C++ and text.
#define MAP_RULES(NAME, CPP, TEXT, ...)                                                                                \
  void NAME(const Operands &ops) {                                                                                     \
    if (ops.isText())                                                                                                  \
      mapTiles<TEXT>(ops, Inputs<__VA_ARGS__>());                                                                      \
    else                                                                                                               \
      mapTiles<CPP>(ops, Inputs<__VA_ARGS__>());                                                                       \
  }
#define MAP_EITHER(NAME, OP, FIRST, SECOND)                                                                            \
  void NAME(const Operands &ops) {                                                                                     \
    if (ops.mode == 0)                                                                                                 \
      mapTiles<OP>(ops, Inputs<PTOSCOPE_BARE FIRST>());                                                                \
    else                                                                                                               \
      mapTiles<OP>(ops, Inputs<PTOSCOPE_BARE SECOND>());                                                               \
  }

} // namespace ptoscope::tile::PTOSCOPE_LEVEL

#endif // PTOSCOPE_LIB_TILE_KERNELS_OPS_H
