//===- Findings.h - findings as Python objects ------------------*- C++ -*-===//

#ifndef PTOSCOPE_PYTHON_FINDINGS_H
#define PTOSCOPE_PYTHON_FINDINGS_H

#include "ptoscope/Support/Finding.h"
#include "ptoscope/Support/Result.h"

#include <memory>
#include <pybind11/pybind11.h>

namespace ptoscope::python {

/// As a str; bytes that are no UTF-8 become U+FFFD.
pybind11::str pyText(const std::string &text);

/// A text that findings are about, for excerpts.
struct SourceText {
  std::string path, text;
  std::optional<std::string> line(uint32_t number) const;
};

/// A finding with what is needed to show it.
struct ShownFinding {
  Finding finding;
  std::shared_ptr<const SourceText> source;
  std::string text() const;
};

/// As a list of Python objects; remarks stay out unless they are wanted.
pybind11::list listOf(const FindingList &findings, const std::shared_ptr<const SourceText> &source,
                      bool remarks = true);

/// Raises ptoscope.ProgramError, or ptoscope.InternalError where the fault is ours.
[[noreturn]] void raiseProgramError(const FindingList &findings, const std::shared_ptr<const SourceText> &source);
/// Raises ValueError, or OSError for files.
[[noreturn]] void raise(const Finding &finding);

void defineFindings(pybind11::module_ &module);

} // namespace ptoscope::python

#endif // PTOSCOPE_PYTHON_FINDINGS_H
