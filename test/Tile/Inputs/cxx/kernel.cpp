// Every form of a launch, in the file of the kernels. C++17, as kernels are.
#include "sides.hpp"
#include "launches.hpp"

extern "C" __global__ AICORE void plain(__gm__ Counts *counts, int times) { note(counts, times); }
extern "C" __global__ AICORE void record(Arguments arguments) { note(arguments.counts, arguments.times); }
template <typename T, int Weight> __global__ AICORE void weighted(__gm__ T *counts, int times) {
  note(counts, Weight * times);
}
__global__ AICORE void optional(Counts *counts, __gm__ const int *none, int times) { note(counts, none ? 100 : times); }
template <int Weight> static __global__ AICORE void sum(int more, const Arguments &arguments) {
  note(arguments.counts, Weight * arguments.times + more);
}
static __global__ AICORE __attribute__((aiv)) void hidden(__gm__ Counts *counts) { note(counts, 1); }
namespace {
__global__ AICORE void overloaded(Counts *counts) { note(counts, 1); }
__global__ AICORE void overloaded(Counts *counts, int times) { note(counts, times); }
__global__ AICORE void pass(Counts *counts) {
#ifdef __DAV_CUBE__
  [](Counts *c) { c->cube += perPass<100>; }(counts); // a function without a name that the other pass lacks
#else
  counts->vector += perPass<1>;
#endif
  ++perPass<100>, ++perPass<1>; // one for each pass
}
template <int Weight> void fromTemplate(void *stream, Counts *counts) {
  weighted<Counts, Weight><<<1, nullptr, stream>>>(counts, 1);
}
template <auto Kernel> void fromArgument(void *stream, Counts *counts) { Kernel<<<1, nullptr, stream>>>(counts); }
} // namespace

extern "C" void call_kernel(uint32_t blocks, void *stream, Counts *counts) {
  plain<<<blocks, nullptr, stream>>>(counts, 1);
}

void launchAll(void *stream, Counts *counts) {
  plain<<<3, nullptr, stream>>>(counts++, 1);
  weighted<Counts, 64><<<1, nullptr, stream>>>(counts++, 2);
  weighted<Counts, (4 > 3 ? 5 : 6)> // k<<<1, 2, 3>>>(4)
      <<<2 >> 1, /* >>>( */ nullptr,
         stream>>>(counts++, 1);
  fromTemplate<7>(stream, counts++);
  fromTemplate<8>(stream, counts++);
  hidden<<<1, nullptr, stream>>>(counts++), hidden<<<2, nullptr, stream>>>(counts++);
  overloaded<<<1, nullptr, stream>>>(counts++);
  overloaded<<<1, nullptr, stream>>>(counts++, 9);
  pass<<<1, nullptr, stream>>>(counts++);
  fromArgument<&hidden>(stream, counts++);
  LAUNCH(plain, 4, counts++, 2);
  record<<<1, nullptr, stream>>>(Arguments{counts++, 11});
  launchFromHeader(stream, counts++);
  optional<<<1, nullptr, stream>>>(counts++, NULL, 4);
  optional<<<1, nullptr, stream>>>(counts++, 0, 6);
  weighted<Counts, 1 << 3><<<1, nullptr, stream>>>(counts++, 1);
  record<<<1, nullptr, stream>>>({counts++, 13});
  sum<2><<<1, nullptr, stream>>>(1, {counts++, 3});
}
