//===- Kernel.cpp - compiling and running what is measured ----------------===//

#include "Kernel.h"
#include "ptoscope/Support/TextRenderer.h"

using namespace ptoscope;

bench::Kernel::Kernel(Session &session, const std::string &path, const std::string &name, Checks checks, bool isTimed)
    : isTimed(isTimed) {
  FindingList findings;
  compileSeconds = timed([&] {
    auto program = session.parseFile(PTOSCOPE_SOURCE "/" + path, {}, findings);
    if (!program->module)
      return;
    CompileOptions compile;
    compile.kernel = name;
    compile.checks = checks;
    compile.countsTurns = isTimed;
    code = session.compile(*program, compile, findings);
    options.profile = program->profile;
  });
  options.checks = checks;
  if (!code)
    fputs(renderText(findings.all()).c_str(), stderr);
}

bool bench::Kernel::run(const std::vector<Argument> &arguments, unsigned blocks, unsigned threads) const {
  if (!code)
    return false;
  LaunchOptions launch = options;
  launch.blocks = blocks;
  launch.threads = threads;
  const timing::Model *model = isTimed ? &timing::Model::of(options.profile->id) : nullptr;
  RunResult result = Session::launch(*code, arguments, launch, model);
  if (model && result.timer->solve(*model, nullptr).cycles <= 0)
    return false;
  if (result.launch.completed && !result.launch.findings.failed())
    return true;
  fputs(renderText(result.launch.findings.all()).c_str(), stderr);
  return false;
}
