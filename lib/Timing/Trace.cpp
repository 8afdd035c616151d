//===- Trace.cpp - timelines for trace viewers ----------------------------===//
//
// A slice is written with its arrows, which are told around the time of the wait
// that they end at. The last slices are therefore kept for a while; an arrow
// from a slice that is gone is not drawn.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Timing/Trace.h"

#include "Format.h"
#include "Sweep.h"
#include "TraceFormat.h"

#include "ptoscope/Timing/Lives.h"
#include "ptoscope/Timing/Stats.h"

#include <deque>
#include <map>

namespace ptoscope::timing {

namespace {

constexpr std::pair<std::string_view, std::unique_ptr<TraceFormat> (*)(OutputStream &)> kFormats[] = {
    {".pftrace", makePerfettoFormat},
    {".json", makeChromeFormat},
};

/// A core that blocks run on.
struct TraceCore {
  uint32_t number = 0;
  std::array<uint32_t, kPipeSlots> tracks{};
  /// Counters: bytes of transfers under way, bytes in use of UB and L1.
  uint32_t inFlight = 0;
  std::array<uint32_t, kSpaceSlots> occupied{};
  Sweep transfers;
  int64_t bytesInFlight = 0;
  int64_t block = -1;
};

class Trace final : public TraceSink {
public:
  Trace(const TraceOptions &options, std::unique_ptr<OutputStream> file,
        std::unique_ptr<TraceFormat> (*make)(OutputStream &))
      : options(options), file(std::move(file)), format(make(*this->file)) {
    format->begin(options.title);
  }

  void slice(const Slice &slice) override {
    if (slice.ordinal == 0) // the scalar unit waits, and nothing is executed
      return;
    TraceCore &core = coreOf(slice.physicalCore, slice.track.core);
    auto pass = [&](double time, int64_t bytes) { changeInFlight(core, time, bytes); };
    if (core.block != slice.track.block) {
      core.transfers.finish(pass);
      core.block = slice.track.block;
      coreOfBlock[{slice.track.block, slice.track.core.index}] = slice.physicalCore;
    }
    if (count == options.limit) {
      ++omitted;
      return;
    }
    ++count;
    if (slice.bytes && slice.visible > slice.start) {
      core.transfers.add(slice.start, int64_t(slice.bytes));
      core.transfers.add(slice.visible, -int64_t(slice.bytes));
    }
    core.transfers.advance(slice.issued, pass);

    if (kept.size() == kKept)
      writeOldest();
    kept.push_back({slice, trackOf(core, slice.track.pipe), {}, {}});
    kept.back().slice.parts = {};
    keptOf(slice.track).push_back(first + kept.size() - 1);
    attachWaiting(slice);
  }

  void arrow(const Arrow &arrow) override {
    if (count == options.limit && omitted)
      return;
    TraceSlice *from = find(arrow.from, arrow.fromOrdinal), *to = find(arrow.to, arrow.toOrdinal);
    if (!from)
      return;
    uint64_t id = ++flows;
    if (to) {
      from->flowsOut.push_back(id);
      to->flowsIn.push_back(id);
    } else if (ahead.size() < kKept) { // the wait is told next
      from->flowsOut.push_back(id);
      ahead[{arrow.to, arrow.toOrdinal}].push_back(id);
    }
  }

  void memory(const MemoryUse &use) override {
    if (use.space != Space::Ub && use.space != Space::L1)
      return;
    auto known = coreOfBlock.find({use.block, use.owner.index});
    if (known == coreOfBlock.end() || omitted)
      return;
    TraceCore &core = coreOf(known->second, use.owner);
    uint32_t &counter = core.occupied[size_t(use.space)];
    if (!counter)
      format->counter(counter = ++numbers, core.number, use.space == Space::Ub ? "UB bytes in use" : "L1 bytes in use");
    forEachChange(use.lives,
                  [&](double time, uint64_t bytes) { format->value(counter, wholeCycles(time), int64_t(bytes)); });
  }

  Result<void> commit() override {
    while (!kept.empty())
      writeOldest();
    for (auto &[key, core] : cores)
      core.transfers.finish([&](double time, int64_t bytes) { changeInFlight(core, time, bytes); });
    format->end();
    return file->commit();
  }
  uint64_t written() const override { return count; }
  uint64_t leftOut() const override { return omitted; }

private:
  /// Slices that arrows may still start from.
  static constexpr size_t kKept = 1 << 15;

  TraceCore &coreOf(uint32_t physical, CoreId id) {
    auto [it, isNew] = cores.try_emplace({physical, id.index});
    if (isNew) {
      it->second.number = ++numbers;
      format->core(it->second.number, "core " + std::to_string(physical) +
                                          (options.isCluster ? " " + std::string(coreName(id)) : std::string()));
    }
    return it->second;
  }
  uint32_t trackOf(TraceCore &core, Pipe pipe) {
    uint32_t &track = core.tracks[size_t(pipe)];
    if (!track) {
      track = ++numbers;
      uint32_t rank = uint32_t(std::ranges::find(kListedPipes, pipe) - std::begin(kListedPipes));
      format->track(track, core.number, profilerName(pipe), rank);
    }
    return track;
  }
  void changeInFlight(TraceCore &core, double time, int64_t bytes) {
    if (!core.inFlight)
      format->counter(core.inFlight = ++numbers, core.number, "bytes in flight");
    core.bytesInFlight += bytes;
    format->value(core.inFlight, wholeCycles(time), core.bytesInFlight);
  }

  /// Numbers of kept slices of a pipe, in the order of their ordinals.
  std::deque<uint64_t> &keptOf(const Track &track) {
    if (!lastKept || track != lastTrack) {
      lastKept = &byTrack[track];
      lastTrack = track;
    }
    return *lastKept;
  }
  TraceSlice *find(const Track &track, uint64_t ordinal) {
    auto it = byTrack.find(track);
    if (it == byTrack.end())
      return nullptr;
    auto at = std::ranges::partition_point(
        it->second, [&](uint64_t number) { return kept[number - first].slice.ordinal < ordinal; });
    if (at == it->second.end() || kept[*at - first].slice.ordinal != ordinal)
      return nullptr;
    return &kept[*at - first];
  }
  void attachWaiting(const Slice &slice) {
    if (ahead.empty())
      return;
    if (auto node = ahead.extract({slice.track, slice.ordinal}))
      kept.back().flowsIn = std::move(node.mapped());
  }
  void writeOldest() {
    TraceSlice &oldest = kept.front();
    std::deque<uint64_t> &list = keptOf(oldest.slice.track);
    list.pop_front();
    if (list.empty()) { // a block that has ended has no track any more
      byTrack.erase(oldest.slice.track);
      lastKept = nullptr;
    }
    const SiteId cause = oldest.slice.waited > 0 ? oldest.slice.cause : kNoSite;
    format->slice(oldest, siteOf(oldest.slice.site), cause == kNoSite ? nullptr : &siteOf(cause));
    kept.pop_front();
    ++first;
  }
  const TraceSite &siteOf(SiteId id) {
    // Nothing moves in a deque that grows: both ends of a wait are asked for together.
    const size_t index = id < options.sites->size() ? size_t(id) + 1 : 0;
    if (index >= sites.size())
      sites.resize(index + 1);
    TraceSite &site = sites[index];
    if (!site.name.empty())
      return site;
    site.name = "?";
    if (index) {
      const Site &known = (*options.sites)[id];
      site.name = known.op.starts_with("pto.") ? known.op.substr(4) : known.op;
      site.file = known.place.file;
      site.line = known.place.line;
      site.source = known.place.file.substr(known.place.file.find_last_of('/') + 1) + ":" + std::to_string(site.line);
      std::string text = options.source ? options.source(site.file, site.line).value_or("") : "";
      size_t start = text.find_first_not_of(" \t");
      site.text = start == std::string::npos ? "" : text.substr(start);
    }
    return site;
  }

  const TraceOptions options;
  std::unique_ptr<OutputStream> file;
  std::unique_ptr<TraceFormat> format;
  std::map<std::pair<uint32_t, uint8_t>, TraceCore> cores;
  std::map<std::pair<int64_t, uint8_t>, uint32_t> coreOfBlock;
  std::deque<TraceSite> sites; ///< by SiteId + 1; 0 is for instructions without one
  uint32_t numbers = 0;
  uint64_t count = 0, omitted = 0, flows = 0;

  std::deque<TraceSlice> kept;
  uint64_t first = 0; ///< number of the oldest kept slice
  std::map<Track, std::deque<uint64_t>> byTrack;
  std::deque<uint64_t> *lastKept = nullptr;
  Track lastTrack{};
  /// Arrows to slices that were not told yet.
  std::map<std::pair<Track, uint64_t>, std::vector<uint64_t>> ahead;
};

} // namespace

std::optional<std::string> TraceSink::refusePath(const std::string &path) {
  for (const auto &[ending, make] : kFormats)
    if (path.ends_with(ending))
      return std::nullopt;
  return "`" + path + "` ends in neither .pftrace (Perfetto) nor .json (Chrome)";
}

Result<std::unique_ptr<TraceSink>> TraceSink::open(const std::string &path, const TraceOptions &options) {
  for (const auto &[ending, make] : kFormats) {
    if (!path.ends_with(ending))
      continue;
    Result<std::unique_ptr<OutputStream>> file = OutputStream::open(path);
    if (!file)
      return file.takeFinding();
    return std::unique_ptr<TraceSink>(std::make_unique<Trace>(options, std::move(*file), make));
  }
  return makeFinding("usage", {}, *refusePath(path));
}

} // namespace ptoscope::timing
