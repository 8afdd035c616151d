//===- HandshakeTest.cpp - TSync_Custom in every direction ----------------===//
//
// XSYNC-31: producers on both kinds of cores, through global memory and on chip, in turns
// that use one place again and again, under every schedule. A consumer that frees the
// place before it has read it races with the next turn.
//
//===----------------------------------------------------------------------===//

#include "QueuePrograms.h"

#include <pto/npu/a5/custom/TSync_Custom.hpp>

using namespace queues;

namespace {

constexpr int kTurns = 4;
template <SyncOpType Producer> constexpr TSync_Custom<Producer, SyncOpType::TLOAD> kHands{2};

/// Launches under every schedule. Repaired there is nothing to say; broken there is a race.
template <typename Cube, typename Vector>
void expectRuns(const char *arch, bool broken, Cube cube, Vector vector, std::vector<half> &x,
                std::vector<half> &middle, std::vector<float> &out) {
  std::vector<half> unit = identity(kCols);
  for (const ptoscope::Options &options : schedules(2)) {
    SCOPED_TRACE(arch + (" " + nameOf(options)));
    std::fill(out.begin(), out.end(), 0.0f);
    ptoscope::Result result =
        ptoscope::launch(on(arch, options), ptoscope::mixed(cube, vector), 1, x, unit, middle, out);
    if (broken) {
      EXPECT_TRUE(result.has("race-war") || result.has("race-raw")) << result.text();
      EXPECT_EQ(std::string(result.text()).find("pto."), std::string::npos) << result.text();
      continue;
    }
    EXPECT_TRUE(result.ok() && result.size() == 0) << result.text();
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(out[i], float(x[i]) + 1) << i;
  }
}

/// A Vec tile of half the columns: a whole number of fractals in L1.
constexpr int kHalfCols = kCols / 2;
using Part = Vec<half, kRows, kHalfCols>;
using PartView = Window<half, kRows, kHalfCols>;

/// x + 1 in UB.
void makePart(Part &part, half *x) {
  TASSIGN(part, 0);
  PartView view(x + get_subblockid() * kHalfCols);
  TLOAD(part, view);
  fence();
  TADDS(part, part, half(1.0f));
  fence();
}
/// The cube core reads `mat` on MTE1, and stores what it has read.
void storeProduct(MatTile<half, kRows, kCols> &mat, half *unit, float *out) {
  AccTile acc;
  multiply(acc, mat, unit);
  View<float, kRows, kCols> view(out);
  TSTORE(view, acc);
  fence();
}

TEST(TileHandshake, VectorThroughGlobalMemory) { // TSTORE_V2GM
  constexpr const auto &hands = kHands<SyncOpType::TSTORE_V2GM>;
  for (const char *arch : {"a3", "a5"})
    for (bool broken : {false, true}) {
      std::vector<half> x = numbered(kTurns), middle(kSize);
      std::vector<float> out(x.size());
      auto vector = [](half *x, half *, half *middle, float *) {
        set_ffts_base_addr(1);
        Part part;
        for (int turn = 0; turn < kTurns; ++turn) {
          makePart(part, x + turn * kSize);
          if (turn > 0)
            hands.allocate();
          PartView to(middle + get_subblockid() * kHalfCols);
          TSTORE(to, part);
          hands.record();
          fence();
        }
        hands.allocate();
      };
      auto cube = [broken](half *, half *unit, half *middle, float *out) {
        set_ffts_base_addr(1);
        MatTile<half, kRows, kCols> mat;
        TASSIGN(mat, 0x8000);
        for (int turn = 0; turn < kTurns; ++turn) {
          hands.wait();
          if (broken)
            hands.free();
          View<half, kRows, kCols> from(middle);
          TLOAD(mat, from);
          fence();
          if (!broken)
            hands.free();
          storeProduct(mat, unit, out + turn * kSize);
        }
      };
      expectRuns(arch, broken, cube, vector, x, middle, out);
    }
}

TEST(TileHandshake, VectorIntoL1) { // TINSERT_V2L1
  constexpr const auto &hands = kHands<SyncOpType::TINSERT_V2L1>;
  for (bool broken : {false, true}) {
    std::vector<half> x = numbered(kTurns), middle(kSize);
    std::vector<float> out(x.size());
    auto vector = [](half *x, half *, half *, float *) {
      Part part;
      MatTile<half, kRows, kCols> mat;
      TASSIGN(mat, 0x8000);
      for (int turn = 0; turn < kTurns; ++turn) {
        makePart(part, x + turn * kSize);
        if (turn > 0)
          hands.allocate();
        TINSERT(mat, part, 0, int(get_subblockid()) * kHalfCols);
        hands.record();
        fence();
      }
      hands.allocate();
    };
    auto cube = [broken](half *, half *unit, half *, float *out) {
      MatTile<half, kRows, kCols> mat;
      TASSIGN(mat, 0x8000);
      for (int turn = 0; turn < kTurns; ++turn) {
        hands.wait();
        if (broken)
          hands.free();
        storeProduct(mat, unit, out + turn * kSize);
        if (!broken)
          hands.free();
      }
    };
    expectRuns("a5", broken, cube, vector, x, middle, out);
  }
}

TEST(TileHandshake, CubeIntoUb) { // TMOV_C2UB
  constexpr const auto &hands = kHands<SyncOpType::TMOV_C2UB>;
  using Rows = Vec<float, kRows / 2, kCols>;
  for (bool broken : {false, true}) {
    std::vector<half> x = numbered(kTurns), middle(kSize);
    std::vector<float> out(x.size());
    auto cube = [](half *x, half *unit, half *, float *) {
      AccTile acc;
      Rows rows;
      TASSIGN(rows, 0x4000);
      for (int turn = 0; turn < kTurns; ++turn) {
        makeAcc(acc, x + turn * kSize, unit);
        if (turn > 0)
          hands.allocate();
        TMOV<Rows, AccTile, AccToVecMode::DualModeSplitM>(rows, acc);
        hands.record();
        fence();
      }
      hands.allocate();
    };
    auto vector = [broken](half *, half *, half *, float *out) {
      Rows rows, sum;
      TASSIGN(rows, 0x4000);
      TASSIGN(sum, 0);
      for (int turn = 0; turn < kTurns; ++turn) {
        hands.wait();
        if (broken)
          hands.free();
        TADDS(sum, rows, 1.0f);
        if (!broken)
          hands.free();
        fence();
        View<float, kRows / 2, kCols> to(out + turn * kSize + get_subblockid() * kSize / 2);
        TSTORE(to, sum);
        fence();
      }
    };
    expectRuns("a5", broken, cube, vector, x, middle, out);
  }
}

TEST(TileHandshake, WrongCore) { // each step belongs to one kind of core
  std::vector<float> nothing(8);
  auto both = [](float *) { kHands<SyncOpType::TSTORE_V2GM>.record(); };
  ptoscope::Result result = ptoscope::launch(on("a3"), ptoscope::cubeOnly(both), 1, nothing);
  EXPECT_TRUE(result.has("core-kind") && !result.ok()) << result.text();
}

} // namespace
