//===- UbVectorOps.td - vector instructions of A2 and A3 on UB ---------------===//
// UBV-1 to UBV-10. They have no registers and stand in no scope: each takes its turn
// on PIPE_V with repeats of eight 32-byte blocks. What an instruction computes is
// the tile instruction that its `symbol` names.

#ifndef PTOSCOPE_PTO_UB_VECTOR_OPS
#define PTOSCOPE_PTO_UB_VECTOR_OPS

include "ptoscope/Dialect/PTO/PTOBase.td"

/// Operands: destination, sources, the scalar if there is one, the number of repeats, then for
/// the destination and each source its block stride, and in the same order its repeat stride.
class PTO_UbVectorOp<string name, string text, string tile, int sources, bit scalar, list<string> types, string cost>
    : PTO_CustomOp<"ub." # name, "parseUbVector(parser, result)", "printUbVector(printer, *this)", PTO_Ordered> {
  defvar letters = !if(!eq(sources, 2), ["d", "a", "b"], ["d", "a"]);
  defvar blocks = !foreach(letter, letters, letter # "_block");
  defvar repeats = !foreach(letter, letters, letter # "_repeat");
  defvar pointers = !if(!eq(sources, 2), ["d", "a", "b"], !if(!eq(sources, 1), ["d", "a"], ["d"]));
  defvar numbers = !if(scalar, ["scalar"], []<string>) # ["repeat"] # blocks # repeats;
  let summary = text;
  let description = [{
    Of each repeat, the elements that the mask selects are computed; the others keep their bytes. Strides count
    32-byte blocks: from block to block of a repeat, and from repeat to repeat. In count mode the mask is a number of
    elements, and the operand `repeat` has no effect.
  }];
  let arguments = !con(!dag(ins, !foreach(p, pointers, PTO_AnyPtr), pointers), !dag(ins, !foreach(n, numbers, I64), numbers));
  let family = "ub-vector";
  let pipe = "V";
  let footprint = "direct";
  let definedness = !if(!eq(sources, 0), "define", "use");
  let timing = cost;
  let profiles = ["a3", "a2"];
  let elements = types;
  let symbol = tile;
  let constraints = ["ADDR-2: the pointers address ub", "UBV-1: the pointers have one element type, which the instruction takes",
                     "UBV-2: the repeat count and all strides are 0 to 255" # !if(!eq(sources, 2), "", ", block strides 0 to 65535"),
                     "UBV-3: addresses are multiples of 32"];
  let syntax = ["pto.ub." # name # " " # !interleave(!foreach(p, pointers # numbers, "%" # p), ", ") # " : " #
                !interleave(!foreach(p, pointers, "!pto.ptr<T, ub>") # !foreach(n, numbers, "i64"), ", "),
                "pto.ub." # name # " " # !interleave(!foreach(p, pointers # numbers, "%" # p), ", ") # " : " #
                !interleave(!foreach(p, pointers, "!pto.ptr<T, ub>"), ", ") # ", i64 x" # !size(numbers)];
  let hasVerifier = 1;
  string verifyBody = "::llvm::LogicalResult $cppClass::verify() { return verifyUbVector(*this); }\n";
  let extraClassDefinition = customDefinitions # verifyBody;
}

defvar PTO_UbArithmetic = ["i16", "i32", "f16", "f32"];
defvar PTO_UbFloats = ["f16", "f32"];
defvar PTO_UbBits = ["i16", "u16"];

class PTO_UbBinaryOp<string name, string text, string tile, list<string> types, string cost>
    : PTO_UbVectorOp<name, text, tile, 2, 0, types, cost>;
def PTO_UbVaddOp : PTO_UbBinaryOp<"vadd", "a + b, in UB", "TADD", PTO_UbArithmetic, "vadd">;
def PTO_UbVsubOp : PTO_UbBinaryOp<"vsub", "a - b, in UB", "TSUB", PTO_UbArithmetic, "vadd">;
def PTO_UbVmulOp : PTO_UbBinaryOp<"vmul", "a * b, in UB", "TMUL", PTO_UbArithmetic, "vmul">;
def PTO_UbVdivOp : PTO_UbBinaryOp<"vdiv", "a / b, in UB", "TDIV", PTO_UbArithmetic, "vdiv">;
def PTO_UbVmaxOp : PTO_UbBinaryOp<"vmax", "larger of a and b, in UB", "TMAX", PTO_UbArithmetic, "vmax">;
def PTO_UbVminOp : PTO_UbBinaryOp<"vmin", "smaller of a and b, in UB", "TMIN", PTO_UbArithmetic, "vmax">;
def PTO_UbVandOp : PTO_UbBinaryOp<"vand", "bits of both a and b, in UB", "TAND", PTO_UbBits, "vand">;
def PTO_UbVorOp : PTO_UbBinaryOp<"vor", "bits of a or b, in UB", "TOR", PTO_UbBits, "vand">;
def PTO_UbVaddreluOp : PTO_UbBinaryOp<"vaddrelu", "a + b, at least 0, in UB", "TADDRELU", ["i16", "f16", "f32"], "vaddrelu">;

class PTO_UbUnaryOp<string name, string text, string tile, list<string> types, string cost>
    : PTO_UbVectorOp<name, text, tile, 1, 0, types, cost>;
def PTO_UbVnotOp : PTO_UbUnaryOp<"vnot", "complement of the bits, in UB", "TNOT", PTO_UbBits, "vnot">;
def PTO_UbVabsOp : PTO_UbUnaryOp<"vabs", "magnitude, in UB", "TABS", PTO_UbFloats, "vabs">;
def PTO_UbVreluOp : PTO_UbUnaryOp<"vrelu", "a, at least 0, in UB", "TRELU", PTO_UbFloats, "vrelu">;
def PTO_UbVexpOp : PTO_UbUnaryOp<"vexp", "exponential, in UB", "TEXP", PTO_UbFloats, "vexp">;
def PTO_UbVlnOp : PTO_UbUnaryOp<"vln", "natural logarithm, in UB", "TLOG", PTO_UbFloats, "vln">;
def PTO_UbVsqrtOp : PTO_UbUnaryOp<"vsqrt", "square root, in UB", "TSQRT", PTO_UbFloats, "vsqrt">;
def PTO_UbVrsqrtOp : PTO_UbUnaryOp<"vrsqrt", "reciprocal of the square root, in UB", "TRSQRT", PTO_UbFloats, "vsqrt">;

/// The scalar: bits of an element, or a distance.
class PTO_UbScalarOp<string name, string text, string tile, list<string> types, string cost>
    : PTO_UbVectorOp<name, text, tile, 1, 1, types, cost>;
def PTO_UbVaddsOp : PTO_UbScalarOp<"vadds", "a + scalar, in UB", "TADDS", PTO_UbArithmetic, "vadds">;
def PTO_UbVmulsOp : PTO_UbScalarOp<"vmuls", "a * scalar, in UB", "TMULS", PTO_UbArithmetic, "vmuls">;
def PTO_UbVmaxsOp : PTO_UbScalarOp<"vmaxs", "larger of a and a scalar, in UB", "TMAXS", PTO_UbArithmetic, "vmaxs">;
def PTO_UbVminsOp : PTO_UbScalarOp<"vmins", "smaller of a and a scalar, in UB", "TMINS", PTO_UbArithmetic, "vmaxs">;
def PTO_UbVshlOp : PTO_UbScalarOp<"vshl", "shift to the left by a scalar, in UB", "TSHLS", ["i16", "u16", "i32", "u32"], "vshls">;
def PTO_UbVshrOp : PTO_UbScalarOp<"vshr", "shift to the right by a scalar, zeros move in, in UB", "TSHRS", ["i16", "u16", "i32", "u32"], "vshls">;

def PTO_UbVdupOp : PTO_UbVectorOp<"vdup", "a scalar in every element, in UB", "TEXPANDS", 0, 1,
                                  ["i16", "u16", "i32", "u32", "f16", "bf16", "f32"], "rearrange">;

//===----------------------------------------------------------------------===//
// The mask
//===----------------------------------------------------------------------===//

def PTO_UbSetMaskOp : PTO_Op<"ub.set_mask", PTO_Ordered>, PTO_NoData<"control", "S", "config"> {
  let summary = "which elements of a repeat later `ub` instructions compute; in count mode how many";
  let description = [{ Bit i of `%m0` is element i, bit i of `%m1` element 64 + i. Instructions take the mask when they are issued. }];
  let arguments = (ins I64:$m0, I64:$m1);
  let assemblyFormat = "$m0 `,` $m1 attr-dict `:` type($m0) `,` type($m1)";
  let sets = "VECTOR_MASK";
  let profiles = ["a3", "a2"];
  let syntax = ["pto.ub.set_mask %m0, %m1 : i64, i64"];
}
class PTO_UbMaskModeOp<string word, string text, int value> : PTO_Op<"ub.set_mask_" # word, PTO_Ordered>, PTO_NoData<"control", "S", "config"> {
  let summary = text;
  let assemblyFormat = "attr-dict";
  let profiles = ["a3", "a2"];
  let syntax = ["pto.ub.set_mask_" # word];
  let extraClassDeclaration = "static constexpr int64_t kField = int64_t(1) << 56, kValue = " # value # " * kField;";
}
def PTO_UbSetMaskCountOp : PTO_UbMaskModeOp<"count", "CTRL[56] = 1: the mask of later `ub` instructions is a number of elements", 1>;
def PTO_UbSetMaskNormOp : PTO_UbMaskModeOp<"norm", "CTRL[56] = 0: the mask of later `ub` instructions selects elements", 0>;

#endif // PTOSCOPE_PTO_UB_VECTOR_OPS
