//===- Jit.cpp - from LLVM IR to code in this process ---------------------===//

#include "ptoscope/Compiler/Jit.h"
#include "ptoscope/Compiler/CodeCache.h"
#include "ptoscope/Compiler/HostCpu.h"
#include "ptoscope/Machine/LoopRuntime.h"
#include "ptoscope/Machine/Math.h"
#include "ptoscope/Machine/Runtime.h"
#include "ptoscope/Machine/SequenceRuntime.h"
#include "ptoscope/Meaning/Bitcode.h"
#include "ptoscope/Tile/Cube.h"
#include "ptoscope/Tile/Queues.h"
#include "ptoscope/Tile/Runtime.h"
#include "ptoscope/Tile/UbVector.h"

#include "llvm/Bitcode/BitcodeReader.h"
#include "llvm/Bitcode/BitcodeWriter.h"
#include "llvm/ExecutionEngine/Orc/ExecutionUtils.h"
#include "llvm/ExecutionEngine/Orc/LLJIT.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/LegacyPassManager.h"
#include "llvm/IR/Module.h"
#include "llvm/Linker/Linker.h"
#include "llvm/MC/TargetRegistry.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Passes/StandardInstrumentations.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/SmallVectorMemoryBuffer.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Utils/Cloning.h"

using namespace llvm;

namespace ptoscope {

/// After the meanings are inlined: slots to registers, then what loops of group
/// code profit from. Chosen for compile time; a full -O2 pipeline takes several
/// times as long and gains nothing on lane groups.
static constexpr StringLiteral kPipeline =
    "always-inline,globaldce,function(sroa,early-cse,simplifycfg,instcombine<no-verify-fixpoint>,"
    "loop-mssa(loop-rotate,licm),early-cse<memssa>,simplifycfg,instcombine<no-verify-fixpoint>,adce)";

struct Jit::State {
  HostCpu host;
  const Target *target = nullptr;
  std::unique_ptr<TargetMachine> machine;
  std::unique_ptr<orc::LLJIT> jit;

  std::unique_ptr<TargetMachine> machineOf(CodeGenOptLevel level) const {
    return std::unique_ptr<TargetMachine>(target->createTargetMachine(
        host.triple, host.name, host.features, TargetOptions(), Reloc::PIC_, CodeModel::Small, level, /*JIT=*/true));
  }
};

Jit::Jit(std::unique_ptr<State> state) : state(std::move(state)) {}
Jit::~Jit() = default;

static Finding internal(const Twine &message) { return makeFinding("internal-error", {}, message.str()); }
static Finding internal(Error error) { return internal(toString(std::move(error))); }

/// Every function of Machine/Runtime.h and Tile/Runtime.h, by symbol.
static orc::SymbolMap runtimeSymbols(orc::LLJIT &jit) {
  orc::SymbolMap symbols;
  auto add = [&](StringRef name, auto *function) {
    symbols[jit.mangleAndIntern(name)] = {orc::ExecutorAddr::fromPtr(function),
                                          JITSymbolFlags::Exported | JITSymbolFlags::Callable};
  };
#define PTOSC_SYMBOL(name) add(#name, &name);
  PTOSC_SYMBOL(ptosc_transfer)
  PTOSC_SYMBOL(ptosc_set_register)
  PTOSC_SYMBOL(ptosc_set_flag)
  PTOSC_SYMBOL(ptosc_wait_flag)
  PTOSC_SYMBOL(ptosc_barrier)
  PTOSC_SYMBOL(ptosc_memory_barrier)
  PTOSC_SYMBOL(ptosc_cache_invalidate)
  PTOSC_SYMBOL(ptosc_message_set)
  PTOSC_SYMBOL(ptosc_message_wait)
  PTOSC_SYMBOL(ptosc_load_dev)
  PTOSC_SYMBOL(ptosc_store_dev)
  PTOSC_SYMBOL(ptosc_event_array)
  PTOSC_SYMBOL(ptosc_event_array_set)
  PTOSC_SYMBOL(ptosc_event_array_get)
  PTOSC_SYMBOL(ptosc_element_set)
  PTOSC_SYMBOL(ptosc_element_get)
  PTOSC_SYMBOL(ptosc_bad_index)
  PTOSC_SYMBOL(ptosc_look)
  PTOSC_SYMBOL(ptosc_get_buf)
  PTOSC_SYMBOL(ptosc_rls_buf)
  PTOSC_SYMBOL(ptosc_scope)
  PTOSC_SYMBOL(ptosc_placed_scope)
  PTOSC_SYMBOL(ptosc_sync_set)
  PTOSC_SYMBOL(ptosc_sync_wait)
  PTOSC_SYMBOL(ptosc_cross_core_set)
  PTOSC_SYMBOL(ptosc_wait_flag_dev)
  PTOSC_SYMBOL(ptosc_syncall)
  PTOSC_SYMBOL(ptosc_yield)
  PTOSC_SYMBOL(ptosc_fail)
  PTOSC_SYMBOL(ptosc_math)
  PTOSC_SYMBOL(ptosc_get_ctrl)
  PTOSC_SYMBOL(ptosc_set_ctrl)
  PTOSC_SYMBOL(ptosc_bitsort)
  PTOSC_SYMBOL(ptosc_mrgsort4)
  PTOSC_SYMBOL(ptosc_get_vms4_sr)
  PTOSC_SYMBOL(ptosc_load_scalar)
  PTOSC_SYMBOL(ptosc_store_scalar)
  PTOSC_SYMBOL(ptosc_check_load)
  PTOSC_SYMBOL(ptosc_check_store)
  PTOSC_SYMBOL(ptosc_merge_stamps)
  PTOSC_SYMBOL(ptosc_check_loop)
  PTOSC_SYMBOL(ptosc_place_loop)
  PTOSC_SYMBOL(ptosc_undefined_use)
  PTOSC_SYMBOL(ptosc_fence)
  PTOSC_SYMBOL(ptosc_buffered_store)
  PTOSC_SYMBOL(ptosc_partial_store)
  PTOSC_SYMBOL(ptosc_load_bits)
  PTOSC_SYMBOL(ptosc_load_defined)
  PTOSC_SYMBOL(ptosc_store_bits)
  PTOSC_SYMBOL(ptosc_store_defined)
  PTOSC_SYMBOL(ptosc_mark_bytes)
  PTOSC_SYMBOL(ptosc_unmark_bytes)
  PTOSC_SYMBOL(ptosc_invert_bits)
  PTOSC_SYMBOL(ptosc_dup_defined)
  PTOSC_SYMBOL(ptosc_count_bits)
  PTOSC_SYMBOL(ptosc_spread_bits)
  PTOSC_SYMBOL(ptosc_check_lookup)
  PTOSC_SYMBOL(ptosc_check_lanes)
  PTOSC_SYMBOL(ptosc_copy_bits)
  PTOSC_SYMBOL(ptosc_prefix_bits)
  PTOSC_SYMBOL(ptosc_check_loads)
  PTOSC_SYMBOL(ptosc_check_stores)
  PTOSC_SYMBOL(ptosc_check_counts)
  PTOSC_SYMBOL(ptosc_gather)
  PTOSC_SYMBOL(ptosc_scatter)
  PTOSC_SYMBOL(ptosc_stream_prime)
  PTOSC_SYMBOL(ptosc_stream_load)
  PTOSC_SYMBOL(ptosc_stream_push)
  PTOSC_SYMBOL(ptosc_stream_flush)
  PTOSC_SYMBOL(ptosc_scope_turns)
  PTOSC_SYMBOL(ptosc_cube)
  PTOSC_SYMBOL(ptosc_ub_vector)
  PTOSC_SYMBOL(ptosc_tile)
  PTOSC_SYMBOL(ptosc_tile_alloc)
  PTOSC_SYMBOL(ptosc_tile_valid)
  PTOSC_SYMBOL(ptosc_tile_subview)
  PTOSC_SYMBOL(ptosc_tile_reshape)
  PTOSC_SYMBOL(ptosc_tile_assign)
  PTOSC_SYMBOL(ptosc_tile_get)
  PTOSC_SYMBOL(ptosc_tile_set)
  PTOSC_SYMBOL(ptosc_tile_slot)
  PTOSC_SYMBOL(ptosc_view_make)
  PTOSC_SYMBOL(ptosc_view_part)
  PTOSC_SYMBOL(ptosc_queue_open)
  PTOSC_SYMBOL(ptosc_queue_push)
  PTOSC_SYMBOL(ptosc_queue_pop)
  PTOSC_SYMBOL(ptosc_queue_free)
  PTOSC_SYMBOL(ptosc_queue_take_entry)
  PTOSC_SYMBOL(ptosc_queue_pass_entry)
  PTOSC_SYMBOL(ptosc_queue_pop_entry)
  PTOSC_SYMBOL(ptosc_queue_free_entry)
  PTOSC_SYMBOL(ptosc_tile_order)
  PTOSC_SYMBOL(ptosc_tile_print)
  PTOSC_SYMBOL(ptosc_view_print)
  PTOSC_SYMBOL(ptosc_print)
#undef PTOSC_SYMBOL
  return symbols;
}

/// What only AArch64 has on, and what gains nothing: alias analysis while instructions are selected takes a fifth of
/// the time of a small kernel, and the loads and stores of group code were put in order before; a second scheduling,
/// behind the allocation of registers, takes a twentieth, and hosts execute out of order.
static void settle() {
  for (StringRef name : {"aarch64-use-aa", "enable-post-misched"})
    if (cl::Option *option = cl::getRegisteredOptions().lookup(name))
      option->addOccurrence(0, name, "false");
}

Result<std::unique_ptr<Jit>> Jit::create() {
  [[maybe_unused]] static const bool once = (settle(), true);
  InitializeNativeTarget();
  InitializeNativeTargetAsmPrinter();
  auto state = std::make_unique<State>();
  state->host = hostCpu();
  std::string error;
  state->target = TargetRegistry::lookupTarget(state->host.triple, error);
  if (!state->target)
    return internal(error);
  state->machine = state->machineOf(CodeGenOptLevel::Default);
  orc::LLJITBuilder builder;
  builder.setJITTargetMachineBuilder(orc::JITTargetMachineBuilder(Triple(state->host.triple)));
  builder.setDataLayout(state->machine->createDataLayout());
  builder.setPlatformSetUp(orc::setUpInactivePlatform); // no constructors, no TLS
  Expected<std::unique_ptr<orc::LLJIT>> jit = builder.create();
  if (!jit)
    return internal(jit.takeError());
  state->jit = std::move(*jit);
  orc::JITDylib &library = state->jit->getMainJITDylib();
  if (Error defined = library.define(orc::absoluteSymbols(runtimeSymbols(*state->jit))))
    return internal(std::move(defined));
  // memcpy and the like, which LLVM may call.
  auto process =
      orc::DynamicLibrarySearchGenerator::GetForCurrentProcess(state->machine->createDataLayout().getGlobalPrefix());
  if (!process)
    return internal(process.takeError());
  library.addGenerator(std::move(*process));
  return std::unique_ptr<Jit>(new Jit(std::move(state)));
}

static constexpr unsigned kLongMeaning = 47; // instructions: what vdintlv takes

/// The meanings were compiled for a fixed target; only their IR counts.
static void adoptMeaning(Function &function) {
  for (StringRef name : {"target-cpu", "target-features", "tune-cpu", "min-legal-vector-width", "prefer-vector-width"})
    function.removeFnAttr(name);
  // Functions on groups have to be inlined: vectors have no common calling
  // convention. Long ones on memory would only make long code.
  bool onMemory = function.getReturnType()->isVoidTy();
  bool isLong = onMemory && function.getInstructionCount() > kLongMeaning;
  function.removeFnAttr(isLong ? Attribute::AlwaysInline : Attribute::NoInline);
  function.addFnAttr(isLong ? Attribute::NoInline : Attribute::AlwaysInline);
  function.setLinkage(GlobalValue::InternalLinkage);
}

static bool isMeaning(const Function &function) { return function.getName().starts_with("ptom_"); }

/// The scalar unit's program: no vectors, no masks.
static bool isScalar(const Function &function) {
  return function.getReturnType()->isIntegerTy() && none_of(instructions(function), [](const Instruction &instruction) {
           auto *call = dyn_cast<CallBase>(&instruction);
           return call && call->getCalledFunction() && isMeaning(*call->getCalledFunction());
         });
}

/// A program of the scalar unit that was unrolled to thousands of instructions. Nearly all of them are calls,
/// which nothing makes shorter, and both the optimiser and its code generator take quadratic time for them.
static bool isLongProgram(const Function &function) {
  constexpr unsigned kLong = 4000;
  return function.getReturnType()->isIntegerTy() && function.getInstructionCount() > kLong;
}

/// Links a definition to every declared meaning; what it calls is declared by then.
static Result<void> linkMeanings(Module &module) {
  auto isWanted = [](const Function &function) { return isMeaning(function) && function.isDeclaration(); };
  for (auto next = find_if(module, isWanted); next != module.end(); next = find_if(module, isWanted)) {
    const std::string_view name = next->getName();
    auto part = std::ranges::lower_bound(meaningParts(), name, {}, &MeaningPart::name);
    if (part == meaningParts().end() || part->name != name)
      return internal("no meaning for " + next->getName());
    MemoryBufferRef buffer(toStringRef(ArrayRef(part->bitcode.data(), part->bitcode.size())), "lanes");
    // Lazily: only the meanings that are used are read.
    Expected<std::unique_ptr<Module>> lanes = getLazyBitcodeModule(buffer, module.getContext());
    if (!lanes)
      return internal(lanes.takeError());
    (*lanes)->setTargetTriple(module.getTargetTriple());
    (*lanes)->setDataLayout(module.getDataLayout());
    if (Linker::linkModules(module, std::move(*lanes), Linker::LinkOnlyNeeded))
      return internal("cannot link the lane meanings");
  }
  return {};
}

Result<void> Jit::prepare(Module &module) {
  module.setTargetTriple(state->host.triple);
  module.setDataLayout(state->machine->createDataLayout());
  if (Result<void> linked = linkMeanings(module); !linked)
    return linked;
  for (Function &function : module) {
    if (function.isDeclaration())
      continue;
    if (isMeaning(function))
      adoptMeaning(function);
    else
      function.setDoesNotThrow();
    if (!isMeaning(function) && isLongProgram(function)) {
      function.addFnAttr(Attribute::OptimizeNone);
      function.addFnAttr(Attribute::NoInline);
    }
    // The pass that moves values into mask registers takes quadratic time for many calls.
    if (state->host.wideVectors && isScalar(function))
      function.addFnAttr("target-features", state->host.features + ",-avx512bw");
    if (state->host.wideVectors) {
      function.addFnAttr("prefer-vector-width", "512");
      function.addFnAttr("min-legal-vector-width", "512");
    }
  }

  LoopAnalysisManager loops;
  FunctionAnalysisManager functions;
  CGSCCAnalysisManager components;
  ModuleAnalysisManager modules;
  PassInstrumentationCallbacks callbacks;
  OptNoneInstrumentation skipsLong(/*DebugLogging=*/false);
  skipsLong.registerCallbacks(callbacks);
  PassBuilder builder(state->machine.get(), PipelineTuningOptions(), std::nullopt, &callbacks);
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(components);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, components, modules);
  ModulePassManager passes;
  if (Error error = builder.parsePassPipeline(passes, kPipeline))
    return internal(std::move(error));
  passes.run(module, modules);
  return {};
}

static Result<ObjectFile> emit(TargetMachine &machine, Module &module, CodeGenFileType type) {
  ObjectFile bytes;
  raw_svector_ostream out(bytes);
  legacy::PassManager passes;
  if (machine.addPassesToEmitFile(passes, out, nullptr, type))
    return internal("the target cannot emit code");
  passes.run(module);
  return bytes;
}

Result<std::string> Jit::assembly(Module &module) {
  Result<ObjectFile> text = emit(*state->machine, module, CodeGenFileType::AssemblyFile);
  if (!text)
    return text.takeFinding();
  return std::string(text->begin(), text->end());
}

/// Moves the long programs of a module to one of their own.
static std::unique_ptr<Module> takeLongPrograms(Module &module) {
  for (GlobalValue &value : module.global_values())
    if (value.hasLocalLinkage())
      value.setLinkage(GlobalValue::ExternalLinkage);
  ValueToValueMapTy copies;
  auto programs = CloneModule(module, copies, [](const GlobalValue *value) {
    auto *function = dyn_cast<Function>(value);
    return function && function->hasOptNone();
  });
  for (Function &function : module)
    if (function.hasOptNone())
      function.deleteBody();
  return programs;
}

/// Code of a prepared module.
static Result<std::vector<ObjectFile>> emitAll(const Jit::State &state, Module &module) {
  std::vector<ObjectFile> objects;
  auto add = [&](TargetMachine &machine, Module &part) -> Result<void> {
    Result<ObjectFile> object = emit(machine, part, CodeGenFileType::ObjectFile);
    if (!object)
      return object.takeFinding();
    objects.push_back(std::move(*object));
    return {};
  };
  if (any_of(module, [](const Function &function) { return function.hasOptNone(); })) {
    std::unique_ptr<Module> programs = takeLongPrograms(module);
    std::unique_ptr<TargetMachine> quick = state.machineOf(CodeGenOptLevel::None);
    if (Result<void> added = add(*quick, *programs); !added)
      return added.takeFinding();
  }
  if (Result<void> added = add(*state.machine, module); !added)
    return added.takeFinding();
  return objects;
}

Result<void> Jit::add(Module &module) {
  std::optional<CodeCache> cache = CodeCache::open();
  std::string key;
  std::optional<std::vector<ObjectFile>> objects;
  if (cache) {
    SmallVector<char, 0> bitcode;
    raw_svector_ostream out(bitcode);
    WriteBitcodeToFile(module, out);
    key = CodeCache::keyOf({StringRef(bitcode.data(), bitcode.size()), state->host.triple, state->host.name,
                            state->host.features, state->host.wideVectors ? "wide" : ""});
    objects = cache->find(key);
  }
  if (!objects) {
    if (Result<void> prepared = prepare(module); !prepared)
      return prepared;
    Result<std::vector<ObjectFile>> made = emitAll(*state, module);
    if (!made)
      return made.takeFinding();
    objects = std::move(*made);
    if (cache)
      cache->keep(key, *objects);
  }
  for (ObjectFile &object : *objects)
    if (Error error = state->jit->addObjectFile(
            std::make_unique<SmallVectorMemoryBuffer>(std::move(object), "kernel", /*RequiresNullTerminator=*/false)))
      return internal(std::move(error));
  return {};
}

Result<void *> Jit::lookup(StringRef name) {
  Expected<orc::ExecutorAddr> address = state->jit->lookup(name);
  if (!address)
    return internal(address.takeError());
  return address->toPtr<void *>();
}

} // namespace ptoscope
