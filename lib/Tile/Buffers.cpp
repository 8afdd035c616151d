//===- Buffers.cpp - memory that kernels may reach ------------------------===//

#include "Buffers.h"
#include "Run.h"

#include "ptoscope/Machine/TileSentences.h"

#include <algorithm>
#include <tuple>

namespace ptoscope::tile {

Buffers &Buffers::process() {
  static Buffers buffers;
  return buffers;
}

void Buffers::add(void *pointer, size_t bytes, std::string name, bool readOnly) {
  const auto begin = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  std::erase_if(freed,
                [&](const auto &old) { return old.first < begin + bytes && begin < old.first + old.second.bytes; });
  entries[begin] = {bytes, std::move(name), readOnly};
}

void Buffers::remove(void *pointer) {
  std::lock_guard lock(mutex);
  entries.erase(reinterpret_cast<uintptr_t>(pointer));
}

void Buffers::free(void *pointer) {
  constexpr size_t kMaxFreed = 1024; // a program may allocate for ever
  std::lock_guard lock(mutex);
  auto node = entries.extract(reinterpret_cast<uintptr_t>(pointer));
  if (freed.size() >= kMaxFreed)
    freed.erase(freed.begin());
  if (node)
    freed.insert(std::move(node));
}

Buffers::Entries::const_iterator Buffers::at(const Entries &entries, uintptr_t address) {
  auto next = entries.upper_bound(address);
  if (next == entries.begin() || address - std::prev(next)->first >= std::prev(next)->second.bytes)
    return entries.end();
  return std::prev(next);
}

Buffers::Found Buffers::find(const void *pointer) {
  const auto address = reinterpret_cast<uintptr_t>(pointer);
  std::lock_guard lock(mutex);
  auto found = at(entries, address);
  if (found == entries.end())
    return {};
  return {found->second.name, found->second.bytes - (address - found->first)};
}

std::string Buffers::findFreed(uintptr_t address) {
  std::lock_guard lock(mutex);
  auto found = at(freed, address);
  return found == freed.end() ? std::string() : found->second.name;
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
  gm.formerName = [](uint64_t address) { return process().findFreed(address); };
  for (Range &range : kept)
    gm.addAt(range.begin, reinterpret_cast<uint8_t *>(range.begin), range.end - range.begin, std::move(range.name),
             range.readOnly);
  return "";
}

} // namespace ptoscope::tile

namespace ptoscope {

Registration::Registration(void *pointer, size_t bytes, bool readOnly, const char *name) : pointer(pointer) {
  tile::endDirectCalls(); // a block knows the buffers of its beginning
  tile::Buffers &buffers = tile::Buffers::process();
  buffers.add(pointer, bytes, name ? name : buffers.nextName("buffer"), readOnly);
}
Registration::~Registration() {
  tile::endDirectCalls();
  tile::Buffers::process().remove(pointer);
}

} // namespace ptoscope
