//===- VmiTypes.td - types and layouts of the virtual vector layer ------------===//
//
// docs/isa/40b-vmi-constraints.md: VMI-1 to VMI-3. A layout never changes values;
// only `pto.vmi.pack` and `pto.vmi.unpack` look at it.
//
// They are generated apart from the other types: files that do not use them are
// not compiled again when they change. Hence the second record of the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PTO_VMI_TYPES
#define PTOSCOPE_PTO_VMI_TYPES

include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/OpBase.td"

def PTO_VmiDialect : Dialect {
  let name = "pto";
  let cppNamespace = "::ptoscope::pto";
}

class PTO_VmiType<string name, string typeMnemonic> : TypeDef<PTO_VmiDialect, name> {
  let mnemonic = typeMnemonic;
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

def PTO_VmiVRegType : PTO_VmiType<"VmiVReg", "vmi.vreg"> {
  let summary = "N elements, whatever registers hold them";
  let parameters = (ins "int64_t":$lanes, "::mlir::Type":$element, "::mlir::Attribute":$layout);
  let builders = [TypeBuilder<(ins "int64_t":$lanes, "::mlir::Type":$element),
                              [{ return $_get($_ctxt, lanes, element, ::mlir::Attribute()); }]>];
  let extraClassDeclaration = [{
    unsigned getElementBytes() const;
    int64_t getBytes() const { return getLanes() * getElementBytes(); }
  }];
}

def PTO_VmiMaskType : PTO_VmiType<"VmiMask", "vmi.mask"> {
  let summary = "N booleans";
  let description = [{
    `!pto.vmi.mask<Nxpred>`, also written `!pto.vmi.mask<N>`: one for each lane, of
    any width (bytes = 0). b8, b16 and b32 are masks of vectors of that width.
  }];
  let parameters = (ins "int64_t":$lanes, "unsigned":$bytes, "::mlir::Attribute":$layout);
  let builders = [TypeBuilder<(ins "int64_t":$lanes), [{ return $_get($_ctxt, lanes, 0, ::mlir::Attribute()); }]>];
}

def PTO_VmiLayoutAttr : AttrDef<PTO_VmiDialect, "VmiLayout"> {
  let mnemonic = "vmi.layout";
  let summary = "where registers hold the lanes of a vector";
  let description = [{
    `contiguous`, `deinterleaved = F`, `block_deinterleaved = F` or `num_groups = G`
    with `slots = S`; `lane_stride = S` leaves room between lanes.
  }];
  let parameters = (ins StringRefParameter<"contiguous, deinterleaved, block_deinterleaved or num_groups">:$kind,
                        "int64_t":$count, "int64_t":$slots, "int64_t":$laneStride);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // PTOSCOPE_PTO_VMI_TYPES
