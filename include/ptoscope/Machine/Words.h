//===- Words.h - how reports write things, and sentences with gaps -*- C++ -*-//
//
// One definition for everything that messages share: numbers, places,
// instructions, flags, lines of code to insert, for `.pto` and for C++. Those
// that find a fault state it as a Fact: a sentence of the tables in Sentences.h
// and the values that fill its gaps. They write no text of their own.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_WORDS_H
#define PTOSCOPE_MACHINE_WORDS_H

#include "ptoscope/Machine/Observer.h"
#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Support/Text.h"

#include <concepts>

namespace ptoscope {

/// "AIC", "AIV0", "AIV1".
std::string_view nameOf(CoreId core);
/// "once", "3 times".
std::string timesText(uint64_t n);
/// "UB", as messages write it.
std::string spaceText(Space space);
/// "PIPE_V"; "pipe number N" where there is none.
std::string pipeText(uint32_t pipe);
/// "add.pto:24", or "an unknown place".
std::string lineText(const Place &place);
/// "add.pto:24:5", or "an unknown place".
std::string placeText(const Place &place);
/// "UB bytes 0x0000..0x00ff (256 bytes)"; of GM with the parameter, if it is known.
std::string bytesText(const ByteRange &range);
/// "UB", "GM parameter `%arg0`".
std::string spaceText(const ByteRange &range);

//===----------------------------------------------------------------------===//
// Sentences
//===----------------------------------------------------------------------===//

/// What fills a gap.
struct Detail {
  std::string text;
  uint64_t number = 0; ///< of those that are numbers

  Detail(std::string text) : text(std::move(text)) {}
  Detail(std::string_view text) : text(text) {}
  Detail(const char *text) : text(text) {}
  Detail(Pipe pipe) : text(nameOf(pipe)) {}
  Detail(CoreId core) : text(nameOf(core)) {}
  Detail(Space space) : text(spaceText(space)) {}
  Detail(const Place &place) : text(lineText(place)) {}
  template <std::integral T> Detail(T number) : text(std::to_string(number)), number(uint64_t(number)) {}
};

/// Texts have gaps: {0} is the first value; {0:hex} and {0:hex4} a number in
/// hexadecimal, of four digits at least; {0:byte} a number of bytes ("1 byte", "2
/// bytes"), and so with other nouns; {0:`} a value in backticks. {op} is the instruction, {access} the
/// same with its distribution.
std::string fill(std::string_view text, const std::vector<Detail> &values, std::string_view op = {},
                 std::string_view access = {});

/// How many values a text asks for.
consteval size_t valuesIn(const char *text) {
  size_t count = 0;
  for (; *text; ++text)
    if (text[0] == '{' && text[1] >= '0' && text[1] <= '9')
      count = size_t(text[1] - '0') + 1 > count ? size_t(text[1] - '0') + 1 : count;
  return count;
}

/// A part of a sentence: a note, or what fills a gap of another.
template <size_t N> struct Phrase {
  const char *text;
  consteval Phrase(const char *text) : text(text) {
    if (valuesIn(text) != N)
      throw "the text asks for another number of values";
  }
  template <class... V> std::string operator()(const V &...values) const {
    static_assert(sizeof...(V) == N);
    return fill(text, {Detail(values)...});
  }
};

/// Something that is the case: what a Finding says, before it is said.
struct Fact {
  const char *code = nullptr, *message = "", *help = "";
  std::vector<Detail> values;
};

/// The fact as a finding about the instruction `op` at `place`.
Finding findingOf(const Fact &fact, Place place, std::string_view op, std::string_view access = {});

/// A code with its message and help, which share N values.
template <size_t N> struct Sentence {
  const char *code, *message, *help;
  consteval Sentence(const char *code, const char *message, const char *help)
      : code(code), message(message), help(help) {
    size_t first = valuesIn(message), second = valuesIn(help);
    if ((first > second ? first : second) != N)
      throw "the texts ask for another number of values";
  }
  template <class... V> Fact operator()(const V &...values) const {
    static_assert(sizeof...(V) == N);
    return {code, message, help, {Detail(values)...}};
  }
  /// The same sentence under another code.
  constexpr Sentence as(const char *other) const {
    Sentence copy = *this;
    copy.code = other;
    return copy;
  }
};

//===----------------------------------------------------------------------===//
// Words of a program
//===----------------------------------------------------------------------===//

class Words {
public:
  Words() = default;
  explicit Words(const SiteTable *sites) : sites(sites) {}

  const SiteTable *sites = nullptr; ///< may be null

  bool knows(SiteId site) const { return sites && site < sites->size(); }
  Place place(SiteId site) const { return sites ? sites->placeOf(site) : Place{}; }
  bool isCpp() const { return sites && sites->isCpp(); }

  /// "`pto.vadd`", or "the instruction" for an unknown site.
  std::string opText(SiteId site) const;
  /// The same with the distribution, if it has one.
  std::string accessText(SiteId site) const;
  /// "file:3:5", or "an unknown place".
  std::string placeText(SiteId site) const { return ptoscope::placeText(place(site)); }
  /// "file:3", or "an unknown place".
  std::string lineText(SiteId site) const { return ptoscope::lineText(place(site)); }
  /// The event as `site` would write it: "EVENT_ID2", or its symbolic name.
  std::string eventText(int64_t eventId, SiteId site) const;
  /// "PIPE_V -> PIPE_MTE2, EVENT_ID2 (`NAME`)": the name if `site` wrote one.
  std::string flagText(Pipe src, Pipe dst, int64_t eventId, SiteId site) const;

  /// Lines as the program would write them. `op` is "set_flag" or "wait_flag"; the
  /// event is named as `site` names it.
  std::string flagLine(std::string_view op, Pipe src, Pipe dst, int64_t eventId, SiteId site = kNoSite) const;
  std::string barrierLine(Pipe pipe) const;

  /// The fact as a finding at `site`.
  Finding finding(SiteId site, const Fact &fact) const;
};

/// `op` is "get_buf" or "rls_buf".
std::string bufferLine(std::string_view op, Pipe pipe, int64_t id);
/// `op` is "set" or "wait".
std::string semaphoreLine(std::string_view op, Pipe pipe, int64_t id);
std::string fenceLine(Fence fence);
/// The same in C++: `set_intra_block(PIPE_FIX, 3);`, and a signal by its config word.
std::string intraBlockLine(std::string_view op, Pipe pipe, int64_t id);
std::string signalLine(Pipe pipe, unsigned mode, int64_t id);

/// "the 3rd time this line runs", for a number that counts from 0.
std::string executionText(int64_t execution);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_WORDS_H
