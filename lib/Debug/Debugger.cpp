//===- Debugger.cpp - a run that can be stopped and taken back ------------===//

#include "Watcher.h"

#include "ptoscope/Driver/AutoArguments.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <deque>
#include <semaphore>
#include <thread>

namespace ptoscope::debug {

class Debugger::Impl {
public:
  Impl(Debugger &outer, Target &target) : outer(outer), target(target), watcher(target) {
    for (const InitialArgument &argument : target.arguments) {
      buffers.emplace_back();
      if (std::optional<ByteBuffer> copy = ByteBuffer::allocate(argument.array.bytes.size()))
        buffers.back() = std::move(*copy);
    }
    watcher.onEvent = [this](const Event &event) { happened(event); };
  }

  Debugger &outer;
  Target &target;
  Watcher watcher;
  std::vector<ByteBuffer> buffers; ///< arguments as the run changes them
  Stop stop;
  bool isAlive = false; ///< the machine's thread is there and has not come to its end
  bool isBegun = false;
  std::atomic<bool> holdAsked{false};
  std::optional<LaunchResult> result;

  //===--------------------------------------------------------------------===//
  // On the side of the one who debugs
  //===--------------------------------------------------------------------===//

  /// The run as it was at first, up to `wanted`.
  Stop restart(const Goal &wanted, bool entry = false) {
    end();
    for (size_t i = 0; i < buffers.size(); ++i)
      if (buffers[i].size())
        std::memcpy(buffers[i].data(), target.arguments[i].array.bytes.data(), buffers[i].size());
    watcher.reset();
    result.reset();
    written.reset();
    isAlive = isBegun = true;
    goal = wanted;
    atEntry = entry;
    watchWrites();
    machine = std::thread([this] { launch(); });
    return await();
  }

  Stop run(const Goal &wanted) {
    if (!isAlive)
      return stop;
    goal = wanted;
    watchWrites();
    toMachine.release();
    return await();
  }

  /// The last event before `limit` that `wanted` accepts; runs again.
  std::optional<Stop> scan(uint64_t limit, std::function<std::optional<Stop>(const Event &)> wanted) {
    holdAsked = false;
    accepts = std::move(wanted);
    accepted.reset();
    Goal goal;
    goal.kind = Goal::To;
    goal.event = limit;
    const Stop reached = restart(goal);
    accepts = nullptr;
    return reached.reason == Stop::Held ? std::optional(reached) : accepted;
  }

  void end() {
    if (!machine.joinable())
      return;
    watcher.abandoned = true;
    if (isAlive) {
      toMachine.release();
      toFront.acquire(); // the machine's end
      isAlive = false;
    }
    machine.join();
  }

  const uint8_t *hostOf(const Region &region, int64_t block) const {
    if (region.space == Space::Gm)
      return region.parameter < buffers.size() ? buffers[region.parameter].data() + region.begin : nullptr;
    const PtoContext *core = contextOf(block, region.core);
    const std::span<const uint8_t> bytes = core ? memoryOf(core, region.space) : std::span<const uint8_t>();
    return region.begin < bytes.size() ? bytes.data() + region.begin : nullptr;
  }
  /// Also of a core whose program has not begun.
  const PtoContext *contextOf(int64_t block, CoreId id) const {
    if (const SeenCore *core = watcher.find(block, id))
      return core->context;
    for (const SeenCore *core : watcher.cores())
      if (core->block == block)
        return coresOfBlock(core->context)[id.index];
    return nullptr;
  }

  /// Writers of `recorded`, if someone asks.
  std::optional<Region> recorded;
  std::vector<Event> writers;
  size_t mostWriters = 0;

private:
  Stop await() {
    toFront.acquire();
    if (stop.reason == Stop::Ended)
      isAlive = false;
    return stop;
  }

  //===--------------------------------------------------------------------===//
  // On the machine's thread
  //===--------------------------------------------------------------------===//

  void launch() {
    std::vector<Argument> arguments;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (target.kernel->parameters[i].isPointer)
        arguments.push_back(buffers[i].span());
      else
        arguments.push_back(target.arguments[i].bits);
    LaunchOptions options = target.launch;
    options.threads = 1;
    // What a run prints that is repeated was seen before.
    options.print = [this](std::string_view text) {
      if (watcher.abandoned || watcher.count < printedUpTo)
        return;
      printedUpTo = watcher.count;
      if (target.launch.print)
        target.launch.print(text);
      else
        fwrite(text.data(), 1, text.size(), stdout);
    };
    options.onlooker = &watcher;
    options.interrupt = &watcher.abandoned;
    RunResult done = Session::launch(*target.kernel, arguments, options, nullptr, 0, [this](ObserverFactory *next) {
      watcher.before(next);
      return &watcher;
    });
    result = std::move(done.launch);
    Stop over;
    over.reason = Stop::Ended;
    if (const std::vector<Event> last = watcher.recent(1); !last.empty())
      over.event = last.front();
    stop = over;
    toFront.release();
  }

  void happened(const Event &event) {
    if (accepts) {
      if (event.number < goal.event)
        if (std::optional<Stop> found = accepts(event))
          accepted = found;
    }
    // What is passed over, or was done by the event to stop at, is no hit of the next motion.
    if (goal.kind == Goal::To || atEntry)
      written.reset();
    if (goal.kind == Goal::To) {
      if (event.number >= goal.event)
        stand(Stop{Stop::Stepped, event, 0, {}});
      else
        maybeHold(event);
      return;
    }
    if (atEntry) {
      if (event.kind == Event::Step) {
        atEntry = false;
        stand(Stop{Stop::Start, event, 0, {}});
      }
      return;
    }
    if (std::optional<Stop> reason = reasonFor(event)) {
      for (Breakpoint &breakpoint : outer.breakpoints)
        if (breakpoint.number == reason->breakpoint)
          ++breakpoint.hits;
      std::erase_if(outer.breakpoints, [&](const Breakpoint &each) { return each.once && each.hits; });
      stand(*reason);
    } else if (reaches(event)) {
      stand(Stop{Stop::Stepped, event, 0, {}});
    } else {
      maybeHold(event);
    }
  }

  /// Comes last: whoever goes on after it must not have passed over another reason.
  void maybeHold(const Event &event) {
    if (!holdAsked.load(std::memory_order_relaxed))
      return;
    holdAsked = false;
    stand(Stop{Stop::Held, event, 0, {}});
  }

  void stand(const Stop &here) {
    stop = here;
    toFront.release();
    toMachine.acquire();
  }

  bool reaches(const Event &event) const {
    if (event.kind == Event::End && goal.kind != Goal::Go)
      return event.block == goal.block;
    if (event.block != goal.block || event.core.index != goal.core.index)
      return false;
    switch (goal.kind) {
    case Goal::Next:
      return event.kind == Event::Step && !target.steps.steps[event.step].inScope;
    case Goal::Into:
      return event.kind == Event::Step;
    case Goal::Pipe_:
      return event.kind == Event::Start && event.pipe == goal.pipe;
    case Goal::Out: {
      const SeenCore *core = watcher.find(event.block, event.core);
      return event.kind == Event::Effect && core && core->scopeStep >= 0 && event.pipe == Pipe::V;
    }
    default:
      return false;
    }
  }

  static bool isNamed(std::string_view op, std::string_view name) {
    return op == name || (op.starts_with("pto.") && op.substr(4) == name);
  }

  bool fits(const Breakpoint &breakpoint, const Event &event) const {
    if ((breakpoint.block >= 0 && breakpoint.block != event.block) ||
        (breakpoint.core >= 0 && breakpoint.core != event.core.index))
      return false;
    switch (breakpoint.kind) {
    case Breakpoint::Line:
    case Breakpoint::Instruction: {
      if (event.kind != Event::Step)
        return false;
      const Step &step = target.steps.steps[event.step];
      return breakpoint.kind == Breakpoint::Line ? step.line == breakpoint.line && !step.assumed
                                                 : isNamed(step.op, breakpoint.name);
    }
    case Breakpoint::OnPipe:
      return event.kind == Event::Start && event.pipe == breakpoint.pipe;
    case Breakpoint::Flag:
      return (event.kind == Event::Set || event.kind == Event::Wait) && event.src == breakpoint.pipe &&
             event.dst == breakpoint.dst && event.id == breakpoint.id;
    case Breakpoint::OnFinding: {
      if (event.kind != Event::Finding)
        return false;
      const Finding *finding = findingOf(event);
      return finding && (breakpoint.name.empty() || finding->code == breakpoint.name);
    }
    case Breakpoint::Watch:
      return written && written->first == breakpoint.number;
    }
    return false;
  }

public:
  const Finding *findingOf(const Event &event) const {
    found = watcher.findings();
    const size_t at = watcher.placeOfFinding(event.block) + size_t(event.id);
    if (at >= found.size())
      return nullptr;
    markAs(target.foreseen, found[at]);
    return &found[at];
  }

  /// Why a run to a breakpoint stops at an event.
  std::optional<Stop> reasonFor(const Event &event) {
    std::optional<Stop> stop;
    for (const Breakpoint &breakpoint : outer.breakpoints)
      if (!stop && fits(breakpoint, event)) {
        stop = Stop{Stop::Hit, event, breakpoint.number, {}};
        if (breakpoint.kind == Breakpoint::OnFinding)
          stop->reason = Stop::Found;
        if (breakpoint.kind == Breakpoint::Watch) {
          stop->reason = Stop::Written;
          stop->writer = written->second;
        }
      }
    written.reset();
    if (!stop && event.kind == Event::Finding && outer.stopsAtFindings)
      if (const Finding *finding = findingOf(event); finding && finding->severity != Severity::Remark)
        stop = Stop{Stop::Found, event, 0, {}};
    return stop;
  }

  /// Writes are told only where someone asks.
  void watchWrites() {
    std::vector<std::pair<uint32_t, Region>> watched;
    for (const Breakpoint &each : outer.breakpoints)
      if (each.kind == Breakpoint::Watch)
        watched.push_back({each.number, each.region});
    if (watched.empty() && !recorded) {
      watcher.onWrite = nullptr;
      return;
    }
    watcher.onWrite = [this, watched](const uint8_t *begin, uint64_t bytes, const Event &writer) {
      auto meets = [&](const Region &region) {
        const uint8_t *own = hostOf(region, writer.block);
        return own && begin < own + (region.end - region.begin) && own < begin + bytes;
      };
      for (const auto &[number, region] : watched)
        if (!written && meets(region))
          written = {number, writer};
      if (recorded && meets(*recorded) && (writers.empty() || writers.back().number != writer.number)) {
        if (writers.size() == mostWriters)
          writers.erase(writers.begin());
        writers.push_back(writer);
      }
    };
  }

private:
  mutable std::vector<Finding> found;
  Goal goal;
  bool atEntry = false;
  uint64_t printedUpTo = 0;
  std::optional<std::pair<uint32_t, Event>> written; ///< a watch that was hit, and by whom
  std::function<std::optional<Stop>(const Event &)> accepts;
  std::optional<Stop> accepted;
  std::thread machine;
  std::binary_semaphore toMachine{0}, toFront{0};
};

Debugger::Debugger(Target &target) : impl(std::make_unique<Impl>(*this, target)) {}
Debugger::~Debugger() { end(); }
void Debugger::end() { impl->end(); }
void Debugger::hold() { impl->holdAsked = true; }

//===----------------------------------------------------------------------===//
// Breakpoints
//===----------------------------------------------------------------------===//

uint32_t Debugger::lineWithStep(uint32_t line) const {
  uint32_t best = 0;
  for (const Step &step : impl->target.steps.steps)
    if (step.line >= line && !step.assumed && (best == 0 || step.line < best))
      best = step.line;
  return best;
}

uint32_t Debugger::add(Breakpoint breakpoint) {
  static uint32_t next = 0;
  breakpoint.number = ++next;
  breakpoints.push_back(std::move(breakpoint));
  return next;
}

//===----------------------------------------------------------------------===//
// Motion
//===----------------------------------------------------------------------===//

Stop Debugger::start(bool stands) {
  if (stands)
    impl->holdAsked = false;
  return impl->restart({}, /*entry=*/stands);
}
Stop Debugger::run(const Goal &goal) { return impl->isBegun ? impl->run(goal) : start(); }

Stop Debugger::goTo(uint64_t event) {
  impl->holdAsked = false;
  if (event <= 1)
    return start();
  Goal goal;
  goal.kind = Goal::To;
  goal.event = event;
  if (impl->isAlive && event == events())
    return impl->stop;
  return impl->isAlive && event > events() ? impl->run(goal) : impl->restart(goal);
}

Stop Debugger::back(bool unit, uint64_t times) {
  const Event now = impl->stop.event;
  // Of a run that has ended, the last instruction is what comes before.
  const uint64_t limit = impl->isAlive ? now.number : now.number + 1;
  std::optional<Event> before;
  uint64_t found = 0;
  for (uint64_t from = limit; found < times; ++found, from = before->number) {
    const std::optional<Event> step = impl->watcher.stepBefore(from, now.block, now.core, unit);
    if (!step)
      break;
    before = step;
  }
  if (found < times) { // farther back than what is remembered
    std::deque<Event> steps;
    const std::optional<Stop> stop = impl->scan(limit, [&](const Event &event) -> std::optional<Stop> {
      if (event.kind != Event::Step || event.block != now.block || event.core.index != now.core.index ||
          (unit && impl->target.steps.steps[event.step].inScope))
        return std::nullopt;
      steps.push_back(event);
      if (steps.size() > times)
        steps.pop_front();
      return Stop{Stop::Stepped, steps.front(), 0, {}};
    });
    if (stop && stop->reason == Stop::Held)
      return *stop;
    before = steps.size() == times ? std::optional(steps.front()) : std::nullopt;
  }
  if (before)
    return goTo(before->number);
  start();
  impl->stop.reason = Stop::AtStart;
  return impl->stop;
}

Stop Debugger::reverse() {
  const uint64_t limit = impl->isAlive ? impl->stop.event.number : impl->stop.event.number + 1;
  std::optional<Stop> found = impl->scan(limit, [&](const Event &event) { return impl->reasonFor(event); });
  if (found && found->reason == Stop::Held)
    return *found;
  if (!found) {
    start();
    impl->stop.reason = Stop::AtStart;
    return impl->stop;
  }
  const Stop reached = goTo(found->event.number);
  if (reached.reason == Stop::Held)
    return reached;
  return impl->stop = *found;
}

std::vector<Event> Debugger::writers(const Region &region, size_t most) {
  const Stop now = impl->stop;
  const bool wasAlive = impl->isAlive;
  impl->holdAsked = false;
  impl->recorded = region;
  impl->writers.clear();
  impl->mostWriters = most;
  Goal goal;
  goal.kind = Goal::To;
  goal.event = wasAlive ? now.event.number : UINT64_MAX;
  const Stop reached = impl->restart(goal);
  impl->recorded.reset();
  if (reached.reason != Stop::Held)
    impl->stop = now;
  return std::exchange(impl->writers, {});
}

//===----------------------------------------------------------------------===//
// State
//===----------------------------------------------------------------------===//

const Stop &Debugger::where() const { return impl->stop; }
bool Debugger::isRunning() const { return impl->isAlive; }
uint64_t Debugger::events() const { return impl->watcher.count; }
const Target &Debugger::target() const { return impl->target; }
std::vector<Event> Debugger::recent(size_t most) const { return impl->watcher.recent(most); }
std::vector<Finding> Debugger::findings() const {
  if (impl->result)
    return impl->result->findings.all();
  return impl->watcher.findings();
}
const LaunchResult *Debugger::result() const { return impl->result ? &*impl->result : nullptr; }
const Finding *Debugger::findingOf(const Event &event) const { return impl->findingOf(event); }

std::vector<const PtoContext *> Debugger::cores() const {
  std::vector<const PtoContext *> all;
  if (impl->isAlive)
    for (const SeenCore *core : impl->watcher.cores())
      all.push_back(core->context);
  return all;
}

const PtoContext *Debugger::core(int64_t block, CoreId id) const {
  return impl->isAlive ? impl->contextOf(block, id) : nullptr;
}

int Debugger::stepOf(int64_t block, CoreId id, bool inScope) const {
  const SeenCore *core = impl->isAlive ? impl->watcher.find(block, id) : nullptr;
  return core ? (inScope ? core->scopeStep : core->unitStep) : -1;
}

std::vector<SeenValue> Debugger::values(int64_t block, CoreId id) const {
  std::vector<SeenValue> all;
  if (const SeenCore *core = impl->isAlive ? impl->watcher.find(block, id) : nullptr) {
    const Steps &steps = impl->target.steps;
    const int at = core->scopeStep >= 0 ? core->scopeStep : core->unitStep;
    for (uint32_t i = 0; i < core->values.size(); ++i)
      if (const SeenCore::Slot &slot = core->values[i];
          !slot.bytes.empty() &&
          (at < 0 || steps.functionOf(steps.values[i].line) == steps.functionOf(steps.steps[size_t(at)].line)))
        all.push_back({i, slot.bytes, slot.event});
  }
  std::ranges::stable_sort(all, {}, &SeenValue::event);
  return all;
}

std::span<const uint8_t> Debugger::memory(const Region &region, int64_t block) const {
  std::span<const uint8_t> bytes;
  if (region.space == Space::Gm)
    bytes = argument(region.parameter);
  else if (const PtoContext *of = core(block, region.core))
    bytes = memoryOf(of, region.space);
  if (region.begin >= bytes.size())
    return {};
  return bytes.subspan(region.begin, std::min<uint64_t>(region.end, bytes.size()) - region.begin);
}

std::span<const uint8_t> Debugger::argument(size_t parameter) const {
  if (parameter >= impl->buffers.size())
    return {};
  return impl->buffers[parameter].span();
}

Place Debugger::placeOf(const Event &event) const {
  if (event.number == 0) // nothing has happened yet
    return {};
  if (event.kind == Event::Step) {
    const Step &step = impl->target.steps.steps[event.step];
    return {impl->target.program->path, step.line, step.column};
  }
  if (event.kind == Event::Finding)
    if (const Finding *finding = impl->findingOf(event))
      return finding->place;
  return impl->target.kernel->sites.placeOf(event.site);
}

std::string Debugger::opOf(const Event &event) const {
  if (event.number == 0)
    return "";
  if (event.kind == Event::Step)
    return impl->target.steps.steps[event.step].op;
  const SiteTable &sites = impl->target.kernel->sites;
  return event.site < sites.size() ? sites[event.site].op : "";
}

} // namespace ptoscope::debug
