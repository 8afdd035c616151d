//===- PredicateOps.td - masks -----------------------------------------------===//
// docs/isa/11-predicates.md. A mask register has 256 bits; `!pto.mask<G>` is a view.

#ifndef PTOSCOPE_PTO_PREDICATE_OPS
#define PTOSCOPE_PTO_PREDICATE_OPS

include "ptoscope/Dialect/PTO/VectorBase.td"

class PTO_MaskOp<string mnemonic, string text, string signature, string verify, list<Trait> traits = [Pure]>
    : PTO_TextOp<mnemonic, text, signature, verify, traits> {
  let family = "predicate";
  let footprint = "none";
  let definedness = "copy";
  let timing = "predicate";
}

//===----------------------------------------------------------------------===//
// Generators
//===----------------------------------------------------------------------===//

defvar PTO_PatternRule = "PSET-1: the pattern is PAT_ALL, PAT_ALLF, PAT_VL1/2/3/4/8/16/32/64/128, PAT_M3, PAT_M4, PAT_H or PAT_Q";
defvar PTO_SuffixRule = "MASK-4: masks have the granularity of the name";

class PTO_PsetOp<string suffix> : PTO_MaskOp<"pset_" # suffix, "a mask from a pattern", "@pattern -> mask", "verifyPattern(*this)"> {
  let definedness = "define";
  let arguments = (ins StrAttr:$pattern);
  let results = (outs PTO_Mask:$mask);
  let constraints = [PTO_PatternRule, PTO_SuffixRule];
  let syntax = ["%m = pto.pset_" # suffix # " \"PAT_ALL\" : !pto.mask<" # suffix # ">"];
}
def PTO_PsetB8Op : PTO_PsetOp<"b8">;
def PTO_PsetB16Op : PTO_PsetOp<"b16">;
def PTO_PsetB32Op : PTO_PsetOp<"b32">;

class PTO_PgeOp<string suffix> : PTO_MaskOp<"pge_" # suffix, "a mask from a pattern, or of the lanes below a run-time count",
    "@pattern -> mask | i32 -> mask", "verifyPattern(*this)"> {
  let description = [{ The same images as `pset`. }];
  let definedness = "define";
  let arguments = (ins Optional<I32>:$count, OptionalAttr<StrAttr>:$pattern);
  let results = (outs PTO_Mask:$mask);
  let constraints = [PTO_PatternRule, PTO_SuffixRule];
  let syntax = ["%m = pto.pge_" # suffix # " \"PAT_VL8\" : !pto.mask<" # suffix # ">",
                "%m = pto.pge_" # suffix # " %n : i32 -> !pto.mask<" # suffix # ">"];
}
def PTO_PgeB8Op : PTO_PgeOp<"b8">;
def PTO_PgeB16Op : PTO_PgeOp<"b16">;
def PTO_PgeB32Op : PTO_PgeOp<"b32">;

class PTO_PltOp<string suffix> : PTO_MaskOp<"plt_" # suffix, "lanes below a run-time count, and what remains of the count",
    "i32 -> mask i32 #PLT-1", "verifySuffix(*this)"> {
  let description = [{
    Lane i is on iff i < n, n taken as unsigned 32 bits; the second result is
    n minus the number of lanes, at least 0.
  }];
  let definedness = "define";
  let arguments = (ins I32:$count);
  let results = (outs PTO_Mask:$mask, I32:$rest);
  let constraints = ["PLT-1: count and rest are i32", PTO_SuffixRule];
  let syntax = ["%m, %rest = pto.plt_" # suffix # " %n : i32 -> !pto.mask<" # suffix # ">, i32"];
}
def PTO_PltB8Op : PTO_PltOp<"b8">;
def PTO_PltB16Op : PTO_PltOp<"b16">;
def PTO_PltB32Op : PTO_PltOp<"b32">;

class PTO_PltmOp<string suffix> : PTO_MaskOp<"pltm_" # suffix, "lanes of one turn of a loop that are below a bound",
    "i16 i32 -> mask #PLTM-1", "verifySuffix(*this)"> {
  let description = [{ Lane i is on iff i + turn * lanes < bound, as signed numbers; the turn counts registers, not elements. }];
  let definedness = "define";
  let arguments = (ins I16:$turn, I32:$bound);
  let results = (outs PTO_Mask:$mask);
  let profiles = ["a5"];
  let constraints = ["PLTM-1: the turn is an i16, the bound an i32", PTO_SuffixRule];
  let syntax = ["%m = pto.pltm_" # suffix # " %turn, %bound : i16, i32 -> !pto.mask<" # suffix # ">"];
}
def PTO_PltmB8Op : PTO_PltmOp<"b8">;
def PTO_PltmB16Op : PTO_PltmOp<"b16">;
def PTO_PltmB32Op : PTO_PltmOp<"b32">;

//===----------------------------------------------------------------------===//
// Bitwise operations on the 256 bits
//===----------------------------------------------------------------------===//

defvar PTO_OneViewRule = "MASK-3: operands and result have one granularity";

class PTO_MaskBinaryOp<string mnemonic, string text> : PTO_MaskOp<mnemonic, text, "mask mask mask -> mask", "verifyOneView(*this)"> {
  let arguments = (ins PTO_Mask:$a, PTO_Mask:$b, PTO_Mask:$governing);
  let results = (outs PTO_Mask:$result);
  let constraints = [PTO_OneViewRule];
  let syntax = ["%r = pto." # mnemonic # " %a, %b, %g : !pto.mask<G>, !pto.mask<G>, !pto.mask<G> -> !pto.mask<G>"];
}
def PTO_PandOp : PTO_MaskBinaryOp<"pand", "a & b & g">;
def PTO_PorOp : PTO_MaskBinaryOp<"por", "(a | b) & g">;
def PTO_PxorOp : PTO_MaskBinaryOp<"pxor", "(a ^ b) & g">;

def PTO_PnotOp : PTO_MaskOp<"pnot", "~a & g", "mask mask -> mask", "verifyOneView(*this)"> {
  let arguments = (ins PTO_Mask:$a, PTO_Mask:$governing);
  let results = (outs PTO_Mask:$result);
  let constraints = [PTO_OneViewRule];
  let syntax = ["%r = pto.pnot %a, %g : !pto.mask<G>, !pto.mask<G> -> !pto.mask<G>"];
}

def PTO_PselOp : PTO_MaskOp<"psel", "(a & s) | (b & ~s)", "mask mask mask mask? -> mask", "verifyOneView(*this)"> {
  let description = [{ A fourth mask, in the older form, is and-ed in. }];
  let arguments = (ins PTO_Mask:$a, PTO_Mask:$b, PTO_Mask:$select, Optional<PTO_Mask>:$governing);
  let results = (outs PTO_Mask:$result);
  let constraints = [PTO_OneViewRule];
  let syntax = ["%r = pto.psel %a, %b, %s : !pto.mask<G>, !pto.mask<G>, !pto.mask<G> -> !pto.mask<G>",
                "%r = pto.psel %a, %b, %s, %g : !pto.mask<G>, !pto.mask<G>, !pto.mask<G>, !pto.mask<G> -> !pto.mask<G>"];
}

//===----------------------------------------------------------------------===//
// Rearrangement
//===----------------------------------------------------------------------===//

class PTO_MaskPairOp<string name, string suffix, string text> : PTO_MaskOp<name # "_" # suffix, text, "mask mask -> mask mask", "verifySuffix(*this)"> {
  let arguments = (ins PTO_Mask:$a, PTO_Mask:$b);
  let results = (outs PTO_Mask:$low, PTO_Mask:$high);
  let meaning = "register";
  let symbol = name # "_" # suffix;
  let constraints = [PTO_SuffixRule];
  let profiles = ["a5"];
  defvar view = "!pto.mask<" # suffix # ">";
  let syntax = ["%lo, %hi = pto." # name # "_" # suffix # " %a, %b : " # view # ", " # view # " -> " # view # ", " # view];
}
class PTO_PintlvOp<string suffix> : PTO_MaskPairOp<"pintlv", suffix, "interleave the lanes of two masks">;
def PTO_PintlvB8Op : PTO_PintlvOp<"b8">;
def PTO_PintlvB16Op : PTO_PintlvOp<"b16">;
def PTO_PintlvB32Op : PTO_PintlvOp<"b32">;
class PTO_PdintlvOp<string suffix> : PTO_MaskPairOp<"pdintlv", suffix, "even and odd lanes of two masks in a row">;
def PTO_PdintlvB8Op : PTO_PdintlvOp<"b8">;
def PTO_PdintlvB16Op : PTO_PdintlvOp<"b16">;
def PTO_PdintlvB32Op : PTO_PdintlvOp<"b32">;

class PTO_MaskPackOp<string mnemonic, string text, string step> : PTO_MaskOp<mnemonic, text, "mask @part -> mask", "verifyViewStep(*this)"> {
  let arguments = (ins PTO_Mask:$src, StrAttr:$part);
  let results = (outs PTO_Mask:$result);
  let meaning = "register";
  let symbol = mnemonic # "_{part}";
  let constraints = ["MASK-6: the result has the granularity of the operand or is one step " # step,
                     "PART-1: the part is LOWER or HIGHER"];
  let syntax = ["%r = pto." # mnemonic # " %a, \"LOWER\" : !pto.mask<G1> -> !pto.mask<G2>"];
}
def PTO_PpackOp : PTO_MaskPackOp<"ppack", "every second bit, into one half; the other half is zero", "narrower">;
def PTO_PunpackOp : PTO_MaskPackOp<"punpack", "one half of the bits, a zero bit behind each", "wider">;

def PTO_PbitcastOp : PTO_MaskOp<"pbitcast", "the same 256 bits at another granularity", "mask -> mask", "success()"> {
  let arguments = (ins PTO_Mask:$src);
  let results = (outs PTO_Mask:$result);
  let profiles = ["a5"];
  let syntax = ["%r = pto.pbitcast %a : !pto.mask<G0> -> !pto.mask<G1>"];
}

//===----------------------------------------------------------------------===//
// Mask to UB and back
//===----------------------------------------------------------------------===//

defvar PTO_MaskAddressRules = ["ADDR-4: every byte it touches lies in UB", "PLD-3: the pointer addresses ub",
                               "POST-1: the pointer result has the type of the base"];
defvar PTO_MaskByteRules = PTO_MaskAddressRules # ["PLD-4: the address is aligned to 32 bytes, with US and PK to 8"];
defvar PTO_MaskUnitRules = PTO_MaskAddressRules # ["PLD-10: the address is aligned to the unit of the offset: 32 bytes, with US and PK 16",
                                                   "PLD-2: the offset is a constant"];

class PTO_MaskLoadOp<string mnemonic, string text, string signature, string verify>
    : PTO_MaskOp<mnemonic, text, signature, verify, [MemoryEffects<[MemRead]>]> {
  let footprint = "vector-load";
  let timing = "vld";
  let arguments = (ins PTO_AnyPtr:$src, Optional<AnyTypeOf<[Index, I32]>>:$offset, DefaultValuedStrAttr<StrAttr, "NORM">:$dist);
  let results = (outs PTO_Mask:$mask, Optional<PTO_AnyPtr>:$next);
}

def PTO_PldsOp : PTO_MaskLoadOp<"plds", "load a mask from UB", "buffer [index? @dist? -> mask ptr?", "verifyPlds(*this)"> {
  let description = [{
    The offset counts bytes. Bit k of the image is bit k % 8 of byte k / 8; US
    doubles bits, DS takes every second one. The form with a pointer result reads
    at `%src` and returns `%src` + the offset.
  }];
  let aliases = ["pld"];
  let constraints = PTO_MaskByteRules # ["PLD-1: the distribution is NORM, US or DS"];
  let syntax = ["%m = pto.plds %src[%off], \"NORM\" : !pto.ptr<T, ub>, index -> !pto.mask<G>",
                "%m = pto.plds %src[%off] {dist = \"NORM\"} : !pto.ptr<T, ub>, index -> !pto.mask<G>",
                "%m = pto.plds %src : !pto.ptr<T, ub> -> !pto.mask<G>",
                "%m, %p = pto.plds %src[%off], \"NORM\" : !pto.ptr<T, ub>, index -> !pto.mask<G>, !pto.ptr<T, ub>"];
}

def PTO_PldiOp : PTO_MaskLoadOp<"pldi", "load a mask from UB at a constant offset",
    "buffer [index? @dist? -> mask ptr? | buffer i32 @dist? -> mask ptr?", "verifyPlds(*this)"> {
  let description = [{
    The offset counts units of 32 bytes, with US of 16. The form with a pointer
    result reads at `%src` and returns `%src` + the offset.
  }];
  let constraints = PTO_MaskUnitRules # ["PLD-1: the distribution is NORM, US or DS"];
  let syntax = ["%m = pto.pldi %src[%off], \"NORM\" : !pto.ptr<T, ub>, index -> !pto.mask<G>",
                "%m = pto.pldi %src, %off, \"NORM\" : !pto.ptr<T, ub>, i32 -> !pto.mask<G>",
                "%m, %p = pto.pldi %src[%off], \"NORM\" : !pto.ptr<T, ub>, index -> !pto.mask<G>, !pto.ptr<T, ub>"];
}

class PTO_MaskStoreOp<string mnemonic, string text, string signature>
    : PTO_MaskOp<mnemonic, text, signature, "verifyPsts(*this)", PTO_Ordered> {
  let footprint = "vector-store";
  let timing = "vst";
  let arguments = (ins PTO_Mask:$mask, PTO_AnyPtr:$dst, AnyTypeOf<[Index, I32]>:$offset, DefaultValuedStrAttr<StrAttr, "NORM">:$dist);
  let results = (outs Optional<PTO_AnyPtr>:$next);
}

def PTO_PstsOp : PTO_MaskStoreOp<"psts", "store a mask to UB", "mask buffer [index @dist? -> ptr?"> {
  let description = [{
    The offset counts bytes. NORM stores the 256 bits as they are, PK every second
    one. The form with a pointer result stores at `%dst` and returns `%dst` + the offset.
  }];
  let aliases = ["pst"];
  let constraints = PTO_MaskByteRules # ["PLD-1: the distribution is NORM or PK"];
  let syntax = ["pto.psts %m, %dst[%off], \"NORM\" : !pto.mask<G>, !pto.ptr<T, ub>, index",
                "%p = pto.psts %m, %dst[%off], \"NORM\" : !pto.mask<G>, !pto.ptr<T, ub>, index -> !pto.ptr<T, ub>"];
}

def PTO_PstiOp : PTO_MaskStoreOp<"psti", "store a mask to UB at a constant offset",
    "mask buffer [index @dist? -> ptr? | mask buffer i32 @dist? -> ptr?"> {
  let description = [{
    The offset counts units of 32 bytes, with PK of 16. The form with a pointer
    result stores at `%dst` and returns `%dst` + the offset.
  }];
  let constraints = PTO_MaskUnitRules # ["PLD-1: the distribution is NORM or PK"];
  let syntax = ["pto.psti %m, %dst[%off], \"NORM\" : !pto.mask<G>, !pto.ptr<T, ub>, index",
                "pto.psti %m, %dst, %off, \"NORM\" : !pto.mask<G>, !pto.ptr<T, ub>, i32",
                "%p = pto.psti %m, %dst[%off], \"NORM\" : !pto.mask<G>, !pto.ptr<T, ub>, index -> !pto.ptr<T, ub>"];
}

#endif // PTOSCOPE_PTO_PREDICATE_OPS
