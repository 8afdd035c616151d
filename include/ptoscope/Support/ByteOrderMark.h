//===- ByteOrderMark.h - what some editors begin UTF-8 with -----*- C++ -*-===//

#ifndef PTOSCOPE_SUPPORT_BYTEORDERMARK_H
#define PTOSCOPE_SUPPORT_BYTEORDERMARK_H

#include <string_view>

namespace ptoscope {

inline constexpr std::string_view kByteOrderMark = "\xef\xbb\xbf";

inline std::string_view withoutByteOrderMark(std::string_view text) {
  return text.substr(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
}

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_BYTEORDERMARK_H
