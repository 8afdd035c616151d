//===- Report.cpp - findings of a core -------------------------------===//

#include "Report.h"

#include "Transfer/CopyElision.h"

#include <algorithm>

namespace ptoscope {

void Report::stopAll() {
  stopped = true;
  if (group)
    group->stop();
}

/// They differ only in numbers.
static bool areAlike(std::string_view a, std::string_view b) {
  auto isDigit = [](char c) { return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); };
  for (size_t i = 0, j = 0;; ++i, ++j) {
    while (i < a.size() && isDigit(a[i]))
      ++i;
    while (j < b.size() && isDigit(b[j]))
      ++j;
    if (i == a.size() || j == b.size())
      return i == a.size() && j == b.size();
    if (a[i] != b[j])
      return false;
  }
}

bool Report::settle() {
  if (stopped || scope || !elision)
    return true;
  elision->settle();
  return !stopped;
}

/// Does it stand for others of its line: of other turns of a loop, or other rows of an access in a scope?
static bool mayRepeat(const Report &report, const Finding &finding) {
  return finding.bytes && (report.scope || !finding.iterations.empty());
}

std::optional<size_t> Report::add(Finding finding) {
  if (!settle())
    return std::nullopt;
  // An access that is wrong in one turn of a loop, or in one row, is wrong in the next
  // for the same reason: it is told once, and counted.
  if (mayRepeat(*this, finding)) {
    auto isEarlier = [&](const Finding &other) {
      return other.bytes && other.place == finding.place && other.code == finding.code &&
             areAlike(other.message, finding.message);
    };
    const auto earlier = std::ranges::find_if(findings->all(), isEarlier);
    if (earlier != findings->all().end()) {
      const size_t position = size_t(earlier - findings->all().begin());
      findings->addRepeat(position, finding);
      return position;
    }
  }
  const size_t position = findings->all().size();
  findings->add(std::move(finding));
  if (endsWhenFull && findings->full())
    stopAll();
  return position < findings->all().size() ? std::optional(position) : std::nullopt;
}

bool Report::wasTold(SiteId site, const Fact &fact) {
  auto alike = [](const Detail &a, const Detail &b) { return areAlike(a.text, b.text); };
  for (const Told &told : toldInLoops)
    if (told.site == site && told.fact.message == fact.message && told.fact.code == fact.code &&
        std::ranges::equal(told.fact.values, fact.values, alike)) {
      if (settle())
        ++(*findings)[told.finding].count;
      return true;
    }
  return false;
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
  if (bytes && wasTold(site, fact))
    return;
  Finding f = finding(site, fact);
  f.bytes = std::move(bytes);
  addIterations(f, site);
  const bool again = mayRepeat(*this, f);
  if (std::optional<size_t> position = add(std::move(f)); position && again)
    toldInLoops.push_back({site, fact, *position});
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
