//===- Regions.h - what a region does to flags, and its size ----*- C++ -*-===//
//
// Two summaries of a region, computed once each: how many instructions it holds
// (to bound the work spent on loops), and by how much one execution of it raises
// each flag (to know what may be said of the flag after a branch or a loop whose
// turns no one knows).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_ANALYSIS_REGIONS_H
#define PTOSCOPE_LIB_ANALYSIS_REGIONS_H

#include "ptoscope/Machine/Order.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/DenseMap.h"

#include <map>
#include <memory>

namespace ptoscope {

/// Source pipe, destination pipe, event id.
struct FlagKey {
  Pipe src, dst;
  int64_t id;
  auto operator<=>(const FlagKey &) const = default;
};

/// The flag of a set_flag or wait_flag, dynamic ones included; the id is
/// missing when the text does not give it.
struct FlagOp {
  Pipe src, dst;
  std::optional<int64_t> id;
  mlir::Value dynamicId;
  bool isSet;
};
std::optional<FlagOp> flagOf(mlir::Operation *op);
/// The unit flag of an instruction of PIPE_M or PIPE_FIX. What a packed word says is taken
/// for the one that orders most.
struct UnitOp {
  UnitFlag flag = UnitFlag::None;
  Pipe pipe = Pipe::M;
};
UnitOp unitOf(mlir::Operation *op);

struct FlagEffect {
  int64_t net = 0;     ///< sets minus waits of one execution
  bool uneven = false; ///< `net` differs between executions
  bool sets = false;
};

struct RegionEffects {
  std::map<FlagKey, FlagEffect> flags;
  uint32_t families[kPipeSlots] = {};        ///< by source: destinations with an id no one knows
  uint32_t acquiring = 0;                    ///< pipes that wait for or get something, as bits
  bool releases = false;                     ///< rls_buf
  bool tiles = false;                        ///< instructions with a unit flag
  uint32_t registers = 0;                    ///< configuration registers that are set, a bit each
  llvm::SmallVector<mlir::Value, 0> changed; ///< tiles that get other extents or another place
};

class Regions {
public:
  const RegionEffects &effects(mlir::Region &region);
  /// Operations in the region, those of called functions included.
  uint64_t size(mlir::Region &region);
  /// The same with loops of known length counted as often as they run, others `otherTurns` times.
  uint64_t unrolled(mlir::Region &region, uint64_t otherTurns);

  /// The body of a called function; null when there is none.
  mlir::Region *calleeOf(mlir::Operation *op);

  static constexpr uint64_t kHuge = uint64_t(1) << 40;

private:
  void add(RegionEffects &total, mlir::Operation &op);
  static void merge(RegionEffects &total, const RegionEffects &part, std::optional<int64_t> times);

  mlir::SymbolTableCollection symbols;
  llvm::DenseMap<mlir::Region *, std::unique_ptr<RegionEffects>> known;
  llvm::DenseMap<mlir::Region *, uint64_t> sizes, unrolledSizes;
};

/// Turns of a loop whose bounds stand in the text.
std::optional<int64_t> tripsInText(mlir::scf::ForOp loop);
/// Turns from bounds and step; nothing for a step that is not positive.
std::optional<int64_t> tripsOf(int64_t low, int64_t high, int64_t step);
} // namespace ptoscope

#endif // PTOSCOPE_LIB_ANALYSIS_REGIONS_H
