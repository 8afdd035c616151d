//===- WorldClusterTest.cpp - mixed kernels on several devices ------------===//
//
// A cluster on each device: numbers of a rank pass from its cube core to its vector cores,
// and from there into the window of the next rank, under every schedule on both profiles.
// Each missing order, within a cluster and between devices, is found.
//
//===----------------------------------------------------------------------===//

#include "CommPrograms.h"
#include "QueuePrograms.h"

using namespace queues;
using namespace pto::comm;
using devices::remote;
using ptoscope::CommDeviceContext;

namespace {

constexpr int kRanks = 3, kHalfRows = kRows / 2, kHalfSize = kSize / 2;
using Half = Vec<float, kHalfRows, kCols>;
using HalfView = View<float, kHalfRows, kCols>;

int nextOf(const CommDeviceContext *context) { return int((context->rankId + 1) % context->rankNum); }

struct Devices {
  ptoscope::World world{kRanks};
  ptoscope::Symmetric<half> x = world.symmetric<half>(kSize), unit = world.symmetric<half>(kCols * kCols);
  ptoscope::Symmetric<uint8_t> slots = world.symmetric<uint8_t>(2 * kBytes);
  ptoscope::Symmetric<float> c = world.symmetric<float>(kSize), box = world.symmetric<float>(kSize),
                             out = world.symmetric<float>(kSize);
  ptoscope::Symmetric<int32_t> words = world.symmetric<int32_t>(2);

  Devices() {
    const std::vector<half> numbers = numbered(kRanks), one = identity(kCols);
    for (int rank = 0; rank < kRanks; ++rank) {
      std::copy_n(numbers.begin() + rank * kSize, kSize, x[rank]);
      std::copy(one.begin(), one.end(), unit[rank]);
    }
  }
  template <typename Cube, typename Vector>
  ptoscope::Result run(const ptoscope::Options &options, Cube cube, Vector vector) {
    return world.run(options, ptoscope::mixed(cube, vector), 1, world.context(), x, unit, slots, c, box, out, words);
  }
  /// Every rank has the numbers of the one before it, plus 1.
  void expectPassedOn() {
    for (int rank = 0; rank < kRanks; ++rank)
      for (int i = 0; i < kSize; ++i)
        ASSERT_EQ(out[rank][i], float(x[(rank + kRanks - 1) % kRanks][i]) + 1) << rank << " " << i;
  }
};

/// What came from the rank before, plus 1.
void finish(float *box, float *out, int32_t *word) {
  TWAIT(Signal(word), 1, WaitCmp::EQ);
  Half piece;
  TASSIGN(piece, 0x2000);
  HalfView from(box), to(out);
  TLOAD(piece, from);
  fence();
  TADDS(piece, piece, 1.0f);
  fence();
  TSTORE(to, piece);
}

enum class Slip { None, NoWait, NoBarrier };

ptoscope::Result passOn(Devices &devices, const ptoscope::Options &options, Slip slip) {
  const bool a5 = isA5(options);
  auto cube = [=](const CommDeviceContext *, half *x, half *unit, uint8_t *, float *c, float *, float *, int32_t *) {
    set_ffts_base_addr(1);
    AccTile acc;
    makeAcc(acc, x, unit);
    View<float, kRows, kCols> view(c);
    TSTORE(view, acc);
    if (a5) {
      set_intra_block(PIPE_FIX, 0);
      set_intra_block(PIPE_FIX, 16);
    } else {
      ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(2, 0));
    }
  };
  auto vector = [=](const CommDeviceContext *context, half *, half *, uint8_t *, float *c, float *box, float *out,
                    int32_t *words) {
    set_ffts_base_addr(1);
    const int64_t sub = get_subblockid(), part = sub * kHalfSize;
    Half stage;
    TASSIGN(stage, 0);
    if (slip == Slip::NoWait) // too late
      pipe_barrier(PIPE_ALL);
    else if (a5)
      wait_intra_block(PIPE_MTE2, 0);
    else
      wait_flag_dev(0);
    HalfView from(c + part), to(remote(context, box, nextOf(context)) + part);
    TPUT(to, from, stage);
    if (slip != Slip::NoBarrier)
      pipe_barrier(PIPE_ALL);
    TNOTIFY(Signal(remote(context, words, nextOf(context)) + sub), 1, NotifyOp::Set);
    finish(box + part, out + part, words + sub);
    if (slip == Slip::NoWait) {
      if (a5)
        wait_intra_block(PIPE_MTE2, 0);
      else
        wait_flag_dev(0);
    }
  };
  return devices.run(options, cube, vector);
}

TEST(TileWorldCluster, PassesNumbersOn) { // COMM-5, COMM-25, XSYNC-14
  for (const char *arch : {"a3", "a5"})
    for (const ptoscope::Options &options : schedules()) {
      SCOPED_TRACE(arch + (" " + nameOf(options)));
      Devices devices;
      ptoscope::Result result = passOn(devices, on(arch, options), Slip::None);
      EXPECT_TRUE(result.ok() && result.size() == 0) << result.text();
      devices.expectPassedOn();
    }
}

TEST(TileWorldCluster, SignalThatOvertakesItsData) { // COMM-22
  for (const char *arch : {"a3", "a5"})
    for (const ptoscope::Options &options : schedules()) {
      SCOPED_TRACE(arch + (" " + nameOf(options)));
      Devices devices;
      ptoscope::Result result = passOn(devices, on(arch, options), Slip::NoBarrier);
      EXPECT_TRUE(result.has("race-blocks")) << result.text();
      EXPECT_NE(std::string(result.text()).find("put `pipe_barrier(PIPE_ALL);` before `TNOTIFY`"), std::string::npos)
          << result.text();
      EXPECT_NE(std::string(result.text()).find("of rank "), std::string::npos) << result.text();
    }
}

TEST(TileWorldCluster, VectorCoreDoesNotWait) { // MIX-10: nothing orders the cores of a cluster implicitly
  for (const char *arch : {"a3", "a5"})
    for (const ptoscope::Options &options : schedules()) {
      SCOPED_TRACE(arch + (" " + nameOf(options)));
      Devices devices;
      ptoscope::Result result = passOn(devices, on(arch, options), Slip::NoWait);
      const std::string text = result.text();
      EXPECT_TRUE(result.has("race-raw") || result.has("race-war")) << text;
      // Never in the words of text programs.
      EXPECT_EQ(text.find("pto."), std::string::npos) << text;
      EXPECT_NE(text.find(isA5(on(arch)) ? "set_intra_block(" : "ffts_cross_core_sync("), std::string::npos) << text;
    }
}

/// The ring of a queue is of one device: as many entries as devices are under way, none of them mixed up.
TEST(TileWorldCluster, QueuesOfEachDevice) { // COMM-5, FIFO-20
  using Pipe = TPipe<0, DIR_C2V, kBytes, 2>;
  auto cube = [](const CommDeviceContext *, half *x, half *unit, uint8_t *slots, float *, float *, float *, int32_t *) {
    Pipe pipe(slots, kUbRing, kL1Ring);
    AccTile acc;
    makeAcc(acc, x, unit);
    TPUSH<Pipe, AccTile, TILE_UP_DOWN>(pipe, acc);
  };
  auto vector = [](bool barrier) {
    return [barrier](const CommDeviceContext *context, half *, half *, uint8_t *slots, float *, float *box, float *out,
                     int32_t *words) {
      const int64_t sub = get_subblockid(), part = sub * kHalfSize;
      Pipe pipe(slots, kUbRing, kL1Ring);
      Half tile, copy;
      TASSIGN(copy, 0);
      TPOP<Pipe, Half, TILE_UP_DOWN>(pipe, tile);
      fence();
      TADDS(copy, tile, 0.0f);
      TFREE<Pipe, TILE_UP_DOWN>(pipe);
      fence();
      HalfView to(remote(context, box, nextOf(context)) + part);
      TSTORE(to, copy);
      if (barrier)
        fence();
      TNOTIFY(Signal(remote(context, words, nextOf(context)) + sub), 1, NotifyOp::Set);
      finish(box + part, out + part, words + sub);
    };
  };
  for (const char *arch : {"a3", "a5"})
    for (const ptoscope::Options &options : schedules()) {
      SCOPED_TRACE(arch + (" " + nameOf(options)));
      Devices devices;
      ptoscope::Result result = devices.run(on(arch, options), cube, vector(true));
      EXPECT_TRUE(result.ok() && result.size() == 0) << result.text();
      devices.expectPassedOn();
      Devices late;
      EXPECT_TRUE(late.run(on(arch, options), cube, vector(false)).has("race-blocks"));
    }
}

} // namespace
