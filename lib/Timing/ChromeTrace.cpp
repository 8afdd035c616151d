//===- ChromeTrace.cpp - traces in Chrome's format ------------------------===//
//
// An object with `traceEvents`: complete events (X), flows (s, f), counters (C) and
// names (M). Times are microseconds with three digits, so that one nanosecond is
// one cycle.
//
//===----------------------------------------------------------------------===//

#include "Format.h"
#include "TraceFormat.h"

#include "ptoscope/Timing/Stats.h"

#include <cstdio>
#include <map>

namespace ptoscope::timing {

namespace {

/// As a string of JSON, in quotes.
std::string quote(std::string_view text) {
  std::string quoted = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') {
      quoted += '\\';
      quoted += c;
    } else if ((unsigned char)c < 0x20) {
      char escape[8];
      snprintf(escape, sizeof escape, "\\u%04x", c);
      quoted += escape;
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

class ChromeFormat final : public TraceFormat {
public:
  using TraceFormat::TraceFormat;

  void begin(const std::string &title) override {
    out.write("{\"displayTimeUnit\":\"ns\",\"otherData\":{\"title\":" + quote(title) +
              ",\"unit\":\"1 ns is 1 cycle\"},\n\"traceEvents\":[");
  }
  void core(uint32_t number, const std::string &name) override {
    event("\"ph\":\"M\",\"pid\":" + std::to_string(number) +
          ",\"name\":\"process_name\",\"args\":{\"name\":" + quote(name) + "}");
  }
  void track(uint32_t number, uint32_t core, std::string_view name, uint32_t rank) override {
    cores[number] = core;
    const std::string place = where(number);
    event("\"ph\":\"M\"," + place + ",\"name\":\"thread_name\",\"args\":{\"name\":" + quote(name) + "}");
    event("\"ph\":\"M\"," + place + ",\"name\":\"thread_sort_index\",\"args\":{\"sort_index\":" + std::to_string(rank) +
          "}");
  }
  void counter(uint32_t number, uint32_t core, std::string_view name) override {
    cores[number] = core;
    counters[number] = quote(name);
  }
  void slice(const TraceSlice &shown, const TraceSite &site, const TraceSite *cause) override {
    const Slice &slice = shown.slice;
    const std::string place = where(shown.track);
    const uint64_t start = wholeCycles(slice.start), end = wholeCycles(slice.end);
    std::string &line = text;
    line = "\"ph\":\"X\"," + place + ",\"ts\":" + micros(start) + ",\"dur\":" + micros(end - start) +
           ",\"name\":" + quote(site.name) + ",\"args\":{\"block\":" + std::to_string(slice.track.block);
    if (!site.source.empty())
      line += ",\"source\":" + quote(site.source);
    if (!site.text.empty())
      line += ",\"instruction\":" + quote(site.text);
    if (slice.bytes)
      line += ",\"bytes\":" + std::to_string(slice.bytes) + ",\"path\":" + quote(pathName(slice.from, slice.to));
    line += ",\"issued\":" + number(slice.issued, 1);
    if (slice.visible > slice.end)
      line += ",\"visible\":" + number(slice.visible, 1);
    if (slice.waited > 0) {
      line += ",\"waited\":" + number(slice.waited, 1) + ",\"waited for\":" + quote(nameOf(slice.reason));
      if (cause)
        line += ",\"cause\":" + quote(cause->source + " " + cause->name);
    }
    event(line + "}");
    // A flow begins and ends at a slice that is there at its time.
    for (uint64_t id : shown.flowsOut)
      event("\"ph\":\"s\"," + place + ",\"ts\":" + micros(start) + flow(id));
    for (uint64_t id : shown.flowsIn)
      event("\"ph\":\"f\",\"bp\":\"e\"," + place + ",\"ts\":" + micros(start) + flow(id));
  }
  void value(uint32_t counter, uint64_t time, int64_t bytes) override {
    event("\"ph\":\"C\",\"pid\":" + std::to_string(cores[counter]) + ",\"ts\":" + micros(time) +
          ",\"name\":" + counters[counter] + ",\"args\":{\"bytes\":" + std::to_string(bytes) + "}");
  }
  void end() override { out.write("\n]}\n"); }

private:
  static std::string flow(uint64_t id) { return ",\"cat\":\"sync\",\"name\":\"sync\",\"id\":" + std::to_string(id); }
  static std::string micros(uint64_t cycles) {
    char digits[32];
    snprintf(digits, sizeof digits, "%llu.%03u", (unsigned long long)(cycles / 1000), unsigned(cycles % 1000));
    return digits;
  }
  std::string where(uint32_t track) {
    return "\"pid\":" + std::to_string(cores[track]) + ",\"tid\":" + std::to_string(track);
  }
  void event(const std::string &members) {
    out.write(isFirst ? "\n{" : ",\n{");
    isFirst = false;
    out.write(members);
    out.write("}");
  }

  bool isFirst = true;
  std::map<uint32_t, uint32_t> cores; ///< of tracks and counters
  std::map<uint32_t, std::string> counters;
  std::string text;
};

} // namespace

std::unique_ptr<TraceFormat> makeChromeFormat(OutputStream &out) { return std::make_unique<ChromeFormat>(out); }

} // namespace ptoscope::timing
