//===- Advice.cpp - changes that would save cycles ------------------------===//
//
// Every pattern is found in the statistics and then tried: the launch is solved
// again with the change. What saves little is not worth a word.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Timing/Advice.h"

#include "Format.h"

#include "ptoscope/Checkers/SyncNeeds.h"
#include "ptoscope/Timing/Stats.h"
#include "ptoscope/Timing/Timer.h"

#include <algorithm>
#include <set>

namespace ptoscope::timing {

namespace {

/// Shares of the launch below which nothing is said.
constexpr double kWorthSaying = 0.01;

/// How far along a tile has come on a pipe. A pipe that waits for a later one waits for
/// room; one that waits for an earlier one waits for data.
int stageOf(Pipe pipe) {
  constexpr Pipe kStages[] = {Pipe::MTE2, Pipe::MTE1, Pipe::M, Pipe::FIX, Pipe::V, Pipe::MTE3};
  auto it = std::ranges::find(kStages, pipe);
  return it == std::end(kStages) ? -1 : int(it - std::begin(kStages));
}
bool isStore(Pipe pipe) { return pipe == Pipe::MTE3 || pipe == Pipe::FIX; }

class Adviser {
public:
  Adviser(const AdviceInput &input, Stats &stats) : input(input), stats(stats) {}

  void all() {
    buffers();
    smallTransfers();
    shortScopes();
    unneededSync();
    secondVectorCore();
    idleCores();
    std::ranges::sort(stats.advice, [](const Advice &a, const Advice &b) {
      return a.saves != b.saves ? a.saves > b.saves : a.code < b.code;
    });
  }

private:
  double cycles() const { return stats.launch.cycles; }
  double saved(const Change &change) const { return saved(input.model, change); }
  double saved(const Model &model, const Change &change) const {
    return cycles() - input.timer.solve(model, nullptr, change).cycles;
  }
  /// Waits of these sites find one more buffer.
  double withRoom(const std::vector<SiteId> &sites) const {
    Change change;
    change.oneEarlier = sites;
    return saved(change);
  }
  bool isWorthIt(double saves) const { return saves >= std::max(1.0, kWorthSaying * cycles()); }
  void add(Advice advice) {
    std::ranges::sort(advice.sites);
    stats.advice.push_back(std::move(advice));
  }
  /// 0 where the profile has no such figure.
  double figure(std::string_view key) const {
    auto it = std::ranges::find(input.model.figures(), key, &Model::Figure::key);
    return it == input.model.figures().end() ? 0 : it->value;
  }
  std::string at(SiteId site) const { return placeAndOp(input.sites, site); }
  /// "line 12, 15 and 20"
  std::string linesOf(const std::vector<SiteId> &sites) const {
    std::set<std::pair<std::string, uint32_t>> places;
    for (SiteId site : sites)
      places.insert({input.sites[site].place.file, input.sites[site].place.line});
    std::string text = places.size() == 1 ? "line " : "lines ";
    size_t i = 0;
    for (const auto &[file, line] : places) {
      text += (i == 0 ? "" : i + 1 == places.size() ? " and " : ", ") + std::to_string(line);
      ++i;
    }
    return text;
  }

  /// Waits of a pipe for room that a later one has to make. All waits of the same flags
  /// change together: the first of a loop may not have waited at all.
  struct RoomWaits {
    std::vector<SiteId> sites;
    std::set<std::pair<Pipe, Pipe>> pipes; ///< who waits, for whom
    double cycles = 0;
  };
  template <typename Pred> RoomWaits roomWaits(const std::vector<WaitStats> &all, Pred pred) const {
    RoomWaits waits;
    std::set<SiteId> sites;
    for (const WaitStats &wait : all) {
      const bool isRoom = (wait.reason == Reason::Flag || wait.reason == Reason::Buffer) && stageOf(wait.pipe) >= 0 &&
                          stageOf(wait.pipe) < stageOf(wait.causePipe);
      // Ids that take turns are two buffers already; a wait behind the loop is no turn.
      if (!isRoom || !pred(wait) || wait.site == kNoSite || !stats.sites[wait.site].repeatsId)
        continue;
      sites.insert(wait.site);
      waits.pipes.insert({wait.pipe, wait.causePipe});
      waits.cycles += wait.cycles;
    }
    waits.sites.assign(sites.begin(), sites.end());
    return waits;
  }
  /// A pipe that waits for data of `pipe`.
  bool isWaitedFor(Pipe pipe) const {
    return std::ranges::any_of(stats.waits, [&](const WaitStats &wait) {
      return wait.causePipe == pipe && stageOf(wait.pipe) > stageOf(pipe) && wait.cycles >= kWorthSaying * cycles();
    });
  }
  static std::string pairsText(const RoomWaits &waits) {
    std::string text;
    for (const auto &[pipe, cause] : waits.pipes)
      text += (text.empty() ? "" : ", ") + std::string(profilerName(pipe)) + " for " + std::string(profilerName(cause));
    return text;
  }
  /// Room for one more of everything: what is in use, twice.
  std::string roomText() const {
    std::string text;
    for (Space space : {Space::Ub, Space::L1})
      if (uint64_t used = stats.mostUsed[size_t(space)])
        if (uint64_t size = input.profile.bytes[size_t(space)]; 2 * used > size)
          text += "; " + std::to_string(used) + " of " + std::to_string(size) + " bytes of " +
                  (space == Space::Ub ? "UB" : "L1") + " are in use, so tiles have to become smaller";
    return text;
  }

  static bool isLoadRoom(const WaitStats &wait) { return !isStore(wait.pipe) && !isOutput(wait); }
  void buffers() {
    // One more buffer for loads, for stores, and for both: a pipeline is as fast as its
    // slowest part, so that either alone may save nothing.
    const RoomWaits loads = roomWaits(stats.waits, isLoadRoom);
    RoomWaits stores = roomWaits(stats.waits, isOutput);
    const bool alternates = std::ranges::any_of(loads.pipes, [&](const auto &pair) { return isWaitedFor(pair.first); });
    const double byStores = stores.sites.empty() ? 0 : withRoom(stores.sites);
    double byLoads = 0, byBoth = 0;
    std::vector<SiteId> both = loads.sites;
    if (!loads.sites.empty() && alternates) {
      Change change;
      change.oneEarlier = loads.sites;
      StatsSink sink(input.sites, 0);
      const LaunchTime time = input.timer.solve(input.model, &sink, change);
      byLoads = cycles() - time.cycles;
      // Stores may be in the way only now.
      std::vector<WaitStats> waits = sink.finish(time).waits;
      waits.insert(waits.end(), stats.waits.begin(), stats.waits.end());
      if (RoomWaits more = roomWaits(waits, isOutput); !more.sites.empty()) {
        both.insert(both.end(), more.sites.begin(), more.sites.end());
        byBoth = withRoom(both);
        if (byBoth > 1.02 * std::max(byLoads, byStores))
          stores = std::move(more);
      }
    }
    const std::string help = "use two buffers in turn, each with a flag of its own" + roomText();
    if (isWorthIt(byBoth) && byBoth > 1.02 * std::max(byLoads, byStores))
      return add({"single-buffer",
                  "inputs and outputs have one buffer: pipes wait for room (" + pairsText(loads) + ", " +
                      pairsText(stores) + "; " + linesOf(both) + ")",
                  help, byBoth, both});
    if (isWorthIt(byLoads))
      add({"single-buffer",
           "loads have one buffer: pipes wait for room (" + pairsText(loads) + "; " + linesOf(loads.sites) + ")", help,
           byLoads, loads.sites});
    if (isWorthIt(byStores))
      add({"serial-stores",
           "each store has to end before its buffer is filled again (" + pairsText(stores) + "; " +
               linesOf(stores.sites) + ")",
           help, byStores, stores.sites});
  }
  /// Room in a buffer that something is stored from.
  static bool isOutput(const WaitStats &wait) {
    return isStore(wait.causePipe) && wait.pipe != Pipe::MTE2 && wait.pipe != Pipe::MTE1;
  }

  void smallTransfers() {
    // Transfers of GM that the interval between two of them bounds, not their bytes.
    uint64_t transfers = 0, bytes = 0;
    const double interval = input.model["gm.interval"];
    for (const PathStats &path : stats.paths)
      if (path.from == Space::Gm || path.to == Space::Gm) {
        if (path.busy > 1.5 * interval * double(path.transfers))
          continue;
        transfers += path.transfers;
        bytes += path.bytes;
      }
    if (transfers < 2)
      return;
    Model faster = input.model;
    faster.set("gm.interval", 0);
    if (double saves = saved(faster, {}); isWorthIt(saves))
      add({"small-transfers",
           std::to_string(transfers) + " transfers of GM move " + number(double(bytes) / double(transfers)) +
               " bytes each, less than the port moves until it takes the next one",
           "move more at once: rows as one transfer, or larger tiles; about this is saved",
           saves,
           {}});
  }

  void shortScopes() {
    Change change;
    std::vector<SiteId> sites;
    const double overhead = figure("scope.start") + figure("scope.drain");
    if (overhead <= 0)
      return;
    for (SiteId site = 0; site < stats.follows.size() && site < stats.sites.size(); ++site) {
      const ScopeFollows &follows = stats.follows[site];
      if (follows.runs == 0 || follows.directly != follows.runs)
        continue;
      change.shorter.push_back({site, overhead});
      sites.push_back(site);
    }
    if (sites.empty())
      return;
    if (double saves = saved(change); isWorthIt(saves))
      add({"short-scopes",
           "vector scopes start right behind another one, and each start costs " + number(overhead) + " cycles (" +
               linesOf(sites) + ")",
           "put what they do into the scope before them; at least this is saved", saves, sites});
  }

  void unneededSync() {
    if (!input.needs) {
      stats.remarks.push_back("flags and barriers that nothing needs are looked for only with the race check on");
      return;
    }
    if (!input.needs->isComplete()) {
      stats.remarks.push_back("the program is too long to look for flags and barriers that nothing needs");
      return;
    }
    std::set<SiteId> costly;
    for (const WaitStats &wait : stats.waits)
      if (wait.cycles >= 1)
        costly.insert(wait.site);
    Change change;
    for (const SyncNeeds::Group &group : input.needs->groups()) {
      if (std::ranges::none_of(group.sites, [&](SiteId site) { return costly.contains(site); }))
        continue;
      std::vector<SiteId> tried = change.dropped;
      tried.insert(tried.end(), group.sites.begin(), group.sites.end());
      if (input.needs->isOrderedWithout(tried))
        change.dropped = std::move(tried);
    }
    if (change.dropped.empty())
      return;
    if (double saves = saved(change); isWorthIt(saves))
      add({"unneeded-sync",
           "nothing depends on the order that these make: " + linesOf(change.dropped) + " (" +
               at(*std::ranges::min_element(change.dropped)) + (change.dropped.size() > 1 ? ", …)" : ")"),
           "leave them out", saves, change.dropped});
  }

  double busyOf(uint8_t core) const {
    double busy = 0;
    for (const PipeStats &row : stats.pipes)
      if (row.core.index == core && row.pipe != Pipe::S)
        busy += row.time.busy;
    return busy;
  }
  void secondVectorCore() {
    if (input.vectorCores == 0)
      return;
    // Synchronising alone is no work.
    const double first = busyOf(1), second = busyOf(2);
    if (first <= 0 || second > 0.05 * first)
      return;
    Change change;
    change.share[1] = 0.5;
    if (double saves = saved(change); isWorthIt(saves))
      add({"idle-vector-core",
           "the second vector core of the cluster has nothing to do",
           "let each of both do half of the rows",
           saves,
           {}});
  }

  void idleCores() {
    const uint32_t used = stats.launch.coresUsed, there = stats.launch.coresThere;
    if (input.blocks < 2 || used == 0 || there == 0) // a single block is a try
      return;
    const int64_t waves = (input.blocks + there - 1) / there;
    const double even = double(input.blocks) / double(waves * there);
    if (even > 0.95)
      return;
    Change change;
    change.share = {even, even, even};
    double saves = saved(change);
    if (!isWorthIt(saves))
      return;
    if (waves == 1)
      add({"idle-cores",
           std::to_string(there - used) + " of " + std::to_string(there) + " cores have no block",
           "divide the work into more blocks",
           saves,
           {}});
    else
      add({"uneven-blocks",
           std::to_string(input.blocks) + " blocks on " + std::to_string(there) + " cores: the last " +
               std::to_string(input.blocks - (waves - 1) * there) + " run while other cores have none",
           "let " + std::to_string(there) + " blocks do the work, one on each core; this is the least that is saved",
           saves,
           {}});
  }

  const AdviceInput &input;
  Stats &stats;
};

} // namespace

void advise(const AdviceInput &input, Stats &stats) {
  if (input.completed)
    Adviser(input, stats).all();
  else
    stats.remarks.push_back("the run ended early: figures are those until then, and there is no advice");
}

} // namespace ptoscope::timing
