//===- main.cpp - every claim of speed, measured --------------------------===//

#include "Command.h"

#include <cstdlib>
#include <filesystem>
#include <functional>

/// Beside a tool that loads LLVM and MLIR and has nothing to do.
bool bench::startUp(const std::string &ptoscope) {
  std::string kernel = PTOSCOPE_SOURCE "/examples/abs.pto";
  std::string cache = std::filesystem::temp_directory_path() / "ptoscope-bench-XXXXXX";
  if (!mkdtemp(cache.data()))
    return false;
  const std::vector<std::string> launch = {ptoscope,         "run", kernel, "--arg", "random:f32:32x32:1", "--arg",
                                           "zeros:f32:32x32"};
  std::vector<std::string> warm = {"env", "PTOSCOPE_CACHE=" + cache};
  warm.insert(warm.end(), launch.begin(), launch.end());
  auto times = leastTimes({launch, {ptoscope, "check", kernel}, {PTOSCOPE_MLIR_OPT, "/dev/null"}, warm}, 15);
  std::filesystem::remove_all(cache);
  if (!times)
    return false;
  double run = (*times)[0].wall, check = (*times)[1].wall, idle = (*times)[2].wall, again = (*times)[3].wall;
  report("tiny kernel end to end, default checks", run * 1e3, "ms");
  report("the same with its code in the cache", again * 1e3, "ms");
  report("ptoscope check on it", check * 1e3, "ms");
  report("mlir-opt on nothing", idle * 1e3, "ms");
  bool ok = figure("tiny kernel end to end, default checks / mlir-opt", run / idle, 2.5);
  ok &= figure("tiny kernel end to end / check of it", run / check, 4);
  ok &= figure("the same with its code in the cache / check of it", again / check, 2);
  return figure("ptoscope check on it / mlir-opt", check / idle, 0.5) && ok;
}

/// Without arguments everything is measured, otherwise what is named.
int main(int argc, char **argv) {
#ifdef PTOSCOPE_PLAINER_HOST
  setenv("PTOSCOPE_HOST", PTOSCOPE_PLAINER_HOST, 1);
#endif
  setenv("PTOSCOPE_CACHE", "off", 1); // code is compiled, not found
  std::string self = argv[0];
  size_t slash = self.rfind('/');
  const std::string folder = slash == std::string::npos ? "." : self.substr(0, slash);
  const std::string ptoscope = folder + "/ptoscope";
  struct Part {
    const char *name;
    std::function<bool()> run;
  };
  const Part parts[] = {{"start", [&] { return bench::startUp(ptoscope); }},
                        {"launch", [&] { return bench::launches(folder + "/../python"); }},
                        {"dma", bench::dma},
                        {"sync", bench::sync},
                        {"shuffle", bench::shuffle},
                        {"compute", bench::compute},
                        {"vmi", bench::vmi},
                        {"compile", bench::longScopes},
                        {"checks", bench::checks},
                        {"tile", [&] { return bench::tile(folder + "/ptoscope-c++"); }},
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
