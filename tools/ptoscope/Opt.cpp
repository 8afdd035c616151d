//===- Opt.cpp - ptoscope opt ---------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Analysis/InsertSync.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Support/AtomicFile.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/MemoryBuffer.h"

using namespace ptoscope;

/// What the LLVM library has registered so far is not ours to teach.
static void hideLibraryOptions() {
  for (auto &entry : llvm::cl::getRegisteredOptions())
    if (entry.first() != "help" && entry.first() != "version")
      entry.second->setHiddenFlag(llvm::cl::ReallyHidden);
}

int ptoscope::optVerb(int argc, char **argv) {
  hideLibraryOptions();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  mlir::registerPass([] { return createInsertSyncPass(); });
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  llvm::cl::opt<bool> asWritten("as-written",
                                llvm::cl::desc("Leave out what the text leaves out: masks, scopes, types"));
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "the pto dialect's mlir-opt: runs passes and prints what they make\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  mlir::PassManager asked(&context, mlir::ModuleOp::getOperationName(), mlir::PassManager::Nesting::Implicit);
  if (failed(config.setupPassPipeline(asked)))
    return kUsageError;
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
  if (output == "-") {
    fwrite(printed.data(), 1, printed.size(), stdout);
  } else if (done) {
    if (Result<void> written = writeFileAtomically(output, printed); !written)
      return reportUsage(written.takeFinding());
  }
  return done ? kSuccess : kProgramError;
}
