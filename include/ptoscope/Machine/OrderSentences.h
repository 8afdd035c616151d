//===- OrderSentences.h - what findings about order and undefined bytes say ===//
//
// Sentences of the race and init checks, and of `check`, which finds the same
// faults without a run and says them in the same words.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_ORDERSENTENCES_H
#define PTOSCOPE_MACHINE_ORDERSENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

//===----------------------------------------------------------------------===//
// Races
//===----------------------------------------------------------------------===//

constexpr const char *raceCode(bool firstWrites, bool secondWrites) {
  return !firstWrites ? "race-war" : secondWrites ? "race-waw" : "race-raw";
}
constexpr const char *readOrWrite(bool writes) { return writes ? "write" : "read"; }
constexpr const char *readingOrWriting(bool writes) { return writes ? "writing" : "reading"; }

/// Pipe, verb and memory of the second; the first, its pipe, what it is doing.
constexpr Sentence<6> kRace{"race-raw", "{op} on {0} {1} {2} bytes that {3} on {4} may still be {5}", ""};
constexpr Sentence<6> kRaceStatus{"race-raw", "{op} on {0} {1} {2}, which {3} on {4} may still be {5}", ""};
/// Read or write, pipe, turn.
constexpr Phrase<3> kIssuedHere{"the {0} is issued here on {1}{2}"};
constexpr Phrase<2> kOvertakes{"; a later instruction of {0} may take effect before this {1} has ended"};
constexpr Phrase<3> kStartsEarly{"; {0} may start before the {1} of {2} has ended"};
constexpr Phrase<1> kNothingBetween{"; nothing between the two makes {0} wait for it"};
constexpr Phrase<1> kOnlyIfBoth{
    "; both are executed only if branches or loop bounds that are not known here allow it ({0:`} in a run)"};
constexpr Phrase<3> kRange{"{0} bytes {1:hex4}..{2:hex4}"};
constexpr Phrase<2> kRangeOnly{"bytes {0:hex4}..{1:hex4}"};
constexpr Phrase<0> kForTheFirst{" (for the first of these bytes)"};
constexpr Phrase<2> kInScope{"the {0} {1} belongs to the vector scope that starts here"};
constexpr Phrase<1> kIteration{", iteration {0}"};
constexpr Phrase<1> kFurtherIteration{", {0}"};
constexpr Phrase<1> kOfLoop{" of the loop at {0}"};
constexpr Phrase<1> kExecution{", {0}"};
constexpr const char *kScopeWork = "vector scope", *kScalarWork = "scalar access", *kTransferWork = "transfer",
                     *kOtherWork = "instruction";

constexpr Sentence<2> kSumsRounded{
    "order-dependent",
    "{op} adds floats to {0} bytes to which {1} may add before or after it, and the rounding differs", ""};
constexpr Phrase<2> kOtherSum{"the other sum is formed here, on {0}{1}"};
constexpr Phrase<1> kOrIgnore{"{0}, or ignore this if the last bits do not matter"};

/// Verb, the other access, what it may not have done, the fence.
constexpr Sentence<4> kScopeRace{
    "race-scope", "{op} {0} UB bytes that {1} of the same vector scope may not have {2} yet: no {3} fence between them",
    ""};
constexpr Sentence<0> kStoredRowsOverlap{
    "race-scope", "{op} writes UB bytes of two of its rows, and nothing orders them",
    "rows of this store overlap because their distance is smaller than a row: make its stride as large as a row"};
constexpr Phrase<2> kEarlierInScope{"the earlier {0} is here{1}"};
constexpr Phrase<0> kOneExecution{"both belong to one execution of the vector scope that starts here"};

constexpr Sentence<4> kBlockRace{"race-blocks",
                                 "{op} {0} {1} bytes that {2} of another block {3}, and blocks have no order", ""};
constexpr Sentence<1> kBlockSums{
    "order-dependent",
    "{op} adds floats to {0} bytes to which another block adds too, and the rounding depends on the order "
    "of blocks",
    "let every block write its own partial sum and add them in a fixed order, or ignore this if the last "
    "bits do not matter"};
constexpr Phrase<3> kBlockDoes{"block {0} {1} {2}"};
constexpr Phrase<2> kBlockDoesHere{"block {0} {1} them here"};
constexpr Phrase<0> kSameUpdate{
    "let all blocks make the same update (type and operation in CTRL): others do not commute"};
constexpr Phrase<2> kOwnBytesOrMeet{
    "give each block its own bytes (add {0:`} times the size of its part to the address), or let all blocks "
    "meet between the two accesses ({1:`}, outside branches)"};
constexpr Phrase<1> kOwnBytesOrAtomic{
    "give each block its own bytes (add {0:`} times the size of its part to the address), or make both writes "
    "atomic"};

//===----------------------------------------------------------------------===//
// Likely causes
//===----------------------------------------------------------------------===//

constexpr Phrase<3> kStepTooSmall{"one iteration touches {0} bytes from {1:hex4}, the next begins at {2:hex4}"};
constexpr Phrase<2> kTurnsMeet{"two buffers overlap: iteration {0} of one meets iteration {1} of the other"};
constexpr Phrase<2> kTurnsOverlap{"one iteration begins before the bytes of another end: {0}, then {1}"};
constexpr Phrase<2> kBuffersShare{"two buffers overlap: {0} there, {1} here"};
constexpr Phrase<1> kWidenStep{
    "make the step of the loop as large as what an iteration touches; if they are meant to share bytes, {0}"};
constexpr Phrase<1> kWidenTurns{"make the step from iteration to iteration as large as what an iteration touches; if "
                                "they are meant to share bytes, {0}"};
constexpr Phrase<1> kMoveBuffer{"move one of the two buffers; if they are meant to share bytes, {0}"};

//===----------------------------------------------------------------------===//
// Lines that add an order
//===----------------------------------------------------------------------===//

constexpr Phrase<2> kWaitBetween{"let {0} wait for {1} between the two"};
constexpr Phrase<1> kBarrierBetween{"put a barrier of {0} between the two"};
constexpr Phrase<1> kFenceBetween{"put a {0} fence between the two"};
constexpr Phrase<3> kEveryCore{
    "{0} and {1} both execute {2}: let one of them do it, in its section or behind a test of "
    "the core, or give each its own bytes"};
constexpr Phrase<4> kSignalAcross{"signal {0} from {1} after {2} and wait before {3}"};
constexpr Phrase<1> kRepairsThisToo{"the lines proposed for line {0} repair this too"};
constexpr Phrase<0> kRepairsThatToo{"the lines proposed for the other finding at this line repair this too"};
constexpr Phrase<1> kMayRepairThisToo{"what is proposed for line {0} may repair this too"};
constexpr Phrase<0> kThenAgain{"; this uncovers further findings with their own fixes; apply it and run again"};
constexpr Phrase<0> kNotTried{"; this is a suggestion, it was not tried"};
constexpr Phrase<2> kAdd{"add {0:`} before {1}"};
constexpr Phrase<4> kAddBarrier{"add {0:`} before {1}: {2}; it is cheaper to reuse one whose wait comes before {3}"};
constexpr Phrase<3> kIdsInUse{"all {0} event ids of {1} -> {2} are in use"};
constexpr Phrase<7> kAddBuffers{"before {0} add {1:`}, {2:`}, {3:`} and {4:`}: {5}, and buffer id {6} is free"};
constexpr Phrase<5> kAddApart{"add {0:`} before {1} and {2:`} before {3} (EVENT_ID{4} is free for this pair)"};
constexpr Phrase<4> kAddTogether{"before {0} add {1:`} and then {2:`} (EVENT_ID{3} is free for this pair)"};
constexpr Phrase<4> kFlagOrBarrier{
    "order {0} before {1} with a flag whose id is not in use there, or add {2:`} before {3}"};
constexpr Phrase<2> kFromTo{"{0} -> {1}"};
constexpr Phrase<1> kWaitForFlag{"wait for the flag before {0}"};
constexpr Phrase<2> kEndScope{"end the vector scope before {0}, add `pto.pipe_barrier \"PIPE_V\"` there and start "
                              "another scope after it; {1} has no `pto.mem_bar`"};
/// Both cores with their places, and the memory.
constexpr Phrase<5> kThroughCube{"let both vector cores send each other a message (`ffts_mode = 1`) after {1} and wait "
                                 "for it before {3}, or let {0} "
                                 "signal AIC and AIC signal {2}, or keep their parts of {4} apart"};
constexpr Phrase<4> kReuseSemaphore{
    "signal {0} from {1} after {2} and wait before {3}; all semaphores between them are in use, so reuse one "
    "whose wait comes before"};
constexpr Phrase<5> kSignalDev{
    "signal id {0} with `pto.set_cross_core` on {1} after {2} and add `pto.wait_flag_dev` of that id on {3} "
    "before {4} (id {0} is free)"};
constexpr Phrase<1> kBothVectorCores{"{0} and the other vector core"};
/// Set, core, place, what comes before it; wait, core, place, what follows it; the semaphore.
constexpr Phrase<9> kAddSemaphore{
    "add {0:`} on {1} after {2}{3}, and {4:`} on {5} before {6}{7} (semaphore {8} of {5} is free)"};
constexpr Phrase<2> kBehindFlag{", following a flag {0} -> {1}"};
constexpr Phrase<2> kFollowedByFlag{", followed by a flag {0} -> {1}"};

//===----------------------------------------------------------------------===//
// Undefined bytes
//===----------------------------------------------------------------------===//

constexpr Sentence<1> kStaleLine{
    "stale-line", "{op} reads GM through the cache of the scalar unit, which still holds what was there before {0}",
    "put `pto.dcci %p \"SINGLE_CACHE_LINE\"` before it (a3, a2: `pto.cmo.cacheinvalid`), or read with `pto.ld_dev`"};
constexpr Phrase<1> kLineCached{"{0} brought the line of 64 bytes into the cache here"};
constexpr Phrase<1> kLineWritten{"{0} changed the memory beneath it here"};

constexpr Phrase<0> kNeverWritten{"bytes that were never written"};
constexpr Phrase<0> kUndefinedBytes{"bytes that are undefined"};
constexpr Phrase<1> kLeftUndefined{"bytes that {0} left undefined"};
constexpr Phrase<1> kClobberedHere{"they had been written, but {0} left them undefined here"};
constexpr Phrase<1> kWrittenUndefined{"{0} wrote them here, from bytes that were undefined themselves"};
constexpr Phrase<1> kDefineBefore{"define what the instruction at {0} takes them from, or let it move less"};
constexpr Phrase<1> kWriteAgain{
    "write the bytes again after {0}, or keep them where this instruction does not touch them"};

constexpr Sentence<2> kOperandUndefined{"init-read", "operand {0} of {op} holds {1}, in an active lane",
                                        "write the bytes before the load, pad the transfer, or mask the lanes"};
constexpr Sentence<2> kIndexUndefined{"init-index", "operand {0} of {op}, the index, holds {1}, in an active lane",
                                      kOperandUndefined.help};
constexpr Phrase<4> kLanesUndefined{"{0:undefined byte} in active lanes, the first is byte {1} of the {2}{3}"};
constexpr Phrase<0> kLoadedHere{"the undefined bytes were loaded here"};
constexpr Sentence<2> kDirectUndefined{"init-read", "{op} computes with {0} {1}",
                                       "write or transfer the bytes first, and fill the rest of the last group"};
constexpr Phrase<3> kSomeUndefined{"{0}, {1} of them undefined{2}"};
constexpr Sentence<2> kScalarUndefined{"init-scalar", "{op} reads {0} {1}",
                                       "transfer or store the value before this load"};
constexpr Sentence<1> kStatusUnwritten{"init-scalar", "{op} reads {0}, which no instruction has written",
                                       "read it after an instruction that writes it"};
constexpr Phrase<2> kHoldsZero{"{0} holds 0 when a block begins{1}"};
constexpr Sentence<1> kStoreUndefined{"init-store-gm", "{op} copies to GM {0}",
                                      "transfer only what was computed, or fill the rest first"};
constexpr Phrase<5> kPartUndefined{"{0} of {1:byte} are undefined, the first at {2} byte {3:hex4}{4}"};

//===----------------------------------------------------------------------===//
// Counters
//===----------------------------------------------------------------------===//

/// The counter, what it would hold, and who waits.
constexpr Sentence<3> kOverflow{"semaphore-overflow", "{op} may raise {0} to {1}; its counter has 4 bits",
                                "let {2} wait for it once for every set, and signal back before it has been set {1} "
                                "times more than it was waited for"};
constexpr Phrase<2> kNoWaitBefore{"this is set number {0}, and no wait has to come before it{1}"};
constexpr Phrase<2> kOneWaitBefore{"this is set number {0}, and only 1 wait has to come before it{1}"};
constexpr Phrase<3> kFewWaitsBefore{"this is set number {0}, and only {2} waits have to come before it{1}"};
constexpr Phrase<3> kFlagOf{"flag {0} -> {1}, EVENT_ID{2}"};

//===----------------------------------------------------------------------===//
// What only `check` says
//===----------------------------------------------------------------------===//

constexpr Phrase<0> kWheneverExecuted{
    "this holds whenever the instruction is executed, which depends on values that are not known here"};
constexpr Phrase<0> kHangsIfExecuted{"it hangs if it is executed, which depends on values that are not known here"};
constexpr Phrase<0> kSetTooLate{"this set comes too late"};
constexpr Phrase<4> kAddSetOrRemove{"add {0:`} before {1}, after the work on {2} that {3} needs, or remove the wait"};
/// The semaphore, whose it is, who would have to set it, and as which number.
constexpr Sentence<4> kSemaphoreWithoutSet{"wait-without-set",
                                           "{op} waits forever for semaphore {0} of {1}: no core of the kernel sets it",
                                           "let {2} set semaphore {3}, or remove the wait"};
constexpr Phrase<1> kBehindOwnWait{"the pipe that would end the wait is itself waiting{0}"};
constexpr Phrase<1> kPrimeLoop{
    "set the flag once before the loop at {0}, or move a set before the wait that blocks its own pipe"};
constexpr Sentence<0> kBounded{
    "analysis-bounded",
    "the kernel is too complex to be followed to its end without running it; the rest is not checked", ""};
constexpr Phrase<1> kStopsAtIdle{"the scalar unit stops at {0} until every pipe is idle, and no set was issued before"};
constexpr Phrase<1> kSetBehindWait{"its set is queued on {0} behind a wait that cannot end"};
constexpr Phrase<0> kStopsHere{"the scalar unit stops here, so no later set is ever issued"};
constexpr Phrase<1> kWaitedTooOften{"it is waited for {0} more than it is set"};
constexpr Phrase<0> kNoSetExists{"no set of this flag exists"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_ORDERSENTENCES_H
