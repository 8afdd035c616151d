//===- Print.cpp - tiles, views and bytes as people read them -------------===//

#include "Print.h"

#include "Context.h"
#include "Layout.h"
#include "pto/detail/inst/print.hpp"
#include "ptoscope/Machine/Runtime.h"

#include <algorithm>
#include <cstdio>
#include <cstring>

namespace ptoscope::tile {

//===----------------------------------------------------------------------===//
// Elements
//===----------------------------------------------------------------------===//

static std::string number(double value) {
  char text[32];
  std::snprintf(text, sizeof(text), "%g", value);
  return text;
}

static bool isSigned(Elem elem) {
  return elem == Elem::i4x2 || elem == Elem::i4 || elem == Elem::i8 || elem == Elem::i16 || elem == Elem::i32 ||
         elem == Elem::i64;
}

std::optional<double> realOf(Elem elem, uint64_t bits) {
  switch (elem) {
  case Elem::f32:
    return double(std::bit_cast<float>(uint32_t(bits)));
  case Elem::f16:
    return double(halfValue(uint16_t(bits)));
  case Elem::bf16:
    return double(bfloatValue(uint16_t(bits)));
  case Elem::e4m3:
  case Elem::e5m2:
  case Elem::e8m0:
  case Elem::hif8:
  case Elem::e2m1x2:
  case Elem::e1m2x2:
    return double(widenFloat(elem, uint8_t(bits)));
  default:
    return std::nullopt;
  }
}

std::string elementText(Elem elem, uint64_t bits) {
  if (const std::optional<double> real = realOf(elem, bits))
    return number(*real);
  const unsigned width = elem == Elem::i4 ? 4 : bitsOf(elem);
  return isSigned(elem) ? std::to_string(int64_t(bits << (64 - width)) >> (64 - width)) : std::to_string(bits);
}

std::string scalarText(ElementType type, uint64_t bits) {
  const ElementInfo &info = infoOf(type);
  if (type == ElementType::F64)
    return number(std::bit_cast<double>(bits));
  if (const FloatFormat *format = formatOf(type))
    return number(decodeFloat(*format, uint32_t(bits)));
  const unsigned above = 64 - 8 * info.bytes;
  return info.kind == ElementClass::Signed ? std::to_string(int64_t(bits << above) >> above)
                                           : std::to_string(bits << above >> above);
}

static constexpr const char *kNames[] = {"i8",  "u8",   "i16",  "u16",  "i32",  "u32", "i64",  "u64",  "f16", "bf16",
                                         "f32", "e4m3", "e5m2", "e8m0", "hif8", "i4",  "e2m1", "e1m2", "i4"};
const char *elemName(Elem elem) { return kNames[size_t(elem)]; }

std::optional<Elem> parseElem(std::string_view name) {
  for (size_t i = 0; i < std::size(kNames); ++i)
    if (name == kNames[i])
      return Elem(i);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// Out of memory
//===----------------------------------------------------------------------===//

/// More than any memory of a core has; a view may repeat elements without end.
static constexpr uint64_t kMaxItems = uint64_t(1) << 26;

/// The next item: the element at `offset` of `data`, counted in elements.
static void take(Image &image, const uint8_t *data, int64_t offset) {
  const uint32_t bytes = image.itemBytes();
  if (bitsOf(image.elem) == 4)
    return image.items.push_back(data[offset / 2] >> (offset % 2 * 4) & 15);
  const uint8_t *from = data + offset * int64_t(bytes);
  image.items.insert(image.items.end(), from, from + bytes);
}

std::optional<Image> imageOf(const TileView &tile, uint64_t memoryBytes) {
  const TileRef &ref = tile.ref;
  const Map map = tileMap(ref);
  if (ref.address + uint64_t(hullOf(map, validRegion(ref), ref.elem).end) > memoryBytes)
    return std::nullopt;
  Image image{ref.elem, {uint64_t(ref.validRows), uint64_t(ref.validCols)}, {}};
  for (int64_t r = 0; r < ref.validRows; ++r)
    for (int64_t c = 0; c < ref.validCols; ++c)
      take(image, tile.data, map.offset(r, c));
  return image;
}

std::optional<Image> imageOf(const GlobalRef &view, unsigned rank, const GmObject *object) {
  Image image{view.elem, {}, {}};
  uint64_t items = 1;
  __int128 low = 0, high = 0;
  for (int k = 0; k < 5; ++k) {
    items = std::min(items, kMaxItems + 1) * uint64_t(std::clamp<int64_t>(view.shape[k], 0, int64_t(kMaxItems) + 1));
    const __int128 reach = __int128(view.shape[k] - 1) * view.stride[k];
    (reach < 0 ? low : high) += reach;
    if (k >= 5 - int(rank))
      image.shape.push_back(uint64_t(view.shape[k]));
  }
  if (items == 0)
    return image;
  const int bits = int(bitsOf(view.elem));
  if (items > kMaxItems || !object)
    return std::nullopt;
  const __int128 begin = reinterpret_cast<uintptr_t>(view.pointer) - object->base;
  if (begin * 8 + low * bits < 0 || begin * 8 + (high + 1) * bits > __int128(object->bytes) * 8)
    return std::nullopt;
  const uint8_t *data = object->host + uint64_t(begin);
  const int64_t *n = view.shape, *s = view.stride;
  for (int64_t a = 0; a < n[0]; ++a)
    for (int64_t b = 0; b < n[1]; ++b)
      for (int64_t c = 0; c < n[2]; ++c)
        for (int64_t d = 0; d < n[3]; ++d)
          for (int64_t e = 0; e < n[4]; ++e)
            take(image, data, a * s[0] + b * s[1] + c * s[2] + d * s[3] + e * s[4]);
  return image;
}

Image imageOf(Elem elem, std::span<const uint8_t> bytes) {
  if (bitsOf(elem) >= 8 && bytes.size() % (bitsOf(elem) / 8) != 0)
    elem = Elem::u8;
  Image image{elem, {bytes.size() * 8 / bitsOf(elem)}, {}};
  for (int64_t i = 0; i < int64_t(image.shape[0]); ++i)
    take(image, bytes.data(), i);
  return image;
}

Image registerImageOf(const Shown &shown, std::span<const uint8_t> bytes) {
  const bool isMask = shown.what == Shown::Mask;
  std::vector<uint8_t> flags;
  if (isMask) { // a lane is on iff the bit of its first byte is
    for (size_t at = 0; at < bytes.size() * 8; at += bitsOf(shown.elem) / 8)
      flags.push_back(bytes[at / 8] >> (at % 8) & 1);
    bytes = flags;
  }
  if (shown.lanes)
    bytes = bytes.first(std::min<size_t>(bytes.size(), isMask ? shown.lanes : shown.lanes * bitsOf(shown.elem) / 8));
  return imageOf(isMask ? Elem::u8 : shown.elem, bytes);
}

bool takePart(const Shown &shown, const void *part, std::vector<uint8_t> &value) {
  const size_t bytes = shown.what == Shown::Register    ? kVectorBytes
                       : shown.what == Shown::Mask      ? kVectorBytes / 8
                       : shown.what == Shown::TileValue ? sizeof(TileView)
                                                        : 8;
  const uint32_t perPart = kVectorBytes * 8 / bitsOf(shown.elem);
  const size_t all = bytes * std::max(1u, (shown.lanes + perPart - 1) / perPart);
  if (value.size() >= all)
    value.clear();
  const auto *from = static_cast<const uint8_t *>(part);
  value.insert(value.end(), from, from + bytes);
  return value.size() == all;
}

Space memoryOf(const TileRef &tile) { return spaceOf(tile.location); }

//===----------------------------------------------------------------------===//
// As text
//===----------------------------------------------------------------------===//

/// Items in lines of `width`; each begins with what `prefix` gives for its first item.
template <typename Prefix> static std::string lines(const Image &image, uint64_t width, Prefix prefix) {
  std::string text;
  const uint32_t bytes = image.itemBytes();
  const uint64_t count = image.items.size() / bytes;
  for (uint64_t i = 0; i < count; ++i) {
    uint64_t bits = 0;
    std::memcpy(&bits, image.items.data() + i * bytes, bytes);
    text += i % width ? " " : prefix(i);
    text += elementText(image.elem, bits);
    if ((i + 1) % width == 0 || i + 1 == count)
      text += "\n";
  }
  return text;
}

static std::string shapeText(std::span<const uint64_t> shape) {
  std::string text;
  for (uint64_t extent : shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

static std::string rows(const Image &image) {
  return lines(image, std::max<uint64_t>(image.shape.empty() ? 1 : image.shape.back(), 1), [](uint64_t) { return ""; });
}

static std::string layoutText(const TileRef &tile) {
  constexpr const char *kWords[] = {"none_box", "row_major", "col_major"};
  const char *block = kWords[tile.blockLayout + 1];
  if (SLayout(tile.innerLayout) == SLayout::NoneBox)
    return block;
  return say::kSeenBoxes(block, kWords[tile.innerLayout], tile.fractalBytes);
}

static std::string layoutText(const GlobalRef &view) {
  constexpr const char *kWords[] = {"nd", "dn", "nz"};
  return view.layout < std::size(kWords) ? kWords[view.layout] : say::kSeenLayout(view.layout);
}

std::string titleOf(const Title &title, const TileRef &tile) {
  const Extents room = capacityOf(tile);
  return say::kSeenTile(title.where, elemName(tile.elem), say::kShape(room.rows, room.cols), spaceOf(tile.location),
                        tile.address, layoutText(tile), say::kShape(tile.validRows, tile.validCols), title.who);
}

std::string textOf(const Title &title, const TileRef &tile, const Image &image) {
  return titleOf(title, tile) + "\n" + rows(image);
}

std::string textOf(const Title &title, const GlobalRef &view, const GmObject &object, const Image &image) {
  std::string strides;
  for (size_t k = 5 - image.shape.size(); k < 5; ++k)
    strides += (strides.empty() ? "" : ", ") + std::to_string(view.stride[k]);
  return say::kSeenView(title.where, elemName(view.elem), shapeText(image.shape),
                        reinterpret_cast<uintptr_t>(view.pointer) - object.base, object.name, layoutText(view), strides,
                        title.who) +
         "\n" + rows(image);
}

std::string textOf(const Title &title, const Image &image) {
  return say::kSeenValue(title.where, elemName(image.elem), shapeText(image.shape), title.who) + "\n" + rows(image);
}

std::string textOf(const Title &title, Space space, const std::string &object, std::span<const Row> rows) {
  constexpr uint64_t kWidth = 16;
  uint64_t items = 0;
  for (const Row &row : rows)
    items += row.image.items.size() / row.image.itemBytes();
  std::string text = say::kSeenBytes(title.where, rows.empty() ? elemName(Elem::u8) : elemName(rows[0].image.elem),
                                     items, object.empty() ? spaceText(space) : say::kSeenObject(object), title.who) +
                     "\n";
  for (const Row &row : rows)
    text += lines(row.image, kWidth,
                  [&](uint64_t first) { return hex(row.address + first * bitsOf(row.image.elem) / 8, 4) + ": "; });
  return text;
}

std::optional<Image> readTile(PtoContext *core, SiteId site, const TileView &tile) {
  const Space space = spaceOf(tile.ref.location);
  openToHost(core, space, tile.ref.address, 0);
  const uint64_t bytes = localBytes(core, space);
  std::optional<Image> image = imageOf(tile, bytes);
  if (!image) {
    const uint64_t end = tile.ref.address + uint64_t(hullOf(tile.ref, validRegion(tile.ref)).end);
    reportAt(core, site, say::kPrintBounds.as(say::boundsCode(space))(end, bytes), /*fatal=*/false);
  }
  return image;
}

int32_t printTile(PtoContext *core, SiteId site, const TileView &tile) {
  const std::optional<Image> image = readTile(core, site, tile);
  if (!image)
    return isStopped(core);
  print(core, textOf({siteText(core, site), whoText(core)}, tile.ref, *image));
  return 0;
}

std::optional<TileView> printedTile(Context &context, SiteId site, const TileView &tile) {
  const Space space = context.spaceOf(tile.ref.location, site);
  uint64_t address = 0;
  if (space == Space::None)
    return std::nullopt;
  if (!tile.data || !context.addressOf(space, tile.data, address)) {
    context.report(site, say::kUnplaced());
    return std::nullopt;
  }
  TileView placed = tile;
  placed.ref.address = uint32_t(address);
  // PHASE-7: who prints waits for all pipes, and they wait for it.
  if (const int32_t status = ptosc_barrier(context.core, site, uint32_t(Pipe::All))) {
    context.leave(status);
    return std::nullopt;
  }
  return placed;
}

void printTile(const TileView &tile, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("TPRINT", source).id;
  if (const std::optional<TileView> placed = printedTile(context, site, tile))
    context.leave(printTile(context.core, site, *placed));
}

} // namespace ptoscope::tile
