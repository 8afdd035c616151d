//===- Opt.cpp - ptoscope opt, ptoscope lsp -------------------------------===//

#include "Verbs.h"
#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"

#include "mlir/Tools/mlir-lsp-server/MlirLspServerMain.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "mlir/Transforms/Passes.h"

using namespace ptoscope;

int ptoscope::optVerb(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  registerPasses();
  mlir::registerCanonicalizerPass();
  mlir::registerCSEPass();
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, "the pto dialect's mlir-opt\n", registry));
}

int ptoscope::lspVerb(int argc, char **argv) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  return mlir::asMainReturnCode(mlir::MlirLspServerMain(argc, argv, registry));
}
