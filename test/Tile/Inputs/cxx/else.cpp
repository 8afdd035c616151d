// One macro and `#else`: the file is for both kinds of cores.
#include <pto/pto-inst.hpp>

#include <cstdio>

extern "C" __global__ AICORE void either(__gm__ int *counts) {
#ifdef __DAV_CUBE__
  counts[0] += 1;
#else
  counts[1 + get_subblockid()] += 1;
#endif
}

int main() {
  int counts[3] = {};
  either<<<3, nullptr, nullptr>>>(counts);
  std::printf("%d cube, %d vector, %d second\n", counts[0], counts[1], counts[2]);
}
