// Loads, stores and moves of the host profile against a plain model of docs/isa/33b-host-moves.md.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <limits>
#include <vector>

using namespace pto;

namespace {
int failures = 0;
void expect(bool right, const char *what, double expected, double found, int r = 0, int c = 0) {
  if (right)
    return;
  if (++failures <= 20)
    std::printf("%s at %d, %d: expected %g, found %g\n", what, r, c, expected, found);
}
template <typename T> bool same(T a, T b) { return std::memcmp(&a, &b, sizeof(T)) == 0; }

template <typename T, int R, int C> using Matrix = GlobalTensor<T, Shape<1, 1, 1, R, C>, Stride<1, 1, 1, C, 1>>;
template <TileType Loc, typename T, int R, int C, int RV = R, int CV = C> using Plain =
    Tile<Loc, T, R, C, BLayout::RowMajor, RV, CV>;

// --- layouts (HMOVE-1) ----------------------------------------------------------------------------

struct Kind {
  BLayout block;
  SLayout box;
};
constexpr Kind kKinds[] = {{BLayout::RowMajor, SLayout::NoneBox},  {BLayout::ColMajor, SLayout::NoneBox},
                           {BLayout::ColMajor, SLayout::RowMajor}, {BLayout::RowMajor, SLayout::ColMajor},
                           {BLayout::RowMajor, SLayout::RowMajor}, {BLayout::ColMajor, SLayout::ColMajor}};

constexpr int kRows = 64, kCols = 128, kValidRows = 63, kValidCols = 125;
template <TileType Loc, typename T, int K> using Laid =
    Tile<Loc, T, kRows, kCols, kKinds[K].block, kValidRows, kValidCols, kKinds[K].box, 512>;

// The table of TILE-5.
template <typename T> int offsetOf(int kind, int r, int c) {
  const int block = 32 / int(sizeof(T));
  const bool inRows = kKinds[kind].box == SLayout::RowMajor;
  const int ir = inRows ? 16 : block, ic = inRows ? block : 16;
  switch (kind) {
  case 0:
    return r * kCols + c;
  case 1:
    return c * kRows + r;
  case 2:
    return c / ic * kRows * ic + r / ir * ir * ic + r % ir * ic + c % ic;
  case 3:
    return r / ir * kCols * ir + c / ic * ir * ic + c % ic * ir + r % ir;
  case 4:
    return r / ir * kCols * ir + c / ic * ir * ic + r % ir * ic + c % ic;
  default:
    return c / ic * kRows * ic + r / ir * ir * ic + c % ic * ir + r % ir;
  }
}

template <typename T, TileType From, int K, TileType To, int L> void layouts() {
  std::vector<T> x(kValidRows * kValidCols), y(kValidRows * kValidCols, T(-1));
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = T(float(i % 2048) - 1000);
  Laid<From, T, K> a;
  Laid<To, T, L> b;
  TASSIGN(a, 0);
  TASSIGN(b, sizeof(T) * kRows * kCols);
  Matrix<T, kValidRows, kValidCols> from(x.data()), to(y.data());
  TLOAD(a, from);
  set_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
  wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID0);
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      const T wanted = r < kValidRows && c < kValidCols ? x[size_t(r * kValidCols + c)] : T(0);
      const T found = a.data()[offsetOf<T>(K, r, c)];
      expect(same(wanted, found), "loaded", double(wanted), double(found), r, c);
    }
  pipe_barrier(PIPE_ALL);
  TMOV(b, a);
  pipe_barrier(PIPE_ALL);
  TSTORE(to, b);
  pipe_barrier(PIPE_ALL);
  for (size_t i = 0; i < x.size(); ++i)
    expect(same(x[i], y[i]), "stored", double(x[i]), double(y[i]), int(i), K * 10 + L);
}
template <int K> void layoutsFrom() {
  layouts<float, TileType::Vec, K, TileType::Acc, 0>();
  layouts<float, TileType::Acc, K, TileType::Vec, 1>();
  layouts<half, TileType::Vec, K, TileType::Mat, 2>();
  layouts<half, TileType::Mat, K, TileType::Acc, 3>();
  layouts<float, TileType::Mat, K, TileType::Left, 4>();
  layouts<half, TileType::Acc, K, TileType::Right, 5>();
}

// --- elements (HMOVE-1, HMOVE-2, HMOVE-3, HMOVE-7) ---------------------------------------------------------

template <typename S, typename D, ReluPreMode Relu = ReluPreMode::NoRelu, size_t N>
void elements(const char *what, const std::array<S, N> &x, const std::array<D, N> &wanted) {
  static_assert(N <= 32);
  std::array<S, 32> in{};
  std::array<D, 32> loaded{}, moved{}, stored{};
  std::copy(x.begin(), x.end(), in.begin());
  Plain<TileType::Vec, S, 1, 32> source;
  Plain<TileType::Vec, D, 1, 32> direct;
  Tile<TileType::Mat, D, 32, 32, BLayout::ColMajor, 1, 32, SLayout::RowMajor> mat;
  TASSIGN(source, 0);
  TASSIGN(direct, 0x1000);
  TASSIGN(mat, 0);
  Matrix<S, 1, 32> gx(in.data());
  Matrix<D, 1, 32> gl(loaded.data()), gm(moved.data()), gs(stored.data());
  TLOAD(source, gx);
  TLOAD(direct, gx);
  pipe_barrier(PIPE_ALL);
  TEXTRACT<decltype(mat), decltype(source), Relu>(mat, source, 0, 0);
  TSTORE<decltype(source), decltype(gs), AtomicType::AtomicNone, Relu>(gs, source);
  TSTORE(gl, direct);
  pipe_barrier(PIPE_ALL);
  TSTORE(gm, mat);
  pipe_barrier(PIPE_ALL);
  for (size_t i = 0; i < N; ++i) {
    if (Relu == ReluPreMode::NoRelu)
      expect(same(loaded[i], wanted[i]), what, double(wanted[i]), double(loaded[i]), 0, int(i));
    expect(same(moved[i], wanted[i]), what, double(wanted[i]), double(moved[i]), 1, int(i));
    expect(same(stored[i], wanted[i]), what, double(wanted[i]), double(stored[i]), 2, int(i));
  }
}

constexpr float kInf = std::numeric_limits<float>::infinity();

void allElements() {
  elements<int32_t, float, ReluPreMode::NoRelu, 4>("i32 f32", {3, -7, 16777217, INT32_MIN}, {3, -7, 16777216, -2147483648.0f});
  elements<int8_t, int32_t, ReluPreMode::NoRelu, 3>("i8 i32", {-128, 127, -1}, {-128, 127, -1});
  elements<uint8_t, float, ReluPreMode::NoRelu, 2>("u8 f32", {255, 1}, {255, 1});
  elements<int32_t, int8_t, ReluPreMode::NoRelu, 3>("i32 i8", {300, -129, 5}, {44, 127, 5});
  elements<half, float, ReluPreMode::NoRelu, 4>("f16 f32", {half(1.5f), half(-65504.0f), half(0.0f), half(6e-8f)},
                                                {1.5f, -65504.0f, 0.0f, 0x1p-24f});
  elements<float, half, ReluPreMode::NoRelu, 5>("f32 f16", {1.0009765f, 65519.0f, 65520.0f, -kInf, 0x1.002p0f},
                                                {half(1.0009765f), half(65504.0f), half(kInf), half(-kInf), half(1.0f)});
  elements<float, int32_t, ReluPreMode::NoRelu, 7>("f32 i32", {2.9f, -2.9f, 3e9f, -3e9f, kInf, NAN, -0.5f},
                                                   {2, -2, INT32_MIN, INT32_MIN, INT32_MIN, INT32_MIN, 0});
  elements<float, uint16_t, ReluPreMode::NoRelu, 3>("f32 u16", {65535.5f, 65536.0f, -1.0f}, {65535, 0, 65535});
  elements<float, bfloat16_t, ReluPreMode::NoRelu, 3>("f32 bf16", {1.00390625f, 1.01171875f, -kInf},
                                                      {bfloat16_t(1.0f), bfloat16_t(1.015625f), bfloat16_t(-kInf)});
  // The nearest, the lower one of two; NaN has a code of its own.
  elements<float, hifloat8_t, ReluPreMode::NoRelu, 7>(
      "f32 hif8", {2.625f, -2.625f, 10.5f, 30.0f, 3e20f, -kInf, NAN},
      {hifloat8_t::FromRaw(0x12), hifloat8_t::FromRaw(0x93), hifloat8_t::FromRaw(0x2a), hifloat8_t::FromRaw(0x43),
       hifloat8_t::FromRaw(0x6e), hifloat8_t::FromRaw(0xee), hifloat8_t::FromRaw(0x80)});
  elements<float, float, ReluPreMode::NormalRelu, 4>("relu", {-1, 2, -kInf, 0}, {0, 2, 0, 0});
  elements<int32_t, float, ReluPreMode::NormalRelu, 2>("relu i32", {-5, 6}, {0, 6});
}

// --- windows (HMOVE-5) ------------------------------------------------------------------------------

void windows() {
  std::vector<int8_t> x(64 * 64);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = int8_t(i * 7);
  std::vector<int32_t> y(64 * 64, -1), z(32 * 64, -1);
  Tile<TileType::Mat, int8_t, 64, 64, BLayout::RowMajor, 64, 64, SLayout::ColMajor> a;
  Tile<TileType::Mat, int32_t, 64, 64, BLayout::ColMajor, 64, 64, SLayout::ColMajor> b;
  Tile<TileType::Vec, int32_t, 32, 64, BLayout::ColMajor, 13, 21> c;
  TASSIGN(a, 0);
  TASSIGN(b, 0x10000);
  TASSIGN(c, 0);
  Matrix<int8_t, 64, 64> gx(x.data());
  Matrix<int32_t, 64, 64> gy(y.data());
  GlobalTensor<int32_t, Shape<1, 1, 1, 13, 21>, Stride<1, 1, 1, 64, 1>> gz(z.data());
  TLOAD(a, gx);
  TLOAD(b, gy);
  pipe_barrier(PIPE_ALL);
  TEXTRACT(c, a, 5, 9);
  pipe_barrier(PIPE_ALL);
  TINSERT(b, c, 17, 30);
  TSTORE(gz, c);
  pipe_barrier(PIPE_ALL);
  TSTORE(gy, b);
  pipe_barrier(PIPE_ALL);
  for (int r = 0; r < 64; ++r)
    for (int k = 0; k < 64; ++k) {
      const bool inside = r >= 17 && r < 30 && k >= 30 && k < 51;
      const int32_t wanted = inside ? x[size_t((r - 17 + 5) * 64 + k - 30 + 9)] : -1;
      expect(y[size_t(r * 64 + k)] == wanted, "insert", wanted, y[size_t(r * 64 + k)], r, k);
      if (r < 13 && k < 21)
        expect(z[size_t(r * 64 + k)] == x[size_t((r + 5) * 64 + k + 9)], "extract", 0, z[size_t(r * 64 + k)], r, k);
    }
}

// Every form of a window, and valid regions that differ (HMOVE-5, HMOVE-15).
void forms() {
  std::array<float, 4 * 8> x{};
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) - 10;
  Plain<TileType::Mat, float, 4, 8> a, d;
  Plain<TileType::Vec, float, 4, 8, 2, 8> b;
  TASSIGN(a, 0);
  TASSIGN(d, 0x1000);
  TASSIGN(b, 0);
  Matrix<float, 4, 8> gx(x.data());
  const auto is = [&](auto &tile, int r, int c, float wanted) {
    pipe_barrier(PIPE_ALL);
    expect(tile.data()[r * 8 + c] == wanted, "form", wanted, tile.data()[r * 8 + c], r, c);
  };
  using A = decltype(a);
  using B = decltype(b);
  using D = decltype(d);
  TLOAD(a, gx);
  TEXPANDS(d, 99.0f);
  pipe_barrier(PIPE_ALL);
  TEXTRACT(b, a);
  is(b, 1, 7, x[15]);
  TEXTRACT(b, a, 1);
  is(b, 1, 7, x[23]);
  TEXTRACT<B, A, ReluPreMode::NormalRelu>(b, a, 0, 0);
  is(b, 0, 0, 0);
  TEXTRACT<B, A, AccToVecMode::SingleModeVec0, ReluPreMode::NoRelu>(b, a, 2, 0);
  is(b, 0, 0, x[16]);
  TINSERT(d, b);
  is(d, 0, 0, x[16]);
  is(d, 2, 0, 99);
  TINSERT(d, b, 1);
  is(d, 1, 0, x[16]);
  TINSERT<D, B, ReluPreMode::NormalRelu>(d, b, 2, 0);
  is(d, 3, 7, x[31]);
  TINSERT<D, B, ReluPreMode::NoRelu>(d, b, 7, 0, 0); // five arguments: the third is a word, which float to float ignores
  is(d, 0, 1, x[17]);
  TEXPANDS(d, 99.0f);
  pipe_barrier(PIPE_ALL);
  TMOV(d, b);
  is(d, 1, 7, x[31]);
  is(d, 2, 0, 99);
}

// --- quantisation (HMOVE-9, HMOVE-10, HMOVE-11, HMOVE-12, HMOVE-13) -------------------------------------------------------------

uint64_t wordOf(float scale, int offset, bool isSigned, int shift = 1) {
  uint32_t bits;
  std::memcpy(&bits, &scale, 4);
  return bits | uint64_t(shift - 1) << 32 | uint64_t(offset & 511) << 37 | uint64_t(isSigned) << 46;
}

template <typename S, typename D> D model(S x, uint64_t word, bool vector, bool relu, bool saturate) {
  const uint32_t bits = uint32_t(word) & (vector ? 0xffffe000u : 0xffffffffu);
  float scale;
  std::memcpy(&scale, &bits, 4);
  const float y = float(x) * scale;
  double result;
  if constexpr (std::is_same_v<D, int16_t>) {
    const int64_t shifted = int64_t(x) >> ((word >> 32 & 15) + 1);
    result = double(std::clamp<int64_t>(shifted, -32768, 32767));
  } else if constexpr (std::is_same_v<D, int8_t> || std::is_same_v<D, uint8_t>) {
    const bool isSigned = word >> 46 & 1;
    const float sum = std::nearbyint(y + float(word >> 37 & 511));
    const float low = isSigned ? -128.0f : 0.0f, high = isSigned ? 127.0f : 255.0f;
    int value = sum != sum ? 0 : int(std::clamp(sum, low, high));
    value = relu ? std::max(value, 0) : value;
    return D(value);
  } else if constexpr (std::is_same_v<D, half>) {
    const double cut = std::clamp(double(y), -65504.0, 65504.0);
    if (std::is_same_v<S, int32_t>)
      result = cut;
    else if (y != y)
      result = saturate ? 0.0 : double(y);
    else
      result = std::isinf(y) && !saturate ? double(y) : cut;
  } else {
    result = y != y && saturate ? 0.0
             : std::isinf(y) && saturate ? std::copysign(double(std::numeric_limits<float>::max()), double(y))
                                         : double(y);
  }
  if (relu && !(result > 0))
    result = 0;
  return D(float(result));
}

constexpr int kN = 64, kM = 16;
template <TileType Loc, typename S> using Source =
    std::conditional_t<Loc == TileType::Vec, Tile<Loc, S, kM, kN, BLayout::RowMajor>,
                       Tile<Loc, S, kM, kN, BLayout::ColMajor, kM, kN, SLayout::RowMajor, Loc == TileType::Acc ? 1024 : 512>>;

template <typename S> std::vector<S> numbers() {
  std::vector<S> x(kM * kN);
  for (int i = 0; i < kM * kN; ++i)
    if constexpr (std::is_same_v<S, float>) {
      constexpr float kSpecial[] = {NAN, kInf, -kInf, 0.0f, -0.0f, 1e30f, -1e30f, 65504.0f, 65520.0f, 0.5f, 1.5f, 2.5f};
      x[size_t(i)] = i % 5 == 0 ? kSpecial[i / 5 % 12] : float((i * 2654435761u >> 8) % 4001) / 8 - 250;
    } else {
      constexpr int32_t kSpecial[] = {INT32_MIN, INT32_MAX, 0, -1, 65536, 70000, -70000};
      x[size_t(i)] = i % 5 == 0 ? kSpecial[i / 5 % 7] : int32_t(uint32_t(i) * 2654435761u) >> (i % 27);
    }
  return x;
}

template <typename D, typename S>
void compare(const char *what, const std::vector<D> &found, const std::vector<S> &x, const std::vector<uint64_t> &words,
             bool vector, bool relu, bool saturate, int firstCol, int cols) {
  for (int r = 0; r < kM; ++r)
    for (int c = 0; c < cols; ++c) {
      const uint64_t word = vector ? words[size_t(firstCol + c)] : words[0];
      const D wanted = model<S, D>(x[size_t(r * kN + firstCol + c)], word, vector, relu, saturate);
      const D is = found[size_t(r * kN + c)];
      const bool nan = double(wanted) != double(wanted);
      expect(nan ? double(is) != double(is) : same(wanted, is), what, double(wanted), double(is), r, c);
    }
}

template <TileType Loc, typename S, typename D, ReluPreMode Relu, bool Vector> void quantise(bool saturate) {
  constexpr bool relu = Relu == ReluPreMode::NormalRelu;
  constexpr int kFirst = 8, kPart = kN - kFirst;
  std::vector<S> x = numbers<S>();
  std::vector<D> extracted(kM * kN), inserted(kM * kN), stored(kM * kN), moved(kM * kN);
  std::vector<uint64_t> words(kN);
  for (int c = 0; c < kN; ++c)
    words[size_t(c)] = wordOf(c % 9 == 8 ? 1e30f : 0.3f + float(c) / 8, c * 7 % 512, c % 2, c % 16 + 1);
  Source<Loc, S> a;
  Plain<TileType::Vec, D, kM, kN, kM, kPart> part;
  Plain<TileType::Vec, D, kM, kN> whole, copy;
  Plain<TileType::Mat, uint64_t, 1, kN> fp;
  TASSIGN(a, Loc == TileType::Vec ? 0x10000 : 0);
  TASSIGN(part, 0);
  TASSIGN(whole, 0x2000);
  TASSIGN(copy, 0x4000);
  TASSIGN(fp, 0x8000);
  Matrix<S, kM, kN> gx(x.data());
  Matrix<uint64_t, 1, kN> gw(words.data());
  GlobalTensor<D, Shape<1, 1, 1, kM, kPart>, Stride<1, 1, 1, kN, 1>> ge(extracted.data());
  Matrix<D, kM, kN> gi(inserted.data()), gs(stored.data()), gm(moved.data());
  TLOAD(a, gx);
  TLOAD(fp, gw);
  pipe_barrier(PIPE_ALL);
  if constexpr (Vector) {
    TEXTRACT_FP<decltype(part), decltype(a), decltype(fp), Relu>(part, a, fp, 0, kFirst);
    TINSERT_FP<decltype(whole), decltype(a), decltype(fp), Relu>(whole, a, fp, 0, 0);
    TMOV_FP<decltype(copy), decltype(a), decltype(fp), Relu>(copy, a, fp);
    TSTORE_FP<decltype(a), decltype(gs), decltype(fp), AtomicType::AtomicNone, Relu>(gs, a, fp);
  } else {
    TEXTRACT<decltype(part), decltype(a), Relu>(part, a, words[0], 0, kFirst);
    TINSERT<decltype(whole), decltype(a), AccToVecMode::SingleModeVec0, Relu>(whole, a, words[0], 0, 0);
    TMOV<decltype(copy), decltype(a), Relu>(copy, a, words[0]);
    TSTORE<decltype(a), decltype(gs), AtomicType::AtomicNone, Relu>(gs, a, words[0]);
  }
  pipe_barrier(PIPE_ALL);
  TSTORE(ge, part);
  TSTORE(gi, whole);
  TSTORE(gm, copy);
  pipe_barrier(PIPE_ALL);
  compare("extract", extracted, x, words, Vector, relu, saturate, kFirst, kPart);
  compare("insert", inserted, x, words, Vector, relu, saturate, 0, kN);
  compare("move", moved, x, words, Vector, relu, saturate, 0, kN);
  compare("store", stored, x, words, Vector, relu, saturate, 0, kN);
}

template <TileType Loc> void quantisedFrom(bool saturate) {
  constexpr auto kPlain = ReluPreMode::NoRelu, kRelu = ReluPreMode::NormalRelu;
  quantise<Loc, float, int8_t, kPlain, false>(saturate);
  quantise<Loc, float, uint8_t, kRelu, true>(saturate);
  quantise<Loc, float, half, kPlain, false>(saturate);
  quantise<Loc, float, bfloat16_t, kRelu, false>(saturate);
  quantise<Loc, int32_t, int8_t, kRelu, true>(saturate);
  quantise<Loc, int32_t, uint8_t, kPlain, false>(saturate);
  quantise<Loc, int32_t, half, kPlain, true>(saturate);
  quantise<Loc, int32_t, int16_t, kPlain, false>(saturate);
  quantise<Loc, int32_t, int16_t, kRelu, true>(saturate);
}

// HMOVE-13: of a column-major tile without boxes, words go by row.
void wordsByRow() {
  std::vector<float> x(32 * 16);
  std::vector<int8_t> y(32 * 16, 99);
  std::vector<uint64_t> words(32);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i % 19) - 9;
  for (size_t i = 0; i < words.size(); ++i)
    words[i] = wordOf(float(i % 8 + 1), 0, true);
  Tile<TileType::Vec, float, 32, 16, BLayout::ColMajor, 30, 15> a;
  Plain<TileType::Vec, uint64_t, 1, 32> fp;
  TASSIGN(a, 0);
  TASSIGN(fp, 0x4000);
  GlobalTensor<float, Shape<1, 1, 1, 30, 15>, Stride<1, 1, 1, 1, 32>, Layout::DN> gx(x.data());
  GlobalTensor<int8_t, Shape<1, 1, 1, 30, 15>, Stride<1, 1, 1, 1, 32>, Layout::DN> gy(y.data());
  Matrix<uint64_t, 1, 32> gw(words.data());
  TLOAD(a, gx);
  TLOAD(fp, gw);
  pipe_barrier(PIPE_ALL);
  TSTORE_FP<decltype(a), decltype(gy), decltype(fp)>(gy, a, fp);
  pipe_barrier(PIPE_ALL);
  for (int r = 0; r < 32; ++r)
    for (int c = 0; c < 16; ++c) {
      const int8_t wanted = r < 30 && c < 15 ? model<float, int8_t>(x[size_t(c * 32 + r)], words[size_t(r)], true, false, false) : 99;
      expect(y[size_t(c * 32 + r)] == wanted, "by row", wanted, y[size_t(c * 32 + r)], r, c);
    }
}

// A pair without a mode is copied or converted, and the words are not looked at (HMOVE-10).
void withoutMode() {
  std::array<float, 8> x = {1, -2, 3.5f, 4, 5, 6, 7, 8}, y{};
  Plain<TileType::Mat, float, 1, 8> a, fp;
  Plain<TileType::Vec, float, 1, 8> b;
  TASSIGN(a, 0);
  TASSIGN(fp, 0x100);
  TASSIGN(b, 0);
  Matrix<float, 1, 8> gx(x.data()), gy(y.data());
  TLOAD(a, gx);
  TLOAD(fp, gx);
  pipe_barrier(PIPE_ALL);
  TEXTRACT_FP<decltype(b), decltype(a), decltype(fp)>(b, a, fp, 0, 0);
  pipe_barrier(PIPE_ALL);
  TSTORE(gy, b);
  pipe_barrier(PIPE_ALL);
  for (size_t i = 0; i < 8; ++i)
    expect(x[i] == y[i], "without mode", x[i], y[i], 0, int(i));
}

// --- products, Bias, TPREFETCH (HMOVE-6, HMOVE-8, HMOVE-14) ----------------------------------------------

void products() {
  constexpr int kK = 32, kOut = 32, kLines = 16, kOwn = 5;
  std::vector<half> a(kLines * kK), b(kK * kOut);
  std::vector<float> bias(kOut), c(kLines * kOut, -1), d(kOut);
  for (size_t i = 0; i < a.size(); ++i)
    a[i] = half(float(i % 7) - 3);
  for (size_t i = 0; i < b.size(); ++i)
    b[i] = half(float(i % 5) - 2);
  for (size_t i = 0; i < bias.size(); ++i)
    bias[i] = float(i) * 10;
  Tile<TileType::Left, half, kLines, kK, BLayout::RowMajor, kOwn, kK, SLayout::RowMajor> left; // ZZ
  TileRight<half, kK, kOut> right;
  TileAcc<float, kLines, kOut, kOwn, kOut> acc;
  Plain<TileType::Bias, float, 1, kOut> row;
  Plain<TileType::Vec, float, 1, kOut> seen;
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(acc, 0);
  TASSIGN(row, 0);
  TASSIGN(seen, 0);
  GlobalTensor<half, Shape<1, 1, 1, kOwn, kK>, Stride<1, 1, 1, kK, 1>> ga(a.data());
  Matrix<half, kK, kOut> gb(b.data());
  Matrix<float, 1, kOut> gr(bias.data()), gd(d.data());
  GlobalTensor<float, Shape<1, 1, 1, kOwn, kOut>, Stride<1, 1, 1, kOut, 1>> gc(c.data());
  TLOAD(left, ga);
  TLOAD(right, gb);
  TLOAD(row, gr);
  pipe_barrier(PIPE_ALL);
  TGEMV_BIAS(acc, left, right, row);
  TPREFETCH(seen, row);
  TPREFETCH(seen, gb); // a hint
  pipe_barrier(PIPE_ALL);
  TSTORE(gc, acc);
  TSTORE(gd, seen);
  pipe_barrier(PIPE_ALL);
  for (int i = 0; i < kOwn; ++i)
    for (int j = 0; j < kOut; ++j) {
      float sum = bias[size_t(j)];
      for (int k = 0; k < kK; ++k)
        sum += float(a[size_t(i * kK + k)]) * float(b[size_t(k * kOut + j)]);
      expect(c[size_t(i * kOut + j)] == sum, "product", sum, c[size_t(i * kOut + j)], i, j);
    }
  for (size_t j = 0; j < d.size(); ++j)
    expect(d[j] == bias[j], "prefetch", bias[j], d[j], 0, int(j));
}
} // namespace

int main() {
  layoutsFrom<0>();
  layoutsFrom<1>();
  layoutsFrom<2>();
  layoutsFrom<3>();
  layoutsFrom<4>();
  layoutsFrom<5>();
  allElements();
  windows();
  forms();
  wordsByRow();
  withoutMode();
  products();
  for (bool saturate : {false, true}) {
    ptoscope::Options options;
    options.cookie = uint64_t(saturate) << 48;
    auto kernel = [](bool on) {
      quantisedFrom<TileType::Vec>(on);
      quantisedFrom<TileType::Mat>(on);
      quantisedFrom<TileType::Acc>(on);
    };
    ptoscope::Result result = ptoscope::launch(options, kernel, 1, saturate);
    if (!result.ok()) {
      result.print();
      ++failures;
    }
  }
  std::printf("%d wrong\n", failures);
  return failures ? 1 : 0;
}
