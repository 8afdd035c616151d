//===- UnitPhaseTest.cpp - phases of products and stores ------------------===//
//
// TSTORE-14: phases are unit flags. Two products into one accumulator, with a store or a move
// between them, and no other order.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

using namespace pto;
using namespace programs;

namespace unitphases {

using View = GlobalTensor<float, Shape<1, 1, 1, 16, 16>, Stride<256, 256, 256, 16, 1>>;

template <AccPhase First, STPhase Out, AccPhase Second, bool Moves> void kernel(float *memory) {
  TileLeft<half, 16, 16> a;
  TileRight<half, 16, 16> b;
  TileAcc<float, 16, 16> c;
  Tile<TileType::Vec, float, 16, 16> d;
  TASSIGN(a, 0);
  TASSIGN(b, 0);
  TASSIGN(c, 0);
  TASSIGN(d, 0);
  View view(memory);
  TMATMUL<First>(c, a, b);
  if constexpr (Moves)
    TMOV<Out>(d, c);
  else
    TSTORE<Out>(view, c);
  TMATMUL<Second>(c, a, b);
}

/// The findings of the program.
template <AccPhase First, STPhase Out, AccPhase Second, bool Moves = false> std::string findings() {
  ptoscope::Options options;
  options.init = false;
  std::vector<float> gm(256);
  return ptoscope::launch(options, kernel<First, Out, Second, Moves>, 1, gm).text();
}

constexpr auto kNone = AccPhase::Unspecified, kPartial = AccPhase::Partial, kFinal = AccPhase::Final;

TEST(UnitPhases, OrderProductsAndStores) {
  EXPECT_EQ((findings<kFinal, STPhase::Final, kFinal>()), "");
  EXPECT_EQ((findings<kFinal, STPhase::Final, kPartial>()), "");
  EXPECT_EQ((findings<kFinal, STPhase::Final, kFinal, true>()), "");
}

TEST(UnitPhases, OnlyFinalPasses) {
  const auto has = [](const std::string &text, const char *code) { return text.find(code) != std::string::npos; };
  const std::string unpublished = findings<kPartial, STPhase::Final, kFinal>();
  EXPECT_TRUE(has(unpublished, "race-raw")) << unpublished;
  const std::string unchecked = findings<kFinal, STPhase::Unspecified, kFinal>();
  EXPECT_TRUE(has(unchecked, "race-raw")) << unchecked;
  const std::string kept = findings<kFinal, STPhase::Partial, kFinal>();
  EXPECT_TRUE(has(kept, "race-war") && !has(kept, "race-raw")) << kept;
  const std::string late = findings<kFinal, STPhase::Final, kNone>();
  EXPECT_TRUE(has(late, "race-war") && !has(late, "race-raw")) << late;
  const std::string moved = findings<kFinal, STPhase::Partial, kFinal, true>();
  EXPECT_TRUE(has(moved, "race-war") && !has(moved, "race-raw")) << moved;
}

} // namespace unitphases
