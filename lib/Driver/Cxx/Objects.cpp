//===- Objects.cpp - object files of the two passes -----------------------===//
//
// Templates and inline functions have the same names in both passes and other
// contents; a linker keeps one of them. Names of one pass get a prefix, here and
// not by a tool: all it takes is a longer table of names at the end of the file.
//
//===----------------------------------------------------------------------===//

#include "Objects.h"

#include <cstring>
#include <elf.h>
#include <fstream>
#include <iterator>

namespace ptoscope::cxx {

namespace {
class Object {
public:
  explicit Object(const std::string &path) : path(path) {
    std::ifstream in(path, std::ios::binary);
    bytes.assign(std::istreambuf_iterator<char>(in), {});
  }

  /// Finds the table of symbols; false with a message.
  bool open(std::string &problem) {
    Elf64_Ehdr header;
    const bool isElf = bytes.size() >= sizeof header && std::memcmp(bytes.data(), ELFMAG, SELFMAG) == 0 &&
                       bytes[EI_CLASS] == ELFCLASS64 && bytes[EI_DATA] == ELFDATA2LSB;
    if (isElf) {
      header = read<Elf64_Ehdr>(0);
      count = header.e_shnum                             ? header.e_shnum
              : fits(header.e_shoff, sizeof(Elf64_Shdr)) ? sectionAt(header, 0).sh_size
                                                         : 0;
    }
    if (!isElf || header.e_type != ET_REL || !fits(header.e_shoff, count * sizeof(Elf64_Shdr))) {
      problem = path + ": kernels for both kinds of cores need objects in the 64-bit ELF format";
      return false;
    }
    sectionsAt = header.e_shoff;
    for (size_t i = 0; i < count; ++i)
      if (section(i).sh_type == SHT_SYMTAB)
        symbols = i;
    const Elf64_Shdr table = section(symbols);
    if (!symbols || table.sh_link >= count || !fits(table.sh_offset, table.sh_size) ||
        !fits(section(table.sh_link).sh_offset, section(table.sh_link).sh_size)) {
      problem = path + ": the object has no symbols";
      return false;
    }
    return true;
  }

  bool contains(std::string_view text) const { return bytes.find(text) != bytes.npos; }
  size_t symbolCount() const { return section(symbols).sh_size / sizeof(Elf64_Sym); }
  Elf64_Sym symbol(size_t i) const { return read<Elf64_Sym>(section(symbols).sh_offset + i * sizeof(Elf64_Sym)); }
  void setSymbol(size_t i, const Elf64_Sym &symbol) {
    std::memcpy(&bytes[section(symbols).sh_offset + i * sizeof symbol], &symbol, sizeof symbol);
  }
  std::string name(const Elf64_Sym &symbol) const {
    const Elf64_Shdr names = section(section(symbols).sh_link);
    if (symbol.st_name >= names.sh_size)
      return {};
    const char *text = &bytes[names.sh_offset + symbol.st_name];
    return std::string(text, strnlen(text, names.sh_size - symbol.st_name));
  }
  /// Visible to other objects, and defined here.
  static bool isDefined(const Elf64_Sym &symbol) {
    return ELF64_ST_BIND(symbol.st_info) != STB_LOCAL && symbol.st_shndx != SHN_UNDEF;
  }
  /// Symbols that name groups of sections, of which a linker keeps one.
  std::set<size_t> groupSymbols() const {
    std::set<size_t> found;
    for (size_t i = 0; i < count; ++i)
      if (section(i).sh_type == SHT_GROUP)
        found.insert(section(i).sh_info);
    return found;
  }

  /// Writes the file with `names` in place of its table of names.
  bool write(const std::string &names) {
    const size_t index = section(symbols).sh_link;
    Elf64_Shdr header = section(index);
    header.sh_offset = bytes.size();
    header.sh_size = names.size();
    std::memcpy(&bytes[sectionsAt + index * sizeof header], &header, sizeof header);
    std::ofstream out(path, std::ios::binary | std::ios::trunc);
    out.write(bytes.data(), std::streamsize(bytes.size()));
    out.write(names.data(), std::streamsize(names.size()));
    return bool(out.flush());
  }
  std::string names() const {
    const Elf64_Shdr table = section(section(symbols).sh_link);
    return bytes.substr(table.sh_offset, table.sh_size);
  }

private:
  bool fits(uint64_t offset, uint64_t size) const { return offset <= bytes.size() && size <= bytes.size() - offset; }
  template <typename T> T read(uint64_t offset) const {
    T value;
    std::memcpy(&value, &bytes[offset], sizeof value);
    return value;
  }
  Elf64_Shdr sectionAt(const Elf64_Ehdr &header, size_t i) const {
    return read<Elf64_Shdr>(header.e_shoff + i * sizeof(Elf64_Shdr));
  }
  Elf64_Shdr section(size_t i) const { return read<Elf64_Shdr>(sectionsAt + i * sizeof(Elf64_Shdr)); }

  std::string path, bytes;
  uint64_t sectionsAt = 0;
  size_t count = 0, symbols = 0;
};
} // namespace

std::vector<std::string> functionsOf(const std::string &path, std::string &problem) {
  std::vector<std::string> names;
  Object object(path);
  if (!object.open(problem))
    return names;
  for (size_t i = 1; i < object.symbolCount(); ++i) {
    const Elf64_Sym symbol = object.symbol(i);
    if (Object::isDefined(symbol) && ELF64_ST_TYPE(symbol.st_info) == STT_FUNC)
      names.push_back(object.name(symbol));
  }
  return names;
}

std::set<std::string> namesOf(const std::string &path, std::string &problem) {
  std::set<std::string> names;
  Object object(path);
  if (!object.open(problem))
    return names;
  const std::set<size_t> groups = object.groupSymbols();
  for (size_t i = 1; i < object.symbolCount(); ++i)
    if (const Elf64_Sym symbol = object.symbol(i); Object::isDefined(symbol) || groups.count(i))
      names.insert(object.name(symbol));
  return names;
}

Cores passOf(const std::string &path) {
  Object object(path);
  std::string problem;
  if (!object.contains("ptoscope_pass_") || !object.open(problem))
    return Cores::Unknown;
  for (size_t i = 1; i < object.symbolCount(); ++i) {
    const std::string name = object.name(object.symbol(i));
    for (Cores pass : {Cores::Vector, Cores::Cube})
      if (name == passMarker(pass))
        return pass;
  }
  return Cores::Unknown;
}

bool prefixSymbols(const std::string &path, const std::string &prefix, std::string &problem,
                   const std::set<std::string> *only) {
  Object object(path);
  if (!object.open(problem))
    return false;
  std::string names = object.names();
  const std::set<size_t> groups = object.groupSymbols();
  for (size_t i = 1; i < object.symbolCount(); ++i) {
    Elf64_Sym symbol = object.symbol(i);
    const bool isDefined = Object::isDefined(symbol);
    const bool isGroup = groups.count(i) && ELF64_ST_TYPE(symbol.st_info) != STT_SECTION;
    if ((!isDefined && !isGroup) || (only && !only->count(object.name(symbol))))
      continue;
    const std::string name = prefix + object.name(symbol);
    symbol.st_name = Elf64_Word(names.size());
    names += name + '\0';
    if (isDefined)
      symbol.st_other = (symbol.st_other & ~0x3u) | STV_HIDDEN;
    // One in the process is the promise of this binding; hidden, it is one in the file.
    if (ELF64_ST_BIND(symbol.st_info) == STB_GNU_UNIQUE)
      symbol.st_info = ELF64_ST_INFO(STB_WEAK, ELF64_ST_TYPE(symbol.st_info));
    object.setSymbol(i, symbol);
  }
  if (object.write(names))
    return true;
  problem = "cannot write " + path;
  return false;
}

} // namespace ptoscope::cxx
