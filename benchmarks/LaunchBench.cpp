//===- LaunchBench.cpp - a small kernel that is launched again ------------===//
//
// A launch through the library beside the time inside its kernel, and a launch
// through Python beside one through the library. Many small blocks beside the
// time of what each of them does.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "ptoscope/Driver/Program.h"
#include "ptoscope/Support/TextRenderer.h"

#include <cmath>
#include <fstream>
#include <iterator>
#include <optional>

using namespace ptoscope;

namespace {

constexpr int kLaunches = 300;
constexpr uint64_t kTurns = 1001;
constexpr const char *kPath = PTOSCOPE_SOURCE "/benchmarks/launch.pto";
constexpr const char *kBlockPath = PTOSCOPE_SOURCE "/benchmarks/block.pto";

std::shared_ptr<Program> open(const char *path, FindingList &findings) {
  std::ifstream file(path);
  return Program::open({path, std::string(std::istreambuf_iterator<char>(file), {}), false, true, ""}, findings);
}

std::span<uint8_t> bytesOf(bench::Array<float> &array) {
  return {reinterpret_cast<uint8_t *>(array.data()), array.size() * sizeof(float)};
}

/// Seconds of the first line that the script prints, which are microseconds.
std::optional<double> throughPython(const std::string &modules, const char *checks) {
  const std::string command = "PYTHONPATH=" + modules +
                              " " PTOSCOPE_PYTHON " -B " PTOSCOPE_SOURCE "/benchmarks/launch.py " + std::string(kPath) +
                              " " + checks;
  FILE *pipe = popen(command.c_str(), "r");
  if (!pipe)
    return std::nullopt;
  double microseconds = 0;
  const bool read = fscanf(pipe, "%lf", &microseconds) == 1;
  return pclose(pipe) == 0 && read ? std::optional(microseconds * 1e-6) : std::nullopt;
}

/// What a block of 64 elements costs beyond its own work, and whether many cost more each than few.
bool blocks(const char *word, double mostMicroseconds) {
  constexpr int64_t kFew = 2000, kMany = 64'000;
  FindingList findings;
  std::shared_ptr<Program> program = open(kBlockPath, findings);
  Way way;
  way.checks = word == std::string("none") ? Checks::none() : Checks();
  Program::Ready *ready = program ? program->ready(way, findings) : nullptr;
  if (!ready) {
    fputs(renderText(findings.all()).c_str(), stderr);
    return false;
  }
  bench::Array<float> x(kMany * 64, -1.5f), y(kMany * 64);
  bool right = true;
  auto launch = [&](int64_t count, uint64_t turns) {
    const Argument arguments[] = {bytesOf(x), bytesOf(y), turns};
    LaunchRequest request;
    request.blocks = count;
    request.provesRemedies = false;
    Result<Outcome> outcome = program->run(*ready, arguments, request);
    right = right && outcome && outcome->ok();
  };
  auto [few, long_, one] =
      bench::leastTimes([&] { launch(kFew, 1); }, [&] { launch(1, kTurns); }, [&] { launch(1, 1); });
  double many = 1e9;
  for (int round = 0; round < 3; ++round)
    many = std::min(many, bench::timedAlone([&] { launch(kMany, 1); }));
  if (!right || y[0] != 1.5f || y[kMany * 64 - 1] != 1.5f)
    return bench::wrong("many small blocks");
  const double inside = (long_ - one) / double(kTurns - 1), each = few / double(kFew);
  const std::string what = std::string("a block of 64 elements, checks ") + (way.checks.any() ? "on" : "off");
  bench::report(what + ": its own work", inside * 1e6, "us");
  bool ok = bench::figure(what + ": beyond that", (each - inside) * 1e6, mostMicroseconds, "us");
  return bench::figure(what + ": one of 64000 / of 2000", many / double(kMany) / each, 1.25) && ok;
}

} // namespace

bool bench::launches(const std::string &modules) {
  FindingList findings;
  std::shared_ptr<Program> program = open(kPath, findings);
  Array<float> x(1024, -1.5f), y(1024);
  bool ok = true;
  for (const char *word : {"none", "all"}) {
    Way way;
    way.checks = word == std::string("none") ? Checks::none() : Checks();
    Program::Ready *ready = program ? program->ready(way, findings) : nullptr;
    if (!ready) {
      fputs(renderText(findings.all()).c_str(), stderr);
      return false;
    }
    bool right = true;
    auto launch = [&](uint64_t turns) {
      const Argument arguments[] = {bytesOf(x), bytesOf(y), turns};
      Result<Outcome> outcome = program->run(*ready, arguments, {});
      right = right && outcome && outcome->ok();
    };
    auto [many, long_, one] = leastTimes(
        [&] {
          for (int i = 0; i < kLaunches; ++i)
            launch(1);
        },
        [&] { launch(kTurns); }, [&] { launch(1); });
    if (!right || y[0] != 1.5f || y[1023] != 1.5f)
      return wrong("repeated launches");
    const double inside = (long_ - one) / double(kTurns - 1), each = many / kLaunches;
    const std::string what = std::string("launch of a small kernel, checks ") + (way.checks.any() ? "on" : "off");
    report(what + ": inside the kernel", inside * 1e6, "us");
    report(what + ": through the library", each * 1e6, "us");
    ok &= figure(what + ": library / (3 kernels + 10 us)", each / (3 * inside + 10e-6), 1);
    std::optional<double> python = throughPython(modules, word);
    if (!python)
      return wrong("launches through Python");
    report(what + ": through Python", *python * 1e6, "us");
    ok &= figure(what + ": Python beyond the library", (*python - each) * 1e6, 10, "us");
    ok &= blocks(word, way.checks.any() ? 10 : 2);
  }
  return ok;
}
