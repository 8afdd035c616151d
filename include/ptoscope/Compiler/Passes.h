//===- Passes.h - the passes from pto to LLVM -------------------*- C++ -*-===//

#ifndef PTOSCOPE_COMPILER_PASSES_H
#define PTOSCOPE_COMPILER_PASSES_H

#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Machine/Types.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

#include <memory>
#include <string>

namespace ptoscope {

/// What generated code has to contain besides the program itself.
struct CodeOptions {
  const Profile *profile = nullptr;
  bool trackAccesses = false; ///< race, memory or init: every access is announced
  bool trackDefined = false;  ///< init: undefined bytes are followed through registers
  bool bufferStores = false;  ///< random schedules: scope stores are handed to the Machine
  bool numberLoops = false;   ///< iteration numbers for reports
  bool wholeLoops = false;    ///< accesses of loops may be announced together
  bool placesLoops = false;   ///< loops may ask where their accesses are made
};

// Each pass is described where it is implemented, in the file of the same name.
std::unique_ptr<mlir::Pass> createLinkFunctionsPass();
std::unique_ptr<mlir::Pass> createResolveTypesPass(const Profile *profile = nullptr);
std::unique_ptr<mlir::Pass> createNormalizeScopesPass();
std::unique_ptr<mlir::Pass> createAutoScopePass();
std::unique_ptr<mlir::Pass> createAssignEventsPass();
std::unique_ptr<mlir::Pass> createAutomaticOrderPass();
std::unique_ptr<mlir::Pass> createCompletePass();
/// Without a profile: that of the module. `kernel`: only its tiles.
std::unique_ptr<mlir::Pass> createPlanMemoryPass(const Profile *profile = nullptr, std::string kernel = "");
std::unique_ptr<mlir::Pass> createVerifyProgramPass(const Profile *profile = nullptr);
/// Keeps the kernel `name` with everything it calls inlined, as the vector core's program. Without a profile: a5.
std::unique_ptr<mlir::Pass> createSelectKernelPass(std::string name = "", const Profile *profile = nullptr);
std::unique_ptr<mlir::Pass> createSaturationModePass();
std::unique_ptr<mlir::Pass> createOutlineScopesPass();
/// Scopes to lane groups; sites are appended to `sites` (may be null: dumped only).
std::unique_ptr<mlir::Pass> createLowerScopesPass(CodeOptions options = {}, SiteTable *sites = nullptr);
std::unique_ptr<mlir::Pass> createLowerProgramPass(CodeOptions options = {}, SiteTable *sites = nullptr);
std::unique_ptr<mlir::Pass> createToLlvmPass();
std::unique_ptr<mlir::Pass> createSplitStopsPass();

/// The passes after which a program prints as `--strict` wants it.
void addCompletion(mlir::OpPassManager &passes);

/// Makes every pass known by name to the `opt` verb.
void registerPasses();

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_PASSES_H
