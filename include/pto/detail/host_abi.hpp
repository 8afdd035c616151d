//===- host_abi.hpp - what the host profile asks of the library -*- C++ -*-===//
//
// A program that is compiled with `__CPU_SIM` may do what devices refuse. Where that
// has a meaning, it is reported once for each line and computed (REPORT-1).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_HOST_ABI_HPP
#define PTO_DETAIL_HOST_ABI_HPP

#include "pto/detail/abi.hpp"

namespace ptoscope::tile {

/// Devices refuse what the program does at `source`, and `why`: a finding, the first time
/// that the line is reached. `op` and `why` are texts that stay.
PTO_API void hostOnly(const char *op, const char *why, const Source &source);
/// The program has instructions of the host profile, with `automatic` some that place
/// their tiles themselves: memories are as large as such programs expect (REPORT-6).
PTO_API bool noteHost(bool automatic);

} // namespace ptoscope::tile

#endif // PTO_DETAIL_HOST_ABI_HPP
