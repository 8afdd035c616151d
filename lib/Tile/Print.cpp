//===- Print.cpp - TPRINT -------------------------------------------------===//

#include "Print.h"

#include "Context.h"
#include "Layout.h"

#include "pto/detail/inst/print.hpp"

#include <cstdio>
#include <string>

namespace ptoscope::tile {

static std::string elementText(Elem elem, uint64_t bits) {
  const unsigned width = bitsOf(elem);
  char text[32];
  switch (elem) {
  case Elem::u8:
  case Elem::u16:
  case Elem::u32:
  case Elem::u64:
    return std::to_string(bits);
  case Elem::i4x2:
  case Elem::i8:
  case Elem::i16:
  case Elem::i32:
  case Elem::i64:
    return std::to_string(int64_t(bits << (64 - width)) >> (64 - width));
  default:
    break;
  }
  const float value = elem == Elem::f32    ? std::bit_cast<float>(uint32_t(bits))
                      : elem == Elem::f16  ? halfValue(uint16_t(bits))
                      : elem == Elem::bf16 ? bfloatValue(uint16_t(bits))
                                           : widenFloat(elem, uint8_t(bits));
  std::snprintf(text, sizeof(text), "%g", double(value));
  return text;
}

int32_t printTile(PtoContext *core, SiteId site, const TileView &tile) {
  const TileRef &ref = tile.ref;
  const Map map = tileMap(ref);
  const Space space = spaceOf(ref.location);
  openToHost(core, space, ref.address, 0);
  const uint64_t end = ref.address + uint64_t(hullOf(map, validRegion(ref), ref.elem).end);
  const uint64_t bytes = localBytes(core, space);
  if (end > bytes)
    return reportAt(core, site, say::kPrintBounds.as(say::boundsCode(space))(end, bytes), /*fatal=*/false);
  const unsigned bits = bitsOf(ref.elem);
  std::string text = siteText(core, site) + " of " + say::kShape(ref.validRows, ref.validCols) + " elements\n";
  for (int64_t r = 0; r < ref.validRows; ++r) {
    for (int64_t c = 0; c < ref.validCols; ++c) {
      const int64_t at = map.offset(r, c);
      uint64_t value = 0;
      if (bits == 4)
        value = tile.data[at / 2] >> (at % 2 * 4) & 15;
      else
        __builtin_memcpy(&value, tile.data + at * int64_t(bits / 8), bits / 8);
      text += (c ? " " : "") + elementText(ref.elem, value);
    }
    text += "\n";
  }
  // One call: lines of other threads do not come between.
  std::fputs(text.c_str(), stdout);
  return 0;
}

void printTile(const TileView &tile, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("TPRINT", source).id;
  const Space space = context.spaceOf(tile.ref.location, site);
  uint64_t address = 0;
  if (space == Space::None)
    return;
  if (!tile.data || !context.addressOf(space, tile.data, address))
    return context.report(site, say::kUnplaced());
  TileView placed = tile;
  placed.ref.address = uint32_t(address);
  context.leave(printTile(context.core, site, placed));
}

} // namespace ptoscope::tile
