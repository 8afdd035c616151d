//===- Layout.h - how a program's text is laid out --------------*- C++ -*-===//
//
// The formatter behind `ptoscope fmt` and editors. It moves blanks, and nothing
// else: names, comments and lines stay as their author chose them, so that the
// meaning cannot change.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LANGUAGE_LAYOUT_H
#define PTOSCOPE_LANGUAGE_LAYOUT_H

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope {

/// Each line of the text (without its end) as it should be; nothing for blank lines
/// that go. A text that ends with a line end has no line behind it.
std::vector<std::optional<std::string>> formattedLines(std::string_view text);

/// The whole text; lines end as the first one does. Formatting twice changes nothing more.
std::string formatted(std::string_view text);

/// Every bracket has its partner: a text without that has no nesting to show.
bool bracketsBalance(std::string_view text);

} // namespace ptoscope

#endif // PTOSCOPE_LANGUAGE_LAYOUT_H
