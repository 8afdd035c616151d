// A launch in an included file, under a condition.
#pragma once
extern "C" __global__ AICORE void plain(__gm__ Counts *counts, int times);
inline void launchFromHeader(void *stream, Counts *counts) {
#ifndef NO_LAUNCHES
  plain<<<
#ifdef MANY
      100
#else
      5
#endif
      , nullptr, stream>>>(counts, 1);
#endif
}
