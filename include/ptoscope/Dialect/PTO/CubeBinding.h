//===- CubeBinding.h - a cube instruction as numbers and values -*- C++ -*-===//
//
// What CubeOpInterface::bindCube gives: a call of the runtime (ptoscope/Tile/Cube.h)
// with all that the text fixes, and the values that belong into its other places.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DIALECT_PTO_CUBEBINDING_H
#define PTOSCOPE_DIALECT_PTO_CUBEBINDING_H

#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Tile/Cube.h"

namespace ptoscope::pto {

/// A null value: `known` has it.
struct CubeBinding {
  PtoCubeCall known{};
  mlir::Value pointer[tile::cube::kPointers];
  mlir::Value number[tile::cube::kNumbers];
  /// A scale and a slope are f16, bf16 or f32, a bound f16 or an integer.
  mlir::Value payload[tile::cube::kPayloads];
};

} // namespace ptoscope::pto

#endif // PTOSCOPE_DIALECT_PTO_CUBEBINDING_H
