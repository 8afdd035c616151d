//===- Host.h - the compiler and the library that are here ------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DRIVER_CXX_HOST_H
#define PTOSCOPE_LIB_DRIVER_CXX_HOST_H

#include <string>
#include <string_view>
#include <vector>

namespace ptoscope::cxx {

/// Where headers and library are: next to the tool, in an installed tree or a build tree.
struct Home {
  std::string include, library;
};
bool findHome(Home &home, std::string &problem);

/// The words that start the real compiler: PTOSCOPE_CXX, else clang++, else g++.
bool findCompiler(std::vector<std::string> &words, std::string &problem);
bool isClang(const std::string &compiler);

using Words = std::vector<std::string>;
/// Runs commands at the same time and waits for all; the first status that is not 0. `messages`:
/// files in the order of the commands for what they write to the standard error stream.
int runAll(const std::vector<Words> &commands, bool verbose, const std::vector<std::string> &messages = {});
/// Prints messages, and once if they are the same.
void showMessages(const std::vector<std::string> &messages);
bool wasInterrupted(int status);
/// Becomes the command; returns only if that fails, with the status to exit with.
int become(const Words &command, bool verbose);

/// A folder of its own for files between two steps, removed at the end.
class Scratch {
public:
  explicit Scratch(bool keep) : keep(keep) {}
  ~Scratch();
  Scratch(const Scratch &) = delete;
  Scratch &operator=(const Scratch &) = delete;
  /// A file or folder of that name in it; empty if there can be no folder.
  std::string path(const std::string &name);
  const std::string &folder() const { return made; }

private:
  bool keep;
  std::string made;
};

bool writeFile(const std::string &path, std::string_view text);
bool readFile(const std::string &path, std::string &text);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_LIB_DRIVER_CXX_HOST_H
