//===- launch_files.hpp - call a kernel with files --------------*- C++ -*-===//
//
//   int main(int argc, char **argv) { return ptoscope::launchFiles(kernel, "kernel", argc, argv); }
//
// For programs that `ptoscope audit` and `ptoscope compare` write around a kernel. The first
// word is the number of blocks; then there is one per parameter: a file with the bytes of a
// pointer's buffer, or a number. `--describe` prints the parameters instead.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LAUNCH_FILES_HPP
#define PTOSCOPE_LAUNCH_FILES_HPP

#include "pto/detail/letters_begin.inc"

#include "ptoscope/launch_syntax.hpp"

#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <string_view>
#include <typeinfo>
#include <vector>

namespace ptoscope::detail {

/// "f32", "i16"; "u8" where nothing better is known.
template <typename T> std::string elementName() {
  using Plain = std::remove_cv_t<T>;
  if constexpr (std::is_void_v<Plain>) {
    return "u8";
  } else {
    const std::string bits = std::to_string(sizeof(Plain) * 8);
    if constexpr (std::is_integral_v<Plain> || std::is_enum_v<Plain>)
      return (std::is_signed_v<Plain> ? "i" : "u") + bits;
    else if constexpr (std::is_floating_point_v<Plain>)
      return "f" + bits;
    else if (sizeof(Plain) == 2)
      return std::string_view(typeid(Plain).name()).find("bf") != std::string_view::npos ? "bf16" : "f16";
    else
      return "u8";
  }
}

/// What a word of the command becomes.
template <typename P> struct FileArgument {
  static constexpr bool kCanBe = std::is_arithmetic_v<P> || std::is_enum_v<P>;
  static std::string describe() { return kCanBe ? "scalar " + elementName<P>() : "other ?"; }
  P value{};
  bool read(const char *word, int) {
    if constexpr (kCanBe) {
      char *end = nullptr;
      if constexpr (std::is_floating_point_v<P>)
        value = P(std::strtod(word, &end));
      else
        value = P(std::strtoll(word, &end, 0));
      return end != word && !*end;
    }
    return false;
  }
};
template <typename T> struct FileArgument<T *> {
  static std::string describe() { return "pointer " + elementName<T>(); }
  T *value = nullptr;
  std::vector<char> bytes; ///< aligned as new does it
  std::string name;
  std::unique_ptr<Registration> registration;
  bool read(const char *word, int number) {
    std::ifstream in(word, std::ios::binary);
    if (!in)
      return false;
    bytes.assign(std::istreambuf_iterator<char>(in), {});
    name = "argument " + std::to_string(number);
    constexpr size_t kAlignment = 512;
    const size_t size = bytes.size();
    bytes.resize(size + kAlignment);
    char *aligned = bytes.data();
    aligned += (kAlignment - reinterpret_cast<uintptr_t>(aligned) % kAlignment) % kAlignment;
    std::char_traits<char>::move(aligned, bytes.data(), size);
    registration = std::make_unique<Registration>(aligned, size, name.c_str());
    value = reinterpret_cast<T *>(aligned);
    return true;
  }
};

} // namespace ptoscope::detail

namespace ptoscope {

/// 0, 1 after an error of the launch, 2 for words that cannot be arguments.
template <typename R, typename... P> int launchFiles(R (*kernel)(P...), const char *name, int argc, char **argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--describe") {
    (std::puts(detail::FileArgument<P>::describe().c_str()), ...);
    return 0;
  }
  std::tuple<detail::FileArgument<P>...> arguments;
  if (argc != int(sizeof...(P)) + 2) {
    std::fprintf(stderr, "%s takes %d arguments\n", name, int(sizeof...(P)));
    return 2;
  }
  int at = -1;
  const auto read = [&](auto &argument) {
    ++at;
    return argument.read(argv[2 + at], at);
  };
  if (!std::apply([&](auto &...argument) { return (... && read(argument)); }, arguments)) {
    std::fprintf(stderr, "%s: argument %d cannot be `%s`\n", name, at, argv[2 + at]);
    return 2;
  }
  return std::apply(
      [&](auto &...argument) {
        return syntax::launchEntry(name, kernel, std::strtoll(argv[1], nullptr, 0), argument.value...);
      },
      arguments);
}

} // namespace ptoscope

#include "pto/detail/letters_end.inc"

#endif // PTOSCOPE_LAUNCH_FILES_HPP
