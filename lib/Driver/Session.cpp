//===- Session.cpp - parse, compile, launch --------------------------------===//

#include "ptoscope/Driver/Session.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/Remedies.h"

#include "mlir/Target/LLVMIR/Dialect/Builtin/BuiltinToLLVMIRTranslation.h"
#include "mlir/Target/LLVMIR/Dialect/LLVMIR/LLVMToLLVMIRTranslation.h"

#include <cassert>
#include <iostream>

namespace ptoscope {

static mlir::DialectRegistry makeRegistry() {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::registerBuiltinDialectTranslation(registry);
  mlir::registerLLVMDialectTranslation(registry);
  return registry;
}

// One thread: kernels are small, and a thread pool costs more than it gains.
Session::Session() : registry(makeRegistry()), mlirContext(registry, mlir::MLIRContext::Threading::DISABLED) {
  mlirContext.printOpOnDiagnostic(false); // the source line says more than the generic form
}

std::unique_ptr<ParsedProgram> Session::parse(std::string path, std::string text, const FrontendOptions &options,
                                              FindingList &findings) {
  return parseProgram(mlirContext, std::move(path), std::move(text), options, findings);
}

std::unique_ptr<ParsedProgram> Session::parseFile(const std::string &path, const FrontendOptions &options,
                                                  FindingList &findings) {
  if (path == "-")
    return parse("<stdin>", std::string(std::istreambuf_iterator<char>(std::cin), {}), options, findings);
  Result<Array> file = readRaw(path);
  if (!file) {
    findings.add(file.takeFinding());
    auto program = std::make_unique<ParsedProgram>();
    program->path = path;
    return program;
  }
  std::string text(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
  return parse(path, std::move(text), options, findings);
}

std::unique_ptr<CompiledKernel> Session::compile(const ParsedProgram &program, const CompileOptions &options,
                                                 FindingList &findings) {
  return compileKernel(program, options, findings);
}

RunResult Session::launch(const CompiledKernel &kernel, std::span<const Argument> arguments, LaunchOptions options) {
  assert(arguments.size() == kernel.parameters.size() && "one argument per parameter");
  GmTable gm;
  std::vector<uint64_t> words;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (auto *scalar = std::get_if<uint64_t>(&arguments[i])) {
      words.push_back(*scalar);
      continue;
    }
    auto buffer = std::get<std::span<uint8_t>>(arguments[i]);
    words.push_back(gm.add(buffer.data(), buffer.size(), kernel.parameters[i].name));
  }
  std::unique_ptr<CheckerFactory> checkers;
  if (options.checks.race || options.checks.init || options.checks.sync) {
    checkers = makeCheckers(kernel.sites, gm, *options.profile, options.checks);
    options.observers = checkers.get();
  }
  RunResult result;
  result.launch = ptoscope::launch(kernel.image, gm, words, options);
  result.launch.findings = withCompleteRemedies(std::move(result.launch.findings));
  if (checkers)
    result.checked = checkers->counts();
  return result;
}

} // namespace ptoscope
