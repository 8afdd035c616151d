//===- Adapter.h - the Debug Adapter Protocol -------------------*- C++ -*-===//

#ifndef PTOSCOPE_DEBUG_ADAPTER_H
#define PTOSCOPE_DEBUG_ADAPTER_H

#include "ptoscope/Debug/Debugger.h"
#include "ptoscope/Protocol/Channel.h"

namespace ptoscope::debug {

/// Makes what a launch request asks for, given as the words of a command line; or says
/// why not.
using MakeTarget = std::function<std::unique_ptr<Target>(const std::vector<std::string> &words, std::string &problem)>;

/// Serves one client until it disconnects or is gone. False: it went without a word, or
/// sent what is no message.
bool serveAdapter(Channel &channel, const MakeTarget &make);

} // namespace ptoscope::debug

#endif // PTOSCOPE_DEBUG_ADAPTER_H
