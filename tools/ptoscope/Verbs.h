//===- Verbs.h - one function per verb --------------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_VERBS_H
#define PTOSCOPE_TOOLS_VERBS_H

#include "CommandLine.h"

namespace ptoscope {

int runVerb(std::span<const std::string> words);
int checkVerb(std::span<const std::string> words);
int memoryVerb(std::span<const std::string> words);
int opsVerb(std::span<const std::string> words);
int explainVerb(std::span<const std::string> words);
/// These two belong to MLIR and read argv themselves.
int optVerb(int argc, char **argv);
int lspVerb(int argc, char **argv);
/// What the LLVM library has registered so far is not ours to teach.
void hideLibraryOptions();

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_VERBS_H
