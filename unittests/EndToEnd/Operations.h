//===- Operations.h - random data instructions ------------------*- C++ -*-===//

#ifndef PTOSCOPE_UNITTESTS_ENDTOEND_OPERATIONS_H
#define PTOSCOPE_UNITTESTS_ENDTOEND_OPERATIONS_H

#include "Program.h"

#include <random>

namespace ptoscope::randomprogram {

struct Random {
  std::mt19937_64 engine;
  uint64_t below(uint64_t n) { return engine() % n; }
  bool oneIn(uint64_t n) { return below(n) == 0; }
};

/// Makes transfers, scopes and scalar accesses that are legal by themselves:
/// inside their memories, aligned, and fenced inside scopes.
class Operations {
public:
  Operations(Random &random, const Program &program) : random(random), program(program) {}

  uint64_t phase = 0; ///< writes of GM go to the area of this phase

  /// An instruction of the core, for a place that is executed `turns` times.
  Instruction any(uint8_t core, uint64_t turns);
  Instruction transfer(uint8_t core, Path path, uint64_t turns);
  Instruction scope(uint8_t core);
  Instruction scalar(uint8_t core);
  /// A scalar load of UB whose value goes to GM.
  Instruction probe(uint8_t core);

private:
  Where source(Memory local, bool gm);
  Where target(Memory local, bool gm);
  void makeAtomic(Transfer &transfer);
  bool fit(Where &where, uint64_t extent, uint64_t turns);
  std::vector<Path> pathsOf(uint8_t core) const;

  Random &random;
  const Program &program;
};

} // namespace ptoscope::randomprogram

#endif // PTOSCOPE_UNITTESTS_ENDTOEND_OPERATIONS_H
