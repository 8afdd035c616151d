//===- VectorBase.td - what the vector families share ------------------------===//

#ifndef PTOSCOPE_PTO_VECTOR_BASE
#define PTOSCOPE_PTO_VECTOR_BASE

include "ptoscope/Dialect/PTO/PTOBase.td"

def PTO_Align : Type<CPred<"::llvm::isa<::ptoscope::pto::AlignType>($_self)">, "`!pto.align`">;
def PTO_MaskOrIndex : AnyTypeOf<[PTO_Mask, Index]>;

defvar PTO_AllElements = PTO_Ints8To64 # ["f16", "bf16", "f32"];
defvar PTO_Elements8To32 = PTO_Ints8To32 # ["f16", "bf16", "f32"];

/// A vector instruction whose text follows a signature (lib/Dialect/PTO/Signature.h)
/// and whose rules are in the C++ function named by `verify`.
class PTO_TextOp<string mnemonic, string text, string signature, string verify, list<Trait> traits>
    : PTO_CustomOp<mnemonic, "parseText(parser, result, \"" # signature # "\")",
                   "printText(printer, *this, \"" # signature # "\")", traits> {
  let summary = text;
  let pipe = "V";
  let hasVerifier = 1;
  string verifyBody = "::llvm::LogicalResult $cppClass::verify() { return " # verify # "; }\n";
  let extraClassDefinition = customDefinitions # verifyBody;
}

#endif // PTOSCOPE_PTO_VECTOR_BASE
