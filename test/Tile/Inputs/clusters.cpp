// Kernels of clusters: each case runs under eager, lazy and random schedules, repaired and broken. Repaired
// it finds nothing but what the case allows, and its values are right; broken it finds what the case names.
#include <pto/npu/a2a3/custom/TSyncCVID.hpp>
#include <pto/npu/a5/custom/TSync_Custom.hpp>
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>
#include <ptoscope/task.hpp>

#include <cstdio>
#include <cstring>
#include <functional>
#include <string>
#include <vector>

using namespace pto;
using ptoscope::launch, ptoscope::mixed, ptoscope::cubeOnly, ptoscope::vectorOnly;
using Options = ptoscope::Options;
using Result = ptoscope::Result;

namespace {

constexpr int kN = 16, kTile = kN * kN, kHalf = kN / 2;
template <int Rows> using View = GlobalTensor<float, Shape<1, 1, 1, Rows, kN>, Stride<1, 1, 1, kN, 1>>;
template <int Rows> using Vec = Tile<TileType::Vec, float, Rows, kN>;
using Strip = Tile<TileType::Mat, float, kN, kN, BLayout::ColMajor, kN, kN, SLayout::RowMajor>;
using Sum = TileAcc<float, kN, kN>;

/// a * b in the accumulator, on a cube core. Values are small: sums are exact.
void multiply(float *a, float *b, Sum &sum) {
  Strip left, right;
  TileLeft<float, kN, kN> l;
  TileRight<float, kN, kN> r;
  TASSIGN(left, 0x0000);
  TASSIGN(right, 0x1000);
  TASSIGN(l, 0);
  TASSIGN(r, 0);
  TASSIGN(sum, 0);
  View<kN> va(a), vb(b);
  TLOAD(left, va);
  TLOAD(right, vb);
  PtoSetWaitFlag<PIPE_MTE2, PIPE_MTE1>();
  TMOV(l, left);
  TMOV(r, right);
  PtoSetWaitFlag<PIPE_MTE1, PIPE_M>();
  TMATMUL(sum, l, r);
  PtoSetWaitFlag<PIPE_M, PIPE_FIX>();
}
std::vector<float> numbers(int count, int seed) {
  std::vector<float> result(count);
  for (int i = 0; i < count; ++i)
    result[i] = float((i * 7 + seed * 3) % 11 - 5);
  return result;
}
std::vector<float> product(const float *a, const float *b) {
  std::vector<float> c(kTile);
  for (int i = 0; i < kN; ++i)
    for (int j = 0; j < kN; ++j)
      for (int k = 0; k < kN; ++k)
        c[i * kN + j] += a[i * kN + k] * b[k * kN + j];
  return c;
}

std::string problem; ///< what a case that ran has to say of its values
void same(const std::vector<float> &have, const std::vector<float> &want) {
  for (size_t i = 0; i < want.size() && problem.empty(); ++i)
    if (have[i] != want[i])
      problem = "element " + std::to_string(i) + " is " + std::to_string(have[i]) + ", not " + std::to_string(want[i]);
}
void expect(bool fine, const char *what) {
  if (!fine && problem.empty())
    problem = what;
}
Options on(const Options &options, const char *arch) {
  Options result = options;
  result.arch = arch;
  return result;
}

/// out = x + add, by one vector core; stores on PIPE_MTE3.
template <int Rows> void addTo(float *x, float *out, float add) {
  Vec<Rows> tile;
  TASSIGN(tile, 0);
  View<Rows> from(x), to(out);
  TLOAD(tile, from);
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  TADDS(tile, tile, add);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(to, tile);
}

// --- a product, halved over two vector cores, and back (XSYNC-5, XSYNC-6, XSYNC-12) -------------------------

enum class Slip { None, NoSet, WrongPipe, NoWait, WrongWait };

Result exchangeA3(const Options &options, Slip slip, int vectors = 2) {
  std::vector<float> a = numbers(2 * kTile, 1), b = numbers(2 * kTile, 2), c(2 * kTile), out(2 * kTile);
  auto cube = [slip](float *a, float *b, float *c, float *out) {
    set_ffts_base_addr(1);
    const int64_t at = get_block_idx() * kTile;
    Sum sum;
    multiply(a + at, b + at, sum);
    View<kN> vc(c + at), vo(out + at);
    TSTORE(vc, sum);
    ffts_cross_core_sync(slip == Slip::WrongPipe ? PIPE_MTE1 : PIPE_FIX, 1 | (2 << 4) | (0 << 8));
    wait_flag_dev(1);
    // Reads what the vector cores have stored.
    Strip strip;
    TASSIGN(strip, 0x2000);
    TLOAD(strip, vo);
  };
  auto vector = [slip, vectors](float *, float *, float *c, float *out) {
    set_ffts_base_addr(1);
    const int64_t at = get_block_idx() * kTile + get_subblockid() * kHalf * kN;
    if (slip != Slip::NoWait)
      wait_flag_dev(0);
    if (vectors == 2)
      addTo<kHalf>(c + at, out + at, float(1 + get_subblockid()));
    else
      addTo<kN>(c + at, out + at, 1);
    if (slip != Slip::NoSet || get_subblockid() == 0)
      __builtin_cce_ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, 1));
    if (slip == Slip::NoWait)
      wait_flag_dev(0);
  };
  Result result = launch(on(options, "a3"), mixed(cube, vector, vectors), 2, a, b, c, out);
  if (slip == Slip::None)
    for (int block = 0; block < 2; ++block) {
      std::vector<float> want = product(&a[block * kTile], &b[block * kTile]);
      for (int i = 0; i < kTile; ++i)
        want[i] += vectors == 2 && i >= kTile / 2 ? 2 : 1;
      same({out.begin() + block * kTile, out.begin() + (block + 1) * kTile}, want);
    }
  return result;
}

Result exchangeA5(const Options &options, Slip slip) {
  std::vector<float> a = numbers(kTile, 1), b = numbers(kTile, 2), c(kTile), out(kTile);
  auto cube = [slip](float *a, float *b, float *c, float *) {
    Sum sum;
    multiply(a, b, sum);
    View<kN> vc(c);
    TSTORE(vc, sum);
    set_intra_block(PIPE_FIX, 0);
    if (slip != Slip::NoSet)
      set_intra_block(PIPE_FIX, 16);
    wait_intra_block(PIPE_MTE2, 1);
    wait_intra_block(PIPE_MTE2, 17);
  };
  auto vector = [slip](float *, float *, float *c, float *out) {
    const int64_t at = get_subblockid() * kHalf * kN;
    wait_intra_block(slip == Slip::WrongWait ? PIPE_V : PIPE_MTE2, 0);
    addTo<kHalf>(c + at, out + at, float(1 + get_subblockid()));
    set_intra_block(PIPE_MTE3, 1);
  };
  Result result = launch(on(options, "a5"), mixed(cube, vector), 1, a, b, c, out);
  if (slip == Slip::None) {
    std::vector<float> want = product(a.data(), b.data());
    for (int i = 0; i < kTile; ++i)
      want[i] += i < kTile / 2 ? 1 : 2;
    same(out, want);
  }
  return result;
}

// --- from the accumulator into UB of the vector cores, on chip (MIX-14, XSYNC-32) ---------------------------

template <AccToVecMode Mode> Result onChip(const Options &options, bool broken) {
  std::vector<float> a = numbers(kTile, 3), b = numbers(kTile, 4), out(2 * kTile, -1);
  constexpr bool rows = Mode == AccToVecMode::DualModeSplitM, cols = Mode == AccToVecMode::DualModeSplitN;
  constexpr int high = rows ? kHalf : kN, wide = cols ? kHalf : kN;
  using Part = Tile<TileType::Vec, float, high, wide>;
  using Out = GlobalTensor<float, Shape<1, 1, 1, high, wide>, Stride<1, 1, 1, wide, 1>>;
  using Arrived = Event<Op::TMOV_A2V, Op::TADDS, false>;
  auto cube = [](float *a, float *b, float *) {
    Sum sum;
    Part part;
    TASSIGN(part, 0x100);
    multiply(a, b, sum);
    TMOV<Part, Sum, Mode>(part, sum);
    Arrived().template Record<3>();
  };
  auto vector = [broken](float *, float *, float *out) {
    Part part;
    TASSIGN(part, 0x100);
    if (!broken)
      Arrived().template Wait<3>();
    const bool mine = rows || cols || int(Mode) == get_subblockid();
    if (mine) {
      TADDS(part, part, 1.0f);
      PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
      Out view(out + get_subblockid() * kTile);
      TSTORE(view, part);
    }
    if (broken)
      Arrived().template Wait<3>();
  };
  Result result = launch(on(options, "a5"), mixed(cube, vector), 1, a, b, out);
  if (broken)
    return result;
  std::vector<float> c = product(a.data(), b.data());
  for (int core = 0; core < 2; ++core) {
    if (!rows && !cols && core != int(Mode))
      continue;
    std::vector<float> want;
    for (int i = 0; i < high; ++i)
      for (int j = 0; j < wide; ++j)
        want.push_back(c[(i + (rows ? core * kHalf : 0)) * kN + j + (cols ? core * kHalf : 0)] + 1);
    same({out.begin() + core * kTile, out.begin() + core * kTile + high * wide}, want);
  }
  return result;
}

// --- signals between blocks (XSYNC-7, XSYNC-8) and barriers (XSYNC-20, XSYNC-21) ------------------------------

enum class Meet { Vectors, Cubes, Mix, Soft, Signal, WrongSignal, None };
constexpr int kBlocks = 3;

/// Every vector core stores its part, meets the others, and adds to what its neighbour stored.
Result aroundVectors(const Options &options, const char *arch, Meet meet, bool clusters) {
  const int cores = kBlocks * (clusters ? 2 : 1);
  std::vector<float> x = numbers(cores * kTile, 5), middle(cores * kTile), out(cores * kTile);
  std::vector<int32_t> counter(16);
  auto together = [meet, arch](int32_t *counter, int64_t cores) {
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 16, 1>> workspace(counter);
    switch (meet) {
    case Meet::Vectors:
      return SYNCALL();
    case Meet::Cubes:
      return SYNCALL<SyncCoreType::AICOnly>();
    case Meet::Mix:
      return SYNCALL<SyncCoreType::Mix>();
    case Meet::Soft:
      return SYNCALL<SyncAllMode::Soft>(workspace, int32_t(cores));
    case Meet::Signal:
    case Meet::WrongSignal:
      ffts_cross_core_sync(meet == Meet::Signal ? PIPE_MTE3 : PIPE_V, getFFTSMsg(0, 3));
      return arch[1] == '5' ? wait_flag_dev(PIPE_S, 3) : wait_flag_dev(3);
    case Meet::None:
      return;
    }
  };
  auto vector = [together](float *x, float *middle, float *out, int32_t *counter) {
    set_ffts_base_addr(1);
    const int64_t cores = get_block_num() * get_subblockdim();
    const int64_t me = get_block_idx() * get_subblockdim() + get_subblockid(), next = (me + 1) % cores;
    addTo<kN>(x + me * kTile, middle + me * kTile, 1);
    together(counter, cores);
    pipe_barrier(PIPE_ALL);
    addTo<kN>(middle + next * kTile, out + me * kTile, 2);
  };
  auto cube = [together, meet](float *, float *, float *, int32_t *counter) {
    if (meet == Meet::Mix || meet == Meet::Vectors)
      together(counter, 0);
  };
  Result result = clusters ? launch(on(options, arch), mixed(cube, vector), kBlocks, x, middle, out, counter)
                           : launch(on(options, arch), vectorOnly(vector), kBlocks, x, middle, out, counter);
  if (meet == Meet::None || meet == Meet::WrongSignal || meet == Meet::Cubes)
    return result;
  std::vector<float> want(cores * kTile);
  for (int i = 0; i < cores * kTile; ++i)
    want[i] = x[(i + kTile) % (cores * kTile)] + 3;
  same(out, want);
  expect(counter[0] == (meet == Meet::Soft ? cores : 0), "the workspace counts every core once");
  return result;
}

/// Every cube core stores a product, meets the others, and multiplies by what its neighbour stored.
Result aroundCubes(const Options &options, const char *arch, bool clusters, bool barrier) {
  std::vector<float> a = numbers(kBlocks * kTile, 6), b = numbers(kBlocks * kTile, 7), c(kBlocks * kTile), d(kBlocks * kTile);
  auto cube = [barrier](float *a, float *b, float *c, float *d) {
    const int64_t me = get_block_idx(), next = (me + 1) % get_block_num();
    Sum sum;
    multiply(a + me * kTile, b + me * kTile, sum);
    View<kN> vc(c + me * kTile), vd(d + me * kTile);
    TSTORE(vc, sum);
    if (barrier)
      SYNCALL<SyncCoreType::AICOnly>();
    pipe_barrier(PIPE_ALL);
    multiply(c + next * kTile, b + me * kTile, sum);
    TSTORE(vd, sum);
  };
  auto vector = [](float *, float *, float *, float *) { SYNCALL<SyncCoreType::AICOnly>(); };
  Result result = clusters ? launch(on(options, arch), mixed(cube, vector), kBlocks, a, b, c, d)
                           : launch(on(options, arch), cubeOnly(cube), kBlocks, a, b, c, d);
  for (int block = 0; block < kBlocks && barrier; ++block) {
    const int next = (block + 1) % kBlocks;
    std::vector<float> first = product(&a[next * kTile], &b[next * kTile]);
    same({d.begin() + block * kTile, d.begin() + (block + 1) * kTile}, product(first.data(), &b[block * kTile]));
  }
  return result;
}

/// The first two of three cores meet, `more` times at the first one.
Result someMeet(const Options &options, int more) {
  std::vector<int32_t> counter(16);
  auto kernel = [more](int32_t *counter) {
    GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 16, 1>> workspace(counter);
    if (get_block_idx() < 2)
      SYNCALL<SyncAllMode::Soft, SyncCoreType::AIVOnly>(workspace, 2);
    for (int i = 0; i < more && get_block_idx() == 0; ++i)
      SYNCALL<SyncAllMode::Soft, SyncCoreType::AIVOnly>(workspace, 2);
  };
  Result result = launch(options, vectorOnly(kernel), 3, counter);
  expect(counter[0] == 2 + more, "two cores arrive");
  return result;
}

/// The two vector cores of a cluster give each other a half (XSYNC-7).
Result neighbours(const Options &options, bool broken) {
  std::vector<float> x = numbers(2 * kTile, 8), middle(2 * kTile), out(2 * kTile);
  auto vector = [broken](float *x, float *middle, float *out) {
    set_ffts_base_addr(1);
    const int64_t me = get_subblockid();
    addTo<kN>(x + me * kTile, middle + me * kTile, 1);
    if (!broken || me == 0)
      ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(1, 4));
    wait_flag_dev(4);
    pipe_barrier(PIPE_ALL);
    addTo<kN>(middle + (1 - me) * kTile, out + me * kTile, 1);
  };
  Result result = launch(on(options, "a3"), mixed([](float *, float *, float *) {}, vector), 1, x, middle, out);
  std::vector<float> want(2 * kTile);
  for (int i = 0; i < 2 * kTile && !broken; ++i)
    want[i] = x[(i + kTile) % (2 * kTile)] + 2;
  if (!broken)
    same(out, want);
  return result;
}

// --- words, ids, pipes, kinds ------------------------------------------------------------------------------

Result one(const Options &options, const char *arch, std::function<void()> cube, std::function<void()> vector,
           int vectors = 2) {
  return launch(on(options, arch), mixed(cube, vector, vectors), 1);
}
void nothing() {}

/// `n` signals in a row; repaired, each is answered.
Result inARow(const Options &options, const char *arch, bool broken) {
  const bool a5 = arch[1] == '5';
  auto set = [a5](pipe_t pipe, int id, bool both) {
    if (!a5)
      return ffts_cross_core_sync(pipe, getFFTSMsg(2, id));
    set_intra_block(pipe, id);
    if (both)
      set_intra_block(pipe, id + 16);
  };
  auto cube = [=] {
    set_ffts_base_addr(1);
    for (int i = 0; i < 16; ++i) {
      set(PIPE_FIX, 0, true);
      if (!broken) {
        if (!a5)
          wait_flag_dev(1);
        else
          wait_intra_block(PIPE_S, 1), wait_intra_block(PIPE_S, 17);
      }
    }
  };
  auto vector = [=] {
    set_ffts_base_addr(1);
    for (int i = 0; i < 16; ++i) {
      if (a5)
        wait_intra_block(PIPE_S, 0);
      else
        wait_flag_dev(0);
      if (!broken)
        set(PIPE_MTE3, 1, false);
    }
  };
  return one(options, arch, cube, vector);
}

// --- handshakes (XSYNC-30, XSYNC-31) --------------------------------------------------------------------------

Result handshakes(const Options &options, const char *arch, bool broken) {
  constexpr int kTurns = 5;
  std::vector<float> a = numbers(kTile, 1), b = numbers(kTile, 2), c(kTile), out(kTurns * kTile);
  static constexpr TSync_Custom<SyncOpType::TSTORE_C2GM, SyncOpType::TLOAD> there{4};
  auto cube = [](float *a, float *b, float *c, float *) {
    set_ffts_base_addr(1);
    expect(TSYNC_CVID(int(get_block_idx()), nullptr) == 0, "the slot is the block");
    Sum sum;
    for (int turn = 0; turn < kTurns; ++turn) {
      multiply(a, b, sum);
      if (turn > 0)
        there.allocate();
      View<kN> view(c);
      TSTORE(view, sum);
      there.record();
      pipe_barrier(PIPE_ALL);
    }
    there.allocate();
  };
  auto vector = [broken](float *, float *, float *c, float *out) {
    set_ffts_base_addr(1);
    expect(TSYNC_CVID<512, 25>(int(get_block_idx()), c) == 0, "the slot is the block");
    const int64_t at = get_subblockid() * kHalf * kN;
    for (int turn = 0; turn < kTurns; ++turn) {
      there.wait();
      if (broken)
        there.free();
      addTo<kHalf>(c + at, out + turn * kTile + at, float(turn));
      if (!broken)
        there.free();
      pipe_barrier(PIPE_ALL);
    }
  };
  Result result = launch(on(options, arch), mixed(cube, vector), 1, a, b, c, out);
  for (int turn = 0; turn < kTurns && !broken; ++turn) {
    std::vector<float> want = product(a.data(), b.data());
    for (float &value : want)
      value += float(turn);
    same({out.begin() + turn * kTile, out.begin() + (turn + 1) * kTile}, want);
  }
  return result;
}

// --- who runs (MIX-10, MIX-11) -----------------------------------------------------------------------------------

Result identities(const Options &options) {
  struct Seen {
    int64_t block, blocks, sub, subs, runs;
  } seen[3][3] = {};
  auto note = [&seen](int core) {
    Seen &s = seen[get_block_idx()][core];
    s = {get_block_idx(), get_block_num(), get_subblockid(), core == 0 ? 1 : get_subblockdim(), s.runs + 1};
  };
  Result result;
  for (int vectors : {2, 1}) {
    std::memset(static_cast<void *>(seen), 0, sizeof(seen));
    result = launch(options, mixed([&] { note(0); }, [&] { note(1 + int(get_subblockid())); }, vectors), 3);
    for (int block = 0; block < 3; ++block)
      for (int core = 0; core < 1 + vectors; ++core) {
        const Seen &s = seen[block][core];
        expect(s.block == block && s.blocks == 3 && s.sub == (core == 2) && s.subs == (core == 0 ? 1 : vectors) &&
                   s.runs == 1,
               "identity in a cluster");
      }
    expect(vectors == 2 || seen[0][2].runs == 0, "one vector core");
  }
  for (int kind = 0; kind < 2; ++kind) {
    int runs = 0;
    auto kernel = [&] {
      ++runs;
      expect(get_subblockid() == 0 && (kind == 0 || get_subblockdim() == 1) && get_block_num() == 3, "identity alone");
    };
    result = kind ? launch(options, vectorOnly(kernel), 3) : launch(options, cubeOnly(kernel), 3);
    expect(runs == 3, "a core for each block");
  }
  return result;
}

/// y = x * scale over one row of a tensor that starts 64 elements behind its buffer (MIX-20).
extern "C" void kernel_entry(int64_t *args) {
  const auto *x = reinterpret_cast<const ptoscope::TensorDescriptor *>(args[0]);
  const auto *y = reinterpret_cast<const ptoscope::TensorDescriptor *>(args[1]);
  float scale;
  std::memcpy(&scale, &args[2], 4);
  const int row = ptoscope::task::get_block_idx(args);
  expect(ptoscope::task::get_block_num(args) == 3 && ptoscope::task::get_sub_block_id(args) == 0 && x->ndims == 2 &&
             x->shapes[0] == 3 && x->shapes[1] == 64 && x->strides[0] == 64 && x->dtype == ptoscope::DataType::F32,
         "descriptor and contexts");
  using Row = GlobalTensor<float, Shape<1, 1, 1, 1, 64>, Stride<1, 1, 1, 64, 1>>;
  Row from(reinterpret_cast<float *>(x->buffer.addr) + x->start_offset + row * 64);
  Row to(reinterpret_cast<float *>(y->buffer.addr) + y->start_offset + row * 64);
  Tile<TileType::Vec, float, 1, 64> tile;
  TASSIGN(tile, 0);
  TLOAD(tile, from);
  PtoSetWaitFlag<PIPE_MTE2, PIPE_V>();
  TMULS(tile, tile, scale);
  PtoSetWaitFlag<PIPE_V, PIPE_MTE3>();
  TSTORE(to, tile);
  PtoSetWaitFlag<PIPE_MTE3, PIPE_S>(7, 7);
}
Result task(const Options &options, bool broken) {
  std::vector<float> x = numbers(64 + 3 * 64, 9), y(3 * 64);
  Result result =
      ptoscope::launchTask(options, vectorOnly(kernel_entry), 3,
                           ptoscope::tensor(x, {3, 64}, ptoscope::DataType::F32, broken ? 96 : 64),
                           ptoscope::tensor(ptoscope::buffer(y.data(), y.size(), "y"), {3, 64}), 0.5f);
  if (broken)
    return result;
  std::vector<float> want(3 * 64);
  for (size_t i = 0; i < want.size(); ++i)
    want[i] = x[64 + i] * 0.5f;
  same(y, want);
  return result;
}

/// Adds on a core that may not be a vector core.
void addHere() {
  Vec<kN> tile;
  TASSIGN(tile, 0);
  TEXPANDS(tile, 1.0f);
}
void loadStrip(float *x) {
  Strip strip;
  TASSIGN(strip, 0);
  View<kN> view(x);
  TLOAD(strip, view);
}

struct Case {
  const char *name, *code, *part; ///< what is found in the broken form: how the code begins, a part of the text
  const char *allowed;            ///< what may be found in the repaired one
  std::function<Result(const Options &, bool broken)> run;
};
const Case kCases[] = {
    {"a3-exchange", "deadlock", "AIV1 never sets it", "",
     [](const Options &o, bool broken) { return exchangeA3(o, broken ? Slip::NoSet : Slip::None); }},
    {"a3-one-vector", "race-", "TLOAD", "",
     [](const Options &o, bool broken) { return exchangeA3(o, broken ? Slip::NoWait : Slip::None, 1); }},
    {"a3-pipe", "race-", "PIPE_FIX", "",
     [](const Options &o, bool broken) { return exchangeA3(o, broken ? Slip::WrongPipe : Slip::None); }},
    {"a5-exchange", "deadlock", "set_intra_block(PIPE_FIX, 16);", "",
     [](const Options &o, bool broken) { return exchangeA5(o, broken ? Slip::NoSet : Slip::None); }},
    {"a5-wait", "race-", "PIPE_FIX", "",
     [](const Options &o, bool broken) { return exchangeA5(o, broken ? Slip::WrongWait : Slip::None); }},
    {"on-chip-0", "race-", "TMOV", "", onChip<AccToVecMode::SingleModeVec0>},
    {"on-chip-1", "race-", "TMOV", "", onChip<AccToVecMode::SingleModeVec1>},
    {"on-chip-rows", "race-", "TMOV", "", onChip<AccToVecMode::DualModeSplitM>},
    {"on-chip-cols", "race-", "TMOV", "", onChip<AccToVecMode::DualModeSplitN>},
    {"second-vector", "core-kind", "one vector core for each cube core", "",
     [](const Options &o, bool broken) {
       return one(
           o, "a5",
           [] {
             Sum sum;
             Vec<kN> part;
             TASSIGN(sum, 0);
             TASSIGN(part, 0);
             TMOV<Vec<kN>, Sum, AccToVecMode::SingleModeVec1>(part, sum);
           },
           nothing, broken ? 1 : 2);
     }},
#define AROUND(NAME, ARCH, GOOD, BAD, CLUSTERS)                                                                        \
  {NAME, "race-blocks", "TLOAD", "", [](const Options &o, bool broken) {                                               \
     return aroundVectors(o, ARCH, broken ? BAD : GOOD, CLUSTERS);                                                     \
   }}
    AROUND("vectors-a3", "a3", Meet::Vectors, Meet::None, false),
    AROUND("vectors-a5", "a5", Meet::Vectors, Meet::Cubes, true),
    AROUND("mix-a3", "a3", Meet::Mix, Meet::None, true),
    AROUND("mix-a5", "a5", Meet::Mix, Meet::None, true),
    AROUND("soft-a3", "a3", Meet::Soft, Meet::None, true),
    AROUND("kind-a3", "a3", Meet::Signal, Meet::WrongSignal, false),
    AROUND("kind-a5", "a5", Meet::Signal, Meet::WrongSignal, true),
    {"cubes-a3", "race-blocks", "TLOAD", "",
     [](const Options &o, bool broken) { return aroundCubes(o, "a3", true, !broken); }},
    {"cubes-a5", "race-blocks", "TLOAD", "",
     [](const Options &o, bool broken) { return aroundCubes(o, "a5", false, !broken); }},
    {"cubes-alone", "syncall-cube-only", "hangs on a3 hardware", "",
     [](const Options &o, bool broken) { return aroundCubes(o, "a3", !broken, true); }},
    {"mix-alone", "syncall-mismatch", "waits for cube cores", "",
     [](const Options &o, bool broken) {
       auto kernel = [] { SYNCALL<SyncCoreType::Mix>(); };
       return broken ? launch(o, vectorOnly(kernel), 2) : launch(o, mixed(kernel, kernel), 2);
     }},
    {"one-ends", "deadlock", "AIV1 of block 2", "",
     [](const Options &o, bool broken) {
       auto vector = [broken] {
         if (!broken || get_block_idx() != 2 || get_subblockid() == 0)
           SYNCALL<SyncCoreType::Mix>();
       };
       return launch(o, mixed([] { SYNCALL<SyncCoreType::Mix>(); }, vector), 3);
     }},
    {"soft-some", "deadlock", "a soft barrier", "",
     [](const Options &o, bool broken) { return someMeet(o, broken ? 1 : 0); }},
    {"soft-count", "syncall-count", "counts 3 cores, and 6", "",
     [](const Options &o, bool broken) {
       std::vector<int32_t> counter(16);
       auto vector = [broken](int32_t *counter) {
         GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 16, 1>> workspace(counter);
         SYNCALL<SyncAllMode::Soft>(workspace, broken ? 0 : 6);
       };
       return launch(o, mixed([](int32_t *) {}, vector), 3, counter);
     }},
    {"soft-dirty", "syncall-mismatch", "holds 1 before the first core arrives", "",
     [](const Options &o, bool broken) {
       std::vector<int32_t> counter(16, broken ? 1 : 4);
       auto kernel = [](int32_t *counter) {
         GlobalTensor<int32_t, Shape<1, 1, 1, 1, 16>, Stride<1, 1, 1, 16, 1>> workspace(counter);
         for (int i = 0; i < 3; ++i)
           SYNCALL<SyncAllMode::Soft, SyncCoreType::Mix>(workspace, 2);
       };
       return launch(o, vectorOnly(kernel), 2, counter);
     }},
    {"neighbours", "deadlock", "on both vector cores after the work that AIV1 needs", "", neighbours},
    {"base", "signal-config", "adds 2 to the flag", "",
     [](const Options &o, bool broken) {
       auto cube = [broken] {
         set_ffts_base_addr(1);
         for (uint64_t config : {0x021, 0x121, 0xf21})
           ffts_cross_core_sync(PIPE_FIX, broken ? config + 1 : config);
       };
       return one(o, "a3", cube, [] { wait_flag_dev(0), wait_flag_dev(1), wait_flag_dev(15); });
     }},
    {"mode", "signal-config", "has the mode 3", "signal-leftover",
     [](const Options &o, bool broken) {
       return one(o, "a3",
                  [broken] { set_ffts_base_addr(1), ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(broken ? 3 : 2, 0)); },
                  nothing);
     }},
    {"mode-a5", "not-on-profile", "set_intra_block(PIPE_FIX, 2);", "signal-leftover",
     [](const Options &o, bool broken) {
       return one(o, "a5", [broken] { ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(broken ? 2 : 0, 2)); }, nothing);
     }},
    {"intra-a3", "not-on-profile", "use `ffts_cross_core_sync`", "signal-leftover",
     [](const Options &o, bool broken) {
       return one(o, broken ? "a3" : "a5", [] { set_intra_block(PIPE_FIX, 2); }, nothing);
     }},
    {"id", "semaphore-id-range", "flag id 16 is outside 0..15", "signal-leftover",
     [](const Options &o, bool broken) {
       return one(o, "a3",
                  [broken] { set_ffts_base_addr(1), ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(2, broken ? 16 : 15)); },
                  nothing);
     }},
    {"id-a5", "semaphore-id-range", "flag id 16 is outside 0..15", "signal-leftover",
     [](const Options &o, bool broken) {
       return one(o, "a5", nothing, [broken] { set_intra_block(PIPE_MTE3, broken ? 16 : 15); });
     }},
    {"pipe", "core-kind", "names PIPE_FIX, which a vector core does not have", "signal-leftover",
     [](const Options &o, bool broken) {
       return one(o, "a5", nothing, [broken] { set_intra_block(broken ? PIPE_FIX : PIPE_MTE3, 3); });
     }},
    {"flag-pipe", "core-kind", "names PIPE_V, which a cube core does not have", "",
     [](const Options &o, bool broken) {
       return one(o, "a5", [broken] { pipe_barrier(broken ? PIPE_V : PIPE_M); }, nothing);
     }},
    {"two-modes", "not-modelled", "use an id of its own for each mode", "signal-leftover",
     [](const Options &o, bool broken) {
       auto vector = [broken] {
         set_ffts_base_addr(1);
         ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(1, 5));
         ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(0, broken ? 5 : 6));
       };
       return one(o, "a3", nothing, vector);
     }},
    {"overflow-a3", "semaphore-overflow", "which AIC sets", "",
     [](const Options &o, bool broken) { return inARow(o, "a3", broken); }},
    {"overflow-a5", "semaphore-overflow", "which AIC sets", "",
     [](const Options &o, bool broken) { return inARow(o, "a5", broken); }},
    {"leftover", "signal-leftover", "cross-core flag 3 of AIV1 is above 0", "",
     [](const Options &o, bool broken) {
       auto cube = [] { set_intra_block(PIPE_FIX, 3), set_intra_block(PIPE_FIX, 19); };
       return one(o, "a5", cube, [broken] {
         if (!broken || get_subblockid() == 0)
           wait_intra_block(PIPE_V, 3);
       });
     }},
    {"area", "ffts-base-unset", "call `set_ffts_base_addr` with it first", "",
     [](const Options &o, bool broken) {
       auto cube = [broken] {
         if (!broken)
           set_ffts_base_addr(1);
         set_cross_core(PIPE_FIX, 0);
       };
       return one(o, "a3", cube, [] { wait_cross_core(0); });
     }},
    {"reserved", "signal-reserved", "uses flag id 12", "",
     [](const Options &o, bool broken) {
       auto cube = [broken] {
         SYNCALL<SyncCoreType::Mix>();
         set_intra_block(PIPE_FIX, broken ? 12 : 2);
       };
       auto vector = [broken] {
         SYNCALL<SyncCoreType::Mix>();
         if (get_subblockid() == 0)
           wait_intra_block(PIPE_V, broken ? 12 : 2);
       };
       return one(o, "a5", cube, vector);
     }},
    {"handshake-a3", "race-", "TSTORE", "",
     [](const Options &o, bool broken) {
       return handshakes(o, "a3", broken);
     }},
    {"handshake-a5", "race-", "TSTORE", "",
     [](const Options &o, bool broken) {
       return handshakes(o, "a5", broken);
     }},
    {"add-on-cube", "core-kind", "runs on PIPE_V, which a cube core does not have", "",
     [](const Options &o, bool broken) { return broken ? one(o, "a5", addHere, nothing) : one(o, "a5", nothing, addHere); }},
    {"strip-on-vector", "core-kind", "in L1, a memory that only a cube core has", "",
     [](const Options &o, bool broken) {
       std::vector<float> x(kTile);
       auto idle = [](float *) {};
       return broken ? launch(o, mixed(idle, loadStrip), 1, x) : launch(o, mixed(loadStrip, idle), 1, x);
     }},
    {"strip-alone", "core-kind", "__DAV_CUBE__", "",
     [](const Options &o, bool broken) {
       std::vector<float> x(kTile);
       return broken ? launch(o, vectorOnly(loadStrip), 1, x) : launch(o, cubeOnly(loadStrip), 1, x);
     }},
    {"ratio", "usage", "a launch with 3 vector cores for each cube core", "",
     [](const Options &o, bool broken) { return one(o, "a5", nothing, nothing, broken ? 3 : 2); }},
    {"blocks", "too-many-blocks", "mode 0", "signal-leftover",
     [](const Options &o, bool broken) {
       auto vector = [] { set_ffts_base_addr(1), ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(0, 3)); };
       return launch(on(o, "a3"), mixed(nothing, vector), broken ? 1000 : 3);
     }},
    {"subblocks", "cube-subblocks", "gives 1 on a cube core", "",
     [](const Options &o, bool broken) {
       return one(o, "a5", [broken] { expect(!broken || get_subblockdim() == 1, "1 on a cube core"); },
                  [] { expect(get_subblockdim() == 2, "2 on a vector core"); });
     }},
    {"alone", "deadlock", "ptoscope::mixed(cube, vector)", "",
     [](const Options &o, bool broken) {
       auto kernel = [broken] {
         set_intra_block(PIPE_FIX, 0);
         if (broken)
           wait_intra_block(PIPE_V, 0);
       };
       return broken ? launch(o, kernel, 1) : launch(o, mixed(nothing, nothing), 1);
     }},
    {"identities", nullptr, "", "", [](const Options &o, bool) { return identities(o); }},
    {"task", "gm-out-of-bounds", "TLOAD", "", task},
};

int failures = 0;
void fail(const Case &c, int schedule, bool broken, const std::string &what, const Result &result) {
  ++failures;
  std::printf("%s, schedule %d, %s: %s\n%s\n", c.name, schedule, broken ? "broken" : "repaired", what.c_str(),
              result.text());
}

} // namespace

int main(int argc, char **argv) {
  for (const Case &c : kCases) {
    if (argc > 1 && std::strcmp(argv[1], c.name) != 0)
      continue;
    for (int schedule = 0; schedule < 7; ++schedule)
      for (bool broken : {false, true}) {
        if (broken && !c.code)
          continue;
        Options options;
        options.schedule = schedule == 0 ? Options::Eager : schedule == 1 ? Options::Lazy : Options::Random;
        options.seed = uint64_t(schedule);
        problem.clear();
        Result result = c.run(options, broken);
        if (argc > 2 && schedule == 0)
          std::printf("%s\n%s", c.name, result.text());
        if (!problem.empty() && !broken)
          fail(c, schedule, broken, problem, result);
        for (size_t i = 0; i < result.size() && !broken; ++i)
          if (!std::strstr(c.allowed, result[i].code) || !*c.allowed)
            fail(c, schedule, broken, std::string("finds ") + result[i].code, result);
        bool found = false;
        for (size_t i = 0; i < result.size() && broken; ++i)
          found |= std::strncmp(result[i].code, c.code, std::strlen(c.code)) == 0;
        if (broken && (!found || !std::strstr(result.text(), c.part)))
          fail(c, schedule, broken, std::string("expected ") + c.code + ", " + c.part, result);
      }
  }
  return failures != 0;
}
