//===- Parse.cpp - texts that may be programs, read and verified ----------===//

#include "Programs.h"

using namespace ptoscope;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  FindingList findings(20);
  fuzz::parse(fuzz::textOf(data, size), findings);
  return 0;
}
