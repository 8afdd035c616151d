//===- InputFile.cpp - reading a file without surprises -------------------===//
//
// POSIX files; interrupted and short reads are continued.
//
//===----------------------------------------------------------------------===//

#include "InputFile.h"

#include "SystemError.h"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ptoscope {

Finding fileError(const std::string &path, std::string message) {
  return makeFinding("file-error", Place{path, 0, 0}, std::move(message));
}

Result<InputFile> InputFile::open(const std::string &path) {
  if (path.empty())
    return fileError(path, "cannot read a file without a name");
  int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return fileError(path, "cannot read this file: " + reasonOf(errno));
  InputFile file(path, descriptor);
  struct stat status;
  if (::fstat(descriptor, &status) != 0)
    return fileError(path, "cannot read this file: " + reasonOf(errno));
  if (S_ISDIR(status.st_mode))
    return fileError(path, "cannot read this file: " + reasonOf(EISDIR));
  if (S_ISREG(status.st_mode))
    file.regularBytes = static_cast<uint64_t>(status.st_size);
  return file;
}

InputFile::~InputFile() {
  if (descriptor >= 0)
    ::close(descriptor);
}

Result<uint64_t> InputFile::read(std::span<uint8_t> into) {
  uint64_t done = 0;
  while (done < into.size()) {
    size_t wanted = std::min<size_t>(into.size() - done, size_t(1) << 30);
    ssize_t got = ::read(descriptor, into.data() + done, wanted);
    if (got < 0) {
      if (errno == EINTR)
        continue;
      return fileError(path, "cannot read this file: " + reasonOf(errno));
    }
    if (got == 0)
      break;
    done += static_cast<uint64_t>(got);
  }
  return done;
}

} // namespace ptoscope
