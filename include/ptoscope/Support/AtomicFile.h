//===- AtomicFile.h - outputs written whole or not at all -------*- C++ -*-===//
//
// Outputs of a run are staged as temporary files beside their targets and then
// renamed into place together. Until commit() every target is as it was; when
// anything fails, all targets are as they were and no temporary file is left.
// This holds for failures of the run, not for a loss of power.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_ATOMICFILE_H
#define PTOSCOPE_SUPPORT_ATOMICFILE_H

#include "ptoscope/Support/Result.h"

#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope {

class OutputSet {
public:
  OutputSet() = default;
  OutputSet(const OutputSet &) = delete;
  OutputSet &operator=(const OutputSet &) = delete;
  ~OutputSet() { discard(); }

  /// Writes the pieces, one after the other, to a temporary file in the
  /// directory of `path`. A symbolic link is followed. The target may be
  /// missing or a regular file that may be written.
  Result<void> stage(const std::string &path, std::initializer_list<std::span<const uint8_t>> pieces);
  Result<void> stage(const std::string &path, std::string_view text);

  /// Whether `path` could be staged, without writing its contents: for telling
  /// about an unwritable output before a long run instead of after it.
  static Result<void> probe(const std::string &path);

  /// Moves all staged files into place, in the order of staging.
  Result<void> commit();
  /// Removes what is staged; the set can be used again.
  void discard();

  size_t size() const { return staged.size(); }

private:
  friend class ReservedOutputs;
  struct Staged {
    std::string path;      ///< as the user wrote it, for messages
    std::string target;    ///< symbolic links resolved
    std::string temporary; ///< empty once renamed
    std::string backup;    ///< the old target while commit() runs
  };
  void rollBack();

  std::vector<Staged> staged;
};

/// One output that is too large to be kept in memory: written piece by piece to a temporary
/// file, and moved into place at the end.
class OutputStream {
public:
  static Result<std::unique_ptr<OutputStream>> open(const std::string &path);
  OutputStream(const OutputStream &) = delete;
  OutputStream &operator=(const OutputStream &) = delete;
  ~OutputStream();

  /// What fails is told by commit(); after that nothing more is written.
  void write(std::string_view bytes) {
    if (bytes.size() > kBufferBytes - buffer.size())
      writeLong(bytes);
    else
      buffer.append(bytes);
  }
  bool failed() const { return error != 0; }
  /// Nothing is left behind where it fails.
  Result<void> commit();

private:
  static constexpr size_t kBufferBytes = 1 << 20;
  OutputStream(std::string path, std::string target, std::string temporary, int file);
  void writeLong(std::string_view bytes);
  void flush();
  void close();

  std::string path, target, temporary;
  std::string buffer;
  int file;
  int error = 0;
};

/// For a process that gives up the right to open and to rename files (Sandbox.h). Another process is started: it makes
/// temporary files beside their targets at once, moves those into place that commit() names later, and removes the
/// others when this process ends, in whatever way. From then on these outputs can be staged and opened, and
/// no others. To be made before there are threads; one at a time.
class ReservedOutputs {
public:
  static Result<std::unique_ptr<ReservedOutputs>> make(std::span<const std::string> paths);
  ReservedOutputs(const ReservedOutputs &) = delete;
  ReservedOutputs &operator=(const ReservedOutputs &) = delete;
  ~ReservedOutputs();

  /// The one there is, or null.
  static ReservedOutputs *ofProcess();
  /// The temporary file of `target`, empty and open for writing; `file` is -1, with errno set, where it is no output.
  std::string open(const std::string &target, int &file) const;
  /// Together or not at all, as OutputSet::commit.
  Result<void> commit(std::span<const std::string> targets);

private:
  struct Output {
    std::string path, target, temporary;
    int file;
  };
  ReservedOutputs() = default;
  [[noreturn]] void serve(int requests, int answers);
  /// Opens the file that the other process has made. -> an error number, or 0.
  int take(Output &output);

  std::vector<Output> outputs;
  int keeper = -1; ///< the other process
  int requests = -1, answers = -1;
};

/// One file, whole or not at all.
Result<void> writeFileAtomically(const std::string &path, std::string_view text);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_ATOMICFILE_H
