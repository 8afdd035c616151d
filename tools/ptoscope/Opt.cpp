//===- Opt.cpp - ptoscope opt ---------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Analysis/InsertSync.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Support/AtomicFile.h"

#include "mlir/Debug/Counter.h"
#include "mlir/IR/AsmState.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Support/Timing.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace ptoscope;

/// What the LLVM library has registered so far is not ours to teach.
static void hideLibraryOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (entry.first() != "help" && entry.first() != "version")
      entry.second->setHiddenFlag(llvm::cl::ReallyHidden);
}

/// What LLVM says of wrong words, as the other verbs say it: its first line, without who says it and what else to read.
static ExitStatus refuse(llvm::StringRef said) {
  llvm::StringRef message = said.ltrim().split('\n').first;
  message.consume_front("ptoscope opt: ");
  message.consume_front("<Pass-Options-Parser>: ");
  message = message.split(".  Try: ").first;
  constexpr llvm::StringRef kMark = " error: "; // behind a place in a pipeline
  if (size_t mark = message.find(kMark); mark != llvm::StringRef::npos)
    message = message.drop_front(mark + kMark.size());
  std::string text = message.rtrim(" .!").str();
  if (text.empty())
    return kUsageError; // values of options are refused on standard error at once
  text[0] = llvm::toLower(text[0]);
  return reportUsage(usageError(text, "`ptoscope opt --help` lists the options, and the passes with theirs"));
}

/// What mlir-opt registers. MLIR has it together with a parser that ends the process with status 1.
static void registerOptions(mlir::DialectRegistry &registry) {
  mlir::MlirOptMainConfig::registerCLOptions(registry);
  mlir::registerAsmPrinterCLOptions();
  mlir::registerMLIRContextCLOptions();
  mlir::registerPassManagerCLOptions();
  mlir::registerDefaultTimingManagerCLOptions();
  mlir::tracing::DebugCounter::registerCLOptions();
}

int ptoscope::optVerb(std::span<const std::string> words) {
  hideLibraryOptions();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  mlir::registerPass([] { return createInsertSyncPass(); });
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  llvm::cl::opt<bool> asWritten("as-written",
                                llvm::cl::desc("Leave out what the text leaves out: masks, scopes, types"));
  llvm::cl::opt<std::string> input(llvm::cl::Positional, llvm::cl::desc("<input file>"), llvm::cl::init("-"));
  llvm::cl::opt<std::string> output("o", llvm::cl::desc("Output filename"), llvm::cl::value_desc("filename"),
                                    llvm::cl::init("-"));
  registerOptions(registry);
  std::vector<const char *> arguments = {"ptoscope opt"};
  for (const std::string &word : words)
    arguments.push_back(word.c_str());
  std::string said;
  llvm::raw_string_ostream refusals(said);
  if (!llvm::cl::ParseCommandLineOptions(int(arguments.size()), arguments.data(),
                                         "the pto dialect's mlir-opt: runs passes and prints what they make\n"
                                         "\nAvailable Dialects: " +
                                             llvm::join(registry.getDialectNames(), ", "),
                                         &refusals))
    return refuse(said);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::PassManager asked(&context, mlir::ModuleOp::getOperationName(), mlir::PassManager::Nesting::Implicit);
  {
    mlir::ScopedDiagnosticHandler handler(&context,
                                          [&](mlir::Diagnostic &diagnostic) { refusals << diagnostic.str(); });
    if (failed(config.setupPassPipeline(asked)))
      return refuse(said);
  }
  // What was verified is not verified again to be printed.
  if (config.shouldVerifyPasses())
    llvm::cl::getRegisteredOptions()["mlir-print-assume-verified"]->addOccurrence(0, "", "true");
  // Without passes the program itself is wanted, complete. Loose text is verified once it is.
  if (asked.empty() && !asWritten) {
    config.verifyPasses(false);
    config.setPassPipelineSetupFn([](mlir::PassManager &passes) {
      addCompletion(passes);
      return mlir::success();
    });
  }
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(input, &error);
  if (!buffer)
    return reportUsage(makeFinding("file-error", {}, error));
  // Bytecode has a parser of its own.
  if (!buffer->getBuffer().starts_with("ML\xEFR")) {
    FindingList findings;
    std::string name = buffer->getBufferIdentifier().str();
    std::optional<std::string> text = readableText(name, buffer->getBuffer().str(), findings);
    if (!text)
      return report(findings, {}, {});
    buffer = llvm::MemoryBuffer::getMemBufferCopy(*text, name);
  }
  std::string printed;
  llvm::raw_string_ostream stream(printed);
  bool done = succeeded(mlir::MlirOptMain(stream, std::move(buffer), registry, config));
  if (output.getValue() == "-") {
    fwrite(printed.data(), 1, printed.size(), stdout);
  } else if (done) {
    if (Result<void> written = writeFileAtomically(output, printed); !written)
      return reportUsage(written.takeFinding());
  }
  return done ? kSuccess : kProgramError;
}
