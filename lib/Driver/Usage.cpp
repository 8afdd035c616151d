//===- Usage.cpp - words of a run: numbers, checks, schedules -------------===//

#include "ptoscope/Driver/Usage.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

namespace ptoscope {

Finding usageError(std::string message, std::string help) {
  Finding finding = makeFinding("usage", {}, std::move(message));
  finding.help = std::move(help);
  return finding;
}

std::optional<int64_t> parseInteger(const std::string &word) {
  llvm::StringRef text = word;
  int64_t value;
  uint64_t unsignedValue;
  if (!text.getAsInteger(0, value))
    return value;
  if (!text.getAsInteger(0, unsignedValue)) // 2^63 and more, as bits
    return int64_t(unsignedValue);
  return std::nullopt;
}

namespace {
struct CheckRow {
  llvm::StringRef name;
  bool Checks::*flag;
};
constexpr CheckRow kChecks[] = {
    {"race", &Checks::race}, {"memory", &Checks::memory}, {"init", &Checks::init}, {"sync", &Checks::sync}};
} // namespace

std::optional<std::string> parseChecks(const std::string &word, Checks &checks) {
  if (word == "all") {
    checks = {};
    return std::nullopt;
  }
  checks = Checks::none();
  if (word == "none")
    return std::nullopt;
  llvm::SmallVector<llvm::StringRef> names;
  llvm::StringRef(word).split(names, ',');
  for (llvm::StringRef name : names) {
    bool known = false;
    for (const CheckRow &row : kChecks)
      if (row.name == name)
        known = checks.*row.flag = true;
    if (name == "all" || name == "none")
      return "`" + name.str() + "` stands alone, not in a list of checks";
    if (!known)
      return "`" + name.str() + "` is not a check; use all, none, or a list of race, memory, init, sync";
  }
  return std::nullopt;
}

std::string checkNames(const Checks &checks) {
  std::string names;
  for (const CheckRow &row : kChecks)
    if (checks.*row.flag)
      names += (names.empty() ? "" : ", ") + row.name.str();
  return names;
}

std::optional<std::string> parseSchedule(const std::string &word, Schedule &schedule) {
  llvm::StringRef text = word;
  if (text == "eager") {
    schedule = {ScheduleKind::Eager, 0};
  } else if (text == "lazy") {
    schedule = {ScheduleKind::Lazy, 0};
  } else if (text.consume_front("random:") && !text.getAsInteger(0, schedule.seed)) {
    schedule.kind = ScheduleKind::Random;
  } else {
    return "`" + word + "` is not a schedule; use eager, lazy or random:SEED";
  }
  return std::nullopt;
}

std::optional<std::string> addSchedules(const std::string &word, std::span<const int64_t> seeds,
                                        std::vector<Schedule> &schedules) {
  Schedule schedule;
  if (word == "random") {
    for (int64_t seed : seeds)
      schedules.push_back({ScheduleKind::Random, uint64_t(seed)});
  } else if (parseSchedule(word, schedule)) {
    return "`" + word + "` is not a schedule; use eager, lazy, random or random:SEED";
  } else {
    schedules.push_back(schedule);
  }
  return std::nullopt;
}

std::string scheduleName(const Schedule &schedule) {
  switch (schedule.kind) {
  case ScheduleKind::Eager:
    return "eager";
  case ScheduleKind::Lazy:
    return "lazy";
  case ScheduleKind::Random:
    return "random:" + std::to_string(schedule.seed);
  }
  return "";
}

} // namespace ptoscope
