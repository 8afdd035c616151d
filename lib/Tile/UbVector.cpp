//===- UbVector.cpp - `ub` instructions of generated code -----------------===//
//
// A repeat is eight blocks of 32 bytes. Its elements are brought together, the tile
// instruction computes them, and those that the mask selects go to their places; repeats
// follow one another (UBV-8). Instructions without gaps and masks are one call.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Tile/UbVector.h"

#include "Issuer.h"
#include "TextIssuer.h"
#include "pto/detail/layout.hpp"
#include "ptoscope/Machine/UbSentences.h"
#include "ptoscope/Tile/Runtime.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <string_view>

namespace ptoscope::tile {

namespace {

constexpr uint32_t kBlocks = 8, kBlock = 32, kRepeatBytes = kBlocks * kBlock;
constexpr int64_t kMaxShort = 255, kMaxLong = 65535;
constexpr size_t kMaxOperands = PTO_UB_OPERANDS;

/// Repeats with the same elements.
struct Part {
  uint32_t first, count;
  uint64_t mask[2];
};

/// What waits in a queue.
struct Queued {
  const Record *record;
  RunFunction run;
  uint8_t *ub;
  Elem elem;
  uint8_t pointers;
  bool shifts;
  Rules rules;
  uint64_t scalar;
  uint64_t address[kMaxOperands];
  uint32_t block[kMaxOperands], step[kMaxOperands]; ///< in bytes
  Part part[2];
  uint32_t parts;

  uint32_t width() const { return bitsOf(elem) / 8; }
  uint32_t lanes() const { return kRepeatBytes / width(); }
  uint32_t blockLanes() const { return kBlock / width(); }
};

/// The elements [0, n) of a repeat.
Part prefix(uint32_t first, uint32_t count, uint32_t n) {
  const auto word = [](uint32_t bits) { return bits >= 64 ? ~uint64_t(0) : (uint64_t(1) << bits) - 1; };
  return {first, count, {word(n), word(n > 64 ? n - 64 : 0)}};
}

/// The elements of a block, the first one lowest.
uint32_t blockMask(const Queued &call, const Part &part, uint32_t block) {
  const uint32_t n = call.blockLanes(), at = block * n;
  return uint32_t(part.mask[at / 64] >> (at % 64)) & uint32_t((uint64_t(1) << n) - 1);
}
bool isWhole(const Queued &call, const Part &part) {
  const Part all = prefix(0, 0, call.lanes());
  return part.mask[0] == all.mask[0] && part.mask[1] == all.mask[1];
}

void addPart(Queued &call, const Part &part) {
  if (part.count && (part.mask[0] | part.mask[1]))
    call.part[call.parts++] = part;
}

/// UBV-2, UBV-6, UBV-7: the numbers of an instruction with a mask.
Fact plan(const PtoUbVector &given, const VectorMask &mask, uint32_t ubBytes, Queued &call) {
  call = {};
  call.record = recordAt(given.record);
  call.elem = given.elem;
  call.pointers = given.pointers;
  const std::string_view name = call.record->name;
  call.shifts = name == "TSHLS" || name == "TSHRS";
  // Logic and shifts act on bits, and a distance is any number (UBV-10).
  if (call.shifts)
    call.elem = bitsOf(given.elem) == 16 ? Elem::u16 : Elem::u32;
  call.scalar = call.shifts ? std::min<uint64_t>(uint64_t(given.scalar), bitsOf(given.elem)) : uint64_t(given.scalar);
  if (given.repeat < 0 || given.repeat > kMaxShort)
    return say::kUbNumber("the repeat count", given.repeat, kMaxShort);
  const int64_t mostBlock = given.pointers == kMaxOperands ? kMaxShort : kMaxLong;
  for (size_t i = 0; i < given.pointers; ++i) {
    if (given.block[i] < 0 || given.block[i] > mostBlock)
      return say::kUbNumber("a block stride", given.block[i], mostBlock);
    if (given.step[i] < 0 || given.step[i] > kMaxShort)
      return say::kUbNumber("a repeat stride", given.step[i], kMaxShort);
    call.address[i] = given.address[i];
    call.block[i] = uint32_t(given.block[i]) * kBlock;
    call.step[i] = uint32_t(given.step[i]) * kBlock;
  }
  const uint32_t lanes = call.lanes();
  if (!mask.counts) {
    const Part all = prefix(0, uint32_t(given.repeat), lanes);
    addPart(call, {0, uint32_t(given.repeat), {mask.words[0] & all.mask[0], mask.words[1] & all.mask[1]}});
    return {};
  }
  const uint64_t count = mask.words[0], room = ubBytes / call.width();
  if (count > room)
    return say::kUbCount(int64_t(count), int64_t(room));
  addPart(call, prefix(0, uint32_t(count / lanes), lanes));
  addPart(call, prefix(uint32_t(count / lanes), 1, uint32_t(count % lanes)));
  return {};
}

//===----------------------------------------------------------------------===//
// Footprint
//===----------------------------------------------------------------------===//

/// Bytes of an operand, from its address on, up to the last one that is touched.
uint64_t spanOf(const Queued &call, size_t operand) {
  uint64_t end = 0;
  for (uint32_t p = 0; p < call.parts; ++p) {
    const Part &part = call.part[p];
    const uint32_t last =
        part.mask[1] ? 127 - uint32_t(std::countl_zero(part.mask[1])) : 63 - uint32_t(std::countl_zero(part.mask[0]));
    const uint32_t block = last / call.blockLanes(), lane = last % call.blockLanes();
    end = std::max(end, uint64_t(part.first + part.count - 1) * call.step[operand] +
                            uint64_t(block) * call.block[operand] + uint64_t(lane + 1) * call.width());
  }
  return end;
}

std::vector<DirectHull> hullsOf(const Queued &call) {
  std::vector<DirectHull> hulls;
  for (uint8_t i = 0; call.parts && i < call.pointers; ++i)
    hulls.push_back({Space::Ub, i, i == 0, kBlock, call.address[i], call.address[i] + spanOf(call, i)});
  return hulls;
}

/// Rows along strides; one of 0 repeats the same bytes.
Box boxOf(uint64_t base, uint64_t bytes, std::initializer_list<Box::Dim> dims) {
  Box box{base, bytes, {}};
  for (const Box::Dim &dim : dims)
    if (dim.stride)
      box.dims.push_back(dim);
  box.normalise();
  return box;
}

void regionsOf(const Queued &call, std::vector<DirectRegion> &regions) {
  for (uint8_t i = 0; i < call.pointers; ++i) {
    const DirectRole role = i == 0 ? DirectRole::Write : DirectRole::Read;
    const auto add = [&](Box box) { regions.push_back({Space::Ub, role, i, std::move(box)}); };
    for (uint32_t p = 0; p < call.parts; ++p) {
      const Part &part = call.part[p];
      const uint64_t base = call.address[i] + uint64_t(part.first) * call.step[i];
      const Box::Dim repeats = {part.count, int64_t(call.step[i])};
      if (isWhole(call, part)) {
        add(boxOf(base, kBlock, {{kBlocks, int64_t(call.block[i])}, repeats}));
        continue;
      }
      for (uint32_t block = 0; block < kBlocks; ++block)
        for (uint32_t bits = blockMask(call, part, block); bits;) {
          const auto from = uint32_t(std::countr_zero(bits)), n = uint32_t(std::countr_one(bits >> from));
          add(boxOf(base + uint64_t(block) * call.block[i] + from * call.width(), uint64_t(n) * call.width(),
                    {repeats}));
          bits &= ~uint32_t(((uint64_t(1) << n) - 1) << from);
        }
    }
  }
}

//===----------------------------------------------------------------------===//
// Effect
//===----------------------------------------------------------------------===//

/// One row of elements at each of the places.
void compute(const Queued &call, uint8_t *const *data, uint32_t elements) {
  Operands ops;
  ops.tiles = call.pointers;
  ops.rules = call.rules;
  ops.scalar[0] = call.scalar;
  for (size_t i = 0; i < call.pointers; ++i) {
    TileRef ref{};
    ref.location = uint8_t(TileType::Vec);
    ref.elem = call.elem;
    ref.blockLayout = uint8_t(BLayout::RowMajor);
    ref.innerLayout = uint8_t(SLayout::NoneBox);
    ref.fractalBytes = 512;
    ref.rows = ref.validRows = 1;
    ref.cols = ref.validCols = int32_t(elements);
    ops.tile[i] = {data[i], ref};
  }
  call.run(ops);
}

/// Whether all repeats are one row in every operand, and each source is the destination or apart from it.
bool isOneRow(const Queued &call) {
  const uint64_t bytes = uint64_t(call.part[0].count) * kRepeatBytes;
  if (call.parts != 1 || !isWhole(call, call.part[0]))
    return false;
  for (size_t i = 0; i < call.pointers; ++i) {
    if (call.block[i] != kBlock || (call.step[i] != kRepeatBytes && call.part[0].count > 1))
      return false;
    const uint64_t from = call.address[i], to = call.address[0];
    if (from != to && from < to + bytes && to < from + bytes)
      return false;
  }
  return true;
}

void runRepeat(const Queued &call, const Part &part, uint64_t repeat) {
  alignas(64) uint8_t row[kMaxOperands][kRepeatBytes] = {};
  uint8_t *data[kMaxOperands];
  const auto at = [&](size_t i, uint32_t block) {
    return call.ub + call.address[i] + repeat * call.step[i] + uint64_t(block) * call.block[i];
  };
  for (size_t i = 0; i < call.pointers; ++i) {
    data[i] = row[i];
    for (uint32_t block = 0; i > 0 && block < kBlocks; ++block)
      if (blockMask(call, part, block))
        std::memcpy(row[i] + block * kBlock, at(i, block), kBlock);
  }
  compute(call, data, call.lanes());
  const uint32_t width = call.width();
  for (uint32_t block = 0; block < kBlocks; ++block)
    for (uint32_t bits = blockMask(call, part, block); bits; bits &= bits - 1) {
      const uint32_t offset = uint32_t(std::countr_zero(bits)) * width;
      std::memcpy(at(0, block) + offset, row[0] + block * kBlock + offset, width);
    }
}

void runQueued(const void *payload) {
  const Queued &call = *static_cast<const Queued *>(payload);
  if (call.parts && isOneRow(call)) {
    uint8_t *data[kMaxOperands];
    for (size_t i = 0; i < call.pointers; ++i)
      data[i] = call.ub + call.address[i];
    return compute(call, data, call.part[0].count * call.lanes());
  }
  for (uint32_t p = 0; p < call.parts; ++p)
    for (uint32_t r = 0; r < call.part[p].count; ++r)
      runRepeat(call, call.part[p], call.part[p].first + r);
}

/// As the tile instruction over as many rows of a repeat.
Work workOfQueued(const void *payload) {
  const Queued &call = *static_cast<const Queued *>(payload);
  Work work;
  work.kind = Work::Kind::Vector;
  work.timing = call.record->timing;
  work.name = call.record->name;
  work.from = work.to = Space::Ub;
  work.fromBits = work.toBits = uint8_t(bitsOf(call.elem));
  work.isFloat = has(kFloats, call.elem);
  constexpr Timing kScalarForms[] = {Timing::vadds, Timing::vmuls, Timing::vmaxs, Timing::vshls};
  work.isScalarForm = std::ranges::find(kScalarForms, work.timing) != std::end(kScalarForms);
  for (uint32_t p = 0; p < call.parts; ++p)
    work.rows += call.part[p].count;
  work.cols = call.lanes();
  work.isContiguous = true;
  for (size_t i = 0; i < call.pointers; ++i) {
    work.isContiguous &= call.block[i] == kBlock && call.step[i] == kRepeatBytes;
    work.isInPlace |= i > 0 && call.address[i] == call.address[0];
  }
  work.bytes = uint64_t(work.rows) * kRepeatBytes * std::max(1, call.pointers - 1);
  return work;
}

} // namespace

UbFootprint ubFootprint(const PtoUbVector &given, const VectorMask &mask, uint32_t ubBytes) {
  UbFootprint result;
  Queued call;
  result.problem = plan(given, mask, ubBytes, call);
  if (!result.problem.code) {
    regionsOf(call, result.regions);
    result.hulls = hullsOf(call);
  }
  return result;
}

} // namespace ptoscope::tile

int32_t ptosc_ub_vector(PtoContext *core, uint32_t site, const PtoUbVector *given) {
  using namespace ptoscope;
  using namespace ptoscope::tile;
  Queued call;
  if (const Fact problem = plan(*given, vectorMask(core), localBytes(core, Space::Ub), call); problem.code) [[unlikely]]
    return reportAt(core, site, problem, /*fatal=*/true);
  call.ub = core->local[size_t(Space::Ub)];
  call.run = findMeaning(call.record->name)->run;
  call.rules = Rules::TextOfA3;
  const std::vector<DirectHull> hulls = hullsOf(call);
  DirectInstruction instruction;
  instruction.pipe = Pipe::V;
  instruction.payloadBytes = sizeof(call);
  instruction.payload = &call;
  instruction.run = runQueued;
  instruction.regions = [](const void *payload, std::vector<DirectRegion> &regions) {
    regionsOf(*static_cast<const Queued *>(payload), regions);
  };
  instruction.work = workOfQueued;
  return issueDirect(core, site, instruction, hulls);
}
