//===- Sequences.h - meanings of vectors of any length ----------*- C++ -*-===//
//
// What vectors of any length have besides the meanings of micro instructions: a
// lookup in a sequence in memory, and roundings of conversions (VTO-1, VTO-3).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_SEQUENCES_H
#define PTOSCOPE_MEANING_SEQUENCES_H

#include "ptoscope/Meaning/Convert.h"
#include "ptoscope/Meaning/Register.h"

#ifndef PTOM_MORE_VALUES
#define PTOM_MORE_VALUES(src, dst, rnd, sat)
#endif

namespace ptoscope::meaning {

/// r[i] = v[index[i]]. An index that names no lane is an error; it reads lane 0.
template <typename T> PTOM_MEMORY void lookup(void *__restrict r, const void *v, const void *index, int64 lanes) {
  PTOM_LANE_LOOP
  for (int i = 0; i < lanes; ++i) {
    typename T::Bits lane = loadLane<T>(index, i);
    storeLane<T>(r, i, loadLane<T>(v, int64(lane) < lanes ? int(lane) : 0));
  }
}
PTOM_FUNCTIONS(lookup, (void *r, const void *v, const void *index, int64 lanes), (r, v, index, lanes), b8, b16, b32)

/// The nearest number that hif8 has, ties to even, or the next one toward zero; what exceeds it stays too large.
template <Rounding R, int N> PTOM_INLINE Floats<N> roundForHif8(Floats<N> x) {
  Codes<N> bits = bitsOf<N>(x), size = bits & ~kSign32;
  Ints<N> exponent = __builtin_elementwise_abs(bitcast<Ints<N>>(size >> 23) - 127);
  Codes<N> dropped = bitcast<Codes<N>>(20 - (exponent > 3) - (exponent > 7) - (exponent > 15));
  Codes<N> unit = Codes<N>(1) << dropped;
  Codes<N> rounded = size;
  if constexpr (R == Rounding::Even)
    rounded += (unit >> 1) - 1 + ((size >> dropped) & 1);
  rounded &= ~(unit - 1);
  // The smallest number is 2^-22; half of it, a tie, goes to the even zero.
  constexpr Code kSmallest = 0x34800000, kHalf = 0x34000000;
  Codes<N> tiny = Codes<N>(0);
  if constexpr (R == Rounding::Even)
    tiny = select(size > kHalf, Codes<N>(kSmallest), Codes<N>(0));
  rounded = select(size < kSmallest, tiny, rounded);
  return bitcast<Floats<N>>(select(size > kInf32, bits, rounded | (bits & kSign32)));
}

template <typename S, typename D, Rounding R, bool Sat> PTOM_INLINE Results<S, D> convertMore(Sources<S, D> v) {
  constexpr int N = kSlots<S, D>;
  if constexpr (kIsSame<D, hif8>)
    return fromFloat<D, Rounding::Away, Sat, N>(roundForHif8<R, N>(toFloat<S, N>(v)));
  else
    return convertLanes<S, D, R, Sat>(v);
}

#define PTOM_MORE_ROUNDINGS(src, dst, rnd)                                                                             \
  PTOM_MORE_VALUES(src, dst, rnd, SAT)                                                                                 \
  PTOM_MORE_VALUES(src, dst, rnd, NOSAT)
PTOM_MORE_ROUNDINGS(f32, hif8, R)
PTOM_MORE_ROUNDINGS(f32, hif8, Z)
PTOM_MORE_ROUNDINGS(f16, hif8, R)
PTOM_MORE_ROUNDINGS(f16, hif8, Z)
#undef PTOM_MORE_ROUNDINGS

} // namespace ptoscope::meaning

#endif // PTOSCOPE_MEANING_SEQUENCES_H
