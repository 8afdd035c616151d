//===- Arguments.h - Python objects as kernel arguments ---------*- C++ -*-===//

#ifndef PTOSCOPE_PYTHON_ARGUMENTS_H
#define PTOSCOPE_PYTHON_ARGUMENTS_H

#include "ptoscope/Driver/Program.h"
#include "ptoscope/Support/ElementType.h"

#include <pybind11/pybind11.h>

namespace ptoscope::python {

struct DLManagedTensor;

/// What messages begin with; written only where there is one.
class Subject {
public:
  explicit Subject(const char *text) : text(text) {}
  Subject(size_t number, const Parameter &parameter) : number(number), parameter(&parameter) {}
  std::string str() const;

private:
  const char *text = nullptr;
  size_t number = 0;
  const Parameter *parameter = nullptr;
};
inline std::string operator+(const Subject &subject, const std::string &rest) { return subject.str() + rest; }

/// Bytes of a Python object, in place, for as long as this lives.
class HeldBuffer {
public:
  HeldBuffer() = default;
  HeldBuffer(HeldBuffer &&other) noexcept;
  HeldBuffer &operator=(HeldBuffer &&) = delete;
  ~HeldBuffer();

  /// Any object of the buffer protocol, or with `__dlpack__`; `what` begins messages. Raises TypeError
  /// or ValueError.
  static HeldBuffer of(pybind11::handle object, const Subject &what, bool forWriting = true);
  /// Whether there are bytes to be had.
  static bool isBuffer(pybind11::handle object);

  std::span<uint8_t> bytes;
  uint32_t itemBytes = 1;
  char kind = 'V'; ///< 'f', 'i', 'u', 'b', 'B' for bfloat16, 'V' for bytes without a meaning
  std::vector<uint64_t> shape;
  std::string dtype() const; ///< "float32"

private:
  void takeView(pybind11::handle object, const Subject &what, bool forWriting);
  void takeTensor(pybind11::handle object, const Subject &what);
  void refuseGaps(bool contiguous, const Subject &what) const;

  Py_buffer view{};
  DLManagedTensor *tensor = nullptr;
};

/// Refuses elements that are not those of `element` ("f32"); formats that NumPy lacks are given as integers
/// of their width.
void checkElements(const HeldBuffer &buffer, const std::string &element, uint32_t bytes, const Subject &what);

/// Everything that a launch gets.
struct HeldArguments {
  std::vector<HeldBuffer> buffers;
  std::vector<Argument> arguments;

  HeldArguments(const KernelSignature &signature, const pybind11::args &given);
};

} // namespace ptoscope::python

#endif // PTOSCOPE_PYTHON_ARGUMENTS_H
