// Columns of calls behind macros, comments and launches on their line.
#include <pto/pto-inst.hpp>
#define ON(x) x
extern "C" __global__ AICORE void stuck() { ON(pipe_barrier(PIPE_ALL);) /* so */ wait_flag(PIPE_V, PIPE_S, EVENT_ID0); }
int main() {
  stuck<<<1, nullptr, nullptr>>>(), missing(1);
}
