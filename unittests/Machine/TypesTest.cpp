//===- TypesTest.cpp - names, fences and profiles -------------------------===//
//
// The tables of Types.h against those of the documents.
// Rules: TYPE-3, TYPE-4, TYPE-5, TYPE-6, TYPE-7, TYPE-8, TYPE-9, FENCE-2, FENCE-3,
// FENCE-4, FENCE-5, FENCE-6, FENCE-7, FENCE-8, FENCE-9, FENCE-10, FENCE-11, FENCE-12, FENCE-13,
// FENCE-14.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Machine/Types.h"

#include <gtest/gtest.h>

using namespace ptoscope;

TEST(Types, Names) {
  EXPECT_EQ(nameOf(Pipe::MTE2), "PIPE_MTE2");
  EXPECT_EQ(nameOf(Pipe::FIX), "PIPE_FIX");
  EXPECT_EQ(nameOf(Pipe(7)), "PIPE_MTE4");
  EXPECT_EQ(nameOf(Pipe(9)), "PIPE_V2");
  EXPECT_EQ(nameOf(Pipe(11)), "");
  EXPECT_EQ(nameOf(Space::Ub), "ub");
  EXPECT_EQ(nameOf(Space(99)), "");
  EXPECT_EQ(nameOf(Fence::VST_VLD), "VST_VLD");
  EXPECT_EQ(nameOf(Fence::ST_ST), "ST_ST");
  EXPECT_EQ(nameOf(Fence(16)), "");
}

TEST(Types, FenceClassesFollowTheirNames) {
  for (unsigned i = 0; i < 16; ++i) {
    std::string_view name = nameOf(Fence(i));
    FenceClasses classes = classesOf(Fence(i));
    uint8_t prior, later;
    if (name.ends_with("_ALL")) {
      auto both = [](char c) { return uint8_t(c == 'V' ? VectorLoad | VectorStore : ScalarLoad | ScalarStore); };
      prior = both(name[0]);
      later = both(name[1]);
    } else {
      auto one = [](std::string_view part) -> uint8_t {
        if (part == "VST")
          return VectorStore;
        if (part == "VLD")
          return VectorLoad;
        return part == "ST" ? ScalarStore : ScalarLoad;
      };
      size_t bar = name.find('_');
      prior = one(name.substr(0, bar));
      later = one(name.substr(bar + 1));
    }
    EXPECT_EQ(classes.prior, prior) << name;
    EXPECT_EQ(classes.later, later) << name;
  }
}

TEST(Types, Profiles) {
  const Profile *a5 = findProfile("a5"), *a3 = findProfile("a3"), *a2 = findProfile("a2");
  ASSERT_TRUE(a5 && a3 && a2);
  EXPECT_EQ(findProfile("a4"), nullptr);
  EXPECT_EQ(a5->bytes[size_t(Space::Ub)], 262144u);
  EXPECT_EQ(a3->bytes[size_t(Space::Ub)], 196608u);
  EXPECT_EQ(a5->bytes[size_t(Space::L1)], 524288u);
  EXPECT_EQ(a5->bytes[size_t(Space::L0C)], 262144u);
  EXPECT_EQ(a2->bytes[size_t(Space::L0C)], 131072u);
  EXPECT_EQ(a2->bytes[size_t(Space::Bt)], 1024u);
  EXPECT_EQ(a2->bytes[size_t(Space::Fb)], 2048u);
  EXPECT_EQ(a5->reachOf(Space::Fb), 0x11000u); // PARAM-2
  EXPECT_EQ(a5->reachOf(Space::Ub), 262144u);
  EXPECT_EQ(a3->reachOf(Space::L0AMx), 0u);
  for (Space space : {Space::L0AMx, Space::L0BMx}) { // TYPE-10
    EXPECT_EQ(a5->bytes[size_t(space)], 4096u);
    EXPECT_EQ(a3->bytes[size_t(space)], 0u);
    EXPECT_EQ(a2->bytes[size_t(space)], 0u);
  }
  EXPECT_TRUE(a5->hasBufferIds);
  EXPECT_FALSE(a3->hasBufferIds);
  EXPECT_EQ(a5->aivCores, 2 * a5->aicCores);
}
