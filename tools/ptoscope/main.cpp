//===- main.cpp - the ptoscope command ------------------------------------===//

#include "Report.h"
#include "Verbs.h"

#include "ptoscope/Driver/CxxDriver.h"

#include "llvm/ADT/StringRef.h"

#include <cstdio>
#include <cstring>
#include <unistd.h>

using namespace ptoscope;

static constexpr const char *kHelp = R"(ptoscope: run, check and profile PTO programs on any computer

usage: ptoscope VERB …

  run FILE       run a kernel on buffers you give, with every check on
  check FILE…    parse and verify; nothing is run
  fix FILE…      insert the lines that findings offer until nothing is left to report
  test DIR…      run the cases of a suite under many schedules; reports for CI
  debug FILE     run a kernel step by step, forwards and back; `--dap` for editors
  audit DIR      run every kernel of a compiler's output; what changed since an older one
  compare A B    run two versions of a kernel; the first store that differs
  tune FILE      run a kernel for several values of its arguments; which is fastest
  timing         the figures of the timing model, and how far they are from published ones
  memory FILE    the map of each on-chip memory over the program, as text or SVG
  report FILE…   a page of the data of one run, or of two side by side
  ops            the instruction table, and what is implemented
  opt FILE       the dialect's mlir-opt: run passes, print what they make
  fmt FILE…      format programs; names, comments and lines stay as they are
  lsp            language server for editors
  explain CODE   what a finding means and how to repair it; a rule, by its label
  c++ …          a C++ compiler for device programs: kernel<<<…>>>, both kinds of cores

`ptoscope VERB --help` describes a verb. `ptoscope --version` prints the version.

a first run:
  ptoscope run examples/abs.pto --arg iota:f32:32x32 --arg zeros:f32:32x32 --out 1=out.npy

exit status: 0 no error, 1 an error in the program, 2 wrong use or a report that cannot be
written, 3 a bug of ptoscope, 130 interrupted
)";

static int runTool(std::vector<std::string> words) {
  if (words.size() == 2 && words[0] == "help")
    words = {words[1], "--help"};
  if (words.empty() || words[0] == "--help" || words[0] == "-h" || words[0] == "help") {
    fputs(kHelp, words.empty() ? stderr : stdout);
    return words.empty() ? kUsageError : kSuccess;
  }
  if (words[0] == "--version") {
    printf("ptoscope %s\n", kVersion);
    return kSuccess;
  }
  std::string verb = words[0];
  std::span<const std::string> rest = std::span(words).subspan(1);
  if (verb == "opt")
    return optVerb(rest);
  if (verb == "c++")
    return cxx::compilerMain(rest);
  if (verb == "run")
    return runVerb(rest);
  if (verb == "test")
    return testVerb(rest);
  if (verb == "fix")
    return fixVerb(rest);
  if (verb == "debug")
    return debugVerb(rest);
  if (verb == "check")
    return checkVerb(rest);
  if (verb == "audit")
    return auditVerb(rest);
  if (verb == "compare")
    return compareVerb(rest);
  if (verb == "memory")
    return memoryVerb(rest);
  if (verb == "report")
    return reportVerb(rest);
  if (verb == "timing")
    return timingVerb(rest);
  if (verb == "tune")
    return tuneVerb(rest);
  if (verb == "ops")
    return opsVerb(rest);
  if (verb == "fmt")
    return fmtVerb(rest);
  if (verb == "lsp")
    return lspVerb(rest);
  if (verb == "explain")
    return explainVerb(rest);
  return reportUsage(usageError("unknown verb `" + verb + "`",
                                "the verbs are run, check, audit, compare, debug, fix, test, tune, "
                                "timing, memory, report, ops, opt, fmt, lsp, explain and c++"));
}

int main(int argc, char **argv) {
  guardOutput();
  // Once everything is written, what libraries would free one by one ends with the process.
  _exit(closeOutput(runTool({argv + 1, argv + argc})));
}
