//===- queue.hpp - tile queues between cube and vector cores ----*- C++ -*-===//
//
// FIFO-1 to FIFO-60: TPipe, TPUSH, TPOP, TALLOC, TFREE and the state of the fixpipe
// for pushes. A pipe is plain data (queue_abi.hpp) with types around it; the library
// knows the target and the core, and does the rest.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_QUEUE_HPP
#define PTO_DETAIL_INST_QUEUE_HPP

#include "pto/common/fixpipe.hpp"
#include "pto/detail/inst/memory.hpp"
#include "pto/detail/queue_abi.hpp"

namespace pto {
PTO_MODE_BEGIN

namespace ptoscope_detail {
using ptoscope::tile::Queue, ptoscope::tile::QueueSplit, ptoscope::tile::QueueSignal;

/// Both sides of a pipe have these; what they are called differs.
class QueueEnd {
public:
  void setTileId(int64_t tile, int64_t part = 0) {
    side().tile = int32_t(tile);
    side().part = int32_t(part);
  }
  int getTileId() const { return side().tile; }
  int getSubTileId() const { return side().part; }
  void setEntryOffset(int64_t bytes) { side().offset = uint32_t(bytes); }

protected:
  QueueEnd(Queue &of, ptoscope::tile::QueueSide Queue::*end) : queue(of), which(end) {}
  ptoscope::tile::QueueSide &side() const { return queue.*which; }
  void signal(QueueSignal what, const Here &at) const { ptoscope::tile::queueSignal(queue, what, sourceOf(at)); }

private:
  Queue &queue;
  ptoscope::tile::QueueSide Queue::*which;
};

struct QueueProducer : QueueEnd {
  explicit QueueProducer(Queue &of) : QueueEnd(of, &Queue::prod) {}
  void setAllocateStatus(bool on) { side().waits = on; }
  bool getAllocateStatus() const { return side().waits; }
  void setRecordStatus(bool on) { side().signals = on; }
  bool getRecordStatus() const { return side().signals; }
  void allocate(Here at = Here::current()) const { signal(QueueSignal::Allocate, at); }
  void record(Here at = Here::current()) const { signal(QueueSignal::Record, at); }
};

struct QueueConsumer : QueueEnd {
  explicit QueueConsumer(Queue &of) : QueueEnd(of, &Queue::cons) {}
  void setWaitStatus(bool on) { side().waits = on; }
  bool getWaitStatus() const { return side().waits; }
  void setFreeStatus(bool on) { side().signals = on; }
  bool getFreeStatus() const { return side().signals; }
  void wait(Here at = Here::current()) const { signal(QueueSignal::Wait, at); }
  void free(Here at = Here::current()) const { signal(QueueSignal::Free, at); }
};
} // namespace ptoscope_detail

/// Where the entries are, and how many.
template <uint32_t SlotSize, uint32_t SlotNum, uint32_t LocalSlotNum = 2> struct RingFIFO {
  static constexpr uint32_t SLOT_SIZE = SlotSize, SLOT_NUM = SlotNum, LOCAL_SLOT_NUM = LocalSlotNum;
  void *GM_SLOT_BUFFER = nullptr;
  uint32_t C2V_CONSUMER_BUF = 0, V2C_CONSUMER_BUF = 0;

  RingFIFO() = default;
  RingFIFO(void *gmSlots, uint32_t c2vBuf, uint32_t v2cBuf)
      : GM_SLOT_BUFFER(gmSlots), C2V_CONSUMER_BUF(c2vBuf), V2C_CONSUMER_BUF(v2cBuf) {}
};
/// What older sources call it.
template <uint32_t SlotSize, uint32_t SlotNum, uint32_t LocalSlotNum = 2>
using DataFIFO = RingFIFO<SlotSize, SlotNum, LocalSlotNum>;

/// A bounded queue of tiles between the cores of a cluster (FIFO-1). Each core makes
/// its own, with the same arguments.
template <uint8_t FlagID, uint8_t DirType, uint32_t SlotSize, uint32_t SlotNum, uint32_t LocalSlotNum = 2,
          bool IsNoSplit = false, bool EN_UNIT_FLAG = false>
struct TPipe {
  static constexpr uint8_t flagID = FlagID, dirType = DirType;
  static constexpr bool isNoSplit = IsNoSplit, enUnitFlag = EN_UNIT_FLAG;
  static constexpr bool is_c2v = DirType == Direction::DIR_C2V || DirType == Direction::DIR_C2V_GM;
  static constexpr bool is_v2c = DirType == Direction::DIR_V2C || DirType == Direction::DIR_V2C_GM;
  static constexpr bool is_both = DirType == Direction::DIR_BOTH;
  static_assert(DirType != Direction::DIR_V2C_CTRL,
                "TPipe with DIR_V2C_CTRL is not modelled: no library compiles it (FIFO-34); use DIR_V2C");
  static_assert(DirType != Direction::DIR_BOTH_GM,
                "TPipe with DIR_BOTH_GM is not modelled: its library waits for a signal that no one gives and cannot "
                "push tiles (FIFO-34); use DIR_C2V_GM and DIR_V2C_GM");
  static_assert(is_c2v || is_v2c || is_both || DirType == Direction::DIR_V2C_CTRL || DirType == Direction::DIR_BOTH_GM,
                "the direction of a TPipe is DIR_C2V, DIR_V2C, DIR_BOTH, DIR_C2V_GM or DIR_V2C_GM");
  static_assert(SlotNum > 0 && LocalSlotNum > 0, "a TPipe has at least one entry and one landing place");
  static_assert(FlagID + (is_both ? 3 : 1) < 16,
                "a TPipe takes FlagID and the id behind it, a two-way one four ids; ids end at 15");

  using RingFiFo = RingFIFO<SlotSize, SlotNum, LocalSlotNum>;
  using Producer = ptoscope_detail::QueueProducer;
  using Consumer = ptoscope_detail::QueueConsumer;

  TPipe(const void *gmSlots, uint32_t c2vBuf, uint32_t v2cBuf,
        ptoscope_detail::Here at = ptoscope_detail::Here::current())
      : fifo(const_cast<void *>(gmSlots), c2vBuf, v2cBuf), prod(queue), cons(queue) {
    ptoscope::tile::openQueue(state(), ptoscope_detail::kAutomatic, ptoscope_detail::sourceOf(at));
  }
  TPipe(const TPipe &) = delete;
  TPipe &operator=(const TPipe &) = delete;
  ~TPipe() { ptoscope::tile::closeQueue(queue); }

private:
  static constexpr ptoscope_detail::Queue start() {
    ptoscope_detail::Queue queue{};
    queue.flag = FlagID;
    queue.toVector = is_c2v || is_both;
    queue.toCube = is_v2c || is_both;
    queue.ring = DirType == Direction::DIR_C2V_GM || DirType == Direction::DIR_V2C_GM
                     ? ptoscope::tile::QueueRing::Global
                     : ptoscope::tile::QueueRing::OfTarget;
    queue.first = IsNoSplit;
    queue.slotBytes = SlotSize;
    queue.slots = SlotNum;
    queue.localSlots = LocalSlotNum;
    return queue;
  }
  ptoscope_detail::Queue queue = start();

public:
  RingFiFo fifo;
  Producer prod;
  Consumer cons;

  /// As the library sees it; programs may have moved the buffers.
  ptoscope_detail::Queue &state() {
    queue.global = fifo.GM_SLOT_BUFFER;
    queue.vectorBuffer = fifo.C2V_CONSUMER_BUF;
    queue.matBuffer = fifo.V2C_CONSUMER_BUF;
    return queue;
  }
};

// --- queues that are typed by tiles (FIFO-60) ---------------------------------------------------------

enum class FIFOType : uint8_t { GM_FIFO, VEC_FIFO, MAT_FIFO, CTRL_FIFO };
/// Vector cores for each cube core.
enum class VecCubeRatio : uint8_t { V2C1_VECS = 2 };

template <uint8_t FlagID, FIFOType Type, uint32_t Depth, uint32_t SyncPeriod, typename ProdTile, typename ConsTile,
          bool EN_UNIT_FLAG = false, uint32_t LocalDepth = 2, VecCubeRatio Ratio = VecCubeRatio::V2C1_VECS>
struct TMPipe {
  static_assert(Type != FIFOType::CTRL_FIFO,
                "TMPipe with CTRL_FIFO is not modelled: no document says what its calls are (FIFO-64)");
  static_assert(is_tile_data_v<ProdTile> && is_tile_data_v<ConsTile>, "a TMPipe is typed by two tiles");
  static constexpr bool is_c2v = ProdTile::Loc == TileType::Acc;
  static_assert(is_c2v ? ConsTile::Loc == TileType::Vec
                       : ProdTile::Loc == TileType::Vec && ConsTile::Loc == TileType::Mat,
                "a TMPipe leads from an Acc tile to a Vec tile, or from a Vec tile to a Mat tile");
  static_assert(Type != FIFOType::VEC_FIFO || is_c2v, "VEC_FIFO leads to Vec tiles");
  static_assert(Type != FIFOType::MAT_FIFO || !is_c2v, "MAT_FIFO leads to Mat tiles");
  static constexpr int kWide = ProdTile::Cols > ConsTile::Cols ? ProdTile::Cols : ConsTile::Cols,
                       kNarrow = ProdTile::Cols > ConsTile::Cols ? ConsTile::Cols : ProdTile::Cols,
                       kHigh = is_c2v ? ProdTile::Rows : ConsTile::Rows;
  static_assert(Type != FIFOType::GM_FIFO || kWide % kNarrow == 0,
                "the columns of one tile of a TMPipe are a multiple of the other's");
  static_assert(FlagID + 1 < 16, "a TMPipe takes FlagID and the id behind it; ids end at 15");
  static constexpr uint32_t kEntryBytes = Type == FIFOType::GM_FIFO
                                              ? uint32_t(kHigh) * kWide * sizeof(typename ProdTile::DType)
                                              : uint32_t(ConsTile::kBytes);

  using Producer = ptoscope_detail::QueueProducer;
  using Consumer = ptoscope_detail::QueueConsumer;
  /// What halves the tile between the vector cores.
  static constexpr TileSplitAxis kSplit = [] {
    constexpr int vecRows = is_c2v ? ConsTile::Rows : ProdTile::Rows,
                  vecCols = is_c2v ? ConsTile::Cols : ProdTile::Cols;
    constexpr int cols = is_c2v ? ProdTile::Cols : ConsTile::Cols;
    return Type == FIFOType::GM_FIFO || vecRows * 2 == kHigh ? TileSplitAxis::TILE_UP_DOWN
           : vecCols * 2 == cols                             ? TileSplitAxis::TILE_LEFT_RIGHT
                                                             : TileSplitAxis::TILE_NO_SPLIT;
  }();

  TMPipe(const void *gm, uint32_t localBase, ptoscope_detail::Here at = ptoscope_detail::Here::current())
    requires(Type == FIFOType::GM_FIFO)
      : prod(queue), cons(queue) {
    queue.global = const_cast<void *>(gm);
    open(localBase, at);
  }
  explicit TMPipe(uint32_t base, ptoscope_detail::Here at = ptoscope_detail::Here::current())
    requires(Type != FIFOType::GM_FIFO)
      : prod(queue), cons(queue) {
    open(base, at);
  }
  TMPipe(const TMPipe &) = delete;
  TMPipe &operator=(const TMPipe &) = delete;
  ~TMPipe() { ptoscope::tile::closeQueue(queue); }

  ptoscope_detail::Queue &state() { return queue; }

private:
  static constexpr ptoscope_detail::Queue start() {
    ptoscope_detail::Queue queue{};
    queue.flag = FlagID;
    queue.toVector = is_c2v;
    queue.toCube = !is_c2v;
    queue.ring = Type == FIFOType::GM_FIFO ? ptoscope::tile::QueueRing::Global : ptoscope::tile::QueueRing::Local;
    queue.older = true;
    queue.slotBytes = kEntryBytes;
    queue.slots = Depth;
    queue.localSlots = LocalDepth;
    if (Type == FIFOType::GM_FIFO) {
      queue.stripCols = kNarrow;
      queue.entryRows = kHigh;
    }
    return queue;
  }
  void open(uint32_t base, const ptoscope_detail::Here &at) {
    (is_c2v ? queue.vectorBuffer : queue.matBuffer) = base;
    ptoscope::tile::openQueue(queue, ptoscope_detail::kAutomatic, ptoscope_detail::sourceOf(at));
  }
  ptoscope_detail::Queue queue = start();

public:
  Producer prod;
  Consumer cons;
};

namespace ptoscope_detail {
template <typename T> inline constexpr bool kIsPipe = false;
template <typename T> inline constexpr bool kIsTypedPipe = false;
template <uint8_t F, FIFOType T, uint32_t D, uint32_t S, typename P, typename C, bool U, uint32_t L, VecCubeRatio R>
inline constexpr bool kIsTypedPipe<TMPipe<F, T, D, S, P, C, U, L, R>> = true;
template <uint8_t F, uint8_t D, uint32_t S, uint32_t N, uint32_t L, bool I, bool U>
inline constexpr bool kIsPipe<TPipe<F, D, S, N, L, I, U>> = true;

inline ptoscope::tile::QueueUse queueUse(const Here &at, int64_t subblock) {
  const bool exists = subblock == 0 || subblock == 1;
  return {sourceOf(at), kAutomatic, kRules, exists ? uint8_t(subblock) : ptoscope::tile::QueueUse::kNoSubblock,
          kLoadMode};
}
template <typename Pipe> constexpr void checkPipe() {
  static_assert(kIsPipe<Pipe> || kIsTypedPipe<Pipe>, "this operand has to be a TPipe or a TMPipe");
}
template <typename Pipe, typename T> constexpr void checkPush() {
  checkPipe<Pipe>();
  static_assert(!kIsPipe<Pipe> || T::Loc == TileType::Acc || T::Loc == TileType::Vec,
                "TPUSH takes a tile in Acc, from a cube core, or in Vec, from a vector core");
}
template <typename Pipe, typename T> constexpr void checkPop() {
  checkPipe<Pipe>();
  static_assert(!kIsPipe<Pipe> || T::Loc == TileType::Vec || T::Loc == TileType::Mat,
                "TPOP gives a tile in Vec, on a vector core, or in Mat, on a cube core");
}
template <typename Pipe, typename T>
RecordEvent push(Pipe &pipe, T &tile, const ptoscope::tile::PushForm &form, int64_t subblock, const Here &at) {
  checkPush<Pipe, T>();
  ptoscope::tile::pushTile(pipe.state(), tile.view(at), form, queueUse(at, subblock));
  return {sourceOf(at)};
}
template <typename Pipe, typename T>
RecordEvent pop(Pipe &pipe, T &tile, QueueSplit split, int64_t subblock, const Here &at) {
  checkPop<Pipe, T>();
  ptoscope::tile::TileView view{nullptr, tile.ref()};
  Queue &queue = pipe.state();
  void *place = ptoscope::tile::popTile(queue, view, split, queueUse(at, subblock));
  tile.bind(place, queue.popped);
  return {sourceOf(at)};
}
template <typename G> using Pointee = typename G::DType;
} // namespace ptoscope_detail

// --- tiles ------------------------------------------------------------------------------------------

template <typename Pipe, typename T, uint8_t Split>
  requires(is_tile_data_v<T>)
RecordEvent TPUSH(Pipe &pipe, T &tile, PTO_AFTER) {
  PTO_WAIT;
  ptoscope::tile::PushForm form;
  form.split = ptoscope_detail::QueueSplit(Split);
  return ptoscope_detail::push(pipe, tile, form, get_subblockid(), at);
}
template <typename Pipe, typename T, uint8_t Split>
  requires(is_tile_data_v<T>)
RecordEvent TPUSH(Pipe &pipe, T &tile, int32_t subBlockId, PTO_AFTER) {
  PTO_WAIT;
  ptoscope::tile::PushForm form;
  form.split = ptoscope_detail::QueueSplit(Split);
  return ptoscope_detail::push(pipe, tile, form, subBlockId, at);
}
/// Through the options of the fixpipe (FIFO-50).
template <typename Pipe, typename T, typename Fixpipe>
  requires(is_tile_data_v<T> && ptoscope_detail::kIsFixpipe<Fixpipe>)
RecordEvent TPUSH(Pipe &pipe, T &tile, PTO_AFTER) {
  static_assert(T::Loc == TileType::Acc, "FixpipeParams are for tiles in the accumulator");
  constexpr auto to = ptoscope_detail::quantised(Fixpipe::quantPre, T::kElem);
  static_assert(to.known, "the fixpipe of a push does not have this QuantMode_t for this accumulator: F… and QF… take "
                          "float, REQ8, DEQF16 and QS… int32_t; the shifts are not offered here");
  static_assert(Fixpipe::clipReluMode == NOCLIP_RELU && !Fixpipe::channelSplit,
                "clipping and channel splits of FixpipeParams are not modelled: no document says what a push stores");
  PTO_WAIT;
  ptoscope::tile::PushForm form;
  form.converts = true;
  form.layout = uint8_t(Fixpipe::layout);
  form.to = to.to;
  form.quant = to.quant;
  form.relu = Fixpipe::reluPreMode;
  form.atomic = Fixpipe::atomicType;
  form.target = Fixpipe::subBlockId;
  form.phase = uint8_t(Fixpipe::phase);
  return ptoscope_detail::push(pipe, tile, form, get_subblockid(), at);
}
template <typename Pipe, typename T, uint8_t Split>
  requires(is_tile_data_v<T>)
RecordEvent TPOP(Pipe &pipe, T &tile, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::pop(pipe, tile, ptoscope_detail::QueueSplit(Split), get_subblockid(), at);
}
template <typename Pipe, typename T, uint8_t Split>
  requires(is_tile_data_v<T>)
RecordEvent TPOP(Pipe &pipe, T &tile, int32_t subBlockId, PTO_AFTER) {
  PTO_WAIT;
  return ptoscope_detail::pop(pipe, tile, ptoscope_detail::QueueSplit(Split), subBlockId, at);
}
template <typename Pipe, uint8_t Split = TileSplitAxis::TILE_NO_SPLIT>
  requires ptoscope_detail::kIsPipe<Pipe>
void TFREE(Pipe &pipe, PTO_AFTER) {
  PTO_WAIT;
  ptoscope::tile::freeTile(pipe.state(), ptoscope_detail::QueueSplit(Split),
                           ptoscope_detail::queueUse(at, get_subblockid()));
}

/// The tile first: no split.
template <typename T, typename Pipe>
  requires(is_tile_data_v<T> && ptoscope_detail::kIsPipe<Pipe>)
RecordEvent TPUSH(T &tile, Pipe &pipe, PTO_AFTER) {
  return TPUSH<Pipe, T, TileSplitAxis::TILE_NO_SPLIT>(pipe, tile, PTO_EVENTS, at);
}
template <typename T, typename Pipe>
  requires(is_tile_data_v<T> && ptoscope_detail::kIsPipe<Pipe>)
RecordEvent TPOP(T &tile, Pipe &pipe, PTO_AFTER) {
  return TPOP<Pipe, T, TileSplitAxis::TILE_NO_SPLIT>(pipe, tile, PTO_EVENTS, at);
}

template <typename T, typename Pipe>
  requires(is_tile_data_v<T> && ptoscope_detail::kIsTypedPipe<Pipe>)
RecordEvent TPUSH(T &tile, Pipe &pipe, PTO_AFTER) {
  return TPUSH<Pipe, T, Pipe::kSplit>(pipe, tile, PTO_EVENTS, at);
}
template <typename T, typename Pipe>
  requires(is_tile_data_v<T> && ptoscope_detail::kIsTypedPipe<Pipe>)
RecordEvent TPOP(T &tile, Pipe &pipe, PTO_AFTER) {
  return TPOP<Pipe, T, Pipe::kSplit>(pipe, tile, PTO_EVENTS, at);
}
template <typename Pipe>
  requires ptoscope_detail::kIsTypedPipe<Pipe>
void TFREE(Pipe &pipe, PTO_AFTER) {
  PTO_WAIT;
  ptoscope::tile::freeTile(pipe.state(), ptoscope_detail::QueueSplit(Pipe::kSplit),
                           ptoscope_detail::queueUse(at, get_subblockid()));
}

// --- entries as views of global memory --------------------------------------------------------------

template <typename Pipe, typename G, uint8_t Split>
  requires(is_global_data_v<G>)
RecordEvent TALLOC(Pipe &pipe, G &view, PTO_AFTER) {
  PTO_WAIT;
  void *entry = ptoscope::tile::takeEntry(pipe.state(), ptoscope_detail::QueueSplit(Split),
                                          ptoscope_detail::queueUse(at, get_subblockid()));
  view.rebind(static_cast<ptoscope_detail::Pointee<G> *>(entry));
  return {ptoscope_detail::sourceOf(at)};
}
template <typename Pipe, typename G, uint8_t Split>
  requires(is_global_data_v<G>)
RecordEvent TPUSH(Pipe &pipe, G &, PTO_AFTER) {
  PTO_WAIT;
  ptoscope::tile::passEntry(pipe.state(), ptoscope_detail::QueueSplit(Split),
                            ptoscope_detail::queueUse(at, get_subblockid()));
  return {ptoscope_detail::sourceOf(at)};
}
template <typename Pipe, typename G, uint8_t Split>
  requires(is_global_data_v<G>)
RecordEvent TPOP(Pipe &pipe, G &view, PTO_AFTER) {
  PTO_WAIT;
  void *entry = ptoscope::tile::popEntry(pipe.state(), ptoscope_detail::QueueSplit(Split),
                                         ptoscope_detail::queueUse(at, get_subblockid()));
  view.rebind(static_cast<ptoscope_detail::Pointee<G> *>(entry));
  return {ptoscope_detail::sourceOf(at)};
}
template <typename Pipe, typename G, uint8_t Split>
  requires(is_global_data_v<G>)
void TFREE(Pipe &pipe, G &, PTO_AFTER) {
  PTO_WAIT;
  ptoscope::tile::freeEntry(pipe.state(), ptoscope_detail::QueueSplit(Split),
                            ptoscope_detail::queueUse(at, get_subblockid()));
}

// --- what pushes quantise with ------------------------------------------------------------------------

/// FIFO-52: the scale, and whether 8-bit results have a sign.
template <typename Out>
void SET_QUANT_SCALAR(float scale, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  uint64_t word = std::bit_cast<uint32_t>(scale);
  if constexpr (std::is_same_v<Out, int8_t>)
    word |= uint64_t(1) << 46;
  ptoscope::tile::setQuantWord(word, ptoscope_detail::sourceOf(at));
}
template <typename F> void SET_QUANT_VECTOR(F &fp, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  static_assert(is_tile_data_v<F>, "this operand has to be a tile");
  static_assert(F::Loc == TileType::Scaling && F::kElem == ptoscope::tile::Elem::u64,
                "SET_QUANT_VECTOR takes a Scaling tile with elements of type uint64_t, one word for each column");
  ptoscope::tile::setQuantTile(fp.view(at), ptoscope_detail::sourceOf(at));
}

// --- meshes of ranks ------------------------------------------------------------------------------------

#define PTO_MESH(NAME)                                                                                                 \
  template <auto Direction_, auto... More, typename... A> RecordEvent NAME(A &&...) {                                  \
    static_assert(sizeof...(A) > 99, #NAME " over a GridPipe is not modelled: it is a proposal without a device");     \
    return {};                                                                                                         \
  }
PTO_MESH(TPUSH)
PTO_MESH(TPOP)
#undef PTO_MESH

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_QUEUE_HPP
