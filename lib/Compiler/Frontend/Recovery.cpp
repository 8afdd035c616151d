//===- Recovery.cpp - every parse error of a text in one go ---------------===//

#include "ptoscope/Compiler/Recovery.h"
#include "ptoscope/Compiler/ProgramNames.h"
#include "ptoscope/Compiler/ProgramText.h"

#include "mlir/Parser/Parser.h"
#include "llvm/Support/SourceMgr.h"

#include <algorithm>
#include <optional>

using namespace mlir;

namespace ptoscope {

namespace {

/// Errors of one text; no one repairs more at once.
constexpr size_t kMaxErrors = 20;
/// Characters that MLIR reads, all attempts together.
constexpr size_t kMaxWork = 100'000'000;

Finding earlyUse(const ProgramNames &names, const EarlyUse &use, const std::string &code, const std::string &path,
                 const LineTable &lines) {
  auto [line, column] = lines.at(use.at);
  const char *why = use.defined == std::string::npos ? "`, which nothing defines"
                    : use.defined < use.at           ? "` outside the region that defines it"
                                                     : "` before its definition";
  const char *rule = names.leavesScope(use, code) ? "`pto.vecscope` breaks P5: " : "";
  Finding finding = makeFinding("parse-error", {path, line, column}, rule + ("use of value `" + use.name) + why);
  finding.help = "define it above, outside of any inner region";
  return finding;
}

class RecoveringParser {
public:
  RecoveringParser(MLIRContext &context, const ParsedProgram &program, std::string text, bool strict,
                   FindingList &findings)
      : context(context), program(program), strict(strict), findings(findings), state{text, codeOnly(text), {}},
        lines(text), balanced(std::ranges::count(state.code, '{') == std::ranges::count(state.code, '}')) {}

  OwningOpRef<ModuleOp> run() {
    OwningOpRef<ModuleOp> module = parse();
    std::ranges::stable_sort(errors, {}, [](const Finding &f) { return std::pair(f.place.line, f.place.column); });
    // In a text with a brace too many or too few the rest is in the wrong place.
    if (!balanced && errors.size() > 1)
      errors.resize(1);
    if (size_t open = openBrace(); open != std::string::npos && !errors.empty()) {
      // What MLIR finds behind it is that the rest does not belong there, or that the text ends too early.
      if (offsetOf(errors[0].place) > open)
        errors.clear();
      auto [line, column] = lines.at(open);
      errors.push_back(makeFinding("parse-error", {program.path, line, column}, "this `{` is not closed"));
      errors.back().help = "add a `}` where its region ends";
    }
    for (Finding &error : errors)
      findings.add(std::move(error));
    return module;
  }

private:
  struct State {
    std::string text, code;
    LostValues lost;
  };

  OwningOpRef<ModuleOp> parse() {
    refuseEarlyUses();
    for (size_t work = 0; errors.size() < kMaxErrors && work < kMaxWork; work += state.text.size()) {
      FindingList found;
      OwningOpRef<ModuleOp> module = attempt(found);
      if (module) {
        findings.merge(std::move(found));
        return errors.empty() ? std::move(module) : nullptr;
      }
      if (!takeOut(found))
        break;
    }
    return nullptr;
  }

  OwningOpRef<ModuleOp> attempt(FindingList &found) {
    DiagnosticBridge bridge(context, program, found, "parse-error", strict);
    llvm::SourceMgr sources;
    sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(state.text, program.path), llvm::SMLoc());
    // Loose text is verified only after what it leaves out has been inferred.
    return parseSourceFile<ModuleOp>(sources, ParserConfig(&context, /*verifyAfterParse=*/false));
  }

  const ProgramNames &names() {
    if (!known)
      known = namesOf(state.code, state.lost);
    return *known;
  }

  /// MLIR takes these for forward references, and dies of some.
  void refuseEarlyUses() {
    while (errors.size() < kMaxErrors) {
      const ProgramNames now = names();
      if (now.early.empty() && now.orphans.empty())
        return;
      std::vector<TextRange> statements;
      for (const EarlyUse &use : now.early) {
        // The first use of a value tells of all of them.
        if (errors.size() == kMaxErrors || !state.lost.insert({use.function, use.name}).second)
          continue;
        errors.push_back(earlyUse(now, use, state.code, program.path, lines));
        statements.push_back(use.statement);
      }
      if (statements.empty() && now.orphans.empty())
        return;
      drop(statements);
      blank(now.orphans);
    }
  }

  /// Tells the errors and takes out what they are in. False when that is nothing.
  bool takeOut(const FindingList &found) {
    bool any = false;
    for (const Finding &finding : found.all()) {
      size_t at = offsetOf(finding.place);
      auto holds = [at](const TextRange &range) { return range.begin <= at && at < range.end; };
      if (finding.severity != Severity::Error || finding.code == "loose-spelling" || llvm::any_of(gone, holds))
        continue;
      TextRange statement = names().statementAt(at);
      // What a statement lacks is noticed at the start of the next one. If that was
      // taken out, the same error comes again from the next one.
      bool repeated = finding.message == lastMessage && statement.end && isBlank(last.begin, statement.begin) &&
                      last.begin < statement.begin;
      if (repeated) {
        state = before;
        gone.pop_back();
        known.reset();
        size_t previous = state.code.find_last_not_of(" \t\r\n", last.begin ? last.begin - 1 : 0);
        statement = previous == std::string::npos ? TextRange{0, 0} : names().statementAt(previous);
      } else {
        errors.push_back(finding);
      }
      if (statement.end == 0 || !balanced)
        return false;
      before = state;
      lastMessage = repeated ? "" : finding.message;
      last = statement;
      drop({statement});
      any = true;
    }
    refuseEarlyUses();
    return any;
  }

  void drop(const std::vector<TextRange> &statements) {
    // The values they define, as long as they can be read.
    const ProgramNames &now = names();
    for (size_t i = 0; i < now.values.size(); ++i) {
      const ValueName &value = now.values[i];
      auto defines = [&](const TextRange &statement) {
        return now.statements[value.statement].begin == statement.begin;
      };
      if (value.definition == i && !value.argument && llvm::any_of(statements, defines))
        state.lost.insert({now.regions[value.region].function,
                           state.code.substr(value.range.begin, value.range.end - value.range.begin)});
    }
    blank(statements);
    gone.insert(gone.end(), statements.begin(), statements.end());
  }

  /// The `{` that lacks its `}`: one whose line is indented more than the `}` that would close it, else the last
  /// one that is open; npos: none.
  size_t openBrace() const {
    auto indentOf = [&](size_t at) {
      size_t begin = state.code.rfind('\n', at) + 1;
      return state.code.find_first_not_of(" \t", begin) - begin;
    };
    std::vector<size_t> open;
    size_t deeper = std::string::npos;
    for (size_t at = state.code.find_first_of("{}"); at != std::string::npos;
         at = state.code.find_first_of("{}", at + 1)) {
      if (state.code[at] == '{') {
        open.push_back(at);
      } else if (!open.empty()) {
        if (deeper == std::string::npos && indentOf(at) < indentOf(open.back()))
          deeper = open.back();
        open.pop_back();
      }
    }
    return open.empty() ? std::string::npos : deeper != std::string::npos ? deeper : open.back();
  }

  void blank(const std::vector<TextRange> &ranges) {
    for (const TextRange &range : ranges)
      for (size_t i = range.begin; i < range.end; ++i)
        if (state.text[i] != '\n')
          state.text[i] = state.code[i] = ' ';
    known.reset();
  }

  bool isBlank(size_t begin, size_t end) const { return state.code.find_first_not_of(" \t\r\n", begin) >= end; }

  size_t offsetOf(const Place &place) const {
    if (place.line == 0 || place.line > lines.starts.size())
      return state.text.size();
    return lines.starts[place.line - 1] + std::max(place.column, 1u) - 1;
  }

  MLIRContext &context;
  const ParsedProgram &program;
  bool strict;
  FindingList &findings;
  State state, before;
  std::optional<ProgramNames> known; ///< of `state`
  LineTable lines;
  bool balanced; ///< as many braces are closed as are opened
  std::vector<Finding> errors;
  std::vector<TextRange> gone;
  std::string lastMessage;
  TextRange last{0, 0};
};

} // namespace

std::optional<std::string> readableText(const std::string &path, const std::string &text, FindingList &findings) {
  if (!acceptText(path, text, findings))
    return std::nullopt;
  std::vector<Finding> remarks;
  std::string documented = documentedText(path, text, remarks);
  LineTable lines(documented);
  std::string code = codeOnly(documented);
  LostValues none;
  ProgramNames names = namesOf(code, none);
  names.early.resize(std::min(names.early.size(), kMaxErrors));
  for (const EarlyUse &use : names.early)
    findings.add(earlyUse(names, use, code, path, lines));
  return findings.failed() ? std::nullopt : std::optional(documented);
}

OwningOpRef<ModuleOp> parseWithRecovery(MLIRContext &context, const ParsedProgram &program, std::string text,
                                        bool strict, FindingList &findings) {
  return RecoveringParser(context, program, std::move(text), strict, findings).run();
}

} // namespace ptoscope
