//===- Npy.cpp - files that may be `.npy` ---------------------------------===//
//
// An array that was read is written and read again: the same array.
//
//===----------------------------------------------------------------------===//

#include "Input.h"

#include "ptoscope/Support/Array.h"

#include <algorithm>
#include <cstring>
#include <random>
#include <sys/mman.h>
#include <unistd.h>

using namespace ptoscope;

namespace {

/// A file of which only this process knows.
class Scratch {
public:
  Scratch() : file(memfd_create("input", MFD_CLOEXEC)), path("/proc/self/fd/" + std::to_string(file)) {
    fuzz::require(file >= 0, "memfd_create");
  }
  Result<Array> read(std::string_view bytes) {
    fuzz::require(ftruncate(file, 0) == 0 && pwrite(file, bytes.data(), bytes.size(), 0) == ssize_t(bytes.size()),
                  "the scratch file is written");
    return readNpy(path);
  }

private:
  int file;
  std::string path;
};

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  static Scratch scratch;
  Result<Array> array = scratch.read(fuzz::textOf(data, size));
  if (!array) {
    const Finding finding = array.takeFinding();
    fuzz::require(finding.code == "file-error" && !finding.message.empty(), "a refusal says why");
    return 0;
  }
  const std::string_view bytes(reinterpret_cast<const char *>(array->bytes.data()), array->bytes.size());
  Result<Array> again = scratch.read(npyHeader(*array).append(bytes));
  fuzz::require(bool(again) && again->type == array->type && again->itemBytes == array->itemBytes &&
                    again->shape == array->shape && std::ranges::equal(again->bytes.span(), array->bytes.span()),
                "an array that is written and read is the same");
  return 0;
}

/// Half of the inputs get a header with the right length before bytes that nearly fit it.
extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  std::minstd_rand random(seed);
  const auto below = [&](unsigned n) { return random() / 7 % n; };
  if (below(2))
    return LLVMFuzzerMutate(data, size, maxSize);
  static const char *const kTypes[] = {"'<f4'", "'<f2'",          "'|u1'", "'<i8'",           "'|b1'",
                                       "'>f4'", "'|V3'",          "'<V2'", "'<c8'",           "'f4'",
                                       "'<'",   "[('a', '<f4')]", "''",    "'<f99999999999'", "'|S0'"};
  static const char *const kExtents[] = {
      "0", "1", "2", "3", "16", "4L", "-1", "4294967296", "18446744073709551615", "1099511627776", "007", ""};
  std::string shape;
  uint64_t elements = 1;
  for (unsigned i = 0, n = below(5) ? below(5) : below(80); i < n; ++i) {
    const char *extent = kExtents[below(below(4) ? 5 : std::size(kExtents))];
    elements = std::min<uint64_t>(elements * strtoull(extent, nullptr, 10), 4096);
    shape += std::string(extent) + (below(30) ? ", " : " ");
  }
  std::string header = std::string("{'descr': ") + kTypes[below(below(4) ? 5 : std::size(kTypes))] +
                       ", 'fortran_order': " + (below(8) ? "False" : "True") + ", 'shape': (" + shape + "), }";
  if (below(4) == 0) {
    header.resize(header.size() + 16, ' ');
    header.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(header.data()), header.size() - 16, header.size()));
  }
  header.append(below(64), ' ') += '\n';
  const unsigned version = below(20) ? 1 + below(3) : below(256);
  std::string file("\x93NUMPY", 6);
  file += char(version);
  file += char(below(30) ? 0 : below(256));
  const uint64_t length = below(20) ? header.size() : random();
  for (unsigned i = 0; i < (version == 1 ? 2u : 4u); ++i)
    file += char(length >> 8 * i);
  file += header;
  static constexpr unsigned kWidths[] = {1, 2, 4, 8, 3};
  uint64_t body = elements * kWidths[below(std::size(kWidths))];
  file.append(below(10) ? body : std::max<uint64_t>(body + below(3), 1) - 1, char(below(256)));
  return fuzz::give(file, data, maxSize);
}
