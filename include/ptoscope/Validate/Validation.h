//===- Validation.h - published figures against the model -------*- C++ -*-===//
//
// Every row of a table is estimated: instructions by what they cost alone, kernels by
// running their programs. Errors are told by group, with the model's own figures and
// by cross-validation: figures tagged `fit` are fitted to four fifths of the runs, and
// the error is that of the other fifth.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_VALIDATE_VALIDATION_H
#define PTOSCOPE_VALIDATE_VALIDATION_H

#include "ptoscope/Validate/Runs.h"

namespace ptoscope::validate {

/// What rows rest on, and are judged by, together.
enum class Group : uint8_t { A5Tiles, A3Tiles, Transfers, CubeBusy, GemmPipes, Attention, Scalar, Other };
struct GroupInfo {
  const char *name;
  double median, most; ///< goals of the errors' median and 90th percentile; 0: none
  bool determines;     ///< figures are fitted to it (TIME-81)
};
inline constexpr std::array kGroups = {GroupInfo{"A5 tile instructions", 0.02, 0.06, true},
                                       GroupInfo{"A2/A3 tile instructions", 0.04, 0.15, true},
                                       GroupInfo{"transfers", 0.08, 0.20, true},
                                       GroupInfo{"GEMM cube busy", 0.03, 0.08, true},
                                       GroupInfo{"GEMM pipes and total", 0.06, 0.25, true},
                                       GroupInfo{"attention", 0.25, 0.50, false},
                                       GroupInfo{"scalar unit busy", 0, 0, false},
                                       GroupInfo{"other kernels", 0, 0, false}};
Group groupOf(const Anchor &anchor);

/// The models that rows of each profile are estimated with.
struct Models {
  timing::Model a5, a3;
  const timing::Model &of(ProfileId profile) const { return profile == ProfileId::A5 ? a5 : a3; }
  timing::Model &of(ProfileId profile) { return profile == ProfileId::A5 ? a5 : a3; }
};

/// A row, as it is published and as it is estimated.
struct Row {
  Anchor anchor;
  Group group;
  double published = 0; ///< in the row's unit; of a share in microseconds
  std::optional<double> estimate, crossEstimate;
  std::optional<double> scheduled; ///< of A5 vector tiles: by the schedule of a scope
  std::string reason;              ///< why there is no estimate
  bool isWait = false;             ///< mostly what others leave: it is scored, and no figure is fitted to it
  bool isScored() const { return estimate.has_value(); }
  /// Figures are fitted to it.
  bool determines() const { return isScored() && !isWait && kGroups[size_t(group)].determines; }
  double error(const std::optional<double> &value) const { return std::abs(*value / published - 1); }
};

/// What is estimated together: an instruction, or a run of a kernel with all its figures.
struct Unit {
  ProfileId profile;
  std::string run;          ///< what keeps it together with others
  std::vector<size_t> rows; ///< numbers
  std::optional<Work> work;
  std::shared_ptr<const Run> kernel;
};

class Validation {
public:
  /// Runs the programs of all kernels.
  Validation(Session &session, std::vector<Anchor> anchors);

  /// Estimates of a unit's rows, in their order.
  std::vector<std::optional<double>> estimate(const Unit &unit, const timing::Model &model) const;
  /// Fills in `estimate` and `scheduled` of all rows.
  void estimateAll(const Models &models);
  /// Fills in `crossEstimate` of all rows that have an estimate.
  void crossValidate(const Models &models);
  /// The figures tagged `fit`, fitted to all rows, as lines of a timing file.
  std::string fitted(const Models &models);

  std::vector<Row> rows;
  std::vector<Unit> units;
};

/// The tables that `ptoscope timing --validate` prints.
std::string validationText(const Validation &validation);
std::string validationJson(const Validation &validation);
/// The table of docs/timing.md.
std::string validationMarkdown(const Validation &validation);

} // namespace ptoscope::validate

#endif // PTOSCOPE_VALIDATE_VALIDATION_H
