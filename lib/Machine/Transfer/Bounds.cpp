//===- Bounds.cpp - what a transfer touches, checked ----------------------===//
//
// The checks D3, D4, D8, D9, D11 and D14 on a transfer whose rows are known: alignment,
// bounds of both sides, padding, and rows that overlap.
//
//===----------------------------------------------------------------------===//

#include "Transfer/TransferUnit.h"

#include <algorithm>

namespace ptoscope {

namespace {
using Wide = unsigned __int128;

std::string wideText(Wide n) { return n > UINT64_MAX ? "more than 2^64 bytes" : plural(uint64_t(n), "byte"); }

/// Do two different rows share a byte? Exact for on-chip sizes; for a GM side
/// with very many rows in no simple order the answer is no.
bool rowsOverlap(const Transfer &transfer, uint64_t rowBytes, uint64_t spanBytes) {
  Wide covered = rowBytes;
  bool inOrder = true;
  for (const TransferDim &dim : transfer.dims) {
    inOrder = inOrder && dim.dstStride >= covered;
    covered += Wide(dim.dstStride) * (dim.count - 1);
  }
  if (inOrder)
    return false;
  std::vector<std::pair<uint64_t, uint64_t>> dims; // stride, count
  for (const TransferDim &dim : transfer.dims)
    dims.push_back({dim.dstStride, dim.count});
  std::sort(dims.begin(), dims.end()); // by stride
  Wide inner = rowBytes, rows = 1;
  bool nested = true;
  for (auto [stride, count] : dims) {
    nested = nested && stride >= inner;
    inner += Wide(stride) * (count - 1);
    rows *= count;
  }
  if (nested)
    return false;
  if (rows * rowBytes > spanBytes)
    return true;
  if (rows > (Wide(1) << 20))
    return false;
  std::vector<uint64_t> starts{0};
  for (auto [stride, count] : dims) {
    size_t known = starts.size();
    for (uint64_t i = 1; i < count; ++i)
      for (size_t k = 0; k < known; ++k)
        starts.push_back(starts[k] + i * stride);
  }
  std::sort(starts.begin(), starts.end());
  for (size_t i = 1; i < starts.size(); ++i)
    if (starts[i] - starts[i - 1] < rowBytes)
      return true;
  return false;
}

/// Bytes from the first byte of the first row to the last byte of the last.
Wide spanOf(const Transfer &transfer, bool isSource, uint64_t rowBytes) {
  Wide span = rowBytes;
  for (const TransferDim &dim : transfer.dims)
    span += Wide(dim.count - 1) * (isSource ? dim.srcStride : dim.dstStride);
  return span;
}

/// The innermost dimension that returns to bytes of the rows inside it, and the bytes that these span.
std::pair<size_t, Wide> returningDim(const Transfer &transfer, uint64_t rowBytes) {
  Transfer inner;
  for (size_t level = 0;; ++level) {
    const Wide span = spanOf(inner, false, rowBytes);
    inner.dims.push_back(transfer.dims[level]);
    const Wide whole = spanOf(inner, false, rowBytes);
    if (level + 1 == transfer.dims.size() ||
        rowsOverlap(inner, rowBytes, whole > UINT64_MAX ? UINT64_MAX : uint64_t(whole)))
      return {level, span};
  }
}
} // namespace

void TransferUnit::planPadding(SiteId site, const PtoTransfer &operands) {
  // No text says whether and where the pad value of L1 is written.
  if (planned.dstSpace == Space::L1 && (operands.flags & PTO_TRANSFER_REGISTERS) && registers->padSetOutToL1 &&
      planned.len % kBlockBytes != 0) {
    report->tell(site, say::kPadOfL1(planned.len, registers->padValueOutToL1));
  }
  if (!planned.pad) {
    if (operands.padLeft != 0 || operands.padRight != 0 || (operands.flags & PTO_TRANSFER_PAD))
      report->tell(site, (operands.flags & PTO_TRANSFER_PAD ? say::kPadOnlyToUb : say::kPadOff)(operands.padLeft,
                                                                                                operands.padRight));
    return;
  }
  if (planned.len % planned.padWidth != 0)
    report->tell(site, say::kPadPhase(planned.len, planned.padWidth));
}

bool TransferUnit::planLocalSide(SiteId site, bool isSource) {
  Space space = isSource ? planned.srcSpace : planned.dstSpace;
  uint64_t address = isSource ? planned.src : planned.dst;
  uint64_t rowBytes = isSource ? planned.len : planned.fillEnd;
  Wide span = spanOf(planned, isSource, rowBytes);
  uint64_t size = memories->bytesOf(space);
  const char *verb = say::readsOrWrites(!isSource);
  bool fine = true;

  if (uint64_t unit = alignmentOf(space); report->checks.memory && address % unit != 0) {
    uint64_t below = address / unit * unit;
    report->tell(site, say::kTransferMisaligned(verb, space, address, unit, below, below + unit),
                 ByteRange{std::string(nameOf(space)), "", address, address + rowBytes});
    fine = false;
  }
  if (report->checks.memory)
    for (size_t level = 0; level < planned.dims.size(); ++level) {
      uint64_t stride = isSource ? planned.dims[level].srcStride : planned.dims[level].dstStride;
      if (stride % kBlockBytes == 0)
        continue;
      report->tell(site, (isSource ? say::kStrideMisaligned : say::kDestinationStrideMisaligned)(
                             space, stride, (stride / kBlockBytes + 1) * kBlockBytes));
      fine = false;
    }
  if (Wide end = Wide(address) + span, limit = memories->endOf(space, address); end > limit) {
    report->refuse(site,
                   (space == Space::Fb ? say::kFbTransferBounds : say::kTransferBounds)
                       .as(say::boundsCode(space))(verb, wideText(end - limit), space, address,
                                                   end > UINT64_MAX ? "2^64" : hex(uint64_t(end) - 1), size),
                   ByteRange{std::string(nameOf(space)), "", address, end > UINT64_MAX ? UINT64_MAX : uint64_t(end)});
    fine = false;
  }
  return fine;
}

bool TransferUnit::planGmSide(SiteId site, bool isSource) {
  uint64_t address = isSource ? planned.src : planned.dst;
  Wide span = spanOf(planned, isSource, planned.len);
  Wide end = Wide(address) + span;
  if (end > UINT64_MAX) {
    report->refuse(site, say::kBeyondGm(address, wideText(span)));
    return false;
  }
  const GmObject *object = memories->find(address);
  bool starts = object != nullptr;
  if (!object)
    object = memories->nearest(address);
  (isSource ? planned.srcObject : planned.dstObject) = object;
  bool inside = starts && uint64_t(end) - object->base <= object->bytes;
  planned.clipped = !inside;
  const char *verb = say::readsOrWrites(!isSource);

  if (!inside && report->checks.memory) {
    bool near = starts;
    if (object && !starts) {
      uint64_t distance = address < object->base ? object->base - address : address - object->base - object->bytes;
      near = distance <= std::max<uint64_t>(object->bytes, 4096);
    }
    if (!near) {
      report->tell(site, say::kUnmapped(verb, wideText(span), address), ByteRange{"gm", "", address, uint64_t(end)});
      return true;
    }
    uint64_t first = address - object->base, behind = uint64_t(end) - object->base;
    report->tell(site,
                 address < object->base
                     ? say::kBeforeGm(verb, wideText(object->base - address), object->name, object->bytes)
                     : say::kBehindGm(verb, wideText(behind - object->bytes), object->name, object->bytes, first,
                                      behind - 1, behind),
                 ByteRange{"gm", object->name, first, behind});
  }
  if (!isSource && object && object->readOnly) {
    if (report->checks.memory)
      report->tell(site, say::kReadOnly(wideText(span), object->name),
                   ByteRange{"gm", object->name, address - object->base, uint64_t(end) - object->base});
    return false;
  }
  return true;
}

void TransferUnit::planOverlap(SiteId site) {
  bool toGm = planned.dstSpace == Space::Gm;
  Wide span = spanOf(planned, false, planned.fillEnd);
  uint64_t spanBytes = span > UINT64_MAX ? UINT64_MAX : uint64_t(span);
  // Own bytes of a row: its data with the pad counts, without the fill.
  uint64_t own = planned.dataBegin + planned.len + planned.padRightBytes;
  if (rowsOverlap(planned, own, spanBytes)) {
    const auto [level, inside] = returningDim(planned, own);
    const uint64_t stride = planned.dims[level].dstStride;
    const Wide unit = toGm ? 1 : kBlockBytes; // strides of local memories are whole blocks (D4)
    const std::string least = wideText((inside + unit - 1) / unit * unit);
    const char *code = toGm ? "gm-stride-overlap" : "stride-overlap";
    report->tell(site, level == 0 ? say::kRowsOverlap.as(code)(own, stride, least)
                                  : say::kLoopsOverlap.as(code)(own, stride, least, "loop " + std::to_string(level)));
    if (!toGm)
      planned.skip = true;
    return;
  }
  if (planned.pad && rowsOverlap(planned, planned.fillEnd, spanBytes))
    report->tell(site, say::kPadOverlap(own, planned.fillEnd));
  if (planned.srcSpace == planned.dstSpace) {
    Box src{planned.src, planned.len, {}}, dst{planned.dst, planned.len, {}};
    for (const TransferDim &dim : planned.dims) {
      src.dims.push_back({dim.count, int64_t(dim.srcStride)});
      dst.dims.push_back({dim.count, int64_t(dim.dstStride)});
    }
    uint64_t common = 0;
    if (src.overlaps(dst, &common))
      report->tell(site, say::kOntoItself(planned.srcSpace, common));
  }
}

} // namespace ptoscope
