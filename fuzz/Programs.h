//===- Programs.h - a session that inputs share -----------------*- C++ -*-===//

#ifndef PTOSCOPE_FUZZ_PROGRAMS_H
#define PTOSCOPE_FUZZ_PROGRAMS_H

#include "Input.h"
#include "Trial.h"

namespace ptoscope::fuzz {

/// Types and attributes of a context live as long as it does, so that it is replaced now and then.
inline Session &session() {
  static std::unique_ptr<Session> current;
  static unsigned uses = 0;
  if (uses++ % 1000 == 0) {
    current.reset();
    current = std::make_unique<Session>();
  }
  return *current;
}

inline void requireNoOwnFaults(const FindingList &findings) {
  const std::string faults = ownFaults(findings);
  require(faults.empty(), faults);
}

/// Parsed and verified; null where it was refused, which takes an error.
inline std::unique_ptr<ParsedProgram> parse(std::string_view text, FindingList &findings) {
  FrontendOptions options;
  const uint64_t hash = hashOf(text);
  options.strict = hash % 8 == 0;
  options.autoScope = hash / 8 % 8 != 0;
  std::unique_ptr<ParsedProgram> program = session().parse("input.pto", std::string(text), options, findings);
  requireNoOwnFaults(findings);
  require(program->module || findings.failed(), "a program that is refused has an error");
  return program->module ? std::move(program) : nullptr;
}

} // namespace ptoscope::fuzz

#endif // PTOSCOPE_FUZZ_PROGRAMS_H
