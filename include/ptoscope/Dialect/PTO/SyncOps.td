//===- SyncOps.td - flags, barriers, buffer ids, fences ----------------------===//
// docs/isa/03-sync.md

#ifndef PTOSCOPE_PTO_SYNC_OPS
#define PTOSCOPE_PTO_SYNC_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

class PTO_SyncOp<string mnemonic, string parser, string printer> : PTO_CustomOp<mnemonic, parser, printer, PTO_Ordered>,
    PTO_NoData<"sync", "operand", "sync"> {
  let hasVerifier = 1;
}

class PTO_FlagOp<string mnemonic, string text, string event, string rule> : PTO_SyncOp<mnemonic, "parseFlag(parser, result)", "printFlag(printer, *this)"> {
  let summary = text;
  let arguments = (ins PTO_PipeAttr:$src, PTO_PipeAttr:$dst, StrAttr:$event, OptionalAttr<I64Attr>:$id);
  let constraints = ["S1: both pipes exist on the core", "S2: source and destination differ and are concrete pipes",
                     "S3: EVENT_ID0 to EVENT_ID7; other names get a free id of the pipe pair",
                     "S5: not inside a vector scope", rule];
  let aliases = [event];
  let syntax = ["pto." # mnemonic # "[\"PIPE_A\", \"PIPE_B\", \"EVENT_ID0\"]", "pto." # mnemonic # "[<PIPE_A>, <PIPE_B>, <EVENT_ID0>]",
                "pto." # mnemonic # "[#pto.pipe<PIPE_A>, #pto.pipe<PIPE_B>, #pto.event<EVENT_ID0>]",
                "pto." # event # "[#pto.pipe_event_type<TLOAD>, #pto.pipe_event_type<TVEC>, <EVENT_ID0>]"];
}
defvar PTO_SetRule = "S9: every set is waited for once; a second one before the wait, or one left over, is a warning";
defvar PTO_WaitRule = "S8: a wait whose set never comes is a deadlock";
def PTO_SetFlagOp : PTO_FlagOp<"set_flag", "signal a flag when the source pipe gets here", "record_event", PTO_SetRule>, PTO_Built;
def PTO_WaitFlagOp : PTO_FlagOp<"wait_flag", "block the destination pipe until the flag is set, and consume it", "wait_event", PTO_WaitRule>, PTO_Built;

class PTO_FlagDynOp<string mnemonic, string text, string rule> : PTO_SyncOp<mnemonic, "parseFlagDyn(parser, result)", "printFlagDyn(printer, *this)"> {
  let summary = text;
  let arguments = (ins PTO_PipeAttr:$src, PTO_PipeAttr:$dst, Index:$event);
  let constraints = ["S1: both pipes exist on the core", "S2: source and destination differ and are concrete pipes",
                     "S3: the id is 0 to 7", "S5: not inside a vector scope", rule];
  let syntax = ["pto." # mnemonic # "[#pto.pipe<PIPE_A>, #pto.pipe<PIPE_B>, %id]", "pto." # mnemonic # "[\"PIPE_A\", \"PIPE_B\", %id]"];
}
def PTO_SetFlagDynOp : PTO_FlagDynOp<"set_flag_dyn", "set_flag with a run-time event id", PTO_SetRule>;
def PTO_WaitFlagDynOp : PTO_FlagDynOp<"wait_flag_dyn", "wait_flag with a run-time event id", PTO_WaitRule>;

class PTO_EventArrayOp<string mnemonic, string text> : PTO_Op<mnemonic, PTO_Ordered>, PTO_NoData<"sync", "S", "scalar"> {
  let summary = text;
}
def PTO_DeclareEventIdArrayOp : PTO_EventArrayOp<"declare_eventid_array", "an array of event ids for the dynamic flags, none of them set"> {
  let description = [{
    Executing it again makes the array empty again. The array is used by
    `eventid_array_get` and `eventid_array_set` only; it cannot be passed on.
  }];
  let results = (outs PTO_EventIdArray:$array);
  let assemblyFormat = "attr-dict `->` type($array)";
  let constraints = ["S13: an array has 1 to 1024 elements, and only get and set use it"];
  let syntax = ["%a = pto.declare_eventid_array -> !pto.eventid_array<N>"];
  let hasVerifier = 1;
}
def PTO_EventIdArrayGetOp : PTO_EventArrayOp<"eventid_array_get", "read an event id that was set before"> {
  let arguments = (ins PTO_EventIdArray:$array, Index:$index);
  let results = (outs Index:$event);
  let assemblyFormat = "$array `[` $index `]` attr-dict `:` type($array)";
  let constraints = ["S14: the index is inside the array, and the element was set"];
  let syntax = ["%e = pto.eventid_array_get %a[%i] : !pto.eventid_array<N>"];
}
def PTO_EventIdArraySetOp : PTO_EventArrayOp<"eventid_array_set", "write an event id"> {
  let description = [{ Whether the number is an event id is looked at where a flag uses it. }];
  let arguments = (ins PTO_EventIdArray:$array, Index:$index, Index:$event);
  let assemblyFormat = "$array `[` $index `]` `,` $event attr-dict `:` type($array)";
  let constraints = ["S14: the index is inside the array"];
  let syntax = ["pto.eventid_array_set %a[%i], %e : !pto.eventid_array<N>"];
}

def PTO_BarrierOp : PTO_SyncOp<"barrier", "parseBarrier(parser, result)", "printBarrier(printer, *this)">, PTO_Built {
  let summary = "earlier instructions of the pipe end before later ones start";
  let description = [{ PIPE_ALL stops the scalar unit until every queue of the core is empty. }];
  let arguments = (ins PTO_PipeAttr:$target);
  let aliases = ["pipe_barrier", "barrier_sync"];
  let constraints = ["S1: the pipe exists on the core", "S5: not inside a vector scope"];
  let syntax = ["pto.barrier #pto.pipe<PIPE_X>", "pto.barrier <PIPE_X>", "pto.pipe_barrier \"PIPE_X\"", "pto.barrier #pto.pipe",
                "pto.barrier_sync[#pto.pipe_event_type<TVEC>]"];
}

class PTO_BufOp<string mnemonic, string text> : PTO_SyncOp<mnemonic, "parseBuf(parser, result)", "printBuf(printer, *this)"> {
  let summary = text;
  let arguments = (ins PTO_PipeAttr:$target, Optional<AnyInteger>:$id, Optional<AnyInteger>:$mode,
                       OptionalAttr<I64Attr>:$static_id, OptionalAttr<I64Attr>:$static_mode);
  let profiles = ["a5"];
  let traits = PTO_Ordered # [AttrSizedOperandSegments];
  let constraints = ["S1: the pipe exists on the core", "S4: id 0 to 31, mode 0 or 1, brackets of one pipe and id do not nest",
                     "S5: not inside a vector scope", "S11: only a5 has buffer ids"];
  let syntax = ["pto." # mnemonic # " \"PIPE_X\", %id, %mode : i64, i64", "pto." # mnemonic # " \"PIPE_X\", 0, 0",
                "pto." # mnemonic # " %id, \"PIPE_X\"", "pto." # mnemonic # " %id, \"PIPE_X\", %mode : i64, i64",
                "pto." # mnemonic # "[#pto.pipe_event_type<TLOAD>, 0]"];
}
def PTO_GetBufOp : PTO_BufOp<"get_buf", "the pipe waits for the releases of the buffer id issued before">;
def PTO_RlsBufOp : PTO_BufOp<"rls_buf", "release the buffer id when the pipe gets here">;

class PTO_BufDynOp<string mnemonic, string text> : PTO_SyncOp<mnemonic, "parseBufDyn(parser, result)", "printBufDyn(printer, *this)"> {
  let summary = text;
  let arguments = (ins PTO_PipeAttr:$target, Index:$id, Optional<AnyInteger>:$mode, OptionalAttr<I64Attr>:$static_mode);
  let profiles = ["a5"];
  let constraints = ["S1: the pipe exists on the core", "S4: id 0 to 31, mode 0 or 1, brackets of one pipe and id do not nest",
                     "S5: not inside a vector scope", "S11: only a5 has buffer ids"];
  let syntax = ["pto." # mnemonic # " \"PIPE_X\", %id, 0", "pto." # mnemonic # " \"PIPE_X\", %id",
                "pto." # mnemonic # " \"PIPE_X\", %id, %mode : i64", "pto." # mnemonic # "[#pto.pipe<PIPE_X>, %id, 0]"];
}
def PTO_GetBufDynOp : PTO_BufDynOp<"get_buf_dyn", "get_buf with a run-time id">;
def PTO_RlsBufDynOp : PTO_BufDynOp<"rls_buf_dyn", "rls_buf with a run-time id">;

//===----------------------------------------------------------------------===//
// Memory as a whole, and the cache of the scalar unit
//===----------------------------------------------------------------------===//

class PTO_ScalarSyncOp<string mnemonic, string text, string parser, string printer>
    : PTO_CustomOp<mnemonic, parser, printer, PTO_Ordered>, PTO_NoData<"sync", "S", "sync"> {
  let summary = text;
  let hasVerifier = 1;
}

def PTO_DsbOp : PTO_ScalarSyncOp<"dsb", "wait until earlier work on a memory has ended", "parseDsb(parser, result)", "printDsb(printer, *this)"> {
  let description = [{
    Stops the scalar unit until the pipes that reach the memory are idle: DDR
    those that reach GM, UB those that reach UB, ALL and SEQ every pipe.
  }];
  let arguments = (ins StrAttr:$memory);
  let profiles = ["a5"];
  let constraints = ["DSB-1: the memory is ALL, DDR, UB or SEQ", "S5: not inside a vector scope"];
  let syntax = ["pto.dsb \"DDR\"", "pto.dsb #pto.dsb_mem<DDR>"];
}

def PTO_DcciOp : PTO_ScalarSyncOp<"dcci", "write back and forget lines of the scalar unit's cache", "parseDcci(parser, result)", "printDcci(printer, *this)"> {
  let description = [{
    One line of 64 bytes, or every line. What the scalar unit stored there is in
    memory then, and it loads anew. No value changes here.
  }];
  let arguments = (ins PTO_AnyPtr:$ptr, StrAttr:$lines, OptionalAttr<StrAttr>:$dst);
  let profiles = ["a5"];
  let constraints = ["CACHE-3: the pointer is in gm or ub", "CACHE-4: the extent is SINGLE_CACHE_LINE or ENTIRE_DATA_CACHE, "
                     "the target CACHELINE_ALL, CACHELINE_UB, CACHELINE_OUT or CACHELINE_ATOMIC", "S5: not inside a vector scope"];
  let syntax = ["pto.dcci %p \"SINGLE_CACHE_LINE\", \"CACHELINE_OUT\" : !pto.ptr<T, gm>", "pto.dcci %p \"ENTIRE_DATA_CACHE\" : !pto.ptr<T, gm>"];
}

def PTO_CmoCacheInvalidOp : PTO_ScalarSyncOp<"cmo.cacheinvalid", "write back and forget lines of the scalar unit's cache", "parseCmo(parser, result)",
                                             "printCmo(printer, *this)"> {
  let description = [{ `dcci` of the tile level: one line, or everything that is cached of GM. }];
  let arguments = (ins Optional<AnyType>:$address, OptionalAttr<PTO_AddressSpaceAttr>:$space);
  let constraints = ["CACHE-5: what is invalidated is in gm: a pointer, a view, or the whole memory", "S5: not inside a vector scope"];
  let syntax = ["pto.cmo.cacheinvalid all #pto.address_space<gm>", "pto.cmo.cacheinvalid %p single_cache_line : !pto.ptr<T, gm>"];
}

def PTO_FenceBarrierAllOp : PTO_ScalarSyncOp<"fence.barrier_all", "drain every pipe, then wait for the memory", "parseFenceAll(parser, result)",
                                             "printFenceAll(printer, *this)"> {
  let description = [{ A PIPE_ALL barrier, and `dsb` of the memory that it names. Every pipe reaches a memory on chip, so that the words differ in nothing. }];
  let arguments = (ins StrAttr:$scope);
  let constraints = ["DSB-4: the scope is gm, all or local_memory", "S5: not inside a vector scope"];
  let syntax = ["pto.fence.barrier_all #pto.fence_scope<gm>"];
}

def PTO_MemBarOp : PTO_CustomOp<"mem_bar", "parseMemBar(parser, result)", "printMemBar(printer, *this)", PTO_Ordered> {
  let summary = "orders UB accesses of one vector scope";
  let arguments = (ins StrAttr:$kind);
  let family = "sync";
  let pipe = "V";
  let footprint = "fence";
  let definedness = "none";
  let timing = "fence";
  let profiles = ["a5"];
  let constraints = ["S5: only inside a vector scope", "S11: a5 only",
                     "S10: accesses of one scope to the same UB bytes, one of them a store, need a fence between them"];
  let syntax = ["pto.mem_bar \"VST_VLD\"", "pto.mem_bar #pto.membar<VST_VLD>"];
  let hasVerifier = 1;
}

#endif // PTOSCOPE_PTO_SYNC_OPS
