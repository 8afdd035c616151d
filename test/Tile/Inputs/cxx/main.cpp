// The host, in a file without a word about cores. C++17: u8 literals have plain characters.
#include <acl/acl.h>
#include <cstdint>
#include <cstdio>

#include "aclrtlaunch_plain.h"

struct Counts {
  int cube, vector, second;
};
extern "C" void plain(Counts *counts, int times);
extern "C" void call_kernel(uint32_t blocks, void *stream, Counts *counts);
void launchAll(void *stream, Counts *counts);

static int wrong = 0;
static void expect(const char *what, const Counts &counts, int cube, int vector, int second) {
  if (counts.cube == cube && counts.vector == vector && counts.second == second)
    return;
  std::printf("%s: %d %d %d, not %d %d %d\n", what, counts.cube, counts.vector, counts.second, cube, vector, second);
  ++wrong;
}

int main() {
  const char *plainText = u8"plain";
  Counts counts[19] = {}, other[6] = {};
  aclrtStream stream = nullptr;
  aclrtCreateStream(&stream);
  launchAll(stream, counts);
  // Runs of the launch × weight; a block is a cube core and two vector cores.
  const int runs[19] = {3, 128, 5, 7, 8, 1, 2, 1, 9, 0, 1, 8, 11, 5, 4, 6, 8, 13, 7};
  for (int i = 0; i < 19; ++i)
    if (i != 9)
      expect("launchAll", counts[i], runs[i], 2 * runs[i], runs[i]);
  expect("pass", counts[9], 100, 1 + 2, 0);

  Counts *next = other;
  plain<<<2, nullptr, stream>>>(next++, 1);
  void (*pointer)(Counts *, int) = plain;
  pointer<<<1, nullptr, stream>>>(next++, 3);
  call_kernel(3, stream, next++);
  unsigned status = aclrtlaunch_plain(2, stream, next++, 2);
  status |= ACLRT_LAUNCH_KERNEL(plain)(1, stream, next++, 5);
  status |= unsigned(ptoscope_launch(plain, 1, stream, next++, 6));
  const int others[6] = {2, 3, 3, 4, 5, 6};
  for (int i = 0; i < 6; ++i)
    expect(plainText, other[i], others[i], 2 * others[i], others[i]);
  Counts halves{};
  ptoscope::launch(ptoscope::halvesOf(plain), 3, &halves, 1);
  expect("halvesOf", halves, 3, 6, 3);
  wrong += status != 0 || aclrtSynchronizeStream(stream) != 0;
  std::printf("%d wrong\n", wrong);
  return wrong != 0;
}
