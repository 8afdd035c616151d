//===- QueueAutoTest.cpp - queues and signals where the library orders ----===//
//
// Kernels of clusters without places, flags and barriers. What orders the cores of a
// cluster is still in the program: TPUSH and TPOP, or signals.
//
//===----------------------------------------------------------------------===//

#define __PTO_AUTO__
#include "QueuePrograms.h"

using namespace queues;

namespace {

constexpr int kCount = 7;

/// a * unit; nothing is placed, nothing is ordered.
void product(AccTile &acc, const half *x, const half *unit) {
  MatTile<half, kRows, kCols> a;
  MatTile<half, kCols, kCols> b;
  TileLeft<half, kRows, kCols> left;
  TileRight<half, kCols, kCols> right;
  View<const half, kRows, kCols> ga(x);
  View<const half, kCols, kCols> gb(unit);
  TLOAD(a, ga);
  TLOAD(b, gb);
  TMOV(left, a);
  TMOV(right, b);
  TMATMUL(acc, left, right);
}

TEST(TileQueueAuto, FromCube) { // TAUTO-1, TAUTO-3, FIFO-21, FIFO-23
  using Pipe = TPipe<0, DIR_C2V, kBytes, 2>;
  using Part = Vec<float, kRows / 2, kCols>;
  for (const char *arch : {"a3", "a5"}) {
    std::vector<half> x = numbered(kCount), unit = identity(kCols);
    std::vector<uint8_t> slots(2 * kBytes);
    std::vector<float> out(x.size());
    auto cube = [](half *a, half *u, uint8_t *s, float *) {
      Pipe pipe(s, kUbRing, kL1Ring);
      AccTile acc;
      for (int i = 0; i < kCount; ++i) {
        product(acc, a + i * kSize, u);
        TPUSH<Pipe, AccTile, TILE_UP_DOWN>(pipe, acc);
      }
    };
    auto vector = [](half *, half *, uint8_t *s, float *o) {
      Pipe pipe(s, kUbRing, kL1Ring);
      Part tile, sum;
      for (int i = 0; i < kCount; ++i) {
        TPOP<Pipe, Part, TILE_UP_DOWN>(pipe, tile);
        TADDS(sum, tile, float(i));
        TFREE<Pipe, TILE_UP_DOWN>(pipe);
        View<float, kRows / 2, kCols> view(o + i * kSize + get_subblockid() * kSize / 2);
        TSTORE(view, sum);
      }
    };
    runs(arch, cube, vector, x, unit, slots, out);
    for (size_t i = 0; i < out.size(); ++i)
      ASSERT_EQ(out[i], float(x[i]) + float(i / kSize)) << arch << " " << i;
  }
}

/// A signal comes after all that its core has issued, whatever pipe it names; a wait stops the core.
TEST(TileQueueAuto, Signals) { // XSYNC-16
  for (const char *arch : {"a3", "a5"}) {
    const bool a5 = isA5(on(arch));
    std::vector<half> x = numbered(1), unit = identity(kCols);
    std::vector<float> c(kSize), out(kSize);
    for (bool waits : {true, false}) {
      auto cube = [&](half *a, half *u, float *c, float *) {
        set_ffts_base_addr(1);
        AccTile acc;
        product(acc, a, u);
        View<float, kRows, kCols> view(c);
        TSTORE(view, acc); // on FIX; the signals name MTE2
        if (a5) {
          set_intra_block(PIPE_MTE2, 0);
          set_intra_block(PIPE_MTE2, 16);
        } else {
          ffts_cross_core_sync(PIPE_MTE2, getFFTSMsg(2, 0));
        }
      };
      auto vector = [&](half *, half *, float *c, float *o) {
        set_ffts_base_addr(1);
        const int64_t part = get_subblockid() * kSize / 2;
        const auto wait = [&] {
          if (a5)
            wait_intra_block(PIPE_MTE2, 0);
          else
            wait_flag_dev(0);
        };
        if (waits)
          wait();
        Vec<float, kRows / 2, kCols> tile;
        View<float, kRows / 2, kCols> from(c + part), to(o + part);
        TLOAD(tile, from);
        TADDS(tile, tile, 1.0f);
        TSTORE(to, tile);
        if (!waits)
          wait();
      };
      for (const ptoscope::Options &options : schedules(2)) {
        SCOPED_TRACE(arch + (" " + nameOf(options)));
        ptoscope::Result result =
            ptoscope::launch(on(arch, options), ptoscope::mixed(cube, vector), 1, x, unit, c, out);
        EXPECT_EQ(result.ok(), waits) << result.text();
        EXPECT_EQ(result.has("race-raw") || result.has("race-war"), !waits) << result.text();
        for (int i = 0; waits && i < kSize; ++i)
          ASSERT_EQ(out[size_t(i)], float(x[size_t(i)]) + 1) << i;
      }
    }
  }
}

/// Not every core reaches these barriers: nothing waits.
TEST(TileQueueAuto, SyncAllDoesNothing) { // XSYNC-24
  std::vector<int32_t> workspace(8);
  auto kernel = [](int32_t *words) {
    if (get_block_idx() != 0)
      return;
    SYNCALL();
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, 8>, Stride<8, 8, 8, 8, 1>> counter(words);
    SYNCALL<SyncAllMode::Soft>(counter, 2);
  };
  for (const ptoscope::Options &options : schedules(1)) {
    ptoscope::Result result = ptoscope::launch(options, ptoscope::vectorOnly(kernel), 2, workspace);
    EXPECT_TRUE(result.ok() && result.completed() && result.size() == 0) << result.text();
    EXPECT_EQ(workspace, std::vector<int32_t>(8));
  }
}

} // namespace
