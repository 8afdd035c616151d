//===- Precompiled.h - our headers, parsed once -----------------*- C++ -*-===//
//
// A small kernel is compiled in a quarter of the time if clang loads our headers
// instead of reading them. Where it does not work the command runs as it is.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DRIVER_CXX_PRECOMPILED_H
#define PTOSCOPE_LIB_DRIVER_CXX_PRECOMPILED_H

#include "Host.h"
#include "ptoscope/Driver/CxxCommand.h"

namespace ptoscope::cxx {

/// Whether a source starts with <pto/pto-inst.hpp>, up to headers of the standard library: nothing in it changes what
/// our headers say.
bool startsWithHeaders(std::string_view text);

/// Whether no word of the command may matter to our headers in a way that is not known.
bool allowsHeaders(const Command &command);

/// Our headers as clang keeps them for commands that start with `words`; made if they are missing. `headers` stays
/// empty for other compilers and without a folder for caches. -> the status to exit with after an interrupt, else 0.
int precompiledHeaders(const Words &words, const Home &home, Scratch &scratch, bool verbose, std::string &headers);

/// Words of a command that uses them. It fails if they have changed since.
void appendPrecompiled(Words &command, const std::string &headers);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_LIB_DRIVER_CXX_PRECOMPILED_H
