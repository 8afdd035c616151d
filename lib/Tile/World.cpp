//===- World.cpp - kernels on several devices -----------------------------===//
//
// COMM-1 to COMM-6. All blocks of all devices are one group of cores on one thread: a
// core that waits for a signal lets the others run. A device is a range of blocks.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/world.hpp"

#include "Run.h"
#include "ptoscope/Machine/CommSentences.h"
#include "ptoscope/Machine/Signals.h"

#include <cstdlib>
#include <cstring>

namespace ptoscope {

/// What each window begins at, and parts of it: as far as any instruction looks.
static constexpr size_t kWindowAlignment = 4096, kPartAlignment = 512;
static constexpr size_t kWorkSpaceBytes = 4096;

struct World::Data {
  int devices = 0;
  size_t windowBytes = 0, used = 0;
  size_t lacking = 0; ///< bytes that found no room
  std::vector<uint8_t *> windows, workSpaces;
  std::vector<CommDeviceContext> contexts;

  ~Data() {
    for (uint8_t *memory : windows)
      std::free(memory);
    for (uint8_t *memory : workSpaces)
      std::free(memory);
  }
};

static uint8_t *allocate(size_t bytes) {
  size_t whole = (std::max<size_t>(bytes, 1) + kWindowAlignment - 1) / kWindowAlignment * kWindowAlignment;
  void *memory = std::aligned_alloc(kWindowAlignment, whole);
  if (memory)
    std::memset(memory, 0, whole);
  return static_cast<uint8_t *>(memory);
}

World::World(int devices, size_t windowBytes) : data(new Data) {
  data->devices = devices;
  data->windowBytes = windowBytes;
  if (devices < 1 || devices > kMaxDevices)
    return; // run() says so
  data->contexts.resize(size_t(devices));
  for (int rank = 0; rank < devices; ++rank) {
    data->windows.push_back(allocate(windowBytes));
    data->workSpaces.push_back(allocate(kWorkSpaceBytes));
  }
  for (int rank = 0; rank < devices; ++rank) {
    CommDeviceContext &context = data->contexts[size_t(rank)];
    context.workSpace = reinterpret_cast<uint64_t>(data->workSpaces[size_t(rank)]);
    context.workSpaceSize = kWorkSpaceBytes;
    context.rankId = uint32_t(rank);
    context.rankNum = uint32_t(devices);
    context.winSize = windowBytes;
    for (int other = 0; other < devices; ++other)
      context.windowsIn[other] = context.windowsOut[other] = reinterpret_cast<uint64_t>(data->windows[size_t(other)]);
  }
}

World::~World() { delete data; }
int World::size() const { return int(data->windows.size()); }
size_t World::windowBytes() const { return data->windowBytes; }
uint8_t *World::window(int rank) const { return rank < 0 || rank >= size() ? nullptr : data->windows[size_t(rank)]; }
uint8_t *const *World::table() const { return data->windows.data(); }
ContextPointer World::contextOf(int rank) const { return {&data->contexts[size_t(rank)]}; }

size_t World::take(size_t bytes) {
  size_t begin = (data->used + kPartAlignment - 1) / kPartAlignment * kPartAlignment;
  if (begin > data->windowBytes || data->windowBytes - begin < bytes) {
    data->lacking = bytes;
    return SIZE_MAX;
  }
  data->used = begin + bytes;
  return begin;
}

int detail::rankHere() { return int(deviceOf(tile::Context::here().core)); }

static Result refusal(const Fact &fact) {
  auto made = std::make_unique<Result::Data>();
  made->result.findings.add(Words().finding(kNoSite, fact));
  return Result(made.release());
}

Result World::runAll(const Options &options, int64_t blocks, const detail::WorldBuffer *buffers, size_t count,
                     detail::Cores cores) {
  if (data->windows.empty())
    return refusal(say::kWorldSize(data->devices, kMaxDevices));
  if (data->lacking)
    return refusal(say::kWorldFull(data->windowBytes, data->lacking));
  if (blocks <= 0)
    return refusal(say::kWorldBlocks(blocks));
  std::vector<std::string> names;
  std::vector<detail::BufferRef> refs;
  names.reserve(count + 3 * data->windows.size());
  auto add = [&](void *memory, size_t bytes, std::string name, bool readOnly) {
    if (!memory || !bytes)
      return;
    names.push_back(std::move(name));
    refs.push_back({memory, bytes, names.back().c_str(), readOnly});
  };
  for (size_t i = 0; i < count; ++i) {
    const detail::WorldBuffer &buffer = buffers[i];
    std::string name = buffer.ref.name ? buffer.ref.name : "argument " + std::to_string(buffer.argument);
    add(buffer.ref.pointer, buffer.ref.bytes,
        buffer.rank < 0 ? name : std::string(say::kOf(name, say::kRank(buffer.rank))), buffer.ref.readOnly);
  }
  for (size_t rank = 0; rank < data->windows.size(); ++rank) {
    add(data->windows[rank], data->windowBytes, say::kWindowOf(rank), false);
    add(data->workSpaces[rank], kWorkSpaceBytes, say::kWorkSpaceOf(rank), false);
    add(&data->contexts[rank], sizeof(CommDeviceContext), say::kContextOf(rank), true);
  }
  cores.devices = size();
  return detail::launchCores(options, blocks, refs.data(), refs.size(), cores);
}

} // namespace ptoscope
