//===- Module.cpp - the extension behind `import ptoscope` ----------------===//
//
// Everything that people see is documented in docs/python.md and typed in
// python/ptoscope/_core.pyi.
//
//===----------------------------------------------------------------------===//

#include "Runs.h"

PYBIND11_MODULE(_core, module) {
  module.attr("__version__") = PTOSCOPE_VERSION;
  ptoscope::python::defineFindings(module);
  ptoscope::python::defineRuns(module);
  ptoscope::python::defineArrays(module);
  ptoscope::python::defineOps(module);
}
