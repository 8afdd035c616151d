//===- Signals.cpp - signals between devices, as they are issued ----------===//
//
// COMM-20 to COMM-26. A notify changes its word at once: pipes that still move data
// are not waited for, so under lazy and random schedules the signal may overtake them,
// as it may on a device.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include "ptoscope/Machine/CommSentences.h"

#include <cstring>

namespace ptoscope {

/// Idle turns before a poll counts as endless: many, because a program may give up by
/// itself after so many tries.
static constexpr uint64_t kPatience = uint64_t(1) << 20;

bool holds(SignalCompare compare, int32_t word, int32_t value) {
  switch (compare) {
  case SignalCompare::EQ:
    return word == value;
  case SignalCompare::NE:
    return word != value;
  case SignalCompare::GT:
    return word > value;
  case SignalCompare::GE:
    return word >= value;
  case SignalCompare::LT:
    return word < value;
  case SignalCompare::LE:
    break;
  }
  return word <= value;
}

static const char *symbolOf(SignalCompare compare) {
  constexpr const char *kSymbols[] = {"==", "!=", ">", ">=", "<", "<="};
  return kSymbols[size_t(compare)];
}

/// The word at an address that is known to exist.
static int32_t wordAt(const Memories &memories, uint64_t address) {
  int32_t word = 0;
  if (const GmObject *object = memories.find(address))
    std::memcpy(&word, object->host + (address - object->base), kSignalBytes);
  return word;
}

static bool scan(const Memories &memories, const SignalWords &words, int32_t value, SignalCompare compare) {
  return words.all([&](uint64_t address) { return holds(compare, wordAt(memories, address), value); });
}

static void tellWait(Observer *observer, const Instr &instr, const SignalWords &words, int32_t value,
                     SignalCompare compare) {
  if (!observer)
    return;
  std::vector<uint64_t> addresses;
  words.all([&](uint64_t address) {
    addresses.push_back(address);
    return true;
  });
  observer->signalWait(instr, {addresses, value, compare});
}

bool WaitSignals::ready() const { return scan(*memories, words, value, compare); }

void WaitSignals::effect(const Instr &instr) { tellWait(observer, instr, words, value, compare); }

std::string WaitSignals::text() const {
  uint64_t first = words.base;
  words.all([&](uint64_t address) {
    first = address;
    return holds(compare, wordAt(*memories, address), value);
  });
  const GmObject *object = memories->find(first);
  std::string word = object ? say::kSignalWord(first - object->base, object->name) : say::kSignalElsewhere(first);
  return say::kForWord(word, symbolOf(compare), value, wordAt(*memories, first));
}

std::string blockText(const BlockSetup &setup) {
  if (setup.options->devices == 1)
    return say::kBlock(setup.block);
  return setup.options->blocks == 1 ? say::kRank(setup.device())
                                    : say::kBlockOfRank(setup.blockOfDevice(), setup.device());
}

int32_t Core::notifySignal(SiteId site, uint64_t address, int32_t value, bool add) {
  if (step(site))
    return 1;
  const Instr &instr = pipes.passScalar(site);
  ScalarTarget target;
  if (!scalar.resolve(site, uint32_t(Space::Gm), address, kSignalBytes, /*isStore=*/true, target) ||
      target.present != kSignalBytes)
    return report.stopped;
  int32_t before;
  std::memcpy(&before, target.host, kSignalBytes);
  const int32_t word = add ? int32_t(uint32_t(before) + uint32_t(value)) : value;
  if (pipes.observer)
    pipes.observer->signalSet(instr, {address, add, /*isSignal=*/true, before, word});
  uint8_t raw[kSignalBytes];
  std::memcpy(raw, &word, kSignalBytes);
  scalar.store(target, raw);
  // A schedule that holds transfers back shows what comes of a signal that overtakes them.
  if (pipes.queued)
    pipes.stepAside();
  return report.stopped ? 1 : barrier(site, uint32_t(Pipe::All));
}

/// All words have to exist; false when one does not, which was reported.
static bool resolveAll(ScalarUnit &scalar, SiteId site, const SignalWords &words) {
  return words.all([&](uint64_t address) {
    ScalarTarget target;
    return scalar.resolve(site, uint32_t(Space::Gm), address, kSignalBytes, /*isStore=*/false, target) &&
           target.present == kSignalBytes;
  });
}

int32_t Core::waitSignals(SiteId site, const SignalWords &words, int32_t value, SignalCompare compare) {
  if (step(site))
    return 1;
  if (!resolveAll(scalar, site, words))
    return report.stopped;
  WaitSignals op(memories, pipes.observer, words, value, compare);
  return issue(op, Pipe::S, site);
}

int32_t Core::testSignals(SiteId site, const SignalWords &words, int32_t value, SignalCompare compare, bool &result) {
  result = false;
  if (step(site))
    return 1;
  if (!resolveAll(scalar, site, words))
    return report.stopped;
  const Instr &instr = pipes.passScalar(site);
  result = scan(memories, words, value, compare);
  if (!result)
    return yieldTurn(site, kPatience);
  tellWait(pipes.observer, instr, words, value, compare);
  return afterAccess();
}

int32_t Core::yieldTurn(SiteId site, uint64_t patience) {
  if (step(site))
    return 1;
  if (!setup.group)
    return 0;
  uint64_t done = effects() + setup.group->activityOfOthers(*this);
  if (idle.seen != done)
    idle = {done, 0};
  // What a schedule holds back may be what the program polls for.
  if (++idle.turns % 64 == 0 && pipes.queued)
    pipes.runAll();
  if (idle.turns > patience) {
    Finding f = report.finding(site, say::kPollsForEver());
    f.notes = blockNotes();
    return report.fatal(std::move(f));
  }
  pipes.passTurn(true);
  return report.stopped;
}

int32_t Core::startEngine(SiteId site, EngineTransfer &transfer, bool &started) {
  started = false;
  if (step(site))
    return 1;
  const Instr &instr = pipes.passScalar(site);
  const DirectHull hulls[] = {{Space::Gm, 0, true, 1, transfer.dst.lowest(), transfer.dst.end()},
                              {Space::Gm, 1, false, 1, transfer.src.lowest(), transfer.src.end()}};
  for (const DirectHull &hull : hulls)
    if (!memories.admits(hull, site, report))
      return report.stopped;
  transfer.dstObject = memories.find(transfer.dst.lowest());
  transfer.srcObject = memories.find(transfer.src.lowest());
  started = true;
  if (pipes.observer)
    pipes.observer->engineStart(instr, transfer);
  return report.stopped;
}

int32_t Core::finishEngine(SiteId site, uint64_t session, uint64_t number) {
  if (step(site))
    return 1;
  const Instr &instr = pipes.passScalar(site);
  if (pipes.observer)
    pipes.observer->engineDone(instr, session, number);
  ++scalar.changes;
  return afterAccess();
}

int32_t notifySignal(PtoContext *core, SiteId site, uint64_t address, int32_t value, bool add) {
  return coreOf(core).notifySignal(site, address, value, add);
}
int32_t waitSignals(PtoContext *core, SiteId site, const SignalWords &words, int32_t value, SignalCompare compare) {
  return coreOf(core).waitSignals(site, words, value, compare);
}
int32_t testSignals(PtoContext *core, SiteId site, const SignalWords &words, int32_t value, SignalCompare compare,
                    bool &result) {
  return coreOf(core).testSignals(site, words, value, compare, result);
}
int32_t noteWordRead(PtoContext *context, SiteId site, uint64_t address, uint64_t bytes) {
  Core &core = coreOf(context);
  if (core.report.stopped || !core.setup.options->signals || !core.pipes.observer)
    return core.report.stopped;
  core.pipes.observer->signalLook(core.pipes.passScalar(site), address, address + bytes);
  return core.report.stopped;
}
/// The program has changed what others may look at; `tell(observer, instruction)` says how.
template <typename Fn> static int32_t noteChange(PtoContext *context, SiteId site, Fn tell) {
  Core &core = coreOf(context);
  if (core.report.stopped)
    return 1;
  ++core.scalar.changes;
  if (core.setup.options->signals && core.pipes.observer)
    tell(*core.pipes.observer, core.pipes.passScalar(site));
  return core.report.stopped;
}
int32_t noteWordSet(PtoContext *context, SiteId site, const SignalSet &set) {
  return noteChange(context, site, [&](Observer &observer, const Instr &instr) { observer.signalSet(instr, set); });
}
int32_t noteFlush(PtoContext *context, SiteId site, uint64_t address, uint64_t bytes) {
  return noteChange(context, site, [&](Observer &observer, const Instr &instr) {
    observer.signalFlush(instr, address, address + bytes);
  });
}
int32_t startEngine(PtoContext *core, SiteId site, EngineTransfer &transfer, bool &started) {
  return coreOf(core).startEngine(site, transfer, started);
}
int32_t finishEngine(PtoContext *core, SiteId site, uint64_t session, uint64_t number) {
  return coreOf(core).finishEngine(site, session, number);
}
ScheduleKind scheduleOf(const PtoContext *core) { return coreOf(core).setup.options->schedule.kind; }
int32_t yieldTurn(PtoContext *core, SiteId site) { return coreOf(core).yieldTurn(site, kPatience << 4); }
bool isFlagUp(const PtoContext *core, Pipe src, Pipe dst, int64_t id) {
  const SyncState &sync = coreOf(core).sync;
  if (!sync.exists(uint32_t(src), uint32_t(dst), id))
    return false;
  const Flag &flag = sync.flag({src, dst, id});
  return flag.setsIssued > flag.waitsIssued;
}
bool runsWithOthers(const PtoContext *core) { return coreOf(core).setup.group != nullptr; }
int64_t deviceOf(const PtoContext *core) { return coreOf(core).setup.device(); }
int64_t devicesOf(const PtoContext *core) { return coreOf(core).setup.options->devices; }

} // namespace ptoscope
