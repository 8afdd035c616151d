//===- Generated.h - texts that `ptoscope c++` writes -----------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DRIVER_CXX_GENERATED_H
#define PTOSCOPE_LIB_DRIVER_CXX_GENERATED_H

#include "ptoscope/Driver/CxxCommand.h"

#include <set>

namespace ptoscope::cxx {

/// In front of names that the cube pass of a mixed file defines.
inline constexpr const char *kCubePrefix = "__ptoscope_cube_";

/// Launch functions of kernels that other builds generate headers for (LSYN-4).
std::string launchFunctions(const std::set<std::string> &kernels);

/// The table of the functions of a file, for <ptoscope/launch_table.hpp> (LSYN-8). Functions of the
/// standard library and of our headers are no kernels.
std::string tableOf(const std::vector<std::string> &functions, Cores cores, Target target);

/// Dependencies of a make file without those in `folder`, which is gone when a build system
/// looks for them.
std::string dependenciesOutside(const std::string &folder, const std::string &text);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_LIB_DRIVER_CXX_GENERATED_H
