//===- LaunchSyntax.h - launches as C++ -------------------------*- C++ -*-===//

#ifndef PTOSCOPE_DRIVER_LAUNCHSYNTAX_H
#define PTOSCOPE_DRIVER_LAUNCHSYNTAX_H

#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope::cxx {

/// One `F<<<n, x, s>>>` that was found.
struct LaunchSite {
  std::string file;   ///< as the text's line markers have it, between its quotes
  unsigned line;      ///< of `<<<`
  std::string callee; ///< F, its tokens with a space between them
  std::string kernel; ///< the last name of it; empty where F is no name
  /// The text has a function of that name with its body; or a declaration; or neither, so
  /// it is a variable or a template argument.
  enum Form : unsigned char { Defined, Declared, Value } form;
};

struct Rewritten {
  std::string text;
  std::vector<LaunchSite> sites;
  std::vector<std::string> problems; ///< launches that are not complete, as a compiler would put it
};

/// Writes every `F<<<n, x, s>>>(a…)` of preprocessed text as a call of
/// <ptoscope/launch_syntax.hpp> (LSYN-1). `file` is the name of lines before the first line
/// marker. Everything stays on its line.
Rewritten rewriteLaunches(std::string_view text, std::string_view file);

/// Moves calls in preprocessed text to the columns that they have in their files (LSYN-2): macros, comments and
/// launches that stand in front of a call on its line have other lengths in the text. `read` gives the text of a file;
/// false: calls of it stay where they are.
std::string restoreColumns(std::string_view text,
                           const std::function<bool(const std::string &path, std::string &contents)> &read);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_DRIVER_LAUNCHSYNTAX_H
