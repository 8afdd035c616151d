//===- Sketch.h - timelines drawn by hand -----------------------*- C++ -*-===//

#ifndef PTOSCOPE_UNITTESTS_TIMING_SKETCH_H
#define PTOSCOPE_UNITTESTS_TIMING_SKETCH_H

#include "ptoscope/Timing/Timeline.h"

#include <map>

namespace ptoscope::timing::testing {

/// Sites in k.pto, and slices on them.
class Sketch {
public:
  explicit Sketch(TimelineSink &sink, SiteTable &sites) : sink(sink), sites(sites) {}

  SiteId site(uint32_t line, std::string op, Timing timing = Timing::load) {
    Site site;
    site.place = {"dir/k.pto", line, 5};
    site.op = std::move(op);
    site.timing = timing;
    return sites.add(site);
  }
  /// On AIV0 of core `physical`; block and core are the same.
  Slice make(Pipe pipe, SiteId site, double issued, double start, double end, uint32_t physical = 0) {
    Slice slice{};
    slice.track = {int64_t(physical), CoreId{1}, pipe};
    slice.physicalCore = physical;
    slice.site = site;
    slice.ordinal = ++ordinals[slice.track];
    slice.issued = issued;
    slice.start = start;
    slice.end = slice.visible = end;
    return slice;
  }
  void slice(Pipe pipe, SiteId site, double issued, double start, double end, uint32_t physical = 0) {
    sink.slice(make(pipe, site, issued, start, end, physical));
  }
  /// A slice that began after a wait since `from`.
  void waited(Slice slice, Reason reason, double from, SiteId cause, Pipe causePipe) {
    slice.reason = reason;
    slice.waited = slice.start - from;
    slice.cause = cause;
    slice.causeTrack = {slice.track.block, slice.track.core, causePipe};
    sink.slice(slice);
  }
  void transfer(Slice slice, Space from, Space to, uint64_t bytes, double visible) {
    slice.from = from;
    slice.to = to;
    slice.bytes = bytes;
    slice.visible = visible;
    sink.slice(slice);
  }

private:
  TimelineSink &sink;
  SiteTable &sites;
  std::map<Track, uint64_t> ordinals;
};

} // namespace ptoscope::timing::testing

#endif // PTOSCOPE_UNITTESTS_TIMING_SKETCH_H
