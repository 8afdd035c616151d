//===- MessageMutators.cpp - messages and reports out of others -----------===//
//
// Words, numbers and strings of JSON are exchanged, lines removed, doubled and
// exchanged: most mutants are JSON still. A program in a string gets typing errors
// of its own.
//
//===----------------------------------------------------------------------===//

#include "Input.h"
#include "TextMutator.h"

using namespace ptoscope;

namespace {

/// A string of JSON, without its quotes.
struct Quoted {
  size_t begin, size;
};

/// Strings of several lines: programs.
std::vector<Quoted> programsOf(std::string_view text) {
  std::vector<Quoted> programs;
  for (size_t at = text.find('"'); at != std::string_view::npos; at = text.find('"', at)) {
    const size_t begin = ++at;
    while (at < text.size() && text[at] != '"')
      at += text[at] == '\\' ? 2 : 1;
    at = std::min(at, text.size());
    if (text.substr(begin, at - begin).find("\\n") != std::string_view::npos)
      programs.push_back({begin, at - begin});
    at += at < text.size();
  }
  return programs;
}

std::string unquoted(std::string_view text) {
  std::string result;
  for (size_t i = 0; i < text.size(); ++i) {
    const bool escaped = text[i] == '\\' && i + 1 < text.size();
    i += escaped;
    result += escaped && text[i] == 'n' ? '\n' : text[i];
  }
  return result;
}

std::string quoted(std::string_view text) {
  std::string result;
  for (char c : text)
    if (c == '\n')
      result += "\\n";
    else if (c == '"' || c == '\\')
      (result += '\\') += c;
    else
      result += c;
  return result;
}

} // namespace

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  TextMutator random(seed);
  if (random.below(10) == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string text(fuzz::textOf(data, size));
  const std::vector<Quoted> programs = programsOf(text);
  if (programs.empty() || random.below(2))
    return fuzz::give(random.exchange(text), data, maxSize);
  const Quoted &program = programs[random.below(programs.size())];
  const std::string changed = random.mutate(unquoted(std::string_view(text).substr(program.begin, program.size)));
  return fuzz::give(text.replace(program.begin, program.size, quoted(changed)), data, maxSize);
}
