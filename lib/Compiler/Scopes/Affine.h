//===- Affine.h - addresses as sums of symbols ------------------*- C++ -*-===//
//
// Decides at compile time whether two accesses of a scope touch the same, or
// disjoint, 256-byte windows: an address is a constant plus multiples of SSA
// values, and equal symbols cancel.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_AFFINE_H
#define PTOSCOPE_LIB_COMPILER_AFFINE_H

#include "mlir/IR/Value.h"

#include <map>
#include <optional>

namespace ptoscope {

class Affine {
public:
  /// An index, i64 or pointer value of a scope function, in bytes times `scale`.
  static Affine of(mlir::Value value, int64_t scale = 1);

  Affine &operator+=(const Affine &other);
  /// this - other, when it is a constant.
  std::optional<int64_t> minus(const Affine &other) const;

  /// The factor of `value`; nothing when other symbols come from the same block or one inside it.
  std::optional<int64_t> factorOf(mlir::BlockArgument value) const;

private:
  void accumulate(mlir::Value value, uint64_t scale, unsigned depth);

  // Addresses are modulo 2^64, and so are their parts.
  uint64_t constant = 0;
  std::map<const void *, uint64_t> terms; ///< opaque value -> factor, never 0
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_AFFINE_H
