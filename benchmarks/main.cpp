//===- main.cpp - every claim of speed, measured --------------------------===//

#include "Command.h"

#include <cstdlib>
#include <functional>

/// Beside a tool that loads LLVM and MLIR and has nothing to do.
bool bench::startUp(const std::string &ptoscope) {
  std::string kernel = PTOSCOPE_SOURCE "/examples/abs.pto";
  auto times = leastTimes({{ptoscope, "run", kernel, "--arg", "random:f32:32x32:1", "--arg", "zeros:f32:32x32"},
                           {ptoscope, "check", kernel},
                           {PTOSCOPE_MLIR_OPT, "/dev/null"}},
                          15);
  if (!times)
    return false;
  double run = (*times)[0].wall, check = (*times)[1].wall, idle = (*times)[2].wall;
  report("tiny kernel end to end, default checks", run * 1e3, "ms");
  report("ptoscope check on it", check * 1e3, "ms");
  report("mlir-opt on nothing", idle * 1e3, "ms");
  bool ok = figure("tiny kernel end to end, default checks / mlir-opt", run / idle, 2.5);
  return figure("ptoscope check on it / mlir-opt", check / idle, 0.5) && ok;
}

/// Without arguments everything is measured, otherwise what is named.
int main(int argc, char **argv) {
#ifdef PTOSCOPE_PLAINER_HOST
  setenv("PTOSCOPE_HOST", PTOSCOPE_PLAINER_HOST, 1);
#endif
  std::string self = argv[0];
  size_t slash = self.rfind('/');
  std::string ptoscope = (slash == std::string::npos ? "." : self.substr(0, slash)) + "/ptoscope";
  struct Part {
    const char *name;
    std::function<bool()> run;
  };
  const Part parts[] = {{"start", [&] { return bench::startUp(ptoscope); }},
                        {"dma", bench::dma},
                        {"sync", bench::sync},
                        {"shuffle", bench::shuffle},
                        {"compute", bench::compute},
                        {"compile", bench::longScopes},
                        {"checks", bench::checks},
                        {"tile", bench::tile},
                        {"text", [&] { return bench::tileText(ptoscope); }},
                        {"cube", bench::cube},
                        {"add", bench::streamAdd}};
  if (argc == 2 && argv[1] == std::string("checks-long"))
    return bench::longChecks() ? 0 : 1;
  bool ok = true;
  for (const Part &part : parts)
    if (argc == 1 || std::find(argv + 1, argv + argc, std::string(part.name)) != argv + argc)
      ok &= part.run();
  return ok ? 0 : 1;
}
