//===- Sandbox.cpp - a process that can hurt no one -----------------------===//
//
// A seccomp filter that lists what is allowed: whatever a kernel of the host may
// learn in the future is refused. What is refused fails with EPERM, so that a
// library which only tries goes on. Filters add up: the second stage is one more.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Sandbox.h"

#include "SystemError.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <unistd.h>

#if defined(__linux__) && (defined(__x86_64__) || defined(__aarch64__))
#define PTOSCOPE_HAS_SANDBOX 1
#include <cstddef>
#include <fcntl.h>
#include <linux/audit.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <vector>
#endif

namespace ptoscope {

//===----------------------------------------------------------------------===//
// Limits
//===----------------------------------------------------------------------===//

static LimitEnd overTime, withoutMemory;

void setLimitEnds(LimitEnd time, LimitEnd memory) {
  overTime = std::move(time);
  withoutMemory = std::move(memory);
}

/// In a signal handler, or without memory: no more than system calls.
[[noreturn]] static void endWith(std::string_view message, const LimitEnd &end) {
  (void)!::write(STDERR_FILENO, message.data(), message.size());
  (void)!::write(STDOUT_FILENO, end.report.data(), end.report.size());
  ::_exit(end.status);
}

static void onTimeOver(int) {
  endWith("error[max-seconds]: the run took more processor time than allowed\n"
          "help: raise `--max-seconds` if the program is just long\n",
          overTime);
}

void endWithoutMemory() {
  endWith("error[max-memory]: there is no more memory for this program\n"
          "help: raise `--max-memory` or the limits of the host, or give smaller arguments\n",
          withoutMemory);
}

Result<void> limitResources(const ResourceLimits &limits) {
  const auto limit = [](auto which, uint64_t most, uint64_t reserve) {
    rlimit now;
    if (::getrlimit(which, &now) != 0)
      return false;
    now.rlim_max = std::min<rlim_t>(now.rlim_max, most + reserve);
    now.rlim_cur = std::min<rlim_t>(now.rlim_max, most);
    return ::setrlimit(which, &now) == 0;
  };
  if (limits.seconds) {
    struct sigaction action = {};
    action.sa_handler = onTimeOver;
    action.sa_flags = SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    // Whoever does not hear the signal is killed a little later.
    if (::sigaction(SIGXCPU, &action, nullptr) != 0 || !limit(RLIMIT_CPU, limits.seconds, 5))
      return makeFinding("usage", {}, "the processor time cannot be limited: " + reasonOf(errno));
  }
  if (limits.memoryBytes && !limit(RLIMIT_DATA, limits.memoryBytes, 0))
    return makeFinding("usage", {}, "the memory cannot be limited: " + reasonOf(errno));
  return {};
}

//===----------------------------------------------------------------------===//
// The filter
//===----------------------------------------------------------------------===//

#ifdef PTOSCOPE_HAS_SANDBOX

namespace {

#if defined(__x86_64__)
constexpr uint32_t kArchitecture = AUDIT_ARCH_X86_64;
#else
constexpr uint32_t kArchitecture = AUDIT_ARCH_AARCH64;
#endif

/// Whatever their arguments.
constexpr int kAllowed[] = {
    // files that are open
    __NR_read,
    __NR_readv,
    __NR_pread64,
    __NR_write,
    __NR_writev,
    __NR_pwrite64,
    __NR_lseek,
    __NR_close,
    __NR_dup,
    __NR_dup3,
    __NR_fstat,
    __NR_ftruncate,
    __NR_fsync,
    __NR_fdatasync,
    __NR_fchmod,
    __NR_ppoll,
    __NR_pselect6,
    // names, without opening what they name
    __NR_newfstatat,
    __NR_statx,
    __NR_faccessat,
    __NR_faccessat2,
    __NR_readlinkat,
    __NR_getcwd,
    __NR_getdents64,
    // memory
    __NR_mmap,
    __NR_munmap,
    __NR_mprotect,
    __NR_mremap,
    __NR_madvise,
    __NR_brk,
    __NR_membarrier,
    // threads and signals of this process
    __NR_futex,
    __NR_rt_sigaction,
    __NR_rt_sigprocmask,
    __NR_rt_sigreturn,
    __NR_sigaltstack,
    __NR_set_robust_list,
    __NR_rseq,
    __NR_set_tid_address,
    __NR_exit,
    __NR_exit_group,
    __NR_wait4,
    __NR_restart_syscall,
    __NR_sched_yield,
    __NR_sched_getaffinity,
    // what the host is, and what time it is
    __NR_getpid,
    __NR_gettid,
    __NR_getuid,
    __NR_geteuid,
    __NR_getgid,
    __NR_getegid,
    __NR_uname,
    __NR_sysinfo,
    __NR_getrusage,
    __NR_getrandom,
    __NR_clock_gettime,
    __NR_clock_getres,
    __NR_clock_nanosleep,
    __NR_nanosleep,
    __NR_gettimeofday,
    __NR_times,
    // a filter on top of this one
    __NR_seccomp,
#if defined(__x86_64__)
    __NR_stat,
    __NR_lstat,
    __NR_access,
    __NR_readlink,
    __NR_dup2,
    __NR_poll,
    __NR_select,
    __NR_time,
    __NR_getrlimit,
#endif
};

class Filter {
public:
  Filter() {
    load(offsetof(seccomp_data, arch));
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, kArchitecture, 1, 0));
    answer(SECCOMP_RET_KILL_PROCESS);
    load(offsetof(seccomp_data, nr));
#if defined(__x86_64__)
    // The same calls under numbers of the x32 interface.
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 0x40000000, 0, 1));
    answer(SECCOMP_RET_KILL_PROCESS);
#endif
  }

  void on(int call, uint32_t result) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 1));
    answer(result);
  }
  void allow(int call) { on(call, SECCOMP_RET_ALLOW); }
  /// Allowed where the low word of argument `i`, masked, is one of `values`; else refused.
  void allowIf(int call, unsigned i, uint32_t mask, std::initializer_list<uint32_t> values) {
    const size_t length = 2 + 2 * values.size() + 1;
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, uint8_t(length)));
    load(offsetof(seccomp_data, args) + i * sizeof(uint64_t));
    code.push_back(BPF_STMT(BPF_ALU | BPF_AND | BPF_K, mask));
    for (uint32_t value : values) {
      code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, value, 0, 1));
      answer(SECCOMP_RET_ALLOW);
    }
    answer(kRefused);
  }
  void allowIfNull(int call, unsigned i) {
    code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, uint32_t(call), 0, 6));
    for (size_t half : {0u, 4u}) {
      load(offsetof(seccomp_data, args) + i * sizeof(uint64_t) + half);
      code.push_back(BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 0, 0, uint8_t(half ? 1 : 3)));
    }
    answer(SECCOMP_RET_ALLOW);
    answer(kRefused);
  }
  void answer(uint32_t result) { code.push_back(BPF_STMT(BPF_RET | BPF_K, result)); }

  /// 0, or an error of the host.
  int install() {
    sock_fprog program{static_cast<unsigned short>(code.size()), code.data()};
    if (::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0)
      return errno;
    const long answered = ::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &program);
    return answered < 0 ? errno : answered > 0 ? EBUSY : 0;
  }

  static constexpr uint32_t kRefused = SECCOMP_RET_ERRNO | EPERM;

private:
  void load(size_t offset) { code.push_back(BPF_STMT(BPF_LD | BPF_W | BPF_ABS, uint32_t(offset))); }

  std::vector<sock_filter> code;
};

/// Without any of these, an open file can only be read.
constexpr uint32_t kWritingFlags = O_ACCMODE | O_CREAT | O_TRUNC | O_APPEND | (O_TMPFILE & ~O_DIRECTORY);

Filter filterOf(SandboxStage stage) {
  Filter filter;
  if (stage == SandboxStage::Closed) {
    filter.on(__NR_openat, Filter::kRefused);
#if defined(__x86_64__)
    filter.on(__NR_open, Filter::kRefused);
#endif
    filter.answer(SECCOMP_RET_ALLOW); // as far as the first stage does
    return filter;
  }
  for (int call : kAllowed)
    filter.allow(call);
  filter.allowIf(__NR_openat, 2, kWritingFlags, {O_RDONLY});
#if defined(__x86_64__)
  filter.allowIf(__NR_open, 1, kWritingFlags, {O_RDONLY});
#endif
  // Threads, not processes. The flags of clone3 are out of a filter's reach; libraries then try clone.
  filter.on(__NR_clone3, SECCOMP_RET_ERRNO | ENOSYS);
  filter.allowIf(__NR_clone, 0, CLONE_THREAD | CLONE_VM, {CLONE_THREAD | CLONE_VM});
  filter.allowIf(__NR_tgkill, 0, ~0u, {uint32_t(::getpid())});
  filter.allowIfNull(__NR_prlimit64, 2); // limits are asked, not set
  filter.allowIf(__NR_prctl, 0, ~0u, {PR_SET_NAME, PR_SET_NO_NEW_PRIVS, PR_GET_NAME});
  filter.allowIf(__NR_ioctl, 1, ~0u, {uint32_t(TCGETS), uint32_t(TIOCGWINSZ)});
  filter.allowIf(__NR_fcntl, 1, ~0u, {F_GETFD, F_SETFD, F_GETFL, F_DUPFD_CLOEXEC});
  filter.answer(Filter::kRefused);
  return filter;
}

} // namespace

#endif // PTOSCOPE_HAS_SANDBOX

Result<void> sandboxAvailable() {
#ifdef PTOSCOPE_HAS_SANDBOX
  // Asks whether the kernel knows the flag; with no program it cannot succeed.
  if (::syscall(__NR_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, nullptr) < 0 && errno == EFAULT)
    return {};
  Finding finding = makeFinding("usage", {}, "this host has no sandbox: seccomp filters: " + reasonOf(errno));
#else
  Finding finding = makeFinding("usage", {}, "this host has no sandbox: it needs Linux on x86-64 or aarch64");
#endif
  finding.help = "run without `--sandbox`, in a container or a virtual machine";
  return finding;
}

Result<void> enterSandbox(SandboxStage stage) {
  if (Result<void> there = sandboxAvailable(); !there)
    return there;
#ifdef PTOSCOPE_HAS_SANDBOX
  if (stage == SandboxStage::Reading) {
    const rlimit none{0, 0};
    ::setrlimit(RLIMIT_CORE, &none);
  }
  if (const int error = filterOf(stage).install())
    return makeFinding("usage", {}, "the sandbox cannot be entered: " + reasonOf(error));
#endif
  return {};
}

} // namespace ptoscope
