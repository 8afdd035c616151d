//===- VmiBase.td - the record of a virtual vector instruction ----------------===//
//
// docs/isa/40-vmi.md. All share one shape: any number of operands, told apart by
// their types; attributes by name; one parser, printer and verifier. A record is
// its signature (lib/Dialect/PTO/Signature.h), element types, attributes and
// rules. The verifier runs the check of each rule that the record names
// (lib/Dialect/PTO/VmiRules.cpp).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PTO_VMI_BASE
#define PTOSCOPE_PTO_VMI_BASE

include "ptoscope/Dialect/PTO/PTOBase.td"

//===----------------------------------------------------------------------===//
// Element types, as programs write them
//===----------------------------------------------------------------------===//

defvar VMI_Int8 = ["i8", "si8", "ui8"];
defvar VMI_Int16 = ["i16", "si16", "ui16"];
defvar VMI_Int32 = ["i32", "si32", "ui32"];
defvar VMI_Ints = VMI_Int8 # VMI_Int16 # VMI_Int32;
defvar VMI_SignedInts = ["si8", "si16", "si32"];
defvar VMI_UnsignedInts = ["i8", "ui8", "i16", "ui16", "i32", "ui32"];
defvar VMI_Floats = ["f16", "f32"];
defvar VMI_AllFloats = ["f16", "bf16", "f32"];
defvar VMI_Arithmetic = VMI_Ints # VMI_AllFloats;
defvar VMI_Elements = VMI_Arithmetic # ["e4m3", "e5m2", "hif8", "f8E8M0", "hif8x2", "e1m2x2", "e2m1x2", "bf16x2"];

//===----------------------------------------------------------------------===//
// Rules that families share
//===----------------------------------------------------------------------===//

defvar VMI_LayoutRule = "VMI-4: vectors and masks carry one layout, or none";
defvar VMI_LanesRule = "VMI-5: vectors and masks have one lane count";
defvar VMI_TypeRule = "VMI-6: vectors have one element type";
defvar VMI_ElementRule = "VMI-7: the element type is one the instruction takes";
defvar VMI_MaskRule = "VMI-8: a mask of a granularity governs vectors of that width";
defvar VMI_ModeRule = "VMI-9: `pmode` is \"zero\"";
defvar VMI_ScalarRule = "VMI-10: the scalar has the element's type, or is a signless integer of its width";
defvar VMI_FormRule = "VMI-11: operands, results and attributes are those of a form of the instruction";
defvar VMI_GroupRule = "VMI-12: the number of groups is positive and divides the lane count";
defvar VMI_UseRule = "VMI-13: only virtual vector instructions, `scf`, `cf` and calls take these values";

/// Attributes: names behind which stands what they are: "name" a word, "name#" an integer, "name!" a unit
/// attribute, "name*" any other attribute. Those of `shape` rules are the business of their checks.
class PTO_VmiOp<string name, string text, string ofKind, string ofMicro, string ofSignature, list<string> types,
                list<string> ofAttributes>
    : PTO_Op<"vmi." # name> {
  let summary = text;
  let arguments = (ins Variadic<AnyType>:$inputs);
  let results = (outs Variadic<AnyType>:$outputs);
  let pipe = "V";
  let footprint = "none";
  let definedness = "use";
  let elements = types;

  /// What it is to a lowering: VmiKind.
  string vmiKind = ofKind;
  /// The micro instruction whose meaning its lanes have; empty where none has it.
  string micro = ofMicro;
  string signature = ofSignature;
  list<string> attributeNames = ofAttributes;
  /// The reference compiler computes all lanes, whatever the mask (VGATE-10).
  bit maskDropped = 0;
  /// A compiler writes it, programs do not (VMI-16).
  bit helper = 0;
  bit generic = 0;
}

/// Written and printed in MLIR's generic form.
class PTO_VmiGenericOp<string name, string text, string ofKind, string ofMicro, string ofSignature, list<string> types,
                       list<string> ofAttributes>
    : PTO_VmiOp<name, text, ofKind, ofMicro, ofSignature, types, ofAttributes> {
  let generic = 1;
}

/// Another name of an instruction, with a signature, element types and attributes of its own.
class PTO_VmiAlias<string ofName, string ofTarget, string ofSignature, list<string> types, list<string> ofSyntax> {
  string aliasName = "vmi." # ofName;
  string target = "vmi." # ofTarget;
  string signature = ofSignature;
  list<string> elements = types;
  list<string> syntax = ofSyntax;
  /// Attributes it stands for, "name=word", and other names of attributes, "name>name".
  list<string> attributeMap = [];
  /// What else must hold: "slots" (as many lanes as groups), a direction of conversion (VCVT-5), or nothing.
  string needs = "";
  bit helper = 0;
}

#endif // PTOSCOPE_PTO_VMI_BASE
