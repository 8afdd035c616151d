//===- EntryStream.h - what a core issued, in order -------------*- C++ -*-===//
//
// Eight bytes an instruction: its site, its pipe and what it does. Streams of one
// launch share a budget of memory; what goes beyond it lies in a file without a
// name. What an instruction does is known only when it takes effect, which may be
// long after it was issued: entries can be changed wherever they are.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_ENTRYSTREAM_H
#define PTOSCOPE_LIB_TIMING_ENTRYSTREAM_H

#include "ptoscope/Machine/Sites.h"

#include <atomic>
#include <memory>
#include <vector>

namespace ptoscope::timing {

struct Entry {
  SiteId site;
  uint32_t pipe : 4, deed : 28;
  bool operator==(const Entry &) const = default;
};
static_assert(sizeof(Entry) == 8);
inline constexpr uint32_t kMostDeeds = (1u << 28) - 1;

/// Memory that the streams of a launch may take, and the file for the rest.
class SpillFile {
public:
  explicit SpillFile(size_t budget = size_t(64) << 20) : budget(budget) {}
  ~SpillFile();
  SpillFile(const SpillFile &) = delete;

  bool exceeds() const { return inMemory.load(std::memory_order_relaxed) > budget; }
  void take(size_t bytes) { inMemory.fetch_add(bytes, std::memory_order_relaxed); }
  void give(size_t bytes) { inMemory.fetch_sub(bytes, std::memory_order_relaxed); }

  /// Where the bytes lie from now on; negative when the host has no room for them, and
  /// they have to stay where they are.
  int64_t append(const void *data, size_t bytes);
  void write(int64_t at, const void *data, size_t bytes) const;
  void read(int64_t at, void *data, size_t bytes) const;
  uint64_t bytesInFile() const { return end; }

private:
  bool open();

  size_t budget;
  std::atomic<size_t> inMemory{0};
  std::atomic<uint64_t> end{0};
  std::atomic<int> file{-1};
  std::atomic<bool> refused{false};
};

class EntryStream {
public:
  explicit EntryStream(SpillFile &spill) : spill(&spill) {}
  EntryStream(EntryStream &&) = default;
  ~EntryStream();

  uint64_t size() const { return count; }
  /// Its position.
  uint64_t append(Entry entry) {
    if (tail.size() == kChunk)
      seal();
    tail.push_back(entry);
    return count++;
  }
  Entry at(uint64_t position) const;
  void set(uint64_t position, Entry entry);
  /// Nothing is appended any more.
  void finish();
  /// Of finished streams. False where an answer would need the file.
  bool operator==(const EntryStream &other) const;

  /// Reads a stream from its beginning.
  class Reader {
  public:
    explicit Reader(const EntryStream &stream) : stream(&stream) {}
    bool atEnd() const { return position == stream->size(); }
    /// Not at the end.
    const Entry &peek() {
      if (position >= limit)
        fill();
      return chunk[position - begin];
    }
    void next() { ++position; }

  private:
    void fill();

    const EntryStream *stream;
    uint64_t position = 0, begin = 0, limit = 0;
    const Entry *chunk = nullptr;
    std::unique_ptr<Entry[]> copy;
  };

private:
  static constexpr size_t kChunk = 8192;
  struct Chunk {
    std::unique_ptr<Entry[]> entries; ///< null: in the file
    int64_t at = -1;
    uint32_t size = 0;
  };
  void seal();
  /// Moves a chunk to the file.
  bool spillOne(Chunk &chunk);

  SpillFile *spill;
  std::vector<Chunk> chunks;
  size_t firstInMemory = 0; ///< chunks before it are in the file
  std::vector<Entry> tail;
  uint64_t count = 0;
};

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_ENTRYSTREAM_H
