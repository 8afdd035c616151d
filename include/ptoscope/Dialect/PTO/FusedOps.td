//===- FusedOps.td - several lane-wise operations in one ----------------------===//
// docs/isa/23-dsa-sfu.md: FUSE-1 to FUSE-11, EXPD-1, CONV-1 to CONV-3.

#ifndef PTOSCOPE_PTO_FUSED_OPS
#define PTOSCOPE_PTO_FUSED_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

class PTO_FusedOp<string mnemonic, string text, string signature, list<string> types, string verify = "verifyLanes(*this)">
    : PTO_LaneOp<mnemonic, text, signature, types, verify> {
  let results = (outs PTO_VReg:$result);
  let family = "fused";
  let timing = mnemonic;
}

//===----------------------------------------------------------------------===//
// Two registers
//===----------------------------------------------------------------------===//

def PTO_VpreluOp : PTO_FusedOp<"vprelu", "x where x >= 0, else alpha * x", "vreg vreg mask! -> vreg", ["f16", "f32"]> {
  let arguments = (ins PTO_VReg:$x, PTO_VReg:$alpha, Optional<PTO_Mask>:$mask);
  let syntax = ["%r = pto.vprelu %x, %alpha, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vprelu %x, %alpha : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

class PTO_FusedReluOp<string mnemonic, string text> : PTO_FusedOp<mnemonic, text, "vreg vreg mask? -> vreg", ["f16", "f32"]> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let syntax = ["%r = pto." # mnemonic # " %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a, %b : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}
def PTO_VaddreluOp : PTO_FusedReluOp<"vaddrelu", "maximum of a + b and 0; the sum is rounded first">;
def PTO_VsubreluOp : PTO_FusedReluOp<"vsubrelu", "maximum of a - b and 0; the difference is rounded first">;

def PTO_VexpdifOp : PTO_FusedOp<"vexpdif", "e to the power x - max", "vreg vreg mask! @part? -> vreg", ["f16", "f32"], "verifyVexpdif(*this)"> {
  let description = [{
    The difference is rounded to f32. f16 lanes of one parity become f32 lanes; of
    f32 lanes the part says nothing. Inactive lanes are zero. The older form has
    neither mask nor part and gives the type of its operands.
  }];
  let arguments = (ins PTO_VReg:$x, PTO_VReg:$max, Optional<PTO_Mask>:$mask, StrAttr:$part);
  let nan = "canonical";
  let aliases = ["vexpdiff"];
  let symbol = "vexpdif_{0}_{r}{_part}";
  let constraints = ["EXPD-1: the operands have one type; the result is `!pto.vreg<64xf32>`, in the older form their type",
                     "EXPD-2: the part is EVEN or ODD", PTO_TypesRule, PTO_ViewRule];
  let syntax = ["%r = pto.vexpdif %x, %max, %mask, \"EVEN\" : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<64xf32>",
                "%r = pto.vexpdif %x, %max : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

def PTO_VmullOp : PTO_FusedOp<"vmull", "the low and the high half of a * b", "vreg vreg mask! -> vreg vreg", ["i32", "u32"]> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let results = (outs PTO_VReg:$low, PTO_VReg:$high);
  let syntax = ["%lo, %hi = pto.vmull %a, %b, %mask : !pto.vreg<64xT>, !pto.vreg<64xT>, !pto.mask<b32> -> !pto.vreg<64xT>, !pto.vreg<64xT>",
                "%lo, %hi = pto.vmull %a, %b : !pto.vreg<64xT>, !pto.vreg<64xT> -> !pto.vreg<64xT>, !pto.vreg<64xT>"];
}

//===----------------------------------------------------------------------===//
// Three operands
//===----------------------------------------------------------------------===//

def PTO_VmulaOp : PTO_FusedOp<"vmula", "acc + a * b, rounded once", "vreg vreg vreg mask! -> vreg", PTO_Elements8To32> {
  let description = [{ Inactive lanes keep the accumulator; without a mask every lane is active. Integers wrap. }];
  let arguments = (ins PTO_VReg:$acc, PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let inactive = "operand 0";
  let syntax = ["%r = pto.vmula %acc, %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vmula %acc, %a, %b : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

def PTO_VmaddOp : PTO_FusedOp<"vmadd", "a * acc + b, rounded once", "vreg vreg vreg mask! -> vreg", ["f16", "bf16", "f32"]> {
  let description = [{
    The accumulator is a factor, not the addend as in `vmula`. Inactive lanes keep
    it; without a mask every lane is active.
  }];
  let arguments = (ins PTO_VReg:$acc, PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let inactive = "operand 0";
  let timing = "vmula";
  let profiles = ["a5"];
  let syntax = ["%r = pto.vmadd %acc, %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vmadd %acc, %a, %b : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

def PTO_VaxpyOp : PTO_FusedOp<"vaxpy", "alpha * x + y, rounded once", "vreg vreg scalar mask! -> vreg", ["f16", "f32"]> {
  let description = [{ Inactive lanes keep the addend; without a mask every lane is active. }];
  let arguments = (ins PTO_VReg:$x, PTO_VReg:$y, PTO_Scalar:$alpha, Optional<PTO_Mask>:$mask);
  let inactive = "operand 1";
  let constraints = PTO_LaneRules # [PTO_ScalarRule];
  let syntax = ["%r = pto.vaxpy %x, %y, %alpha, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, T, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vaxpy %x, %y, %alpha : !pto.vreg<NxT>, !pto.vreg<NxT>, T -> !pto.vreg<NxT>"];
}

//===----------------------------------------------------------------------===//
// With a conversion behind
//===----------------------------------------------------------------------===//

class PTO_FusedConvertOp<string mnemonic, string text, list<string> types, string pairs>
    : PTO_FusedOp<mnemonic, text, "vreg vreg mask? -> vreg", types, "verifyFusedConvert(*this)"> {
  let description = [{
    No manual says where the results go: they are taken to fill the even lanes,
    with zeros between them. A wider result is made of the even lanes. Inactive
    lanes are zero.
  }];
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let nan = "bits";
  let symbol = mnemonic # "_{0}_{r}";
  let timing = "vcvt";
  let constraints = ["CONV-1: the operands have one type; the conversion is " # pairs, PTO_ViewRule];
  let syntax = ["%r = pto." # mnemonic # " %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<MxU>",
                "%r = pto." # mnemonic # " %a, %b : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<MxU>"];
}
def PTO_VaddreluconvOp : PTO_FusedConvertOp<"vaddreluconv", "maximum of a + b and 0, converted to half the width, saturated, or to f32",
    ["i16", "f16", "f32"], "f32 to f16, f16 to i8, i16 to i8 or f16 to f32">;
def PTO_VmulconvOp : PTO_FusedConvertOp<"vmulconv", "a * b, converted to half the width, saturated", ["f16"], "f16 to i8">;

def PTO_VmulscvtOp : PTO_FusedOp<"vmulscvt", "a * scalar as f32, converted to the even or odd f16 lanes", "vreg scalar mask! @rnd @part -> vreg",
    ["f32"], "verifyVmulscvt(*this)"> {
  let description = [{
    The product is rounded to f32, then to f16 with ties away from zero; it
    overflows to infinity. Lanes of the other part and inactive ones are zero.
  }];
  let arguments = (ins PTO_VReg:$input, PTO_Scalar:$scalar, Optional<PTO_Mask>:$mask, StrAttr:$rnd, StrAttr:$part);
  let nan = "bits";
  let symbol = "vmulscvt_f32_f16_{part}";
  let timing = "vcvt";
  let profiles = ["a5"];
  let constraints = ["MULSCVT-1: the conversion is f32 to f16", "MULSCVT-2: the rounding is A", "MULSCVT-3: the part is EVEN or ODD",
                     PTO_ScalarRule, PTO_ViewRule];
  let syntax = ["%r = pto.vmulscvt %a, %s, %mask, \"A\", \"EVEN\" : !pto.vreg<64xf32>, f32, !pto.mask<b32> -> !pto.vreg<128xf16>"];
}

#endif // PTOSCOPE_PTO_FUSED_OPS
