//===- Arrays.cpp - comparing, making and converting arrays ---------------===//

#include "Arguments.h"
#include "Runs.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/Compare.h"

#include <cstring>
#include <pybind11/stl.h>

namespace py = pybind11;

namespace ptoscope::python {

static ElementType elementOf(const std::string &word) {
  if (std::optional<ElementType> type = parseElementType(word))
    return *type;
  throw py::value_error("`" + word + "` is not an element type; examples are f32, bf16, f8E4M3FN, i16 and u8");
}

/// The type of an array whose user named none.
static ElementType elementOf(const HeldBuffer &buffer) {
  if (buffer.kind == 'B')
    return ElementType::BF16;
  if (buffer.kind == 'V')
    return ElementType::Raw;
  return elementOf(std::string(1, buffer.kind == 'b' ? 'u' : buffer.kind) + std::to_string(buffer.itemBytes * 8));
}

static Comparison compare(py::object got, py::object expected, std::optional<double> rtol, std::optional<double> atol,
                          const std::string &element) {
  HeldBuffer left = HeldBuffer::of(got, Subject("the array to compare"), /*forWriting=*/false);
  HeldBuffer right = HeldBuffer::of(expected, Subject("the reference"), /*forWriting=*/false);
  for (std::optional<double> figure : {rtol, atol})
    if (figure && !(*figure >= 0))
      throw py::value_error("tolerances are numbers of at least 0");
  const ElementType type = element.empty() ? elementOf(left) : elementOf(element);
  const uint32_t bytes = type == ElementType::Raw ? left.itemBytes : infoOf(type).bytes;
  std::optional<Tolerance> tolerance;
  if (rtol || atol)
    tolerance = Tolerance{atol.value_or(0), rtol.value_or(0)};
  return compareBytes(type, bytes, left.itemBytes == bytes ? left.shape : std::vector<uint64_t>(), left.bytes,
                      right.bytes, tolerance);
}

static std::string textOf(const Comparison &comparison, const std::string &what) {
  if (comparison.equal())
    return "equal: " + std::to_string(comparison.elements) + " elements of " +
           std::string(infoOf(comparison.type).name);
  const Finding finding = expectMismatch(comparison, what, "the reference");
  std::string text = finding.message;
  for (const Note &note : finding.notes)
    text += "\n  " + note.message;
  return text;
}

void defineArrays(py::module_ &module) {
  py::class_<Difference>(module, "Difference", "An element that differs.")
      .def_property_readonly("index", [](const Difference &self) { return py::tuple(py::cast(self.index)); })
      .def_readonly("flat_index", &Difference::flatIndex)
      .def_readonly("actual", &Difference::got)
      .def_readonly("expected", &Difference::expected)
      .def_readonly("difference", &Difference::difference)
      .def_readonly("actual_bits", &Difference::gotBits)
      .def_readonly("expected_bits", &Difference::expectedBits)
      .def("__repr__", [](const Difference &self) {
        std::string index;
        for (uint64_t i : self.index)
          index += (index.empty() ? "" : ", ") + std::to_string(i);
        return "<Difference at [" + index + "]: " + self.got + ", expected " + self.expected + ">";
      });
  py::class_<Comparison>(module, "Comparison", "The tool's own comparison of two arrays; true where they agree.")
      .def_property_readonly("equal", &Comparison::equal)
      .def_readonly("elements", &Comparison::elements)
      .def_readonly("differing", &Comparison::differing)
      .def_readonly("first", &Comparison::first)
      .def_readonly("largest", &Comparison::largest)
      .def_property_readonly("message", [](const Comparison &self) { return textOf(self, "the array"); })
      .def("__bool__", &Comparison::equal)
      .def("__repr__", [](const Comparison &self) { return "<Comparison " + textOf(self, "the array") + ">"; });
  module.def("compare_bytes", &compare, py::arg("got"), py::arg("expected"), py::arg("rtol"), py::arg("atol"),
             py::arg("element"));

  // (element, item bytes, shape, bytes) of a word such as `random:f32:32x32:1`, or of a file.
  module.def("array_of_word", [](const std::string &word) {
    Result<Array> array = loadArray(word);
    if (!array)
      raise(array.finding());
    py::bytearray bytes(reinterpret_cast<const char *>(array->bytes.data()), array->bytes.size());
    return py::make_tuple(std::string(infoOf(array->type).name), array->itemBytes, array->shape, bytes);
  });
  // Floats to bits and back, by the formats of the instructions.
  module.def("encode_floats", [](const py::buffer &from, const py::buffer &to, const std::string &element) {
    const FloatFormat *format = formatOf(elementOf(element));
    if (!format)
      throw py::value_error("`" + element + "` is not a float type of at most 32 bits");
    HeldBuffer source = HeldBuffer::of(from, Subject("the array"), false),
               target = HeldBuffer::of(to, Subject("the result"));
    const uint32_t bytes = infoOf(elementOf(element)).bytes;
    for (size_t i = 0; i < source.bytes.size() / 8; ++i) {
      double value;
      std::memcpy(&value, source.bytes.data() + 8 * i, 8);
      const uint64_t bits = encodeFloat(*format, value);
      std::memcpy(target.bytes.data() + bytes * i, &bits, bytes);
    }
  });
  module.def("decode_floats", [](const py::buffer &from, const py::buffer &to, const std::string &element) {
    const FloatFormat *format = formatOf(elementOf(element));
    if (!format)
      throw py::value_error("`" + element + "` is not a float type of at most 32 bits");
    HeldBuffer source = HeldBuffer::of(from, Subject("the array"), false),
               target = HeldBuffer::of(to, Subject("the result"));
    const uint32_t bytes = infoOf(elementOf(element)).bytes;
    if (source.itemBytes != bytes)
      throw py::value_error("bits of " + element + " are integers of " + std::to_string(bytes * 8) + " bits, got " +
                            source.dtype());
    for (size_t i = 0; i < source.bytes.size() / bytes; ++i) {
      uint64_t bits = 0;
      std::memcpy(&bits, source.bytes.data() + bytes * i, bytes);
      const double value = decodeFloat(*format, bits);
      std::memcpy(target.bytes.data() + 8 * i, &value, 8);
    }
  });
}

} // namespace ptoscope::python
