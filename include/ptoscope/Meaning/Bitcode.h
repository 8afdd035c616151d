//===- Bitcode.h - the meanings as LLVM bitcode -----------------*- C++ -*-===//
//
// The meanings compiled for the code generator, which links and inlines them.
// One function `ptom_<op>_<variant>` per meaning and element type or variant, in
// modules of a few dozen, so that a kernel reads little beside what it uses. A
// function may call one of another module. Lane-wise ones (Lanes.h) take and return plain vector values
// of 64 bytes: <16 x float>, <32 x half>, <32 x i16> for bf16, <N x iK>. Those on
// whole registers, mask images and UB (Rearrange.h, Masks.h, Memory.h, Streams.h)
// take pointers, results first. The modules hold generic IR only, for whatever
// host: the reader sets triple and data layout and drops the target attributes
// of the functions.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_BITCODE_H
#define PTOSCOPE_MEANING_BITCODE_H

#include <span>
#include <string_view>

namespace ptoscope {

struct MeaningPart {
  std::string_view name;
  std::span<const unsigned char> bitcode; ///< of the module that defines it; aligned to 8 bytes
};

/// Ordered by name; lives as long as the program.
std::span<const MeaningPart> meaningParts();

} // namespace ptoscope

#endif // PTOSCOPE_MEANING_BITCODE_H
