// Faults that leave a result defined: `host-reports NAME broken` has the fault, `host-reports NAME` has not. Kernels are called
// directly. The exit status is that of the program: 7 if the result is right, 1 if not.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <cstring>
#include <functional>
#include <vector>

using namespace pto;

namespace {
constexpr int kRows = 16, kCols = 64;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using Column = Tile<TileType::Vec, float, kRows, 8, BLayout::RowMajor, kRows, 1>;
using View = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, kCols>, Stride<1, 1, 1, kCols, 1>>;
using ColumnView = GlobalTensor<float, Shape<1, 1, 1, kRows, 1>, Stride<1, 1, 1, 1, 1>>;

std::vector<float> x(kRows *kCols), y(kRows *kCols, -1), z(kRows);
View viewOf(std::vector<float> &memory, int rows = kRows) { return View(memory.data(), Shape<1, 1, 1, DYNAMIC, kCols>(rows)); }

void all() { pipe_barrier(PIPE_ALL); }

bool isRowMaximum() {
  for (int r = 0; r < kRows; ++r) {
    float most = x[size_t(r * kCols)];
    for (int c = 1; c < kCols; ++c)
      most = std::max(most, x[size_t(r * kCols + c)]);
    if (z[size_t(r)] != most)
      return false;
  }
  return true;
}

/// A reduction whose scratch tile is somewhere, or nowhere.
bool reduce(int64_t scratchAt) {
  Vec a, tmp;
  Column m;
  TASSIGN(a, 0);
  TASSIGN(m, 0x4000);
  if (scratchAt >= 0)
    TASSIGN(tmp, scratchAt);
  View gx = viewOf(x), gy = viewOf(y);
  ColumnView gz(z.data());
  TLOAD(a, gx);
  all();
  TROWMAX(m, a, tmp);
  all();
  TADD(a, a, a); // the source has its content still
  all();
  TSTORE(gz, m);
  TSTORE(gy, a);
  ptoscope::finishDirectCalls();
  bool kept = true;
  for (size_t i = 0; i < x.size(); ++i)
    kept = kept && y[i] == 2 * x[i];
  return kept && isRowMaximum();
}

/// A copy of `rows` valid rows at `address` with views that say something else.
bool copy(int rows, int viewRows, int64_t address, bool flags = true) {
  Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC> a(rows, kCols);
  TASSIGN(a, address);
  View gx = viewOf(x, viewRows), gy = viewOf(y, viewRows);
  TLOAD(a, gx);
  if (flags)
    all();
  TSTORE(gy, a);
  ptoscope::finishDirectCalls();
  for (int i = 0; i < kRows * kCols; ++i)
    if (y[size_t(i)] != (i < rows * kCols ? x[size_t(i)] : -1))
      return false;
  return true;
}

struct Case {
  const char *name;
  std::function<bool(bool broken)> run;
};
const Case kCases[] = {
    {"scratch-unassigned", [](bool broken) { return reduce(broken ? -1 : 0x8000); }},
    {"scratch-outside", [](bool broken) { return reduce(broken ? 320 << 10 : 0x8000); }},
    {"scratch-shared", [](bool broken) { return reduce(broken ? 0 : 0x8000); }},
    {"view-larger", [](bool broken) { return copy(7, broken ? kRows : 7, 0); }},
    {"view-smaller", [](bool broken) { return copy(7, broken ? 4 : 7, 0); }},
    {"missing-flag", [](bool broken) { return copy(kRows, kRows, 0, !broken); }},
    {"many",
     [](bool broken) {
       // More findings than are listed: the program goes on.
       Vec a;
       TASSIGN(a, 0);
       View gx = viewOf(x), gy = viewOf(y);
       TLOAD(a, gx);
       all();
#define ONE TADDS(a, a, 1.0f), broken ? void() : all();
#define FIVE ONE TSTORE(gy, a); if (!broken) all(); ONE TSTORE(gy, a); if (!broken) all();
       FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE
       ptoscope::finishDirectCalls();
       bool right = true;
       for (size_t i = 0; i < x.size(); ++i)
         right = right && y[i] == x[i] + 24;
       return right;
     }},
    // Refused: the instruction is left out, and the program goes on.
    {"refused-source",
     [](bool broken) {
       Vec a, b;
       TASSIGN(b, 0x4000);
       if (!broken)
         TASSIGN(a, 0);
       View gx = viewOf(x), gy = viewOf(y);
       TLOAD(a, gx);
       TLOAD(b, gx);
       all();
       TMOV(b, a);
       all();
       TSTORE(gy, b);
       ptoscope::finishDirectCalls();
       return y == x;
     }},
    {"refused-null",
     [](bool broken) {
       Vec a;
       TASSIGN(a, 0);
       View gx = viewOf(x), gy = viewOf(y), none(broken ? nullptr : x.data(), Shape<1, 1, 1, DYNAMIC, kCols>(kRows));
       TLOAD(a, gx);
       all();
       TLOAD(a, none);
       all();
       TSTORE(gy, a);
       ptoscope::finishDirectCalls();
       return y == x;
     }},
    {"refused-address",
     [](bool broken) {
       Vec a, b;
       TASSIGN(a, 0);
       TASSIGN(b, broken ? 1 << 20 : 0x4000);
       View gx = viewOf(x), gy = viewOf(y);
       TLOAD(b, gx);
       TLOAD(a, gx);
       all();
       TSTORE(gy, a);
       ptoscope::finishDirectCalls();
       return y == x;
     }},
#ifdef __CPU_SIM
    {"beyond-target", [](bool broken) { return copy(kRows, kRows, broken ? 300 << 10 : 0); }},
    {"misaligned",
     [](bool broken) {
       // REPORT-13: what was found is no fault of the runtime.
       Vec a;
       TASSIGN(a, broken ? 0x104 : 0x100);
       View gx = viewOf(x);
       TLOAD(a, gx);
       return aclrtSynchronizeStream(nullptr) == 0 && copy(kRows, kRows, broken ? 0x104 : 0x100);
     }},
    {"bias-beyond",
     [](bool broken) {
       Tile<TileType::Bias, float, 1, 64> bias;
       Tile<TileType::Vec, float, 1, 64> a;
       TASSIGN(bias, broken ? 6 << 10 : 0);
       TASSIGN(a, 0);
       View gx = viewOf(x, 1), gy = viewOf(y, 1);
       TLOAD(bias, gx);
       all();
       TMOV(a, bias);
       all();
       TSTORE(gy, a);
       ptoscope::finishDirectCalls();
       return std::memcmp(x.data(), y.data(), 256) == 0;
     }},
    {"unregistered",
     [](bool broken) {
       std::vector<float> other(kRows * kCols, 5);
       ptoscope::Registration mine(other.data(), other.size());
       std::vector<float> strange(kRows * kCols, 5);
       Vec a;
       TASSIGN(a, 0);
       View from = viewOf(broken ? strange : other), to = viewOf(y);
       TLOAD(a, from);
       all();
       TLOAD(a, from);
       all();
       TSTORE(to, a);
       ptoscope::finishDirectCalls();
       return y == other;
     }},
    {"never-written",
     [](bool broken) {
       // Zeros (REPORT-10).
       Vec a;
       TASSIGN(a, 0x20000);
       View gy = viewOf(y);
       if (!broken)
         TEXPANDS(a, 0.0f);
       all();
       TSTORE(gy, a);
       ptoscope::finishDirectCalls();
       return y == std::vector<float>(y.size(), 0.0f);
     }},
    {"host-only",
     [](bool broken) {
       // Twice on one line: told once.
       Vec a, b;
       Tile<TileType::Left, float, kRows, kCols, BLayout::ColMajor, kRows, kCols, SLayout::RowMajor> left;
       TASSIGN(a, 0);
       TASSIGN(b, 0x4000);
       TASSIGN(left, 0);
       View gx = viewOf(x), gy = viewOf(y);
       TLOAD(a, gx);
       all();
       for (int i = 0; i < 2; ++i)
         if (broken)
           TMOV(left, a);
       all();
       if (broken)
         TMOV(b, left);
       else
         TMOV(b, a);
       all();
       TSTORE(gy, b);
       ptoscope::finishDirectCalls();
       return y == x;
     }},
    {"extents",
     [](bool broken) {
       // Over the valid region of the destination; what the types show is said when it runs (REPORT-14).
       Vec a, b;
       Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, kRows, 24> narrow, left, right;
       TASSIGN(a, 0), TASSIGN(b, 0x1000), TASSIGN(narrow, 0x2000), TASSIGN(left, 0), TASSIGN(right, 0x1000);
       View gx = viewOf(x);
       TLOAD(a, gx), TLOAD(b, gx);
       TEXPANDS(narrow, -1.0f);
       all();
       if (broken)
         TADD(narrow, a, b);
       else
         TADD(narrow, left, right);
       all();
       bool fine = narrow.GetElement(3, 24) == 0;
       for (int r = 0; r < kRows; ++r)
         for (int c = 0; c < 24; ++c)
           fine = fine && narrow.GetElement(r, c) == 2 * x[size_t(r * kCols + c)];
       return fine;
     }},
    {"extents-dynamic",
     [](bool broken) {
       // TEXP, TADDS, TCOLEXPANDMUL and TSEL; TCVT over the valid region of its source, TTRANS too.
       using Any = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
       const int cols = broken ? kCols : 24;
       Any a(kRows, cols), d(kRows, 24), tmp(kRows, kCols);
       Tile<TileType::Vec, int32_t, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC> whole(kRows, broken ? kCols : 24);
       Tile<TileType::Vec, uint8_t, kRows, 32, BLayout::RowMajor, kRows, 3> mask;
       Tile<TileType::Vec, float, kCols, kRows, BLayout::RowMajor, DYNAMIC, DYNAMIC> turned(broken ? kCols : 24, kRows);
       TASSIGN(a, 0), TASSIGN(d, 0x1000), TASSIGN(whole, 0x2000), TASSIGN(mask, 0x3000), TASSIGN(turned, 0x4000),
           TASSIGN(tmp, 0x6000);
       for (int i = 0; i < kRows * kCols; ++i)
         a.data()[i] = x[size_t(i)], whole.data()[i] = -7, turned.data()[i] = -7, d.data()[i] = -7;
       for (int i = 0; i < kRows * 32; ++i)
         mask.data()[i] = 0x55;
       bool fine = true;
       const auto same = [&](auto &tile, auto wanted) {
         all();
         for (int r = 0; r < kRows; ++r)
           for (int c = 0; c < kCols; ++c)
             fine = fine && float(tile.GetElement(r, c)) == (c < 24 ? wanted(x[size_t(r * kCols + c)], r, c) : -7);
       };
       TADDS(d, a, 1.0f);
       same(d, [](float v, int, int) { return v + 1; });
       TCOLEXPANDMUL(d, a, a);
       same(d, [](float v, int, int c) { return v * x[size_t(c)]; });
       TCVT(whole, d, RoundMode::CAST_RINT);
       same(whole, [](float v, int, int c) { return v * x[size_t(c)]; });
       TNEG(d, a);
       same(d, [](float v, int, int) { return -v; });
       TTRANS(turned, d, tmp);
       all();
       for (int r = 0; r < kRows; ++r)
         for (int c = 0; c < kCols; ++c)
           fine = fine && turned.GetElement(c, r) == (c < 24 ? -x[size_t(r * kCols + c)] : -7);
       TSEL(d, mask, a, d, tmp);
       same(d, [](float v, int, int c) { return c % 2 == 0 ? v : -v; });
       ptoscope::finishDirectCalls();
       return fine;
     }},
    {"extents-inner",
     [](bool broken) {
       // K is that of the left tile.
       TileLeft<half, 32, 32, DYNAMIC, DYNAMIC> left(32, 32);
       TileRight<half, 32, 32, DYNAMIC, DYNAMIC> right(broken ? 16 : 32, 32);
       TileAcc<float, 32, 32> sum;
       TASSIGN(left, 0), TASSIGN(right, 0), TASSIGN(sum, 0);
       for (int i = 0; i < 1024; ++i)
         left.data()[i] = right.data()[i] = half(1);
       TMATMUL(sum, left, right);
       all();
       return sum.GetElement(31, 31) == 32;
     }},
    {"extents-refused",
     [](bool broken) {
       // Nothing of the other tile is valid.
       Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC> a(broken ? 0 : kRows, kCols);
       Vec d;
       TASSIGN(a, 0), TASSIGN(d, 0x1000);
       a.data()[0] = 3;
       d.data()[0] = 5;
       TADDS(d, a, 1.0f);
       all();
       return d.GetElement(0, 0) == (broken ? 5 : 4);
     }},
    {"columns",
     [](bool broken) {
       // Sources that devices want in rows (REPORT-15).
       using Turned = Tile<TileType::Vec, float, kRows, kCols, BLayout::ColMajor>;
       Vec rows, tmp, d;
       Turned columns;
       Column most;
       Tile<TileType::Vec, float, 1, kCols> least;
       Tile<TileType::Vec, uint32_t, 1, kCols> place;
       Tile<TileType::Vec, uint8_t, kRows, 32, BLayout::RowMajor, kRows, 8> mask;
       TASSIGN(rows, 0), TASSIGN(columns, 0x1000), TASSIGN(tmp, 0x2000), TASSIGN(most, 0x3000), TASSIGN(least, 0x4000),
           TASSIGN(place, 0x5000), TASSIGN(mask, 0x6000), TASSIGN(d, 0x7000);
       for (int r = 0; r < kRows; ++r)
         for (int c = 0; c < kCols; ++c) {
           rows.data()[r * kCols + c] = x[size_t(r * kCols + c)];
           columns.data()[c * kRows + r] = x[size_t(r * kCols + c)];
         }
       const auto run = [&](auto &source) {
         TROWMAX(most, source, tmp);
         TCOLMIN(least, source);
         TCOLARGMAX(place, source, tmp);
         TCMPS(mask, source, 3.0f, CmpMode::LT);
         all();
         TSELS(d, mask, source, tmp, 1.0f);
         all();
       };
       if (broken)
         run(columns);
       else
         run(rows);
       bool fine = true;
       for (int r = 0; r < kRows; ++r) {
         z[size_t(r)] = most.GetElement(r, 0);
         for (int c = 0; c < kCols; ++c) {
           const float v = x[size_t(r * kCols + c)];
           fine = fine && d.GetElement(r, c) == (v < 3 ? v : 1);
         }
       }
       for (int c = 0; c < kCols; ++c) {
         int low = 0, high = 0;
         for (int r = 1; r < kRows; ++r) {
           low = x[size_t(r * kCols + c)] < x[size_t(low * kCols + c)] ? r : low;
           high = x[size_t(r * kCols + c)] > x[size_t(high * kCols + c)] ? r : high;
         }
         fine = fine && least.GetElement(0, c) == x[size_t(low * kCols + c)] && place.GetElement(0, c) == unsigned(high);
       }
       ptoscope::finishDirectCalls();
       return fine && isRowMaximum();
     }},
    {"atomic",
     [](bool broken) {
       // Elements that devices do not update.
       std::vector<uint32_t> memory(kRows * kCols, 5);
       ptoscope::Registration known(memory.data(), memory.size(), "memory");
       using U = Tile<TileType::Vec, uint32_t, kRows, kCols>;
       using S = Tile<TileType::Vec, int32_t, kRows, kCols>;
       using GU = GlobalTensor<uint32_t, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
       using GS = GlobalTensor<int32_t, Shape<1, 1, 1, kRows, kCols>, Stride<1, 1, 1, kCols, 1>>;
       U u;
       S s;
       Tile<TileType::Vec, uint32_t, 1, kRows> rows;
       TASSIGN(u, 0), TASSIGN(s, 0), TASSIGN(rows, 0x4000);
       for (int i = 0; i < kRows * kCols; ++i)
         u.data()[i] = 0x80000000u + uint32_t(i);
       for (int i = 0; i < kRows; ++i)
         rows.data()[i] = uint32_t(i);
       GU gu(memory.data());
       GS gs(reinterpret_cast<int32_t *>(memory.data()));
       if (broken)
         TSTORE<U, GU, AtomicType::AtomicAdd>(gu, u);
       else
         TSTORE<S, GS, AtomicType::AtomicAdd>(gs, s);
       all();
       bool fine = true;
       for (int i = 0; i < kRows * kCols; ++i)
         fine = fine && memory[size_t(i)] == 0x80000005u + uint32_t(i);
       if (broken) { // the larger one by unsigned order
         memory.assign(memory.size(), 0x7fffffff);
         MSCATTER<Coalesce::Row, ScatterAtomicOp::Max>(gu, u, rows);
         all();
         for (int i = 0; i < kRows * kCols; ++i)
           fine = fine && memory[size_t(i)] == 0x80000000u + uint32_t(i);
       }
       ptoscope::finishDirectCalls();
       return fine;
     }},
    {"same-memory",
     [](bool broken) {
       // The next kernel of the thread finds what the last one left, and nothing else (REPORT-11).
       Vec a, other;
       TASSIGN(a, 0x10000);
       TASSIGN(other, 0x14000);
       View gx = viewOf(x), gy = viewOf(y);
       TLOAD(a, gx);
       all();
       ptoscope::finishDirectCalls();
       if (broken)
         TSTORE(gy, other);
       else
         TSTORE(gy, a);
       ptoscope::finishDirectCalls();
       return broken || y == x;
     }},
#endif
};
} // namespace

int main(int argc, char **argv) {
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = float(i * 37 % 101) - 40;
  ptoscope::Registration rx(x.data(), x.size(), "x"), ry(y.data(), y.size(), "y"), rz(z.data(), z.size(), "z");
  for (const Case &one : kCases) {
    if (argc < 2)
      std::puts(one.name);
    else if (std::strcmp(one.name, argv[1]) == 0)
      return one.run(argc > 2) ? 7 : 1;
  }
  return argc < 2 ? 0 : 2;
}
