//===- MissingOrder.cpp - the lines that repair a race --------------------===//
//
// Proposes the missing order as text and as edits. Ids are free: neither used so
// far nor named in the program. Set and wait stand apart only where both execute
// equally often (same block of the text, same turn of every loop, the first one
// above the second); else the pair goes before the second place, which is
// balanced wherever that is. Where no lines are certain to be right, there is
// advice and no edit.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Checkers/Reporter.h"
#include "ptoscope/Machine/FlagSlips.h"
#include "ptoscope/Machine/OrderSentences.h"

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
  auto addBefore = [&](std::vector<std::string> lines) {
    for (std::string &line : lines)
      finding.edits.push_back({before, false, std::move(line)});
  };
  if (first.slot == second.slot) {
    std::string line = words.barrierLine(src);
    finding.help = say::kAdd(line, before);
    return addBefore({line});
  }
  if (std::optional<FlagSlip> slip = slipOfOrder(sites, src, dst))
    return describeSlip(finding, *slip, firstSite, secondSite);
  int64_t id = order.freeEventId(core, src, dst, sites.events(src, dst));
  if (id < 0) {
    std::string why = say::kIdsInUse(kEventIds, src, dst);
    bool buffers = profile.hasBufferIds && !sites.isCpp() && src != Pipe::S && dst != Pipe::S;
    int buffer = buffers ? freeBufferId(sites.buffers) : -1;
    if (buffer < 0) {
      std::string line = words.barrierLine(Pipe::All);
      finding.help = say::kAddBarrier(line, before, why, after);
      return addBefore({line});
    }
    std::vector<std::string> lines = {bufferLine("get_buf", src, buffer), bufferLine("rls_buf", src, buffer),
                                      bufferLine("get_buf", dst, buffer), bufferLine("rls_buf", dst, buffer)};
    finding.help = say::kAddBuffers(before, lines[0], lines[1], lines[2], lines[3], why, buffer);
    return addBefore(std::move(lines));
  }
  std::string set = words.flagLine("set_flag", src, dst, id), wait = words.flagLine("wait_flag", src, dst, id);
  auto known = [&](SiteId site) { return site < sites.size() ? sites[site] : Site(); };
  Site from = known(firstSite), to = known(secondSite);
  bool apart = from.next.line > after.line && from.next.line < before.line && firstSite != secondSite &&
               from.block == to.block && from.loop == to.loop && after.file == before.file &&
               from.next.file == after.file &&
               log.iterations(first.slot, first.ordinal) == log.iterations(second.slot, second.ordinal);
  if (apart) {
    finding.help = say::kAddApart(set, from.next, wait, before, id);
    finding.edits.push_back({from.next, false, std::move(set)});
    finding.edits.push_back({before, false, std::move(wait)});
    return;
  }
  finding.help = say::kAddTogether(before, set, wait, id);
  addBefore({set, wait});
}

/// The order that the text meant to give. Where only the wait is missing, and
/// where it goes is certain, it is offered.
void Reporter::describeSlip(Finding &finding, const FlagSlip &slip, SiteId firstSite, SiteId secondSite) const {
  SiteId at = slip.wait == kNoSite ? slip.set : slip.wait;
  finding.notes.insert(finding.notes.begin(), {sites.placeOf(at), say::kLikelyCause(slipText(sites, slip))});
  if (slip.wait != kNoSite) {
    finding.help = slipHelp(sites, slip);
    return;
  }
  // Named as the set has it: a number would take the id from the name.
  std::string line = words.flagLine("wait_flag", slip.setSrc, slip.setDst, slip.setId, slip.set);
  Place before = sites.placeOf(secondSite), after = sites.placeOf(firstSite), set = sites.placeOf(slip.set);
  finding.help = say::kAdd(line, before);
  bool between = slip.set < sites.size() && secondSite < sites.size() &&
                 sites[slip.set].block == sites[secondSite].block && sites[slip.set].loop == sites[secondSite].loop &&
                 set.file == before.file && after.line < set.line && set.line < before.line;
  if (between)
    finding.edits.push_back({before, false, std::move(line)});
}

/// Two transfers that share a part of their bytes, so that neither lies in the
/// other: mostly two buffers that overlap, or turns of a loop that do. The line that
/// orders them would hide it.
void Reporter::describeOverlap(Finding &finding, const RaceParty &first, const RaceParty &second,
                               const ReportBytes &bytes) const {
  std::optional<ByteHull> a = log.hull(first.slot, first.ordinal, first.writes);
  std::optional<ByteHull> b = log.hull(second.slot, second.ordinal, second.writes);
  // To read a part of what was written to GM is common.
  if (bytes.space == Space::Gm && !(first.writes && second.writes))
    return;
  if (bytes.status || coreOf(first.slot).index != coreOf(second.slot).index || outsideScope(first.site) != first.site ||
      outsideScope(second.site) != second.site || !a || !b || !a->overlapsPartOf(*b))
    return;
  auto text = [&](const ByteHull &hull) {
    return bytesText(ReportBytes{bytes.space, bytes.object, hull.begin, hull.end});
  };
  bool turns = first.site == second.site;
  std::string cause = (turns ? say::kTurnsOverlap : say::kBuffersShare)(text(*a), text(*b));
  finding.notes.insert(finding.notes.begin(), {sites.placeOf(second.site), say::kLikelyCause(cause)});
  finding.help = (turns ? say::kWidenTurns : say::kMoveBuffer)(finding.help);
  finding.edits.clear();
}

/// The semaphore that orders two cores of a cluster, and the lines that use it.
void Reporter::describeCoreOrder(Finding &finding, const RaceParty &first, const RaceParty &second) const {
  CoreId from = coreOf(first.slot), to = coreOf(second.slot);
  SiteId firstSite = outsideScope(first.site), secondSite = outsideScope(second.site);
  Place after = sites.placeOf(firstSite), before = sites.placeOf(secondSite);
  if (from.index != 0 && to.index != 0) {
    bool gm = finding.bytes && finding.bytes->space == "gm";
    finding.help = say::kThroughCube(from, after, to, before, gm ? "GM" : "the memory");
    return;
  }
  int64_t id = order.freeSemaphore(from, to);
  if (id < 0) {
    finding.help = say::kReuseSemaphore(to, from, after, before);
    return;
  }
  if (!order.pipeSemaphores()) {
    std::string on = to.index == 0 ? say::kBothVectorCores(from) : std::string(nameOf(from));
    finding.help = say::kSignalDev(id, on, after, to, before);
    return;
  }
  // The cube core names what belongs to AIV1 with an offset of 16.
  int64_t setId = id + (to.index == 2 ? 16 : 0), waitId = id + (from.index == 2 ? 16 : 0);
  Pipe firstPipe = pipeOf(first.slot), secondPipe = pipeOf(second.slot);
  Pipe setPipe = settingPipe(from), waitPipe = waitingPipe(secondPipe, to);
  std::string set = semaphoreLine("set", setPipe, setId), wait = semaphoreLine("wait", waitPipe, waitId);
  finding.help =
      say::kAddSemaphore(set, from, after, firstPipe == setPipe ? "" : say::kBehindFlag(firstPipe, setPipe), wait, to,
                         before, secondPipe == waitPipe ? "" : say::kFollowedByFlag(waitPipe, secondPipe), waitId);
  // In loops the lines may not run equally often, so nothing is offered there. An
  // instruction may span lines: what goes after it is inserted before the next one.
  auto inLoop = [&](SiteId site) { return site < sites.size() && sites[site].loop != kNoSite; };
  Place behind = firstSite < sites.size() ? sites[firstSite].next : Place{};
  if (inLoop(firstSite) || inLoop(secondSite) || before.file.empty() || behind.file != after.file ||
      behind.line <= after.line)
    return;
  std::vector<std::string> setting, waiting;
  auto addFlag = [&](std::vector<std::string> &lines, CoreId core, Pipe src, Pipe dst) {
    int64_t event = src == dst ? 0 : order.freeEventId(core, src, dst, sites.events(src, dst));
    if (event >= 0 && src != dst) {
      lines.push_back(words.flagLine("set_flag", src, dst, event));
      lines.push_back(words.flagLine("wait_flag", src, dst, event));
    }
    return event >= 0;
  };
  if (!addFlag(setting, from, firstPipe, setPipe))
    return;
  // Both vector cores run the same lines: the cube core signals both of them.
  if (from.index == 0) {
    setting.push_back(semaphoreLine("set", setPipe, id));
    setting.push_back(semaphoreLine("set", setPipe, id + 16));
  } else {
    setting.push_back(set);
  }
  waiting.push_back(wait);
  if (!addFlag(waiting, to, waitPipe, secondPipe))
    return;
  for (std::string &line : setting)
    finding.edits.push_back({behind, false, std::move(line)});
  for (std::string &line : waiting)
    finding.edits.push_back({before, false, std::move(line)});
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
  finding.help = say::kAdd(line, before);
  finding.edits.push_back({before, false, std::move(line)});
}

} // namespace ptoscope
