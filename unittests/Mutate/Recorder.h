//===- Recorder.h - makes the order graph of a run --------------*- C++ -*-===//
//
// An observer of an eager run on one host thread. Edges follow the table of
// docs/memory-model.md line by line.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MUTATE_RECORDER_H
#define PTOSCOPE_UNITTESTS_MUTATE_RECORDER_H

#include "OrderGraph.h"
#include "ScopeOrder.h"

#include <unordered_map>

namespace ptoscope::mutate {

struct Recording {
  OrderGraph graph;
  /// Executions of scopes, in order, with their instruction.
  std::vector<std::pair<InstrIndex, ScopeOrder>> scopes;
};

/// Who touched each byte of one memory since it was last written. Bytes with the
/// same history share a state.
class ByteHistory {
public:
  using Pairs = std::vector<std::pair<uint32_t, uint32_t>>;
  /// `active`: a bit per byte; null = all. Adds (earlier, `who`) to `meeting` for
  /// every conflict.
  void touch(uint64_t begin, uint64_t bytes, const uint64_t *active, uint32_t who, AccessKind kind, Pairs &meeting);
  void clear();

private:
  struct Touch {
    uint32_t who;
    AccessKind kind;
  };
  uint32_t follow(uint32_t state, uint32_t who, AccessKind kind, Pairs &meeting);

  std::vector<std::vector<Touch>> states = {{}};   ///< 0: no one
  std::vector<uint32_t> stateOf;                   ///< by byte
  std::unordered_map<uint32_t, uint32_t> followed; ///< by state, for the last (who, kind)
  Touch last{~0u, AccessKind::Read};
};

class Recorder final : public ObserverFactory {
public:
  explicit Recorder(const Profile &profile) : profile(profile) {}
  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &) override;
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}
  /// The finished graph; nothing may be recorded afterwards.
  Recording take();

private:
  class BlockRecorder;

  /// (block, owning core, space), or (-1, 0, object) for GM.
  using MemoryName = std::tuple<int64_t, uint32_t, uint32_t>;

  const Profile &profile;
  Recording recording;
  std::map<MemoryName, ByteHistory> memories;
  ByteHistory::Pairs meeting;
  /// Arrivals at all-core barriers, by channel and number.
  std::map<std::pair<uint32_t, uint64_t>, std::vector<InstrIndex>> arrivals;
  std::map<std::pair<uint32_t, uint64_t>, std::vector<InstrIndex>> raised; ///< flags of all blocks, likewise
};

} // namespace ptoscope::mutate

#endif // PTOSCOPE_UNITTESTS_MUTATE_RECORDER_H
