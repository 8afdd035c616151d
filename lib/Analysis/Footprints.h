//===- Footprints.h - bytes an instruction touches, from its text *- C++ -*-===//
//
// Which bytes of a local memory a transfer, a vector access or a scalar access
// touches, where its operands are known; on the way, bounds and alignment are
// checked (P12, D3, D8).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_FOOTPRINTS_H
#define PTOSCOPE_LIB_ANALYSIS_FOOTPRINTS_H

#include "Report.h"
#include "Values.h"
#include "ptoscope/Dialect/PTO/PTO.h"

namespace ptoscope {

class Footprints {
public:
  Footprints(const Values &values, const Profile &profile, StaticReport &report)
      : values(values), profile(profile), report(report) {
    registers[PTO_REG_LOOP_SIZE_OUTTOUB] = registers[PTO_REG_LOOP_SIZE_UBTOOUT] = {1, 1};
    for (PtoRegister stride : {PTO_REG_LOOP1_STRIDE_OUTTOUB, PTO_REG_LOOP2_STRIDE_OUTTOUB, PTO_REG_LOOP1_STRIDE_UBTOOUT,
                               PTO_REG_LOOP2_STRIDE_UBTOOUT})
      registers[stride] = {0, 0};
  }

  using Pieces = llvm::SmallVectorImpl<Piece>;
  /// A transfer or a sort: the pipe it executes on, and its bytes in `space`
  /// (the memory of its own core). Nothing when `op` is neither.
  std::optional<Pipe> instruction(mlir::Operation *op, Space space, bool certain, Pieces &pieces);
  /// A vector or scalar access to UB; `certain` says that it is executed whenever its instruction is.
  void access(mlir::Operation *op, bool certain, bool instructionCertain, Pieces &pieces);

  /// True when `op` sets a configuration register.
  bool setRegister(mlir::Operation *op);
  /// A bit for each.
  void forgetRegisters(uint32_t set);

private:
  struct Rows;
  std::optional<Rows> rowsOf(pto::TransferOpInterface op);
  void localSide(mlir::Operation *op, const Rows &rows, bool source, Space logged, bool certain, Pieces &pieces);
  void window(mlir::Operation *op, MaybeKnown address, int64_t from, int64_t to, int64_t alignment, bool writes,
              bool certain, bool instructionCertain, Pieces &pieces, bool covers = true);
  MaybeKnown address(mlir::Value base, mlir::Value offset, int64_t bytes) const;

  const Values &values;
  const Profile &profile;
  StaticReport &report;
  /// Both words of a register, as far as they are known. Packed ones stay unknown.
  using Words = std::pair<std::optional<int64_t>, std::optional<int64_t>>;
  std::array<Words, PTO_REG_COUNT> registers;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_FOOTPRINTS_H
