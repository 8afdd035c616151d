//===- ComputeOps.td - lane-wise arithmetic ----------------------------------===//
// isa/20-compute.md. The meaning of each is the function of the same name in
// include/ptoscope/Meaning.

#ifndef PTOSCOPE_PTO_COMPUTE_OPS
#define PTOSCOPE_PTO_COMPUTE_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

class PTO_LaneOp<string mnemonic, string text, int vectors, list<string> types> : PTO_CustomOp<mnemonic,
    "parseLaneOp(parser, result, " # vectors # ")", "printLaneOp(printer, *this)", [Pure]> {
  let summary = text;
  let description = [{ Inactive lanes of the result are zero; without a mask every lane is active. }];
  let pipe = "V";
  let footprint = "none";
  let definedness = "use";
  let elements = types;
  let nan = "arith";
  let meaning = "lanes";
  let results = (outs PTO_VReg:$result);
  let constraints = ["LANE-1: registers have one type", "LANE-2: the element type is one the instruction takes",
                     "P8: mask granularity matches the element width"];
  let hasVerifier = 1;
  code verifyBody = [{
    ::llvm::LogicalResult $cppClass::verify() { return verifyLaneOp(*this); }
  }];
  let extraClassDefinition = customDefinitions # verifyBody;
}

class PTO_UnaryOp<string mnemonic, string text, list<string> types> : PTO_LaneOp<mnemonic, text, 1, types> {
  let arguments = (ins PTO_VReg:$input, Optional<PTO_Mask>:$mask);
  let family = "unary";
  let syntax = ["%r = pto." # mnemonic # " %a, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a : !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}
class PTO_BinaryOp<string mnemonic, string text, list<string> types> : PTO_LaneOp<mnemonic, text, 2, types> {
  let arguments = (ins PTO_VReg:$lhs, PTO_VReg:$rhs, Optional<PTO_Mask>:$mask);
  let family = "binary";
  let syntax = ["%r = pto." # mnemonic # " %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a, %b : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}


def PTO_VabsOp : PTO_UnaryOp<"vabs", "absolute value; the smallest integer stays itself", PTO_Ints8To32 # ["f16", "f32"]> { let timing = "vabs"; let nan = "bits"; }
def PTO_VnegOp : PTO_UnaryOp<"vneg", "negation; integers wrap, floats flip the sign bit", PTO_Ints8To32 # ["f16", "f32"]> { let timing = "vneg"; let nan = "bits"; }
def PTO_VexpOp : PTO_UnaryOp<"vexp", "e to the power x", ["f16", "f32"]> { let timing = "vexp"; }
def PTO_VreluOp : PTO_UnaryOp<"vrelu", "maximum of x and 0; NaN stays NaN", ["i32", "f16", "f32"]> { let timing = "vrelu"; }
def PTO_VaddOp : PTO_BinaryOp<"vadd", "a + b", PTO_Ints8To64 # ["f16", "bf16", "f32"]> { let timing = "vadd"; }
def PTO_VsubOp : PTO_BinaryOp<"vsub", "a - b", PTO_Ints8To64 # ["f16", "bf16", "f32"]> { let timing = "vadd"; }
def PTO_VmulOp : PTO_BinaryOp<"vmul", "a * b, the low half for integers", ["i16", "u16", "i32", "u32", "f16", "bf16", "f32"]> { let timing = "vmul"; }
def PTO_VdivOp : PTO_BinaryOp<"vdiv", "a / b", ["f16", "f32"]> { let timing = "vdiv"; }
def PTO_VmaxOp : PTO_BinaryOp<"vmax", "maximum; NaN if either is NaN", PTO_Ints8To32 # ["f16", "bf16", "f32"]> { let timing = "vmax"; }
def PTO_VminOp : PTO_BinaryOp<"vmin", "minimum; NaN if either is NaN", PTO_Ints8To32 # ["f16", "bf16", "f32"]> { let timing = "vmax"; }

#endif // PTOSCOPE_PTO_COMPUTE_OPS
