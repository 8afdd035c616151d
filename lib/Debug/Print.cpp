//===- Print.cpp - names, memories and pointers in words ------------------===//

#include "Texts.h"
#include "ptoscope/Debug/Console.h"

#include "ptoscope/Machine/Words.h"
#include "ptoscope/Support/Text.h"

#include "llvm/ADT/StringRef.h"

#include <algorithm>
#include <cstring>

namespace ptoscope::debug {

/// More than a memory of a core has is not shown at once.
static constexpr uint64_t kMostElements = 1 << 18;

static std::optional<Space> spaceNamed(const std::string &word) {
  for (size_t i = size_t(Space::L1); i < kSpaceSlots; ++i)
    if (llvm::StringRef(spaceText(Space(i))).equals_insensitive(word))
      return Space(i);
  return std::nullopt;
}

static std::optional<uint64_t> number(llvm::StringRef word) {
  uint64_t value;
  return word.getAsInteger(0, value) ? std::nullopt : std::optional(value);
}

/// "4x64"
static std::optional<std::vector<uint64_t>> shapeOf(llvm::StringRef word) {
  std::vector<uint64_t> shape;
  uint64_t elements = 1;
  while (!word.empty()) {
    auto [extent, rest] = word.split('x');
    std::optional<uint64_t> n = number(extent);
    if (!n || *n == 0 || *n > kMostElements || (elements *= *n) > kMostElements)
      return std::nullopt;
    shape.push_back(*n);
    word = rest;
  }
  return shape.empty() ? std::nullopt : std::optional(shape);
}

static std::optional<size_t> parameterNamed(const Target &target, const std::string &word) {
  for (size_t i = 0; i < target.kernel->parameters.size(); ++i)
    if (target.kernel->parameters[i].name == word)
      return i;
  return std::nullopt;
}

std::optional<Region> Console::region(Words words, std::string &problem) const {
  const Target &target = debugger.target();
  if (words.size() < 2 || words.size() > 3) {
    problem = "a range is a memory, an address and a number of bytes: `UB 0x100 64`, `%src 0 64`";
    return std::nullopt;
  }
  Region region;
  region.core = core;
  uint64_t size = 0;
  if (std::optional<Space> space = spaceNamed(words[0])) {
    region.space = *space;
    size = target.launch.profile->reachOf(*space);
  } else if (std::optional<size_t> parameter = parameterNamed(target, words[0]);
             parameter && target.kernel->parameters[*parameter].isPointer) {
    region.space = Space::Gm;
    region.parameter = *parameter;
    size = target.arguments[*parameter].array.bytes.size();
  } else {
    problem = "`" + words[0] + "` is not a memory; use UB, L1, L0A, L0B, L0C, BT, FB or a pointer argument";
    return std::nullopt;
  }
  const std::optional<uint64_t> begin = number(words[1]), bytes = words.size() > 2 ? number(words[2]) : 1;
  if (!begin || !bytes || *bytes == 0) {
    problem = "`" + words[begin ? 2 : 1] + "` is not a number of bytes";
    return std::nullopt;
  }
  if (*begin >= size || *bytes > size - *begin) {
    problem = words[0] + " has " + plural(size, "byte");
    return std::nullopt;
  }
  region.begin = *begin;
  region.end = *begin + *bytes;
  return region;
}

Answer Console::print(Words words) const {
  if (words.empty())
    return Answer::refusal(
        "`print` needs a name or a memory: `print %x`, `print UB 0x0 f32 4x64`, `print *%pointer 4x64`");
  const Target &target = debugger.target();
  std::string word = words[0];
  const bool follows = word.starts_with("*");
  if (follows)
    word.erase(0, 1);

  // A memory, or an argument.
  Region region;
  tile::Elem elem = tile::Elem::u8;
  std::vector<uint64_t> shape;
  uint64_t size = 0;
  size_t next = 1;
  region.core = core;
  std::optional<Space> space = spaceNamed(word);
  std::optional<size_t> parameter = parameterNamed(target, word);
  if (parameter && !target.kernel->parameters[*parameter].isPointer)
    return {word + " = " +
            tile::scalarText(parseElementType(target.kernel->parameters[*parameter].element).value_or(ElementType::I64),
                             target.arguments[*parameter].bits) +
            "\n"};
  if (parameter) {
    const Array &array = target.arguments[*parameter].array;
    region.space = Space::Gm;
    region.parameter = *parameter;
    size = array.bytes.size();
    elem = tile::parseElem(target.kernel->parameters[*parameter].element)
               .value_or(tile::parseElem(infoOf(array.type).name).value_or(tile::Elem::u8));
    shape = array.shape;
    if (array.itemBytes * 8 != tile::bitsOf(elem) || words.size() > 1)
      shape.clear();
    if (words.size() > 1 && !follows && number(words[1])) {
      region.begin = *number(words[1]);
      next = 2;
    }
  } else if (space) {
    region.space = *space;
    size = target.launch.profile->reachOf(*space);
    const std::optional<uint64_t> begin = words.size() > 1 ? number(words[1]) : std::nullopt;
    if (!begin)
      return Answer::refusal("`print " + word + "` needs an address: `print " + word + " 0x0 f32 4x64`");
    region.begin = *begin;
    next = 2;
  } else {
    const std::vector<SeenValue> values = debugger.values(block, core);
    auto it = std::find_if(values.rbegin(), values.rend(),
                           [&](const SeenValue &value) { return target.steps.values[value.index].name == word; });
    if (it == values.rend()) {
      const bool exists = std::ranges::any_of(target.steps.values, [&](const NamedValue &v) { return v.name == word; });
      return Answer::refusal(exists ? "`" + word + "` was not computed yet on " + coreText(block, core)
                                    : "`" + word + "` is neither a name of the program nor a memory");
    }
    const NamedValue &named = target.steps.values[it->index];
    if (!follows) {
      if (words.size() > 1)
        return Answer::refusal("`" + words[1] + "` is too much behind a name");
      const PtoContext *of = context();
      const std::optional<tile::Image> image = of ? imageOf(of, named, *it) : std::nullopt;
      std::string text = word + " : " + named.type + " = ";
      if (!image)
        return {text + valueText(*it) + "\n"};
      if (image->shape.size() > 1)
        return {text + "\n" + tableText(*image)};
      return {text + itemsText(*image, kMostElements) + "\n"};
    }
    if (named.space == Space::None || named.space == Space::Gm)
      return Answer::refusal("`" + word + "` does not point into a memory of the core");
    std::memcpy(&region.begin, it->bytes.data(), 8);
    region.space = named.space;
    elem = named.elem;
    size = target.launch.profile->reachOf(named.space);
  }
  for (; next < words.size(); ++next) {
    if (std::optional<tile::Elem> named = tile::parseElem(words[next]))
      elem = *named;
    else if (std::optional<std::vector<uint64_t>> extents = shapeOf(words[next]))
      shape = *extents;
    else
      return Answer::refusal("`" + words[next] + "` is neither an element type nor a shape such as 4x64 of at most " +
                             std::to_string(kMostElements) + " elements");
  }
  if (region.begin >= size && size)
    return Answer::refusal(word + " has " + plural(size, "byte"));
  uint64_t elements = 1;
  for (uint64_t extent : shape)
    elements *= extent;
  if (shape.empty())
    shape = {elements = std::min<uint64_t>(16, (size - region.begin) * 8 / tile::bitsOf(elem))};
  region.end = region.begin + (elements * tile::bitsOf(elem) + 7) / 8;
  if (region.end > size)
    return Answer::refusal(word + " has " + plural(size, "byte") + ", and this would end at " + hex(region.end));
  const std::span<const uint8_t> bytes = debugger.memory(region, block);
  if (bytes.size() != region.end - region.begin)
    return Answer::refusal(coreText(block, core) + " has no " + word + " now");
  tile::Image image = tile::imageOf(elem, bytes);
  image.shape = shape;
  std::string title = parameter ? word : spaceText(region.space);
  return {title + " " + hex(region.begin, 4) + ", " + tile::elemName(elem) + " " + shapeToString(shape) + "\n" +
          tableText(image)};
}

} // namespace ptoscope::debug
