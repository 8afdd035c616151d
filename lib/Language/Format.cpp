//===- Format.cpp - formatting that is known to change nothing ------------===//

#include "ptoscope/Language/Format.h"

#include "ptoscope/Compiler/ProgramText.h"
#include "ptoscope/Compiler/Recovery.h"
#include "ptoscope/Language/Layout.h"

using namespace mlir;

namespace ptoscope {

/// The program in generic form; nothing, with errors, for text that cannot be parsed. Whether
/// it keeps the rules of its instructions is not asked.
static std::optional<std::string> parsed(MLIRContext &context, const std::string &path, const std::string &text,
                                         FindingList &findings) {
  FindingList found;
  if (!acceptText(path, text, found)) {
    findings.merge(std::move(found));
    return std::nullopt;
  }
  ParsedProgram program;
  program.path = path;
  program.text = text;
  program.lineStarts = LineTable(text).starts;
  std::vector<Finding> remarks; // about spellings, which stay
  std::string documented = documentedText(path, text, remarks);
  OwningOpRef<ModuleOp> module = parseWithRecovery(context, program, std::move(documented), /*strict=*/false, found);
  if (!module || found.failed()) {
    for (const Finding &finding : found.all())
      if (finding.severity == Severity::Error)
        findings.add(finding);
    return std::nullopt;
  }
  std::string generic;
  llvm::raw_string_ostream out(generic);
  module->print(out, OpPrintingFlags().printGenericOpForm().assumeVerified());
  return generic;
}

std::optional<std::string> formattedProgram(MLIRContext &context, const std::string &path, const std::string &text,
                                            FindingList &findings) {
  std::optional<std::string> before = parsed(context, path, text, findings);
  if (!before)
    return std::nullopt;
  std::string result = formatted(text);
  FindingList surprises;
  if (parsed(context, path, result, surprises) == before)
    return result;
  findings.add(makeFinding("internal-error", {path, 0, 0}, "formatting would change the program; it was left alone"));
  return std::nullopt;
}

} // namespace ptoscope
