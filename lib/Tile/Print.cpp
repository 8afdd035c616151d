//===- Print.cpp - TPRINT -------------------------------------------------===//

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

/// Lets the pipes go on. False: the tile is not where it could be read, and that was
/// reported.
static bool isThere(const TileView &tile, const Map &map, const Source &source) {
  Context &context = Context::here();
  const Context::SiteEntry &site = context.siteOf("TPRINT", source);
  const Space space = context.spaceOf(tile.ref.location, site.id);
  uint64_t address = 0;
  if (space == Space::None)
    return false;
  if (!tile.data || !context.addressOf(space, tile.data, address)) {
    context.report(site.id, say::kUnplaced());
    return false;
  }
  openToHost(context.core, space, address, 0);
  context.leave(0);
  const uint64_t end = address + uint64_t(hullOf(map, validRegion(tile.ref), tile.ref.elem).end);
  const uint64_t bytes = localBytes(context.core, space);
  if (end > bytes)
    context.report(site.id, say::kPrintBounds.as(say::boundsCode(space))(end, bytes));
  return end <= bytes;
}

void printTile(const TileView &tile, const Source &source) {
  const TileRef &ref = tile.ref;
  const Map map = tileMap(ref);
  if (!isThere(tile, map, source))
    return;
  const unsigned bits = bitsOf(ref.elem);
  std::string text = std::string(source.file) + ":" + std::to_string(source.line) + ": TPRINT of " +
                     std::to_string(ref.validRows) + " x " + std::to_string(ref.validCols) + " elements\n";
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
}

} // namespace ptoscope::tile
