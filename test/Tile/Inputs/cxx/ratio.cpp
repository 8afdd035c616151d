// Metadata of kernels decides which cores of a mixed file's kernel run.
#include "sides.hpp"
#include <pto/common/kernel_meta.hpp>

#include <cstdio>

extern "C" __global__ AICORE void one_to_one(__gm__ Counts *counts) { note(counts, get_subblockdim() == 1 ? 1 : 10); }
extern "C" __global__ AICORE void one_to_two(__gm__ Counts *counts) { note(counts, 1); }
extern "C" __global__ AICORE void vectors(__gm__ Counts *counts) { note(counts, 1); }
extern "C" __global__ AICORE void cubes(__gm__ Counts *counts) { note(counts, 1); }
PTO_SYNCALL_MIX_AIC_KERNEL_META(one_to_one_mix_aic, 1, 1);
PTO_SYNCALL_MIX_AIC_KERNEL_META(one_to_two, 1, 2);
PTO_SYNCALL_AIV_KERNEL_META(vectors);
PTO_SYNCALL_AIC_KERNEL_META(cubes);

#ifdef __DAV_CUBE__ // the file is for both kinds
#endif

int main() {
  Counts counts[4];
  one_to_one<<<3, nullptr, nullptr>>>(&counts[0]);
  one_to_two<<<3, nullptr, nullptr>>>(&counts[1]);
  vectors<<<3, nullptr, nullptr>>>(&counts[2]);
  cubes<<<3, nullptr, nullptr>>>(&counts[3]);
  for (const Counts &count : counts)
    std::printf("%d cube, %d vector, %d second\n", count.cube, count.vector, count.second);
}
