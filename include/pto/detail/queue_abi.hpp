//===- queue_abi.hpp - tile queues, as the library sees them ----*- C++ -*-===//
//
// A TPipe is a Queue of plain data, one for each core that has it; the templates add
// types. What a push or pop does depends on the target of the launch, so the library
// decides it.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_QUEUE_ABI_HPP
#define PTO_DETAIL_QUEUE_ABI_HPP

#include "pto/detail/abi.hpp"
#include "pto/detail/modes.hpp"

namespace ptoscope::tile {

/// Where the entries lie.
enum class QueueRing : uint8_t {
  OfTarget, ///< on A5 in the memory of who pops, else in global memory
  Global,
  Local,
};

/// Numbers of pto::TileSplitAxis.
enum class QueueSplit : uint8_t { None, Rows, Cols, RowsOdd, ColsOdd };

/// What one side of a queue does next.
struct QueueSide {
  int32_t tile = 0;    ///< pushes or pops so far: the entry is the remainder
  int32_t part = 0;    ///< strip of the entry, of queues that are typed by tiles
  uint32_t offset = 0; ///< bytes added to the place of the entry
  bool waits = true;   ///< for a free entry, for a full one
  bool signals = true; ///< that it is full, that it is free
};

struct Queue {
  uint8_t flag;
  bool toVector, toCube;
  QueueRing ring;
  bool first; ///< of the vector cores, only the first takes part
  bool older; ///< a TMPipe: pops and frees need not pair
  uint8_t warned = 0;
  uint32_t slotBytes, slots, localSlots;
  void *global;
  uint32_t vectorBuffer, matBuffer; ///< where entries or landing places begin, in UB and in L1
  QueueSide prod, cons;
  uint32_t poppedBytes = 0;              ///< of the tile that was popped last
  uint32_t stripCols = 0, entryRows = 0; ///< of an older one through global memory
  uint32_t popped = 0;                   ///< the number of the last pop, among all of the core
};

/// How the fixpipe changes what is pushed.
struct PushForm {
  QueueSplit split = QueueSplit::None;
  bool converts = false; ///< the options below count
  uint8_t layout = 1;    ///< pto::LayoutMode_t
  Elem to = Elem::f32;
  Quant quant = Quant::None;
  ReluPreMode relu = ReluPreMode::NoRelu;
  AtomicType atomic = AtomicType::AtomicNone;
  uint8_t target = 0; ///< the vector core that receives, on chip
  bool boxes = false; ///< rows become fractals in L1 (text)
  uint8_t phase = 0;  ///< number of an STPhase
};

/// How a call is made.
struct QueueUse {
  Source source;
  bool automatic;
  Rules rules;
  static constexpr uint8_t kNoSubblock = 255;
  uint8_t subblock; ///< whose part of a split; kNoSubblock: a number that no vector core has
  LoadMode load;
};

/// `automatic`: the library places tiles, and leaves the memory of the queue alone.
PTO_API void openQueue(Queue &queue, bool automatic, const Source &source);
PTO_API void closeQueue(Queue &queue);
PTO_API void pushTile(Queue &queue, const TileView &tile, const PushForm &form, const QueueUse &use);
/// Where the tile is now.
PTO_API void *popTile(Queue &queue, const TileView &tile, QueueSplit split, const QueueUse &use);
PTO_API void freeTile(Queue &queue, QueueSplit split, const QueueUse &use);

/// Entries as views of global memory: TALLOC and TPOP give their address.
PTO_API void *takeEntry(Queue &queue, QueueSplit split, const QueueUse &use);
PTO_API void passEntry(Queue &queue, QueueSplit split, const QueueUse &use);
PTO_API void *popEntry(Queue &queue, QueueSplit split, const QueueUse &use);
PTO_API void freeEntry(Queue &queue, QueueSplit split, const QueueUse &use);

/// The signals alone, which programs may give by hand.
enum class QueueSignal : uint8_t { Allocate, Record, Wait, Free };
PTO_API void queueSignal(Queue &queue, QueueSignal signal, const Source &source);

/// The word of scalar quantisation, the tile of the others; they stay until the next call.
PTO_API void setQuantWord(uint64_t word, const Source &source);
PTO_API void setQuantTile(const TileView &tile, const Source &source);

} // namespace ptoscope::tile

#endif // PTO_DETAIL_QUEUE_ABI_HPP
