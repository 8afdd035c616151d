//===- ComputeOps.td - lane-wise arithmetic ----------------------------------===//
// docs/isa/20-compute.md. The meaning of each is the function of the
// same name in include/ptoscope/Meaning.

#ifndef PTOSCOPE_PTO_COMPUTE_OPS
#define PTOSCOPE_PTO_COMPUTE_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

class PTO_UnaryOp<string mnemonic, string text, list<string> types>
    : PTO_LaneOp<mnemonic, text, "vreg mask! -> vreg", types> {
  let arguments = (ins PTO_VReg:$input, Optional<PTO_Mask>:$mask);
  let results = (outs PTO_VReg:$result);
  let family = "unary";
  let timing = mnemonic;
  let syntax = ["%r = pto." # mnemonic # " %a, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a : !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

class PTO_BinaryOp<string mnemonic, string text, list<string> types>
    : PTO_LaneOp<mnemonic, text, "vreg vreg mask! -> vreg", types> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let results = (outs PTO_VReg:$result);
  let family = "binary";
  let timing = mnemonic;
  let syntax = ["%r = pto." # mnemonic # " %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a, %b : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

//===----------------------------------------------------------------------===//
// Unary
//===----------------------------------------------------------------------===//

def PTO_VabsOp : PTO_UnaryOp<"vabs", "absolute value; the smallest integer stays itself", PTO_Elements8To32> { let nan = "bits"; }
def PTO_VnegOp : PTO_UnaryOp<"vneg", "negation; integers wrap, floats flip the sign bit", PTO_Ints8To32 # ["f16", "f32"]> { let nan = "bits"; }
let nan = "canonical" in {
def PTO_VexpOp : PTO_UnaryOp<"vexp", "e to the power x", ["f16", "f32"]>;
def PTO_VlnOp : PTO_UnaryOp<"vln", "natural logarithm; of 0 it is -inf, of negative numbers NaN", ["f16", "f32"]>;
}
def PTO_VsqrtOp : PTO_UnaryOp<"vsqrt", "square root; of negative numbers NaN", ["f16", "f32"]>;
def PTO_VrecOp : PTO_UnaryOp<"vrec", "1 / x", ["f16", "f32"]> { let timing = "vdiv"; }
def PTO_VrsqrtOp : PTO_UnaryOp<"vrsqrt", "1 / square root of x", ["f16", "f32"]> { let timing = "vsqrt"; }
def PTO_VreluOp : PTO_UnaryOp<"vrelu", "maximum of x and 0; NaN stays NaN", ["i32", "f16", "bf16", "f32"]>;
def PTO_VnotOp : PTO_UnaryOp<"vnot", "every bit inverted", PTO_Ints8To64>;
def PTO_VbcntOp : PTO_UnaryOp<"vbcnt", "number of bits that are 1", PTO_Ints8To32> { let timing = "vnot"; }
def PTO_VclsOp : PTO_UnaryOp<"vcls", "number of leading bits equal to the sign bit, which counts", PTO_Ints8To32> { let timing = "vnot"; }

//===----------------------------------------------------------------------===//
// Binary
//===----------------------------------------------------------------------===//

def PTO_VaddOp : PTO_BinaryOp<"vadd", "a + b", PTO_Ints8To64 # ["f16", "bf16", "f32"]>;
def PTO_VsubOp : PTO_BinaryOp<"vsub", "a - b", PTO_Ints8To64 # ["f16", "bf16", "f32"]> { let timing = "vadd"; }
def PTO_VmulOp : PTO_BinaryOp<"vmul", "a * b, the low half for integers", ["i16", "u16", "i32", "u32", "f16", "bf16", "f32"]>;
def PTO_VdivOp : PTO_BinaryOp<"vdiv", "a / b; integers are cut toward zero, and all ones where b is 0", ["i16", "i32", "f16", "f32"]>;
def PTO_VmodOp : PTO_BinaryOp<"vmod", "remainder of a / b rounded toward zero; all ones where b is 0", PTO_Ints8To32> { let timing = "vdiv"; }
def PTO_VmaxOp : PTO_BinaryOp<"vmax", "maximum; NaN if either is NaN", PTO_Elements8To32>;
def PTO_VminOp : PTO_BinaryOp<"vmin", "minimum; NaN if either is NaN", PTO_Elements8To32> { let timing = "vmax"; }

class PTO_LogicOp<string mnemonic, string text> : PTO_BinaryOp<mnemonic, text, PTO_Ints8To64 # ["f16", "bf16", "f32"] # PTO_StorageElements> {
  let timing = "vand";
  let nan = "bits";
  let symbol = mnemonic # "_{w}";
}
def PTO_VandOp : PTO_LogicOp<"vand", "a & b; floats by their bits">;
def PTO_VorOp : PTO_LogicOp<"vor", "a | b; floats by their bits">;
def PTO_VxorOp : PTO_LogicOp<"vxor", "a ^ b; floats by their bits">;

/// Counts may be signed or signless whatever the data are.
class PTO_ShiftOp<string mnemonic, string text> : PTO_LaneOp<mnemonic, text, "vreg vreg mask! -> vreg", PTO_Ints8To64, "verifyShift(*this)"> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let results = (outs PTO_VReg:$result);
  let family = "binary";
  let timing = "vshl";
  let constraints = PTO_LaneRules # ["SHIFT-3: counts are integers of the width of the data: of their type, signed or signless"];
  let syntax = ["%r = pto." # mnemonic # " %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxI>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a, %b : !pto.vreg<NxT>, !pto.vreg<NxI> -> !pto.vreg<NxT>"];
}
def PTO_VshlOp : PTO_ShiftOp<"vshl", "a shifted left by b, modulo the width">;
def PTO_VshrOp : PTO_ShiftOp<"vshr", "a shifted right by b, modulo the width; signed and signless elements keep their sign">;

#endif // PTOSCOPE_PTO_COMPUTE_OPS
