//===- CodeTables.h - the table of codes, by family -------------*- C++ -*-===//
//
// The rows of the table that codes() sorts and joins. A new code is one row in
// the file of its family, and nothing else: renderers, `ptoscope explain` and
// the SARIF rules read the table. Pages follow one pattern (CodePage checks it):
// the meaning, then paragraphs that start with "Example:", "Repair:",
// "Ignore:" and "Assumes:"; at most 90 columns, 8 to 20 lines.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_SUPPORT_CODETABLES_H
#define PTOSCOPE_LIB_SUPPORT_CODETABLES_H

#include "ptoscope/Support/Finding.h"

#include <span>

namespace ptoscope::codetables {

std::span<const CodeInfo> frontCodes();    ///< text, command line, our own bugs
std::span<const CodeInfo> vectorCodes();   ///< text of vector instructions
std::span<const CodeInfo> raceCodes();     ///< missing order
std::span<const CodeInfo> memoryCodes();   ///< bounds, alignment, rights
std::span<const CodeInfo> transferCodes(); ///< operands of transfers (D4 to D14)
std::span<const CodeInfo> initCodes();     ///< bytes that were never written
std::span<const CodeInfo> syncCodes();     ///< flags, buffers, hangs (S3 to S14)
std::span<const CodeInfo> staticCodes();   ///< what `check` finds without a run
std::span<const CodeInfo> runCodes();      ///< how a run ends
std::span<const CodeInfo> tileCodes();     ///< tiles of C++ programs

} // namespace ptoscope::codetables

#endif // PTOSCOPE_LIB_SUPPORT_CODETABLES_H
