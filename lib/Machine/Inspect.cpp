//===- Inspect.cpp - the state of a core, for people ----------------------===//

#include "ptoscope/Machine/Inspect.h"

#include "Core.h"

#include <algorithm>

namespace ptoscope {

/// More than these are only counted.
static constexpr uint64_t kShownInQueue = 64;

static PipeState stateOf(const Core &core, Pipe pipe) {
  const PipeQueue &queue = core.pipes[pipe];
  PipeState state;
  state.pipe = pipe;
  state.issued = queue.issued;
  state.started = queue.started;
  state.queued = queue.waiting.size();
  const Stuck stuck = core.stuck();
  for (uint64_t i = 0; i < std::min<uint64_t>(state.queued, kShownInQueue); ++i) {
    const Operation &op = *queue.waiting[i];
    QueuedInstruction queued;
    queued.site = op.site;
    queued.ordinal = op.ordinal;
    if (op.iterations)
      queued.iterations.assign(op.iterations, op.iterations + op.depth);
    queued.ready = op.ready();
    if (i == 0 && !queued.ready) {
      queued.waits = stuck.waitText(op);
      queued.cause = stuck.causeText(op, false);
    }
    state.waiting.push_back(std::move(queued));
  }
  for (const auto &flying : queue.inFlight)
    state.inFlight.push_back(flying->site);
  if (core.report.scope && pipe == Pipe::V)
    state.scope = core.report.scope->site;
  return state;
}

static void addSync(const Core &core, CoreState &state) {
  for (size_t src = 0; src < kPipeSlots; ++src)
    for (size_t dst = 0; dst < kPipeSlots; ++dst)
      for (int64_t id = 0; id < kEventIds; ++id) {
        if (!core.sync.exists(uint32_t(src), uint32_t(dst), id))
          continue;
        const Flag &flag = core.sync.flag({Pipe(src), Pipe(dst), id});
        if (flag.setsIssued || flag.waitsIssued)
          state.flags.push_back(
              {Pipe(src), Pipe(dst), id, flag.setsIssued, flag.setsDone, flag.waitsIssued, flag.waitsDone});
      }
  for (int64_t id = 0; id < kBufferIds; ++id) {
    const BufferId &buffer = core.sync.buffers[size_t(id)];
    if (!buffer.everHeld && !buffer.releasesIssued)
      continue;
    BufferState shown{id, {}, buffer.releasesIssued};
    for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
      if (buffer.held >> pipe & 1)
        shown.holders.push_back({Pipe(pipe), buffer.heldSince[pipe]});
    state.buffers.push_back(std::move(shown));
  }
  const Cluster &cluster = *core.setup.cluster;
  for (int64_t id = 0; id < kSemaphoreSlots; ++id) {
    const Semaphore &semaphore = cluster.at({core.id.index, id});
    if (!semaphore.used() && !semaphore.waitsIssued)
      continue;
    uint64_t least = UINT64_MAX;
    const uint8_t senders = sendersOf(cluster, {core.id.index, id}, semaphore.mode, core.sync.pipeSemaphores);
    for (size_t i = 0; i < kCoresPerBlock; ++i)
      if (senders >> i & 1)
        least = std::min(least, semaphore.senders[i].done);
    state.semaphores.push_back({id, least == UINT64_MAX ? 0 : least, semaphore.waitsIssued, semaphore.waitsDone});
  }
}

CoreState inspect(const PtoContext *context) {
  const Core &core = coreOf(context);
  CoreState state;
  state.block = core.setup.block;
  state.id = core.id;
  state.kind = core.kind;
  state.site = core.scalar.site;
  state.ended = core.scalar.ended;
  state.stopped = core.report.stopped;
  if (core.pipes.suBlockedOn)
    state.unitWaits = core.stuck().waitText(*core.pipes.suBlockedOn);
  for (Pipe pipe : kPullOrder)
    if (core.pipes.has(pipe))
      state.pipes.push_back(stateOf(core, pipe));
  addSync(core, state);
  const Registers &r = core.scalar.registers;
  auto loops = [&](const std::string &name, const LoopRegisters &of) {
    state.registers.insert(state.registers.end(), {{"loop1 count, " + name, of.count1},
                                                   {"loop2 count, " + name, of.count2},
                                                   {"loop1 source step, " + name, of.src1},
                                                   {"loop1 target step, " + name, of.dst1},
                                                   {"loop2 source step, " + name, of.src2},
                                                   {"loop2 target step, " + name, of.dst2}});
  };
  state.registers.push_back({"CTRL", r.ctrl});
  loops("GM to UB", r.outToUb);
  loops("UB to GM", r.ubToOut);
  loops("GM to L1", r.outToL1);
  state.registers.insert(state.registers.end(), {{"pad value", r.padValue},
                                                 {"vector mask, elements 0 to 63", r.mask[0]},
                                                 {"vector mask, elements 64 to 127", r.mask[1]}});
  return state;
}

std::array<const PtoContext *, kCoresPerBlock> coresOfBlock(const PtoContext *context) {
  std::array<const PtoContext *, kCoresPerBlock> cores{};
  const Cluster &cluster = *coreOf(context).setup.cluster;
  std::copy(cluster.cores.begin(), cluster.cores.end(), cores.begin());
  return cores;
}

std::span<const uint8_t> memoryOf(const PtoContext *context, Space space) {
  const Core &core = coreOf(context);
  if (size_t(space) >= kSpaceSlots || !core.local[size_t(space)])
    return {};
  return {core.local[size_t(space)], core.setup.options->profile->reachOf(space)};
}

} // namespace ptoscope
