//===- Usage.h - words of a run: numbers, checks, schedules -----*- C++ -*-===//
//
// What command lines, suites and other clients write in the same way.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DRIVER_USAGE_H
#define PTOSCOPE_DRIVER_USAGE_H

#include "ptoscope/Machine/Launch.h"
#include "ptoscope/Support/Finding.h"

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace ptoscope {

Finding usageError(std::string message, std::string help = "");

/// Whole numbers in decimal or 0x form; nothing when the word is no number or
/// out of range.
std::optional<int64_t> parseInteger(const std::string &word);

/// "all", "none" or "race,memory"; a message refuses the word.
std::optional<std::string> parseChecks(const std::string &word, Checks &checks);
/// "race, memory", of those that are on.
std::string checkNames(const Checks &checks);

/// "eager", "lazy" or "random:SEED"; a message refuses the word.
std::optional<std::string> parseSchedule(const std::string &word, Schedule &schedule);
/// The same or "random", which stands for one schedule per seed; adds to `schedules`.
std::optional<std::string> addSchedules(const std::string &word, std::span<const int64_t> seeds,
                                        std::vector<Schedule> &schedules);
std::string scheduleName(const Schedule &schedule);

} // namespace ptoscope

#endif // PTOSCOPE_DRIVER_USAGE_H
