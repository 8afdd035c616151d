//===- PlaceLines.h - scattered bytes, line by line -------------*- C++ -*-===//
//
// A gather or scatter names up to 256 places. Observers and memory are served
// by aligned lines of 256 bytes: places of one line become one access.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_PLACELINES_H
#define PTOSCOPE_LIB_MACHINE_PLACELINES_H

#include "ptoscope/Machine/Types.h"

#include <cstdint>
#include <vector>

namespace ptoscope {

class PlaceLines {
public:
  struct Line {
    uint32_t address;
    uint64_t active[4] = {};  ///< bytes that are touched
    uint64_t defined[4] = {}; ///< of those
    uint8_t data[kVectorBytes];
  };
  /// A place that is accessed: `lane` of the register, `address` in memory.
  struct Place {
    uint32_t lane, address;
  };

  /// Forgets everything; `bytes` is the size of the memory.
  void begin(uint64_t bytes) {
    for (const Line &line : lines)
      numbers[line.address / kVectorBytes] = 0;
    lines.clear();
    places.clear();
    if (numbers.size() < bytes / kVectorBytes + 1)
      numbers.resize(bytes / kVectorBytes + 1, 0);
  }
  /// The line of a byte.
  Line &lineOf(uint32_t address) {
    uint16_t &number = numbers[address / kVectorBytes];
    if (!number) {
      lines.emplace_back();
      lines.back().address = address / kVectorBytes * kVectorBytes;
      number = uint16_t(lines.size());
    }
    return lines[number - 1u];
  }

  std::vector<Line> lines;
  std::vector<Place> places;

private:
  std::vector<uint16_t> numbers; ///< by line of the memory: 1 + position in `lines`
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_PLACELINES_H
