//===- Channel.cpp - messages between an editor and a server --------------===//

#include "ptoscope/Protocol/Channel.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/raw_ostream.h"

#include <algorithm>
#include <utility>

using namespace llvm;

namespace ptoscope {

/// No header is longer; of longer lines the end is kept, where a header may begin.
static constexpr size_t kMaxLine = 4096;
static constexpr StringLiteral kLength = "content-length:";

/// Words from the other side, fit for a sentence.
static std::string quoted(StringRef text) {
  std::string result = "`";
  raw_string_ostream out(result);
  printEscapedString(text.take_front(40), out);
  out << (text.size() > 40 ? "…`" : "`");
  return result;
}

bool Channel::readLine(std::string &line, bool &overlong) {
  line.clear();
  overlong = false;
  for (int c = getc(in); c != EOF; c = getc(in)) {
    if (c == '\n')
      return true;
    line += char(c);
    if (line.size() > kMaxLine) {
      overlong = true;
      line.erase(0, kMaxLine / 2);
    }
  }
  return !line.empty();
}

std::optional<size_t> Channel::readHeader(std::string &fault) {
  std::optional<size_t> length;
  auto refuse = [&](std::string why) {
    if (fault.empty())
      fault = std::move(why);
    length.reset();
  };
  std::string line;
  for (bool overlong; readLine(line, overlong);) {
    StringRef header = StringRef(line).trim();
    if (header.empty()) {
      if (length)
        return length;
      continue; // blank lines between messages harm no one
    }
    // Behind bytes that are no header, the next header follows without a line end.
    const std::string lower = header.lower();
    const size_t at = StringRef(lower).rfind(kLength);
    const bool known = StringRef(lower).starts_with("content-type:");
    if (overlong || (at != 0 && !known))
      refuse("expected `Content-Length: N` and an empty line, got " + quoted(header));
    if (at == StringRef::npos)
      continue;
    StringRef number = header.drop_front(at + kLength.size()).trim();
    size_t bytes = 0;
    if (number.empty() || !all_of(number, isDigit))
      refuse("`Content-Length` is not a number: " + quoted(number));
    else if (number.getAsInteger(10, bytes) || bytes > kMaxBytes)
      refuse("a message of " + number.take_front(40).str() + " bytes is longer than the limit of " +
             std::to_string(kMaxBytes) + " bytes");
    else
      length = bytes;
  }
  if (length)
    refuse("the input ends inside a header");
  return std::nullopt;
}

/// How deep brackets are nested, those of strings aside.
static unsigned nestingOf(StringRef text) {
  unsigned depth = 0, deepest = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '"') {
      while (++i < text.size() && text[i] != '"')
        i += text[i] == '\\';
    } else if (text[i] == '{' || text[i] == '[') {
      deepest = std::max(deepest, ++depth);
    } else if (text[i] == '}' || text[i] == ']') {
      depth -= depth > 0;
    }
  }
  return deepest;
}

Channel::Incoming Channel::read() {
  Incoming incoming;
  std::optional<size_t> length = std::exchange(pending, std::nullopt);
  if (!length)
    length = readHeader(incoming.fault);
  if (!incoming.fault.empty()) {
    pending = length;
    return incoming;
  }
  if (!length)
    return incoming;
  // Memory grows with what arrives, not with what is announced.
  std::string body;
  while (body.size() < *length) {
    const size_t have = body.size();
    body.resize(std::min(*length, std::max<size_t>(2 * have, 65536)));
    const size_t got = fread(body.data() + have, 1, body.size() - have, in);
    if (got < body.size() - have) {
      incoming.fault = "the input ends after " + std::to_string(have + got) + " of the " + std::to_string(*length) +
                       " bytes of a message";
      return incoming;
    }
  }
  if (nestingOf(body) > kMaxNesting) {
    incoming.fault = "the JSON is nested deeper than " + std::to_string(kMaxNesting) + " levels";
    return incoming;
  }
  Expected<json::Value> value = json::parse(body);
  if (!value)
    incoming.fault = "the message is not JSON: " + toString(value.takeError());
  else if (json::Object *object = value->getAsObject())
    incoming.message = std::move(*object);
  else
    incoming.fault = "the message is not a JSON object";
  return incoming;
}

bool Channel::write(const json::Value &message) {
  std::string body;
  raw_string_ostream(body) << message;
  const std::string header = "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n";
  std::lock_guard lock(writing);
  return fwrite(header.data(), 1, header.size(), out) == header.size() &&
         fwrite(body.data(), 1, body.size(), out) == body.size() && fflush(out) == 0;
}

} // namespace ptoscope
