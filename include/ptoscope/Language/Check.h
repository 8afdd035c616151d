//===- Check.h - what `ptoscope check` looks at -----------------*- C++ -*-===//

#ifndef PTOSCOPE_LANGUAGE_CHECK_H
#define PTOSCOPE_LANGUAGE_CHECK_H

#include "ptoscope/Driver/Session.h"

namespace ptoscope {

/// Follows a parsed program, which must have a module, and proves the remedies of what it
/// finds. Returns how many accesses could not be compared (StaticCheck.h). Once `stale` says
/// so, nothing more is proved.
size_t checkParsed(
    Session &session, const ParsedProgram &program, const FrontendOptions &options, FindingList &findings,
    const std::function<bool()> &stale = [] { return false; });

} // namespace ptoscope

#endif // PTOSCOPE_LANGUAGE_CHECK_H
