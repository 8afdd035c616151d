//===- DmaOps.td - transfers between GM and UB -------------------------------===//
// isa/02-dma.md

#ifndef PTOSCOPE_PTO_DMA_OPS
#define PTOSCOPE_PTO_DMA_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

//===----------------------------------------------------------------------===//
// Legacy configuration registers
//===----------------------------------------------------------------------===//

class PTO_RegisterPairOp<string mnemonic, string text, string first, string second> : PTO_Op<mnemonic, PTO_Ordered> {
  let summary = text;
  let description = [{ The register keeps its value until it is set again; a copy captures it when it is issued. }];
  let arguments = (ins I64:$first, I64:$second);
  let assemblyFormat = "$first `,` $second attr-dict `:` type($first) `,` type($second)";
  let family = "dma-config";
  let pipe = "S";
  let footprint = "none";
  let definedness = "none";
  let timing = "register";
  let syntax = ["pto." # mnemonic # " %" # first # ", %" # second # " : i64, i64"];
}
def PTO_SetLoopSizeOutToUbOp : PTO_RegisterPairOp<"set_loop_size_outtoub", "loop counts of GM to UB copies", "loop1", "loop2">;
def PTO_SetLoop1StrideOutToUbOp : PTO_RegisterPairOp<"set_loop1_stride_outtoub", "inner loop steps of GM to UB copies, in bytes", "src", "dst">;
def PTO_SetLoop2StrideOutToUbOp : PTO_RegisterPairOp<"set_loop2_stride_outtoub", "outer loop steps of GM to UB copies, in bytes", "src", "dst">;
def PTO_SetLoopSizeUbToOutOp : PTO_RegisterPairOp<"set_loop_size_ubtoout", "loop counts of UB to GM copies", "loop1", "loop2">;
def PTO_SetLoop1StrideUbToOutOp : PTO_RegisterPairOp<"set_loop1_stride_ubtoout", "inner loop steps of UB to GM copies, in bytes", "src", "dst">;
def PTO_SetLoop2StrideUbToOutOp : PTO_RegisterPairOp<"set_loop2_stride_ubtoout", "outer loop steps of UB to GM copies, in bytes", "src", "dst">;

def PTO_SetMovPadValOp : PTO_Op<"set_mov_pad_val", PTO_Ordered> {
  let summary = "pad pattern of GM to UB copies";
  let arguments = (ins PTO_Scalar:$value);
  let assemblyFormat = "$value attr-dict `:` type($value)";
  let family = "dma-config";
  let pipe = "S";
  let footprint = "none";
  let definedness = "none";
  let timing = "register";
  let elements = ["i8", "i16", "i32", "f16", "bf16", "f32"];
  let constraints = ["D12: the pad value is i8, i16, i32, f16, bf16 or f32"];
  let syntax = ["pto.set_mov_pad_val %v : T"];
  let hasVerifier = 1;
}

//===----------------------------------------------------------------------===//
// Legacy copies
//===----------------------------------------------------------------------===//

class PTO_CopyOp<string mnemonic> : PTO_CustomOp<mnemonic, "parseCopy(parser, result)", "printCopy(printer, *this)", PTO_Ordered> {
  let family = "dma";
  let footprint = "transfer";
  let definedness = "copy";
  let timing = "dma";
  let constraints = ["D1: each pointer is in the space its slot asks for", "D2: both elements have the same size"];
  let hasVerifier = 1;
}

def PTO_CopyGmToUbufOp : PTO_CopyOp<"copy_gm_to_ubuf"> {
  let summary = "GM to UB, rows of bytes, with the outtoub loop registers";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$sid, I64:$n_burst, I64:$len_burst, I64:$left,
                       I64:$right, I1:$data_select, I64:$l2, I64:$src_stride, I64:$dst_stride);
  let pipe = "MTE2";
  let syntax = ["pto.copy_gm_to_ubuf %src, %dst, %sid, %n_burst, %len_burst, %left, %right, %data_select, %l2, "
                "%src_stride, %dst_stride : !pto.ptr<T, gm>, !pto.ptr<T, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64"];
}

def PTO_CopyUbufToGmOp : PTO_CopyOp<"copy_ubuf_to_gm"> {
  let summary = "UB to GM, rows of bytes, with the ubtoout loop registers";
  let description = [{ The destination stride comes before the source stride. }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$sid, I64:$n_burst, I64:$len_burst, I64:$reserved,
                       I64:$dst_stride, I64:$src_stride);
  let pipe = "MTE3";
  let syntax = ["pto.copy_ubuf_to_gm %src, %dst, %sid, %n_burst, %len_burst, %reserved, %dst_stride, %src_stride : "
                "!pto.ptr<T, ub>, !pto.ptr<T, gm>, i64, i64, i64, i64, i64, i64"];
}

//===----------------------------------------------------------------------===//
// Grouped transfers
//===----------------------------------------------------------------------===//

class PTO_MteOp<string mnemonic, list<Trait> segments = []> : PTO_CustomOp<mnemonic, "parseMte(parser, result)",
    "printMte(printer, *this)", PTO_Ordered # segments> {
  let family = "dma";
  let footprint = "transfer";
  let definedness = "copy";
  let timing = "dma";
  let hasVerifier = 1;
}

def PTO_MteGmUbOp : PTO_MteOp<"mte_gm_ub", [AttrSizedOperandSegments]> {
  let summary = "GM to UB: rows, any number of loops, padding";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, Optional<I64>:$l2, I64:$len, I64:$n, I64:$src_stride,
                       I64:$dst_stride, Variadic<I64>:$loops, Optional<PTO_Scalar>:$pad, Optional<I64>:$left,
                       Optional<I64>:$right);
  let pipe = "MTE2";
  let aliases = ["dma_load"];
  let constraints = ["D1: source in gm, destination in ub", "D2: both elements have the same size",
                     "D12: pad comes last, both counts or none, value i8, i16, i32, f16, bf16 or f32"];
  let syntax = ["pto.mte_gm_ub %src, %dst, %l2, %len nburst(%n, %src_stride, %dst_stride) [loop(%count, %src_step, %dst_step)]* "
                "[pad(%value[, %left, %right])] : !pto.ptr<T, gm>, !pto.ptr<T, ub>, i64, i64, i64, i64, i64"
                "[, loop i64, i64, i64]*[, pad TV[, i64, i64]]"];
}

def PTO_MteUbGmOp : PTO_MteOp<"mte_ub_gm"> {
  let summary = "UB to GM: rows, any number of loops";
  let arguments = (ins PTO_AnyPtr:$src, PTO_AnyPtr:$dst, I64:$len, I64:$n, I64:$src_stride, I64:$dst_stride,
                       Variadic<I64>:$loops);
  let pipe = "MTE3";
  let aliases = ["dma_store"];
  let constraints = ["D1: source in ub, destination in gm", "D2: both elements have the same size"];
  let syntax = ["pto.mte_ub_gm %src, %dst, %len nburst(%n, %src_stride, %dst_stride) [loop(%count, %src_step, %dst_step)]* : "
                "!pto.ptr<T, ub>, !pto.ptr<T, gm>, i64, i64, i64, i64[, loop i64, i64, i64]*"];
}

#endif // PTOSCOPE_PTO_DMA_OPS
