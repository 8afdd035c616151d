//===- HostProfileTest.cpp - what is reported, then computed --------------===//
//
// Programs compiled with `__CPU_SIM`, launched with all checks. They have a program of
// their own: in it the memories of every core are those of the host profile.
//
//===----------------------------------------------------------------------===//

#define __CPU_SIM
#include "pto/pto-inst.hpp"
#include "ptoscope/launch.hpp"

#include <gtest/gtest.h>

#include <vector>

using namespace pto;

namespace {
constexpr int kRows = 16, kCols = 64;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using Left = TileLeft<float, kRows, kCols>;
using Mat = Tile<TileType::Mat, float, kRows, kCols, BLayout::ColMajor, kRows, kCols, SLayout::RowMajor>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;

std::vector<float> numbers() {
  std::vector<float> x(kRows * kCols);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i) - 7;
  return x;
}

/// In and out of UB, on the way through L0A or through L1.
template <typename Between> ptoscope::Result roundTrip(const std::vector<float> &x, std::vector<float> &y) {
  auto kernel = [](const float *from, float *to) {
    Vec a, b;
    Between middle;
    TASSIGN(a, 0);
    TASSIGN(b, 0x4000);
    TASSIGN(middle, 0);
    View in(const_cast<float *>(from)), out(to);
    TLOAD(a, in);
    pipe_barrier(PIPE_ALL);
    for (int i = 0; i < 3; ++i)
      TMOV(middle, a);
    pipe_barrier(PIPE_ALL);
    TMOV(b, a);
    if constexpr (Between::Loc == TileType::Left)
      TMOV(b, middle);
    pipe_barrier(PIPE_ALL);
    TSTORE(out, b);
  };
  return ptoscope::launch(kernel, 1, x, y);
}
} // namespace

// REPORT-1, HMOVE-4: told once for each line, and computed.
TEST(TileHost, PathThatDevicesLack) {
  const std::vector<float> x = numbers();
  std::vector<float> y(x.size());
  ptoscope::Result result = roundTrip<Left>(x, y);
  ASSERT_TRUE(result.has("host-only")) << result.text();
  EXPECT_EQ(result.size(), 2u) << result.text();
  EXPECT_EQ(result[0].count, 1u);
  EXPECT_TRUE(result.ok());
  EXPECT_EQ(x, y);
}
TEST(TileHost, PathOfDevices) {
  const std::vector<float> x = numbers();
  std::vector<float> y(x.size());
  ptoscope::Result result = roundTrip<Mat>(x, y);
  EXPECT_EQ(result.size(), 0u) << result.text();
  EXPECT_EQ(x, y);
}

static void copy(float *from, float *to) {
  Vec a;
  TASSIGN(a, 0);
  View in(from), out(to);
  TLOAD(a, in);
  pipe_barrier(PIPE_ALL);
  TSTORE(out, a);
}
// REPORT-9.
TEST(TileHost, MemoryOfNoOne) {
  std::vector<float> x = numbers(), y(x.size());
  ptoscope::Result result = ptoscope::launch(copy, 2, x.data(), y.data());
  EXPECT_TRUE(result.has("gm-unregistered")) << result.text();
  EXPECT_TRUE(result.completed());
  EXPECT_EQ(x, y);
  // Once in a program; what else is wrong is found.
  ptoscope::Result again = ptoscope::launch(copy, 1, x.data(), static_cast<float *>(nullptr));
  EXPECT_FALSE(again.has("gm-unregistered")) << again.text();
  EXPECT_TRUE(again.has("unmapped-gm-address")) << again.text();
}
TEST(TileHost, MemoryThatIsRegistered) {
  std::vector<float> x = numbers(), y(x.size()), small(x.size() - 1);
  EXPECT_EQ(ptoscope::launch(copy, 1, x, y).size(), 0u);
  EXPECT_EQ(x, y);
  EXPECT_TRUE(ptoscope::launch(copy, 1, x, small).has("gm-out-of-bounds"));
}
