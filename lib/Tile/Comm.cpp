//===- Comm.cpp - transfers and collectives between devices ---------------===//
//
// COMM-30 to COMM-45. Each is a loop over strips of loads, stores and flags, all of them
// instructions like those that a program writes itself: order, bounds and definedness
// come from there. They stand at the place of the call, under its name.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "pto/detail/comm_abi.hpp"
#include "pto/detail/modes.hpp"
#include "ptoscope/Machine/CommSentences.h"
#include "ptoscope/Machine/Signals.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace ptoscope::tile {

namespace {

/// A part of a tensor that fits into a tile.
struct Strip {
  bool whole; ///< the tensor was not cut
  int64_t at[5];
  int64_t rows, cols;
};

std::string extentsText(const GlobalRef &ref) {
  std::string text;
  for (int64_t extent : ref.shape)
    text += (text.empty() ? "" : " x ") + std::to_string(extent);
  return text;
}

bool isEmpty(const GlobalRef &ref) {
  return std::any_of(std::begin(ref.shape), std::end(ref.shape), [](int64_t extent) { return extent <= 0; });
}
bool sameExtents(const GlobalRef &a, const GlobalRef &b) { return std::equal(a.shape, std::end(a.shape), b.shape); }

GlobalRef partOf(GlobalRef ref, const Strip &strip) {
  if (strip.whole)
    return ref;
  int64_t offset = 0;
  for (size_t i = 0; i < 5; ++i)
    offset += strip.at[i] * ref.stride[i];
  ref.pointer = static_cast<uint8_t *>(ref.pointer) + offset * int64_t(bitsOf(ref.elem)) / 8;
  ref.shape[0] = ref.shape[1] = ref.shape[2] = 1;
  ref.shape[3] = strip.rows;
  ref.shape[4] = strip.cols;
  return ref;
}

/// What one call issues.
class Transfer {
public:
  Transfer(const CommPlace &place, CommStage *stages, uint32_t count)
      : place(place), context(Context::here()), stages(stages), count(count),
        site(context.siteOf(place.name, place.source).id) {}

  /// COMM-41: the program's own flag would be taken for one of ours.
  void claim(Pipe src, Pipe dst, std::initializer_list<int64_t> ids) {
    if (place.automatic)
      return;
    for (int64_t id : ids)
      if (isFlagUp(context.core, src, dst, id))
        tell(say::kCommFlagUp(src, dst, id));
  }
  void tell(const Fact &fact) { context.report(site, fact); }

  /// The strips of a tensor, row by row (COMM-35); what they are, for all tensors of a
  /// call. Empty when nothing is to be moved.
  std::vector<Strip> cut(const GlobalRef &ref) {
    std::vector<Strip> strips;
    if (isEmpty(ref))
      return strips;
    const TileRef &tile = stages[0].tile.ref;
    int64_t rows = tile.validRows, cols = tile.validCols;
    for (uint32_t i = 1; i < count; ++i) {
      rows = std::min<int64_t>(rows, stages[i].tile.ref.validRows);
      cols = std::min<int64_t>(cols, stages[i].tile.ref.validCols);
    }
    if (rows <= 0 || cols <= 0) {
      tell(say::kCommEmptyTile(rows <= 0 ? "rows" : "columns"));
      return strips;
    }
    const Coverage all = coverage(ref);
    if (all.rows <= rows && all.cols <= cols)
      return {{true, {}, all.rows, all.cols}};
    const Layout layout = Layout(ref.layout);
    if (layout != Layout::ND && layout != Layout::DN) {
      tell(say::kCommLayout(uint32_t(layout)));
      return strips;
    }
    const int64_t *n = ref.shape;
    const bool fixedRows = !stages[0].dynamicRows, fixedCols = !stages[0].dynamicCols;
    if (fixedRows && n[3] % rows)
      tell(say::kCommStrips(n[3], "rows", rows));
    if (fixedCols && n[4] % cols)
      tell(say::kCommStrips(n[4], "columns", cols));
    for (int64_t i = 0; i < n[0]; ++i)
      for (int64_t j = 0; j < n[1]; ++j)
        for (int64_t k = 0; k < n[2]; ++k)
          for (int64_t row = 0; row < n[3]; row += rows)
            for (int64_t col = 0; col < n[4]; col += cols)
              strips.push_back({false, {i, j, k, row, col}, std::min(rows, n[3] - row), std::min(cols, n[4] - col)});
    // COMM-36: the extents of the last strip stay.
    for (uint32_t i = 0; i < count; ++i) {
      if (stages[i].dynamicRows)
        lastRows = strips.back().rows;
      if (stages[i].dynamicCols)
        lastCols = strips.back().cols;
    }
    return strips;
  }
  void keepExtents() {
    for (uint32_t i = 0; i < count; ++i) {
      if (lastRows && stages[i].dynamicRows)
        stages[i].tile.ref.validRows = int32_t(*lastRows);
      if (lastCols && stages[i].dynamicCols)
        stages[i].tile.ref.validCols = int32_t(*lastCols);
    }
  }

  TileView tileOf(uint32_t stage, const Strip &strip) const {
    TileView tile = stages[stage].tile;
    tile.ref.validRows = int32_t(strip.rows);
    tile.ref.validCols = int32_t(strip.cols);
    return tile;
  }
  void load(uint32_t stage, const GlobalRef &src, const Strip &strip) {
    Call call = begin(record::TLOAD);
    call.operands.tile[call.operands.tiles++] = tileOf(stage, strip);
    call.operands.mode = uint32_t(LoadMode::Hardware);
    setGlobal(call, partOf(src, strip));
    context.issue(call);
  }
  void store(const GlobalRef &dst, uint32_t stage, const Strip &strip, AtomicType atomic = AtomicType::AtomicNone) {
    Call call = begin(record::TSTORE);
    call.operands.tile[call.operands.tiles++] = tileOf(stage, strip);
    MoveMode mode;
    mode.atomic = atomic;
    call.operands.mode = mode.pack();
    setGlobal(call, partOf(dst, strip));
    context.issue(call);
  }
  /// The first stage takes in another one.
  void combine(const Record &operation, uint32_t stage, const Strip &strip) {
    Call call = begin(operation);
    call.operands.tile[0] = call.operands.tile[1] = tileOf(0, strip);
    call.operands.tile[2] = tileOf(stage, strip);
    call.operands.tiles = 3;
    context.issue(call);
  }
  void set(Pipe src, Pipe dst, int64_t id) {
    if (!place.automatic)
      context.leave(ptosc_set_flag(context.core, site, uint32_t(src), uint32_t(dst), id));
  }
  void wait(Pipe src, Pipe dst, int64_t id) {
    if (!place.automatic)
      context.leave(ptosc_wait_flag(context.core, site, uint32_t(src), uint32_t(dst), id));
  }
  void barrier(Pipe pipe) {
    if (!place.automatic)
      context.leave(ptosc_barrier(context.core, site, uint32_t(pipe)));
  }

  const CommPlace &place;
  Context &context;

private:
  Call begin(const Record &record) {
    // The site is made under the name of the call, before the instruction makes it.
    context.launch.places.find(&record, place.name, record.timing, place.source);
    Call call;
    call.record = &record;
    call.source = place.source;
    call.automatic = place.automatic;
    call.operands.rules = place.rules;
    return call;
  }
  static void setGlobal(Call &call, const GlobalRef &ref) {
    call.operands.hasGlobal = true;
    call.operands.global.ref = ref;
    call.operands.global.data = static_cast<uint8_t *>(ref.pointer);
  }

  CommStage *stages;
  uint32_t count;
  SiteId site;
  std::optional<int64_t> lastRows, lastCols;
};

/// Strips through staging tiles, in turn: with one tile each strip waits for the store of
/// the one before, with two for that of the one before it.
class Staging {
public:
  Staging(Transfer &transfer, uint32_t count) : transfer(transfer), count(count) {}

  /// The stage for the next strip; its bytes are free.
  uint32_t next() {
    uint32_t stage = number++ % count;
    if (stored[stage])
      transfer.wait(Pipe::MTE3, Pipe::MTE2, stage);
    stored[stage] = false;
    return stage;
  }
  /// The strip has been loaded: stores may begin.
  void loaded(uint32_t stage) {
    transfer.set(Pipe::MTE2, Pipe::MTE3, stage);
    transfer.wait(Pipe::MTE2, Pipe::MTE3, stage);
  }
  void stores(uint32_t stage) {
    transfer.set(Pipe::MTE3, Pipe::MTE2, stage);
    stored[stage] = true;
  }
  /// COMM-40: what MTE2 does next comes after all stores.
  void finish() {
    for (uint32_t i = 0; i < count; ++i)
      next();
  }

private:
  Transfer &transfer;
  uint32_t count, number = 0;
  bool stored[2] = {};
};

} // namespace

void commMove(const CommPlace &place, const GlobalRef &dst, const GlobalRef &src, CommStage *stages, uint32_t count,
              uint32_t atomic) {
  Transfer transfer(place, stages, count);
  if (!sameExtents(dst, src))
    transfer.tell(say::kCommShapes(extentsText(dst), extentsText(src)));
  GlobalRef target = dst;
  std::copy_n(src.shape, 5, target.shape);
  const std::vector<Strip> strips = transfer.cut(src);
  if (strips.empty())
    return;
  // One full tile of even rows may go as two halves, with both ids.
  const bool halves = count == 1 && stages[0].tile.ref.rows % 2 == 0 && strips[0].rows == stages[0].tile.ref.rows;
  for (auto [from, to] : {std::pair(Pipe::MTE2, Pipe::MTE3), std::pair(Pipe::MTE3, Pipe::MTE2)}) {
    transfer.claim(from, to, {0});
    if (count == 2 || halves)
      transfer.claim(from, to, {1});
  }
  Staging staging(transfer, count);
  for (const Strip &strip : strips) {
    const uint32_t stage = staging.next();
    transfer.load(stage, src, strip);
    staging.loaded(stage);
    if (count == 1)
      transfer.barrier(Pipe::All);
    transfer.store(target, stage, strip, AtomicType(atomic));
    staging.stores(stage);
  }
  staging.finish();
  transfer.keepExtents();
}

/// False: the group has no such member, and that was reported.
static bool groupExists(Transfer &transfer, const CommGroup &group) {
  if (group.count <= 0) {
    transfer.tell(say::kCommGroup(group.count));
    return false;
  }
  if (group.root < 0 || group.root >= group.count) {
    transfer.tell(say::kCommRoot(group.root, group.count));
    return false;
  }
  return true;
}

static GlobalRef memberOf(const CommGroup &group, int64_t member) {
  GlobalRef ref;
  group.fill(group.tensors, member, ref);
  return ref;
}
/// A member at its own place, with the extents and strides of the reference member (COMM-37).
static GlobalRef memberLike(const CommGroup &group, int64_t member, const GlobalRef &reference) {
  GlobalRef ref = reference;
  ref.pointer = memberOf(group, member).pointer;
  return ref;
}

void commSpread(const CommPlace &place, CommSpread kind, const CommGroup &group, const GlobalRef &own,
                CommStage *stages, uint32_t count) {
  Transfer transfer(place, stages, count);
  if (!groupExists(transfer, group))
    return;
  const bool broadcast = kind == CommSpread::Broadcast;
  const GlobalRef reference = memberOf(group, broadcast ? group.root : 0);
  const int64_t height = reference.shape[3];
  const GlobalRef &walked = broadcast ? own : reference;
  if (broadcast && !sameExtents(own, reference))
    transfer.tell(say::kCommShapes(extentsText(own), extentsText(reference)));
  if (!broadcast) {
    GlobalRef all = reference;
    all.shape[3] = height * group.count;
    if (own.shape[3] < all.shape[3])
      return transfer.tell(say::kCommPart(extentsText(own)));
    all.shape[3] = own.shape[3];
    if (!sameExtents(own, all))
      transfer.tell(say::kCommShapes(extentsText(own), extentsText(reference)));
  }
  const std::vector<Strip> strips = transfer.cut(walked);
  if (strips.empty())
    return;
  for (int64_t id = 0; id < int64_t(count); ++id) {
    transfer.claim(Pipe::MTE2, Pipe::MTE3, {id});
    transfer.claim(Pipe::MTE3, Pipe::MTE2, {id});
  }
  Staging staging(transfer, count);
  if (broadcast) {
    for (const Strip &strip : strips) {
      const uint32_t stage = staging.next();
      transfer.load(stage, own, strip);
      staging.loaded(stage);
      for (int64_t member = 0; member < group.count; ++member) {
        GlobalRef target = memberOf(group, member);
        std::copy_n(own.shape, 5, target.shape);
        transfer.store(target, stage, strip);
      }
      staging.stores(stage);
    }
    staging.finish();
    return transfer.keepExtents();
  }
  for (int64_t member = 0; member < group.count; ++member) {
    // Its rows in the tensor of the root.
    GlobalRef part = own;
    std::copy_n(reference.shape, 5, part.shape);
    part.pointer =
        static_cast<uint8_t *>(own.pointer) + member * height * own.stride[3] * int64_t(bitsOf(own.elem)) / 8;
    const GlobalRef remote = memberLike(group, member, reference);
    for (const Strip &strip : strips) {
      const uint32_t stage = staging.next();
      transfer.load(stage, kind == CommSpread::Gather ? remote : part, strip);
      staging.loaded(stage);
      transfer.store(kind == CommSpread::Gather ? part : remote, stage, strip);
      staging.stores(stage);
    }
  }
  staging.finish();
  transfer.keepExtents();
}

void commReduce(const CommPlace &place, const CommGroup &group, const GlobalRef &dst, CommStage *stages, uint32_t count,
                uint32_t operation) {
  Transfer transfer(place, stages, count);
  if (!groupExists(transfer, group))
    return;
  const GlobalRef reference = memberOf(group, group.root);
  if (!sameExtents(dst, reference))
    transfer.tell(say::kCommShapes(extentsText(dst), extentsText(reference)));
  GlobalRef target = dst;
  std::copy_n(reference.shape, 5, target.shape);
  const std::vector<Strip> strips = transfer.cut(reference);
  if (strips.empty())
    return;
  transfer.claim(Pipe::MTE2, Pipe::V, {0, 1});
  transfer.claim(Pipe::V, Pipe::MTE2, {0});
  transfer.claim(Pipe::V, Pipe::MTE3, {0});
  transfer.claim(Pipe::MTE3, Pipe::MTE2, {0});
  constexpr const Record *kOperations[] = {&record::TADD, &record::TMAX, &record::TMIN};
  const Record &combine = *kOperations[operation % 3];
  bool stored = false;
  for (const Strip &strip : strips) {
    // The accumulator is free once it has been stored.
    if (stored)
      transfer.wait(Pipe::MTE3, Pipe::MTE2, 0);
    transfer.load(0, memberLike(group, group.root, reference), strip);
    transfer.set(Pipe::MTE2, Pipe::V, 0);
    transfer.wait(Pipe::MTE2, Pipe::V, 0);
    uint32_t turn = 0;
    bool pending = false;
    for (int64_t member = 0; member < group.count; ++member) {
      if (member == group.root)
        continue;
      const uint32_t stage = 1 + turn++ % (count - 1);
      // A receiving tile is free once it has been taken in. With two of them the next
      // member is loaded meanwhile.
      if (pending && count == 2)
        transfer.wait(Pipe::V, Pipe::MTE2, 0);
      transfer.load(stage, memberLike(group, member, reference), strip);
      if (pending && count == 3)
        transfer.wait(Pipe::V, Pipe::MTE2, 0);
      transfer.set(Pipe::MTE2, Pipe::V, 1);
      transfer.wait(Pipe::MTE2, Pipe::V, 1);
      transfer.barrier(Pipe::V);
      transfer.combine(combine, stage, strip);
      transfer.set(Pipe::V, Pipe::MTE2, 0);
      pending = true;
    }
    if (pending)
      transfer.wait(Pipe::V, Pipe::MTE2, 0);
    transfer.set(Pipe::V, Pipe::MTE3, 0);
    transfer.wait(Pipe::V, Pipe::MTE3, 0);
    transfer.store(target, 0, strip);
    transfer.set(Pipe::MTE3, Pipe::MTE2, 0);
    stored = true;
  }
  transfer.wait(Pipe::MTE3, Pipe::MTE2, 0);
  transfer.keepExtents();
}

// --- signals -----------------------------------------------------------------------------------

static SignalWords wordsOf(const GlobalRef &ref) {
  SignalWords words;
  words.base = reinterpret_cast<uintptr_t>(ref.pointer);
  for (size_t i = 0; i < 5; ++i) {
    words.shape[i] = ref.shape[i];
    words.stride[i] = ref.stride[i] * int64_t(kSignalBytes);
  }
  return words;
}

void notifySignal(void *word, int32_t value, bool add, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("TNOTIFY", source);
  context.leave(ptoscope::notifySignal(context.core, site.id, reinterpret_cast<uintptr_t>(word), value, add));
}

void waitSignals(const GlobalRef &signals, int32_t value, uint32_t compare, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("TWAIT", source);
  context.leave(ptoscope::waitSignals(context.core, site.id, wordsOf(signals), value, SignalCompare(compare)));
}

bool testSignals(const GlobalRef &signals, int32_t value, uint32_t compare, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("TTEST", source);
  bool result = false;
  context.leave(ptoscope::testSignals(context.core, site.id, wordsOf(signals), value, SignalCompare(compare), result));
  return result;
}

void invalidateLine(const volatile void *line, bool writesOut, const Source &source) {
  constexpr uintptr_t kLineBytes = 64;
  Context *context = Context::running();
  if (!context || !runsWithOthers(context->core))
    return;
  const SiteId site = context->siteOf("dcci", source).id;
  const uintptr_t begin = reinterpret_cast<uintptr_t>(line) & ~(kLineBytes - 1);
  if (writesOut)
    context->leave(noteFlush(context->core, site, begin, kLineBytes));
  context->leave(noteWordRead(context->core, site, begin, kLineBytes));
  context->leave(yieldTurn(context->core, site));
}

void yieldCore(const Source &source) {
  Context *context = Context::running();
  if (context && runsWithOthers(context->core))
    context->leave(yieldTurn(context->core, context->siteOf("poll", source).id));
}

} // namespace ptoscope::tile
