//===- PipeModel.cpp - the pipes of one core, without data ----------------===//

#include "PipeModel.h"

using namespace mlir;

namespace ptoscope {

static constexpr size_t kMaxSets = 64;
static constexpr size_t kMaxTiles = 1024;

PipeModel::PipeModel(const Profile &profile, ModelListener &listener) : listener(listener) {
  for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
    inOrder[pipe] = isInOrder(profile, Pipe(pipe));
}

//===----------------------------------------------------------------------===//
// Execution
//===----------------------------------------------------------------------===//

/// What a set or release of `pipe` tells: everything it has done and knows.
OrderClock PipeModel::published(Pipe pipe) const {
  OrderClock clock = clocks[size_t(pipe)];
  clock.ended[size_t(pipe)] = started[size_t(pipe)];
  return clock;
}

bool PipeModel::canStart(const ModelEntry &entry) {
  if (entry.kind == ModelEntry::Wait) {
    const ModelFlag &f = flag(entry.other, entry.instance.pipe, entry.id);
    return f.unknown || isForgotten(entry.other, entry.instance.pipe) || !f.sets.empty();
  }
  if (entry.kind == ModelEntry::Get)
    for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
      if (buffers[size_t(entry.id)].done[pipe] < entry.releases[pipe])
        return false;
  return true;
}

/// A unit flag does not hold the model up: which tiles overlap is not always known, and
/// a wait for a wrong one could look like a deadlock.
void PipeModel::workOnTile(ModelEntry &entry) {
  const size_t pipe = size_t(entry.instance.pipe), partner = size_t(unitPartner(entry.instance.pipe));
  if (started[partner] < entry.after)
    clocks[pipe].everything = true;
  else if (entry.after) // or a later one, where it is forgotten
    clocks[pipe].join(passedTiles[partner].lower_bound(entry.after)->second);
  work(entry);
  if (!passesTile(entry.unit))
    return;
  auto &tiles = passedTiles[pipe];
  tiles.emplace_hint(tiles.end(), started[pipe], published(entry.instance.pipe));
  if (tiles.size() > kMaxTiles)
    tiles.erase(tiles.begin());
}

void PipeModel::work(ModelEntry &entry) {
  size_t pipe = size_t(entry.instance.pipe);
  OrderClock &clock = clocks[pipe];
  entry.instance.ordinal = ++started[pipe];
  if (inOrder[pipe])
    clock.ended[pipe] = entry.instance.ordinal - 1;
  // What a pipe that may know anything does is ordered somehow; saying nothing of it is safe both ways.
  if (clock.everything)
    return;
  bool root = entry.instance.context == 0;
  for (Piece &piece : entry.pieces) {
    LoggedAccess access{entry.instance, piece};
    auto unordered = [&](const LoggedAccess &earlier, uint64_t begin, uint64_t end) {
      bool same = earlier.instance.pipe == access.instance.pipe && earlier.instance.ordinal == access.instance.ordinal;
      if (!same && !(earlier.piece.atomic && piece.atomic) &&
          earlier.instance.ordinal > clock.ended[size_t(earlier.instance.pipe)])
        listener.conflict(earlier, access, begin, end);
    };
    logs[piece.storage].access(access, root && piece.certain && !piece.atomic, unordered);
  }
}

uint64_t PipeModel::looked() const {
  uint64_t sum = 0;
  for (const auto &[storage, log] : logs)
    sum += log.looked();
  return sum;
}

void PipeModel::execute(ModelEntry &entry) {
  Pipe pipe = entry.instance.pipe;
  OrderClock &clock = clocks[size_t(pipe)];
  switch (entry.kind) {
  case ModelEntry::Work:
    return workOnTile(entry);
  case ModelEntry::Set:
    if (ModelFlag &f = flag(pipe, entry.other, entry.id); !f.unknown)
      f.sets.push_back(published(pipe));
    // Counters hold 15; what is set far more often is not followed.
    if (ModelFlag &f = flag(pipe, entry.other, entry.id); f.sets.size() > kMaxSets) {
      f.unknown = true;
      f.sets.clear();
    }
    return;
  case ModelEntry::Wait: {
    ModelFlag &f = flag(entry.other, pipe, entry.id);
    if (f.unknown || isForgotten(entry.other, pipe)) {
      clock.everything = true;
    } else {
      clock.join(f.sets.front());
      f.sets.pop_front();
    }
    return;
  }
  case ModelEntry::Barrier:
    clock.ended[size_t(pipe)] = started[size_t(pipe)];
    return;
  case ModelEntry::Get:
    if (buffersUnknown)
      clock.everything = true;
    clock.join(buffers[size_t(entry.id)].released);
    return;
  case ModelEntry::Release: {
    Buffer &buffer = buffers[size_t(entry.id)];
    buffer.released.join(published(pipe));
    if (ruleOf(releaseOf(entry.legacy)).tells == Reach::Holders)
      for (size_t i = 0; i < kPipeSlots; ++i)
        buffer.released.ended[i] = std::max(buffer.released.ended[i], entry.releases[i]);
    ++buffer.done[size_t(pipe)];
    return;
  }
  case ModelEntry::AcquireAll:
    clock.everything = true;
    return;
  }
}

void PipeModel::issue(ModelEntry entry) {
  Pipe pipe = entry.instance.pipe;
  size_t slot = size_t(pipe);
  if (entry.kind == ModelEntry::Work) {
    ++issued[slot];
    entry.after = units.issue(pipe, entry.unit, issued[slot], entry.tileBegin, entry.tileEnd);
  }
  if (entry.kind == ModelEntry::Get)
    entry.releases = buffers[size_t(entry.id)].issued;
  if (entry.kind == ModelEntry::Release) {
    ++buffers[size_t(entry.id)].issued[slot];
    entry.releases = issued;
  }
  if (queues[slot].empty() && canStart(entry)) {
    execute(entry);
    // Only these can let another pipe go on.
    if (stalled && (entry.kind == ModelEntry::Set || entry.kind == ModelEntry::Release))
      run();
    return;
  }
  bool isHead = queues[slot].empty();
  queues[slot].push_back(std::move(entry));
  stalled |= 1u << slot;
  if (isHead)
    lookForCycle(pipe);
}

/// Executes heads until none can start.
void PipeModel::run() {
  for (bool moved = true; moved;) {
    moved = false;
    for (size_t slot = 0; slot < kPipeSlots; ++slot) {
      auto &queue = queues[slot];
      if (queue.empty())
        continue;
      bool started = false;
      while (!queue.empty() && canStart(queue.front())) {
        execute(queue.front());
        queue.pop_front();
        started = true;
      }
      moved |= started;
      if (queue.empty())
        stalled &= ~(1u << slot);
      else if (started)
        lookForCycle(Pipe(slot));
    }
  }
}

bool PipeModel::drain() {
  if (stalled)
    return false;
  OrderClock all = issuedSoFar();
  clocks.fill(all);
  return true;
}

bool PipeModel::learnFrom(uint32_t pipes, ModelEntry unknown) {
  if (stalled & pipes)
    return false;
  OrderClock told;
  for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
    if (pipes >> pipe & 1)
      told.join(published(Pipe(pipe)));
  for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
    if (queues[pipe].empty()) {
      clocks[pipe].join(told);
    } else {
      unknown.instance.pipe = Pipe(pipe);
      issue(unknown);
    }
  return true;
}

bool PipeModel::scalarWait(Pipe src, int64_t id) {
  ModelEntry entry;
  entry.kind = ModelEntry::Wait;
  entry.instance.pipe = Pipe::S;
  entry.other = src;
  entry.id = id;
  if (!canStart(entry))
    return false;
  execute(entry);
  return true;
}

//===----------------------------------------------------------------------===//
// Hangs
//===----------------------------------------------------------------------===//

std::optional<Pipe> PipeModel::blockerOf(const ModelEntry &entry) const {
  if (entry.kind == ModelEntry::Wait)
    return entry.other;
  for (size_t pipe = 0; entry.kind == ModelEntry::Get && pipe < kPipeSlots; ++pipe)
    if (buffers[size_t(entry.id)].done[pipe] < entry.releases[pipe])
      return Pipe(pipe);
  return std::nullopt;
}

/// A pipe whose head waits for a pipe that waits … for the first one is blocked
/// forever: sets execute in the order of their own pipe, behind the head.
void PipeModel::lookForCycle(Pipe pipe) {
  SmallVector<const ModelEntry *> waits;
  Pipe at = pipe;
  do {
    const ModelEntry *first = head(at);
    if (!first || canStart(*first) || waits.size() > kPipeSlots)
      return;
    waits.push_back(first);
    std::optional<Pipe> next = blockerOf(*first);
    if (!next)
      return;
    at = *next;
  } while (at != pipe);
  listener.cycle(waits);
}

bool PipeModel::setQueued(Pipe src, Pipe dst, int64_t id) const {
  return llvm::any_of(queues[size_t(src)], [&](const ModelEntry &entry) {
    return entry.kind == ModelEntry::Set && entry.other == dst && entry.id == id;
  });
}

//===----------------------------------------------------------------------===//
// What no one knows
//===----------------------------------------------------------------------===//

void PipeModel::forget(Pipe src, Pipe dst, int64_t id) {
  ModelFlag &f = flag(src, dst, id);
  f.unknown = true;
  f.sets.clear();
  if (stalled)
    run();
}

void PipeModel::forgetFamily(Pipe src, Pipe dst) {
  families[size_t(src)] |= 1u << unsigned(dst);
  for (int64_t id = 0; id < kEventIds; ++id)
    forget(src, dst, id);
}

void PipeModel::releaseStalled() {
  while (stalled)
    for (size_t slot = 0; slot < kPipeSlots; ++slot) {
      if (queues[slot].empty())
        continue;
      ModelEntry &first = queues[slot].front();
      if (first.kind == ModelEntry::Wait) {
        forget(first.other, first.instance.pipe, first.id);
        continue;
      }
      // A get of a buffer whose release is stuck.
      first.releases.fill(0);
      clocks[slot].everything = true;
      run();
    }
}

OrderClock PipeModel::issuedSoFar() const {
  OrderClock clock;
  clock.ended = issued;
  return clock;
}

uint32_t PipeModel::knowingEverything() const {
  uint32_t pipes = 0;
  for (size_t slot = 0; slot < kPipeSlots; ++slot)
    pipes |= uint32_t(clocks[slot].everything) << slot;
  return pipes;
}

void PipeModel::keepEverything(uint32_t pipes) {
  for (size_t slot = 0; slot < kPipeSlots; ++slot)
    clocks[slot].everything |= pipes >> slot & 1;
}

void PipeModel::raise(const RegionEffects &effects, const OrderClock &clock) {
  for (size_t slot = 0; slot < kPipeSlots; ++slot)
    if (effects.acquiring >> slot & 1)
      clocks[slot].join(clock);
  for (const auto &[key, effect] : effects.flags)
    if (effect.sets)
      for (OrderClock &set : flag(key.src, key.dst, key.id).sets)
        set.join(clock);
  if (effects.releases)
    for (Buffer &buffer : buffers)
      buffer.released.join(clock);
  if (effects.tiles)
    for (auto &tiles : passedTiles)
      for (auto &[ordinal, told] : tiles)
        told.join(clock);
}

} // namespace ptoscope
