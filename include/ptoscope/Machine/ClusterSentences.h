//===- ClusterSentences.h - what findings about clusters say ----*- C++ -*-===//
//
// Cores of a cluster and their signals, for C++ kernels. See Sentences.h.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_CLUSTERSENTENCES_H
#define PTOSCOPE_MACHINE_CLUSTERSENTENCES_H

#include "ptoscope/Machine/Words.h"

namespace ptoscope::say {

//===----------------------------------------------------------------------===//
// Launches, and what a kind of core does not have
//===----------------------------------------------------------------------===//

constexpr Sentence<1> kClusterRatio{"usage", "a launch with {0:vector core} for each cube core; a cluster has 1 or 2",
                                    "pass 1 or 2 as the last argument of `ptoscope::mixed`"};

constexpr const char *kCubeCore = "cube core", *kVectorCore = "vector core";
constexpr const char *coreText(CoreKind kind) { return kind == CoreKind::AIC ? kCubeCore : kVectorCore; }
constexpr const char *otherCoreText(CoreKind kind) { return kind == CoreKind::AIC ? kVectorCore : kCubeCore; }
constexpr const char *otherMacro(CoreKind kind) { return kind == CoreKind::AIC ? "__DAV_VEC__" : "__DAV_CUBE__"; }

/// The pipe, the core that runs, the core that has it, the macro of its pass.
constexpr Sentence<4> kPipeOfOtherCore{"core-kind", "{op} runs on {0}, which a {1} does not have",
                                       "call it in the program of the {2}, in the part that is compiled with `{3}`"};
constexpr Sentence<4> kPipeNamed{"core-kind", "{op} names {0}, which a {1} does not have", kPipeOfOtherCore.help};
/// The tile, its memory, the core that runs, the core that has it, the macro of its pass.
constexpr Sentence<5> kMemoryOfOtherCore{
    "core-kind", "{op} on a {2} uses {0} in {1}, a memory that only a {3} has",
    "use it in the program of the {3}, in the part that is compiled with `{4}`; tiles travel between cores through "
    "global memory or by TPUSH and TPOP"};
constexpr Sentence<2> kScalarOfOtherCore{"core-kind", "{op} on a {0} names a tile in a memory that only a {1} has",
                                         "read and write elements of a tile on the core that has it"};
constexpr Sentence<0> kNoSecondVector{
    "core-kind", "{op} writes UB of the second vector core; this launch has one vector core for each cube core",
    "launch with two vector cores, or name the first one"};

//===----------------------------------------------------------------------===//
// Signals
//===----------------------------------------------------------------------===//

/// Ids of a core, however many cores it hears of.
constexpr int64_t kSignalIds = 32;

constexpr Sentence<2> kIdModulo{
    "undefined-by-manual",
    "{op} names semaphore {0} on a vector core; ids count modulo 16 there, and it is taken as {1}",
    "write the id below 16: only a wait of the second vector core is known to name it so"};
constexpr Sentence<0> kLoneMessage{
    "undefined-by-manual",
    "{op} signals the cores of its kind in all blocks, and the launch has one block: only "
    "cores of this block are waited for",
    "launch several blocks, or use a signal inside the cluster"};
/// The id, the core whose flag it is, both modes.
constexpr Sentence<4> kTwoModes{
    "not-modelled", "{op} raises cross-core flag {0} of {1} in mode {2}; it is raised in mode {3} too",
    "use an id of its own for each mode: there is one counter, and a wait cannot tell whose set it has seen"};
constexpr Sentence<1> kTooManyKindFlags{
    "not-modelled", "more than {0} barriers and flags that join all blocks in one launch", "use fewer ids with mode 0"};
constexpr Sentence<1> kSignalTooManyBlocks{
    "too-many-blocks",
    "{op} in mode 0 joins all cores of a kind, and the {0} blocks of this launch do not run at the same time",
    "launch at most one block per core and let each loop over its share of the work"};
/// The id, the core, the count.
constexpr Sentence<3> kKindOverflow{"semaphore-overflow",
                                    "{op} raises cross-core flag {0} of {1}, set by all cores of its kind, to {2}; its "
                                    "counter has 4 bits",
                                    "wait for it once for every set"};
/// The id, whose flag it is, who sets it.
constexpr Phrase<3> kSignalBetween{"cross-core flag {0} of {1}, which {2} sets,"};

/// The word and what is wrong in it.
constexpr Sentence<2> kSignalBase{"signal-config",
                                  "the config word {0:hex} of {op} adds {1} to the flag; signals add 1",
                                  "build the word with `getFFTSMsg(mode, id)`, or as `1 | mode << 4 | id << 8`"};
constexpr Sentence<2> kSignalMode{
    "signal-config", "the config word {0:hex} of {op} has the mode {1}; there are 0, 1 and 2", kSignalBase.help};
constexpr Sentence<2> kModeOfA3{
    "not-on-profile", "{op} in mode {0} is a signal of a2 and a3",
    "use {1:`} inside a cluster of a5; the cube core names its second vector core by the id + 16"};
constexpr Sentence<0> kModeOfVectors{"core-kind",
                                     "{op} in mode 1 joins the vector cores of a cluster; a cube core sends it",
                                     "use mode 2 between cube core and vector cores"};
constexpr Sentence<2> kIntraBlockOfA5{"not-on-profile", "{op} is a signal of a5; the target is {0}", "use {1:`}"};
/// The id and the highest one.
constexpr Sentence<2> kSignalId{
    "semaphore-id-range", "flag id {0} is outside 0..{1} in {op}",
    "a core has the ids 0 to 15; on the cube core of a5 16 to 31 belong to the second vector core"};
constexpr Sentence<1> kSignalPipe{"operand-range", "{op} names {0}, on which no signal can wait or be sent",
                                  "name the pipe of the work before it, or the one that uses the data"};
constexpr Sentence<0> kAreaUnset{
    "ffts-base-unset", "{op} signals before `set_ffts_base_addr` was called on this core",
    "pass the address that `rtGetC2cCtrlAddr` gives to the kernel, and call `set_ffts_base_addr` with it first"};
constexpr Sentence<1> kReservedId{
    "signal-reserved", "{op} uses flag id {0}; `SYNCALL` of the same launch uses 11 to 14", "use another id"};
/// The id, the core, sets and waits.
constexpr Sentence<4> kSignalLeftover{"signal-leftover",
                                      "cross-core flag {0} of {1} is above 0 when the launch ends: {2:set}, {3:wait}",
                                      "wait once for every set"};

constexpr Sentence<1> kMixAlone{"syncall-mismatch", "{op} of core type Mix waits for {0}s, and the launch has none",
                                "launch with `ptoscope::mixed`, or use core type AIVOnly or AICOnly"};
constexpr Sentence<1> kCubesAlone{"syncall-cube-only",
                                  "{op} of core type AICOnly in a launch of cube cores alone hangs on {0} hardware",
                                  "launch a mixed kernel: only its cores know where signals go"};
constexpr Sentence<0> kSoftWorkspace{"unmapped-gm-address",
                                     "the workspace of {op} is not in a buffer of the launch that can be written",
                                     "pass `ptoscope::buffer(pointer, 16)` with zeros to the launch"};
constexpr Sentence<2> kSoftTooMany{"syncall-mismatch", "{op} counts {0} cores; the launch has {1} that take part",
                                   "pass the number of cores that take part, or launch more blocks"};
constexpr Sentence<2> kSoftCount{"syncall-count",
                                 "{op} counts {0} cores, and {1} of the launch take part: it lets some pass early",
                                 "pass the number of cores as the second argument"};
constexpr Sentence<2> kSoftNotZero{"syncall-mismatch",
                                   "the workspace of {op} holds {0} before the first core arrives, which is not "
                                   "a multiple of the {1} that take part",
                                   "clear the workspace before the launch"};
constexpr Sentence<2> kHandshakeCore{"core-kind", "{op} on a {0} is for the {1}",
                                     "the producer records and allocates, the consumer waits and frees"};
constexpr Sentence<0> kCrossToken{"not-modelled", "an Event between cores takes an id of its own",
                                  "declare it with `AutoToken` false, and call `Record<Id>()` and `Wait<Id>()`"};
constexpr Sentence<0> kCubeSubblocks{"cube-subblocks",
                                     "{op} gives 1 on a cube core, however many vector cores its cluster has",
                                     "pass the number to the kernel, or ask on the vector cores"};

constexpr Phrase<1> kForSignal{"cross-core flag {0}"};
constexpr Phrase<1> kForMessage{"message {0}"};
constexpr Phrase<1> kForCounter{"the counter of a soft barrier to reach {0}"};
constexpr Phrase<0> kRunsAloneHere{"this core has no partner in the launch, and no one sets its cross-core flags"};
/// A core that did, and where.
constexpr Phrase<2> kOtherHasSet{"; {0} has set it at {1}"};
constexpr Phrase<0> kNoOneArrives{"no core is left that could arrive"};
constexpr Phrase<0> kLaunchMixed{
    "launch the cores that signal together, with `ptoscope::launch(ptoscope::mixed(cube, vector), …)`: a function that "
    "is compiled for both kinds of cores runs one part after the other"};
constexpr Phrase<0> kCountArrivals{
    "let as many cores reach the barrier as take part in it, each equally often, and clear the workspace before"};
/// The signal, on which core, after what; the wait, on which core, before what.
/// Vector cores of a3: both send and both wait (XSYNC-7). The memory is last.
constexpr Phrase<5> kSignalVectorsCpp{
    "add {0:`} after {1} and {2:`} before {3}, on both vector cores, or keep their parts of {4} apart"};
/// Vector cores of a5: set, core and place, what AIC does, wait, core and place, the memory.
constexpr Phrase<9> kThroughCubeCpp{
    "vector cores do not signal each other: add {0:`} on {1} after {2}, let AIC pass it on by {3:`} and {4:`}, and add "
    "{5:`} on {6} before {7}, or keep their parts of {8} apart"};
constexpr Phrase<4> kReuseSignalCpp{
    "signal {0} from {1} after {2} and wait before {3}; all cross-core flags between them are in use, so reuse one "
    "whose wait comes before"};
constexpr Phrase<6> kSignalAcrossCpp{"add {0:`} on {1} after {2}, and {3:`} on {4} before {5}"};
/// A semaphore that was meant to order two cores, and whose it is.
constexpr Phrase<2> kSemaphoreUnwaited{"nothing waits for semaphore {0} of {1}, which is set here"};
constexpr Phrase<1> kWaitForSemaphore{"wait for the semaphore before {0}"};
constexpr Phrase<2> kSemaphoreSlip{"AIC sets semaphore {0} here, which nothing waits for, and never sets {1}"};
constexpr Phrase<2> kSemaphoreSlipHelp{"set semaphore {1} at {0}"};
constexpr Phrase<2> kWaitSlip{"{0} sets semaphore {1} of AIC here, which AIC never waits for"};
constexpr Phrase<2> kWaitSlipHelp{"wait for semaphore {0} here, not for {1}"};
/// The semaphore that is set and that of the other vector core, which is not, with whose they are.
constexpr Phrase<4> kOtherVectorUnset{"AIC sets semaphore {0}, of {1}, here and never sets {2}, of {3}"};
constexpr Phrase<3> kIssueBoth{
    "issue {0:`} and {1:`} on AIC after the work that {2} and the other vector core need, or remove the wait"};
/// Who, the line, and who waits.
constexpr Phrase<3> kSignalCpp{"issue {1:`} on {0} after the work that {2} needs, or remove the wait"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_CLUSTERSENTENCES_H
