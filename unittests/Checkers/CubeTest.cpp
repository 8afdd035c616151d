//===- CubeTest.cpp - checks of the memories of a cube core ---------------===//
//
// Races and undefined bytes where direct instructions of MTE1, M and FIX meet, each
// case broken and repaired.
// Rules: MXS-3, TYPE-10.
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

} // namespace
