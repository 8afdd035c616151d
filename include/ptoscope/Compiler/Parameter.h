//===- Parameter.h - what a kernel takes, and what it is given --*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_PARAMETER_H
#define PTOSCOPE_COMPILER_PARAMETER_H

#include <cstdint>
#include <span>
#include <string>
#include <variant>

namespace ptoscope {

struct Parameter {
  std::string name; ///< as written: "%arg0"
  std::string type; ///< as written: "!pto.ptr<f32, gm>"
  bool isPointer = false;
  std::string element; ///< pointer element or scalar type: "f32", "i32", "index"; empty = unknown
  unsigned bytes = 0;  ///< of the element; 0 = unknown
};

/// A kernel argument: the raw bits of a scalar, or a buffer that the kernel
/// reads and writes in place.
using Argument = std::variant<uint64_t, std::span<uint8_t>>;

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_PARAMETER_H
