//===- Report.cpp - findings of a core -------------------------------===//

#include "Report.h"

#include "Transfer/CopyElision.h"

#include <cctype>

namespace ptoscope {

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

bool Report::settle() {
  if (stopped || scope || !elision)
    return true;
  elision->settle();
  return !stopped;
}

void Report::add(Finding finding) {
  if (!settle())
    return;
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
  if (endsWhenFull && findings->full())
    stopAll();
}

int32_t Report::fatal(Finding finding) {
  if (!settle())
    return 1;
  findings->add(std::move(finding));
  stopAll();
  return 1;
}

int32_t Report::internalError(SiteId site, const std::string &what) {
  return fatal(finding(site, say::kInternal(what)));
}

void Report::tell(SiteId site, const Fact &fact, std::optional<ByteRange> bytes) {
  Finding f = finding(site, fact);
  f.bytes = std::move(bytes);
  addIterations(f, site);
  add(std::move(f));
}

int32_t Report::end(SiteId site, const Fact &fact) {
  Finding f = finding(site, fact);
  addIterations(f, site);
  return fatal(std::move(f));
}

void Report::refuse(SiteId site, const Fact &fact, std::optional<ByteRange> bytes) {
  tell(site, fact, std::move(bytes));
  if (!checks.memory)
    stopAll();
}

Finding Report::finding(SiteId site, const Fact &fact) const {
  Finding f = Words::finding(site, fact);
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

} // namespace ptoscope
