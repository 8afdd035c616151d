//===- Mixed.cpp - element by element, with a change of type --------------===//
//
// TEW-14 to TEW-16: relu and convert, dequantise, and multiply-add into a wider
// destination. Line functions by the pair of element types.
//
//===----------------------------------------------------------------------===//

#include "Ops.h"

#include "ptoscope/Meaning/Convert.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

namespace {
/// Lanes that source and result both hold in a group or less.
template <typename S, typename D>
constexpr int kShared = lanes::kLanes<S> < lanes::kLanes<D> ? lanes::kLanes<S> : lanes::kLanes<D>;

/// Op::run<S, D> on vectors of kShared lanes; the others of an S group are zeros.
template <typename S, typename D, typename Op> void mixedLine(uint8_t *dst, const uint8_t *const *src, size_t n) {
  constexpr size_t kN = kShared<S, D>, from = sizeof(typename S::Elem), to = sizeof(typename D::Elem);
  const auto extra = Op::template prepare<S, D>(src);
  for (size_t at = 0; at < n; at += kN) {
    const size_t count = n - at < kN ? n - at : kN;
    lanes::Vec<typename S::Elem, int(kN)> a{}, b{};
    lanes::Vec<typename D::Elem, int(kN)> result{};
    __builtin_memcpy(&a, src[0] + at * from, count * from);
    if constexpr (Op::kSources == 2)
      __builtin_memcpy(&b, src[1] + at * from, count * from);
    if constexpr (Op::kReadsResult) // the destination is source 2
      __builtin_memcpy(&result, src[2] + at * to, count * to);
    result = Op::template run<S, D, int(kN)>(a, b, result, extra);
    __builtin_memcpy(dst + at * to, &result, count * to);
  }
}

template <typename S, typename D> struct Pair {};
/// The line of the pair that the destination and tile 1 have.
template <typename Op> Line mixedLineOf(const Operands &ops) {
  Line result = nullptr;
  auto each = [&]<typename... S, typename... D>(Types<Pair<S, D>...>) {
    (forElem<S>(
         ops.tile[1].ref.elem,
         [&]<typename>() { forElem<D>(ops.tile[0].ref.elem, [&]<typename>() { result = mixedLine<S, D, Op>; }); }),
     ...);
  };
  each(typename Op::Pairs());
  return result;
}
template <typename Op, Input... In> void mapMixed(const Operands &ops) {
  constexpr Input inputs[] = {In...};
  const TileRef &dst = ops.tile[0].ref;
  mapLines(ops, mixedLineOf<Op>(ops), inputs, sizeof...(In), dst.validRows, dst.validCols);
}

/// A group whose first lanes are v.
template <typename T, typename V> PTOM_INLINE lanes::Group<T> toGroup(V v) {
  lanes::Group<T> group{};
  __builtin_memcpy(&group, &v, sizeof(v));
  return group;
}
template <typename V, typename T> PTOM_INLINE V fromGroup(lanes::Group<T> group) {
  V v;
  __builtin_memcpy(&v, &group, sizeof(v));
  return v;
}

/// The sum is rounded to S, or wraps, then rectified, then converted to the nearest,
/// saturating, as `vaddreluconv` does.
template <bool Subtract> struct ReluConvert {
  using Pairs = Types<Pair<lanes::f32, lanes::f16>, Pair<lanes::f16, lanes::i8>, Pair<lanes::i16, lanes::i8>,
                      Pair<lanes::f16, lanes::f32>>;
  static constexpr int kSources = 2;
  static constexpr bool kReadsResult = false;
  template <typename S, typename D> PTOM_INLINE static int prepare(const uint8_t *const *) { return 0; }
  template <typename S, typename D, int N, typename A, typename R> PTOM_INLINE static R run(A a, A b, R, int) {
    lanes::Group<S> x = toGroup<S>(a), y = toGroup<S>(b);
    lanes::Group<S> sum = lanes::vrelu<S>(Subtract ? lanes::vsub<S>(x, y) : lanes::vadd<S>(x, y));
    return lanes::convertLanes<S, D, Rounding::Even, true>(fromGroup<A, S>(sum));
  }
};

/// dst = relu(scale (a + b)): an integer sum wraps and becomes f32, the product is
/// rounded to f32; f16 results are clamped to the largest one.
struct AddDequantRelu {
  using Pairs = Types<Pair<lanes::i32, lanes::f16>, Pair<lanes::i32, lanes::f32>, Pair<lanes::f16, lanes::f16>,
                      Pair<lanes::f32, lanes::f32>>;
  static constexpr int kSources = 2;
  static constexpr bool kReadsResult = false;
  template <typename S, typename D> PTOM_INLINE static float prepare(const uint8_t *const *src) {
    float scale;
    __builtin_memcpy(&scale, src[2], sizeof(scale));
    return scale;
  }
  template <typename S, typename D, int N, typename A, typename R> PTOM_INLINE static R run(A a, A b, R, float scale) {
    using namespace lanes;
    A sum = fromGroup<A, S>(vadd<S>(toGroup<S>(a), toGroup<S>(b)));
    Floats<N> product;
    if constexpr (lanes::kIsFloat<S>)
      product = toFloat<S, N>(sum) * scale;
    else
      product = convert<float>(sum) * scale;
    product = select(product <= 0.0f, Floats<N>(0), product);
    if constexpr (kIsSame<D, f32>)
      return select(product == product, product, Floats<N>(__builtin_nanf("")));
    else // a NaN stays one
      return fromFloat<D, Rounding::Even, false, N>(select(product > 65504.0f, Floats<N>(65504.0f), product));
  }
};

/// dst + scalar * a, rounded once, of halves twice (HMEAN-19); an f16 source may feed an f32
/// destination.
struct Axpy {
  using Pairs = Types<Pair<lanes::f16, lanes::f16>, Pair<lanes::bf16, lanes::bf16>, Pair<lanes::f32, lanes::f32>,
                      Pair<lanes::f16, lanes::f32>>;
  static constexpr int kSources = 1;
  static constexpr bool kReadsResult = true;
  template <typename S, typename D> PTOM_INLINE static lanes::Group<D> prepare(const uint8_t *const *src) {
    typename D::Elem scalar;
    __builtin_memcpy(&scalar, src[1], sizeof(scalar));
    return lanes::splat<D>(scalar);
  }
  template <typename S, typename D, int N, typename A, typename R>
  PTOM_INLINE static R run(A a, A, R sum, lanes::Group<D> scalar) {
    using namespace lanes;
    if constexpr (kIsSame<S, f16> && kIsSame<D, f16>)
      return leaveArithmetic<D>(vadd<D>(vmul<D>(scalar, a), sum));
    else if constexpr (kIsSame<S, D>)
      return leaveArithmetic<D>(multiplyAdd<D>(scalar, a, sum));
    else
      return leaveArithmetic<D>(multiplyAdd<D>(scalar, convert<float>(a), sum));
  }
};
} // namespace

void taddreluconv(const Operands &ops) { mapMixed<ReluConvert<false>, tile(1), tile(2)>(ops); }
void tsubreluconv(const Operands &ops) { mapMixed<ReluConvert<true>, tile(1), tile(2)>(ops); }
void tadddeqrelu(const Operands &ops) { mapMixed<AddDequantRelu, tile(1), tile(2), scalar(0)>(ops); }
void taxpy(const Operands &ops) { mapMixed<Axpy, tile(1), scalar(0), tile(0)>(ops); }

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
