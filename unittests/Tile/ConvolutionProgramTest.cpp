//===- ConvolutionProgramTest.cpp - programs with convolution tiles -------===//
//
// CONVT-1 to CONVT-14: convolutions by TIMG2COL and products against direct ones, loads and
// transposes between layouts against their definitions by index.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <array>

using namespace pto;
using namespace programs;

namespace convolutionProgram {

/// Images, channels, sizes and how a filter walks over them.
struct Params {
  int n, d, c, h, w, out, kh, kw, strideH, strideW, dilationH, dilationW, left, right, top, bottom;
  constexpr int outH() const { return (h + top + bottom - dilationH * (kh - 1) - 1) / strideH + 1; }
  constexpr int outW() const { return (w + left + right - dilationW * (kw - 1) - 1) / strideW + 1; }
};

int imageAt(int n, int d, int c, int h, int w) { return (n * 3 + d * 5 + c * 7 + h * 2 + w) % 7 - 3; }
int filterAt(int out, int c, int h, int w) { return (out * 2 + c * 3 + h + w * 5) % 5 - 2; }

enum class Registers { Auto, Manual, SecondManual, NoSize, NoPadding };

/// The whole convolution on one core, K in strips of kStrip; the filter in either form.
template <typename T, typename Sum, Params P, Registers R, bool Folded, int Pad = 0>
ptoscope::Result convolve(const ptoscope::Options &options, std::vector<Sum> &y) {
  static constexpr int kC0 = 32 / sizeof(T), kC1 = (P.c + kC0 - 1) / kC0, kK = kC1 * P.kh * P.kw * kC0, kStrip = 64;
  static constexpr int kM = P.n * P.d * P.outH() * P.outW(), kRows = (kM + 15) / 16 * 16;
  static constexpr int kOut = (P.out + 15) / 16 * 16;
  std::vector<T> x(size_t(P.n * P.d * kC1 * P.h * P.w * kC0)), f(size_t(kK * kOut));
  for (int n = 0; n < P.n; ++n)
    for (int d = 0; d < P.d; ++d)
      for (int c = 0; c < P.c; ++c)
        for (int h = 0; h < P.h; ++h)
          for (int w = 0; w < P.w; ++w)
            x[size_t(((((n * P.d + d) * kC1 + c / kC0) * P.h + h) * P.w + w) * kC0 + c % kC0)] =
                T(imageAt(n, d, c, h, w));
  for (int o = 0; o < P.out; ++o)
    for (int c = 0; c < P.c; ++c)
      for (int h = 0; h < P.kh; ++h)
        for (int w = 0; w < P.kw; ++w)
          f[size_t((((c / kC0 * P.kh + h) * P.kw + w) * kOut + o) * kC0 + c % kC0)] = T(filterAt(o, c, h, w));
  y.assign(size_t(kM * P.out), Sum(-77));
  auto kernel = [](T *px, T *pf, Sum *py) {
    constexpr auto kLayout = P.d > 1 ? Layout::NDC1HWC0 : Layout::NC1HWC0;
    using MapShape = std::conditional_t<(P.d > 1), ConvTileShape<P.n, P.d, kC1, P.h, P.w, kC0>,
                                        ConvTileShape<P.n, kC1, DYNAMIC, P.w, kC0>>;
    using FilterShape = std::conditional_t<Folded, ConvTileShape<kC1 * P.kh * P.kw, kOut / 16, 16, kC0>,
                                           ConvTileShape<kC1, P.kh, P.kw, kOut, kC0>>;
    ConvTile<TileType::Mat, T, 65536, kLayout, MapShape> map;
    ConvTile<TileType::Mat, T, 65536, Layout::FRACTAL_Z, FilterShape> filter;
    if constexpr (P.d == 1)
      map.SetDynamicShape(P.h);
    TileLeft<T, kRows, kStrip, kM, DYNAMIC> left(kStrip);
    TileRight<T, kStrip, kOut, DYNAMIC, P.out> right(kStrip);
    TileAcc<Sum, kRows, kOut, kM, P.out> sum;
    TASSIGN(map, 0);
    TASSIGN<0x20000>(filter);
    TASSIGN(left, 0);
    TASSIGN(right, 0);
    TASSIGN(sum, 0);
    if constexpr (P.d > 1) {
      constexpr int kW = kC0, kH = P.w * kW, kC = P.h * kH, kD = kC1 * kC;
      GlobalTensor<T, Shape<P.n, P.d, kC1, P.h, P.w>, Stride<P.d * kD, kD, kC, kH, kW>, kLayout> gx(px);
      TLOAD(map, gx);
    } else {
      constexpr int kW = kC0, kH = P.w * kW, kC = P.h * kH;
      GlobalTensor<T, Shape<P.n, kC1, P.h, P.w, kC0>, Stride<kC1 * kC, kC, kH, kW, 1>, kLayout> gx(px);
      TLOAD(map, gx);
    }
    if constexpr (Folded) {
      constexpr int kBlock = kOut * kC0;
      GlobalTensor<T, Shape<1, kC1 * P.kh * P.kw, kOut / 16, 16, kC0>,
                   Stride<kC1 * P.kh * P.kw * kBlock, kBlock, 16 * kC0, kC0, 1>, Layout::FRACTAL_Z>
          gf(pf);
      TLOAD(filter, gf);
    } else {
      constexpr int kW = kOut * kC0, kH = P.kw * kW, kC = P.kh * kH;
      GlobalTensor<T, Shape<kC1, P.kh, P.kw, kOut, kC0>, Stride<kC, kH, kW, kC0, 1>, Layout::FRACTAL_Z> gf(pf);
      TLOAD(filter, gf);
    }
    const uint8_t pads[4] = {P.left, P.right, P.top, P.bottom};
    map.SetFmapH(P.h);
    map.SetFmapW(P.w);
    map.SetPadListArray(pads);
    map.SetFilterH(P.kh);
    map.SetFilterW(P.kw);
    map.SetStrideH(P.strideH);
    map.SetStrideW(P.strideW);
    map.SetDilationH(P.dilationH);
    map.SetDilationW(P.dilationW);
    map.SetPadValue(T(Pad));
    constexpr auto kMode = R == Registers::Auto           ? SetFmatrixMode::FMATRIX_A_AUTO
                           : R == Registers::SecondManual ? SetFmatrixMode::FMATRIX_B_MANUAL
                                                          : SetFmatrixMode::FMATRIX_A_MANUAL;
    using Map = decltype(map);
    if constexpr (R != Registers::NoSize)
      SETFMATRIX<Map, kMode>(map);
    SET_IMG2COL_RPT<Map, kMode>(map);
    if constexpr (R != Registers::NoPadding)
      SET_IMG2COL_PADDING<Map, kMode>(map);
    fence();
    for (int k = 0; k < kK; k += kStrip) {
      const int cols = std::min(kStrip, kK - k);
      left.SetValidCol(cols);
      right.SetValidRow(cols);
      if constexpr (kMode == SetFmatrixMode::FMATRIX_A_MANUAL)
        TIMG2COL(left, map, 0, uint16_t(k));
      else
        TIMG2COL<decltype(left), Map, kMode>(left, map, 0, uint16_t(k));
      TEXTRACT(right, filter, k, 0);
      fence();
      if (k == 0)
        TMATMUL(sum, left, right);
      else
        TMATMUL_ACC(sum, left, right);
      fence();
    }
    View<Sum, kM, P.out> gy(py);
    TSTORE(gy, sum);
  };
  return ptoscope::launch(options, kernel, 1, x, f, y);
}

template <typename T, typename Sum, Params P, Registers R, bool Folded, int Pad = 0> void check() {
  std::vector<Sum> y;
  clean([&](const ptoscope::Options &options) {
    ptoscope::Result result = convolve<T, Sum, P, R, Folded, Pad>(options, y);
    size_t at = 0;
    for (int n = 0; n < P.n; ++n)
      for (int d = 0; d < P.d; ++d)
        for (int oh = 0; oh < P.outH(); ++oh)
          for (int ow = 0; ow < P.outW(); ++ow)
            for (int o = 0; o < P.out; ++o, ++at) {
              int64_t sum = 0;
              for (int c = 0; c < P.c; ++c)
                for (int kh = 0; kh < P.kh; ++kh)
                  for (int kw = 0; kw < P.kw; ++kw) {
                    const int h = oh * P.strideH + kh * P.dilationH - P.top;
                    const int w = ow * P.strideW + kw * P.dilationW - P.left;
                    const bool inside = h >= 0 && h < P.h && w >= 0 && w < P.w;
                    sum += (inside ? imageAt(n, d, c, h, w) : Pad) * filterAt(o, c, kh, kw);
                  }
              EXPECT_EQ(double(y[at]), double(sum)) << n << " " << d << " " << oh << " " << ow << " " << o;
            }
    return result;
  });
}

//                         n  d  c   h  w  out kh kw  stride dilation  left right top bottom
constexpr Params kPlain = {1, 1, 16, 6, 7, 16, 3, 3, 1, 1, 1, 1, 0, 0, 0, 0};
constexpr Params kPadded = {1, 1, 20, 7, 6, 24, 3, 2, 1, 2, 1, 1, 1, 2, 1, 2};
constexpr Params kDilated = {2, 1, 16, 8, 8, 16, 3, 3, 2, 1, 2, 2, 2, 2, 1, 1};
constexpr Params kDeep = {1, 2, 32, 5, 4, 16, 2, 3, 1, 1, 1, 1, 1, 1, 0, 1};
constexpr Params kBytes = {1, 1, 40, 5, 5, 16, 3, 3, 2, 2, 1, 1, 1, 1, 1, 1};
constexpr Params kFloats = {1, 1, 12, 5, 6, 16, 2, 2, 1, 1, 1, 2, 0, 1, 1, 0};

TEST(TileConvolution, AgainstDirectOnes) {
  check<half, float, kPlain, Registers::Auto, false>();
  check<half, float, kPadded, Registers::Manual, true>();
  check<bfloat16_t, float, kDilated, Registers::SecondManual, false>();
  check<half, float, kDeep, Registers::Manual, false>();
  check<int8_t, int32_t, kBytes, Registers::Auto, true>();
  check<float, float, kFloats, Registers::Manual, false>();
}
/// Channels that fill their blocks, so that the padding value meets defined weights.
TEST(TileConvolution, PaddingValue) {
  constexpr Params kFull = {1, 1, 32, 5, 5, 16, 3, 3, 1, 1, 1, 1, 1, 1, 1, 1};
  check<half, float, kFull, Registers::Auto, false, 3>();
  check<int8_t, int32_t, kFull, Registers::Manual, true, -2>();
}

TEST(TileConvolution, MissingRegisters) {
  std::vector<float> y;
  const ptoscope::Options options;
  ptoscope::Result size = convolve<half, float, kPlain, Registers::NoSize, false>(options, y);
  EXPECT_TRUE(size.has("conv-register-unset")) << size.text();
  EXPECT_TRUE(size.has("operand-range")) << size.text(); // a map of 0 x 0
  ptoscope::Result padding = convolve<half, float, kPlain, Registers::NoPadding, false>(options, y);
  EXPECT_TRUE(padding.has("conv-register-unset")) << padding.text();
  EXPECT_EQ(padding.size(), 1u) << padding.text();
  EXPECT_TRUE(padding.ok());
  EXPECT_EQ((convolve<half, float, kPlain, Registers::Manual, false>(options, y).size()), 0u);
}

/// What no document defines is refused; a start inside a fractal is reported.
TEST(TileConvolution, Refused) {
  enum class Case { Fine, Transpose, RepeatMode, RepeatTime, Position, Window };
  const char *codes[] = {"", "not-modelled", "not-modelled", "not-modelled", "operand-range", "tile-window"};
  for (const Case which :
       {Case::Fine, Case::Transpose, Case::RepeatMode, Case::RepeatTime, Case::Position, Case::Window}) {
    ptoscope::Result result = ptoscope::launch(
        [](Case is) {
          ConvTile<TileType::Mat, half, 4096, Layout::NC1HWC0, ConvTileShape<1, 1, 8, 8>> map;
          ConvTile<TileType::Mat, half, 4096, Layout::FRACTAL_Z, ConvTileShape<2, 1, 1, 32, 16>> filter;
          TileLeft<half, 16, 16> left;
          TileRight<half, 16, 16> right;
          TASSIGN(map, 0);
          TASSIGN(filter, 0x4000);
          TASSIGN(left, 0);
          TASSIGN(right, 0);
          std::memset(static_cast<void *>(map.data()), 0, 2048);
          std::memset(static_cast<void *>(filter.data()), 0, 2048);
          map.SetFmapH(8);
          map.SetFmapW(8);
          if (is == Case::Transpose)
            map.SetTranspose(true);
          if (is == Case::RepeatMode)
            map.SetRepeatMode(1);
          if (is == Case::RepeatTime)
            map.SetRepeatTime(2);
          TIMG2COL<decltype(left), decltype(map), SetFmatrixMode::FMATRIX_A_AUTO>(left, map,
                                                                                  is == Case::Position ? 5 : 16, 0);
          TEXTRACT(right, filter, 16, is == Case::Window ? 8 : 16);
        },
        1, which);
    EXPECT_EQ(result.size(), size_t(which != Case::Fine)) << result.text();
    if (which != Case::Fine)
      EXPECT_TRUE(result.has(codes[int(which)])) << result.text();
  }
}

//===----------------------------------------------------------------------===//
// Layouts
//===----------------------------------------------------------------------===//

constexpr int kN = 3, kC = 20, kD = 2, kH = 4, kW = 5, kG = 2, kC0 = 16, kC1 = 2;
half valueAt(int g, int n, int c, int d, int h, int w) {
  return half(float(1 + g * 700 + n * 211 + c * 17 + d * 5 + h * 3 + w) / 4);
}
/// All elements of a tensor, the last coordinate fastest, by a function of six of them in that order.
template <typename F> std::vector<half> dense(std::array<int, 6> extent, F value) {
  std::vector<half> result;
  std::array<int, 6> i{};
  for (i[0] = 0; i[0] < extent[0]; ++i[0])
    for (i[1] = 0; i[1] < extent[1]; ++i[1])
      for (i[2] = 0; i[2] < extent[2]; ++i[2])
        for (i[3] = 0; i[3] < extent[3]; ++i[3])
          for (i[4] = 0; i[4] < extent[4]; ++i[4])
            for (i[5] = 0; i[5] < extent[5]; ++i[5])
              result.push_back(value(i));
  return result;
}
using Index = std::array<int, 6>;
half orZero(bool has, int g, int n, int c, int d, int h, int w) { return has ? valueAt(g, n, c, d, h, w) : half(0); }

/// Loads, and gives what the tile holds then.
template <typename Conv, typename G> std::vector<half> loaded(std::vector<half> &x, size_t count) {
  std::vector<half> y(count, half(-1));
  ptoscope::Result result = ptoscope::launch(
      [](half *px, half *py, size_t elements) {
        Conv conv;
        TASSIGN(conv, 0x40);
        G view(px);
        TLOAD(conv, view);
        std::memcpy(static_cast<void *>(py), static_cast<void *>(conv.data()), elements * sizeof(half));
      },
      1, x, y, count);
  EXPECT_EQ(result.size(), 0u) << result.text();
  return y;
}

TEST(TileConvolution, LoadsOfOtherLayouts) {
  using Blocks = ConvTile<TileType::Mat, half, 1, Layout::NC1HWC0, ConvTileShape<kN, kC1, kH, kW>>;
  constexpr int kPlane = kH * kW;
  std::vector<half> nchw = dense({1, kN, kC, 1, kH, kW}, [](Index i) { return valueAt(0, i[1], i[2], 0, i[4], i[5]); });
  std::vector<half> nhwc = dense({1, kN, 1, kH, kW, kC}, [](Index i) { return valueAt(0, i[1], i[5], 0, i[3], i[4]); });
  std::vector<half> ncdhw =
      dense({1, kN, kC, kD, kH, kW}, [](Index i) { return valueAt(0, i[1], i[2], i[3], i[4], i[5]); });
  const std::vector<half> blocks = dense({1, kN, kC1, kH, kW, kC0}, [](Index i) {
    const int c = i[2] * kC0 + i[5];
    return orZero(c < kC, 0, i[1], c, 0, i[3], i[4]);
  });
  using Planes =
      GlobalTensor<half, Shape<1, kN, kC, kH, kW>, Stride<kN * kC * kPlane, kC * kPlane, kPlane, kW, 1>, Layout::NCHW>;
  EXPECT_EQ((loaded<Blocks, Planes>(nchw, blocks.size())), blocks);
  using PlanesFirst = GlobalTensor<half, Shape<kN, kC, kH, kW, 1>, Stride<kC * kPlane, kPlane, kW, 1, 1>, Layout::NCHW>;
  EXPECT_EQ((loaded<Blocks, PlanesFirst>(nchw, blocks.size())), blocks);
  using Last =
      GlobalTensor<half, Shape<1, kN, kH, kW, kC>, Stride<kN * kC * kPlane, kC * kPlane, kW * kC, kC, 1>, Layout::NHWC>;
  EXPECT_EQ((loaded<Blocks, Last>(nhwc, blocks.size())), blocks);
  // A part of the images, from the first row and column on.
  using Part = ConvTile<TileType::Mat, half, 1, Layout::NC1HWC0, ConvTileShape<2, 1, 3, 2, kC0>>;
  const std::vector<half> part =
      dense({1, 2, 1, 3, 2, kC0}, [](Index i) { return valueAt(0, i[1], i[5], 0, i[3], i[4]); });
  EXPECT_EQ((loaded<Part, Planes>(nchw, part.size())), part);
  std::vector<half> stored = blocks;
  using Same = GlobalTensor<half, Shape<kN, kC1, kH, kW, kC0>,
                            Stride<kC1 * kPlane * kC0, kPlane * kC0, kW * kC0, kC0, 1>, Layout::NC1HWC0>;
  EXPECT_EQ((loaded<Part, Same>(stored, part.size())), part);
  // Depth.
  using Deep = ConvTile<TileType::Mat, half, 1, Layout::NDC1HWC0, ConvTileShape<kN, kD, kC1, kH, kW, kC0>>;
  using DeepPlanes = GlobalTensor<half, Shape<kN, kC, kD, kH, kW>, Stride<kC * kD * kPlane, kD * kPlane, kPlane, kW, 1>,
                                  Layout::NCDHW>;
  std::vector<half> deep;
  for (int n = 0; n < kN; ++n)
    for (int d = 0; d < kD; ++d)
      for (const half x : dense({1, 1, kC1, kH, kW, kC0}, [&](Index i) {
             const int c = i[2] * kC0 + i[5];
             return orZero(c < kC, 0, n, c, d, i[3], i[4]);
           }))
        deep.push_back(x);
  EXPECT_EQ((loaded<Deep, DeepPlanes>(ncdhw, deep.size())), deep);
  // Filters: 16 images in each block.
  const auto filterOf = [](int depth) {
    std::vector<half> result;
    for (int d = 0; d < depth; ++d)
      for (const half x : dense({1, kC1, kH, kW, 16, kC0}, [&](Index i) {
             const int c = i[1] * kC0 + i[5];
             return orZero(c < kC && i[4] < kN, 0, i[4], c, d, i[2], i[3]);
           }))
        result.push_back(x);
    return result;
  };
  using Filter = ConvTile<TileType::Mat, half, 1, Layout::FRACTAL_Z, ConvTileShape<kC1, kH, kW, 16, kC0>>;
  using Folded = ConvTile<TileType::Mat, half, 1, Layout::FRACTAL_Z, ConvTileShape<kC1 * kPlane, 1, 16, kC0>>;
  using Cube = ConvTile<TileType::Mat, half, 1, Layout::FRACTAL_Z_3D, ConvTileShape<kD * kC1 * kPlane, 1, 16, kC0>>;
  EXPECT_EQ((loaded<Filter, Planes>(nchw, filterOf(1).size())), filterOf(1));
  EXPECT_EQ((loaded<Folded, Planes>(nchw, filterOf(1).size())), filterOf(1));
  EXPECT_EQ((loaded<Cube, DeepPlanes>(ncdhw, filterOf(kD).size())), filterOf(kD));
}

/// Transposes what `src` holds, and gives what the destination holds then.
template <typename D, typename S> std::vector<half> transposed(std::vector<half> x, size_t count) {
  std::vector<half> y(count, half(-1));
  ptoscope::Result result = ptoscope::launch(
      [](half *px, half *py, size_t from, size_t to) {
        D dst;
        S src;
        Vec<half, 1, 64> tmp;
        TASSIGN(src, 0);
        TASSIGN(dst, 0x10000);
        TASSIGN(tmp, 0x2fe00);
        std::memcpy(static_cast<void *>(src.data()), static_cast<void *>(px), from * sizeof(half));
        TTRANS(dst, src, tmp);
        std::memcpy(static_cast<void *>(py), static_cast<void *>(dst.data()), to * sizeof(half));
      },
      1, x, y, x.size(), count);
  EXPECT_EQ(result.size(), 0u) << result.text();
  return y;
}

TEST(TileConvolution, Transposes) {
  const auto planes = [](int groups, int channels) {
    return dense({groups, kN, channels, 1, kH, kW}, [](Index i) { return valueAt(i[0], i[1], i[2], 0, i[4], i[5]); });
  };
  const auto blocks = [](int groups, int channels) {
    return dense({groups, kN, kC1, kH, kW, kC0}, [=](Index i) {
      const int c = i[2] * kC0 + i[5];
      return orZero(c < channels, i[0], i[1], c, 0, i[3], i[4]);
    });
  };
  const auto filters = [](int groups) {
    return dense({groups, kC1, kH, kW, 16, kC0},
                 [](Index i) { return orZero(i[4] < kN, i[0], i[4], i[1] * kC0 + i[5], 0, i[2], i[3]); });
  };
  using Planes = ConvTile<TileType::Vec, half, 1, Layout::NCHW, ConvTileShape<kN, kC, kH, kW>>;
  using Full = ConvTile<TileType::Vec, half, 1, Layout::NCHW, ConvTileShape<kN, kC1 * kC0, kH, kW>>;
  using Blocks = ConvTile<TileType::Vec, half, 1, Layout::NC1HWC0, ConvTileShape<kN, kC1, kH, kW, kC0>>;
  using Filter = ConvTile<TileType::Vec, half, 1, Layout::FRACTAL_Z, ConvTileShape<kC1 * kH * kW, 1, 16, kC0>>;
  EXPECT_EQ((transposed<Blocks, Planes>(planes(1, kC), blocks(1, kC).size())), blocks(1, kC));
  EXPECT_EQ((transposed<Full, Blocks>(blocks(1, kC1 * kC0), planes(1, kC1 * kC0).size())), planes(1, kC1 * kC0));
  EXPECT_EQ((transposed<Filter, Blocks>(blocks(1, kC1 * kC0), filters(1).size())), filters(1));
  using GroupPlanes = ConvTile<TileType::Vec, half, 1, Layout::GNCHW, ConvTileShape<kG, kN, kC, kH, kW>>;
  using GroupBlocks = ConvTile<TileType::Vec, half, 1, Layout::GNC1HWC0, ConvTileShape<kG, kN, kC1, kH, kW, kC0>>;
  using GroupFilter =
      ConvTile<TileType::Vec, half, 1, Layout::FRACTAL_Z, ConvTileShape<kG * kC1 * kH * kW, 1, 16, kC0>>;
  EXPECT_EQ((transposed<GroupBlocks, GroupPlanes>(planes(kG, kC), blocks(kG, kC).size())), blocks(kG, kC));
  EXPECT_EQ((transposed<GroupFilter, GroupBlocks>(blocks(kG, kC1 * kC0), filters(kG).size())), filters(kG));
  using DeepPlanes = ConvTile<TileType::Vec, half, 1, Layout::NCDHW, ConvTileShape<kN, kC, kD, kH, kW>>;
  using Cube = ConvTile<TileType::Vec, half, 1, Layout::FRACTAL_Z_3D, ConvTileShape<kD * kC1 * kH * kW, 1, 16, kC0>>;
  const std::vector<half> ncdhw =
      dense({1, kN, kC, kD, kH, kW}, [](Index i) { return valueAt(0, i[1], i[2], i[3], i[4], i[5]); });
  const std::vector<half> cube = dense({kD, kC1, kH, kW, 16, kC0}, [](Index i) {
    const int c = i[1] * kC0 + i[5];
    return orZero(c < kC && i[4] < kN, 0, i[4], c, i[0], i[2], i[3]);
  });
  EXPECT_EQ((transposed<Cube, DeepPlanes>(ncdhw, cube.size())), cube);
}

/// Members have their defaults and keep what is set (CONVT-3).
TEST(TileConvolution, Members) {
  ConvTile<TileType::Mat, half, 512, Layout::NC1HWC0, ConvTileShape<-1, 2, -1, 7, 16>> conv(3, 5);
  EXPECT_EQ(conv.GetShape(0), 3);
  EXPECT_EQ(conv.GetShape(2), 5);
  EXPECT_EQ(conv.GetShape(4), 16);
  conv.SetDynamicShape(1, 4);
  EXPECT_EQ(conv.GetShape(2), 4);
  EXPECT_EQ(decltype(conv)::totalDimCount, 5);
  EXPECT_EQ(decltype(conv)::bufferSize, 512);
  EXPECT_EQ(decltype(conv)::layout, Layout::NC1HWC0);
  EXPECT_EQ(decltype(conv)::staticShape[3], 7);
  EXPECT_EQ(conv.GetFilterH(), 1);
  EXPECT_EQ(conv.GetStrideW(), 1);
  EXPECT_EQ(conv.GetDilationH(), 1);
  EXPECT_EQ(conv.GetRepeatTime(), 1);
  EXPECT_EQ(
      conv.GetRepeatMode() + conv.GetRepeatStride() + conv.GetChannelSize() + conv.GetFmapH() + conv.GetDstStride(), 0);
  EXPECT_FALSE(conv.GetTranspose());
  conv.SetPadList(2, 9);
  EXPECT_EQ(conv.GetPadListArray()[2], 9);
  EXPECT_EQ(float(conv.GetPadValue()), 0.0f);
}

} // namespace convolutionProgram
