//===- Verbs.h - one function per verb --------------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_VERBS_H
#define PTOSCOPE_TOOLS_VERBS_H

#include "CommandLine.h"

namespace llvm {
class StringRef;
}

namespace ptoscope {

namespace pto {
struct InstrInfo;
}

int runVerb(std::span<const std::string> words);
int fixVerb(std::span<const std::string> words);
int testVerb(std::span<const std::string> words);
int checkVerb(std::span<const std::string> words);
int memoryVerb(std::span<const std::string> words);
int reportVerb(std::span<const std::string> words);
int timingVerb(std::span<const std::string> words);
int tuneVerb(std::span<const std::string> words);
int opsVerb(std::span<const std::string> words);
int explainVerb(std::span<const std::string> words);
/// The instruction with this name, alias or name of a call in C++; null for none.
const pto::InstrInfo *findInstruction(llvm::StringRef name);
/// What people read about it; its rules are not in it.
std::string textOf(const pto::InstrInfo &info);
/// These two belong to MLIR and read argv themselves.
int optVerb(int argc, char **argv);
int lspVerb(int argc, char **argv);
/// What the LLVM library has registered so far is not ours to teach.
void hideLibraryOptions();

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_VERBS_H
