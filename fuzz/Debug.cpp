//===- Debug.cpp - what an editor may send to the debugger ----------------===//
//
// Whatever program a launch asks for, it gets the same small one.
//
//===----------------------------------------------------------------------===//

#include "Messages.h"

#include "ptoscope/Debug/Adapter.h"
#include "ptoscope/Driver/Runs.h"

#include <algorithm>
#include <deque>

using namespace ptoscope;

/// Compiled once: that takes longer than all that an editor asks for.
static const debug::Target &prepared() {
  static const std::unique_ptr<debug::Target> target = [] {
    auto target = std::make_unique<debug::Target>();
    target->session = std::make_shared<Session>();
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
  }();
  return *target;
}

static std::unique_ptr<debug::Target> makeTarget(const std::vector<std::string> &, std::string &) {
  const debug::Target &shared = prepared();
  auto target = std::make_unique<debug::Target>();
  target->session = shared.session;
  target->program = shared.program;
  target->kernel = shared.kernel;
  target->steps = shared.steps;
  target->launch = shared.launch;
  for (const debug::InitialArgument &argument : shared.arguments) {
    const Array &array = argument.array;
    std::optional<ByteBuffer> bytes = ByteBuffer::allocate(array.bytes.size());
    fuzz::require(bytes.has_value(), "memory for arguments");
    std::ranges::copy(array.bytes.span(), bytes->data());
    target->arguments.push_back({{array.type, array.itemBytes, array.shape, std::move(*bytes)}, argument.bits});
  }
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
