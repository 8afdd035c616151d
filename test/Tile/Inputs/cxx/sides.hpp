// Kernels that count which cores run them, in a file for both kinds of cores.
#pragma once
#include <pto/pto-inst.hpp>

#if defined(__DAV_CUBE__) && defined(__DAV_VEC__)
#error "a pass has both macros"
#endif

struct Counts {
  int cube = 0, vector = 0, second = 0; // second: runs of the second vector core
};
struct Arguments {
  Counts *counts;
  int times;
};

// The same name, another body in each pass: a linker that joined the two would lose one.
inline void note(Counts *counts, int times) {
#ifdef __DAV_CUBE__
  counts->cube += times;
#endif
#ifdef __DAV_VEC__
  counts->vector += times;
  counts->second += get_subblockid() == 1 ? times : 0;
#endif
}
// So would a variable.
template <int N> inline int perPass = N;

#define LAUNCH(kernel, blocks, ...) kernel<<<(blocks), nullptr, stream>>>(__VA_ARGS__)
