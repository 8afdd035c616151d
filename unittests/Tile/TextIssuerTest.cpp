//===- TextIssuerTest.cpp - tile instructions of generated code -----------===//

#include "TextPrograms.h"

namespace {
using namespace text;

std::vector<float> ramp(size_t n, float first) {
  std::vector<float> values(n);
  for (size_t i = 0; i < n; ++i)
    values[i] = first + float(i);
  return values;
}

TEST(TextIssuer, RecordsHavePositions) {
  ASSERT_NE(indexOf("TADD"), ~0u);
  EXPECT_STREQ(recordAt(indexOf("TADD"))->name, "TADD");
  EXPECT_STREQ(recordAt(0)->name, "TLOAD");
  EXPECT_EQ(recordAt(~0u), nullptr);
  EXPECT_EQ(indexOf("NOSUCH"), ~0u);
}

/// Loads two 8 x n parts, adds them, stores the sum; in program order.
LaunchResult addProgram(Program &p, int64_t n, int64_t offset = 0) {
  const uint64_t a = p.buffer(ramp(8 * 64, 0)), b = p.buffer(ramp(8 * 64, 1000)), c = p.buffer(ramp(8 * 64, -1));
  return p.run([&p, a, b, c, n, offset] {
    auto whole = [&](uint64_t pointer) { return p.view(pointer, Elem::f32, {8, 64}, {64, 1}); };
    TileView x = p.alloc(vec(Elem::f32, {8, 64}), 0, 8, n), y = p.alloc(vec(Elem::f32, {8, 64}), 2048, 8, n);
    for (auto [pointer, tile] : {std::pair{a, &x}, {b, &y}}) {
      GlobalView part = p.part(whole(pointer), {0, offset}, {8, n});
      p.issue("TLOAD", {tile}, &part);
    }
    p.issue("TADD", {&x, &x, &y});
    GlobalView part = p.part(whole(c), {0, offset}, {8, n});
    p.issue("TSTORE", {&x}, &part);
  });
}

TEST(TextIssuer, AutomaticOrderIsProgramOrder) {
  for (Schedule schedule : {Schedule{}, {ScheduleKind::Lazy, 0}, {ScheduleKind::Random, 7}}) {
    Program p;
    p.automatic = true;
    p.schedule = schedule;
    LaunchResult result = addProgram(p, 40, 8);
    EXPECT_EQ(textOf(result), "");
    EXPECT_TRUE(result.completed);
    std::vector<float> c = p.contents<float>(2);
    for (int r = 0; r < 8; ++r)
      for (int k = 0; k < 64; ++k) {
        const float i = float(64 * r + k);
        ASSERT_EQ(c[size_t(64 * r + k)], k >= 8 && k < 48 ? i + i + 1000 : i - 1) << r << " " << k;
      }
  }
}

TEST(TextIssuer, BlocksStartAnew) {
  Program p;
  p.automatic = true;
  p.blocks = 3;
  const uint64_t a = p.buffer(ramp(3 * 64, 0));
  LaunchResult result = p.run([&p, a] {
    GlobalView part = p.part(p.view(a, Elem::f32, {3, 64}, {64, 1}), {p.core->blockIdx, 0}, {1, 64});
    TileView x = p.alloc(vec(Elem::f32, {1, 64}), 0);
    p.issue("TLOAD", {&x}, &part);
    p.issue("TADD", {&x, &x, &x});
    p.issue("TSTORE", {&x}, &part);
  });
  EXPECT_EQ(textOf(result), "");
  std::vector<float> twice = ramp(3 * 64, 0);
  for (float &value : twice)
    value *= 2;
  EXPECT_EQ(p.contents<float>(0), twice);
}

TEST(TextIssuer, AsWrittenItRaces) {
  Program p;
  EXPECT_NE(textOf(addProgram(p, 40)).find("race"), std::string::npos);
}

TEST(TextIssuer, PipesOfText) { // ORDER-2
  auto found = [](const char *arch, std::function<void(Program &)> body) {
    Program p;
    p.arch = arch;
    p.buffer(std::vector<int32_t>(16, 3));
    p.buffer(ramp(64, 0));
    return textOf(p.run([&] { body(p); }));
  };
  const auto toMat = [](Program &p) {
    TileView v = p.alloc(vec(Elem::f32, {16, 16}), 0),
             m = p.alloc(typeOf(TileType::Mat, Elem::f32, {16, 16}, BLayout::ColMajor, SLayout::RowMajor), 0);
    p.issue("TEXPANDS", {&v}, nullptr, {0});
    p.issue("TMOV", {&m, &v});
  };
  EXPECT_EQ(found("a5", toMat), "");
  const auto gathers = [](Program &p) {
    const uint64_t indices = GmTable::kSpacing, data = 2 * GmTable::kSpacing;
    TileView i = p.alloc(vec(Elem::i32, {1, 16}), 0), d = p.alloc(vec(Elem::f32, {1, 16}), 64);
    GlobalView from = p.view(indices, Elem::i32, {1, 16}, {16, 1}), view = p.view(data, Elem::f32, {1, 64}, {64, 1});
    p.issue("TLOAD", {&i}, &from);
    p.issue("MGATHER", {&d, &i}, &view);
  };
  EXPECT_NE(found("a3", gathers).find("race-raw: `pto.mgather` on PIPE_MTE2 reads"), std::string::npos);
  EXPECT_NE(found("a5", gathers).find("race-raw: `pto.mgather` on PIPE_V reads"), std::string::npos);
}

TEST(TextIssuer, BuffersHaveBounds) {
  Program p;
  p.automatic = true;
  const uint64_t a = p.buffer(ramp(100, 0));
  LaunchResult result = p.run([&p, a] {
    GlobalView view = p.view(a, Elem::f32, {8, 16}, {16, 1});
    TileView x = p.alloc(vec(Elem::f32, {8, 16}), 0);
    p.issue("TLOAD", {&x}, &view);
  });
  EXPECT_NE(textOf(result).find("gm-out-of-bounds"), std::string::npos) << textOf(result);
  LaunchResult nowhere = p.run([&p] {
    GlobalView view = p.view(12345, Elem::f32, {8, 16}, {16, 1});
    TileView x = p.alloc(vec(Elem::f32, {8, 16}), 0);
    p.issue("TLOAD", {&x}, &view);
  });
  EXPECT_EQ(nowhere.findings.all().size(), 1u) << textOf(nowhere);
}

/// Runs `body` on the scalar unit and gives the findings.
std::string found(std::function<void(Program &)> body, bool *completed = nullptr) {
  Program p;
  p.automatic = true;
  LaunchResult result = p.run([&] { body(p); });
  if (completed)
    *completed = result.completed;
  return textOf(result);
}

TEST(TextIssuer, PlacesAreChecked) {
  const TileView type = vec(Elem::f32, {8, 64});
  EXPECT_EQ(
      found([&](Program &p) { p.alloc(type, 33); }),
      "ub-misaligned: `pto.alloc_tile` breaks PLAN-8: it places a tile at byte 33, which is not a multiple of 32\n");
  for (int64_t address : {int64_t(-32), int64_t(1) << 40, INT64_MIN, INT64_MAX, int64_t(262144)})
    EXPECT_NE(
        found([&](Program &p) { p.alloc(type, address); }).find("ub-out-of-bounds: `pto.alloc_tile` breaks PLAN-8"),
        std::string::npos);
  EXPECT_NE(found([&](Program &p) { p.alloc(type, 262144 - 1024); }).find("its valid region ends at byte 263168"),
            std::string::npos);
  // Only its valid elements have to be there.
  EXPECT_EQ(found([&](Program &p) { p.alloc(type, 262144 - 1024, 4, 64); }), "");
  EXPECT_EQ(found([&](Program &p) {
              TileView a = p.alloc(type, 0), b{};
              p.call("pto.tassign", [&](SiteId site) { return ptosc_tile_assign(p.core, site, &b, &a, 64); });
              EXPECT_EQ(b.ref.address, 64u);
              p.call("pto.tassign", [&](SiteId site) { return ptosc_tile_assign(p.core, site, &b, &a, 65); });
            }),
            "ub-misaligned: `pto.tassign` breaks PLAN-8: it places a tile at byte 65, which is not a multiple of 32\n");
}

TEST(TextIssuer, ExtentsAreLimited) {
  const TileView type = vec(Elem::f32, {8, 64});
  bool completed = false;
  EXPECT_EQ(found(
                [&](Program &p) {
                  TileView a = p.alloc(type, 0, 9, INT64_MIN + 1);
                  EXPECT_EQ(a.ref.validRows, 8);
                  EXPECT_EQ(a.ref.validCols, 0);
                  p.setValid(a, -1, INT64_MAX);
                  EXPECT_EQ(a.ref.validRows, 0);
                  EXPECT_EQ(a.ref.validCols, 64);
                },
                &completed),
            "tile-extent: 9 valid rows in a tile that has 8\n"
            "tile-extent: -9223372036854775807 valid columns, a negative number\n"
            "tile-extent: -1 valid rows, a negative number\n"
            "tile-extent: 9223372036854775807 valid columns in a tile that has 64\n");
  EXPECT_TRUE(completed);
}

TEST(TextIssuer, ExtentsThatNoOneSet) {
  const TileView type = vec(Elem::f32, {8, 64});
  auto program = [&](bool sets) {
    return found([&](Program &p) {
      TileView a = p.alloc(type, 0, PTO_EXTENT_UNSET, PTO_EXTENT_UNSET);
      if (sets)
        p.setValid(a, 8, 64);
      p.issue("TEXPANDS", {&a}, nullptr, {0});
    });
  };
  EXPECT_EQ(program(true), "");
  EXPECT_EQ(program(false), "tile-extent: `pto.texpands` breaks ALLOC-3: `%dst` has no valid extents yet\n");
}

TEST(TextIssuer, Elements) {
  EXPECT_EQ(found([&](Program &p) {
              TileView a = p.alloc(vec(Elem::i16, {4, 32}), 64);
              p.issue("TEXPANDS", {&a}, nullptr, {7});
              p.order();
              p.set(a, 33, 9);
              EXPECT_EQ(p.get(a, 33), 9u);
              EXPECT_EQ(p.get(a, 127), 7u);
              EXPECT_EQ(p.get(a, 128), 0u);
              p.set(a, -1, 1);
            }),
            "ub-out-of-bounds: `pto.tgetval` breaks TVAL-1: it names element 128 of a tile that has 128\n"
            "ub-out-of-bounds: `pto.tsetval` breaks TVAL-1: it names element -1 of a tile that has 128\n");
}

TEST(TextIssuer, Slots) {
  auto program = [](int64_t k) {
    return found([=](Program &p) {
      TileView first = p.alloc(vec(Elem::f16, {16, 16}), 64), slot{};
      p.call("pto.multi_tile_get", [&](SiteId site) { return ptosc_tile_slot(p.core, site, &slot, &first, k, 3); });
      if (!p.status)
        EXPECT_EQ(slot.ref.address, 64 + 512 * k);
    });
  };
  EXPECT_EQ(program(2), "");
  EXPECT_EQ(program(3),
            "operand-range: `pto.multi_tile_get` breaks ALLOC-6: it names slot 3; there are 3, counted from 0\n");
  EXPECT_EQ(program(-1),
            "operand-range: `pto.multi_tile_get` breaks ALLOC-6: it names slot -1; there are 3, counted from 0\n");
}

TEST(TextIssuer, LayoutsOfViews) {
  found([](Program &p) {
    auto layout = [&](std::vector<int64_t> shape, std::vector<int64_t> stride, Elem elem = Elem::f32) {
      return Layout(p.view(uint64_t(1) << 44, elem, shape, stride).ref.layout);
    };
    EXPECT_EQ(layout({8, 64}, {64, 1}), Layout::ND);
    EXPECT_EQ(layout({8, 64}, {1, 8}), Layout::DN);
    EXPECT_EQ(layout({8, 64}, {128, 1}), Layout::ND);
    EXPECT_EQ(layout({1, 64}, {1, 1}), Layout::ND);
    // Rows and columns with gaps between them.
    EXPECT_EQ(layout({4, 1, 64}, {128, 128, 1}), Layout::ND);
    EXPECT_EQ(layout({4, 64, 1}, {128, 1, 1}), Layout::DN);
    EXPECT_EQ(layout({4, 1, 1}, {128, 1, 1}), Layout::ND);
    EXPECT_EQ(layout({4, 2, 64}, {256, 1, 2}), Layout::DN);
    EXPECT_EQ(layout({2, 4, 16, 8, 8}, {4096, 1024, 64, 8, 1}), Layout::NZ);
    EXPECT_EQ(layout({2, 4, 16, 16, 16}, {16384, 4096, 256, 16, 1}, Elem::f16), Layout::NZ);
    EXPECT_EQ(layout({16, 8, 8}, {64, 8, 1}), Layout::ND);
    EXPECT_EQ(layout({2, 4, 16, 4, 8}, {2048, 512, 32, 8, 1}), Layout::ND);
  });
}

TEST(TextIssuer, LayoutsThatStridesContradict) { // VIEW-6
  auto view = [](std::vector<int64_t> shape, std::vector<int64_t> stride, Layout layout) {
    return found([=](Program &p) { p.view(uint64_t(1) << 44, Elem::f32, shape, stride, int(layout)); });
  };
  auto program = [&](std::vector<int64_t> stride, Layout layout) { return view({8, 64}, stride, layout); };
  const std::string contradicted =
      "undefined-by-manual: `pto.make_tensor_view` breaks VIEW-6: its strides are not those of its `layout`\n";
  EXPECT_EQ(program({64, 1}, Layout::ND), "");
  EXPECT_EQ(program({64, 1}, Layout::DN), contradicted);
  EXPECT_EQ(program({1, 8}, Layout::DN), "");
  EXPECT_EQ(program({1, 8}, Layout::ND), contradicted);
  // With gaps they speak for none.
  EXPECT_EQ(program({80, 1}, Layout::ND), "");
  EXPECT_EQ(program({1, 10}, Layout::DN), "");
  // A row and a column are both.
  for (Layout layout : {Layout::ND, Layout::DN}) {
    EXPECT_EQ(view({4, 1, 64}, {128, 128, 1}, layout), "");
    EXPECT_EQ(view({4, 1, 64}, {64, 64, 1}, layout), "");
    EXPECT_EQ(view({4, 64, 1}, {128, 1, 1}, layout), "");
    EXPECT_EQ(view({4, 64, 1}, {64, 1, 1}, layout), "");
  }
}

TEST(TextIssuer, PartitionsStayInside) {
  auto program = [](int64_t offset, int64_t size) {
    return found([=](Program &p) {
      GlobalView view = p.view(uint64_t(1) << 44, Elem::f32, {8, 64}, {64, 1});
      GlobalView part = p.part(view, {1, offset}, {2, size});
      if (!p.status) {
        EXPECT_EQ(reinterpret_cast<uintptr_t>(part.ref.pointer), (uint64_t(1) << 44) + 4 * (64 + uint64_t(offset)));
        EXPECT_EQ(part.ref.shape[3], 2);
        EXPECT_EQ(part.ref.shape[4], size);
      }
    });
  };
  EXPECT_EQ(program(32, 32), "");
  EXPECT_EQ(program(0, 0), "");
  for (auto [offset, size] : {std::pair<int64_t, int64_t>{33, 32}, {-1, 8}, {0, -8}, {INT64_MAX, 2}, {2, INT64_MAX}})
    EXPECT_EQ(program(offset, size), "tile-window: `pto.partition_view` breaks VIEW-10: it takes " +
                                         std::to_string(size) + " elements from " + std::to_string(offset) +
                                         " on in the last dimension, where the view has 64\n");
  EXPECT_EQ(found([](Program &p) { p.view(1, Elem::f32, {8, -64}, {64, 1}); }),
            "operand-range: `pto.make_tensor_view` breaks VIEW-4: it has the extent -64 in the last dimension\n");
}

} // namespace
