//===- CountedSlips.cpp - the line that upsets the balance of flags -------===//

#include "ptoscope/Machine/CountedSlips.h"

#include "ptoscope/Machine/FlagSlips.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/Sentences.h"
#include "ptoscope/Machine/Words.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace ptoscope {

namespace {

/// One flag in the whole run.
struct FlagTally {
  std::vector<const FlagUse *> sets, waits;
  int64_t surplus = 0; ///< sets without a wait; negative: waits without a set
};
using FlagTallies = std::map<std::tuple<Pipe, Pipe, int64_t>, FlagTally>;

class SlipSearch {
public:
  SlipSearch(const SiteTable &sites, std::span<const FlagUse> uses) : sites(sites), words(&sites) {
    for (const FlagUse &use : uses) {
      FlagTally &flag = flags[{use.src, use.dst, use.id}];
      (use.sets ? flag.sets : flag.waits).push_back(&use);
      flag.surplus += use.sets ? int64_t(use.count) : -int64_t(use.count);
      ++flagsOf[use.site];
    }
    std::erase_if(flags, [](const auto &flag) { return flag.second.surplus == 0; });
  }

  std::vector<CountedSlip> search() {
    for (const auto &[lostName, lost] : flags)
      for (const auto &[unsetName, unset] : flags)
        if (lost.surplus > 0 && lost.surplus == -unset.surplus)
          pair(lostName, lost, unsetName, unset);
    for (const auto &[name, flag] : flags)
      for (const FlagUse *wait : flag.waits)
        for (const FlagUse *again : flag.waits)
          doubled(flag, *wait, *again);
    if (flags.size() == 1)
      forgotten(flags.begin()->second);
    return std::move(slips);
  }

private:
  using FlagKey = FlagTallies::key_type;

  /// Two flags that were meant to be one.
  void pair(const FlagKey &lostName, const FlagTally &lost, const FlagKey &unsetName, const FlagTally &unset) {
    auto [lostSrc, lostDst, lostId] = lostName;
    auto [unsetSrc, unsetDst, unsetId] = unsetName;
    const bool ids = lostSrc == unsetSrc && lostDst == unsetDst;
    if (!ids && (lostSrc != unsetDst || lostDst != unsetSrc || lostId != unsetId))
      return;
    const uint64_t times = uint64_t(lost.surplus);
    const auto what = ids ? CountedSlip::What::Id : CountedSlip::What::Pipes;
    const bool alone = lost.waits.empty() && unset.sets.empty() && lost.sets.size() == 1 && unset.waits.size() == 1;
    auto offer = [&](const FlagUse &line, const FlagUse &meant) {
      if (line.count != times || flagsOf.at(line.site) != 1)
        return; // one line does not explain it, or has a value for its id
      const FlagUse &set = line.sets ? line : meant, &wait = line.sets ? meant : line;
      const FlagSlip slip{set.src, set.dst, wait.src, wait.dst, set.id, wait.id, set.site, wait.site};
      auto text = [&](const FlagUse &use) { return words.flagText(use.src, use.dst, use.id, use.site); };
      Note cause{sites.placeOf(line.site),
                 (line.sets ? say::kSlipOfSet : say::kSlipOfWait)(text(line), text(meant), timesText(times))};
      if (alone)
        cause = {sites.placeOf(wait.site), slipText(sites, slip)};
      auto event = [&](const FlagUse &use) { return words.eventText(use.id, use.site); };
      slips.push_back({what, sites.placeOf(line.site), std::move(cause), slipHelp(sites, slip),
                       ids ? event(line) : std::string(nameOf(line.src)),
                       ids ? event(meant) : std::string(nameOf(line.dst)), line.src, line.dst, line.count});
    };
    auto offerWaits = [&] {
      for (const FlagUse *wait : unset.waits)
        if (!lost.sets.empty())
          offer(*wait, *lost.sets.back());
    };
    auto offerSets = [&] {
      for (const FlagUse *set : lost.sets)
        if (!unset.waits.empty() && !(alone && ids)) // either of two ids may be made the other
          offer(*set, *unset.waits.back());
    };
    // A wrong wait is the first that lacks a set; where a set is wrong, an earlier one lacks it.
    auto isFirst = [&](const FlagUse *wait) { return wait->outruns && wait->count == times; };
    if (std::ranges::any_of(unset.waits, isFirst)) {
      offerWaits();
      offerSets();
    } else {
      offerSets();
      offerWaits();
    }
  }

  /// A wait and right behind it the same one.
  void doubled(const FlagTally &flag, const FlagUse &wait, const FlagUse &again) {
    const Place at = sites.placeOf(again.site);
    if (at.line == 0 || sites[wait.site].next != at || wait.count != again.count ||
        int64_t(again.count) != -flag.surplus || flagsOf.at(again.site) != 1)
      return;
    const std::string line = words.flagLine("wait_flag", again.src, again.dst, again.id, again.site);
    slips.push_back(
        {CountedSlip::What::Doubled,
         at,
         {at, say::kWaitsTwice(words.flagText(again.src, again.dst, again.id, again.site), sites.placeOf(wait.site))},
         say::kRemove(line, at),
         line,
         "",
         again.src,
         again.dst,
         again.count});
  }

  /// A set of C++ whose wait is missing. Of text more is known (slipOfOrder).
  void forgotten(const FlagTally &flag) {
    if (!sites.isCpp() || !flag.waits.empty() || flag.sets.size() != 1 || flagsOf.at(flag.sets[0]->site) != 1)
      return;
    const FlagUse &set = *flag.sets[0];
    const Place at = sites.placeOf(set.site);
    const std::string line = words.flagLine("wait_flag", set.src, set.dst, set.id, set.site);
    slips.push_back({CountedSlip::What::Forgotten,
                     at,
                     {at, say::kSlipUnwaited(words.flagText(set.src, set.dst, set.id, set.site))},
                     say::kAddBehind(line, at),
                     "",
                     line,
                     set.src,
                     set.dst,
                     set.count});
  }

  const SiteTable &sites;
  const Words words;
  FlagTallies flags;                ///< those out of balance
  std::map<SiteId, size_t> flagsOf; ///< how many flags a line names
  std::vector<CountedSlip> slips;
};

/// Where `word` stands in `line`, if it does so once.
size_t findOnce(std::string_view line, std::string_view word) {
  auto isPart = [](char c) {
    return c == '_' || (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
  };
  size_t found = std::string_view::npos;
  for (size_t at = line.find(word); at != std::string_view::npos; at = line.find(word, at + 1)) {
    const size_t end = at + word.size();
    if ((at > 0 && isPart(line[at - 1])) || (end < line.size() && isPart(line[end])))
      continue;
    if (found != std::string_view::npos)
      return std::string_view::npos;
    found = at;
  }
  return found;
}

} // namespace

std::vector<CountedSlip> slipsOf(const SiteTable &sites, std::span<const FlagUse> uses) {
  return SlipSearch(sites, uses).search();
}

std::optional<Remedy> remedyOf(const CountedSlip &slip, const SourceLines &lines) {
  if (slip.what == CountedSlip::What::Forgotten)
    return Remedy{slip.help, {{slip.at, true, slip.right}}, slip.cause};
  const std::optional<std::string> line = lines(slip.at.file, slip.at.line);
  if (!line)
    return std::nullopt;
  auto replace = [&](size_t at, const std::string &words, const std::string &right, std::string help) {
    const Place place{slip.at.file, slip.at.line, uint32_t(at) + 1};
    return Remedy{std::move(help), {{place, false, right, words}}, slip.cause};
  };
  if (slip.what == CountedSlip::What::Doubled) {
    const size_t at = line->find(slip.wrong);
    return at == std::string::npos ? std::nullopt : std::optional(replace(at, slip.wrong, "", slip.help));
  }
  const size_t wrong = findOnce(*line, slip.wrong), right = findOnce(*line, slip.right);
  if (slip.what == CountedSlip::What::Id) {
    if (wrong == std::string::npos)
      return std::nullopt;
    return replace(wrong, slip.wrong, slip.right, say::kWriteFor(slip.at, slip.right, slip.wrong));
  }
  // The pipe that is written first, what stands between the two, and the other one.
  if (wrong == std::string::npos || right == std::string::npos || wrong > right)
    return std::nullopt;
  const size_t behind = wrong + slip.wrong.size();
  const std::string between = line->substr(behind, right - behind);
  return replace(wrong, slip.wrong + between + slip.right, slip.right + between + slip.wrong,
                 say::kSwapPipes(slip.wrong, slip.right, slip.at));
}

std::vector<Remedy> remediesOf(std::span<const CountedSlip> slips, const SourceLines &lines) {
  std::vector<Remedy> remedies;
  for (const CountedSlip &slip : slips)
    if (std::optional<Remedy> remedy = remedyOf(slip, lines))
      remedies.push_back(std::move(*remedy));
  return remedies;
}

std::optional<Remedy> onlyCause(std::span<const CountedSlip> slips, const FindingList &findings,
                                const SourceLines &lines) {
  auto isOther = [&](const CountedSlip &slip) { return slip.cause.message != slips.front().cause.message; };
  if (slips.empty() || std::ranges::any_of(slips, isOther) || std::ranges::any_of(findings.all(), &Finding::causeNamed))
    return std::nullopt;
  const CountedSlip &slip = slips.front();
  // The set stands between the two, or behind both in a loop, which its next turn enters.
  auto orders = [&](const Finding &finding) {
    const std::optional<MissingOrder> &order = finding.order;
    return order && Pipe(order->src) == slip.src && Pipe(order->dst) == slip.dst && order->first.file == slip.at.file &&
           order->second.file == slip.at.file && order->first.line < slip.at.line &&
           (slip.at.line < order->second.line || slip.count > 1);
  };
  if (slip.what == CountedSlip::What::Forgotten && std::ranges::none_of(findings.all(), orders))
    return std::nullopt;
  if (slips.size() == 1)
    if (std::optional<Remedy> remedy = remedyOf(slip, lines))
      return remedy;
  return Remedy{slip.help, {}, slip.cause};
}

} // namespace ptoscope
