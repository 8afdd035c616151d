//===- Image.h - a structure that generated code hands over -----*- C++ -*-===//

#ifndef PTOSCOPE_LIB_COMPILER_PROGRAM_IMAGE_H
#define PTOSCOPE_LIB_COMPILER_PROGRAM_IMAGE_H

#include "Lowering/CodeBuilder.h"

#include <cstring>

namespace ptoscope {

/// A structure on the stack: what is known now is copied from constant bytes, the rest is stored.
class Image {
public:
  template <typename T> explicit Image(const T &known) : bytes(reinterpret_cast<const char *>(&known), sizeof(T)) {
    static_assert(sizeof(T) % 8 == 0);
  }
  void set(int64_t offset, int64_t word) { std::memcpy(bytes.data() + offset, &word, 8); }
  void set(int64_t offset, mlir::Value value) { later.push_back({offset, value}); }

  mlir::Value constant(CodeBuilder &b) const { return b.constantBytes(bytes); }
  bool isConstant() const { return later.empty(); }
  void write(CodeBuilder &b, mlir::Value slot) const {
    b.copy(slot, constant(b), int64_t(bytes.size()));
    for (auto [offset, value] : later)
      b.store(value, b.ptrAdd(slot, offset), unsigned(value.getType().isInteger(32) ? 4 : 8));
  }

private:
  std::string bytes;
  llvm::SmallVector<std::pair<int64_t, mlir::Value>> later;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_PROGRAM_IMAGE_H
