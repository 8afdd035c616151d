//===- SortOps.td - instructions that compute on UB themselves ---------------===//
// SORT-1 to SORT-21. They stand outside vector scopes and take their turn on
// PIPE_V. A record is 8 bytes: a score, and an index in the last 4.

#ifndef PTOSCOPE_PTO_SORT_OPS
#define PTOSCOPE_PTO_SORT_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

class PTO_UbOp<string mnemonic, string text, string signature, string verify>
    : PTO_TextOp<mnemonic, text, signature, verify, PTO_Ordered> {
  let family = "dsa";
  let footprint = "direct";
  let definedness = "use";
  let timing = "sort";
  let profiles = ["a5"];
}

def PTO_VbitsortOp : PTO_UbOp<"vbitsort", "sort groups of 32 scores into records, highest first", "ptr ptr ptr index", "verifyVbitsort(*this)"> {
  let description = [{
    Each of `%repeat` groups takes 32 scores and 32 indices and makes 32 records;
    equal scores keep their order. The order of scores is -NaN, -inf, ..., -0, +0,
    ..., +inf, +NaN. A record holds the score in its first 4 bytes (f16: in 2, the
    next 2 are zero) and the index in the last 4.
  }];
  let arguments = (ins PTO_AnyPtr:$dst, PTO_AnyPtr:$scores, PTO_AnyPtr:$indices, Index:$repeat);
  let elements = ["f16", "f32"];
  let constraints = ["ADDR-2: the pointers address ub", "SORT-1: scores are f16 or f32", "SORT-2: indices are 32-bit integers",
                     "SORT-3: the repeat count is 0 to 255", "SORT-4: addresses are multiples of 32"];
  let syntax = ["pto.vbitsort %dst, %scores, %indices, %repeat : !pto.ptr<D, ub>, !pto.ptr<T, ub>, !pto.ptr<ui32, ub>, index"];
}

def PTO_Vmrgsort4Op : PTO_UbOp<"vmrgsort4", "merge up to four sorted lists of records", "ptr ptr ptr ptr ptr i64 i64", "verifyVmrgsort4(*this)"> {
  let description = [{
    `%count` holds the length of each list in records, 16 bits each. `%config`: repeat
    count in bits 7:0, lists that take part in bits 11:8, and in bit 12 whether the
    merge ends when one list is used up. Of equal scores the one of the lower list
    comes first. VMS4_SR counts what was taken from each list, in the last turn.
  }];
  let arguments = (ins PTO_AnyPtr:$dst, PTO_AnyPtr:$list0, PTO_AnyPtr:$list1, PTO_AnyPtr:$list2, PTO_AnyPtr:$list3,
                       I64:$count, I64:$config);
  let aliases = ["vmrgsort"];
  let elements = ["f16", "f32"];
  let constraints = ["ADDR-2: the pointers address ub", "SORT-1: scores are f16 or f32", "SORT-5: the five pointers have one type",
                     "SORT-6: addresses are multiples of 8"];
  let syntax = ["pto.vmrgsort4 %dst, %s0, %s1, %s2, %s3, %count, %config : !pto.ptr<T, ub>, !pto.ptr<T, ub>, !pto.ptr<T, ub>, !pto.ptr<T, ub>, !pto.ptr<T, ub>, i64, i64"];
}

def PTO_GetVms4SrOp : PTO_UbOp<"get_vms4_sr", "records that the last vmrgsort4 took from each list", "-> i16 i16 i16 i16 | -> i64",
    "verifyGetVms4Sr(*this)"> {
  let description = [{
    The scalar unit reads the register at once: a flag from PIPE_V to PIPE_S has to
    stand between the merge and this. As one i64, list 0 is in bits 15:0.
  }];
  let arguments = (ins);
  let results = (outs Variadic<AnyTypeOf<[I16, I64]>>:$counts);
  let family = "query";
  let pipe = "S";
  let footprint = "status";
  let definedness = "none";
  let timing = "scalar";
  let constraints = ["SORT-7: it gives four i16 or one i64"];
  let syntax = ["%l0, %l1, %l2, %l3 = pto.get_vms4_sr : i16, i16, i16, i16", "%s = pto.get_vms4_sr : i64"];
}

//===----------------------------------------------------------------------===//
// Refused when they would run: no manual defines their configuration word.
//===----------------------------------------------------------------------===//

class PTO_UndefinedUbOp<string mnemonic, string text, list<string> types> : PTO_UbOp<mnemonic, text, "ptr ptr i64", "verifyUbPointers(*this)"> {
  let description = [{ Parsed and checked, and refused when the program is run. }];
  let arguments = (ins PTO_AnyPtr:$dst, PTO_AnyPtr:$src, I64:$config);
  let elements = types;
  let constraints = ["ADDR-2: the pointers address ub", "LANE-2: the element type is one the instruction takes"];
  let syntax = ["pto." # mnemonic # " %dst, %src, %config : !pto.ptr<T, ub>, !pto.ptr<T, ub>, i64"];
}

def PTO_Vsort32Op : PTO_UndefinedUbOp<"vsort32", "sort 32 elements in UB; no manual defines its configuration word", ["f16", "f32"]>;
def PTO_VtransposeOp : PTO_UndefinedUbOp<"vtranspose", "transpose in UB; no manual defines its configuration word", ["i16", "u16", "f16", "bf16"]> {
  let timing = "rearrange";
  let profiles = ["a5", "a3", "a2"];
}

#endif // PTOSCOPE_PTO_SORT_OPS
