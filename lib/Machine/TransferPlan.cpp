//===- TransferPlan.cpp - operands of a transfer, checked and resolved ----===//
//
// Runs when a transfer is issued: reads the legacy registers, shapes the rows
// (isa/02 sections 3 to 6) and applies the checks of section 9. With the memory
// check off only what cannot be executed at all is reported. Every size is
// bounded here, so that running a plan takes time in proportion to real bytes.
//
//===----------------------------------------------------------------------===//

#include "Core.h"

#include <algorithm>

namespace ptoscope {

namespace {
using Wide = unsigned __int128;

/// More rows or bytes than this is a mistake in the operands, not a transfer:
/// all on-chip memories together hold a few MiB.
constexpr uint64_t kMaxRows = uint64_t(1) << 28;
constexpr uint64_t kMaxBytes = uint64_t(1) << 34;
/// No operand is larger, whatever its field; keeps products inside 128 bits.
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
  int64_t limit;      ///< of the encoding
  int64_t documented; ///< of the documents
};

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

std::string levelText(size_t level) { return level == 0 ? "row" : "loop " + std::to_string(level); }
} // namespace

bool Core::plainRows(const PtoTransfer &operands, PlainRows &rows) {
  bool fromGm = Space(operands.srcSpace) == Space::Gm;
  uint32_t space = fromGm ? operands.dstSpace : operands.srcSpace;
  if (fromGm == (Space(operands.dstSpace) == Space::Gm) || space >= kSpaceSlots || !local[space] ||
      kind != CoreKind::AIV || operands.flags != 0 || operands.loopCount != 0 ||
      (operands.padLeft | operands.padRight) != 0 || (!fromGm && (registers.ctrl & kAtomicField)))
    return false;
  // Negative values are large ones here; products of what passes stay below 2^57.
  uint64_t len = uint64_t(operands.len), count = uint64_t(operands.count);
  if (len - 1 >= uint64_t(kWidth16) || count - 1 >= uint64_t(kWidth16))
    return false;
  uint64_t gmStride = 0, localStride = 0;
  if (count > 1) {
    gmStride = uint64_t(fromGm ? operands.srcStride : operands.dstStride);
    localStride = uint64_t(fromGm ? operands.dstStride : operands.srcStride);
    if (gmStride > uint64_t(kWidth40) || localStride > uint64_t(kWidth21) ||
        (fromGm ? localStride : gmStride) < len)
      return false;
  }
  uint64_t at = fromGm ? operands.dst : operands.src, address = fromGm ? operands.src : operands.dst;
  uint64_t size = bytesOf(Space(space));
  if (at > size || (count - 1) * localStride + len > size - at ||
      (checks.memory && (at | localStride) % kBlockBytes != 0))
    return false;
  LastObject &gm = lastObject[fromGm];
  if (address - gm.base >= gm.bytes) {
    const GmObject *object = setup.gm->find(address);
    if (!object)
      return false;
    gm = {object->base, object->bytes, object->host, object, object->readOnly};
  }
  uint64_t offset = address - gm.base;
  if ((count - 1) * gmStride + len > gm.bytes - offset || (!fromGm && gm.readOnly))
    return false;
  if (Space(space) == Space::Ub)
    (fromGm ? registers.outToUb : registers.ubToOut).staleSize = true;
  uint8_t *there = gm.host + offset, *here = local[space] + at;
  rows = {gm.object, fromGm ? here : there,           fromGm ? there : here,           len,
          count,     fromGm ? localStride : gmStride, fromGm ? gmStride : localStride, fromGm};
  return true;
}

void Core::planRows(const PtoTransfer &operands, const PlainRows &rows) {
  planned.skip = planned.pad = planned.clipped = false;
  planned.atomicType = AtomicType::Off;
  planned.srcSpace = Space(operands.srcSpace);
  planned.dstSpace = Space(operands.dstSpace);
  planned.src = operands.src;
  planned.dst = operands.dst;
  planned.srcObject = planned.srcSpace == Space::Gm ? rows.object : nullptr;
  planned.dstObject = planned.dstSpace == Space::Gm ? rows.object : nullptr;
  planned.dstMemory = local[operands.dstSpace];
  planned.dstCore = id;
  planned.len = planned.fillEnd = rows.len;
  planned.dataBegin = planned.padRightBytes = 0;
  planned.dims.clear();
  if (rows.count > 1)
    planned.dims.push_back({rows.count, rows.fromStride, rows.toStride});
  mergeRows();
}

int32_t Core::plan(SiteId site, const PtoTransfer &operands) {
  planned.skip = planned.pad = planned.clipped = false;
  planned.atomicType = AtomicType::Off;
  planned.srcObject = planned.dstObject = nullptr;
  planned.dims.clear();
  auto usable = [&](uint32_t space) {
    return space == uint32_t(Space::Gm) || (space < kSpaceSlots && local[space]);
  };
  if (!usable(operands.srcSpace) || !usable(operands.dstSpace) ||
      (Space(operands.srcSpace) == Space::Gm && Space(operands.dstSpace) == Space::Gm))
    return internalError(site, "a transfer from space " + std::to_string(operands.srcSpace) + " to space " +
                                   std::to_string(operands.dstSpace) + " does not exist");
  planned.srcSpace = Space(operands.srcSpace);
  planned.dstSpace = Space(operands.dstSpace);
  planned.src = operands.src;
  planned.dst = operands.dst;
  if (!planTarget(site, operands))
    return 1;

  if (!planOperands(site, operands) || planned.skip) {
    planned.skip = true;
    return stopped;
  }
  for (bool isSource : {true, false}) {
    Space space = isSource ? planned.srcSpace : planned.dstSpace;
    bool fine = space == Space::Gm ? planGmSide(site, isSource) : planLocalSide(site, isSource);
    planned.skip = planned.skip || !fine;
    if (stopped)
      return 1;
  }
  if (checks.memory && !planned.skip)
    planOverlap(site);
  if (!stopped)
    mergeRows();
  return stopped;
}

/// Which memory is written: a cube core of a cluster writes the UB of one of
/// the vector cores (isa/02 section 7.2). False: stop.
bool Core::planTarget(SiteId site, const PtoTransfer &operands) {
  planned.dstMemory = memory(planned.dstSpace);
  planned.dstCore = id;
  if (kind != CoreKind::AIC || planned.dstSpace != Space::Ub)
    return true;
  int64_t subblock = operands.flags & PTO_TRANSFER_SUBBLOCK ? operands.dstSubblock : 0;
  planned.dstCore = CoreId{uint8_t(1 + (subblock == 1))};
  if (subblock != 0 && subblock != 1) {
    Finding f = finding("transfer-operand", site,
                        "the subblock of " + opName(site) + " is " + std::to_string(subblock) +
                            "; a cluster has the vector cores 0 and 1");
    f.help = "name subblock 0 or 1";
    addIterations(f, site);
    fatal(std::move(f));
    return false;
  }
  if (const Core *owner = setup.cluster->cores[planned.dstCore.index])
    planned.dstMemory = owner->memory(Space::Ub);
  return true;
}

/// The loop registers of the planned transfer's direction; null: it has none.
LoopRegisters *Core::loopRegisters() {
  if (planned.srcSpace == Space::Gm)
    return planned.dstSpace == Space::Ub ? &registers.outToUb : &registers.outToL1;
  return planned.dstSpace == Space::Gm ? &registers.ubToOut : nullptr;
}

/// False: the transfer cannot be executed (a finding says why).
bool Core::planOperands(SiteId site, const PtoTransfer &operands) {
  bool fromGm = planned.srcSpace == Space::Gm, toGm = planned.dstSpace == Space::Gm;
  bool blocks = operands.flags & PTO_TRANSFER_BLOCKS;
  bool legacy = operands.flags & PTO_TRANSFER_REGISTERS;
  LoopRegisters *loops = loopRegisters();
  bool wantsPad = operands.flags & PTO_TRANSFER_PAD;
  planned.pad = wantsPad && fromGm && planned.dstSpace == Space::Ub;

  planLoops.clear();
  planLoops.push_back({operands.count, operands.srcStride, operands.dstStride});
  if (legacy && loops) {
    planLoops.push_back({loops->count1, loops->src1, loops->dst1});
    planLoops.push_back({loops->count2, loops->src2, loops->dst2});
  } else if (!legacy) {
    planLoops.insert(planLoops.end(), operands.loops, operands.loops + operands.loopCount);
  }
  // Copies in blocks have 16 bits for each operand; their loops, if any, count bytes.
  int64_t lenLimit = blocks ? kWidth16 : kWidth21;
  auto srcLimit = [&](size_t level) {
    return blocks && level == 0 ? kWidth16 : fromGm ? kWidth40 : kWidth21;
  };
  auto dstLimit = [&](size_t level) { return blocks && level == 0 ? kWidth16 : toGm ? kWidth40 : kWidth21; };
  auto outside = [](int64_t value, int64_t low, int64_t high) { return value < low || value > high; };
  // Nearly every transfer is ordinary; only others are looked at one by one.
  bool hints =
      checks.memory && (operands.flags & PTO_TRANSFER_HINTS) &&
      (outside(operands.sid, 0, kHint) || outside(operands.l2, 0, kDocumentedHint) || operands.reserved != 0);
  bool unusual = hints || outside(operands.len, 1, kWidth16);
  for (size_t level = 0; level < planLoops.size(); ++level) {
    const PtoLoop &dim = planLoops[level];
    unusual = unusual || outside(dim.count, 1, kWidth16) ||
              (dim.count > 1 &&
               (outside(dim.srcStride, 0, srcLimit(level)) || outside(dim.dstStride, 0, dstLimit(level))));
  }
  if (planned.pad)
    unusual = unusual || outside(operands.padLeft, 0, kPadCount) ||
              outside(operands.padRight, 0, kPadCount) || outside(operands.dstStride, 0, dstLimit(0));

  // Every operand with its field.
  std::vector<Operand> values;
  bool empty = false;
  if (unusual) {
    values.push_back({"the row length", operands.len, lenLimit, kWidth16});
    empty = operands.len == 0;
    for (size_t level = 0; level < planLoops.size(); ++level) {
      const PtoLoop &dim = planLoops[level];
      std::string where = levelText(level);
      int64_t countLimit = blocks && level == 0 ? kWidth16 : kWidth21;
      std::string step = blocks && level == 0 ? " gap of the " : " stride of the ";
      values.push_back(
          {"the " + where + " count", dim.count, countLimit, level == 0 ? kWidth16 : countLimit});
      empty = empty || dim.count == 0;
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
      values.push_back({"the stream id", operands.sid, kHint, kHint});
      values.push_back({"the cache hint", operands.l2, kHint, kDocumentedHint});
    }
  }

  for (const Operand &operand : values) {
    bool absurd = operand.value < 0 || operand.value > kMaxOperand;
    bool tooWide = operand.value > operand.limit;
    if (!absurd && !(tooWide && checks.memory))
      continue;
    Finding f = finding(
        "transfer-operand", site,
        operand.name + " of " + opName(site) + " is " + std::to_string(operand.value) +
            (operand.value < 0 ? ", a negative number"
                               : ", more than the " + std::to_string(operand.limit) + " its field can hold"));
    f.help = operand.value < 0 ? "clamp the value at 0, or skip the transfer when nothing is left to move"
                               : "split the transfer, or check how the value is computed";
    reportAccess(site, std::move(f));
    return false;
  }
  if (legacy && loops && checks.memory && loops->staleSize && (loops->count1 != 1 || loops->count2 != 1)) {
    Finding f = finding("stale-loop-size", site,
                        opName(site) + " repeats " + std::to_string(loops->count1) + " x " +
                            std::to_string(loops->count2) +
                            " times by a loop size set before a grouped transfer of the same direction");
    f.help = std::string("set the loop size again with `pto.set_loop_size_") +
             (!fromGm                         ? "ubtoout"
              : planned.dstSpace == Space::Ub ? "outtoub"
                                              : "outtol1") +
             "` directly before this transfer";
    addIterations(f, site);
    report(std::move(f));
  }
  if (!legacy && loops)
    loops->staleSize = true;
  if (empty) {
    if (checks.memory) {
      const Operand *zero = nullptr;
      for (const Operand &operand : values)
        if (operand.value == 0 && (operand.name.ends_with(" length") || operand.name.ends_with("row count") ||
                                   operand.name.starts_with("the loop"))) {
          zero = &operand;
          break;
        }
      Finding f = finding("transfer-empty", site,
                          opName(site) + " moves nothing: " + (zero ? zero->name : "a count") + " is 0");
      f.help = "skip the transfer, or check the operand";
      addIterations(f, site);
      report(std::move(f));
    }
    planned.skip = true;
    return true;
  }
  if (checks.memory)
    for (const Operand &operand : values)
      if (operand.value > operand.documented) {
        Finding f = finding("transfer-width", site,
                            operand.name + " of " + opName(site) + " is " + std::to_string(operand.value) +
                                "; the manual documents at most " + std::to_string(operand.documented));
        f.help = operand.documented == kWidth16 ? "move the data as several rows or several transfers"
                                                : "use a documented value";
        addIterations(f, site);
        report(std::move(f));
      }

  if (hints && operands.reserved != 0) {
    Finding f = finding("undefined-by-manual", site,
                        "the reserved operand of " + opName(site) + " is " +
                            std::to_string(operands.reserved) + ", not 0; it is ignored");
    f.help = "pass 0";
    addIterations(f, site);
    report(std::move(f));
  }
  if (blocks) {
    // In range, so that neither product overflows.
    PtoLoop &rows = planLoops.front();
    if (rows.count > 1) {
      rows.srcStride = (operands.len + rows.srcStride) * kBlockBytes;
      rows.dstStride = (operands.len + rows.dstStride) * kBlockBytes;
    }
  }
  planned.len = uint64_t(operands.len) * (blocks ? kBlockBytes : 1);
  planned.dataBegin = planned.padRightBytes = 0;
  planned.fillEnd = planned.len;
  if (planned.pad) {
    uint64_t element = std::max<uint32_t>(operands.elementBytes, 1);
    planned.padWidth = legacy ? uint32_t(registers.padWidth) : operands.padWidth;
    planned.padValue = legacy ? uint64_t(registers.padValue) : operands.padValue;
    if (planned.padWidth != 1 && planned.padWidth != 2 && planned.padWidth != 4) {
      internalError(site, "a pad value of " + std::to_string(planned.padWidth) + " bytes");
      return false;
    }
    planned.dataBegin = uint64_t(operands.padLeft) * element;
    planned.padRightBytes = uint64_t(operands.padRight) * element;
    uint64_t end = planned.dataBegin + planned.len + planned.padRightBytes;
    planned.fillEnd =
        std::max((end + kBlockBytes - 1) / kBlockBytes * kBlockBytes, uint64_t(operands.dstStride));
  }
  for (const PtoLoop &dim : planLoops)
    if (dim.count > 1)
      planned.dims.push_back({uint64_t(dim.count), uint64_t(dim.srcStride), uint64_t(dim.dstStride)});

  Wide rows = 1;
  bool tooMany = false;
  for (const TransferDim &dim : planned.dims) {
    rows *= dim.count;
    tooMany = tooMany || rows > kMaxRows;
    if (tooMany)
      break;
  }
  if (tooMany || rows * planned.fillEnd > kMaxBytes) {
    Finding f = finding("transfer-operand", site,
                        opName(site) + " asks for " +
                            (tooMany ? "more than " + std::to_string(kMaxRows) + " rows"
                                     : number(rows * planned.fillEnd) + " bytes") +
                            ", more than any memory of the device can take");
    f.help = "check the row count, the loop counts and the row length";
    reportAccess(site, std::move(f));
    return false;
  }
  if (checks.memory)
    planPadding(site, operands);

  // Atomic stores: what CTRL says when the transfer is issued.
  unsigned type = unsigned(registers.ctrl >> 6) & 7, op = unsigned(registers.ctrl >> 9) & 3;
  if (toGm && type != 0) {
    if (type > unsigned(AtomicType::BF16) || op > unsigned(AtomicOp::Min)) {
      Finding f =
          finding("transfer-operand", site,
                  "CTRL selects atomic type " + std::to_string(type) + " and operation " +
                      std::to_string(op) + " for " + opName(site) + "; types go to 6, operations to 2");
      f.help = "write bits 6 to 10 of CTRL with a defined type and operation";
      addIterations(f, site);
      fatal(std::move(f));
      return false;
    }
    planned.atomicType = AtomicType(type);
    planned.atomicOp = AtomicOp(op);
    uint32_t element = ptoscope::bytesOf(planned.atomicType);
    if (planned.len % element != 0 && checks.memory) {
      Finding f =
          finding("transfer-operand", site,
                  "the row length of " + opName(site) + " is " + std::to_string(planned.len) +
                      ", no multiple of the " + std::to_string(element) + "-byte atomic element in CTRL");
      f.help = "move whole elements, or switch the atomic mode off";
      addIterations(f, site);
      report(std::move(f));
      return false;
    }
  }
  return true;
}

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

/// Joins what is contiguous on both sides. Copies inside one memory keep their
/// rows, whose order matters when they overlap; random schedules keep them to
/// interleave them.
void Core::mergeRows() {
  if (planned.pad || planned.skip || planned.srcSpace == planned.dstSpace || schedule == ScheduleKind::Random)
    return;
  auto &dims = planned.dims;
  while (!dims.empty() && dims.front().srcStride == planned.len && dims.front().dstStride == planned.len) {
    planned.len *= dims.front().count;
    dims.erase(dims.begin());
  }
  planned.fillEnd = planned.len;
}

} // namespace ptoscope
