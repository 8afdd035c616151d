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

namespace ptoscope {

/// Loop registers of one direction of legacy copies; absent values are unknown.
struct LoopRegisterValues {
  std::optional<int64_t> count1 = 1, count2 = 1, src1 = 0, dst1 = 0, src2 = 0, dst2 = 0;
};

class Footprints {
public:
  Footprints(const Values &values, const Profile &profile, StaticReport &report)
      : values(values), profile(profile), report(report) {}

  using Pieces = llvm::SmallVectorImpl<Piece>;
  /// A transfer or a sort: the pipe it executes on, and its bytes in `space`
  /// (the memory of its own core). Nothing when `op` is neither.
  std::optional<Pipe> instruction(mlir::Operation *op, Space space, bool certain, Pieces &pieces);
  /// A vector or scalar access to UB; `certain` says that it is executed whenever its instruction is.
  void access(mlir::Operation *op, bool certain, bool instructionCertain, Pieces &pieces);

  /// True when `op` sets a loop register.
  bool setRegister(mlir::Operation *op);
  void forgetRegisters();

private:
  struct Rows;
  std::optional<Rows> rowsOf(mlir::Operation *op, Pipe &pipe);
  void localSide(mlir::Operation *op, const Rows &rows, bool source, Space logged, bool certain, Pieces &pieces);
  void window(mlir::Operation *op, MaybeKnown address, int64_t from, int64_t to, int64_t alignment, bool writes, bool certain,
              bool instructionCertain, Pieces &pieces, bool covers = true);
  MaybeKnown address(mlir::Value base, mlir::Value offset, int64_t bytes) const;

  const Values &values;
  const Profile &profile;
  StaticReport &report;
  LoopRegisterValues outToUb, ubToOut;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_FOOTPRINTS_H
