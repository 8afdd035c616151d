//===- Distribution.h - the tokens of vector loads and stores ---*- C++ -*-===//
//
// LDIST-1 to LDIST-11, VLDX2-2, VLDX2-3, VSLD-1, SDIST-1 to SDIST-6, VSTX2-1 and
// VSST-1 as tables. A distribution permutes raw
// bytes between a window of UB and registers of 256 bytes; the element type of
// the register plays no part in it. The compiler makes shuffles of these maps,
// the machine makes footprints and definedness of them, the verifier its lists
// of tokens.
//
// Every map is linear in 64-byte groups: what holds for byte k of the first
// group holds for byte k of group g, shifted by g times a constant.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_DISTRIBUTION_H
#define PTOSCOPE_MEANING_DISTRIBUTION_H

#include <cstdint>
#include <string_view>

namespace ptoscope {

/// What a token does with bytes; `width` is the token's own width in bytes.
enum class LoadMap : uint8_t {
  Copy,
  Broadcast,      ///< the first `width` bytes, over and over
  Upsample,       ///< each datum twice
  Downsample,     ///< every second datum; the second register of a pair gets the others
  Unpack,         ///< a zero datum after each
  Unpack4,        ///< three zero bytes after each byte
  ElementToBlock, ///< datum b fills 32-byte block b
  Every,          ///< every `factor`-th datum
};

struct LoadDist {
  std::string_view name;
  LoadMap map;
  uint8_t width;     ///< bytes that move together
  uint8_t factor;    ///< Every: distance of data, in data
  uint16_t window;   ///< bytes from the address on that the instruction may read
  uint8_t alignment; ///< of the address
  uint8_t registers; ///< results: bit 0 = one register (vlds), bit 1 = two (vldsx2), bit 2 = vsld
};

inline constexpr uint8_t kOneRegister = 1, kTwoRegisters = 2, kFixedStride = 4;

inline constexpr LoadDist kLoadDists[] = {
    {"NORM", LoadMap::Copy, 64, 1, 256, 32, kOneRegister},
    {"BRC_B8", LoadMap::Broadcast, 1, 1, 1, 1, kOneRegister},
    {"BRC_B16", LoadMap::Broadcast, 2, 1, 2, 2, kOneRegister},
    {"BRC_B32", LoadMap::Broadcast, 4, 1, 4, 4, kOneRegister},
    {"BRC_BLK", LoadMap::Broadcast, 32, 1, 32, 32, kOneRegister},
    {"US_B8", LoadMap::Upsample, 1, 1, 128, 32, kOneRegister},
    {"US_B16", LoadMap::Upsample, 2, 1, 128, 32, kOneRegister},
    {"DS_B8", LoadMap::Downsample, 1, 1, 512, 32, kOneRegister},
    {"DS_B16", LoadMap::Downsample, 2, 1, 512, 32, kOneRegister},
    {"UNPK_B8", LoadMap::Unpack, 1, 1, 128, 32, kOneRegister},
    {"UNPK_B16", LoadMap::Unpack, 2, 1, 128, 32, kOneRegister},
    {"UNPK_B32", LoadMap::Unpack, 4, 1, 128, 32, kOneRegister},
    {"UNPK4", LoadMap::Unpack4, 1, 1, 64, 32, kOneRegister},
    {"E2B_B16", LoadMap::ElementToBlock, 2, 1, 16, 16, kOneRegister},
    {"E2B_B32", LoadMap::ElementToBlock, 4, 1, 32, 32, kOneRegister},
    {"SPLT4CHN", LoadMap::Every, 1, 4, 1024, 32, kOneRegister},
    {"SPLT2CHN_B8", LoadMap::Downsample, 1, 1, 512, 32, kOneRegister},
    {"SPLT2CHN_B16", LoadMap::Downsample, 2, 1, 512, 32, kOneRegister},
    {"DINTLV_B8", LoadMap::Downsample, 1, 1, 512, 32, kOneRegister | kTwoRegisters},
    {"DINTLV_B16", LoadMap::Downsample, 2, 1, 512, 32, kOneRegister | kTwoRegisters},
    {"DINTLV_B32", LoadMap::Downsample, 4, 1, 512, 32, kOneRegister | kTwoRegisters},
    {"BDINTLV", LoadMap::Downsample, 32, 1, 512, 32, kTwoRegisters},
    {"STRIDE_S3_B16", LoadMap::Every, 2, 3, 764, 2, kFixedStride},
    {"STRIDE_S2_B64", LoadMap::Every, 8, 2, 504, 8, kFixedStride},
    {"STRIDE_S4_B64", LoadMap::Every, 8, 4, 1000, 8, kFixedStride},
    {"STRIDE_S8_B32", LoadMap::Every, 4, 8, 2020, 4, kFixedStride},
};

/// Where byte `k` of register `half` (0, or 1 for the second of a pair) comes
/// from, relative to the address; -1 for a byte that is zero.
constexpr int sourceByte(const LoadDist &dist, unsigned half, unsigned k) {
  unsigned w = dist.width;
  switch (dist.map) {
  case LoadMap::Copy:
    return int(k);
  case LoadMap::Broadcast:
    return int(k % w);
  case LoadMap::Upsample:
    return int(k / (2 * w) * w + k % w);
  case LoadMap::Downsample:
    return int(k / w * 2 * w + half * w + k % w);
  case LoadMap::Unpack:
    return k % (2 * w) < w ? int(k / (2 * w) * w + k % w) : -1;
  case LoadMap::Unpack4:
    return k % 4 == 0 ? int(k / 4) : -1;
  case LoadMap::ElementToBlock:
    return int(k / 32 * w + k % w);
  case LoadMap::Every:
    return int(k / w * dist.factor * w + k % w);
  }
  return -1;
}

enum class StoreMap : uint8_t {
  Copy,
  First,      ///< the first datum only, whatever the mask
  Pack,       ///< the low part of each datum
  Interleave, ///< two registers alternate
  Merge,      ///< channels of each 32-byte block are interleaved
  Every,      ///< every `factor`-th datum
};

struct StoreDist {
  std::string_view name;
  StoreMap map;
  uint8_t width;  ///< bytes of a datum in the register; of a channel's datum for Merge
  uint8_t factor; ///< Pack: datum / stored part; Merge: channels; Every: distance
  uint16_t window;
  uint8_t alignment;
  uint8_t maskBytes; ///< width at which the mask is read; 0 = ignored
  uint8_t registers; ///< as for loads
};

inline constexpr StoreDist kStoreDists[] = {
    {"NORM_B8", StoreMap::Copy, 1, 1, 256, 32, 1, kOneRegister},
    {"NORM_B16", StoreMap::Copy, 2, 1, 256, 32, 2, kOneRegister},
    {"NORM_B32", StoreMap::Copy, 4, 1, 256, 32, 4, kOneRegister},
    {"1PT_B8", StoreMap::First, 1, 1, 1, 1, 0, kOneRegister},
    {"1PT_B16", StoreMap::First, 2, 1, 2, 2, 0, kOneRegister},
    {"1PT_B32", StoreMap::First, 4, 1, 4, 4, 0, kOneRegister},
    {"PK_B16", StoreMap::Pack, 2, 2, 128, 32, 2, kOneRegister},
    {"PK_B32", StoreMap::Pack, 4, 2, 128, 32, 4, kOneRegister},
    {"PK_B64", StoreMap::Pack, 8, 2, 128, 32, 8, kOneRegister},
    {"PK4_B32", StoreMap::Pack, 4, 4, 64, 32, 4, kOneRegister},
    {"MRG4CHN_B8", StoreMap::Merge, 1, 4, 256, 32, 4, kOneRegister},
    {"MRG2CHN_B8", StoreMap::Merge, 1, 2, 256, 32, 2, kOneRegister},
    {"MRG2CHN_B16", StoreMap::Merge, 2, 2, 256, 32, 4, kOneRegister},
    {"INTLV_B8", StoreMap::Interleave, 1, 1, 512, 32, 0, kTwoRegisters},
    {"INTLV_B16", StoreMap::Interleave, 2, 1, 512, 32, 0, kTwoRegisters},
    {"INTLV_B32", StoreMap::Interleave, 4, 1, 512, 32, 0, kTwoRegisters},
    {"STRIDE_S3_B16", StoreMap::Every, 2, 3, 764, 2, 0, kFixedStride},
    {"STRIDE_S2_B64", StoreMap::Every, 8, 2, 504, 8, 0, kFixedStride},
    {"STRIDE_S4_B64", StoreMap::Every, 8, 4, 1000, 8, 0, kFixedStride},
    {"STRIDE_S8_B32", StoreMap::Every, 4, 8, 2020, 4, 0, kFixedStride},
};

/// Where byte `s` of register `half` goes, relative to the address; -1 = nowhere.
constexpr int targetByte(const StoreDist &dist, unsigned half, unsigned s) {
  unsigned w = dist.width, f = dist.factor;
  switch (dist.map) {
  case StoreMap::Copy:
    return int(s);
  case StoreMap::First:
    return s < w ? int(s) : -1;
  case StoreMap::Pack:
    return s % w < w / f ? int(s / w * (w / f) + s % w) : -1;
  case StoreMap::Interleave:
    return int(s / w * 2 * w + half * w + s % w);
  case StoreMap::Merge: {
    unsigned plane = 32 / f, channel = s % 32 / plane, j = s % plane / w;
    return int(s / 32 * 32 + (j * f + channel) * w + s % w);
  }
  case StoreMap::Every:
    return int(s / w * f * w + s % w);
  }
  return -1;
}

/// The bit of the mask image that decides over byte `s`; -1 = written whatever
/// the mask says.
constexpr int deciderBit(const StoreDist &dist, unsigned s) {
  if (dist.maskBytes == 0)
    return -1;
  // After a merge the mask counts the merged data.
  unsigned place = dist.map == StoreMap::Merge ? unsigned(targetByte(dist, 0, s)) : s;
  return int(place / dist.maskBytes * dist.maskBytes);
}

/// Null when there is no such token.
constexpr const LoadDist *findLoadDist(std::string_view name) {
  for (const LoadDist &dist : kLoadDists)
    if (dist.name == name)
      return &dist;
  return nullptr;
}
constexpr const StoreDist *findStoreDist(std::string_view name) {
  for (const StoreDist &dist : kStoreDists)
    if (dist.name == name)
      return &dist;
  return nullptr;
}

} // namespace ptoscope

#endif // PTOSCOPE_MEANING_DISTRIBUTION_H
