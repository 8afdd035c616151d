//===- QueueSentences.h - what findings of tile queues say ------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_QUEUESENTENCES_H
#define PTOSCOPE_MACHINE_QUEUESENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// Flag, direction, ids, entries.
constexpr Phrase<5> kQueue{"queue {0} ({1}, ids {2} and {3}, {4:slot})"};

//===----------------------------------------------------------------------===//
// Waits
//===----------------------------------------------------------------------===//

/// Number of the push or pop, data or space id, the queue.
constexpr Phrase<3> kForData{"push {0} into {2}, which data id {1} signals"};
constexpr Phrase<3> kForSpace{"an entry that push {0} can fill in {2}: space id {1} signals when one is free"};

constexpr Phrase<1> kNoPusher{"there is no {0} in this launch that could push"};
constexpr Phrase<1> kNoPopper{"there is no {0} in this launch that could pop and free"};
constexpr Phrase<1> kNeverPushes{"{0} never pushes"};
constexpr Phrase<1> kHasNotPushed{"{0} has not pushed"};
constexpr Phrase<2> kPushesTooRarely{"{0} pushes only {1:time}"};
constexpr Phrase<2> kHasPushedTooRarely{"{0} has pushed only {1:time}"};
constexpr Phrase<2> kNeverFrees{"{0} has popped {1:time} and never frees an entry"};
constexpr Phrase<2> kHasNotFreed{"{0} has popped {1:time} and freed no entry"};
constexpr Phrase<4> kFreesTooRarely{
    "{0} has popped {1:time} and frees only {2} of the {3} entries that have to be free"};
constexpr Phrase<4> kHasFreedTooRarely{"{0} has popped {1:time} and freed {2} of the {3} entries that have to be free"};
constexpr Phrase<0> kOneCoreBothSides{"this core has both sides of the queue, and comes to no other line"};
constexpr const char *kItsPush = "its push", *kItsFree = "its free";
/// The queue.
constexpr Phrase<1> kPushInto{"push into {0}"}, kFreeOf{"free an entry of {0}"};
constexpr const char *kHelpPush = "push as often as the other side pops: a loop may run once too often, or a core may "
                                  "leave out a push that the split asks of it",
                     *kHelpFree = "pop every entry that is pushed, and free what was popped, on each core that takes "
                                  "part; or give the queue more entries",
                     *kHelpMixed = "launch the two sides as `mixed(cubeFunction, vectorFunction)`: they have to run "
                                   "at the same time";

/// Of a race: who waits, who signals, and the two places.
constexpr Phrase<4> kQueueOrder{
    "if these are bytes of an entry of a queue, free it behind the last use of what was popped, and use that on the "
    "pipe that the pop blocks; otherwise signal {0} from {1} after {2} and wait before {3}"};

//===----------------------------------------------------------------------===//
// Queues and their use
//===----------------------------------------------------------------------===//

constexpr Sentence<2> kQueueOverlap{
    "queue-ids", "{0} takes ids of {1}, which still exists on this core (FIFO-8)",
    "give each queue a FlagID of its own: a one-way queue has two ids, a two-way one four"};
constexpr Sentence<2> kQueueSignal{
    "queue-ids", "{0} takes semaphore {1}, which the program also sets or waits for by itself (FIFO-8)",
    "use ids for signals that no queue has, or give the queue another FlagID"};
constexpr Sentence<1> kQueueDepth{"queue-shape",
                                  "{0} has more than the 15 slots that its counters tell apart (FIFO-31)",
                                  "use a SlotNum of at most 15"};
constexpr Sentence<4> kQueueDiffers{"queue-shape", "{0} has {1} here and {2} on {3} (FIFO-7)",
                                    "declare the queue alike on both sides: one type, and the same arguments"};
constexpr Phrase<1> kSlotCount{"a SlotNum of {0}"};
constexpr Phrase<1> kSlotSize{"a SlotSize of {0}"};
constexpr Phrase<1> kDirectionIs{"direction {0}"};
constexpr Phrase<1> kRingAt{"its ring at {0:hex}"};
constexpr Sentence<2> kQueueWrongSide{"queue-use", "{op} {0} on {1}, which is the other side of the queue (FIFO-22)",
                                      "push on the core that the direction starts from, and pop where it leads"};
constexpr Sentence<0> kQueueElsewhere{
    "queue-use", "{op} uses a queue that this core has not made (FIFO-1)",
    "construct the queue in the kernel, on each core that takes part, and use it while it exists"};
constexpr Sentence<0> kQueueFirstOnly{"queue-use",
                                      "{op} without a split on AIV1: on A5 only AIV0 takes part in it (FIFO-24)",
                                      "leave it to sub-block 0, or split the tile"};
constexpr Sentence<0> kQueueSubblock{"queue-use", "{op} names a sub-block other than 0 and 1 (FIFO-24)",
                                     "pass 0 or 1, or leave the operand out: it is the core's own number then"};
constexpr Sentence<1> kQueueTile{
    "queue-use", "{op} takes a tile in {0}, which this direction does not move (FIFO-40)",
    "cube cores push Acc tiles, and vector cores pop Vec tiles; vector cores push Vec tiles, "
    "and cube cores pop Mat tiles"};
/// What a pop takes, and what the push of that entry put there.
constexpr Sentence<2> kQueueElement{
    "queue-shape", "{op} takes elements of {0} from an entry that was filled with {1} (FIFO-47)",
    "pop the elements that were pushed; an accumulator is converted on its way by the `FixpipeParams` of its push"};
constexpr Sentence<4> kQueueOtherSplit{
    "queue-shape", "{op} takes {0}, {1}, from an entry that was filled with {2}, {3} (FIFO-47)",
    "push and pop with the same split: together the vector cores push or pop the whole tile of the cube core"};
/// Row and column in the popped tile; places count elements.
constexpr Sentence<4> kQueueOtherPlace{
    "queue-shape",
    "{op} takes element ({0}, {1}) of its tile from place {2} of the entry, and the push put it at place {3} (FIFO-47)",
    "pop rows of the length that they have in the entry: as many valid columns as were pushed; on chip as many columns "
    "of capacity (of a boxed tile rows), in the same layout"};
constexpr Phrase<0> kQueueFilled{"the push of this entry is here"};
constexpr const char *kSplitNames[] = {"without a split", "split up and down", "split left and right",
                                       "split up and down, odd", "split left and right, odd"};
constexpr Sentence<1> kQueueFree{"queue-free",
                                 "{op} frees an entry of {0}, of which every popped entry is free already "
                                 "(FIFO-26)",
                                 "free once for each pop; a pop of a tile through global memory frees by itself"};
/// The operand, and where it and what has its place now were popped.
constexpr Sentence<3> kQueueStale{
    "race-war", "{op} reads {0}, which was popped at {1}; the pop at {2} has put another tile into its place (FIFO-23)",
    "use a popped tile before it is freed and before LocalSlotNum more pops, or copy it; or make the queue longer"};
constexpr const char *kEarlierLine = "an earlier line";
constexpr Sentence<3> kQueueUnread{"queue-leak", "{0} ends with {1:slot} that {2} never popped (FIFO-27)",
                                   "pop as often as the other side pushes"};
constexpr Sentence<3> kQueueUnfreed{"queue-leak", "{0} ends with {1:slot} that {2} popped and never freed (FIFO-27)",
                                    "free what was popped (`TFREE`) before the kernel ends"};
constexpr Phrase<0> kQueueMade{"the queue is made here"};

//===----------------------------------------------------------------------===//
// What the headers of other libraries do not do (FIFO-30 to FIFO-35)
//===----------------------------------------------------------------------===//

constexpr Sentence<2> kQueueOdd{
    "queue-weak",
    "{0} has {1} entries: with an odd number from 5 on, the library of the device reuses entries before it waits for "
    "one to be free (FIFO-32)",
    "use an even number of entries, or 3; here every push waits"};
constexpr Sentence<0> kQueueSharedRings{
    "queue-weak",
    "{op} takes an entry of a two-way queue as a view: on A2/A3 the library of the device puts both directions into "
    "the same entries (FIFO-33)",
    "use two one-way queues; here each direction has its own entries"};
constexpr Sentence<0> kQueueEarlyFree{
    "queue-weak",
    "{op} loads an entry of a queue through global memory: on A5 the library of the device frees it before the load "
    "has ended (FIFO-35)",
    "use a queue on chip, or views (`TPOP` of a GlobalTensor, TLOAD, `TFREE`); here the free comes behind the load"};
constexpr Sentence<2> kQueueLanding{
    "queue-weak",
    "{op} pops a tile of {0} bytes where it popped one of {1} bytes before: on A5 landing places have the size of the "
    "popped tile, so places of the two overlap (FIFO-12)",
    "pop tiles of one size from a queue, or give it another queue"};
constexpr Sentence<2> kQueueRefused{"not-modelled", "{op}: {0} is not modelled: {1} (FIFO-34)",
                                    "use one-way queues (DIR_C2V, DIR_V2C, DIR_C2V_GM, DIR_V2C_GM)"};
constexpr Sentence<2> kQueueSplit{"queue-shape", "{op} splits {0}: {1} (FIFO-45)",
                                  "choose extents that the split can halve, or another split"};
constexpr Sentence<2> kQueueSmall{"queue-shape", "{op} needs {0:byte} of an entry, and SlotSize is {1} (FIFO-10)",
                                  "make SlotSize as large as what one entry holds in that memory"};
constexpr Sentence<0> kQueueNoGm{"queue-shape",
                                 "{op} goes through global memory, and the queue was made without any "
                                 "(FIFO-11)",
                                 "pass the address of SlotNum * SlotSize bytes of global memory to the constructor"};
constexpr Sentence<0> kNoQuantWord{"tile-unassigned", "{op} quantises by a Scaling tile, and none was set (FIFO-52)",
                                   "call `SET_QUANT_VECTOR` on this core before the push"};
constexpr Sentence<0> kNoPushScale{"init-scalar", "{op} quantises, and its pipe has no scale yet (FIFO-80)",
                                   "set it before the push with `pto.set_quant_scalar` or `pto.set_quant_vector`"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_QUEUESENTENCES_H
