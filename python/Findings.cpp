//===- Findings.cpp - findings as Python objects --------------------------===//

#include "Findings.h"

#include "ptoscope/Support/Edits.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

#include <nlohmann/json.hpp>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace ptoscope::python {

py::str pyText(const std::string &text) {
  return py::reinterpret_steal<py::str>(PyUnicode_DecodeUTF8(text.data(), Py_ssize_t(text.size()), "replace"));
}

std::optional<std::string> SourceText::line(uint32_t number) const {
  size_t begin = 0;
  for (uint32_t i = 1; i < number; ++i) {
    begin = text.find('\n', begin);
    if (begin == std::string::npos)
      return std::nullopt;
    ++begin;
  }
  if (number == 0 || begin > text.size())
    return std::nullopt;
  return text.substr(begin, text.find('\n', begin) - begin);
}

std::string ShownFinding::text() const {
  TextOptions options;
  options.source = [this](const std::string &file, uint32_t line) {
    return source && file == source->path ? source->line(line) : std::nullopt;
  };
  return renderText(finding, options);
}

/// Texts name options of the command line; in Python these are arguments.
static std::string withArguments(std::string text) {
  struct Option {
    std::string_view word, argument;
  };
  static constexpr Option kOptions[] = {
      {"`--arch`", "`device`"},      {"`--arg auto`", "`auto_args`"},
      {"`--block-dim`", "`blocks`"}, {"`--check memory`", "`checks=\"memory\"`"},
      {"`--kernel`", "`kernel`"},    {"`--max-steps`", "`max_steps`"},
      {"`--strict`", "`strict`"},
  };
  for (const Option &option : kOptions)
    for (size_t at; (at = text.find(option.word)) != std::string::npos;)
      text.replace(at, option.word.size(), option.argument);
  return text;
}

static Finding withArguments(Finding finding) {
  finding.message = withArguments(std::move(finding.message));
  finding.help = withArguments(std::move(finding.help));
  for (Note &note : finding.notes)
    note.message = withArguments(std::move(note.message));
  return finding;
}

py::list listOf(const FindingList &findings, const std::shared_ptr<const SourceText> &source, bool remarks) {
  py::list list;
  for (const Finding &finding : findings.all())
    if (remarks || finding.severity != Severity::Remark)
      list.append(ShownFinding{withArguments(finding), source});
  return list;
}

static bool isOurs(const FindingList &findings) {
  for (const Finding &finding : findings.all())
    if (finding.severity == Severity::Error && finding.category == Category::Internal)
      return true;
  return false;
}

void raiseProgramError(const FindingList &findings, const std::shared_ptr<const SourceText> &source) {
  py::object type = py::module_::import("ptoscope._errors").attr(isOurs(findings) ? "InternalError" : "ProgramError");
  py::object error = type(listOf(findings, source, /*remarks=*/false));
  PyErr_SetObject(type.ptr(), error.ptr());
  throw py::error_already_set();
}

static std::string placeText(const Place &place) {
  if (place.file.empty())
    return "<no place>";
  std::string text = place.file;
  if (place.line)
    text += ":" + std::to_string(place.line);
  if (place.column)
    text += ":" + std::to_string(place.column);
  return text;
}

void raise(const Finding &finding) {
  const std::string place = finding.place.file.empty() ? "" : placeText(finding.place) + ": ";
  const std::string message =
      withArguments(place + finding.message + (finding.help.empty() ? "" : "; " + finding.help));
  if (finding.code == "file-error") {
    PyErr_SetString(PyExc_OSError, message.c_str());
    throw py::error_already_set();
  }
  throw py::value_error(message);
}

static std::string pageOf(const std::string &code) {
  const CodeInfo *info = findCode(code);
  if (!info) {
    const std::string nearest(nearestCode(code));
    throw py::key_error("there is no code `" + code + "`" +
                        (nearest.empty() ? "" : "; the nearest one is `" + nearest + "`"));
  }
  return std::string(info->code) + " (" + std::string(toString(info->severity)) + "): " + std::string(info->title) +
         "\n\n" + std::string(info->page.text);
}

void defineFindings(py::module_ &module) {
  py::class_<Place>(module, "Place", "A place in a program; line and column count from 1, 0 is the file as a whole.")
      .def_readonly("file", &Place::file)
      .def_readonly("line", &Place::line)
      .def_readonly("column", &Place::column)
      .def("__str__", &placeText)
      .def("__repr__", [](const Place &place) { return "<Place " + placeText(place) + ">"; });
  py::class_<Note>(module, "Note", "What else a finding is about.")
      .def_readonly("place", &Note::place)
      .def_readonly("message", &Note::message)
      .def("__repr__", [](const Note &note) { return "<Note " + placeText(note.place) + ": " + note.message + ">"; });
  py::class_<Edit>(module, "Edit", "Lines to insert before or after a line, or text for words of a line.")
      .def_readonly("place", &Edit::place)
      .def_readonly("after", &Edit::after)
      .def_readonly("text", &Edit::insertText)
      .def_readonly("replaces", &Edit::replaces)
      .def("__repr__", [](const Edit &edit) {
        if (!edit.replaces.empty())
          return "<Edit in line " + std::to_string(edit.place.line) + ": " + edit.insertText + " for " + edit.replaces +
                 ">";
        return std::string("<Edit ") + (edit.after ? "after" : "before") + " line " + std::to_string(edit.place.line) +
               ": " + edit.insertText + ">";
      });
  py::class_<ByteRange>(module, "ByteRange", "The bytes [begin, end) of a memory.")
      .def_readonly("space", &ByteRange::space)
      .def_readonly("parameter", &ByteRange::parameter)
      .def_readonly("begin", &ByteRange::begin)
      .def_readonly("end", &ByteRange::end)
      .def("__repr__", [](const ByteRange &range) {
        return "<ByteRange " + range.space + " " + std::to_string(range.begin) + ".." + std::to_string(range.end) + ">";
      });
  py::class_<ShownFinding>(module, "Finding", "One report: what is wrong, where, because of what, and what repairs it.")
      .def_property_readonly("code", [](const ShownFinding &self) { return self.finding.code; })
      .def_property_readonly("severity",
                             [](const ShownFinding &self) { return std::string(toString(self.finding.severity)); })
      .def_property_readonly("category",
                             [](const ShownFinding &self) { return std::string(toString(self.finding.category)); })
      .def_property_readonly("message", [](const ShownFinding &self) { return pyText(self.finding.message); })
      .def_property_readonly("place", [](const ShownFinding &self) { return self.finding.place; })
      .def_property_readonly("notes", [](const ShownFinding &self) { return self.finding.notes; })
      .def_property_readonly("help", [](const ShownFinding &self) { return pyText(self.finding.help); })
      .def_property_readonly("edits", [](const ShownFinding &self) { return self.finding.edits; })
      .def_property_readonly("bytes", [](const ShownFinding &self) { return self.finding.bytes; })
      .def_property_readonly("iterations", [](const ShownFinding &self) { return self.finding.iterations; })
      .def_property_readonly("cores", [](const ShownFinding &self) { return self.finding.cores; })
      .def_property_readonly("count", [](const ShownFinding &self) { return self.finding.count; })
      .def_property_readonly("source_line",
                             [](const ShownFinding &self) -> py::object {
                               const Place &place = self.finding.place;
                               if (!self.source || self.source->path != place.file)
                                 return py::none();
                               std::optional<std::string> line = self.source->line(place.line);
                               return line ? py::object(pyText(*line)) : py::none();
                             })
      .def_property_readonly("repaired",
                             [](const ShownFinding &self) -> py::object {
                               if (self.finding.edits.empty() || !self.source)
                                 return py::none();
                               return pyText(withLines(self.source->text, self.finding.edits));
                             })
      .def("explain", [](const ShownFinding &self) { return pageOf(self.finding.code); })
      .def("to_json", [](const ShownFinding &self) { return printJson(toJson(self.finding)); })
      .def("__str__", [](const ShownFinding &self) { return pyText(self.text()); })
      .def("__repr__",
           [](const ShownFinding &self) {
             return pyText("<Finding " + self.finding.code + " at " + placeText(self.finding.place) + ": " +
                           self.finding.message + ">");
           })
      .def("_repr_html_", [](py::object self) { return py::module_::import("ptoscope._html").attr("finding")(self); });
  module.def("code_page", &pageOf, py::arg("code"));
  module.def("codes", [] {
    py::dict all;
    for (const CodeInfo &info : codes())
      all[py::str(std::string(info.code))] = std::string(info.title);
    return all;
  });
}

} // namespace ptoscope::python
