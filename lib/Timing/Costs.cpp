//===- Costs.cpp - what an instruction costs alone ------------------------===//

#include "Figures.h"

#include <algorithm>
#include <bit>
#include <optional>

namespace ptoscope::timing {

static uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

static std::optional<Path> pathOf(Space from, Space to) {
  struct Row {
    Space from, to;
    Path path;
  };
  static constexpr Row kRows[] = {
      {Space::Gm, Space::Ub, Path::GmUb},    {Space::Gm, Space::L1, Path::GmL1},
      {Space::Ub, Space::Gm, Path::UbGm},    {Space::L1, Space::Gm, Path::L1Gm},
      {Space::Ub, Space::Ub, Path::UbUb},    {Space::Ub, Space::L1, Path::UbL1},
      {Space::L1, Space::Ub, Path::L1Ub},    {Space::L1, Space::L0A, Path::L1L0A},
      {Space::L1, Space::L0B, Path::L1L0B},  {Space::L1, Space::L0AMx, Path::L1Mx},
      {Space::L1, Space::L0BMx, Path::L1Mx}, {Space::L1, Space::L1, Path::L1L1},
      {Space::L1, Space::Bt, Path::L1Bt},    {Space::L1, Space::Fb, Path::L1Fb},
  };
  for (const Row &row : kRows)
    if (row.from == from && row.to == to)
      return row.path;
  return {};
}

// TIME-10: bursts are moved in blocks of 32 bytes.
Cost costOfPath(const CostFigures &f, Path path, uint64_t bytes, uint64_t bursts, uint64_t transfers) {
  const PathFigures &p = f.path[size_t(path)];
  bursts = std::max<uint64_t>(bursts, 1);
  transfers = std::max<uint64_t>(transfers, 1);
  const uint64_t blocks = ceilDiv(ceilDiv(bytes, bursts), kBlockBytes);
  Cost cost;
  cost.busy = p.start * transfers + bursts * std::max(p.least, p.burst + blocks * kBlockBytes / p.rate);
  cost.latency = p.latency * transfers;
  return cost;
}

static Cost costOfTransfer(const CostFigures &f, const Work &work, bool isA5) {
  // TIME-13: from no memory, or to none, is a fill or a write of a register by the same port.
  const Path path = pathOf(work.from, work.to).value_or(work.from == Space::Gm ? Path::GmL1 : Path::L1L1);
  // TIME-15: outer dimensions are loops of one transfer on A5.
  const uint32_t transfers = isA5 ? 1 : std::max(work.transfers, 1u);
  // TIME-18: elements limit what comes to L0, and pairs of 4 bits are two.
  const bool isOfPairs = work.fromBits == 4 && (path == Path::L1L0A || path == Path::L1L0B);
  Cost cost = costOfPath(f, path, isOfPairs ? 2 * work.bytes : work.bytes, work.bursts, transfers);
  if (work.from != Space::Gm && work.to != Space::Gm)
    return cost;
  // TIME-12
  if (work.timing == Timing::vgather || work.timing == Timing::vscatter)
    cost.busy += f.gmElement * work.bursts;
  // TIME-11
  const double slower =
      !work.isUnaligned ? 1 : 1 + (work.from == Space::Ub || work.to == Space::Ub ? f.unalignedUb : f.unalignedL1);
  cost.busy *= slower;
  // TIME-14: the interval holds up the next transfer, not the bytes of this one.
  const double interval = f.interval * transfers;
  if (interval > cost.busy) {
    cost.latency = std::max(0.0, cost.latency + cost.busy - interval);
    cost.busy = interval;
  }
  cost.gmBytes = uint64_t(double(work.bytes) * slower);
  cost.overhead = f.path[size_t(path)].start * transfers + f.path[size_t(path)].burst * work.bursts;
  cost.writesGm = work.to == Space::Gm;
  return cost;
}

// TIME-40
static Cost costOfProduct(const CostFigures &f, const Work &work) {
  const unsigned bits = work.fromBits ? work.fromBits : 16;
  const double blocks = double(ceilDiv(work.rows, 16)) * double(ceilDiv(work.cols, 16)) *
                        double(ceilDiv(uint64_t(work.depth) * bits, 8 * kBlockBytes));
  Cost cost;
  cost.busy = f.cubeHead + (work.isAccumulating ? f.cubeSum : 0) + blocks * (bits == 32 ? f.cubePasses32 : 1);
  cost.latency = f.cubeFirst;
  cost.restart = f.cubeWait; // TIME-43
  return cost;
}

// TIME-42
static Cost costOfDrain(const CostFigures &f, const Work &work) {
  const uint64_t blocks = std::max<uint64_t>(ceilDiv(work.cols, 8), 1);
  const double oddPart = double(blocks >> std::countr_zero(blocks));
  const double rate = work.toBits > 16 ? f.drainRate / 2 : f.drainRate; // what is written limits it
  Cost cost;
  cost.busy =
      f.drainFixed + work.rows * (std::max(f.drainFloor, 4.0 * work.cols / rate) + f.drainPenalty * (oddPart - 1));
  cost.latency = f.drainLatency;
  if (work.to == Space::Gm) {
    cost.gmBytes = work.bytes;
    cost.writesGm = true;
  }
  return cost;
}

/// TIME-3: an instruction of which nothing but its class is known.
static Cost costOfClass(const CostFigures &f, Timing timing, bool isA5) {
  switch (timing) {
  case Timing::none:
    return {};
  case Timing::scalar:
    return {f.scalarOp};
  case Timing::config:
    return {f.configOp};
  case Timing::sync:
    return {f.syncOp};
  case Timing::scope:
    return {};
  case Timing::fence:
    return {f.fenceOp};
  case Timing::load:
  case Timing::store:
    return {f.interval};
  case Timing::move:
    return costOfPath(f, Path::UbUb, kBlockBytes, 1, 1);
  case Timing::fix:
    return {f.drainFixed, f.drainLatency};
  case Timing::cube:
    return {f.cubeHead, f.cubeFirst};
  default: // a vector instruction: one register
    Work work;
    work.kind = Work::Kind::Vector;
    work.timing = timing;
    work.fromBits = work.toBits = 32;
    work.rows = work.cols = 1;
    return costOfTile(f, work, isA5);
  }
}

Cost Model::costOf(const Work &work) const {
  const CostFigures &f = *resolved;
  const bool isA5 = id == ProfileId::A5;
  switch (work.kind) {
  case Work::Kind::Nothing:
    break;
  case Work::Kind::Transfer:
    return costOfTransfer(f, work, isA5);
  case Work::Kind::Vector:
    return costOfTile(f, work, isA5);
  case Work::Kind::Product:
    return costOfProduct(f, work);
  case Work::Kind::Drain:
    return costOfDrain(f, work);
  }
  return costOfClass(f, work.timing, isA5);
}

} // namespace ptoscope::timing
