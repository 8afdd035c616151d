//===- Kernel.h - a kernel that is measured ---------------------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_KERNEL_H
#define PTOSCOPE_BENCHMARKS_KERNEL_H

#include "Bench.h"

#include "ptoscope/Driver/Session.h"

namespace bench {

/// A kernel of a file of the project, compiled for one set of checks.
class Kernel {
public:
  /// `path` from the project's root; an empty name takes the only kernel. `isTimed`: runs say
  /// how long they take on a device, too.
  Kernel(ptoscope::Session &session, const std::string &path, const std::string &name, ptoscope::Checks checks,
         bool isTimed = false);
  /// False, with the findings on stderr, when the kernel is none or does not
  /// run to its end without an error.
  bool run(const std::vector<ptoscope::Argument> &arguments, unsigned blocks = 1, unsigned threads = 1) const;

  /// Transfers copy, even where no one could tell.
  void keepCopies() { options.elideCopies = false; }

  double compileSeconds = 0;

private:
  std::unique_ptr<ptoscope::CompiledKernel> code;
  ptoscope::LaunchOptions options;
  bool isTimed;
};

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_KERNEL_H
