// The part of a program that is compiled without __CPU_SIM: small floats round, int4 is
// packed, and a wait that no one ends is reported (SURF-13, SURF-20, SURF-28).
#include <pto/common/cpu_stub.hpp>
#include <pto/cpu/MXTypes.hpp>
#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>

#include <cstdio>

using namespace pto;

static int32_t flag;
static void waits() {
  while (ld_dev(&flag, 0) == 0) {
  }
}
static void ends() {
  flag = 1;
  waits();
}

int devicePart() {
  int failures = 0;
  const auto check = [&](bool fine, int line) {
    if (!fine)
      std::printf("%s:%d\n", __FILE__, line);
    failures += !fine;
  };
  // To nearest even, saturating.
  check(float4_e2m1x2_t(2.5f).RawData() == 4 && float4_e2m1x2_t(100.0f).RawData() == 7, __LINE__);
  check(float8_e4m3_t(1.0625f).RawData() == 0x38 && float8_e4m3_t(1e9f).RawData() == 0x7e, __LINE__);
  check(sizeof(int4b_t) == 1 && Tile<TileType::Vec, int4b_t, 4, 64>::GetSizeInBytes() == 128, __LINE__);
  uint64_t address = 0;
  uint32_t bytes = 0;
  check(rtGetC2cCtrlAddr(&address, &bytes) == 0 && address != 0, __LINE__);
  flag = 0;
  const ptoscope::Result stuck = ptoscope::launch(waits, 1);
  check(!stuck.ok() && stuck.size() == 1, __LINE__);
  check(ptoscope::launch(ends, 1).ok(), __LINE__);
  const ptoscope::Result null = ptoscope::launch([] { st_dev(1, static_cast<int32_t *>(nullptr), 0); }, 1);
  check(!null.ok() && null.has("unmapped-gm-address"), __LINE__);
  return failures;
}
