// Four devices add up their arrays: each gets the part of the others that is its own, and gives the sum to all.
// Compiled with -DFORGET, a signal may overtake its data.
#include <pto/comm/pto_comm_inst.hpp>
#include <ptoscope/world.hpp>

#include "check.hpp"

using namespace pto;
using namespace pto::comm;

constexpr int kRanks = 4, kRows = 8, kCols = 64, kPart = kRows * kCols, kCount = kRanks * kPart;

using Part = Tile<TileType::Vec, float, kRows, kCols>;
using View = GlobalTensor<float, Shape<1, 1, 1, kRows, kCols>, Stride<kPart, kPart, kPart, kCols, 1>>;
using Context = ptoscope::CommDeviceContext;

/// The copy of a symmetric address on another rank.
template <typename T> AICORE T *remote(__gm__ const Context *context, __gm__ T *local, int rank) {
  return (T *)((uint64_t)local - context->windowsIn[context->rankId] + context->windowsIn[rank]);
}

/// Every rank tells every rank, and waits until all have done so.
AICORE void meet(__gm__ const Context *context, __gm__ int32_t *words) {
#ifndef FORGET
  pipe_barrier(PIPE_ALL);
#endif
  for (int rank = kRanks; rank-- > 0;) // the last one first: its data has just been sent
    TNOTIFY(Signal(remote(context, words, rank)), 1, NotifyOp::AtomicAdd);
  TWAIT(Signal(words), kRanks, WaitCmp::GE);
}

AICORE void allReduce(__gm__ const Context *context, __gm__ float *data, __gm__ float *boxes, __gm__ float *sums,
                      __gm__ int32_t *words) {
  const int own = int(context->rankId);
  Part sum, other;
  TASSIGN<0x0000>(sum);
  TASSIGN<0x1000>(other);

  // My copy of part r goes to box `own` of rank r.
  for (int rank = 0; rank < kRanks; ++rank) {
    View from(data + rank * kPart), to(remote(context, boxes, rank) + own * kPart);
    TPUT(to, from, other);
  }
  meet(context, words);

  // All boxes together are the sum of my part, which goes to all ranks.
  View members[kRanks] = {View(boxes), View(boxes + kPart), View(boxes + 2 * kPart), View(boxes + 3 * kPart)};
  View mine(sums + own * kPart);
  TREDUCE(ParallelGroup<View>::Create(members, kRanks, 0), mine, sum, other, ReduceOp::Sum);
  View copies[kRanks] = {mine, mine, mine, mine};
  for (int rank = 0; rank < kRanks; ++rank)
    copies[rank].rebind(remote(context, sums, rank) + own * kPart);
  auto all = ParallelGroup<View>::Create(copies, kRanks, own);
  TBROADCAST(all, mine, other);
  meet(context, words + 1);
}

int main() {
  auto world = ptoscope::world(kRanks);
  auto data = world.symmetric<float>(kCount), boxes = world.symmetric<float>(kCount),
       sums = world.symmetric<float>(kCount);
  auto words = world.symmetric<int32_t>(2);
  std::vector<float> want(kCount), got(kCount);
  for (int rank = 0; rank < kRanks; ++rank) {
    std::vector<float> x = numbers(kCount, unsigned(rank));
    for (int i = 0; i < kCount; ++i) {
      data[rank][i] = x[i];
      want[i] += x[i];
    }
  }
  ptoscope::Result result = world.run(allReduce, 1, world.context(), data, boxes, sums, words);
  for (int rank = 0; rank < kRanks; ++rank) {
    got.assign(sums[rank], sums[rank] + kCount);
    if (int status = finish(result, got, want))
      return status;
  }
  return 0;
}
