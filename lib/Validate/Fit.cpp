//===- Fit.cpp - the figures with the least errors ------------------------===//
//
// The smallest sum of absolute errors; each group of rows weighs the same. First a search
// along one figure, or two of one cost, with shrinking steps, which gets near from any
// start; then steps of all figures at once, which it takes where several kernels share
// several figures.
//
//===----------------------------------------------------------------------===//

#include "Fitter.h"

#include <algorithm>
#include <cmath>

namespace ptoscope::validate {

/// Errors beyond this weigh no more: rows that no figure explains must not bend the others.
static constexpr double kMostError = 0.5;
static constexpr std::array kSteps = {0.2, 0.1, 0.05, 0.025, 0.012, 0.006};
static constexpr int kMostPasses = 12, kMostRounds = 40;

static double lossOf(double error) { return std::min(std::abs(error), kMostError); }

timing::Model Fitter::fit(const std::vector<bool> &isUsed, double startOff) const {
  Trial trial{base, std::vector<double>(keys.size())};
  for (size_t k = 0; k < keys.size(); ++k)
    set(trial, k, k % 2 ? startOff : 1 / startOff);
  for (double step : kSteps)
    for (int pass = 0; pass < kMostPasses; ++pass) {
      bool isBetter = false;
      for (size_t k = 0; k < keys.size(); ++k)
        isBetter |= improve(trial, {k}, step, isUsed);
      for (const auto &[k, other] : pairs)
        isBetter |= improve(trial, {k, other}, step, isUsed);
      if (!isBetter)
        break;
    }
  for (int round = 0; round < kMostRounds && moveTogether(trial, isUsed); ++round)
    ;
  return trial.model;
}

/// Errors of the units that depend on one of these figures.
double Fitter::loss(const Trial &trial, std::span<const size_t> moved, const std::vector<bool> &isUsed) const {
  double sum = 0;
  for (size_t u = 0; u < units.size(); ++u)
    if (isUsed[u] && std::ranges::any_of(moved, [&](size_t k) { return dependences[u][k].exists; }))
      forErrors(u, trial, [&](double error, double weight) { sum += lossOf(error) * weight; });
  return sum;
}

/// Moves one figure, or two against each other, if that is better.
bool Fitter::improve(Trial &trial, std::vector<size_t> moved, double step, const std::vector<bool> &isUsed) const {
  const std::vector<double> start = trial.factors;
  auto move = [&](double by) {
    for (size_t i = 0; i < moved.size(); ++i)
      set(trial, moved[i], start[moved[i]] * (i ? 1 / by : by));
  };
  double best = 1, least = loss(trial, moved, isUsed);
  for (double by : {1 + step, 1 / (1 + step)}) {
    move(by);
    if (double sum = loss(trial, moved, isUsed); sum < least - 1e-12) {
      least = sum;
      best = by;
    }
  }
  move(best);
  return best != 1;
}

//===----------------------------------------------------------------------===//
// All figures at once
//===----------------------------------------------------------------------===//

double Fitter::Errors::sum() const {
  double sum = 0;
  for (size_t i = 0; i < of.size(); ++i)
    sum += lossOf(of[i]) * weights[i];
  return sum;
}

Fitter::Errors Fitter::errors(const Trial &trial, const std::vector<bool> &isUsed) const {
  Errors all;
  for (size_t u = 0; u < units.size(); ++u)
    if (isUsed[u])
      forErrors(u, trial, [&](double error, double weight) {
        all.of.push_back(error);
        all.weights.push_back(weight);
      });
  return all;
}

using Matrix = std::vector<std::vector<double>>;

/// The x of (matrix + damping * its diagonal) * x = right for a matrix that is symmetric; 0 where nothing depends on
/// it.
static std::vector<double> solve(Matrix matrix, std::vector<double> right, double damping) {
  const size_t count = right.size();
  for (size_t k = 0; k < count; ++k)
    matrix[k][k] = matrix[k][k] > 0 ? matrix[k][k] * (1 + damping) : 1;
  for (size_t k = 0; k < count; ++k)
    for (size_t row = k + 1; row < count; ++row) {
      const double share = matrix[row][k] / matrix[k][k];
      if (share == 0)
        continue;
      for (size_t column = k; column < count; ++column)
        matrix[row][column] -= share * matrix[k][column];
      right[row] -= share * right[k];
    }
  for (size_t k = count; k-- > 0;) {
    for (size_t column = k + 1; column < count; ++column)
      right[k] -= matrix[k][column] * right[column];
    right[k] /= matrix[k][k];
  }
  return right;
}

/// Moves all figures to where the errors would be least if they were linear in them (Levenberg and Marquardt; squares
/// are weighted so that they are absolute values). False: that is no better.
bool Fitter::moveTogether(Trial &trial, const std::vector<bool> &isUsed) const {
  constexpr double kTry = 0.004;    // of a figure, to see the slope
  constexpr double kSmall = 0.003;  // errors below weigh as squares
  constexpr double kMostStep = 0.2; // of a figure's logarithm
  constexpr double kLeastGain = 1e-6;
  const size_t count = keys.size();
  const Trial start = trial;
  const Errors now = errors(start, isUsed);
  std::vector<double> weights(now.of.size());
  for (size_t i = 0; i < weights.size(); ++i)
    weights[i] = std::abs(now.of[i]) > kMostError ? 0 : now.weights[i] / std::max(std::abs(now.of[i]), kSmall);
  Matrix slopes(count), matrix(count, std::vector<double>(count));
  std::vector<double> right(count);
  for (size_t k = 0; k < count; ++k) {
    set(trial, k, start.factors[k] * (1 + kTry));
    slopes[k].resize(now.of.size());
    size_t i = 0;
    for (size_t u = 0; u < units.size(); ++u) {
      if (isUsed[u] && dependences[u][k].exists)
        forErrors(u, trial, [&](double error, double) {
          slopes[k][i] = (error - now.of[i]) / kTry;
          right[k] -= weights[i] * slopes[k][i] * now.of[i];
          ++i;
        });
      else if (isUsed[u])
        i += size_t(
            std::ranges::count_if(units[u]->rows, [&](size_t row) { return validation.rows[row].determines(); }));
    }
    set(trial, k, start.factors[k]);
    for (size_t other = 0; other <= k; ++other) {
      for (size_t i = 0; i < weights.size(); ++i)
        matrix[k][other] += weights[i] * slopes[k][i] * slopes[other][i];
      matrix[other][k] = matrix[k][other];
    }
  }
  const double least = now.sum() - kLeastGain;
  for (double damping : {1e-3, 1e-2, 1e-1, 1.0, 10.0}) {
    const std::vector<double> step = solve(matrix, right, damping);
    for (size_t k = 0; k < count; ++k)
      set(trial, k, start.factors[k] * std::exp(std::clamp(step[k], -kMostStep, kMostStep)));
    if (errors(trial, isUsed).sum() < least)
      return true;
  }
  trial = start;
  return false;
}

} // namespace ptoscope::validate
