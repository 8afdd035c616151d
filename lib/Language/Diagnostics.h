//===- Diagnostics.h - what `check` says, while someone types ---*- C++ -*-===//

#ifndef PTOSCOPE_LIB_LANGUAGE_DIAGNOSTICS_H
#define PTOSCOPE_LIB_LANGUAGE_DIAGNOSTICS_H

#include "ptoscope/Support/Finding.h"

#include <chrono>
#include <condition_variable>
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <thread>

namespace ptoscope {

/// The findings of `ptoscope check`, then errors of what is complete in an incomplete text.
/// Gives up between its steps when `stale` says so.
FindingList diagnose(const std::string &path, const std::string &text, const std::function<bool()> &stale);

/// A text whose braces do not match, with those that its indentation asks for; lines keep
/// their numbers.
std::string closedByIndentation(const std::string &text);

/// Diagnoses texts on a thread of its own, the newest version of each once typing pauses.
class Watcher {
public:
  using Publish = std::function<void(const std::string &uri, int64_t version, const FindingList &findings)>;

  explicit Watcher(Publish publish);
  ~Watcher();
  Watcher(const Watcher &) = delete;

  /// Replaces what was to be done for the same document.
  void submit(const std::string &uri, std::string path, std::string text, int64_t version, bool typing);
  void forget(const std::string &uri);

private:
  using Clock = std::chrono::steady_clock;
  struct Job {
    std::string path, text;
    int64_t version;
    Clock::time_point due;
  };
  void work();

  Publish publish;
  std::mutex mutex;
  std::condition_variable changed;
  std::map<std::string, Job> jobs; ///< by uri
  std::string current;             ///< uri in work
  bool currentStale = false, stopping = false;
  std::thread thread; ///< last: it uses all of them
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_LANGUAGE_DIAGNOSTICS_H
