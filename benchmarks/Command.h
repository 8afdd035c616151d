//===- Command.h - how long a command takes ---------------------*- C++ -*-===//

#ifndef PTOSCOPE_BENCHMARKS_COMMAND_H
#define PTOSCOPE_BENCHMARKS_COMMAND_H

#include "Bench.h"

#include <optional>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

namespace bench {

struct CommandTime {
  double wall, processor; ///< seconds
};

/// Runs a command without its output; nothing when it fails.
inline std::optional<CommandTime> timeCommand(const std::vector<std::string> &words) {
  std::fflush(stdout);
  double start = seconds();
  pid_t child = fork();
  if (child == 0) {
    std::vector<char *> argv;
    for (const std::string &word : words)
      argv.push_back(const_cast<char *>(word.c_str()));
    argv.push_back(nullptr);
    if (freopen("/dev/null", "w", stdout))
      execvp(argv[0], argv.data());
    _exit(127);
  }
  int status = 0;
  rusage usage{};
  if (child < 0 || wait4(child, &status, 0, &usage) < 0 || status != 0)
    return std::nullopt;
  double wall = seconds() - start;
  auto of = [](const timeval &time) { return double(time.tv_sec) + double(time.tv_usec) * 1e-6; };
  return CommandTime{wall, of(usage.ru_utime) + of(usage.ru_stime)};
}

/// The least times of commands that take turns; nothing when one fails.
inline std::optional<std::vector<CommandTime>> leastTimes(const std::vector<std::vector<std::string>> &commands,
                                                          int rounds) {
  std::vector<CommandTime> best(commands.size(), {1e9, 1e9});
  for (int round = 0; round < rounds; ++round)
    for (size_t i = 0; i < commands.size(); ++i) {
      std::optional<CommandTime> time = timeCommand(commands[i]);
      if (!time) {
        std::printf("%s does not run\n", commands[i][0].c_str());
        return std::nullopt;
      }
      best[i] = {std::min(best[i].wall, time->wall), std::min(best[i].processor, time->processor)};
    }
  return best;
}

} // namespace bench

#endif // PTOSCOPE_BENCHMARKS_COMMAND_H
