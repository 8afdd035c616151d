//===- VectorBase.td - what the vector families share ------------------------===//

#ifndef PTOSCOPE_PTO_VECTOR_BASE
#define PTOSCOPE_PTO_VECTOR_BASE

include "ptoscope/Dialect/PTO/PTOBase.td"

def PTO_Align : Type<CPred<"::llvm::isa<::ptoscope::pto::AlignType>($_self)">, "`!pto.align`">;
def PTO_MaskOrIndex : AnyTypeOf<[PTO_Mask, Index]>;

defvar PTO_SmallFloats = ["e4m3", "e5m2", "hif8", "e1m2x2", "e2m1x2"];
/// Formats that registers carry as bits; no arithmetic takes them.
defvar PTO_StorageElements = PTO_SmallFloats # ["f8E8M0", "hif8x2", "bf16x2"];
defvar PTO_NumberElements = PTO_Ints8To64 # ["f16", "bf16", "f32"];
defvar PTO_AllElements = PTO_NumberElements # PTO_StorageElements;
defvar PTO_Elements8To32 = PTO_Ints8To32 # ["f16", "bf16", "f32"];

// Rules of the states of streams. ALIGN-1 and ALIGN-5 hold for what gives a state, the others for what uses one.
defvar PTO_ChainStart = "ALIGN-1: a store chain starts at init_align, a load chain at vldas";
defvar PTO_ChainCarrier = "ALIGN-5: besides streams only scf.for and scf.if carry a state";
defvar PTO_StateRules = [PTO_ChainStart, "ALIGN-2: a state is used once",
                         "ALIGN-3: a state used in a loop is created there or carried by it"];
defvar PTO_FlushRule = "ALIGN-4: a chain ends with one flush";

/// A vector instruction whose text follows a signature (lib/Dialect/PTO/Signature.h)
/// and whose rules are in the C++ function named by `verify`.
class PTO_TextOp<string mnemonic, string text, string signature, string verify, list<Trait> traits>
    : PTO_CustomOp<mnemonic, "parseText(parser, result, \"" # signature # "\")",
                   "printText(printer, *this, \"" # signature # "\")", traits> {
  let summary = text;
  let pipe = "V";
  let hasVerifier = 1;
  bit mayLackMask = !ne(!find(signature, "mask!"), -1);
  string verifyBody = "::llvm::LogicalResult $cppClass::verify() { return " # verify # "; }\n";
  let extraClassDefinition = customDefinitions # verifyBody;
}

//===----------------------------------------------------------------------===//
// Arithmetic on lanes
//===----------------------------------------------------------------------===//

defvar PTO_OneTypeRule = "LANE-1: registers have one type";
defvar PTO_TypesRule = "LANE-2: the element type is one the instruction takes";
defvar PTO_ViewRule = "P8: mask granularity matches the element width";
defvar PTO_ScalarRule = "SCAL-1: the scalar has the element's type, or is a signless integer of its width";
defvar PTO_LaneRules = [PTO_OneTypeRule, PTO_TypesRule, PTO_ViewRule];

/// An instruction that computes lane by lane. Inactive lanes are zero; without a
/// mask every lane is active.
class PTO_LaneOp<string mnemonic, string text, string signature, list<string> types, string verify = "verifyLanes(*this)">
    : PTO_TextOp<mnemonic, text, signature, verify, [Pure]> {
  let description = [{ Inactive lanes of the result are zero; without a mask every lane is active. }];
  let footprint = "none";
  let definedness = "use";
  let elements = types;
  let nan = "arith";
  let meaning = "lanes";
  let constraints = PTO_LaneRules;
}

#endif // PTOSCOPE_PTO_VECTOR_BASE
