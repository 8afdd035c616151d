//===- VmiConvertOps.td - conversions, and the helpers of a compiler ----------===//
// docs/isa/40-vmi.md, conversions and layouts. Pairs of types and their attributes
// are a table in lib/Dialect/PTO/VmiConversions.cpp.

#ifndef PTOSCOPE_PTO_VMI_CONVERT_OPS
#define PTOSCOPE_PTO_VMI_CONVERT_OPS

include "ptoscope/Dialect/PTO/VmiBase.td"

defvar VCVT_Rules = [VMI_FormRule, VMI_LanesRule, "VCVT-1: the pair of element types is one of the table",
                     "VCVT-2: `rounding` is a word that the pair takes; pairs that are exact take none",
                     "VCVT-3: `saturate` is \"SAT\" or \"NOSAT\" where the pair needs it, and absent where it does not"];

def PTO_VmiVcvtOp : PTO_VmiOp<"vcvt", "convert to another element type, lane by lane", "convert", "vcvt", "v -> v", VMI_Elements,
    ["rounding", "saturate", "pmode"]> {
  let description = [{ The direction follows from the element types. `pmode` has no effect. }];
  let family = "convert";
  let nan = "bits";
  let timing = "vcvt";
  let constraints = VCVT_Rules # [VMI_ModeRule];
  let syntax = ["%r = pto.vmi.vcvt %v {rounding = \"R\", saturate = \"SAT\"} : !pto.vmi.vreg<NxS> -> !pto.vmi.vreg<NxD>",
                "%r = pto.vmi.vcvt %v : !pto.vmi.vreg<NxS> -> !pto.vmi.vreg<NxD>"];
}
def PTO_VmiVinterpretCastOp : PTO_VmiOp<"vinterpret_cast", "the same bytes as other elements", "cast", "vbitcast", "v -> v", VMI_Elements, []> {
  let family = "convert";
  let definedness = "copy";
  let timing = "none";
  let constraints = [VMI_FormRule, "VCVT-4: both vectors have as many bytes"];
  let syntax = ["%r = pto.vmi.vinterpret_cast %v : !pto.vmi.vreg<NxS> -> !pto.vmi.vreg<MxD>"];
}

//===----------------------------------------------------------------------===//
// Other names
//===----------------------------------------------------------------------===//

class PTO_VmiConvertName<string name, string direction, string attributes = ""> : PTO_VmiAlias<name, "vcvt", "v -> v", VMI_Elements,
    ["%r = pto.vmi." # name # " %v" # attributes # " : !pto.vmi.vreg<NxS> -> !pto.vmi.vreg<NxD>"]> {
  let needs = direction;
}
def PTO_VmiExtfName : PTO_VmiConvertName<"extf", "float-widen">;
def PTO_VmiTruncfName : PTO_VmiConvertName<"truncf", "float-narrow", " {rounding = \"R\", saturate = \"SAT\"}">;
def PTO_VmiFptosiName : PTO_VmiConvertName<"fptosi", "float-to-signed", " {rounding = \"R\", saturate = \"SAT\"}">;
def PTO_VmiFptouiName : PTO_VmiConvertName<"fptoui", "float-to-unsigned", " {rounding = \"R\", saturate = \"SAT\"}">;
def PTO_VmiSitofpName : PTO_VmiConvertName<"sitofp", "signed-to-float">;
def PTO_VmiExtsiName : PTO_VmiConvertName<"extsi", "signed-widen">;
def PTO_VmiExtuiName : PTO_VmiConvertName<"extui", "unsigned-widen">;
def PTO_VmiTrunciName : PTO_VmiConvertName<"trunci", "int-narrow", " {saturate = \"NOSAT\"}">;
def PTO_VmiBitcastName : PTO_VmiAlias<"bitcast", "vinterpret_cast", "v -> v", VMI_Elements,
    ["%r = pto.vmi.bitcast %v : !pto.vmi.vreg<NxS> -> !pto.vmi.vreg<MxD>"]>;

//===----------------------------------------------------------------------===//
// Helpers
//===----------------------------------------------------------------------===//

/// VMI-16 refuses helpers under `--strict`.
class PTO_VmiIdentityOp<string name, string text, string value, string type, list<string> rules = []> : PTO_VmiOp<name, text, "identity", "", value # " -> " # value, VMI_Elements, []> {
  let family = "rearrange";
  let definedness = "copy";
  let timing = "none";
  let helper = 1;
  let constraints = [VMI_FormRule, VMI_LanesRule] # rules;
  let syntax = ["%r = pto.vmi." # name # " %v : " # type # " -> " # type];
}
def PTO_VmiEnsureLayoutOp : PTO_VmiIdentityOp<"ensure_layout", "the same lanes, in another layout", "v", "!pto.vmi.vreg<NxT>", [VMI_TypeRule]>;
def PTO_VmiEnsureMaskLayoutOp : PTO_VmiIdentityOp<"ensure_mask_layout", "the same mask, in another layout", "m", "!pto.vmi.mask<Nxpred>">;
def PTO_VmiEnsureMaskGranularityOp : PTO_VmiIdentityOp<"ensure_mask_granularity", "the same mask, of another granularity", "m", "!pto.vmi.mask<Nxpred>">;

class PTO_VmiPackClass<string name, string text> : PTO_VmiGenericOp<name, text, "pack", "", "", VMI_Elements, []> {
  let family = "rearrange";
  let definedness = "copy";
  let timing = "none";
  let helper = 1;
  let constraints = ["VPERM-7: there are as many registers of the element type as the layout needs"];
}
def PTO_VmiPackOp : PTO_VmiPackClass<"pack", "a vector of the registers that hold it"> {
  let syntax = ["%r = \"pto.vmi.pack\"(%a, %b) : (!pto.vreg<ExT>, !pto.vreg<ExT>) -> !pto.vmi.vreg<NxT>"];
}
def PTO_VmiUnpackOp : PTO_VmiPackClass<"unpack", "the registers that hold a vector"> {
  let syntax = ["%a, %b = \"pto.vmi.unpack\"(%v) : (!pto.vmi.vreg<NxT>) -> (!pto.vreg<ExT>, !pto.vreg<ExT>)"];
}

#endif // PTOSCOPE_PTO_VMI_CONVERT_OPS
