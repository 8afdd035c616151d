//===- PlanMemory.cpp - pto-plan-memory, and the map of memories ----------===//
//
// Gives every tile without an address one (level 2), before calls are inlined: the
// two halves of a mixed kernel get the same addresses.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Compiler/TileLife.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Machine/Words.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

/// The address operand of an allocation; null where it has none.
static Value addressOf(Operation *op) {
  if (auto alloc = dyn_cast<AllocTileOp>(op))
    return alloc.getAddr();
  if (auto alloc = dyn_cast<AllocMultiTileOp>(op))
    return alloc.getAddr();
  return nullptr;
}

/// Functions that nothing calls, or the kernel of this name.
static SmallVector<func::FuncOp> entriesOf(ModuleOp module, StringRef kernel) {
  SmallVector<func::FuncOp> entries;
  if (!kernel.empty()) {
    if (Result<KernelHalves> found = findKernel(module, kernel, ""))
      for (func::FuncOp half : {found->aiv, found->aic})
        if (half && !llvm::is_contained(entries, half))
          entries.push_back(half);
    return entries;
  }
  const Callees callees;
  DenseSet<Operation *> called;
  module.walk([&](func::CallOp call) { called.insert(callees.of(call)); });
  module.walk([&](func::FuncOp function) {
    if (!function.isExternal() && !called.contains(function))
      entries.push_back(function);
  });
  return entries;
}

namespace {
/// The first of each kind in a kernel and what it calls.
struct Allocations {
  Operation *with = nullptr, *without = nullptr; ///< an address
  TAssignOp assign = nullptr;
  ReserveBufferOp placed = nullptr; ///< by its text

  Allocations(func::FuncOp entry, const Callees &callees) {
    callees.walk(entry, [&](Operation *op) -> func::FuncOp {
      if (isa<AllocTileOp, AllocMultiTileOp>(op)) {
        Operation *&first = addressOf(op) ? with : without;
        first = first ? first : op;
      } else if (auto other = dyn_cast<TAssignOp>(op)) {
        assign = assign ? assign : other;
      } else if (auto buffer = dyn_cast<ReserveBufferOp>(op); buffer && op->hasAttr("base")) {
        placed = placed ? placed : buffer;
      }
      return nullptr;
    });
  }
};
} // namespace

LogicalResult verifyLevels(ModuleOp module) {
  const Callees callees;
  for (func::FuncOp entry : entriesOf(module, "")) {
    Allocations found(entry, callees);
    auto refuse = [](Operation *at, StringRef why, Operation *other, StringRef what) {
      InFlightDiagnostic diag = at->emitError();
      diag << "`" << at->getName() << "` breaks " << why;
      diag.attachNote(other->getLoc()) << what;
      return failure();
    };
    if (!found.without)
      continue;
    if (found.with)
      return refuse(found.without, "PLAN-1: this tile has no address, but others of the kernel have", found.with,
                    "this tile has one");
    if (found.assign)
      return refuse(found.assign, "PLAN-3: the kernel leaves addresses to the planner", found.without,
                    "this tile has no address");
    if (found.placed)
      return refuse(found.placed, "FIFO-71: it has a `base`, but the kernel leaves addresses to the planner",
                    found.without, "this tile has no address");
  }
  return success();
}

namespace {
/// FIFO-71: what functions, those that they call and those whose buffers they import have of pipes.
struct PipeBuffers {
  SmallVector<ReserveBufferOp> reserved; ///< those that have no place yet
  SmallVector<ReserveBufferOp> placed;
  SmallVector<ImportReservedBufferOp> imports;

  PipeBuffers(ArrayRef<func::FuncOp> entries, const Callees &callees) {
    callees.walk(entries, [&](Operation *op) -> func::FuncOp {
      if (auto buffer = dyn_cast<ReserveBufferOp>(op))
        (op->hasAttr("base") ? placed : reserved).push_back(buffer);
      auto import = dyn_cast<ImportReservedBufferOp>(op);
      if (!import)
        return nullptr;
      imports.push_back(import);
      return callees.named(import, import->getAttrOfType<FlatSymbolRefAttr>("peer_func"));
    });
  }
};
} // namespace

static Space spaceOf(ReserveBufferOp reserved) {
  StringRef location = reserved->getAttrOfType<AddressSpaceAttr>("location").getValue();
  return location == "vec" || location == "ub" ? Space::Ub : Space::L1;
}

static uint64_t bytesOf(ReserveBufferOp reserved) {
  return uint64_t(reserved->getAttrOfType<IntegerAttr>("size").getInt());
}
static void setBase(ReserveBufferOp reserved, uint64_t address) {
  reserved->setAttr("base", IntegerAttr::get(IntegerType::get(reserved.getContext(), 64), int64_t(address)));
}

/// Where tiles have addresses, a buffer gets a place beside all tiles of the functions that know it.
static LogicalResult placeBesideTiles(ReserveBufferOp buffer, ArrayRef<func::FuncOp> users, const Callees &callees,
                                      const Profile &profile) {
  const Space space = spaceOf(buffer);
  std::vector<std::pair<uint64_t, uint64_t>> taken; // begin, end
  for (const TileStorage &storage : tileLife(users).storages) {
    if (storage.space != space)
      continue;
    if (!storage.address) {
      InFlightDiagnostic diag = emitCoded(buffer.emitError(), "verify-error");
      diag << "`pto.reserve_buffer` breaks FIFO-71: no place is known to be free, because the program computes the "
              "address of a tile; write `auto = false` and a `base`";
      diag.attachNote(storage.op->getLoc()) << "this tile";
      return failure();
    }
    taken.push_back({*storage.address, *storage.address + storage.bytes});
  }
  for (ReserveBufferOp other : PipeBuffers(users, callees).placed)
    if (spaceOf(other) == space) {
      const auto base = uint64_t(other->getAttrOfType<IntegerAttr>("base").getInt());
      taken.push_back({base, base + bytesOf(other)});
    }
  llvm::sort(taken);
  uint64_t at = 0;
  for (auto [begin, end] : taken)
    if (at + bytesOf(buffer) > begin)
      at = std::max(at, llvm::alignTo(end, plannedAlignment(space)));
  const uint64_t capacity = plannedBytes(profile, space);
  if (at + bytesOf(buffer) > capacity) {
    emitCoded(buffer.emitError(), "tile-memory-full")
        << "the tiles of the kernel leave no " << bytesOf(buffer) << " bytes of " << spaceText(space)
        << " in one piece, of " << capacity;
    return failure();
  }
  setBase(buffer, at);
  return success();
}
static LogicalResult placeBesideTiles(ArrayRef<func::FuncOp> entries, const Callees &callees, const Profile &profile) {
  llvm::MapVector<Operation *, SmallVector<func::FuncOp>> users;
  for (func::FuncOp entry : entries)
    for (ReserveBufferOp buffer : PipeBuffers(entry, callees).reserved)
      users[buffer].push_back(entry);
  for (auto &[buffer, functions] : users)
    if (failed(placeBesideTiles(cast<ReserveBufferOp>(buffer), functions, callees, profile)))
      return failure();
  return success();
}

/// What imports name is known: they get the place.
static LogicalResult resolveImports(ArrayRef<ImportReservedBufferOp> imports) {
  for (ImportReservedBufferOp import : imports) {
    auto name = import->getAttrOfType<StringAttr>("name");
    auto peer = SymbolTable::lookupNearestSymbolFrom<func::FuncOp>(
        import, import->getAttrOfType<FlatSymbolRefAttr>("peer_func"));
    Attribute base;
    if (peer)
      peer.walk([&](ReserveBufferOp reserved) {
        if (reserved->getAttrOfType<StringAttr>("name") == name)
          base = reserved->getAttr("base");
      });
    if (!base) {
      import->emitError() << "`pto.import_reserved_buffer` breaks FIFO-71: @"
                          << import->getAttrOfType<FlatSymbolRefAttr>("peer_func").getValue()
                          << " has no buffer of the name " << name;
      return failure();
    }
    import->setAttr("base", base);
  }
  return success();
}

/// PLAN-6
static void reportOverflow(const TileLife &life, const std::vector<size_t> &storages, const Overflow &overflow) {
  Operation *worst = life.steps[overflow.step];
  InFlightDiagnostic diag = emitCoded(worst->emitError(), "tile-memory-full");
  const std::string space = spaceText(overflow.space);
  if (overflow.needed > overflow.capacity)
    diag << "tiles in use here need " << overflow.needed << " bytes of " << space << ", and there are "
         << overflow.capacity;
  else
    diag << "no placement was found for the tiles of " << space << ": up to " << overflow.needed << " of "
         << overflow.capacity << " bytes are in use at once, here, but the free ones lie apart";
  for (size_t i : overflow.inUse) {
    if (i >= storages.size())
      continue; // a buffer of a pipe
    const TileStorage &storage = life.storages[storages[i]];
    diag.attachNote(storage.op->getLoc()) << plural(storage.bytes, "byte") << ", in use from line "
                                          << placeOf(life.steps[storage.used.begin]->getLoc()).line << " to line "
                                          << placeOf(life.steps[storage.used.end - 1]->getLoc()).line;
  }
  diag.attachNote() << pto::kHelpMark << "use smaller tiles, or write and read one tile before the next is needed";
}

/// Addresses by storage; nothing, with a diagnostic, where there is no room.
/// Those of `reserved` follow: they are in use all the time.
static std::optional<std::vector<uint64_t>> plan(const TileLife &life, const Profile &profile, bool reuse,
                                                 ArrayRef<ReserveBufferOp> reserved = {}) {
  std::vector<LiveBuffer> buffers;
  std::vector<size_t> storages;
  for (auto [i, storage] : llvm::enumerate(life.storages)) {
    buffers.push_back({storage.space, storage.bytes, storage.used});
    storages.push_back(i);
  }
  for (ReserveBufferOp buffer : reserved)
    buffers.push_back(
        {spaceOf(buffer), bytesOf(buffer), StepRange{0, uint32_t(std::max<size_t>(life.steps.size(), 1))}});
  Placement placement = placeBuffers(buffers, profile, reuse);
  if (!placement.overflow)
    return std::move(placement.address);
  reportOverflow(life, storages, *placement.overflow);
  return std::nullopt;
}

namespace {

struct PlanMemoryPass : PassWrapper<PlanMemoryPass, OperationPass<ModuleOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(PlanMemoryPass)
  PlanMemoryPass() = default;
  PlanMemoryPass(const PlanMemoryPass &other) : PassWrapper(other), profile(other.profile) {
    kernel = other.kernel.getValue();
    reuse = other.reuse.getValue();
  }
  PlanMemoryPass(const Profile *profile, std::string name) : profile(profile) { kernel = std::move(name); }
  StringRef getArgument() const final { return "pto-plan-memory"; }
  StringRef getDescription() const final { return "give addresses to tiles that have none"; }
  void getDependentDialects(DialectRegistry &registry) const final { registry.insert<arith::ArithDialect>(); }
  Option<std::string> kernel{*this, "kernel", llvm::cl::desc("only tiles of this kernel")};
  Option<bool> reuse{*this, "reuse", llvm::cl::desc("let tiles share bytes even where all would fit")};
  const Profile *profile = nullptr;

  void runOnOperation() override {
    ModuleOp module = getOperation();
    // Tiles of what is called in other modules have places beside those of the caller.
    PassManager linking(&getContext());
    linking.enableVerifier(false);
    linking.addPass(createLinkFunctionsPass());
    if (failed(linking.run(module)) || failed(verifyLevels(module)))
      return signalPassFailure();
    SmallVector<func::FuncOp> planned = entriesOf(module, kernel);
    const Callees callees;
    const Profile &target = profile ? *profile : profileOf(module);
    const SmallVector<func::FuncOp> entries = planned;
    llvm::erase_if(planned, [&](func::FuncOp entry) { return !Allocations(entry, callees).without; });
    const PipeBuffers pipes(planned, callees);
    TileLife life = tileLife(planned);
    std::optional<std::vector<uint64_t>> addresses = plan(life, target, reuse, pipes.reserved);
    if (!addresses)
      return signalPassFailure();
    for (auto [buffer, address] :
         llvm::zip(pipes.reserved, ArrayRef<uint64_t>(*addresses).take_back(pipes.reserved.size())))
      setBase(buffer, address);
    if (failed(placeBesideTiles(entries, callees, target)) ||
        failed(resolveImports(PipeBuffers(entries, callees).imports)))
      return signalPassFailure();
    for (auto [storage, address] : llvm::zip(life.storages, *addresses)) {
      OpBuilder builder(storage.op);
      Value constant = builder.create<arith::ConstantIntOp>(storage.op->getLoc(), int64_t(address), 64);
      if (auto alloc = dyn_cast<AllocTileOp>(storage.op))
        alloc.getAddrMutable().assign(constant);
      else
        cast<AllocMultiTileOp>(storage.op).getAddrMutable().assign(constant);
    }
  }
};

/// "%sum" of "%sum = pto.alloc_tile …".
std::string nameOf(const ParsedProgram &program, const Place &place) {
  std::string line = program.line(place.line).value_or("").substr(0, place.column ? place.column - 1 : 0);
  const size_t begin = line.rfind('%');
  return begin == std::string::npos ? "tile" : line.substr(begin, line.find_first_of(" \t=:,", begin) - begin);
}

} // namespace

std::unique_ptr<Pass> createPlanMemoryPass(const Profile *profile, std::string kernel) {
  return std::make_unique<PlanMemoryPass>(profile, std::move(kernel));
}

std::vector<MemoryMap> memoryMaps(const ParsedProgram &program, const std::string &kernel, FindingList &findings) {
  ModuleOp module = program.module.get();
  DiagnosticBridge bridge(*module.getContext(), program, findings, "verify-error");
  std::vector<MemoryMap> maps;
  if (failed(verifyLevels(module)))
    return maps;
  SmallVector<SmallVector<func::FuncOp>> kernels;
  if (!kernel.empty()) {
    if (Result<KernelHalves> found = findKernel(module, kernel, program.path); !found)
      return findings.add(found.takeFinding()), maps;
    kernels.push_back(entriesOf(module, kernel));
  } else {
    for (func::FuncOp function : kernelsOf(module))
      kernels.push_back({function});
  }
  const Callees callees;
  for (ArrayRef<func::FuncOp> halves : kernels) {
    TileLife life = tileLife(halves);
    MemoryMap map{func::FuncOp(halves[0]).getName().str(),
                  program.profile,
                  Allocations(halves[0], callees).without != nullptr,
                  {},
                  {}};
    std::vector<uint64_t> addresses;
    if (map.planned) {
      std::optional<std::vector<uint64_t>> planned =
          plan(life, *program.profile, false, PipeBuffers(halves, callees).reserved);
      if (!planned)
        return {};
      addresses = std::move(*planned);
    }
    for (Operation *step : life.steps)
      map.lines.push_back(placeOf(step->getLoc()).line);
    for (auto [i, storage] : llvm::enumerate(life.storages)) {
      const Place place = placeOf(storage.op->getLoc());
      map.tiles.push_back({nameOf(program, place), place.line, storage.space, storage.bytes,
                           map.planned ? addresses[i] : storage.address, storage.used});
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

} // namespace ptoscope
