//===- SignalOrder.cpp - what blocks tell each other ----------------------===//

#include "ptoscope/Checkers/SignalOrder.h"

#include "ptoscope/Machine/CommSentences.h"

#include <algorithm>

namespace ptoscope {

using Knowledge = SignalOrder::Knowledge;

/// True when that added something.
static bool join(Knowledge &into, const Knowledge &other) {
  if (into.size() < other.size())
    into.resize(other.size());
  bool grown = false;
  for (size_t i = 0; i < other.size(); ++i)
    if (other[i] > into[i]) {
      into[i] = other[i];
      grown = true;
    }
  return grown;
}

/// `learnt(core)` is how often a core of the block had learnt something.
template <typename Counts> Knowledge SignalOrder::knowledgeOf(uint64_t block, const Counts &learnt) const {
  Knowledge known;
  for (uint8_t core = 0; core < kCoresPerBlock; ++core) {
    uint64_t count = learnt(core);
    auto it = parties.find(partyOf(block, CoreId{core}));
    if (count && it != parties.end() && count <= it->second.learnt.size())
      join(known, it->second.learnt[count - 1]);
  }
  return known;
}

static auto countsOf(const VectorClock &clock) {
  return [&clock](size_t core) { return clock.ended[kFirstBarrierCount + kFirstSignalChannel + core]; };
}
static auto countsOf(const BarrierCounts &counts) {
  return [&counts](size_t core) { return counts[kFirstSignalChannel + core]; };
}

Knowledge SignalOrder::tell(int64_t block, CoreId core, uint64_t number, const VectorClock &clock, SiteId site) {
  size_t self = partyOf(uint64_t(block), core);
  Knowledge told = knowledgeOf(uint64_t(block), countsOf(clock));
  if (told.size() <= self)
    told.resize(self + 1);
  told[self] = number;
  Party &party = parties[self];
  party.told.push_back(clock);
  party.sites.push_back(site);
  return told;
}

/// States of a word that are kept: as many changes a reader may be late. From then on it learns more than it should,
/// which hides races and invents none.
static constexpr size_t kMaxStates = 256;

void SignalOrder::set(int64_t block, CoreId core, const SignalSet &set, const Knowledge &told, SiteId site) {
  Word &word = words[set.address];
  if (word.site == kNoSite && set.isSignal)
    word.site = site;
  if (word.states.empty() && set.before)
    word.states.push_back({set.before, {}, 0, 0});
  State state{set.after, told, partyOf(uint64_t(block), core), 0};
  state.number = told[state.setter];
  if (set.adds && !word.states.empty())
    join(state.told, word.states.back().told);
  word.states.push_back(std::move(state));
  if (word.states.size() > kMaxStates) {
    word.states.erase(word.states.begin(), word.states.begin() + kMaxStates / 2);
    word.dropped += kMaxStates / 2;
  }
  word.seen[word.states.back().setter] = word.dropped + word.states.size() - 1;
}

void SignalOrder::flush(uint64_t begin, uint64_t end, const Knowledge &told) {
  for (uint64_t line = begin / kCacheLineBytes; line * kCacheLineBytes < end; ++line)
    join(lines[line], told);
}

Knowledge SignalOrder::read(int64_t block, CoreId core, const VectorClock &clock, const SignalWait &wait, SiteId site) {
  Knowledge told;
  const size_t self = partyOf(uint64_t(block), core);
  const Knowledge known = knowledgeOf(uint64_t(block), countsOf(clock));
  for (uint64_t address : wait.addresses) {
    Word &word = words[address];
    if (word.site == kNoSite)
      word.site = site;
    if (auto line = lines.find(address / kCacheLineBytes); line != lines.end())
      join(told, line->second);
    const std::vector<State> &states = word.states;
    if (states.empty())
      continue;
    // Not before what it has met, what it knows of, and what its own block did.
    uint64_t &seen = word.seen[self];
    size_t at = size_t(std::max(seen, word.dropped) - word.dropped);
    for (size_t i = at; i < states.size(); ++i) {
      const auto &[value, ignored, setter, number] = states[i];
      if (number && (setter / kCoresPerBlock == uint64_t(block) || (setter < known.size() && known[setter] >= number)))
        at = i;
    }
    const bool allKnown = std::all_of(states.begin() + ptrdiff_t(at), states.end(),
                                      [](const State &state) { return state.value.has_value(); });
    while (at + 1 < states.size() && (!allKnown || !holds(wait.compare, *states[at].value, wait.value)))
      ++at;
    seen = word.dropped + at;
    join(told, states[at].told);
  }
  return told;
}

VectorClock SignalOrder::learn(int64_t block, CoreId core, const VectorClock &clock, const Knowledge &told) {
  VectorClock learnt;
  Knowledge known = knowledgeOf(uint64_t(block), countsOf(clock));
  if (!join(known, told))
    return learnt;
  // Instructions of the own block are told apart by its clocks.
  for (uint8_t other = 0; other < kCoresPerBlock; ++other) {
    size_t party = partyOf(uint64_t(block), CoreId{other});
    if (party < known.size() && known[party])
      learnt.join(parties[party].told[known[party] - 1]);
  }
  std::vector<Knowledge> &list = parties[partyOf(uint64_t(block), core)].learnt;
  list.push_back(std::move(known));
  learnt.ended[kFirstBarrierCount + kFirstSignalChannel + core.index] = list.size();
  return learnt;
}

void SignalOrder::startEngine(const EngineTransfer &transfer, int64_t block, const Knowledge &told, SiteId site) {
  Engine &engine =
      engines.try_emplace(transfer.session, Engine{uint64_t(blocks * devices) + engines.size(), block, 0, {}})
          .first->second;
  Party &party = parties[partyOf(engine.number, CoreId{0})];
  party.learnt.push_back(told);
  // Transfers end in order, one telling each.
  while (party.sites.size() < transfer.number) {
    party.sites.push_back(site);
    party.told.emplace_back();
  }
  auto touch = [&](const Box &box, const GmObject *object, AccessKind kind) {
    GmEntry entry;
    entry.boxes.item = box;
    entry.object = object;
    entry.site = site;
    entry.kind = kind;
    entry.after[kFirstSignalChannel] = party.learnt.size();
    entry.until[kFirstSignalChannel] = transfer.number;
    engine.touched.push_back(std::move(entry));
  };
  touch(transfer.src, transfer.srcObject, AccessKind::Read);
  touch(transfer.dst, transfer.dstObject, AccessKind::Write);
}

Knowledge SignalOrder::finishEngine(uint64_t session, uint64_t number) {
  Knowledge known;
  auto it = engines.find(session);
  if (it == engines.end())
    return known;
  known.resize(partyOf(it->second.number, CoreId{0}) + 1);
  known.back() = number;
  return known;
}

std::map<int64_t, std::vector<GmEntry>> SignalOrder::engineFootprints() const {
  std::map<int64_t, std::vector<GmEntry>> footprints;
  for (const auto &[session, engine] : engines)
    footprints[int64_t(engine.number)] = engine.touched;
  return footprints;
}

void SignalOrder::arrive(int64_t block, uint32_t channel, uint64_t ordinal, const Knowledge &told) {
  join(meetings[{block / blocks, channel, ordinal}], told);
}

const Knowledge &SignalOrder::met(int64_t block, uint32_t channel, uint64_t ordinal) {
  return meetings[{block / blocks, channel, ordinal}];
}

bool SignalOrder::before(uint64_t first, const BarrierCounts &until, uint64_t second,
                         const BarrierCounts &after) const {
  Knowledge known = knowledgeOf(second, countsOf(after));
  for (uint8_t core = 0; core < kCoresPerBlock; ++core) {
    size_t party = partyOf(first, CoreId{core});
    if (party < known.size() && until[kFirstSignalChannel + core] <= known[party])
      return true;
  }
  return false;
}

SiteId SignalOrder::knows(uint64_t block, const BarrierCounts &after, uint64_t teller, CoreId core,
                          uint64_t number) const {
  Knowledge known = knowledgeOf(block, countsOf(after));
  size_t party = partyOf(teller, core);
  return party < known.size() && number <= known[party] ? parties.at(party).sites[number - 1] : kNoSite;
}

uint64_t SignalOrder::wordIn(uint64_t begin, uint64_t end, SiteId &site) const {
  // Words are aligned, so the one that holds `begin` starts at most three bytes before.
  auto it = words.lower_bound(begin < kSignalWordBytes ? 0 : begin - (kSignalWordBytes - 1));
  while (it != words.end() && it->first < end && it->second.site == kNoSite)
    ++it;
  if (it == words.end() || it->first >= end)
    return end;
  site = it->second.site;
  return std::max(it->first, begin);
}

Knowledge SignalOrder::look(uint64_t begin, uint64_t end) const {
  Knowledge told;
  for (auto it = words.lower_bound(begin); it != words.end() && it->first < end; ++it)
    if (!it->second.states.empty())
      join(told, it->second.states.back().told);
  for (auto it = lines.lower_bound(begin / kCacheLineBytes); it != lines.end() && it->first * kCacheLineBytes < end;
       ++it)
    join(told, it->second);
  return told;
}

std::string SignalOrder::nameOf(uint64_t block) const {
  uint64_t perDevice = uint64_t(blocks);
  if (block >= uint64_t(blocks * devices))
    for (const auto &[session, engine] : engines)
      if (engine.number == block)
        return say::kEngineOf(nameOf(uint64_t(engine.block)));
  if (devices == 1)
    return say::kBlock(block);
  return blocks == 1 ? say::kRank(block) : say::kBlockOfRank(block % perDevice, block / perDevice);
}

} // namespace ptoscope
