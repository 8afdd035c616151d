// What is said about calls that have a result all the same: a case by name, broken or
// repaired ("NAME" or "NAME ok"). Compiled with -D__CPU_SIM.

#include "meanings.h"

#include <string_view>

int main(int count, char **words) {
  const std::string_view name = count > 1 ? words[1] : "";
  const bool broken = count < 3;
  if (name == "stream") { // HMEAN-23
    Vec<float, 4, 16> a(3, 16);
    Vec<uint8_t, 4, 32> m(4, broken ? 24 : 2);
    putAll(a, m);
    for (int turn = 0; turn < 3; ++turn)
      TCMPS(m, a, 1.0f, CmpMode::GT);
  } else if (name == "select") {
    Vec<float, 4, 16> a(3, 16), d(3, 16), t(3, 16);
    Vec<uint8_t, 4, 32> m(4, broken ? 24 : 2);
    putAll(a, d, t, m);
    TSEL(d, m, a, a, t);
  } else if (name == "first") { // HMEAN-24
    Vec<float, 4, 16> a(3, 16), b(1, broken ? 2 : 1);
    Vec<uint8_t, 4, 32> m(4, 2);
    putAll(a, b, m);
    TCMPS(m, a, b, CmpMode::GT);
  } else if (name == "integers") { // HMEAN-17
    if (broken) {
      Vec<int32_t, 1, 8> a(1, 4), d(1, 4);
      putAll(a, d);
      for (int i = 0; i < 4; ++i)
        a.data()[i] = 3 - i;
      TLOG(d, a);
      equal("TLOG of 0", 3, d.data()[3], -1);
    } else {
      Vec<float, 1, 8> a(1, 4), d(1, 4);
      putAll(a, d);
      TLOG(d, a);
    }
  } else if (name == "reciprocal") {
    Vec<int16_t, 1, 16> a(1, 1), d(1, 1);
    putAll(a, d);
    a.data()[0] = broken ? 0 : 1;
    TRECIP(d, a);
    equal("TRECIP", 0, d.data()[0], broken ? -1 : 1);
  } else if (name == "rows") { // HMEAN-25
    Vec<float, 4, 8> s(4, 8), d(broken ? 1 : 2, 8);
    putAll(s, d);
    s.data()[0] = 5;
    TGATHER<decltype(d), decltype(s), MaskPattern::P0101, GatherAxis::GATHER_COL>(d, s);
    equal("a row that fits", 0, d.data()[0], 5);
  } else if (name == "bytes") { // HMEAN-27
    Vec<uint8_t, 1, 32> s(1, 32), d(1, 16);
    Vec<uint16_t, 1, 32> s16(1, 32), d16(1, 16);
    putAll(s, d, s16, d16);
    if (broken)
      TGATHER<decltype(d), decltype(s), MaskPattern::P0101>(d, s);
    else
      TGATHER<decltype(d16), decltype(s16), MaskPattern::P0101>(d16, s16);
  } else if (name == "join") { // HMEAN-31
    Vec<float, 2, 8> a(2, 8), b(2, 8), d(2, 8);
    Vec<int32_t, 2, 8> ia(2, 1), ib(2, 1);
    putAll(a, b, d, ia, ib);
    ia.data()[8] = 5 * 4, ib.data()[8] = (broken ? 6 : 3) * 4, b.data()[8] = 2;
    TCONCAT(d, a, b, ia, ib);
    equal("the part that fits", 13, d.data()[13], 2);
  } else if (name == "null") { // HMEAN-1
    Tile<TileType::Vec, float, 1, 32> s;
    Tile<TileType::Vec, int8_t, 1, 32> d;
    Vec<uint8_t, 1, 32> e(1, 1);
    Vec<float, 1, 8> m(1, 8), f(1, 8);
    putAll(s, d, e, m, f);
    TQUANT<QuantType::MXFP8>(d, s, broken ? nullptr : &e, &m, &f);
  } else if (name == "sort") { // HMEAN-36
    Vec<float, 1, 64> s(1, broken ? 64 : 32), d(1, 64);
    Vec<uint32_t, 1, 64> i(1, 64);
    putAll(s, d, i);
    TSORT32(d, s, i);
  }
  std::printf(failures ? "wrong\n" : "done\n");
  return failures;
}
