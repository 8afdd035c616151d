//===- CxxDriver.h - `ptoscope c++` -----------------------------*- C++ -*-===//

#ifndef PTOSCOPE_DRIVER_CXXDRIVER_H
#define PTOSCOPE_DRIVER_CXXDRIVER_H

#include <span>
#include <string>

namespace ptoscope::cxx {

/// Compiles and links as the words say, in the manner of a C++ compiler (LSYN-9). The status of
/// the compiler; 2 for wrong use.
int compilerMain(std::span<const std::string> words);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_DRIVER_CXXDRIVER_H
