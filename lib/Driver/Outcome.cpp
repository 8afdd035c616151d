//===- Outcome.cpp - what a timed run has to say --------------------------===//

#include "ProgramState.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ptoscope {

timing::StatsContext Outcome::Timed::context() const {
  const CompiledKernel &kernel = *ready.kernel;
  return {kernel.sites, model, timingFile, kernel.image.aic && kernel.image.aiv,
          [this](const std::string &file, uint32_t line) {
            return file == program->path() ? program->line(line) : std::nullopt;
          }};
}

timing::AdviceInput Outcome::Timed::input() const {
  const KernelImage &image = ready.kernel->image;
  return {*timer,
          model,
          ready.kernel->sites,
          *ready.read->parsed->profile,
          blocks,
          image.aic && image.aiv ? image.vectorCores : uint8_t(0),
          needs.get(),
          touches.get(),
          completed};
}

double Outcome::cycles() const { return timed->timer->solve(timed->model, nullptr).cycles; }

double Outcome::microseconds() const {
  const timing::LaunchTime taken = timed->timer->solve(timed->model, nullptr);
  return taken.withLaunch / taken.clockMHz;
}

std::string Outcome::statsTable() const {
  return timing::renderStats(timing::collectStats(timed->input()), timed->context());
}
std::string Outcome::statsLines() const {
  return timing::renderLines(timing::collectStats(timed->input()), timed->context());
}
std::string Outcome::statsJson() const {
  return timing::toJson(timing::collectStats(timed->input()), timed->context()).dump();
}

Result<void> Outcome::write(const timing::TimeFiles &files) const {
  const Program &program = *timed->program;
  Result<timing::TimedResult> written = timing::solveAndWrite(
      {timed->input(), timed->context(), findings, timed->ready.kernel->name, PTOSCOPE_VERSION,
       [&](const std::string &path) { return path == program.path() ? std::optional(program.text()) : std::nullopt; }},
      files, /*wantsStats=*/false);
  if (!written)
    return written.takeFinding();
  return {};
}

namespace {
struct Collector final : timing::TimelineSink {
  std::vector<timing::Slice> slices;
  void slice(const timing::Slice &slice) override {
    slices.push_back(slice);
    slices.back().parts = {}; // of the call only
  }
};
} // namespace

std::vector<TimelineEntry> Outcome::timeline(size_t limit) const {
  Collector collector;
  timed->timer->solve(timed->model, &collector);
  std::ranges::stable_sort(collector.slices, [](const timing::Slice &a, const timing::Slice &b) {
    return std::tuple(a.track.key(), a.start) < std::tuple(b.track.key(), b.start);
  });
  const SiteTable &sites = timed->ready.kernel->sites;
  std::vector<TimelineEntry> entries;
  for (const timing::Slice &slice : std::span(collector.slices).first(std::min(limit, collector.slices.size()))) {
    const bool known = slice.site < sites.size();
    entries.push_back({slice.track.block, timing::coreName(slice.track.core), timing::profilerName(slice.track.pipe),
                       known ? sites[slice.site].place.line : 0, known ? sites[slice.site].op : "", slice.issued,
                       slice.start, slice.end, slice.waited,
                       slice.reason == timing::Reason::None ? "" : timing::nameOf(slice.reason), slice.bytes});
  }
  return entries;
}

} // namespace ptoscope
