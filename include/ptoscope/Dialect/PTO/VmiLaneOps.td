//===- VmiLaneOps.td - arithmetic on virtual vectors --------------------------===//
// docs/isa/40-vmi.md, arithmetic, comparison and selection. Lanes are those of the
// micro instruction of the same name; signless integers are unsigned here (VSEQ-5).

#ifndef PTOSCOPE_PTO_VMI_LANE_OPS
#define PTOSCOPE_PTO_VMI_LANE_OPS

include "ptoscope/Dialect/PTO/VmiBase.td"

defvar VMI_LaneRules = [VMI_FormRule, VMI_LanesRule, VMI_TypeRule, VMI_ElementRule, VMI_MaskRule, VMI_ModeRule, VMI_LayoutRule];

class PTO_VmiLaneOp<string name, string text, string signature, list<string> types, list<string> attributes = ["pmode"]>
    : PTO_VmiOp<name, text, "elementwise", name, signature, types, attributes> {
  let description = [{ Inactive lanes of the result are zero; without a mask every lane is active. }];
  let family = "fused";
  let nan = "arith";
  let timing = name;
  let constraints = VMI_LaneRules;
}

//===----------------------------------------------------------------------===//
// One and two vectors
//===----------------------------------------------------------------------===//

class PTO_VmiUnaryOp<string name, string text, list<string> types> : PTO_VmiLaneOp<name, text, "v m? -> v", types> {
  let family = "unary";
  let maskDropped = 1;
  let syntax = ["%r = pto.vmi." # name # " %a : !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi." # name # " %a, %m : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVnegOp : PTO_VmiUnaryOp<"vneg", "negation; integers wrap, floats flip the sign bit", VMI_Ints # VMI_Floats> { let nan = "bits"; }
def PTO_VmiVabsOp : PTO_VmiUnaryOp<"vabs", "absolute value; the smallest integer stays itself", VMI_SignedInts # VMI_AllFloats> { let nan = "bits"; }
def PTO_VmiVsqrtOp : PTO_VmiUnaryOp<"vsqrt", "square root", VMI_Floats>;
def PTO_VmiVexpOp : PTO_VmiUnaryOp<"vexp", "e to the power x", VMI_Floats>;
def PTO_VmiVlnOp : PTO_VmiUnaryOp<"vln", "natural logarithm", VMI_Floats>;
def PTO_VmiVreluOp : PTO_VmiUnaryOp<"vrelu", "maximum of x and 0", ["si32"] # VMI_Floats>;

class PTO_VmiBinaryOp<string name, string text, list<string> types> : PTO_VmiLaneOp<name, text, "v v m? -> v", types> {
  let family = "binary";
  let maskDropped = 1;
  let syntax = ["%r = pto.vmi." # name # " %a, %b : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi." # name # " %a, %b, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVaddOp : PTO_VmiBinaryOp<"vadd", "a + b", VMI_Arithmetic>;
def PTO_VmiVsubOp : PTO_VmiBinaryOp<"vsub", "a - b", VMI_Arithmetic> { let timing = "vadd"; }
def PTO_VmiVmulOp : PTO_VmiBinaryOp<"vmul", "a * b, the low half for integers", VMI_Int16 # VMI_Int32 # VMI_AllFloats>;
def PTO_VmiVdivOp : PTO_VmiBinaryOp<"vdiv", "a / b", VMI_Floats>;
def PTO_VmiVmaxOp : PTO_VmiBinaryOp<"vmax", "maximum", VMI_Arithmetic>;
def PTO_VmiVminOp : PTO_VmiBinaryOp<"vmin", "minimum", VMI_Arithmetic> { let timing = "vmax"; }
def PTO_VmiVshlOp : PTO_VmiBinaryOp<"vshl", "a shifted left by b", VMI_Ints>;
def PTO_VmiVshrOp : PTO_VmiBinaryOp<"vshr", "a shifted right by b; only `siN` elements keep their sign", VMI_Ints> { let timing = "vshl"; }

defvar VMI_LogicRule = "VMASK-5: logic on masks has neither a governing mask nor `pmode`";
class PTO_VmiLogicOp<string name, string text> : PTO_VmiLaneOp<name, text, "v v m? -> v | m m -> m", VMI_Ints> {
  let family = "binary";
  let maskDropped = 1;
  let timing = "vand";
  let nan = "bits";
  let constraints = VMI_LaneRules # [VMI_LogicRule];
  let syntax = ["%r = pto.vmi." # name # " %a, %b : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi." # name # " %a, %b, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi." # name # " %a, %b : !pto.vmi.mask<Nxpred>, !pto.vmi.mask<Nxpred> -> !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiVandOp : PTO_VmiLogicOp<"vand", "a & b, of integers or masks">;
def PTO_VmiVorOp : PTO_VmiLogicOp<"vor", "a | b, of integers or masks">;
def PTO_VmiVxorOp : PTO_VmiLogicOp<"vxor", "a ^ b, of integers or masks">;
def PTO_VmiVnotOp : PTO_VmiLaneOp<"vnot", "every bit inverted, of integers or a mask", "v m? -> v | m -> m", VMI_Ints> {
  let family = "unary";
  let maskDropped = 1;
  let constraints = VMI_LaneRules # [VMI_LogicRule];
  let syntax = ["%r = pto.vmi.vnot %a : !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vnot %a, %m : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vnot %a : !pto.vmi.mask<Nxpred> -> !pto.vmi.mask<Nxpred>"];
}

//===----------------------------------------------------------------------===//
// A vector and a scalar: the mask is required
//===----------------------------------------------------------------------===//

class PTO_VmiScalarOp<string name, string text, list<string> types> : PTO_VmiLaneOp<name, text, "v scalar m -> v", types> {
  let family = "vec-scalar";
  let constraints = VMI_LaneRules # [VMI_ScalarRule];
  let syntax = ["%r = pto.vmi." # name # " %a, %s, %m : !pto.vmi.vreg<NxT>, T, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVaddsOp : PTO_VmiScalarOp<"vadds", "a + s", VMI_Arithmetic>;
def PTO_VmiVmulsOp : PTO_VmiScalarOp<"vmuls", "a * s", VMI_Int16 # VMI_Int32 # VMI_Floats>;
def PTO_VmiVmaxsOp : PTO_VmiScalarOp<"vmaxs", "maximum of a and s", VMI_Arithmetic>;
def PTO_VmiVminsOp : PTO_VmiScalarOp<"vmins", "minimum of a and s", VMI_Arithmetic> { let timing = "vmaxs"; }

class PTO_VmiShiftOp<string name, string text> : PTO_VmiLaneOp<name, text, "v scalar m -> v", VMI_Ints> {
  let family = "vec-scalar";
  let timing = "vshls";
  let constraints = VMI_LaneRules # ["VLANE-1: the count is a signless `i16`"];
  let syntax = ["%r = pto.vmi." # name # " %a, %s, %m : !pto.vmi.vreg<NxT>, i16, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVshlsOp : PTO_VmiShiftOp<"vshls", "a shifted left by a count">;
def PTO_VmiVshrsOp : PTO_VmiShiftOp<"vshrs", "a shifted right by a count; only `siN` elements keep their sign">;

//===----------------------------------------------------------------------===//
// Carries, products, activations
//===----------------------------------------------------------------------===//

def PTO_VmiVaddcOp : PTO_VmiLaneOp<"vaddc", "a + b and its unsigned carry", "v v m -> v m", VMI_Int32> {
  let family = "carry";
  let syntax = ["%r, %c = pto.vmi.vaddc %a, %b, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiVaddcsOp : PTO_VmiLaneOp<"vaddcs", "a + b + carry and its unsigned carry", "v v m m -> v m", VMI_Int32> {
  let family = "carry";
  let timing = "vaddc";
  let syntax = ["%r, %c = pto.vmi.vaddcs %a, %b, %cin, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiVmullOp : PTO_VmiLaneOp<"vmull", "low and high half of a * b; `i32` is signed here", "v v m -> v v", ["i32", "ui32"]> {
  let constraints = VMI_LaneRules # ["VLANE-2: vectors have 64, 128 or 256 lanes"];
  let syntax = ["%lo, %hi = pto.vmi.vmull %a, %b, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVmulaOp : PTO_VmiLaneOp<"vmula", "acc + a * b, rounded once; integers wrap", "v v v m? -> v", VMI_Arithmetic> {
  let maskDropped = 1;
  let syntax = ["%r = pto.vmi.vmula %acc, %a, %b : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vmula %acc, %a, %b, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}

class PTO_VmiActivationOp<string name, string text, string signature>
    : PTO_VmiGenericOp<name, text, "elementwise", name, signature, VMI_Floats, ["pmode"]> {
  let description = [{ Inactive lanes of the result are zero. }];
  let family = "fused";
  let nan = "arith";
  let maskDropped = 1;
  let constraints = VMI_LaneRules # [VMI_ScalarRule];
}
def PTO_VmiVaxpyOp : PTO_VmiActivationOp<"vaxpy", "alpha * x + acc", "v v scalar m -> v"> {
  let timing = "vaxpy";
  let syntax = ["%r = \"pto.vmi.vaxpy\"(%x, %acc, %alpha, %m) : (!pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, T, !pto.vmi.mask<Nxpred>) -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vaxpy %x, %acc, %alpha, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, T, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVlreluOp : PTO_VmiActivationOp<"vlrelu", "x where x > 0, else slope * x", "v scalar m -> v"> {
  let timing = "vprelu";
  let syntax = ["%r = \"pto.vmi.vlrelu\"(%x, %slope, %m) : (!pto.vmi.vreg<NxT>, T, !pto.vmi.mask<Nxpred>) -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vlrelu %x, %slope, %m : !pto.vmi.vreg<NxT>, T, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVpreluOp : PTO_VmiLaneOp<"vprelu", "max(x, 0) + alpha * min(x, 0)", "v v m -> v", VMI_Floats> {
  let maskDropped = 1;
  let syntax = ["%r = pto.vmi.vprelu %x, %alpha, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVexpdifOp : PTO_VmiLaneOp<"vexpdif", "e to the power x - max, in f32", "v v m -> v", VMI_Floats> {
  let constraints = [VMI_FormRule, VMI_LanesRule, VMI_ElementRule, VMI_MaskRule, VMI_ModeRule,
                     "VLANE-3: x and max have one type, the result has f32 elements"];
  let syntax = ["%r = pto.vmi.vexpdif %x, %max, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<Nxf32>"];
}

//===----------------------------------------------------------------------===//
// Comparison and selection
//===----------------------------------------------------------------------===//

class PTO_VmiCompareOp<string name, string text, string ofMicro, string signature, list<string> types, list<string> attributes, list<string> rules>
    : PTO_VmiOp<name, text, "compare", ofMicro, signature, types, attributes> {
  let family = "compare";
  let timing = "vcmp";
  let constraints = [VMI_FormRule, VMI_LanesRule, VMI_ElementRule, VMI_MaskRule] # rules;
}
defvar VMI_CompareRule = "VLANE-4: `cmp` is eq, ne, lt, le, gt or ge, for floats also with an o before it";
def PTO_VmiVcmpOp : PTO_VmiCompareOp<"vcmp", "the active lanes for which a comparison holds", "vcmp", "v v m -> m", VMI_Arithmetic,
    ["cmp", "pmode"], [VMI_TypeRule, VMI_CompareRule, VMI_ModeRule]> {
  let syntax = ["%r = pto.vmi.vcmp %a, %b, %seed {cmp = \"lt\"} : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiVcmpsOp : PTO_VmiCompareOp<"vcmps", "the active lanes for which a comparison with a scalar holds", "vcmps", "v scalar m -> m", VMI_Arithmetic,
    ["cmp", "pmode"], [VMI_CompareRule, VMI_ScalarRule, VMI_ModeRule]> {
  let syntax = ["%r = pto.vmi.vcmps %a, %s, %seed {cmp = \"ge\"} : !pto.vmi.vreg<NxT>, T, !pto.vmi.mask<Nxpred> -> !pto.vmi.mask<Nxpred>"];
}
defvar VMI_PredicateRule = "VLANE-5: the predicate is one of the element kind: oeq, one, olt, ole, ogt, oge; eq, ne, slt, sle, sgt, sge, ult, ule, ugt, uge";
class PTO_VmiPlainCompareOp<string name, string text, string example, list<string> types>
    : PTO_VmiCompareOp<name, text, "vcmp", "@predicate v v -> m", types, ["predicate"], [VMI_TypeRule, VMI_PredicateRule]> {
  let syntax = ["%r = pto.vmi." # name # " \"" # example # "\", %a, %b : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiCmpfOp : PTO_VmiPlainCompareOp<"cmpf", "lanes for which a comparison of floats holds", "olt", VMI_AllFloats>;
def PTO_VmiCmpiOp : PTO_VmiPlainCompareOp<"cmpi", "lanes for which a comparison of integers holds; the predicate has the sign", "slt", VMI_Ints>;

def PTO_VmiVselOp : PTO_VmiOp<"vsel", "lanes of one vector where the mask is set, else of the other", "select", "vsel", "m v v -> v",
    VMI_Elements, ["pmode"]> {
  let description = [{ `pmode` has no effect; both words are accepted. }];
  let family = "select";
  let definedness = "copy";
  let timing = "vsel";
  let constraints = [VMI_FormRule, VMI_LanesRule, VMI_TypeRule, VMI_MaskRule, VMI_ModeRule, VMI_LayoutRule];
  let syntax = ["%r = pto.vmi.vsel %m, %t, %f : !pto.vmi.mask<Nxpred>, !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>"];
}

//===----------------------------------------------------------------------===//
// Other names
//===----------------------------------------------------------------------===//

class PTO_VmiBinaryName<string name, string target, list<string> types> : PTO_VmiAlias<name, target, "v v -> v", types,
    ["%r = pto.vmi." # name # " %a, %b : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>"]>;
class PTO_VmiUnaryName<string name, string target, list<string> types> : PTO_VmiAlias<name, target, "v -> v", types,
    ["%r = pto.vmi." # name # " %a : !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>"]>;
def PTO_VmiAddfName : PTO_VmiBinaryName<"addf", "vadd", VMI_AllFloats>;
def PTO_VmiAddiName : PTO_VmiBinaryName<"addi", "vadd", VMI_Ints>;
def PTO_VmiSubfName : PTO_VmiBinaryName<"subf", "vsub", VMI_AllFloats>;
def PTO_VmiSubiName : PTO_VmiBinaryName<"subi", "vsub", VMI_Ints>;
def PTO_VmiMulfName : PTO_VmiBinaryName<"mulf", "vmul", VMI_AllFloats>;
def PTO_VmiMuliName : PTO_VmiBinaryName<"muli", "vmul", VMI_Int16 # VMI_Int32>;
def PTO_VmiDivfName : PTO_VmiBinaryName<"divf", "vdiv", VMI_Floats>;
def PTO_VmiMinfName : PTO_VmiBinaryName<"minf", "vmin", VMI_AllFloats>;
def PTO_VmiMaxfName : PTO_VmiBinaryName<"maxf", "vmax", VMI_AllFloats>;
def PTO_VmiMiniName : PTO_VmiBinaryName<"mini", "vmin", VMI_Ints>;
def PTO_VmiMaxiName : PTO_VmiBinaryName<"maxi", "vmax", VMI_Ints>;
def PTO_VmiAndiName : PTO_VmiBinaryName<"andi", "vand", VMI_Ints>;
def PTO_VmiOriName : PTO_VmiBinaryName<"ori", "vor", VMI_Ints>;
def PTO_VmiXoriName : PTO_VmiBinaryName<"xori", "vxor", VMI_Ints>;
def PTO_VmiShliName : PTO_VmiBinaryName<"shli", "vshl", VMI_Ints>;
def PTO_VmiShruiName : PTO_VmiBinaryName<"shrui", "vshr", VMI_UnsignedInts>;
def PTO_VmiShrsiName : PTO_VmiBinaryName<"shrsi", "vshr", VMI_SignedInts>;
def PTO_VmiFmaName : PTO_VmiAlias<"fma", "vmula", "v:1 v:2 v:0 -> v", VMI_AllFloats,
    ["%r = pto.vmi.fma %a, %b, %acc : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>"]>;
def PTO_VmiNegfName : PTO_VmiUnaryName<"negf", "vneg", VMI_Floats>;
def PTO_VmiNegiName : PTO_VmiUnaryName<"negi", "vneg", VMI_Ints>;
def PTO_VmiAbsfName : PTO_VmiUnaryName<"absf", "vabs", VMI_Floats>;
def PTO_VmiAbsiName : PTO_VmiUnaryName<"absi", "vabs", VMI_SignedInts>;
def PTO_VmiSqrtName : PTO_VmiUnaryName<"sqrt", "vsqrt", VMI_Floats>;
def PTO_VmiExpName : PTO_VmiUnaryName<"exp", "vexp", VMI_Floats>;
def PTO_VmiLnName : PTO_VmiUnaryName<"ln", "vln", VMI_Floats>;
def PTO_VmiReluName : PTO_VmiUnaryName<"relu", "vrelu", ["si32"] # VMI_Floats>;
def PTO_VmiNotName : PTO_VmiUnaryName<"not", "vnot", VMI_Ints>;
def PTO_VmiSelectName : PTO_VmiAlias<"select", "vsel", "m v v -> v", VMI_Elements,
    ["%r = pto.vmi.select %m, %t, %f : !pto.vmi.mask<Nxpred>, !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<NxT>"]>;

#endif // PTOSCOPE_PTO_VMI_LANE_OPS
