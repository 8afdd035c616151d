//===- Frontend.cpp - from text to a verified module ----------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Compiler/ProgramText.h"
#include "ptoscope/Compiler/Recovery.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassManager.h"

using namespace mlir;

namespace ptoscope {

void registerDialects(DialectRegistry &registry) {
  registry.insert<pto::PTODialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, math::MathDialect,
                  scf::SCFDialect, LLVM::LLVMDialect>();
  func::registerInlinerExtension(registry);
}

std::optional<std::string> ParsedProgram::line(uint32_t number) const {
  if (number == 0 || number > lineStarts.size())
    return std::nullopt;
  size_t begin = lineStarts[number - 1];
  size_t end = text.find('\n', begin);
  std::string result = text.substr(begin, end == std::string::npos ? end : end - begin);
  if (!result.empty() && result.back() == '\r')
    result.pop_back();
  return result;
}

std::string ParsedProgram::wordAt(const Place &place) const {
  if (place.line == 0 || place.line > lineStarts.size() || place.column == 0)
    return "";
  size_t begin = lineStarts[place.line - 1] + place.column - 1, end = begin;
  while (end < text.size() && (isalnum(static_cast<unsigned char>(text[end])) || text[end] == '.' || text[end] == '_'))
    ++end;
  return begin < text.size() ? text.substr(begin, end - begin) : "";
}

//===----------------------------------------------------------------------===//
// Diagnostics
//===----------------------------------------------------------------------===//

Place placeOf(Location location) {
  if (auto file = location->findInstanceOf<FileLineColLoc>())
    return {file.getFilename().str(), file.getLine(), file.getColumn()};
  return {};
}

/// The message with types and attributes in backticks, as all program text is.
static std::string textOf(const Diagnostic &diag) {
  std::string text;
  llvm::raw_string_ostream out(text);
  for (const DiagnosticArgument &argument : diag.getArguments()) {
    if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Type)
      out << "`" << argument.getAsType() << "`";
    else if (argument.getKind() == DiagnosticArgument::DiagnosticArgumentKind::Attribute)
      out << "`" << argument.getAsAttribute() << "`";
    else
      argument.print(out);
  }
  // MLIR's own messages quote with apostrophes.
  for (size_t open = text.find('\''); open != std::string::npos; open = text.find('\'', open + 1)) {
    size_t close = text.find('\'', open + 1);
    if (close == std::string::npos)
      break;
    text[open] = text[close] = '`';
  }
  // Some of them end with an operation in generic form, over many lines; the source line says more.
  if (size_t end = text.find('\n'); end != std::string::npos) {
    StringRef first = StringRef(text).take_front(end).rtrim(" ,:");
    first.consume_back(", has");
    return first.str();
  }
  return text;
}

/// MLIR starts messages with "custom op `x` " or "`x` op "; ours name the
/// instruction themselves, and others get its name in our way.
static std::string withoutPrefix(std::string message) {
  StringRef rest = message, name;
  if (rest.consume_front("unregistered operation `pto.")) {
    // The generic form of a name that is no instruction.
    return pto::refusalOf(rest.split('`').first);
  }
  if (rest.contains(" not found for custom op `")) {
    name = rest.split(" not found for custom op `").second.take_while([](char c) {
      return isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_';
    });
    return ("[not-modelled] `" + name + "` is not modelled in PTO programs").str();
  }
  if (rest.consume_front("custom op `")) {
    std::tie(name, rest) = rest.split("` ");
  } else if (rest.consume_front("`") && rest.contains("` op ")) {
    std::tie(name, rest) = rest.split("` op ");
  } else {
    return message;
  }
  if (rest.starts_with("[") || rest.contains(("`" + name + "`").str()))
    return rest.str();
  return ("`" + name + "`: " + rest).str();
}

/// "`pto.barrier` breaks …" becomes "`pto.pipe_barrier` breaks …" where the
/// program says so.
static void quoteAsWritten(std::string &message, const std::string &word) {
  size_t close = message.find('`', 1);
  if (StringRef(message).starts_with("`pto.") && close != std::string::npos && StringRef(word).starts_with("pto."))
    message.replace(1, close - 1, word);
}

DiagnosticBridge::DiagnosticBridge(MLIRContext &context, const ParsedProgram &program, FindingList &findings,
                                   std::string code, bool strict)
    : defaultCode(std::move(code)), context(context) {
  handler = context.getDiagEngine().registerHandler([this, &program, &findings, strict](Diagnostic &diag) {
    auto [code, message] = pto::splitCode(withoutPrefix(textOf(diag)));
    bool error = diag.getSeverity() == DiagnosticSeverity::Error;
    if (code.empty())
      code = error                                               ? defaultCode
             : diag.getSeverity() == DiagnosticSeverity::Warning ? "undefined-by-manual"
                                                                 : "loose-spelling";
    Place place = placeOf(diag.getLocation());
    quoteAsWritten(message, program.wordAt(place));
    Finding finding = makeFinding(code, place, message);
    if (strict)
      refuseLoose(finding);
    for (Diagnostic &note : diag.getNotes()) {
      std::string text = textOf(note);
      if (StringRef(text).starts_with(pto::kHelpMark))
        finding.help = text.substr(pto::kHelpMark.size());
      else
        finding.notes.push_back({placeOf(note.getLocation()), std::move(text)});
    }
    findings.add(std::move(finding));
    return success();
  });
}

DiagnosticBridge::~DiagnosticBridge() { context.getDiagEngine().eraseHandler(handler); }

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

/// TIR-6: the target that a module names itself.
static std::string statedTarget(Operation *module) {
  if (auto attr = module->getAttrOfType<StringAttr>("pto.target_arch"))
    return attr == "a2a3" ? "a3" : attr.str();
  if (auto attr = module->getAttrOfType<StringAttr>("pto.device-spec"))
    return attr.getValue().starts_with("Ascend910")   ? "a3"
           : attr.getValue().starts_with("Ascend950") ? "a5"
                                                      : attr.str();
  return "";
}

/// PROG-8: modules inherit the target of those around them, and all functions have the same one.
static bool findTarget(ModuleOp top, std::string &name, Place &place, FindingList &findings) {
  name = statedTarget(top);
  bool first = true;
  place = placeOf(top.getLoc());
  WalkResult result = top.walk([&](ModuleOp module) {
    if (module.getOps<func::FuncOp>().empty())
      return WalkResult::advance();
    std::string own;
    for (Operation *around = module; around && own.empty(); around = around->getParentOp())
      own = statedTarget(around);
    if (first || own == name) {
      first = false;
      name = own;
      return WalkResult::advance();
    }
    Finding finding =
        makeFinding("verify-error", placeOf(module.getLoc()),
                    "the functions of this module are for `" + (own.empty() ? "a5" : own) +
                        "`, those of another one for `" + (name.empty() ? "a5" : name) + "`; this breaks PROG-8");
    finding.help = "name one target at the outermost module, or choose one with `--arch`";
    findings.add(std::move(finding));
    return WalkResult::interrupt();
  });
  return !result.wasInterrupted();
}

static const Profile *chooseProfile(ModuleOp module, const std::string &path, const FrontendOptions &options,
                                    FindingList &findings) {
  std::string name = options.arch;
  Place place{path, 0, 0};
  if (name.empty()) {
    Place stated;
    if (!findTarget(module, name, stated, findings))
      return nullptr;
    if (!name.empty()) {
      place = stated;
    } else {
      Finding finding = makeFinding("loose-spelling", place, "the module has no `pto.target_arch`; a5 is assumed");
      if (options.strict)
        refuseLoose(finding);
      findings.add(std::move(finding));
      name = "a5";
    }
  }
  const Profile *profile = findProfile(name);
  if (!profile) {
    Finding finding = makeFinding("verify-error", place, "unknown target `" + name + "`");
    finding.help = "the targets are a5, a3 and a2";
    findings.add(std::move(finding));
  }
  return profile;
}

/// Where the block that `at` stands in is closed; npos: nowhere.
static size_t closingBrace(const std::string &text, size_t at) {
  const std::string code = codeOnly(text);
  unsigned depth = 0;
  for (; at < code.size(); ++at) {
    if (code[at] == '{')
      ++depth;
    else if (code[at] == '}' && depth-- == 0)
      return at;
  }
  return std::string::npos;
}

/// Functions that do not end. MLIR's own message is about the last operation.
static void refuseOpenFunctions(ModuleOp module, const ParsedProgram &program, FindingList &findings) {
  module->walk([&](func::FuncOp function) {
    if (function.isExternal())
      return;
    Block &last = function.getBody().back();
    if (!last.empty() && last.back().mightHaveTrait<OpTrait::IsTerminator>())
      return;
    Place place = placeOf(last.empty() ? function.getLoc() : last.back().getLoc());
    if (!last.empty() && place.line > 0 && place.line <= program.lineStarts.size() && place.file == program.path) {
      const size_t brace = closingBrace(program.text, program.lineStarts[place.line - 1] + place.column - 1);
      if (brace != std::string::npos)
        std::tie(place.line, place.column) = LineTable(program.text).at(brace);
    }
    Finding finding =
        makeFinding("verify-error", place, "@" + function.getName().str() + " does not end with `return`");
    finding.help = "add `return` before the closing brace";
    findings.add(std::move(finding));
  });
}

/// MLIR's verifier stops at the first operation that breaks a rule. The others are
/// asked here, each for itself.
static bool verifyAll(ModuleOp module, const ParsedProgram &program, bool strict, FindingList &findings) {
  FindingList first, all(20);
  {
    DiagnosticBridge bridge(*module.getContext(), program, first, "verify-error", strict);
    if (succeeded(verify(module))) {
      findings.merge(std::move(first));
      return true;
    }
  }
  refuseOpenFunctions(module, program, all);
  DiagnosticBridge bridge(*module.getContext(), program, all, "verify-error", strict);
  module->walk([&](Operation *op) {
    (void)op->getName().verifyInvariants(op); // those that are not listed are counted
  });
  findings.merge(all.failed() ? std::move(all) : std::move(first));
  return false;
}

std::unique_ptr<ParsedProgram> parseProgram(MLIRContext &context, std::string path, std::string text,
                                            const FrontendOptions &options, FindingList &findings) {
  auto program = std::make_unique<ParsedProgram>();
  program->path = std::move(path);
  program->text = std::move(text);
  program->lineStarts = LineTable(program->text).starts;
  if (!acceptText(program->path, program->text, findings))
    return program;
  std::vector<Finding> remarks;
  std::string documented = documentedText(program->path, program->text, remarks);
  for (Finding &remark : remarks) {
    if (options.strict)
      refuseLoose(remark);
    findings.add(std::move(remark));
  }
  OwningOpRef<ModuleOp> module = parseWithRecovery(context, *program, std::move(documented), options.strict, findings);
  if (!module || findings.failed())
    return program;
  program->profile = chooseProfile(*module, program->path, options, findings);
  if (!program->profile)
    return program;

  DiagnosticBridge bridge(context, *program, findings, "verify-error", options.strict);
  PassManager passes(&context);
  passes.enableVerifier(false);
  passes.addPass(createLinkFunctionsPass());
  passes.addPass(createResolveTypesPass(program->profile));
  if (failed(passes.run(*module)))
    return program;
  if (!verifyAll(*module, *program, options.strict, findings))
    return program;
  PassManager shape(&context);
  shape.enableVerifier(false);
  shape.addPass(createNormalizeScopesPass());
  if (options.autoScope)
    shape.addPass(createAutoScopePass());
  shape.addPass(createAssignEventsPass());
  shape.addPass(createVerifyProgramPass(program->profile));
  if (failed(shape.run(*module)) || findings.failed())
    return program;
  program->module = std::move(module);
  return program;
}

} // namespace ptoscope
