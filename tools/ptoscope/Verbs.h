//===- Verbs.h - one function per verb --------------------------*- C++ -*-===//

#ifndef PTOSCOPE_TOOLS_VERBS_H
#define PTOSCOPE_TOOLS_VERBS_H

#include "CommandLine.h"

namespace ptoscope {

int runVerb(std::span<const std::string> words);
int fixVerb(std::span<const std::string> words);
int testVerb(std::span<const std::string> words);
int debugVerb(std::span<const std::string> words);
int checkVerb(std::span<const std::string> words);
int auditVerb(std::span<const std::string> words);
int compareVerb(std::span<const std::string> words);
int memoryVerb(std::span<const std::string> words);
int reportVerb(std::span<const std::string> words);
int timingVerb(std::span<const std::string> words);
int tuneVerb(std::span<const std::string> words);
int opsVerb(std::span<const std::string> words);
int explainVerb(std::span<const std::string> words);
int fmtVerb(std::span<const std::string> words);
int lspVerb(std::span<const std::string> words);
int optVerb(std::span<const std::string> words);

} // namespace ptoscope

#endif // PTOSCOPE_TOOLS_VERBS_H
