//===- QueueFixpipeTest.cpp - pushes through the fixpipe ------------------===//
//
// FIFO-50 to FIFO-52: what an entry holds behind conversion, quantisation and relu, and
// how it lies, against numbers that are computed from the definition.
//
//===----------------------------------------------------------------------===//

#include "QueuePrograms.h"

using namespace queues;

namespace {

constexpr uint64_t kSigned = uint64_t(1) << 46;
/// Scales by column, as words of a Scaling tile.
float scaleOf(int col) { return 1.0f / float(1 << (col % 3)); }
std::vector<uint64_t> words() {
  std::vector<uint64_t> result;
  for (int c = 0; c < kCols; ++c)
    result.push_back(std::bit_cast<uint32_t>(scaleOf(c)) | kSigned);
  return result;
}

/// acc = x * unit in whole numbers.
using IntAcc = TileAcc<int32_t, kRows, kCols>;
void makeInts(IntAcc &acc, const int8_t *x, const int8_t *unit) {
  MatTile<int8_t, kRows, kCols> a;
  MatTile<int8_t, kCols, kCols> b;
  TileLeft<int8_t, kRows, kCols> left;
  TileRight<int8_t, kCols, kCols> right;
  TASSIGN(a, 0);
  TASSIGN(b, 0x2000);
  TASSIGN(left, 0);
  TASSIGN(right, 0);
  TASSIGN(acc, 0);
  View<const int8_t, kRows, kCols> viewA(x);
  View<const int8_t, kCols, kCols> viewB(unit);
  TLOAD(a, viewA);
  TLOAD(b, viewB);
  fence();
  TMOV(left, a);
  TMOV(right, b);
  fence();
  TMATMUL(acc, left, right);
  fence();
}

/// The first vector core stores what it pops.
template <typename Pipe, typename Popped, typename View> void store(void *slots, typename Popped::DType *out) {
  Pipe pipe(slots, kUbRing, kL1Ring);
  Popped tile;
  TPOP<Pipe, Popped, TILE_NO_SPLIT>(pipe, tile);
  fence();
  View view(out);
  if (get_subblockid() == 0)
    TSTORE(view, tile);
  fence();
  TFREE<Pipe>(pipe);
}

template <typename Out> using RowsOf = View<Out, kRows, kCols>;

/// Pushes one float tile with the options, and gives what the vector core stores.
template <typename Params, typename Popped, typename Shown = RowsOf<typename Popped::DType>, typename Prepare>
std::vector<typename Popped::DType> pushed(const char *arch, Prepare prepare) {
  using Pipe = TPipe<0, DIR_C2V, kBytes, 2, 2, true>;
  std::vector<half> x = numbered(1), unit = identity(kCols);
  std::vector<uint8_t> slots(2 * kBytes);
  std::vector<typename Popped::DType> out(kSize);
  const bool a5 = isA5(on(arch));
  auto cube = [&](half *a, half *u, uint8_t *s, auto *) {
    Pipe pipe(s, kUbRing, kL1Ring);
    AccTile acc;
    makeAcc(acc, a, u);
    prepare();
    TPUSH<Pipe, AccTile, Params>(pipe, acc);
  };
  auto vector = [&](half *, half *, uint8_t *s, auto *o) {
    if (!a5 || get_subblockid() == 0)
      store<Pipe, Popped, Shown>(s, o);
  };
  runs(arch, cube, vector, x, unit, slots, out);
  return out;
}

constexpr auto kNothing = [] {};

TEST(TileQueueFixpipe, HalfAndRelu) {
  const std::vector<half> x = numbered(1);
  for (const char *arch : {"a3", "a5"}) {
    EXPECT_EQ(
        (pushed<FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::F322F16>, Vec<half, kRows, kCols>>(arch, kNothing)), x);
    std::vector<half> cut = x;
    for (half &v : cut)
      v = float(v) > 0 ? v : half(0.0f);
    using Relu = FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::F322F16, ReluPreMode::NormalRelu>;
    EXPECT_EQ((pushed<Relu, Vec<half, kRows, kCols>>(arch, kNothing)), cut);
  }
}

TEST(TileQueueFixpipe, Layouts) {
  const std::vector<half> x = numbered(1);
  std::vector<half> columns(kSize), fractals(kSize);
  for (int r = 0; r < kRows; ++r)
    for (int c = 0; c < kCols; ++c) {
      columns[size_t(c * kRows + r)] = x[size_t(r * kCols + c)];
      fractals[size_t(c / 16 * kRows * 16 + r * 16 + c % 16)] = x[size_t(r * kCols + c)];
    }
  using Columns = Tile<TileType::Vec, half, kRows, kCols, BLayout::ColMajor>;
  using ColumnsShown = GlobalTensor<half, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, 1, kRows>, Layout::DN>;
  using Fractals = Tile<TileType::Vec, half, kRows, kCols, BLayout::ColMajor, kRows, kCols, SLayout::RowMajor>;
  using FractalsShown =
      GlobalTensor<half, Shape<1, kCols / 16, kRows / 16, 16, 16>, Stride<kSize, kRows * 16, 256, 16, 1>, Layout::NZ>;
  for (const char *arch : {"a3", "a5"}) {
    EXPECT_EQ((pushed<FixpipeParams<LayoutMode_t::NZ2DN, QuantMode_t::F322F16>, Columns, ColumnsShown>(arch, kNothing)),
              columns);
    EXPECT_EQ(
        (pushed<FixpipeParams<LayoutMode_t::NZ2NZ, QuantMode_t::F322F16>, Fractals, FractalsShown>(arch, kNothing)),
        fractals);
  }
}

/// Rounded to even and cut to 8 bits, with a sign or without.
TEST(TileQueueFixpipe, ScalarWord) {
  const std::vector<half> x = numbered(1);
  using Params = FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::QF322B8_PRE>;
  for (const char *arch : {"a3", "a5"}) {
    const auto withSign = pushed<Params, Vec<int8_t, kRows, kCols>>(arch, [] { SET_QUANT_SCALAR<int8_t>(0.375f); });
    const auto without = pushed<Params, Vec<int8_t, kRows, kCols>>(arch, [] { SET_QUANT_SCALAR<uint8_t>(0.375f); });
    for (size_t i = 0; i < x.size(); ++i) {
      const double scaled = std::nearbyint(double(float(x[i])) * 0.375);
      ASSERT_EQ(withSign[i], int8_t(std::fmin(std::fmax(scaled, -128), 127))) << arch << " " << i;
      ASSERT_EQ(uint8_t(without[i]), uint8_t(std::fmin(std::fmax(scaled, 0), 255))) << arch << " " << i;
    }
  }
}

TEST(TileQueueFixpipe, WordForEachColumn) {
  using Pipe = TPipe<0, DIR_C2V, kBytes, 2, 2, true>;
  using Params = FixpipeParams<LayoutMode_t::NZ2ND, QuantMode_t::VREQ8>;
  for (const char *arch : {"a3", "a5"}) {
    std::vector<int8_t> x(kSize), unit(kCols * kCols), out(kSize);
    for (int i = 0; i < kSize; ++i)
      x[size_t(i)] = int8_t(i * 29 % 255 - 127);
    for (int i = 0; i < kCols; ++i)
      unit[size_t(i * kCols + i)] = 2;
    std::vector<uint64_t> scales = words();
    std::vector<uint8_t> slots(2 * kBytes);
    const bool a5 = isA5(on(arch));
    auto program = [&](bool sets) {
      return [sets](int8_t *a, int8_t *u, uint64_t *w, uint8_t *s, int8_t *) {
        Pipe pipe(s, kUbRing, kL1Ring);
        Tile<TileType::Mat, uint64_t, 1, kCols> inL1;
        Tile<TileType::Scaling, uint64_t, 1, kCols> fp;
        TASSIGN(inL1, 0x8000);
        TASSIGN(fp, 0);
        View<uint64_t, 1, kCols> view(w);
        TLOAD(inL1, view);
        fence();
        TMOV(fp, inL1);
        fence();
        if (sets)
          SET_QUANT_VECTOR(fp);
        IntAcc acc;
        makeInts(acc, a, u);
        TPUSH<Pipe, IntAcc, Params>(pipe, acc);
      };
    };
    auto vector = [&](int8_t *, int8_t *, uint64_t *, uint8_t *s, int8_t *o) {
      if (!a5 || get_subblockid() == 0)
        store<Pipe, Vec<int8_t, kRows, kCols>, RowsOf<int8_t>>(s, o);
    };
    runs(arch, program(true), vector, x, unit, scales, slots, out);
    for (int i = 0; i < kSize; ++i) {
      const double scaled = std::nearbyint(2.0 * x[size_t(i)] * double(scaleOf(i % kCols)));
      ASSERT_EQ(out[size_t(i)], int8_t(std::fmin(std::fmax(scaled, -128), 127))) << arch << " " << i;
    }
    // FIFO-52: no tile was set.
    ptoscope::Result result =
        ptoscope::launch(on(arch), ptoscope::mixed(program(false), vector), 1, x, unit, scales, slots, out);
    EXPECT_TRUE(result.has("tile-unassigned")) << result.text();
  }
}

//===----------------------------------------------------------------------===//
// Queues that are typed by tiles (FIFO-60 to FIFO-63)
//===----------------------------------------------------------------------===//

/// Two strips of 32 columns are pushed one by one and popped as one tile of 64.
TEST(TileQueueTyped, StripsOfColumns) {
  constexpr int count = 4;
  using Wide = Vec<float, kRows / 2, 2 * kCols>;
  using Pipe = TMPipe<0, FIFOType::GM_FIFO, 2, 1, AccTile, Wide>;
  for (const char *arch : {"a3", "a5"}) {
    std::vector<half> x = numbered(2 * count), unit = identity(kCols);
    std::vector<uint8_t> slots(2 * 2 * kBytes);
    std::vector<float> out(x.size());
    auto cube = [&](half *a, half *u, uint8_t *s, float *) {
      Pipe pipe(s, kUbRing);
      AccTile acc;
      for (int i = 0; i < count; ++i)
        for (int strip = 0; strip < 2; ++strip) {
          makeAcc(acc, a + (2 * i + strip) * kSize, u);
          pipe.prod.setTileId(i, strip);
          pipe.prod.setAllocateStatus(strip == 0);
          pipe.prod.setRecordStatus(strip == 1);
          TPUSH(acc, pipe);
          fence();
        }
    };
    auto vector = [&](half *, half *, uint8_t *s, float *o) {
      Pipe pipe(s, kUbRing);
      Wide tile;
      for (int i = 0; i < count; ++i) {
        TPOP(tile, pipe);
        fence();
        View<float, kRows / 2, 2 * kCols> view(o + i * 2 * kSize + get_subblockid() * kSize);
        TSTORE(view, tile);
        TFREE(pipe);
        fence();
      }
    };
    runs(arch, cube, vector, x, unit, slots, out);
    for (int i = 0; i < count; ++i)
      for (int r = 0; r < kRows; ++r)
        for (int c = 0; c < 2 * kCols; ++c)
          ASSERT_EQ(out[size_t(i * 2 * kSize + r * 2 * kCols + c)],
                    float(x[size_t((2 * i + c / kCols) * kSize + r * kCols + c % kCols)]))
              << arch << " " << i << " " << r << " " << c;
  }
}

/// FIFO-63: half of the rows for each vector core; the entry is free when the pop says so.
TEST(TileQueueTyped, InVec) {
  constexpr int count = 3;
  using Part = Vec<float, kRows / 2, kCols>;
  using Pipe = TMPipe<0, FIFOType::VEC_FIFO, 2, 1, AccTile, Part>;
  std::vector<half> x = numbered(count), unit = identity(kCols);
  std::vector<float> out(x.size());
  auto cube = [&](half *a, half *u, float *) {
    Pipe pipe(kUbRing);
    AccTile acc;
    for (int i = 0; i < count; ++i) {
      makeAcc(acc, a + i * kSize, u);
      TPUSH(acc, pipe);
      fence();
    }
  };
  auto vector = [&](half *, half *, float *o) {
    Pipe pipe(kUbRing);
    Part tile;
    pipe.cons.setFreeStatus(false);
    for (int i = 0; i < count; ++i) {
      TPOP(tile, pipe);
      fence();
      View<float, kRows / 2, kCols> view(o + i * kSize + get_subblockid() * kSize / 2);
      TSTORE(view, tile);
      fence();
      TFREE(pipe);
    }
  };
  runs("a5", cube, vector, x, unit, out);
  EXPECT_EQ(out, std::vector<float>(x.begin(), x.end()));
}

} // namespace
