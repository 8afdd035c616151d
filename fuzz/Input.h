//===- Input.h - what fuzz targets share ------------------------*- C++ -*-===//
//
// A target takes bytes that may be anything. It ends by itself, whatever they are;
// what must hold afterwards it states with `require`.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_FUZZ_INPUT_H
#define PTOSCOPE_FUZZ_INPUT_H

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed);
extern "C" size_t LLVMFuzzerCustomCrossOver(const uint8_t *first, size_t firstSize, const uint8_t *second,
                                            size_t secondSize, uint8_t *out, size_t maxSize, unsigned seed);

namespace ptoscope::fuzz {

/// Ends the process where `holds` is false: the fuzzer keeps the input.
inline void require(bool holds, const std::string &what) {
  if (holds)
    return;
  fprintf(stderr, "requirement not met: %s\n", what.c_str());
  abort();
}

inline std::string_view textOf(const uint8_t *data, size_t size) {
  return {reinterpret_cast<const char *>(data), size};
}

/// Choices that an input makes by its bytes, so that a file alone repeats them (FNV-1a).
inline uint64_t hashOf(std::string_view bytes) {
  uint64_t hash = 0xcbf29ce484222325;
  for (char c : bytes)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hash;
}

/// Copies as much of `text` as there is room for.
inline size_t give(std::string_view text, uint8_t *out, size_t maxSize) {
  const size_t size = text.size() < maxSize ? text.size() : maxSize;
  text.copy(reinterpret_cast<char *>(out), size);
  return size;
}

} // namespace ptoscope::fuzz

#endif // PTOSCOPE_FUZZ_INPUT_H
