//===- Array.h - arrays in memory and on disk -------------------*- C++ -*-===//
//
// The buffers a kernel is run on: read from `.npy` or raw files or made by a
// generator word, and written back. Contents are little endian and in C order;
// everything else is refused, never converted. Bytes are read straight into
// their final place, so arrays of many GiB are held once.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_ARRAY_H
#define PTOSCOPE_SUPPORT_ARRAY_H

#include "ptoscope/Support/ElementType.h"
#include "ptoscope/Support/Result.h"

#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope {

/// No array may be larger; what claims to be is a damaged header or a typo.
inline constexpr uint64_t kMaxArrayBytes = uint64_t(1) << 40;

/// Owned bytes, 64-byte aligned, zero at first. Pages of large buffers take no
/// memory before they are touched.
class ByteBuffer {
public:
  static constexpr size_t kAlignment = 64;

  ByteBuffer() = default;
  ByteBuffer(ByteBuffer &&other) noexcept { swap(other); }
  ByteBuffer &operator=(ByteBuffer &&other) noexcept {
    swap(other);
    return *this;
  }

  /// Nothing when the memory is not to be had.
  static std::optional<ByteBuffer> allocate(uint64_t bytes);

  uint8_t *data() { return bytes; }
  const uint8_t *data() const { return bytes; }
  uint64_t size() const { return length; }
  std::span<uint8_t> span() { return {bytes, length}; }
  std::span<const uint8_t> span() const { return {bytes, length}; }

private:
  void swap(ByteBuffer &other) {
    std::swap(block, other.block);
    std::swap(bytes, other.bytes);
    std::swap(length, other.length);
  }

  struct Free {
    void operator()(void *block) const;
  };
  std::unique_ptr<void, Free> block; ///< as allocated
  uint8_t *bytes = nullptr;          ///< the first aligned byte of the block
  uint64_t length = 0;
};

struct Array {
  ElementType type = ElementType::U8;
  uint32_t itemBytes = 1; ///< width of `type`; for Raw, any
  std::vector<uint64_t> shape;
  ByteBuffer bytes;

  uint64_t elements() const { return bytes.size() / itemBytes; }
  /// As NumPy writes it: "<f4", "|u1"; bf16 is "<u2", fp8 is "|u1".
  std::string dtype() const;
};

/// Bytes of an array, with overflow and kMaxArrayBytes checked.
std::optional<uint64_t> arrayBytes(std::span<const uint64_t> shape, uint32_t itemBytes);

/// "32x16"; "scalar" for an empty shape.
std::string shapeToString(std::span<const uint64_t> shape);

// --- reading: `file-error` for whatever is wrong with the file -----------------

Result<Array> readNpy(const std::string &path);
/// The bytes of the file as u8 elements.
Result<Array> readRaw(const std::string &path);

// --- generators: `usage` for a malformed word ----------------------------------

/// True for words that start with the name of a generator and a colon.
bool isGeneratorWord(std::string_view word);
/// The generator that such a word was probably meant to name (`nearestOf`); empty if it has no colon, or none is near.
std::string_view nearestGenerator(std::string_view word);
/// `zeros:TYPE:SHAPE`, `iota:TYPE:SHAPE`, `random:TYPE:SHAPE:SEED`,
/// `fill:TYPE:SHAPE:VALUE`; SHAPE is `1024` or `32x32`.
/// - iota counts 0, 1, 2, … in C order; integers wrap around, floats are
///   rounded, and a float type that cannot count that far is refused.
/// - random: element i is made from the i-th output of SplitMix64 started at
///   SEED. Integers are its top bits. A float type with p bits of precision is
///   (k - 2^p) / 2^p, k the top p + 1 bits: uniform in [-1, 1), exact.
/// - fill: VALUE must fit the type; floats take decimals, hex floats, inf, nan.
Result<Array> generateArray(std::string_view word);

/// A generator word, a `.npy` file, or for any other name a raw file.
Result<Array> loadArray(const std::string &word);

// --- writing ----------------------------------------------------------------------

/// Everything of a `.npy` file that stands before the data.
std::string npyHeader(const Array &array);

class OutputSet;
/// Stages `array` as `.npy`, or for any other name as raw bytes.
Result<void> stageArray(OutputSet &outputs, const std::string &path, const Array &array);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_ARRAY_H
