//===- StatsJson.cpp - statistics for programs ----------------------------===//

#include "ptoscope/Timing/Stats.h"

#include "Format.h"

#include <nlohmann/json.hpp>

namespace ptoscope::timing {

using Json = nlohmann::ordered_json;

namespace {

/// Changes when a reader would have to.
constexpr int kStatsSchema = 1;

class StatsJson {
public:
  StatsJson(const Stats &stats, const StatsContext &context) : stats(stats), context(context) {}

  Json all() const {
    Json json;
    json["schema"] = kStatsSchema;
    json["completed"] = stats.completed;
    json["timing"] = timing();
    json["launch"] = launch();
    json["pipes"] = list(stats.pipes, [&](const PipeStats &row) { return pipe(row); });
    json["overlap"] = {{"share", stats.overlap}, {"best", stats.bestOverlap}, {"anyBusy", stats.anyBusy}};
    json["bound"] = bound();
    json["paths"] = list(stats.paths, [&](const PathStats &path) {
      return Json{{"from", std::string(ptoscope::nameOf(path.from))},
                  {"to", std::string(ptoscope::nameOf(path.to))},
                  {"pipe", std::string(profilerName(path.pipe))},
                  {"transfers", path.transfers},
                  {"bytes", path.bytes},
                  {"busy", path.busy},
                  {"bytesPerCycle", ratio(double(path.bytes), stats.launch.cycles)}};
    });
    json["vector"] = {{"instructions", stats.vectorInstructions},
                      {"scopeCycles", stats.scopeCycles},
                      {"instructionsPerCycle", ratio(double(stats.vectorInstructions), stats.scopeCycles)}};
    json["waits"] = list(stats.waits, [&](const WaitStats &wait) { return this->wait(wait); });
    json["sites"] = sites();
    json["advice"] = list(stats.advice, [&](const Advice &advice) { return this->advice(advice); });
    json["remarks"] = stats.remarks;
    return json;
  }

private:
  static double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }
  template <typename Rows, typename Make> static Json list(const Rows &rows, Make make) {
    Json json = Json::array();
    for (const auto &row : rows)
      json.push_back(make(row));
    return json;
  }

  Json timing() const {
    Json assumed = Json::array();
    for (const Model::Figure &figure : context.model.figures())
      if (figure.source == "assumed")
        assumed.push_back(figure.key);
    return {{"file", context.timingFile},
            {"profile", std::string(profileOf(context.model.profile()).name)},
            {"figures", context.model.figures().size()},
            {"assumed", std::move(assumed)}};
  }
  Json launch() const {
    const LaunchTime &time = stats.launch;
    return {{"cycles", time.cycles},
            {"cyclesWithLaunch", time.withLaunch},
            {"clockMHz", time.clockMHz},
            {"coresUsed", time.coresUsed},
            {"coresThere", time.coresThere},
            {"gmReadBytes", time.gmReadBytes},
            {"gmWriteBytes", time.gmWriteBytes},
            {"firstTouchBytes", time.firstTouchBytes},
            {"l2HitShare", time.hitShare}};
  }
  Json pipe(const PipeStats &row) const {
    Json waiting = Json::object();
    for (size_t reason = 0; reason < kReasons; ++reason)
      if (row.waitingFor[reason] > 0)
        waiting[std::string(nameOf(Reason(reason)))] = row.waitingFor[reason];
    return {{"core", std::string(coreName(row.core))},
            {"pipe", std::string(profilerName(row.pipe))},
            {"busy", row.time.busy},
            {"waiting", row.time.waiting},
            {"idle", row.time.idle},
            {"waitingFor", std::move(waiting)},
            {"instructions", row.time.instructions},
            {"bytes", row.time.bytes}};
  }
  Json bound() const {
    if (!stats.bound)
      return nullptr;
    const PipeStats &row = stats.pipes[*stats.bound];
    return {{"core", std::string(coreName(row.core))},
            {"pipe", std::string(profilerName(row.pipe))},
            {"roofline", stats.roofline},
            {"share", ratio(stats.roofline, stats.launch.cycles)}};
  }
  Json place(SiteId site) const {
    if (site >= context.sites.size())
      return nullptr;
    const Site &known = context.sites[site];
    return {{"file", known.place.file}, {"line", known.place.line}, {"column", known.place.column}, {"op", known.op}};
  }
  Json wait(const WaitStats &wait) const {
    return {{"core", std::string(coreName(wait.core))},
            {"pipe", std::string(profilerName(wait.pipe))},
            {"place", place(wait.site)},
            {"reason", std::string(nameOf(wait.reason))},
            {"cause", place(wait.cause)},
            {"causePipe", wait.cause == kNoSite ? Json() : Json(std::string(profilerName(wait.causePipe)))},
            {"cycles", wait.cycles},
            {"times", wait.times}};
  }
  Json sites() const {
    Json json = Json::array();
    for (SiteId site = 0; site < stats.sites.size(); ++site) {
      const SiteStats &cost = stats.sites[site];
      if (cost.times || cost.waited > 0)
        json.push_back({{"place", place(site)}, {"busy", cost.busy}, {"waited", cost.waited}, {"times", cost.times}});
    }
    return json;
  }
  Json advice(const Advice &advice) const {
    return {{"code", advice.code},
            {"message", advice.message},
            {"help", advice.help},
            {"saves", advice.saves},
            {"places", list(advice.sites, [&](SiteId site) { return place(site); })}};
  }

  const Stats &stats;
  const StatsContext &context;
};

} // namespace

Json toJson(const Stats &stats, const StatsContext &context) { return StatsJson(stats, context).all(); }

} // namespace ptoscope::timing
