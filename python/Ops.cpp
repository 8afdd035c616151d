//===- Ops.cpp - the instruction table for Python -------------------------===//

#include "Runs.h"
#include "ptoscope/Driver/Manual.h"

#include <pybind11/stl.h>

namespace py = pybind11;

void ptoscope::python::defineOps(py::module_ &module) {
  py::class_<OpRow>(module, "Op", "An instruction, as `ptoscope ops` knows it.")
      .def_readonly("name", &OpRow::name)
      .def_readonly("family", &OpRow::family)
      .def_readonly("summary", &OpRow::summary)
      .def_readonly("pipe", &OpRow::pipe)
      .def_readonly("elements", &OpRow::elements)
      .def_readonly("devices", &OpRow::profiles)
      .def_readonly("syntax", &OpRow::syntax)
      .def_readonly("constraints", &OpRow::constraints)
      .def_readonly("aliases", &OpRow::aliases)
      .def("__repr__", [](const OpRow &self) { return "<Op " + self.name + ": " + self.summary + ">"; });
  module.def("ops", &opsTable);
}
