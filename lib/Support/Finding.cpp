//===- Finding.cpp - making and collecting findings -----------------------===//
//
// Findings take severity and category from the table of codes. A FindingList
// joins repeats by hash, so that a loop of a million iterations with one fault
// costs one entry and constant time per repeat.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Finding.h"

#include <algorithm>
#include <cassert>
#include <functional>

namespace ptoscope {

std::string_view toString(Severity severity) {
  constexpr std::string_view kNames[] = {"error", "warning", "remark"};
  return kNames[static_cast<size_t>(severity)];
}

std::string_view toString(Category category) {
  constexpr std::string_view kNames[] = {"program", "undefined-by-manual", "not-modelled", "usage", "internal"};
  return kNames[static_cast<size_t>(category)];
}

Finding makeFinding(std::string_view code, Place place, std::string message) {
  Finding finding;
  finding.code = code;
  finding.place = std::move(place);
  finding.message = std::move(message);
  const CodeInfo *info = findCode(code);
  assert(info && "a finding needs a code of the table");
  // Without assertions an unlisted code is still reported, as the bug it is.
  finding.severity = info ? info->severity : Severity::Error;
  finding.category = info ? info->category : Category::Internal;
  return finding;
}

/// Severity is not compared: it follows from the code.
static bool isRepeat(const Finding &a, const Finding &b) {
  if (a.code != b.code || a.place != b.place || a.message != b.message || a.notes.size() != b.notes.size())
    return false;
  for (size_t i = 0; i < a.notes.size(); ++i)
    if (a.notes[i].place != b.notes[i].place)
      return false;
  return true;
}

static size_t hashOf(const Finding &finding) {
  size_t seed = 0;
  auto mix = [&seed](size_t value) { seed ^= value + 0x9e3779b9u + (seed << 6) + (seed >> 2); };
  auto mixPlace = [&mix](const Place &place) {
    mix(std::hash<std::string>()(place.file));
    mix(place.line);
    mix(place.column);
  };
  mix(std::hash<std::string>()(finding.code));
  mix(std::hash<std::string>()(finding.message));
  mixPlace(finding.place);
  for (const Note &note : finding.notes)
    mixPlace(note.place);
  return seed;
}

void FindingList::addRepeat(size_t i, const Finding &finding) {
  Finding &listed = findings[i];
  listed.count += finding.count;
  for (const std::string &core : finding.cores)
    if (auto at = std::lower_bound(listed.cores.begin(), listed.cores.end(), core);
        at == listed.cores.end() || *at != core)
      listed.cores.insert(at, core);
}

void FindingList::add(Finding finding) {
  size_t hash = hashOf(finding);
  auto [first, last] = positions.equal_range(hash);
  for (auto it = first; it != last; ++it)
    if (isRepeat(findings[it->second], finding))
      return addRepeat(it->second, finding);
  // A program that is written for host simulators would crowd out all other warnings.
  size_t &ownKind = finding.code == "host-only" ? hostOnly : counts[static_cast<size_t>(finding.severity)];
  if (ownKind >= maxFindings) {
    ++droppedFindings;
    return;
  }
  ++ownKind;
  positions.emplace(hash, findings.size());
  findings.push_back(std::move(finding));
}

void FindingList::merge(FindingList &&other) {
  for (Finding &finding : other.findings)
    add(std::move(finding));
  droppedFindings += other.droppedFindings;
  other = FindingList(other.maxFindings);
}

size_t FindingList::count(Severity severity) const {
  return counts[static_cast<size_t>(severity)] + (severity == Severity::Warning ? hostOnly : 0);
}

bool FindingList::failed(bool warningsAreErrors) const {
  return count(Severity::Error) > 0 || (warningsAreErrors && count(Severity::Warning) > 0);
}

bool FindingList::full() const { return count(Severity::Error) >= maxFindings; }

} // namespace ptoscope
