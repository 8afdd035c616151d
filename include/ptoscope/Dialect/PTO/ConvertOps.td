//===- ConvertOps.td - conversion and rounding --------------------------------===//
// docs/isa/21-convert.md. Pairs of types and their attributes are the
// table in include/ptoscope/Meaning/Conversions.h.

#ifndef PTOSCOPE_PTO_CONVERT_OPS
#define PTOSCOPE_PTO_CONVERT_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

def PTO_VcvtOp : PTO_LaneOp<"vcvt", "convert to another element type", "vreg mask! -> vreg",
    PTO_Ints8To32 # ["i64", "f16", "bf16", "f32"] # PTO_SmallFloats, "verifyVcvt(*this)"> {
  let description = [{
    A result that is narrower than the source is written to every second or
    fourth lane, which `part` chooses, and the lanes between them are zero; a
    wider one is made of every second or fourth lane of the source. Inactive lanes
    of the source give zero. Which attributes a pair of types takes is in a table;
    attributes that it lacks are empty in the operation.
  }];
  let arguments = (ins PTO_VReg:$src, Optional<PTO_Mask>:$mask, StrAttr:$rnd, StrAttr:$sat, StrAttr:$part);
  let results = (outs PTO_VReg:$result);
  let family = "convert";
  let timing = "vcvt";
  let nan = "bits";
  let inactive = "source";
  let symbol = "vcvt_{0}_{r}_{rnd}{sat}{part}";
  let constraints = ["CVT-1: the pair of element types is one of the table",
                     "CVT-2: `rnd` is one of R, A, F, C, Z, O, H that the pair takes",
                     "CVT-3: `sat` is SAT or NOSAT where the pair takes it",
                     "CVT-4: `part` is EVEN or ODD between widths of ratio 2, P0 to P3 of ratio 4",
                     "CVT-5: the mask has the granularity of the source"];
  let syntax = ["%r = pto.vcvt %a, %mask {rnd = \"R\", sat = \"SAT\", part = \"EVEN\"} : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<MxU>",
                "%r = pto.vcvt %a {round_mode = \"ROUND_R\", sat = \"RS_ENABLE\", part = \"PART_EVEN\"} : !pto.vreg<NxT> -> !pto.vreg<MxU>"];
}

def PTO_VtrcOp : PTO_LaneOp<"vtrc", "round to an integral value of the same type", "vreg mask! @rnd -> vreg", ["f16", "bf16", "f32"],
    "verifyVtrc(*this)"> {
  let arguments = (ins PTO_VReg:$src, Optional<PTO_Mask>:$mask, StrAttr:$rnd);
  let results = (outs PTO_VReg:$result);
  let family = "convert";
  let timing = "vcvt";
  let symbol = "vtrc_{r}_{rnd}";
  let constraints = PTO_LaneRules # ["TRC-1: the rounding is R, A, F, C or Z; older forms have O"];
  let syntax = ["%r = pto.vtrc %a, %mask, \"R\" : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vtrc %a, \"ROUND_R\" : !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

#endif // PTOSCOPE_PTO_CONVERT_OPS
