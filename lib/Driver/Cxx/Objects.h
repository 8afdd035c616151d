//===- Objects.h - object files of the two passes ---------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DRIVER_CXX_OBJECTS_H
#define PTOSCOPE_LIB_DRIVER_CXX_OBJECTS_H

#include "ptoscope/Driver/CxxCommand.h"

#include <set>
#include <string>
#include <vector>

namespace ptoscope::cxx {

/// Names of the functions that other objects can see. `problem` for files that are
/// no 64-bit ELF objects.
std::vector<std::string> functionsOf(const std::string &object, std::string &problem);

/// Names that the object defines for others, of functions or not, and those of its groups of sections.
std::set<std::string> namesOf(const std::string &object, std::string &problem);

/// A name in the object of a pass that tells which one it is; a file for both kinds has the vector pass's names.
inline const char *passMarker(Cores cores) {
  return cores == Cores::Cube ? "ptoscope_pass_cube" : "ptoscope_pass_vector";
}
/// The pass whose names an object has, Vector or Cube; Unknown for all other files.
Cores passOf(const std::string &object);

/// Gives every name that the object defines for others a prefix, or `only` some, so that no function
/// of it is taken for that of the same file compiled otherwise, and hides it from
/// other shared objects.
bool prefixSymbols(const std::string &object, const std::string &prefix, std::string &problem,
                   const std::set<std::string> *only = nullptr);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_LIB_DRIVER_CXX_OBJECTS_H
