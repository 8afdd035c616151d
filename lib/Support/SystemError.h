//===- SystemError.h - the system's reasons in our words --------*- C++ -*-===//
//
// Messages of ours start in lower case; those of the C library do not.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_SUPPORT_SYSTEMERROR_H
#define PTOSCOPE_LIB_SUPPORT_SYSTEMERROR_H

#include <cctype>
#include <string>
#include <system_error>

namespace ptoscope {

/// The meaning of an `errno` value.
inline std::string reasonOf(int error) {
  std::string reason = std::generic_category().message(error);
  // "Is a directory", but not "I/O error".
  if (reason.size() > 1 && std::islower(static_cast<unsigned char>(reason[1])))
    reason[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(reason[0])));
  return reason;
}

} // namespace ptoscope

#endif // PTOSCOPE_LIB_SUPPORT_SYSTEMERROR_H
