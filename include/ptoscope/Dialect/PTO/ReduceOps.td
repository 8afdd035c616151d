//===- ReduceOps.td - reductions and histograms -------------------------------===//
// docs/isa/22-reduce.md, and the histograms of docs/isa/23-dsa-sfu.md. The mask
// says which lanes take part; it never gates lanes of the result.

#ifndef PTOSCOPE_PTO_REDUCE_OPS
#define PTOSCOPE_PTO_REDUCE_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

class PTO_RegisterComputeOp<string mnemonic, string text, string signature, list<string> types, string verify>
    : PTO_TextOp<mnemonic, text, signature, verify, [Pure]> {
  let footprint = "none";
  let definedness = "use";
  let elements = types;
  let meaning = "register";
  let results = (outs PTO_VReg:$result);
}

//===----------------------------------------------------------------------===//
// Reductions
//===----------------------------------------------------------------------===//

defvar PTO_ReducedElements = ["i16", "u16", "i32", "u32", "f16", "f32"];

class PTO_ReduceOp<string mnemonic, string text, list<string> types, string verify = "verifyLanes(*this)">
    : PTO_RegisterComputeOp<mnemonic, text, "vreg mask! -> vreg", types, verify> {
  let arguments = (ins PTO_VReg:$input, Optional<PTO_Mask>:$mask);
  let family = "reduce";
  let timing = mnemonic;
  let symbol = mnemonic # "_{0}";
  let constraints = PTO_LaneRules;
  let syntax = ["%r = pto." # mnemonic # " %a, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>",
                "%r = pto." # mnemonic # " %a : !pto.vreg<NxT> -> !pto.vreg<NxT>"];
}

def PTO_VcaddOp : PTO_ReduceOp<"vcadd", "the sum of the active lanes in lane 0, zero in the others", ["i8", "u8"] # PTO_ReducedElements,
    "verifyVcadd(*this)"> {
  let description = [{
    Floats are added as a tree of neighbours, rounded at every level. Sums of 8-
    and 16-bit integers have twice their width; 32-bit sums wrap.
  }];
  let constraints = ["RED-1: 8- and 16-bit integers give integers of twice the width and the same signedness, others their own type",
                     PTO_TypesRule, PTO_ViewRule];
  let syntax = ["%r = pto.vcadd %a, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<MxU>",
                "%r = pto.vcadd %a : !pto.vreg<NxT> -> !pto.vreg<MxU>"];
}

class PTO_ExtremumOp<string mnemonic, string text> : PTO_ReduceOp<mnemonic, text, ["i8", "u8"] # PTO_ReducedElements> {
  let description = [{
    Lane 0 is the value, lane 1 the number of the first lane that has it, as an
    integer also among floats; the others are zero. The first NaN wins. Without
    an active lane the value is the neutral one and the number 0.
  }];
}
def PTO_VcmaxOp : PTO_ExtremumOp<"vcmax", "the largest active lane and its number">;
def PTO_VcminOp : PTO_ExtremumOp<"vcmin", "the smallest active lane and its number"> { let timing = "vcmax"; }

class PTO_MarkedExtremumOp<string mnemonic, string text>
    : PTO_RegisterComputeOp<mnemonic, text, "vreg mask! -> vreg mask", ["i8", "u8"] # PTO_ReducedElements, "verifyLanes(*this)"> {
  let description = [{
    Lane 0 is the value, the others are zero; the mask has every active lane that
    holds it. Zeros of both signs match. Without an active lane the value is the
    neutral one and the mask empty. A NaN wins, and all NaNs match.
  }];
  let arguments = (ins PTO_VReg:$input, Optional<PTO_Mask>:$mask);
  let results = (outs PTO_VReg:$result, PTO_Mask:$places);
  let family = "reduce";
  let timing = "vcmax";
  let symbol = mnemonic # "_{0}";
  let profiles = ["a5"];
  let constraints = PTO_LaneRules;
  let syntax = ["%v, %p = pto." # mnemonic # " %a, %mask : !pto.vreg<NxT>, !pto.mask<G> -> !pto.vreg<NxT>, !pto.mask<G>"];
}
def PTO_VcbmaxOp : PTO_MarkedExtremumOp<"vcbmax", "the largest active lane, and a mask of all that have its value">;
def PTO_VcbminOp : PTO_MarkedExtremumOp<"vcbmin", "the smallest active lane, and a mask of all that have its value">;

class PTO_GroupReduceOp<string mnemonic, string text> : PTO_ReduceOp<mnemonic, text, ["i8", "u8"] # PTO_ReducedElements> {
  let description = [{ Lanes 0 to 7 are the results of the eight 32-byte groups, the others are zero. }];
}
def PTO_VcgaddOp : PTO_GroupReduceOp<"vcgadd", "the sum of the active lanes of each 32-byte group">;
def PTO_VcgmaxOp : PTO_GroupReduceOp<"vcgmax", "the largest active lane of each 32-byte group">;
def PTO_VcgminOp : PTO_GroupReduceOp<"vcgmin", "the smallest active lane of each 32-byte group"> { let timing = "vcgmax"; }

def PTO_VcpaddOp : PTO_ReduceOp<"vcpadd", "the sums of neighbouring lanes in the lower half, zero in the upper one", ["f16", "f32"]> {
  let description = [{ Inactive lanes count as zero. }];
}

//===----------------------------------------------------------------------===//
// Histograms
//===----------------------------------------------------------------------===//

defvar PTO_HistogramTypes = "HIST-1: the source has 8-bit integers, accumulator and result 16-bit ones of one type; the older spelling takes no signed ones";

class PTO_BankHistogramOp<string mnemonic, string text, string older>
    : PTO_RegisterComputeOp<mnemonic, text, "vreg bytes mask i32 -> vreg", ["i8", "u8"], "verifyHistogram(*this)"> {
  let description = [{ Bank 0 counts the values 0 to 127, bank 1 128 to 255. The mask gates the source; counts wrap. }];
  let arguments = (ins PTO_VReg:$acc, PTO_VReg:$src, PTO_Mask:$mask, I32:$bank);
  let family = "dsa";
  let timing = older;
  let symbol = mnemonic # "_u8";
  let profiles = ["a5"];
  let constraints = [PTO_HistogramTypes, PTO_ViewRule];
  let syntax = ["%r = pto." # mnemonic # " %acc, %src, %mask, %bank : !pto.vreg<128xui16>, !pto.vreg<256xui8>, !pto.mask<b8>, i32 -> !pto.vreg<128xui16>"];
}
def PTO_Dhistv2Op : PTO_BankHistogramOp<"dhistv2", "add to each bin of a bank how many active lanes have its value", "vdhist">;
def PTO_Chistv2Op : PTO_BankHistogramOp<"chistv2", "add to each bin of a bank how many active lanes have its value or a lower one", "vchist">;

/// An older spelling of the same: the bank is a word.
class PTO_HistogramOp<string mnemonic, string text> : PTO_RegisterComputeOp<mnemonic, text, "vreg bytes mask! @bin -> vreg", ["i8", "u8"],
    "verifyHistogram(*this)"> {
  let description = [{ BIN_N0 counts the values 0 to 127, BIN_N1 128 to 255. The mask gates the source; counts wrap. }];
  let arguments = (ins PTO_VReg:$acc, PTO_VReg:$src, Optional<PTO_Mask>:$mask, StrAttr:$bin);
  let family = "dsa";
  let timing = mnemonic;
  let symbol = mnemonic # "_{bin}";
  let profiles = ["a5"];
  let constraints = [PTO_HistogramTypes, "HIST-2: the bank is BIN_N0 or BIN_N1", PTO_ViewRule];
  let syntax = ["%r = pto." # mnemonic # " %acc, %src, %mask, \"BIN_N0\" : !pto.vreg<128xui16>, !pto.vreg<256xui8>, !pto.mask<b8> -> !pto.vreg<128xui16>",
                "%r = pto." # mnemonic # " %acc, %src, \"BIN_N0\" : !pto.vreg<128xui16>, !pto.vreg<256xui8> -> !pto.vreg<128xui16>"];
}
def PTO_VdhistOp : PTO_HistogramOp<"vdhist", "add to each bin how many active lanes have its value">;
def PTO_VchistOp : PTO_HistogramOp<"vchist", "add to each bin how many active lanes have its value or a lower one">;

#endif // PTOSCOPE_PTO_REDUCE_OPS
