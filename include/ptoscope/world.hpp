//===- world.hpp - several devices in one process ---------------*- C++ -*-===//
//
//   auto world = ptoscope::world(4);
//   auto data = world.symmetric<float>(n), sum = world.symmetric<float>(n);
//   auto done = world.symmetric<int32_t>(1);
//   ptoscope::Result result = world.run(kernel, blocks, world.context(), data, sum, done);
//
// Each device (rank) runs the kernel with `blocks` blocks, all at the same time, and has a
// window of memory that the others reach. An argument is the same for all ranks, as with
// launch, or one for each: symmetric memory, the context, perRank(container), and
// perRank(function), which is called with the rank.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_WORLD_HPP
#define PTOSCOPE_WORLD_HPP

#include "pto/detail/letters_begin.inc"

#include "ptoscope/launch.hpp"

#include <vector>

namespace ptoscope {

/// What a kernel finds in GM about its rank and the others (COMM-3). Programs mostly have
/// a declaration of their own.
struct CommDeviceContext {
  uint64_t workSpace, workSpaceSize;
  uint32_t rankId, rankNum;
  uint64_t winSize;
  uint64_t windowsIn[64], windowsOut[64];
};
static_assert(sizeof(CommDeviceContext) == 1056);

class World;

/// Memory at the same place of every window. Passed to a kernel it is the rank's own copy.
template <typename T> class Symmetric {
public:
  /// The copy of a rank.
  T *at(int rank) const { return reinterpret_cast<T *>(windows[rank] + offset); }
  T *operator[](int rank) const { return at(rank); }
  size_t size() const { return count; }

private:
  friend class World;
  Symmetric(uint8_t *const *windows, size_t offset, size_t count) : windows(windows), offset(offset), count(count) {}
  uint8_t *const *windows;
  size_t offset, count;
};

/// The context of a rank, as whatever pointer or number the kernel takes.
struct ContextPointer {
  CommDeviceContext *pointer;
  template <typename T> operator T *() const { return reinterpret_cast<T *>(pointer); }
  operator uint64_t() const { return reinterpret_cast<uint64_t>(pointer); }
  CommDeviceContext *operator->() const { return pointer; }
};

/// One argument for each rank: elements of a container, or what a function of the rank
/// gives.
template <typename C> struct PerRank {
  C values;
};
template <typename C> PerRank<C> perRank(C &&values) { return {std::forward<C>(values)}; }

namespace detail {
/// Memory of an argument; `rank` is -1 where all ranks get the same.
struct WorldBuffer {
  BufferRef ref;
  int argument, rank;
};
struct ContextOfRank {};
/// The rank of the core that runs.
PTOSCOPE_API int rankHere();

template <typename T> struct WorldArgument {
  static void note(std::vector<WorldBuffer> &buffers, T &value, int number, int) {
    buffers.push_back({Argument<T &>::registered(value), number, -1});
  }
  static auto value(const World &, T &value, int) { return typename Argument<T &>::Type(Argument<T &>::value(value)); }
};
template <typename T> struct WorldArgument<Symmetric<T>> {
  static void note(std::vector<WorldBuffer> &, Symmetric<T> &, int, int) {}
  static T *value(const World &, Symmetric<T> &value, int rank) { return value.at(rank); }
};
template <typename T> struct WorldArgument<const Symmetric<T>> {
  static void note(std::vector<WorldBuffer> &, const Symmetric<T> &, int, int) {}
  static T *value(const World &, const Symmetric<T> &value, int rank) { return value.at(rank); }
};
template <typename C> struct WorldArgument<PerRank<C>> {
  static decltype(auto) of(PerRank<C> &value, int rank) {
    if constexpr (std::is_invocable_v<C &, int>)
      return value.values(rank);
    else
      return (value.values[size_t(rank)]);
  }
  using Element = decltype(of(std::declval<PerRank<C> &>(), 0));
  static void note(std::vector<WorldBuffer> &buffers, PerRank<C> &value, int number, int ranks) {
    if constexpr (std::is_lvalue_reference_v<Element>)
      for (int rank = 0; rank < ranks; ++rank)
        buffers.push_back({Argument<Element>::registered(of(value, rank)), number, rank});
  }
  static auto value(const World &, PerRank<C> &value, int rank) {
    return typename Argument<Element>::Type(Argument<Element>::value(of(value, rank)));
  }
};
template <typename C> struct WorldArgument<const PerRank<C>> : WorldArgument<PerRank<C>> {
  static void note(std::vector<WorldBuffer> &buffers, const PerRank<C> &value, int number, int ranks) {
    WorldArgument<PerRank<C>>::note(buffers, const_cast<PerRank<C> &>(value), number, ranks);
  }
  static auto value(const World &world, const PerRank<C> &value, int rank) {
    return WorldArgument<PerRank<C>>::value(world, const_cast<PerRank<C> &>(value), rank);
  }
};
} // namespace detail

/// Devices with a window each. Windows keep their contents from run to run; they begin
/// as zeros.
class PTOSCOPE_API World {
public:
  static constexpr int kMaxDevices = 64;

  explicit World(int devices, size_t windowBytes = size_t(1) << 20);
  World(World &&other) noexcept : data(std::exchange(other.data, nullptr)) {}
  World &operator=(World &&) = delete;
  ~World();

  int size() const;
  size_t windowBytes() const;
  /// Null for a rank that does not exist.
  uint8_t *window(int rank) const;
  /// `count` elements in each window, zero, at a multiple of 512 bytes. All have size 0
  /// when the windows are full; the next run reports that.
  template <typename T> Symmetric<T> symmetric(size_t count) {
    size_t offset = take(count * sizeof(T));
    return {table(), offset == SIZE_MAX ? 0 : offset, offset == SIZE_MAX ? 0 : count};
  }
  /// What kernels get to know their rank and the windows of all.
  detail::ContextOfRank context() const { return {}; }
  ContextPointer contextOf(int rank) const;

  template <typename Kernel, typename... Args>
  Result run(const Options &options, Kernel &&kernel, int64_t blocks, Args &&...args) {
    std::vector<detail::WorldBuffer> buffers;
    int number = 0;
    (detail::WorldArgument<std::remove_reference_t<Args>>::note(buffers, args, number++, size()), ...);
    const auto bind = [&](auto &function) {
      return [&] {
        if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(function)>, detail::NoProgram>)
          function(detail::WorldArgument<std::remove_reference_t<Args>>::value(*this, args, detail::rankHere())...);
      };
    };
    const auto program = []<typename Call>(Call &call) {
      return detail::CoreProgram{[](void *f) { (*static_cast<Call *>(f))(); }, &call};
    };
    detail::Cores cores;
    if constexpr (detail::kIsCoreKernel<std::remove_cvref_t<Kernel>>) {
      auto cube = bind(kernel.cube);
      auto vector = bind(kernel.vector);
      if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(kernel.cube)>, detail::NoProgram>)
        cores.cube = program(cube);
      if constexpr (!std::is_same_v<std::remove_cvref_t<decltype(kernel.vector)>, detail::NoProgram>)
        cores.vector = program(vector);
      cores.vectorCores = kernel.vectorCores;
      return runAll(options, blocks, buffers.data(), buffers.size(), cores);
    } else {
      auto call = bind(kernel);
      cores.vector = program(call);
      cores.unified = true;
      return runAll(options, blocks, buffers.data(), buffers.size(), cores);
    }
  }
  template <typename Kernel, typename... Args>
    requires(!std::is_same_v<std::remove_cvref_t<Kernel>, Options>)
  Result run(Kernel &&kernel, int64_t blocks, Args &&...args) {
    return run(Options{}, std::forward<Kernel>(kernel), blocks, std::forward<Args>(args)...);
  }

private:
  size_t take(size_t bytes);
  uint8_t *const *table() const;
  Result runAll(const Options &options, int64_t blocks, const detail::WorldBuffer *buffers, size_t count,
                detail::Cores cores);

  struct Data;
  Data *data;
};

/// `devices` simulated devices, 1 to 64.
inline World world(int devices, size_t windowBytes = size_t(1) << 20) { return World(devices, windowBytes); }

namespace detail {
template <> struct WorldArgument<ContextOfRank> {
  static void note(std::vector<WorldBuffer> &, const ContextOfRank &, int, int) {}
  static ContextPointer value(const World &world, const ContextOfRank &, int rank) { return world.contextOf(rank); }
};
template <> struct WorldArgument<const ContextOfRank> : WorldArgument<ContextOfRank> {};
} // namespace detail

} // namespace ptoscope

#include "pto/detail/letters_end.inc"

#endif // PTOSCOPE_WORLD_HPP
