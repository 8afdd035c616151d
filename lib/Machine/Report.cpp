//===- Report.cpp - findings of a core, and the words they share ----------===//

#include "Report.h"

#include <cstring>

namespace ptoscope {

std::string hex(uint64_t value) {
  constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  do {
    text.insert(text.begin(), kDigits[value & 15]);
    value >>= 4;
  } while (value);
  return "0x" + text;
}

std::string quoted(std::string_view name) { return "`" + std::string(name) + "`"; }

std::string plural(uint64_t n, std::string_view one) {
  return std::to_string(n) + " " + std::string(one) + (n == 1 ? "" : "s");
}

std::string spaceText(Space space) {
  std::string text(nameOf(space));
  for (char &c : text)
    c = char(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return text;
}

std::string pipeText(uint32_t pipe) {
  std::string_view name = pipe < kPipeSlots ? nameOf(Pipe(pipe)) : std::string_view();
  return name.empty() ? "pipe number " + std::to_string(pipe) : std::string(name);
}

std::string lineText(const Place &place) { return place.file + ":" + std::to_string(place.line); }

void Report::stopAll() {
  stopped = true;
  if (group)
    group->stop();
}

/// The message without its numbers.
static std::string wordsOf(const Finding &finding) {
  std::string words = finding.code;
  for (char c : finding.message)
    if (!isxdigit(static_cast<unsigned char>(c)))
      words += c;
  return words;
}

void Report::add(Finding finding) {
  // An access that is wrong in one turn of a loop is wrong in the next for the same
  // reason: it is told once, and counted.
  if (finding.bytes && !finding.iterations.empty())
    for (const Finding &earlier : findings->all())
      if (earlier.bytes && earlier.place == finding.place && wordsOf(earlier) == wordsOf(finding)) {
        std::vector<std::string> cores = std::move(finding.cores);
        finding = earlier;
        finding.cores = std::move(cores);
        finding.count = 1;
        break;
      }
  findings->add(std::move(finding));
  if (findings->full())
    stopAll();
}

int32_t Report::fatal(Finding finding) {
  findings->add(std::move(finding));
  stopAll();
  return 1;
}

int32_t Report::internalError(SiteId site, std::string message) {
  Finding f = finding("internal-error", site, std::move(message));
  f.help = "this should have been refused before the run; please report it with the program";
  return fatal(std::move(f));
}

void Report::tell(std::string_view code, SiteId site, std::string message, std::string help,
                  std::optional<ByteRange> bytes) {
  Finding f = finding(code, site, std::move(message));
  f.help = std::move(help);
  f.bytes = std::move(bytes);
  addIterations(f, site);
  add(std::move(f));
}

int32_t Report::end(std::string_view code, SiteId site, std::string message, std::string help) {
  Finding f = finding(code, site, std::move(message));
  f.help = std::move(help);
  addIterations(f, site);
  return fatal(std::move(f));
}

void Report::refuse(std::string_view code, SiteId site, std::string message, std::string help,
                    std::optional<ByteRange> bytes) {
  tell(code, site, std::move(message), std::move(help), std::move(bytes));
  if (!checks.memory)
    stopAll();
}

Finding Report::finding(std::string_view code, SiteId site, std::string message) const {
  Finding f = makeFinding(code, place(site), std::move(message));
  f.cores = {std::string(nameOf(core))};
  return f;
}

void Report::addIterations(Finding &finding, SiteId site) const {
  if (!checks.any())
    return;
  if (isCpp()) {
    if (depthOf(site))
      finding.notes.push_back({finding.place, executionText(context->suIterations[0])});
    return;
  }
  auto append = [&](const int64_t *iterations, uint32_t depth) {
    finding.iterations.insert(finding.iterations.end(), iterations, iterations + depth);
  };
  if (!scope)
    return append(context->suIterations, depthOf(site));
  append(scope->iterations, scope->depth);
  append(context->scopeIterations, depthOf(site));
}

SiteId Report::outermostLoop(SiteId site) const {
  SiteId outer = kNoSite;
  for (SiteId at = site; knows(at) && knows((*sites)[at].loop);)
    outer = at = (*sites)[at].loop;
  return outer;
}

std::string Report::opName(SiteId site) const {
  return knows(site) && !(*sites)[site].op.empty() ? quoted((*sites)[site].op) : "the instruction";
}

std::string Report::accessName(SiteId site) const {
  bool known = knows(site) && !(*sites)[site].token.empty();
  return opName(site) + (known ? " \"" + (*sites)[site].token + "\"" : "");
}

std::string Report::placeText(SiteId site) const {
  Place where = place(site);
  return where.file.empty() ? "an unknown place" : lineText(where) + ":" + std::to_string(where.column);
}

std::string Report::eventName(int64_t eventId, SiteId site) const {
  bool symbolic = knows(site) && !(*sites)[site].event.empty();
  return symbolic ? (*sites)[site].event : "EVENT_ID" + std::to_string(eventId);
}

std::string Report::flagText(Pipe src, Pipe dst, int64_t eventId, SiteId site) const {
  std::string number = "EVENT_ID" + std::to_string(eventId), name = eventName(eventId, site);
  return std::string(nameOf(src)) + " -> " + std::string(nameOf(dst)) + ", " + number +
         (name == number ? "" : " (" + quoted(name) + ")");
}

std::string Report::flagLine(const char *op, Pipe src, Pipe dst, int64_t eventId, SiteId site) const {
  std::string from(nameOf(src)), to(nameOf(dst)), event = eventName(eventId, site);
  if (isCpp())
    return op + std::strlen("pto.") + ("(" + from + ", " + to + ", " + event + ");");
  return op + ("[\"" + from + "\", \"" + to + "\", \"" + event + "\"]");
}

} // namespace ptoscope
