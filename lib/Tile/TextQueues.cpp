//===- TextQueues.cpp - tile queues of generated code ---------------------===//

#include "Queue.h"
#include "TextIssuer.h"
#include "ptoscope/Machine/QueueSentences.h"
#include "ptoscope/Tile/Queues.h"

using namespace ptoscope;
using namespace ptoscope::tile;

namespace {

/// A use of a pipe at its place.
struct Use {
  TextIssuer &issuer;
  QueueUser user;
  QueueSplit split;

  Use(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *use)
      : issuer(TextIssuer::of(core)), user(issuer, *queue, issuer.stateOf(site), &issuer.secondStateOf(site)),
        split(QueueSplit(use->split)) {
    user.automatic = use->automatic != 0;
    user.onDevice = true;
    user.subblock = unsigned(use->subblock < 0 ? core->subblockIdx : use->subblock) & 1;
  }
};

} // namespace

int32_t ptosc_queue_open(PtoContext *core, uint32_t site, Queue *queue) {
  TextIssuer &issuer = TextIssuer::of(core);
  QueueUser user(issuer, *queue, issuer.stateOf(site));
  user.close(); // one that a function made which has returned
  return user.open();
}

int32_t ptosc_queue_push(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *given,
                         const TileView *tile) {
  Use use(core, site, queue, given);
  TileView placed = *tile;
  placed.data = use.issuer.hostAddress(placed.ref, site);
  if (!placed.data)
    return 1;
  PushForm form;
  form.split = use.split;
  form.boxes = true;
  if (given->element != ~0u && Elem(given->element) != placed.ref.elem) {
    form.converts = true;
    form.to = Elem(given->element);
  }
  QuantState quant;
  if (given->epilogue) {
    form.converts = true;
    form.to = given->element == ~0u ? placed.ref.elem : Elem(given->element);
    form.layout = given->layout;
    form.quant = Quant(given->quant);
    form.relu = ReluPreMode(given->relu);
    form.target = uint8_t(use.user.subblock);
    if (given->scales && !given->scales->isSet)
      return reportAt(core, site, say::kNoPushScale(), /*fatal=*/true);
    if (form.quant == Quant::Scalar)
      quant.word = given->scales->scale | uint64_t(form.to == Elem::i8) << 46;
    if (form.quant == Quant::Vector) {
      quant.hasTile = true;
      quant.tile = given->scales->tile;
      quant.tile.data = use.issuer.hostAddress(quant.tile.ref, site);
      if (!quant.tile.data)
        return 1;
    }
  }
  return use.user.push(placed, form, quant);
}

int32_t ptosc_queue_pop(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *given, TileView *tile) {
  Use use(core, site, queue, given);
  return use.user.pop(*tile, use.split);
}

int32_t ptosc_queue_free(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *given) {
  Use use(core, site, queue, given);
  return use.user.free(use.split);
}

int32_t ptosc_queue_take_entry(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *given,
                               GlobalView *view) {
  Use use(core, site, queue, given);
  return use.user.takeEntry(use.split, view->ref.pointer);
}
int32_t ptosc_queue_pass_entry(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *given) {
  Use use(core, site, queue, given);
  return use.user.passEntry(use.split);
}
int32_t ptosc_queue_pop_entry(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *given,
                              GlobalView *view) {
  Use use(core, site, queue, given);
  return use.user.popEntry(use.split, view->ref.pointer);
}
int32_t ptosc_queue_free_entry(PtoContext *core, uint32_t site, Queue *queue, const PtoQueueUse *given) {
  Use use(core, site, queue, given);
  return use.user.freeEntry(use.split);
}
