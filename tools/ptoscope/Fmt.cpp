//===- Fmt.cpp - ptoscope fmt ---------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Driver/Session.h"
#include "ptoscope/Language/Format.h"
#include "ptoscope/Support/AtomicFile.h"

#include <algorithm>
#include <cstdio>

using namespace ptoscope;

/// The first line (from 1) that differs.
static size_t firstDifference(const std::string &a, const std::string &b) {
  size_t line = 1;
  for (size_t i = 0; i < a.size() && i < b.size() && a[i] == b[i]; ++i)
    line += a[i] == '\n';
  return line;
}

int ptoscope::fmtVerb(std::span<const std::string> words) {
  bool help = false, check = false, write = false;
  std::vector<Option> options = {
      {"--check", "", "print which files are not formatted; status 1 if there are any",
       [&](const std::string &) { return check = true, std::nullopt; }},
      {"--write", "", "save the files in place", [&](const std::string &) { return write = true, std::nullopt; }},
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, options, files); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf(
        "usage: ptoscope fmt FILE…\n\nPrints PTO programs with the layout of docs/editors.md: indentation and blanks "
        "between\nwords. Names, comments and lines stay. Programs that cannot be parsed are refused. `-` is\n"
        "standard input.\n\n%s",
        describeOptions(options).c_str());
    return kSuccess;
  }
  if (files.empty())
    return reportUsage(usageError("`fmt` needs at least one file", "ptoscope fmt --write kernel.pto"));
  if (check && write)
    return reportUsage(usageError("`--check` and `--write` exclude each other", "leave one out"));
  if (write && std::ranges::find(files, "-") != files.end())
    return reportUsage(usageError("standard input cannot be saved", "leave out `--write`"));

  Session session;
  FindingList findings;
  bool unformatted = false;
  for (const std::string &file : files) {
    Result<std::string> text = readProgramText(file);
    if (!text) {
      findings.add(text.takeFinding());
      continue;
    }
    const std::optional<std::string> laidOut =
        formattedProgram(session.context(), file == "-" ? "<stdin>" : file, *text, findings);
    if (!laidOut)
      continue;
    if (check && *laidOut != *text) {
      unformatted = true;
      printf("%s:%zu: not formatted\n", file.c_str(), firstDifference(*text, *laidOut));
    } else if (write && *laidOut != *text) {
      if (Result<void> saved = writeFileAtomically(file, *laidOut); !saved)
        findings.add(saved.takeFinding());
    } else if (!check && !write) {
      fwrite(laidOut->data(), 1, laidOut->size(), stdout);
    }
  }
  ExitStatus status = report(findings, {}, {});
  return status == kSuccess && unformatted ? int(kProgramError) : int(status);
}
