//===- Program.cpp - what a C++ program calls beside instructions ---------===//
//
// Places of tiles, scalar accesses, flags and barriers.
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "HostNumbers.h"
#include "HostProfile.h"

#include "pto/common/type.hpp"
#include "pto/detail/cluster_abi.hpp"
#include "pto/detail/comm_abi.hpp"
#include "pto/detail/scalar_abi.hpp"
#include "ptoscope/Machine/ClusterSentences.h"
#include "ptoscope/Machine/ReportSentences.h"
#include "ptoscope/Support/Formats.h"
#include "ptoscope/Support/Half.h"

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>

namespace ptoscope::tile {

// --- tiles ---------------------------------------------------------------------------------

void *assign(uint8_t location, uint64_t address, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("TASSIGN", source);
  Space space = context.spaceOf(location, site.id);
  if (space == Space::None)
    return nullptr;
  uint64_t offset = address;
  // Host addresses lie above any offset: those of tiles that are placed already.
  if (address >> 32 && !context.addressOf(space, reinterpret_cast<const void *>(address), offset) &&
      !context.absentAddressOf(space, reinterpret_cast<const void *>(address), offset)) {
    context.report(site.id, say::kAssignElsewhere());
    return nullptr;
  }
  if (offset % 32 != 0)
    context.report(site.id, say::kAssignMisaligned(offset));
  return context.placeBase(space) + offset;
}

void *allocate(uint8_t location, uint64_t bytes, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("Tile", source);
  Space space = context.spaceOf(location, site.id);
  if (space == Space::None)
    return nullptr;
  uint64_t address = context.storage(space).take(bytes);
  if (address == ~uint64_t(0)) {
    const uint64_t largest = context.storage(space).largest();
    Storage *more = context.moreStorage(space);
    if (more)
      address = more->take(bytes);
    if (address == ~uint64_t(0)) {
      context.report(site.id, say::kMemoryFull(bytes, largest), /*fatal=*/true);
      return nullptr;
    }
    // Once: what follows is the same lack of room (REPORT-8).
    if (context.isFirst(kNoSite))
      context.report(site.id, say::kTilesDoNotFit(bytes, largest));
  }
  return context.placeBase(space) + address;
}

void release(uint8_t location, void *data, uint64_t bytes) {
  Context *context = Context::running();
  Space space = spaceOf(location);
  uint64_t address;
  if (!context || !data || space == Space::None ||
      !(context->addressOf(space, data, address) || context->absentAddressOf(space, data, address)))
    return;
  Storage *more = context->moreStorage(space);
  const bool beyond = more && address >= context->launch.targetBytes[size_t(space)];
  (beyond ? *more : context->storage(space)).give(address, bytes);
}

void notPlaced(const Source &source) {
  Context &context = Context::here();
  context.report(context.siteOf("data", source).id, say::kDataUnplaced(), /*fatal=*/true);
}

void openToHost(uint8_t location, void *data, uint64_t bytes) {
  Context &context = Context::here();
  Space space = spaceOf(location);
  uint64_t address;
  if (!data || space == Space::None || !context.addressOf(space, data, address))
    return;
  ptoscope::openToHost(context.core, space, address, bytes);
  context.leave(0);
}

/// False: the tile has no place in this core, and that was reported.
static bool scalarAddress(Context &context, const Context::SiteEntry &site, uint8_t location, const void *data,
                          Space &space, uint64_t &address) {
  space = spaceOf(location);
  if (space != Space::None && !ownsMemory(context.core, space)) {
    context.report(site.id, say::kScalarOfOtherCore(say::coreText(context.kind), say::otherCoreText(context.kind)),
                   /*fatal=*/true);
    return false;
  }
  if (data && space != Space::None && context.addressOf(space, data, address))
    return true;
  context.report(site.id, say::kScalarUnplaced());
  return false;
}

uint64_t loadScalar(uint8_t location, const void *data, uint32_t bytes, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("GetValue", source);
  Space space;
  uint64_t address = 0, result = 0;
  if (scalarAddress(context, site, location, data, space, address))
    context.leave(ptosc_load_scalar(context.core, site.id, uint32_t(space), address, bytes, 0, &result));
  return result;
}

void storeScalar(uint8_t location, void *data, uint32_t bytes, uint64_t value, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("SetValue", source);
  Space space;
  uint64_t address = 0;
  if (scalarAddress(context, site, location, data, space, address))
    context.leave(ptosc_store_scalar(context.core, site.id, uint32_t(space), address, bytes, 0, value));
}

void *viewOf(const TileView &tile, int64_t row, int64_t col, int64_t rows, int64_t cols, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("TSUBVIEW", source);
  if (!tile.data) {
    context.report(site.id, say::kUnplaced());
    return nullptr;
  }
  const auto fits = [](int64_t begin, int64_t n, int64_t end) { return begin >= 0 && n <= end && begin <= end - n; };
  if (!fits(row, rows, tile.ref.rows) || !fits(col, cols, tile.ref.cols)) {
    context.report(site.id,
                   say::kSubview(say::kShape(rows, cols), row, col, say::kShape(tile.ref.rows, tile.ref.cols)));
    return nullptr;
  }
  const int64_t bits = tileMap(tile.ref).offset(row, col) * int64_t(bitsOf(tile.ref.elem));
  if (bits % 8 != 0) {
    context.report(site.id, say::kSubviewByte(col));
    return nullptr;
  }
  return tile.data + bits / 8;
}

void badExtent(const char *which, int64_t value, int64_t capacity, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("Tile", source);
  context.report(site.id, say::kTileExtent(value, which, capacity));
}

// --- synchronisation -------------------------------------------------------------------------

static bool isPipe(uint32_t pipe) { return pipe <= uint32_t(Pipe::MTE3) || pipe == uint32_t(Pipe::FIX); }

/// False: this kind of core does not have the pipe, and that was reported.
static bool coreHas(Context &context, const Context::SiteEntry &site, uint32_t pipe) {
  if (context.kind == CoreKind::Unified || hasPipe(context.core, Pipe(pipe)))
    return true;
  const CoreKind kind = context.kind;
  context.report(site.id,
                 say::kPipeNamed(Pipe(pipe), say::coreText(kind), say::otherCoreText(kind), say::otherMacro(kind)),
                 /*fatal=*/true);
  return false;
}

/// False: no core has such a flag, and that was reported.
static bool flagExists(Context &context, const Context::SiteEntry &site, uint32_t src, uint32_t dst) {
  if (isPipe(src) && isPipe(dst) && src != dst)
    return coreHas(context, site, src) && coreHas(context, site, dst);
  const auto &missing = src == dst ? say::kFlagToItself : say::kNoSuchFlag;
  context.report(site.id, missing(pipeText(src), pipeText(dst)), /*fatal=*/!isHostProgram());
  return false;
}

/// REPORT-1: without such a flag a host program goes on, as if the line were not there.
static bool idExists(Context &context, const Context::SiteEntry &site, int64_t id) {
  if (!isHostProgram() || (id >= 0 && id < kEventIds)) [[likely]]
    return true;
  context.report(site.id, say::kEventIdRange(id));
  return false;
}

void setFlag(uint32_t src, uint32_t dst, int64_t id, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("set_flag", source);
  if (flagExists(context, site, src, dst) && idExists(context, site, id))
    context.leave(ptosc_set_flag(context.core, site.id, src, dst, id));
}

void waitFlag(uint32_t src, uint32_t dst, int64_t id, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("wait_flag", source);
  if (flagExists(context, site, src, dst) && idExists(context, site, id))
    context.leave(ptosc_wait_flag(context.core, site.id, src, dst, id));
}

void barrier(uint32_t pipe, const Source &source) {
  Context &context = Context::here();
  Context::SiteEntry &site = context.siteOf("pipe_barrier", source);
  if (!isPipe(pipe) && pipe != uint32_t(Pipe::All))
    return context.report(site.id, say::kNoSuchPipe(pipe), /*fatal=*/true);
  if (pipe == uint32_t(Pipe::All) || coreHas(context, site, pipe))
    context.leave(ptosc_barrier(context.core, site.id, pipe));
}

void memoryBarrier(uint32_t memory, const Source &source) {
  Context *context = Context::running();
  if (!context)
    return;
  const Domain domain = memory == 1 ? Domain::Gm : memory == 2 ? Domain::Ub : Domain::All;
  context->leave(ptosc_memory_barrier(context->core, context->siteOf("dsb", source).id, uint32_t(domain)));
}

static std::atomic<bool> programHasSyncAll = false;

bool noteSyncAll() {
  programHasSyncAll = true;
  return true;
}
bool hasSyncAll() { return programHasSyncAll; }

static std::atomic<bool> programHasSignals = false;

bool noteSignals() {
  programHasSignals = true;
  return true;
}
bool hasSignals() { return programHasSignals; }

// What headers of an earlier version call.
void syncAll(uint32_t cores, int64_t, const Source &source) { syncAllHard(cores, source); }

void waitForEach(const Waiting &e0, const Waiting &e1, const Waiting &e2, const Waiting &e3, const Waiting &e4,
                 const Waiting &e5, const Waiting &e6, const Waiting &e7, const void *at) {
  for (const Waiting *one : {&e0, &e1, &e2, &e3, &e4, &e5, &e6, &e7})
    if (one->event)
      one->wait(one->event, at);
}
int64_t nextToken(uint32_t src, uint32_t dst) { return Context::here().nextToken(src, dst); }

int64_t blockIndex() { return Context::here().core->blockIdx; }
int64_t blockCount() { return Context::here().core->blockNum; }
int64_t subblockIndex() { return Context::here().core->subblockIdx; }
// A cube core cannot learn how many vector cores its cluster has (MIX-16).
int64_t subblockCount() {
  const Context &context = Context::here();
  return context.kind == CoreKind::AIC ? 1 : context.core->subblockNum;
}
uint64_t taskCookie() { return Context::here().cookie; }

// --- the rest ----------------------------------------------------------------------------------

void failAssert(const char *condition, const char *message, const char *file, int line) {
  std::fprintf(stderr, "%s:%d: assertion `%s` failed%s%s\n", file, line, condition, *message ? ": " : "", message);
  std::abort();
}

uint8_t narrowFloat(Elem elem, float value) {
  switch (elem) {
  case Elem::e4m3:
    return uint8_t(convertFloat(kF8E4M3FN, value, Rounding::Even, true));
  case Elem::e5m2:
    return uint8_t(convertFloat(kF8E5M2, value, Rounding::Even, true));
  case Elem::hif8:
    return encodeHif8(value, true);
  case Elem::e2m1x2:
    return uint8_t(convertFloat(kF4E2M1, value, Rounding::Even, true));
  case Elem::e1m2x2:
    return uint8_t(convertFloat(kF4E1M2, value, Rounding::Even, true));
  default: // e8m0: the power of two below
    return uint8_t(std::bit_cast<uint32_t>(value) >> 23);
  }
}

uint8_t narrowHif8(double value) { return nearestHif8(value); }

float widenFloat(Elem elem, uint8_t bits) {
  switch (elem) {
  case Elem::e4m3:
    return float(decodeFloat(kF8E4M3FN, bits));
  case Elem::e5m2:
    return float(decodeFloat(kF8E5M2, bits));
  case Elem::hif8:
    return float(decodeHif8(bits));
  case Elem::e2m1x2:
    return float(decodeFloat(kF4E2M1, bits));
  case Elem::e1m2x2:
    return float(decodeFloat(kF4E1M2, bits));
  default:
    return float(decodeE8M0(bits));
  }
}

} // namespace ptoscope::tile
