//===- Prove.h - freedom from races for all arguments -----------*- C++ -*-===//
//
// Decides, for kernels whose addresses, lengths and flags are sums over turns of loops
// and arguments, whether any arguments, block count and trip counts have a race
// (docs/proving.md). A proof is one for all of them. What is not proved comes with
// candidates: arguments with which a run may show the race. Whether it does is for the
// caller to find out.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_ANALYSIS_PROVE_H
#define PTOSCOPE_ANALYSIS_PROVE_H

#include "ptoscope/Compiler/Frontend.h"

#include <map>

namespace ptoscope {

/// factor * parameter + base >= 0
struct Assumption {
  std::string parameter; ///< "%n", or "blocks"
  int64_t factor = 1, base = 0;
  std::string text;
};
/// "n<=8192", "%n>=1", "blocks=4"; several for "=". Nothing when it is not one.
std::optional<std::vector<Assumption>> parseAssumption(const std::string &word);

struct ProveOptions {
  std::string kernel; ///< the only one, if empty
  std::vector<Assumption> assumptions;
  double seconds = 20;
};

/// Arguments that may show a race, by number of the parameter; others are free.
struct Candidate {
  std::map<size_t, int64_t> scalars;
  int64_t blocks = 1;
  Place first, second; ///< the accesses
  bool betweenBlocks = false;
};

struct Proof {
  std::string kernel;
  size_t parameters = 0;
  std::optional<Assumption> unknown; ///< of a parameter that the kernel does not have; nothing was done
  bool isProved = false;
  bool isAffine = true;      ///< every address, length and id is
  bool boundsProved = false; ///< no access leaves its memory on chip
  std::vector<std::string> assumed;
  std::string reason; ///< why it is not proved
  Place place;        ///< of the reason
  std::vector<Candidate> candidates;
  size_t pairs = 0, queries = 0; ///< that were compared; asked of the solver
};

/// Of one kernel. Adds a finding and returns nothing where there is none of this name.
std::optional<Proof> prove(const ParsedProgram &program, const ProveOptions &options, FindingList &findings);
/// Names of the kernels, in order.
std::vector<std::string> kernelNames(const ParsedProgram &program);

} // namespace ptoscope

#endif // PTOSCOPE_ANALYSIS_PROVE_H
