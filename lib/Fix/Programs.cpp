//===- Programs.cpp - examine programs of text ----------------------------===//

#include "ptoscope/Analysis/StaticCheck.h"
#include "ptoscope/Fix/Examiners.h"
#include "ptoscope/Machine/Remedies.h"

namespace ptoscope {

Examine examineByRuns(Session &session, RunRequest request, std::vector<Schedule> schedules) {
  return [&session, request = std::move(request),
          schedules = std::move(schedules)](const Texts &texts) mutable -> Result<FindingList> {
    const auto &[path, text] = *texts.begin();
    FindingList findings;
    std::unique_ptr<ParsedProgram> program = session.parse(path, text, request.frontend, findings);
    for (const Schedule &schedule : schedules) {
      if (!program->module || !isClean(findings))
        break;
      request.launch.schedule = schedule;
      PreparedRun run;
      if (!prepareRun(session, *program, request, run, findings))
        break;
      executeRun(session, *program, request, run, findings);
    }
    // The command line is not what is examined.
    for (const Finding &finding : findings.all())
      if (finding.severity == Severity::Error && finding.category == Category::Usage)
        return finding;
    return findings;
  };
}

Examine examineStatically(Session &session, FrontendOptions frontend) {
  return [&session, frontend = std::move(frontend)](const Texts &texts) -> Result<FindingList> {
    const auto &[path, text] = *texts.begin();
    FindingList findings;
    auto check = [&](const std::string &changed) -> std::optional<FindingList> {
      FindingList ignored, found;
      std::unique_ptr<ParsedProgram> program = session.parse(path, changed, frontend, ignored);
      if (!program->module)
        return std::nullopt;
      checkStatically(*program, found);
      return found;
    };
    std::unique_ptr<ParsedProgram> program = session.parse(path, text, frontend, findings);
    if (program->module) {
      FindingList found;
      checkStatically(*program, found);
      proveRemedies(found, path, text, check);
      findings.merge(std::move(found));
    }
    return findings;
  };
}

} // namespace ptoscope
