//===- Server.h - the language server ---------------------------*- C++ -*-===//

#ifndef PTOSCOPE_LANGUAGE_SERVER_H
#define PTOSCOPE_LANGUAGE_SERVER_H

#include "ptoscope/Protocol/Channel.h"

namespace ptoscope {

/// Speaks the Language Server Protocol until `exit` or the end of the input. False if that
/// comes without `shutdown` before it.
bool serveLanguage(Channel &channel, const std::string &version);

} // namespace ptoscope

#endif // PTOSCOPE_LANGUAGE_SERVER_H
