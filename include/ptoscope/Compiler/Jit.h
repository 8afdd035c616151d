//===- Jit.h - from LLVM IR to code in this process -------------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_JIT_H
#define PTOSCOPE_COMPILER_JIT_H

#include "ptoscope/Support/Result.h"

#include "llvm/ADT/StringRef.h"

#include <memory>
#include <string>

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace ptoscope {

/// Links the lane meanings into `module`, optimises it for the host and emits
/// code. Owns the code it has produced.
class Jit {
public:
  ~Jit();
  static Result<std::unique_ptr<Jit>> create();

  /// Links meanings and optimises.
  Result<void> prepare(llvm::Module &module);
  /// Assembly text of a prepared module.
  Result<std::string> assembly(llvm::Module &module);
  /// Links the code of a module that is not prepared: from the cache, or made now.
  Result<void> add(llvm::Module &module);
  /// Address of a function of an added module; null when there is none.
  Result<void *> lookup(llvm::StringRef name);

  struct State;

private:
  explicit Jit(std::unique_ptr<State> state);
  std::unique_ptr<State> state;
};

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_JIT_H
