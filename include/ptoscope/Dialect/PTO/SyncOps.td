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
def PTO_SetFlagOp : PTO_FlagOp<"set_flag", "signal a flag when the source pipe gets here", "record_event", PTO_SetRule>;
def PTO_WaitFlagOp : PTO_FlagOp<"wait_flag", "block the destination pipe until the flag is set, and consume it", "wait_event", PTO_WaitRule>;

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

def PTO_BarrierOp : PTO_SyncOp<"barrier", "parseBarrier(parser, result)", "printBarrier(printer, *this)"> {
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
