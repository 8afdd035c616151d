//===- Cube.cpp - instructions of the matrix unit -------------------------===//
//
// An instruction tells its numbers as the fields of one structure
// (CubeOpInterface); no instruction is named here.
//
//===----------------------------------------------------------------------===//

#include "Program/Image.h"
#include "Program/ProgramLowering.h"
#include "ptoscope/Dialect/PTO/CubeBinding.h"

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

LogicalResult ProgramLowering::issueCube(Operation *op, const CubeBinding &bound) {
  Image call(bound.known);
  auto set = [&](size_t array, size_t i, Value value) { call.set(int64_t(array + 8 * i), value); };
  for (auto [i, pointer] : llvm::enumerate(bound.pointer))
    if (pointer)
      set(offsetof(PtoCubeCall, pointer), i, mapped(pointer));
  for (auto [i, number] : llvm::enumerate(bound.number))
    if (number)
      set(offsetof(PtoCubeCall, number), i, b.toBits(mapped(number)));
  for (auto [i, payload] : llvm::enumerate(bound.payload)) {
    if (!payload)
      continue;
    // Factors are f32, whatever their type; a bound keeps its own.
    auto integer = dyn_cast<IntegerType>(payload.getType());
    Value bits = i != tile::cube::kClip             ? elementBits(payload, b.getF32Type())
                 : integer && !integer.isUnsigned() ? b.toI64(mapped(payload))
                                                    : b.toBits(mapped(payload));
    set(offsetof(PtoCubeCall, payload), i, bits);
  }
  Value slot = scratch(cubeSlot, sizeof(PtoCubeCall));
  call.write(b, slot);
  return issue(op, "ptosc_cube", {slot});
}
