//===- Footprints.h - bytes an instruction touches, from its text *- C++ -*-===//
//
// Which bytes a transfer, a tile instruction, a vector scope or a scalar access
// touches, as far as its operands are known; on the way, bounds and alignment are
// checked (P12, D3, D8), and what a run would say of tiles. Exact pieces are what
// is certainly touched; all pieces together cover everything that may be.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_FOOTPRINTS_H
#define PTOSCOPE_LIB_ANALYSIS_FOOTPRINTS_H

#include "Report.h"
#include "Tiles.h"
#include "TransferRows.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Dialect/PTO/Vmi.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace ptoscope {

class Footprints {
public:
  /// Faults go to `report`, if there is one.
  Footprints(Values &values, Tiles &tiles, const Profile &profile, StaticReport *report)
      : values(values), tiles(tiles), profile(profile), report(report) {
    registers[PTO_REG_LOOP_SIZE_OUTTOUB] = registers[PTO_REG_LOOP_SIZE_UBTOOUT] = {1, 1};
    for (PtoRegister stride : {PTO_REG_LOOP1_STRIDE_OUTTOUB, PTO_REG_LOOP2_STRIDE_OUTTOUB, PTO_REG_LOOP1_STRIDE_UBTOOUT,
                               PTO_REG_LOOP2_STRIDE_UBTOOUT})
      registers[stride] = {0, 0};
    registers[PTO_REG_VECTOR_MASK] = {-1, -1};
  }

  using Pieces = llvm::SmallVectorImpl<Piece>;
  /// Both words of a register, as far as they are known. Packed ones stay unknown.
  using Words = std::pair<std::optional<int64_t>, std::optional<int64_t>>;
  /// A transfer, a sort, a `ub` instruction, a tile instruction or a scalar access: the pipe it executes on,
  /// and its bytes. Nothing when `op` is none of them.
  std::optional<Pipe> instruction(mlir::Operation *op, bool certain, Pieces &pieces);
  /// All of a vector scope. `counts`: its accesses are among those that are compared.
  void scope(mlir::Operation *op, bool certain, bool counts, Pieces &pieces);

  /// One access of a scope; nothing for what touches no memory.
  void scopeAccess(mlir::Operation *op, Pieces &pieces) { access(op, true, true, pieces); }

  /// True when `op` sets a configuration register.
  bool setRegister(mlir::Operation *op);
  /// A bit for each.
  void forgetRegisters(uint32_t set);

private:
  std::optional<Pipe> touches(mlir::Operation *op, bool certain, Pieces &pieces);

  // Transfers (Footprints.cpp).
  using Rows = TransferRows<int64_t>;
  std::optional<Rows> rowsOf(pto::TransferOpInterface op);
  void transferSide(mlir::Operation *op, const Rows *rows, mlir::Value pointer, bool source, bool certain,
                    Pieces &pieces);
  void box(mlir::Operation *op, Box box, uint32_t storage, bool writes, bool certain, bool atomic, Pieces &pieces);

  // Accesses to UB. `certain` says that one is executed whenever its instruction is.
  struct Access {
    mlir::Operation *op;
    bool writes, certain, instructionCertain;
  };
  void access(mlir::Operation *op, bool certain, bool instructionCertain, Pieces &pieces);
  void window(const Access &access, MaybeKnown address, int64_t used, int64_t most, int64_t alignment, Pieces &pieces,
              bool covers = true);
  void scalar(mlir::Operation *op, mlir::Value pointer, mlir::Value index, bool writes, bool certain,
              bool instructionCertain, Pieces &pieces);
  MaybeKnown address(mlir::Value base, mlir::Value offset, int64_t bytes) const;
  // Vectors of any length (VmiFootprints.cpp).
  void vmiAccess(pto::VmiOp op, bool certain, bool instructionCertain, Pieces &pieces);

  // Scopes (ScopeFootprints.cpp).
  void scan(mlir::Region &region, bool sure, bool certain, Pieces &pieces);
  void scanLoop(mlir::scf::ForOp loop, bool sure, bool certain, Pieces &pieces);

  // Cube instructions (CubeFootprints.cpp). False for what is a transfer.
  bool cubeInstruction(pto::CubeOpInterface op, bool certain, Pieces &pieces);

  // `ub` instructions (UbFootprints.cpp).
  void ubVector(mlir::Operation *op, const pto::InstrInfo &info, bool certain, Pieces &pieces);

  // Tile instructions (TileFootprints.cpp).
  Pipe tileInstruction(mlir::Operation *op, bool certain, Pieces &pieces);
  bool setScalars(const pto::TileBinding &bound, PtoTileCall &call) const;
  void tileElement(mlir::Operation *op, mlir::Value tile, mlir::Value index, bool writes, bool certain, Pieces &pieces);
  Piece wholeTile(mlir::Operation *op, mlir::Value tile, bool writes) const;
  Piece wholeView(mlir::Operation *op, mlir::Value view, bool writes) const;

  /// Bytes [begin, end), no one knows which.
  static Piece somewhere(mlir::Operation *op, uint32_t storage, bool writes, uint64_t begin = 0,
                         uint64_t end = UINT64_MAX) {
    return {begin, end, writes, false, op, storage, /*exact=*/false};
  }

  Values &values;
  Tiles &tiles;
  const Profile &profile;
  StaticReport *report;
  bool counting = false;
  std::array<Words, PTO_REG_COUNT> registers;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_FOOTPRINTS_H
