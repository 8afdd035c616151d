//===- ScopeMachine.cpp - the list schedule of a vector scope -------------===//

#include "ScopeMachine.h"

#include <algorithm>
#include <unordered_map>

namespace ptoscope::timing {

ScopeMachine::ScopeMachine(const ScopeFigures &figures, const ScopeSchedule &schedule, std::span<const uint64_t> turns,
                           bool skips)
    : figures(figures), skips(skips) {
  for (size_t i = 0; i < schedule.regions.size(); ++i) {
    const ScopeRegion &region = schedule.regions[i];
    nodes.push_back({&region, i < turns.size() ? turns[i] : 0, 0, {}, uint32_t(ops.size())});
    // Regions come in the order of the text, children of one place too.
    if (i > 0)
      nodes[region.parent].children.push_back(uint32_t(i));
    for (const ScopeInstr &instr : region.instructions)
      ops.push_back(figures.operationOf(instr));
  }
  latest.resize(ops.size());
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

void ScopeMachine::newCycle() {
  if (passed > 0)
    waitUntil(now + kCycle);
}

void ScopeMachine::waitUntil(Tick time) {
  if (time <= now)
    return;
  now = time;
  passed = 0;
}

/// When the unit of an instruction is free.
Tick ScopeMachine::freeFor(const Entry &entry) const {
  const ScopeOp &op = ops[entry.number];
  if (op.usesMemory())
    return memory;
  if (op.unit == ScopeUnit::Mask)
    return masks;
  if (!op.usesPort())
    return kNever;
  const Port &port = ports[entry.port];
  return isSpecial(op.unit) ? std::max(port.issue, port.special) : port.issue;
}

/// The first that can start; of several, loads go before others, then the oldest: stores wait
/// in their own queue while loads go on.
ScopeMachine::Choice ScopeMachine::next() const {
  Choice best;
  bool bestLoads = false;
  for (size_t i = 0; i < queue.size(); ++i) {
    const Entry &entry = queue[i];
    if (!entry.waits.empty() || entry.ready > best.at)
      continue;
    const Tick at = std::max(entry.ready, freeFor(entry));
    const bool loads = ops[entry.number].unit == ScopeUnit::Load;
    if (at < best.at || (at == best.at && loads && !bestLoads)) {
      best = {ptrdiff_t(i), at};
      bestLoads = loads;
    }
  }
  return best;
}

void ScopeMachine::start(const Choice &choice) {
  const Entry entry = std::move(queue[size_t(choice.entry)]);
  queue.erase(queue.begin() + choice.entry);
  const ScopeOp &op = ops[entry.number];
  if (op.usesMemory()) {
    memory = choice.at + op.interval;
  } else if (op.unit == ScopeUnit::Mask) {
    masks = choice.at + kCycle;
  } else if (op.usesPort()) {
    ports[entry.port].issue = choice.at + kCycle;
    if (isSpecial(op.unit))
      ports[entry.port].special = choice.at + op.interval;
  }
  end = std::max(end, choice.at + op.latency);
  for (Run &run : latest[entry.number])
    if (run.instance == entry.instance)
      run.start = choice.at;
  for (size_t i = size_t(choice.entry); i < queue.size(); ++i)
    std::erase_if(queue[i].waits, [&](const Wait &wait) {
      if (wait.producer != entry.instance)
        return false;
      queue[i].ready = std::max(queue[i].ready, choice.at + wait.distance);
      return true;
    });
}

void ScopeMachine::advance(Tick time) {
  for (Choice choice = next(); choice.entry >= 0 && choice.at < time; choice = next())
    start(choice);
}

void ScopeMachine::issue(uint32_t region, uint32_t position) {
  const Node &node = nodes[region];
  const uint32_t number = node.first + position;
  const ScopeOp &op = ops[number];
  if (passed == figures.width)
    newCycle();
  advance(now);
  while (queue.size() >= figures.queue) {
    const Choice choice = next();
    waitUntil(choice.at);
    start(choice);
  }
  if (op.unit == ScopeUnit::Fence) {
    advance(kWaits);
    waitUntil(end);
  }
  ++passed;
  Entry entry{++instances, number, now, 0, {}};
  if (op.usesPort() && !op.usesFirstPort()) {
    entry.port = nextPort;
    nextPort = 1 - nextPort;
  }
  for (const ScopeInstr::Use &use : node.region->instructions[position].uses) {
    const uint32_t producer = nodes[use.region].first + use.producer;
    // What stands earlier in the same turn has been passed on again already.
    const bool again = use.carried && use.region == region && use.producer < position;
    const Run &run = latest[producer][again];
    const Tick distance = ScopeFigures::distance(ops[producer], op);
    if (run.start == kWaits)
      entry.waits.push_back({run.instance, distance});
    else if (run.start != kNever)
      entry.ready = std::max(entry.ready, run.start + distance);
  }
  latest[number] = {Run{entry.instance, kWaits}, latest[number][0]};
  queue.push_back(std::move(entry));
}

//===----------------------------------------------------------------------===//
// Loops
//===----------------------------------------------------------------------===//

/// Turns that are followed at most, by the depth of a loop, before the rest is taken to go on
/// like the last half of them: loops whose turns differ need not repeat.
static uint64_t mostTurns(unsigned depth) { return uint64_t(1024) >> std::min(2 * depth, 4u); }
/// Loops with fewer turns than these are followed to the end.
static constexpr uint64_t kFewTurns = 8;

std::vector<Tick> ScopeMachine::state() const {
  std::vector<Tick> state = {Tick(passed), std::max(end - now, -figures.horizon), Tick(hasGoneBack), Tick(nextPort)};
  // Who waits is known by its place in the queue.
  auto place = [&](Instance instance) {
    return Tick(std::lower_bound(queue.begin(), queue.end(), instance,
                                 [](const Entry &entry, Instance other) { return entry.instance < other; }) -
                queue.begin());
  };
  for (const Entry &entry : queue) {
    state.insert(state.end(),
                 {2 * Tick(entry.number) + entry.port, std::max<Tick>(entry.ready - now, 0), Tick(entry.waits.size())});
    for (const Wait &wait : entry.waits)
      state.insert(state.end(), {place(wait.producer), wait.distance});
  }
  state.push_back(-1);
  for (const auto &runs : latest)
    for (const Run &run : runs)
      state.push_back(run.start == kWaits ? kWaits - place(run.instance) : std::max(run.start - now, -figures.horizon));
  for (const Node &node : nodes)
    state.push_back(Tick(node.owed));
  for (Tick free : {memory, masks, ports[0].issue, ports[0].special, ports[1].issue, ports[1].special})
    state.push_back(std::max<Tick>(free - now, 0));
  return state;
}

void ScopeMachine::shift(Tick by) {
  auto move = [&](Tick &time) { time += time == kNever || time == kWaits ? 0 : by; };
  // An end too far back to matter stays where it is.
  if (end > now - figures.horizon)
    end += by;
  now += by;
  for (Entry &entry : queue)
    move(entry.ready);
  for (auto &runs : latest)
    for (Run &run : runs)
      move(run.start);
  for (Tick *free : {&memory, &masks, &ports[0].issue, &ports[0].special, &ports[1].issue, &ports[1].special})
    move(*free);
}

/// A loop begins: nothing in it has happened yet.
void ScopeMachine::forget(uint32_t region) {
  const Node &node = nodes[region];
  for (size_t i = 0; i < node.region->instructions.size(); ++i)
    latest[node.first + i] = {};
  for (uint32_t child : node.children)
    forget(child);
}

void ScopeMachine::goBack(Tick turnStart) {
  newCycle();
  waitUntil(turnStart + figures.turn);
  if (!hasGoneBack)
    waitUntil(now + figures.firstRepeat);
  hasGoneBack = true;
  advance(now);
}

namespace {
struct HashOfState {
  size_t operator()(const std::vector<Tick> &state) const {
    size_t hash = state.size();
    for (Tick value : state)
      hash = (hash ^ size_t(value)) * 0x9E3779B97F4A7C15ull + (hash >> 29);
    return hash;
  }
};
} // namespace

void ScopeMachine::loop(uint32_t region, uint64_t trips, unsigned depth) {
  struct Seen {
    uint64_t turn;
    Tick now;
  };
  std::unordered_map<std::vector<Tick>, Seen, HashOfState> seen;
  forget(region);
  bool watches = skips && trips > kFewTurns;
  const uint64_t most = mostTurns(depth);
  Tick halfWay = 0;
  for (uint64_t turn = 0; turn < trips; ++turn) {
    const Tick turnStart = now;
    body(region, depth + 1);
    if (turn + 1 == trips)
      break;
    goBack(turnStart);
    if (!watches)
      continue;
    if (auto [it, isNew] = seen.try_emplace(state(), Seen{turn, now}); !isNew) {
      const uint64_t period = turn - it->second.turn, skipped = (trips - 2 - turn) / period;
      shift(Tick(skipped) * (now - it->second.now));
      turn += skipped * period;
      watches = false;
    } else if (turn == most / 2) {
      halfWay = now;
    } else if (turn == most) {
      const double each = double(now - halfWay) / double(most - most / 2);
      const uint64_t skipped = trips - 2 - turn;
      shift(Tick(each * double(skipped)));
      turn += skipped;
      watches = false;
    }
  }
  newCycle();
  waitUntil(now + figures.leave);
}

void ScopeMachine::body(uint32_t number, unsigned depth) {
  const Node &node = nodes[number];
  uint32_t position = 0;
  auto issueUpTo = [&](uint32_t limit) {
    for (; position < limit; ++position)
      issue(number, position);
  };
  for (uint32_t childNumber : node.children) {
    Node &child = nodes[childNumber];
    issueUpTo(std::min<uint32_t>(child.region->before, uint32_t(node.region->instructions.size())));
    // Turns are known in sum: each entry of the parent gets as many, up to one.
    uint64_t trips = child.turns / node.turns;
    child.owed += child.turns % node.turns;
    if (child.owed >= node.turns) {
      child.owed -= node.turns;
      ++trips;
    }
    if (trips == 0)
      continue;
    if (child.region->isLoop)
      loop(childNumber, trips, depth);
    else
      body(childNumber, depth);
  }
  issueUpTo(uint32_t(node.region->instructions.size()));
}

Tick ScopeMachine::run() {
  if (nodes.empty())
    return 0;
  nodes[0].turns = 1;
  body(0, 0);
  advance(kWaits);
  return end;
}

} // namespace ptoscope::timing
