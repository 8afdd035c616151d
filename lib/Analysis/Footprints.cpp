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

/// Operands of a transfer in bytes, all of them known.
struct Footprints::Rows {
  struct Dim {
    int64_t count, src, dst;
  };
  Value src, dst;
  int64_t len = 0;     ///< of a row
  int64_t fillEnd = 0; ///< of a destination row with its padding
  SmallVector<Dim, 4> dims;
};

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

/// The shape of a transfer; nothing when an operand is unknown, out of its field,
/// or leaves nothing to move.
std::optional<Footprints::Rows> Footprints::rowsOf(TransferOpInterface op) {
  const TransferInfo &info = op.getInfo();
  const int64_t unit = info.unit(profile.id);
  bool good = true;
  auto checked = [&](std::optional<int64_t> known) {
    good &= known && *known >= 0;
    return known.value_or(0);
  };
  auto number = [&](Value value) { return checked(values.constant(value)); };
  auto role = [&](TransferRole role) {
    Value value = op.get(role);
    return value ? number(value) : 0;
  };
  Rows rows{op.get(TransferRole::Src), op.get(TransferRole::Dst), role(TransferRole::Len)};
  // A stride means nothing in a dimension that runs once.
  auto dim = [&](int64_t count, auto src, auto dst) {
    rows.dims.push_back({count, count > 1 ? src() : 0, count > 1 ? dst() : 0});
  };
  dim(
      role(TransferRole::Count), [&] { return role(TransferRole::SrcStep); },
      [&] { return role(TransferRole::DstStep); });
  OperandRange loops = op.getRole(TransferRole::Loops);
  for (size_t i = 0; i + 2 < loops.size(); i += 3)
    dim(number(loops[i]), [&] { return number(loops[i + 1]); }, [&] { return number(loops[i + 2]); });
  if (ArrayRef<PtoRegister> reads = info.registers(); reads.size() >= 3) {
    auto [inner, outer] = registers[reads[0]];
    for (auto [count, steps] : {std::pair(inner, registers[reads[1]]), {outer, registers[reads[2]]}})
      dim(checked(count), [&] { return checked(steps.first); }, [&] { return checked(steps.second); });
  }
  if (info.steps == StepModel::Gap)
    for (int64_t *step : {&rows.dims[0].src, &rows.dims[0].dst})
      *step += rows.len;
  for (int64_t *operand : {&rows.len, &rows.dims[0].src, &rows.dims[0].dst})
    *operand *= unit;
  Value select = op.get(TransferRole::PadSelect);
  std::optional<int64_t> selected = select ? values.constant(select) : 0;
  good &= selected.has_value();
  if (op.get(TransferRole::Pad) || selected.value_or(0)) {
    int64_t element = std::max(1u, cast<PtrType>(rows.dst.getType()).getElementBytes());
    int64_t end = role(TransferRole::Left) * element + rows.len + role(TransferRole::Right) * element;
    rows.fillEnd = std::max((end + kBlockBytes - 1) / kBlockBytes * kBlockBytes, role(TransferRole::DstStep) * unit);
  }
  rows.fillEnd = std::max(rows.fillEnd, rows.len);
  good &= rows.len != 0 && rows.fillEnd <= kMaxOperand;
  for (const Rows::Dim &d : rows.dims)
    good &= d.count >= 1 && d.count <= kMaxOperand;
  return good ? std::optional(rows) : std::nullopt;
}

/// Bounds, alignment and bytes of one side of a transfer, if it is on chip.
void Footprints::localSide(Operation *op, const Rows &rows, bool source, Space logged, bool certain, Pieces &pieces) {
  Value pointer = source ? rows.src : rows.dst;
  Space space = cast<PtrType>(pointer.getType()).getSpace();
  const Known *address = values.find(pointer);
  if (space == Space::Gm || !address)
    return;
  auto range = values.extent(*address);
  if (!range)
    return;
  Box box;
  box.rowBytes = uint64_t(source ? rows.len : rows.fillEnd);
  __int128 span = box.rowBytes;
  for (const Rows::Dim &dim : rows.dims) {
    int64_t step = source ? dim.src : dim.dst;
    if (step > kMaxOperand)
      return;
    box.dims.push_back({uint64_t(dim.count), step});
    span += __int128(dim.count - 1) * step;
  }
  int64_t size = profile.bytes[size_t(space)];
  if (range->first % alignmentOf(space) != 0 && range->first >= 0)
    return report.misaligned(op, space, range->first, alignmentOf(space), !source, certain);
  __int128 end = span + range->second;
  if (range->first < 0 || end > size)
    return report.outOfBounds(op, space, range->first < 0 ? range->first : range->second,
                              int64_t(std::min<__int128>(end, INT64_MAX)), size, !source, certain);
  if (space != logged || !address->terms.empty())
    return;
  box.base = uint64_t(address->base);
  box.normalise();
  uint64_t count = 0;
  box.forEachRow([&](uint64_t start, uint64_t bytes) {
    if (count++ < kMaxRows)
      pieces.push_back({start, start + bytes, !source, true, op});
  });
}

std::optional<Pipe> Footprints::instruction(Operation *op, Space space, bool certain, Pieces &pieces) {
  if (auto sort = dyn_cast<VbitsortOp>(op)) {
    std::optional<int64_t> groups = values.constant(sort.getRepeat());
    if (!groups || *groups < 1 || *groups > 255)
      return Pipe::V;
    int64_t score = cast<PtrType>(sort.getScores().getType()).getElementBytes(), scores = *groups * 32;
    window(op, values.get(sort.getScores()), 0, scores * score, 32, false, true, certain, pieces);
    window(op, values.get(sort.getIndices()), 0, scores * 4, 32, false, true, certain, pieces);
    window(op, values.get(sort.getDst()), 0, scores * 8, 32, true, true, certain, pieces);
    return Pipe::V;
  }
  if (isa<Vmrgsort4Op>(op))
    return Pipe::V; // how far a merge gets depends on data
  auto transfer = dyn_cast<TransferOpInterface>(op);
  if (!transfer)
    return std::nullopt;
  if (std::optional<Rows> rows = rowsOf(transfer))
    for (bool source : {true, false})
      localSide(op, *rows, source, space, certain, pieces);
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
  return from && by ? added(*from, *by, bytes) : std::nullopt;
}

/// Bytes [from, to) from an address on. `covers`: all of them are touched, and
/// not only the ends.
void Footprints::window(Operation *op, MaybeKnown address, int64_t from, int64_t to, int64_t alignment, bool writes,
                        bool certain, bool instructionCertain, Pieces &pieces, bool covers) {
  auto range = address ? values.extent(*address) : std::nullopt;
  if (!range)
    return;
  bool known = certain && instructionCertain;
  // A first turn that is misaligned is certain; later ones follow the same step.
  if (range->first >= 0 && address->base % alignment != 0)
    return report.misaligned(op, Space::Ub, address->base, alignment, writes, known);
  int64_t size = profile.bytes[size_t(Space::Ub)], end;
  if (from >= to || __builtin_add_overflow(range->second, to, &end))
    return;
  if (range->first < 0 || end > size)
    return report.outOfBounds(op, Space::Ub, range->first < 0 ? range->first : range->second + from, end, size, writes,
                              known);
  if (!covers)
    return;
  // Turns that follow each other without a gap are one interval; of others the first is enough.
  SmallVector<Known::Term> terms(address->terms.begin(), address->terms.end());
  llvm::sort(terms, [](const Known::Term &a, const Known::Term &b) { return std::abs(a.step) < std::abs(b.step); });
  int64_t begin = address->base + from, reach = address->base + to;
  for (const Known::Term &term : terms) {
    if (std::abs(term.step) > reach - begin)
      break;
    int64_t last = term.step * (values.trips(term.loop) - 1);
    (last < 0 ? begin : reach) += last;
  }
  pieces.push_back({uint64_t(begin), uint64_t(reach), writes, certain, op});
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

void Footprints::access(Operation *op, bool certain, bool instructionCertain, Pieces &pieces) {
  auto elementBytes = [](Value pointer) { return int64_t(cast<PtrType>(pointer.getType()).getElementBytes()); };
  auto load = [&](Value base, Value offset, StringRef name, bool pair) {
    if (const LoadDist *dist = findLoadDist(name))
      window(op, address(base, offset, elementBytes(base)), 0, usesAll(*dist, pair) ? dist->window : usedEnd(*dist),
             dist->alignment, false, certain, instructionCertain, pieces, usesAll(*dist, pair));
  };
  auto store = [&](Value base, Value offset, StringRef name, Value mask) {
    const StoreDist *dist = findStoreDist(name);
    if (!dist)
      return;
    MaybeKnown at = address(base, offset, elementBytes(base));
    if (!mask || dist->maskBytes == 0)
      return window(op, at, 0, dist->window, dist->alignment, true, certain, instructionCertain, pieces,
                    dist->map != StoreMap::Every);
    const PrefixMask *lanes = values.mask(mask);
    int64_t maskBytes = cast<MaskType>(mask.getType()).getBytes(), bytes = 0;
    if (lanes && lanes->lanes * maskBytes == kVectorBytes)
      bytes = dist->window;
    else if (lanes && dist->map == StoreMap::Copy && maskBytes == dist->maskBytes)
      bytes = lanes->lanes * maskBytes;
    if (lanes && lanes->firstTurn && at)
      at = Known(at->base);
    window(op, at, 0, bytes, dist->alignment, true, certain, instructionCertain, pieces);
  };
  llvm::TypeSwitch<Operation *>(op)
      .Case([&](VldsOp own) { load(own.getSrc(), own.getNext() ? Value() : own.getOffset(), own.getDist(), false); })
      .Case([&](Vldsx2Op own) { load(own.getSrc(), own.getOffset(), own.getDist(), true); })
      .Case([&](VsldOp own) { load(own.getSrc(), own.getOffset(), own.getStride(), false); })
      .Case([&](UvldOp own) {
        window(op, address(own.getSrc(), own.getOffset(), elementBytes(own.getSrc())), 0, kVectorBytes, 1, false,
               certain, instructionCertain, pieces);
      })
      .Case([&](VstsOp own) {
        store(own.getDst(), own.getNext() ? Value() : own.getOffset(), own.getDist(), own.getMask());
      })
      .Case([&](Vstsx2Op own) { store(own.getDst(), own.getOffset(), own.getDist(), {}); })
      .Case([&](VsstOp own) { store(own.getDst(), own.getOffset(), own.getStride(), {}); })
      .Case([&](LoadScalarOp own) {
        int64_t bytes = elementBytes(own.getPtr());
        if (cast<PtrType>(own.getPtr().getType()).getSpace() == Space::Ub)
          window(op, address(own.getPtr(), own.getIndex(), bytes), 0, bytes, bytes, false, certain, instructionCertain,
                 pieces);
      })
      .Case([&](StoreScalarOp own) {
        int64_t bytes = elementBytes(own.getPtr());
        if (cast<PtrType>(own.getPtr().getType()).getSpace() == Space::Ub)
          window(op, address(own.getPtr(), own.getIndex(), bytes), 0, bytes, bytes, true, certain, instructionCertain,
                 pieces);
      });
}

} // namespace ptoscope
