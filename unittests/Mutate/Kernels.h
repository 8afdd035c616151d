//===- Kernels.h - which kernels are mutated --------------------*- C++ -*-===//

#ifndef PTOSCOPE_UNITTESTS_MUTATE_KERNELS_H
#define PTOSCOPE_UNITTESTS_MUTATE_KERNELS_H

#include "ptoscope/Support/Result.h"

#include <string>
#include <vector>

namespace ptoscope::mutate {

/// A kernel with its arguments, as `ptoscope run` takes them.
struct KernelCase {
  std::string file;
  std::string kernel; ///< empty: the only one
  std::string arch;   ///< empty: as the program says
  int64_t blocks = 1;
  std::vector<std::string> arguments;
  std::string name() const;
};

/// Reads a list: a line per kernel, `FILE [--kernel K] [--arch A] [--block-dim N] [--arg V]…`; `#` starts a
/// comment. Files are found from the folder of the list.
Result<std::vector<KernelCase>> readKernels(const std::string &path);

} // namespace ptoscope::mutate

#endif // PTOSCOPE_UNITTESTS_MUTATE_KERNELS_H
