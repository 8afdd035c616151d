//===- Check.cpp - what `ptoscope check` looks at -------------------------===//

#include "ptoscope/Language/Check.h"

#include "ptoscope/Analysis/StaticCheck.h"
#include "ptoscope/Machine/Remedies.h"

namespace ptoscope {

size_t checkParsed(Session &session, const ParsedProgram &program, const FrontendOptions &options,
                   FindingList &findings, const std::function<bool()> &stale) {
  FindingList walked;
  const size_t uncompared = checkStatically(program, walked);
  proveRemedies(walked, program.path, program.text, [&](const std::string &text) -> std::optional<FindingList> {
    if (stale())
      return std::nullopt;
    FindingList ignored, left;
    std::unique_ptr<ParsedProgram> changed = session.parse(program.path, text, options, ignored);
    if (!changed->module)
      return std::nullopt;
    checkStatically(*changed, left);
    return left;
  });
  findings.merge(std::move(walked));
  return uncompared;
}

} // namespace ptoscope
