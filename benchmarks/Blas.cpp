//===- Blas.cpp - what products of matrices are compared with -------------===//

#include "Blas.h"

#include <cstdio>
#include <cstdlib>
#include <dlfcn.h>

bench::Sgemm bench::openBlas() {
#if defined(__x86_64__)
  // Releases take processors younger than themselves for the oldest ones.
  setenv("OPENBLAS_CORETYPE",
         __builtin_cpu_supports("avx512vl") ? "SkylakeX"
         : __builtin_cpu_supports("avx2")   ? "Haswell"
                                            : "Nehalem",
         0);
#endif
  void *library = dlopen("libopenblas.so.0", RTLD_NOW | RTLD_LOCAL);
  if (!library)
    return nullptr;
  auto threads = reinterpret_cast<void (*)(int)>(dlsym(library, "openblas_set_num_threads"));
  auto core = reinterpret_cast<char *(*)()>(dlsym(library, "openblas_get_corename"));
  if (!threads || !core)
    return nullptr;
  threads(1);
  std::printf("  OpenBLAS for %s\n", core());
  return reinterpret_cast<Sgemm>(dlsym(library, "cblas_sgemm"));
}

void bench::multiply(Sgemm sgemm, const float *x, const float *y, float *z, int m, int n, int k, bool transposed) {
  constexpr int kRowMajor = 101, kNoTranspose = 111, kTranspose = 112;
  if (sgemm)
    sgemm(kRowMajor, kNoTranspose, transposed ? kTranspose : kNoTranspose, m, n, k, 1.0f, x, k, y, transposed ? k : n,
          0.0f, z, n);
}
