//===- AtomicFile.cpp - outputs written whole or not at all ---------------===//
//
// POSIX files. A rename within one directory is atomic; several renames are
// made so by keeping the old targets under backup names until all are done.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/AtomicFile.h"

#include "OutputFiles.h"
#include "SystemError.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ptoscope {

Finding cannotWrite(const std::string &path, const std::string &reason) {
  return makeFinding("file-error", Place{path, 0, 0}, "cannot write this file: " + reason);
}

Result<std::string> resolveTarget(const std::string &path) {
  if (path.empty())
    return makeFinding("file-error", Place{}, "cannot write a file without a name");
  std::error_code error;
  fs::path target = path;
  // A dangling link is followed too: its target is what gets created.
  for (int depth = 0; fs::is_symlink(fs::symlink_status(target, error)); ++depth) {
    if (depth == 40)
      return cannotWrite(path, "too many symbolic links");
    fs::path next = fs::read_symlink(target, error);
    if (error)
      return cannotWrite(path, reasonOf(error.value()));
    target = next.is_absolute() ? next : target.parent_path() / next;
  }
  if (!target.has_filename())
    return cannotWrite(path, "this names a directory");
  fs::path directory = target.has_parent_path() ? target.parent_path() : fs::path(".");
  fs::path resolved = fs::canonical(directory, error);
  if (error)
    return cannotWrite(path, error == std::errc::no_such_file_or_directory
                                 ? "there is no directory `" + directory.string() + "`"
                                 : reasonOf(error.value()));
  target = resolved / target.filename();

  struct stat status;
  if (::stat(target.c_str(), &status) == 0) {
    if (S_ISDIR(status.st_mode))
      return cannotWrite(path, "this is a directory");
    if (!S_ISREG(status.st_mode))
      return cannotWrite(path, "not a regular file");
    if (::access(target.c_str(), W_OK) != 0)
      return cannotWrite(path, reasonOf(errno));
  } else if (errno != ENOENT) {
    return cannotWrite(path, reasonOf(errno));
  }
  if (::access(resolved.c_str(), W_OK | X_OK) != 0)
    return cannotWrite(path, "directory `" + resolved.string() + "`: " + reasonOf(errno));
  return target.string();
}

/// A new name beside `target`, made by `make`, which returns false with EEXIST
/// when the name is taken. The name is short whatever the target's is.
template <typename Make> static std::string freshName(const std::string &target, Make make) {
  fs::path directory = fs::path(target).parent_path();
  for (unsigned attempt = 0; attempt < 10000; ++attempt) {
    std::string name = ".ptoscope-" + std::to_string(::getpid()) + "-" + std::to_string(attempt) + ".tmp";
    std::string candidate = (directory / name).string();
    if (make(candidate))
      return candidate;
    if (errno != EEXIST)
      return {};
  }
  return {};
}

bool writeAll(int file, std::span<const uint8_t> bytes) {
  while (!bytes.empty()) {
    // One call moves at most 2 GiB on Linux; ask for less everywhere.
    ssize_t written = ::write(file, bytes.data(), std::min<size_t>(bytes.size(), size_t(1) << 30));
    if (written < 0) {
      if (errno == EINTR)
        continue;
      return false;
    }
    bytes = bytes.subspan(static_cast<size_t>(written));
  }
  return true;
}

/// An existing file keeps its rights; where that is not possible the new file's own are as
/// good.
static void keepRights(const std::string &target, int file) {
  struct stat status;
  if (::stat(target.c_str(), &status) == 0 && ::fchmod(file, status.st_mode & 07777) != 0)
    errno = 0;
}

std::string openBeside(const std::string &target, int &file) {
  file = -1;
  return freshName(target, [&file](const std::string &name) {
    file = ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    return file >= 0;
  });
}

/// The temporary file of an output, also where this process may open none.
static std::string openOutput(const std::string &target, int &file) {
  ReservedOutputs *reserved = ReservedOutputs::ofProcess();
  return reserved ? reserved->open(target, file) : openBeside(target, file);
}

Result<void> OutputSet::stage(const std::string &path, std::initializer_list<std::span<const uint8_t>> pieces) {
  Result<std::string> target = resolveTarget(path);
  if (!target)
    return target.takeFinding();
  for (const Staged &other : staged)
    if (other.target == *target)
      return makeFinding("usage", Place{}, "two outputs write the same file: `" + other.path + "` and `" + path + "`");

  int file;
  std::string temporary = openOutput(*target, file);
  if (file < 0)
    return cannotWrite(path, reasonOf(errno));

  int error = 0;
  for (std::span<const uint8_t> piece : pieces)
    if (!error && !writeAll(file, piece))
      error = errno;
  if (!error)
    keepRights(*target, file);
  if (::close(file) != 0 && !error)
    error = errno;
  if (error) {
    ::unlink(temporary.c_str());
    return cannotWrite(path, reasonOf(error));
  }
  staged.push_back({path, *target, temporary, {}});
  return {};
}

Result<void> OutputSet::stage(const std::string &path, std::string_view text) {
  return stage(path, {std::span(reinterpret_cast<const uint8_t *>(text.data()), text.size())});
}

Result<void> OutputSet::probe(const std::string &path) {
  Result<std::string> target = resolveTarget(path);
  if (!target)
    return target.takeFinding();
  return {};
}

/// Keeps the file at `target` under a second name, which is returned; empty,
/// with errno set, when that is not possible.
static std::string keepOldFile(const std::string &target) {
  std::string backup =
      freshName(target, [&target](const std::string &name) { return ::link(target.c_str(), name.c_str()) == 0; });
  if (!backup.empty())
    return backup;
  // Where links are not possible the file is moved.
  return freshName(target, [&target](const std::string &name) {
    if (::access(name.c_str(), F_OK) == 0) {
      errno = EEXIST;
      return false;
    }
    return ::rename(target.c_str(), name.c_str()) == 0;
  });
}

Result<void> OutputSet::commit() {
  if (ReservedOutputs *reserved = ReservedOutputs::ofProcess()) {
    std::vector<std::string> targets;
    for (const Staged &entry : staged)
      targets.push_back(entry.target);
    staged.clear();
    return reserved->commit(targets);
  }
  for (Staged &entry : staged) {
    int error = 0;
    // With one file the rename alone is atomic. Only regular files are kept:
    // whatever else took the target's place meanwhile is left alone.
    struct stat status;
    if (staged.size() > 1 && ::lstat(entry.target.c_str(), &status) == 0) {
      if (!S_ISREG(status.st_mode))
        error = S_ISDIR(status.st_mode) ? EISDIR : EEXIST;
      else if (entry.backup = keepOldFile(entry.target); entry.backup.empty())
        error = errno;
    }
    if (!error && ::rename(entry.temporary.c_str(), entry.target.c_str()) != 0)
      error = errno;
    if (error) {
      Finding finding = cannotWrite(entry.path, reasonOf(error));
      rollBack();
      return finding;
    }
    entry.temporary.clear();
  }
  for (const Staged &entry : staged)
    if (!entry.backup.empty())
      ::unlink(entry.backup.c_str());
  staged.clear();
  return {};
}

void OutputSet::rollBack() {
  for (auto entry = staged.rbegin(); entry != staged.rend(); ++entry) {
    if (!entry->backup.empty()) {
      // When both names are the same file, rename() does nothing: unlink too.
      ::rename(entry->backup.c_str(), entry->target.c_str());
      ::unlink(entry->backup.c_str());
    } else if (entry->temporary.empty()) {
      ::unlink(entry->target.c_str());
    }
  }
  discard();
}

void OutputSet::discard() {
  for (const Staged &entry : staged)
    if (!entry.temporary.empty())
      ::unlink(entry.temporary.c_str());
  staged.clear();
}

Result<std::unique_ptr<OutputStream>> OutputStream::open(const std::string &path) {
  Result<std::string> target = resolveTarget(path);
  if (!target)
    return target.takeFinding();
  int file;
  std::string temporary = openOutput(*target, file);
  if (file < 0)
    return cannotWrite(path, reasonOf(errno));
  return std::unique_ptr<OutputStream>(new OutputStream(path, *target, temporary, file));
}

OutputStream::OutputStream(std::string path, std::string target, std::string temporary, int file)
    : path(std::move(path)), target(std::move(target)), temporary(std::move(temporary)), file(file) {
  buffer.reserve(kBufferBytes);
}

OutputStream::~OutputStream() {
  close();
  if (!temporary.empty())
    ::unlink(temporary.c_str());
}

void OutputStream::writeLong(std::string_view bytes) {
  flush();
  if (bytes.size() <= kBufferBytes)
    buffer.append(bytes);
  else if (!error && !writeAll(file, std::span(reinterpret_cast<const uint8_t *>(bytes.data()), bytes.size())))
    error = errno;
}

void OutputStream::flush() {
  if (!error && !writeAll(file, std::span(reinterpret_cast<const uint8_t *>(buffer.data()), buffer.size())))
    error = errno;
  buffer.clear();
}

void OutputStream::close() {
  if (file >= 0 && ::close(file) != 0 && !error)
    error = errno;
  file = -1;
}

Result<void> OutputStream::commit() {
  flush();
  if (!error)
    keepRights(target, file);
  close();
  if (ReservedOutputs *reserved = ReservedOutputs::ofProcess(); reserved && !error) {
    temporary.clear();
    return reserved->commit({&target, 1});
  }
  if (!error && ::rename(temporary.c_str(), target.c_str()) != 0)
    error = errno;
  if (error) {
    ::unlink(temporary.c_str());
    temporary.clear();
    return cannotWrite(path, reasonOf(error));
  }
  temporary.clear();
  return {};
}

Result<void> writeFileAtomically(const std::string &path, std::string_view text) {
  OutputSet outputs;
  if (Result<void> done = outputs.stage(path, text); !done)
    return done;
  return outputs.commit();
}

} // namespace ptoscope
