//===- main.cpp - LLVM IR from a compiler without checkers ----------------===//
//
//   ptoscope-unchecked FILE KERNEL    (an empty name takes the only kernel)
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Pipeline.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Support/TextRenderer.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include <cstdio>
#include <fstream>
#include <sstream>

using namespace ptoscope;

int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  std::ostringstream text;
  text << std::ifstream(argv[1]).rdbuf();
  FindingList findings;
  auto program = parseProgram(context, argv[1], text.str(), {}, findings);
  CompileOptions options;
  options.kernel = argv[2];
  options.checks = Checks::none();
  options.emit = "llvm";
  auto kernel = program->module ? compileKernel(*program, options, findings) : nullptr;
  if (!kernel) {
    fputs(renderText(findings.all()).c_str(), stderr);
    return 1;
  }
  fputs(kernel->emitted.c_str(), stdout);
  return 0;
}
