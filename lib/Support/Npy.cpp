//===- Npy.cpp - NumPy's array files --------------------------------------===//
//
// A `.npy` file is a magic string, a version, the length of a header, the
// header (a Python dictionary as text, padded to a multiple of 64 bytes) and
// the elements. Versions differ only in the width of the length (2 bytes in
// 1.0, 4 since 2.0) and in the header's encoding. Headers come from outside:
// every step is checked, and nothing is allocated before the file's length
// confirms the header.
//
//===----------------------------------------------------------------------===//

#include "InputFile.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/Text.h"

#include <charconv>

namespace ptoscope {

namespace {

constexpr std::string_view kMagic("\x93NUMPY", 6);
/// Headers of plain arrays are under 200 bytes; more is damage.
constexpr uint64_t kMaxHeaderBytes = 1 << 20;
/// NumPy's own limit.
constexpr size_t kMaxDimensions = 64;

struct Header {
  std::optional<std::string> descr;
  std::optional<bool> fortranOrder;
  std::optional<std::vector<uint64_t>> shape;
  bool structured = false; ///< descr is a list of fields
};

/// Reads the subset of Python literals that headers are made of.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  /// The reason why not, or empty.
  std::string parse(Header &header) {
    if (!accept('{'))
      return "it does not start with `{`";
    while (!accept('}')) {
      std::optional<std::string> key = string();
      if (!key || !accept(':'))
        return "a quoted key and `:` were expected at byte " + std::to_string(position);
      if (std::string problem = value(*key, header); !problem.empty())
        return problem;
      if (!accept(',') && peek() != '}')
        return "`,` or `}` was expected at byte " + std::to_string(position);
    }
    skipSpace();
    if (position != text.size())
      return "text follows the closing `}`";
    if (!header.structured && !header.descr)
      return "the key `descr` is missing";
    if (!header.fortranOrder)
      return "the key `fortran_order` is missing";
    if (!header.shape)
      return "the key `shape` is missing";
    return {};
  }

private:
  std::string value(const std::string &key, Header &header) {
    if (key == "descr") {
      if (peek() == '[') {
        header.structured = true;
        return skipList() ? "" : "the list in `descr` is not closed";
      }
      header.descr = string();
      return header.descr ? "" : "`descr` is not a string";
    }
    if (key == "fortran_order") {
      if (word("True"))
        header.fortranOrder = true;
      else if (word("False"))
        header.fortranOrder = false;
      return header.fortranOrder ? "" : "`fortran_order` is neither True nor False";
    }
    if (key == "shape") {
      header.shape = tuple();
      return header.shape ? "" : "`shape` is not a tuple of at most 64 non-negative 64-bit numbers";
    }
    return "the key `" + key.substr(0, 40) + "` is not known";
  }

  void skipSpace() {
    while (position < text.size() && std::string_view(" \t\r\n\0", 5).find(text[position]) != std::string_view::npos)
      ++position;
  }
  char peek() {
    skipSpace();
    return position < text.size() ? text[position] : '\0';
  }
  bool accept(char wanted) {
    if (peek() != wanted || position == text.size())
      return false;
    ++position;
    return true;
  }
  bool word(std::string_view wanted) {
    skipSpace();
    if (!text.substr(position).starts_with(wanted))
      return false;
    position += wanted.size();
    return true;
  }
  /// Strings with escapes do not occur in plain headers and are refused.
  std::optional<std::string> string() {
    char quote = peek();
    if (quote != '\'' && quote != '"')
      return std::nullopt;
    size_t end = text.find(quote, position + 1);
    if (end == std::string_view::npos)
      return std::nullopt;
    std::string_view body = text.substr(position + 1, end - position - 1);
    if (body.find('\\') != std::string_view::npos)
      return std::nullopt;
    position = end + 1;
    return std::string(body);
  }
  std::optional<std::vector<uint64_t>> tuple() {
    std::vector<uint64_t> numbers;
    if (!accept('('))
      return std::nullopt;
    while (!accept(')')) {
      uint64_t number = 0;
      skipSpace();
      const char *begin = text.data() + position;
      auto [end, error] = std::from_chars(begin, text.data() + text.size(), number);
      if (error != std::errc() || numbers.size() == kMaxDimensions)
        return std::nullopt;
      position += static_cast<size_t>(end - begin);
      numbers.push_back(number);
      word("L"); // Python 2 wrote long integers so
      if (!accept(',') && peek() != ')')
        return std::nullopt;
    }
    return numbers;
  }
  bool skipList() {
    size_t depth = 0;
    for (; position < text.size(); ++position) {
      if (text[position] == '[')
        ++depth;
      if (text[position] == ']' && --depth == 0) {
        ++position;
        return true;
      }
    }
    return false;
  }

  std::string_view text;
  size_t position = 0;
};

struct Dtype {
  ElementType type;
  uint32_t itemBytes;
};

/// What a `descr` such as "<f4" names, or why it is refused.
std::string parseDescr(std::string_view descr, Dtype &dtype) {
  std::string quoted = "dtype `" + std::string(descr.substr(0, 40)) + "` ";
  char order = descr.empty() ? '\0' : descr[0];
  if (order == '<' || order == '>' || order == '|' || order == '=')
    descr.remove_prefix(1);
  char kind = descr.empty() ? '\0' : descr[0];
  if (kind == 'O')
    return quoted + "holds Python objects, not bytes";
  uint32_t bytes = 0;
  const char *last = descr.data() + descr.size();
  if (descr.size() < 2)
    return quoted + "is not known";
  auto [end, error] = std::from_chars(descr.data() + 1, last, bytes);
  if (error != std::errc() || end != last || bytes == 0)
    return quoted + "is not known";
  if (order == '>' && bytes > 1)
    return quoted + "is big-endian; save it as little-endian (`a.astype(a.dtype.newbyteorder('<'))`)";
  if (kind == 'V') {
    dtype = {ElementType::Raw, bytes};
    return {};
  }
  constexpr ElementType kPlain[] = {ElementType::F16, ElementType::F32, ElementType::F64, ElementType::I8,
                                    ElementType::I16, ElementType::I32, ElementType::I64, ElementType::U8,
                                    ElementType::U16, ElementType::U32, ElementType::U64, ElementType::Bool};
  for (ElementType type : kPlain)
    if (infoOf(type).numpyKind == kind && infoOf(type).bytes == bytes) {
      dtype = {type, bytes};
      return {};
    }
  return quoted + "is not supported; use integers of 1 to 8 bytes, floats of 2, 4 or 8, or `view` it as one";
}

uint64_t littleEndian(std::span<const uint8_t> bytes) {
  uint64_t value = 0;
  for (size_t i = 0; i < bytes.size(); ++i)
    value |= uint64_t(bytes[i]) << (8 * i);
  return value;
}

} // namespace

Result<Array> readNpy(const std::string &path) {
  Result<InputFile> file = InputFile::open(path);
  if (!file)
    return file.takeFinding();
  auto readExactly = [&](std::span<uint8_t> into) -> Result<void> {
    Result<uint64_t> got = file->read(into);
    if (!got)
      return got.takeFinding();
    if (*got != into.size())
      return fileError(path, "this `.npy` file ends inside its header");
    return {};
  };

  uint8_t start[8] = {};
  Result<uint64_t> got = file->read(start);
  if (!got)
    return got.takeFinding();
  if (*got < kMagic.size() || std::string_view(reinterpret_cast<char *>(start), kMagic.size()) != kMagic)
    return fileError(path, "this is not a `.npy` file: it does not start with `\\x93NUMPY`");
  if (*got < sizeof(start))
    return fileError(path, "this `.npy` file ends inside its header");
  unsigned major = start[6], minor = start[7];
  if (major < 1 || major > 3 || minor != 0)
    return fileError(path, "`.npy` version " + std::to_string(major) + "." + std::to_string(minor) +
                               " is not known; 1.0, 2.0 and 3.0 are");

  uint8_t lengthBytes[4];
  std::span<uint8_t> lengthField(lengthBytes, major == 1 ? 2 : 4);
  if (Result<void> done = readExactly(lengthField); !done)
    return done.takeFinding();
  uint64_t headerBytes = littleEndian(lengthField);
  uint64_t dataStart = sizeof(start) + lengthField.size() + headerBytes;
  if (headerBytes > kMaxHeaderBytes)
    return fileError(path, "the `.npy` header claims to be " + plural(headerBytes, "byte") + " long");
  std::string text(headerBytes, '\0');
  if (Result<void> done = readExactly({reinterpret_cast<uint8_t *>(text.data()), text.size()}); !done)
    return done.takeFinding();

  Header header;
  if (std::string problem = HeaderParser(text).parse(header); !problem.empty())
    return fileError(path, "the `.npy` header is malformed: " + problem);
  if (header.structured)
    return fileError(path, "structured dtypes are not supported; save each field as an array of its own");
  Dtype dtype = {};
  if (std::string problem = parseDescr(*header.descr, dtype); !problem.empty())
    return fileError(path, problem);
  if (*header.fortranOrder)
    return fileError(path, "the array is in Fortran order; save `numpy.ascontiguousarray(a)` instead");
  std::string shown = shapeToString(*header.shape) + " of `" + *header.descr + "`";
  std::optional<uint64_t> bytes = arrayBytes(*header.shape, dtype.itemBytes);
  if (!bytes)
    return fileError(path, "an array " + shown + " is larger than the limit of " + plural(kMaxArrayBytes, "byte"));
  auto wrongLength = [&](uint64_t actual, std::string_view orMore) {
    return fileError(path, "the header says " + shown + ", which is " + plural(*bytes, "byte") +
                               ", but the file holds " + plural(actual, "byte") + std::string(orMore) + " of data");
  };
  if (file->size() && *file->size() != dataStart + *bytes)
    return wrongLength(*file->size() > dataStart ? *file->size() - dataStart : 0, "");

  std::optional<ByteBuffer> buffer = ByteBuffer::allocate(*bytes);
  if (!buffer)
    return fileError(path, "not enough memory for " + plural(*bytes, "byte"));
  got = file->read(buffer->span());
  if (!got)
    return got.takeFinding();
  if (*got != *bytes)
    return wrongLength(*got, "");
  uint8_t surplus;
  got = file->read({&surplus, 1});
  if (!got)
    return got.takeFinding();
  if (*got != 0)
    return wrongLength(*bytes + 1, " or more");

  Array array;
  array.type = dtype.type;
  array.itemBytes = dtype.itemBytes;
  array.shape = std::move(*header.shape);
  array.bytes = std::move(*buffer);
  return array;
}

std::string npyHeader(const Array &array) {
  std::string shape;
  for (uint64_t extent : array.shape)
    shape += std::to_string(extent) + (array.shape.size() == 1 ? "," : ", ");
  if (array.shape.size() > 1)
    shape.resize(shape.size() - 2);
  std::string text = "{'descr': '" + array.dtype() + "', 'fortran_order': False, 'shape': (" + shape + "), }";
  // Magic, version and length take 10 bytes, the last byte is a newline, and
  // the data starts on a multiple of 64.
  text.append(63 - (10 + text.size()) % 64, ' ');
  text += '\n';
  std::string header(kMagic);
  header += '\x01';
  header += '\0';
  header += static_cast<char>(text.size() & 0xff);
  header += static_cast<char>(text.size() >> 8);
  return header + text;
}

} // namespace ptoscope
