//===- CxxCommand.h - a compiler's command line -----------------*- C++ -*-===//
//
// `ptoscope c++` stands in for a compiler. It understands the words that it has
// to, gives the rest to the real one, and drops those that only compilers for the
// device know (LSYN-10).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_DRIVER_CXXCOMMAND_H
#define PTOSCOPE_DRIVER_CXXCOMMAND_H

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope::cxx {

/// By the end of its name.
inline bool isCxxSource(std::string_view path) {
  for (std::string_view ending : {".cpp", ".cc", ".cxx", ".c++", ".C", ".cp", ".CPP", ".cce", ".asc"})
    if (path.size() > ending.size() && path.ends_with(ending))
      return true;
  return false;
}

enum class Target : unsigned char { Unknown, A3, A5 };
/// The first four are those of ptoscope::syntax::Kind. CubeHalf: the vector half of the kernel is another file.
enum class Cores : unsigned char { Unified, Vector, Cube, Mixed, CubeHalf, Unknown };

/// A word of the command, and what it is for.
struct Word {
  enum Use : unsigned char {
    Source,     ///< a C++ file
    Input,      ///< an object, a library, a file of another language
    Preprocess, ///< -I, -D and their kin; `value` if that is a word of its own
    Compile,    ///< everything else: given to each step
    Link,
  } use;
  std::string text;
  std::string value; ///< the next word, which belongs to this one

  void appendTo(std::vector<std::string> &words) const {
    words.push_back(text);
    if (!value.empty())
      words.push_back(value);
  }
};

struct Command {
  enum Goal : unsigned char { LinkIt, Compile, Assembly, Preprocess, Syntax } goal = LinkIt;
  std::vector<Word> words;
  std::string output;
  // Dependencies of a source, for build systems.
  bool dependencies = false;
  bool systemDependencies = true; ///< -MD, not -MMD
  std::string dependencyFile;
  std::vector<std::string> dependencyTargets; ///< "-MT", "x.o", …
  // What flags of device builds say.
  Target target = Target::Unknown;
  bool is3510 = false; ///< the newer of the two numbers of A5
  Cores cores = Cores::Unknown;
  bool bothCores = false; ///< an architecture without a kind: both passes
  bool hostProfile = false;
  bool isShared = false, isStatic = false, verbose = false, keep = false, help = false;
  bool readsInput = false; ///< `-`: the source is the standard input
  bool hasStandard = false;
  bool raised = false;              ///< the program asks for an older standard than C++20
  std::vector<std::string> defined; ///< names of -D

  bool hasSources() const;
  bool hasInputs() const;
  bool defines(std::string_view name) const;
};

/// Words of response files in place of `@file`. Nothing: a file cannot be read.
std::optional<std::vector<std::string>> expandResponseFiles(std::span<const std::string> words, std::string &problem);
/// Never fails on words that it does not know; `problem` is about words of ours.
Command parseCommand(std::span<const std::string> words, std::string &problem);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_DRIVER_CXXCOMMAND_H
