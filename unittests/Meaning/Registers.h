//===- Registers.h - registers and masks of the plain models ----*- C++ -*-===//
//
// What tests of whole-register meanings share: a register as bytes, lanes read
// and written byte by byte, a mask as 256 separate bits. Models are written with
// these from the text of docs/isa, 10 to 12; they know nothing of groups, words or
// images.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MEANING_REGISTERS_H
#define PTOSCOPE_UNITTESTS_MEANING_REGISTERS_H

#include <gtest/gtest.h>

#include <array>
#include <cstdint>
#include <random>
#include <string_view>
#include <vector>

namespace reference {

using Random = std::mt19937_64;

struct alignas(64) Register {
  uint8_t byte[256];

  /// Lane i of `width` bytes, little endian.
  uint64_t lane(int width, int i) const {
    uint64_t value = 0;
    for (int k = 0; k < width; ++k)
      value |= uint64_t(byte[width * i + k]) << 8 * k;
    return value;
  }
  void setLane(int width, int i, uint64_t value) {
    for (int k = 0; k < width; ++k)
      byte[width * i + k] = uint8_t(value >> 8 * k);
  }
};

/// What a result holds before it is written.
inline Register garbage() {
  Register r;
  for (int k = 0; k < 256; ++k)
    r.byte[k] = uint8_t(0xA5 ^ k);
  return r;
}

inline Register zeros() { return {}; }

inline Register randomRegister(Random &random) {
  Register r;
  for (uint8_t &byte : r.byte)
    byte = uint8_t(random());
  return r;
}

inline void expectEqual(const Register &actual, const Register &expected) {
  for (int k = 0; k < 256; ++k)
    ASSERT_EQ(+actual.byte[k], +expected.byte[k]) << "byte " << k;
}

struct Mask {
  std::array<bool, 256> bit = {};

  bool operator==(const Mask &) const = default;
  /// Whether lane i of `width` bytes is on.
  bool on(int width, int i) const { return bit[size_t(width * i)]; }
};

/// As meanings take it.
struct Words {
  uint64_t word[4] = {};

  explicit Words(const Mask &mask) {
    for (int k = 0; k < 256; ++k)
      word[k / 64] |= uint64_t(mask.bit[size_t(k)]) << k % 64;
  }
  Words() {
    for (uint64_t &w : word)
      w = 0xA5A5A5A55A5A5A5A;
  }
  Mask mask() const {
    Mask m;
    for (int k = 0; k < 256; ++k)
      m.bit[size_t(k)] = word[k / 64] >> k % 64 & 1;
    return m;
  }
};

inline void expectEqual(const Words &actual, const Mask &expected) {
  Mask mask = actual.mask();
  for (size_t k = 0; k < 256; ++k)
    ASSERT_EQ(mask.bit[k], expected.bit[k]) << "bit " << k;
}

inline Mask allOn() {
  Mask mask;
  mask.bit.fill(true);
  return mask;
}

/// The first n lanes of `width` bytes, as plt makes it.
inline Mask prefix(int width, int n) {
  Mask mask;
  for (int i = 0; i < n; ++i)
    mask.bit[size_t(width * i)] = true;
  return mask;
}

inline Mask randomMask(Random &random, int onOutOf8 = 4) {
  Mask mask;
  for (bool &bit : mask.bit)
    bit = int(random() % 8) < onOutOf8;
  return mask;
}

/// Empty, full, prefixes and random lanes of every view, bits that no canonical
/// mask has, and bits that belong to lanes which are off.
inline std::vector<Mask> manyMasks(Random &random) {
  std::vector<Mask> masks = {Mask(), allOn()};
  for (int width : {1, 2, 4, 8}) {
    int lanes = 256 / width;
    for (int n : {1, 2, 7, lanes / 4, lanes / 2 - 1, lanes / 2, lanes / 2 + 1, lanes - 1, lanes})
      masks.push_back(prefix(width, n));
    Mask canonical, others;
    for (size_t k = 0; k < 256; ++k)
      (k % size_t(width) ? others : canonical).bit[k] = random() & 1;
    masks.push_back(canonical);
    masks.push_back(others);
  }
  for (int onOutOf8 : {1, 4, 7})
    for (int i = 0; i < 4; ++i)
      masks.push_back(randomMask(random, onOutOf8));
  for (int bit : {0, 1, 63, 64, 127, 128, 191, 192, 254, 255}) {
    Mask mask;
    mask.bit[size_t(bit)] = true;
    masks.push_back(mask);
  }
  return masks;
}

/// b8 b16 b32 b64: bytes of a lane.
inline int widthOf(std::string_view variant) {
  return variant.starts_with("b8")    ? 1
         : variant.starts_with("b16") ? 2
         : variant.starts_with("b32") ? 4
         : variant.starts_with("b64") ? 8
                                      : 0;
}

inline bool isHigher(std::string_view variant) { return variant.ends_with("HIGHER"); }

} // namespace reference

#endif // PTOSCOPE_UNITTESTS_MEANING_REGISTERS_H
