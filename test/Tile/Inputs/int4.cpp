// TCVT between half and int4b_t, two in a byte (TCVT-9), over the whole valid region of odd width.
// Prints what differs from the model; then "ok".
#include <pto/pto-inst.hpp>

#include <cmath>
#include <cstdio>
#include <initializer_list>

using namespace pto;

int main() {
  Tile<TileType::Vec, half, 4, 32, BLayout::RowMajor, 4, 21> source, back;
  Tile<TileType::Vec, int4b_t, 4, 32, BLayout::RowMajor, 4, 21> packed;
  TASSIGN(source, 0), TASSIGN(packed, 0x1000), TASSIGN(back, 0x2000);
  const float special[] = {7.5f, 8.0f, -8.0f, -8.5f, 60000.0f, -60000.0f, 0.5f, 1.5f, -0.5f, 2.5f, -2.5f, INFINITY};
  auto *bytes = reinterpret_cast<uint8_t *>(packed.data());
  int wrong = 0;
  const RoundMode modes[] = {RoundMode::CAST_NONE, RoundMode::CAST_RINT,  RoundMode::CAST_ROUND,
                             RoundMode::CAST_FLOOR, RoundMode::CAST_CEIL, RoundMode::CAST_TRUNC};
  for (const RoundMode mode : modes)
    for (const SaturationMode saturation : {SaturationMode::ON, SaturationMode::OFF}) {
      for (int i = 0; i < 128; ++i)
        source.data()[i] = half(i < 12 ? special[i] : float(i * 37 % 80) * 0.25f - 10);
      for (int i = 0; i < 64; ++i)
        bytes[i] = 0xee;
      TCVT(packed, source, mode, saturation);
      pipe_barrier(PIPE_V);
      TCVT(back, packed, RoundMode::CAST_NONE);
      pipe_barrier(PIPE_ALL);
      for (int r = 0; r < 4; ++r)
        for (int c = 0; c < 32; ++c) {
          const double x = double(float(source.data()[r * 32 + c]));
          const double whole = mode == RoundMode::CAST_ROUND   ? std::round(x)
                               : mode == RoundMode::CAST_FLOOR ? std::floor(x)
                               : mode == RoundMode::CAST_CEIL  ? std::ceil(x)
                               : mode == RoundMode::CAST_TRUNC ? std::trunc(x)
                                                               : std::nearbyint(x);
          const int wanted = int(std::fmin(std::fmax(whole, -8), 7));
          const int at = r * 32 + c, nibble = bytes[at / 2] >> at % 2 * 4 & 15;
          const bool fine = c >= 21 ? nibble == 14 : nibble == (wanted & 15) && float(back.data()[at]) == float(wanted);
          if (!fine && ++wrong <= 10)
            std::printf("mode %d, row %d, column %d: %g is %d\n", int(mode), r, c, x, nibble);
        }
    }
  std::puts(wrong ? "wrong" : "ok");
}
