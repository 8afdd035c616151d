//===- Remedies.cpp - which lines a report may offer ----------------------===//

#include "ptoscope/Machine/Remedies.h"

#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/Sentences.h"
#include "ptoscope/Support/Edits.h"

#include <algorithm>
#include <map>

namespace ptoscope {

void nameCause(Finding &finding, Place at, const std::string &cause) {
  finding.notes.insert(finding.notes.begin(), {std::move(at), say::kLikelyCause(cause)});
  finding.causeNamed = true;
}

bool isFine(const Finding &f) {
  return f.severity == Severity::Remark ||
         (f.severity == Severity::Warning && f.category == Category::UndefinedByManual);
}
bool isClean(const FindingList &list) { return std::ranges::all_of(list.all(), isFine); }

namespace {

/// A flag that each turn uses has a few lines that may be the wrong one.
constexpr size_t kMostCauses = 6;

bool namesCause(const Note &note) { return note.message.starts_with(say::kLikelyCause("")); }

/// The note that names it; null where only the help does.
const Note *namedCause(const Finding &finding) {
  auto note = std::ranges::find_if(finding.notes, namesCause);
  return finding.causeNamed && note != finding.notes.end() ? &*note : nullptr;
}

/// Lines would hide the cause of one that has no lines, neither its own nor those of another with the same cause.
bool wouldHide(const FindingList &list) {
  auto hasLines = [&](const Finding &f) {
    const Note *cause = namedCause(f);
    return !f.remedies.empty() ||
           (cause && std::ranges::any_of(list.all(), [&](const Finding &other) {
              const Note *same = namedCause(other);
              return same && !other.remedies.empty() && same->place == cause->place && same->message == cause->message;
            }));
  };
  return std::ranges::any_of(list.all(), [&](const Finding &f) { return f.causeNamed && !hasLines(f); });
}

/// A flag that stays set says which wait is missing.
bool isLikelyCause(const Finding &f) { return f.causeNamed || f.code == "flag-leftover"; }

void accept(Finding &finding, const Remedy &remedy) {
  finding.help = remedy.help;
  finding.edits = remedy.edits;
}

/// Where to look for what repairs `finding`, too.
std::string repairsToo(const Finding &finding, const Finding &offer) {
  return finding.place.line == offer.place.line ? say::kRepairsThatToo() : say::kRepairsThisToo(offer.place.line);
}

/// What a wrong flag may give rise to.
bool mayFollow(const Finding &finding) {
  static constexpr std::string_view kCodes[] = {"race-raw",         "race-war",      "race-waw",         "deadlock",
                                                "wait-without-set", "flag-leftover", "flag-overwritten", "init-read"};
  return std::ranges::find(kCodes, finding.code) != std::end(kCodes);
}

/// The first finding names the cause of all of them and how to repair it. If that was not tried, others than those that
/// may follow from it are left as they are. False: there are only such.
bool adopt(FindingList &findings, const Remedy &remedy, bool tried) {
  const Finding *first = nullptr;
  for (size_t i = 0; i < findings.all().size(); ++i) {
    Finding &finding = findings[i];
    if (isFine(finding) || (!tried && !mayFollow(finding)))
      continue;
    // What was taken for the cause before follows from this one.
    std::erase_if(finding.notes, namesCause);
    finding.causeNamed = false;
    if (first) {
      finding.help = tried ? repairsToo(finding, *first) : say::kMayRepairThisToo(first->place.line);
      continue;
    }
    first = &finding;
    accept(finding, remedy);
    if (!tried && !remedy.edits.empty())
      finding.help += say::kNotTried();
    nameCause(finding, remedy.cause->place, remedy.cause->message);
  }
  return first != nullptr;
}

struct Choice {
  std::vector<size_t> findings; ///< whose lines are inserted
  size_t remedy;                ///< which ones of each
  bool atOnce;                  ///< nothing is left after it
};

class Search {
public:
  Search(const std::string &path, const Trial &trial) : path(path), trial(trial) {}

  bool repairs(const std::string &text, const Remedy &remedy) {
    std::optional<FindingList> left = attempt(text, remedy.edits);
    attempts = 0; // causes have a limit of their own
    return left && isClean(*left);
  }

  /// Lines for the likely cause come first: what else is found follows from it, and lines for that would hide it.
  std::optional<Choice> search(const FindingList &found, const std::string &text, unsigned rounds = kRounds) {
    const std::vector<Finding> &all = found.all();
    if (rounds == 0 || wouldHide(found))
      return std::nullopt;
    std::vector<size_t> offers;
    bool repeats = false; // findings that want the same flag: the lines of one may be enough for all of them
    for (size_t i = 0; i < all.size(); ++i)
      if (!all[i].remedies.empty()) {
        const std::vector<Edit> before = linesOf(all, offers);
        for (const Edit &edit : all[i].remedies[0].edits)
          repeats |= std::ranges::find(before, edit.insertText, &Edit::insertText) != before.end();
        offers.push_back(i);
      }
    auto areEnough = [&](const std::vector<size_t> &some) {
      std::optional<FindingList> left = attempt(text, linesOf(all, some));
      return left && isClean(*left);
    };
    /// The first lines of all findings, without those that contribute nothing.
    auto tryTogether = [&] {
      std::vector<size_t> needed = offers;
      if (offers.size() < 2 || !areEnough(offers))
        return std::vector<size_t>();
      for (size_t i : offers) {
        std::vector<size_t> others = needed;
        std::erase(others, i);
        if (!others.empty() && areEnough(others))
          needed = std::move(others);
      }
      return needed;
    };
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t k = 0; isLikelyCause(all[i]) && k < all[i].remedies.size(); ++k)
        if (std::optional<FindingList> left = attempt(text, all[i].remedies[k].edits); left && isClean(*left))
          return Choice{{i}, k, true};
    if (!repeats)
      if (std::vector<size_t> needed = tryTogether(); !needed.empty())
        return Choice{std::move(needed), 0, true};
    struct Partial {
      size_t finding, remedy;
      FindingList left;
    };
    std::vector<Partial> partial;
    const unsigned limit = repeats ? kAttempts / 2 : kAttempts; // the rest is for all of them together
    for (size_t i = 0; i < all.size(); ++i)
      for (size_t k = 0; k < all[i].remedies.size() && attempts < limit; ++k) {
        const std::vector<Edit> &edits = all[i].remedies[k].edits;
        std::optional<FindingList> left = attempt(text, edits);
        if (left && isClean(*left))
          return Choice{{i}, k, true};
        if (left && !isStillIn(*left, all[i], edits))
          partial.push_back({i, k, std::move(*left)});
      }
    if (repeats)
      if (std::vector<size_t> needed = tryTogether(); !needed.empty())
        return Choice{std::move(needed), 0, true};
    for (const Partial &step : partial)
      if (search(step.left, withLines(text, all[step.finding].remedies[step.remedy].edits), rounds - 1))
        return Choice{{step.finding}, step.remedy, false};
    return std::nullopt;
  }

private:
  /// Most reports need one or two; the rest is for those that hide others.
  static constexpr unsigned kRounds = 4, kAttempts = 12;

  static std::vector<Edit> linesOf(const std::vector<Finding> &all, const std::vector<size_t> &some) {
    std::vector<Edit> lines;
    for (size_t i : some)
      lines.insert(lines.end(), all[i].remedies[0].edits.begin(), all[i].remedies[0].edits.end());
    return lines;
  }

  std::optional<FindingList> attempt(const std::string &text, const std::vector<Edit> &edits) {
    auto isForeign = [&](const Edit &edit) { return edit.place.file != path || edit.place.line == 0; };
    if (std::ranges::any_of(edits, isForeign))
      return std::nullopt;
    std::string changed = withLines(text, edits);
    auto [known, isNew] = tried.try_emplace(std::move(changed)); // findings of one cause offer the same lines
    if (isNew && attempts < kAttempts) {
      ++attempts;
      known->second = trial(known->first);
    }
    return known->second;
  }

  /// The fault at its place behind the new lines.
  static bool isStillIn(const FindingList &list, const Finding &finding, const std::vector<Edit> &edits) {
    Place place = finding.place;
    for (const Edit &edit : edits)
      if (edit.place.line + edit.after <= finding.place.line)
        place.line += uint32_t(linesAdded(edit));
    return std::ranges::any_of(list.all(),
                               [&](const Finding &f) { return f.code == finding.code && f.place == place; });
  }

  const std::string &path;
  const Trial &trial;
  unsigned attempts = 0;
  std::map<std::string, std::optional<FindingList>> tried;
};

} // namespace

void proveRemedies(FindingList &findings, const std::string &path, const std::string &text, const Trial &trial,
                   std::span<const Remedy> causes) {
  Search search(path, trial);
  if (!isClean(findings))
    for (const Remedy &cause : causes.first(std::min(causes.size(), kMostCauses)))
      if (search.repairs(text, cause))
        return void(adopt(findings, cause, /*tried=*/true));
  std::optional<Choice> choice = search.search(findings, text);
  if (!choice)
    return;
  const size_t offer = choice->findings.front();
  for (size_t i = 0; i < findings.all().size(); ++i) {
    Finding &finding = findings[i];
    if (std::ranges::find(choice->findings, i) != choice->findings.end()) {
      accept(finding, finding.remedies[choice->remedy]);
      if (!choice->atOnce)
        finding.help += say::kThenAgain();
    } else if (choice->atOnce && !isFine(finding))
      finding.help = repairsToo(finding, findings[offer]);
  }
}

void suggestRemedies(FindingList &findings, const std::optional<Remedy> &cause) {
  if (cause && adopt(findings, *cause, /*tried=*/false))
    return;
  auto lacks = [](const Finding &f) { return f.severity == Severity::Error && f.remedies.empty(); };
  if (wouldHide(findings) || std::ranges::any_of(findings.all(), lacks))
    return;
  for (size_t i = 0; i < findings.all().size(); ++i)
    if (Finding &finding = findings[i]; !finding.remedies.empty()) {
      accept(finding, finding.remedies[0]);
      finding.help += say::kNotTried();
    }
}

} // namespace ptoscope
