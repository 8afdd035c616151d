//===- Conversions.h - the pairs of types that vcvt converts ----*- C++ -*-===//
//
// The tables of CVT-1: which element types are converted into
// which, and which attributes each pair takes. The verifier reads it, and every
// legal combination becomes a function `ptom_vcvt_<src>_<dst>_<rnd><sat><part>`.
// Includes nothing but rounding modes, and needs no extension of any compiler.
//
// Elements are named as in the symbols: i8 ... u64 f16 bf16 f32, e4m3 e5m2 hif8
// (bytes), e1m2x2 e2m1x2 (two 4-bit floats in a byte). The first token of a set
// is the one to take where a program leaves the attribute out, except for `sat`:
// there it is NOSAT (CVT-6).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_CONVERSIONS_H
#define PTOSCOPE_MEANING_CONVERSIONS_H

#include "ptoscope/Support/Rounding.h"

// CVT(src, dst, rnd, sat, part, surface). An empty set: the pair does not have
// the attribute. O is denied to bf16 results and is defined everywhere else
// (RND-4), though it is of use from f32 to f16 only.
#define PTOM_CONVERSIONS(CVT)                                                                                          \
  CVT(f32, f16, RAFCZO, SAT_NOSAT, EVEN_ODD, Current)                                                                  \
  CVT(f32, bf16, RAFCZ, SAT_NOSAT, EVEN_ODD, Current)                                                                  \
  CVT(f32, i16, RAFCZO, SAT_NOSAT, EVEN_ODD, Current)                                                                  \
  CVT(f32, i32, RAFCZO, SAT_NOSAT, , Current)                                                                          \
  CVT(f32, i64, RAFCZO, SAT_NOSAT, EVEN_ODD, Current)                                                                  \
  CVT(f16, f32, , , EVEN_ODD, Current)                                                                                 \
  CVT(f16, i32, RAFCZO, , EVEN_ODD, Current)                                                                           \
  CVT(f16, i16, RAFCZO, SAT_NOSAT, , Current)                                                                          \
  CVT(f16, i8, RAFCZO, SAT_NOSAT, EVEN_ODD, Current)                                                                   \
  CVT(f16, u8, RAFCZO, SAT_NOSAT, EVEN_ODD, Current)                                                                   \
  CVT(bf16, f16, RAFCZO, SAT_NOSAT, , Current)                                                                         \
  CVT(bf16, f32, , , EVEN_ODD, Current)                                                                                \
  CVT(bf16, i32, RAFCZO, SAT_NOSAT, EVEN_ODD, Current)                                                                 \
  CVT(u8, f16, , , EVEN_ODD, Current)                                                                                  \
  CVT(u8, u16, , , EVEN_ODD, Current)                                                                                  \
  CVT(u8, u32, , , P0_P3, Current)                                                                                     \
  CVT(i8, f16, , , EVEN_ODD, Current)                                                                                  \
  CVT(i8, i16, , , EVEN_ODD, Current)                                                                                  \
  CVT(i8, i32, , , P0_P3, Current)                                                                                     \
  CVT(u16, u8, , SAT_NOSAT, EVEN_ODD, Current)                                                                         \
  CVT(u16, u32, , , EVEN_ODD, Current)                                                                                 \
  CVT(i16, f16, RAFCZO, , , Current)                                                                                   \
  CVT(i16, f32, , , EVEN_ODD, Current)                                                                                 \
  CVT(i16, u8, , SAT_NOSAT, EVEN_ODD, Current)                                                                         \
  CVT(i16, u32, , , EVEN_ODD, Current)                                                                                 \
  CVT(i16, i32, , , EVEN_ODD, Current)                                                                                 \
  CVT(u32, u8, , SAT_NOSAT, P0_P3, Current)                                                                            \
  CVT(u32, u16, , SAT_NOSAT, EVEN_ODD, Current)                                                                        \
  CVT(u32, i16, , SAT_NOSAT, EVEN_ODD, Current)                                                                        \
  CVT(i32, f32, RAFCZO, , , Current)                                                                                   \
  CVT(i32, u8, , SAT_NOSAT, P0_P3, Current)                                                                            \
  CVT(i32, u16, , SAT_NOSAT, EVEN_ODD, Current)                                                                        \
  CVT(i32, i16, , SAT_NOSAT, EVEN_ODD, Current)                                                                        \
  CVT(i32, i64, , , EVEN_ODD, Current)                                                                                 \
  CVT(i64, f32, RAFCZO, , EVEN_ODD, Current)                                                                           \
  CVT(i64, i32, , SAT_NOSAT, EVEN_ODD, Current)                                                                        \
  CVT(u32, f32, RAFCZO, , , Older)                                                                                     \
  CVT(f16, bf16, RAFCZ, SAT_NOSAT, , Older)                                                                            \
  CVT(f32, e4m3, RAHZ, SAT_NOSAT, P0_P3, Extended)                                                                     \
  CVT(f32, e5m2, RAHZ, SAT_NOSAT, P0_P3, Extended)                                                                     \
  CVT(f16, e4m3, RAFCZ, SAT_NOSAT, EVEN_ODD, Listed)                                                                   \
  CVT(f16, e5m2, RAFCZ, SAT_NOSAT, EVEN_ODD, Listed)                                                                   \
  CVT(bf16, e4m3, RAFCZ, SAT_NOSAT, EVEN_ODD, Listed)                                                                  \
  CVT(bf16, e5m2, RAFCZ, SAT_NOSAT, EVEN_ODD, Listed)                                                                  \
  CVT(f32, hif8, AH, SAT_NOSAT, P0_P3, Extended)                                                                       \
  CVT(f16, hif8, AH, SAT_NOSAT, EVEN_ODD, Extended)                                                                    \
  CVT(e4m3, f32, , , P0_P3, Extended)                                                                                  \
  CVT(e5m2, f32, , , P0_P3, Extended)                                                                                  \
  CVT(hif8, f32, , , P0_P3, Extended)                                                                                  \
  CVT(bf16, e1m2x2, RAFCZ, , P0_P3, Extended)                                                                          \
  CVT(bf16, e2m1x2, RAFCZ, , P0_P3, Extended)                                                                          \
  CVT(e1m2x2, bf16, , , P0_P3, Extended)                                                                               \
  CVT(e2m1x2, bf16, , , P0_P3, Extended)

// M(token, ...) for each token of a set; an empty token for an empty set.
#define PTOM_RND_(M, ...) M(, __VA_ARGS__)
#define PTOM_RND_RAHZ(M, ...) M(R, __VA_ARGS__) M(A, __VA_ARGS__) M(H, __VA_ARGS__) M(Z, __VA_ARGS__)
#define PTOM_RND_AH(M, ...) M(A, __VA_ARGS__) M(H, __VA_ARGS__)
#define PTOM_RND_RAFCZ(M, ...) M(R, __VA_ARGS__) M(A, __VA_ARGS__) M(F, __VA_ARGS__) M(C, __VA_ARGS__) M(Z, __VA_ARGS__)
#define PTOM_RND_RAFCZO(M, ...) PTOM_RND_RAFCZ(M, __VA_ARGS__) M(O, __VA_ARGS__)
#define PTOM_SAT_(M, ...) M(, __VA_ARGS__)
#define PTOM_SAT_SAT_NOSAT(M, ...) M(SAT, __VA_ARGS__) M(NOSAT, __VA_ARGS__)
#define PTOM_PART_(M, ...) M(, __VA_ARGS__)
#define PTOM_PART_EVEN_ODD(M, ...) M(EVEN, __VA_ARGS__) M(ODD, __VA_ARGS__)
#define PTOM_PART_P0_P3(M, ...) M(P0, __VA_ARGS__) M(P1, __VA_ARGS__) M(P2, __VA_ARGS__) M(P3, __VA_ARGS__)

// PTOM_CONVERSION(src, dst, rnd, sat, part), which the includer defines, for
// every legal combination, and PTOM_VALUES(src, dst, rnd, sat) before its parts.
#define PTOM_EACH_CONVERSION PTOM_CONVERSIONS(PTOM_EACH_ROUNDING)
#define PTOM_EACH_ROUNDING(src, dst, rnds, sats, parts, surface)                                                       \
  PTOM_RND_##rnds(PTOM_EACH_SATURATION, src, dst, sats, parts)
#define PTOM_EACH_SATURATION(rnd, src, dst, sats, parts) PTOM_SAT_##sats(PTOM_EACH_PART, src, dst, rnd, parts)
#define PTOM_EACH_PART(sat, src, dst, rnd, parts)                                                                      \
  PTOM_VALUES(src, dst, rnd, sat)                                                                                      \
  PTOM_PART_##parts(PTOM_ONE_CONVERSION, src, dst, rnd, sat)
#define PTOM_ONE_CONVERSION(part, src, dst, rnd, sat) PTOM_CONVERSION(src, dst, rnd, sat, part)

namespace ptoscope {

/// Which lanes of the narrower register a conversion reads or writes.
enum class ConversionParts : char {
  None,    ///< same width: `part` is absent
  EvenOdd, ///< ratio 2: EVEN or ODD
  Quarters ///< ratio 4: P0, P1, P2 or P3
};

/// Where the pair is described.
enum class ConversionSurface : char {
  Current,  ///< the first table of CVT-1
  Older,    ///< older pages only
  Extended, ///< 8- and 4-bit floats; a5 only
  Listed    ///< the same, which only a compiler lists: a5 is said to lack them
};

struct Conversion {
  const char *source; ///< element names
  const char *result;
  const char *rounding; ///< tokens `rnd` may be, a letter each; empty: there is no `rnd`
  bool saturation;      ///< whether there is `sat`: SAT or NOSAT
  ConversionParts parts;
  ConversionSurface surface;
};

constexpr ConversionParts conversionPartsOf(const char *set) {
  return set[0] == 0 ? ConversionParts::None : set[0] == 'E' ? ConversionParts::EvenOdd : ConversionParts::Quarters;
}

#define PTOM_ROW(src, dst, rnds, sats, parts, surface)                                                                 \
  {#src, #dst, #rnds, #sats[0] != 0, conversionPartsOf(#parts), ConversionSurface::surface},
inline constexpr Conversion kConversions[] = {PTOM_CONVERSIONS(PTOM_ROW)};
#undef PTOM_ROW

/// Null if there is none. Text is anything that compares with `const char *`.
template <typename Text> constexpr const Conversion *findConversion(Text source, Text result) {
  for (const Conversion &pair : kConversions)
    if (source == pair.source && result == pair.result)
      return &pair;
  return nullptr;
}

/// Tokens of vtrc's rounding: those of the current surface, then those that only
/// its older form has (TRC-1).
inline constexpr const char *kTruncRounding = "RAFCZ", *kOlderTruncRounding = "O";

} // namespace ptoscope

#endif // PTOSCOPE_MEANING_CONVERSIONS_H
