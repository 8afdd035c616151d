//===- Opt.cpp - ptoscope opt, ptoscope lsp -------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Support/AtomicFile.h"

#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
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
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  auto [input, output] = mlir::registerAndParseCLIOptions(
      argc, argv, "the pto dialect's mlir-opt: runs passes and prints what they make\n", registry);
  mlir::MlirOptMainConfig config = mlir::MlirOptMainConfig::createFromCLOptions();
  std::string error;
  std::unique_ptr<llvm::MemoryBuffer> buffer = mlir::openInputFile(input, &error);
  if (!buffer)
    return reportUsage(makeFinding("file-error", {}, error));
  // Bytecode has a parser of its own; what kills the one for text is refused here.
  if (!buffer->getBuffer().starts_with("ML\xEFR")) {
    FindingList findings;
    if (!survivesParser(buffer->getBufferIdentifier().str(), buffer->getBuffer().str(), findings))
      return report(findings, {}, {});
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

int ptoscope::lspVerb(int argc, char **argv) {
  hideLibraryOptions();
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirLspServerMain(argc, argv, registry));
}
