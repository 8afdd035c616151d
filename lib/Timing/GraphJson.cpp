//===- GraphJson.cpp - a recorded launch, for the page of reports ---------===//

#include "GraphJson.h"

#include "Format.h"

#include "ptoscope/Timing/Stats.h"

#include <nlohmann/json.hpp>

namespace ptoscope::timing {

using Json = nlohmann::ordered_json;

namespace {

// In the order of Act.
constexpr const char *kActs[] = {"None",          "Work",        "Scope",      "SetFlag",       "WaitFlag",
                                 "Barrier",       "CoreBarrier", "GetBuffer",  "ReleaseBuffer", "SetSemaphore",
                                 "WaitSemaphore", "SetQueue",    "WaitQueue",  "SetLaunch",     "WaitLaunch",
                                 "AllCores",      "SetSignal",   "WaitSignal", "StartEngine",   "WaitEngine",
                                 "ReadStatus",    "ScalarAccess"};
static_assert(std::size(kActs) == size_t(Act::ScalarAccess) + 1);

/// Figures that the page may change, and those that its solver needs besides.
struct Named {
  const char *name, *key;
};
constexpr Named kFigures[] = {
    {"issue", "scalar.issue"},
    {"queueDepth", "queue.depth"},
    {"flagLatency", "sync.flag.latency"},
    {"barrierLatency", "sync.barrier.latency"},
    {"semaphoreLatency", "sync.semaphore.latency"},
    {"allCoresLatency", "sync.all.latency"},
    {"signalLatency", "sync.signal.latency"},
    {"syncOp", "sync.op"},
    {"launch", "launch.start"},
    {"dispatch", "launch.block"},
    {"hbmRate", "gm.hbm.rate"},
    {"l2Rate", "gm.l2.rate"},
};

class GraphJson {
public:
  GraphJson(const GraphOfLaunch &graph, uint64_t limit, const GraphNames &names)
      : graph(graph), limit(limit), names(names) {}

  Json all() {
    Json blocks = this->blocks();
    const size_t leftOut = graph.record.blocks.size() - blocks.size();
    if (leftOut && (graph.runsTogether || blocks.empty()))
      return nullptr;
    Json json;
    for (const Named &figure : kFigures) {
      json["figures"][figure.name] = graph.model[figure.key];
      json["keys"][figure.name] = figure.key;
    }
    json["deeds"] = deeds();
    json["streams"] = std::move(streams);
    json["blocks"] = std::move(blocks);
    json["leftOut"] = leftOut;
    json["runTogether"] = graph.runsTogether;
    json["cores"] = graph.cores;
    json["arrivals"] = Json::array();
    for (const auto &[round, count] : graph.record.arrivals)
      json["arrivals"].push_back({round.first, round.second, count});
    json["launchSetters"] = Json::array();
    for (const auto &[channel, count] : graph.record.launchSetters)
      json["launchSetters"].push_back({channel, count});
    json["gm"] = {{"total", graph.bytes.total},
                  {"most", graph.bytes.most},
                  {"hbm", graph.bytes.hbm},
                  {"written", graph.bytes.written},
                  {"hbmWritten", graph.bytes.hbmWritten},
                  {"devices", graph.devices},
                  {"factor", graph.dearer}};
    json["pipeNames"] = Json::array();
    for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
      json["pipeNames"].push_back(std::string(profilerName(Pipe(pipe))));
    json["coreNames"] = Json::array();
    for (uint8_t core = 0; core < kCoresPerBlock; ++core)
      json["coreNames"].push_back(std::string(coreName({core})));
    return json;
  }

private:
  /// What a core issued.
  struct Stream {
    std::vector<uint32_t> pipe, deed;
    std::vector<SiteId> site;
    const CoreRecord *core = nullptr;
    bool operator==(const Stream &other) const {
      return pipe == other.pipe && deed == other.deed && site == other.site && core->numbers == other.core->numbers;
    }
    uint64_t hash() const {
      uint64_t sum = 14695981039346656037u;
      for (const std::vector<uint32_t> *column : {&pipe, &deed, &site})
        for (uint32_t value : *column)
          sum = (sum ^ value) * 1099511628211u;
      return sum;
    }
  };

  Json blocks() {
    Json json = Json::array();
    for (const auto &[block, issued] : graph.record.blocks) {
      uint64_t entries = 0;
      for (const CoreRecord &core : issued->cores)
        entries += core.entries.size();
      // Blocks that were seen before cost nothing, but each has to be read once to know.
      if (entries > limit)
        break;
      std::array<int64_t, kCoresPerBlock> numbers;
      bool fits = true;
      for (size_t core = 0; core < kCoresPerBlock && fits; ++core) {
        numbers[core] = issued->cores[core].isUsed() ? streamOf(*issued, core) : -1;
        fits = numbers[core] != kTooMany;
      }
      if (!fits)
        break;
      json.push_back({{"block", block}, {"streams", numbers}});
    }
    return json;
  }

  static constexpr int64_t kTooMany = -2;

  int64_t streamOf(const BlockRecord &block, size_t core) {
    Stream stream;
    stream.core = &block.cores[core];
    for (EntryStream::Reader reader(stream.core->entries); !reader.atEnd(); reader.next()) {
      const Entry &entry = reader.peek();
      stream.pipe.push_back(entry.pipe);
      stream.deed.push_back(block.deeds[entry.deed]);
      stream.site.push_back(entry.site);
    }
    auto [first, last] = known.equal_range(stream.hash());
    for (auto it = first; it != last; ++it)
      if (it->second.second == stream)
        return it->second.first;
    const int64_t number = int64_t(known.size());
    written += stream.pipe.size();
    if (written > limit)
      return kTooMany;
    streams.push_back(json(stream));
    known.emplace(stream.hash(), std::pair(number, std::move(stream)));
    return number;
  }

  Json json(const Stream &stream) const {
    Json json = {{"pipe", stream.pipe}, {"deed", stream.deed}};
    json["site"] = Json::array();
    for (SiteId site : stream.site)
      json["site"].push_back(names.site(site));
    json["numbers"] = Json::object();
    for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
      if (!stream.core->numbers[pipe].empty())
        json["numbers"][std::to_string(pipe)] = stream.core->numbers[pipe];
    return json;
  }

  Json deeds() const {
    Json json = Json::array();
    for (uint32_t i = 0; i < graph.record.deeds.deeds.size(); ++i) {
      const Deed &deed = graph.record.deeds.deeds[i];
      const DeedCosts::Entry &cost = graph.costs.entries[i];
      Json row = {{"act", kActs[size_t(deed.act)]}};
      auto add = [&row](const char *name, auto value) {
        if (value)
          row[name] = value;
      };
      add("src", unsigned(deed.src));
      add("dst", unsigned(deed.dst));
      add("mode", unsigned(deed.mode));
      add("targets", unsigned(deed.targets));
      add("senders", unsigned(deed.senders));
      add("drains", deed.drains);
      add("checksUnit", deed.checksUnit);
      add("passesUnit", deed.passesUnit);
      add("id", int(deed.id));
      add("busy", cost.busy);
      add("latency", cost.latency);
      add("gmBytes", cost.gmBytes);
      add("overhead", cost.overhead);
      add("restart", cost.restart);
      add("writesGm", cost.writesGm);
      add("bytes", cost.bytes);
      if (cost.bytes)
        add("path", names.path(cost.from, cost.to));
      json.push_back(std::move(row));
    }
    return json;
  }

  const GraphOfLaunch &graph;
  const uint64_t limit;
  const GraphNames &names;
  Json streams = Json::array();
  std::unordered_multimap<uint64_t, std::pair<int64_t, Stream>> known;
  uint64_t written = 0;
};

} // namespace

Json Timer::graph(const Model &, uint64_t, const GraphNames &) const { return nullptr; }

Json toJson(const GraphOfLaunch &graph, uint64_t limit, const GraphNames &names) {
  return GraphJson(graph, limit, names).all();
}

} // namespace ptoscope::timing
