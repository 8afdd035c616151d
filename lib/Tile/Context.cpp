//===- Context.cpp - a core that runs a C++ program -----------------------===//

#include "Context.h"

#include "ptoscope/Machine/ReportSentences.h"

#include <algorithm>
#include <utility>

namespace ptoscope::tile {

SiteId Places::find(const void *what, const char *name, Timing timing, const Source &source) {
  std::lock_guard lock(mutex);
  auto [it, isNew] = ids.try_emplace({source.file, source.line, source.column, what});
  if (isNew) {
    Site site;
    site.place = {source.file, source.line, source.column};
    site.op = name;
    site.timing = timing;
    site.depth = 1;
    it->second = table.add(std::move(site));
  }
  return it->second;
}

// --- storage in auto mode ----------------------------------------------------------------

void Storage::reset(uint32_t begin, uint32_t bytes) {
  free.clear();
  if (bytes)
    free[begin] = bytes;
}

uint64_t Storage::take(uint64_t bytes) {
  bytes = (bytes + 31) / 32 * 32;
  for (auto it = free.begin(); it != free.end(); ++it) {
    auto [address, room] = *it;
    if (room < bytes)
      continue;
    free.erase(it);
    if (room > bytes)
      free[address + bytes] = room - bytes;
    return address;
  }
  return ~uint64_t(0);
}

void Storage::give(uint64_t address, uint64_t bytes) {
  bytes = (bytes + 31) / 32 * 32;
  auto it = free.emplace(address, bytes).first;
  if (auto next = std::next(it); next != free.end() && next->first == address + it->second) {
    it->second += next->second;
    free.erase(next);
  }
  if (it != free.begin())
    if (auto before = std::prev(it); before->first + before->second == address) {
      before->second += it->second;
      free.erase(it);
    }
}

void Storage::reserve(uint64_t address, uint64_t bytes) {
  const uint64_t end = (address + bytes + 31) / 32 * 32;
  address = address / 32 * 32;
  for (auto it = free.begin(); it != free.end();) {
    const auto [begin, room] = *it;
    if (begin + room <= address || end <= begin) {
      ++it;
      continue;
    }
    it = free.erase(it);
    if (begin < address)
      free[begin] = address - begin;
    if (end < begin + room)
      free[end] = begin + room - end;
  }
}

uint64_t Storage::largest() const {
  uint64_t most = 0;
  for (auto [address, room] : free)
    most = std::max(most, room);
  return most;
}

// --- contexts ------------------------------------------------------------------------------

static thread_local Context *current = nullptr;

Context *Context::exchange(Context *context) { return std::exchange(current, context); }

Context *Context::running() { return current; }

Context &Context::here() {
  if (!current) [[unlikely]]
    current = &immediateContext();
  return *current;
}

Context::Context(PtoContext *core, LaunchState &launch)
    : Issuer(core), launch(launch), cookie(launch.cookie), cache(kCacheEntries) {
  fullFill = launch.fullFill;
  memory = launch.memory;
  if (launch.isWidened)
    targetBytes = launch.targetBytes.data();
}

Context::SiteEntry &Context::siteOf(const void *what, const char *name, Timing timing, const Source &source) {
  size_t hash = (reinterpret_cast<uintptr_t>(what) >> 4) + source.line * 31 + source.column * 7;
  SiteEntry &entry = cache[hash % kCacheEntries];
  if (entry.what != what || entry.source.line != source.line || entry.source.column != source.column ||
      entry.source.file != source.file) [[unlikely]]
    entry = {{launch.places.find(what, name, timing, source)}, what, source};
  if (launch.counts) {
    if (entry.id >= executions.size())
      executions.resize(entry.id + 64);
    core->suIterations[0] = executions[entry.id]++;
  }
  return entry;
}

void Context::issue(Call &call) {
  const Record &record = *call.record;
  SiteEntry &site = siteOf(&record, record.name, record.timing, call.source);
  call.meaning = site.meaning;
  if (storesAdd) [[unlikely]]
    makeStoreAdd(call, site.id);
  if (!place(call, site.id))
    return;
  if (goesToVectors(call)) [[unlikely]]
    return leave(issueToVectors(call, site, site, 0));
  leave(Issuer::issue(call, site));
}

bool Context::place(Call &call, SiteId site) {
  Operands &ops = call.operands;
  for (size_t i = 0; i < ops.tiles; ++i) {
    TileView &tile = ops.tile[i];
    Space space = spaceOf(tile.ref.location, site);
    uint64_t address = 0;
    if (space == Space::None)
      return false;
    if (!tile.data || !addressOf(space, tile.data, address)) [[unlikely]] {
      if (tile.data && absentAddressOf(space, tile.data, address))
        return reportAbsent(call, i, site);
      // The result does not need it (REPORT-2).
      if (isScratch(call, i)) {
        report(site, say::kScratchUnplaced(nameOf(call, i)));
        leaveOut(tile.ref);
        continue;
      }
      report(site, (tile.data ? say::kTileElsewhere : say::kTileUnplaced)(nameOf(call, i)));
      return false;
    }
    tile.ref.address = uint32_t(address);
  }
  return true;
}

Call::Call(const Record &record, const Source &source, Rules rules, bool automatic)
    : record(&record), source(source), automatic(automatic) {
  operands.rules = rules;
}
void issue(Call &call) { Context::here().issue(call); }

void Context::leave(int32_t status) {
  current = this;
  if (status) [[unlikely]]
    stop();
}

void Context::stop() {
  // A destructor that runs because the kernel is being left may issue again.
  if (std::uncaught_exceptions() == 0)
    throw Stopped{};
}

void Context::report(SiteId site, const Fact &fact, bool fatal) { leave(reportAt(core, site, fact, fatal)); }

void Context::refuse(uint8_t location, SiteId site) { report(site, say::kTileType(location), /*fatal=*/true); }

Storage &Context::storage(Space space) {
  auto [it, isNew] = storages.try_emplace(space);
  if (isNew)
    it->second.reset(0, targetBytes ? targetBytes[size_t(space)] : localBytes(core, space));
  return it->second;
}

Storage *Context::moreStorage(Space space) {
  if (!launch.takesMore)
    return nullptr;
  auto [it, isNew] = more.try_emplace(space);
  if (const uint32_t begin = targetBytes[size_t(space)]; isNew)
    it->second.reset(begin, localBytes(core, space) - begin);
  return &it->second;
}

} // namespace ptoscope::tile
