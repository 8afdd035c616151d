//===- Objects.h - object files of the two passes ---------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DRIVER_CXX_OBJECTS_H
#define PTOSCOPE_LIB_DRIVER_CXX_OBJECTS_H

#include <string>
#include <vector>

namespace ptoscope::cxx {

/// Names of the functions that other objects can see. `problem` for files that are
/// no 64-bit ELF objects.
std::vector<std::string> functionsOf(const std::string &object, std::string &problem);

/// Gives every name that the object defines for others a prefix, so that no function
/// of it is taken for that of the same file compiled otherwise, and hides it from
/// other shared objects.
bool prefixSymbols(const std::string &object, const std::string &prefix, std::string &problem);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_LIB_DRIVER_CXX_OBJECTS_H
