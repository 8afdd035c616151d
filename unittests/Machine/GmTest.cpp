//===- GmTest.cpp - the table of GM objects -------------------------------===//
//
// Lookup by address, nearest object, and addresses that do not depend on the
// run.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Gm.h"

#include <gtest/gtest.h>

using namespace ptoscope;

TEST(Gm, FindsExactly) {
  uint8_t host[16];
  GmTable gm;
  uint64_t a = gm.add(host, 10, "%a"), b = gm.add(host, 0, "%b");
  EXPECT_EQ(a, GmTable::kSpacing);
  EXPECT_EQ(b, 2 * GmTable::kSpacing);
  EXPECT_EQ(gm.find(a)->name, "%a");
  EXPECT_EQ(gm.find(a + 9)->name, "%a");
  EXPECT_EQ(gm.find(a + 10), nullptr);
  EXPECT_EQ(gm.find(a - 1), nullptr);
  EXPECT_EQ(gm.find(b), nullptr);
  EXPECT_EQ(gm.find(0), nullptr);
  EXPECT_EQ(gm.find(UINT64_MAX), nullptr);
}

TEST(Gm, NearestByDistanceToTheRange) {
  uint8_t host[128];
  GmTable gm;
  EXPECT_EQ(gm.nearest(5), nullptr);
  gm.addAt(1000, host, 100, "%low");
  gm.addAt(2000, host, 100, "%high", true);
  gm.addAt(1500, host, 4, "%middle");
  EXPECT_EQ(gm.nearest(0)->name, "%low");
  EXPECT_EQ(gm.nearest(1050)->name, "%low");
  EXPECT_EQ(gm.nearest(1100)->name, "%low");
  EXPECT_EQ(gm.nearest(1310)->name, "%middle");
  EXPECT_EQ(gm.nearest(1999)->name, "%high");
  EXPECT_EQ(gm.nearest(UINT64_MAX)->name, "%high");
  EXPECT_EQ(gm.objects()[1].index, 2u);
  EXPECT_TRUE(gm.objects()[2].readOnly);
}
