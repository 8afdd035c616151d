//===- Lsp.cpp - ptoscope lsp ---------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Language/Server.h"

#include <cstdio>

using namespace ptoscope;

int ptoscope::lspVerb(std::span<const std::string> words) {
  bool help = false;
  std::vector<Option> options = {
      {"--stdio", "", "use standard input and output (the only mode; accepted for compatibility)",
       [](const std::string &) { return std::nullopt; }},
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> positional;
  if (Result<void> parsed = parseCommandLine(words, options, positional); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope lsp\n\nA language server for PTO programs: speaks the Language Server Protocol on standard "
           "input\nand output. Editors start it; docs/editors.md tells how.\n\n%s",
           describeOptions(options).c_str());
    return kSuccess;
  }
  if (!positional.empty())
    return reportUsage(usageError("`lsp` takes no files", "the editor names them"));
  Channel channel(stdin, stdout);
  return serveLanguage(channel, kVersion) ? kSuccess : kProgramError;
}
