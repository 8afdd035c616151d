//===- launch.hpp - run a tile kernel ---------------------------*- C++ -*-===//
//
//   ptoscope::Result result = ptoscope::launch(kernel, 8, ptoscope::buffer(x, n), y, n);
//   if (!result.ok())
//     result.print();
//
// A kernel is anything that can be called with the arguments; every block calls it
// once, with copies. mixed(cube, vector) has a program for each kind of core. Global memory is the host's: buffers are
// registered by passing them, as buffer(pointer, count), or as a container (vector, array, span), which the kernel gets
// as a pointer; by a Registration; or by aclrtMalloc. A pointer to anything else is a finding when an instruction uses
// it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LAUNCH_HPP
#define PTOSCOPE_LAUNCH_HPP

#include "pto/detail/letters_begin.inc"

#include <cstddef>
#include <cstdint>
#include <tuple>
#include <type_traits>
#include <utility>

namespace ptoscope {

#define PTOSCOPE_API [[gnu::visibility("default")]]

/// How a launch runs and what it checks.
struct Options {
  const char *arch = nullptr; ///< "a5", "a3" or "a2"; null: a5
  bool race = true;           ///< accesses in no order
  bool memory = true;         ///< bounds and alignment
  bool init = true;           ///< bytes that were never written
  bool sync = true;           ///< flags and barriers
  enum Order : uint8_t { Eager, Lazy, Random } schedule = Eager;
  uint64_t seed = 0; ///< of the random schedule
  unsigned threads = 1;
  size_t maxFindings = 20;
  uint64_t maxSteps = 0; ///< of a block; 0: any number
  uint32_t ubBytes = 0;  ///< size of the memory of Vec tiles; 0: that of the target
  bool fullFill = false; ///< TLOAD writes the whole tile, as host simulators do
  uint64_t cookie = 0;   ///< get_task_cookie
  bool timing = false;   ///< Result::cycles says how long the launch takes on the target
  /// Figures to time it with, instead of those of the target; null: those.
  const char *timingFile = nullptr;
  bool stats = false; ///< Result::stats says where the cycles go
  /// A timeline of the launch (.pftrace, .json), and a page about it (.html; .json: its data);
  /// docs/profiling.md, docs/report.md. Null: none.
  const char *trace = nullptr, *report = nullptr;

  /// Nothing is checked: as fast as it gets.
  Options &unchecked() {
    race = memory = init = sync = false;
    return *this;
  }
};

/// One report.
struct FindingView {
  const char *code;     ///< stable: "race-raw"
  const char *severity; ///< "error", "warning", "remark"
  const char *message;
  const char *file; ///< of the program; empty when there is no place
  uint32_t line, column;
  uint64_t count; ///< how often it was seen
};

/// Where the cycles of a launch went, by the timing model (docs/profiling.md). Cycles of a pipe
/// are the mean over the cores that ran blocks.
struct StatsView {
  struct Pipe {
    const char *core; ///< "AIC", "AIV0", "AIV1"
    const char *name; ///< "MTE2", "VECTOR"
    double busy, waiting, idle;
    uint64_t instructions, bytes;
  };
  struct Advice {
    const char *code, *message;
    double saves; ///< cycles
  };
  double cycles;
  double overlap;    ///< share of the time in which two or more pipes are busy
  const char *bound; ///< the pipe that is busy longest; empty: none
  double roofline;   ///< cycles if that pipe never paused
  const Pipe *pipes;
  size_t pipeCount;
  const Advice *advice; ///< most cycles first
  size_t adviceCount;
  const char *table, *lines, *json; ///< as `ptoscope run --stats` prints them
};

class PTOSCOPE_API Result {
public:
  Result() = default;
  Result(Result &&other) noexcept : data(std::exchange(other.data, nullptr)) {}
  Result &operator=(Result &&other) noexcept {
    std::swap(data, other.data);
    return *this;
  }
  ~Result();

  /// No errors, and every block came to its end.
  bool ok() const;
  bool completed() const;
  size_t size() const;
  FindingView operator[](size_t i) const;
  bool has(const char *code) const;
  enum Format : uint8_t { Text, Json, Sarif };
  /// All findings: as text with source lines where they are to be had, or for
  /// programs, with the lines to insert as edits. Lives as long as the result.
  const char *text(Format format = Text) const;
  /// To the standard error stream.
  void print() const;
  /// Instructions executed by the pipes of all blocks.
  uint64_t instructions() const;
  /// Of a launch with Options::timing that came to its end: cycles from the first core's
  /// begin to the last one's end, and the time with the start of the launch. Else 0.
  double cycles() const;
  double microseconds() const;
  /// Of a launch with Options::stats that came to its end; else null. Lives as long as the result.
  const StatsView *stats() const;

  struct Data;
  explicit Result(Data *owned) : data(owned) {}

private:
  Data *data = nullptr;
};

/// Memory that a kernel may reach; passed to a kernel it is the pointer.
template <typename T> struct Buffer {
  T *pointer;
  size_t count;
  const char *name;
};
template <typename T> Buffer<T> buffer(T *pointer, size_t count, const char *name = nullptr) {
  return {pointer, count, name};
}

/// Registers memory for all launches and direct calls during its life.
class PTOSCOPE_API Registration {
public:
  template <typename T>
  Registration(T *pointer, size_t count, const char *name = nullptr)
      : Registration(const_cast<std::remove_cv_t<T> *>(pointer), count * sizeof(T), std::is_const_v<T>, name) {}
  ~Registration();
  Registration(const Registration &) = delete;
  Registration &operator=(const Registration &) = delete;

private:
  Registration(void *pointer, size_t bytes, bool readOnly, const char *name);
  void *const pointer;
};

/// Kernels called directly, without a launch, run on a core of the calling thread.
/// Lets it finish, prints what was found since the last call, and says whether that
/// holds no error. Called by aclrtSynchronizeStream, and at the thread's end.
PTOSCOPE_API bool finishDirectCalls();

namespace detail {
struct BufferRef {
  void *pointer;
  size_t bytes;
  const char *name;
  bool readOnly;
};
PTOSCOPE_API Result launch(const Options &options, int64_t blocks, const BufferRef *buffers, size_t count,
                           void (*invoke)(void *), void *kernel);
/// What one kind of core runs; nothing where `invoke` is null.
struct CoreProgram {
  void (*invoke)(void *) = nullptr;
  void *closure = nullptr;
};
struct Cores {
  CoreProgram cube, vector;
  int vectorCores = 2;      ///< for each cube core, where both have a program
  bool unified = false;     ///< `vector` runs on cores that have all pipes and memories
  bool messageArea = false; ///< cores know where their signals go without set_ffts_base_addr
  int devices = 0;          ///< of a world (world.hpp); 0: one, outside worlds
};
PTOSCOPE_API Result launchCores(const Options &options, int64_t blocks, const BufferRef *buffers, size_t count,
                                const Cores &cores);

template <typename C>
concept Container = requires(C &c) {
  c.data();
  c.size();
  requires std::is_pointer_v<decltype(c.data())>;
};

/// What the kernel gets for an argument, and what is registered for it.
template <typename T> struct Argument {
  using Type = std::decay_t<T>;
  static Type value(T &&argument) { return std::forward<T>(argument); }
  static BufferRef registered(const T &) { return {nullptr, 0, nullptr, false}; }
};
template <typename T> BufferRef refOf(T *pointer, size_t count, const char *name) {
  return {const_cast<std::remove_cv_t<T> *>(pointer), count * sizeof(T), name, std::is_const_v<T>};
}
template <typename T>
  requires Container<std::remove_reference_t<T>>
struct Argument<T> {
  using Type = decltype(std::declval<std::remove_reference_t<T> &>().data());
  static Type value(std::remove_reference_t<T> &argument) { return argument.data(); }
  static Type value(std::remove_reference_t<T> &&argument) { return argument.data(); }
  static BufferRef registered(std::remove_reference_t<T> &argument) {
    return refOf(argument.data(), argument.size(), nullptr);
  }
};
template <typename T> struct BufferArgument {
  using Type = T *;
  static Type value(const Buffer<T> &argument) { return argument.pointer; }
  static BufferRef registered(const Buffer<T> &argument) {
    return refOf(argument.pointer, argument.count, argument.name);
  }
};
template <typename T> struct Argument<Buffer<T>> : BufferArgument<T> {};
template <typename T> struct Argument<Buffer<T> &> : BufferArgument<T> {};
template <typename T> struct Argument<const Buffer<T> &> : BufferArgument<T> {};
} // namespace detail

/// What the two kinds of cores run; see mixed, cubeOnly and vectorOnly.
template <typename Cube, typename Vector> struct CoreKernel {
  Cube cube;
  Vector vector;
  int vectorCores;
};
namespace detail {
/// In place of the program of a kind of core that does not take part.
struct NoProgram {};
template <typename T> inline constexpr bool kIsCoreKernel = false;
template <typename C, typename V> inline constexpr bool kIsCoreKernel<CoreKernel<C, V>> = true;

/// A function of the kernel, and how it is called on a core.
template <typename Function, typename Call> struct Bound {
  Function &function;
  const Call &call;
  CoreProgram program() {
    if constexpr (std::is_same_v<std::remove_cv_t<Function>, NoProgram>) {
      return {};
    } else {
      if constexpr (std::is_pointer_v<Function>)
        if (!function)
          return {};
      return {[](void *self) { static_cast<Bound *>(self)->call(static_cast<Bound *>(self)->function); }, this};
    }
  }
};

/// Launches a kernel of either form; `call` calls one of its functions.
template <typename Kernel, typename Call>
Result launchKernel(const Options &options, int64_t blocks, const BufferRef *buffers, size_t count, Kernel &kernel,
                    const Call &call, Cores cores = {}) {
  if constexpr (kIsCoreKernel<std::remove_cv_t<Kernel>>) {
    Bound<decltype(kernel.cube), Call> cube{const_cast<decltype(kernel.cube) &>(kernel.cube), call};
    Bound<decltype(kernel.vector), Call> vector{const_cast<decltype(kernel.vector) &>(kernel.vector), call};
    cores.cube = cube.program();
    cores.vector = vector.program();
    cores.vectorCores = kernel.vectorCores;
    return launchCores(options, blocks, buffers, count, cores);
  } else {
    Bound<Kernel, Call> function{kernel, call};
    cores.vector = function.program();
    cores.unified = true;
    return launchCores(options, blocks, buffers, count, cores);
  }
}
} // namespace detail

/// A kernel of clusters: each block is a cube core, which calls `cube`, and one or two
/// vector cores, which call `vector`, all with the same arguments.
template <typename Cube, typename Vector>
CoreKernel<std::decay_t<Cube>, std::decay_t<Vector>> mixed(Cube &&cube, Vector &&vector, int vectorCores = 2) {
  return {std::forward<Cube>(cube), std::forward<Vector>(vector), vectorCores};
}
/// A kernel of which each block is one core of that kind. A plain function runs on
/// cores that have the pipes and memories of both.
template <typename Cube> CoreKernel<std::decay_t<Cube>, detail::NoProgram> cubeOnly(Cube &&cube) {
  return {std::forward<Cube>(cube), {}, 2};
}
template <typename Vector> CoreKernel<detail::NoProgram, std::decay_t<Vector>> vectorOnly(Vector &&vector) {
  return {{}, std::forward<Vector>(vector), 2};
}

template <typename Kernel, typename... Args>
Result launch(const Options &options, Kernel &&kernel, int64_t blocks, Args &&...args) {
  const detail::BufferRef buffers[sizeof...(Args) + 1] = {detail::Argument<Args>::registered(args)...};
  std::tuple<typename detail::Argument<Args>::Type...> values(
      detail::Argument<Args>::value(std::forward<Args>(args))...);
  const auto call = [&values](auto &function) {
    std::apply([&](const auto &...value) { function(value...); }, values);
  };
  return detail::launchKernel(options, blocks, buffers, sizeof...(Args), kernel, call);
}
template <typename Kernel, typename... Args>
  requires(!std::is_same_v<std::remove_cvref_t<Kernel>, Options>)
Result launch(Kernel &&kernel, int64_t blocks, Args &&...args) {
  return launch(Options{}, std::forward<Kernel>(kernel), blocks, std::forward<Args>(args)...);
}

} // namespace ptoscope

#include "pto/detail/letters_end.inc"

#endif // PTOSCOPE_LAUNCH_HPP
