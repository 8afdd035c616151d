//===- UbVectors.cpp - vector instructions of A2 and A3 on UB -------------===//
//
// Operands stand in the order of the record, so that one function serves all of them; the
// record names the tile instruction that is the meaning.
//
//===----------------------------------------------------------------------===//

#include "Program/Image.h"
#include "Program/ProgramLowering.h"
#include "ptoscope/Dialect/PTO/UbBinding.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

LogicalResult ProgramLowering::issueUbVector(Operation *op, const InstrInfo &info) {
  const UbBinding bound = bindUbVector(op, info);
  Image call(bound.known);
  auto set = [&](size_t array, size_t i, Value value) {
    if (value)
      call.set(int64_t(array + 8 * i), mapped(value));
  };
  for (size_t i = 0; i < PTO_UB_OPERANDS; ++i) {
    set(offsetof(PtoUbVector, address), i, bound.address[i]);
    set(offsetof(PtoUbVector, block), i, bound.block[i]);
    set(offsetof(PtoUbVector, step), i, bound.step[i]);
  }
  set(offsetof(PtoUbVector, scalar), 0, bound.scalar);
  set(offsetof(PtoUbVector, repeat), 0, bound.repeat);
  Value slot = scratch(ubSlot, sizeof(PtoUbVector));
  call.write(b, slot);
  return issue(op, "ptosc_ub_vector", {slot});
}
