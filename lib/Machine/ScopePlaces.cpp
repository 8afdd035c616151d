//===- ScopePlaces.cpp - gathers, scatters and block strides --------------===//
//
// Checks each active place, tells the observer line by line, and makes the
// access. Inactive places are not looked at; bad ones read as zero and are not
// written.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>
#include <cstring>

namespace ptoscope {

static bool bitOf(const uint64_t *bits, uint32_t k) { return !bits || (bits[k / 64] >> (k % 64) & 1); }

void Core::reportPlace(SiteId site, std::string_view code, std::string message, std::string help, uint64_t address,
                       uint32_t bytes) {
  Finding f = finding(code, site, opName(site) + " " + message);
  f.help = std::move(help);
  f.bytes = ByteRange{"ub", "", address, address + bytes};
  reportAccess(site, std::move(f));
}

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

void Core::checkLookup(SiteId site, const uint8_t *index, uint32_t bytes) {
  uint32_t lanes = kVectorBytes / bytes;
  auto beyond = firstBeyond(index, bytes, lanes, nullptr);
  if (!beyond)
    return;
  Finding f = finding("undefined-by-manual", site,
                      opName(site) + " looks up lane " + std::to_string(beyond->second) + " of " +
                          std::to_string(lanes) + " in lane " + std::to_string(beyond->first) +
                          "; the index is taken modulo the number of lanes");
  f.help = "keep indices below the number of lanes";
  addIterations(f, site);
  report(std::move(f));
}

void Core::checkCounts(SiteId site, const uint8_t *counts, uint32_t bytes, const uint64_t *active) {
  auto beyond = firstBeyond(counts, bytes, 8 * bytes, active);
  if (!beyond)
    return;
  Finding f = finding("undefined-by-manual", site,
                      opName(site) + " shifts lane " + std::to_string(beyond->first) + " by " +
                          std::to_string(beyond->second) + ", which " + std::to_string(8 * bytes) +
                          " bits do not allow; the count is taken modulo the width");
  f.help = "keep counts from 0 to the width minus 1";
  addIterations(f, site);
  report(std::move(f));
}

/// True when the place may be accessed.
bool Core::placeInside(SiteId site, const PtoPlaces &places, uint32_t lane, uint64_t address, bool stores) {
  bool block = places.form != PTO_PLACES_ELEMENTS;
  uint32_t bytes = block ? kBlockBytes : places.datumBytes;
  std::string what = std::string(block ? "block " : "lane ") + std::to_string(lane) + " at UB byte " + hex(address);
  std::string verb = stores ? "writes " : "reads ";
  if (checks.memory && address % bytes != 0) {
    reportPlace(site, block ? "ub-misaligned" : "gather-misaligned",
                verb + what + ", which is no multiple of " + std::to_string(bytes),
                block ? "offsets and the pointer count bytes and have to be multiples of 32"
                      : "the index counts elements; align the pointer to its element",
                address, bytes);
    return false;
  }
  uint64_t size = bytesOf(Space::Ub);
  if (address + bytes <= size)
    return true;
  reportPlace(site, "ub-out-of-bounds", verb + what + ", beyond the " + std::to_string(size) + " bytes of UB",
              block ? "check pointer, offsets or strides, or switch the block off"
                    : "check the index, which counts elements, or switch the lane off",
              address, bytes);
  return false;
}

/// Active places that exist, in the order of lanes.
void Core::enumeratePlaces(SiteId site, const PtoPlaces &places, bool stores) {
  placeLines.begin(bytesOf(Space::Ub));
  // In 64 bits: an index that is too large must not come round to the front.
  auto add = [&](uint32_t lane, uint64_t address) {
    if (placeInside(site, places, lane, address, stores))
      placeLines.places.push_back({lane, uint32_t(address)});
  };
  if (places.form == PTO_PLACES_ELEMENTS) {
    for (uint32_t lane = 0; lane < kVectorBytes / places.slotBytes; ++lane) {
      if (!bitOf(places.image, lane * places.slotBytes))
        continue;
      uint32_t index = 0;
      std::memcpy(&index, static_cast<const uint8_t *>(places.index) + lane * places.indexBytes, places.indexBytes);
      add(lane, places.base + uint64_t(index) * places.datumBytes);
    }
    return;
  }
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
    if (own)
      add(b, address);
  }
  if (readingsDiffer && observer) {
    Finding f = finding("undefined-by-manual", site,
                        opName(site) + " has a mask that documents read in two ways: a block is active here when any "
                                       "of its own 32 mask bits is on; bit 4 b alone would choose other blocks");
    f.help = "use a mask whose first 8 b32 lanes agree with the blocks, or all lanes";
    addIterations(f, site);
    report(std::move(f));
  }
}

/// Runs `body(line, offset in the line, offset in the datum)` for each byte.
template <typename Body> static void forEachByte(PlaceLines &lines, uint32_t address, uint32_t bytes, Body body) {
  for (uint32_t i = 0; i < bytes; ++i)
    body(lines.lineOf(address + i), (address + i) % kVectorBytes, i);
}

void Core::gather(SiteId site, const PtoPlaces &places, uint8_t *result, PtoLoadShadow *shadow) {
  ++stats.vectorAccesses;
  std::memset(result, 0, kVectorBytes);
  std::fill_n(shadow->defined, kVectorBytes / 64, ~uint64_t(0));
  shadow->stamp = 0;
  if (stopped)
    return;
  enumeratePlaces(site, places, /*stores=*/false);
  uint32_t bytes = places.form == PTO_PLACES_ELEMENTS ? places.datumBytes : kBlockBytes;
  const uint8_t *ub = memory(Space::Ub);
  for (PlaceLines::Place place : placeLines.places) {
    std::memcpy(result + place.lane * places.slotBytes, ub + place.address, bytes);
    if (!observer)
      continue;
    uint32_t at = place.address % kVectorBytes;
    if (bytes <= 64 && at / 64 == (at + bytes - 1) / 64) {
      PlaceLines::Line &line = placeLines.lineOf(place.address);
      line.active[at / 64] |= ((~uint64_t(0)) >> (64 - bytes)) << (at % 64);
    } else {
      forEachByte(placeLines, place.address, bytes, [](PlaceLines::Line &line, uint32_t at, uint32_t) {
        line.active[at / 64] |= uint64_t(1) << (at % 64);
      });
    }
  }
  if (!observer || !runningScope)
    return;
  std::vector<uint32_t> &stamps = placeStamps;
  stamps.clear();
  bool allDefined = true;
  for (PlaceLines::Line &line : placeLines.lines) {
    std::fill_n(line.defined, 4, ~uint64_t(0));
    LocalAccess access{site, Space::Ub, nullptr, line.address, kVectorBytes, line.active, VectorLoad, true};
    stamps.push_back(observer->vectorLoad(scopeInstr, access, line.defined));
    for (int w = 0; w < 4; ++w)
      allDefined &= (line.defined[w] | ~line.active[w]) == ~uint64_t(0);
  }
  shadow->stamp = stamps.size() == 1 ? stamps[0] : observer->mergeStamps(stamps.data(), uint32_t(stamps.size()));
  if (allDefined)
    return;
  for (PlaceLines::Place place : placeLines.places)
    forEachByte(placeLines, place.address, bytes, [&](PlaceLines::Line &line, uint32_t at, uint32_t i) {
      uint32_t k = place.lane * places.slotBytes + i;
      if (!bitOf(line.defined, at))
        shadow->defined[k / 64] &= ~(uint64_t(1) << (k % 64));
    });
}

void Core::scatter(SiteId site, const PtoPlaces &places, const uint8_t *value, const uint64_t *defined,
                   const uint32_t *stamps, uint32_t stampCount) {
  ++stats.vectorAccesses;
  if (stopped)
    return;
  enumeratePlaces(site, places, /*stores=*/true);
  uint32_t bytes = places.form == PTO_PLACES_ELEMENTS ? places.datumBytes : kBlockBytes;
  // The lowest lane wins, of blocks the last one (isa/10 sections 9.1 and 10):
  // whoever comes later here overwrites.
  if (places.form == PTO_PLACES_ELEMENTS)
    std::reverse(placeLines.places.begin(), placeLines.places.end());
  const PlaceLines::Place *shared = nullptr;
  for (const PlaceLines::Place &place : placeLines.places)
    forEachByte(placeLines, place.address, bytes, [&](PlaceLines::Line &line, uint32_t at, uint32_t i) {
      uint64_t bit = uint64_t(1) << (at % 64);
      if (line.active[at / 64] & bit)
        shared = &place;
      uint32_t k = place.lane * places.slotBytes + i;
      line.active[at / 64] |= bit;
      line.defined[at / 64] = (line.defined[at / 64] & ~bit) | (bitOf(defined, k) ? bit : 0);
      line.data[at] = value[k];
    });
  if (shared && observer) {
    bool block = places.form != PTO_PLACES_ELEMENTS;
    Finding f = finding(block ? "undefined-by-manual" : "scatter-alias", site,
                        opName(site) + " writes UB byte " + hex(shared->address) + " from several " +
                            (block ? "blocks; the last one wins" : "lanes; the lowest one wins"));
    f.help = block ? "use a block stride of at least 1" : "make the indices of active lanes different";
    f.bytes = ByteRange{"ub", "", shared->address, uint64_t(shared->address) + bytes};
    addIterations(f, site);
    report(std::move(f));
  }
  for (PlaceLines::Line &line : placeLines.lines) {
    if (observer && runningScope) {
      LocalAccess access{site, Space::Ub, nullptr, line.address, kVectorBytes, line.active, VectorStore, true};
      observer->vectorStore(scopeInstr, access, line.defined, stamps, stampCount);
    }
    bufferedStore(site, memory(Space::Ub) + line.address, kVectorBytes, line.data, line.active);
  }
}

} // namespace ptoscope
