//===- Repair.cpp - apply what findings offer until nothing is left -------===//

#include "ptoscope/Fix/Repair.h"
#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/Edits.h"

#include <algorithm>

namespace ptoscope {
namespace {

/// What lines can be judged by: how a command ended is another matter.
size_t blamed(const FindingList &list) {
  return size_t(std::ranges::count_if(
      list.all(), [](const Finding &finding) { return !isFine(finding) && finding.category != Category::Usage; }));
}

bool offers(const FindingList &list) {
  return std::ranges::any_of(list.all(), [](const Finding &f) { return !isFine(f) && !f.edits.empty(); });
}

/// The texts with these edits; nothing, and a refusal, where a place is not to be had.
std::optional<Texts> withEdits(const Texts &texts, const std::vector<Edit> &edits, std::vector<Finding> &refusals) {
  Texts changed = texts;
  for (const Edit &edit : edits)
    if (!texts.contains(edit.place.file)) {
      const std::string &words = edit.insertText.empty() ? edit.replaces : edit.insertText;
      Finding refusal =
          makeFinding("file-error", edit.place, "`" + words + "` belongs here, and this file may not be changed");
      refusal.help = "give this file, too";
      return refusals.push_back(std::move(refusal)), std::nullopt;
    }
  for (auto &[path, text] : changed) {
    std::vector<Edit> own;
    std::ranges::copy_if(edits, std::back_inserter(own), [&](const Edit &edit) { return edit.place.file == path; });
    Result<std::string> result = applyEdits(path, text, own);
    if (!result)
      return refusals.push_back(result.takeFinding()), std::nullopt;
    text = std::move(*result);
  }
  return changed;
}

/// The fault at its place behind the new lines.
bool isStillIn(const FindingList &list, const Finding &finding, const std::vector<Edit> &edits) {
  Place place = finding.place;
  for (const Edit &edit : edits)
    if (edit.place.file == place.file && edit.place.line + edit.after <= finding.place.line)
      place.line += uint32_t(linesAdded(edit));
  return std::ranges::any_of(list.all(), [&](const Finding &f) { return f.code == finding.code && f.place == place; });
}

struct Attempt {
  std::vector<Edit> edits;
  Texts texts;
  FindingList left;
  std::vector<Finding> repaired;
};

class Round {
public:
  Round(const Texts &texts, const FindingList &found, const Examine &examine, std::vector<Finding> &refusals)
      : texts(texts), found(found), examine(examine), refusals(refusals) {}

  /// The lines of all findings together, else the best of those of each.
  std::optional<Attempt> best() {
    std::vector<Finding> offering;
    std::ranges::copy_if(found.all(), std::back_inserter(offering),
                         [](const Finding &f) { return !isFine(f) && !f.edits.empty(); });
    std::optional<Attempt> best = attempt(editsOf(offering));
    if (offering.size() == 1 || (best && isClean(best->left)))
      return best;
    for (const Finding &finding : offering) {
      std::optional<Attempt> next = attempt(finding.edits);
      if (next && (!best || blamed(next->left) < blamed(best->left)))
        best = std::move(next);
      if (best && isClean(best->left))
        break;
    }
    return best;
  }

private:
  /// Nothing unless there is less to report, or something else that offers lines again: a
  /// fault that ended the run hid it.
  std::optional<Attempt> attempt(std::vector<Edit> edits) {
    std::optional<Texts> changed = withEdits(texts, edits, refusals);
    if (!changed)
      return std::nullopt;
    Result<FindingList> left = examine(*changed);
    if (!left)
      return std::nullopt;
    Attempt attempt{std::move(edits), std::move(*changed), std::move(*left), {}};
    for (const Finding &finding : found.all())
      if (!isFine(finding) && !isStillIn(attempt.left, finding, attempt.edits))
        attempt.repaired.push_back(finding);
    const size_t before = blamed(found), after = blamed(attempt.left);
    const bool uncovered = !attempt.repaired.empty() && offers(attempt.left);
    return after < before || uncovered ? std::optional(std::move(attempt)) : std::nullopt;
  }

  const Texts &texts;
  const FindingList &found;
  const Examine &examine;
  std::vector<Finding> &refusals;
};

} // namespace

Result<Repair> repair(Texts texts, const Examine &examine, unsigned maxRounds) {
  Result<FindingList> found = examine(texts);
  if (!found)
    return found.takeFinding();
  Repair repair;
  repair.texts = std::move(texts);
  repair.left = std::move(*found);
  while (!isClean(repair.left)) {
    if (!offers(repair.left)) {
      repair.end = Repair::End::NoEdits;
      break;
    }
    if (repair.rounds.size() == maxRounds) {
      repair.end = Repair::End::Rounds;
      break;
    }
    repair.refusals.clear();
    std::optional<Attempt> kept = Round(repair.texts, repair.left, examine, repair.refusals).best();
    if (!kept) {
      repair.end = Repair::End::NoProgress;
      break;
    }
    repair.texts = std::move(kept->texts);
    repair.left = std::move(kept->left);
    repair.rounds.push_back(std::move(kept->repaired));
    repair.lines.push_back(kept->edits.size());
  }
  return repair;
}

} // namespace ptoscope
