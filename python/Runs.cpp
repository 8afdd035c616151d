//===- Runs.cpp - programs and runs as Python objects ---------------------===//

#include "Runs.h"

#include "Arguments.h"
#include "Interrupt.h"
#include "ptoscope/Driver/Usage.h"

#include <algorithm>
#include <cstring>
#include <pybind11/stl.h>
#include <thread>

namespace py = pybind11;

namespace ptoscope::python {

namespace {

/// What `run(…)` may be told by name.
struct RunOptions {
  Way way;
  LaunchRequest request;
  bool raises = false;
  std::string checks = "all", schedule = "eager";
  std::optional<uint64_t> seed, scheduleSeed; ///< of `seed`, and of "random:7"
};

std::string textOf(py::handle value, const char *name) {
  if (!PyUnicode_Check(value.ptr()))
    throw py::type_error(std::string("`") + name + "` is a str, got " + Py_TYPE(value.ptr())->tp_name);
  return value.cast<std::string>();
}

int64_t numberOf(py::handle value, const char *name, int64_t lowest) {
  py::object whole = py::reinterpret_steal<py::object>(PyNumber_Index(value.ptr()));
  if (!whole) {
    PyErr_Clear();
    throw py::type_error(std::string("`") + name + "` is a whole number, got " + Py_TYPE(value.ptr())->tp_name);
  }
  int overflow = 0;
  const int64_t number = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
  if (overflow || number < lowest)
    throw py::value_error(std::string("`") + name + "` is at least " + std::to_string(lowest) + " and below 2**63");
  return number;
}

bool truthOf(py::handle value, const char *name) {
  if (!PyBool_Check(value.ptr()))
    throw py::type_error(std::string("`") + name + "` is True or False, got " + Py_TYPE(value.ptr())->tp_name);
  return value.ptr() == Py_True;
}

void takeChecks(RunOptions &options, py::handle value) {
  std::string list;
  if (PyUnicode_Check(value.ptr()))
    list = value.cast<std::string>();
  else if (py::isinstance<py::iterable>(value))
    for (py::handle name : value)
      list += (list.empty() ? "" : ",") + textOf(name, "checks");
  else
    throw py::type_error("`checks` is a str or a list of them");
  if (std::optional<std::string> problem = parseChecks(list, options.way.checks))
    throw py::value_error(*problem);
  options.checks = list;
}

void takeSchedule(RunOptions &options, py::handle value) {
  options.schedule = textOf(value, "schedule");
  Schedule schedule{ScheduleKind::Random, 0}; // a word without a seed: `seed` may follow
  if (options.schedule != "random")
    if (std::optional<std::string> problem = parseSchedule(options.schedule, schedule))
      throw py::value_error(*problem);
  options.way.schedule = schedule.kind;
  if (options.schedule != "random" && schedule.kind == ScheduleKind::Random)
    options.scheduleSeed = schedule.seed;
}

void takeTiming(RunOptions &options, py::handle value) {
  options.way.isTimed = value.ptr() != Py_False;
  if (PyBool_Check(value.ptr()))
    return;
  PyObject *path = nullptr;
  if (!PyUnicode_FSConverter(value.ptr(), &path)) {
    PyErr_Clear();
    throw py::type_error(std::string("`timing` is True, False or the path of a timing file, got ") +
                         Py_TYPE(value.ptr())->tp_name);
  }
  options.request.timingFile = py::reinterpret_steal<py::object>(path).cast<std::string>();
}

void takeDevice(std::string &device, py::handle value) {
  device = textOf(value, "device");
  if (!findProfile(device))
    throw py::value_error("`" + device + "` is not a device; use a5, a3 or a2");
}

struct Keyword {
  const char *name;
  void (*take)(RunOptions &, py::handle);
};
constexpr Keyword kKeywords[] = {
    {"blocks", [](RunOptions &to, py::handle value) { to.request.blocks = numberOf(value, "blocks", 1); }},
    {"checks", &takeChecks},
    {"schedule", &takeSchedule},
    {"seed", [](RunOptions &to, py::handle value) { to.seed = uint64_t(numberOf(value, "seed", 0)); }},
    {"device", [](RunOptions &to, py::handle value) { takeDevice(to.way.device, value); }},
    {"threads", [](RunOptions &to, py::handle value) { to.request.threads = unsigned(numberOf(value, "threads", 1)); }},
    {"kernel",
     [](RunOptions &to, py::handle value) {
       to.way.kernel = textOf(value, "kernel");
       if (to.way.kernel.starts_with('@'))
         to.way.kernel.erase(0, 1);
     }},
    {"timing", &takeTiming},
    {"max_steps",
     [](RunOptions &to, py::handle value) { to.request.maxSteps = uint64_t(numberOf(value, "max_steps", 1)); }},
    {"max_findings",
     [](RunOptions &to, py::handle value) { to.request.maxFindings = size_t(numberOf(value, "max_findings", 1)); }},
    {"as_written", [](RunOptions &to, py::handle value) { to.way.asWritten = truthOf(value, "as_written"); }},
    {"remedies", [](RunOptions &to, py::handle value) { to.request.provesRemedies = truthOf(value, "remedies"); }},
    {"raise_on_findings", [](RunOptions &to, py::handle value) { to.raises = truthOf(value, "raise_on_findings"); }},
};

RunOptions optionsOf(const py::kwargs &named) {
  RunOptions options;
  static const unsigned hostThreads = std::max(1u, std::thread::hardware_concurrency());
  options.request.threads = hostThreads;
  for (auto [name, value] : named) {
    const char *text = PyUnicode_AsUTF8(name.ptr());
    const auto *keyword =
        std::ranges::find_if(kKeywords, [&](const Keyword &known) { return !strcmp(known.name, text); });
    if (keyword == std::end(kKeywords))
      throw py::type_error(std::string("run() has no argument `") + text +
                           "`; there are blocks, checks, schedule, seed, device, threads, kernel, timing, max_steps, "
                           "max_findings, as_written, remedies and raise_on_findings");
    if (!value.is_none())
      keyword->take(options, value);
  }
  if (options.seed && options.scheduleSeed)
    throw py::value_error("schedule=\"" + options.schedule + "\" has a seed; leave out `seed`");
  if (options.seed.value_or(0) != 0 && options.way.schedule != ScheduleKind::Random)
    throw py::value_error("`seed` is for schedule=\"random\"");
  options.request.seed = options.scheduleSeed ? *options.scheduleSeed : options.seed.value_or(0);
  return options;
}

py::object run(LoadedProgram &self, const py::args &given, const py::kwargs &named) {
  RunOptions options = optionsOf(named);
  FindingList refused;
  Program::Ready *ready;
  {
    py::gil_scoped_release released;
    ready = self.program->ready(options.way, refused);
  }
  if (!ready)
    raiseProgramError(refused, self.source);
  auto finished = std::make_unique<FinishedRun>();
  finished->program = self.program;
  finished->signature = &Program::signatureOf(*ready);
  HeldArguments held(*finished->signature, given);
  bool interrupted = false;
  std::optional<Finding> failure;
  {
    InterruptScope scope;
    options.request.interrupt = scope.flag();
    py::gil_scoped_release released;
    Result<Outcome> outcome = self.program->run(*ready, held.arguments, options.request);
    if (outcome)
      finished->outcome = std::move(*outcome);
    else
      failure = outcome.takeFinding();
    interrupted = scope.flag() && scope.flag()->load();
  }
  if (interrupted && PyErr_CheckSignals() != 0)
    throw py::error_already_set();
  if (failure)
    raise(*failure);
  if (!finished->outcome.printed.empty()) // Python's own `print` does without a `sys.stdout`
    py::module_::import("builtins")
        .attr("print")(pyText(finished->outcome.printed), py::arg("end") = "", py::arg("flush") = true);
  finished->source = self.source;
  finished->arguments = given;
  finished->device = options.way.device.empty() ? std::string(self.program->device()) : options.way.device;
  finished->blocks = options.request.blocks;
  finished->schedule =
      options.schedule == "random" ? "random:" + std::to_string(options.request.seed) : options.schedule;
  finished->checks = options.checks;
  const FindingList &findings = finished->outcome.findings;
  for (const Finding &finding : findings.all())
    if (finding.category == Category::Internal && finding.severity == Severity::Error)
      raiseProgramError(findings, self.source);
  const bool fails = options.raises && !finished->outcome.ok();
  py::object result = py::cast(std::move(finished));
  if (fails) {
    py::object type = py::module_::import("ptoscope._errors").attr("Findings");
    PyErr_SetObject(type.ptr(), type(result).ptr());
    throw py::error_already_set();
  }
  return result;
}

std::string signatureText(const KernelSignature &kernel) {
  std::string text = "@" + kernel.name + "(";
  for (size_t i = 0; i < kernel.parameters.size(); ++i)
    text += (i ? ", " : "") + kernel.parameters[i].name + ": " + kernel.parameters[i].type;
  return text + ")";
}

std::shared_ptr<LoadedProgram> load(std::string text, std::string path, const std::string &device, bool strict,
                                    bool autoScope) {
  if (!device.empty() && !findProfile(device))
    throw py::value_error("`" + device + "` is not a device; use a5, a3 or a2");
  auto loaded = std::make_shared<LoadedProgram>();
  loaded->source = std::make_shared<SourceText>(SourceText{path, text});
  FindingList findings(SIZE_MAX);
  {
    py::gil_scoped_release released;
    loaded->program = Program::open({std::move(path), std::move(text), strict, autoScope, device}, findings);
  }
  if (!loaded->program)
    raiseProgramError(findings, loaded->source);
  loaded->warnings = listOf(findings, loaded->source);
  return loaded;
}

const Outcome &timedOf(const FinishedRun &run) {
  if (!run.outcome.isTimed())
    throw py::value_error("the run was not timed; run it with `timing=True`");
  return run.outcome;
}

void writeFile(const FinishedRun &run, const timing::TimeFiles &files) {
  if (Result<void> written = timedOf(run).write(files); !written)
    raise(written.finding());
}

py::dict counters(const FinishedRun &run) {
  const LaunchStats &stats = run.outcome.stats;
  py::dict all;
  all["instructions"] = stats.instructions;
  all["transfers"] = stats.transfers;
  all["bytes_moved"] = stats.transferBytes;
  all["vector_scopes"] = stats.scopes;
  all["flag_operations"] = stats.flags;
  all["steps"] = stats.steps;
  all["blocks"] = stats.blocksDone;
  all["accesses_checked"] = run.outcome.checked.accesses;
  all["bytes_checked"] = run.outcome.checked.bytes;
  return all;
}

} // namespace

void defineRuns(py::module_ &module) {
  py::class_<Parameter>(module, "Parameter", "What a kernel takes.")
      .def_readonly("name", &Parameter::name)
      .def_readonly("type", &Parameter::type)
      .def_readonly("element", &Parameter::element)
      .def_readonly("is_pointer", &Parameter::isPointer)
      .def("__repr__", [](const Parameter &self) { return "<Parameter " + self.name + ": " + self.type + ">"; });
  py::class_<KernelSignature>(module, "Kernel", "Name and parameters of a kernel.")
      .def_readonly("name", &KernelSignature::name)
      .def_readonly("parameters", &KernelSignature::parameters)
      .def("__repr__", [](const KernelSignature &self) { return "<Kernel " + signatureText(self) + ">"; });

  py::class_<TimelineEntry>(module, "Slice", "An instruction on its pipe; times are cycles.")
      .def_readonly("block", &TimelineEntry::block)
      .def_property_readonly("core", [](const TimelineEntry &self) { return std::string(self.core); })
      .def_property_readonly("pipe", [](const TimelineEntry &self) { return std::string(self.pipe); })
      .def_readonly("line", &TimelineEntry::line)
      .def_readonly("op", &TimelineEntry::op)
      .def_readonly("issued", &TimelineEntry::issued)
      .def_readonly("start", &TimelineEntry::start)
      .def_readonly("end", &TimelineEntry::end)
      .def_readonly("waited", &TimelineEntry::waited)
      .def_property_readonly("reason", [](const TimelineEntry &self) { return std::string(self.reason); })
      .def_readonly("bytes", &TimelineEntry::bytes)
      .def("__repr__", [](const TimelineEntry &self) {
        char times[64];
        snprintf(times, sizeof times, "%.0f..%.0f", self.start, self.end);
        return "<Slice block " + std::to_string(self.block) + " " + std::string(self.core) + " " +
               std::string(self.pipe) + " " + times + " " + self.op + ", line " + std::to_string(self.line) + ">";
      });

  py::class_<FinishedRun>(module, "Run", "A run that has ended.")
      .def_property_readonly("ok", [](const FinishedRun &self) { return self.outcome.ok(); })
      .def_property_readonly("completed", [](const FinishedRun &self) { return self.outcome.completed; })
      .def_property_readonly("findings",
                             [](const FinishedRun &self) { return listOf(self.outcome.findings, self.source); })
      .def_property_readonly("kernel", [](const FinishedRun &self) { return *self.signature; })
      .def_readonly("arguments", &FinishedRun::arguments)
      .def_readonly("device", &FinishedRun::device)
      .def_readonly("blocks", &FinishedRun::blocks)
      .def_readonly("schedule", &FinishedRun::schedule)
      .def_readonly("checks", &FinishedRun::checks)
      .def_property_readonly("output", [](const FinishedRun &self) { return pyText(self.outcome.printed); })
      .def_property_readonly("timed", [](const FinishedRun &self) { return self.outcome.isTimed(); })
      .def_property_readonly("cycles", [](const FinishedRun &self) { return timedOf(self).cycles(); })
      .def_property_readonly("microseconds", [](const FinishedRun &self) { return timedOf(self).microseconds(); })
      .def_property_readonly("stats",
                             [](py::object self) { return py::module_::import("ptoscope._stats").attr("Stats")(self); })
      .def_property_readonly("timeline", [](const FinishedRun &self) { return timedOf(self).timeline(100'000); })
      .def_property_readonly(
          "trace", [](py::object self) { return py::module_::import("ptoscope._stats").attr("trace_of")(self); })
      .def(
          "save_trace",
          [](const FinishedRun &self, py::object path) {
            timing::TimeFiles files;
            files.trace = py::str(py::module_::import("os").attr("fspath")(path));
            if (std::optional<std::string> problem = timing::TraceSink::refusePath(files.trace))
              throw py::value_error(*problem);
            writeFile(self, files);
          },
          py::arg("path"), "Writes a timeline: .pftrace for ui.perfetto.dev, .json for Chrome's viewer.")
      .def(
          "report",
          [](const FinishedRun &self, py::object path) {
            timing::TimeFiles files;
            files.report = py::str(py::module_::import("os").attr("fspath")(path));
            if (std::optional<std::string> problem = timing::TimeFiles::refuseReport(files.report))
              throw py::value_error(*problem);
            writeFile(self, files);
          },
          py::arg("path"), "Writes a page that shows where the cycles went (.html), or its data (.json).")
      .def(
          "compare",
          [](py::object self, py::object reference, py::object rtol, py::object atol, py::object argument) {
            return py::module_::import("ptoscope._compare").attr("compare_run")(self, reference, rtol, atol, argument);
          },
          py::arg("reference"), py::arg("rtol") = py::none(), py::arg("atol") = py::none(), py::kw_only(),
          py::arg("argument") = py::none())
      .def("_counters", &counters)
      .def("_stats_json", [](const FinishedRun &self) { return timedOf(self).statsJson(); })
      .def("_stats_table", [](const FinishedRun &self) { return timedOf(self).statsTable(); })
      .def("_stats_lines", [](const FinishedRun &self) { return timedOf(self).statsLines(); })
      .def("__repr__", [](py::object self) { return py::module_::import("ptoscope._text").attr("run")(self); })
      .def("_repr_html_", [](py::object self) { return py::module_::import("ptoscope._html").attr("run")(self); });

  py::class_<LoadedProgram, std::shared_ptr<LoadedProgram>>(module, "Program", "A program that can be run.")
      .def_property_readonly("path", [](const LoadedProgram &self) { return self.source->path; })
      .def_property_readonly("text", [](const LoadedProgram &self) { return pyText(self.source->text); })
      .def_property_readonly("device", [](const LoadedProgram &self) { return std::string(self.program->device()); })
      .def_property_readonly("kernels", [](const LoadedProgram &self) { return self.program->kernels(); })
      .def_readonly("warnings", &LoadedProgram::warnings)
      .def("run", &run)
      .def("_auto_words",
           [](LoadedProgram &self, const py::kwargs &named) {
             RunOptions options = optionsOf(named);
             FindingList findings;
             std::optional<std::vector<std::string>> words;
             {
               InterruptScope scope;
               options.request.interrupt = scope.flag();
               py::gil_scoped_release released;
               words = self.program->autoArguments(options.way, options.request, findings);
             }
             if (!words)
               raiseProgramError(findings, self.source);
             return *words;
           })
      .def("check",
           [](LoadedProgram &self) {
             FindingList findings;
             {
               py::gil_scoped_release released;
               findings = self.program->check();
             }
             return listOf(findings, self.source);
           })
      .def("__repr__", [](const LoadedProgram &self) {
        std::string text = "<Program " + self.source->path + " for " + std::string(self.program->device());
        for (const KernelSignature &kernel : self.program->kernels())
          text += "\n  " + signatureText(kernel);
        return text + ">";
      });
  module.def("load_text", &load, py::arg("text"), py::arg("path"), py::arg("device") = "", py::arg("strict") = false,
             py::arg("auto_scope") = true);
}

} // namespace ptoscope::python
