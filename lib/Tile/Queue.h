//===- Queue.h - tile queues, whoever uses them -----------------*- C++ -*-===//
//
// A push or pop is the instruction that moves the tile, between the signals of its
// queue (Machine/Queue.h). C++ and text come here with the place of the call.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_QUEUE_H
#define PTOSCOPE_LIB_TILE_QUEUE_H

#include "Issuer.h"
#include "pto/detail/queue_abi.hpp"

namespace ptoscope::tile {

/// What SET_QUANT_SCALAR and SET_QUANT_VECTOR leave behind, of one core.
struct QuantState {
  uint64_t word = 0;
  bool hasTile = false;
  TileView tile{};
};

/// Bits of Queue::warned; the last one: a push has told no one, so that it filled an entry in part.
enum : uint8_t { kWarnedRings = 1, kWarnedFree = 2, kWarnedLanding = 4, kPartPushed = 8 };

/// One use of a queue. All functions return nonzero to stop.
class QueueUser {
public:
  /// A push to two vector cores is two instructions: `second` remembers the other one.
  QueueUser(Issuer &issuer, Queue &queue, Issuer::SiteState &site, Issuer::SiteState *second = nullptr)
      : issuer(issuer), core(issuer.core), queue(queue), site(site), second(second) {}

  bool automatic = false;
  Rules rules = Rules::Cpp;
  bool onDevice = false; ///< addresses of global memory are those of the device, not of the host
  unsigned subblock = 0;
  LoadMode load = LoadMode::Hardware;

  int32_t open();
  void close();
  int32_t push(const TileView &tile, const PushForm &form, const QuantState &quant);
  /// Fills in the place of the tile.
  int32_t pop(TileView &tile, QueueSplit split);
  int32_t free(QueueSplit split);
  int32_t takeEntry(QueueSplit split, void *&entry);
  int32_t passEntry(QueueSplit split);
  int32_t popEntry(QueueSplit split, void *&entry);
  int32_t freeEntry(QueueSplit split);
  int32_t signal(QueueSignal which);

private:
  bool onA5() const;
  bool throughGlobal() const {
    return queue.ring == QueueRing::Global || (queue.ring == QueueRing::OfTarget && !onA5());
  }
  /// Which way this core pushes, or pops; a two-way queue goes by the core.
  bool pushesToVector() const { return queue.toVector && !(queue.toCube && canPushToCube()); }
  bool popsToVector() const { return queue.toVector && !(queue.toCube && canPopFromVector()); }
  bool canPushToCube() const;
  bool canPopFromVector() const;
  Pipe pushPipe(bool toVector) const { return toVector ? Pipe::FIX : Pipe::MTE3; }
  Pipe popPipe(bool toVector, bool global) const { return global ? Pipe::MTE2 : toVector ? Pipe::V : Pipe::MTE1; }
  uint8_t peers(QueueSplit split) const;
  uint8_t dataId(bool toVector) const { return uint8_t(queue.flag + (queue.toVector && !toVector ? 2 : 0)); }
  uint64_t slotOffset(const QueueSide &side) const {
    return uint64_t(uint32_t(side.tile) % queue.slots) * queue.slotBytes + side.offset;
  }
  /// The bytes of global memory of an entry.
  uint8_t *globalEntry(const QueueSide &side, bool toVector) const;

  /// Nonzero: stop; the core may not do this.
  int32_t refusePush(bool toVector, QueueSplit split);
  int32_t refusePop(bool toVector, QueueSplit split);
  int32_t refuseAlone(QueueSplit split);
  int32_t refuseViews();
  int32_t refuseSplit(const TileView &tile, QueueSplit split, bool toVector, bool global);
  int32_t tell(const Fact &fact, bool fatal = false) { return reportAt(core, site.id, fact, fatal); }
  int32_t meet();
  int32_t warnOnce(uint8_t bit, const Fact &fact);
  int32_t needBytes(int64_t bytes, uint32_t offset);

  int32_t pushThroughGlobal(const TileView &tile, const PushForm &form, const QuantState &quant, bool toVector);
  int32_t pushToVector(const TileView &tile, const PushForm &form, const QuantState &quant);
  int32_t pushToVector(const TileView &tile, const PushForm &form, const QuantState &quant, unsigned target, Part part,
                       Issuer::SiteState &at);
  int32_t pushToCube(const TileView &tile, const PushForm &form);
  int32_t loadEntry(const TileView &tile, QueueSplit split, bool toVector);
  int32_t issue(Call &call, Issuer::SiteState &at);
  // QueueForms.cpp
  /// A part of an entry in global memory: `start` elements on, `pitch` from row to row, of DN from column to column.
  struct InGlobal {
    Layout layout;
    int64_t start, pitch;
  };
  static GlobalRef viewOf(Elem elem, Layout layout, int64_t rows, int64_t cols, int64_t pitch);
  InGlobal storedAs(const TileRef &ref, const PushForm &form, bool toVector) const;
  InGlobal loadedAs(const TileRef &ref, QueueSplit split, bool toVector) const;
  TileRef entryOfVector(const TileRef &tile, const PushForm &form, Part part) const;
  TileRef entryOfCube(const TileRef &tile, const PushForm &form) const;
  /// What the next signal of this side is about.
  void notePush(const TileRef &tile, const PushForm &form, bool toVector);
  void notePop(const TileRef &tile, QueueSplit split, bool toVector);
  // QueueStrips.cpp
  int32_t moveStrips(const TileView &tile, const QueueSide &side, bool pushes, bool toVector);
  Call callOf(const Record &record, uint32_t mode) const;
  int32_t setWords(Call &call, const PushForm &form, const QuantState &quant);
  void setView(Call &call, uint8_t *place, Elem elem, Layout layout, int64_t rows, int64_t cols, int64_t pitch) const;
  bool place(TileView &tile);

  Issuer &issuer;
  PtoContext *core;
  Queue &queue;
  Issuer::SiteState &site;
  Issuer::SiteState *second;
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_QUEUE_H
