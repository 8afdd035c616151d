//===- ReportData.cpp - a timeline as the data of a report ----------------===//

#include "Format.h"

#include "ptoscope/Timing/Report.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>

namespace ptoscope::timing {

using Json = nlohmann::ordered_json;

namespace {

/// Times are whole numbers of these: sums of differences then do not drift.
constexpr int64_t kTicksPerCycle = 100;
int64_t ticks(double cycles) { return std::llround(cycles * double(kTicksPerCycle)); }

/// The first things by block and time, whichever order they come in.
template <typename T> class Earliest {
public:
  explicit Earliest(uint64_t limit) : limit(std::max<uint64_t>(limit, 1)) {}

  void add(int64_t block, double time, const T &thing) {
    std::pair key(block, time);
    ++seen;
    if (isCut && key > last)
      return;
    things.push_back({key, seen, thing});
    if (things.size() > limit + limit / 4 + 1024)
      trim();
  }
  void trim() {
    if (things.size() <= limit)
      return;
    auto end = things.begin() + int64_t(limit);
    std::nth_element(things.begin(), end - 1, things.end());
    isCut = true;
    last = (end - 1)->key;
    things.erase(end, things.end());
  }

  struct Thing {
    std::pair<int64_t, double> key;
    uint64_t order;
    T value;
    bool operator<(const Thing &other) const { return std::tie(key, order) < std::tie(other.key, other.order); }
  };
  std::vector<Thing> things;
  uint64_t seen = 0;
  bool isCut = false;

private:
  uint64_t limit;
  std::pair<int64_t, double> last{};
};

} // namespace

struct ReportSink::State {
  explicit State(uint64_t limit) : limit(limit), slices(limit), arrows(limit) {}
  const uint64_t limit;
  Earliest<Slice> slices;
  Earliest<Arrow> arrows;
  std::vector<MemoryUse> memories;

  /// Keeps whole blocks where that leaves any; the first block that is not kept.
  int64_t settle() {
    slices.trim();
    arrows.trim();
    if (!slices.isCut)
      return INT64_MAX;
    int64_t first = INT64_MAX, last = INT64_MIN;
    for (const auto &thing : slices.things) {
      first = std::min(first, thing.key.first);
      last = std::max(last, thing.key.first);
    }
    if (first == last)
      return last + 1;
    std::erase_if(slices.things, [last](const auto &thing) { return thing.key.first == last; });
    return last;
  }
};

ReportSink::ReportSink(uint64_t limit) : state(std::make_unique<State>(limit)) {}
ReportSink::~ReportSink() = default;

void ReportSink::slice(const Slice &slice) {
  Slice kept = slice;
  kept.parts = {}; // lives during the call only
  state->slices.add(slice.track.block, slice.start, kept);
}
void ReportSink::arrow(const Arrow &arrow) {
  state->arrows.add(std::max(arrow.from.block, arrow.to.block), arrow.left, arrow);
}
void ReportSink::memory(const MemoryUse &use) { state->memories.push_back(use); }

namespace {

class ReportData {
public:
  ReportData(ReportSink::State &state, const ReportContext &context) : state(state), context(context) {}

  Json all() {
    const int64_t endBlock = state.settle();
    Json tracks = this->tracks();
    Json json;
    json["schema"] = "ptoscope-report/1";
    json["tool"] = {{"name", "ptoscope"}, {"version", context.version}};
    json["kernel"] = context.kernel;
    json["blocks"] = context.blocks;
    json["isCluster"] = context.statsContext.isCluster;
    json["stats"] = toJson(context.stats, context.statsContext);
    json["ticksPerCycle"] = kTicksPerCycle;
    Json arrows = this->arrows(endBlock);
    Json memory = this->memory();
    Json findings = this->findings();
    Json graph = context.timer.graph(
        context.statsContext.model, state.limit,
        {[this](SiteId site) { return number(site); }, [this](Space from, Space to) { return path(from, to); }});
    for (SiteId site = 0; site < context.stats.sites.size(); ++site)
      if (const SiteStats &cost = context.stats.sites[site]; cost.times || cost.waited > 0)
        file(site);
    Json reasons = Json::array();
    for (size_t reason = 0; reason < kReasons; ++reason)
      reasons.push_back(std::string(nameOf(Reason(reason))));
    json["reasons"] = std::move(reasons);
    json["paths"] = pathNames;
    json["files"] = files();
    json["sites"] = std::move(siteRows);
    json["tracks"] = std::move(tracks);
    json["arrows"] = std::move(arrows);
    json["memory"] = std::move(memory);
    json["findings"] = std::move(findings);
    json["leftOut"] = {{"slices", state.slices.seen - state.slices.things.size()},
                       {"arrows", state.arrows.seen - arrowsKept},
                       {"blocks", context.blocks - int64_t(blocksKept.size())}};
    json["graph"] = std::move(graph);
    return json;
  }

private:
  Json tracks() {
    // By ordinals, too: only where the scalar unit is held up, slices have none.
    std::ranges::sort(state.slices.things, [](const auto &a, const auto &b) {
      return std::tie(a.value.track, a.value.start, a.value.end, a.value.ordinal) <
             std::tie(b.value.track, b.value.start, b.value.end, b.value.ordinal);
    });
    for (const auto &thing : state.slices.things) {
      trackNumbers.try_emplace(thing.value.track, int64_t(trackNumbers.size()));
      double &last = blocksKept[thing.value.track.block];
      last = std::max(last, thing.value.end);
    }
    Json json = Json::array();
    for (auto begin = state.slices.things.begin(), end = begin; begin != state.slices.things.end(); begin = end) {
      end = std::find_if(begin, state.slices.things.end(),
                         [&](const auto &thing) { return thing.value.track != begin->value.track; });
      json.push_back(track(std::span(begin, end)));
    }
    return json;
  }

  Json track(std::span<const Earliest<Slice>::Thing> slices) {
    const Slice &first = slices.front().value;
    std::map<std::string_view, std::vector<int64_t>> columns;
    int64_t now = 0;
    for (const auto &thing : slices) {
      const Slice &slice = thing.value;
      const int64_t start = ticks(slice.start), end = ticks(slice.end);
      columns["gap"].push_back(start - now);
      columns["length"].push_back(end - start);
      columns["site"].push_back(number(slice.site));
      columns["issued"].push_back(start - ticks(slice.issued));
      columns["visible"].push_back(ticks(slice.visible) - end);
      columns["bytes"].push_back(int64_t(slice.bytes));
      columns["path"].push_back(slice.bytes ? path(slice.from, slice.to) : 0);
      const bool waited = slice.waited > 0;
      columns["reason"].push_back(waited ? int64_t(slice.reason) : 0);
      columns["waited"].push_back(waited ? ticks(slice.waited) : 0);
      columns["cause"].push_back(waited ? number(slice.cause) : -1);
      auto cause = trackNumbers.find(slice.causeTrack);
      columns["causeTrack"].push_back(waited && slice.cause != kNoSite && cause != trackNumbers.end() ? cause->second
                                                                                                      : -1);
      now = end;
    }
    Json json = {{"block", first.track.block},
                 {"core", std::string(coreName(first.track.core))},
                 {"pipe", std::string(profilerName(first.track.pipe))},
                 {"physicalCore", first.physicalCore}};
    for (std::string_view name :
         {"gap", "length", "site", "issued", "visible", "bytes", "path", "reason", "waited", "cause", "causeTrack"}) {
      const int64_t absent = name == "cause" || name == "causeTrack" ? -1 : 0;
      const bool isNeeded = name == "gap" || name == "length" || name == "site";
      const std::vector<int64_t> &column = columns[name];
      if (isNeeded || std::ranges::any_of(column, [absent](int64_t value) { return value != absent; }))
        json[std::string(name)] = column;
    }
    return json;
  }

  Json arrows(int64_t endBlock) {
    std::ranges::sort(state.arrows.things, [](const auto &a, const auto &b) {
      return std::tie(a.value.left, a.value.arrived, a.value.from, a.value.to, a.order) <
             std::tie(b.value.left, b.value.arrived, b.value.from, b.value.to, b.order);
    });
    std::vector<int64_t> from, to, left, travel, kind, id;
    int64_t now = 0;
    for (const auto &thing : state.arrows.things) {
      const Arrow &arrow = thing.value;
      auto begin = trackNumbers.find(arrow.from), end = trackNumbers.find(arrow.to);
      if (thing.key.first >= endBlock || begin == trackNumbers.end() || end == trackNumbers.end())
        continue;
      from.push_back(begin->second);
      to.push_back(end->second);
      left.push_back(ticks(arrow.left) - now);
      travel.push_back(ticks(arrow.arrived) - ticks(arrow.left));
      kind.push_back(int64_t(arrow.kind));
      id.push_back(arrow.id);
      now = ticks(arrow.left);
    }
    arrowsKept = from.size();
    return {{"from", from}, {"to", to}, {"left", left}, {"travel", travel}, {"kind", kind}, {"id", id}};
  }

  Json memory() {
    Json json = Json::array();
    for (const MemoryUse &use : state.memories) {
      auto kept = blocksKept.find(use.block);
      if (kept == blocksKept.end())
        continue;
      std::vector<int64_t> from, length, begin, bytes, track, site;
      int64_t now = 0;
      for (const Life &life : use.lives) {
        auto writer = trackNumbers.find(life.track);
        if (writer == trackNumbers.end() || life.from > kept->second) // the slice is left out
          continue;
        from.push_back(ticks(life.from) - now);
        length.push_back(ticks(life.to) - ticks(life.from));
        begin.push_back(int64_t(life.begin));
        bytes.push_back(int64_t(life.end - life.begin));
        track.push_back(writer->second);
        site.push_back(number(life.writer));
        now = ticks(life.from);
      }
      json.push_back({{"block", use.block},
                      {"core", std::string(coreName(use.owner))},
                      {"space", std::string(ptoscope::nameOf(use.space))},
                      {"capacity", context.profile.reachOf(use.space)},
                      {"from", from},
                      {"length", length},
                      {"begin", begin},
                      {"bytes", bytes},
                      {"track", track},
                      {"site", site}});
    }
    return json;
  }

  Json findings() {
    Json json = Json::array();
    for (const Finding &finding : context.findings.all()) {
      Json notes = Json::array();
      for (const Note &note : finding.notes)
        notes.push_back({{"file", file(note.place)}, {"line", note.place.line}, {"message", note.message}});
      // Slices show what ran on a pipe: of an instruction in a scope, the scope.
      Json sites = Json::array();
      bool isInScope = false;
      for (SiteId site = 0; site < context.sites.size(); ++site)
        if (const Site &known = context.sites[site]; known.place == finding.place) {
          isInScope |= known.scope != kNoSite;
          sites.push_back(number(known.scope != kNoSite ? known.scope : site));
        }
      const bool turnIsKnown = finding.iterations.size() == 1 && !isInScope;
      json.push_back({{"code", finding.code},
                      {"severity", std::string(toString(finding.severity))},
                      {"message", finding.message},
                      {"help", finding.help},
                      {"file", file(finding.place)},
                      {"line", finding.place.line},
                      {"sites", std::move(sites)},
                      {"turn", turnIsKnown ? finding.iterations[0] : -1},
                      {"count", finding.count},
                      {"notes", std::move(notes)}});
    }
    return json;
  }

  Json files() const {
    Json json = Json::array();
    for (const std::string &path : fileNames) {
      std::optional<std::string> text = context.text ? context.text(path) : std::nullopt;
      json.push_back({{"path", path}, {"text", text ? Json(*text) : Json()}});
    }
    return json;
  }

  /// Numbers of the file: only what is used has one.
  int64_t file(const Place &place) {
    if (place.file.empty())
      return -1;
    auto [it, isNew] = fileNumbers.try_emplace(place.file, int64_t(fileNames.size()));
    if (isNew)
      fileNames.push_back(place.file);
    return it->second;
  }
  int64_t file(SiteId site) { return site < context.sites.size() ? file(context.sites[site].place) : -1; }
  int64_t number(SiteId site) {
    if (site >= context.sites.size())
      return -1;
    auto [it, isNew] = siteNumbers.try_emplace(site, int64_t(siteRows.size()));
    if (isNew) {
      const Site &known = context.sites[site];
      siteRows.push_back(
          {{"file", file(known.place)}, {"line", known.place.line}, {"column", known.place.column}, {"op", known.op}});
    }
    return it->second;
  }
  int64_t path(Space from, Space to) {
    auto [it, isNew] = pathNumbers.try_emplace({from, to}, int64_t(pathNames.size()));
    if (isNew)
      pathNames.push_back(pathName(from, to));
    return it->second;
  }

  ReportSink::State &state;
  const ReportContext &context;
  std::map<Track, int64_t> trackNumbers;
  std::map<int64_t, double> blocksKept; ///< and the end of their last slice
  std::map<std::string, int64_t> fileNumbers;
  std::vector<std::string> fileNames;
  std::map<SiteId, int64_t> siteNumbers;
  Json siteRows = Json::array();
  std::map<std::pair<Space, Space>, int64_t> pathNumbers;
  std::vector<std::string> pathNames{""};
  size_t arrowsKept = 0;
};

} // namespace

Json reportData(ReportSink &sink, const ReportContext &context) { return ReportData(sink.kept(), context).all(); }

std::string printReport(const Json &data) { return data.dump(-1, ' ', false, Json::error_handler_t::replace) + "\n"; }

} // namespace ptoscope::timing
