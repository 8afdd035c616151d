#include "../sides.hpp"
extern "C" __global__ AICORE void halves(__gm__ Counts *counts) { counts->vector += 1; }
