//===- Solver.h - when everything happened ----------------------*- C++ -*-===//
//
// Every core has a scalar unit that issues and pipes that take what was issued, in
// order. A time follows from times before it as soon as these are known; who is asked
// first does not matter, so cores and pipes advance as far as they can, in turn, until
// all have ended.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_SOLVER_H
#define PTOSCOPE_LIB_TIMING_SOLVER_H

#include "CoreFigures.h"
#include "Graph.h"
#include "Thinning.h"

#include "ptoscope/Timing/Scopes.h"
#include "ptoscope/Timing/Timer.h"

#include <deque>
#include <optional>
#include <unordered_map>

namespace ptoscope::timing {

/// Someone lets others go on at this time.
struct Stamp {
  double time = 0;
  SiteId site = kNoSite;
  Pipe pipe = Pipe::S;
  CoreId core = {};
  int64_t block = 0;
  uint64_t ordinal = 0;
};

/// Stamps of one flag, semaphore or line of a queue, numbered from 1 in their order.
class Stamps {
public:
  void push(const Stamp &stamp) { known.push_back(stamp); }
  uint64_t count() const { return dropped + known.size() - first; }
  bool has(uint64_t number) const { return number <= count(); }
  /// Numbers that were dropped are long past.
  const Stamp *at(uint64_t number) const {
    return number > dropped ? &known[first + size_t(number - dropped - 1)] : nullptr;
  }
  void dropBefore(uint64_t number) {
    while (dropped + 1 < number && first < known.size()) {
      ++dropped;
      ++first;
    }
    if (first == known.size() || (first >= 64 && first * 2 >= known.size())) {
      known.erase(known.begin(), known.begin() + ptrdiff_t(first));
      first = 0;
    }
  }

private:
  std::vector<Stamp> known; ///< from `first` on
  size_t first = 0;
  uint64_t dropped = 0;
};

/// Stamps that come in any order; what counts is the latest of the first so many.
class LatestStamps {
public:
  void set(uint64_t number, const Stamp &stamp) {
    if (number != latest.count() + 1) {
      beyond.emplace(number, stamp);
      return;
    }
    add(stamp);
    for (auto it = beyond.begin(); it != beyond.end() && it->first == latest.count() + 1; it = beyond.erase(it))
      add(it->second);
  }
  bool has(uint64_t number) const { return latest.has(number); }
  const Stamp *at(uint64_t number) const { return number ? latest.at(number) : nullptr; }

private:
  void add(const Stamp &stamp) {
    const Stamp *before = latest.count() ? latest.at(latest.count()) : nullptr;
    latest.push(before && before->time > stamp.time ? *before : stamp);
    // No one waits for what is so long past.
    constexpr uint64_t kKept = 8192;
    if (latest.count() > kKept)
      latest.dropBefore(latest.count() - kKept);
  }
  Stamps latest;
  std::map<uint64_t, Stamp> beyond;
};

/// Costs of all deeds of a launch under one model.
struct DeedCosts {
  struct Entry {
    double busy = 0, latency = 0;
    double gmBytes = 0; ///< that share the launch's bandwidth
    double overhead = 0, restart = 0;
    bool writesGm = false;
    uint64_t bytes = 0;
    Space from = Space::None, to = Space::None;
    uint32_t scope = ~0u; ///< position in `shares`
    Deed deed;
  };
  std::vector<Entry> entries;
  struct Shares {
    std::vector<std::pair<SiteId, double>> parts;
    uint64_t instructions = 0;
  };
  std::vector<Shares> shares;

  /// `readers`: cores that load a line, in the mean. `wantsShares`: someone is told what each
  /// instruction of a scope costs.
  DeedCosts(const LaunchRecord &record, const KernelImage &image, const Model &model, double readers, bool wantsShares);
};

/// What a pipe did, summed over the blocks of a launch.
using PipeTimes = std::array<std::array<PipeTime, kPipeSlots>, kCoresPerBlock>;

/// A change of the program, by site.
class Edits {
public:
  explicit Edits(const Change &change);
  bool drops(SiteId site) const { return any && has(site, kDropped); }
  bool isOneEarlier(SiteId site) const { return any && has(site, kOneEarlier); }
  double shorter(SiteId site) const {
    if (!any || !has(site, kShorter))
      return 0;
    return less.at(site);
  }
  const std::array<double, kCoresPerBlock> share;

private:
  enum : uint8_t { kDropped = 1, kOneEarlier = 2, kShorter = 4 };
  bool has(SiteId site, uint8_t bit) const { return site < bits.size() && (bits[site] & bit); }
  void mark(SiteId site, uint8_t bit);
  bool any = false;
  std::vector<uint8_t> bits;
  std::map<SiteId, double> less;
};

/// What a solution is computed from; the same for all its blocks.
struct Task {
  const LaunchRecord &record;
  const DeedCosts &costs;
  const CoreFigures &figures;
  const Edits &edits;
  std::array<double, 2> cyclesPerByte; ///< of GM, for one core: read, written
  TimelineSink *sink;                  ///< may be null
};

/// Rounds in which cores of several blocks meet.
class Meeting {
public:
  explicit Meeting(const LaunchRecord &record) : record(&record) {}

  void arrive(uint32_t channel, uint64_t number, const Stamp &stamp) { add(rounds[{channel, number}], stamp); }
  /// The last arrival; null while someone is missing.
  const Stamp *complete(uint32_t channel, uint64_t number) const;
  void setLaunch(uint32_t channel, uint64_t number, const Stamp &stamp) { add(launchRounds[{channel, number}], stamp); }
  const Stamp *launchSet(uint32_t channel, uint64_t number) const;
  void setSignal(uint32_t word, uint64_t number, const Stamp &stamp) { words[word].set(number, stamp); }
  /// The first `number` sets of a word; null while one of them is missing.
  const LatestStamps *signal(uint32_t word, uint64_t number) const {
    auto known = words.find(word);
    return known != words.end() && known->second.has(number) ? &known->second : nullptr;
  }

private:
  struct Round {
    uint32_t count = 0;
    Stamp last;
  };
  static void add(Round &round, const Stamp &stamp) {
    if (round.count++ == 0 || stamp.time > round.last.time)
      round.last = stamp;
  }
  const LaunchRecord *record;
  std::map<std::pair<uint32_t, uint64_t>, Round> rounds, launchRounds;
  std::map<uint32_t, LatestStamps> words;
};

/// What the cores of one block share.
struct ClusterSync {
  struct Semaphore {
    std::array<Stamps, kCoresPerBlock> sets; ///< by sender
    uint8_t senders = 0;                     ///< known from the first set on
  };
  std::array<std::unordered_map<int64_t, Semaphore>, kCoresPerBlock> semaphores;                      ///< by target
  std::array<std::unordered_map<int64_t, std::array<Stamps, kCoresPerBlock>>, kCoresPerBlock> queues; ///< likewise
};

class CoreSolver {
public:
  CoreSolver(const Task &task, const RecordedBlock &of, CoreId core, ClusterSync &cluster, Meeting &meeting,
             uint32_t physicalCore, double begin, PipeTimes &times);

  /// Goes on as far as it can; true if that was anywhere.
  bool advance();
  bool ended() const { return reader.atEnd() && queued == 0; }
  /// Nothing moves: issues one instruction although its queue is full. A device would be
  /// stuck; this machine's queues are longer. False: that is not what it waits for.
  bool overfill();
  /// Nothing moves: a wait passes whose set may be missing. False: nothing is missing.
  bool passGap();
  /// The last effect of the core.
  double end() const { return std::max(lastEffect, pipes[size_t(Pipe::S)].free); }
  /// Nothing more comes: tells what is left.
  void finish();

private:
  struct Pending {
    SiteId site;
    uint32_t deed;
    double issued;
    uint64_t number; ///< of a wait: what it waits for
    uint64_t place;  ///< in the order of issue, for the sink
    uint32_t watch;  ///< of a release that waits for holders
    bool arrived;    ///< at an all-core barrier
  };
  struct Watch {
    uint32_t missing = 0;
    Stamp last;
  };
  struct PipeState {
    std::deque<Pending> queue;
    double free = 0;
    double waited = 0; ///< for others, since the last instruction that does something
    Stamp seen;        ///< the last effect so far
    uint64_t issued = 0, resolved = 0;
    std::vector<double> starts;                         ///< of the last instructions, by ordinal
    std::vector<std::pair<uint64_t, uint32_t>> watched; ///< ordinals, and who waits for them
    std::deque<std::pair<uint64_t, Stamp>> passed;      ///< tiles handed to the partner
    size_t nextNumber = 0;
  };
  struct Buffer {
    uint64_t released = 0;
    uint16_t everHeld = 0;
    LatestStamps releases;
  };
  /// What an instruction waits for.
  struct Need {
    Stamp stamp;
    Reason reason = Reason::None;
    int64_t id = 0;
    bool hasArrow = false;
  };
  struct Told {
    Slice slice;
    std::vector<Arrow> arrows;
    uint32_t shares = ~0u;
    enum : uint8_t { Open, Done, Silent } state = Open;
  };

  const Deed &deedOf(uint32_t number) const { return task.costs.entries[number].deed; }
  static size_t flagIndex(Pipe src, Pipe dst, int64_t id) {
    return (size_t(src) * kPipeSlots + size_t(dst)) * size_t(kEventIds) + size_t(id);
  }
  /// A change leaves it out.
  bool isDropped(SiteId site, const Deed &deed) const {
    return task.edits.drops(site) && deed.act >= Act::SetFlag && deed.act <= Act::ReleaseBuffer;
  }
  bool step(bool overfills);
  bool resolveHead(Pipe pipe);
  bool resolve(Pipe pipe, Pending &instr);
  /// False: not known yet.
  bool findNeeds(Pipe pipe, Pending &instr, const Deed &deed);
  bool needIdle(double latency);
  bool needMeeting(Pipe pipe, Pending &instr, const Deed &deed);
  void need(const Stamp &stamp, double latency, Reason reason, int64_t id, bool hasArrow = true) {
    needs.push_back({stamp, reason, id, hasArrow});
    needs.back().stamp.time += latency;
  }
  /// Gives a wait the number of what it waits for.
  void count(Pipe pipe, Pending &instr, const Deed &deed);
  /// Lets others go on; when they see it.
  double passOn(Pipe pipe, const Pending &instr, const Deed &deed, double start, double end);
  uint64_t number(Pipe pipe, size_t ahead = 0) const {
    return record.numbers[size_t(pipe)][pipes[size_t(pipe)].nextNumber + ahead];
  }
  size_t numbersOf(Pipe pipe, const Deed &deed) const;
  void watchResolved(PipeState &pipe);
  Track track(Pipe pipe) const { return {blockIndex, core, pipe}; }
  Stamp stampOf(Pipe pipe, SiteId site, double time) const {
    return {time, site, pipe, core, blockIndex, pipes[size_t(pipe)].resolved + 1};
  }
  uint64_t reserve();
  void tell(uint64_t place, Told &&told);
  void flush();

  const Task &task;
  const int64_t blockIndex;
  const BlockRecord &block;
  const CoreRecord &record;
  const CoreId core;
  ClusterSync &cluster;
  Meeting &meeting;
  const uint32_t physicalCore;
  const double begin;
  std::array<PipeTime, kPipeSlots> &times;
  const uint64_t depth; ///< of a queue

  EntryStream::Reader reader;
  Thinning thinning;
  bool passesGap = false;
  std::array<PipeState, kPipeSlots> pipes;
  uint64_t queued = 0;
  double lastEffect;
  std::vector<Stamps> flags;
  std::vector<uint64_t> flagWaits;
  std::array<Buffer, size_t(kBufferIds)> buffers;
  std::vector<Watch> watches;
  std::vector<uint32_t> freeWatches;
  std::unordered_map<int64_t, uint64_t> semaphoreWaits, launchWaits, launchSets;
  std::map<uint64_t, std::pair<double, std::vector<Stamp>>> engines; ///< by session: free from, ends
  std::optional<Pending> scalarHead;                                 ///< of PIPE_S, while it waits
  std::vector<Need> needs;                                           ///< reused
  std::deque<Told> told;                                             ///< from the oldest that is open on
  uint64_t toldFrom = 0;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_SOLVER_H
