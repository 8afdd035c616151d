//===- WorkTest.cpp - what instructions say they have to do ---------------===//
//
// Families of tile instructions, cube instructions of text, and sorts: shapes, paths,
// bursts and forms that costs are computed from.
//
//===----------------------------------------------------------------------===//

#include "Work.h"

#include "Sort/SortUnit.h"
#include "TextPrograms.h"
#include "pto/detail/bits.hpp"
#include "pto/detail/modes.hpp"
#include "pto/detail/record.hpp"

namespace {

using namespace ptoscope;
using namespace ptoscope::tile;
using text::typeOf;
using text::vec;

using Kind = Work::Kind;

TileView valid(TileView tile, int rows, int cols, uint32_t address = 0) {
  tile.ref.validRows = rows;
  tile.ref.validCols = cols;
  tile.ref.address = address;
  return tile;
}
TileView whole(TileView tile, uint32_t address = 0) { return valid(tile, tile.ref.rows, tile.ref.cols, address); }

Call callOf(const Record &record, std::vector<TileView> tiles) {
  Call call{};
  call.record = &record;
  for (const TileView &tile : tiles)
    call.operands.tile[call.operands.tiles++] = tile;
  return call;
}
Call callOf(const Record &record, std::vector<TileView> tiles, std::vector<int64_t> shape, std::vector<int64_t> stride,
            Layout layout = Layout::ND) {
  Call call = callOf(record, tiles);
  call.operands.hasGlobal = true;
  GlobalRef &view = call.operands.global.ref;
  view.elem = tiles[0].ref.elem;
  view.layout = uint8_t(layout);
  for (size_t i = 0; i < 5; ++i) {
    const size_t skip = 5 - shape.size();
    view.shape[i] = i < skip ? 1 : shape[i - skip];
    view.stride[i] = i < skip ? 0 : stride[i - skip];
  }
  return call;
}
TileView matrix(TileType type, Elem elem, text::Shape shape) {
  return whole(typeOf(type, elem, shape, BLayout::ColMajor, SLayout::RowMajor));
}

TEST(WorkOfTiles, LoadsFoldDenseDimensions) {
  // Rows of 60 floats, 64 apart in UB and GM.
  const TileView tile = valid(vec(Elem::f32, {32, 64}), 32, 60);
  Work work = workOf(callOf(record::TLOAD, {tile}, {32, 60}, {64, 1}));
  EXPECT_EQ(work.kind, Kind::Transfer);
  EXPECT_STREQ(work.name, "TLOAD");
  EXPECT_EQ(work.from, Space::Gm);
  EXPECT_EQ(work.to, Space::Ub);
  EXPECT_EQ(work.bytes, 32u * 240);
  EXPECT_EQ(work.bursts, 32u);
  EXPECT_EQ(work.transfers, 1u);
  EXPECT_FALSE(work.isUnaligned);
  // 60 apart in GM: rows follow each other there, not in UB, and are not aligned.
  work = workOf(callOf(record::TLOAD, {tile}, {32, 60}, {60, 1}));
  EXPECT_EQ(work.bursts, 32u);
  EXPECT_TRUE(work.isUnaligned);
  // Dense on both sides.
  work = workOf(callOf(record::TLOAD, {whole(vec(Elem::f32, {32, 64}))}, {32, 64}, {64, 1}));
  EXPECT_EQ(work.bursts, 1u);
  // Four parts of 8 rows: the first view goes on where a part ends, the second one does not.
  work = workOf(callOf(record::TLOAD, {tile}, {4, 8, 60}, {512, 64, 1}));
  EXPECT_EQ(work.transfers, 1u);
  work = workOf(callOf(record::TLOAD, {tile}, {4, 8, 60}, {1024, 64, 1}));
  EXPECT_EQ(work.transfers, 4u);
  EXPECT_EQ(work.bursts, 32u);
}

TEST(WorkOfTiles, LoadsByColumns) {
  const TileView tile = whole(typeOf(TileType::Vec, Elem::f32, {256, 8}, BLayout::ColMajor));
  const Work work = workOf(callOf(record::TLOAD, {tile}, {256, 8}, {1, 300}, Layout::DN));
  EXPECT_EQ(work.bursts, 8u);
  EXPECT_EQ(work.bytes, 8u * 1024);
  EXPECT_TRUE(work.isUnaligned); // 1200 bytes apart
}

TEST(WorkOfTiles, StoresAndDrains) {
  const Work store = workOf(callOf(record::TSTORE, {valid(vec(Elem::f16, {8, 128}), 8, 100)}, {8, 100}, {128, 1}));
  EXPECT_EQ(store.kind, Kind::Transfer);
  EXPECT_EQ(store.from, Space::Ub);
  EXPECT_EQ(store.to, Space::Gm);
  EXPECT_EQ(store.bytes, 8u * 200);
  Call call = callOf(record::TSTORE, {matrix(TileType::Acc, Elem::f32, {128, 256})}, {128, 256}, {256, 1});
  call.operands.global.ref.elem = Elem::f16;
  const Work drain = workOf(call);
  EXPECT_EQ(drain.kind, Kind::Drain);
  EXPECT_EQ(drain.from, Space::L0C);
  EXPECT_EQ(drain.to, Space::Gm);
  EXPECT_EQ(drain.toBits, 16);
  EXPECT_EQ(drain.rows, 128u);
  EXPECT_EQ(drain.cols, 256u);
  EXPECT_EQ(drain.bytes, 128u * 256 * 2);
}

TEST(WorkOfTiles, HalvesOfTheAccumulator) {
  Call call =
      callOf(record::TMOV, {valid(vec(Elem::f32, {16, 64}), 16, 64), matrix(TileType::Acc, Elem::f32, {32, 64})});
  MoveMode mode;
  mode.part = Part::FirstRows;
  call.operands.mode = mode.pack();
  const Work work = workOf(call);
  EXPECT_EQ(work.kind, Kind::Drain);
  EXPECT_EQ(work.to, Space::Ub);
  EXPECT_EQ(work.rows, 16u);
  EXPECT_EQ(work.bytes, 16u * 64 * 4);
}

TEST(WorkOfTiles, Moves) {
  Work work = workOf(callOf(
      record::TMOV, {matrix(TileType::Left, Elem::f16, {128, 64}), matrix(TileType::Mat, Elem::f16, {128, 64})}));
  EXPECT_EQ(work.kind, Kind::Transfer);
  EXPECT_EQ(work.from, Space::L1);
  EXPECT_EQ(work.to, Space::L0A);
  EXPECT_EQ(work.bytes, 128u * 64 * 2);
  EXPECT_EQ(work.bursts, 1u);
  // 64 of 256 rows: columns of blocks, apart in L1.
  work = workOf(callOf(record::TEXTRACT,
                       {matrix(TileType::Right, Elem::f16, {64, 128}), matrix(TileType::Mat, Elem::f16, {256, 128})}));
  EXPECT_EQ(work.to, Space::L0B);
  EXPECT_EQ(work.bytes, 64u * 128 * 2);
  EXPECT_EQ(work.bursts, 128u / 16);
  work = workOf(
      callOf(record::TMOV, {valid(vec(Elem::f32, {64, 128}), 63, 125), valid(vec(Elem::f32, {64, 128}), 63, 125)}));
  EXPECT_EQ(work.from, Space::Ub);
  EXPECT_EQ(work.to, Space::Ub);
  EXPECT_EQ(work.bursts, 63u);
  // Values into L1 come from nowhere.
  work = workOf(callOf(record::TEXPANDS, {matrix(TileType::Mat, Elem::f16, {32, 32})}));
  EXPECT_EQ(work.kind, Kind::Transfer);
  EXPECT_EQ(work.from, Space::None);
  EXPECT_EQ(work.to, Space::L1);
}

TEST(WorkOfTiles, Products) {
  const TileView sum = matrix(TileType::Acc, Elem::f32, {128, 256}),
                 left = matrix(TileType::Left, Elem::f16, {128, 64}),
                 right = matrix(TileType::Right, Elem::f16, {64, 256});
  Work work = workOf(callOf(record::TMATMUL, {sum, left, right}));
  EXPECT_EQ(work.kind, Kind::Product);
  EXPECT_EQ(work.rows, 128u);
  EXPECT_EQ(work.depth, 64u);
  EXPECT_EQ(work.cols, 256u);
  EXPECT_EQ(work.fromBits, 16);
  EXPECT_FALSE(work.isAccumulating);
  work = workOf(callOf(record::TMATMUL_ACC, {sum, sum, left, right}));
  EXPECT_EQ(work.depth, 64u);
  EXPECT_TRUE(work.isAccumulating);
  work = workOf(callOf(record::TMATMUL_BIAS, {sum, whole(typeOf(TileType::Bias, Elem::f32, {1, 256})), left, right}));
  EXPECT_EQ(work.cols, 256u);
  EXPECT_FALSE(work.isAccumulating);
}

TEST(WorkOfTiles, ElementByElement) {
  const TileView a = whole(vec(Elem::f32, {16, 64}), 0), b = whole(vec(Elem::f32, {16, 64}), 4096);
  Work work = workOf(callOf(record::TADD, {a, b, b}));
  EXPECT_EQ(work.kind, Kind::Vector);
  EXPECT_EQ(work.timing, Timing::vadd);
  EXPECT_EQ(work.rows, 16u);
  EXPECT_EQ(work.cols, 64u);
  EXPECT_EQ(work.fromBits, 32);
  EXPECT_TRUE(work.isFloat);
  EXPECT_TRUE(work.isContiguous);
  EXPECT_FALSE(work.isInPlace);
  EXPECT_FALSE(work.isScalarForm);
  EXPECT_TRUE(workOf(callOf(record::TADD, {a, a, b})).isInPlace);
  EXPECT_FALSE(workOf(callOf(record::TADD, {a, b, valid(b, 16, 60)})).isContiguous);
  EXPECT_TRUE(workOf(callOf(record::TADDS, {a, b})).isScalarForm);
  EXPECT_TRUE(workOf(callOf(record::TDIVS, {a, b})).isScalarForm);
  EXPECT_FALSE(workOf(callOf(record::TDIV, {a, b, b})).isScalarForm);
  EXPECT_FALSE(workOf(callOf(record::TEXP, {a, b})).isScalarForm);
  // A window of a wider tile.
  TileView window = valid(vec(Elem::f32, {16, 64}), 16, 32);
  window.ref.beyondCols = 32;
  EXPECT_FALSE(workOf(callOf(record::TEXP, {window, window})).isContiguous);
  EXPECT_TRUE(workOf(callOf(record::TEXP, {valid(a, 1, 10), valid(b, 1, 10)})).isContiguous);
}

TEST(WorkOfTiles, ColumnMajorTilesAreLoopsOverColumns) {
  const TileView tile = whole(typeOf(TileType::Vec, Elem::f32, {64, 8}, BLayout::ColMajor));
  const Work work = workOf(callOf(record::TEXP, {tile, tile}));
  EXPECT_EQ(work.rows, 8u);
  EXPECT_EQ(work.cols, 64u);
  EXPECT_TRUE(work.isContiguous);
}

TEST(WorkOfTiles, AlgorithmsAndHalves) {
  const TileView a = whole(vec(Elem::f32, {16, 64})), row = whole(vec(Elem::f32, {1, 64}), 8192);
  Call call = callOf(record::TRECIP, {a, a});
  EXPECT_FALSE(workOf(call).isExact);
  call.operands.scalar[kAlgorithmScalar] = 1;
  EXPECT_TRUE(workOf(call).isExact);
  call = callOf(record::TCOLSUM, {row, a, row});
  EXPECT_FALSE(workOf(call).isExact);
  call.operands.mode = 1;
  EXPECT_TRUE(workOf(call).isExact);
}

TEST(WorkOfTiles, ReductionsGoByTheirSource) {
  const TileView a = whole(vec(Elem::f16, {32, 128})), column = valid(vec(Elem::f16, {32, 16}), 32, 1, 32768);
  const Work work = workOf(callOf(record::TROWMAX, {column, a, a}));
  EXPECT_EQ(work.rows, 32u);
  EXPECT_EQ(work.cols, 128u);
  EXPECT_EQ(work.fromBits, 16);
  EXPECT_TRUE(work.isContiguous);
}

TEST(WorkOfTiles, Conversions) {
  const Work work =
      workOf(callOf(record::TCVT, {whole(vec(Elem::f16, {4, 128})), whole(vec(Elem::f32, {4, 128}), 4096)}));
  EXPECT_EQ(work.fromBits, 32);
  EXPECT_EQ(work.toBits, 16);
}

TEST(WorkOfTiles, MasksDoNotGiveTheWidth) {
  const TileView a = whole(vec(Elem::f32, {4, 64})), bits = whole(vec(Elem::u8, {4, 32}), 4096);
  EXPECT_EQ(workOf(callOf(record::TSEL, {a, bits, a, a})).fromBits, 32);
  const Work work = workOf(callOf(record::TCMP, {bits, a, a}));
  EXPECT_EQ(work.rows, 4u);
  EXPECT_EQ(work.cols, 64u);
  EXPECT_EQ(work.fromBits, 32);
}

TEST(WorkOfTiles, GathersOfGmHaveABurstForEachIndex) {
  const TileView rows = whole(vec(Elem::f32, {8, 64})), index = whole(vec(Elem::i32, {1, 8}), 4096);
  const Work work = workOf(callOf(record::MGATHER, {rows, index}, {100, 64}, {64, 1}));
  EXPECT_EQ(work.kind, Kind::Transfer);
  EXPECT_EQ(work.bursts, 8u);
  EXPECT_EQ(work.bytes, 8u * 256);
}

TEST(WorkOfTiles, MergesCountRecords) {
  const TileView list = whole(vec(Elem::f32, {1, 256})), result = whole(vec(Elem::f32, {1, 512}), 8192);
  const Work work = workOf(callOf(record::TMRGSORT, {result, result, list, list}));
  EXPECT_EQ(work.rows, 1u);
  EXPECT_EQ(work.cols, 2u * 256 * 4 / 8);
}

constexpr const Record *kRecords[] = {
#define PTO_RECORD(NAME, ...) &record::NAME,
#define PTO_CUSTOM_RECORD PTO_RECORD
#include "pto/detail/records/all.def"
#undef PTO_CUSTOM_RECORD
#undef PTO_RECORD
};

/// No instruction is without work, whatever its operands are.
TEST(WorkOfTiles, EveryRecordHasAKind) {
  for (const Record *record : kRecords) {
    std::vector<TileView> tiles;
    for (size_t i = 0; i < kMaxTiles && record->tile[i].role != Role::None; ++i) {
      unsigned location = 0;
      while (!(record->tile[i].locations >> location & 1))
        ++location;
      tiles.push_back(whole(typeOf(TileType(location), Elem::f16, {32, 32})));
    }
    const Work work =
        record->gm == Gm::None ? workOf(callOf(*record, tiles)) : workOf(callOf(*record, tiles, {32, 32}, {32, 1}));
    EXPECT_NE(work.kind, Kind::Nothing) << record->name;
    EXPECT_STREQ(work.name, record->name);
    EXPECT_EQ(work.timing, record->timing) << record->name;
  }
}

TEST(WorkOfCube, ProductsLoadsAndStores) {
  const Profile &profile = profileOf(ProfileId::A5);
  PtoCubeCall call{};
  call.op = CubeOp::Mad;
  call.elem[0] = call.elem[1] = Elem::f16;
  call.elem[2] = Elem::f32;
  call.number[cube::kM] = 32;
  call.number[cube::kN] = 48;
  call.number[cube::kK] = 64;
  CubePlan plan{};
  Fact problem = planCube(call, profile, 0, plan);
  ASSERT_FALSE(problem.code) << problem.code;
  Work work = workOf(plan);
  EXPECT_EQ(work.kind, Kind::Product);
  EXPECT_EQ(work.rows, 32u);
  EXPECT_EQ(work.cols, 48u);
  EXPECT_EQ(work.depth, 64u);
  EXPECT_EQ(work.fromBits, 16);
  EXPECT_FALSE(work.isAccumulating);
  call.start = CubeStart::Sum;
  plan = {};
  planCube(call, profile, 0, plan);
  EXPECT_TRUE(workOf(plan).isAccumulating);

  call = {};
  call.op = CubeOp::Load;
  call.dst = Space::L0A;
  call.elem[0] = call.elem[1] = Elem::f16;
  call.number[cube::kLength] = 32;
  call.number[cube::kDepth] = 64;
  plan = {};
  problem = planCube(call, profile, 0, plan);
  ASSERT_FALSE(problem.code) << problem.code;
  work = workOf(plan);
  EXPECT_EQ(work.kind, Kind::Transfer);
  EXPECT_EQ(work.from, Space::L1);
  EXPECT_EQ(work.to, Space::L0A);
  EXPECT_EQ(work.bytes, 32u * 64 * 2);

  call = {};
  call.op = CubeOp::Store;
  call.dst = Space::Gm;
  call.layout = CubeLayout::Nz2Nd;
  call.elem[0] = Elem::f32;
  call.elem[1] = Elem::f16;
  call.quant = 1;
  call.number[cube::kStoreM] = 32;
  call.number[cube::kStoreN] = 48;
  call.number[cube::kSrcRows] = 32;
  call.number[cube::kDstStep] = 48;
  call.number[cube::kLoop0] = call.number[cube::kCount] = 1;
  plan = {};
  problem = planCube(call, profile, 0, plan);
  ASSERT_FALSE(problem.code) << problem.code;
  work = workOf(plan);
  EXPECT_EQ(work.kind, Kind::Drain);
  EXPECT_EQ(work.to, Space::Gm);
  EXPECT_EQ(work.rows, 32u);
  EXPECT_EQ(work.cols, 48u);
  EXPECT_EQ(work.toBits, 16);
  EXPECT_EQ(work.bytes, 32u * 48 * 2);
}

TEST(WorkOfSorts, GroupsAndMerges) {
  SortUnit::Call call{nullptr, {}};
  call.sort.repeat = 3;
  Work work = SortUnit::instruction(call).work(&call);
  EXPECT_EQ(work.kind, Kind::Vector);
  EXPECT_STREQ(work.name, "vbitsort");
  EXPECT_EQ(work.rows * work.cols, 96u);
  call.sort.merges = true;
  call.sort.repeat = 1;
  call.sort.length = {10, 20, 30, 0};
  work = SortUnit::instruction(call).work(&call);
  EXPECT_STREQ(work.name, "vmrgsort4");
  EXPECT_EQ(work.cols, 60u);
}

} // namespace
