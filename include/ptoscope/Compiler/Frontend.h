//===- Frontend.h - from text to a verified module --------------*- C++ -*-===//
//
// Reads PTO text, accepts every spelling the documents use, infers what loose
// text leaves out, and verifies. Every fault becomes a Finding.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_COMPILER_FRONTEND_H
#define PTOSCOPE_COMPILER_FRONTEND_H

#include "ptoscope/Machine/Types.h"
#include "ptoscope/Support/Finding.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <memory>

namespace ptoscope {

/// Registers every dialect a PTO program may use.
void registerDialects(mlir::DialectRegistry &registry);

struct FrontendOptions {
  bool autoScope = true; ///< group vector instructions that stand outside a scope
  bool strict = false;   ///< loose spellings are errors
  std::string arch;      ///< overrides pto.target_arch when not empty
};

/// A program as text and as IR.
struct ParsedProgram {
  std::string path;
  std::string text;
  std::vector<size_t> lineStarts;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  const Profile *profile = nullptr;

  /// Line `line` (from 1) without its end; nothing past the last one.
  std::optional<std::string> line(uint32_t line) const;
  /// The name that starts at a place: "pto.pipe_barrier"; may be empty.
  std::string wordAt(const Place &place) const;
};

/// File, line and column of an operation.
Place placeOf(mlir::Location location);

/// Turns MLIR diagnostics into findings while it lives. Instructions are quoted
/// as `program` wrote them.
class DiagnosticBridge {
public:
  DiagnosticBridge(mlir::MLIRContext &context, const ParsedProgram &program, FindingList &findings,
                   std::string defaultCode, bool strict = false);
  ~DiagnosticBridge();
  DiagnosticBridge(const DiagnosticBridge &) = delete;

  std::string defaultCode; ///< for diagnostics that carry none

private:
  mlir::MLIRContext &context;
  uint64_t handler;
};

/// The text as MLIR's parser reads it: every instruction in documented form, each
/// at its place. Nothing, with findings, for text that this parser does not survive.
std::optional<std::string> readableText(const std::string &path, const std::string &text, FindingList &findings);

/// Parses, resolves loose types, normalises scopes and verifies. The module is
/// null when an error was added to `findings`.
std::unique_ptr<ParsedProgram> parseProgram(mlir::MLIRContext &context, std::string path, std::string text,
                                            const FrontendOptions &options, FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_COMPILER_FRONTEND_H
