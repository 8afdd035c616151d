//===- Report.cpp - findings to the terminal, exit status -----------------===//

#include "Report.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/Sandbox.h"
#include "ptoscope/Support/SarifRenderer.h"
#include "ptoscope/Support/TextRenderer.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <exception>
#include <fcntl.h>
#include <new>
#include <system_error>
#include <unistd.h>

namespace ptoscope {

const char *const kVersion = PTOSCOPE_VERSION;

std::vector<Option> ReportOptions::options() {
  return {
      choiceOption<Format>("--format", "how findings are printed (default: text)", "format",
                           {{"text", Format::Text}, {"json", Format::Json}, {"sarif", Format::Sarif}}, format),
      {"--werror", "", "warnings make the exit status 1 too",
       [this](const std::string &) { return warningsAreErrors = true, std::nullopt; }},
      {"--remarks", "", "print remarks (non-standard spellings, harmless irregularities) in text form too",
       [this](const std::string &) { return remarks = true, std::nullopt; }},
  };
}

static ExitStatus statusOf(const FindingList &findings, bool warningsAreErrors) {
  ExitStatus status = findings.failed(warningsAreErrors) ? kProgramError : kSuccess;
  for (const Finding &finding : findings.all()) {
    if (finding.severity != Severity::Error)
      continue;
    if (finding.category == Category::Internal)
      return kInternalError;
    if (finding.category == Category::Usage)
      status = kUsageError;
  }
  return status;
}

Option archOption(FrontendOptions &frontend) {
  return {"--arch", "a5|a3|a2", "target, instead of the module's own",
          [&](const std::string &word) -> std::optional<std::string> {
            frontend.arch = word;
            return findProfile(word) ? std::nullopt : std::optional("`" + word + "` is not a target; use a5, a3 or a2");
          }};
}

ExitStatus report(const FindingList &findings, const ReportOptions &options,
                  std::span<const ParsedProgram *const> programs, const nlohmann::ordered_json &stats,
                  const nlohmann::ordered_json &proofs) {
  ToolInfo tool{"ptoscope", kVersion};
  if (options.format == Format::Json) {
    nlohmann::ordered_json json = toJson(findings, tool);
    if (!stats.is_null())
      json["stats"] = stats;
    if (!proofs.is_null())
      json["proofs"] = proofs;
    fputs(printJson(json).c_str(), stdout);
  } else if (options.format == Format::Sarif) {
    fputs(renderSarif(findings, tool).c_str(), stdout);
  } else {
    TextOptions text;
    text.colour = isatty(STDERR_FILENO) && !getenv("NO_COLOR");
    text.source = [&](const std::string &file, uint32_t line) -> std::optional<std::string> {
      for (const ParsedProgram *program : programs)
        if (program && program->path == file)
          return program->line(line);
      return std::nullopt;
    };
    // Remarks about the command rather than the program are few, and for whoever wrote it just now.
    for (const Finding &finding : findings.all())
      if (finding.severity != Severity::Remark || options.remarks || finding.place.file.empty())
        fputs(renderText(finding, text).c_str(), stderr);
    if (findings.dropped() && (options.remarks || findings.failed(/*warningsAreErrors=*/true)))
      fprintf(stderr, "%s\n", summarize(findings).c_str());
  }
  return statusOf(findings, options.warningsAreErrors);
}

void reportLimits(const ReportOptions &options, const std::string &file) {
  if (options.format == Format::Text)
    return;
  auto endWith = [&](const char *code, const char *help) {
    FindingList findings;
    Finding finding = makeFinding(code, {file, 0, 0}, std::string(findCode(code)->title));
    finding.help = help;
    findings.add(std::move(finding));
    const ToolInfo tool{"ptoscope", kVersion};
    return LimitEnd{kProgramError,
                    options.format == Format::Json ? renderJson(findings, tool) : renderSarif(findings, tool)};
  };
  setLimitEnds(endWith("max-seconds", "raise `--max-seconds` if the program is just long"),
               endWith("max-memory", "raise `--max-memory` or the limits of the host, or give smaller arguments"));
}

ExitStatus reportUsage(Finding finding) {
  FindingList findings;
  findings.add(std::move(finding));
  return report(findings, {}, {});
}

void guardOutput() {
  std::signal(SIGPIPE, SIG_IGN);
  std::signal(SIGXFSZ, SIG_IGN); // a file that grows beyond a limit is an error of writing, too
  // A descriptor that is closed would be taken by the next file that is opened.
  for (int descriptor : {STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO})
    if (fcntl(descriptor, F_GETFD) == -1)
      (void)!open("/dev/null", O_RDONLY);
  // Memory that the host refuses: some ask with `new`, some throw, LLVM has a way of its own.
  std::set_new_handler(endWithoutMemory);
  std::set_terminate([] {
    try {
      if (std::current_exception())
        std::rethrow_exception(std::current_exception());
    } catch (const std::bad_alloc &) {
      endWithoutMemory();
    } catch (const std::exception &thrown) {
      _exit(reportUsage(makeFinding("internal-error", {}, thrown.what())));
    }
    _exit(reportUsage(makeFinding("internal-error", {}, "the process was ended by its own code")));
  });
  llvm::install_bad_alloc_error_handler([](void *, const char *, bool) { endWithoutMemory(); });
  // LLVM's streams tell of a failure when they are closed.
  llvm::install_fatal_error_handler([](void *, const char *reason, bool) {
    bool lost = llvm::StringRef(reason).starts_with("IO failure");
    _exit(lost ? reportUsage(makeFinding("file-error", {}, "the output cannot be written: " + std::string(reason)))
               : reportUsage(makeFinding("internal-error", {}, reason)));
  });
}

/// Why nothing more can be written; no error if a byte can. A stream tells that a write failed, not why, and errno has
/// changed since. The text is torn already: one more byte does it no harm.
static std::error_code whyClosed(int descriptor) {
  return write(descriptor, "\n", 1) == 1 ? std::error_code() : std::error_code(errno, std::generic_category());
}

int closeOutput(int status) {
  llvm::outs().flush(); // of MLIR's options
  const bool flushed = fflush(stdout) == 0;
  const bool lost = llvm::outs().has_error() || !flushed || ferror(stdout);
  if (!lost && !ferror(stderr))
    return status;
  const std::error_code why = whyClosed(lost ? STDOUT_FILENO : STDERR_FILENO);
  reportUsage(makeFinding("file-error", {},
                          std::string(lost ? "standard output" : "standard error") + " cannot be written" +
                              (why ? ": " + why.message() : "")));
  _exit(kUsageError); // the streams would try again
}

} // namespace ptoscope
