//===- VecScalarOps.td - lanes and a scalar -----------------------------------===//
// VS-1, SHIFT-1 to SHIFT-6.

#ifndef PTOSCOPE_PTO_VEC_SCALAR_OPS
#define PTOSCOPE_PTO_VEC_SCALAR_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

class PTO_VecScalarOp<string mnemonic, string text, list<string> types, string verify = "verifyLanes(*this)", string kind = "scalar">
    : PTO_LaneOp<mnemonic, text, "vreg " # kind # " mask! -> vreg", types, verify> {
  let arguments = (ins PTO_VReg:$input, PTO_Scalar:$scalar, Optional<PTO_Mask>:$mask);
  let results = (outs PTO_VReg:$result);
  let family = "vec-scalar";
  let timing = mnemonic;
  let constraints = PTO_LaneRules # [PTO_ScalarRule];
  let syntax = ["%r = pto." # mnemonic # " %a, %s, %mask : !pto.vreg<NxT>, T, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a, %s : !pto.vreg<NxT>, T -> !pto.vreg<NxT>"];
}

def PTO_VaddsOp : PTO_VecScalarOp<"vadds", "a + s", PTO_Elements8To32>;
def PTO_VsubsOp : PTO_VecScalarOp<"vsubs", "a - s", PTO_Elements8To32> { let timing = "vadds"; }
def PTO_VmulsOp : PTO_VecScalarOp<"vmuls", "a * s, the low half for integers", PTO_Elements8To32>;
def PTO_VdivsOp : PTO_VecScalarOp<"vdivs", "a / s", ["f16", "f32"]> { let timing = "vdiv"; }
def PTO_VmaxsOp : PTO_VecScalarOp<"vmaxs", "maximum of a and s; NaN if either is NaN", PTO_Elements8To32>;
def PTO_VminsOp : PTO_VecScalarOp<"vmins", "minimum of a and s; NaN if either is NaN", PTO_Elements8To32> { let timing = "vmaxs"; }
def PTO_VlreluOp : PTO_VecScalarOp<"vlrelu", "a where a >= 0, else s * a", ["f16", "f32"]> {
  let family = "fused";
  let timing = "vmuls";
}

class PTO_LogicScalarOp<string mnemonic, string text> : PTO_VecScalarOp<mnemonic, text, PTO_Ints8To64> {
  let timing = "vand";
  let symbol = mnemonic # "_{w}";
}
def PTO_VandsOp : PTO_LogicScalarOp<"vands", "a & s">;
def PTO_VorsOp : PTO_LogicScalarOp<"vors", "a | s">;
def PTO_VxorsOp : PTO_LogicScalarOp<"vxors", "a ^ s">;

class PTO_ShiftScalarOp<string mnemonic, string text> : PTO_VecScalarOp<mnemonic, text, PTO_Ints8To64, "verifyShift(*this)", "count"> {
  let description = [{
    Inactive lanes of the result are zero; without a mask every lane is active.
    Older manuals give the count the type of the elements: any integer is taken.
  }];
  let timing = "vshls";
  let constraints = PTO_LaneRules # ["SHIFT-1: the count is an i16", "SHIFT-2: the count is at least 0 and less than the width of the elements"];
  let syntax = ["%r = pto." # mnemonic # " %a, %n, %mask : !pto.vreg<NxT>, i16, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a, %n : !pto.vreg<NxT>, i16 -> !pto.vreg<NxT>"];
}
def PTO_VshlsOp : PTO_ShiftScalarOp<"vshls", "a shifted left by n">;
def PTO_VshrsOp : PTO_ShiftScalarOp<"vshrs", "a shifted right by n; signed and signless elements keep their sign">;

#endif // PTOSCOPE_PTO_VEC_SCALAR_OPS
