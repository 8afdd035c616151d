//===- Kernels.cpp - which functions are kernels, and for which core ------===//

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace ptoscope {

static bool isMarked(func::FuncOp function) {
  return function->hasAttr("pto.aicore") || function->hasAttr("pto.kernel") || function->hasAttr("pto.entry") ||
         function->hasAttr("hacc.entry");
}

static bool isEntry(func::FuncOp function) { return function->hasAttr("pto.entry") || function->hasAttr("hacc.entry"); }

bool isKernel(func::FuncOp function) {
  if (function.isExternal())
    return false;
  if (isMarked(function))
    return true;
  if (function.isPrivate())
    return false;
  auto module = function->getParentOfType<ModuleOp>();
  return module && llvm::none_of(module.getOps<func::FuncOp>(), isMarked);
}

SmallVector<func::FuncOp> kernelsOf(ModuleOp module) {
  SmallVector<func::FuncOp> kernels;
  module.walk([&](func::FuncOp function) {
    if (isKernel(function))
      kernels.push_back(function);
  });
  return kernels;
}

Result<KernelHalves> findKernel(ModuleOp module, StringRef name, const std::string &path) {
  SmallVector<func::FuncOp> kernels = kernelsOf(module);
  SmallVector<StringRef> names;
  for (func::FuncOp kernel : kernels)
    if (!llvm::is_contained(names, kernel.getName()))
      names.push_back(kernel.getName());
  auto fail = [&](std::string message) {
    Finding finding = makeFinding("no-kernel", {path, 0, 0}, std::move(message));
    finding.help = names.empty() ? "mark the function with `attributes {pto.kernel}`"
                                 : "the kernels are @" + llvm::join(names, ", @");
    return finding;
  };
  if (names.empty())
    return fail("the module holds no kernel");
  if (name.empty() && names.size() > 1) {
    SmallVector<func::FuncOp> entries;
    llvm::copy_if(kernels, std::back_inserter(entries), isEntry);
    if (entries.size() != 1)
      return fail("the module holds " + std::to_string(names.size()) + " kernels; choose one with `--kernel`");
    name = entries.front().getName();
  }
  if (name.empty())
    name = names.front();
  KernelHalves halves;
  bool known = false;
  for (func::FuncOp kernel : kernels) {
    if (kernel.getName() != name)
      continue;
    known = true;
    std::optional<CoreKind> kind = coreKindOf(kernel);
    for (auto [half, own] : {std::pair(&halves.aiv, CoreKind::AIV), {&halves.aic, CoreKind::AIC}}) {
      if (kind && *kind != own)
        continue;
      if (*half)
        return makeFinding("verify-error", {path, 0, 0},
                           "kernel @" + name.str() + " is there twice for one kind of core");
      *half = kernel;
    }
  }
  if (!known)
    return fail("there is no kernel @" + name.str());
  if (halves.aiv && halves.aic && halves.aiv.getFunctionType() != halves.aic.getFunctionType())
    return makeFinding("verify-error", {path, 0, 0},
                       "the cube and vector halves of kernel @" + name.str() + " have different parameters");
  return halves;
}

std::optional<CoreKind> coreKindOf(Operation *op) { return CoreKinds().of(op); }

std::optional<CoreKind> CoreKinds::of(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp()) {
    if (isa<pto::SectionCubeOp>(parent))
      return CoreKind::AIC;
    if (isa<pto::SectionVectorOp>(parent))
      return CoreKind::AIV;
    if (auto kind = parent->getAttrOfType<pto::KernelKindAttr>("pto.kernel_kind"))
      return kind.getValue() == "cube" ? CoreKind::AIC : CoreKind::AIV;
  }
  auto function = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  auto [sections, isNew] = hasSections.try_emplace(function, false);
  if (function && isNew)
    function.walk([&, &found = sections->second](Operation *inner) {
      found |= isa<pto::SectionCubeOp, pto::SectionVectorOp>(inner);
    });
  // Without kind and sections a kernel of this instruction set is a vector one.
  return sections->second ? std::nullopt : std::optional(CoreKind::AIV);
}

bool hasPipe(CoreKind kind, Pipe pipe) {
  switch (pipe) {
  case Pipe::S:
  case Pipe::MTE2:
  case Pipe::All:
    return true;
  case Pipe::V:
  case Pipe::MTE3:
    return kind == CoreKind::AIV;
  case Pipe::M:
  case Pipe::MTE1:
  case Pipe::FIX:
    return kind == CoreKind::AIC;
  case Pipe::MTE4:
  case Pipe::MTE5:
  case Pipe::V2:
    return false;
  }
  return false;
}

} // namespace ptoscope
