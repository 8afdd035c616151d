//===- Pipeline.cpp - a verified module to a runnable kernel --------------===//

#include "ptoscope/Compiler/Pipeline.h"
#include "ptoscope/Compiler/Kernels.h"
#include "ptoscope/Compiler/ProgramNames.h"
#include "ptoscope/Compiler/ProgramText.h"
#include "ptoscope/Compiler/ScopeSchedules.h"
#include "ptoscope/Compiler/Steps.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Export.h"
#include "llvm/IR/LLVMContext.h"
#include "llvm/IR/Module.h"

using namespace mlir;

namespace ptoscope {

//===----------------------------------------------------------------------===//
// Parameters
//===----------------------------------------------------------------------===//

/// The names in the parameter list of a function as the text has them; MLIR
/// does not keep them.
static std::vector<std::string> namesInText(const ParsedProgram &program, func::FuncOp kernel) {
  std::vector<std::string> names;
  auto loc = kernel.getLoc()->findInstanceOf<FileLineColLoc>();
  if (!loc || loc.getLine() == 0 || loc.getLine() > program.lineStarts.size())
    return names;
  size_t at = program.text.find('(', program.lineStarts[loc.getLine() - 1] + loc.getColumn() - 1);
  int depth = 0;
  for (; at < program.text.size(); ++at) {
    char c = program.text[at];
    depth += c == '(' || c == '<' || c == '{';
    depth -= c == ')' || c == '}' || (c == '>' && program.text[at - 1] != '-');
    if (c == ')' && depth == 0)
      break;
    if (c == '%' && depth == 1) {
      size_t end = program.text.find_first_of(" :\t\r\n", at);
      names.push_back(program.text.substr(at, end - at));
      at = end - 1;
    }
  }
  return names;
}

std::vector<Parameter> parametersOf(const ParsedProgram &program, func::FuncOp kernel) {
  std::vector<std::string> names = namesInText(program, kernel);
  std::vector<Parameter> parameters;
  for (auto [i, type] : llvm::enumerate(kernel.getArgumentTypes())) {
    Parameter parameter;
    parameter.name = i < names.size() ? names[i] : "%arg" + std::to_string(i);
    llvm::raw_string_ostream(parameter.type) << type;
    Type element = type;
    if (auto ptr = dyn_cast<pto::PtrType>(type)) {
      parameter.isPointer = true;
      element = ptr.getElement();
    }
    if (element) {
      llvm::raw_string_ostream(parameter.element) << element;
      parameter.bytes = element.isIndex() ? 8 : std::max(1u, pto::bitsOf(element) / 8);
    }
    parameters.push_back(std::move(parameter));
  }
  return parameters;
}

//===----------------------------------------------------------------------===//
// Compilation
//===----------------------------------------------------------------------===//

/// Reports quote instructions as the program wrote them (`pto.pipe_barrier`,
/// not `pto.barrier`): take the word at the site's place.
static void quoteAsWritten(const ParsedProgram &program, SiteTable &sites) {
  for (SiteId id = 0; id < sites.size(); ++id) {
    Site &site = sites[id];
    std::string word = program.wordAt(site.place);
    // A scope assumed around a run stands at the run's first instruction.
    if (word.starts_with("pto.") && site.timing != Timing::scope)
      site.op = word;
  }
}

/// The instruction behind the last one of a block is the brace that ends it: there, lines for what comes after stand.
static void endBlocks(const ParsedProgram &program, SiteTable &sites) {
  const LineTable lines(program.text);
  const std::string code = codeOnly(program.text);
  LostValues lost;
  const ProgramNames names = namesOf(code, lost);
  for (SiteId id = 0; id < sites.size(); ++id) {
    Site &site = sites[id];
    if (site.place.file != program.path || site.place.line == 0 || site.place.line > lines.starts.size() ||
        site.next.line > site.place.line)
      continue;
    const size_t at = lines.starts[site.place.line - 1] + std::max(site.place.column, 1u) - 1;
    const size_t end = names.regions[names.regionAt(at)].range.end;
    if (end >= code.size())
      continue;
    auto [line, column] = lines.at(end);
    // Something else may stand on its line.
    if (code.find_first_not_of(" \t", lines.starts[line - 1]) == end && line > site.place.line)
      site.next = {program.path, line, column};
  }
}

static CodeOptions codeOptions(const ParsedProgram &program, const CompileOptions &options) {
  CodeOptions code;
  code.profile = program.profile;
  code.trackAccesses = options.checks.race || options.checks.memory || options.checks.init;
  code.trackDefined = options.checks.init;
  code.bufferStores = options.schedule == ScheduleKind::Random;
  code.numberLoops = options.checks.any() || options.steps;
  code.trackAccesses |= options.steps != nullptr; // a debugger tells who writes
  for (const tile::Look &look : options.looks)
    code.trackAccesses |= look.what == tile::Look::Stores;
  // Whoever looks at single instructions sees each of them.
  code.wholeLoops = code.trackAccesses && !code.bufferStores && !options.steps && options.looks.empty();
  code.placesLoops = !code.trackAccesses && !code.bufferStores;
  return code;
}

/// Releases, sets and barriers of one core hold up no one for ever.
static void removeWaits(ModuleOp module) {
  module->walk([](Operation *op) {
    if (isa<pto::WaitFlagOp, pto::WaitFlagDynOp, pto::GetBufOp, pto::GetBufDynOp, pto::WaitFlagDevOp, pto::SyncWaitOp,
            pto::WaitIntraCoreOp, pto::WaitCrossBlockOp, pto::SyncAllOp>(op))
      op->erase();
  });
}

std::unique_ptr<CompiledKernel> compileKernel(const ParsedProgram &program, const CompileOptions &options,
                                              FindingList &findings) {
  ModuleOp original = program.module.get();
  MLIRContext &context = *original.getContext();
  Result<KernelHalves> kernel = findKernel(original, options.kernel, program.path);
  if (!kernel) {
    findings.add(kernel.takeFinding());
    return nullptr;
  }
  auto compiled = std::make_unique<CompiledKernel>();
  compiled->name = kernel->any().getName().str();
  compiled->parameters = parametersOf(program, kernel->any());
  compiled->image.unified = coreKindOf(kernel->any()) == CoreKind::Unified;

  // Lowering builds operations of dialects the text may not have used.
  context.loadDialect<arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, scf::SCFDialect,
                      LLVM::LLVMDialect>();
  DiagnosticBridge bridge(context, program, findings, "internal-error");
  OwningOpRef<ModuleOp> module = original.clone();
  CodeOptions code = codeOptions(program, options);
  auto print = [&] { llvm::raw_string_ostream(compiled->emitted) << *module; };
  auto run = [&](auto... makers) {
    PassManager passes(&context);
    passes.enableVerifier(false);
    (passes.addPass(makers()), ...);
    return succeeded(passes.run(*module)) && !findings.failed();
  };
  if (!options.asWritten && !run([] { return createAutomaticOrderPass(); }))
    return nullptr;
  if (!run([&] { return createPlanMemoryPass(program.profile, compiled->name); },
           [&] { return createSelectKernelPass(compiled->name, program.profile); }))
    return nullptr;
  if (options.ignoresWaits)
    removeWaits(*module);
  insertLooks(*module, options.looks);
  if (options.steps)
    insertSteps(*module, program, *options.steps);
  if (options.emit == "pto")
    return print(), std::move(compiled);
  // The programs by name, and whether a barrier joins all blocks.
  std::string aiv, aic;
  for (auto function : module->getOps<func::FuncOp>())
    (function->getAttrOfType<StringAttr>("pto.core") == "aiv" ? aiv : aic) = function.getName().str();
  module->walk([&](Operation *op) {
    auto mode = op->getAttrOfType<IntegerAttr>("ffts_mode");
    compiled->image.needsAllBlocks |= isa<pto::SyncAllOp, pto::SetCrossBlockOp, pto::WaitCrossBlockOp>(op) ||
                                      (isa<pto::SyncSetOp, pto::SyncWaitOp>(op) && mode && mode.getInt() == 0);
  });
  if (!run([] { return createSaturationModePass(); }, [] { return createOutlineScopesPass(); }))
    return nullptr;
  if (options.emit == "outlined")
    return print(), std::move(compiled);
  timing::ScopeSchedules *schedules = options.countsTurns ? &compiled->schedules : nullptr;
  if (!run([&] { return createLowerScopesPass(code, &compiled->sites, schedules); },
           [&] { return createLowerProgramPass(code, &compiled->sites); }))
    return nullptr;
  quoteAsWritten(program, compiled->sites);
  if (!aiv.empty() && !aic.empty() && options.checks.any())
    endBlocks(program, compiled->sites); // lines between cores go behind instructions
  if (options.emit == "lowered")
    return print(), std::move(compiled);
  if (!run([] { return createToLlvmPass(); }, [] { return createSplitStopsPass(); }))
    return nullptr;
  if (options.emit == "llvm-dialect")
    return print(), std::move(compiled);

  llvm::LLVMContext llvmContext;
  std::unique_ptr<llvm::Module> llvmModule = translateModuleToLLVMIR(*module, llvmContext, compiled->name);
  if (!llvmModule) {
    findings.add(makeFinding("internal-error", {program.path, 0, 0}, "cannot translate the kernel to LLVM IR"));
    return nullptr;
  }
  Result<std::unique_ptr<Jit>> jit = Jit::create();
  if (!jit)
    return findings.add(jit.takeFinding()), nullptr;
  compiled->jit = std::move(*jit);
  if (options.emit == "llvm" || options.emit == "asm") {
    if (Result<void> prepared = compiled->jit->prepare(*llvmModule); !prepared)
      return findings.add(prepared.takeFinding()), nullptr;
    if (options.emit == "llvm") {
      llvm::raw_string_ostream(compiled->emitted) << *llvmModule;
      return compiled;
    }
    Result<std::string> text = compiled->jit->assembly(*llvmModule);
    if (!text)
      return findings.add(text.takeFinding()), nullptr;
    compiled->emitted = std::move(*text);
    return compiled;
  }
  if (Result<void> added = compiled->jit->add(*llvmModule); !added)
    return findings.add(added.takeFinding()), nullptr;
  for (auto [name, program] : {std::pair(&aiv, &compiled->image.aiv), {&aic, &compiled->image.aic}}) {
    if (name->empty())
      continue;
    Result<void *> entry = compiled->jit->lookup(*name);
    if (!entry)
      return findings.add(entry.takeFinding()), nullptr;
    *program = reinterpret_cast<PtoSuFunction>(*entry);
  }
  compiled->image.sites = &compiled->sites;
  compiled->image.name = compiled->name;
  if (options.countsTurns) {
    compiled->image.scopes = &compiled->schedules;
    compiled->image.mostScopeRegions = compiled->schedules.mostRegions();
  }
  return compiled;
}

void registerPasses() {
  registerPass([] { return createLinkFunctionsPass(); });
  registerPass([] { return createResolveTypesPass(); });
  registerPass([] { return createNormalizeScopesPass(); });
  registerPass([] { return createAutoScopePass(); });
  registerPass([] { return createAssignEventsPass(); });
  registerPass([] { return createAutomaticOrderPass(); });
  registerPass([] { return createCompletePass(); });
  registerPass([] { return createPlanMemoryPass(); });
  registerPass([] { return createVerifyProgramPass(); });
  registerPass([] { return createSelectKernelPass(); });
  registerPass([] { return createSaturationModePass(); });
  registerPass([] { return createOutlineScopesPass(); });
  registerPass([] { return createLowerScopesPass({.profile = findProfile("a5")}); });
  registerPass([] { return createLowerProgramPass({.profile = findProfile("a5")}); });
  registerPass([] { return createToLlvmPass(); });
  registerPass([] { return createSplitStopsPass(); });
}

} // namespace ptoscope
