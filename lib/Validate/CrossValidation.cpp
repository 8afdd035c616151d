//===- CrossValidation.cpp - the honest error of fitted figures -----------===//

#include "Fitter.h"

#include <algorithm>
#include <numeric>

namespace ptoscope::validate {

static constexpr size_t kFolds = 5;
/// Fits of the cross-validation begin this far off the built-in figures, up and down in turn, so that they owe them
/// nothing.
static constexpr double kStartOff = 1.15;

/// Which fifth a unit belongs to: runs of one name stay together, and each kind of rows is
/// spread over all fifths.
static std::vector<size_t> foldsOf(const Validation &validation, const std::vector<const Unit *> &units) {
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
