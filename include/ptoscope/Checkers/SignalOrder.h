//===- SignalOrder.h - what blocks tell each other --------------*- C++ -*-===//
//
// Signals (TNOTIFY, TWAIT) order blocks and devices (COMM-25, COMM-26). Each core counts
// how often it has told others; a *knowledge* is such a number for every core. A signal
// word carries the knowledge of who set it, and of all who added to it; a wait takes it
// over. An access comes before another one if the first telling that covers it is among
// what the other one knew.
//
// One for all blocks of a launch: they run on one thread, in a fixed order.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_CHECKERS_SIGNALORDER_H
#define PTOSCOPE_CHECKERS_SIGNALORDER_H

#include "ptoscope/Checkers/GmLog.h"
#include "ptoscope/Checkers/VectorClock.h"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ptoscope {

class SignalOrder {
public:
  SignalOrder(int64_t blocks, int64_t devices) : blocks(blocks), devices(devices) {}

  /// By number of a core of the launch; missing ones are 0.
  using Knowledge = std::vector<uint64_t>;

  /// A core, whose scalar unit knows `clock`, tells others for the `number`-th time.
  /// Gives back all that it tells.
  Knowledge tell(int64_t block, CoreId core, uint64_t number, const VectorClock &clock, SiteId site);
  /// It sets a word, or adds to it.
  void set(int64_t block, CoreId core, const SignalSet &set, const Knowledge &told, SiteId site);
  /// It has written the line of [begin, end) out of its cache.
  void flush(uint64_t begin, uint64_t end, const Knowledge &told);
  /// What a wait learns, of a core whose scalar unit knows `clock`: what the words told when they first held what it
  /// waits for. A later value, which it may have met in this run, it could have come before.
  Knowledge read(int64_t block, CoreId core, const VectorClock &clock, const SignalWait &wait, SiteId site);
  /// What is told by the words of [begin, end), if there are any.
  Knowledge look(uint64_t begin, uint64_t end) const;
  /// A core whose scalar unit knows `clock` learns: what its clock has from now on; empty
  /// components where nothing is new.
  VectorClock learn(int64_t block, CoreId core, const VectorClock &clock, const Knowledge &told);

  // Engines, each of them a party like a core, with a number of its own above all blocks.
  void startEngine(const EngineTransfer &transfer, int64_t block, const Knowledge &told, SiteId site);
  /// What whoever has seen the end of a transfer knows.
  Knowledge finishEngine(uint64_t session, uint64_t number);
  /// What an engine touched, by its number.
  std::map<int64_t, std::vector<GmEntry>> engineFootprints() const;

  // All-core barriers: everybody tells, and everybody who leaves learns all of it.
  void arrive(int64_t block, uint32_t channel, uint64_t ordinal, const Knowledge &told);
  const Knowledge &met(int64_t block, uint32_t channel, uint64_t ordinal);

  /// Had the access of `first` ended for one that knows `after`?
  bool before(uint64_t first, const BarrierCounts &until, uint64_t second, const BarrierCounts &after) const;
  /// Does an access that knows `after` know of the telling? Where it was told, else kNoSite.
  SiteId knows(uint64_t block, const BarrierCounts &after, uint64_t teller, CoreId core, uint64_t number) const;

  static constexpr uint64_t kSignalWordBytes = 4;
  bool ofOneDevice(uint64_t a, uint64_t b) const {
    uint64_t each = uint64_t(blocks);
    return a / each == b / each && a / each < uint64_t(devices);
  }
  /// A signal word in [begin, end): its address and who used it; none: end.
  uint64_t wordIn(uint64_t begin, uint64_t end, SiteId &site) const;
  /// "rank 2", "block 1 of rank 2", "block 3".
  std::string nameOf(uint64_t block) const;

private:
  /// What a word held from one change to the next.
  struct State {
    std::optional<int32_t> value;
    Knowledge told;      ///< by whom it was set last, and by all who added since
    size_t setter = 0;   ///< party
    uint64_t number = 0; ///< of its telling; 0: nobody of the launch
  };
  struct Word {
    std::vector<State> states;
    uint64_t dropped = 0;            ///< older ones, that are forgotten
    std::map<size_t, uint64_t> seen; ///< by party: no older one is met again
    SiteId site = kNoSite;           ///< who used it first as a signal
  };
  /// What a core has told and learnt.
  struct Party {
    std::vector<VectorClock> told;
    std::vector<SiteId> sites; ///< where it told
    std::vector<Knowledge> learnt;
  };
  struct Engine {
    uint64_t number; ///< beside the blocks
    int64_t block;   ///< that started it
    uint64_t started = 0;
    std::vector<GmEntry> touched;
  };
  static size_t partyOf(uint64_t block, CoreId core) { return size_t(block) * kCoresPerBlock + core.index; }
  /// All that the clock of an instruction of a block stands for.
  template <typename Counts> Knowledge knowledgeOf(uint64_t block, const Counts &learnt) const;

  const int64_t blocks, devices;
  std::map<size_t, Party> parties;
  std::map<uint64_t, Word> words;
  std::map<uint64_t, Knowledge> lines; ///< by number: what was told when a line was written out
  std::map<uint64_t, Engine> engines;  ///< by session
  std::map<std::tuple<int64_t, uint32_t, uint64_t>, Knowledge> meetings; ///< by device, channel and ordinal
};

} // namespace ptoscope

#endif // PTOSCOPE_CHECKERS_SIGNALORDER_H
