//===- Kernels.cpp - which functions are kernels, and for which core ------===//

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Dialect/PTO/PTO.h"

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

Result<func::FuncOp> findKernel(ModuleOp module, StringRef name, const std::string &path) {
  SmallVector<func::FuncOp> kernels = kernelsOf(module);
  auto fail = [&](std::string message) {
    Finding finding = makeFinding("no-kernel", {path, 0, 0}, std::move(message));
    std::string names;
    for (func::FuncOp kernel : kernels)
      names += (names.empty() ? "@" : ", @") + kernel.getName().str();
    finding.help = names.empty() ? "mark the function with `attributes {pto.kernel}`" : "the kernels are " + names;
    return finding;
  };
  if (!name.empty()) {
    SmallVector<func::FuncOp> matches;
    for (func::FuncOp kernel : kernels)
      if (kernel.getName() == name)
        matches.push_back(kernel);
    if (matches.empty())
      return fail("there is no kernel @" + name.str());
    if (matches.size() > 1)
      return makeFinding("not-modelled", {path, 0, 0},
                         "kernel @" + name.str() + " has a cube and a vector half; mixed kernels are not modelled");
    return matches.front();
  }
  if (kernels.empty())
    return fail("the module holds no kernel");
  if (kernels.size() == 1)
    return kernels.front();
  SmallVector<func::FuncOp> entries;
  llvm::copy_if(kernels, std::back_inserter(entries), isEntry);
  if (entries.size() == 1)
    return entries.front();
  Finding finding = fail("the module holds " + std::to_string(kernels.size()) + " kernels; choose one with `--kernel`");
  return finding;
}

std::optional<CoreKind> coreKindOf(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp()) {
    if (isa<pto::SectionCubeOp>(parent))
      return CoreKind::AIC;
    if (isa<pto::SectionVectorOp>(parent))
      return CoreKind::AIV;
    if (auto kind = parent->getAttrOfType<pto::KernelKindAttr>("pto.kernel_kind"))
      return kind.getValue() == "cube" ? CoreKind::AIC : CoreKind::AIV;
  }
  auto function = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  bool sections = false;
  if (function)
    function.walk([&](Operation *inner) { sections |= isa<pto::SectionCubeOp, pto::SectionVectorOp>(inner); });
  // Without kind and sections a kernel of this instruction set is a vector one.
  return sections ? std::nullopt : std::optional(CoreKind::AIV);
}

} // namespace ptoscope
