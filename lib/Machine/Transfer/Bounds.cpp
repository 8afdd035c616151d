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

std::string number(Wide value) {
  if (value > UINT64_MAX)
    return "more than 2^64";
  return std::to_string(uint64_t(value));
}

std::string bytesText(Wide n) { return number(n) + (n == 1 ? " byte" : " bytes"); }

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
} // namespace

void TransferUnit::planPadding(SiteId site, const PtoTransfer &operands) {
  // No text says whether and where the pad value of L1 is written.
  if (planned.dstSpace == Space::L1 && (operands.flags & PTO_TRANSFER_REGISTERS) &&
      registers->padSetOutToL1 && planned.len % kBlockBytes != 0) {
    report->tell("undefined-by-manual", site,
                 "rows of " + report->opName(site) + " end in the middle of a 32-byte block (" +
                     std::to_string(planned.len) + " bytes) while a pad value for L1 (" +
                     hex(uint64_t(registers->padValueOutToL1)) + ") is set; nothing is filled here",
                 "move whole blocks, or leave out `pto.set_pad_val_outtol1`");
  }
  if (!planned.pad) {
    if (operands.padLeft != 0 || operands.padRight != 0 || (operands.flags & PTO_TRANSFER_PAD))
      report->tell("pad-ignored", site,
                   "padding (" + std::to_string(operands.padLeft) + " left, " +
                       std::to_string(operands.padRight) + " right) of " + report->opName(site) +
                       " has no effect: " +
                       (operands.flags & PTO_TRANSFER_PAD ? "only transfers from GM to UB are padded"
                                                          : "padding is not switched on"),
                   "switch padding on, or set both counts to 0");
    return;
  }
  if (planned.len % planned.padWidth != 0)
    report->tell("pad-phase", site,
                 "the row length of " + report->opName(site) + " is " + std::to_string(planned.len) +
                     ", no multiple of the " + std::to_string(planned.padWidth) + "-byte pad value",
                 "use a pad value of the element type of the row");
}

bool TransferUnit::planLocalSide(SiteId site, bool isSource) {
  Space space = isSource ? planned.srcSpace : planned.dstSpace;
  uint64_t address = isSource ? planned.src : planned.dst;
  uint64_t rowBytes = isSource ? planned.len : planned.fillEnd;
  Wide span = spanOf(planned, isSource, rowBytes);
  uint64_t size = memories->bytesOf(space);
  std::string side = isSource ? "reads " : "writes ";
  bool fine = true;

  if (report->checks.memory && address % kBlockBytes != 0) {
    report->tell("ub-misaligned", site,
                 report->opName(site) + " " + side + spaceText(space) + " at byte " + hex(address) +
                     ", which is no multiple of 32",
                 "round the address to " + hex(address / kBlockBytes * kBlockBytes) + " or " +
                     hex((address / kBlockBytes + 1) * kBlockBytes),
                 ByteRange{std::string(nameOf(space)), "", address, address + rowBytes});
    fine = false;
  }
  if (report->checks.memory)
    for (size_t level = 0; level < planned.dims.size(); ++level) {
      uint64_t stride = isSource ? planned.dims[level].srcStride : planned.dims[level].dstStride;
      if (stride % kBlockBytes == 0)
        continue;
      report->tell("stride-misaligned", site,
                   std::string("the ") + (isSource ? "source" : "destination") + " stride of " +
                       report->opName(site) + " in " + spaceText(space) + " is " + std::to_string(stride) +
                       " bytes, no multiple of 32",
                   "use a stride of " + std::to_string((stride / kBlockBytes + 1) * kBlockBytes) + " bytes");
      fine = false;
    }
  if (Wide(address) + span > size) {
    Wide end = Wide(address) + span;
    report->refuse(
        space == Space::Ub ? "ub-out-of-bounds" : "local-out-of-bounds", site,
        report->opName(site) + " " + side + bytesText(end - size) + " beyond the end of " + spaceText(space) +
            ": it covers bytes " + hex(address) + ".." +
            (end > UINT64_MAX ? "2^64" : hex(uint64_t(end) - 1)) + ", " + spaceText(space) + " has " +
            std::to_string(size),
        "check the address, the row count and the stride; a padded row is filled up to its stride",
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
    report->refuse("transfer-operand", site,
                   report->opName(site) + " reaches beyond the last GM address: it starts at " +
                       hex(address) + " and spans " + bytesText(span),
                   "check the pointer, the strides and the counts");
    return false;
  }
  const GmObject *object = memories->find(address);
  bool starts = object != nullptr;
  if (!object)
    object = memories->nearest(address);
  (isSource ? planned.srcObject : planned.dstObject) = object;
  bool inside = starts && uint64_t(end) - object->base <= object->bytes;
  planned.clipped = !inside;
  std::string verb = isSource ? "reads" : "writes";

  if (!inside && report->checks.memory) {
    bool near = starts;
    if (object && !starts) {
      uint64_t distance =
          address < object->base ? object->base - address : address - object->base - object->bytes;
      near = distance <= std::max<uint64_t>(object->bytes, 4096);
    }
    if (!near) {
      report->tell("unmapped-gm-address", site,
                   report->opName(site) + " " + verb + " " + bytesText(span) + " of GM at " + hex(address) +
                       ", where no buffer is",
                   "derive GM addresses from the kernel's parameters",
                   ByteRange{"gm", "", address, uint64_t(end)});
      return true;
    }
    std::string size = "`" + object->name + "` (" + bytesText(object->bytes) + ")";
    std::string message = report->opName(site) + " " + verb + " ";
    if (address < object->base)
      message += bytesText(object->base - address) + " before the start of " + size;
    else
      message += bytesText(end - object->base - object->bytes) + " beyond the end of " + size +
                 ": it covers bytes " + std::to_string(address - object->base) + ".." +
                 std::to_string(uint64_t(end) - object->base - 1);
    report->tell("gm-out-of-bounds", site, std::move(message),
                 address < object->base
                     ? "check the offset, which is negative"
                     : "pass a buffer of at least " + std::to_string(uint64_t(end) - object->base) +
                           " bytes for `" + object->name + "`, or shorten the transfer",
                 ByteRange{"gm", object->name, address - object->base, uint64_t(end) - object->base});
  }
  if (!isSource && object && object->readOnly) {
    if (report->checks.memory)
      report->tell("gm-read-only", site,
                   report->opName(site) + " writes " + bytesText(span) + " of `" + object->name +
                       "`, which is read-only",
                   "write to another buffer, or pass this one as writable",
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
    report->tell(toGm ? "gm-stride-overlap" : "stride-overlap", site,
                 "rows of " + std::to_string(own) + " bytes written by " + report->opName(site) +
                     " overlap one another: the destination stride is " +
                     std::to_string(planned.dims.front().dstStride) + " bytes" +
                     (planned.dims.size() > 1 ? " and loops revisit bytes" : ""),
                 "make each destination stride at least as large as what it steps over, here " +
                     std::to_string(own) + " bytes for a row");
    if (!toGm)
      planned.skip = true;
    return;
  }
  if (planned.pad && rowsOverlap(planned, planned.fillEnd, spanBytes))
    report->tell("pad-overlap", site,
                 "the fill behind the rows of " + report->opName(site) + " (rows of " + std::to_string(own) +
                     " bytes, filled to " + std::to_string(planned.fillEnd) + ") overlaps other rows",
                 "make the destination strides multiples of the filled row");
  if (planned.srcSpace == planned.dstSpace) {
    Box src{planned.src, planned.len, {}}, dst{planned.dst, planned.len, {}};
    for (const TransferDim &dim : planned.dims) {
      src.dims.push_back({dim.count, int64_t(dim.srcStride)});
      dst.dims.push_back({dim.count, int64_t(dim.dstStride)});
    }
    uint64_t common = 0;
    if (src.overlaps(dst, &common))
      report->tell("undefined-by-manual", site,
                   report->opName(site) + " copies " + spaceText(planned.srcSpace) +
                       " bytes onto themselves: source and destination share byte " + hex(common) +
                       "; rows are copied in rising order here",
                   "keep source and destination apart");
  }
}

} // namespace ptoscope
