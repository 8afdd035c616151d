//===- VmiMaskOps.td - masks of virtual vectors -------------------------------===//
// docs/isa/40-vmi.md, masks. Logic on masks are forms of `vand` and its kin.

#ifndef PTOSCOPE_PTO_VMI_MASK_OPS
#define PTOSCOPE_PTO_VMI_MASK_OPS

include "ptoscope/Dialect/PTO/VmiBase.td"

class PTO_VmiMakeMaskOp<string name, string text, string ofMicro, string signature, list<string> attributes, list<string> rules>
    : PTO_VmiOp<name, text, "mask", ofMicro, signature, [], attributes> {
  let family = "predicate";
  let definedness = "define";
  let timing = "predicate";
  let constraints = [VMI_FormRule] # rules;
}

def PTO_VmiCreateMaskOp : PTO_VmiMakeMaskOp<"create_mask", "lanes below a count", "plt_b32", "index -> m", [], []> {
  let description = [{ A count of N or more gives all lanes, a negative one none. }];
  let syntax = ["%m = pto.vmi.create_mask %n : index -> !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiCreateGroupMaskOp : PTO_VmiMakeMaskOp<"create_group_mask", "in each group, the lanes below a count", "plt_b32", "index -> m",
    ["num_groups#", "group_size#"], ["VMASK-1: `num_groups` times `group_size` is the lane count"]> {
  let syntax = ["%m = pto.vmi.create_group_mask %n {num_groups = C, group_size = S} : index -> !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiPsetOp : PTO_VmiMakeMaskOp<"pset", "all lanes", "pset_b32", "@pattern -> m", ["pattern", "group#"],
    [VMI_GroupRule, "VMASK-2: the pattern is \"PAT_ALL\""]> {
  let syntax = ["%m = pto.vmi.pset \"PAT_ALL\" : !pto.vmi.mask<Nxpred>", "%m = pto.vmi.pset \"PAT_ALL\" {group = C} : !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiPgeOp : PTO_VmiMakeMaskOp<"pge", "the first n lanes, or those of each group", "pge_b32", "@pattern -> m", ["pattern", "group#"],
    [VMI_GroupRule, "VMASK-3: the pattern is \"PAT_VLn\" with n from 1 to the lane count"]> {
  let syntax = ["%m = pto.vmi.pge \"PAT_VL16\" : !pto.vmi.mask<Nxpred>", "%m = pto.vmi.pge \"PAT_VL16\" {group = C} : !pto.vmi.mask<Nxpred>"];
}
def PTO_VmiPltOp : PTO_VmiMakeMaskOp<"plt", "lanes below what is left, and what is left behind them", "plt_b32", "i32 -> m i32", [], []> {
  let description = [{ Active are the first min(%rem, N) lanes; the second result is %rem less that number. }];
  let syntax = ["%m, %next = pto.vmi.plt %rem : i32 -> !pto.vmi.mask<Nxpred>, i32"];
}
def PTO_VmiConstantMaskOp : PTO_VmiGenericOp<"constant_mask", "a literal mask", "mask", "", "-> m", [], ["value*"]> {
  let family = "predicate";
  let definedness = "define";
  let timing = "predicate";
  let constraints = [VMI_FormRule, "VMASK-4: `value` is a dense attribute of N elements `i1`"];
  let syntax = ["%m = \"pto.vmi.constant_mask\"() {value = dense<[true, false]> : tensor<2xi1>} : () -> !pto.vmi.mask<2xpred>"];
}

class PTO_VmiMaskLogicName<string name, string target> : PTO_VmiAlias<name, target, "m m -> m", [],
    ["%r = pto.vmi." # name # " %a, %b : !pto.vmi.mask<Nxpred>, !pto.vmi.mask<Nxpred> -> !pto.vmi.mask<Nxpred>"]>;
def PTO_VmiMaskAndName : PTO_VmiMaskLogicName<"mask_and", "vand">;
def PTO_VmiMaskOrName : PTO_VmiMaskLogicName<"mask_or", "vor">;
def PTO_VmiMaskXorName : PTO_VmiMaskLogicName<"mask_xor", "vxor">;
def PTO_VmiMaskNotName : PTO_VmiAlias<"mask_not", "vnot", "m -> m", [], ["%r = pto.vmi.mask_not %a : !pto.vmi.mask<Nxpred> -> !pto.vmi.mask<Nxpred>"]>;

#endif // PTOSCOPE_PTO_VMI_MASK_OPS
