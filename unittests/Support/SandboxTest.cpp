//===- SandboxTest.cpp - what a process in a sandbox can still do ---------===//
//
// Each case runs in a process of its own, which can never leave the sandbox. It
// tries the calls themselves: what a library would refuse before is not the point.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Sandbox.h"
#include "ptoscope/Support/AtomicFile.h"

#include <gtest/gtest.h>

#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <fstream>
#include <functional>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace fs = std::filesystem;
using namespace ptoscope;

namespace {

class Sandbox : public testing::Test {
protected:
  void SetUp() override {
    if (!sandboxAvailable())
      GTEST_SKIP() << "this host has none";
    char name[] = "/tmp/ptoscope-sandbox-XXXXXX";
    folder = mkdtemp(name);
    write("input", "in");
  }
  void TearDown() override {
    if (!folder.empty())
      fs::remove_all(folder);
  }

  std::string path(const std::string &name) const { return folder + "/" + name; }
  void write(const std::string &name, const std::string &text) const { std::ofstream(path(name)) << text; }
  std::string read(const std::string &name) const {
    std::ifstream file(path(name));
    return {std::istreambuf_iterator<char>(file), {}};
  }
  std::vector<std::string> names() const {
    std::vector<std::string> result;
    for (const auto &entry : fs::directory_iterator(folder))
      result.push_back(entry.path().filename());
    std::ranges::sort(result);
    return result;
  }

  /// How a process ends that does this: wait's word.
  static int inProcess(const std::function<bool()> &body) {
    const pid_t child = fork();
    if (child == 0)
      _exit(body() ? 0 : 1);
    int status = -1;
    waitpid(child, &status, 0);
    return status;
  }

  std::string folder;
};

/// The error of a call that failed; 0 for one that did not.
template <typename... Args> int errorOf(long number, Args... args) {
  errno = 0;
  return syscall(number, args...) < 0 ? errno : 0;
}

struct Call {
  const char *name;
  std::function<int()> attempt; ///< its error
};
std::vector<Call> forbidden(const std::string &folder) {
  const auto in = [folder](const char *name) { return folder + "/" + name; };
  return {
      {"open to write", [=] { return errorOf(__NR_openat, AT_FDCWD, in("input").c_str(), O_WRONLY); }},
      {"open to read and write", [=] { return errorOf(__NR_openat, AT_FDCWD, in("input").c_str(), O_RDWR); }},
      {"truncate by opening", [=] { return errorOf(__NR_openat, AT_FDCWD, in("input").c_str(), O_RDONLY | O_TRUNC); }},
      {"create", [=] { return errorOf(__NR_openat, AT_FDCWD, in("new").c_str(), O_RDONLY | O_CREAT, 0600); }},
      {"create without a name",
       [=] { return errorOf(__NR_openat, AT_FDCWD, folder.c_str(), O_TMPFILE | O_RDWR, 0600); }},
      {"mkdir", [=] { return errorOf(__NR_mkdirat, AT_FDCWD, in("sub").c_str(), 0700); }},
      {"rename",
       [=] { return errorOf(__NR_renameat2, AT_FDCWD, in("input").c_str(), AT_FDCWD, in("other").c_str(), 0); }},
      {"unlink", [=] { return errorOf(__NR_unlinkat, AT_FDCWD, in("input").c_str(), 0); }},
      {"link", [=] { return errorOf(__NR_linkat, AT_FDCWD, in("input").c_str(), AT_FDCWD, in("link").c_str(), 0); }},
      {"symlink", [=] { return errorOf(__NR_symlinkat, "/", AT_FDCWD, in("link").c_str()); }},
      {"truncate", [=] { return errorOf(__NR_truncate, in("input").c_str(), 0); }},
      {"chmod", [=] { return errorOf(__NR_fchmodat, AT_FDCWD, in("input").c_str(), 0777); }},
      {"socket", [] { return errorOf(__NR_socket, AF_INET, SOCK_STREAM, 0); }},
      {"socket of the host", [] { return errorOf(__NR_socket, AF_UNIX, SOCK_STREAM, 0); }},
      {"exec",
       [] {
         const char *const words[] = {"/bin/true", nullptr};
         return errorOf(__NR_execve, words[0], words, words + 1);
       }},
      {"fork", [] { return errorOf(__NR_clone, SIGCHLD, 0, 0, 0, 0); }},
      {"fork by clone3", [] { return errorOf(__NR_clone3, 0, 0); }},
      {"kill", [] { return errorOf(__NR_kill, getppid(), 0); }},
      {"signal to another process", [] { return errorOf(__NR_tgkill, getppid(), getppid(), 0); }},
      {"ptrace", [] { return errorOf(__NR_ptrace, 0, 0, 0, 0); }},
      {"memory of another process", [] { return errorOf(__NR_process_vm_writev, getppid(), 0, 0, 0, 0, 0); }},
      {"io_uring", [] { return errorOf(__NR_io_uring_setup, 1, 0); }},
      {"limits",
       [] {
         const rlimit more{RLIM_INFINITY, RLIM_INFINITY};
         return errorOf(__NR_prlimit64, 0, RLIMIT_CORE, &more, 0);
       }},
      {"typing for the user", [] { return errorOf(__NR_ioctl, 0, 0x5412 /*TIOCSTI*/, "x"); }},
      {"mount", [] { return errorOf(__NR_mount, 0, 0, 0, 0, 0); }},
      {"bpf", [] { return errorOf(__NR_bpf, 0, 0, 0); }},
  };
}

TEST_F(Sandbox, ForbidsWhatItSays) {
  for (const Call &call : forbidden(folder)) {
    EXPECT_EQ(inProcess([&] {
                if (!enterSandbox(SandboxStage::Reading))
                  return false;
                const int error = call.attempt();
                return error == EPERM || error == ENOSYS;
              }),
              0)
        << call.name;
    EXPECT_EQ(names(), std::vector<std::string>{"input"}) << call.name;
    EXPECT_EQ(read("input"), "in") << call.name;
  }
}

// The same calls outside are answered in another way: the test can fail.
TEST_F(Sandbox, TheCallsAreReal) {
  EXPECT_EQ(inProcess([&] { return forbidden(folder)[0].attempt() == 0; }), 0);
  EXPECT_EQ(inProcess([&] { return errorOf(__NR_socket, AF_UNIX, SOCK_STREAM, 0) == 0; }), 0);
}

TEST_F(Sandbox, LeavesWhatARunNeeds) {
  EXPECT_EQ(inProcess([&] {
              if (!enterSandbox(SandboxStage::Reading) || read("input") != "in")
                return false;
              int counted = 0;
              std::thread([&] { counted = 1; }).join();
              std::vector<char> memory(64 << 20, 1);
              return counted == 1 && memory[12345] == 1;
            }),
            0);
}

TEST_F(Sandbox, ReadsNothingOnceClosed) {
  EXPECT_EQ(inProcess([&] {
              return enterSandbox(SandboxStage::Reading) && enterSandbox(SandboxStage::Closed) &&
                     errorOf(__NR_openat, AT_FDCWD, path("input").c_str(), O_RDONLY) == EPERM &&
                     errorOf(__NR_socket, AF_INET, SOCK_STREAM, 0) == EPERM;
            }),
            0);
}

TEST_F(Sandbox, ThreadsThatRunAreInsideToo) {
  EXPECT_EQ(inProcess([&] {
              std::atomic<bool> inside = false;
              int error = 0;
              std::thread other([&] {
                inside.wait(false);
                error = errorOf(__NR_socket, AF_INET, SOCK_STREAM, 0);
              });
              const bool entered = bool(enterSandbox(SandboxStage::Reading));
              inside = true;
              inside.notify_one();
              other.join();
              return entered && error == EPERM;
            }),
            0);
}

TEST_F(Sandbox, ReservedOutputsArePutIntoPlace) {
  write("second", "old");
  EXPECT_EQ(inProcess([&] {
              const std::string paths[] = {path("first"), path("second"), path("third")};
              auto reserved = ReservedOutputs::make(paths);
              if (!reserved || !enterSandbox(SandboxStage::Reading) || !enterSandbox(SandboxStage::Closed))
                return false;
              OutputSet set;
              if (!set.stage(paths[0], "one") || !set.stage(paths[1], "two") || set.stage(path("fourth"), "four") ||
                  !set.commit())
                return false;
              return !writeFileAtomically(path("fifth"), "five");
            }),
            0);
  EXPECT_EQ(names(), (std::vector<std::string>{"first", "input", "second"}));
  EXPECT_EQ(read("first"), "one");
  EXPECT_EQ(read("second"), "two");
}

TEST_F(Sandbox, StreamsAreReservedToo) {
  EXPECT_EQ(inProcess([&] {
              const std::string paths[] = {path("stream"), path("dropped")};
              auto reserved = ReservedOutputs::make(paths);
              if (!reserved || !enterSandbox(SandboxStage::Reading))
                return false;
              auto dropped = OutputStream::open(paths[1]);
              (*dropped)->write("half");
              auto stream = OutputStream::open(paths[0]);
              (*stream)->write(std::string(3 << 20, 'x'));
              return bool((*stream)->commit());
            }),
            0);
  EXPECT_EQ(names(), (std::vector<std::string>{"input", "stream"}));
  EXPECT_EQ(read("stream").size(), size_t(3 << 20));
}

TEST_F(Sandbox, AKilledProcessLeavesNothing) {
  write("out", "old");
  const int status = inProcess([&] {
    const std::string paths[] = {path("out")};
    auto reserved = ReservedOutputs::make(paths);
    OutputSet set;
    (void)set.stage(paths[0], "half");
    raise(SIGKILL);
    return true;
  });
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
  for (int tries = 0; names().size() > 2 && tries < 1000; ++tries) // the other process notices the end
    usleep(10'000);
  EXPECT_EQ(names(), (std::vector<std::string>{"input", "out"}));
  EXPECT_EQ(read("out"), "old");
}

TEST_F(Sandbox, LimitsHold) {
  const int time = inProcess([] {
    if (!limitResources({.seconds = 1}))
      return false;
    for (volatile unsigned i = 0;; i = i + 1)
      ;
  });
  EXPECT_TRUE(WIFEXITED(time) && WEXITSTATUS(time) == 1) << time;
}

TEST_F(Sandbox, MemoryIsLimited) {
  EXPECT_EQ(inProcess([] {
              if (!limitResources({.memoryBytes = 256 << 20}))
                return false;
              // Kept from the optimiser, which knows what malloc is for.
              void *volatile small = malloc(64 << 20), *volatile large = malloc(1 << 30);
              return small != nullptr && large == nullptr;
            }),
            0);
}

} // namespace
