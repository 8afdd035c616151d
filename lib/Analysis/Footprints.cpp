//===- Footprints.cpp - bytes an instruction touches, from its text -------===//

#include "Footprints.h"
#include "ptoscope/Machine/Box.h"
#include "ptoscope/Meaning/Distribution.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

/// Rows of one transfer that are looked at one by one; more are left out.
static constexpr uint64_t kMaxRows = 64;
/// Larger operands are mistakes that a run reports as such (`transfer-operand`).
static constexpr int64_t kMaxOperand = (int64_t(1) << 21) - 1;

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

bool Footprints::setRegister(Operation *op) {
  const InstrInfo *info = infoOf(op);
  if (!info || !info->sets)
    return false;
  Words &words = registers[*info->sets];
  words = {};
  if (op->getNumOperands() == 2)
    words = {values.constant(op->getOperand(0)), values.constant(op->getOperand(1))};
  return true;
}

void Footprints::forgetRegisters(uint32_t set) {
  for (size_t i = 0; i < registers.size(); ++i)
    if (set >> i & 1)
      registers[i] = {};
}

namespace {
/// Operands that are known numbers.
struct KnownNumbers {
  using Number = int64_t;
  const Values &values;
  const std::array<Footprints::Words, PTO_REG_COUNT> &registers;

  /// What is far above every field is as good as unknown, and its multiples would overflow.
  static std::optional<int64_t> positive(std::optional<int64_t> number) {
    return number && *number >= 0 && *number >> 40 == 0 ? number : std::nullopt;
  }
  std::optional<int64_t> get(Value value) const { return positive(values.constant(value)); }
  std::optional<int64_t> word(PtoRegister reg, size_t index) const {
    return positive(index ? registers[reg].second : registers[reg].first);
  }
  static bool isOne(int64_t number) { return number <= 1; }
  static bool isZero(int64_t number) { return number == 0; }
  static int64_t times(int64_t number, int64_t factor) { return number * factor; }
  static int64_t sum(int64_t a, int64_t b) { return a + b; }
  static int64_t most(int64_t a, int64_t b) { return std::max(a, b); }
  static int64_t roundUp(int64_t number, int64_t unit) { return (number + unit - 1) / unit * unit; }
};
} // namespace

/// The shape of a transfer; nothing when an operand is unknown, out of its field,
/// or leaves nothing to move.
std::optional<Footprints::Rows> Footprints::rowsOf(TransferOpInterface op) {
  KnownNumbers numbers{values, registers};
  std::optional<Rows> rows = transferRows(op, profile, numbers);
  bool good = rows && rows->len != 0 && rows->fillEnd <= kMaxOperand;
  if (good)
    for (const Rows::Dim &d : rows->dims)
      good &= d.count >= 1 && d.count <= kMaxOperand;
  return good ? rows : std::nullopt;
}

void Footprints::box(Operation *op, Box box, uint32_t storage, bool writes, bool certain, bool atomic, Pieces &pieces) {
  box.normalise();
  if (box.empty())
    return;
  // A loop may repeat a row as often as its register can count: no more are looked at than are kept.
  uint64_t count = 1;
  for (const Box::Dim &dim : box.dims)
    count = std::min(count * std::min(dim.count, kMaxRows + 1), kMaxRows + 1);
  for (uint64_t row = 0; row < std::min(count, kMaxRows); ++row) {
    uint64_t start = box.base, rest = row;
    for (const Box::Dim &dim : box.dims) {
      start += rest % dim.count * uint64_t(dim.stride);
      rest /= dim.count;
    }
    pieces.push_back({start, start + box.rowBytes, writes, certain, op, storage, true, atomic});
  }
  if (count > kMaxRows)
    pieces.push_back(somewhere(op, storage, writes, box.lowest(), box.end()));
}

/// Bounds, alignment and bytes of one side of a transfer.
void Footprints::transferSide(Operation *op, const Rows *rows, Value pointer, bool source, bool certain,
                              Pieces &pieces) {
  Space space = cast<PtrType>(pointer.getType()).getSpace();
  const Known *address = values.find(pointer);
  const uint32_t storage = address && address->array ? kFirstArray + address->array : uint32_t(space);
  const Piece anywhere = somewhere(op, storage, !source);
  auto range = address ? values.extent(*address) : std::nullopt;
  if (!rows || !range || (space == Space::Gm && !address->array)) {
    pieces.push_back(anywhere);
    return;
  }
  Box bytes;
  bytes.rowBytes = uint64_t(source ? rows->len : rows->fillEnd);
  __int128 span = bytes.rowBytes;
  for (const Rows::Dim &dim : rows->dims) {
    int64_t step = source ? dim.src : dim.dst;
    if (step > kMaxOperand) {
      pieces.push_back(anywhere);
      return;
    }
    bytes.dims.push_back({uint64_t(dim.count), step});
    span += __int128(dim.count - 1) * step;
  }
  __int128 end = span + range->second;
  if (space == Space::Gm) { // its size is not known
    if (range->first < 0 || end > INT64_MAX) {
      pieces.push_back(anywhere);
      return;
    }
  } else {
    int64_t size = profile.bytes[size_t(space)];
    const bool misaligned = range->first % alignmentOf(space) != 0 && range->first >= 0;
    if (misaligned || range->first < 0 || end > endOf(space, uint64_t(size), uint64_t(range->second))) {
      if (report && misaligned)
        report->misaligned(op, space, range->first, alignmentOf(space), !source, certain);
      else if (report)
        report->outOfBounds(op, space, range->first < 0 ? range->first : range->second,
                            int64_t(std::min<__int128>(end, INT64_MAX)), size, !source, certain);
      pieces.push_back(anywhere);
      return;
    }
  }
  if (!address->terms.empty() || address->firstTurn) {
    pieces.push_back(address->firstTurn ? anywhere
                                        : somewhere(op, storage, !source, uint64_t(range->first), uint64_t(end)));
    return;
  }
  bytes.base = uint64_t(address->base);
  box(op, std::move(bytes), storage, !source, true, false, pieces);
}

std::optional<Pipe> Footprints::instruction(Operation *op, bool certain, Pieces &pieces) {
  const size_t before = pieces.size();
  const std::optional<Pipe> pipe = touches(op, certain, pieces);
  // Which stores combine with what is there is known in a run; two of them are no race (RACE-2).
  if (report && pipe && *pipe != Pipe::S)
    for (Piece &piece : llvm::drop_begin(pieces, before))
      piece.atomic |= piece.writes && spaceOf(piece.storage) == Space::Gm && report->storesMayCombine();
  return pipe;
}

std::optional<Pipe> Footprints::touches(Operation *op, bool certain, Pieces &pieces) {
  if (isa<TileInstr>(op))
    return tileInstruction(op, certain, pieces);
  if (auto get = dyn_cast<TGetValOp>(op))
    return tileElement(op, get.getTile(), get.getIndex(), false, certain, pieces), Pipe::S;
  if (auto set = dyn_cast<TSetValOp>(op))
    return tileElement(op, set.getTile(), set.getIndex(), true, certain, pieces), Pipe::S;
  if (isa<LoadScalarOp, StoreScalarOp, LdDevOp, StDevOp>(op))
    return access(op, true, certain, pieces), Pipe::S;
  if (auto sort = dyn_cast<VbitsortOp>(op)) {
    std::optional<int64_t> groups = values.constant(sort.getRepeat());
    const bool known = groups && *groups >= 1 && *groups <= 255;
    int64_t score = cast<PtrType>(sort.getScores().getType()).getElementBytes(), scores = groups.value_or(0) * 32;
    for (auto [pointer, bytes, writes] : {std::tuple(sort.getScores(), scores * score, false),
                                          {sort.getIndices(), scores * 4, false},
                                          {sort.getDst(), scores * 8, true}})
      if (known)
        window({op, writes, true, certain}, values.get(pointer), bytes, bytes, 32, pieces);
      else
        pieces.push_back(somewhere(op, uint32_t(Space::Ub), writes));
    return Pipe::V;
  }
  if (isa<Vmrgsort4Op>(op)) { // how far a merge gets depends on data
    pieces.push_back(somewhere(op, uint32_t(Space::Ub), true));
    return Pipe::V;
  }
  if (const InstrInfo *info = infoOf(op); info && info->family == Family::UbVector)
    return ubVector(op, *info, certain, pieces), Pipe::V;
  if (auto cube = dyn_cast<CubeOpInterface>(op); cube && cubeInstruction(cube, certain, pieces))
    return infoOf(op)->pipe;
  auto transfer = dyn_cast<TransferOpInterface>(op);
  if (!transfer)
    return std::nullopt;
  std::optional<Rows> rows = rowsOf(transfer);
  for (TransferRole side : {TransferRole::Src, TransferRole::Dst})
    transferSide(op, rows ? &*rows : nullptr, transfer.get(side), side == TransferRole::Src, certain, pieces);
  return infoOf(op)->pipe;
}

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

MaybeKnown Footprints::address(Value base, Value offset, int64_t bytes) const {
  const Known *from = values.find(base);
  if (!offset)
    return from ? MaybeKnown(*from) : std::nullopt;
  const Known *by = values.find(offset);
  return from && by ? values.sum(*from, *by, bytes) : std::nullopt;
}

/// The first `used` of `most` bytes from an address on; what it does with the rest no one
/// knows. `covers`: all of them are touched, and not only the ends.
void Footprints::window(const Access &access, MaybeKnown address, int64_t used, int64_t most, int64_t alignment,
                        Pieces &pieces, bool covers) {
  auto range = address ? values.extent(*address) : std::nullopt;
  const uint32_t storage = address && address->array ? kFirstArray + address->array : uint32_t(Space::Ub);
  const Piece anywhere = somewhere(access.op, storage, access.writes);
  int64_t size = profile.bytes[size_t(Space::Ub)], end = 0, reach = 0;
  bool known = access.certain && access.instructionCertain;
  if (!range || __builtin_add_overflow(range->second, std::max(used, most), &reach)) {
    pieces.push_back(anywhere);
    return;
  }
  end = range->second + used;
  // A first turn that is misaligned is certain; later ones follow the same step.
  const bool misaligned = range->first >= 0 && address->base % alignment != 0;
  if (misaligned || (used > 0 && (range->first < 0 || end > size))) {
    if (report && misaligned)
      report->misaligned(access.op, Space::Ub, address->base, alignment, access.writes, known);
    else if (report)
      report->outOfBounds(access.op, Space::Ub, range->first < 0 ? range->first : range->second, end, size,
                          access.writes, known);
    pieces.push_back(anywhere);
    return;
  }
  bool whole = covers && used == most && !address->firstTurn;
  if (covers && used > 0) {
    // Turns that follow each other without a gap are one interval; of others the first is enough.
    SmallVector<Known::Term> terms(address->terms.begin(), address->terms.end());
    llvm::sort(terms, [](const Known::Term &a, const Known::Term &b) { return std::abs(a.step) < std::abs(b.step); });
    int64_t begin = address->base, past = address->base + used;
    for (const Known::Term &term : terms) {
      if (std::abs(term.step) > past - begin) {
        whole = false;
        break;
      }
      int64_t last = term.step * (values.trips(term.loop) - 1);
      (last < 0 ? begin : past) += last;
    }
    pieces.push_back({uint64_t(begin), uint64_t(past), access.writes, access.certain, access.op, storage});
  }
  if (!whole)
    pieces.push_back(address->firstTurn || range->first < 0
                         ? anywhere
                         : somewhere(access.op, storage, access.writes, uint64_t(range->first), uint64_t(reach)));
}

/// One past the last byte that a load into one register uses.
static int64_t usedEnd(const LoadDist &dist) {
  int64_t end = 0;
  for (unsigned k = 0; k < kVectorBytes; ++k)
    end = std::max<int64_t>(end, sourceByte(dist, 0, k) + 1);
  return end;
}

/// Every byte of the window reaches a register.
static bool usesAll(const LoadDist &dist, bool pair) {
  return dist.map != LoadMap::Every && (dist.map != LoadMap::Downsample || pair);
}

void Footprints::scalar(Operation *op, Value pointer, Value index, bool writes, bool certain, bool instructionCertain,
                        Pieces &pieces) {
  auto type = cast<PtrType>(pointer.getType());
  const int64_t bytes = type.getElementBytes();
  MaybeKnown at = address(pointer, index, bytes);
  if (type.getSpace() == Space::Ub)
    return window({op, writes, certain, instructionCertain}, at, bytes, bytes, bytes, pieces);
  const uint32_t array = at ? at->array : 0;
  auto range = at && array && !at->firstTurn ? values.extent(*at) : std::nullopt;
  const bool known = range && range->first >= 0 && range->second < INT64_MAX - bytes;
  pieces.push_back(
      known ? somewhere(op, kFirstArray + array, writes, uint64_t(range->first), uint64_t(range->second + bytes))
            : somewhere(op, array ? kFirstArray + array : uint32_t(type.getSpace()), writes));
}

void Footprints::access(Operation *op, bool certain, bool instructionCertain, Pieces &pieces) {
  auto elementBytes = [](Value pointer) { return int64_t(cast<PtrType>(pointer.getType()).getElementBytes()); };
  const Access reading{op, false, certain, instructionCertain}, writing{op, true, certain, instructionCertain};
  auto load = [&](Value base, Value offset, StringRef name, bool pair) {
    const LoadDist *dist = findLoadDist(name);
    if (!dist)
      return pieces.push_back(somewhere(op, uint32_t(Space::Ub), false));
    const bool all = usesAll(*dist, pair);
    window(reading, address(base, offset, elementBytes(base)), all ? dist->window : usedEnd(*dist), dist->window,
           dist->alignment, pieces, all);
  };
  auto store = [&](Value base, Value offset, StringRef name, Value mask) {
    const StoreDist *dist = findStoreDist(name);
    if (!dist)
      return pieces.push_back(somewhere(op, uint32_t(Space::Ub), true));
    MaybeKnown at = address(base, offset, elementBytes(base));
    if (!mask || dist->maskBytes == 0)
      return window(writing, at, dist->window, dist->window, dist->alignment, pieces, dist->map != StoreMap::Every);
    const PrefixMask *lanes = values.mask(mask);
    int64_t maskBytes = cast<MaskType>(mask.getType()).getBytes(), bytes = 0;
    if (lanes && lanes->lanes * maskBytes == kVectorBytes)
      bytes = dist->window;
    else if (lanes && dist->map == StoreMap::Copy && maskBytes == dist->maskBytes)
      bytes = lanes->lanes * maskBytes;
    // The mask is that of the first turn.
    if (lanes && lanes->firstTurn && at) {
      at = Known(at->base);
      at->firstTurn = true;
    }
    window(writing, at, bytes, dist->window, dist->alignment, pieces);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](VldsOp own) { load(own.getSrc(), own.getNext() ? Value() : own.getOffset(), own.getDist(), false); })
      .Case([&](Vldsx2Op own) { load(own.getSrc(), own.getNext() ? Value() : own.getOffset(), own.getDist(), true); })
      .Case([&](VsldOp own) { load(own.getSrc(), own.getOffset(), own.getStride(), false); })
      .Case([&](UvldOp own) {
        window(reading, address(own.getSrc(), own.getOffset(), elementBytes(own.getSrc())), kVectorBytes, kVectorBytes,
               1, pieces);
      })
      .Case([&](VstsOp own) {
        store(own.getDst(), own.getNext() ? Value() : own.getOffset(), own.getDist(), own.getMask());
      })
      .Case([&](Vstsx2Op own) { store(own.getDst(), own.getOffset(), own.getDist(), {}); })
      .Case([&](VsstOp own) { store(own.getDst(), own.getOffset(), own.getStride(), {}); })
      .Case<LoadScalarOp, LdDevOp>(
          [&](auto own) { scalar(op, own.getPtr(), own.getIndex(), false, certain, instructionCertain, pieces); })
      .Case<StoreScalarOp, StDevOp>(
          [&](auto own) { scalar(op, own.getPtr(), own.getIndex(), true, certain, instructionCertain, pieces); })
      .Case([&](VmiOp own) { vmiAccess(own, certain, instructionCertain, pieces); })
      .Default([&](Operation *) {
        const InstrInfo *info = infoOf(op);
        if (!info || info->footprint == Footprint::None || info->footprint == Footprint::Fence ||
            info->footprint == Footprint::Status)
          return;
        const bool reads = info->footprint == Footprint::VectorLoad || info->footprint == Footprint::Gather ||
                           isa<VldasOp, VldusOp>(op);
        pieces.push_back(somewhere(op, uint32_t(Space::Ub), !reads));
      });
}

} // namespace ptoscope
