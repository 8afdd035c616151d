//===- Places.cpp - gathers, scatters and block strides -------------------===//
//
// Checks each active place, tells the observer block by block, and makes the
// access. Inactive places are not looked at; bad ones read as zero and are not
// written.
//
//===----------------------------------------------------------------------===//

#include "Scope/ScopeUnit.h"

#include "ptoscope/Machine/Onlooker.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <type_traits>

namespace ptoscope {

static bool bitOf(const uint64_t *bits, uint32_t k) { return !bits || (bits[k / 64] >> (k % 64) & 1); }

/// The first lane that is on and holds a number of at least `limit`.
static std::optional<std::pair<uint32_t, uint64_t>> firstBeyond(const uint8_t *numbers, uint32_t bytes, uint64_t limit,
                                                                const uint64_t *active) {
  for (uint32_t lane = 0; lane < kVectorBytes / bytes; ++lane) {
    uint64_t number = 0;
    std::memcpy(&number, numbers + lane * bytes, bytes);
    if (number >= limit && bitOf(active, lane * bytes))
      return std::pair(lane, number);
  }
  return std::nullopt;
}

void ScopeUnit::checkLookup(SiteId site, const uint8_t *index, uint32_t bytes) {
  uint32_t lanes = kVectorBytes / bytes;
  auto beyond = firstBeyond(index, bytes, lanes, nullptr);
  if (!beyond)
    return;
  report->tell(site, say::kLookup(beyond->second, lanes, beyond->first));
}

void ScopeUnit::checkCounts(SiteId site, const uint8_t *counts, uint32_t bytes, const uint64_t *active) {
  auto beyond = firstBeyond(counts, bytes, 8 * bytes, active);
  if (!beyond)
    return;
  report->tell(site, say::kShiftCounts(beyond->first, beyond->second, 8 * bytes));
}

/// True when the place may be accessed.
bool ScopeUnit::placeInside(SiteId site, const PtoPlaces &places, uint32_t lane, uint64_t address, bool stores) {
  bool block = places.form != PTO_PLACES_ELEMENTS;
  uint32_t bytes = block ? kBlockBytes : places.datumBytes;
  bool misaligned = report->checks.memory && address % bytes != 0;
  uint64_t size = ubBytes();
  if (!misaligned && address + bytes <= size) [[likely]]
    return true;
  const char *verb = say::readsOrWrites(stores);
  report->refuse(site,
                 !misaligned ? (block ? say::kBlockBounds : say::kLaneBounds)(verb, lane, address, size)
                 : block     ? say::kBlockMisaligned(verb, lane, address)
                             : say::kLaneMisaligned(verb, lane, address, bytes),
                 ByteRange{"ub", "", address, address + bytes});
  return false;
}

/// Calls body(std::integral_constant) with the bytes of a datum.
template <typename Body> static void withBytes(uint32_t bytes, Body body) {
  switch (bytes) {
  case 1:
    return body(std::integral_constant<uint32_t, 1>());
  case 2:
    return body(std::integral_constant<uint32_t, 2>());
  case 4:
    return body(std::integral_constant<uint32_t, 4>());
  case 8:
    return body(std::integral_constant<uint32_t, 8>());
  default:
    return body(std::integral_constant<uint32_t, kBlockBytes>());
  }
}

/// Lanes that are on: a bit where each begins in the image of a mask, and one past the last
/// of them.
struct LanesOn {
  uint64_t on[kVectorBytes / 64];
  uint32_t end = 0;
  bool areFirst = true; ///< none before the last is off, as tails have it
  explicit LanesOn(const PtoPlaces &places) {
    // A bit for the lowest byte of each lane; slots are powers of two.
    static constexpr uint64_t kLowest[] = {~uint64_t(0), 0x5555555555555555, 0x1111111111111111, 0x0101010101010101};
    const auto shift = uint32_t(std::countr_zero(places.slotBytes));
    const uint64_t lowest = kLowest[shift], lane = (uint64_t(1) << places.slotBytes) - 1;
    uint32_t endByte = 0;
    for (uint32_t word = 0; word < kVectorBytes / 64; ++word) {
      on[word] = (places.image ? places.image[word] : ~uint64_t(0)) & lowest;
      if (!on[word])
        continue;
      const uint64_t bytes = on[word] * lane;
      areFirst &= endByte == word * 64 && (bytes & (bytes + 1)) == 0;
      endByte = word * 64 + 64 - uint32_t(std::countl_zero(bytes));
    }
    end = endByte >> shift;
  }
};

template <typename Index> static Index indexOf(const Index *indices, uint32_t lane) {
  Index index;
  std::memcpy(&index, reinterpret_cast<const uint8_t *>(indices) + lane * sizeof(Index), sizeof(Index));
  return index;
}

/// Bounds of the indices of the first `count` lanes; false when one is above `highest`.
template <typename Index>
static bool hullOf(const Index *indices, uint32_t count, uint32_t highest, uint32_t &low, uint32_t &high) {
  // Those of an aligned row differ in their low bits only, which is found with less.
  constexpr uint32_t kRow = 64;
  const uint32_t any = count ? indexOf(indices, 0) : 0;
  uint32_t differ = 0;
  for (uint32_t lane = 0; lane < count; ++lane)
    differ |= indexOf(indices, lane) ^ any;
  low = any & ~(kRow - 1);
  high = any | (kRow - 1);
  if (differ < kRow && high <= highest)
    return true;
  int32_t lowest = INT32_MAX, most = 0; // hosts compare signed numbers; a negative one is above `highest`
  for (uint32_t lane = 0; lane < count; ++lane) {
    lowest = std::min(lowest, int32_t(indexOf(indices, lane)));
    most = std::max(most, int32_t(indexOf(indices, lane)));
  }
  low = uint32_t(lowest);
  high = uint32_t(most);
  return lowest >= 0 && high <= highest;
}

/// access(lane, address) for the elements of the first `count` lanes.
template <uint32_t Bytes, typename Index, typename Access>
static void forEachElement(const Index *indices, uint32_t base, uint32_t count, Access access) {
  for (uint32_t lane = 0; lane < count; ++lane)
    access(lane, base + uint32_t(indexOf(indices, lane)) * Bytes);
}

/// The elements of the first lanes, at places that all exist: body(indices, lanes, bytes of a
/// datum, lowest and highest index) makes the access. False: it takes more care.
template <typename Body> bool ScopeUnit::plainElements(const PtoPlaces &places, Body body) {
  if (places.form != PTO_PLACES_ELEMENTS || delays || onlooker || !observed() ||
      (places.base & (places.datumBytes - 1)) != 0) // all sizes are powers of two, and divisions are slow
    return false;
  const LanesOn lanes(places);
  const uint64_t size = ubBytes(), past = places.base + uint64_t(places.datumBytes);
  if (!lanes.areFirst || past > size)
    return false;
  const uint32_t highest = uint32_t((size - past) >> std::countr_zero(places.datumBytes));
  auto visit = [&]<typename Index>(const Index *indices) {
    uint32_t low, high;
    if (!hullOf(indices, lanes.end, highest, low, high))
      return false;
    beginPlaces();
    withBytes(places.datumBytes, [&](auto bytes) { body(indices, lanes.end, bytes, low, high); });
    return true;
  };
  switch (places.indexBytes) {
  case 1:
    return visit(static_cast<const uint8_t *>(places.index));
  case 2:
    return visit(static_cast<const uint16_t *>(places.index));
  default:
    return visit(static_cast<const uint32_t *>(places.index));
  }
}

template <typename Index> void ScopeUnit::enumerateElements(SiteId site, const PtoPlaces &places, bool stores) {
  const uint8_t *indices = static_cast<const uint8_t *>(places.index);
  const uint32_t slot = places.slotBytes, datum = places.datumBytes, base = places.base;
  const uint64_t size = ubBytes();
  auto indexOf = [&](uint32_t lane) {
    Index index;
    std::memcpy(&index, indices + lane * sizeof(Index), sizeof(Index));
    return index;
  };
  // Alignment is that of the base, for all lanes alike; bounds are a highest index.
  bool bad = (report->checks.memory && base % datum != 0) || base + uint64_t(datum) > size;
  const uint32_t highest = bad ? 0 : uint32_t((size - datum - base) / datum);
  PlaceBlocks::Place *out = placeBlocks->room();
  // Without branches: every lane is written down, and the next one overwrites it
  // when it is off.
  const LanesOn lanes(places);
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < lanes.end; ++lane) {
    Index index = indexOf(lane);
    bool active = lanes.on[lane * slot / 64] >> (lane * slot % 64) & 1;
    out[count] = {lane, base + uint32_t(index) * datum};
    count += active;
    bad |= active & (index > highest);
  }
  if (bad) [[unlikely]] {
    count = 0;
    for (uint32_t lane = 0; lane < kVectorBytes / slot; ++lane) {
      // In 64 bits: an index that is too large must not come round to the front.
      uint64_t address = base + uint64_t(indexOf(lane)) * datum;
      if (bitOf(places.image, lane * slot) && placeInside(site, places, lane, address, stores))
        out[count++] = {lane, uint32_t(address)};
    }
  }
  placeBlocks->setCount(count);
}

void ScopeUnit::enumerateBlocks(SiteId site, const PtoPlaces &places, bool stores) {
  bool readingsDiffer = false;
  for (uint32_t b = 0; b < kVectorBytes / kBlockBytes; ++b) {
    bool own = bitOf(places.image, 4 * b);
    uint64_t address = places.base;
    if (places.form == PTO_PLACES_OFFSETS) {
      uint32_t offset;
      std::memcpy(&offset, static_cast<const uint8_t *>(places.index) + 4 * b, 4);
      address += offset;
    } else {
      bool any = !places.image || uint32_t(places.image[b / 2] >> (b % 2 * 32)) != 0;
      readingsDiffer |= any != own;
      own = any;
      address += kBlockBytes * (places.repeatStride + b * places.blockStride);
    }
    if (own && placeInside(site, places, b, address, stores))
      placeBlocks->add(b, uint32_t(address));
  }
  if (readingsDiffer && observer)
    report->tell(site, say::kBlockMask());
}

void ScopeUnit::beginPlaces() {
  if (!placeBlocks)
    placeBlocks = std::make_unique<PlaceBlocks>();
  placeBlocks->begin(ubBytes());
}

/// Active places that exist, in the order of lanes.
void ScopeUnit::enumeratePlaces(SiteId site, const PtoPlaces &places, bool stores) {
  beginPlaces();
  if (places.form != PTO_PLACES_ELEMENTS)
    return enumerateBlocks(site, places, stores);
  switch (places.indexBytes) {
  case 1:
    return enumerateElements<uint8_t>(site, places, stores);
  case 2:
    return enumerateElements<uint16_t>(site, places, stores);
  default:
    return enumerateElements<uint32_t>(site, places, stores);
  }
}

static uint32_t datumBytes(const PtoPlaces &places) {
  return places.form == PTO_PLACES_ELEMENTS ? places.datumBytes : kBlockBytes;
}

void ScopeUnit::gather(SiteId site, const PtoPlaces &places, uint8_t *result, PtoLoadShadow *shadow) {
  ++vectorAccesses;
  std::memset(result, 0, kVectorBytes);
  std::fill_n(shadow->defined, kVectorBytes / 64, ~uint64_t(0));
  shadow->stamp = 0;
  if (report->stopped)
    return;
  const uint8_t *memory = ub();
  const bool observed = this->observed();
  bool near = false; // nothing has listed the places
  const bool plain =
      plainElements(places, [&](const auto *indices, uint32_t lanes, auto bytes, uint32_t low, uint32_t high) {
        const uint32_t slot = places.slotBytes;
        near = placeBlocks->noteNear<bytes, false>(indices, places.base, lanes, low, high);
        if (near)
          return forEachElement<bytes>(indices, places.base, lanes, [=](uint32_t lane, uint32_t address) {
            std::memcpy(result + lane * slot, memory + address, bytes);
          });
        placeBlocks->visit<bytes, false>(indices, places.base, lanes, [=](uint32_t lane, uint32_t address) {
          std::memcpy(result + lane * slot, memory + address, bytes);
        });
      });
  if (!plain)
    enumeratePlaces(site, places, /*stores=*/false);
  if (!plain)
    withBytes(datumBytes(places), [&](auto bytes) {
      const uint32_t slot = places.slotBytes;
      for (PlaceBlocks::Place place : placeBlocks->places())
        std::memcpy(result + place.lane * slot, memory + place.address, bytes);
      if (observed)
        placeBlocks->markAll<bytes>();
    });
  if (!observed)
    return;
  std::span<BlockPart> parts = placeBlocks->collect();
  shadow->stamp = observer->gather(scopeInstr, site, parts);
  uint32_t missing = 0;
  for (const BlockPart &part : parts)
    missing |= part.touched & ~part.defined;
  if (!missing)
    return;
  if (near) {
    placeBlocks->numberNear();
    enumeratePlaces(site, places, /*stores=*/false);
  }
  for (PlaceBlocks::Place place : placeBlocks->places())
    placeBlocks->forEachPart(place.address, datumBytes(places), [&](BlockPart &part, uint32_t mask, int shift) {
      for (uint32_t missing = mask & ~part.defined; missing; missing &= missing - 1) {
        uint32_t k = place.lane * places.slotBytes + uint32_t(std::countr_zero(missing) - shift);
        shadow->defined[k / 64] &= ~(uint64_t(1) << (k % 64));
      }
    });
}

/// Eight whole blocks at different places of the memory, as nearly all strided stores are.
bool ScopeUnit::plainBlocks(const PtoPlaces &places) const {
  if (places.form != PTO_PLACES_STRIDES || places.blockStride == 0 || delays || onlooker || report->stopped)
    return false;
  if (const uint64_t *image = places.image) {
    // Both readings of the mask: a bit of each block, and the bits 4 b.
    bool all = (image[0] & 0x11111111) == 0x11111111;
    for (uint32_t word = 0; word < kVectorBytes / 64; ++word)
      all = all && uint32_t(image[word]) && image[word] >> 32;
    if (!all)
      return false;
  }
  const uint64_t last = places.repeatStride + (kVectorBytes / kBlockBytes - 1) * uint64_t(places.blockStride);
  return places.base % kBlockBytes == 0 && places.base + (last + 1) * kBlockBytes <= ubBytes();
}

void ScopeUnit::scatterBlocks(SiteId site, const PtoPlaces &places, const uint8_t *value, const uint64_t *defined,
                              const uint32_t *stamps, uint32_t stampCount) {
  std::array<BlockPart, kVectorBytes / kBlockBytes> parts;
  for (uint32_t b = 0; b < parts.size(); ++b)
    parts[b] = {places.base + kBlockBytes * (places.repeatStride + b * places.blockStride), ~0u,
                defined ? uint32_t(defined[b / 2] >> (b % 2 * 32)) : ~0u};
  if (observed())
    observer->scatter(scopeInstr, site, parts, stamps, stampCount);
  uint8_t *const memory = ub();
  for (uint32_t b = 0; b < parts.size(); ++b)
    std::memcpy(memory + parts[b].address, value + b * kBlockBytes, kBlockBytes);
}

void ScopeUnit::scatter(SiteId site, const PtoPlaces &places, const uint8_t *value, const uint64_t *defined,
                        const uint32_t *stamps, uint32_t stampCount) {
  ++vectorAccesses;
  if (plainBlocks(places)) [[likely]]
    return scatterBlocks(site, places, value, defined, stamps, stampCount);
  if (report->stopped)
    return;
  const uint32_t bytes = datumBytes(places);
  uint8_t *const memory = ub();
  // The lowest lane wins (VSC-4), of blocks the last one (VSSTB-3):
  // whoever comes later here overwrites.
  const PlaceBlocks::Place *shared = nullptr;
  bool near = false; // nothing has listed the places
  const bool plain =
      plainElements(places, [&](const auto *indices, uint32_t lanes, auto size, uint32_t low, uint32_t high) {
        const uint32_t slot = places.slotBytes;
        near = placeBlocks->noteNear<size, true>(indices, places.base, lanes, low, high);
        if (near)
          return forEachElement<size>(indices, places.base, lanes, [=](uint32_t lane, uint32_t address) {
            std::memcpy(memory + address, value + lane * slot, size);
          });
        shared = placeBlocks->visit<size, true>(indices, places.base, lanes, [=](uint32_t lane, uint32_t address) {
          std::memcpy(memory + address, value + lane * slot, size);
        });
      });
  if (!plain) {
    enumeratePlaces(site, places, /*stores=*/true);
    if (places.form == PTO_PLACES_ELEMENTS)
      std::ranges::reverse(placeBlocks->places());
    withBytes(bytes, [&](auto size) { shared = placeBlocks->markAll<size>(); });
  }
  std::span<BlockPart> parts = placeBlocks->collect();
  if (defined && (defined[0] & defined[1] & defined[2] & defined[3]) != ~uint64_t(0)) [[unlikely]] {
    if (near) {
      placeBlocks->numberNear();
      enumeratePlaces(site, places, /*stores=*/true);
    }
    for (const PlaceBlocks::Place &place : placeBlocks->places()) {
      // A datum never straddles two words of the register's bits.
      uint32_t k = place.lane * places.slotBytes, bits = uint32_t(defined[k / 64] >> (k % 64));
      placeBlocks->forEachPart(place.address, bytes, [&](BlockPart &part, uint32_t mask, int shift) {
        part.defined = (part.defined & ~mask) | ((shift >= 0 ? bits << shift : bits >> -shift) & mask);
      });
    }
  }
  if (shared && observer) {
    bool block = places.form != PTO_PLACES_ELEMENTS;
    report->tell(site, (block ? say::kBlocksAlias : say::kLanesAlias)(shared->address),
                 ByteRange{"ub", "", shared->address, uint64_t(shared->address) + bytes});
  }
  if (observed())
    observer->scatter(scopeInstr, site, parts, stamps, stampCount);
  if (onlooker)
    for (const BlockPart &part : parts) {
      uint64_t active = part.touched;
      onlooker->store(context, site, part.address, kBlockBytes, &active);
    }
  if (plain)
    return;
  if (!delays) {
    withBytes(bytes, [&](auto size) {
      const uint32_t slot = places.slotBytes;
      for (PlaceBlocks::Place place : placeBlocks->places())
        std::memcpy(memory + place.address, value + place.lane * slot, size);
    });
    return;
  }
  // Delayed stores may drain in any order, so each byte is handed over once.
  std::vector<uint8_t> image(parts.size() * kBlockBytes);
  for (PlaceBlocks::Place place : placeBlocks->places())
    placeBlocks->forEachPart(place.address, bytes, [&](BlockPart &part, uint32_t mask, int shift) {
      uint8_t *block = image.data() + (&part - parts.data()) * ptrdiff_t(kBlockBytes);
      for (; mask; mask &= mask - 1)
        block[std::countr_zero(mask)] = value[int(place.lane * places.slotBytes) + std::countr_zero(mask) - shift];
    });
  for (const BlockPart &part : parts) {
    uint64_t active = part.touched;
    bufferedStore(memory + part.address, kBlockBytes, image.data() + (&part - parts.data()) * ptrdiff_t(kBlockBytes),
                  &active);
  }
}

} // namespace ptoscope
