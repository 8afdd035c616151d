//===- global_tensor.hpp - views of global memory ---------------*- C++ -*-===//
//
// A pointer, five extents and five strides in elements (GT-1, GT-2). Each
// extent and stride is known at compile time or DYNAMIC.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_GLOBAL_TENSOR_HPP
#define PTO_DETAIL_GLOBAL_TENSOR_HPP

#include "pto/common/type.hpp"
#include "pto/detail/scalar_abi.hpp"

namespace pto {

namespace ptoscope_views {
/// Five numbers, each fixed or held.
template <int64_t... N> struct Five {
  static_assert(sizeof...(N) == 5);
  static constexpr int64_t kFixed[5] = {N...};
  static constexpr int kDynamic = (0 + ... + (N == DYNAMIC));

  /// Five values: those at fixed positions are ignored. Fewer: one for each
  /// dynamic position, left to right.
  template <typename... V> static constexpr void fill(int64_t (&held)[5], V... values) {
    constexpr int count = sizeof...(V);
    static_assert(count == 0 || count == 5 || count == kDynamic,
                  "pass five values, or exactly one for each DYNAMIC position");
    const int64_t given[count + 1] = {int64_t(values)...};
    int next = 0;
    for (int i = 0; i < 5; ++i) {
      if (kFixed[i] != DYNAMIC)
        held[i] = kFixed[i];
      else
        held[i] = count == 0 ? 1 : count == 5 ? given[i] : given[next++];
    }
  }
};
constexpr bool areFixed(const int64_t (&values)[5]) {
  for (int64_t value : values)
    if (value == DYNAMIC)
      return false;
  return true;
}
template <typename... V>
concept FewNumbers = sizeof...(V) >= 1 && sizeof...(V) <= 5 && (std::is_convertible_v<V, int64_t> && ...);
} // namespace ptoscope_views

template <int64_t N0 = DYNAMIC, int64_t N1 = DYNAMIC, int64_t N2 = DYNAMIC, int64_t N3 = DYNAMIC, int64_t N4 = DYNAMIC>
struct Shape {
  static constexpr int64_t staticShape[5] = {N0, N1, N2, N3, N4};
  int64_t shape[5];

  constexpr Shape() { ptoscope_views::Five<N0, N1, N2, N3, N4>::fill(shape); }
  template <typename... V>
    requires ptoscope_views::FewNumbers<V...>
  constexpr Shape(V... values) {
    ptoscope_views::Five<N0, N1, N2, N3, N4>::fill(shape, values...);
  }
};

template <int64_t S0 = DYNAMIC, int64_t S1 = DYNAMIC, int64_t S2 = DYNAMIC, int64_t S3 = DYNAMIC, int64_t S4 = DYNAMIC>
struct Stride {
  static constexpr int64_t staticStride[5] = {S0, S1, S2, S3, S4};
  int64_t stride[5];

  constexpr Stride() { ptoscope_views::Five<S0, S1, S2, S3, S4>::fill(stride); }
  template <typename... V>
    requires ptoscope_views::FewNumbers<V...>
  constexpr Stride(V... values) {
    ptoscope_views::Five<S0, S1, S2, S3, S4>::fill(stride, values...);
  }
};

template <typename Element, typename ShapeT = Shape<>, typename StrideT = Stride<>, Layout L = Layout::ND>
struct GlobalTensor {
  static_assert(
      ptoscope::tile::IsElement<Element>,
      "the element of a GlobalTensor has to be an integer, half, bfloat16_t, float or one of the small formats");
  using DType = Element;
  using RawDType = std::remove_cv_t<Element>;
  using Shape = ShapeT;
  using Stride = StrideT;
  static constexpr ptoscope::tile::Elem kElem = ptoscope::tile::elemOf<Element>;
  static constexpr Layout layout = L;
  static constexpr const int64_t (&staticShape)[5] = ShapeT::staticShape;
  static constexpr const int64_t (&staticStride)[5] = StrideT::staticStride;
  /// Whether its type says all extents and strides.
  static constexpr bool kIsFixed = ptoscope_views::areFixed(staticShape) && ptoscope_views::areFixed(staticStride);
  static constexpr ShapeT defaultShape{};
  static constexpr StrideT defaultStride{};

  constexpr GlobalTensor() : pointer(nullptr) {}
  constexpr GlobalTensor(DType *data, const ShapeT &shape = defaultShape, const StrideT &stride = defaultStride)
      : pointer(data), shape_(shape), stride_(stride) {}

  constexpr int64_t GetShape(int dim) const { return at(staticShape, shape_.shape, dim); }
  constexpr int64_t GetStride(int dim) const { return at(staticStride, stride_.stride, dim); }
  template <int Dim> static constexpr int64_t GetShape() {
    static_assert(Dim >= 0 && Dim < 5, "a GlobalTensor has the dimensions 0 to 4");
    static_assert(Dim < 0 || Dim >= 5 || staticShape[Dim] != DYNAMIC, "this extent is DYNAMIC: ask with GetShape(dim)");
    return staticShape[Dim];
  }
  template <int Dim> static constexpr int64_t GetStride() {
    static_assert(Dim >= 0 && Dim < 5 && staticStride[Dim] != DYNAMIC,
                  "this stride is DYNAMIC: ask with GetStride(dim)");
    return staticStride[Dim];
  }
  template <int... Dim, typename... V> constexpr void SetShape(V... values) {
    static_assert(sizeof...(Dim) == sizeof...(V), "one value for each named dimension");
    static_assert(((staticShape[Dim] == DYNAMIC) && ...), "only DYNAMIC extents can be set");
    ((shape_.shape[Dim] = int64_t(values)), ...);
  }
  template <int... Dim, typename... V> constexpr void SetStride(V... values) {
    static_assert(sizeof...(Dim) == sizeof...(V), "one value for each named dimension");
    static_assert(((staticStride[Dim] == DYNAMIC) && ...), "only DYNAMIC strides can be set");
    ((stride_.stride[Dim] = int64_t(values)), ...);
  }
  constexpr DType *data() const { return pointer; }
  constexpr void rebind(DType *data) { pointer = data; }

  // Host only, by element; what the pipes are about to do is done first.
  RawDType GetElement(int64_t offset) const {
    ptoscope::tile::openGlobalToHost();
    return ptoscope::tile::elementAt<RawDType>(pointer, size_t(offset));
  }
  RawDType GetElement(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4) const {
    return GetElement(offsetOf(i0, i1, i2, i3, i4));
  }
  void SetElement(int64_t offset, RawDType value) {
    ptoscope::tile::openGlobalToHost();
    ptoscope::tile::setElementAt(pointer, size_t(offset), value);
  }
  void SetElement(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4, RawDType value) {
    SetElement(offsetOf(i0, i1, i2, i3, i4), value);
  }
  void AddToElement(int64_t offset, RawDType value) { SetElement(offset, RawDType(GetElement(offset) + value)); }
  void AddToElement(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4, RawDType value) {
    AddToElement(offsetOf(i0, i1, i2, i3, i4), value);
  }

  /// As instructions see it, written in place: a copy of what was just written stalls
  /// the host.
  void fill(ptoscope::tile::GlobalRef &result) const {
    static constexpr const int64_t(&n)[5] = staticShape, (&s)[5] = staticStride;
    static constexpr ptoscope::tile::GlobalRef kFixed = {
        nullptr, kElem, uint8_t(L), {n[0], n[1], n[2], n[3], n[4]}, {s[0], s[1], s[2], s[3], s[4]}};
    result = kFixed;
    result.pointer = const_cast<RawDType *>(pointer);
    if constexpr (!kIsFixed)
      for (int dim = 0; dim < 5; ++dim) {
        if (n[dim] == DYNAMIC)
          result.shape[dim] = shape_.shape[dim];
        if (s[dim] == DYNAMIC)
          result.stride[dim] = stride_.stride[dim];
      }
  }

private:
  static constexpr int64_t at(const int64_t (&fixed)[5], const int64_t (&held)[5], int dim) {
    if (dim < 0 || dim >= 5)
      return -1;
    return fixed[dim] != DYNAMIC ? fixed[dim] : held[dim];
  }
  int64_t offsetOf(int64_t i0, int64_t i1, int64_t i2, int64_t i3, int64_t i4) const {
    return i0 * GetStride(0) + i1 * GetStride(1) + i2 * GetStride(2) + i3 * GetStride(3) + i4 * GetStride(4);
  }

  DType *pointer;
  ShapeT shape_;
  StrideT stride_;
};

// --- two dimensions (GT-8) ----------------------------------------------------------------------

namespace ptoscope_views {
inline constexpr int64_t divide(int64_t n, int64_t by) { return n == DYNAMIC ? DYNAMIC : n / by; }
inline constexpr int64_t times(int64_t a, int64_t b) { return a == DYNAMIC || b == DYNAMIC ? DYNAMIC : a * b; }
struct FiveNumbers {
  int64_t n[5];
};
/// Elements of 32 bytes.
template <typename T> inline constexpr int64_t kC0 = 32 * 8 / ptoscope::tile::bitsOf(ptoscope::tile::elemOf<T>);

template <typename T, Layout L> constexpr FiveNumbers shape2d(int64_t r, int64_t c) {
  switch (L) {
  case Layout::NZ:
    return {{1, divide(c, kC0<T>), divide(r, 16), 16, kC0<T>}};
  case Layout::MX_A_ZZ:
    return {{1, divide(r, 16), divide(c, 2), 16, 2}};
  case Layout::MX_B_NN:
    return {{1, divide(c, 16), divide(r, 2), 16, 2}};
  case Layout::MX_A_ND:
    return {{1, 1, r, divide(c, 2), 2}};
  case Layout::MX_A_DN:
    return {{1, 1, divide(c, 2), r, 2}};
  case Layout::MX_B_ND:
    return {{1, 1, divide(r, 2), c, 2}};
  case Layout::MX_B_DN:
    return {{1, 1, c, divide(r, 2), 2}};
  default:
    return {{1, 1, 1, r, c}};
  }
}
template <typename T, Layout L> constexpr FiveNumbers stride2d(int64_t r, int64_t c) {
  const int64_t rc = times(r, c);
  switch (L) {
  case Layout::DN:
    return {{rc, rc, rc, 1, r}};
  case Layout::NZ:
    return {{rc, times(r, kC0<T>), 16 * kC0<T>, kC0<T>, 1}};
  case Layout::MX_A_ZZ:
    return {{rc, times(c, 16), 32, 2, 1}};
  case Layout::MX_B_NN:
    return {{rc, times(r, 16), 32, 2, 1}};
  case Layout::MX_A_ND:
    return {{rc, rc, c, 2, 1}};
  case Layout::MX_A_DN:
    return {{rc, rc, times(r, 2), 2, 1}};
  case Layout::MX_B_ND:
    return {{rc, rc, times(c, 2), 2, 1}};
  case Layout::MX_B_DN:
    return {{rc, rc, r, 2, 1}};
  default:
    return {{rc, rc, rc, c, 1}};
  }
}
constexpr bool isModelled2d(Layout l) {
  return l == Layout::ND || l == Layout::DN || l == Layout::NZ || (l >= Layout::MX_A_ND && l <= Layout::MX_B_NN);
}
template <typename T, int64_t R, int64_t C, Layout L> constexpr bool fits2d() {
  static_assert(isModelled2d(L), "TileShape2D and BaseShape2D are defined for ND, DN, NZ and the MX layouts");
  static_assert(L != Layout::NZ || R == DYNAMIC || R % 16 == 0, "NZ needs a multiple of 16 rows");
  static_assert(L != Layout::NZ || C == DYNAMIC || C % kC0<T> == 0, "NZ needs columns in multiples of 32 bytes");
  return true;
}
template <typename T, int64_t R, int64_t C, Layout L> struct Bases2D {
  static constexpr FiveNumbers n = shape2d<T, L>(R, C), s = stride2d<T, L>(R, C);
  using ShapeBase = Shape<n.n[0], n.n[1], n.n[2], n.n[3], n.n[4]>;
  using StrideBase = Stride<s.n[0], s.n[1], s.n[2], s.n[3], s.n[4]>;
};
} // namespace ptoscope_views

template <typename T, int64_t Rows = DYNAMIC, int64_t Cols = DYNAMIC, Layout L = Layout::ND>
struct TileShape2D : ptoscope_views::Bases2D<T, Rows, Cols, L>::ShapeBase {
  using Base = typename ptoscope_views::Bases2D<T, Rows, Cols, L>::ShapeBase;
  static_assert(ptoscope_views::fits2d<T, Rows, Cols, L>());
  constexpr TileShape2D() = default;
  constexpr TileShape2D(int64_t rows, int64_t cols) : TileShape2D(ptoscope_views::shape2d<T, L>(rows, cols)) {}

private:
  constexpr TileShape2D(ptoscope_views::FiveNumbers v) : Base(v.n[0], v.n[1], v.n[2], v.n[3], v.n[4]) {}
};

/// Strides, whatever its name says.
template <typename T, int64_t Rows = DYNAMIC, int64_t Cols = DYNAMIC, Layout L = Layout::ND>
struct BaseShape2D : ptoscope_views::Bases2D<T, Rows, Cols, L>::StrideBase {
  using Base = typename ptoscope_views::Bases2D<T, Rows, Cols, L>::StrideBase;
  static_assert(ptoscope_views::fits2d<T, Rows, Cols, L>());
  constexpr BaseShape2D() = default;
  constexpr BaseShape2D(int64_t rows, int64_t cols) : BaseShape2D(ptoscope_views::stride2d<T, L>(rows, cols)) {}

private:
  constexpr BaseShape2D(ptoscope_views::FiveNumbers v) : Base(v.n[0], v.n[1], v.n[2], v.n[3], v.n[4]) {}
};

template <typename T> struct is_global_data : std::false_type {};
template <typename E, typename S, typename T, Layout L>
struct is_global_data<GlobalTensor<E, S, T, L>> : std::true_type {};
template <typename T> inline constexpr bool is_global_data_v = is_global_data<std::remove_cv_t<T>>::value;

} // namespace pto

#endif // PTO_DETAIL_GLOBAL_TENSOR_HPP
