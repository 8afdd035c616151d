//===- Examiners.h - ways to find out what texts have to report -*- C++ -*-===//

#ifndef PTOSCOPE_FIX_EXAMINERS_H
#define PTOSCOPE_FIX_EXAMINERS_H

#include "ptoscope/Driver/Runs.h"
#include "ptoscope/Fix/Repair.h"

#include <atomic>

namespace ptoscope {

/// Runs the program under each schedule, until one has something to report.
Examine examineByRuns(Session &session, RunRequest request, std::vector<Schedule> schedules);

/// What `ptoscope check` finds.
Examine examineStatically(Session &session, FrontendOptions frontend);

/// C++ programs, changed where they are: the build is the user's own. While texts are
/// changed, the old ones are kept beside them under names ending in `kKeptEnding`, so that
/// not even a kill loses them.
class SourceFiles {
public:
  static constexpr const char *kKeptEnding = ".before-fix";

  /// Reads the files. Refused: what cannot be read or written, and files that an earlier
  /// fix left changed.
  static Result<SourceFiles> open(std::span<const std::string> paths);
  SourceFiles(SourceFiles &&) = default;
  SourceFiles &operator=(SourceFiles &&) = delete;
  ~SourceFiles() { (void)restore(); }

  const Texts &original() const { return originals; }
  /// Files that someone else changed meanwhile are refused, and stay as they are.
  Result<void> put(const Texts &texts);
  /// As they were.
  Result<void> restore();
  /// What is there now stays; the old texts are no longer kept.
  void release();

  /// The path that was given for a file that a compiler names in its own way; empty: none.
  std::string pathOf(const std::string &named) const;

private:
  SourceFiles() = default;
  Texts originals, current;
};

struct Commands {
  std::string build, run; ///< for `sh -c`
};

/// Builds and runs with the texts in place; the program writes its findings to a file.
/// `interrupt` ends it between commands.
Examine examineByCommands(SourceFiles &files, Commands commands, std::vector<Schedule> schedules,
                          const std::atomic<bool> &interrupt);

} // namespace ptoscope

#endif // PTOSCOPE_FIX_EXAMINERS_H
