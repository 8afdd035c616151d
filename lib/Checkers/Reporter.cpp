//===- Reporter.cpp - findings of the race and init checks ----------------===//
//
// Messages hold only what is the same for every repeat of a cause (operations,
// pipes, memory), so that blocks that share a fault share a report; bytes and
// iterations of the first occurrence stand in the notes.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Reporter.h"
#include "ReportText.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/Runtime.h"

#include <algorithm>

namespace ptoscope {

std::string spaceText(const ReportBytes &bytes) {
  return bytes.status ? std::string(nameOf(*bytes.status)) : spaceText(rangeOf(bytes));
}

ByteRange rangeOf(const ReportBytes &bytes) {
  ByteRange range;
  range.space = nameOf(bytes.space);
  uint64_t base = 0;
  if (bytes.space == Space::Gm && bytes.object) {
    range.parameter = bytes.object->name;
    base = bytes.object->base;
  }
  range.begin = bytes.begin - base;
  range.end = bytes.end - base;
  return range;
}

std::string bytesText(const ReportBytes &bytes) { return bytes.status ? spaceText(bytes) : bytesText(rangeOf(bytes)); }

Reporter::Seen *Reporter::firstTime(unsigned code, SiteId first, SiteId second, unsigned cores) {
  auto [it, isNew] = seen.try_emplace({code, first, second});
  it->second.cores |= cores;
  if (isNew)
    return &it->second;
  ++it->second.repeats;
  return nullptr;
}

/// Core numbers as names, which sort alike.
static std::vector<std::string> coreNames(unsigned cores) {
  std::vector<std::string> names;
  for (uint8_t core = 0; core < kCoresPerBlock; ++core)
    if (cores >> core & 1)
      names.emplace_back(nameOf(CoreId{core}));
  return names;
}

void Reporter::emit(Seen &entry, Finding finding) {
  // What the machine refused to write is undefined for a reason that was told.
  auto refuses = [](const Finding &earlier) {
    return earlier.severity == Severity::Error && std::ranges::find(kCodes, earlier.code) == std::end(kCodes);
  };
  if (finding.code.starts_with("init-") && std::ranges::any_of(findings->all(), refuses))
    return;
  finding.cores = coreNames(entry.cores);
  entry.finding = finding;
  inOrder.push_back(&entry);
  findings->add(std::move(finding));
}

void Reporter::flushRepeats() {
  for (Seen *entry : inOrder)
    if (entry->repeats) {
      Finding repeat = entry->finding;
      repeat.cores = coreNames(entry->cores);
      repeat.count = entry->repeats;
      entry->repeats = 0;
      findings->add(std::move(repeat));
    }
}

SiteId Reporter::outsideScope(SiteId site) const {
  if (site < sites.size() && sites[site].scope < sites.size())
    return sites[site].scope;
  return site;
}

/// Loops around a site, outermost first; those of its scope come last.
std::vector<SiteId> Reporter::loopsAround(SiteId site) const {
  std::vector<SiteId> loops;
  auto climb = [&](SiteId from) {
    for (SiteId at = from < sites.size() ? sites[from].loop : kNoSite; at < sites.size() && loops.size() < 64;
         at = sites[at].loop)
      loops.push_back(at);
  };
  SiteId scope = outsideScope(site);
  if (scope != site)
    climb(site);
  climb(scope);
  std::reverse(loops.begin(), loops.end());
  return loops;
}

/// ", iteration 2 of the loop at add.pto:24", outermost first; empty outside loops.
std::string Reporter::iterationText(SiteId site, const std::vector<int64_t> &iterations) const {
  if (iterations.empty())
    return "";
  if (sites.isCpp())
    return say::kExecution(executionText(iterations.front()));
  std::vector<SiteId> loops = loopsAround(site);
  size_t known = std::min(loops.size(), iterations.size());
  std::string text;
  for (size_t i = 0; i < (known ? known : iterations.size()); ++i) {
    text += (i == 0 ? say::kIteration : say::kFurtherIteration)(iterations[i]);
    if (known)
      text += say::kOfLoop(sites.placeOf(loops[i]));
  }
  return text;
}

std::optional<std::vector<int64_t>> Reporter::scopeTurns(const Instr &instr, SiteId site) const {
  if (!instr.scopeIterations || site >= sites.size())
    return std::nullopt;
  uint32_t depth = std::min<uint32_t>(sites[site].depth, PTO_MAX_LOOP_DEPTH);
  return std::vector<int64_t>(instr.scopeIterations, instr.scopeIterations + depth);
}

std::optional<std::vector<int64_t>> Reporter::loggedTurns(SiteId site, const ScopeLog::Turns *turns) const {
  uint32_t depth = site < sites.size() ? sites[site].depth : 0;
  if (!turns || depth > ScopeLog::kMaxDepth)
    return std::nullopt;
  return std::vector<int64_t>(turns->begin(), turns->begin() + depth);
}

/// Turns of the loops around an access: those of the scalar unit and, if they are
/// known, those of the scope.
std::vector<int64_t> Reporter::iterationsOf(Slot slot, uint64_t ordinal, SiteId site,
                                            std::optional<std::vector<int64_t>> inScope) const {
  std::vector<int64_t> all = log.iterations(slot, ordinal);
  SiteId scope = outsideScope(site);
  bool outerKnown = !all.empty() || scope >= sites.size() || sites[scope].loop >= sites.size();
  if (scope != site && outerKnown && inScope)
    all.insert(all.end(), inScope->begin(), inScope->end());
  return all;
}

/// Turns of the loops around an access of `site` that is made now.
std::vector<int64_t> Reporter::iterationsNow(const Instr &instr, SiteId site) const {
  return iterationsOf(slotOf(instr.core, instr.pipe), instr.ordinal, site, scopeTurns(instr, site));
}

void Reporter::addScopeNote(Finding &finding, SiteId site, const char *which, bool writes) const {
  if (outsideScope(site) != site)
    finding.notes.push_back({sites.placeOf(outsideScope(site)), say::kInScope(which, say::readOrWrite(writes))});
}

} // namespace ptoscope
