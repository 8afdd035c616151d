//===- Validation.cpp - published figures against the model ---------------===//

#include "ptoscope/Validate/Validation.h"

#include "ptoscope/Timing/Scopes.h"

#include <algorithm>

namespace ptoscope::validate {

Group groupOf(const Anchor &anchor) {
  const bool isA5 = anchor.profile == ProfileId::A5;
  if (!anchor.isKernel)
    return anchor.name.starts_with("TLOAD") || anchor.name.starts_with("TSTORE") ? Group::Transfers
           : isA5                                                                ? Group::A5Tiles
                                                                                 : Group::A3Tiles;
  if (anchor.metric().ends_with("scalar_busy"))
    return Group::Scalar;
  if (anchor.name.find("copy") != std::string::npos)
    return Group::Transfers;
  if (anchor.name.find("attention") != std::string::npos)
    return Group::Attention;
  if (anchor.name.starts_with("gemm") || anchor.name.starts_with("matmul") || anchor.name.starts_with("conv"))
    return anchor.metric() == "cube_busy" ? Group::CubeBusy : Group::GemmPipes;
  return Group::Other;
}

/// Shares of the task's time become times: the figure is then that of one pipe alone.
static void resolveShares(std::vector<Row> &rows) {
  std::map<std::string, double> tasks;
  for (const Row &row : rows)
    if (row.anchor.isKernel && row.anchor.metric() == "task" && row.anchor.unit == Anchor::Unit::Microseconds)
      tasks[row.anchor.run()] = row.anchor.value;
  for (Row &row : rows) {
    if (row.anchor.unit != Anchor::Unit::Percent)
      continue;
    if (auto task = tasks.find(row.anchor.run()); task != tasks.end())
      row.published = row.anchor.value / 100 * task->second;
    else
      row.reason = "a share of a time that no row has";
  }
}

Validation::Validation(Session &session, std::vector<Anchor> anchors) {
  for (Anchor &anchor : anchors) {
    Group group = groupOf(anchor);
    double value = anchor.value;
    rows.push_back({std::move(anchor), group, value, {}, {}, {}, {}});
  }
  resolveShares(rows);
  std::map<std::string, size_t> known; ///< units of kernels by their programs
  for (size_t i = 0; i < rows.size(); ++i) {
    Row &row = rows[i];
    if (row.anchor.isSuspect())
      row.reason = row.anchor.notes;
    if (!row.reason.empty())
      continue;
    if (!row.anchor.isKernel) {
      OrReason<Work> work = workOf(row.anchor);
      row.reason = work.reason;
      if (work.value)
        units.push_back({row.anchor.profile, row.anchor.run(), {i}, work.value, nullptr});
      continue;
    }
    OrReason<Recipe> recipe = recipeOf(row.anchor);
    if (!recipe.value) {
      row.reason = recipe.reason;
      continue;
    }
    row.isWait = recipe.value->hasUnitFlags && row.anchor.metric() == "fixp_busy";
    const std::string name = recipe.value->program(recipe.value->extent).name();
    auto [it, isNew] = known.try_emplace(name, units.size());
    if (isNew) {
      OrReason<std::shared_ptr<const Run>> run = record(session, *recipe.value);
      units.push_back({row.anchor.profile, row.anchor.run(), {}, {}, run.value.value_or(nullptr)});
      if (!run.value)
        units.back().run = run.reason;
    }
    Unit &unit = units[it->second];
    if (unit.kernel)
      unit.rows.push_back(i);
    else
      row.reason = unit.run;
  }
  std::erase_if(units, [](const Unit &unit) { return unit.rows.empty(); });
}

/// `conv` says what was published: how long the pipe was busy, or until the result was there.
static double inConvention(const timing::Cost &cost, Anchor::Convention convention) {
  return convention == Anchor::Convention::Occupancy ? cost.busy : cost.busy + cost.latency;
}

std::vector<std::optional<double>> Validation::estimate(const Unit &unit, const timing::Model &model) const {
  std::vector<std::optional<double>> estimates;
  if (unit.work) {
    timing::Cost cost = model.costOf(*unit.work);
    for (size_t row : unit.rows)
      estimates.push_back(inConvention(cost, rows[row].anchor.convention));
    return estimates;
  }
  Measured measured = unit.kernel->measure(model);
  for (size_t row : unit.rows)
    estimates.push_back(measured.metric(rows[row].anchor));
  return estimates;
}

void Validation::estimateAll(const Models &models) {
  for (const Unit &unit : units) {
    const timing::Model &model = models.of(unit.profile);
    std::vector<std::optional<double>> estimates = estimate(unit, model);
    for (size_t i = 0; i < unit.rows.size(); ++i) {
      Row &row = rows[unit.rows[i]];
      row.estimate = estimates[i];
      if (!row.estimate)
        row.reason = "the program has no `" + std::string(row.anchor.metric()) + "`";
      if (unit.work && unit.work->kind == Work::Kind::Vector && unit.profile == ProfileId::A5)
        if (std::optional<timing::Cost> cost = timing::scheduleOfTile(model, *unit.work))
          row.scheduled = inConvention(*cost, row.anchor.convention);
    }
  }
}

} // namespace ptoscope::validate
