//===- Bounds.cpp - what a transfer touches, checked ----------------------===//
//
// The checks D3, D4, D8, D9, D11 and D14 on a transfer whose rows are known: alignment,
// bounds of both sides, padding, and rows that overlap.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>

namespace ptoscope {

namespace {
using Wide = unsigned __int128;

std::string number(Wide value) {
  if (value > UINT64_MAX)
    return "more than 2^64";
  return std::to_string(uint64_t(value));
}

std::string plural(Wide n, const char *one) { return number(n) + " " + one + (n == 1 ? "" : "s"); }

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

void Core::planPadding(SiteId site, const PtoTransfer &operands) {
  // No text says whether and where the pad value of L1 is written.
  if (planned.dstSpace == Space::L1 && (operands.flags & PTO_TRANSFER_REGISTERS) && registers.padSetOutToL1 &&
      planned.len % kBlockBytes != 0) {
    Finding f = finding("undefined-by-manual", site,
                        "rows of " + opName(site) + " end in the middle of a 32-byte block (" +
                            std::to_string(planned.len) + " bytes) while a pad value for L1 (" +
                            hex(uint64_t(registers.padValueOutToL1)) + ") is set; nothing is filled here");
    f.help = "move whole blocks, or leave out `pto.set_pad_val_outtol1`";
    addIterations(f, site);
    report(std::move(f));
  }
  if (!planned.pad) {
    if (operands.padLeft != 0 || operands.padRight != 0 || (operands.flags & PTO_TRANSFER_PAD)) {
      Finding f =
          finding("pad-ignored", site,
                  "padding (" + std::to_string(operands.padLeft) + " left, " +
                      std::to_string(operands.padRight) + " right) of " + opName(site) + " has no effect: " +
                      (operands.flags & PTO_TRANSFER_PAD ? "only transfers from GM to UB are padded"
                                                         : "padding is not switched on"));
      f.help = "switch padding on, or set both counts to 0";
      addIterations(f, site);
      report(std::move(f));
    }
    return;
  }
  if (planned.len % planned.padWidth != 0) {
    Finding f = finding("pad-phase", site,
                        "the row length of " + opName(site) + " is " + std::to_string(planned.len) +
                            ", no multiple of the " + std::to_string(planned.padWidth) + "-byte pad value");
    f.help = "use a pad value of the element type of the row";
    addIterations(f, site);
    report(std::move(f));
  }
}

bool Core::planLocalSide(SiteId site, bool isSource) {
  Space space = isSource ? planned.srcSpace : planned.dstSpace;
  uint64_t address = isSource ? planned.src : planned.dst;
  uint64_t rowBytes = isSource ? planned.len : planned.fillEnd;
  Wide span = spanOf(planned, isSource, rowBytes);
  uint64_t size = bytesOf(space);
  std::string side = isSource ? "reads " : "writes ";
  bool fine = true;

  if (checks.memory && address % kBlockBytes != 0) {
    Finding f = finding("ub-misaligned", site,
                        opName(site) + " " + side + spaceText(space) + " at byte " + hex(address) +
                            ", which is no multiple of 32");
    f.help = "round the address to " + hex(address / kBlockBytes * kBlockBytes) + " or " +
             hex((address / kBlockBytes + 1) * kBlockBytes);
    f.bytes = ByteRange{std::string(nameOf(space)), "", address, address + rowBytes};
    addIterations(f, site);
    report(std::move(f));
    fine = false;
  }
  if (checks.memory)
    for (size_t level = 0; level < planned.dims.size(); ++level) {
      uint64_t stride = isSource ? planned.dims[level].srcStride : planned.dims[level].dstStride;
      if (stride % kBlockBytes == 0)
        continue;
      Finding f = finding("stride-misaligned", site,
                          std::string("the ") + (isSource ? "source" : "destination") + " stride of " +
                              opName(site) + " in " + spaceText(space) + " is " + std::to_string(stride) +
                              " bytes, no multiple of 32");
      f.help = "use a stride of " + std::to_string((stride / kBlockBytes + 1) * kBlockBytes) + " bytes";
      addIterations(f, site);
      report(std::move(f));
      fine = false;
    }
  if (Wide(address) + span > size) {
    Wide end = Wide(address) + span;
    Finding f = finding(space == Space::Ub ? "ub-out-of-bounds" : "local-out-of-bounds", site,
                        opName(site) + " " + side + plural(end - size, "byte") + " beyond the end of " +
                            spaceText(space) + ": it covers bytes " + hex(address) + ".." +
                            (end > UINT64_MAX ? "2^64" : hex(uint64_t(end) - 1)) + ", " + spaceText(space) +
                            " has " + std::to_string(size));
    f.help = "check the address, the row count and the stride; a padded row is filled up to its stride";
    f.bytes =
        ByteRange{std::string(nameOf(space)), "", address, end > UINT64_MAX ? UINT64_MAX : uint64_t(end)};
    reportAccess(site, std::move(f));
    fine = false;
  }
  return fine;
}

bool Core::planGmSide(SiteId site, bool isSource) {
  uint64_t address = isSource ? planned.src : planned.dst;
  Wide span = spanOf(planned, isSource, planned.len);
  Wide end = Wide(address) + span;
  if (end > UINT64_MAX) {
    Finding f = finding("transfer-operand", site,
                        opName(site) + " reaches beyond the last GM address: it starts at " + hex(address) +
                            " and spans " + plural(span, "byte"));
    f.help = "check the pointer, the strides and the counts";
    reportAccess(site, std::move(f));
    return false;
  }
  const GmObject *object = setup.gm->find(address);
  bool starts = object != nullptr;
  if (!object)
    object = setup.gm->nearest(address);
  (isSource ? planned.srcObject : planned.dstObject) = object;
  bool inside = starts && uint64_t(end) - object->base <= object->bytes;
  planned.clipped = !inside;
  std::string verb = isSource ? "reads" : "writes";

  if (!inside && checks.memory) {
    bool near = starts;
    if (object && !starts) {
      uint64_t distance =
          address < object->base ? object->base - address : address - object->base - object->bytes;
      near = distance <= std::max<uint64_t>(object->bytes, 4096);
    }
    if (!near) {
      Finding f = finding("unmapped-gm-address", site,
                          opName(site) + " " + verb + " " + plural(span, "byte") + " of GM at " +
                              hex(address) + ", where no buffer is");
      f.help = "derive GM addresses from the kernel's parameters";
      f.bytes = ByteRange{"gm", "", address, uint64_t(end)};
      addIterations(f, site);
      report(std::move(f));
      return true;
    }
    std::string size = "`" + object->name + "` (" + plural(object->bytes, "byte") + ")";
    std::string message = opName(site) + " " + verb + " ";
    if (address < object->base)
      message += plural(object->base - address, "byte") + " before the start of " + size;
    else
      message += plural(end - object->base - object->bytes, "byte") + " beyond the end of " + size +
                 ": it covers bytes " + std::to_string(address - object->base) + ".." +
                 std::to_string(uint64_t(end) - object->base - 1);
    Finding f = finding("gm-out-of-bounds", site, std::move(message));
    f.help = address < object->base
                 ? "check the offset, which is negative"
                 : "pass a buffer of at least " + std::to_string(uint64_t(end) - object->base) +
                       " bytes for `" + object->name + "`, or shorten the transfer";
    f.bytes = ByteRange{"gm", object->name, address - object->base, uint64_t(end) - object->base};
    addIterations(f, site);
    report(std::move(f));
  }
  if (!isSource && object && object->readOnly) {
    if (checks.memory) {
      Finding f = finding("gm-read-only", site,
                          opName(site) + " writes " + plural(span, "byte") + " of `" + object->name +
                              "`, which is read-only");
      f.help = "write to another buffer, or pass this one as writable";
      f.bytes = ByteRange{"gm", object->name, address - object->base, uint64_t(end) - object->base};
      addIterations(f, site);
      report(std::move(f));
    }
    return false;
  }
  return true;
}

void Core::planOverlap(SiteId site) {
  bool toGm = planned.dstSpace == Space::Gm;
  Wide span = spanOf(planned, false, planned.fillEnd);
  uint64_t spanBytes = span > UINT64_MAX ? UINT64_MAX : uint64_t(span);
  // Own bytes of a row: its data with the pad counts, without the fill.
  uint64_t own = planned.dataBegin + planned.len + planned.padRightBytes;
  if (rowsOverlap(planned, own, spanBytes)) {
    Finding f = finding(toGm ? "gm-stride-overlap" : "stride-overlap", site,
                        "rows of " + std::to_string(own) + " bytes written by " + opName(site) +
                            " overlap one another: the destination stride is " +
                            std::to_string(planned.dims.front().dstStride) + " bytes" +
                            (planned.dims.size() > 1 ? " and loops revisit bytes" : ""));
    f.help = "make each destination stride at least as large as what it steps over, here " +
             std::to_string(own) + " bytes for a row";
    addIterations(f, site);
    report(std::move(f));
    if (!toGm)
      planned.skip = true;
    return;
  }
  if (planned.pad && rowsOverlap(planned, planned.fillEnd, spanBytes)) {
    Finding f = finding("pad-overlap", site,
                        "the fill behind the rows of " + opName(site) + " (rows of " + std::to_string(own) +
                            " bytes, filled to " + std::to_string(planned.fillEnd) + ") overlaps other rows");
    f.help = "make the destination strides multiples of the filled row";
    addIterations(f, site);
    report(std::move(f));
  }
  if (planned.srcSpace == planned.dstSpace) {
    Box src{planned.src, planned.len, {}}, dst{planned.dst, planned.len, {}};
    for (const TransferDim &dim : planned.dims) {
      src.dims.push_back({dim.count, int64_t(dim.srcStride)});
      dst.dims.push_back({dim.count, int64_t(dim.dstStride)});
    }
    uint64_t common = 0;
    if (src.overlaps(dst, &common)) {
      Finding f = finding("undefined-by-manual", site,
                          opName(site) + " copies " + spaceText(planned.srcSpace) +
                              " bytes onto themselves: source and destination share byte " + hex(common) +
                              "; rows are copied in rising order here");
      f.help = "keep source and destination apart";
      addIterations(f, site);
      report(std::move(f));
    }
  }
}

} // namespace ptoscope
