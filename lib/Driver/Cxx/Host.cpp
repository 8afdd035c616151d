//===- Host.cpp - the compiler and the library that are here --------------===//

#include "Host.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

namespace ptoscope::cxx {

namespace fs = std::filesystem;

static bool hasHeaders(const fs::path &folder) {
  std::error_code error;
  return fs::is_regular_file(folder / "pto" / "pto-inst.hpp", error);
}

/// A build tree knows where its sources are.
static fs::path sourcesOf(const fs::path &build) {
  std::ifstream cache(build / "CMakeCache.txt");
  constexpr std::string_view kKey = "ptoscope_SOURCE_DIR:STATIC=";
  for (std::string line; std::getline(cache, line);)
    if (line.starts_with(kKey))
      return line.substr(kKey.size());
  return {};
}

bool findHome(Home &home, std::string &problem) {
  std::error_code error;
  const fs::path tool = fs::read_symlink("/proc/self/exe", error);
  const fs::path root = tool.parent_path().parent_path();
  if (hasHeaders(root / "include"))
    home.include = root / "include";
  else if (const fs::path sources = sourcesOf(root); !sources.empty() && hasHeaders(sources / "include"))
    home.include = sources / "include";
  for (const char *folder : {PTOSCOPE_LIBDIR, "lib", "lib64"})
    if (home.library.empty() && fs::exists(root / folder / "libptoscope.so", error))
      home.library = root / folder;
  if (!home.include.empty() && !home.library.empty())
    return true;
  problem = "no " + std::string(home.include.empty() ? "headers (include/pto)" : "libptoscope.so") + " near " +
            tool.string() + ": the tool belongs into bin of an installed or a build tree";
  return false;
}

static std::string findProgram(const std::string &name) {
  std::error_code error;
  if (name.find('/') != name.npos)
    return access(name.c_str(), X_OK) == 0 ? name : "";
  const char *path = std::getenv("PATH");
  std::istringstream folders(path ? path : "/usr/bin:/bin");
  for (std::string folder; std::getline(folders, folder, ':');) {
    const fs::path candidate = fs::path(folder.empty() ? "." : folder) / name;
    if (access(candidate.c_str(), X_OK) == 0 && fs::is_regular_file(candidate, error))
      return candidate;
  }
  return {};
}

bool findCompiler(std::vector<std::string> &words, std::string &problem) {
  if (const char *named = std::getenv("PTOSCOPE_CXX"); named && *named) {
    std::istringstream in(named); // `ccache clang++` is a compiler too
    words.assign(std::istream_iterator<std::string>(in), {});
    const std::string program = words.empty() ? "" : findProgram(words[0]);
    std::error_code error;
    if (program.empty()) {
      problem = "PTOSCOPE_CXX=" + std::string(named) + ": there is no such program";
      return false;
    }
    if (fs::equivalent(program, "/proc/self/exe", error)) {
      problem = "PTOSCOPE_CXX=" + std::string(named) + " is this tool itself; name the compiler that it should use";
      return false;
    }
    words[0] = program;
    return true;
  }
  // Before version 15 the headers lack a type of 16-bit numbers; the plain name may be any version.
  std::vector<std::string> names;
  for (int version = 30; version >= 15; --version)
    names.push_back("clang++-" + std::to_string(version));
  names.insert(names.end(), {"clang++", "g++"});
  for (const std::string &name : names)
    if (std::string program = findProgram(name); !program.empty()) {
      words = {program};
      return true;
    }
  problem = "neither clang++ nor g++ is to be found; set PTOSCOPE_CXX to a C++20 compiler";
  return false;
}

bool isClang(const std::string &compiler) {
  return fs::path(compiler).filename().string().find("clang") != std::string::npos;
}

static void show(const Words &command) {
  std::string line;
  for (const std::string &word : command)
    line += (line.empty() ? "" : " ") + (word.find_first_of(" \"'()<>&;$") == word.npos ? word : "'" + word + "'");
  std::fprintf(stderr, "%s\n", line.c_str());
}

static std::vector<char *> pointers(const Words &command) {
  std::vector<char *> argv;
  for (const std::string &word : command)
    argv.push_back(const_cast<char *>(word.c_str()));
  argv.push_back(nullptr);
  return argv;
}

static int cannotRun(const Words &command, int error) {
  std::fprintf(stderr, "ptoscope c++: cannot run %s: %s\n", command[0].c_str(), std::strerror(error));
  return 2;
}

static int start(const Words &command, const std::string &messages, pid_t &child) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  if (!messages.empty())
    posix_spawn_file_actions_addopen(&actions, STDERR_FILENO, messages.c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  // An interrupt ends the compiler; this process then removes its files.
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  sigaddset(&signals, SIGTERM);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = posix_spawn(&child, command[0].c_str(), &actions, &attributes, pointers(command).data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  return error;
}

/// This process removes its files after an interrupt; programs that it becomes end.
static bool ignoresInterrupts = false;

int runAll(const std::vector<Words> &commands, bool verbose, const std::vector<std::string> &messages) {
  ignoresInterrupts |= std::signal(SIGINT, SIG_IGN) != SIG_IGN;
  std::vector<pid_t> children;
  int status = 0;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (verbose)
      show(commands[i]);
    pid_t child = 0;
    if (int error = start(commands[i], i < messages.size() ? messages[i] : "", child))
      status = cannotRun(commands[i], error);
    else
      children.push_back(child);
  }
  for (pid_t child : children) {
    int how = 0;
    while (waitpid(child, &how, 0) < 0 && errno == EINTR) {
    }
    const int ended = WIFEXITED(how) ? WEXITSTATUS(how) : 128 + WTERMSIG(how);
    if (!status)
      status = ended;
  }
  return status;
}

void showMessages(const std::vector<std::string> &messages) {
  std::string first;
  for (size_t i = 0; i < messages.size(); ++i)
    if (std::string text; readFile(messages[i], text) && (i == 0 || text != first)) {
      std::fputs(text.c_str(), stderr);
      first = std::move(text);
    }
}

bool wasInterrupted(int status) { return status == 128 + SIGINT || status == 128 + SIGTERM; }

int become(const Words &command, bool verbose) {
  if (verbose)
    show(command);
  std::fflush(nullptr);
  if (ignoresInterrupts)
    std::signal(SIGINT, SIG_DFL);
  execv(command[0].c_str(), pointers(command).data());
  return cannotRun(command, errno);
}

std::string Scratch::path(const std::string &name) {
  if (made.empty()) {
    const char *folder = std::getenv("TMPDIR");
    std::string pattern = std::string(folder && *folder ? folder : "/tmp") + "/ptoscope-c++.XXXXXX";
    if (!mkdtemp(pattern.data()))
      return {};
    made = pattern;
  }
  return made + "/" + name;
}

Scratch::~Scratch() {
  std::error_code error;
  if (made.empty())
    return;
  if (keep)
    std::fprintf(stderr, "ptoscope c++: intermediate files are in %s\n", made.c_str());
  else
    fs::remove_all(made, error);
}

bool writeFile(const std::string &path, std::string_view text) {
  std::ofstream out(path, std::ios::binary | std::ios::trunc);
  out.write(text.data(), std::streamsize(text.size()));
  return bool(out.flush());
}

bool readFile(const std::string &path, std::string &text) {
  std::ifstream in(path, std::ios::binary);
  text.assign(std::istreambuf_iterator<char>(in), {});
  return bool(in);
}

} // namespace ptoscope::cxx
