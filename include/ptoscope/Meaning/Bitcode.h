//===- Bitcode.h - the meanings as LLVM bitcode -----------------*- C++ -*-===//
//
// The meanings compiled for the code generator, which links and inlines them.
// The module holds one function `ptom_<op>_<variant>` per meaning and element
// type or variant. Lane-wise ones (Lanes.h) take and return plain vector values
// of 64 bytes: <16 x float>, <32 x half>, <32 x i16> for bf16, <N x iK>. Those on
// whole registers, mask images and UB (Rearrange.h, Masks.h, Memory.h, Streams.h)
// take pointers, results first. The module holds generic IR only, for whatever
// host: the reader sets triple and data layout and drops the target attributes
// of the functions.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_BITCODE_H
#define PTOSCOPE_MEANING_BITCODE_H

#include <span>

namespace ptoscope {

/// Aligned to 8 bytes; lives as long as the program.
std::span<const unsigned char> laneBitcode();

} // namespace ptoscope

#endif // PTOSCOPE_MEANING_BITCODE_H
