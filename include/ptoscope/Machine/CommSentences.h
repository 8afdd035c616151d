//===- CommSentences.h - what findings between devices say ------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_COMMSENTENCES_H
#define PTOSCOPE_MACHINE_COMMSENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// "block 1 of rank 2", "rank 2".
constexpr Phrase<1> kRank{"rank {0}"};
constexpr Phrase<2> kBlockOfRank{"block {0} of rank {1}"};
constexpr Phrase<1> kEngineOf{"a transfer engine of {0}"};

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// The word, the comparison, the value that is wanted and the one that is there.
constexpr Phrase<4> kForWord{"{0} to be {1} {2} (it is {3})"};
constexpr Phrase<2> kSignalWord{"the signal at byte {0} of `{1}`"};
constexpr Phrase<1> kSignalElsewhere{"the signal at address {0:hex}, which is in no buffer"};
constexpr Phrase<0> kNoNotify{"no core that still runs will change it"};
constexpr Phrase<0> kNotifyIt{
    "let a rank `TNOTIFY` this word with a value that satisfies the wait; check the address (is it the window of "
    "the right rank?), the value, and that every rank takes part"};
constexpr Sentence<0> kPollsForEver{"livelock",
                                    "{op} polls global memory, and no core does anything that could change it",
                                    "let a rank `TNOTIFY` the word that is polled; check address and value"};
constexpr Sentence<2> kPlainSignal{
    "signal-plain-access", "{op} {0} bytes of {1} that `TNOTIFY` or `TWAIT` use as a signal",
    "signals are for `TNOTIFY`, `TWAIT` and `TTEST` alone: give them a place of their own, and let the host set "
    "them to zero before the launch"};
constexpr Phrase<1> kSignalUsed{"{0} uses it here"};

//===----------------------------------------------------------------------===//
// Races between devices
//===----------------------------------------------------------------------===//

/// Who, does what, to which memory, what else, of whom, does what.
constexpr Sentence<6> kDeviceRace{
    "race-blocks", "{op} of {0} {1} {2} bytes that {3} of {4} {5}, and nothing orders the two",
    "let the first one end its transfers (`pipe_barrier(PIPE_ALL)`) and `TNOTIFY`, and the other one `TWAIT` before it "
    "touches the bytes"};
/// The same, after a signal that was raised too early.
constexpr Sentence<7> kEarlySignal{
    "race-blocks",
    "{op} of {0} {1} {2} bytes that {3} of {4} {5}: `TNOTIFY` at {6} does not wait for it, so the signal may come "
    "first",
    "put `pipe_barrier(PIPE_ALL);` before `TNOTIFY`, or let the scalar unit wait for a flag from the pipe that moves "
    "the data"};
constexpr Phrase<3> kPartyDoes{"{0} {1} {2}"};
constexpr Phrase<2> kPartyDoesHere{"{0} {1} them here"};
constexpr Phrase<0> kNotifiesHere{"the signal is raised here, while the transfer may still run"};

//===----------------------------------------------------------------------===//
// Operands of transfers and collectives
//===----------------------------------------------------------------------===//

constexpr Sentence<3> kCommFlagUp{
    "comm-flag", "{op} uses the flag {0} -> {1} with id {2} itself, and the program has set it without a wait",
    "wait for the flag before, or use another id: these instructions use ids 0 and 1 between their own pipes"};
constexpr Sentence<2> kCommShapes{"comm-operand", "the tensors of {op} differ: {0} and {1}",
                                  "give both the same extents; the run goes on with those of the source"};
constexpr Sentence<3> kCommStrips{
    "comm-operand",
    "{op} moves {0} {1} in strips of {2}, which does not divide them, and the staging tile has fixed valid extents",
    "use a tile whose valid extents divide those of the tensor, or one with DYNAMIC valid extents; the run goes on "
    "with "
    "a shorter last strip"};
constexpr Sentence<1> kCommEmptyTile{"comm-operand", "the staging tile of {op} has no valid {0}: nothing can be moved",
                                     "give it at least one valid row and column"};
constexpr Sentence<2> kCommRoot{"comm-operand", "{op} names rank {0} as the root of a group of {1}",
                                "ranks are counted from 0"};
constexpr Sentence<1> kCommGroup{"comm-operand", "{op} has a group of {0} ranks", "a group has at least one member"};
constexpr Sentence<1> kCommPart{"comm-operand", "{op} is given {0}, fewer than the members of the group have together",
                                "the tensor at the root has as many rows in dimension 3 as all members together"};
constexpr Sentence<1> kCommLayout{
    "comm-operand", "{op} would have to cut a tensor of layout {0} into strips, which only ND and DN have",
    "use a staging tile that holds the whole tensor"};
constexpr Sentence<2> kNoSuchDevice{"comm-operand", "{op} names rank {0}; there are {1}, counted from 0",
                                    "check how the rank is computed"};

//===----------------------------------------------------------------------===//
// Asynchronous transfers
//===----------------------------------------------------------------------===//

/// The engine and the target.
constexpr Sentence<2> kEngineOfA5{"not-on-profile", "{op} opens a session of {0}, an engine of a5; the target is {1}",
                                  "use `DmaEngine::SDMA`, which every target has"};
constexpr Sentence<1> kAsyncNotStarted{"comm-async", "{op} starts nothing: {0}",
                                       "the event has handle 0, and its Wait returns true at once; use flat tensors of "
                                       "one element type, or TPUT and TGET"};
constexpr Sentence<1> kAsyncTooMany{"comm-async",
                                    "{op} starts transfer number {0} of a session, which holds 64 at once",
                                    "wait for an event of the session before; waiting for the last one is enough"};
constexpr Sentence<0> kAsyncNoSession{"comm-async", "{op} is given a session that BuildAsyncSession has not made",
                                      "call BuildAsyncSession first, and look at its result"};
constexpr Sentence<1> kAsyncLeft{"comm-async", "the kernel ends while {0:transfer} of a session may still run",
                                 "wait for the event of the last one"};

//===----------------------------------------------------------------------===//
// Worlds
//===----------------------------------------------------------------------===//

constexpr Phrase<1> kWindowOf{"window of rank {0}"};
constexpr Phrase<1> kWorkSpaceOf{"work space of rank {0}"};
constexpr Phrase<1> kContextOf{"context of rank {0}"};
constexpr Sentence<2> kWorldSize{"usage", "a world of {0} devices: there can be 1 to {1}", "ask for another number"};
constexpr Sentence<2> kWorldFull{"usage", "a window of {0} bytes has no room for {1} more",
                                 "ask for larger windows: `world(n, bytes)`"};
constexpr Sentence<1> kWorldBlocks{"usage", "{0} blocks on each device: there has to be at least one", ""};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_COMMSENTENCES_H
