//===- Compare.h - results against expected arrays --------------*- C++ -*-===//
//
// What `--expect` does. Without a tolerance bytes are compared: -0 differs from
// +0, and NaNs with other bits differ. With one, an element is right when
// |got - expected| <= atol + rtol * |expected|; NaN equals NaN, and an infinity
// equals only itself. Integers are compared exactly, without going through
// floats, also with a tolerance.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_COMPARE_H
#define PTOSCOPE_SUPPORT_COMPARE_H

#include "ptoscope/Support/Array.h"

namespace ptoscope {

/// Both figures are at least 0 and not NaN.
struct Tolerance {
  double atol = 0;
  double rtol = 0;
};

/// One differing element, printed for people.
struct Difference {
  uint64_t flatIndex = 0;
  std::vector<uint64_t> index;       ///< in C order; empty without a shape
  std::string got, expected;         ///< values; empty for Raw
  std::string difference;            ///< |got - expected|; empty for Raw
  std::string gotBits, expectedBits; ///< "0x3c00", most significant digit first
};

struct Comparison {
  ElementType type = ElementType::U8;
  uint64_t elements = 0;
  uint64_t gotBytes = 0, expectedBytes = 0;
  uint64_t differing = 0;            ///< not counted when the lengths differ
  std::optional<Difference> first;   ///< lowest index
  std::optional<Difference> largest; ///< of |got - expected|, NaN counting as infinite

  bool equal() const { return gotBytes == expectedBytes && differing == 0; }
};

/// Compares `got` with `expected` as elements of `type`, `itemBytes` wide.
/// `shape` is for the printed index only and may be empty. A length that is no
/// multiple of `itemBytes` is compared byte by byte. Raw ignores the tolerance.
Comparison compareBytes(ElementType type, uint32_t itemBytes, std::span<const uint64_t> shape,
                        std::span<const uint8_t> got, std::span<const uint8_t> expected,
                        std::optional<Tolerance> tolerance = std::nullopt);

/// Compares with type and shape of `got`.
Comparison compareArrays(const Array &got, const Array &expected, std::optional<Tolerance> tolerance = std::nullopt);

/// The `expect-mismatch` finding of a comparison that is not equal. `what`
/// names the buffer ("parameter 2 (`%out`)"), `expectedPath` the file.
Finding expectMismatch(const Comparison &comparison, std::string_view what, std::string_view expectedPath,
                       Place place = {});

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_COMPARE_H
