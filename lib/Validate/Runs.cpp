//===- Runs.cpp - programs that are recorded once and timed often ---------===//

#include "ptoscope/Validate/Runs.h"

#include "ptoscope/Driver/Session.h"
#include "ptoscope/Support/ZeroPages.h"

#include <algorithm>
#include <map>
#include <thread>

namespace ptoscope::validate {

namespace {

/// Adds up what each core does.
class CoreSums final : public timing::TimelineSink {
public:
  void slice(const timing::Slice &slice) override {
    Sums &sums = cores[{slice.physicalCore, slice.track.core.index}];
    sums.begin = std::min(sums.begin, slice.issued);
    sums.end = std::max(sums.end, slice.end);
    double start = slice.start;
    if (slice.track.pipe == Pipe::FIX && slice.reason == timing::Reason::Tile) // TIME-44
      start = std::max(slice.start - slice.waited, slice.issued);
    sums.busy[size_t(slice.track.pipe)] += slice.end - start;
    ++sums.instructions;
  }

  void addTo(Measured &measured, double issueCycles) const {
    for (const auto &[key, sums] : cores) {
      Measured::Core &core = key.second == 0 ? measured.cube : measured.vector;
      core.cores += 1;
      core.time += sums.end - sums.begin;
      for (size_t pipe = 0; pipe < sums.busy.size(); ++pipe)
        core.busy[pipe] += sums.busy[pipe];
      core.busy[size_t(Pipe::S)] += double(sums.instructions) * issueCycles;
    }
    for (Measured::Core *core : {&measured.cube, &measured.vector}) {
      if (core->cores == 0)
        continue;
      core->time /= core->cores;
      for (double &busy : core->busy)
        busy /= core->cores;
    }
  }

private:
  struct Sums {
    double begin = 1e300, end = 0;
    std::array<double, kPipeSlots> busy{};
    uint64_t instructions = 0;
  };
  std::map<std::pair<uint32_t, uint8_t>, Sums> cores; ///< by physical core and CoreId::index
};

/// Figures in cycles of slower cores: GM keeps its own pace.
void slowDown(timing::Model &model, double times) {
  for (const char *rate : {"gm.hbm.rate", "gm.l2.rate", "path.gm_l1.rate", "path.gm_ub.rate"})
    model.set(rate, model[rate] * times);
  for (const char *cycles :
       {"clock.mhz", "launch.start", "gm.interval", "gm.shared", "path.gm_l1.latency", "path.gm_l1.burst",
        "path.gm_l1.least", "path.gm_ub.latency", "path.gm_ub.burst", "path.gm_ub.least"})
    model.set(cycles, model[cycles] / times);
}

/// One recorded launch, with all that its timer refers to.
struct Launched {
  std::unique_ptr<CompiledKernel> kernel;
  std::vector<ZeroedVector<uint8_t>> buffers;
  GmTable gm;
  LaunchOptions options;
  std::unique_ptr<timing::Timer> timer;
  double share = 1; ///< of the L2 cache
  double slowness = 1;
  double movedBytes = 0;

  Measured measure(const timing::Model &model) const {
    timing::Model scaled = model;
    scaled.set("gm.l2.bytes", model["gm.l2.bytes"] * share);
    if (slowness != 1)
      slowDown(scaled, slowness);
    CoreSums sums;
    timing::LaunchTime time = timer->solve(scaled, &sums);
    Measured measured;
    measured.withLaunch = time.withLaunch;
    measured.clockMHz = time.clockMHz;
    measured.movedBytes = movedBytes;
    sums.addTo(measured, model["scalar.issue"]);
    return measured;
  }
};

/// `a` at 0, `b` at 1, and so on in a line.
double extend(double a, double b, double at) { return a + (b - a) * at; }

Measured extend(const Measured &a, const Measured &b, double at) {
  Measured result = b;
  result.withLaunch = extend(a.withLaunch, b.withLaunch, at);
  result.movedBytes = extend(a.movedBytes, b.movedBytes, at);
  for (auto core : {&Measured::cube, &Measured::vector}) {
    (result.*core).time = extend((a.*core).time, (b.*core).time, at);
    for (size_t pipe = 0; pipe < kPipeSlots; ++pipe)
      (result.*core).busy[pipe] = extend((a.*core).busy[pipe], (b.*core).busy[pipe], at);
  }
  return result;
}

class RecordedRun final : public Run {
public:
  RecordedRun(const Recipe &recipe, std::vector<std::unique_ptr<Launched>> launches)
      : extent(double(recipe.extent)), launches(std::move(launches)) {
    if (!recipe.small.empty())
      at = (extent - double(recipe.small[0])) / double(recipe.small[1] - recipe.small[0]);
  }
  Measured measure(const timing::Model &model) const override {
    Measured first = launches[0]->measure(model);
    return launches.size() == 1 ? first : extend(first, launches[1]->measure(model), at);
  }

private:
  double extent, at = 0;
  std::vector<std::unique_ptr<Launched>> launches;
};

OrReason<std::unique_ptr<Launched>> launchOf(Session &session, const Program &program) {
  using None = OrReason<std::unique_ptr<Launched>>;
  auto launched = std::make_unique<Launched>();
  FindingList findings;
  FrontendOptions frontend;
  frontend.arch = std::string(profileOf(program.profile).name);
  auto why = [&] {
    for (const Finding &finding : findings.all())
      if (finding.severity == Severity::Error)
        return program.file + ": " + finding.message;
    return program.file + " did not run to its end";
  };
  std::unique_ptr<ParsedProgram> parsed = session.parse(program.file, program.text(), frontend, findings);
  if (!parsed->module)
    return None::none(why());
  CompileOptions compile;
  compile.kernel = program.kernel;
  compile.checks = Checks::none();
  compile.countsTurns = true;
  launched->kernel = session.compile(*parsed, compile, findings);
  if (!launched->kernel)
    return None::none(why());
  std::vector<uint64_t> words;
  for (size_t i = 0; i < program.arguments.size(); ++i) {
    const Program::Argument &argument = program.arguments[i];
    if (!argument.isBuffer) {
      words.push_back(argument.value);
      continue;
    }
    ZeroedVector<uint8_t> &pages = launched->buffers.emplace_back(argument.value);
    words.push_back(launched->gm.add(pages.data(), pages.size(), launched->kernel->parameters[i].name));
  }
  LaunchOptions &options = launched->options;
  options.profile = &profileOf(program.profile);
  options.blocks = program.blocks;
  options.checks = Checks::none();
  options.threads = std::max(1u, std::thread::hardware_concurrency());
  options.dataless = true;
  launched->timer = timing::makeTimer(launched->kernel->image, *options.profile, timing::Model::of(program.profile),
                                      options, nullptr);
  options.observers = launched->timer.get();
  LaunchResult result = launch(launched->kernel->image, launched->gm, words, options);
  if (!result.completed) {
    findings.merge(std::move(result.findings));
    return None::none(why());
  }
  launched->buffers.clear(); // times need their addresses only
  launched->movedBytes = double(program.movedBytes);
  launched->slowness = program.slowness;
  return launched;
}

} // namespace

std::optional<double> Measured::metric(const Anchor &anchor) const {
  std::string_view name = anchor.metric();
  const double perMicrosecond = clockMHz;
  const bool hasCube = cube.cores > 0;
  bool ofVector = !hasCube;
  if (name.starts_with("aiv_")) {
    name.remove_prefix(4);
    ofVector = true;
    if (name == "time")
      name = "core_time";
  } else if (name == "vec_busy") {
    ofVector = true;
  }
  const Core &core = ofVector ? vector : cube;
  auto inUnit = [&](double cycles) -> std::optional<double> {
    if (anchor.unit == Anchor::Unit::GigabytesPerSecond)
      return std::nullopt;
    return anchor.unit == Anchor::Unit::Cycles ? cycles : cycles / perMicrosecond;
  };
  if (name == "task")
    return inUnit(withLaunch);
  if (name == "throughput" && movedBytes > 0 && anchor.unit == Anchor::Unit::GigabytesPerSecond)
    return movedBytes / (withLaunch / perMicrosecond) / 1e3;
  if (core.cores == 0)
    return std::nullopt;
  if (name == "core_time")
    return inUnit(core.time);
  if (name == "total_cycles_all_cores")
    return inUnit(core.time * core.cores);
  constexpr std::pair<std::string_view, Pipe> kPipes[] = {
      {"scalar_busy", Pipe::S},  {"vec_busy", Pipe::V},     {"cube_busy", Pipe::M},  {"mte1_busy", Pipe::MTE1},
      {"mte2_busy", Pipe::MTE2}, {"mte3_busy", Pipe::MTE3}, {"fixp_busy", Pipe::FIX}};
  for (auto [metric, pipe] : kPipes)
    if (metric == name && core.busy[size_t(pipe)] > 0)
      return inUnit(core.busy[size_t(pipe)]);
  return std::nullopt;
}

OrReason<std::shared_ptr<const Run>> record(Session &session, const Recipe &recipe) {
  std::vector<int64_t> extents = recipe.small.empty() ? std::vector{recipe.extent} : recipe.small;
  std::vector<std::unique_ptr<Launched>> launches;
  for (int64_t extent : extents) {
    OrReason<std::unique_ptr<Launched>> launched = launchOf(session, recipe.program(extent));
    if (!launched.value)
      return OrReason<std::shared_ptr<const Run>>::none(launched.reason);
    if (recipe.shrinksCache)
      (*launched.value)->share = double(extent) / double(recipe.extent);
    launches.push_back(std::move(*launched.value));
  }
  return OrReason<std::shared_ptr<const Run>>(std::make_shared<RecordedRun>(recipe, std::move(launches)));
}

} // namespace ptoscope::validate
