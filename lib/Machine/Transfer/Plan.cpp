//===- Plan.cpp - operands of a transfer, checked and resolved ------------===//
//
// Runs when a transfer is issued: reads the legacy registers, shapes the rows
// (DMA-18, DMA-22, DMA-26, ROW-2) and applies D3 to D14. With the memory
// check off only what cannot be executed at all is reported. Every size is
// bounded here, so that running a plan takes time in proportion to real bytes.
//
//===----------------------------------------------------------------------===//

#include "Transfer/TransferUnit.h"

#include <algorithm>

namespace ptoscope {

namespace {
/// More rows or bytes than this is a mistake in the operands, not a transfer:
/// all on-chip memories together hold a few MiB.
constexpr uint64_t kMaxRows = uint64_t(1) << 28;
constexpr uint64_t kMaxBytes = uint64_t(1) << 34;
/// No operand is larger, whatever its field; keeps sums and products in range.
constexpr int64_t kMaxOperand = int64_t(1) << 48;

constexpr int64_t kWidth16 = (int64_t(1) << 16) - 1;
constexpr int64_t kWidth21 = (int64_t(1) << 21) - 1;
constexpr int64_t kWidth40 = (int64_t(1) << 40) - 1;
constexpr int64_t kPadCount = 255;
constexpr int64_t kHint = 15, kDocumentedHint = 3; ///< stream id and cache hint; 4 bits and 2
/// CTRL[10:6], which select atomic stores.
constexpr int64_t kAtomicField = 0x7c0;

struct Operand {
  std::string name;
  int64_t value;
  int64_t limit;       ///< of the encoding
  int64_t documented;  ///< of the documents
  bool divides = true; ///< a transfer of fewer rows or bytes has a smaller one
};

std::string levelText(size_t level) { return level == 0 ? "row" : "loop " + std::to_string(level); }
} // namespace

bool TransferUnit::plainRows(const PtoTransfer &operands, PlainRows &rows) {
  bool fromGm = Space(operands.srcSpace) == Space::Gm;
  uint32_t space = fromGm ? operands.dstSpace : operands.srcSpace;
  if (fromGm == (Space(operands.dstSpace) == Space::Gm) || !memories->has(space) || kind != CoreKind::AIV ||
      operands.flags != 0 || operands.loopCount != 0 || (operands.padLeft | operands.padRight) != 0 ||
      (!fromGm && (registers->ctrl & kAtomicField)))
    return false;
  // Negative values are large ones here; products of what passes stay below 2^57.
  uint64_t len = uint64_t(operands.len), count = uint64_t(operands.count);
  if (len - 1 >= uint64_t(kWidth16) || count - 1 >= uint64_t(kWidth16))
    return false;
  uint64_t gmStride = 0, localStride = 0;
  if (count > 1) {
    gmStride = uint64_t(fromGm ? operands.srcStride : operands.dstStride);
    localStride = uint64_t(fromGm ? operands.dstStride : operands.srcStride);
    if (gmStride > uint64_t(kWidth40) || localStride > uint64_t(kWidth21) || (fromGm ? localStride : gmStride) < len)
      return false;
  }
  uint64_t at = fromGm ? operands.dst : operands.src, address = fromGm ? operands.src : operands.dst;
  uint64_t size = memories->bytesOf(Space(space));
  if (at > size || (count - 1) * localStride + len > size - at ||
      (report->checks.memory && (at | localStride) % kBlockBytes != 0))
    return false;
  LastObject &gm = lastObject[fromGm];
  if (address - gm.base >= gm.bytes) {
    const GmObject *object = memories->find(address);
    if (!object)
      return false;
    gm = {object->base, object->bytes, object->host, object, object->readOnly};
  }
  uint64_t offset = address - gm.base;
  if ((count - 1) * gmStride + len > gm.bytes - offset || (!fromGm && gm.readOnly))
    return false;
  if (Space(space) == Space::Ub)
    (fromGm ? registers->outToUb : registers->ubToOut).staleSize = true;
  uint8_t *there = gm.host + offset, *here = memories->base(Space(space)) + at;
  rows = {gm.object, fromGm ? here : there,           fromGm ? there : here,           len,
          count,     fromGm ? localStride : gmStride, fromGm ? gmStride : localStride, fromGm};
  return true;
}

void TransferUnit::planRows(const PtoTransfer &operands, const PlainRows &rows) {
  planned.skip = planned.pad = planned.clipped = false;
  planned.atomicType = AtomicType::Off;
  planned.srcSpace = Space(operands.srcSpace);
  planned.dstSpace = Space(operands.dstSpace);
  planned.src = operands.src;
  planned.dst = operands.dst;
  planned.srcObject = planned.srcSpace == Space::Gm ? rows.object : nullptr;
  planned.dstObject = planned.dstSpace == Space::Gm ? rows.object : nullptr;
  planned.dstMemory = memories->base(planned.dstSpace);
  planned.dstCore = core;
  planned.len = planned.fillEnd = rows.len;
  planned.dataBegin = planned.padRightBytes = 0;
  planned.dims.clear();
  if (rows.count > 1)
    planned.dims.push_back({rows.count, rows.fromStride, rows.toStride});
  mergeRows();
}

int32_t TransferUnit::plan(SiteId site, const PtoTransfer &operands) {
  planned.skip = planned.pad = planned.clipped = false;
  planned.atomicType = AtomicType::Off;
  planned.srcObject = planned.dstObject = nullptr;
  planned.dims.clear();
  if (!memories->has(operands.srcSpace) || !memories->has(operands.dstSpace) ||
      (Space(operands.srcSpace) == Space::Gm && Space(operands.dstSpace) == Space::Gm))
    return report->internalError(site, say::kBugTransfer(operands.srcSpace, operands.dstSpace));
  planned.srcSpace = Space(operands.srcSpace);
  planned.dstSpace = Space(operands.dstSpace);
  planned.src = operands.src;
  planned.dst = operands.dst;
  if (!planTarget(site, operands))
    return 1;

  if (!planOperands(site, operands) || planned.skip) {
    planned.skip = true;
    return report->stopped;
  }
  for (bool isSource : {true, false}) {
    Space space = isSource ? planned.srcSpace : planned.dstSpace;
    bool fine = space == Space::Gm ? planGmSide(site, isSource) : planLocalSide(site, isSource);
    planned.skip = planned.skip || !fine;
    if (report->stopped)
      return 1;
  }
  if (report->checks.memory && !planned.skip)
    planOverlap(site);
  if (!report->stopped)
    mergeRows();
  return report->stopped;
}

/// Which memory is written: a cube core of a cluster writes the UB of one of
/// the vector cores (CHIP-4). False: stop.
bool TransferUnit::planTarget(SiteId site, const PtoTransfer &operands) {
  planned.dstMemory = memories->base(planned.dstSpace);
  planned.dstCore = core;
  if (kind != CoreKind::AIC || planned.dstSpace != Space::Ub)
    return true;
  int64_t subblock = operands.flags & PTO_TRANSFER_SUBBLOCK ? operands.dstSubblock : 0;
  if (subblock != 0 && subblock != 1) {
    report->end(site, say::kSubblock(subblock));
    return false;
  }
  UbTarget target = memories->targetUb(kind, core, unsigned(subblock));
  planned.dstMemory = target.base;
  planned.dstCore = target.core;
  return true;
}

/// The loop registers of the planned transfer's direction; null: it has none.
LoopRegisters *TransferUnit::loopRegisters() {
  if (planned.srcSpace == Space::Gm)
    return planned.dstSpace == Space::Ub ? &registers->outToUb : &registers->outToL1;
  return planned.dstSpace == Space::Gm ? &registers->ubToOut : nullptr;
}

/// False: the transfer cannot be executed (a finding says why).
bool TransferUnit::planOperands(SiteId site, const PtoTransfer &operands) {
  bool fromGm = planned.srcSpace == Space::Gm, toGm = planned.dstSpace == Space::Gm;
  bool blocks = operands.flags & PTO_TRANSFER_BLOCKS;
  bool legacy = operands.flags & PTO_TRANSFER_REGISTERS;
  LoopRegisters *loops = loopRegisters();
  planned.pad = (operands.flags & PTO_TRANSFER_PAD) && fromGm && planned.dstSpace == Space::Ub;

  planLoops.clear();
  planLoops.push_back({operands.count, operands.srcStride, operands.dstStride});
  if (legacy && loops) {
    planLoops.push_back({loops->count1, loops->src1, loops->dst1});
    planLoops.push_back({loops->count2, loops->src2, loops->dst2});
  } else if (!legacy) {
    planLoops.insert(planLoops.end(), operands.loops, operands.loops + operands.loopCount);
  }
  // Copies in blocks have 16 bits for each operand; their loops, if any, count bytes.
  OperandLimits limits;
  limits.len = limits.count = blocks ? kWidth16 : kWidth21;
  limits.src = blocks ? kWidth16 : fromGm ? kWidth40 : kWidth21;
  limits.dst = blocks ? kWidth16 : toGm ? kWidth40 : kWidth21;
  limits.loopSrc = fromGm ? kWidth40 : kWidth21;
  limits.loopDst = toGm ? kWidth40 : kWidth21;
  if (!checkOperands(site, operands, limits))
    return false;
  if (legacy && report->checks.memory)
    checkLoopSize(site);
  if (!legacy && loops)
    loops->staleSize = true;
  if (planned.skip)
    return true;
  if (!shapeRows(site, operands))
    return false;
  if (report->checks.memory)
    planPadding(site, operands);
  return !toGm || planAtomic(site, operands.elementBytes);
}

/// Every operand against its field. False: not executable; planned.skip: nothing to do.
bool TransferUnit::checkOperands(SiteId site, const PtoTransfer &operands, const OperandLimits &limits) {
  auto outside = [](int64_t value, int64_t low, int64_t high) { return value < low || value > high; };
  auto srcLimit = [&](size_t level) { return level == 0 ? limits.src : limits.loopSrc; };
  auto dstLimit = [&](size_t level) { return level == 0 ? limits.dst : limits.loopDst; };
  // Nearly every transfer is ordinary; only others are looked at one by one.
  bool hints = report->checks.memory && (operands.flags & PTO_TRANSFER_HINTS) &&
               (outside(operands.sid, 0, kHint) || outside(operands.l2, 0, kDocumentedHint) ||
                outside(operands.cache, 0, kHint));
  bool unusual = hints || outside(operands.len, 1, kWidth16);
  for (size_t level = 0; level < planLoops.size(); ++level) {
    const PtoLoop &dim = planLoops[level];
    unusual =
        unusual || outside(dim.count, 1, kWidth16) ||
        (dim.count > 1 && (outside(dim.srcStride, 0, srcLimit(level)) || outside(dim.dstStride, 0, dstLimit(level))));
  }
  if (planned.pad)
    unusual = unusual || outside(operands.padLeft, 0, kPadCount) || outside(operands.padRight, 0, kPadCount) ||
              outside(operands.dstStride, 0, dstLimit(0));
  if (!unusual)
    return true;

  std::vector<Operand> values;
  std::string zero; // the first length or count that is 0
  values.push_back({"the row length", operands.len, limits.len, kWidth16});
  if (operands.len == 0)
    zero = values.back().name;
  for (size_t level = 0; level < planLoops.size(); ++level) {
    const PtoLoop &dim = planLoops[level];
    std::string where = levelText(level);
    int64_t countLimit = level == 0 ? limits.count : kWidth21;
    std::string step = level == 0 && (operands.flags & PTO_TRANSFER_BLOCKS) ? " gap of the " : " stride of the ";
    values.push_back({"the " + where + " count", dim.count, countLimit, level == 0 ? kWidth16 : countLimit});
    if (dim.count == 0 && zero.empty())
      zero = values.back().name;
    // Strides mean nothing in a dimension that runs once (D10), except that
    // padding fills up to the row step.
    if (dim.count > 1)
      values.push_back({"the source" + step + where, dim.srcStride, srcLimit(level), srcLimit(level)});
    if (dim.count > 1 || (level == 0 && planned.pad))
      values.push_back({"the destination" + step + where, dim.dstStride, dstLimit(level), dstLimit(level)});
  }
  if (planned.pad) {
    values.push_back({"the left pad count", operands.padLeft, kPadCount, kPadCount});
    values.push_back({"the right pad count", operands.padRight, kPadCount, kPadCount});
  }
  if (hints) {
    values.push_back({"the stream id", operands.sid, kHint, kHint, false});
    values.push_back({"the cache hint", operands.l2, kHint, kDocumentedHint, false});
    values.push_back({"the cache hint", operands.cache, kHint, kHint, false});
  }

  for (const Operand &operand : values) {
    bool absurd = operand.value < 0 || operand.value > kMaxOperand;
    bool tooWide = operand.value > operand.limit;
    if (!absurd && !(tooWide && report->checks.memory))
      continue;
    const auto &tooLarge = operand.divides ? say::kOperandTooWide : say::kHintTooWide;
    report->refuse(site, operand.value < 0 ? say::kOperandNegative(operand.name, operand.value)
                                           : tooLarge(operand.name, operand.value, operand.limit));
    return false;
  }
  if (!zero.empty()) {
    if (report->checks.memory)
      report->tell(site, say::kTransferEmpty(zero));
    planned.skip = true;
    return true;
  }
  for (const Operand &operand : values)
    if (report->checks.memory && operand.value > operand.documented)
      report->tell(site, (operand.documented == kWidth16 ? say::kTransferWide : say::kTransferHint)(
                             operand.name, operand.value, operand.documented));
  return true;
}

/// A loop size in the registers that an earlier transfer may have meant for itself.
void TransferUnit::checkLoopSize(SiteId site) {
  const LoopRegisters *loops = loopRegisters();
  if (!loops || !loops->staleSize || (loops->count1 == 1 && loops->count2 == 1))
    return;
  const char *direction = planned.srcSpace != Space::Gm   ? "ubtoout"
                          : planned.dstSpace == Space::Ub ? "outtoub"
                                                          : "outtol1";
  report->tell(site, say::kStaleLoopSize(loops->count1, loops->count2, direction));
}

/// Operands that fit their fields, as rows of bytes. False: more of them than fits anywhere.
bool TransferUnit::shapeRows(SiteId site, const PtoTransfer &operands) {
  bool blocks = operands.flags & PTO_TRANSFER_BLOCKS;
  bool legacy = operands.flags & PTO_TRANSFER_REGISTERS;
  if (PtoLoop &rows = planLoops.front(); blocks && rows.count > 1) {
    // In range, so that neither product overflows.
    rows.srcStride = (operands.len + rows.srcStride) * operands.blockBytes;
    rows.dstStride = (operands.len + rows.dstStride) * operands.blockBytes;
  }
  planned.len = uint64_t(operands.len) * uint64_t(blocks ? operands.blockBytes : 1);
  planned.dataBegin = planned.padRightBytes = 0;
  planned.fillEnd = planned.len;
  if (planned.pad) {
    uint64_t element = std::max<uint32_t>(operands.elementBytes, 1);
    planned.padWidth = legacy ? uint32_t(registers->padWidth) : operands.padWidth;
    planned.padValue = legacy ? uint64_t(registers->padValue) : operands.padValue;
    if (planned.padWidth != 1 && planned.padWidth != 2 && planned.padWidth != 4) {
      report->internalError(site, say::kBugPadWidth(planned.padWidth));
      return false;
    }
    planned.dataBegin = uint64_t(operands.padLeft) * element;
    planned.padRightBytes = uint64_t(operands.padRight) * element;
    uint64_t end = planned.dataBegin + planned.len + planned.padRightBytes;
    planned.fillEnd = std::max((end + kBlockBytes - 1) / kBlockBytes * kBlockBytes, uint64_t(operands.dstStride));
  }
  for (const PtoLoop &dim : planLoops)
    if (dim.count > 1)
      planned.dims.push_back({uint64_t(dim.count), uint64_t(dim.srcStride), uint64_t(dim.dstStride)});

  uint64_t rows = 1;
  bool tooMany = false;
  for (const TransferDim &dim : planned.dims) {
    tooMany = tooMany || dim.count > kMaxRows / rows;
    rows = tooMany ? rows : rows * dim.count;
  }
  if (!tooMany && planned.fillEnd <= kMaxBytes / rows)
    return true;
  report->refuse(site, tooMany ? say::kTooManyRows(kMaxRows) : say::kTooManyBytes(rows, planned.fillEnd));
  return false;
}

/// Atomic stores: what CTRL says when the transfer is issued. False: not executable.
bool TransferUnit::planAtomic(SiteId site, uint32_t elementBytes) {
  unsigned type = unsigned(registers->ctrl >> 6) & 7, op = unsigned(registers->ctrl >> 9) & 3;
  if (type == 0)
    return true;
  if (type > unsigned(AtomicType::BF16) || op > unsigned(AtomicOp::Min)) {
    report->end(site, say::kAtomicSelection(type, op));
    return false;
  }
  planned.atomicType = AtomicType(type);
  planned.atomicOp = AtomicOp(op);
  uint32_t element = ptoscope::bytesOf(planned.atomicType);
  if (!report->checks.memory)
    return true;
  // Bytes stand for data of any type.
  if (elementBytes > 1 && elementBytes != element) {
    report->tell(site, say::kAtomicWidth(elementBytes, element));
    return false;
  }
  if (planned.len % element == 0)
    return true;
  report->tell(site, say::kAtomicRow(planned.len, element));
  return false;
}

/// Joins what is contiguous on both sides. Copies inside one memory keep their
/// rows, whose order matters when they overlap; random schedules keep them to
/// interleave them.
void TransferUnit::mergeRows() {
  if (planned.pad || planned.skip || planned.srcSpace == planned.dstSpace || keepsRows)
    return;
  auto &dims = planned.dims;
  while (!dims.empty() && dims.front().srcStride == planned.len && dims.front().dstStride == planned.len) {
    planned.len *= dims.front().count;
    dims.erase(dims.begin());
  }
  planned.fillEnd = planned.len;
}

} // namespace ptoscope
