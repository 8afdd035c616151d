//===- EntryStream.cpp - what a core issued, in order ---------------------===//

#include "EntryStream.h"

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <unistd.h>

namespace ptoscope::timing {

SpillFile::~SpillFile() {
  if (int open = file.load(); open >= 0)
    ::close(open);
}

bool SpillFile::open() {
  if (file.load() >= 0)
    return true;
  if (refused.load())
    return false;
  const char *folder = std::getenv("TMPDIR");
  std::string name = std::string(folder && *folder ? folder : "/tmp") + "/ptoscope-XXXXXX";
  int made = ::mkstemp(name.data());
  if (made < 0) {
    refused = true;
    return false;
  }
  ::unlink(name.c_str());
  int none = -1;
  if (!file.compare_exchange_strong(none, made))
    ::close(made);
  return true;
}

int64_t SpillFile::append(const void *data, size_t bytes) {
  if (!open())
    return -1;
  uint64_t at = end.fetch_add(bytes);
  // A full disk: what is in memory stays there, and no more is tried.
  for (size_t done = 0; done < bytes;) {
    ssize_t part = ::pwrite(file, static_cast<const char *>(data) + done, bytes - done, off_t(at + done));
    if (part <= 0) {
      refused = true;
      return -1;
    }
    done += size_t(part);
  }
  return int64_t(at);
}

void SpillFile::write(int64_t at, const void *data, size_t bytes) const {
  // The place exists: only a broken host refuses this.
  if (::pwrite(file, data, bytes, at) != ssize_t(bytes))
    std::abort();
}

void SpillFile::read(int64_t at, void *data, size_t bytes) const {
  for (size_t done = 0; done < bytes;) {
    ssize_t part = ::pread(file, static_cast<char *>(data) + done, bytes - done, off_t(uint64_t(at) + done));
    if (part <= 0)
      std::abort();
    done += size_t(part);
  }
}

EntryStream::~EntryStream() {
  for (const Chunk &chunk : chunks)
    if (chunk.entries)
      spill->give(chunk.size * sizeof(Entry));
}

bool EntryStream::spillOne(Chunk &chunk) {
  chunk.at = spill->append(chunk.entries.get(), chunk.size * sizeof(Entry));
  if (chunk.at < 0)
    return false;
  chunk.entries.reset();
  spill->give(chunk.size * sizeof(Entry));
  return true;
}

void EntryStream::seal() {
  Chunk chunk;
  chunk.size = uint32_t(tail.size());
  chunk.entries = std::make_unique_for_overwrite<Entry[]>(chunk.size);
  std::copy(tail.begin(), tail.end(), chunk.entries.get());
  tail.clear();
  spill->take(chunk.size * sizeof(Entry));
  chunks.push_back(std::move(chunk));
  // The oldest first: nothing about them changes any more, most likely.
  while (spill->exceeds() && firstInMemory < chunks.size() && spillOne(chunks[firstInMemory]))
    ++firstInMemory;
}

void EntryStream::finish() {
  if (!tail.empty())
    seal();
  tail.shrink_to_fit();
}

bool EntryStream::operator==(const EntryStream &other) const {
  auto same = [](const Chunk &a, const Chunk &b) {
    return a.entries && b.entries && std::equal(a.entries.get(), a.entries.get() + a.size, b.entries.get());
  };
  return count == other.count && std::ranges::equal(chunks, other.chunks, same);
}

Entry EntryStream::at(uint64_t position) const {
  const size_t index = position / kChunk, offset = position % kChunk;
  if (index >= chunks.size())
    return tail[offset];
  const Chunk &chunk = chunks[index];
  if (chunk.entries)
    return chunk.entries[offset];
  Entry entry;
  spill->read(chunk.at + int64_t(offset * sizeof(Entry)), &entry, sizeof(entry));
  return entry;
}

void EntryStream::set(uint64_t position, Entry entry) {
  const size_t index = position / kChunk, offset = position % kChunk;
  if (index >= chunks.size())
    tail[offset] = entry;
  else if (chunks[index].entries)
    chunks[index].entries[offset] = entry;
  else
    spill->write(chunks[index].at + int64_t(offset * sizeof(Entry)), &entry, sizeof(entry));
}

void EntryStream::Reader::fill() {
  const size_t index = position / kChunk;
  begin = index * kChunk;
  if (index >= stream->chunks.size()) {
    chunk = stream->tail.data();
    limit = stream->size();
    return;
  }
  const Chunk &from = stream->chunks[index];
  limit = begin + from.size;
  if (from.entries) {
    chunk = from.entries.get();
    return;
  }
  if (!copy)
    copy = std::make_unique_for_overwrite<Entry[]>(kChunk);
  stream->spill->read(from.at, copy.get(), from.size * sizeof(Entry));
  chunk = copy.get();
}

} // namespace ptoscope::timing
