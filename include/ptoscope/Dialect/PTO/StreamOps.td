//===- StreamOps.td - unaligned stores ---------------------------------------===//
// STREAM-1 to STREAM-7 and ALIGN-1 to ALIGN-5 of docs/isa/10-vector-memory.md. A
// state holds the bytes of a stream that do not fill a 32-byte block yet; the
// rules of its chain are checked by pto-verify-program.

#ifndef PTOSCOPE_PTO_STREAM_OPS
#define PTOSCOPE_PTO_STREAM_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

defvar PTO_ModeRule = "MODE-1: the mode is POST_UPDATE or NO_POST_UPDATE";
defvar PTO_ChainRules = PTO_StateRules # [PTO_FlushRule, PTO_ChainCarrier];

class PTO_StreamOp<string mnemonic, string text, string signature, string verify>
    : PTO_TextOp<mnemonic, text, signature, verify, PTO_Ordered> {
  let family = "vstore-unaligned";
  let footprint = "stream";
  let definedness = "copy";
  let timing = "vst";
  let profiles = ["a5"];
  list<string> rules = PTO_ChainRules # ["ADDR-2: the pointer addresses ub", "ADDR-4: every byte it writes lies in UB"];
  // What a flush writes was looked at when it was pushed (STREAM-7).
  list<string> flushRules = PTO_StateRules # [PTO_FlushRule, "ADDR-2: the pointer addresses ub"];
}

def PTO_InitAlignOp : PTO_StreamOp<"init_align", "the empty state: the start of an unaligned store", "-> align", "success()"> {
  let arguments = (ins);
  let results = (outs PTO_Align:$state);
  let footprint = "none";
  let definedness = "define";
  let constraints = [PTO_ChainStart, PTO_ChainCarrier];
  let syntax = ["%a = pto.init_align : !pto.align"];
}

def PTO_SprclrOp : PTO_StreamOp<"sprclr", "clear the displacement register AR", "@spr", "verifySprclr(*this)"> {
  let arguments = (ins StrAttr:$spr);
  let family = "control";
  let footprint = "none";
  let definedness = "none";
  let timing = "predicate";
  let constraints = ["SCOPE-1: it stands in a vector scope", "SPR-1: the register is AR"];
  let syntax = ["pto.sprclr \"AR\""];
}

class PTO_SpecialStoreOp<string mnemonic, string text, string unit, list<string> others>
    : PTO_TextOp<mnemonic, text, "@spr buffer [i32 -> ptr?", "verifySpecialStore(*this)", PTO_Ordered> {
  let description = "The offset counts " # unit # ". The form with a pointer result stores at `%dst` and returns `%dst` + the offset.";
  let arguments = (ins StrAttr:$spr, PTO_AnyPtr:$dst, I32:$offset);
  let results = (outs Optional<PTO_AnyPtr>:$next);
  let family = "vstore";
  let footprint = "vector-store";
  let definedness = "define";
  let timing = "vst";
  let profiles = ["a5"];
  let constraints = ["SCOPE-1: it stands in a vector scope", "SPR-1: the register is AR", "SPR-3: the pointer has ui32 or i32 elements",
                     "ADDR-2: the pointer addresses ub", "ADDR-4: every byte it writes lies in UB", "SPR-5: the address is aligned to 4 bytes",
                     "POST-1: the pointer result has the type of the base"] # others;
  let syntax = ["pto." # mnemonic # " \"AR\", %dst[%off] : !pto.ptr<ui32, ub>, i32",
                "%p = pto." # mnemonic # " \"AR\", %dst[%off] : !pto.ptr<ui32, ub>, i32 -> !pto.ptr<ui32, ub>"];
}
def PTO_SprstiOp : PTO_SpecialStoreOp<"sprsti", "store AR to UB at a constant offset", "words of 4 bytes",
                                      ["SPR-4: the offset is a constant from -128 to 127"]>;
def PTO_SprstsOp : PTO_SpecialStoreOp<"sprsts", "store AR to UB", "bytes", []>;

def PTO_VstusOp : PTO_StreamOp<"vstus", "append the first elements of a register to a stream",
    "align i32 vreg ptr @mode? -> align ptr? | align ptr:3 vreg:2 ptr:=3 i32:1 mode=POST_UPDATE -> align ptr", "verifyVstus(*this)"> {
  let description = [{
    Stores `%count` elements at `%base`. A pointer result is `%base + %count`,
    with NO_POST_UPDATE `%base`. In the five-operand form the first pointer is the
    stream, the second one names the buffer and is not used.
  }];
  let arguments = (ins PTO_Align:$state, I32:$count, PTO_VReg:$value, PTO_AnyPtr:$base, OptionalAttr<StrAttr>:$mode);
  let results = (outs PTO_Align:$next_state, Optional<PTO_AnyPtr>:$next);
  let elements = PTO_AllElements;
  let constraints = rules # [PTO_ModeRule, "ADDR-1: pointer and register elements have the same size", "POST-1: the pointer result has the type of the base"];
  let syntax = ["%a2 = pto.vstus %a, %count, %v, %base : !pto.align, i32, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align",
                "%a2, %p = pto.vstus %a, %count, %v, %base : !pto.align, i32, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align, !pto.ptr<T, ub>",
                "%a2, %p = pto.vstus %a, %count, %v, %base, \"POST_UPDATE\" : !pto.align, i32, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align, !pto.ptr<T, ub>",
                "%a2, %p = pto.vstus %a, %base, %v, %dst, %count : !pto.align, !pto.ptr<T, ub>, !pto.vreg<NxT>, !pto.ptr<T, ub>, i32 -> !pto.align, !pto.ptr<T, ub>"];
}

def PTO_VstuOp : PTO_TextOp<"vstu", "append a register to a stream",
    "align index:3 vreg:1 ptr:2 @mode -> align index | align ptr:2 vreg:1 ptr:=2 index:4 -> align ptr", "verifyVstu(*this)",
    PTO_Ordered # [AttrSizedOperandSegments]> {
  let description = [{
    The offset form stores at `%base + %offset` elements and returns the next
    offset; the pointer form stores at `%base` and returns the next pointer if the
    last operand is not 0.
  }];
  let arguments = (ins PTO_Align:$state, PTO_VReg:$value, PTO_AnyPtr:$base, Optional<Index>:$offset, Optional<Index>:$post,
                       OptionalAttr<StrAttr>:$mode);
  let results = (outs PTO_Align:$next_state, AnyTypeOf<[PTO_AnyPtr, Index]>:$next);
  let family = "vstore-unaligned";
  let footprint = "stream";
  let definedness = "copy";
  let timing = "vst";
  let profiles = ["a5"];
  let elements = PTO_AllElements;
  let constraints = PTO_ChainRules # [PTO_ModeRule, "ADDR-1: pointer and register elements have the same size", "ADDR-2: the pointer addresses ub",
                                      "ADDR-4: every byte it writes lies in UB", "POST-1: the pointer result has the type of the base"];
  let syntax = ["%a2, %o2 = pto.vstu %a, %o, %v, %base, \"POST_UPDATE\" : !pto.align, index, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align, index",
                "%a2, %p = pto.vstu %a, %base, %v, %dst, %mode : !pto.align, !pto.ptr<T, ub>, !pto.vreg<NxT>, !pto.ptr<T, ub>, index -> !pto.align, !pto.ptr<T, ub>"];
}

def PTO_VsturOp : PTO_StreamOp<"vstur", "append the squeezed lanes of a register to a stream", "align vreg ptr @mode? -> align", "verifyVstur(*this)"> {
  let description = [{ Stores what `vsqz` left, at `%base` + AR bytes; POST_UPDATE adds the bytes stored to AR. }];
  let arguments = (ins PTO_Align:$state, PTO_VReg:$value, PTO_AnyPtr:$base, DefaultValuedStrAttr<StrAttr, "NO_POST_UPDATE">:$mode);
  let results = (outs PTO_Align:$next_state);
  let elements = PTO_AllElements;
  let constraints = rules # [PTO_ModeRule, "ADDR-1: pointer and register elements have the same size"];
  let syntax = ["%a2 = pto.vstur %a, %v, %base, \"POST_UPDATE\" : !pto.align, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align",
                "%a2 = pto.vstur %a, %v, %base : !pto.align, !pto.vreg<NxT>, !pto.ptr<T, ub> -> !pto.align"];
}

def PTO_PstuOp : PTO_StreamOp<"pstu", "append a mask to a stream, one bit per lane", "align mask ptr -> align ptr", "verifyPstu(*this)"> {
  let arguments = (ins PTO_Align:$state, PTO_Mask:$mask, PTO_AnyPtr:$base);
  let results = (outs PTO_Align:$next_state, PTO_AnyPtr:$next);
  let profiles = ["a5", "a3", "a2"];
  let constraints = rules # ["POST-1: the pointer result has the type of the base",
                             "PSTU-1: b8, b16 and b32 masks go with 8-, 16- and 32-bit signless or unsigned pointer elements"];
  let syntax = ["%a2, %p = pto.pstu %a, %m, %base : !pto.align, !pto.mask<b32>, !pto.ptr<ui32, ub> -> !pto.align, !pto.ptr<ui32, ub>"];
}

def PTO_VstasOp : PTO_StreamOp<"vstas", "flush a stream that ends at an element offset", "align buffer i32 -> ptr?", "verifyFlush(*this)"> {
  let description = [{ The form with a pointer result returns `%dst + %off`; the stream may end at `%dst` then, too. }];
  let arguments = (ins PTO_Align:$state, PTO_AnyPtr:$dst, I32:$offset);
  let results = (outs Optional<PTO_AnyPtr>:$next);
  let constraints = flushRules # ["POST-1: the pointer result has the type of the base"];
  let syntax = ["pto.vstas %a, %dst, %off : !pto.align, !pto.ptr<T, ub>, i32",
                "%p = pto.vstas %a, %dst, %off : !pto.align, !pto.ptr<T, ub>, i32 -> !pto.ptr<T, ub>"];
}

def PTO_VstaOp : PTO_StreamOp<"vsta", "flush a stream that ends at an element offset", "align buffer [index", "verifyFlush(*this)"> {
  let arguments = (ins PTO_Align:$state, PTO_AnyPtr:$dst, Index:$offset);
  let constraints = flushRules;
  let syntax = ["pto.vsta %a, %dst[%off] : !pto.align, !pto.ptr<T, ub>, index"];
}

def PTO_VstarOp : PTO_StreamOp<"vstar", "flush a stream that ends at AR", "align buffer", "verifyFlush(*this)"> {
  let arguments = (ins PTO_Align:$state, PTO_AnyPtr:$dst);
  let constraints = flushRules;
  let syntax = ["pto.vstar %a, %dst : !pto.align, !pto.ptr<T, ub>"];
}

#endif // PTOSCOPE_PTO_STREAM_OPS
