//===- Alignment.h - which lines of two texts are the same ------*- C++ -*-===//
//
// Two versions of a program, line by line: the longest common subsequence, in which
// equal lines count most, then lines that differ only in names of values, then lines with
// the same instruction. Numbers of lines play no part.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_AUDIT_ALIGNMENT_H
#define PTOSCOPE_AUDIT_ALIGNMENT_H

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope::audit {

/// Without comments and needless spaces; names of values are `%`.
std::string normalised(std::string_view line);
/// "pto.vadd" of "%z = pto.vadd %x, %y"; of C++ the first word. Empty: there is none.
std::string instructionOf(std::string_view normalisedLine);
std::vector<std::string_view> linesOf(std::string_view text);
/// Lines that both have, in whatever order, by all lines of both: 0 to 1.
double likeness(std::string_view a, std::string_view b);

class Alignment {
public:
  Alignment(std::string_view before, std::string_view after);
  /// Lines count from 1; 0: there is none.
  uint32_t inAfter(uint32_t before) const { return before < forth.size() ? forth[before] : 0; }
  uint32_t inBefore(uint32_t after) const { return after < back.size() ? back[after] : 0; }

private:
  std::vector<uint32_t> forth, back;
};

} // namespace ptoscope::audit

#endif // PTOSCOPE_AUDIT_ALIGNMENT_H
