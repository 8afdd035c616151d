//===- RearrangeOps.td - making and rearranging registers --------------------===//
// docs/isa/12-rearrange.md. Lanes move as raw bits (MOVE-1).

#ifndef PTOSCOPE_PTO_REARRANGE_OPS
#define PTOSCOPE_PTO_REARRANGE_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

class PTO_RearrangeOp<string mnemonic, string text, string signature, string verify, list<Trait> traits = [Pure]>
    : PTO_TextOp<mnemonic, text, signature, verify, traits> {
  let family = "rearrange";
  let footprint = "none";
  let definedness = "copy";
  let timing = "rearrange";
  let elements = PTO_AllElements;
  let inactive = "none";
}

//===----------------------------------------------------------------------===//
// Materialisation
//===----------------------------------------------------------------------===//

def PTO_VbrOp : PTO_RearrangeOp<"vbr", "a scalar in every lane", "scalar -> vreg", "verifyFilled(*this, getScalar())"> {
  let arguments = (ins PTO_Scalar:$scalar);
  let results = (outs PTO_VReg:$result);
  let family = "materialize";
  let definedness = "define";
  let elements = PTO_Elements8To32;
  let constraints = [PTO_ScalarRule, PTO_TypesRule];
  let syntax = ["%r = pto.vbr %s : T -> !pto.vreg<NxT>"];
}

def PTO_VdupOp : PTO_RearrangeOp<"vdup", "a scalar, or one lane of a register, in every active lane",
    "input mask? -> vreg", "verifyVdup(*this)"> {
  let description = [{ Inactive lanes are zero. LOWEST is lane 0, HIGHEST the last one, whatever the mask. }];
  let arguments = (ins AnyTypeOf<[PTO_VReg, PTO_Scalar]>:$input, Optional<PTO_Mask>:$mask, OptionalAttr<StrAttr>:$position);
  let results = (outs PTO_VReg:$result);
  let family = "materialize";
  let elements = PTO_Elements8To32;
  let inactive = "zero";
  let aliases = ["vdups"];
  let constraints = [PTO_ScalarRule, PTO_TypesRule, "VDUP-1: mask granularity matches the element width",
                     "VDUP-2: a position (LOWEST or HIGHEST) goes with a register only",
                     "VDUP-3: the register has the type of the result"];
  let syntax = ["%r = pto.vdup %s, %mask : T, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vdup %v, %mask {position = \"HIGHEST\"} : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vdup %s : T -> !pto.vreg<NxT>"];
}

def PTO_VciOp : PTO_RearrangeOp<"vci", "a base plus or minus the lane number", "scalar mask? -> vreg", "verifyVci(*this)"> {
  let description = [{ Integers wrap; floats are rounded to nearest even. Lanes off in the mask of the older form are zero. }];
  let arguments = (ins PTO_Scalar:$base, Optional<PTO_Mask>:$mask, DefaultValuedStrAttr<StrAttr, "ASC">:$order);
  let results = (outs PTO_VReg:$result);
  let family = "materialize";
  let definedness = "define";
  let elements = PTO_Ints8To32 # ["f16", "f32"];
  let inactive = "zero";
  let constraints = [PTO_ScalarRule, "VCI-1: elements are 8-, 16- or 32-bit integers, f16 or f32; the order is ASC or DESC",
                     "MASK-2: mask granularity matches the element width"];
  let syntax = ["%r = pto.vci %base {order = \"DESC\"} : T -> !pto.vreg<NxT>",
                "%r = pto.vci %base, %mask : T, !pto.mask<G> -> !pto.vreg<NxT>"];
}

def PTO_VbitcastOp : PTO_RearrangeOp<"vbitcast", "the same 256 bytes as other elements", "vreg -> vreg", "success()"> {
  let arguments = (ins PTO_VReg:$src);
  let results = (outs PTO_VReg:$result);
  let profiles = ["a5"];
  let constraints = ["VBC-1: both types have 2048 bits"];
  let syntax = ["%r = pto.vbitcast %v : !pto.vreg<NxT> -> !pto.vreg<MxU>"];
}

//===----------------------------------------------------------------------===//
// Interleave
//===----------------------------------------------------------------------===//

class PTO_PairOp<string mnemonic, string text> : PTO_RearrangeOp<mnemonic, text, "vreg vreg -> vreg vreg", "verifySameLanes(*this, \"INTLV-1\")"> {
  let arguments = (ins PTO_VReg:$a, PTO_VReg:$b);
  let results = (outs PTO_VReg:$low, PTO_VReg:$high);
  let meaning = "register";
  let symbol = mnemonic # "_{w}";
  let constraints = ["INTLV-1: operands and results have one type"];
  let syntax = ["%lo, %hi = pto." # mnemonic # " %a, %b : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>, !pto.vreg<NxT>"];
}
def PTO_VintlvOp : PTO_PairOp<"vintlv", "interleave the lanes of two registers">;
def PTO_VdintlvOp : PTO_PairOp<"vdintlv", "even and odd lanes of two registers in a row">;

class PTO_HalfPairOp<string mnemonic, string text> : PTO_RearrangeOp<mnemonic, text, "vreg vreg @part -> vreg", "verifyHalfPair(*this)"> {
  let description = [{ a5 does not have it: there the program is told so and runs all the same. }];
  let arguments = (ins PTO_VReg:$a, PTO_VReg:$b, StrAttr:$part);
  let results = (outs PTO_VReg:$result);
  let meaning = "register";
  let symbol = mnemonic # "_{w}_{part}";
  let constraints = ["INTLV-1: operands and result have one type", "PART-1: the part is LOWER or HIGHER"];
  let syntax = ["%r = pto." # mnemonic # " %a, %b, \"LOWER\" : !pto.vreg<NxT>, !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}
def PTO_Vintlvv2Op : PTO_HalfPairOp<"vintlvv2", "one result of vintlv">;
def PTO_Vdintlvv2Op : PTO_HalfPairOp<"vdintlvv2", "one result of vdintlv">;

//===----------------------------------------------------------------------===//
// Selection and permutation
//===----------------------------------------------------------------------===//

defvar PTO_LookupRule = "VSELR-1: indices are integers of the element's width; the result has the type of the value";

class PTO_LookupOp<string mnemonic, string text> : PTO_RearrangeOp<mnemonic, text, "vreg vreg -> vreg", "verifyLookup(*this)"> {
  let arguments = (ins PTO_VReg:$value, PTO_VReg:$index);
  let results = (outs PTO_VReg:$result);
  let meaning = "register";
  let symbol = "vselr_{w}";
  let elements = PTO_Elements8To32;
  let constraints = [PTO_LookupRule, PTO_TypesRule];
  let syntax = ["%r = pto." # mnemonic # " %v, %idx : !pto.vreg<NxT>, !pto.vreg<NxI> -> !pto.vreg<NxT>"];
}
def PTO_VselrOp : PTO_LookupOp<"vselr", "lane i is the lane that index i names, modulo the number of lanes">;
def PTO_Vselrv2Op : PTO_LookupOp<"vselrv2", "as vselr; no manual defines it">;
def PTO_VpermOp : PTO_LookupOp<"vperm", "as vselr"> {
  let elements = PTO_AllElements;
  let constraints = [PTO_LookupRule];
}

def PTO_VselOp : PTO_RearrangeOp<"vsel", "a where the mask is on, else b", "vreg vreg mask -> vreg", "verifyMasked(*this)"> {
  let arguments = (ins PTO_VReg:$a, PTO_VReg:$b, PTO_Mask:$mask);
  let results = (outs PTO_VReg:$result);
  let family = "select";
  let timing = "vsel";
  let elements = PTO_NumberElements;
  let constraints = [PTO_OneTypeRule, PTO_TypesRule, "MASK-2: mask granularity matches the element width"];
  let syntax = ["%r = pto.vsel %a, %b, %mask : !pto.vreg<NxT>, !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>"];
}

def PTO_VslideOp : PTO_RearrangeOp<"vslide", "lanes of a moved up by n, filled with the last lanes of b", "vreg vreg i16 -> vreg",
    "verifySameLanes(*this, \"LANE-1\")"> {
  let arguments = (ins PTO_VReg:$a, PTO_VReg:$b, I16:$amount);
  let results = (outs PTO_VReg:$result);
  let meaning = "register";
  let symbol = "vslide_{w}";
  let constraints = [PTO_OneTypeRule];
  let syntax = ["%r = pto.vslide %a, %b, %n : !pto.vreg<NxT>, !pto.vreg<NxT>, i16 -> !pto.vreg<NxT>"];
}

def PTO_VshiftOp : PTO_RearrangeOp<"vshift", "lanes moved up by n, filled with zero", "vreg i16 -> vreg", "verifySameLanes(*this, \"LANE-1\")"> {
  let arguments = (ins PTO_VReg:$a, I16:$amount);
  let results = (outs PTO_VReg:$result);
  let meaning = "register";
  let symbol = "vshift_{w}";
  let constraints = [PTO_OneTypeRule];
  let syntax = ["%r = pto.vshift %a, %n : !pto.vreg<NxT>, i16 -> !pto.vreg<NxT>"];
}

def PTO_VmovOp : PTO_RearrangeOp<"vmov", "a copy; inactive lanes are zero", "vreg mask? -> vreg", "verifyMasked(*this)"> {
  let arguments = (ins PTO_VReg:$a, Optional<PTO_Mask>:$mask);
  let results = (outs PTO_VReg:$result);
  let inactive = "zero";
  let constraints = [PTO_OneTypeRule, "MASK-2: mask granularity matches the element width"];
  let syntax = ["%r = pto.vmov %a, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vmov %a : !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

//===----------------------------------------------------------------------===//
// Squeeze, pack, unpack
//===----------------------------------------------------------------------===//

def PTO_VsqzOp : PTO_RearrangeOp<"vsqz", "active lanes first, in order, then zeros", "vreg mask -> vreg", "verifySameLanes(*this, \"LANE-1\")"> {
  let description = [{ A `vstur` of the result stores the active lanes only. }];
  let arguments = (ins PTO_VReg:$value, PTO_Mask:$mask);
  let results = (outs PTO_VReg:$result);
  let meaning = "register";
  let symbol = "vsqz_{w}";
  let elements = PTO_Elements8To32;
  let profiles = ["a5"];
  let constraints = [PTO_OneTypeRule, PTO_TypesRule];
  let syntax = ["%r = pto.vsqz %v, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>"];
}

def PTO_VusqzOp : PTO_RearrangeOp<"vusqz", "how many lanes below are active", "vreg? mask -> vreg", "verifyVusqz(*this)"> {
  let description = [{ Lane i counts the active lanes below i. The register operand is not read. }];
  let arguments = (ins Optional<PTO_VReg>:$value, PTO_Mask:$mask);
  let results = (outs PTO_VReg:$result);
  let definedness = "define";
  let meaning = "register";
  let symbol = "vusqz_{w}";
  let elements = ["i8", "i16", "i32"];
  let profiles = ["a5"];
  let constraints = ["VUSQZ-1: elements are 8-, 16- or 32-bit integers, signed or signless, of one type"];
  let syntax = ["%r = pto.vusqz %v, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto.vusqz %mask : !pto.mask<G> -> !pto.vreg<NxT>"];
}

def PTO_VpackOp : PTO_RearrangeOp<"vpack", "the low halves of the lanes, into one half of a register", "vreg @part -> vreg | vreg vreg index -> vreg",
    "verifyVpack(*this)", [Pure, AttrSizedOperandSegments]> {
  let description = [{
    The other half is zero. The two-source form of older manuals fills both
    halves and ignores its index.
  }];
  let arguments = (ins PTO_VReg:$src, Optional<PTO_VReg>:$second, Optional<Index>:$part_index, OptionalAttr<StrAttr>:$part);
  let results = (outs PTO_VReg:$result);
  let meaning = "register";
  let symbol = "vpack_{w0}_{part}";
  let elements = ["i16", "u16", "i32", "u32"];
  let profiles = ["a5"];
  let constraints = ["VPACK-1: 32-bit integers become ui16, 16-bit ones ui8", "PART-1: the part is LOWER or HIGHER"];
  let syntax = ["%r = pto.vpack %v, \"LOWER\" : !pto.vreg<NxT> -> !pto.vreg<2NxU>",
                "%r = pto.vpack %a, %b, %part : !pto.vreg<NxT>, !pto.vreg<NxT>, index -> !pto.vreg<2NxU>"];
}

class PTO_UnpackOp<string mnemonic, string text> : PTO_RearrangeOp<mnemonic, text, "vreg part -> vreg | vreg @half -> vreg", "verifyUnpack(*this)"> {
  let description = [{ Part 0 (LOWER) is the lower half of the lanes, part 1 (HIGHER) the upper one. }];
  let arguments = (ins PTO_VReg:$src, Optional<Index>:$part, OptionalAttr<StrAttr>:$half);
  let results = (outs PTO_VReg:$result);
  let meaning = "register";
  let symbol = mnemonic # "_{w0}";
  let elements = PTO_Ints8To32;
  let profiles = ["a5"];
  let constraints = ["UNPK-1: integers, the result twice as wide; the part is 0 or 1", "PART-1: the part is LOWER or HIGHER"];
  let syntax = ["%r = pto." # mnemonic # " %v, %part : !pto.vreg<NxT> -> !pto.vreg<MxU>",
                "%r = pto." # mnemonic # " %v, \"LOWER\" : !pto.vreg<NxT> -> !pto.vreg<MxU>"];
}
def PTO_VsunpackOp : PTO_UnpackOp<"vsunpack", "one half of the lanes, sign-extended">;
def PTO_VzunpackOp : PTO_UnpackOp<"vzunpack", "one half of the lanes, zero-extended">;

#endif // PTOSCOPE_PTO_REARRANGE_OPS
