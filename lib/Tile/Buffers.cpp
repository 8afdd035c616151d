//===- Buffers.cpp - memory that kernels may reach ------------------------===//

#include "Buffers.h"

#include "ptoscope/Machine/TileSentences.h"

#include <algorithm>
#include <tuple>

namespace ptoscope::tile {

Buffers &Buffers::process() {
  static Buffers buffers;
  return buffers;
}

void Buffers::add(void *pointer, size_t bytes, std::string name, bool readOnly) {
  std::lock_guard lock(mutex);
  entries[reinterpret_cast<uintptr_t>(pointer)] = {bytes, std::move(name), readOnly};
}

void Buffers::remove(void *pointer) {
  std::lock_guard lock(mutex);
  entries.erase(reinterpret_cast<uintptr_t>(pointer));
}

Buffers::Found Buffers::find(const void *pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  auto next = entries.upper_bound(address);
  if (next == entries.begin())
    return {};
  const auto &[begin, entry] = *std::prev(next);
  if (address - begin >= entry.bytes)
    return {};
  return {entry.name, entry.bytes - (address - begin)};
}

std::string Buffers::nextName(const char *kind) {
  std::lock_guard lock(mutex);
  return std::string(kind) + " " + std::to_string(named++);
}

std::string Buffers::table(std::span<const detail::BufferRef> more, GmTable &gm) {
  struct Range {
    uintptr_t begin, end;
    std::string name;
    bool readOnly;
  };
  std::vector<Range> ranges;
  {
    std::lock_guard lock(mutex);
    for (const auto &[address, entry] : entries)
      ranges.push_back({address, address + entry.bytes, entry.name, entry.readOnly});
  }
  for (size_t i = 0; i < more.size(); ++i) {
    const detail::BufferRef &buffer = more[i];
    auto begin = reinterpret_cast<uintptr_t>(buffer.pointer);
    if (buffer.pointer && buffer.bytes)
      ranges.push_back(
          {begin, begin + buffer.bytes, buffer.name ? buffer.name : "argument " + std::to_string(i), buffer.readOnly});
  }
  // The larger of two comes first and takes the other in.
  std::sort(ranges.begin(), ranges.end(), [](const Range &a, const Range &b) {
    return std::tie(a.begin, b.end, a.name) < std::tie(b.begin, a.end, b.name);
  });
  std::vector<Range> kept;
  for (Range &range : ranges) {
    if (kept.empty() || range.begin >= kept.back().end) {
      kept.push_back(std::move(range));
      continue;
    }
    Range &outer = kept.back();
    if (range.end > outer.end)
      return say::kBuffersOverlap(outer.name, range.name);
    outer.readOnly = outer.readOnly && range.readOnly;
  }
  for (Range &range : kept)
    gm.addAt(range.begin, reinterpret_cast<uint8_t *>(range.begin), range.end - range.begin, std::move(range.name),
             range.readOnly);
  return "";
}

} // namespace ptoscope::tile

namespace ptoscope {

Registration::Registration(void *pointer, size_t bytes, bool readOnly, const char *name) : pointer(pointer) {
  finishDirectCalls(); // a block knows the buffers of its beginning
  tile::Buffers &buffers = tile::Buffers::process();
  buffers.add(pointer, bytes, name ? name : buffers.nextName("buffer"), readOnly);
}
Registration::~Registration() {
  finishDirectCalls();
  tile::Buffers::process().remove(pointer);
}

} // namespace ptoscope
