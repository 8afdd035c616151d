//===- Fit.cpp - figures fitted to rows, and their honest error -----------===//
//
// A search along one figure at a time, with shrinking steps, for the smallest sum of
// absolute errors; each group of rows weighs the same. A run of a kernel is not solved
// for every step: how its times depend on one figure is computed at a few values, and
// these dependences are multiplied. The error that is reported comes from solving the
// run with the fitted figures.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Validate/Validation.h"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <numeric>
#include <set>
#include <span>
#include <thread>

namespace ptoscope::validate {

namespace {

constexpr size_t kFolds = 5;
/// Errors beyond this weigh no more: rows that no figure explains must not bend the others.
constexpr double kMostError = 0.5;
/// Factors at which a kernel's dependence on a figure is computed.
constexpr std::array kFactors = {0.6, 0.8, 1.0, 1.25, 1.6};
constexpr size_t kUnchanged = 2;
constexpr std::array kSteps = {0.2, 0.1, 0.05, 0.025, 0.012, 0.006};
/// Fits of the cross-validation begin this far off the built-in figures, up and down in turn, so that they owe them
/// nothing.
constexpr double kStartOff = 1.15;

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

class Fitter {
public:
  Fitter(const Validation &validation, const timing::Model &base, ProfileId profile)
      : validation(validation), base(base) {
    for (const timing::Model::Figure &figure : base.figures())
      if (figure.isFitted)
        keys.push_back(figure.key);
    for (const Unit &unit : validation.units)
      if ((unit.profile == ProfileId::A5) == (profile == ProfileId::A5))
        units.push_back(&unit);
    for (const Row &row : validation.rows)
      if (row.isScored())
        ++groupSizes[row.group];
    learnDependences();
    findPairs();
  }

  const std::vector<const Unit *> &all() const { return units; }

  /// The model with figures fitted to the units that `isUsed` accepts.
  timing::Model fit(const std::vector<bool> &isUsed, double startOff) const {
    timing::Model model = base;
    std::vector<double> factors(keys.size());
    for (size_t k = 0; k < keys.size(); ++k) {
      factors[k] = k % 2 ? startOff : 1 / startOff;
      setFactor(model, k, factors[k]);
    }
    for (double step : kSteps)
      for (int pass = 0; pass < 12; ++pass) {
        bool isBetter = false;
        for (size_t k = 0; k < keys.size(); ++k)
          isBetter |= improve(model, factors, {k}, step, isUsed);
        for (const auto &[k, other] : pairs)
          isBetter |= improve(model, factors, {k, other}, step, isUsed);
        if (!isBetter)
          break;
      }
    return model;
  }

private:
  /// Figures that are 0 move by whole numbers.
  void setFactor(timing::Model &model, size_t k, double factor) const {
    double value = base[keys[k]];
    model.set(keys[k], value != 0 ? value * factor : factor - 1);
  }

  /// How far each row's estimate moves when one figure does.
  void learnDependences() {
    dependences.assign(units.size(), std::vector<Dependence>(keys.size()));
    baseline.resize(units.size());
    inParallel(units.size(), [&](size_t u) {
      baseline[u] = validation.estimate(*units[u], base);
      timing::Model model = base;
      const std::set<std::string> families = familiesOf(u);
      for (size_t k = 0; k < keys.size(); ++k) {
        if (!families.contains(family(keys[k])))
          continue;
        setFactor(model, k, kFactors.back());
        auto moved = validation.estimate(*units[u], model);
        Dependence &dependence = dependences[u][k];
        dependence.exists = moved != baseline[u];
        if (dependence.exists && units[u]->kernel)
          for (size_t f = 0; f < kFactors.size(); ++f) {
            setFactor(model, k, kFactors[f]);
            dependence.at[f] = f == kUnchanged            ? baseline[u]
                               : f + 1 == kFactors.size() ? moved
                                                          : validation.estimate(*units[u], model);
          }
        setFactor(model, k, 1);
      }
    });
  }

  /// `path` of `path.gm_l1.rate`.
  static std::string family(const std::string &key) { return key.substr(0, key.find('.')); }

  /// Families of figures that a unit depends on: most kernels depend on few, and solving is dear.
  std::set<std::string> familiesOf(size_t u) const {
    std::set<std::string> all, needed;
    for (const std::string &key : keys)
      all.insert(family(key));
    if (units[u]->work)
      return all;
    for (const std::string &each : all) {
      timing::Model model = base;
      for (size_t k = 0; k < keys.size(); ++k)
        if (family(keys[k]) == each)
          setFactor(model, k, kFactors.back());
      if (validation.estimate(*units[u], model) != baseline[u])
        needed.insert(each);
    }
    return needed;
  }

  /// Product of a kernel's dependences on all figures, for one of its rows.
  double kernelEstimate(size_t u, size_t row, const std::vector<double> &factors) const {
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

  /// Figures of one cost: what one loses the other may gain, so they also move against each other.
  void findPairs() {
    for (size_t k = 0; k < keys.size(); ++k)
      for (size_t other = 0; other < k; ++other)
        for (size_t u = 0; u < units.size(); ++u)
          if (units[u]->work && dependences[u][k].exists && dependences[u][other].exists) {
            pairs.emplace_back(k, other);
            break;
          }
  }

  /// Errors of the units that depend on one of these figures.
  double loss(const timing::Model &model, const std::vector<double> &factors, std::span<const size_t> moved,
              const std::vector<bool> &isUsed) const {
    double sum = 0;
    for (size_t u = 0; u < units.size(); ++u) {
      if (!isUsed[u] || std::ranges::none_of(moved, [&](size_t k) { return dependences[u][k].exists; }))
        continue;
      std::vector<std::optional<double>> estimates;
      if (units[u]->work)
        estimates = validation.estimate(*units[u], model);
      for (size_t i = 0; i < units[u]->rows.size(); ++i) {
        const Row &row = validation.rows[units[u]->rows[i]];
        if (!row.isScored() || row.isWait)
          continue;
        const double estimate = units[u]->work ? *estimates[i] : kernelEstimate(u, i, factors);
        sum += std::min(std::abs(estimate / row.published - 1), kMostError) / double(groupSizes.at(row.group));
      }
    }
    return sum;
  }

  /// Moves one figure, or two against each other, if that is better.
  bool improve(timing::Model &model, std::vector<double> &factors, std::vector<size_t> moved, double step,
               const std::vector<bool> &isUsed) const {
    const std::vector<double> start = factors;
    auto move = [&](double by) {
      for (size_t i = 0; i < moved.size(); ++i) {
        factors[moved[i]] = start[moved[i]] * (i ? 1 / by : by);
        setFactor(model, moved[i], factors[moved[i]]);
      }
    };
    double best = 1, least = loss(model, factors, moved, isUsed);
    for (double by : {1 + step, 1 / (1 + step)}) {
      move(by);
      if (double sum = loss(model, factors, moved, isUsed); sum < least - 1e-12) {
        least = sum;
        best = by;
      }
    }
    move(best);
    return best != 1;
  }

  struct Dependence {
    bool exists = false;
    std::array<std::vector<std::optional<double>>, kFactors.size()> at;
  };
  const Validation &validation;
  const timing::Model &base;
  std::vector<std::string> keys;
  std::vector<const Unit *> units;
  std::vector<std::pair<size_t, size_t>> pairs;
  std::map<Group, size_t> groupSizes;
  std::vector<std::vector<Dependence>> dependences;         ///< by unit and figure
  std::vector<std::vector<std::optional<double>>> baseline; ///< by unit
};

/// Which fifth a unit belongs to: runs of one name stay together, and each kind of rows is
/// spread over all fifths.
std::vector<size_t> foldsOf(const Validation &validation, const std::vector<const Unit *> &units) {
  std::vector<size_t> order(units.size());
  std::iota(order.begin(), order.end(), 0);
  auto key = [&](size_t u) {
    const Row &first = validation.rows[units[u]->rows.front()];
    return std::tuple(first.group, units[u]->run, u);
  };
  std::ranges::sort(order, {}, key);
  std::vector<size_t> folds(units.size());
  size_t fold = 0;
  for (size_t i = 0; i < order.size(); ++i) {
    if (i > 0 && units[order[i]]->run != units[order[i - 1]]->run)
      ++fold;
    folds[order[i]] = fold % kFolds;
  }
  return folds;
}

} // namespace

void Validation::crossValidate(const Models &models) {
  for (ProfileId profile : {ProfileId::A5, ProfileId::A3}) {
    Fitter fitter(*this, models.of(profile), profile);
    const std::vector<const Unit *> &all = fitter.all();
    std::vector<size_t> folds = foldsOf(*this, all);
    inParallel(kFolds, [&](size_t fold) {
      std::vector<bool> isUsed(all.size());
      for (size_t u = 0; u < all.size(); ++u)
        isUsed[u] = folds[u] != fold;
      timing::Model model = fitter.fit(isUsed, kStartOff);
      for (size_t u = 0; u < all.size(); ++u) {
        if (isUsed[u])
          continue;
        std::vector<std::optional<double>> estimates = estimate(*all[u], model);
        for (size_t i = 0; i < all[u]->rows.size(); ++i)
          rows[all[u]->rows[i]].crossEstimate = estimates[i];
      }
    });
  }
}

std::string Validation::fitted(const Models &models) {
  std::string text;
  for (ProfileId profile : {ProfileId::A5, ProfileId::A3}) {
    const timing::Model &base = models.of(profile);
    Fitter fitter(*this, base, profile);
    timing::Model model = fitter.fit(std::vector<bool>(fitter.all().size(), true), 1);
    text += "# " + std::string(profileOf(profile).name) + "\n";
    // What no row depends on stays, and is left out.
    for (const timing::Model::Figure &figure : model.figures())
      if (figure.isFitted && figure.value != base[figure.key]) {
        char line[160];
        std::snprintf(line, sizeof line, "%s %.5g  # was %.5g\n", figure.key.c_str(), figure.value, base[figure.key]);
        text += line;
      }
  }
  return text;
}

} // namespace ptoscope::validate
