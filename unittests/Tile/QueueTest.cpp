//===- QueueTest.cpp - tiles that travel between cores --------------------===//
//
// Queues in every direction, split and transport, with fewer and more pushes than
// entries, under every schedule, on both profiles.
//
//===----------------------------------------------------------------------===//

#include "QueuePrograms.h"

using namespace queues;

namespace {

//===----------------------------------------------------------------------===//
// From the cube core (FIFO-21, FIFO-23, FIFO-24, FIFO-41)
//===----------------------------------------------------------------------===//

template <typename Pipe, TileSplitAxis Split> void produce(const half *x, const half *unit, void *slots, int count) {
  Pipe pipe(slots, kUbRing, kL1Ring);
  AccTile acc;
  for (int i = 0; i < count; ++i) {
    makeAcc(acc, x + i * kSize, unit);
    TPUSH<Pipe, AccTile, Split>(pipe, acc);
    fence(); // the accumulator is used again
  }
}

/// Adds 1000 for each pop before it; `out` is null on a core whose part another one stores.
template <typename Pipe, typename Part, TileSplitAxis Split, bool Frees = true>
void consume(float *out, void *slots, int count) {
  Pipe pipe(slots, kUbRing, kL1Ring);
  Part tile, sum;
  TASSIGN(sum, 0);
  for (int i = 0; i < count; ++i) {
    TPOP<Pipe, Part, Split>(pipe, tile);
    fence();
    TADDS(sum, tile, float(1000 * i));
    if constexpr (Frees)
      TFREE<Pipe, Split>(pipe);
    fence();
    if (out) {
      Window<float, Part::ValidRow, Part::ValidCol> view(out + i * kSize);
      TSTORE(view, sum);
    }
    fence();
  }
}

std::vector<float> sums(const std::vector<half> &x) {
  std::vector<float> result;
  for (size_t i = 0; i < x.size(); ++i)
    result.push_back(float(x[i]) + float(1000 * (i / kSize)));
  return result;
}

template <uint32_t Slots, TileSplitAxis Split, uint8_t Dir, bool Frees = true>
void fromCube(const char *arch, int count) {
  constexpr bool rows = Split == TILE_UP_DOWN, cols = Split == TILE_LEFT_RIGHT, whole = Split == TILE_NO_SPLIT;
  using Pipe = TPipe<0, Dir, kBytes, Slots, 2, whole>;
  using Part = Vec<float, rows ? kRows / 2 : kRows, cols ? kCols / 2 : kCols>;
  std::vector<half> x = numbered(count), unit = identity(kCols);
  std::vector<uint8_t> slots(kBytes * Slots);
  std::vector<float> out(x.size());
  const bool a5 = isA5(on(arch));
  auto cube = [&](half *a, half *u, uint8_t *s, float *) { produce<Pipe, Split>(a, u, s, count); };
  auto vector = [&](half *, half *, uint8_t *s, float *o) {
    const int64_t sub = get_subblockid();
    // FIFO-24: without a split, A5 has the first one take part, and A2/A3 both.
    if (whole && a5 && sub != 0)
      return;
    o = whole && sub != 0 ? nullptr : o + (rows ? sub * kSize / 2 : 0) + (cols ? sub * kCols / 2 : 0);
    consume<Pipe, Part, Split, Frees>(o, s, count);
  };
  runs(arch, cube, vector, x, unit, slots, out);
  EXPECT_EQ(out, sums(x)) << arch << ", " << Slots << " slots, split " << int(Split) << ", " << count << " pushes";
}

template <uint32_t Slots> void fromCubeAll() {
  for (int count : {1, int(Slots), int(3 * Slots + 1)}) {
    for (const char *arch : {"a3", "a5"}) {
      fromCube<Slots, TILE_NO_SPLIT, DIR_C2V>(arch, count);
      fromCube<Slots, TILE_UP_DOWN, DIR_C2V>(arch, count);
      fromCube<Slots, TILE_LEFT_RIGHT, DIR_C2V>(arch, count);
    }
    // FIFO-25: on A5 a pop through global memory frees, and TFREE would once more.
    fromCube<Slots, TILE_NO_SPLIT, DIR_C2V_GM, false>("a5", count);
    fromCube<Slots, TILE_UP_DOWN, DIR_C2V_GM, false>("a5", count);
    fromCube<Slots, TILE_LEFT_RIGHT, DIR_C2V_GM, false>("a5", count);
  }
}

TEST(TileQueue, FromCubeOneSlot) { fromCubeAll<1>(); }
TEST(TileQueue, FromCubeTwoSlots) { fromCubeAll<2>(); }
TEST(TileQueue, FromCubeThreeSlots) { fromCubeAll<3>(); }
TEST(TileQueue, FromCubeEightSlots) { fromCubeAll<8>(); }

/// FIFO-41: 15 rows are 8 and 7, 31 columns 16 and 15.
template <TileSplitAxis Split> void oddSplit() {
  constexpr bool rows = Split == TILE_UP_DOWN_ODD;
  constexpr int validRows = rows ? kRows - 1 : kRows, validCols = rows ? kCols : kCols - 1, count = 3;
  using Pipe = TPipe<2, DIR_C2V, kBytes, 2>;
  using Acc =
      Tile<TileType::Acc, float, kRows, kCols, BLayout::ColMajor, validRows, validCols, SLayout::RowMajor, 1024>;
  using Part = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
  std::vector<half> x = numbered(count), unit = identity(kCols);
  std::vector<uint8_t> slots(2 * kBytes);
  std::vector<float> out(x.size());
  auto cube = [&](half *a, half *u, uint8_t *s, float *) {
    Pipe pipe(s, kUbRing, kL1Ring);
    AccTile acc;
    Acc part;
    for (int i = 0; i < count; ++i) {
      makeAcc(acc, a + i * kSize, u);
      TASSIGN(part, 0);
      TPUSH<Pipe, Acc, Split>(pipe, part);
      fence();
    }
  };
  auto vector = [&](half *, half *, uint8_t *s, float *o) {
    Pipe pipe(s, kUbRing, kL1Ring);
    const int64_t sub = get_subblockid();
    const int first = rows ? (validRows + 1) / 2 : (validCols + 1) / 2, all = rows ? validRows : validCols;
    const int mine = sub == 0 ? first : all - first;
    Part tile(rows ? mine : validRows, rows ? validCols : mine);
    for (int i = 0; i < count; ++i) {
      TPOP<Pipe, Part, Split>(pipe, tile);
      fence();
      using Shown = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, kCols, 1>>;
      Shown view(o + i * kSize + sub * (rows ? first * kCols : first),
                 Shape<1, 1, 1, DYNAMIC, DYNAMIC>(tile.GetValidRow(), tile.GetValidCol()));
      TSTORE(view, tile);
      TFREE<Pipe, Split>(pipe);
      fence();
    }
  };
  runs("a3", cube, vector, x, unit, slots, out);
  for (int i = 0; i < count * kSize; ++i) {
    const bool has = i % kSize / kCols < validRows && i % kCols < validCols;
    ASSERT_EQ(out[size_t(i)], has ? float(x[size_t(i)]) : 0) << i;
  }
}
TEST(TileQueue, OddRows) { oddSplit<TILE_UP_DOWN_ODD>(); }
TEST(TileQueue, OddColumns) { oddSplit<TILE_LEFT_RIGHT_ODD>(); }

//===----------------------------------------------------------------------===//
// From the vector cores (FIFO-43, FIFO-44)
//===----------------------------------------------------------------------===//

/// Elements of a matrix in fractals of 16 rows and 16 halves, column of fractals by column.
std::vector<half> inFractals(const std::vector<half> &x, int rows, int cols) {
  std::vector<half> result(x.size());
  for (size_t i = 0; i < x.size(); ++i) {
    const int at = int(i) % (rows * cols), r = at / cols, c = at % cols;
    result[i - size_t(at) + size_t(c / 16 * rows * 16 + r * 16 + c % 16)] = x[i];
  }
  return result;
}

constexpr int kHigh = 2 * kRows; // so that half of it is a fractal high

/// Each vector core brings its parts, as rows, or as the fractals that they are in global
/// memory already.
template <typename Pipe, typename Part, TileSplitAxis Split> void send(const half *parts, void *slots, int count) {
  Pipe pipe(slots, kUbRing, kL1Ring);
  Part tile;
  TASSIGN(tile, 0);
  constexpr int size = Part::Rows * Part::Cols;
  for (int i = 0; i < count; ++i) {
    if constexpr (Part::isBoxedLayout) {
      using Fractals = GlobalTensor<const half, Shape<1, Part::Cols / 16, Part::Rows / 16, 16, 16>,
                                    Stride<size, Part::Rows * 16, 256, 16, 1>, Layout::NZ>;
      Fractals view(parts + i * size);
      TLOAD(tile, view);
    } else {
      View<const half, Part::Rows, Part::Cols> view(parts + i * size);
      TLOAD(tile, view);
    }
    fence();
    TPUSH<Pipe, Part, Split>(pipe, tile);
    fence();
  }
}

template <typename Pipe, TileSplitAxis Split> void receive(float *out, const half *unit, void *slots, int count) {
  Pipe pipe(slots, kUbRing, kL1Ring);
  using Mat = MatTile<half, kHigh, kCols>;
  Mat tile;
  TileAcc<float, kHigh, kCols> acc;
  for (int i = 0; i < count; ++i) {
    TPOP<Pipe, Mat, Split>(pipe, tile);
    fence();
    multiply(acc, tile, unit);
    TFREE<Pipe, Split>(pipe);
    View<float, kHigh, kCols> view(out + i * 2 * kSize);
    TSTORE(view, acc);
    fence();
  }
}

template <uint32_t Slots, TileSplitAxis Split> void toCube(const char *arch, int count) {
  constexpr bool rows = Split == TILE_UP_DOWN, cols = Split == TILE_LEFT_RIGHT, whole = Split == TILE_NO_SPLIT;
  constexpr int partRows = rows ? kHigh / 2 : kHigh, partCols = cols ? kCols / 2 : kCols;
  using Pipe = TPipe<4, DIR_V2C, kHigh * kCols * 2, Slots, 2, whole>;
  using Rows = Vec<half, partRows, partCols>;
  using Boxes = Tile<TileType::Vec, half, partRows, partCols, BLayout::ColMajor, partRows, partCols, SLayout::RowMajor>;
  const bool a5 = isA5(on(arch));
  const std::vector<half> x = numbered(2 * count);
  std::vector<half> unit = identity(kCols), parts[2];
  for (size_t i = 0; i < x.size(); ++i) {
    const int r = int(i) / kCols % kHigh, c = int(i) % kCols;
    parts[(rows && r >= partRows) || (cols && c >= partCols)].push_back(x[i]);
  }
  if (whole)
    parts[1] = parts[0];
  for (std::vector<half> &part : parts)
    if (a5)
      part = inFractals(part, partRows, partCols);
  std::vector<uint8_t> slots(kHigh * kCols * 2 * Slots);
  std::vector<float> out(x.size());
  auto cube = [&](half *, half *, half *u, uint8_t *s, float *o) { receive<Pipe, Split>(o, u, s, count); };
  auto vector = [&](half *first, half *second, half *, uint8_t *s, float *) {
    const half *mine = get_subblockid() == 0 ? first : second;
    if (a5 && !(whole && get_subblockid() != 0))
      send<Pipe, Boxes, Split>(mine, s, count);
    if (!a5)
      send<Pipe, Rows, Split>(mine, s, count);
  };
  runs(arch, cube, vector, parts[0], parts[1], unit, slots, out);
  EXPECT_EQ(out, std::vector<float>(x.begin(), x.end())) << arch << ", " << Slots << " slots, split " << int(Split);
}

template <uint32_t Slots> void toCubeAll() {
  for (int count : {1, int(Slots), int(3 * Slots + 1)})
    for (const char *arch : {"a3", "a5"}) {
      toCube<Slots, TILE_NO_SPLIT>(arch, count);
      toCube<Slots, TILE_UP_DOWN>(arch, count);
      toCube<Slots, TILE_LEFT_RIGHT>(arch, count);
    }
}
TEST(TileQueue, ToCubeOneSlot) { toCubeAll<1>(); }
TEST(TileQueue, ToCubeTwoSlots) { toCubeAll<2>(); }
TEST(TileQueue, ToCubeEightSlots) { toCubeAll<8>(); }

//===----------------------------------------------------------------------===//
// Both ways (FIFO-8, FIFO-11)
//===----------------------------------------------------------------------===//

/// What the cube core pushes comes back, rounded to half, and goes to global memory from there.
TEST(TileQueue, ThereAndBack) {
  constexpr int count = 5;
  using Pipe = TPipe<0, DIR_BOTH, kBytes, 2>;
  for (const char *arch : {"a3", "a5"}) {
    const bool a5 = isA5(on(arch));
    std::vector<half> x = numbered(count), unit = identity(kCols);
    std::vector<uint8_t> slots(2 * 2 * kBytes);
    std::vector<float> out(x.size());
    auto cube = [&](half *a, half *u, uint8_t *s, float *o) {
      Pipe pipe(s, kUbRing, kL1Ring);
      AccTile acc;
      using Mat = MatTile<half, kRows, kCols>;
      Mat back;
      for (int i = 0; i < count; ++i) {
        makeAcc(acc, a + i * kSize, u);
        TPUSH<Pipe, AccTile, TILE_LEFT_RIGHT>(pipe, acc);
        TPOP<Pipe, Mat, TILE_LEFT_RIGHT>(pipe, back);
        fence();
        multiply(acc, back, u);
        TFREE<Pipe, TILE_LEFT_RIGHT>(pipe);
        View<float, kRows, kCols> view(o + i * kSize);
        TSTORE(view, acc);
        fence();
      }
    };
    auto vector = [&](half *, half *, uint8_t *s, float *) {
      Pipe pipe(s, kUbRing, kL1Ring);
      using Part = Vec<float, kRows, kCols / 2>;
      using Narrow = Vec<half, kRows, kCols / 2>;
      using Boxes = Tile<TileType::Vec, half, kRows, kCols / 2, BLayout::ColMajor, kRows, kCols / 2, SLayout::RowMajor>;
      Part tile, twice;
      Narrow narrow;
      Boxes boxes;
      TASSIGN(twice, 0);
      TASSIGN(narrow, 0x1000);
      TASSIGN(boxes, 0x2000);
      for (int i = 0; i < count; ++i) {
        TPOP<Pipe, Part, TILE_LEFT_RIGHT>(pipe, tile);
        fence();
        TMULS(twice, tile, 2.0f);
        TFREE<Pipe, TILE_LEFT_RIGHT>(pipe);
        fence();
        TCVT(narrow, twice, RoundMode::CAST_RINT);
        fence();
        TMOV(boxes, narrow);
        fence();
        if (a5)
          TPUSH<Pipe, Boxes, TILE_LEFT_RIGHT>(pipe, boxes);
        else
          TPUSH<Pipe, Narrow, TILE_LEFT_RIGHT>(pipe, narrow);
        fence();
      }
    };
    runs(arch, cube, vector, x, unit, slots, out);
    for (size_t i = 0; i < x.size(); ++i)
      ASSERT_EQ(out[i], 2 * float(x[i])) << arch << " " << i;
  }
}

//===----------------------------------------------------------------------===//
// Entries as views (FIFO-4): two stores fill an entry, loads read parts of it
//===----------------------------------------------------------------------===//

template <uint8_t Dir> void views(const char *arch) {
  constexpr int count = 7;
  using Pipe = TPipe<6, Dir, kBytes, 3>;
  using Entry = View<float, kRows, kCols>;
  std::vector<half> x = numbered(count), unit = identity(kCols);
  std::vector<uint8_t> slots(3 * kBytes);
  std::vector<float> out(x.size());
  auto cube = [&](half *a, half *u, uint8_t *s, float *) {
    Pipe pipe(s, kUbRing, kL1Ring);
    AccTile acc;
    using Half =
        Tile<TileType::Acc, float, kRows, kCols / 2, BLayout::ColMajor, kRows, kCols / 2, SLayout::RowMajor, 1024>;
    Half left, right;
    TASSIGN(left, 0);
    TASSIGN(right, kRows * kCols / 2 * 4);
    Entry entry(nullptr);
    for (int i = 0; i < count; ++i) {
      makeAcc(acc, a + i * kSize, u);
      TALLOC<Pipe, Entry, TILE_UP_DOWN>(pipe, entry);
      Window<float, kRows, kCols / 2> first(entry.data()), second(entry.data() + kCols / 2);
      TSTORE(first, left);
      TSTORE(second, right);
      TPUSH<Pipe, Entry, TILE_UP_DOWN>(pipe, entry);
      fence();
    }
  };
  auto vector = [&](half *, half *, uint8_t *s, float *o) {
    Pipe pipe(s, kUbRing, kL1Ring);
    const int64_t from = get_subblockid() * kSize / 2;
    Vec<float, kRows / 4, kCols> part;
    Entry entry(nullptr);
    for (int i = 0; i < count; ++i) {
      TPOP<Pipe, Entry, TILE_UP_DOWN>(pipe, entry);
      for (int piece = 0; piece < 2; ++piece) {
        View<float, kRows / 4, kCols> in(entry.data() + from + piece * kSize / 4),
            result(o + i * kSize + from + piece * kSize / 4);
        TASSIGN(part, piece * 0x1000);
        TLOAD(part, in);
        fence();
        TSTORE(result, part);
      }
      TFREE<Pipe, Entry, TILE_UP_DOWN>(pipe, entry);
      fence();
    }
  };
  runs(arch, cube, vector, x, unit, slots, out);
  EXPECT_EQ(out, std::vector<float>(x.begin(), x.end())) << arch;
}
TEST(TileQueue, EntriesAsViews) {
  views<DIR_C2V>("a3");
  views<DIR_C2V_GM>("a5");
}

//===----------------------------------------------------------------------===//
// The sides by hand (FIFO-5, FIFO-6, FIFO-9)
//===----------------------------------------------------------------------===//

/// Two halves of an entry are pushed on their own; one signal tells of both, and one
/// frees the entry.
TEST(TileQueue, SidesByHand) {
  constexpr int count = 6, half_ = kSize / 2;
  using Pipe = TPipe<0, DIR_C2V, kBytes, 2>;
  using Strip =
      Tile<TileType::Acc, float, kRows, kCols / 2, BLayout::ColMajor, kRows, kCols / 2, SLayout::RowMajor, 1024>;
  for (const char *arch : {"a3", "a5"}) {
    std::vector<half> x = numbered(count), unit = identity(kCols);
    std::vector<uint8_t> slots(2 * kBytes);
    std::vector<float> out(x.size());
    // A strip is whole in global memory, and halved in UB.
    const int step = isA5(on(arch)) ? half_ * 2 : half_ * 4;
    auto cube = [&](half *a, half *u, uint8_t *s, float *) {
      Pipe pipe(s, kUbRing, kL1Ring);
      AccTile acc;
      Strip strip;
      for (int i = 0; i < count; ++i) {
        makeAcc(acc, a + i * kSize, u);
        for (int part = 0; part < 2; ++part) {
          TASSIGN(strip, part * half_ * 4);
          pipe.prod.setTileId(i, part);
          pipe.prod.setAllocateStatus(part == 0);
          pipe.prod.setRecordStatus(false);
          pipe.prod.setEntryOffset(part * step);
          TPUSH<Pipe, Strip, TILE_UP_DOWN>(pipe, strip);
        }
        pipe.prod.record();
        fence();
      }
    };
    auto vector = [&](half *, half *, uint8_t *s, float *o) {
      Pipe pipe(s, kUbRing, kL1Ring);
      using Part = Vec<float, kRows / 2, kCols / 2>;
      Part tile;
      pipe.cons.setWaitStatus(false);
      pipe.cons.setFreeStatus(false);
      for (int i = 0; i < count; ++i) {
        pipe.cons.wait();
        for (int part = 0; part < 2; ++part) {
          pipe.cons.setTileId(i, part);
          pipe.cons.setEntryOffset(part * step);
          TPOP<Pipe, Part, TILE_UP_DOWN>(pipe, tile);
          fence();
          Window<float, kRows / 2, kCols / 2> view(o + i * kSize + get_subblockid() * kSize / 2 + part * kCols / 2);
          TSTORE(view, tile);
          fence();
        }
        pipe.cons.free();
        fence();
      }
    };
    runs(arch, cube, vector, x, unit, slots, out);
    EXPECT_EQ(out, std::vector<float>(x.begin(), x.end())) << arch;
  }
}

} // namespace
