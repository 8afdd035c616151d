//===- VectorMemoryOps.td - UB to vector register and back -------------------===//
// isa/10-vector-memory.md

#ifndef PTOSCOPE_PTO_VECTOR_MEMORY_OPS
#define PTOSCOPE_PTO_VECTOR_MEMORY_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

def PTO_VldsOp : PTO_CustomOp<"vlds", "parseVlds(parser, result)", "printVlds(printer, *this)", [MemoryEffects<[MemRead]>]> {
  let summary = "load a vector register from UB";
  let description = [{
    Loads are never predicated: all 256 bytes come in, undefined ones too. The
    form with a pointer result reads at `%src` and returns `%src + %off`.
  }];
  let arguments = (ins PTO_AnyPtr:$src, Index:$offset, DefaultValuedStrAttr<StrAttr, "NORM">:$dist);
  let results = (outs PTO_VReg:$value, Optional<PTO_AnyPtr>:$next);
  let family = "vload";
  let pipe = "V";
  let footprint = "vector-load";
  let definedness = "copy";
  let timing = "vld";
  let elements = PTO_Ints8To64 # ["f16", "bf16", "f32"];
  let constraints = ["ADDR-1: pointer and register elements have the same size", "ADDR-2: the pointer addresses ub",
                     "ADDR-4: the window lies in UB", "VLD-2: the pointer result has the type of the base",
                     "VLD-4: NORM needs a 32-byte aligned address"];
  let syntax = ["%v = pto.vlds %src[%off] {dist = \"NORM\"} : !pto.ptr<T, ub> -> !pto.vreg<NxT>",
                "%v, %p = pto.vlds %src[%off] : !pto.ptr<T, ub> -> !pto.vreg<NxT>, !pto.ptr<T, ub>"];
  let hasVerifier = 1;
}

def PTO_VstsOp : PTO_CustomOp<"vsts", "parseVsts(parser, result)", "printVsts(printer, *this)", PTO_Ordered> {
  let summary = "store the active lanes of a vector register to UB";
  let description = [{ Bytes of inactive lanes are untouched. }];
  let arguments = (ins PTO_VReg:$value, PTO_AnyPtr:$dst, Index:$offset, Optional<PTO_Mask>:$mask,
                       DefaultValuedStrAttr<StrAttr, "NORM">:$dist);
  let results = (outs Optional<PTO_AnyPtr>:$next);
  let family = "vstore";
  let pipe = "V";
  let footprint = "vector-store";
  let definedness = "copy";
  let timing = "vst";
  let elements = PTO_Ints8To64 # ["f16", "bf16", "f32"];
  let constraints = ["ADDR-1: pointer and register elements have the same size", "ADDR-2: the pointer addresses ub",
                     "ADDR-4: every active byte lies in UB", "P8: mask granularity matches the element width",
                     "VST-2: the address is 32-byte aligned, whatever the mask", "POST-1: the pointer result has the type of the base"];
  let syntax = ["pto.vsts %v, %dst[%off], %mask {dist = \"NORM_B32\"} : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.mask<G>",
                "%p = pto.vsts %v, %dst[%off], %mask : !pto.vreg<NxT>, !pto.ptr<T, ub>, !pto.mask<G> -> !pto.ptr<T, ub>",
                "pto.vsts %v, %dst[%off] : !pto.vreg<NxT>, !pto.ptr<T, ub>"];
  let hasVerifier = 1;
}

#endif // PTOSCOPE_PTO_VECTOR_MEMORY_OPS
