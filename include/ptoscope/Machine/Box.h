//===- Box.h - strided sets of bytes ----------------------------*- C++ -*-===//
//
// The footprint of a transfer on one side: rows of `rowBytes`, repeated along
// up to any number of strided dimensions. Kept normalised: dimensions of count
// 1 are dropped and dimensions that continue the row are merged into it, so a
// contiguous tile is one row whatever shape it was issued in.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_BOX_H
#define PTOSCOPE_MACHINE_BOX_H

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ptoscope {

struct Box {
  struct Dim {
    uint64_t count;
    int64_t stride; ///< bytes, start to start
    bool operator==(const Dim &) const = default;
  };
  uint64_t base = 0;
  uint64_t rowBytes = 0;
  std::vector<Dim> dims; ///< innermost first

  bool empty() const { return rowBytes == 0; }
  /// Lowest byte and one past the highest byte.
  uint64_t lowest() const { return dims.empty() ? base : lowestOfRows(); }
  uint64_t end() const { return dims.empty() && rowBytes <= UINT64_MAX - base ? base + rowBytes : endOfRows(); }
  /// Bytes counted with repetition.
  uint64_t bytes() const;
  /// Merges what is contiguous and drops dimensions of count 1; a count of 0
  /// makes the box empty.
  void normalise();
  /// True when some byte lies in both. Exact, never O(bytes).
  bool overlaps(const Box &other, uint64_t *firstCommonByte = nullptr) const;

  /// Calls fn(start, bytes) for every row, innermost dimension first.
  template <typename Fn> void forEachRow(Fn fn) const {
    if (!empty())
      visit(base, dims.size(), fn);
  }

private:
  uint64_t lowestOfRows() const;
  uint64_t endOfRows() const;
  template <typename Fn> void visit(uint64_t start, std::size_t level, Fn &fn) const {
    if (level == 0) {
      fn(start, rowBytes);
      return;
    }
    const Dim &dim = dims[level - 1];
    for (uint64_t i = 0; i < dim.count; ++i)
      visit(start + i * uint64_t(dim.stride), level - 1, fn);
  }
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_BOX_H
