//===- Array.cpp - arrays in memory, raw files ----------------------------===//
//
// Buffers, sizes, raw files, and the choice between the ways to get an array.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Array.h"

#include "InputFile.h"
#include "ptoscope/Support/AtomicFile.h"

#include <bit>
#include <cstdlib>
#include <cstring>

namespace ptoscope {

static_assert(std::endian::native == std::endian::little, "buffers hold little-endian elements");

void ByteBuffer::Free::operator()(void *block) const { std::free(block); }

std::optional<ByteBuffer> ByteBuffer::allocate(uint64_t bytes) {
  if (bytes > kMaxArrayBytes)
    return std::nullopt;
  // calloc, not aligned_alloc: large blocks come from the system as zero pages
  // that are not touched.
  void *block = std::calloc(bytes + kAlignment, 1);
  if (!block)
    return std::nullopt;
  ByteBuffer buffer;
  buffer.block.reset(block);
  uintptr_t address = reinterpret_cast<uintptr_t>(block);
  uintptr_t skip = (kAlignment - address % kAlignment) % kAlignment;
  buffer.bytes = static_cast<uint8_t *>(block) + skip;
  buffer.length = bytes;
  return buffer;
}

std::string Array::dtype() const {
  const ElementInfo &info = infoOf(type);
  std::string text(1, itemBytes == 1 || info.numpyKind == 'V' ? '|' : '<');
  return text + info.numpyKind + std::to_string(itemBytes);
}

std::optional<uint64_t> arrayBytes(std::span<const uint64_t> shape, uint32_t itemBytes) {
  for (uint64_t extent : shape)
    if (extent == 0)
      return 0;
  uint64_t bytes = itemBytes;
  for (uint64_t extent : shape)
    if (__builtin_mul_overflow(bytes, extent, &bytes))
      return std::nullopt;
  if (bytes > kMaxArrayBytes)
    return std::nullopt;
  return bytes;
}

std::string shapeToString(std::span<const uint64_t> shape) {
  if (shape.empty())
    return "scalar";
  std::string text;
  for (uint64_t extent : shape)
    text += (text.empty() ? "" : "x") + std::to_string(extent);
  return text;
}

/// What is no file may have no end: a device that gives zeros, a program that keeps printing.
static constexpr uint64_t kMaxUnsizedBytes = uint64_t(1) << 30;

/// Reads a pipe, whose length no one knows, in growing steps.
static Result<ByteBuffer> readToEnd(InputFile &file, const std::string &path) {
  std::optional<ByteBuffer> buffer = ByteBuffer::allocate(1 << 20);
  uint64_t used = 0;
  while (buffer) {
    if (used >= kMaxUnsizedBytes) {
      Finding finding = fileError(path, "not a regular file; gave up after " + std::to_string(used) +
                                            " bytes without reaching its end");
      finding.help = "write what it gives into a file, if it ends";
      return finding;
    }
    Result<uint64_t> got = file.read(buffer->span().subspan(used));
    if (!got)
      return got.takeFinding();
    used += *got;
    bool ended = used < buffer->size();
    std::optional<ByteBuffer> next = ByteBuffer::allocate(ended ? used : used * 2);
    if (next && used > 0)
      std::memcpy(next->data(), buffer->data(), used);
    buffer = std::move(next);
    if (ended && buffer)
      return std::move(*buffer);
  }
  return fileError(path, "not enough memory for the contents of this file");
}

Result<Array> readRaw(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeFinding();
  Array array;
  if (std::optional<uint64_t> size = file->size()) {
    if (*size > kMaxArrayBytes)
      return fileError(path, "this file has " + std::to_string(*size) + " bytes; a buffer may have at most " +
                                 std::to_string(kMaxArrayBytes));
    std::optional<ByteBuffer> buffer = ByteBuffer::allocate(*size);
    if (!buffer)
      return fileError(path, "not enough memory for " + std::to_string(*size) + " bytes");
    Result<uint64_t> got = file->read(buffer->span());
    if (!got)
      return got.takeFinding();
    if (*got != *size)
      return fileError(path,
                       "this file ended after " + std::to_string(*got) + " of its " + std::to_string(*size) + " bytes");
    array.bytes = std::move(*buffer);
  } else {
    Result<ByteBuffer> buffer = readToEnd(*file, path);
    if (!buffer)
      return buffer.takeFinding();
    array.bytes = std::move(*buffer);
  }
  array.shape = {array.bytes.size()};
  return array;
}

static bool isNpyName(std::string_view path) { return path.ends_with(".npy"); }

Result<Array> loadArray(const std::string &word) {
  if (isGeneratorWord(word))
    return generateArray(word);
  return isNpyName(word) ? readNpy(word) : readRaw(word);
}

Result<void> stageArray(OutputSet &outputs, const std::string &path, const Array &array) {
  if (!isNpyName(path))
    return outputs.stage(path, {array.bytes.span()});
  std::string header = npyHeader(array);
  std::span<const uint8_t> start(reinterpret_cast<const uint8_t *>(header.data()), header.size());
  return outputs.stage(path, {start, array.bytes.span()});
}

} // namespace ptoscope
