//===- VectorMemoryOps.td - UB to vector register and back -------------------===//
// docs/isa/10-vector-memory.md. Distribution tokens are rows of
// include/ptoscope/Meaning/Distribution.h.

#ifndef PTOSCOPE_PTO_VECTOR_MEMORY_OPS
#define PTOSCOPE_PTO_VECTOR_MEMORY_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

//===----------------------------------------------------------------------===//
// Loads
//===----------------------------------------------------------------------===//

class PTO_VectorLoadOp<string mnemonic, string text, string signature, string verify>
    : PTO_TextOp<mnemonic, text, signature, verify, [MemoryEffects<[MemRead]>]> {
  let family = "vload";
  let footprint = "vector-load";
  let definedness = "copy";
  let timing = "vld";
  let elements = PTO_AllElements;
}

defvar PTO_AddressRules = ["ADDR-1: pointer and register elements have the same size", "ADDR-2: the pointer addresses ub",
                           "ADDR-4: every byte it touches lies in UB"];
defvar PTO_LoadRules = PTO_AddressRules # [PTO_TypesRule];

def PTO_VldsOp : PTO_VectorLoadOp<"vlds", "load a vector register from UB", "buffer [offset -> vreg ptr? #VLD-1", "verifyVlds(*this)"> {
  let description = [{
    Loads are never predicated: all 256 bytes come in, undefined ones too. The
    distribution says how bytes of UB become bytes of the register, whatever the
    element type. The form with a pointer result reads at `%src` and returns
    `%src + %off` (VLD-3).
  }];
  let arguments = (ins PTO_AnyPtr:$src, Index:$offset, DefaultValuedStrAttr<StrAttr, "NORM">:$dist);
  let results = (outs PTO_VReg:$value, Optional<PTO_AnyPtr>:$next);
  let constraints = PTO_LoadRules # [
      "VLD-1: the offset is an index", "VLD-2: the pointer result has the type of the base",
      "VLD-3: the form with a pointer result reads at the base itself",
      "VLD-4: the address has the alignment of the distribution"];
  let syntax = ["%v = pto.vlds %src[%off] {dist = \"NORM\"} : !pto.ptr<T, ub> -> !pto.vreg<NxT>",
                "%v, %p = pto.vlds %src[%off] : !pto.ptr<T, ub> -> !pto.vreg<NxT>, !pto.ptr<T, ub>"];
}

def PTO_Vldsx2Op : PTO_VectorLoadOp<"vldsx2", "load 512 bytes into two registers, deinterleaved",
    "buffer [index @dist -> vreg vreg ptr?", "verifyVldsx2(*this)"> {
  let description = [{ The form with a pointer result reads at `%src` and returns `%src + %off`. }];
  let arguments = (ins PTO_AnyPtr:$src, Index:$offset, StrAttr:$dist);
  let results = (outs PTO_VReg:$low, PTO_VReg:$high, Optional<PTO_AnyPtr>:$next);
  let aliases = ["vldx2"];
  let constraints = PTO_LoadRules # ["VLDX2-1: both results have one type", "POST-1: the pointer result has the type of the base",
                                     "VLD-4: the address has the alignment of the distribution"];
  let syntax = ["%lo, %hi = pto.vldsx2 %src[%off], \"DINTLV_B32\" : !pto.ptr<T, ub>, index -> !pto.vreg<NxT>, !pto.vreg<NxT>",
                "%lo, %hi, %p = pto.vldsx2 %src[%off], \"DINTLV_B32\" : !pto.ptr<T, ub>, index -> !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.ptr<T, ub>"];
}

def PTO_VldasOp : PTO_VectorLoadOp<"vldas", "capture the 32-byte block around an address: the start of an unaligned load",
    "ptr -> align", "verifyVldas(*this)"> {
  let arguments = (ins PTO_AnyPtr:$src);
  let results = (outs PTO_Align:$state);
  let family = "vload-unaligned";
  let footprint = "stream";
  let elements = [];
  let profiles = ["a5"];
  let constraints = ["ADDR-2: the pointer addresses ub", PTO_ChainStart, PTO_ChainCarrier];
  let syntax = ["%a = pto.vldas %src : !pto.ptr<T, ub> -> !pto.align"];
}

def PTO_VldusOp : PTO_VectorLoadOp<"vldus", "load a vector register from any address",
    "ptr align index -> vreg align ptr | ptr align -> vreg align ptr? | ptr align index -> vreg align", "verifyVldus(*this)"> {
  let description = [{
    The first block comes from the state, the rest from UB; the new state is the
    block behind the last byte. The form with a pointer result returns `%src` +
    the increment, which counts elements; without an increment, `%src` + 256 bytes.
  }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_Align:$state, Optional<Index>:$increment);
  let results = (outs PTO_VReg:$value, PTO_Align:$next_state, Optional<PTO_AnyPtr>:$next);
  let family = "vload-unaligned";
  let footprint = "stream";
  let profiles = ["a5"];
  let constraints = PTO_LoadRules # PTO_StateRules # [PTO_ChainCarrier, "VLDUS-1: the state is that of the address's own block",
                                                                      "POST-1: the pointer result has the type of the base",
                                                                      "POST-5: an increment comes with a pointer result"];
  let syntax = ["%v, %a2 = pto.vldus %src, %a : !pto.ptr<T, ub>, !pto.align -> !pto.vreg<NxT>, !pto.align",
                "%v, %a2, %p = pto.vldus %src, %a, %inc : !pto.ptr<T, ub>, !pto.align, index -> !pto.vreg<NxT>, !pto.align, !pto.ptr<T, ub>",
                "%v, %a2, %p = pto.vldus %src, %a : !pto.ptr<T, ub>, !pto.align -> !pto.vreg<NxT>, !pto.align, !pto.ptr<T, ub>"];
}

def PTO_UvldOp : PTO_VectorLoadOp<"uvld", "load a vector register from any address, without a state",
    "buffer [offset -> vreg", "verifyUvld(*this)"> {
  let arguments = (ins PTO_AnyPtr:$src, Index:$offset);
  let results = (outs PTO_VReg:$value);
  let family = "vload-unaligned";
  let profiles = ["a5"];
  let constraints = PTO_LoadRules;
  let syntax = ["%v = pto.uvld %src[%off] : !pto.ptr<T, ub> -> !pto.vreg<NxT>"];
}

def PTO_VsldOp : PTO_VectorLoadOp<"vsld", "load every k-th datum", "buffer [offset @stride -> vreg", "verifyVsld(*this)"> {
  let description = [{ `STRIDE_Sk_Bw`: lane i of width w is the datum at the address + i * k * w bits; no manual says so, it is assumed. }];
  let arguments = (ins PTO_AnyPtr:$src, Index:$offset, StrAttr:$stride);
  let results = (outs PTO_VReg:$value);
  let family = "vload-strided";
  let constraints = PTO_LoadRules # ["VLD-4: the address has the alignment of the distribution"];
  let syntax = ["%v = pto.vsld %src[%off], \"STRIDE_S8_B32\" : !pto.ptr<T, ub> -> !pto.vreg<NxT>"];
}

def PTO_VsldbOp : PTO_VectorLoadOp<"vsldb", "load eight 32-byte blocks at a stride",
    "buffer i16 i16 mask -> vreg ptr? | buffer i32:1 mask:3 -> vreg ptr?", "verifyBlocks(*this, getMask())"> {
  let description = [{
    Block b comes from `%src` + 32 * (repeat stride + b * block stride) bytes. A
    block without an active lane is zero and not read. The i32 word is
    block stride << 16 | repeat stride. The form with a pointer result leaves the
    repeat stride out of the address and returns `%src` + 32 * repeat stride bytes.
  }];
  let arguments = (ins PTO_AnyPtr:$src, AnyTypeOf<[I16, I32]>:$control, Optional<I16>:$repeat_stride, PTO_Mask:$mask);
  let results = (outs PTO_VReg:$value, Optional<PTO_AnyPtr>:$next);
  let family = "vload-strided";
  let footprint = "gather";
  let profiles = ["a5"];
  let constraints = PTO_LoadRules # ["VSLDB-1: the base is 32-byte aligned",
                                     "VSLDB-2: mask granularity matches the element width",
                                     "POST-1: the pointer result has the type of the base"];
  let syntax = ["%v = pto.vsldb %src, %bs, %rs, %mask : !pto.ptr<T, ub>, i16, i16, !pto.mask<G> -> !pto.vreg<NxT>",
                "%v, %p = pto.vsldb %src, %bs, %rs, %mask : !pto.ptr<T, ub>, i16, i16, !pto.mask<G> -> !pto.vreg<NxT>, !pto.ptr<T, ub>",
                "%v = pto.vsldb %src, %word, %mask : !pto.ptr<T, ub>, i32, !pto.mask<G> -> !pto.vreg<NxT>"];
}

class PTO_GatherOp<string mnemonic, string text, string signature, string verify>
    : PTO_VectorLoadOp<mnemonic, text, signature, verify> {
  let results = (outs PTO_VReg:$value);
  let family = "gather";
  let footprint = "gather";
  let timing = "vgather";
  let elements = ["i16", "u16", "i32", "u32", "f16", "bf16", "f32"];
}

def PTO_Vgather2Op : PTO_GatherOp<"vgather2", "gather elements by index", "ptr vreg active -> vreg", "verifyVgather2(*this)"> {
  let description = [{
    Lane i gets the element at `%src` + index i, zero-extended when the lane is
    wider than the pointer's element; inactive lanes are zero and read nothing.
    The count form has lanes below the count active.
  }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_VReg:$index, PTO_MaskOrIndex:$active);
  let constraints = ["ADDR-1: a pointer element is not wider than a lane", "ADDR-2: the pointer addresses ub", PTO_TypesRule,
                     "ADDR-4: every active element lies in UB", "VG2-1: indices are unsigned or signless integers, as many as the result has lanes",
                     "VG2-3: the mask has the granularity of the result",
                     "VG2-2: active addresses are aligned to the element"];
  let syntax = ["%v = pto.vgather2 %src, %idx, %mask : !pto.ptr<T, ub>, !pto.vreg<NxI>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%v = pto.vgather2 %src, %idx, %active : !pto.ptr<T, ub>, !pto.vreg<NxI>, index -> !pto.vreg<NxT>"];
}

def PTO_Vgather2BcOp : PTO_GatherOp<"vgather2_bc", "gather elements by 32-bit index", "ptr vreg mask -> vreg",
    "verifyVgather2Bc(*this)"> {
  let description = [{ As `vgather2` with a mask; nothing is broadcast. 16-bit elements fill the low halves of 32-bit slots. }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_VReg:$index, PTO_Mask:$active);
  let profiles = ["a5"];
  let constraints = ["ADDR-1: a pointer element is not wider than a lane", "ADDR-2: the pointer addresses ub", PTO_TypesRule,
                     "ADDR-4: every active element lies in UB",
                     "VGBC-1: indices have 32 bits, the result 32 or 16, and the mask the granularity of the result",
                     "VG2-2: active addresses are aligned to the element"];
  let syntax = ["%v = pto.vgather2_bc %src, %idx, %mask : !pto.ptr<T, ub>, !pto.vreg<64xi32>, !pto.mask<G> -> !pto.vreg<NxT>"];
}

def PTO_VgatherbOp : PTO_GatherOp<"vgatherb", "gather eight 32-byte blocks by byte offset", "ptr vreg active -> vreg",
    "verifyVgatherb(*this)"> {
  let description = [{
    The first eight offsets are used. Lane b of the b32 mask (or b < count)
    governs block b; inactive blocks are zero and not read.
  }];
  let arguments = (ins PTO_AnyPtr:$src, PTO_VReg:$index, PTO_MaskOrIndex:$active);
  let elements = PTO_AllElements;
  let timing = "vgatherb";
  let profiles = ["a5"];
  let constraints = PTO_LoadRules # ["VGB-1: the base and every active offset are multiples of 32",
                                     "VGB-2: the mask is b32, offsets are 32-bit integers"];
  let syntax = ["%v = pto.vgatherb %src, %off, %mask : !pto.ptr<T, ub>, !pto.vreg<64xi32>, !pto.mask<b32> -> !pto.vreg<NxT>",
                "%v = pto.vgatherb %src, %off, %active : !pto.ptr<T, ub>, !pto.vreg<64xi32>, index -> !pto.vreg<NxT>"];
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

class PTO_VectorStoreOp<string mnemonic, string text, string signature, string verify>
    : PTO_TextOp<mnemonic, text, signature, verify, PTO_Ordered> {
  let family = "vstore";
  let footprint = "vector-store";
  let definedness = "copy";
  let timing = "vst";
  let elements = PTO_AllElements;
}

def PTO_VstsOp : PTO_VectorStoreOp<"vsts", "store the active lanes of a vector register to UB",
    "vreg buffer [offset mask! -> ptr?", "verifyVsts(*this)"> {
  let description = [{
    Bytes of inactive lanes are untouched. The 1PT distributions ignore the mask.
    The form with a pointer result stores at `%dst` and returns `%dst + %off`.
  }];
  let arguments = (ins PTO_VReg:$value, PTO_AnyPtr:$dst, Index:$offset, Optional<PTO_Mask>:$mask, StrAttr:$dist);
  let results = (outs Optional<PTO_AnyPtr>:$next);
  let constraints = PTO_AddressRules # ["VST-1: the mask has the granularity of the distribution",
      "VST-2: the address has the alignment of the distribution, whatever the mask", "POST-1: the pointer result has the type of the base"];
  let syntax = ["pto.vsts %v, %dst[%off], %mask {dist = \"NORM_B32\"} : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.mask<G>",
                "%p = pto.vsts %v, %dst[%off], %mask : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.mask<G> -> !pto.ptr<T, ub>",
                "pto.vsts %v, %dst[%off] : !pto.vreg<NxT>, !pto.ptr<T, ub>"];
}

def PTO_Vstsx2Op : PTO_VectorStoreOp<"vstsx2", "store two registers as 512 interleaved bytes",
    "vreg vreg buffer [index @dist mask!", "verifyVstsx2(*this)"> {
  let description = [{ The mask is ignored (docs/limits.md). }];
  let arguments = (ins PTO_VReg:$low, PTO_VReg:$high, PTO_AnyPtr:$dst, Index:$offset, Optional<PTO_Mask>:$mask, StrAttr:$dist);
  let aliases = ["vstx2"];
  let timing = "vstx2";
  let constraints = PTO_AddressRules # ["VLDX2-1: both registers have one type", "VST-1: mask granularity matches the element width",
                                        "VST-2: the address has the alignment of the distribution, whatever the mask"];
  let syntax = ["pto.vstsx2 %lo, %hi, %dst[%off], \"INTLV_B32\", %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.ptr<T, ub>, index, !pto.mask<G>"];
}

def PTO_VsstOp : PTO_VectorStoreOp<"vsst", "store to every k-th datum", "vreg buffer [offset @stride", "verifyVsst(*this)"> {
  let description = [{ The mirror of `vsld`, without a mask. }];
  let arguments = (ins PTO_VReg:$value, PTO_AnyPtr:$dst, Index:$offset, StrAttr:$stride);
  let family = "vstore-strided";
  let constraints = PTO_AddressRules # ["VST-2: the address has the alignment of the distribution, whatever the mask"];
  let syntax = ["pto.vsst %v, %dst[%off], \"STRIDE_S8_B32\" : !pto.vreg<NxT>, !pto.ptr<T, ub>"];
}

def PTO_VsstbOp : PTO_VectorStoreOp<"vsstb", "store eight 32-byte blocks at a stride",
    "vreg buffer i16 i16 mask -> ptr? | vreg buffer i32:2 mask:4 -> ptr?", "verifyBlocks(*this, getMask())"> {
  let description = [{
    Block b goes to `%dst` + 32 * (repeat stride + b * block stride) bytes if one
    of its lanes is active. The form with a pointer result leaves the repeat stride
    out of the address and returns `%dst` + 32 * repeat stride bytes.
  }];
  let arguments = (ins PTO_VReg:$value, PTO_AnyPtr:$dst, AnyTypeOf<[I16, I32]>:$control, Optional<I16>:$repeat_stride, PTO_Mask:$mask);
  let results = (outs Optional<PTO_AnyPtr>:$next);
  let family = "vstore-strided";
  let footprint = "scatter";
  let profiles = ["a5"];
  let constraints = PTO_AddressRules # ["VSLDB-1: the base is 32-byte aligned",
                                        "VSLDB-2: mask granularity matches the element width",
                                        "POST-1: the pointer result has the type of the base"];
  let syntax = ["pto.vsstb %v, %dst, %bs, %rs, %mask : !pto.vreg<NxT>, !pto.ptr<T, ub>, i16, i16, !pto.mask<G>",
                "%p = pto.vsstb %v, %dst, %bs, %rs, %mask : !pto.vreg<NxT>, !pto.ptr<T, ub>, i16, i16, !pto.mask<G> -> !pto.ptr<T, ub>",
                "pto.vsstb %v, %dst, %word, %mask : !pto.vreg<NxT>, !pto.ptr<T, ub>, i32, !pto.mask<G>"];
}

def PTO_VscatterOp : PTO_VectorStoreOp<"vscatter", "scatter elements by index", "vreg ptr vreg active", "verifyVscatter(*this)"> {
  let description = [{
    Active lane i goes to `%dst` + index i; of lanes with the same index the
    lowest one wins. The count form has lanes below the count active.
  }];
  let arguments = (ins PTO_VReg:$value, PTO_AnyPtr:$dst, PTO_VReg:$index, PTO_MaskOrIndex:$active);
  let family = "scatter";
  let footprint = "scatter";
  let timing = "vscatter";
  let elements = PTO_Elements8To32;
  let constraints = ["ADDR-1: a pointer element is not wider than a lane", "ADDR-2: the pointer addresses ub", PTO_TypesRule,
                     "ADDR-4: every active element lies in UB",
                     "VSC-1: indices are 16-bit or 32-bit integers, not narrower than the elements",
                     "VSC-5: the mask has the granularity of the indices, or of the elements",
                     "VSC-6: a pointer element as wide as a lane is the element of the register",
                     "VSC-2: active addresses are aligned to the element"];
  let syntax = ["pto.vscatter %v, %dst, %idx, %mask : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.vreg<NxI>, !pto.mask<G>",
                "pto.vscatter %v, %dst, %idx, %active : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.vreg<NxI>, index"];
}

#endif // PTOSCOPE_PTO_VECTOR_MEMORY_OPS
