//===- PredicateOps.td - mask generators -------------------------------------===//
// isa/11-predicates.md

#ifndef PTOSCOPE_PTO_PREDICATE_OPS
#define PTOSCOPE_PTO_PREDICATE_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

class PTO_MaskGenOp<string mnemonic, string parser, string printer> : PTO_CustomOp<mnemonic, parser, printer, [Pure]> {
  let family = "predicate";
  let pipe = "V";
  let footprint = "none";
  let definedness = "define";
  let timing = "predicate";
  let hasVerifier = 1;
}

class PTO_PsetOp<string suffix, int bytes> : PTO_MaskGenOp<"pset_" # suffix,
    "parsePset(parser, result, " # bytes # ")", "printPset(printer, *this)"> {
  let summary = "a mask from a pattern";
  let arguments = (ins StrAttr:$pattern);
  let results = (outs PTO_Mask:$mask);
  let constraints = ["PSET-1: the pattern is PAT_ALL, PAT_ALLF, PAT_VL1/2/3/4/8/16/32/64/128, PAT_M3, PAT_M4, PAT_H or PAT_Q",
                     "MASK-4: the result has the granularity of the name"];
  let syntax = ["%m = pto.pset_" # suffix # " \"PAT_ALL\" : !pto.mask<" # suffix # ">"];
}
def PTO_PsetB8Op : PTO_PsetOp<"b8", 1>;
def PTO_PsetB16Op : PTO_PsetOp<"b16", 2>;
def PTO_PsetB32Op : PTO_PsetOp<"b32", 4>;

class PTO_PltOp<string suffix, int bytes> : PTO_MaskGenOp<"plt_" # suffix,
    "parsePlt(parser, result, " # bytes # ")", "printPlt(printer, *this)"> {
  let summary = "lanes below a run-time count, and what remains of the count";
  let description = [{
    Lane i is on iff i < n, n taken as unsigned 32 bits; the second result is
    n minus the number of lanes, at least 0.
  }];
  let arguments = (ins I32:$count);
  let results = (outs PTO_Mask:$mask, I32:$rest);
  let constraints = ["PLT-1: the count is i32", "MASK-4: the result has the granularity of the name"];
  let syntax = ["%m, %rest = pto.plt_" # suffix # " %n : i32 -> !pto.mask<" # suffix # ">, i32"];
}
def PTO_PltB8Op : PTO_PltOp<"b8", 1>;
def PTO_PltB16Op : PTO_PltOp<"b16", 2>;
def PTO_PltB32Op : PTO_PltOp<"b32", 4>;

#endif // PTOSCOPE_PTO_PREDICATE_OPS
