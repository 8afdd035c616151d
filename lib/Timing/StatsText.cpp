//===- StatsText.cpp - statistics as people read them ---------------------===//

#include "ptoscope/Timing/Stats.h"

#include "Format.h"

#include <algorithm>
#include <map>

namespace ptoscope::timing {

std::string describeModel(const Model &model, const std::string &timingFile) {
  size_t assumed = 0, fitted = 0, published = 0;
  bool assumesGm = false;
  for (const Model::Figure &figure : model.figures()) {
    const bool isAssumed = figure.source == "assumed";
    ++(isAssumed ? assumed : figure.isFitted ? fitted : published);
    assumesGm |= isAssumed && (figure.key.starts_with("gm.") || figure.key.starts_with("path.gm_"));
  }
  return timingFile + "; figures: " + std::to_string(published) + " published, " + std::to_string(fitted) +
         " fitted, " + std::to_string(assumed) + " assumed" + (assumesGm ? " (GM transfers among them)" : "") +
         "; error: docs/timing.md";
}

namespace {

class StatsText {
public:
  StatsText(const Stats &stats, const StatsContext &context) : stats(stats), context(context) {}

  std::string all() {
    head();
    pipes();
    summary();
    waits();
    lines();
    advice();
    return std::move(text);
  }

private:
  /// A line with a name in front.
  void line(std::string_view name, const std::string &rest) {
    constexpr size_t kColumn = 17;
    text += name;
    text.append(name.size() < kColumn ? kColumn - name.size() : 1, ' ');
    text += rest + "\n";
  }
  std::string pipeName(CoreId core, Pipe pipe) const { return trackName(core, pipe, context.isCluster); }
  std::string at(SiteId site) const { return placeAndOp(context.sites, site); }
  std::string share(double cycles) const { return percent(cycles, stats.launch.cycles); }

  void head() {
    const LaunchTime &launch = stats.launch;
    line("timing", describeModel(context.model, context.timingFile));
    auto micros = [&](double cycles) { return number(cycles / launch.clockMHz, 2) + " us"; };
    line("cycles", number(launch.cycles) + " (" + micros(launch.cycles) + " at " + number(launch.clockMHz) +
                       " MHz), with launch " + number(launch.withLaunch) + " (" + micros(launch.withLaunch) + "), on " +
                       std::to_string(launch.coresUsed) + " of " + std::to_string(launch.coresThere) +
                       (context.isCluster ? " clusters" : " cores") + (stats.completed ? "" : "; the run ended early"));
  }

  void pipes() {
    Table table({"pipe", ">busy", ">", ">waiting", ">", ">idle", ">", ">instr.", ">bytes", "waits for"});
    for (const PipeStats &row : stats.pipes) {
      std::string reasons;
      for (size_t reason = 0; reason < kReasons; ++reason)
        if (row.waitingFor[reason] >= 0.5)
          reasons += (reasons.empty() ? "" : ", ") + std::string(nameOf(Reason(reason))) + " " +
                     number(row.waitingFor[reason]);
      table.add({pipeName(row.core, row.pipe), number(row.time.busy), share(row.time.busy), number(row.time.waiting),
                 share(row.time.waiting), number(row.time.idle), share(row.time.idle),
                 std::to_string(row.time.instructions), row.time.bytes ? std::to_string(row.time.bytes) : "", reasons});
    }
    text += "\n" + table.render() + "\n";
  }

  void summary() {
    if (!stats.bound)
      return;
    line("overlap", percent(stats.overlap, 1) + " of the time two or more pipes are busy; at best " +
                        percent(stats.bestOverlap, 1));
    const PipeStats &bound = stats.pipes[*stats.bound];
    line("bound by", pipeName(bound.core, bound.pipe) + ", busy " + share(bound.mostBusy) +
                         " of the time; if it never paused: " + number(stats.roofline) + " cycles, " +
                         number(stats.roofline > 0 ? stats.launch.cycles / stats.roofline : 1, 2) + " times as fast");
    for (const PathStats &path : stats.paths)
      line(pathName(path.from, path.to), std::to_string(path.bytes) + " bytes, " +
                                             number(double(path.bytes) / stats.launch.cycles, 1) + " per cycle; " +
                                             number(path.busy > 0 ? double(path.bytes) / path.busy : 0, 1) + " while " +
                                             std::string(profilerName(path.pipe)) + " is busy with them");
    if (stats.vectorInstructions)
      line("vector", number(double(stats.vectorInstructions) / stats.scopeCycles, 2) +
                         " instructions per cycle in scopes (" + std::to_string(stats.vectorInstructions) + " in " +
                         number(stats.scopeCycles) + " cycles)");
  }

  void waits() {
    constexpr size_t kShown = 5;
    Table table({">", "", "", ""});
    size_t shown = 0;
    for (const WaitStats &wait : stats.waits) {
      // A full queue keeps the scalar unit from running ahead and costs nothing by itself.
      if (wait.reason == Reason::QueueFull || wait.cycles < 0.5 || shown == kShown)
        continue;
      ++shown;
      std::string cause =
          wait.cause == kNoSite ? "" : "for " + std::string(profilerName(wait.causePipe)) + ", " + at(wait.cause);
      table.add({number(wait.cycles) + " cycles", pipeName(wait.core, wait.pipe),
                 at(wait.site) + ", " + timesText(wait.times) + ", " + std::string(nameOf(wait.reason)), cause});
    }
    if (shown)
      text += "\nlongest waits\n" + table.render(2);
  }

  void lines() {
    constexpr size_t kShown = 5;
    std::vector<std::pair<double, SiteId>> order;
    for (SiteId site = 0; site < stats.sites.size(); ++site)
      if (stats.sites[site].busy >= 0.5)
        order.push_back({-stats.sites[site].busy, site});
    std::ranges::sort(order);
    if (order.empty())
      return;
    Table table({">", ">", "", ""});
    for (size_t i = 0; i < std::min(order.size(), kShown); ++i) {
      const SiteStats &cost = stats.sites[order[i].second];
      table.add({number(cost.busy) + " cycles", perCore(cost.busy), at(order[i].second), timesText(cost.times)});
    }
    text += "\ncostliest lines\n" + table.render(2);
  }
  std::string perCore(double cycles) const { return percent(cycles, stats.launch.cycles * stats.launch.coresUsed); }

  void advice() {
    if (!stats.advice.empty())
      text += "\nadvice\n";
    for (const Advice &advice : stats.advice) {
      text += "  " + number(advice.saves) + " cycles (" + share(advice.saves) + "): " + advice.message + "\n";
      if (!advice.help.empty())
        text += "    " + advice.help + "\n";
    }
    for (const std::string &remark : stats.remarks)
      text += "  note: " + remark + "\n";
    text += "\n";
  }

  const Stats &stats;
  const StatsContext &context;
  std::string text;
};

struct LineCost {
  double busy = 0, waited = 0;
  uint64_t times = 0;
};

} // namespace

std::string renderStats(const Stats &stats, const StatsContext &context) { return StatsText(stats, context).all(); }

std::string renderLines(const Stats &stats, const StatsContext &context) {
  std::map<std::string, std::map<uint32_t, LineCost>> files;
  for (SiteId site = 0; site < stats.sites.size() && site < context.sites.size(); ++site) {
    const SiteStats &cost = stats.sites[site];
    const Place &place = context.sites[site].place;
    if ((cost.times == 0 && cost.waited == 0) || place.file.empty())
      continue;
    LineCost &line = files[place.file][place.line];
    line.busy += cost.busy;
    line.waited += cost.waited;
    line.times = std::max(line.times, cost.times);
  }
  const double whole = stats.launch.cycles * std::max(stats.launch.coresUsed, 1u);
  std::string text;
  for (const auto &[file, costs] : files) {
    Table table({">cycles", ">share", ">waits", ">times", ">line", "source"});
    // Lines without cost stand between others, a few at a time.
    constexpr uint32_t kGap = 12;
    uint32_t last = 0;
    for (const auto &[number_, cost] : costs) {
      if (last && number_ - last > kGap)
        table.add({"", "", "", "", "…", ""});
      for (uint32_t between = !last || number_ - last > kGap ? number_ : last + 1; between < number_; ++between)
        table.add({"", "", "", "", std::to_string(between), context.source(file, between).value_or("")});
      table.add({number(cost.busy), percent(cost.busy, whole), cost.waited >= 0.5 ? number(cost.waited) : "",
                 std::to_string(cost.times), std::to_string(number_), context.source(file, number_).value_or("")});
      last = number_;
    }
    text += file + "\n" + table.render() + "\n";
  }
  return text;
}

} // namespace ptoscope::timing
