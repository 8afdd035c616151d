//===- Sharing.h - how the cores of a launch share GM -----------*- C++ -*-===//
//
// The rates of HBM and L2 are those of all cores together. What a byte costs follows
// from how many bytes the launch moves, how many of them come from HBM, and how they
// spread over cores: from sizes, never from an order of events.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_SHARING_H
#define PTOSCOPE_LIB_TIMING_SHARING_H

#include "CoreFigures.h"
#include "Graph.h"

#include "ptoscope/Timing/Timeline.h"

namespace ptoscope::timing {

class Sharing {
public:
  /// `together`: blocks of a device that run at the same time. `share`: of the bytes of the run,
  /// a core moves this part, and others move the rest.
  Sharing(const LaunchRecord &record, const CoreFigures &figures, const std::array<double, kCoresPerBlock> &share,
          size_t together, int64_t devices);

  /// Of one core, for one byte: read, written.
  std::array<double, 2> cyclesPerByte() const { return {perByte[0] * factor, perByte[1] * factor}; }
  /// Nothing that a solution shows changes it.
  bool isSettled() const { return settled; }
  /// A launch of so many cycles moves no more than GM does; else the bytes cost more from now on.
  bool accepts(double cycles);
  void tell(LaunchTime &time) const;
  /// Of the launch, of the core that moves most, from HBM, written, and of HBM among these; and how
  /// much dearer overlap has made a byte.
  struct Bytes {
    double total, most, hbm, written, hbmWritten, factor;
  };
  Bytes bytes() const { return {readBytes + writeBytes, most, hbmBytes, writeBytes, hbmWritten, factor}; }

private:
  std::array<double, 2> perByte{};
  double factor = 1;
  double most = 0;  ///< bytes of the core that moves most
  double least = 0; ///< cycles that GM needs for the launch
  bool settled = false;
  double readBytes = 0, writeBytes = 0, firstTouchBytes = 0, hbmBytes = 0, hbmWritten = 0;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_SHARING_H
