//===- PhasesTest.cpp - instructions that several pipes do ----------------===//
//
// PHASE-1, PHASE-2, PHASE-4: for each row of the table, the instruction alone, with flag 0 of
// each of its pairs set by the program, and with its result used on V or MTE3 at once.
//
//===----------------------------------------------------------------------===//

#include "Programs.h"

#include <algorithm>

using namespace pto;
using namespace programs;

namespace phases {

struct Pair {
  pipe_t src, dst;
};
using Pairs = std::vector<Pair>;
constexpr Pair kVS{PIPE_V, PIPE_S}, kSV{PIPE_S, PIPE_V}, k2S{PIPE_MTE2, PIPE_S}, k1S{PIPE_MTE1, PIPE_S},
    k3S{PIPE_MTE3, PIPE_S}, kS2{PIPE_S, PIPE_MTE2}, kS3{PIPE_S, PIPE_MTE3}, k2V{PIPE_MTE2, PIPE_V},
    k3V{PIPE_MTE3, PIPE_V}, kV3{PIPE_V, PIPE_MTE3}, k23{PIPE_MTE2, PIPE_MTE3}, k32{PIPE_MTE3, PIPE_MTE2};

/// Placed one behind another in UB, and filled: bytes of value 1, which any type has.
struct Arena {
  uint32_t next = 0;
  template <typename T> void put(T &tile, int fill = 1) {
    TASSIGN(tile, next);
    next += uint32_t((T::kBytes + 31) / 32 * 32);
    if (fill >= 0)
      std::memset(static_cast<void *>(tile.data()), fill, size_t(T::kBytes));
  }
};

/// Runs `body(arena)` between a set and a wait of flag 0 of the pair, if there is one.
template <typename Body> ptoscope::Result run(const char *arch, const Pair *up, Body body) {
  ptoscope::Options options;
  options.arch = arch;
  options.init = false;
  std::vector<float> gm(4096);
  return ptoscope::launch(
      options,
      [](float *memory, const Pair *pair, const Body *code) {
        Arena arena;
        if (pair)
          set_flag(pair->src, pair->dst, EVENT_ID0);
        (*code)(arena, memory);
        if (pair)
          wait_flag(pair->src, pair->dst, EVENT_ID0);
      },
      1, gm, up, &body);
}

/// Clean alone; a warning for each pair of `pairs` that is set, none for others.
template <typename Body> void takes(const char *arch, const Pairs &pairs, Body body) {
  ptoscope::Result alone = run(arch, nullptr, body);
  EXPECT_EQ(alone.size(), 0u) << alone.text();
  for (const Pair &pair : {kVS, kSV, k2S, k1S, k3S, kS2, kS3, k2V, k3V, kV3, k23, k32}) {
    const bool listed =
        std::any_of(pairs.begin(), pairs.end(), [&](const Pair &p) { return p.src == pair.src && p.dst == pair.dst; });
    ptoscope::Result result = run(arch, &pair, body);
    EXPECT_EQ(result.has("hidden-flag"), listed) << int(pair.src) << " -> " << int(pair.dst) << "\n" << result.text();
    EXPECT_EQ(result.size(), size_t(listed)) << int(pair.src) << " -> " << int(pair.dst) << "\n" << result.text();
  }
}
/// Phases on a3, none on a5.
template <typename Body> void onA3(const Pairs &pairs, Body body) {
  takes("a3", pairs, body);
  takes("a5", {}, body);
}

template <typename T> using Wide = Vec<T, 16, 32>;

TEST(TilePhases, Reductions) {
  const auto sum = [](auto element, auto reduce) {
    using T = decltype(element);
    return [reduce](Arena &arena, float *) {
      Wide<T> src, tmp;
      Column<T, 16> dst;
      arena.put(src);
      arena.put(dst);
      arena.put(tmp);
      reduce(dst, src, tmp);
    };
  };
  const Pairs back = {kVS, kSV};
  onA3(back, sum(int32_t(), [](auto &d, auto &s, auto &t) { TROWMAX(d, s, t); }));
  onA3(back, sum(int16_t(), [](auto &d, auto &s, auto &t) { TROWMIN(d, s, t); }));
  onA3(back, sum(int32_t(), [](auto &d, auto &s, auto &t) { TROWSUM(d, s, t); }));
  onA3({}, sum(float(), [](auto &d, auto &s, auto &t) { TROWSUM(d, s, t); }));
  onA3(back, sum(float(), [](auto &d, auto &s, auto &t) { TROWPROD(d, s, t); }));
  const auto arg = [](auto columns) {
    return [](Arena &arena, float *) {
      Vec<float, 16, decltype(columns)::value> src, tmp;
      Column<int32_t, 16> dst;
      arena.put(src);
      arena.put(dst);
      arena.put(tmp);
      TROWARGMAX(dst, src, tmp);
    };
  };
  onA3({}, arg(std::integral_constant<int, 64>()));
  onA3(back, arg(std::integral_constant<int, 72>()));
  // Values beside the indices, in rows of more than a block (PHASE-5).
  const auto both = [](auto columns) {
    return [](Arena &arena, float *) {
      constexpr int kCols = decltype(columns)::value;
      Wide<float> src, tmp;
      Vec<float, 16, kCols> values;
      Vec<int32_t, 16, kCols> indices;
      arena.put(src);
      arena.put(values);
      arena.put(indices);
      arena.put(tmp);
      TROWARGMIN(values, indices, src, tmp);
    };
  };
  onA3(back, both(std::integral_constant<int, 32>()));
}

TEST(TilePhases, Elementwise) {
  const auto two = [](auto element, auto operation) {
    using T = decltype(element);
    return [operation](Arena &arena, float *) {
      Wide<T> dst, a, b, tmp;
      arena.put(a);
      arena.put(b);
      arena.put(tmp);
      arena.put(dst);
      operation(dst, a, b, tmp);
    };
  };
  const Pairs back = {kVS, kSV};
  onA3(back, two(int32_t(), [](auto &d, auto &a, auto &b, auto &) { TSHL(d, a, b); }));
  onA3(back, two(int16_t(), [](auto &d, auto &a, auto &b, auto &) { TSHR(d, a, b); }));
  onA3(back, two(int32_t(), [](auto &d, auto &a, auto &b, auto &t) { TPOW(d, a, b, t); }));
  onA3(back, two(float(), [](auto &d, auto &a, auto &b, auto &t) { TPOW(d, a, b, t); }));
  onA3(back, two(int32_t(), [](auto &d, auto &a, auto &, auto &t) { TPOWS(d, a, 3, t); }));
  onA3(back, two(float(), [](auto &d, auto &a, auto &, auto &t) { TPOWS(d, a, 3.0f, t); }));
  onA3({}, two(float(), [](auto &d, auto &a, auto &, auto &) { TDIVS(d, a, 3.0f); }));
  const auto divided = two(int32_t(), [](auto &d, auto &a, auto &, auto &) { TDIVS(d, a, 3); });
  takes("a3", back, divided);
  takes("a5", {kVS}, divided);
  onA3({kSV}, [](Arena &arena, float *) {
    Wide<float> dst, src;
    Vec<uint8_t, 16, 32> mask, tmp;
    arena.put(dst);
    arena.put(src);
    arena.put(mask);
    arena.put(tmp);
    TSELS(dst, mask, src, tmp, 2.0f);
  });
  onA3(back, [](Arena &arena, float *) {
    Wide<float> dst;
    Vec<int8_t, 16, 32> src;
    Column<float, 16> scale, offset;
    arena.put(dst);
    arena.put(src);
    arena.put(scale);
    arena.put(offset);
    TDEQUANT(dst, src, scale, offset);
  });
  onA3({kVS, k1S, k2S}, [](Arena &arena, float *) {
    Wide<float> src;
    Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> one;
    Vec<uint8_t, 16, 32> mask;
    arena.put(src);
    arena.put(one);
    arena.put(mask);
    TCMPS(mask, src, one, CmpMode::GE);
  });
  onA3({}, [](Arena &arena, float *) {
    Wide<float> src;
    Vec<uint8_t, 16, 32> mask;
    arena.put(src);
    arena.put(mask);
    TCMPS(mask, src, 1.0f, CmpMode::GE);
  });
}

TEST(TilePhases, Rearrangements) {
  const Pairs back = {kVS, kSV};
  onA3(back, [](Arena &arena, float *) {
    Wide<float> dst;
    Column<float, 16> src;
    arena.put(dst);
    arena.put(src);
    TROWEXPAND(dst, src);
  });
  onA3({}, [](Arena &arena, float *) { // a block of 32 bytes for each row
    Vec<float, 16, 8> dst;
    Column<float, 16> src;
    arena.put(dst);
    arena.put(src);
    TROWEXPAND(dst, src);
  });
  onA3(back, [](Arena &arena, float *) {
    Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 12, 30> src;
    Tile<TileType::Vec, float, 32, 16, BLayout::RowMajor, 30, 12> dst;
    Wide<float> tmp;
    arena.put(src);
    arena.put(dst);
    arena.put(tmp);
    TTRANS(dst, src, tmp);
  });
  onA3({}, [](Arena &arena, float *) {
    Wide<float> src, tmp;
    Vec<float, 32, 16> dst;
    arena.put(src);
    arena.put(dst);
    arena.put(tmp);
    TTRANS(dst, src, tmp);
  });
  onA3(back, [](Arena &arena, float *) {
    Wide<float> dst, src;
    Wide<int32_t> index;
    arena.put(dst);
    arena.put(src);
    arena.put(index, 0);
    TSCATTER(dst, src, index);
  });
  onA3({kSV}, [](Arena &arena, float *) {
    Wide<int32_t> dst;
    Vec<int32_t, 16, 16> src;
    arena.put(dst);
    arena.put(src);
    TSCATTER<MaskPattern::P0101>(dst, src);
  });
  onA3({kVS, kS3, k3S, kSV, kV3, k3V}, [](Arena &arena, float *) {
    ConvTile<TileType::Vec, half, 1, Layout::NC1HWC0, ConvTileShape<2, 1, 3, 3, 16>> src;
    ConvTile<TileType::Vec, half, 1, Layout::NCHW, ConvTileShape<2, 16, 3, 3>> dst;
    Vec<half, 1, 64> tmp;
    TASSIGN(src, 0x4000);
    TASSIGN(dst, 0x6000);
    arena.put(tmp);
    TTRANS(dst, src, tmp);
  });
  const auto extract = [](auto column) { // from rows into fractals; a part of a block from column 4 on
    return [](Arena &arena, float *) {
      Tile<TileType::Vec, half, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> dst;
      Vec<half, 16, 32> src;
      arena.put(dst);
      arena.put(src);
      TEXTRACT(dst, src, 0, decltype(column)::value);
    };
  };
  onA3({}, extract(std::integral_constant<int, 16>()));
  onA3(back, extract(std::integral_constant<int, 4>()));
  // Both read the counts of an exhausted list.
  const auto merge = [](auto exhausted) {
    return [](Arena &arena, float *) {
      Tile<TileType::Vec, float, 1, 64> a, b;
      Tile<TileType::Vec, float, 1, 128> dst, tmp;
      arena.put(a);
      arena.put(b);
      arena.put(dst);
      arena.put(tmp);
      struct {
        uint16_t list[4];
      } counts;
      TMRGSORT<decltype(dst), decltype(tmp), decltype(a), decltype(b), decltype(exhausted)::value>(dst, counts, tmp, a,
                                                                                                   b);
    };
  };
  for (const char *arch : {"a3", "a5"}) {
    takes(arch, {kVS}, merge(std::true_type()));
    takes(arch, {}, merge(std::false_type()));
  }
  // An element by itself, on both.
  const auto one = [](Arena &arena, float *) {
    Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> dst;
    Wide<float> src;
    arena.put(dst);
    arena.put(src);
    TEXTRACT(dst, src, 3, 5);
  };
  takes("a3", back, one);
  takes("a5", back, one);
  const auto insert = [](Arena &arena, float *) {
    Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> src;
    Wide<float> dst;
    arena.put(dst);
    arena.put(src);
    TINSERT(dst, src, 3, 5);
  };
  takes("a3", back, insert);
  takes("a5", back, insert);
}

TEST(TilePhases, GlobalMemory) {
  const auto gather = [](auto rows) {
    return [](Arena &arena, float *memory) {
      constexpr int kRows = decltype(rows)::value;
      Vec<float, 8, 8> tile;
      std::conditional_t<kRows != 0, Tile<TileType::Vec, int32_t, 1, 8>, Vec<int32_t, 8, 8>> index;
      arena.put(tile);
      arena.put(index, 0);
      View<float, 64, 8> view(memory);
      if constexpr (kRows == 2)
        MSCATTER<Coalesce::Row>(view, tile, index);
      else if constexpr (kRows == 1)
        MGATHER<Coalesce::Row>(tile, view, index);
      else
        MGATHER<Coalesce::Elem>(tile, view, index);
    };
  };
  onA3({kVS, k3S, kS2, k2V, k23, kSV, kS3}, gather(std::integral_constant<int, 1>()));
  onA3({kVS, k3S, k2S, kS2, k2V, k23, kSV, kS3}, gather(std::integral_constant<int, 0>()));
  onA3({kVS, k2S, kS3, k3S, k3V, k32}, gather(std::integral_constant<int, 2>()));
  // Of one element a5 makes steps, too.
  const auto one = [](auto scatters) {
    return [](Arena &arena, float *memory) {
      Tile<TileType::Vec, float, 1, 8, BLayout::RowMajor, 1, 1> tile;
      Tile<TileType::Vec, int32_t, 1, 8, BLayout::RowMajor, 1, 1> index;
      arena.put(tile);
      arena.put(index, 0);
      View<float, 64, 8> view(memory);
      if constexpr (decltype(scatters)::value)
        MSCATTER<Coalesce::Elem>(view, tile, index);
      else
        MGATHER<Coalesce::Elem>(tile, view, index);
    };
  };
  takes("a3", {kVS, k3S, k2S, kS2, k2V, k23, kSV, kS3}, one(std::false_type()));
  takes("a5", {kVS, kSV}, one(std::false_type()));
  takes("a3", {kVS, k2S, kS3, k3S, k3V, k32}, one(std::true_type()));
  takes("a5", {kVS, kSV}, one(std::true_type()));
  const auto update = [](auto operation) {
    return [](Arena &arena, float *memory) {
      Vec<float, 8, 8> tile;
      Vec<int32_t, 8, 8> index;
      arena.put(tile);
      arena.put(index, 0);
      View<float, 64, 8> view(memory);
      MSCATTER<Coalesce::Elem, decltype(operation)::value>(view, tile, index);
    };
  };
  onA3({kVS, k2S, kS3, k3V, k32, k3S, kSV, kS2},
       update(std::integral_constant<ScatterAtomicOp, ScatterAtomicOp::Add>()));
  onA3({kVS, k2S, kS3, k3V, k32}, update(std::integral_constant<ScatterAtomicOp, ScatterAtomicOp::Max>()));
  const auto toMat = [](Arena &, float *memory) {
    Tile<TileType::Mat, float, 16, 16, BLayout::ColMajor, 16, 16, SLayout::RowMajor> tile;
    TASSIGN(tile, 0);
    View<float, 16, 16> table(memory);
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<16, 16, 16, 16, 1>> rows(
        reinterpret_cast<int32_t *>(memory + 1024));
    MGATHER<Coalesce::Row>(tile, table, rows);
  };
  takes("a3", {}, toMat);
  takes("a5", {kS2}, toMat);
}

/// Phases are those of the target of the launch.
TEST(TilePhases, OfTheTarget) { // PHASE-3
  const auto shift = [](Arena &arena, float *) {
    Wide<int32_t> dst, a, b;
    arena.put(dst);
    arena.put(a);
    arena.put(b);
    TSHL(dst, a, b);
  };
  takes("a2", {kVS, kSV}, shift);
  takes("a3", {kVS, kSV}, shift);
  takes("a5", {}, shift);
}

/// Whether a store behind `body`, ordered after V or after S, is a race.
template <typename Body> bool races(const char *arch, bool afterScalar, Body body) {
  ptoscope::Options options;
  options.arch = arch;
  options.init = false;
  std::vector<float> gm(4096);
  ptoscope::Result result = ptoscope::launch(
      options,
      [](float *memory, bool scalar, const Body *code) {
        Arena arena;
        const pipe_t from = scalar ? PIPE_S : PIPE_V;
        (*code)(arena, memory, [&] {
          set_flag(from, PIPE_MTE3, EVENT_ID1);
          wait_flag(from, PIPE_MTE3, EVENT_ID1);
        });
      },
      1, gm, afterScalar, &body);
  return !result.ok();
}

/// "No edge back": what the scalar unit wrote is not ordered before V and MTE3 (PHASE-4).
TEST(TilePhases, NoWayBack) { // PHASE-4
  const auto divide = [](Arena &arena, float *memory, auto order) {
    Wide<int32_t> dst, src;
    arena.put(dst);
    arena.put(src);
    TDIVS(dst, src, 3);
    order();
    View<int32_t, 16, 32> view(reinterpret_cast<int32_t *>(memory));
    TSTORE(view, dst);
  };
  EXPECT_TRUE(races("a5", false, divide));
  EXPECT_FALSE(races("a5", true, divide));
  EXPECT_FALSE(races("a3", false, divide));
  const auto join = [](Arena &arena, float *memory, auto order) {
    Tile<TileType::Vec, float, 16, 16, BLayout::RowMajor, 16, 5> a;
    Vec<float, 16, 16> b;
    Tile<TileType::Vec, float, 16, 32, BLayout::RowMajor, 16, 21> dst;
    arena.put(a);
    arena.put(b);
    arena.put(dst);
    TCONCAT(dst, a, b);
    order();
    View<float, 16, 21> view(memory);
    TSTORE(view, dst);
  };
  EXPECT_TRUE(races("a3", false, join));
  EXPECT_FALSE(races("a3", true, join));
  EXPECT_FALSE(races("a5", false, join));
  const auto pad = [](Arena &arena, float *memory, auto order) {
    Tile<TileType::Vec, int8_t, 16, 32, BLayout::RowMajor, 16, 20> src;
    Tile<TileType::Vec, int8_t, 16, 32, BLayout::RowMajor, 16, 32, SLayout::NoneBox, 512, PadValue::Zero> dst;
    arena.put(src);
    arena.put(dst);
    TFILLPAD(dst, src);
    order();
    View<int8_t, 16, 32> view(reinterpret_cast<int8_t *>(memory));
    TSTORE(view, dst);
  };
  EXPECT_TRUE(races("a3", false, pad));
  EXPECT_FALSE(races("a3", true, pad));
  EXPECT_FALSE(races("a5", false, pad));
}

/// Numbers that the scalar unit writes by itself are not ordered before V; a scratch tile makes it an instruction of V.
TEST(TilePhases, NumbersOfTheScalarUnit) { // PHASE-7
  const auto numbers = [](auto scratch) {
    return [](Arena &arena, float *memory, auto order) {
      Tile<TileType::Vec, int32_t, 1, 64> dst, tmp;
      arena.put(dst);
      arena.put(tmp);
      if constexpr (decltype(scratch)::value)
        TCI(dst, 5, tmp);
      else
        TCI(dst, 5);
      order();
      View<int32_t, 1, 64> view(reinterpret_cast<int32_t *>(memory));
      TSTORE(view, dst);
    };
  };
  for (const char *arch : {"a3", "a5"}) {
    EXPECT_TRUE(races(arch, false, numbers(std::false_type()))) << arch;
    EXPECT_FALSE(races(arch, true, numbers(std::false_type()))) << arch;
    EXPECT_FALSE(races(arch, false, numbers(std::true_type()))) << arch;
    EXPECT_TRUE(races(arch, true, numbers(std::true_type()))) << arch;
  }
}

/// On a3 two vector steps need a barrier, unless flags of the instruction order them.
TEST(TilePhases, BetweenVectorSteps) { // PHASE-6, TSYNC-4
  const auto chain = [](auto second) {
    ptoscope::Options options;
    options.arch = "a3";
    options.init = false;
    using Second = decltype(second);
    return ptoscope::launch(
               options,
               [](const Second *operation) {
                 Arena arena;
                 Wide<int32_t> a, b, c;
                 arena.put(a);
                 arena.put(b);
                 arena.put(c);
                 TADD(b, a, a);
                 (*operation)(c, b, a);
               },
               1, &second)
        .ok();
  };
  EXPECT_FALSE(chain([](auto &c, auto &b, auto &a) { TADD(c, b, a); }));
  EXPECT_TRUE(chain([](auto &c, auto &b, auto &a) { TSHL(c, b, a); }));
  EXPECT_TRUE(chain([](auto &c, auto &b, auto &a) { // and behind it
    TSHL(c, b, a);
    TADD(b, c, c);
  }));
}

} // namespace phases
