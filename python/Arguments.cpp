//===- Arguments.cpp - Python objects as kernel arguments -----------------===//
//
// Arrays are never copied: the kernel reads and writes the memory of the object. What
// could not be used like that is refused, with what repairs it.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

namespace py = pybind11;

namespace ptoscope::python {

//===----------------------------------------------------------------------===//
// DLPack, as its specification defines the structure
//===----------------------------------------------------------------------===//

struct DLTensor {
  void *data;
  int32_t deviceType, deviceId;
  int32_t dimensions;
  uint8_t code, bits;
  uint16_t lanes;
  int64_t *shape, *strides;
  uint64_t byteOffset;
};

struct DLManagedTensor {
  DLTensor tensor;
  void *manager;
  void (*deleter)(DLManagedTensor *);
};

namespace {
constexpr int32_t kCpu = 1;
constexpr const char *kFresh = "dltensor", *kUsed = "used_dltensor";

[[noreturn]] void refuseType(const std::string &message) { throw py::type_error(message); }
[[noreturn]] void refuseValue(const std::string &message) { throw py::value_error(message); }

std::string typeName(py::handle object) { return Py_TYPE(object.ptr())->tp_name; }

std::string dtypeName(char kind, uint32_t bytes) {
  const std::string bits = std::to_string(bytes * 8);
  switch (kind) {
  case 'f':
    return "float" + bits;
  case 'i':
    return "int" + bits;
  case 'u':
    return "uint" + bits;
  case 'b':
    return "bool";
  case 'B':
    return "bfloat16";
  default:
    return std::to_string(bytes) + "-byte items";
  }
}

/// Of the struct module's letters; '\0': records, complex numbers, other byte order.
char kindOf(const char *format) {
  if (!format)
    return 'u'; // plain bytes
  if (*format == '@' || *format == '=' || *format == '<')
    ++format;
  if (*format == '\0' || format[1] != '\0')
    return '\0';
  switch (*format) {
  case 'e':
  case 'f':
  case 'd':
    return 'f';
  case 'b':
  case 'h':
  case 'i':
  case 'l':
  case 'q':
  case 'n':
    return 'i';
  case 'B':
  case 'H':
  case 'I':
  case 'L':
  case 'Q':
  case 'N':
    return 'u';
  case '?':
    return 'b';
  case 'c':
    return 'V';
  default:
    return '\0';
  }
}

bool isDense(const DLTensor &tensor) {
  if (!tensor.strides)
    return true;
  int64_t step = 1;
  for (int32_t i = tensor.dimensions; i-- > 0; step *= tensor.shape[i])
    if (tensor.shape[i] > 1 && tensor.strides[i] != step)
      return false;
  return true;
}
} // namespace

//===----------------------------------------------------------------------===//
// Buffers
//===----------------------------------------------------------------------===//

HeldBuffer::HeldBuffer(HeldBuffer &&other) noexcept
    : bytes(other.bytes), itemBytes(other.itemBytes), kind(other.kind), shape(std::move(other.shape)),
      view(std::exchange(other.view, {})), tensor(std::exchange(other.tensor, nullptr)) {}

HeldBuffer::~HeldBuffer() {
  if (view.obj)
    PyBuffer_Release(&view);
  if (tensor && tensor->deleter)
    tensor->deleter(tensor);
}

bool HeldBuffer::isBuffer(py::handle object) {
  if (PyLong_Check(object.ptr()) || PyFloat_Check(object.ptr()))
    return false; // to look for a name that is not there takes long
  // Numbers of NumPy have bytes, too, but no length.
  return (PyObject_CheckBuffer(object.ptr()) && py::hasattr(object, "__len__")) || py::hasattr(object, "__dlpack__");
}

HeldBuffer HeldBuffer::of(py::handle object, const Subject &what, bool forWriting) {
  HeldBuffer buffer;
  if (PyObject_CheckBuffer(object.ptr()))
    buffer.takeView(object, what, forWriting);
  else if (py::hasattr(object, "__dlpack__"))
    buffer.takeTensor(object, what);
  else
    refuseType(what + " takes an array (a NumPy array, or an object with `__dlpack__`), got " + typeName(object));
  if (buffer.bytes.empty())
    refuseValue(what + ": the array is empty; pass one with at least one element");
  return buffer;
}

void HeldBuffer::refuseGaps(bool contiguous, const Subject &what) const {
  if (!contiguous)
    refuseValue(what +
                ": the array is not contiguous in C order, so a kernel cannot work on it in place; run on a copy, "
                "`y = numpy.ascontiguousarray(x)`, and copy results back with `x[...] = y`");
}

void HeldBuffer::takeView(py::handle object, const Subject &what, bool forWriting) {
  if (PyObject_GetBuffer(object.ptr(), &view, PyBUF_STRIDED_RO | PyBUF_FORMAT) != 0) {
    py::error_already_set reason; // a dtype that the protocol has no letter for
    refuseType(what + ": " + std::string(py::str(reason.value())) +
               "; pass the bits as integers of the same width, for example `x.view(numpy.uint16)` for bfloat16");
  }
  if (forWriting && view.readonly)
    refuseValue(what + ": the array is read-only, and kernels write in place; pass `x.copy()`, or set "
                       "`x.flags.writeable = True` if the memory may be written");
  refuseGaps(PyBuffer_IsContiguous(&view, 'C'), what);
  kind = kindOf(view.format);
  if (view.format && (*view.format == '>' || *view.format == '!') && view.itemsize > 1)
    refuseType(what + ": the array is big endian; pass `x.astype(x.dtype.newbyteorder('='))`");
  if (!kind)
    refuseType(what + ": elements of format `" + std::string(view.format) +
               "` are neither numbers nor bytes; pass an array of integers or floats");
  itemBytes = uint32_t(view.itemsize);
  bytes = {static_cast<uint8_t *>(view.buf), size_t(view.len)};
  for (int i = 0; view.shape && i < view.ndim; ++i)
    shape.push_back(uint64_t(view.shape[i]));
}

void HeldBuffer::takeTensor(py::handle object, const Subject &what) {
  if (py::hasattr(object, "__dlpack_device__"))
    if (auto device = object.attr("__dlpack_device__")().cast<py::tuple>(); device[0].cast<int>() != kCpu)
      refuseValue(what + ": the tensor is not in host memory; pass a copy that is, `x.cpu()`");
  py::object capsule = object.attr("__dlpack__")();
  if (!PyCapsule_IsValid(capsule.ptr(), kFresh))
    refuseType(what + ": `__dlpack__` of " + typeName(object) + " returned " +
               (PyCapsule_IsValid(capsule.ptr(), kUsed) ? "a capsule that was used before; it has to make a new one"
                                                        : "no capsule named `dltensor`"));
  auto *managed = static_cast<DLManagedTensor *>(PyCapsule_GetPointer(capsule.ptr(), kFresh));
  tensor = managed;
  PyCapsule_SetName(capsule.ptr(), kUsed); // ours to delete
  const DLTensor &held = managed->tensor;
  if (held.deviceType != kCpu)
    refuseValue(what + ": the tensor is not in host memory; pass a copy that is, `x.cpu()`");
  constexpr char kKinds[] = {'i', 'u', 'f', '\0', 'B', '\0', 'b'};
  kind = held.code < sizeof kKinds ? kKinds[held.code] : '\0';
  if (!kind || held.lanes != 1 || held.bits % 8 != 0 || held.bits == 0)
    refuseType(what + ": DLPack type " + std::to_string(held.code) + " of " + std::to_string(held.bits) +
               " bits is neither an integer nor a float; pass a view of integers of the same width");
  itemBytes = held.bits / 8u;
  uint64_t count = 1;
  for (int32_t i = 0; i < held.dimensions; ++i) {
    shape.push_back(uint64_t(held.shape[i]));
    count *= uint64_t(held.shape[i]);
  }
  refuseGaps(isDense(held), what);
  bytes = {static_cast<uint8_t *>(held.data) + held.byteOffset, count * itemBytes};
}

std::string HeldBuffer::dtype() const { return dtypeName(kind, itemBytes); }

void checkElements(const HeldBuffer &buffer, const std::string &element, uint32_t bytes, const Subject &what) {
  std::optional<ElementType> type = parseElementType(element);
  const bool isFloat = type && infoOf(*type).kind == ElementClass::Float;
  const bool inNumpy = isFloat && (*type == ElementType::F16 || *type == ElementType::F32 || *type == ElementType::F64);
  auto refuse = [&] {
    const bool isSigned = type && infoOf(*type).kind == ElementClass::Signed;
    const std::string wanted = "numpy." + dtypeName(inNumpy ? 'f' : isSigned ? 'i' : 'u', bytes ? bytes : 1);
    std::string remedy = "pass `x.astype(" + wanted + ")`, or the same bits as `x.view(" + wanted + ")`";
    if (isFloat && !inNumpy) // whole numbers, which `astype` makes, are other bits
      remedy = "NumPy has no such type; pass `ptoscope.encode(x, \"" + std::string(infoOf(*type).name) +
               "\")`, or the bits as " + wanted;
    else if (!type)
      remedy = "pass the bits as " + wanted;
    refuseType(what + " takes elements of " + element + ", got " + buffer.dtype() + ": " + remedy);
  };
  if (bytes && buffer.itemBytes != bytes)
    refuse();
  if (!type || buffer.kind == 'V')
    return;
  if (buffer.kind == 'B' ? *type != ElementType::BF16 : inNumpy != (buffer.kind == 'f'))
    refuse();
}

//===----------------------------------------------------------------------===//
// All arguments of a launch
//===----------------------------------------------------------------------===//

std::string Subject::str() const {
  return text ? text : "argument " + std::to_string(number) + " (" + parameter->name + " : " + parameter->type + ")";
}

static uint64_t scalarOf(size_t i, const Parameter &parameter, py::handle given) {
  if (PyUnicode_Check(given.ptr()) || PyBytes_Check(given.ptr()))
    refuseType(Subject(i, parameter) + " takes a number, got " + typeName(given));
  Result<uint64_t> bits = uint64_t(0);
  if (takesFloat(parameter)) {
    const double value = PyFloat_AsDouble(given.ptr());
    if (value == -1 && PyErr_Occurred()) {
      PyErr_Clear();
      refuseType(Subject(i, parameter) + " takes a number, got " + typeName(given));
    }
    bits = encodeScalar(parameter, value);
  } else {
    py::object whole = py::reinterpret_steal<py::object>(PyNumber_Index(given.ptr()));
    if (!whole) {
      PyErr_Clear();
      refuseType(Subject(i, parameter) + " takes a whole number, got " + typeName(given));
    }
    int overflow = 0;
    const int64_t value = PyLong_AsLongLongAndOverflow(whole.ptr(), &overflow);
    uint64_t large = 0;
    if (overflow > 0 && parameter.bytes == 8) // the upper half of unsigned numbers
      large = PyLong_AsUnsignedLongLong(whole.ptr());
    const bool fails = PyErr_Occurred() != nullptr;
    PyErr_Clear();
    if (fails || (overflow != 0 && !large))
      refuseValue(Subject(i, parameter) + ": the number does not fit into " + parameter.element);
    bits = large ? Result<uint64_t>(large) : encodeScalar(parameter, value);
  }
  if (!bits)
    refuseValue(Subject(i, parameter) + ": " + bits.finding().message);
  return *bits;
}

HeldArguments::HeldArguments(const KernelSignature &signature, const py::args &given) {
  const std::vector<Parameter> &parameters = signature.parameters;
  if (given.size() != parameters.size()) {
    std::string names;
    for (const Parameter &parameter : parameters)
      names += (names.empty() ? "" : ", ") + parameter.name + " : " + parameter.type;
    refuseType("kernel @" + signature.name + " takes " + std::to_string(parameters.size()) +
               (parameters.size() == 1 ? " argument" : " arguments") + " (" + names + "), got " +
               std::to_string(given.size()));
  }
  buffers.reserve(parameters.size());
  arguments.reserve(parameters.size());
  for (size_t i = 0; i < parameters.size(); ++i) {
    const Parameter &parameter = parameters[i];
    py::handle object = given[i];
    if (!parameter.isPointer) {
      if (HeldBuffer::isBuffer(object))
        refuseType(Subject(i, parameter) + " takes a number, got " + typeName(object));
      arguments.emplace_back(scalarOf(i, parameter, object));
      continue;
    }
    HeldBuffer held = HeldBuffer::of(object, Subject(i, parameter));
    checkElements(held, parameter.element, parameter.bytes, Subject(i, parameter));
    for (size_t k = 0, next = 0; k < i; ++k) {
      if (!parameters[k].isPointer)
        continue;
      std::span<uint8_t> a = buffers[next++].bytes, b = held.bytes;
      const bool apart = a.data() + a.size() <= b.data() || b.data() + b.size() <= a.data();
      const bool within = (a.data() <= b.data() && b.data() + b.size() <= a.data() + a.size()) ||
                          (b.data() <= a.data() && a.data() + a.size() <= b.data() + b.size());
      if (!apart && !within)
        refuseValue(
            Subject(i, parameter) + " overlaps " + Subject(k, parameters[k]).str() +
            " in part; buffers of a device are apart, or one lies within the other: pass the same array, a slice "
            "of it, or a copy");
    }
    arguments.emplace_back(held.bytes);
    buffers.push_back(std::move(held));
  }
}

} // namespace ptoscope::python
