//===- MissingOrder.cpp - the lines that repair a race --------------------===//
//
// Names lines that may add the missing order. Ids are free: neither used so far
// nor named in the program. Set and wait apart come first, if both stand in one
// block of the text; then the pair before the second place, which is balanced
// wherever that is. Whether a report offers them, a trial decides (Remedies.h).
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/FlagSlips.h"
#include "ptoscope/Machine/OrderSentences.h"
#include "ptoscope/Machine/QueueSentences.h"
#include "ptoscope/Machine/Remedies.h"

#include <bit>

namespace ptoscope {

namespace {

/// The pipes that may set and wait (SEM-5); others need a flag to
/// or from the one named here.
Pipe settingPipe(CoreId core) { return core.index == 0 ? Pipe::FIX : Pipe::MTE3; }
Pipe waitingPipe(Pipe pipe, CoreId core) {
  if (pipe == Pipe::S || pipe == Pipe::M)
    return core.index == 0 ? Pipe::MTE1 : Pipe::V;
  return pipe;
}

/// Ids that the program names. A program of C++ may use others later, low ones mostly, and names none before.
NamedIds namedFlags(const SiteTable &sites, Pipe src, Pipe dst) {
  NamedIds named = sites.events(src, dst);
  named.computed |= sites.isCpp();
  return named;
}

/// The lowest buffer id that the text does not name; -1 when there is none, or
/// when ids are computed.
int freeBufferId(const NamedIds &named) {
  for (int id = 0; id < int(kBufferIds) && !named.computed; ++id)
    if (!(named.all() >> id & 1))
      return id;
  return -1;
}

} // namespace

void Reporter::describeOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const {
  SiteId firstSite = outsideScope(first.site), secondSite = outsideScope(second.site);
  Place before = sites.placeOf(secondSite), after = sites.placeOf(firstSite);
  CoreId core = coreOf(first.slot);
  Pipe src = pipeOf(first.slot), dst = pipeOf(second.slot);
  if (core.index != coreOf(second.slot).index)
    return describeCoreOrder(finding, first, second);
  auto offerBefore = [&](std::string help, const std::vector<std::string> &lines) {
    Remedy remedy{std::move(help), {}};
    for (const std::string &line : lines)
      remedy.edits.push_back({before, false, line});
    finding.remedies.push_back(std::move(remedy));
  };
  if (first.slot == second.slot) {
    std::string line = words.barrierLine(src);
    finding.help = say::kBarrierBetween(src);
    return offerBefore(say::kAdd(line, before), {line});
  }
  finding.help = say::kWaitBetween(dst, src);
  finding.order = {uint8_t(src), uint8_t(dst), after, before};
  if (std::optional<FlagSlip> slip = slipOfOrder(sites, src, dst))
    return describeSlip(finding, *slip, secondSite);
  if (NamedIds named = sites.events(src, dst);
      named.computedSetAt != kNoSite && named.computedWaitAt == kNoSite && !named.lost()) {
    // The text names the id by a value: the wait takes the same one.
    const Place set = sites.placeOf(named.computedSetAt);
    nameCause(finding, set, say::kComputedUnwaited(say::kFromTo(src, dst)));
    finding.help = say::kWaitForFlag(before);
    finding.missing.push_back({set, MissingLine::Where::Before, before});
    return;
  }
  int64_t id = order.freeEventId(core, src, dst, namedFlags(sites, src, dst));
  if (id < 0) {
    std::string why = say::kIdsInUse(kEventIds, src, dst), barrier = words.barrierLine(Pipe::All);
    bool buffers = profile.hasBufferIds && !sites.isCpp() && src != Pipe::S && dst != Pipe::S;
    if (int buffer = buffers ? freeBufferId(sites.buffers) : -1; buffer >= 0) {
      std::vector<std::string> lines = {bufferLine("get_buf", src, buffer), bufferLine("rls_buf", src, buffer),
                                        bufferLine("get_buf", dst, buffer), bufferLine("rls_buf", dst, buffer)};
      offerBefore(say::kAddBuffers(before, lines[0], lines[1], lines[2], lines[3], why, buffer), lines);
    }
    return offerBefore(say::kAddBarrier(barrier, before, why, after), {barrier});
  }
  std::string set = words.flagLine("set_flag", src, dst, id), wait = words.flagLine("wait_flag", src, dst, id);
  auto known = [&](SiteId site) { return site < sites.size() ? sites[site] : Site(); };
  Site from = known(firstSite), to = known(secondSite);
  if (from.block == to.block && from.loop == to.loop && from.next.file == before.file && after.line < from.next.line &&
      from.next.line < before.line)
    finding.remedies.push_back(
        {say::kAddApart(set, from.next, wait, before, id), {{from.next, false, set}, {before, false, wait}}});
  offerBefore(say::kAddTogether(before, set, wait, id), {set, wait});
  // A flag for which another branch waits; this one may lack the wait.
  const NamedIds named = sites.events(src, dst);
  for (size_t used = 0; used < size_t(kEventIds) && !sites.isCpp(); ++used)
    if ((named.set & named.waited) >> used & 1 && !areInOneBlock(named.setAt[used], secondSite))
      finding.missing.push_back({sites.placeOf(named.setAt[used]), MissingLine::Where::Before, before});
}

/// The order that the text meant to give; if only the wait is missing, that.
void Reporter::describeSlip(Finding &finding, const FlagSlip &slip, SiteId secondSite) const {
  SiteId at = slip.wait == kNoSite ? slip.set : slip.wait;
  nameCause(finding, sites.placeOf(at), slipText(sites, slip));
  if (slip.wait != kNoSite) {
    finding.help = slipHelp(sites, slip);
    return;
  }
  // Named as the set has it: a number would take the id from the name.
  std::string line = words.flagLine("wait_flag", slip.setSrc, slip.setDst, slip.setId, slip.set);
  Place before = sites.placeOf(secondSite);
  finding.help = say::kWaitForFlag(before);
  if (areInOneBlock(slip.set, secondSite))
    finding.remedies.push_back({say::kAdd(line, before), {{before, false, line}}});
  else // it may have to stand outside of a branch
    finding.missing.push_back({sites.placeOf(slip.set), MissingLine::Where::Before, before});
}

bool Reporter::areInOneBlock(SiteId a, SiteId b) const {
  return a < sites.size() && b < sites.size() && sites[a].block == sites[b].block && sites[a].loop == sites[b].loop;
}

/// Two transfers, or a transfer and a scope that has ended, that share a part of their
/// bytes, so that neither lies in the other: mostly two buffers that overlap, or turns
/// of a loop that do. The line that orders them would hide it.
void Reporter::describeOverlap(Finding &finding, const RaceParty &first, const RaceParty &second,
                               const ReportBytes &bytes) const {
  auto inScope = [&](const RaceParty &party) { return outsideScope(party.site) != party.site; };
  auto hullOf = [&](const RaceParty &party) -> std::optional<ByteHull> {
    if (!inScope(party))
      return log.hull(party.slot, party.ordinal, party.writes);
    // Where the buffer of a scope that still runs ends is not known yet.
    return party.inScope ? std::nullopt : scopeLogs[coreOf(party.slot).index].hullOf(party.ordinal, party.site);
  };
  std::optional<ByteHull> a = hullOf(first), b = hullOf(second);
  // To read a part of what was written to GM is common.
  if (bytes.space == Space::Gm && !(first.writes && second.writes))
    return;
  if (bytes.status || coreOf(first.slot).index != coreOf(second.slot).index || (inScope(first) && inScope(second)) ||
      !a || !b || !a->overlapsPartOf(*b))
    return;
  auto text = [&](const ByteHull &hull) {
    return bytesText(ReportBytes{bytes.space, bytes.object, hull.begin, hull.end});
  };
  bool turns = first.site == second.site;
  std::string cause = (turns ? say::kTurnsOverlap : say::kBuffersShare)(text(*a), text(*b));
  nameCause(finding, sites.placeOf(second.site), cause);
  finding.help = (turns ? say::kWidenTurns : say::kMoveBuffer)(finding.help);
  finding.remedies.clear();
  finding.missing.clear();
}

/// How the cube core names what belongs to a vector core of a5.
static int64_t offsetOf(CoreId vector) { return vector.index == 2 ? 16 : 0; }

/// The calls of C++ that order two cores of a cluster. A signal speaks for the pipe that
/// did the work, a wait for the one that needs it.
void Reporter::describeSignals(Finding &finding, const RaceParty &first, const RaceParty &second) const {
  const CoreId from = coreOf(first.slot), to = coreOf(second.slot), cube{0};
  const Place after = sites.placeOf(first.site), before = sites.placeOf(second.site);
  const Pipe firstPipe = pipeOf(first.slot), secondPipe = pipeOf(second.slot);
  const bool a5 = order.pipeSemaphores(), vectors = from.index != 0 && to.index != 0;
  const int64_t id = order.freeSemaphore(from, vectors && a5 ? cube : to);
  const int64_t passed = vectors && a5 ? order.freeSemaphore(cube, to) : id;
  if (id < 0 || passed < 0) {
    finding.help = say::kReuseSignalCpp(to, from, after, before);
    return;
  }
  const char *memory = finding.bytes && finding.bytes->space == "gm" ? "GM" : "the memory";
  const std::string waitDev = "wait_flag_dev(" + std::to_string(id) + ");";
  if (vectors && !a5) {
    finding.help = say::kSignalVectorsCpp(signalLine(firstPipe, 1, id), after, waitDev, before, memory);
  } else if (vectors) {
    finding.help = say::kThroughCubeCpp(intraBlockLine("set", firstPipe, id), from, after,
                                        intraBlockLine("wait", Pipe::S, id + offsetOf(from)),
                                        intraBlockLine("set", Pipe::S, passed + offsetOf(to)),
                                        intraBlockLine("wait", secondPipe, passed), to, before, memory);
  } else {
    std::string set = a5 ? intraBlockLine("set", firstPipe, id + offsetOf(to)) : signalLine(firstPipe, 2, id);
    if (a5 && from.index == 0) // both vector cores run the same lines
      set = intraBlockLine("set", firstPipe, id) + " " + intraBlockLine("set", firstPipe, id + 16);
    const std::string wait = a5 ? intraBlockLine("wait", secondPipe, id + offsetOf(from)) : waitDev;
    const std::string on = to.index == 0 && !a5 ? say::kBothVectorCores(from) : std::string(nameOf(from));
    finding.help = say::kSignalAcrossCpp(set, on, after, wait, to, before);
  }
}

bool Reporter::describeLostSemaphore(Finding &finding, CoreId from, CoreId to, Pipe pipe, SiteId before) const {
  const NamedIds &named = to.index == 0 ? sites.semaphores.ofCube : sites.semaphores.ofVectors;
  const int64_t offset = order.pipeSemaphores() ? offsetOf(to.index == 0 ? from : to) : 0;
  const uint32_t lost = named.computed ? 0 : named.lost() >> offset & 0xffff;
  if (sites.isCpp() || !lost)
    return false;
  const int64_t id = std::countr_zero(lost), waitId = to.index == 0 ? id + offset : id;
  const Place set = sites.placeOf(named.setAt[size_t(id + offset)]), at = sites.placeOf(before);
  nameCause(finding, set, say::kSemaphoreUnwaited(waitId, to));
  finding.help = say::kWaitForSemaphore(at);
  // Turns that signal need turns that wait.
  const bool turns = named.turnSetAt[size_t(id + offset)] != kNoSite;
  if (before >= sites.size() || turns != (sites[before].loop != kNoSite))
    return true;
  if (!order.pipeSemaphores()) {
    finding.missing.push_back({set, MissingLine::Where::Before, at});
    return true;
  }
  const Pipe waitPipe = waitingPipe(pipe, to);
  Remedy remedy{say::kAdd(semaphoreLine("wait", waitPipe, waitId), at),
                {{at, false, semaphoreLine("wait", waitPipe, waitId)}}};
  if (waitPipe != pipe) {
    const int64_t event = order.freeEventId(to, waitPipe, pipe, namedFlags(sites, waitPipe, pipe));
    if (event < 0)
      return true;
    const std::string follows = say::kFollowedByFlag(waitPipe, pipe);
    remedy.help += follows;
    for (const char *line : {"set_flag", "wait_flag"})
      remedy.edits.push_back({at, false, words.flagLine(line, waitPipe, pipe, event)});
  }
  finding.remedies.push_back(std::move(remedy));
  return true;
}

/// A core that waits for semaphores may do so on another pipe, from which the order does not reach this one.
void Reporter::proposeFlags(Finding &finding, CoreId core, Pipe pipe, SiteId before) const {
  const NamedIds &named = core.index == 0 ? sites.semaphores.ofCube : sites.semaphores.ofVectors;
  if (!named.waited && named.computedWaitAt == kNoSite)
    return;
  const Place at = sites.placeOf(before);
  constexpr Pipe kCube[] = {Pipe::M, Pipe::MTE1, Pipe::FIX}, kVector[] = {Pipe::V, Pipe::MTE2};
  for (Pipe src : core.index == 0 ? std::span<const Pipe>(kCube) : kVector) {
    const int64_t id = src == pipe ? -1 : order.freeEventId(core, src, pipe, namedFlags(sites, src, pipe));
    if (id < 0)
      continue;
    const std::string set = words.flagLine("set_flag", src, pipe, id),
                      wait = words.flagLine("wait_flag", src, pipe, id);
    finding.remedies.push_back({say::kAddTogether(at, set, wait, id), {{at, false, set}, {at, false, wait}}});
  }
  // In a loop with two buffers one flag may be set again too early.
  const std::string barrier = words.barrierLine(Pipe::All);
  finding.remedies.push_back({say::kAdd(barrier, at), {{at, false, barrier}}});
}

/// The semaphore that orders two cores of a cluster, and the lines that use it.
void Reporter::describeCoreOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const {
  CoreId from = coreOf(first.slot), to = coreOf(second.slot);
  SiteId firstSite = outsideScope(first.site), secondSite = outsideScope(second.site);
  Place after = sites.placeOf(firstSite), before = sites.placeOf(secondSite);
  const bool vectors = from.index != 0 && to.index != 0;
  if (firstSite == secondSite) { // no line can stand between an instruction and itself
    finding.help = say::kEveryCore(from, to, after);
    return;
  }
  if (order.usesQueues() && !vectors) {
    finding.help = say::kQueueOrder(to, from, after, before);
    return;
  }
  if (sites.isCpp())
    return describeSignals(finding, first, second);
  if (vectors) {
    bool gm = finding.bytes && finding.bytes->space == "gm";
    finding.help = say::kThroughCube(from, after, to, before, gm ? "GM" : "the memory");
    return;
  }
  if (describeLostSemaphore(finding, from, to, pipeOf(second.slot), secondSite))
    return;
  int64_t id = order.freeSemaphore(from, to);
  if (id < 0) {
    finding.help = say::kReuseSemaphore(to, from, after, before);
    return;
  }
  Pipe firstPipe = pipeOf(first.slot), secondPipe = pipeOf(second.slot);
  if (!order.pipeSemaphores()) {
    std::string on = to.index == 0 ? say::kBothVectorCores(from) : std::string(nameOf(from));
    finding.help = say::kSignalDev(id, on, after, to, before);
    return;
  }
  finding.help = say::kSignalAcross(to, from, after, before);
  proposeFlags(finding, to, secondPipe, secondSite);
  proposeFlags(finding, from, firstPipe, firstSite); // it may be the one that came too early
  int64_t setId = id + offsetOf(to), waitId = id + offsetOf(from);
  Pipe setPipe = settingPipe(from), waitPipe = waitingPipe(secondPipe, to);
  std::string set = semaphoreLine("set", setPipe, setId), wait = semaphoreLine("wait", waitPipe, waitId);
  Remedy remedy{say::kAddSemaphore(set, from, after, firstPipe == setPipe ? "" : say::kBehindFlag(firstPipe, setPipe),
                                   wait, to, before,
                                   secondPipe == waitPipe ? "" : say::kFollowedByFlag(waitPipe, secondPipe), waitId),
                {}};
  // An instruction may span lines: what goes after it is inserted before the next one.
  Place behind = firstSite < sites.size() ? sites[firstSite].next : Place{};
  if (behind.file != after.file || behind.line <= after.line)
    return;
  auto add = [&](Place place, std::string line) { remedy.edits.push_back({place, false, std::move(line)}); };
  auto addFlag = [&](Place place, CoreId core, Pipe src, Pipe dst) {
    int64_t event = src == dst ? 0 : order.freeEventId(core, src, dst, namedFlags(sites, src, dst));
    if (event >= 0 && src != dst) {
      add(place, words.flagLine("set_flag", src, dst, event));
      add(place, words.flagLine("wait_flag", src, dst, event));
    }
    return event >= 0;
  };
  bool complete = addFlag(behind, from, firstPipe, setPipe);
  // Both vector cores run the same lines: the cube core signals both of them.
  if (from.index == 0) {
    add(behind, semaphoreLine("set", setPipe, id));
    add(behind, semaphoreLine("set", setPipe, id + 16));
  } else {
    add(behind, set);
  }
  add(before, wait);
  if (addFlag(before, to, waitPipe, secondPipe) && complete)
    finding.remedies.push_back(std::move(remedy));
}

void Reporter::describeFence(Finding &finding, SiteId second, Fence fence) const {
  Place before = sites.placeOf(second);
  if (!hasScopeFences(profile)) {
    // Registers and masks that both parts use do not pass from scope to scope, so
    // no lines are certain to be right.
    finding.help = say::kEndScope(before, profile.name);
    return;
  }
  std::string line = fenceLine(fence);
  finding.help = say::kFenceBetween(nameOf(fence));
  finding.remedies.push_back({say::kAdd(line, before), {{before, false, line}}});
}

} // namespace ptoscope
