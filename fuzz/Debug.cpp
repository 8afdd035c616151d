//===- Debug.cpp - what an editor may send to the debugger ----------------===//
//
// Whatever program a launch asks for, it gets the same small one.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "ptoscope/Debug/Adapter.h"
#include "ptoscope/Driver/Runs.h"

#include <deque>

using namespace ptoscope;

static std::unique_ptr<debug::Target> makeTarget(const std::vector<std::string> &, std::string &) {
  auto target = std::make_unique<debug::Target>();
  target->session = std::make_unique<Session>();
  FindingList findings;
  target->program = target->session->parseFile(PTOSCOPE_SOURCE "/examples/abs.pto", {}, findings);
  fuzz::require(bool(target->program->module), "the program is right");
  RunRequest request;
  request.arguments = {"iota:f32:32x32", "zeros:f32:32x32"};
  request.launch.maxSteps = 10'000;
  request.compile.steps = &target->steps;
  PreparedRun run;
  fuzz::require(prepareRun(*target->session, *target->program, request, run, findings), "the program can run");
  target->kernel = std::move(run.kernel);
  for (LoadedArgument &argument : run.loaded)
    target->arguments.push_back({std::move(argument.array), argument.bits});
  target->launch = request.launch;
  target->launch.profile = target->program->profile;
  return target;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  // The reader of a server may still be on its way to the end of its input when the server has ended.
  static std::deque<std::unique_ptr<fuzz::Messages>> recent;
  recent.push_back(std::make_unique<fuzz::Messages>(fuzz::textOf(data, size)));
  debug::serveAdapter(recent.back()->channel, makeTarget);
  if (recent.size() > 64)
    recent.pop_front();
  return 0;
}
