//===- VerifyTiles.h - operands of tile instructions ------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYTILES_H
#define PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYTILES_H

#include "ptoscope/Dialect/PTO/TileInstr.h"

namespace ptoscope {

/// Operands of a tile instruction that the profile does not take, as far as types tell.
llvm::LogicalResult verifyTileInstr(mlir::Operation *op, const Profile &profile);
/// A tile at a constant address that its memory does not have (PLAN-8).
llvm::LogicalResult verifyTilePlace(mlir::Operation *op, const Profile &profile);
Pipe pipeOfTile(const pto::TileBinding &bound, const Profile &profile);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_VERIFY_VERIFYTILES_H
