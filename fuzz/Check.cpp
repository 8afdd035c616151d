//===- Check.cpp - what `check` follows without running it ----------------===//

#include "Programs.h"

using namespace ptoscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FindingList findings(20);
  if (std::unique_ptr<ParsedProgram> program = fuzz::parse(fuzz::textOf(data, size), findings))
    checkStatically(*program, findings);
  fuzz::requireNoOwnFaults(findings);
  return 0;
}
