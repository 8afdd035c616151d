//===- CppWorkTest.cpp - what calls of the C++ API say of themselves ------===//

#include "Work.h"

#include <pto/pto-inst.hpp>

#include <gtest/gtest.h>

namespace {

using namespace pto;
namespace detail = pto::ptoscope_detail;
using ptoscope::Work;
using ptoscope::tile::workOf;

using Floats = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor>;
using Part = Tile<TileType::Vec, float, 16, 64, BLayout::RowMajor, 12, 40>;

// TIME-23: the algorithm changes no result, so that only costs show it.
TEST(WorkOfCpp, AlgorithmsReachTheLibrary) {
  Floats a, b;
  detail::Call call = detail::makeCall<detail::record::TRECIP>(detail::Here(), a, b);
  detail::setAlgorithm(call, RecipAlgorithm::DEFAULT);
  EXPECT_FALSE(workOf(call).isExact);
  detail::setAlgorithm(call, RecipAlgorithm::HIGH_PRECISION);
  EXPECT_TRUE(workOf(call).isExact);
}

TEST(WorkOfCpp, ValidRegionsOfTypes) {
  Part a, b, c;
  const Work work = workOf(detail::makeCall<detail::record::TADD>(detail::Here(), a, b, c));
  EXPECT_EQ(work.rows, 12u);
  EXPECT_EQ(work.cols, 40u);
  EXPECT_EQ(work.fromBits, 32);
  EXPECT_FALSE(work.isContiguous);
}

} // namespace
