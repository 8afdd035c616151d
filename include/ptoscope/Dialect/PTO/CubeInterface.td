//===- CubeInterface.td - a cube instruction as numbers ----------------------===//
//
// What the lowering and the analysis know of a cube instruction: the call that a
// run hands over, with the values of the program in its places. None of them names
// an instruction.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PTO_CUBE_INTERFACE
#define PTOSCOPE_PTO_CUBE_INTERFACE

include "mlir/IR/OpBase.td"

def PTO_CubeOpInterface : OpInterface<"CubeOpInterface"> {
  let description = [{ An instruction of the matrix unit, or one that feeds or empties it. }];
  let cppNamespace = "::ptoscope::pto";
  let methods = [
    InterfaceMethod<"False when this one is a transfer of rows: a load of bias that does not widen.",
      "bool", "bindCube", (ins "::ptoscope::pto::CubeBinding &":$binding)>,
    InterfaceMethod<"The memories of its first operands, which are pointers.",
      "::llvm::ArrayRef<::ptoscope::Space>", "getPointerSpaces">,
  ];
}

#endif // PTOSCOPE_PTO_CUBE_INTERFACE
