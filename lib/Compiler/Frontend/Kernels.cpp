//===- Kernels.cpp - which functions are kernels, and for which core ------===//

#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "llvm/ADT/StringExtras.h"

using namespace mlir;

namespace ptoscope {

bool isMarked(func::FuncOp function) {
  return function->hasAttr("pto.aicore") || function->hasAttr("pto.kernel") || function->hasAttr("pto.entry") ||
         function->hasAttr("hacc.entry");
}

static bool isEntry(func::FuncOp function) { return function->hasAttr("pto.entry") || function->hasAttr("hacc.entry"); }

/// Bodies hold no functions, and are passed over.
static bool hasMark(Operation *program) {
  auto look = [](Operation *op) {
    auto function = dyn_cast<func::FuncOp>(op);
    return !function ? WalkResult::advance() : isMarked(function) ? WalkResult::interrupt() : WalkResult::skip();
  };
  return program->walk<WalkOrder::PreOrder>(look).wasInterrupted();
}

SmallVector<func::FuncOp> kernelsOf(ModuleOp module) {
  // A mark in one module tells that functions of its siblings are there to be called.
  Operation *program = module;
  while (Operation *parent = program->getParentOp())
    program = parent;
  const bool marked = hasMark(program);
  SmallVector<func::FuncOp> kernels;
  module.walk([&](func::FuncOp function) {
    const bool callable = function.isPrivate() || function->hasAttr(kBoundAttr);
    if (!function.isExternal() && (marked ? isMarked(function) : !callable))
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
      // A core with all memories runs the program of the vector core.
      if (kind && *kind != own && (*kind != CoreKind::Unified || own != CoreKind::AIV))
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

std::optional<CoreKind> statedKind(Operation *function) {
  auto kind = function->getAttrOfType<pto::KernelKindAttr>("pto.kernel_kind");
  if (!kind)
    return std::nullopt;
  return kind.getValue() == "cube" ? CoreKind::AIC : CoreKind::AIV;
}

Space loadedSpace(Operation *op) {
  const pto::InstrInfo *info = pto::infoOf(op);
  if (!info)
    return Space::None;
  // What is on MTE2 and has no path of a transfer brings its memories.
  if (auto cube = dyn_cast<pto::CubeOpInterface>(op); cube && info->pipe == Pipe::MTE2)
    return cube.getPointerSpaces().back();
  return info->transfer && info->transfer->src == Space::Gm ? info->transfer->dst : Space::None;
}

// What tells on which core a function runs that does not say it (PROG-5, IRCORE-4).

/// The kind of core that a micro instruction needs; nothing where both have it, and for order, which does no work.
static std::optional<CoreKind> sideOf(Operation *op) {
  const pto::InstrInfo *info = pto::infoOf(op);
  if (!info || !info->pipe)
    return std::nullopt;
  if (*info->pipe == Pipe::MTE2) {
    const Space loaded = loadedSpace(op);
    return loaded == Space::L1   ? std::optional(CoreKind::AIC)
           : loaded == Space::Ub ? std::optional(CoreKind::AIV)
                                 : std::nullopt;
  }
  const bool vector = hasPipe(CoreKind::AIV, *info->pipe), cube = hasPipe(CoreKind::AIC, *info->pipe);
  return vector == cube ? std::nullopt : std::optional(vector ? CoreKind::AIV : CoreKind::AIC);
}

void CoreKinds::Contents::add(const Contents &other) {
  sections |= other.sections;
  vectorTiles |= other.vectorTiles;
  cubeTiles |= other.cubeTiles;
  callsVector |= other.callsVector;
  callsCube |= other.callsCube;
  vectorSide |= other.vectorSide;
  cubeSide |= other.cubeSide;
}

/// Nothing for the part that cores of both kinds run.
std::optional<CoreKind> CoreKinds::Contents::kind() const {
  const bool vector = callsVector || vectorTiles, cube = callsCube || cubeTiles;
  if (sections || ((callsVector || callsCube) && vector && cube))
    return std::nullopt;
  if (!vector && !cube)
    return cubeSide && !vectorSide ? CoreKind::AIC : CoreKind::AIV;
  return !cube ? CoreKind::AIV : vector ? CoreKind::Unified : CoreKind::AIC;
}

CoreKinds::Contents CoreKinds::look(func::FuncOp function) {
  // A function that calls itself is refused elsewhere; here it ends.
  if (auto [known, isNew] = contents.try_emplace(function); !isNew)
    return known->second;
  Contents own;
  function.walk([&](Operation *op) {
    own.sections |= isa<pto::SectionCubeOp, pto::SectionVectorOp>(op);
    for (Type type : op->getResultTypes())
      if (auto tile = dyn_cast<pto::TileBufType>(type))
        (tile.getSpace() == Space::Ub ? own.vectorTiles : own.cubeTiles) = true;
    if (std::optional<CoreKind> side = sideOf(op))
      (*side == CoreKind::AIV ? own.vectorSide : own.cubeSide) = true;
    auto call = dyn_cast<func::CallOp>(op);
    func::FuncOp callee = call ? callees.of(call) : nullptr;
    if (!callee)
      return;
    if (std::optional<CoreKind> stated = statedKind(callee))
      (*stated == CoreKind::AIV ? own.callsVector : own.callsCube) = true;
    else
      own.add(look(callee));
  });
  return contents[function] = own;
}

std::optional<CoreKind> coreKindOf(Operation *op) { return CoreKinds().of(op); }

std::optional<CoreKind> CoreKinds::of(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp()) {
    if (isa<pto::SectionCubeOp>(parent))
      return CoreKind::AIC;
    if (isa<pto::SectionVectorOp>(parent))
      return CoreKind::AIV;
    if (std::optional<CoreKind> stated = statedKind(parent))
      return stated;
  }
  auto function = isa<func::FuncOp>(op) ? cast<func::FuncOp>(op) : op->getParentOfType<func::FuncOp>();
  return function ? look(function).kind() : CoreKind::AIV;
}

const Profile &profileOf(ModuleOp module) {
  auto attr = module->getAttrOfType<StringAttr>("pto.target_arch");
  const Profile *profile = attr ? findProfile(attr == "a2a3" ? "a3" : attr.getValue()) : nullptr;
  return profile ? *profile : profileOf(ProfileId::A5);
}

bool hasPipe(CoreKind kind, Pipe pipe) {
  if (pipe == Pipe::S || pipe == Pipe::MTE2 || pipe == Pipe::All)
    return true;
  if (pipe == Pipe::V || pipe == Pipe::MTE3)
    return kind != CoreKind::AIC;
  return (pipe == Pipe::M || pipe == Pipe::MTE1 || pipe == Pipe::FIX) && kind != CoreKind::AIV;
}

} // namespace ptoscope
