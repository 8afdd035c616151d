//===- Document.cpp - a text that an editor has open ----------------------===//

#include "Document.h"

#include "ptoscope/Compiler/ProgramText.h"

#include <algorithm>

using namespace llvm;

namespace ptoscope {

/// Bytes and UTF-16 units of the character that begins with `lead`.
static std::pair<size_t, size_t> sizesOf(unsigned char lead) {
  return lead < 0x80   ? std::pair<size_t, size_t>{1, 1}
         : lead < 0xe0 ? std::pair<size_t, size_t>{2, 1}
         : lead < 0xf0 ? std::pair<size_t, size_t>{3, 1}
                       : std::pair<size_t, size_t>{4, 2};
}

Document::Document(std::string uri, std::string text, int64_t version) : uri(std::move(uri)), version(version) {
  replace(std::move(text));
}

void Document::replace(std::string text) {
  refusedBytes = text.size() > kMaxBytes ? text.size() : 0;
  content = refusedBytes ? std::string() : std::move(text);
  lineStarts.clear();
  tokenList.reset();
  nameTable.reset();
}

bool Document::change(const json::Object &change) {
  std::optional<StringRef> text = change.getString("text");
  if (!text)
    return false;
  const json::Object *range = change.getObject("range");
  if (!range) {
    replace(text->str());
    return true;
  }
  if (refusedBytes)
    return true; // until the whole text comes again
  std::optional<Position> start = positionFrom(range->getObject("start")), end = positionFrom(range->getObject("end"));
  if (!start || !end)
    return false;
  const size_t from = offsetOf(*start), to = std::max(from, offsetOf(*end));
  std::string changed = content;
  changed.replace(from, to - from, text->data(), text->size());
  replace(std::move(changed));
  return true;
}

const std::vector<size_t> &Document::lines() const {
  if (lineStarts.empty())
    lineStarts = LineTable(content).starts;
  return lineStarts;
}

size_t Document::lineStart(size_t line) const { return line < lines().size() ? lines()[line] : content.size(); }

StringRef Document::lineAt(size_t line) const {
  return StringRef(content).slice(lineStart(line), lineStart(line + 1)).rtrim("\r\n");
}

size_t Document::offsetOf(Position position) const {
  if (position.line < 0)
    return 0;
  if (size_t(position.line) >= lines().size())
    return content.size();
  const StringRef line = lineAt(size_t(position.line));
  size_t at = 0;
  for (int64_t units = 0; at < line.size() && units < position.character;) {
    auto [bytes, width] = sizesOf(static_cast<unsigned char>(line[at]));
    units += int64_t(width);
    if (units > position.character)
      break; // between the halves of a character
    at = std::min(at + bytes, line.size());
  }
  return lineStart(size_t(position.line)) + at;
}

Position Document::positionOf(size_t offset) const {
  offset = std::min(offset, content.size());
  auto next = std::ranges::upper_bound(lines(), offset);
  Position position{next - lines().begin() - 1, 0};
  for (size_t at = next[-1]; at < offset;) {
    auto [bytes, units] = sizesOf(static_cast<unsigned char>(content[at]));
    at += bytes;
    position.character += int64_t(units);
  }
  return position;
}

static json::Object toJson(Position position) {
  return json::Object{{"line", position.line}, {"character", position.character}};
}

json::Value Document::rangeOf(TextRange range) const {
  return json::Object{{"start", toJson(positionOf(range.begin))}, {"end", toJson(positionOf(range.end))}};
}

const std::vector<Token> &Document::tokens() const {
  if (!tokenList)
    tokenList = tokensOf(content);
  return *tokenList;
}

const ProgramNames &Document::names() const {
  if (!nameTable) {
    LostValues none;
    nameTable = namesOf(codeOnly(content), none);
  }
  return *nameTable;
}

std::optional<Position> positionFrom(const json::Object *object) {
  if (!object)
    return std::nullopt;
  std::optional<int64_t> line = object->getInteger("line"), character = object->getInteger("character");
  if (!line || !character)
    return std::nullopt;
  return Position{*line, *character};
}

} // namespace ptoscope
