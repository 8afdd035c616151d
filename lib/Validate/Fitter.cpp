//===- Fitter.cpp - what rows owe to figures ------------------------------===//

#include "Fitter.h"

#include <algorithm>
#include <atomic>
#include <thread>

namespace ptoscope::validate {

void inParallel(size_t count, const std::function<void(size_t)> &work) {
  std::atomic<size_t> next{0};
  auto run = [&] {
    for (size_t i; (i = next++) < count;)
      work(i);
  };
  std::vector<std::jthread> others;
  for (unsigned i = 1; i < std::max(1u, std::thread::hardware_concurrency()); ++i)
    others.emplace_back(run);
  run();
}

Fitter::Fitter(const Validation &validation, const timing::Model &base, ProfileId profile)
    : validation(validation), base(base) {
  for (const timing::Model::Figure &figure : base.figures())
    if (figure.isFitted)
      keys.push_back(figure.key);
  for (const Unit &unit : validation.units)
    if ((unit.profile == ProfileId::A5) == (profile == ProfileId::A5))
      units.push_back(&unit);
  for (const Row &row : validation.rows)
    if (row.determines())
      ++groupSizes[row.group];
  learnDependences();
  findPairs();
}

/// Figures that are 0 move by whole numbers.
void Fitter::set(Trial &trial, size_t k, double factor) const {
  const double value = base[keys[k]];
  trial.factors[k] = factor;
  trial.model.set(keys[k], value != 0 ? value * factor : factor - 1);
}

/// `path` of `path.gm_l1.rate`.
static std::string family(const std::string &key) { return key.substr(0, key.find('.')); }

/// Families of figures that a unit depends on: most kernels depend on few, and solving is dear.
std::set<std::string> Fitter::familiesOf(size_t u) const {
  std::set<std::string> all, needed;
  for (const std::string &key : keys)
    all.insert(family(key));
  if (units[u]->work)
    return all;
  for (const std::string &each : all) {
    Trial trial{base, std::vector<double>(keys.size(), 1)};
    for (size_t k = 0; k < keys.size(); ++k)
      if (family(keys[k]) == each)
        set(trial, k, kFactors.back());
    if (validation.estimate(*units[u], trial.model) != baseline[u])
      needed.insert(each);
  }
  return needed;
}

/// How far each row's estimate moves when one figure does.
void Fitter::learnDependences() {
  dependences.assign(units.size(), std::vector<Dependence>(keys.size()));
  baseline.resize(units.size());
  inParallel(units.size(), [&](size_t u) {
    if (std::ranges::none_of(units[u]->rows, [&](size_t row) { return validation.rows[row].determines(); }))
      return;
    baseline[u] = validation.estimate(*units[u], base);
    Trial trial{base, std::vector<double>(keys.size(), 1)};
    const std::set<std::string> families = familiesOf(u);
    for (size_t k = 0; k < keys.size(); ++k) {
      if (!families.contains(family(keys[k])))
        continue;
      set(trial, k, kFactors.back());
      auto moved = validation.estimate(*units[u], trial.model);
      Dependence &dependence = dependences[u][k];
      dependence.exists = moved != baseline[u];
      if (dependence.exists && units[u]->kernel)
        for (size_t f = 0; f < kFactors.size(); ++f) {
          set(trial, k, kFactors[f]);
          dependence.at[f] = f == kUnchanged            ? baseline[u]
                             : f + 1 == kFactors.size() ? moved
                                                        : validation.estimate(*units[u], trial.model);
        }
      set(trial, k, 1);
    }
  });
}

/// Figures of one cost: what one loses the other may gain, so they also move against each other.
void Fitter::findPairs() {
  for (size_t k = 0; k < keys.size(); ++k)
    for (size_t other = 0; other < k; ++other)
      for (size_t u = 0; u < units.size(); ++u)
        if (units[u]->work && dependences[u][k].exists && dependences[u][other].exists) {
          pairs.emplace_back(k, other);
          break;
        }
}

/// Product of a kernel's dependences on all figures, for one of its rows.
double Fitter::kernelEstimate(size_t u, size_t row, const std::vector<double> &factors) const {
  const double start = *baseline[u][row];
  double estimate = start;
  for (size_t k = 0; k < keys.size(); ++k) {
    const Dependence &dependence = dependences[u][k];
    if (!dependence.exists)
      continue;
    const double factor = std::clamp(factors[k], kFactors.front(), kFactors.back());
    size_t f = 0;
    while (f + 2 < kFactors.size() && kFactors[f + 1] < factor)
      ++f;
    const double share = (factor - kFactors[f]) / (kFactors[f + 1] - kFactors[f]);
    estimate *= (*dependence.at[f][row] * (1 - share) + *dependence.at[f + 1][row] * share) / start;
  }
  return estimate;
}

} // namespace ptoscope::validate
