//===- CubeTest.cpp - checks of the memories of a cube core ---------------===//
//
// Races and undefined bytes where direct instructions of MTE1, M and FIX meet, each
// case broken and repaired.
// Rules: MXS-3, TYPE-10, RACE-2, FIX-27.
//
//===----------------------------------------------------------------------===//

#include "Drive.h"

using namespace ptoscope;
using namespace ptoscope::testing;

namespace {

TEST(Cube, ScalesAreMemoriesOfTheirOwn) {
  for (Space scales : {Space::L0AMx, Space::L0BMx})
    for (bool repaired : {false, true}) {
      World world;
      SiteId load = world.site(2, "pto.mte_l1_l0a_mx"), mad = world.site(5, "pto.mad_mx");
      Drive d(world);
      d.on(0).direct(Pipe::MTE1, load, {{scales, DirectRole::Write, 0, box(0, 64)}});
      if (repaired)
        d.flag(Pipe::MTE1, Pipe::M, 0);
      d.direct(Pipe::M, mad, {{scales, DirectRole::Read, 0, box(0, repaired ? 64 : 128)}});
      EXPECT_EQ(world.summary(), repaired ? Lines() : (Lines{"race-raw 2->5", "init-read 5"}));
      if (!repaired)
        EXPECT_NE(world.findings.all()[0].message.find(scales == Space::L0AMx ? "L0A_MX bytes" : "L0B_MX bytes"),
                  std::string::npos);
      // The other one, and the operands themselves, are other bytes.
      d.direct(Pipe::MTE1, load,
               {{Space::L0A, DirectRole::Write, 0, box(0, 64)},
                {scales == Space::L0AMx ? Space::L0BMx : Space::L0AMx, DirectRole::Write, 0, box(0, 64)}});
      EXPECT_EQ(world.findings.all().size(), repaired ? 0u : 2u);
    }
}

// RACE-2, FIX-27: updates of one kind commute, whichever pipe makes them; others race.
TEST(Cube, AtomicStoresOfOneKind) {
  for (AccessKind first : {atomicUpdate(4, 0), atomicUpdate(4, 1), atomicUpdate(1, 0)})
    for (AccessKind second : {atomicUpdate(4, 0), atomicUpdate(4, 1), atomicUpdate(1, 0)})
      for (bool transfer : {false, true}) {
        Checks checks = Checks::none();
        checks.race = true;
        World world("a5", checks);
        SiteId store = world.site(2, "pto.mte_l0c_gm"), other = world.site(5, "pto.mte_ub_gm");
        for (int64_t block = 0; block < 2; ++block) {
          Drive d(world, block);
          if (block && transfer) {
            d.store(other, 0, 0, 64, second);
            continue;
          }
          DirectRegion region{Space::Gm, DirectRole::Atomic, 1, box(world.y().base, 64), &world.y()};
          region.update = block ? second : first;
          d.on(0).direct(Pipe::FIX, store, {region});
        }
        std::string line = transfer ? "5" : "2";
        EXPECT_EQ(world.summary(), first != second     ? Lines{"race-blocks 2->" + line}
                                   : isFloatSum(first) ? Lines{"order-dependent " + line}
                                                       : Lines());
      }
}

} // namespace
