//===- Kernel.cpp - compiling and running what is measured ----------------===//

#include "Kernel.h"
#include "ptoscope/Support/TextRenderer.h"

using namespace ptoscope;

bench::Kernel::Kernel(Session &session, const std::string &path, const std::string &name, Checks checks) {
  FindingList findings;
  compileSeconds = timed([&] {
    auto program = session.parseFile(PTOSCOPE_SOURCE "/" + path, {}, findings);
    if (!program->module)
      return;
    CompileOptions compile;
    compile.kernel = name;
    compile.checks = checks;
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
  RunResult result = Session::launch(*code, arguments, launch);
  if (result.launch.completed && !result.launch.findings.failed())
    return true;
  fputs(renderText(result.launch.findings.all()).c_str(), stderr);
  return false;
}
