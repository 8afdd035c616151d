//===- TransferInterface.td - a transfer by its roles ------------------------===//
//
// What the verifier, the lowering and the analysis know of a transfer: the facts
// of its record (TransferInfo: path, step model, unit, registers) and its operands
// by role. None of them names an instruction.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_PTO_TRANSFER_INTERFACE
#define PTOSCOPE_PTO_TRANSFER_INTERFACE

include "mlir/IR/OpBase.td"

def PTO_TransferOpInterface : OpInterface<"TransferOpInterface"> {
  let description = [{ Moves rows from one memory to another. }];
  let cppNamespace = "::ptoscope::pto";
  let methods = [
    InterfaceMethod<"The operands of a role; none where the record has no such role or the text left it out.",
      "::mlir::OperandRange", "getRole", (ins "::ptoscope::pto::TransferRole":$role), [{}], [{
        int8_t position = infoOf($_op)->transfer->operand[size_t(role)];
        if (position < 0)
          return $_op->getOperands().take_front(0);
        auto [start, length] = $_op.getODSOperandIndexAndLength(unsigned(position));
        return $_op->getOperands().slice(start, length);
      }]>,
  ];
  let extraClassDeclaration = [{
    /// The operand of a role, or null.
    ::mlir::Value get(::ptoscope::pto::TransferRole role) {
      ::mlir::OperandRange values = getRole(role);
      return values.empty() ? ::mlir::Value() : values.front();
    }
    const ::ptoscope::pto::TransferInfo &getInfo() { return *infoOf(*this)->transfer; }
  }];
}

#endif // PTOSCOPE_PTO_TRANSFER_INTERFACE
