//===- CompareOps.td - lanes that make masks ----------------------------------===//
// Comparisons (CMP-1 to CMP-4) and carry chains (CARRY-1 to CARRY-6).

#ifndef PTOSCOPE_PTO_COMPARE_OPS
#define PTOSCOPE_PTO_COMPARE_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

//===----------------------------------------------------------------------===//
// Comparisons
//===----------------------------------------------------------------------===//

class PTO_CompareOp<string mnemonic, string text, string operand, string type> : PTO_LaneOp<mnemonic, text,
    "vreg " # operand # " mask! @cmp -> mask", PTO_Elements8To32, "verifyCompare(*this)"> {
  let description = [{
    Inactive lanes are off. A NaN makes every mode false except `ne`, which it
    makes true; `one` is "ordered and unequal". Integers are compared by the
    signedness of the element, signless ones as signed.
  }];
  let results = (outs PTO_Mask:$result);
  let family = "compare";
  let timing = "vcmp";
  let symbol = mnemonic # "_{cmp}_{0}";
  let constraints = PTO_LaneRules # ["CMP-1: the mode is eq, ne, lt, le, gt, ge or one"];
  let syntax = ["%m = pto." # mnemonic # " %a, %b, %seed, \"lt\" : !pto.vreg<NxT>, " # type # ", !pto.mask<G> -> !pto.mask<G>",
                "%m = pto." # mnemonic # " %a, %b, \"lt\" : !pto.vreg<NxT>, " # type # " -> !pto.mask<G>"];
}

def PTO_VcmpOp : PTO_CompareOp<"vcmp", "the lanes where a and b compare so", "vreg", "!pto.vreg<NxT>"> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask, StrAttr:$cmp);
}
def PTO_VcmpsOp : PTO_CompareOp<"vcmps", "the lanes where a and a scalar compare so", "scalar", "T"> {
  let arguments = (ins PTO_VReg:$input, PTO_Scalar:$scalar, Optional<PTO_Mask>:$mask, StrAttr:$cmp);
  let constraints = [PTO_TypesRule, PTO_ViewRule, PTO_ScalarRule, "CMP-1: the mode is eq, ne, lt, le, gt, ge or one"];
}

//===----------------------------------------------------------------------===//
// Carry chains
//===----------------------------------------------------------------------===//

class PTO_CarryOp<string mnemonic, string text, string signature> : PTO_LaneOp<mnemonic, text, signature, ["i32", "u32"]> {
  let description = [{
    Inactive lanes are zero in the register and off in the mask. Lanes are taken
    as unsigned. Carries of subtraction say "no borrow", coming in and going out.
  }];
  let results = (outs PTO_VReg:$result, PTO_Mask:$carry);
  let family = "carry";
  let timing = "vaddc";
  let symbol = mnemonic # "_u32";
}

class PTO_CarryOutOp<string mnemonic, string text> : PTO_CarryOp<mnemonic, text, "vreg vreg mask! -> vreg mask"> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let syntax = ["%r, %c = pto." # mnemonic # " %a, %b, %mask : !pto.vreg<64xT>, !pto.vreg<64xT>, !pto.mask<b32> -> !pto.vreg<64xT>, !pto.mask<b32>",
                "%r, %c = pto." # mnemonic # " %a, %b : !pto.vreg<64xT>, !pto.vreg<64xT> -> !pto.vreg<64xT>, !pto.mask<b32>"];
}
def PTO_VaddcOp : PTO_CarryOutOp<"vaddc", "a + b, and where it carries">;
def PTO_VsubcOp : PTO_CarryOutOp<"vsubc", "a - b, and where it does not borrow">;

class PTO_CarryInOp<string mnemonic, string text> : PTO_CarryOp<mnemonic, text, "vreg vreg mask mask! -> vreg mask"> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, PTO_Mask:$carry_in, Optional<PTO_Mask>:$mask);
  let syntax = ["%r, %c = pto." # mnemonic # " %a, %b, %carry, %mask : !pto.vreg<64xT>, !pto.vreg<64xT>, !pto.mask<b32>, !pto.mask<b32> -> !pto.vreg<64xT>, !pto.mask<b32>",
                "%r, %c = pto." # mnemonic # " %a, %b, %carry : !pto.vreg<64xT>, !pto.vreg<64xT>, !pto.mask<b32> -> !pto.vreg<64xT>, !pto.mask<b32>"];
}
def PTO_VaddcsOp : PTO_CarryInOp<"vaddcs", "a + b + carry, and where it carries">;
def PTO_VsubcsOp : PTO_CarryInOp<"vsubcs", "a - b - (1 - carry), and where it does not borrow">;

#endif // PTOSCOPE_PTO_COMPARE_OPS
