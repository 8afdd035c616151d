//===- Scaled.cpp - products with MX scales -------------------------------===//
//
// Their footprints, and what they want of the addresses of their tiles.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "Footprints.h"

#include "pto/detail/mx_abi.hpp"
#include "ptoscope/Machine/ScaleSentences.h"

namespace ptoscope::tile {

/// Elements along K that share a scale, and how far data and its scales are apart (MXT-5).
static constexpr int64_t kGroup = 32;
static constexpr uint64_t kShift = 4;

/// `left` is the number of the left tile.
static void tellScaled(const Operands &ops, size_t left, Footprint &footprint) {
  const TileRef &a = ops.tile[left].ref, &b = ops.tile[left + 2].ref;
  const int64_t m = a.validRows, k = a.validCols, n = b.validCols, groups = (k + kGroup - 1) / kGroup;
  for (auto [name, extent] : {std::pair("M", m), {"K", k}, {"N", n}})
    if (extent < 1 || extent > 4095)
      footprint.outside(say::kScaledExtent(name, extent));
  const auto tellScales = [&](size_t i, int64_t rows, int64_t cols) {
    const TileRef &scales = ops.tile[i].ref;
    if (scales.validRows < rows || scales.validCols < cols)
      footprint.outside(say::kScaleShape(footprint.name(i), say::kShape(scales.validRows, scales.validCols),
                                         say::kShape(rows, cols)));
    footprint.tile(i, {0, 0, rows, cols}, Role::Read);
  };
  tellScales(left + 1, m, groups);
  footprint.tile(left + 2, {0, 0, k, n}, Role::Read);
  tellScales(left + 3, groups, n);
  footprint.tile(0, {0, 0, m, n}, Role::Write);
}

void tmatmulmxFootprint(const Operands &ops, Footprint &footprint) { tellScaled(ops, 1, footprint); }

void tmatmulmxaccFootprint(const Operands &ops, Footprint &footprint) {
  footprint.tile(1, {0, 0, ops.tile[2].ref.validRows, ops.tile[4].ref.validCols}, Role::Read);
  tellScaled(ops, 2, footprint);
}

void tmatmulmxbiasFootprint(const Operands &ops, Footprint &footprint) {
  footprint.tile(1, {0, 0, ops.tile[2].ref.validRows > 0, ops.tile[4].ref.validCols}, Role::Read);
  tellScaled(ops, 2, footprint);
}

void issueScaled(Call &call, uint32_t left) {
  Context &context = Context::here();
  const Operands &ops = call.operands;
  const Record &record = *call.record;
  // What tells the tiles apart is their addresses, which nothing that is remembered of the
  // line knows. Host simulators do not couple them.
  if (context.launch.memory && !ops.isHost()) {
    const auto at = [&](size_t i) {
      uint64_t address = ~uint64_t(0);
      const Space space = spaceOf(ops.tile[i].ref.location);
      return ops.tile[i].data && context.addressOf(space, ops.tile[i].data, address) ? address : ~uint64_t(0);
    };
    const auto report = [&](const Fact &fact) {
      context.report(context.siteOf(&record, record.name, record.timing, call.source).id, fact);
    };
    for (size_t data : {left, left + 2}) {
      const uint64_t tile = at(data), scale = at(data + 1);
      if (tile != ~uint64_t(0) && scale != ~uint64_t(0) && scale != tile >> kShift)
        report(say::kScaleAddress(nameOf(call, data + 1), scale, nameOf(call, data), tile, tile >> kShift));
    }
    if (left == 2 && TileType(ops.tile[1].ref.location) == TileType::Acc)
      if (const uint64_t in = at(1), out = at(0); in != out && in != ~uint64_t(0) && out != ~uint64_t(0))
        report(say::kSumAddress(in, out));
  }
  context.issue(call);
}

uint64_t scaleAddress(const void *data, const Source &source) {
  Context &context = Context::here();
  // Code that all cores run may ask on one that has neither memory.
  for (Space space : {Space::L0A, Space::L0B})
    if (const auto address = uint64_t(static_cast<const uint8_t *>(data) - context.placeBase(space));
        address < profileOf(context.core).bytes[size_t(space)])
      return address >> kShift;
  context.report(context.siteOf("GetScaleAddr", source).id, say::kScaleElsewhere());
  return 0;
}

} // namespace ptoscope::tile
