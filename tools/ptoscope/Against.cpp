//===- Against.cpp - ptoscope ops --against -------------------------------===//
//
// A table has a line of column names and a row for each form of an instruction, with
// tabs between cells. The columns `op`, `syntax`, `element types` and `profiles` are
// read; only `op` is required.
//
//===----------------------------------------------------------------------===//

#include "Against.h"
#include "Report.h"
#include "SyntaxLines.h"
#include "Verbs.h"
#include "ptoscope/Compiler/Passes.h"
#include "ptoscope/Dialect/PTO/PTO.h"
#include "ptoscope/Driver/Session.h"
#include "ptoscope/Manual/Manual.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/JsonRenderer.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

namespace ptoscope {

namespace {
struct TableRow {
  uint32_t line;
  std::string name, syntax, elements, profile;
};

/// What is said about a line of the table.
struct Remark {
  std::string kind; ///< unknown, not modelled, refused, not tried
  uint32_t line;
  std::string name, text, program;
};
} // namespace

static Finding tableError(const std::string &path, uint32_t line, std::string message, std::string help) {
  Finding finding = makeFinding("file-error", {path, line, 1}, std::move(message));
  finding.help = std::move(help);
  return finding;
}

/// `pto.vadd`; an attribute behind it tells forms of one operation apart, `arith.*` is a dialect.
static bool isName(llvm::StringRef name) {
  name = name.split(" {").first;
  name.consume_back(".*");
  return !name.empty() && llvm::isAlpha(name[0]) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_' || c == '.'; });
}

static Result<std::vector<TableRow>> readTable(const std::string &path) {
  Result<Array> file = readRaw(path);
  if (!file)
    return file.takeFinding();
  const llvm::StringRef text(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
  llvm::SmallVector<llvm::StringRef> lines;
  text.split(lines, '\n');
  if (!lines.empty() && lines.back().empty())
    lines.pop_back();
  if (lines.empty())
    return tableError(path, 1, "the table is empty", "its first line names the columns, one of them `op`");
  llvm::SmallVector<llvm::StringRef> columns;
  lines[0].rtrim('\r').split(columns, '\t');
  auto column = [&](llvm::StringRef name) { return size_t(llvm::find(columns, name) - columns.begin()); };
  const size_t op = column("op");
  if (op == columns.size())
    return tableError(path, 1, "no column is called `op`", "the first line names the columns, with tabs between them");
  std::vector<TableRow> rows;
  for (size_t i = 1; i < lines.size(); ++i) {
    llvm::SmallVector<llvm::StringRef> cells;
    lines[i].rtrim('\r').split(cells, '\t');
    const auto number = uint32_t(i + 1);
    if (cells.size() > columns.size())
      return tableError(path, number,
                        "the line has " + std::to_string(cells.size()) + " cells, the table " +
                            std::to_string(columns.size()) + " columns",
                        "cells are separated by one tab");
    auto cell = [&](size_t k) { return k < cells.size() ? cells[k].trim().str() : std::string(); };
    if (!isName(cell(op)))
      return tableError(path, number, "`" + cell(op).substr(0, 60) + "` is not the name of an instruction",
                        "names are letters, digits, `_` and `.`: `pto.vadd`");
    const std::string profiles = cell(column("profiles"));
    const llvm::StringRef first = llvm::StringRef(profiles).split(' ').first;
    rows.push_back({number, cell(op), cell(column("syntax")), cell(column("element types")),
                    first == "a3" || first == "a2" ? first.str() : "a5"});
  }
  return rows;
}

/// Whether the text parses and every operation keeps its rules; `why` gets the first message otherwise.
static bool accepts(Session &session, const std::string &text, std::string &why) {
  FindingList findings;
  ParsedProgram program;
  program.path = "syntax";
  program.text = text;
  bool accepted = false;
  if (std::optional<std::string> documented = readableText(program.path, text, findings)) {
    DiagnosticBridge bridge(session.context(), program, findings, "parse-error");
    mlir::ParserConfig config(&session.context(), /*verifyAfterParse=*/false);
    mlir::OwningOpRef<mlir::ModuleOp> module = mlir::parseSourceString<mlir::ModuleOp>(*documented, config);
    if (module) {
      mlir::PassManager passes(&session.context());
      passes.enableVerifier(false);
      passes.addPass(createResolveTypesPass());
      accepted = succeeded(passes.run(*module)) && succeeded(mlir::verify(*module));
    }
  }
  if (!accepted && why.empty())
    for (const Finding &finding : findings.all())
      if (finding.severity == Severity::Error && why.empty())
        why = finding.message;
  return accepted;
}

/// What there is to say about the lines of one instruction that is implemented.
static void tryLine(Session &session, const TableRow &row, std::vector<Remark> &remarks) {
  std::string reason;
  const std::vector<std::string> readings = readingsOf(row.name, row.syntax, reason);
  if (readings.empty()) {
    remarks.push_back({"not tried", row.line, row.name, reason, ""});
    return;
  }
  for (const std::string &reading : readings) {
    std::string refusal, untried;
    const bool accepted = tryReading(
        row.name, reading, row.elements, row.profile,
        [&](const std::string &program) { return accepts(session, program, refusal); }, untried);
    if (accepted)
      continue;
    if (!untried.empty())
      remarks.push_back({"not tried", row.line, row.name, untried, reading});
    else
      remarks.push_back({"refused", row.line, row.name, refusal, reading});
  }
}

/// A name that this build lacks; nothing for others and for names of other dialects.
static std::optional<Remark> lacking(const TableRow &row) {
  llvm::StringRef name = row.name;
  if (findInstruction(name) || (name.contains('.') && !name.starts_with("pto.")) || name == "module")
    return std::nullopt;
  name.consume_front("pto.");
  if (const pto::NotModelledInfo *known = pto::findNotModelled(name))
    return Remark{"not modelled", row.line, row.name,
                  known->reason.empty() ? known->category.str() : known->reason.str(), ""};
  const llvm::StringRef nearest = pto::nearestName(name);
  return Remark{"unknown", row.line, row.name,
                nearest.empty() ? "no name is near" : "the nearest name is `pto." + nearest.str() + "`", ""};
}

int compareWith(const std::string &path, bool json) {
  Result<std::vector<TableRow>> table = readTable(path);
  if (!table)
    return reportUsage(table.takeFinding());
  Session session;
  std::vector<Remark> remarks;
  std::set<std::string> names, lacked;
  for (const TableRow &row : *table) {
    const bool first = names.insert(row.name).second;
    if (std::optional<Remark> remark = lacking(row)) {
      lacked.insert(row.name);
      if (first)
        remarks.push_back(std::move(*remark));
    } else {
      tryLine(session, row, remarks);
    }
  }
  auto linesOf = [&](llvm::StringRef kind) {
    std::set<uint32_t> lines;
    for (const Remark &remark : remarks)
      if (remark.kind == kind)
        lines.insert(remark.line);
    return lines;
  };
  const std::set<uint32_t> refusals = linesOf("refused");
  std::set<uint32_t> open = linesOf("not tried");
  for (uint32_t line : refusals)
    open.erase(line);
  const size_t refused = refusals.size(), untried = open.size();
  const auto of = size_t(llvm::count_if(*table, [&](const TableRow &row) { return !lacked.contains(row.name); }));
  const int status = refused || !lacked.empty() ? kProgramError : kSuccess;
  if (json) {
    nlohmann::ordered_json out = {{"schema", kJsonSchema},  {"tool", "ptoscope"},    {"version", kVersion},
                                  {"table", path},          {"names", names.size()}, {"lacking", lacked.size()},
                                  {"lines", table->size()}, {"tried", of - untried}, {"refused", refused},
                                  {"not_tried", untried}};
    auto &rows = out["remarks"] = nlohmann::ordered_json::array();
    for (const Remark &remark : remarks)
      rows.push_back({{"kind", remark.kind},
                      {"line", remark.line},
                      {"name", remark.name},
                      {"text", remark.text},
                      {"syntax", remark.program}});
    fputs(printJson(out).c_str(), stdout);
    return status;
  }
  for (const Remark &remark : remarks) {
    printf("%s:%u: %s: %s: %s\n", path.c_str(), remark.line, remark.kind.c_str(), remark.name.c_str(),
           remark.text.c_str());
    if (!remark.program.empty())
      printf("    %s\n", remark.program.c_str());
  }
  printf("%zu names: %zu implemented, %zu not modelled, %zu unknown\n", names.size(), names.size() - lacked.size(),
         linesOf("not modelled").size(), linesOf("unknown").size());
  printf("%zu lines of syntax of these: %zu accepted, %zu refused, %zu not tried\n", of, of - refused - untried,
         refused, untried);
  return status;
}

} // namespace ptoscope
