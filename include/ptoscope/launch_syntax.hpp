//===- launch_syntax.hpp - kernel<<<n, x, s>>>(…) in C++ --------*- C++ -*-===//
//
// What `ptoscope c++` makes of a launch (LSYN-1), and the same as a function:
//
//   ptoscope_launch(kernel, blocks, stream, arguments…);
//
// A launch runs at once. What it finds is printed; an error is also the answer of
// the next aclrtSynchronizeStream. `ptoscope c++` compiles files that ask for the
// kind of the core once for each kind; a launch looks for the other half of its
// kernel by the place of the launch, or by the address of the kernel.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LAUNCH_SYNTAX_HPP
#define PTOSCOPE_LAUNCH_SYNTAX_HPP

#include "pto/detail/letters_begin.inc"

#include "ptoscope/launch.hpp"
#include "ptoscope/launch_table.hpp"

#include <bit>
#include <typeinfo>

namespace ptoscope::syntax {

/// A launch as the program says it.
struct Launch {
  const char *site;   ///< "file:line:number"; null: no place
  const char *type;   ///< tells instances of a template around the launch apart
  const char *kernel; ///< its name, for metadata; may be empty
  const void *entry;  ///< its address; null: unknown
  const char *arch;   ///< that the file of the launch was compiled for
  Kind kind;          ///< of the file of the launch
  int64_t blocks;
};

/// What is known of the kernel.
struct Plan {
  Kind kind;
  int vectorCores;
  const char *arch;
  void (*site)(void *values); ///< runs the cube half of this place; null: see entry
  const void *entry;          ///< the cube half; null: there is none
};

/// Ends the program with a message if the cube half cannot be found.
PTOSCOPE_API Plan plan(const Launch &launch);
/// Runs it and prints what it finds; 0 or 1, as the functions of the host runtime.
PTOSCOPE_API int run(const Launch &launch, const Plan &plan, const detail::Cores &cores);
/// An error of a launch since the last call.
PTOSCOPE_API bool takeError();

/// The cube half of a place. They form a list, as constructors of several files run in any order.
struct SiteHalf {
  const char *site, *type;
  void (*invoke)(void *values);
  SiteHalf *next;
};
PTOSCOPE_API bool addHalf(SiteHalf &half, const char *site, const char *type);
/// The cube half of a function that was compiled for both kinds of cores. Ends the program with
/// a message if there is none.
PTOSCOPE_API const void *cubeHalf(const void *entry);

#if defined(PTOSCOPE_CORES)
inline constexpr Kind kKind = Kind(PTOSCOPE_CORES);
#else
inline constexpr Kind kKind = Unified;
#endif
#if defined(PTO_NPU_ARCH_A2A3) || (!defined(PTO_NPU_ARCH_A5) && defined(__NPU_ARCH__) && __NPU_ARCH__ == 2201)
inline constexpr const char *kArch = "a3";
#else
inline constexpr const char *kArch = nullptr;
#endif

/// A function as the library sees it, and as C++ does.
template <typename F> struct Entry {
  F *function;
};
template <typename R, typename... P> Entry<R(P...)> entry(R (*function)(P...)) { return {function}; }
template <typename R, typename... P> Entry<R(P...)> entry(R (*function)(P...) noexcept) { return {function}; }
/// Something else that can be called.
template <typename F>
  requires(!std::is_function_v<std::remove_pointer_t<F>>)
std::nullptr_t entry(const F &) {
  return nullptr;
}

/// A copy of a zero, which stood for a null pointer.
struct OrNull {
  int64_t value;
  template <typename T> operator T *() const { return reinterpret_cast<T *>(value); }
  template <typename T>
    requires(std::is_arithmetic_v<T>)
  operator T() const {
    return T(value);
  }
};
template <typename T> decltype(auto) orNull(T &value) {
  if constexpr (std::is_integral_v<T>)
    return OrNull{int64_t(value)};
  else
    return (value);
}

template <typename Tuple, typename Function> void apply(void *values, Function &&function) {
  std::apply(
      [&](auto &...value) {
        if constexpr (std::is_pointer_v<std::remove_cvref_t<Function>> &&
                      !std::is_invocable_v<Function, decltype(value)...>)
          function(orNull(value)...);
        else
          function(value...);
      },
      *static_cast<Tuple *>(values));
}

#ifdef PTOSCOPE_CUBE_PASS
/// Makes the cube half of a place known when the program starts. A function without
/// captures has no state, so any byte is one.
template <typename Place, typename Call, typename Tuple> struct Half {
  static void invoke(void *values) { apply<Tuple>(values, std::bit_cast<Call>(char(0))); }
  static constinit inline SiteHalf half{nullptr, nullptr, invoke, nullptr};
  static inline const bool added = addHalf(half, Place{}(), typeid(Place).name());
};
#endif

/// A call with what the kernel takes, for arguments that have no type of their own: `{1, 2}`.
template <typename Site, typename E> struct Typed {
  void operator()() const { static_cast<const Site *>(this)->start(); }
};
template <typename Site, typename R, typename... P> struct Typed<Site, Entry<R(P...)>> {
  void operator()(P... args) const { static_cast<const Site *>(this)->start(args...); }
};

template <typename Place, typename Call, typename E> struct Site : Typed<Site<Place, Call, E>, E> {
  const char *kernel;
  Call call;
  E entry;
  int64_t blocks;

  Site(const char *kernel, Call call, E entry, int64_t blocks)
      : kernel(kernel), call(call), entry(entry), blocks(blocks) {}
  using Typed<Site, E>::operator();
  template <typename... Args> void operator()(Args... args) const { start(args...); }
  /// Arguments are copied, as a launch does. 0, or 1 after an error.
  template <typename... Args> int start(Args... args) const {
    std::tuple<Args...> values(args...);
    Launch launch{nullptr, nullptr, kernel, nullptr, kArch, kKind, blocks};
    if constexpr (!std::is_null_pointer_v<Place>) {
      launch.site = Place{}();
      launch.type = typeid(Place).name();
#ifdef PTOSCOPE_CUBE_PASS
      if constexpr (std::is_empty_v<Call> && std::is_trivially_copyable_v<Call>)
        (void)&Half<Place, Call, std::tuple<Args...>>::added;
#endif
    }
    if constexpr (!std::is_null_pointer_v<E>)
      launch.entry = reinterpret_cast<const void *>(entry.function);
    const Plan plan = syntax::plan(launch);
    auto own = [&] { apply<std::tuple<Args...>>(&values, call); };
    auto other = [&] {
      if (plan.site)
        return plan.site(&values);
      if constexpr (!std::is_null_pointer_v<E>)
        apply<std::tuple<Args...>>(&values,
                                   reinterpret_cast<decltype(entry.function)>(reinterpret_cast<uintptr_t>(plan.entry)));
    };
    const auto program = []<typename F>(F &f) {
      return detail::CoreProgram{[](void *closure) { (*static_cast<F *>(closure))(); }, &f};
    };
    detail::Cores cores;
    cores.vectorCores = plan.vectorCores;
    cores.unified = plan.kind == Unified;
    const bool hasTwin = plan.site || plan.entry;
    if (plan.kind == Mixed || (plan.kind == Cube && hasTwin))
      cores.cube = program(other);
    else if (plan.kind == Cube)
      cores.cube = program(own);
    if (plan.kind != Cube)
      cores.vector = program(own);
    return syntax::run(launch, plan, cores);
  }
};

/// `F<<<blocks, x, stream>>>`, to be called with the arguments. Streams are in order, and
/// what the second operand reserves has no place in the model.
template <typename Place, typename Call, typename E, typename... Rest>
Site<Place, Call, E> site(Place, const char *kernel, Call call, E entry, int64_t blocks, const Rest &...) {
  static_assert(sizeof...(Rest) <= 3, "kernel<<<blocks, l2ctrl, stream>>>: up to four operands");
  return {kernel, call, entry, blocks};
}

} // namespace ptoscope::syntax

namespace ptoscope::syntax {
/// A kernel by its address. The name is for its metadata.
template <typename R, typename... P, typename... Args>
int launchEntry(const char *name, R (*kernel)(P...), int64_t blocks, Args... args) {
  return site(nullptr, name, [=](auto &...value) { kernel(value...); }, entry(kernel), blocks).start(args...);
}
/// An argument of a launch function whose header is made without the kernel's declaration:
/// integers are as wide as a register, whatever the kernel takes.
template <typename T> auto widened(T value) {
  if constexpr (std::is_integral_v<T> || std::is_enum_v<T>)
    return int64_t(value);
  else
    return value;
}
} // namespace ptoscope::syntax

namespace ptoscope {
/// A kernel that `ptoscope c++` compiled for both kinds of cores, for ptoscope::launch.
template <typename R, typename... P> auto halvesOf(R (*kernel)(P...), int vectorCores = 2) {
  const void *cube = syntax::cubeHalf(reinterpret_cast<const void *>(kernel));
  return mixed(reinterpret_cast<R (*)(P...)>(reinterpret_cast<uintptr_t>(cube)), kernel, vectorCores);
}
} // namespace ptoscope

/// `kernel<<<blocks, nullptr, stream>>>(args…)` for programs that are not rewritten.
template <typename R, typename... P, typename... Args>
int ptoscope_launch(R (*kernel)(P...), int64_t blocks, void *, Args... args) {
  static_assert(std::is_invocable_v<R (*)(P...), Args &...>,
                "ptoscope_launch(kernel, blocks, stream, arguments...): the kernel does not take these arguments");
  return ptoscope::syntax::launchEntry("", kernel, blocks, args...);
}

#define ACLRT_LAUNCH_KERNEL(kernel) aclrtlaunch_##kernel

#include "pto/detail/letters_end.inc"

#endif // PTOSCOPE_LAUNCH_SYNTAX_HPP
