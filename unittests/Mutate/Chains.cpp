//===- Chains.cpp - orders of a run in words ------------------------------===//

#include "Chains.h"

#include <algorithm>

namespace ptoscope::mutate {

/// What is known while the pairs of one mutation are looked up.
struct Chains::Search {
  /// Chains are looked for that often; all pairs are looked up in any case.
  static constexpr size_t kChains = 64;

  const std::vector<Place> &changed;
  size_t pairs = 0;
  size_t before = 0, after = 0; ///< accesses on both sides, when no pair was found
  std::string lost;
  std::vector<std::string> longest;

  void found(std::vector<std::string> chain) {
    if (chain.size() > longest.size())
      longest = std::move(chain);
  }
};

static std::string withoutDialect(const std::string &op) { return op.starts_with("pto.") ? op.substr(4) : op; }

std::string Chains::show(InstrIndex index) const {
  const OrderGraph::Executed &executed = recording.graph[index];
  const Instr &instr = executed.instr;
  std::string text;
  const Site *site = instr.site < sites.size() ? &sites[instr.site] : nullptr;
  if (!site || site->timing != Timing::sync)
    text = std::string(nameOf(instr.pipe)).substr(sizeof("PIPE_") - 1) + " ";
  if (site)
    text += withoutDialect(site->op) + " line " + std::to_string(site->place.line);
  if (instr.core.index != 1)
    text += instr.core.index == 0 ? " (AIC)" : " (AIV1)";
  if (executed.block != 0)
    text += " (block " + std::to_string(executed.block) + ")";
  return text;
}

std::string Chains::show(const ScopeOrder &scope, uint32_t step) const {
  SiteId site = scope.steps()[step].site;
  return site < sites.size() ? withoutDialect(sites[site].op) + " line " + std::to_string(sites[site].place.line)
                             : "an access";
}

bool Chains::isAt(SiteId site, const std::vector<Place> &places) const {
  return site < sites.size() && std::any_of(
                                    places.begin(), places.end(),
                                    [&](const Place &place) {
                                      return place.line == sites[site].place.line &&
                                             place.column == sites[site].place.column;
                                    });
}

void Chains::keepInstructions(const Chains &before, Search &search) const {
  const OrderGraph &old = before.recording.graph, &now = recording.graph;
  std::vector<InstrIndex> changed;
  for (InstrIndex i = 0; i < old.size(); ++i)
    if (before.isAt(old[i].instr.site, search.changed))
      changed.push_back(i);
  for (auto [a, b] : old.meeting()) {
    auto between = [&, a = a, b = b](InstrIndex x) { return old.endsBefore(a, x) && old.ordered(x, b); };
    if (std::none_of(changed.begin(), changed.end(), between))
      continue;
    ++search.pairs;
    std::optional<InstrIndex> first = now.find(old.nameOf(a)), second = now.find(old.nameOf(b));
    if (!first || !second || !now.ordered(*first, *second)) {
      search.lost = before.show(a) + " and " + before.show(b);
      return;
    }
    if (search.pairs > Search::kChains)
      continue;
    std::vector<std::string> chain;
    for (InstrIndex i : now.chain(*first, *second))
      chain.push_back(show(i));
    search.found(std::move(chain));
  }
  if (search.pairs == 0)
    for (InstrIndex i = 0; i < old.size() && !changed.empty(); ++i) {
      search.before += old.isWork(i) && old.endsBefore(i, changed.front());
      search.after += old.isWork(i) && old.ordered(changed.front(), i);
    }
}

/// The accesses of a scope, without its fences: the same in every mutant.
static std::vector<uint32_t> accessesOf(const ScopeOrder &scope) {
  std::vector<uint32_t> list;
  for (uint32_t i = 0; i < scope.steps().size(); ++i)
    if (!scope.steps()[i].isFence)
      list.push_back(i);
  return list;
}

void Chains::keepAccesses(const Chains &before, Search &search) const {
  std::map<WorkName, const ScopeOrder *> now;
  for (const auto &[instr, scope] : recording.scopes)
    now[recording.graph.nameOf(instr)] = &scope;
  for (const auto &[instr, old] : before.recording.scopes) {
    std::vector<uint32_t> fences;
    for (uint32_t i = 0; i < old.steps().size(); ++i)
      if (old.steps()[i].isFence && before.isAt(old.steps()[i].site, search.changed))
        fences.push_back(i);
    if (fences.empty())
      continue;
    auto found = now.find(before.recording.graph.nameOf(instr));
    std::vector<uint32_t> oldAccesses = accessesOf(old),
                          newAccesses = found == now.end() ? oldAccesses : accessesOf(*found->second);
    if (found == now.end() || oldAccesses.size() != newAccesses.size()) {
      search.lost = "the accesses of " + before.show(instr);
      return;
    }
    auto inNew = [&](uint32_t step) {
      return newAccesses[size_t(std::lower_bound(oldAccesses.begin(), oldAccesses.end(), step) - oldAccesses.begin())];
    };
    for (auto [a, b] : old.meeting) {
      auto between = [&, a = a, b = b](uint32_t fence) { return old.covers(fence, a, b); };
      if (std::none_of(fences.begin(), fences.end(), between))
        continue;
      ++search.pairs;
      std::vector<std::string> chain;
      for (uint32_t step : found->second->chain(inNew(a), inNew(b)))
        chain.push_back(show(*found->second, step));
      if (chain.empty()) {
        search.lost = before.show(old, a) + " and " + before.show(old, b);
        return;
      }
      search.found(std::move(chain));
    }
  }
}

Chains::Kept Chains::keeps(const Chains &before, const std::vector<Place> &changed) const {
  Search search{changed, 0, 0, 0, "", {}};
  keepInstructions(before, search);
  if (search.lost.empty())
    keepAccesses(before, search);
  Kept kept;
  kept.lost = search.lost;
  if (search.pairs == 0) {
    kept.text = "orders no two accesses that meet (" + std::to_string(search.before) + " instructions before it, " +
                std::to_string(search.after) + " after it)";
    return kept;
  }
  kept.text = std::to_string(search.pairs) + (search.pairs == 1 ? " pair stays" : " pairs stay") + " ordered: ";
  for (size_t i = 0; i < search.longest.size(); ++i)
    kept.text += (i ? " -> " : "") + search.longest[i];
  return kept;
}

} // namespace ptoscope::mutate
