//===- main.cpp - every claim of speed, measured --------------------------===//

#include "Command.h"

#include <cstdlib>
#include <functional>

/// Milliseconds of one command from start to exit, the median of 15; -1 when it fails.
static double medianTime(const std::vector<std::string> &words) {
  std::vector<double> times;
  for (int i = 0; i < 15; ++i) {
    std::optional<bench::CommandTime> time = bench::timeCommand(words);
    if (!time)
      return -1;
    times.push_back(time->wall * 1e3);
  }
  return bench::median(std::move(times));
}

bool bench::startUp(const std::string &ptoscope) {
  std::string kernel = PTOSCOPE_SOURCE "/examples/abs.pto";
  double run = medianTime({ptoscope, "run", kernel, "--arg", "random:f32:32x32:1", "--arg", "zeros:f32:32x32"});
  double check = medianTime({ptoscope, "check", kernel});
  if (run < 0 || check < 0) {
    std::printf("start-up: %s does not run\n", ptoscope.c_str());
    return false;
  }
  bool ok = figure("tiny kernel end to end, default checks", run, 60, "ms");
  return figure("ptoscope check on it", check, 25, "ms") && ok;
}

/// Without arguments everything is measured, otherwise what is named.
int main(int argc, char **argv) {
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
                        {"add", bench::streamAdd}};
  if (argc == 2 && argv[1] == std::string("checks-long"))
    return bench::longChecks() ? 0 : 1;
  bool ok = true;
  for (const Part &part : parts)
    if (argc == 1 || std::find(argv + 1, argv + argc, std::string(part.name)) != argv + argc)
      ok &= part.run();
  return ok ? 0 : 1;
}
