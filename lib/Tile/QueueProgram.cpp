//===- QueueProgram.cpp - tile queues of C++ programs ---------------------===//

#include "Context.h"
#include "Queue.h"
#include "ptoscope/Machine/Queue.h"

#include <algorithm>

namespace ptoscope::tile {

namespace {

/// What a site of two instructions is known by.
constexpr char kOther = 0;

/// A use by the program, at its place.
struct Use {
  Context &context;
  Context::SiteEntry &site;
  QueueUser user;

  Use(Context &context, Queue &queue, const char *name, Timing timing, const Source &source,
      Context::SiteEntry *second = nullptr)
      : context(context), site(context.siteOf(name, name, timing, source)), user(context, queue, site, second) {}
  Use(Context &context, Queue &queue, const char *name, Timing timing, const QueueUse &use,
      Context::SiteEntry *second = nullptr)
      : Use(context, queue, name, timing, use.source, second) {
    user.automatic = use.automatic;
    user.rules = use.rules;
    user.subblock = use.subblock;
    user.load = use.load;
  }
};

} // namespace

void openQueue(Queue &queue, bool automatic, const Source &source) {
  Context &context = Context::here();
  // Entries, or landing places, as far as either may reach.
  const uint64_t bytes = uint64_t(queue.slotBytes) * std::max(queue.slots, queue.localSlots);
  if (automatic && queue.toVector && canPop(context.core, true))
    context.storage(Space::Ub).reserve(queue.vectorBuffer, bytes);
  if (automatic && queue.toCube && canPop(context.core, false))
    context.storage(Space::L1).reserve(queue.matBuffer, bytes);
  context.leave(Use(context, queue, "TPipe", Timing::none, source).user.open());
}

void closeQueue(Queue &queue) {
  Context *context = Context::running();
  Issuer::SiteState none;
  if (context)
    QueueUser(*context, queue, none).close();
}

void pushTile(Queue &queue, const TileView &tile, const PushForm &form, const QueueUse &use) {
  Context &context = Context::here();
  const bool split = form.split != QueueSplit::None;
  const Timing timing = TileType(tile.ref.location) == TileType::Acc ? Timing::fix : Timing::store;
  Context::SiteEntry *second = split ? &context.siteOf(&kOther, "TPUSH", timing, use.source) : nullptr;
  Use push(context, queue, "TPUSH", timing, use, second);
  context.leave(push.user.push(tile, form, context.quant));
}

void *popTile(Queue &queue, const TileView &tile, QueueSplit split, const QueueUse &use) {
  Context &context = Context::here();
  Use pop(context, queue, "TPOP", Timing::load, use);
  TileView placed = tile;
  context.leave(pop.user.pop(placed, split));
  return placed.data;
}

void freeTile(Queue &queue, QueueSplit split, const QueueUse &use) {
  Context &context = Context::here();
  context.leave(Use(context, queue, "TFREE", Timing::sync, use).user.free(split));
}

void *takeEntry(Queue &queue, QueueSplit split, const QueueUse &use) {
  Context &context = Context::here();
  void *entry = nullptr;
  context.leave(Use(context, queue, "TALLOC", Timing::sync, use).user.takeEntry(split, entry));
  return entry;
}
void passEntry(Queue &queue, QueueSplit split, const QueueUse &use) {
  Context &context = Context::here();
  context.leave(Use(context, queue, "TPUSH", Timing::sync, use).user.passEntry(split));
}
void *popEntry(Queue &queue, QueueSplit split, const QueueUse &use) {
  Context &context = Context::here();
  void *entry = nullptr;
  context.leave(Use(context, queue, "TPOP", Timing::sync, use).user.popEntry(split, entry));
  return entry;
}
void freeEntry(Queue &queue, QueueSplit split, const QueueUse &use) {
  Context &context = Context::here();
  context.leave(Use(context, queue, "TFREE", Timing::sync, use).user.freeEntry(split));
}

void queueSignal(Queue &queue, QueueSignal signal, const Source &source) {
  constexpr const char *kNames[] = {"allocate", "record", "wait", "free"};
  Context &context = Context::here();
  context.leave(Use(context, queue, kNames[size_t(signal)], Timing::sync, source).user.signal(signal));
}

void setQuantWord(uint64_t word, const Source &source) {
  Context &context = Context::here();
  context.siteOf("SET_QUANT_SCALAR", source);
  context.quant.word = word;
}

void setQuantTile(const TileView &tile, const Source &source) {
  Context &context = Context::here();
  const Context::SiteEntry &site = context.siteOf("SET_QUANT_VECTOR", source);
  const Space space = context.spaceOf(tile.ref.location, site.id);
  uint64_t address = 0;
  if (space == Space::None)
    return;
  if (!tile.data || !context.addressOf(space, tile.data, address))
    return context.report(site.id, (tile.data ? say::kTileElsewhere : say::kTileUnplaced)("`fp`"));
  context.quant.hasTile = true;
  context.quant.tile = tile;
  context.quant.tile.ref.address = uint32_t(address);
}

} // namespace ptoscope::tile
