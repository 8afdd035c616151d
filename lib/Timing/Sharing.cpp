//===- Sharing.cpp - how the cores of a launch share GM -------------------===//

#include "Sharing.h"

#include <algorithm>

namespace ptoscope::timing {

Sharing::Sharing(const LaunchRecord &record, const CoreFigures &figures,
                 const std::array<double, kCoresPerBlock> &share, size_t together, int64_t devices) {
  // By core, blocks dealt out in turn.
  std::vector<std::array<double, kCoresPerBlock>> moved(together * size_t(devices));
  for (const auto &[block, issued] : record.blocks)
    for (size_t core = 0; core < kCoresPerBlock; ++core) {
      const CoreRecord &own = issued->cores[core];
      readBytes += double(own.gmReadBytes);
      writeBytes += double(own.gmWriteBytes);
      moved[size_t(block) % moved.size()][core] += double(own.gmReadBytes + own.gmWriteBytes) * share[core];
    }
  for (const auto &core : moved)
    most = std::max(most, *std::ranges::max_element(core));
  const double total = readBytes + writeBytes;
  if (total == 0) {
    settled = true;
    return;
  }
  const GmLines::Use use = record.lines.useOf(figures.l2Bytes * double(devices));
  firstTouchBytes = std::min(total, double(use.distinct * GmLines::kLineBytes));
  hbmBytes = std::min(total, double(use.fetched * GmLines::kLineBytes));
  const GmLines::Use writes = record.written.useOf(figures.l2Bytes * double(devices));
  hbmWritten = std::min({writeBytes, hbmBytes, double(writes.fetched * GmLines::kLineBytes)});
  auto cycles = [&](double bytes, double fromHbm) {
    return (fromHbm / figures.hbmRate + (bytes - fromHbm) / figures.l2Rate) / double(devices);
  };
  const double hbmRead = std::min(readBytes, hbmBytes - hbmWritten);
  const double reading = cycles(readBytes, hbmRead), writing = cycles(writeBytes, hbmWritten);
  least = reading + writing;
  // TIME-50: the core that moves most takes as long as all of them. L2 takes what is written, HBM gets
  // it later: no store waits for that unless the launch is too short for it.
  const double cores = total / most;
  perByte = {readBytes > 0 ? cores * reading / readBytes : 0, cores * cycles(1, 0)};
}

bool Sharing::accepts(double cycles) {
  constexpr double kEnough = 0.998;
  if (settled || cycles <= 0 || cycles >= least * kEnough)
    return true;
  factor *= least / cycles;
  return false;
}

void Sharing::tell(LaunchTime &time) const {
  time.gmReadBytes = readBytes;
  time.gmWriteBytes = writeBytes;
  time.firstTouchBytes = firstTouchBytes;
  const double total = readBytes + writeBytes;
  time.hitShare = total > 0 ? 1 - hbmBytes / total : 0;
}

} // namespace ptoscope::timing
