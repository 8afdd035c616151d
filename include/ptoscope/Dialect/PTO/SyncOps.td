//===- SyncOps.td - flags, barriers, buffer ids, fences ----------------------===//
// isa/03-sync.md

#ifndef PTOSCOPE_PTO_SYNC_OPS
#define PTOSCOPE_PTO_SYNC_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

class PTO_SyncOp<string mnemonic, string parser, string printer> : PTO_CustomOp<mnemonic, parser, printer, PTO_Ordered> {
  let family = "sync";
  let pipe = "operand";
  let footprint = "none";
  let definedness = "none";
  let timing = "sync";
  let hasVerifier = 1;
}

class PTO_FlagOp<string mnemonic, string text, string event> : PTO_SyncOp<mnemonic, "parseFlag(parser, result)", "printFlag(printer, *this)"> {
  let summary = text;
  let arguments = (ins PTO_PipeAttr:$src, PTO_PipeAttr:$dst, StrAttr:$event, OptionalAttr<I64Attr>:$id);
  let constraints = ["S1: both pipes exist on the core", "S2: source and destination differ and are concrete pipes",
                     "S3: EVENT_ID0 to EVENT_ID7; other names get a free id of the pipe pair"];
  let aliases = [event];
  let syntax = ["pto." # mnemonic # "[\"PIPE_A\", \"PIPE_B\", \"EVENT_ID0\"]", "pto." # mnemonic # "[<PIPE_A>, <PIPE_B>, <EVENT_ID0>]",
                "pto." # mnemonic # "[#pto.pipe<PIPE_A>, #pto.pipe<PIPE_B>, #pto.event<EVENT_ID0>]",
                "pto." # event # "[#pto.pipe_event_type<TLOAD>, #pto.pipe_event_type<TVEC>, <EVENT_ID0>]"];
}
def PTO_SetFlagOp : PTO_FlagOp<"set_flag", "signal a flag when the source pipe gets here", "record_event">;
def PTO_WaitFlagOp : PTO_FlagOp<"wait_flag", "block the destination pipe until the flag is set, and consume it", "wait_event">;

class PTO_FlagDynOp<string mnemonic, string text> : PTO_SyncOp<mnemonic, "parseFlagDyn(parser, result)", "printFlagDyn(printer, *this)"> {
  let summary = text;
  let arguments = (ins PTO_PipeAttr:$src, PTO_PipeAttr:$dst, Index:$event);
  let constraints = ["S1: both pipes exist on the core", "S2: source and destination differ and are concrete pipes"];
  let syntax = ["pto." # mnemonic # "[#pto.pipe<PIPE_A>, #pto.pipe<PIPE_B>, %id]", "pto." # mnemonic # "[\"PIPE_A\", \"PIPE_B\", %id]"];
}
def PTO_SetFlagDynOp : PTO_FlagDynOp<"set_flag_dyn", "set_flag with a run-time event id">;
def PTO_WaitFlagDynOp : PTO_FlagDynOp<"wait_flag_dyn", "wait_flag with a run-time event id">;

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
  let constraints = ["S4: id 0 to 31, mode 0 or 1, brackets of one pipe and id do not nest"];
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
  let constraints = ["S5: only inside a vector scope"];
  let syntax = ["pto.mem_bar \"VST_VLD\"", "pto.mem_bar #pto.membar<VST_VLD>"];
  let hasVerifier = 1;
}

#endif // PTOSCOPE_PTO_SYNC_OPS
