//===- Runs.h - programs and runs as Python objects -------------*- C++ -*-===//

#ifndef PTOSCOPE_PYTHON_RUNS_H
#define PTOSCOPE_PYTHON_RUNS_H

#include "Findings.h"
#include "ptoscope/Driver/Program.h"

namespace ptoscope::python {

struct LoadedProgram {
  std::shared_ptr<Program> program;
  std::shared_ptr<const SourceText> source;
  pybind11::list warnings;
};

struct FinishedRun {
  Outcome outcome;
  std::shared_ptr<Program> program; ///< has the signature
  const KernelSignature *signature = nullptr;
  std::shared_ptr<const SourceText> source;
  pybind11::tuple arguments;
  std::string device;
  int64_t blocks = 1;
  std::string schedule, checks;
};

void defineRuns(pybind11::module_ &module);
void defineArrays(pybind11::module_ &module);
void defineOps(pybind11::module_ &module);

} // namespace ptoscope::python

#endif // PTOSCOPE_PYTHON_RUNS_H
