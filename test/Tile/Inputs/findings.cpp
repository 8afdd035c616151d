// Faults that only a run can see: `findings NAME broken` has the fault, `findings NAME` has not. The exit
// status is that of a program that checks its result.
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>
#include <cstring>
#include <vector>

using namespace pto;

namespace {

constexpr int kRows = 16, kCols = 64, kCount = kRows * kCols;
using Vec = Tile<TileType::Vec, float, kRows, kCols>;
using Part = Tile<TileType::Vec, float, kRows, kCols, BLayout::RowMajor, DYNAMIC, DYNAMIC>;
using View = GlobalTensor<float, TileShape2D<float, kRows, kCols>, BaseShape2D<float, kRows, kCols>>;
using AnyView = GlobalTensor<float, Shape<1, 1, 1, DYNAMIC, DYNAMIC>, Stride<1, 1, 1, DYNAMIC, DYNAMIC>>;

std::vector<float> x(kCount, 1.0f), y(kCount);
ptoscope::Options options;

void load(float *from, bool broken, int64_t address) {
  Vec tile;
  TASSIGN(tile, broken ? address : 0);
  View view(from);
  TLOAD(tile, view);
}

// As in headers that are newer than the library.
constexpr ptoscope_detail::Record kNewer = [] {
  ptoscope_detail::Record record = ptoscope_detail::record::TEXP;
  record.name = "TNEWER";
  return record;
}();

struct Case {
  const char *name;
  ptoscope::Result (*run)(bool broken);
};
using ptoscope::launch;
constexpr Case kCases[] = {
    {"address", [](bool broken) { return launch(load, 1, x, broken, 0x3f020); }},
    {"far-address", [](bool broken) { return launch(load, 1, x, broken, int64_t(1) << 62); }},
    {"negative-address", [](bool broken) { return launch(load, 1, x, broken, -32); }},
    {"alignment", [](bool broken) { return launch(load, 1, x, broken, 0x10); }},
    {"mat-address",
     [](bool broken) {
       return launch(
           [broken] {
             Tile<TileType::Mat, float, 32, 32, BLayout::ColMajor, 32, 32, SLayout::RowMajor> mat;
             TASSIGN(mat, broken ? 0x80000 : 0);
             TEXPANDS(mat, 1.0f);
           },
           1);
     }},
    {"region",
     [](bool broken) {
       return launch(
           [broken](float *from) {
             Part tile;
             TASSIGN(tile, 0);
             tile.SetValidShape(broken ? kRows + 1 : kRows, kCols);
             View view(from);
             TLOAD(tile, view);
           },
           1, x);
     }},
    {"negative-region",
     [](bool broken) { return launch([broken] { Part tile(broken ? -1 : 1, kCols); }, 1); }},
    {"shape",
     [](bool broken) {
       return launch(
           [broken](float *from) {
             Part tile(broken ? 7 : kRows, kCols);
             TASSIGN(tile, 0);
             View view(from);
             TLOAD(tile, view);
           },
           1, x);
     }},
    {"unregistered",
     [](bool broken) {
       return broken ? launch(load, 1, x.data(), false, 0)
                     : launch(load, 1, ptoscope::buffer(x.data(), kCount), false, 0);
     }},
    {"null",
     [](bool broken) { return broken ? launch(load, 1, nullptr, false, 0) : launch(load, 1, x, false, 0); }},
    {"buffer-end",
     [](bool broken) {
       return launch(load, 1, ptoscope::buffer(x.data(), broken ? kCount - 3 : kCount, "x"), false, 0);
     }},
    {"buffer-start",
     [](bool broken) {
       return launch(
           [broken](float *from) {
             Part tile(2, kCols);
             TASSIGN(tile, 0);
             AnyView view(from, Shape<1, 1, 1, DYNAMIC, DYNAMIC>(2, kCols),
                          Stride<1, 1, 1, DYNAMIC, DYNAMIC>(broken ? -kCols : kCols, 1));
             TLOAD(tile, view);
           },
           1, x);
     }},
    {"read-only",
     [](bool broken) {
       const std::vector<float> &constant = x;
       auto store = [](const float *to) {
         Vec tile;
         TASSIGN(tile, 0);
         TEXPANDS(tile, 1.0f);
         set_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
         wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID0);
         View view(const_cast<float *>(to));
         TSTORE(view, tile);
       };
       return broken ? launch(store, 1, constant) : launch(store, 1, y);
     }},
    {"race",
     [](bool broken) {
       return launch(
           [broken](float *from) {
             Vec a, b;
             TASSIGN(a, 0);
             TASSIGN(b, 0x1000);
             View view(from);
             TLOAD(a, view);
             if (!broken)
               pipe_barrier(PIPE_ALL);
             TEXP(b, a);
           },
           1, x);
     }},
    {"blocks",
     [](bool broken) {
       return launch(
           [broken](float *to) {
             Part tile(1, kCols);
             TASSIGN(tile, 0);
             TEXPANDS(tile, 1.0f);
             pipe_barrier(PIPE_ALL);
             AnyView view(to + (broken ? 0 : get_block_idx() * kCols),
                          Shape<1, 1, 1, DYNAMIC, DYNAMIC>(1, kCols),
                          Stride<1, 1, 1, DYNAMIC, DYNAMIC>(kCols, 1));
             TSTORE(view, tile);
           },
           2, y);
     }},
    {"deadlock",
     [](bool broken) {
       return launch(
           [broken] {
             if (!broken)
               set_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
             wait_flag(PIPE_V, PIPE_MTE3, EVENT_ID2);
           },
           1);
     }},
    {"barrier",
     [](bool broken) {
       return launch(
           [broken] {
             if (!broken || get_block_idx() != 1)
               SYNCALL<SyncCoreType::AIVOnly>();
           },
           3);
     }},
    {"event-id",
     [](bool broken) {
       return launch(
           [broken] {
             set_flag(PIPE_V, PIPE_MTE3, broken ? 8 : 7);
             wait_flag(PIPE_V, PIPE_MTE3, broken ? 8 : 7);
           },
           1);
     }},
    {"pipe",
     [](bool broken) {
       return launch(
           [broken] {
             set_flag(broken ? pipe_t(99) : PIPE_V, PIPE_MTE3, 0);
             wait_flag(broken ? pipe_t(99) : PIPE_V, PIPE_MTE3, 0);
           },
           1);
     }},
    {"uninitialised",
     [](bool broken) {
       return launch(
           [broken] {
             Vec a, b;
             TASSIGN(a, 0);
             TASSIGN(b, 0x1000);
             if (!broken)
               TEXPANDS(a, 2.0f);
             pipe_barrier(PIPE_V);
             TEXP(b, a);
           },
           1);
     }},
    {"unassigned",
     [](bool broken) {
       return launch(
           [broken] {
             Vec a;
             if (!broken)
               TASSIGN(a, 0);
             TEXPANDS(a, 2.0f);
           },
           1);
     }},
    {"pointer",
     [](bool broken) {
       return launch(
           [broken] {
             Vec a;
             if (!broken)
               TASSIGN(a, 0);
             a.data()[0] = 1.0f;
           },
           1);
     }},
    {"foreign-pointer",
     [](bool broken) {
       return launch(
           [broken] {
             Tile<TileType::Mat, float, kRows, kCols> mat;
             Vec a, b;
             TASSIGN(a, 0);
             TASSIGN(mat, 0);
             TASSIGN(b, broken ? mat.data() : a.data());
           },
           1);
     }},
    {"steps",
     [](bool broken) {
       options.maxSteps = 1000;
       return launch(
           options,
           [broken] {
             Vec a;
             TASSIGN(a, 0);
             for (int i = 0; broken || i < 100; ++i)
               TEXPANDS(a, 1.0f);
           },
           1);
     }},
    {"strides",
     [](bool broken) {
       return launch(
           [broken](float *from) {
             Part tile(2, kCols);
             TASSIGN(tile, 0);
             AnyView view(from, Shape<1, 1, 1, DYNAMIC, DYNAMIC>(2, kCols),
                          Stride<1, 1, 1, DYNAMIC, DYNAMIC>(broken ? INT64_MAX : kCols, 1));
             TLOAD(tile, view);
           },
           1, x);
     }},
    {"many-blocks",
     [](bool broken) { return launch([] { SYNCALL<SyncCoreType::AIVOnly>(); }, broken ? 1000 : 3); }},
    {"memory-size",
     [](bool broken) {
       options.ubBytes = broken ? 0xffffffff : 1 << 20;
       return launch(options, load, 1, x, true, 0xff000);
     }},
    {"version",
     [](bool broken) {
       return launch(
           [broken] {
             Vec a;
             TASSIGN(a, 0);
             TEXPANDS(a, 2.0f);
             pipe_barrier(PIPE_V);
             ptoscope_detail::Call call = broken
                                     ? ptoscope_detail::makeCall<kNewer>(ptoscope_detail::Here::current(), a, a)
                                     : ptoscope_detail::makeCall<ptoscope_detail::record::TEXP>(ptoscope_detail::Here::current(), a, a);
             ptoscope_detail::finish(call);
           },
           1);
     }},
    {"scalar",
     [](bool broken) {
       return launch(
           [broken] {
             Vec a;
             TASSIGN(a, 0x3f000);
             a.SetValue(broken ? kCount : kCount - 1, 1.0f);
           },
           1);
     }},
    {"target",
     [](bool broken) {
       options.arch = broken ? "a9" : "a3";
       return launch(options, load, 1, x, false, 0);
     }},
    {"no-blocks", [](bool broken) { return launch(load, broken ? 0 : 1, x, false, 0); }},
    {"overlap",
     [](bool broken) {
       return launch([](float *, float *) {}, 1, ptoscope::buffer(x.data(), 64),
                     ptoscope::buffer(x.data() + (broken ? 32 : 64), 64));
     }},
    {"fill", // a whole tile, as host simulators load it, behind the end of memory
     [](bool broken) {
       options.fullFill = broken;
       return launch(
           options,
           [](float *from) {
             Part tile(1, kCols);
             TASSIGN(tile, 0x3ff00);
             AnyView view(from, Shape<1, 1, 1, DYNAMIC, DYNAMIC>(1, kCols),
                          Stride<1, 1, 1, DYNAMIC, DYNAMIC>(kCols, 1));
             TLOAD(tile, view);
           },
           1, x);
     }},
    {"direct",
     [](bool broken) {
       ptoscope::Registration registered(x.data(), x.size());
       load(x.data(), broken, 0x3f020);
       return ptoscope::finishDirectCalls() ? launch([] {}, 1) : ptoscope::Result();
     }},
    {"direct-stop",
     [](bool broken) {
       if (!broken)
         set_flag(PIPE_MTE2, PIPE_S, EVENT_ID3);
       wait_flag(PIPE_MTE2, PIPE_S, EVENT_ID3); // the process ends here if it is broken
       if (broken)
         std::puts("went on");
       ptoscope::finishDirectCalls();
       return launch([] {}, 1);
     }},
};

} // namespace

int main(int argc, char **argv) {
  for (const Case &test : kCases)
    if (argc > 1 && std::strcmp(argv[1], test.name) == 0) {
      ptoscope::Result result = test.run(argc > 2);
      result.print();
      return result.ok() ? 0 : 1;
    }
  for (const Case &test : kCases)
    std::puts(test.name);
  return argc > 1 ? 2 : 0;
}
