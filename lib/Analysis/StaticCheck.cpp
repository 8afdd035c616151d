//===- StaticCheck.cpp - faults that the text alone shows -----------------===//
//
// Walks every kernel once per kind of core, then compares the semaphores that
// the cores of a cluster set and wait for (SEM-2).
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Analysis/StaticCheck.h"
#include "Walk.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"

#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/MapVector.h"

using namespace mlir;

namespace ptoscope {

namespace {

/// True when one of the sets may raise semaphore `id` (absent ids may be any).
bool isSet(ArrayRef<SemaphoreUse> uses, int64_t id) {
  return llvm::any_of(uses, [&](const SemaphoreUse &use) { return use.isSet && use.id.value_or(id) == id; });
}

/// Waits of one core that no set of the other kind of core can end.
void compareSemaphores(ArrayRef<SemaphoreUse> own, ArrayRef<SemaphoreUse> others, CoreKind kind, const Profile &profile,
                       StaticReport &report) {
  const char *other = kind == CoreKind::AIV ? "AIC" : "the vector cores";
  // Many waits may ask for few semaphores.
  llvm::DenseMap<int64_t, bool> answers;
  auto mayBeSet = [&](int64_t id) {
    auto [it, isNew] = answers.try_emplace(id, false);
    if (isNew)
      it->second = isSet(others, id);
    return it->second;
  };
  for (const SemaphoreUse &use : own) {
    if (use.isSet || !use.id || *use.id < 0 || *use.id > 31)
      continue;
    int64_t id = *use.id;
    if (use.isMessage) {
      if (!mayBeSet(id) && !isSet(own, id))
        report.semaphoreWithoutSet(use.op, id, kind == CoreKind::AIV ? "the vector cores" : "AIC", other, id,
                                   use.certain);
    } else if (!profile.pipeSemaphores) {
      if (!mayBeSet(id))
        report.semaphoreWithoutSet(use.op, id, kind == CoreKind::AIV ? "the vector cores" : "AIC", other, id,
                                   use.certain);
    } else if (kind == CoreKind::AIC) {
      // AIV1's semaphore n is number n + 16 of the cube core.
      if (!mayBeSet(id % 16))
        report.semaphoreWithoutSet(use.op, id, "AIC", other, id % 16, use.certain);
    } else {
      // Both vector cores run this wait, unless a branch on the subblock stands around it.
      bool first = mayBeSet(id), second = mayBeSet(id + 16);
      if (!first && !second)
        report.semaphoreWithoutSet(use.op, id, "the vector cores", other, id, use.certain);
      else if (use.certain && !(first && second))
        report.semaphoreWithoutSet(use.op, id, first ? "AIV1" : "AIV0", other, first ? id + 16 : id, true);
    }
  }
}

struct Half {
  func::FuncOp function;
  CoreKind kind;
};

} // namespace

/// The program with an address for each tile; null, with findings, where tiles do not
/// fit. `planned` keeps a copy, if one was made.
static ModuleOp withAddresses(const ParsedProgram &program, OwningOpRef<ModuleOp> &planned, FindingList &findings) {
  ModuleOp module = program.module.get();
  auto isPlaced = [](auto alloc) { return alloc.getAddr() ? WalkResult::advance() : WalkResult::interrupt(); };
  if (!module.walk([&](pto::AllocTileOp alloc) { return isPlaced(alloc); }).wasInterrupted() &&
      !module.walk([&](pto::AllocMultiTileOp alloc) { return isPlaced(alloc); }).wasInterrupted())
    return module;
  planned = module.clone();
  DiagnosticBridge bridge(*module.getContext(), program, findings, "verify-error");
  PassManager passes(module.getContext());
  passes.enableVerifier(false);
  passes.addPass(createPlanMemoryPass(program.profile));
  return succeeded(passes.run(*planned)) ? *planned : ModuleOp();
}

size_t checkStatically(const ParsedProgram &program, FindingList &findings) {
  OwningOpRef<ModuleOp> planned;
  ModuleOp module = withAddresses(program, planned, findings);
  if (!module)
    return 0;
  StaticReport report(program, module, findings);
  Regions regions;
  // Kernels of one name in a cube and a vector module are halves of one.
  llvm::MapVector<StringRef, SmallVector<Half, 2>> kernels;
  CoreKinds coreKinds;
  for (func::FuncOp function : kernelsOf(module)) {
    std::optional<CoreKind> kind = coreKinds.of(function);
    for (CoreKind own : {CoreKind::AIC, CoreKind::AIV, CoreKind::Unified})
      if (kind ? *kind == own : own != CoreKind::Unified)
        kernels[function.getName()].push_back({function, own});
  }
  for (auto &[name, halves] : kernels) {
    bool cluster = halves.size() > 1, complete = true;
    SmallVector<SemaphoreUse> uses[3];
    for (const Half &half : halves) {
      ProgramWalk walk(*program.profile, {half.kind, cluster}, regions, report);
      walk.run(half.function);
      complete &= walk.complete();
      llvm::append_range(uses[size_t(half.kind)], walk.semaphores());
    }
    for (CoreKind kind : {CoreKind::AIV, CoreKind::AIC})
      if (complete)
        compareSemaphores(uses[size_t(kind)], uses[size_t(kind == CoreKind::AIV ? CoreKind::AIC : CoreKind::AIV)], kind,
                          *program.profile, report);
  }
  return report.uncompared();
}

} // namespace ptoscope
