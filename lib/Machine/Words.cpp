//===- Words.cpp - how reports write things -------------------------------===//

#include "ptoscope/Machine/Words.h"

#include <algorithm>
#include <cassert>

namespace ptoscope {

std::string_view nameOf(CoreId core) { return core.index == 0 ? "AIC" : core.index == 1 ? "AIV0" : "AIV1"; }

std::string timesText(uint64_t n) { return n == 1 ? "once" : std::to_string(n) + " times"; }

static std::string upper(std::string_view name) {
  std::string text(name);
  std::ranges::transform(text, text.begin(), [](char c) { return c >= 'a' && c <= 'z' ? char(c - 32) : c; });
  return text;
}

std::string spaceText(Space space) { return upper(nameOf(space)); }

std::string spaceText(const ByteRange &range) {
  return upper(range.space) + (range.parameter.empty() ? "" : " parameter " + ptoscope::quoted(range.parameter));
}

std::string bytesText(const ByteRange &range) {
  return spaceText(range) + " bytes " + hex(range.begin, 4) + ".." + hex(range.end - 1, 4) + " (" +
         plural(range.end - range.begin, "byte") + ")";
}

std::string pipeText(uint32_t pipe) {
  std::string_view name = pipe < kPipeSlots ? nameOf(Pipe(pipe)) : std::string_view();
  return name.empty() ? "pipe number " + std::to_string(pipe) : std::string(name);
}

std::string lineText(const Place &place) {
  return place.file.empty() ? "an unknown place" : place.file + ":" + std::to_string(place.line);
}

std::string placeText(const Place &place) {
  return lineText(place) + (place.file.empty() ? "" : ":" + std::to_string(place.column));
}

std::string executionText(int64_t execution) {
  int64_t n = execution + 1, tens = n / 10 % 10, ones = tens == 1 ? 0 : n % 10;
  return "the " + std::to_string(n) +
         (ones == 1   ? "st"
          : ones == 2 ? "nd"
          : ones == 3 ? "rd"
                      : "th") +
         " time this line runs";
}

//===----------------------------------------------------------------------===//
// Sentences
//===----------------------------------------------------------------------===//

static std::string gapText(std::string_view gap, const std::vector<Detail> &values) {
  const Detail &value = values.at(size_t(gap[0] - '0'));
  std::string_view form = gap.size() > 2 ? gap.substr(2) : std::string_view();
  if (form.empty())
    return value.text;
  if (form == "`")
    return ptoscope::quoted(value.text);
  if (form == "hex" || form == "hex4")
    return hex(value.number, form == "hex4" ? 4 : 1);
  return plural(value.number, form);
}

std::string fill(std::string_view text, const std::vector<Detail> &values, std::string_view op,
                 std::string_view access) {
  std::string result;
  for (size_t at = 0; at < text.size();) {
    size_t open = std::min(text.find('{', at), text.size());
    result += text.substr(at, open - at);
    if (open == text.size())
      break;
    size_t close = text.find('}', open);
    assert(close != std::string_view::npos && "a gap ends");
    std::string_view gap = text.substr(open + 1, close - open - 1);
    result += gap == "op" ? std::string(op) : gap == "access" ? std::string(access) : gapText(gap, values);
    at = close + 1;
  }
  return result;
}

Finding findingOf(const Fact &fact, Place place, std::string_view op, std::string_view access) {
  Finding f = makeFinding(fact.code, std::move(place), fill(fact.message, fact.values, op, access));
  f.help = fill(fact.help, fact.values, op, access);
  return f;
}

//===----------------------------------------------------------------------===//
// Words of a program
//===----------------------------------------------------------------------===//

std::string Words::opText(SiteId site) const {
  return knows(site) && !(*sites)[site].op.empty() ? ptoscope::quoted((*sites)[site].op) : "the instruction";
}

std::string Words::accessText(SiteId site) const {
  bool known = knows(site) && !(*sites)[site].token.empty();
  return opText(site) + (known ? " \"" + (*sites)[site].token + "\"" : "");
}

std::string Words::eventText(int64_t eventId, SiteId site) const {
  bool symbolic = knows(site) && !(*sites)[site].event.empty();
  return symbolic ? (*sites)[site].event : "EVENT_ID" + std::to_string(eventId);
}

std::string Words::flagText(Pipe src, Pipe dst, int64_t eventId, SiteId site) const {
  std::string number = "EVENT_ID" + std::to_string(eventId), name = eventText(eventId, site);
  return std::string(nameOf(src)) + " -> " + std::string(nameOf(dst)) + ", " + number +
         (name == number ? "" : " (" + ptoscope::quoted(name) + ")");
}

std::string Words::flagLine(std::string_view op, Pipe src, Pipe dst, int64_t eventId, SiteId site) const {
  return fill(isCpp() ? "{0}({1}, {2}, {3});" : "pto.{0}[\"{1}\", \"{2}\", \"{3}\"]",
              {op, src, dst, eventText(eventId, site)});
}

std::string Words::barrierLine(Pipe pipe) const {
  return fill(isCpp()             ? "pipe_barrier({0});"
              : pipe == Pipe::All ? "pto.barrier #pto.pipe<{0}>"
                                  : "pto.pipe_barrier \"{0}\"",
              {pipe});
}

std::string bufferLine(std::string_view op, Pipe pipe, int64_t id) {
  return fill("pto.{0} \"{1}\", {2}, 0", {op, pipe, id});
}
std::string intraBlockLine(std::string_view op, Pipe pipe, int64_t id) {
  return std::string(op) + "_intra_block(" + std::string(nameOf(pipe)) + ", " + std::to_string(id) + ");";
}
std::string signalLine(Pipe pipe, unsigned mode, int64_t id) {
  return "ffts_cross_core_sync(" + std::string(nameOf(pipe)) + ", getFFTSMsg(" + std::to_string(mode) + ", " +
         std::to_string(id) + "));";
}
std::string semaphoreLine(std::string_view op, Pipe pipe, int64_t id) {
  return fill("pto.sync.{0} <{1}>, {2}", {op, pipe, id});
}
std::string fenceLine(Fence fence) { return fill("pto.mem_bar \"{0}\"", {nameOf(fence)}); }

Finding Words::finding(SiteId site, const Fact &fact) const {
  return findingOf(fact, place(site), opText(site), accessText(site));
}

} // namespace ptoscope
