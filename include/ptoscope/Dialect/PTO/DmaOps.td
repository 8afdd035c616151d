//===- DmaOps.td - transfers between GM, UB and L1 ---------------------------===//
// docs/isa/02-dma.md

#ifndef PTOSCOPE_PTO_DMA_OPS
#define PTOSCOPE_PTO_DMA_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"
include "ptoscope/Dialect/PTO/CubeInterface.td"
include "ptoscope/Dialect/PTO/TransferInterface.td"

//===----------------------------------------------------------------------===//
// Legacy configuration registers
//===----------------------------------------------------------------------===//

class PTO_RegisterPairOp<string mnemonic, string text, string first, string second> : PTO_Op<mnemonic, PTO_Ordered>,
    PTO_NoData<"dma-config", "S", "config"> {
  let summary = text;
  let description = [{ The register keeps its value until it is set again; a copy captures it when it is issued. }];
  let arguments = (ins I64:$first, I64:$second);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `,` type($second)";
  let sets = !toupper(!subst("set_", "", mnemonic));
  let profiles = ["a5"];
  let syntax = ["pto." # mnemonic # " %" # first # ", %" # second # " : i64, i64"];
}
def PTO_SetLoopSizeOutToUbOp : PTO_RegisterPairOp<"set_loop_size_outtoub", "loop counts of GM to UB copies", "loop1", "loop2">;
def PTO_SetLoop1StrideOutToUbOp : PTO_RegisterPairOp<"set_loop1_stride_outtoub", "inner loop steps of GM to UB copies, in bytes", "src", "dst">;
def PTO_SetLoop2StrideOutToUbOp : PTO_RegisterPairOp<"set_loop2_stride_outtoub", "outer loop steps of GM to UB copies, in bytes", "src", "dst">;
def PTO_SetLoopSizeUbToOutOp : PTO_RegisterPairOp<"set_loop_size_ubtoout", "loop counts of UB to GM copies", "loop1", "loop2">;
def PTO_SetLoop1StrideUbToOutOp : PTO_RegisterPairOp<"set_loop1_stride_ubtoout", "inner loop steps of UB to GM copies, in bytes", "src", "dst">;
def PTO_SetLoop2StrideUbToOutOp : PTO_RegisterPairOp<"set_loop2_stride_ubtoout", "outer loop steps of UB to GM copies, in bytes", "src", "dst">;

def PTO_SetMovPadValOp : PTO_Op<"set_mov_pad_val", PTO_Ordered>, PTO_NoData<"dma-config", "S", "config"> {
  let summary = "pad pattern of GM to UB copies";
  let sets = "MOV_PAD_VAL";
  let arguments = (ins PTO_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let elements = ["i8", "i16", "i32", "f16", "bf16", "f32"];
  let constraints = ["D12: the pad value is i8, i16, i32, f16, bf16 or f32"];
  let syntax = ["pto.set_mov_pad_val %v : T"];
  let hasVerifier = 1;
}

class PTO_PackedRegisterOp<string mnemonic, string text, string fields> : PTO_Op<mnemonic, PTO_Ordered>,
    PTO_NoData<"cube-config", "S", "config"> {
  let summary = text;
  let description = [{ One packed word: }] # fields # [{. Other bits belong to no field and are ignored, with a warning.
    The register keeps its value until it is set again; `copy_gm_to_cbuf` captures it when it is issued. }];
  let arguments = (ins I64:$word);
  let assemblyFormat = "$word attr-dict `:` type($word)";
  let sets = !toupper(!subst("set_", "", mnemonic));
  let profiles = ["a5"];
  let syntax = ["pto." # mnemonic # " %word : i64"];
}
def PTO_SetLoopSizeOutToL1Op : PTO_PackedRegisterOp<"set_loop_size_outtol1", "loop counts of GM to L1 copies",
                                                    "inner count in bits 20:0, outer count in bits 41:21">;
def PTO_SetLoop1StrideOutToL1Op : PTO_PackedRegisterOp<"set_loop1_stride_outtol1", "inner loop steps of GM to L1 copies, in bytes",
                                                       "GM step in bits 39:0, L1 step in bits 60:40">;
def PTO_SetLoop2StrideOutToL1Op : PTO_PackedRegisterOp<"set_loop2_stride_outtol1", "outer loop steps of GM to L1 copies, in bytes",
                                                       "GM step in bits 39:0, L1 step in bits 60:40">;

def PTO_SetPadValOutToL1Op : PTO_Op<"set_pad_val_outtol1", PTO_Ordered>, PTO_NoData<"cube-config", "S", "config"> {
  let summary = "pad value of GM to L1 copies; recorded only";
  let sets = "PAD_VAL_OUTTOL1";
  let description = [{
    No text says which bytes of L1 are padded, so none are. `copy_gm_to_cbuf`
    with rows that end inside a 32-byte block warns when the register was set.
  }];
  let arguments = (ins PTO_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let profiles = ["a5"];
  let elements = ["i8", "i16", "i32", "i64", "f16", "bf16", "f32"];
  let constraints = ["D12: the pad value is i8, i16, i32, i64, f16, bf16 or f32"];
  let syntax = ["pto.set_pad_val_outtol1 %v : T"];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// A transfer of rows. Its operands are named by what they are, in the words of
/// `roles` in scripts/instr_table.py: src, dst, len (of a row), count (of rows),
/// src_step, dst_step (from row to row), loops (triples of count and steps, in
/// bytes), pad …; everything that looks at a transfer asks for an operand by its
/// role. `form` is the text: "Copy" for a flat operand list, "Mte" for groups.
/// The labels are those of docs/isa/02-dma.md and 03-sync.md. Rows that
/// gaps keep apart cannot overlap (D14). D1, D2 and D12 are
/// decided on the text, the others when the transfer is issued.
class PTO_TransferOp<string mnemonic, string form, string onPipe, list<string> spaces, string model,
                     list<string> labels = [], list<Trait> segments = []>
    : PTO_CustomOp<mnemonic, "parse" # form # "(parser, result)", "print" # form # "(printer, *this)",
                   PTO_Ordered # segments # [PTO_TransferOpInterface]> {
  /// Source space and destination space.
  list<string> path = spaces;
  /// How rows follow each other: "stride" (from start to start) or "gap" (what is
  /// skipped after a row).
  string steps = model;
  /// Bytes that lengths and steps of rows count on a5, a3 and a2: 1 for strides, a
  /// multiple of 32 for gaps.
  list<int> units = !if(!eq(model, "gap"), [32, 32, 32], [1, 1, 1]);
  /// Configuration registers it takes when it is issued, each a PtoRegister
  /// without PTO_REG_: loop sizes, inner steps, outer steps, then others.
  list<string> reads = [];
  /// What its elements have to do with each other; empty: nothing.
  list<string> elementLabels = ["D2: both elements have the same size"];

  defvar gap = !eq(model, "gap");
  defvar fromGm = !eq(spaces[0], "gm");
  defvar toGm = !eq(spaces[1], "gm");
  let family = "dma";
  let pipe = onPipe;
  let footprint = "transfer";
  let definedness = "copy";
  let timing = !if(fromGm, "load", !if(toGm, "store", "move"));
  let constraints = ["D1: source in " # spaces[0] # ", destination in " # spaces[1]] # elementLabels #
    ["D3: on-chip addresses are multiples of 32" #
         !if(!or(!eq(spaces[1], "bt"), !eq(spaces[1], "fb")), ", in " # spaces[1] # " of 64", "")] #
    !if(gap, [], ["D4: on-chip strides are multiples of 32 in every dimension that runs more than once"]) #
    ["D5: a length or count of 0 moves nothing", "D6: no operand is negative",
     !if(gap, "D7: length, row count and gaps have 16 bits",
         "D7: length and row count have 16 bits (21 in the encoding), loop counts and on-chip strides 21, GM strides 40"),
     "D8: the bytes on chip lie inside their memory"] #
    !if(!or(fromGm, toGm), ["D9: the bytes in GM lie inside their buffer"], []) #
    ["D10: the stride of a dimension that runs once has no effect"] #
    !if(fromGm, ["D11: GM rows that overlap are read again; stride 0 repeats a row"], []) #
    !if(toGm, ["D11: GM rows that overlap are a warning; the last one in loop order remains"], []) #
    labels # ["D13: undefined bytes are carried along"] #
    !if(!or(toGm, gap), [], ["D14: on-chip rows of one transfer do not overlap"]) #
    ["S7: accesses to the same bytes, one of them a write, are ordered by synchronisation"];
  let hasVerifier = 1;
  string verifyBody = "::llvm::LogicalResult $cppClass::verify() { return verifyTransfer(*this); }\n";
  let extraClassDefinition = customDefinitions # verifyBody;
}

/// A load of bias. Where it widens it is no transfer of rows (CubeOpInterface).
class PTO_BiasLoad {
  list<Trait> traits = PTO_Ordered # [PTO_TransferOpInterface, DeclareOpInterfaceMethods<PTO_CubeOpInterface>];
  list<int> units = [32, 64, 64];
  list<string> elements = ["i32", "f32", "f16", "bf16"];
  list<string> elementLabels = ["BIAS-5: i32 to i32, f32 to f32, f16 or bf16 to f32"];
  string bindBody = [{
    bool $cppClass::bindCube(::ptoscope::pto::CubeBinding &binding) { return bindBias(*this, binding); }
    ::llvm::ArrayRef<::ptoscope::Space> $cppClass::getPointerSpaces() {
      static constexpr ::ptoscope::Space kSpaces[] = {::ptoscope::Space::L1, ::ptoscope::Space::Bt};
      return kSpaces;
    }
  }];
}

/// The loop registers of a direction.
class PTO_LoopRegisters<string direction> {
  list<string> names = ["LOOP_SIZE_" # direction, "LOOP1_STRIDE_" # direction, "LOOP2_STRIDE_" # direction];
}

//===----------------------------------------------------------------------===//
// Legacy copies
//===----------------------------------------------------------------------===//

class PTO_CopyOp<string mnemonic, string onPipe, list<string> spaces>
    : PTO_TransferOp<mnemonic, "Copy", onPipe, spaces, "stride">;

def PTO_CopyGmToUbufOp : PTO_CopyOp<"copy_gm_to_ubuf", "MTE2", ["gm", "ub"]> {
  let summary = "GM to UB, rows of bytes, with the outtoub loop registers";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$sid, I64:$count, I64:$len, I64:$left, I64:$right,
                       I1:$pad_select, I64:$l2, I64:$src_step, I64:$dst_step);
  let reads = PTO_LoopRegisters<"OUTTOUB">.names # ["MOV_PAD_VAL"];
  let syntax = ["pto.copy_gm_to_ubuf %src, %dst, %sid, %n_burst, %len_burst, %left, %right, %data_select, %l2, "
                "%src_stride, %dst_stride : !pto.ptr<T, gm>, !pto.ptr<T, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64"];
}

def PTO_CopyUbufToGmOp : PTO_CopyOp<"copy_ubuf_to_gm", "MTE3", ["ub", "gm"]> {
  let summary = "UB to GM, rows of bytes, with the ubtoout loop registers";
  let description = [{ The destination stride comes before the source stride. }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$sid, I64:$count, I64:$len, I64:$cache, I64:$dst_step,
                       I64:$src_step);
  let reads = PTO_LoopRegisters<"UBTOOUT">.names;
  let syntax = ["pto.copy_ubuf_to_gm %src, %dst, %sid, %n_burst, %len_burst, %cache, %dst_stride, %src_stride : "
                "!pto.ptr<T, ub>, !pto.ptr<T, gm>, i64, i64, i64, i64, i64, i64"];
}

/// The third operand differs.
class PTO_GapCopyOp<string mnemonic, string onPipe, list<string> spaces, string third, string text>
    : PTO_TransferOp<mnemonic, "Copy", onPipe, spaces, "gap"> {
  let summary = text;
  let description = [{ Lengths and gaps count 32-byte blocks; a gap is what is skipped after a row. }];
  let arguments = !dag(ins, [PTO_AnyPtr, PTO_AnyPtr, I64, I64, I64, I64, I64],
                       ["src", "dst", third, "count", "len", "src_step", "dst_step"]);
  let profiles = ["a5"];
  let syntax = ["pto." # mnemonic # " %src, %dst, %" # third # ", %n_burst, %len_burst, %src_gap, %dst_gap : "
                "!pto.ptr<T, " # spaces[0] # ">, !pto.ptr<T, " # spaces[1] # ">, i64, i64, i64, i64, i64"];
}
def PTO_CopyUbufToUbufOp : PTO_GapCopyOp<"copy_ubuf_to_ubuf", "V", ["ub", "ub"], "sid", "UB to UB, rows of 32-byte blocks"> {
  let profiles = ["a5", "a3", "a2"];
  let syntax = ["pto.copy_ubuf_to_ubuf %src, %dst, %sid, %n_burst, %len_burst, %src_gap, %dst_gap : "
                "!pto.ptr<T, ub>, !pto.ptr<T, ub>, i64, i64, i64, i64, i64",
                "pto.copy_ubuf_to_ubuf %src, %dst, %sid, %n_burst, %len_burst, %src_gap, %dst_gap : "
                "!pto.ptr<T, ub>, !pto.ptr<T, ub>, i64 x5"];
}
def PTO_CopyUbufToCbufOp : PTO_GapCopyOp<"copy_ubuf_to_cbuf", "MTE3", ["ub", "l1"], "sid", "UB to the cluster's L1, rows of 32-byte blocks">;
def PTO_CopyCbufToUbufOp : PTO_GapCopyOp<"copy_cbuf_to_ubuf", "MTE1", ["l1", "ub"], "subblock",
                                         "L1 to the UB of the vector core that the third operand names">;

def PTO_CopyGmToCbufOp : PTO_CopyOp<"copy_gm_to_cbuf", "MTE2", ["gm", "l1"]> {
  let summary = "GM to L1, rows of bytes, with the outtol1 loop registers";
  let description = [{ The count comes before the length. }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$count, I64:$len, I64:$src_step, I64:$dst_step);
  let reads = PTO_LoopRegisters<"OUTTOL1">.names # ["PAD_VAL_OUTTOL1"];
  let syntax = ["pto.copy_gm_to_cbuf %src, %dst, %n_burst, %len_burst, %src_stride, %dst_stride : "
                "!pto.ptr<T, gm>, !pto.ptr<T, l1>, i64, i64, i64, i64"];
}

/// Without a stream id.
class PTO_ParameterCopyOp<string mnemonic, string onPipe, string space> : PTO_TransferOp<mnemonic, "Copy", onPipe, ["l1", space], "gap"> {
  let description = [{ The count comes before the length; a gap is what is skipped after a row. }];
  let family = "cube-raw";
}
def PTO_CopyCbufToBtOp : PTO_ParameterCopyOp<"copy_cbuf_to_bt", "MTE1", "bt">, PTO_BiasLoad {
  let summary = "L1 to the bias table, in the older form";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I1:$widen, I64:$count, I64:$len, I64:$src_step, I64:$dst_step);
  let elementLabels = ["BIAS-5: i32 to i32, f32 to f32, f16 or bf16 to f32", "BIAS-4: the third operand is a constant that says whether the types widen"];
  let syntax = ["pto.copy_cbuf_to_bt %src, %dst, %widen, %n_burst, %len_burst, %src_gap, %dst_gap : "
                "!pto.ptr<S, l1>, !pto.ptr<D, bt>, i1, i64, i64, i64, i64"];
  let extraClassDefinition = customDefinitions # verifyBody # bindBody;
}
def PTO_CopyCbufToFbufOp : PTO_ParameterCopyOp<"copy_cbuf_to_fbuf", "FIX", "fb"> {
  let summary = "L1 to the parameters of fixpipe, in the older form";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$count, I64:$len, I64:$src_step, I64:$dst_step);
  let units = [64, 128, 128];
  let elementLabels = [];
  let syntax = ["pto.copy_cbuf_to_fbuf %src, %dst, %n_burst, %len_burst, %src_gap, %dst_gap : "
                "!pto.ptr<S, l1>, !pto.ptr<D, fb>, i64, i64, i64, i64"];
}

//===----------------------------------------------------------------------===//
// Grouped transfers
//===----------------------------------------------------------------------===//

def PTO_MteGmUbOp : PTO_TransferOp<"mte_gm_ub", "Mte", "MTE2", ["gm", "ub"], "stride",
    ["D12: pad comes last, both counts or none, value i8, i16, i32, f16, bf16 or f32"], [AttrSizedOperandSegments]> {
  let summary = "GM to UB: rows, any number of loops, padding";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, Optional<I64>:$l2, I64:$len, I64:$count, I64:$src_step,
                       I64:$dst_step, Variadic<I64>:$loops, Optional<PTO_Scalar>:$pad, Optional<I64>:$left,
                       Optional<I64>:$right);
  let aliases = ["dma_load"];
  let syntax = ["pto.mte_gm_ub %src, %dst, %l2, %len nburst(%n, %src_stride, %dst_stride) [loop(%count, %src_step, %dst_step)]* "
                "[pad(%value[, %left, %right])] : !pto.ptr<T, gm>, !pto.ptr<T, ub>, i64, i64, i64, i64, i64"
                "[, loop i64, i64, i64]*[, pad TV[, i64, i64]]"];
}

/// Without hints and padding.
class PTO_MteOp<string mnemonic, string onPipe, list<string> spaces, string model, list<string> labels = []>
    : PTO_TransferOp<mnemonic, "Mte", onPipe, spaces, model, labels> {
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$len, I64:$count, I64:$src_step, I64:$dst_step,
                       Variadic<I64>:$loops);
}
/// Without loops.
class PTO_FlatMteOp<string mnemonic, string onPipe, list<string> spaces, string model>
    : PTO_TransferOp<mnemonic, "Mte", onPipe, spaces, model> {
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$len, I64:$count, I64:$src_step, I64:$dst_step);
}

def PTO_MteUbGmOp : PTO_TransferOp<"mte_ub_gm", "Mte", "MTE3", ["ub", "gm"], "stride", [], [AttrSizedOperandSegments]> {
  let summary = "UB to GM: rows, any number of loops";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$len, I64:$count, I64:$src_step, I64:$dst_step,
                       Optional<I64>:$cache, Variadic<I64>:$loops);
  let aliases = ["dma_store"];
  let syntax = ["pto.mte_ub_gm %src, %dst, %len nburst(%n, %src_stride, %dst_stride) [loop(%count, %src_step, %dst_step)]* : "
                "!pto.ptr<T, ub>, !pto.ptr<T, gm>, i64, i64, i64, i64[, loop i64, i64, i64]*",
                "pto.mte_ub_gm %src, %dst, %len nburst(%n, %src_stride, %dst_stride) l2_cache_ctl(%c) [loop(%count, %src_step, %dst_step)]* : "
                "!pto.ptr<T, ub>, !pto.ptr<T, gm>, i64, i64, i64, i64, i64[, loop i64, i64, i64]*"];
}

def PTO_MteUbUbOp : PTO_FlatMteOp<"mte_ub_ub", "V", ["ub", "ub"], "gap"> {
  let summary = "UB to UB: rows of 32-byte blocks";
  let aliases = ["dma_copy"];
  let syntax = ["pto.mte_ub_ub %src, %dst, %len nburst(%n, %src_gap, %dst_gap) : !pto.ptr<T, ub>, !pto.ptr<T, ub>, i64, i64, i64, i64"];
}

def PTO_MteUbL1Op : PTO_FlatMteOp<"mte_ub_l1", "MTE3", ["ub", "l1"], "gap"> {
  let summary = "UB to the cluster's L1: rows of 32-byte blocks";
  let profiles = ["a5"];
  let syntax = ["pto.mte_ub_l1 %src, %dst, %len nburst(%n, %src_gap, %dst_gap) : !pto.ptr<T, ub>, !pto.ptr<T, l1>, i64, i64, i64, i64"];
}

def PTO_MteL1BtOp : PTO_FlatMteOp<"mte_l1_bt", "MTE1", ["l1", "bt"], "gap">, PTO_BiasLoad {
  let summary = "L1 to the bias table: rows of 32-byte blocks, on a3 and a2 of 64-byte ones";
  let description = [{ f16 and bf16 become f32: twice as many bytes, with gaps of the destination that count twice as much. }];
  let family = "cube-load";
  let syntax = ["pto.mte_l1_bt %src, %dst, %len nburst(%n, %src_gap, %dst_gap) : !pto.ptr<S, l1>, !pto.ptr<D, bt>, i64, i64, i64, i64"];
  let extraClassDefinition = customDefinitions # verifyBody # bindBody;
}

def PTO_MteL1FbOp : PTO_FlatMteOp<"mte_l1_fb", "FIX", ["l1", "fb"], "gap"> {
  let summary = "L1 to the parameters of fixpipe: rows of 64-byte blocks, on a3 and a2 of 128-byte ones";
  let description = [{ Bits 16 and up of the destination choose a region: 0 holds scales, 1 slopes. Elements may be of any type. }];
  let units = [64, 128, 128];
  let elementLabels = [];
  let family = "cube-load";
  let syntax = ["pto.mte_l1_fb %src, %dst, %len nburst(%n, %src_gap, %dst_gap) : !pto.ptr<S, l1>, !pto.ptr<D, fb>, i64, i64, i64, i64"];
}

def PTO_MteL1UbOp : PTO_MteOp<"mte_l1_ub", "MTE1", ["l1", "ub"], "gap",
    ["D4: loop strides are multiples of 32 where the loop runs more than once", "D14: loops do not revisit rows on chip"]> {
  let summary = "L1 to the UB of the first vector core: rows of 32-byte blocks, loops in bytes";
  let profiles = ["a5"];
  let syntax = ["pto.mte_l1_ub %src, %dst, %len nburst(%n, %src_gap, %dst_gap) [loop(%count, %src_step, %dst_step)]* : "
                "!pto.ptr<T, l1>, !pto.ptr<T, ub>, i64, i64, i64, i64[, loop i64, i64, i64]*"];
}

def PTO_MteGmL1Op : PTO_MteOp<"mte_gm_l1", "MTE2", ["gm", "l1"], "stride"> {
  let summary = "GM to L1: rows, any number of loops";
  let syntax = ["pto.mte_gm_l1 %src, %dst, %len nburst(%n, %src_stride, %dst_stride) [loop(%count, %src_step, %dst_step)]* : "
                "!pto.ptr<T, gm>, !pto.ptr<T, l1>, i64, i64, i64, i64[, loop i64, i64, i64]*"];
}

#endif // PTOSCOPE_PTO_DMA_OPS
