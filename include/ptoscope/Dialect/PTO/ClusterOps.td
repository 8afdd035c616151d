//===- ClusterOps.td - signals between cores, barriers over a launch ---------===//
// docs/isa/03-sync.md: SYNCALL-*, SEM-*

#ifndef PTOSCOPE_PTO_CLUSTER_OPS
#define PTOSCOPE_PTO_CLUSTER_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

class PTO_ClusterOp<string mnemonic, string parser, string printer, list<Trait> traits = []>
    : PTO_CustomOp<mnemonic, parser, printer, PTO_Ordered # traits>, PTO_NoData<"cluster-sync", "operand", "sync"> {
  let hasVerifier = 1;
}

class PTO_SemaphoreOp<string mnemonic, string text, string ids, list<string> others> : PTO_ClusterOp<mnemonic,
    "parseSemaphore(parser, result)", "printSemaphore(printer, *this)"> {
  let summary = text;
  let arguments = (ins PTO_PipeAttr:$target, Optional<Index>:$id, OptionalAttr<I64Attr>:$static_id);
  let constraints = ["S1: the pipe exists on the core", "S5: not inside a vector scope", "S6: on a5 the pipe is FIX, MTE1, MTE2, MTE3 or V; " # ids];
  let syntax = ["pto." # mnemonic # " <PIPE_X>, 1", "pto." # mnemonic # " #pto.pipe<PIPE_X>, %i"] # others;
}
class PTO_SyncPairOp<string mnemonic, string text> : PTO_SemaphoreOp<mnemonic, text,
    "ids 0 to 31 on a5, 0 to 15 elsewhere and as messages; ffts_mode 0 to 2", ["pto." # mnemonic # " #pto.pipe<PIPE_X>, %i {ffts_mode = 2 : i32}"]> {
  let description = [{
    A cube core sets semaphore n below 16 of the first vector core and n - 16 of
    the second; vector core k sets semaphore n + 16 k of the cube core. A wait
    stalls the named pipe of its core until the semaphore is above 0, and takes 1.
    On a3 and a2, and where a kernel names an `ffts_mode`, they are messages: mode
    2 joins the cube core and both vector cores, 1 the vector cores, 0 all blocks.
  }];
}
def PTO_SyncSetOp : PTO_SyncPairOp<"sync.set", "signal another core of the cluster when the pipe gets here">;
def PTO_SyncWaitOp : PTO_SyncPairOp<"sync.wait", "stall the pipe until another core has signalled">;

class PTO_CrossBlockOp<string mnemonic, string text> : PTO_SemaphoreOp<mnemonic, text, "ids 0 to 15", []> {
  let description = [{ A message of mode 0: it counts when every core of the sender's kind, of all blocks, has sent it. }];
}
def PTO_SetCrossBlockOp : PTO_CrossBlockOp<"set_cross_block", "signal the cores of one kind in every block when the pipe gets here">;
def PTO_WaitCrossBlockOp : PTO_CrossBlockOp<"wait_cross_block", "stall the pipe until the cores of one kind of every block have signalled">;

class PTO_IntraOp<string mnemonic, string text, string other> : PTO_ClusterOp<mnemonic,
    "parseIntra(parser, result)", "printIntra(printer, *this)"> {
  let summary = text;
  let description = [{
    With a pipe it sets or takes a semaphore of the cluster, as `sync.set` and
    `sync.wait` do; on a3 and a2 it is a message of mode 2. With two numbers, on
    a5, the first one is taken as a pipe number if it is a constant that names one;
    otherwise the set drains every pipe first and the wait stops the scalar unit.
  }];
  let arguments = (ins OptionalAttr<PTO_PipeAttr>:$target, Variadic<AnyTypeOf<[I64, Index]>>:$words, OptionalAttr<I64Attr>:$static_id);
  let aliases = [other];
  let constraints = ["S6: on a5 the pipe is FIX, MTE1, MTE2, MTE3 or V; ids 0 to 31, 0 to 15 on a3 and a2",
                     "S11: the form without a pipe is for a5 only"];
  let syntax = ["pto." # mnemonic # " <PIPE_X>, 0", "pto." # mnemonic # " #pto.pipe<PIPE_X>, %i", "pto." # mnemonic # " %block, %event : i64, i64",
                "pto." # mnemonic # " \"PIPE_X\", %event : i64"];
}
def PTO_SetIntraBlockOp : PTO_IntraOp<"set_intra_block", "signal another core of the cluster", "set_intra_core">;
def PTO_WaitIntraCoreOp : PTO_IntraOp<"wait_intra_core", "wait for another core of the cluster", "wait_intra_block">;

class PTO_CrossCoreOp<string mnemonic, string text, list<string> others> : PTO_ClusterOp<mnemonic,
    "parseCrossCore(parser, result)", "printCrossCore(printer, *this)"> {
  let summary = text;
  let description = [{ The core operand has no meaning inside a cluster. }];
  let arguments = (ins Variadic<I64>:$words);
  let profiles = ["a3", "a2"];
  let aliases = others;
  let constraints = ["S6: ids 0 to 15", "S11: a3 and a2 only"];
  let syntax = ["pto." # mnemonic # " %core, %event : i64, i64", "pto." # mnemonic # " %event : i64"];
}
def PTO_SetCrossCoreOp : PTO_CrossCoreOp<"set_cross_core", "signal: cube to both vector cores, or both vector cores to cube", []>;
def PTO_WaitFlagDevOp : PTO_CrossCoreOp<"wait_flag_dev", "the whole core waits for a signal", ["wait_cross_core"]> {
  let aliasProfiles = ["wait_cross_core a5 a3 a2"];
}

def PTO_SetFftsOp : PTO_Op<"set_ffts", PTO_Ordered>, PTO_NoData<"cluster-sync", "S", "config"> {
  let summary = "base address of the message area of cross-core signals; recorded only";
  let description = [{ Signals need no message area here. The address must lie in a buffer of the launch. }];
  let arguments = (ins PTO_AnyPtr:$area);
  let sets = "FFTS_BASE";
  let assemblyFormat = "$area attr-dict `:` type($area)";
  let elements = ["i64", "i8"];
  let profiles = ["a3", "a2"];
  let constraints = ["S11: a3 and a2 only", "S15: the area is in gm and has i64 or i8 elements"];
  let syntax = ["pto.set_ffts %area : memref<256xi64>", "pto.set_ffts %area : !pto.ptr<i64, gm>"];
  let hasVerifier = 1;
}

def PTO_SyncAllOp : PTO_ClusterOp<"syncall", "parseSyncAll(parser, result)", "printSyncAll(printer, *this)"> {
  let summary = "barrier over the cores of all blocks";
  let description = [{
    Every participating core drains its pipes, arrives, and goes on when all have
    arrived. The soft form names a work space in gm, in the older form those of
    the cores too, which the barrier does not touch here, and may end with the
    number of cores that take part.
  }];
  let arguments = (ins Variadic<AnyType>:$workspaces, PTO_SyncAllModeAttr:$mode, PTO_SyncCoreTypeAttr:$core_type);
  let constraints = ["S12: the hard form has no operands; the soft form has a work space of at least 16 i32 in gm, in the older form "
                     "work spaces in gm and ub (aiv_only), gm and l1 (aic_only) or gm, ub and l1 (mix), and may end with an i32 number of cores"];
  let syntax = ["pto.syncall(%gm, %n : !pto.ptr<i32, gm>, i32) mode = #pto.sync_all_mode<soft>, core_type = #pto.sync_core_type<mix>",
                "pto.syncall() mode = #pto.sync_all_mode<hard>, core_type = #pto.sync_core_type<aiv_only>",
                "pto.syncall(%gm, %ub, %n : !pto.ptr<i32, gm>, !pto.ptr<i32, ub>, i32) mode = #pto.sync_all_mode<soft>, "
                "core_type = #pto.sync_core_type<aiv_only>"];
}

#endif // PTOSCOPE_PTO_CLUSTER_OPS
