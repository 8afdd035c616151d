//===- Format.h - formatting that is known to change nothing ----*- C++ -*-===//

#ifndef PTOSCOPE_LANGUAGE_FORMAT_H
#define PTOSCOPE_LANGUAGE_FORMAT_H

#include "ptoscope/Support/Finding.h"

#include "mlir/IR/MLIRContext.h"

#include <optional>
#include <string>

namespace ptoscope {

/// The text laid out (Layout.h). It is parsed before and after: nothing, with findings, for a
/// text that cannot be parsed, and for one that would become another program.
std::optional<std::string> formattedProgram(mlir::MLIRContext &context, const std::string &path,
                                            const std::string &text, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_LANGUAGE_FORMAT_H
