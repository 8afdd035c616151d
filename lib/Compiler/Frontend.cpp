//===- Frontend.cpp - from text to a verified module ----------------------===//

#include "ptoscope/Compiler/Frontend.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/Extensions/InlinerExtension.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <cstring>
#include <set>

using namespace mlir;

namespace ptoscope {

/// MLIR's recursive parser overflows the stack on deep nesting.
static constexpr unsigned kMaxNesting = 256;

void registerDialects(DialectRegistry &registry) {
  registry.insert<pto::PTODialect, arith::ArithDialect, cf::ControlFlowDialect, func::FuncDialect, scf::SCFDialect,
                  LLVM::LLVMDialect>();
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
  return text;
}

/// What `--strict` makes of a loose spelling.
static void refuseLoose(Finding &finding) {
  if (finding.code != "loose-spelling")
    return;
  finding.severity = Severity::Error;
  finding.help = "write the documented form, or drop `--strict`";
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
    name = rest.split(" not found for custom op `").second.take_while(
        [](char c) { return isalnum(static_cast<unsigned char>(c)) || c == '.' || c == '_'; });
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
      code = error ? defaultCode : diag.getSeverity() == DiagnosticSeverity::Warning ? "undefined-by-manual"
                                                                                     : "loose-spelling";
    Place place = placeOf(diag.getLocation());
    quoteAsWritten(message, program.wordAt(place));
    Finding finding = makeFinding(code, place, message);
    if (strict)
      refuseLoose(finding);
    for (Diagnostic &note : diag.getNotes())
      finding.notes.push_back({placeOf(note.getLocation()), textOf(note)});
    findings.add(std::move(finding));
    return success();
  });
}

DiagnosticBridge::~DiagnosticBridge() { context.getDiagEngine().eraseHandler(handler); }

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

static std::vector<size_t> findLineStarts(const std::string &text) {
  std::vector<size_t> starts = {0};
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      starts.push_back(i + 1);
  return starts;
}

/// Calls fn(index, line, column) for every character outside comments and strings.
template <typename Fn> static void forEachCodeChar(const std::string &text, Fn fn) {
  uint32_t line = 1;
  size_t lineStart = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\n') {
      ++line;
      lineStart = i + 1;
    } else if (text[i] == '/' && i + 1 < text.size() && text[i + 1] == '/') {
      while (i + 1 < text.size() && text[i + 1] != '\n')
        ++i;
    } else if (text[i] == '"') {
      // A string ends at its quote; an unterminated one at the line's end.
      while (i + 1 < text.size() && text[i + 1] != '\n' && text[i + 1] != '"')
        i += text[i + 1] == '\\' ? 2 : 1;
      if (i + 1 < text.size() && text[i + 1] == '"')
        ++i;
    } else {
      fn(i, line, uint32_t(i - lineStart + 1));
    }
  }
}

/// The text with comments and strings blanked, same length.
static std::string codeOnly(const std::string &text) {
  std::string code(text.size(), ' ');
  for (size_t i = 0; i < text.size(); ++i)
    if (text[i] == '\n')
      code[i] = '\n';
  forEachCodeChar(text, [&](size_t i, uint32_t, uint32_t) { code[i] = text[i]; });
  return code;
}

/// The first `%name` that is used before anything in its function defines it,
/// as an offset; npos when there is none. MLIR's parser takes such a use for a
/// forward reference and crashes on some of them; structured programs have none.
static size_t findEarlyUse(const std::string &code) {
  auto isName = [&](size_t i) {
    return i < code.size() && (isalnum(static_cast<unsigned char>(code[i])) || strchr("_.$-", code[i]));
  };
  auto skipSpace = [&](size_t i) {
    while (i < code.size() && isspace(static_cast<unsigned char>(code[i])))
      ++i;
    return i;
  };
  // The end of `%name` or, in a result list, of `%name:2`.
  auto endOfName = [&](size_t i, bool withCount) {
    for (++i; isName(i);)
      ++i;
    if (withCount && i + 1 < code.size() && code[i] == ':' && isdigit(static_cast<unsigned char>(code[i + 1])))
      for (++i; i < code.size() && isdigit(static_cast<unsigned char>(code[i]));)
        ++i;
    return i;
  };
  // `%a, %b:2 =` at the start of a statement defines all of them.
  auto isResultList = [&](size_t i) {
    while (i < code.size() && code[i] == '%') {
      i = skipSpace(endOfName(i, true));
      if (i < code.size() && code[i] == '=')
        return i + 1 >= code.size() || code[i + 1] != '=';
      if (i >= code.size() || code[i] != ',')
        return false;
      i = skipSpace(i + 1);
    }
    return false;
  };
  std::set<std::string> defined;
  std::vector<bool> parameters; // per open parenthesis: does it list parameters?
  char previous = '\n';         // last character that is not a blank
  size_t resultsEnd = 0;
  for (size_t i = 0; i < code.size(); ++i) {
    char c = code[i];
    if (code.compare(i, 9, "func.func") == 0)
      defined.clear();
    if (c == '(') {
      size_t start = i;
      while (start > 0 && isName(start - 1))
        --start;
      parameters.push_back(start > 0 && (code[start - 1] == '@' || code[start - 1] == '^'));
    } else if (c == ')' && !parameters.empty()) {
      parameters.pop_back();
    } else if (c == '%' && isName(i + 1)) {
      std::string name = code.substr(i, endOfName(i, false) - i);
      size_t after = skipSpace(endOfName(i, true));
      char next = after < code.size() ? code[after] : ' ';
      bool statement = previous == '\n' || previous == '{' || previous == '}';
      if (statement && isResultList(i))
        resultsEnd = code.find('=', i);
      bool defines = i < resultsEnd || next == '=' || (next == ':' && !parameters.empty() && parameters.back());
      if (defines)
        defined.insert(name);
      else if (!defined.contains(name))
        return i;
      i += name.size() - 1;
      previous = 'x';
      continue;
    }
    if (c == '\n' || !isspace(static_cast<unsigned char>(c)))
      previous = c;
  }
  return std::string::npos;
}

bool acceptText(const std::string &path, const std::string &text, FindingList &findings) {
  auto refuse = [&](const char *code, Place place, std::string message, std::string help) {
    Finding finding = makeFinding(code, std::move(place), std::move(message));
    finding.help = std::move(help);
    findings.add(std::move(finding));
    return false;
  };
  if (text.starts_with("ML\xEFR"))
    return refuse("not-text", {path, 0, 0}, "the file is MLIR bytecode, not PTO text",
                  "print it as text, for example with `mlir-opt --mlir-print-op-generic`, or pass the `.pto` source");
  const auto *utf8 = reinterpret_cast<const llvm::UTF8 *>(text.data());
  if (text.find('\0') != std::string::npos || !llvm::isLegalUTF8String(&utf8, utf8 + text.size()))
    return refuse("not-text", {path, 0, 0}, "the file is not text (it holds bytes that are not UTF-8)",
                  "pass the `.pto` source");

  unsigned depth = 0;
  bool tooDeep = false;
  Place place;
  forEachCodeChar(text, [&](size_t i, uint32_t line, uint32_t column) {
    char c = text[i];
    if (c == '{' || c == '(' || c == '[' || c == '<') {
      if (++depth > kMaxNesting && !tooDeep) {
        tooDeep = true;
        place = {path, line, column};
      }
    } else if (c == '}' || c == ')' || c == ']' || (c == '>' && !(i > 0 && text[i - 1] == '-'))) {
      depth -= depth > 0; // surplus ones are the parser's to report
    }
  });
  std::string code = codeOnly(text);
  if (size_t use = findEarlyUse(code); use != std::string::npos && !tooDeep) {
    auto line = uint32_t(1 + std::count(text.begin(), text.begin() + ptrdiff_t(use), '\n'));
    size_t start = text.rfind('\n', use);
    std::string name = code.substr(use, code.find_first_not_of("%_.$-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789", use) - use);
    return refuse("parse-error", {path, line, uint32_t(use - (start == std::string::npos ? 0 : start + 1) + 1)},
                  "use of value `" + name + "` before its definition", "define it above, outside of any inner region");
  }
  if (tooDeep)
    return refuse("nesting-too-deep", place, "nesting is deeper than " + std::to_string(kMaxNesting) + " levels",
                  "no kernel needs this many regions inside one another; split it into functions");
  return true;
}

/// A stray `;` after an instruction (older texts have it) becomes a space, so
/// that columns stay what they were.
static std::string withoutSemicolons(const std::string &text, const std::string &path, bool strict,
                                     FindingList &findings) {
  std::string result = text;
  forEachCodeChar(text, [&](size_t i, uint32_t line, uint32_t column) {
    if (text[i] != ';')
      return;
    result[i] = ' ';
    Finding finding = makeFinding("loose-spelling", {path, line, column}, "a `;` after an instruction is ignored");
    if (strict)
      refuseLoose(finding);
    findings.add(std::move(finding));
  });
  return result;
}

//===----------------------------------------------------------------------===//
// Parsing
//===----------------------------------------------------------------------===//

static const Profile *chooseProfile(ModuleOp module, const std::string &path, const FrontendOptions &options,
                                    FindingList &findings) {
  std::string name = options.arch;
  Place place{path, 0, 0};
  if (name.empty()) {
    if (auto attr = module->getAttrOfType<StringAttr>("pto.target_arch")) {
      name = attr.str();
      place = placeOf(module.getLoc());
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

std::unique_ptr<ParsedProgram> parseProgram(MLIRContext &context, std::string path, std::string text,
                                            const FrontendOptions &options, FindingList &findings) {
  auto program = std::make_unique<ParsedProgram>();
  program->path = std::move(path);
  program->text = std::move(text);
  program->lineStarts = findLineStarts(program->text);
  if (!acceptText(program->path, program->text, findings))
    return program;

  DiagnosticBridge bridge(context, *program, findings, "parse-error", options.strict);
  std::string parsed = withoutSemicolons(program->text, program->path, options.strict, findings);
  llvm::SourceMgr sources;
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(parsed, program->path), llvm::SMLoc());
  // Loose text is verified only after what it leaves out has been inferred.
  ParserConfig config(&context, /*verifyAfterParse=*/false);
  OwningOpRef<ModuleOp> module = parseSourceFile<ModuleOp>(sources, config);
  if (!module || findings.failed())
    return program;
  program->profile = chooseProfile(*module, program->path, options, findings);
  if (!program->profile)
    return program;

  bridge.defaultCode = "verify-error";
  PassManager passes(&context);
  passes.enableVerifier(false);
  passes.addPass(createResolveTypesPass());
  if (failed(passes.run(*module)))
    return program;
  if (failed(verify(*module)))
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
