//===- Looks.cpp - what `run --print` and `--dump` want to see ------------===//

#include "ptoscope/Tile/Looks.h"

#include "Issuer.h"
#include "Print.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <mutex>

namespace ptoscope::tile {

namespace {
/// Bytes of UB, [begin, end).
struct Range {
  uint32_t begin, end;
};

/// Brings ranges in order, and joins those that touch.
void merge(std::vector<Range> &ranges) {
  std::ranges::sort(ranges, {}, &Range::begin);
  std::vector<Range> merged;
  for (const Range &range : ranges)
    if (!merged.empty() && range.begin <= merged.back().end)
      merged.back().end = std::max(merged.back().end, range.end);
    else
      merged.push_back(range);
  ranges = std::move(merged);
}

/// As NumPy stores it.
ElementType storedAs(Elem elem) {
  switch (elem) {
  case Elem::i8:
    return ElementType::I8;
  case Elem::i16:
    return ElementType::I16;
  case Elem::u16:
    return ElementType::U16;
  case Elem::i32:
    return ElementType::I32;
  case Elem::u32:
    return ElementType::U32;
  case Elem::i64:
    return ElementType::I64;
  case Elem::u64:
    return ElementType::U64;
  case Elem::f16:
    return ElementType::F16;
  case Elem::bf16:
    return ElementType::BF16;
  case Elem::f32:
    return ElementType::F32;
  default:
    return ElementType::U8;
  }
}

Array arrayFrom(ElementType type, std::vector<uint64_t> shape, const void *bytes, size_t size) {
  Array array;
  array.type = type;
  array.itemBytes = infoOf(type).bytes;
  array.shape = std::move(shape);
  if (std::optional<ByteBuffer> buffer = ByteBuffer::allocate(size))
    array.bytes = std::move(*buffer);
  if (size && array.bytes.size() == size)
    std::memcpy(array.bytes.data(), bytes, size);
  return array;
}
} // namespace

uintptr_t zeroOf(const PtoContext *core, const DirectRegion &region) {
  if (region.space == Space::Gm)
    return reinterpret_cast<uintptr_t>(hostOf(core, region.box.base)) - region.box.base;
  if (region.space == Space::Ub && region.core)
    return reinterpret_cast<uintptr_t>(ubOf(core, region.core->index > 1).base);
  return reinterpret_cast<uintptr_t>(core->local[size_t(region.space)]);
}

class Looks::Impl final : public Onlooker {
public:
  Impl(std::vector<Look> wanted, const SiteTable &sites)
      : looks(std::move(wanted)), arrays(looks.size()), sites(sites), bySite(sites.size()) {
    for (SiteId site = 0; site < sites.size(); ++site)
      for (size_t i = 0; i < looks.size(); ++i)
        if (looks[i].sees(sites.placeOf(site)))
          bySite[site].push_back(i);
  }

  void direct(const PtoContext *core, SiteId site, const DirectInstruction &instruction) override {
    std::lock_guard lock(mutex);
    const bool isTile = instruction.regions == &regionsOf;
    for (size_t i : bySite[site]) {
      const Look &look = looks[i];
      const bool fits = isTile ? look.what == Look::Tile || look.what == Look::View : look.what == Look::Written;
      if (!fits || !wants(core, i))
        continue;
      if (!isTile) {
        std::vector<DirectRegion> regions;
        instruction.regions(instruction.payload, regions);
        std::vector<Row> rows;
        Space space = Space::Ub;
        const GmObject *object = nullptr;
        for (const DirectRegion &region : regions) {
          if (region.operand != look.operand)
            continue;
          space = region.space;
          object = space == Space::Gm ? objectAt(core, region.box.base) : nullptr;
          if (space != Space::Gm || object)
            rowsOf(region.box, zeroOf(core, region), look.elem, rows, object);
        }
        show(core, i, space, object ? object->name : "", rows);
        continue;
      }
      const Operands &ops = static_cast<const Call *>(instruction.payload)->operands;
      if (look.what == Look::Tile)
        show(core, i, ops.tile[look.operand]);
      else
        show(core, i, ops.global.ref);
    }
  }

  void transfer(const PtoContext *core, SiteId site, const SeenSide &src, const SeenSide &dst) override {
    std::lock_guard lock(mutex);
    for (size_t i : bySite[site]) {
      if ((looks[i].what != Look::Source && looks[i].what != Look::Target) || !wants(core, i))
        continue;
      const SeenSide &side = looks[i].what == Look::Source ? src : dst;
      std::vector<Row> rows;
      Box box = side.box;
      box.normalise();
      if (side.space != Space::Gm || side.object)
        rowsOf(box, side.zero, looks[i].elem, rows, side.object);
      show(core, i, side.space, side.object ? side.object->name : "", rows);
    }
  }

  void store(const PtoContext *core, SiteId site, uint32_t address, uint32_t bytes, const uint64_t *active) override {
    std::lock_guard lock(mutex);
    std::map<size_t, std::vector<Range>> &own = stored[core];
    auto add = [&](size_t key) {
      std::vector<Range> &ranges = own[key];
      for (uint32_t at = 0; at < bytes; ++at)
        if (!active || (active[at / 64] >> (at % 64) & 1)) {
          if (at > 0 && !ranges.empty() && ranges.back().end == address + at)
            ++ranges.back().end;
          else
            ranges.push_back({address + at, address + at + 1});
        }
    };
    add(kWholeScope);
    for (size_t i : bySite[site])
      add(i);
  }

  void scope(const PtoContext *core, SiteId site) override {
    std::lock_guard lock(mutex);
    std::map<size_t, std::vector<Range>> own = std::exchange(stored[core], {});
    auto tell = [&](size_t i, std::vector<Range> &ranges) {
      if (looks[i].what != Look::Stores || !wants(core, i))
        return;
      merge(ranges);
      std::vector<Row> rows;
      for (const Range &range : ranges)
        rowsOf({range.begin, range.end - range.begin, {}}, memory(core, Space::Ub), looks[i].elem, rows);
      show(core, i, Space::Ub, "", rows);
    };
    for (size_t i : bySite[site])
      tell(i, own[kWholeScope]);
    for (auto &[i, ranges] : own)
      if (i != kWholeScope)
        tell(i, ranges);
  }

  void value(const PtoContext *core, uint32_t i, const void *bytes) override {
    std::lock_guard lock(mutex);
    const Look &look = looks[i];
    std::vector<uint8_t> &own = handed[{core, i}];
    if (!takePart(look, bytes, own) || !wants(core, i))
      return;
    switch (look.what) {
    case Look::TileValue: {
      TileView tile = *static_cast<const TileView *>(bytes);
      tile.data = core->local[size_t(spaceOf(tile.ref.location))] + tile.ref.address;
      return show(core, i, tile);
    }
    case Look::Scalar: {
      uint64_t bits;
      std::memcpy(&bits, bytes, sizeof(bits));
      if (!look.path.empty())
        arrays[i] = arrayFrom(look.scalar, {}, bytes, infoOf(look.scalar).bytes);
      else
        print(core, say::kSeenScalar(title(core, i).where, infoOf(look.scalar).name, scalarText(look.scalar, bits),
                                     title(core, i).who) +
                        "\n");
      return;
    }
    default:
      return show(core, i, registerImageOf(look, own));
    }
  }

  std::vector<Look> looks;
  std::vector<std::optional<Array>> arrays;
  /// By look: how often it ran, in the block and on the core of it.
  std::map<std::tuple<size_t, int64_t, int64_t>, uint64_t> counts;

private:
  static constexpr size_t kWholeScope = SIZE_MAX;

  /// Counts, and says whether this time is asked for. One array has room for one core.
  bool wants(const PtoContext *core, size_t i) {
    const Look &look = looks[i];
    const uint64_t now = ++counts[{i, core->blockIdx, core->subblockIdx}];
    return (look.block < 0 || look.block == core->blockIdx) && (!look.time || look.time == now) &&
           (look.path.empty() || core->subblockIdx == 0);
  }
  Title title(const PtoContext *core, size_t i) const {
    return {say::kSeenName(lineText(ptoscope::Place{file(), looks[i].line, looks[i].column}), looks[i].name),
            whoText(core) + say::kSeenTime(counts.at({i, core->blockIdx, core->subblockIdx}))};
  }
  std::string file() const { return sites.size() ? sites.placeOf(0).file : ""; }

  void keep(size_t i, const Image &image) {
    arrays[i] = arrayFrom(storedAs(image.elem), image.shape, image.items.data(), image.items.size());
  }
  void show(const PtoContext *core, size_t i, const Image &image) {
    looks[i].path.empty() ? print(core, textOf(title(core, i), image)) : keep(i, image);
  }
  void show(const PtoContext *core, size_t i, const TileView &tile) {
    const Space space = spaceOf(tile.ref.location);
    const std::optional<Image> image = imageOf(tile, localBytes(core, space));
    if (!image)
      print(core, say::kUnseen(title(core, i).where) + "\n");
    else if (looks[i].path.empty())
      print(core, textOf(title(core, i), tile.ref, *image));
    else
      keep(i, *image);
  }
  void show(const PtoContext *core, size_t i, const GlobalRef &view) {
    const GmObject *object = objectOf(core, view);
    const std::optional<Image> image = imageOf(view, looks[i].rank, object);
    if (!image || !object)
      print(core, say::kUnseen(title(core, i).where) + "\n");
    else if (looks[i].path.empty())
      print(core, textOf(title(core, i), view, *object, *image));
    else
      keep(i, *image);
  }
  /// Rows of one length are an array of two dimensions, other ones lie one behind the other.
  void show(const PtoContext *core, size_t i, Space space, const std::string &object, const std::vector<Row> &rows) {
    if (looks[i].path.empty())
      return print(core, textOf(title(core, i), space, object, rows));
    Image all{rows.empty() ? looks[i].elem : rows[0].image.elem, {}, {}};
    bool even = true;
    for (const Row &row : rows) {
      even = even && row.image.items.size() == rows[0].image.items.size();
      all.items.insert(all.items.end(), row.image.items.begin(), row.image.items.end());
    }
    const uint64_t items = all.items.size() / all.itemBytes();
    if (rows.size() > 1 && even)
      all.shape = {rows.size(), items / rows.size()};
    else
      all.shape = {items};
    keep(i, all);
  }
  static uintptr_t memory(const PtoContext *core, Space space) {
    return reinterpret_cast<uintptr_t>(core->local[size_t(space)]);
  }
  /// Appends the rows of a box, as bytes where elements do not fit; of GM only what is there.
  static void rowsOf(const Box &box, uintptr_t zero, Elem elem, std::vector<Row> &rows,
                     const GmObject *object = nullptr) {
    const uint64_t bytes = bitsOf(elem) < 8 ? 1 : bitsOf(elem) / 8, first = rows.size();
    bool fits = true;
    box.forEachRow([&](uint64_t begin, uint64_t n) {
      if (object)
        n = begin < object->base || begin >= object->base + object->bytes
                ? 0
                : std::min(n, object->base + object->bytes - begin);
      fits = fits && n % bytes == 0;
      const auto *from = reinterpret_cast<const uint8_t *>(zero + begin);
      if (n)
        rows.push_back({begin - (object ? object->base : 0), {elem, {}, {from, from + n}}});
    });
    for (size_t i = first; i < rows.size(); ++i)
      rows[i].image = imageOf(fits ? elem : Elem::u8, std::vector<uint8_t>(rows[i].image.items));
  }

  const SiteTable &sites;
  std::vector<std::vector<size_t>> bySite;
  std::map<const PtoContext *, std::map<size_t, std::vector<Range>>> stored;    ///< by running scopes
  std::map<std::pair<const PtoContext *, size_t>, std::vector<uint8_t>> handed; ///< of values, by look
  std::mutex mutex;
};

Looks::Looks(std::vector<Look> looks, const SiteTable &sites) : impl(std::make_unique<Impl>(std::move(looks), sites)) {}
Looks::~Looks() = default;
Onlooker *Looks::onlooker() { return impl.get(); }
const std::vector<Look> &Looks::all() const { return impl->looks; }
const Array *Looks::arrayOf(size_t i) { return impl->arrays[i] ? &*impl->arrays[i] : nullptr; }

uint64_t Looks::times(size_t i) const {
  uint64_t most = 0;
  for (const auto &[key, count] : impl->counts)
    if (std::get<0>(key) == i && (impl->looks[i].block < 0 || impl->looks[i].block == std::get<1>(key)))
      most = std::max(most, count);
  return most;
}

} // namespace ptoscope::tile
