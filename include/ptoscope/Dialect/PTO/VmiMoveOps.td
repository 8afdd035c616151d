//===- VmiMoveOps.td - lanes change their places; reductions ------------------===//
// docs/isa/40-vmi.md, permutations, broadcasts, indices, constants, reductions,
// histograms, and the helpers of a compiler.

#ifndef PTOSCOPE_PTO_VMI_MOVE_OPS
#define PTOSCOPE_PTO_VMI_MOVE_OPS

include "ptoscope/Dialect/PTO/VmiBase.td"

//===----------------------------------------------------------------------===//
// Permutations
//===----------------------------------------------------------------------===//

class PTO_VmiPermuteOp<string name, string text, string ofMicro, string signature, list<string> types, list<string> attributes, list<string> rules>
    : PTO_VmiOp<name, text, "permute", ofMicro, signature, types, attributes> {
  let family = "rearrange";
  let definedness = "copy";
  let timing = "rearrange";
  let constraints = [VMI_FormRule] # rules;
}

def PTO_VmiVselrOp : PTO_VmiPermuteOp<"vselr", "lane i of the result is the lane of the source that index i names", "vselr", "v v -> v",
    VMI_Elements, [], [VMI_LanesRule, "VPERM-1: indices are integers of the element's width; source and result have one type"]> {
  let syntax = ["%r = pto.vmi.vselr %src, %idx : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxI> -> !pto.vmi.vreg<NxT>"];
}
class PTO_VmiInterleaveOp<string name, string text> : PTO_VmiPermuteOp<name, text, name, "v v m? -> v v", VMI_Elements, ["pmode"],
    [VMI_LanesRule, VMI_TypeRule, VMI_MaskRule, VMI_ModeRule]> {
  let maskDropped = 1;
  let syntax = ["%lo, %hi = pto.vmi." # name # " %a, %b, %m : !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>, !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVintlvOp : PTO_VmiInterleaveOp<"vintlv", "lanes of two vectors in turn, lower and upper half">;
def PTO_VmiVdintlvOp : PTO_VmiInterleaveOp<"vdintlv", "even and odd lanes of two vectors, one behind the other">;

def PTO_VmiShuffleOp : PTO_VmiOp<"shuffle", "lane k of the result is the lane of the source that number k names", "permute", "", "v -> v",
    VMI_Elements, ["indices*"]> {
  let family = "rearrange";
  let definedness = "copy";
  let timing = "rearrange";
  let constraints = [VMI_FormRule, VMI_TypeRule, "VPERM-2: every number is a lane of the source, one for each lane of the result"];
  let syntax = ["%r = pto.vmi.shuffle %src[1, 0] : !pto.vmi.vreg<NxT> -> !pto.vmi.vreg<2xT>"];
}

class PTO_VmiChannelOp<string name, string text> : PTO_VmiGenericOp<name, text, "permute", "", "", VMI_Elements, []> {
  let family = "rearrange";
  let definedness = "copy";
  let timing = "rearrange";
  let constraints = [VMI_TypeRule, "VPERM-3: two or more channels of one size fill the whole vector"];
}
def PTO_VmiChannelSplitOp : PTO_VmiChannelOp<"channel_split", "lane i of channel c is lane i * C + c of the source"> {
  let syntax = ["%a, %b = \"pto.vmi.channel_split\"(%s) : (!pto.vmi.vreg<2KxT>) -> (!pto.vmi.vreg<KxT>, !pto.vmi.vreg<KxT>)"];
}
def PTO_VmiChannelMergeOp : PTO_VmiChannelOp<"channel_merge", "lane i * C + c of the result is lane i of channel c"> {
  let syntax = ["%r = \"pto.vmi.channel_merge\"(%a, %b) : (!pto.vmi.vreg<KxT>, !pto.vmi.vreg<KxT>) -> !pto.vmi.vreg<2KxT>"];
}
def PTO_VmiActivePrefixIndexOp : PTO_VmiPermuteOp<"active_prefix_index", "number of active lanes below each lane", "vusqz", "m -> v",
    ["i8", "i16", "i32"], [], [VMI_LanesRule, VMI_ElementRule, VMI_MaskRule]> {
  let syntax = ["%r = pto.vmi.active_prefix_index %m : !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<Nxi32>"];
}
def PTO_VmiCompressOp : PTO_VmiPermuteOp<"compress", "active lanes moved to the front, the rest zero", "vsqz", "v m -> v",
    VMI_Elements, [], [VMI_LanesRule, VMI_TypeRule, VMI_MaskRule]> {
  let syntax = ["%r = pto.vmi.compress %v, %m : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<NxT>"];
}

//===----------------------------------------------------------------------===//
// Broadcasts, indices, constants
//===----------------------------------------------------------------------===//

def PTO_VmiVbrcOp : PTO_VmiOp<"vbrc", "a scalar, or the lane of each group, in every lane", "broadcast", "vdup", "scalar -> v | v -> v",
    VMI_Elements, ["group#"]> {
  let family = "materialize";
  let definedness = "copy";
  let timing = "rearrange";
  let constraints = [VMI_FormRule, VMI_ScalarRule, VMI_TypeRule, VMI_GroupRule, "VPERM-4: a vector that is broadcast has one lane for each group"];
  let syntax = ["%r = pto.vmi.vbrc %x : T -> !pto.vmi.vreg<NxT>", "%r = pto.vmi.vbrc %x : !pto.vmi.vreg<1xT> -> !pto.vmi.vreg<NxT>",
                "%r = pto.vmi.vbrc %s {group = C} : !pto.vmi.vreg<CxT> -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiVciOp : PTO_VmiOp<"vci", "base + i, or base - i, from 0 in each group", "index", "vci", "scalar -> v",
    VMI_Ints # VMI_Floats, ["order", "group#"]> {
  let family = "materialize";
  let definedness = "define";
  let timing = "rearrange";
  let constraints = [VMI_FormRule, VMI_ElementRule, VMI_ScalarRule, VMI_GroupRule, "VPERM-5: `order` is \"ASC\" or \"DESC\""];
  let syntax = ["%r = pto.vmi.vci %base {order = \"ASC\"} : T -> !pto.vmi.vreg<NxT>", "%r = pto.vmi.vci %base {order = \"DESC\", group = C} : T -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiConstantOp : PTO_VmiGenericOp<"constant", "literal lanes", "constant", "", "-> v", VMI_Elements, ["value*"]> {
  let family = "materialize";
  let definedness = "define";
  let timing = "rearrange";
  let constraints = [VMI_FormRule, "VPERM-6: `value` is a dense attribute of N elements of the element type"];
  let syntax = ["%r = \"pto.vmi.constant\"() {value = dense<1.0> : tensor<64xf32>} : () -> !pto.vmi.vreg<64xf32>"];
}

//===----------------------------------------------------------------------===//
// Reductions and histograms
//===----------------------------------------------------------------------===//

class PTO_VmiReduceOp<string name, string text, list<string> attributes, list<string> rules>
    : PTO_VmiOp<name, text, "reduce", name, "v m -> v", VMI_Ints # VMI_Floats, attributes> {
  let description = [{ Without `group` there is one group, and a result of one lane. }];
  let family = "reduce";
  let timing = name;
  let constraints = [VMI_FormRule, VMI_TypeRule, VMI_ElementRule, VMI_MaskRule, VMI_GroupRule,
                     "VRED-1: the mask has the lanes of the source, the result one for each group"] # rules;
}
def PTO_VmiVcaddOp : PTO_VmiReduceOp<"vcadd", "the sum of the active lanes of each group", ["group#", "reassoc!", "pmode"],
    ["VRED-2: sums of floats have the attribute `reassoc`", VMI_ModeRule]> {
  let syntax = ["%r = pto.vmi.vcadd %v, %m {reassoc} : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<1xT>",
                "%r = pto.vmi.vcadd %v, %m {group = C, reassoc} : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<CxT>"];
}
class PTO_VmiExtremumOp<string name, string text> : PTO_VmiReduceOp<name, text, ["group#", "pmode"], [VMI_ModeRule]> {
  let timing = "vcmax";
  let syntax = ["%r = pto.vmi." # name # " %v, %m : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<1xT>",
                "%r = pto.vmi." # name # " %v, %m {group = C} : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<CxT>"];
}
def PTO_VmiVcmaxOp : PTO_VmiExtremumOp<"vcmax", "the largest active lane of each group">;
def PTO_VmiVcminOp : PTO_VmiExtremumOp<"vcmin", "the smallest active lane of each group">;

class PTO_VmiHistogramOp<string name, string text> : PTO_VmiOp<name, text, "histogram", name, "v v m -> v", ["i8", "ui8"], ["pmode"]> {
  let description = [{ The mask gates the source, not the counts; counts wrap. }];
  let family = "dsa";
  let timing = name;
  let constraints = [VMI_FormRule, VMI_MaskRule, VMI_ModeRule,
                     "VRED-3: the counts are 128 or 256 lanes of `ui16` or `i16`, the source has `ui8` or `i8` elements and the lanes of the mask"];
  let syntax = ["%r = pto.vmi." # name # " %acc, %src, %m : !pto.vmi.vreg<256xui16>, !pto.vmi.vreg<Nxui8>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<256xui16>"];
}
def PTO_VmiVdhistOp : PTO_VmiHistogramOp<"vdhist", "add to each count how many active lanes have its number">;
def PTO_VmiVchistOp : PTO_VmiHistogramOp<"vchist", "add to each count how many active lanes have its number or a lower one">;

//===----------------------------------------------------------------------===//
// Other names
//===----------------------------------------------------------------------===//

def PTO_VmiBroadcastName : PTO_VmiAlias<"broadcast", "vbrc", "scalar -> v | v -> v", VMI_Elements, ["%r = pto.vmi.broadcast %x : T -> !pto.vmi.vreg<NxT>"]>;
def PTO_VmiGroupBroadcastName : PTO_VmiAlias<"group_broadcast", "vbrc", "v -> v", VMI_Elements,
    ["%r = pto.vmi.group_broadcast %s {num_groups = C} : !pto.vmi.vreg<CxT> -> !pto.vmi.vreg<NxT>"]> { let attributeMap = ["num_groups>group"]; }
def PTO_VmiIotaName : PTO_VmiAlias<"iota", "vci", "scalar -> v", VMI_Ints # VMI_Floats, ["%r = pto.vmi.iota %base {order = \"ASC\"} : T -> !pto.vmi.vreg<NxT>"]>;
def PTO_VmiGroupIotaName : PTO_VmiAlias<"group_iota", "vci", "scalar -> v", VMI_Ints # VMI_Floats,
    ["%r = pto.vmi.group_iota %base {order = \"ASC\", group = C} : T -> !pto.vmi.vreg<NxT>"]> {
  let attributeMap = ["num_groups>group"];
  let helper = 1;
}

class PTO_VmiReduceName<string name, string target, list<string> types, string attributes = ""> : PTO_VmiAlias<name, target, "v m -> v", types,
    ["%r = pto.vmi." # name # " %v, %m" # attributes # " : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<1xT>"]>;
def PTO_VmiReduceAddiName : PTO_VmiReduceName<"reduce_addi", "vcadd", VMI_Int32>;
def PTO_VmiReduceAddfName : PTO_VmiReduceName<"reduce_addf", "vcadd", VMI_Floats, " {reassoc}">;
def PTO_VmiReduceMaxfName : PTO_VmiReduceName<"reduce_maxf", "vcmax", VMI_Floats>;
def PTO_VmiReduceMinfName : PTO_VmiReduceName<"reduce_minf", "vcmin", VMI_Floats>;
def PTO_VmiReduceMaxiName : PTO_VmiReduceName<"reduce_maxi", "vcmax", VMI_Ints>;
def PTO_VmiReduceMiniName : PTO_VmiReduceName<"reduce_mini", "vcmin", VMI_Ints>;
class PTO_VmiGroupReduceName<string name, string target, list<string> types, string more = ""> : PTO_VmiAlias<name, target, "v m -> v", types,
    ["%r = pto.vmi." # name # " %v, %m {num_groups = C" # more # "} : !pto.vmi.vreg<NxT>, !pto.vmi.mask<Nxpred> -> !pto.vmi.vreg<CxT>"]> {
  let attributeMap = ["num_groups>group"];
}
def PTO_VmiGroupReduceAddfName : PTO_VmiGroupReduceName<"group_reduce_addf", "vcadd", VMI_Floats, ", reassoc">;
def PTO_VmiGroupReduceMaxfName : PTO_VmiGroupReduceName<"group_reduce_maxf", "vcmax", VMI_Floats>;
def PTO_VmiGroupReduceMinfName : PTO_VmiGroupReduceName<"group_reduce_minf", "vcmin", VMI_Floats>;
def PTO_VmiGroupReduceAddiName : PTO_VmiGroupReduceName<"group_reduce_addi", "vcadd", VMI_Ints>;
def PTO_VmiGroupReduceMaxiName : PTO_VmiGroupReduceName<"group_reduce_maxi", "vcmax", VMI_Ints>;
def PTO_VmiGroupReduceMiniName : PTO_VmiGroupReduceName<"group_reduce_mini", "vcmin", VMI_Ints>;

#endif // PTOSCOPE_PTO_VMI_MOVE_OPS
