//===- Fitter.h - figures fitted to rows ------------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_VALIDATE_FITTER_H
#define PTOSCOPE_LIB_VALIDATE_FITTER_H

#include "ptoscope/Validate/Validation.h"

#include <functional>
#include <map>
#include <set>
#include <span>

namespace ptoscope::validate {

/// Does the work of each number below `count`, with all threads of the host.
void inParallel(size_t count, const std::function<void(size_t)> &work);

/// The figures of a profile that are tagged `fit`, and what the rows that determine them (TIME-81) owe to each.
///
/// A run of a kernel is not solved for every step of a search: how its times depend on one figure is computed at a few
/// values, and these dependences are multiplied. The error that is reported comes from solving the run with the fitted
/// figures.
class Fitter {
public:
  Fitter(const Validation &validation, const timing::Model &base, ProfileId profile);

  const std::vector<const Unit *> &all() const { return units; }

  /// The model with figures fitted to the units that `isUsed` accepts. `startOff`: the search begins at figures that
  /// are larger, or smaller, by this factor.
  timing::Model fit(const std::vector<bool> &isUsed, double startOff) const;

private:
  /// Figures as they are tried: each by how far it is off that of `base`.
  struct Trial {
    timing::Model model;
    std::vector<double> factors;
  };
  void set(Trial &trial, size_t k, double factor) const;

  void learnDependences();
  std::set<std::string> familiesOf(size_t u) const;
  void findPairs();
  double kernelEstimate(size_t u, size_t row, const std::vector<double> &factors) const;
  /// Calls `take(error, weight)` for the rows of a unit that determine figures.
  template <typename Take> void forErrors(size_t u, const Trial &trial, Take &&take) const;

  double loss(const Trial &trial, std::span<const size_t> moved, const std::vector<bool> &isUsed) const;
  bool improve(Trial &trial, std::vector<size_t> moved, double step, const std::vector<bool> &isUsed) const;
  struct Errors {
    std::vector<double> of, weights;
    double sum() const;
  };
  Errors errors(const Trial &trial, const std::vector<bool> &isUsed) const;
  bool moveTogether(Trial &trial, const std::vector<bool> &isUsed) const;

  /// Factors at which a kernel's dependence on a figure is computed.
  static constexpr std::array kFactors = {0.6, 0.8, 1.0, 1.25, 1.6};
  static constexpr size_t kUnchanged = 2;
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

template <typename Take> void Fitter::forErrors(size_t u, const Trial &trial, Take &&take) const {
  const Unit &unit = *units[u];
  std::vector<std::optional<double>> estimates;
  if (unit.work)
    estimates = validation.estimate(unit, trial.model);
  for (size_t i = 0; i < unit.rows.size(); ++i) {
    const Row &row = validation.rows[unit.rows[i]];
    if (!row.determines())
      continue;
    const double estimate = unit.work ? *estimates[i] : kernelEstimate(u, i, trial.factors);
    take(estimate / row.published - 1, 1 / double(groupSizes.at(row.group)));
  }
}

} // namespace ptoscope::validate

#endif // PTOSCOPE_LIB_VALIDATE_FITTER_H
