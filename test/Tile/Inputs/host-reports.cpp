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
    {"same-memory",
     [](bool broken) {
       // The next kernel of the thread finds what the last one left (REPORT-11).
       Vec a;
       TASSIGN(a, 0x10000);
       View gx = viewOf(x), gy = viewOf(y);
       TLOAD(a, gx);
       all();
       const float *at = a.data();
       if (broken)
         ptoscope::finishDirectCalls();
       TSTORE(gy, a);
       ptoscope::finishDirectCalls();
       return y == x && at == a.data();
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
