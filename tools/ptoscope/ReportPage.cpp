//===- ReportPage.cpp - ptoscope report ------------------------------===//

#include "CommandLine.h"
#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Timing/Report.h"

#include <cstdio>
#include <filesystem>

using namespace ptoscope;

int ptoscope::reportVerb(std::span<const std::string> words) {
  std::string output;
  bool help = false;
  std::vector<Option> options = {
      {"-o", "PATH", "write the page here (.html)",
       [&](const std::string &word) -> std::optional<std::string> {
         output = word;
         if (word.ends_with(".html"))
           return std::nullopt;
         return "`" + word + "` is not a page; its name has to end in `.html`";
       }},
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, options, files); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope report A.json [B.json] -o PAGE.html\n\nMakes a page of the data of a run, or of two runs "
           "side by side. `run --report A.json`\nwrites such data; `run --report PAGE.html` makes the page of one run "
           "at once.\n\n%s\nexample:\n  ptoscope report before.json after.json -o compare.html\n",
           describeOptions(options).c_str());
    return kSuccess;
  }
  if (files.empty() || files.size() > 2)
    return reportUsage(usageError(files.empty() ? "`report` needs the data of a run"
                                                : "`report` shows one run or two, got " + std::to_string(files.size()),
                                  "ptoscope report A.json B.json -o compare.html"));
  if (output.empty())
    return reportUsage(
        usageError("`report` needs `-o PATH`, the page to write", "ptoscope report " + files[0] + " -o report.html"));
  std::vector<std::string> runs;
  for (const std::string &file : files) {
    std::error_code ignored;
    if (std::filesystem::equivalent(file, output, ignored))
      return reportUsage(usageError("`-o` would overwrite `" + file + "`", "give the page a name of its own"));
    Result<Array> read = readRaw(file);
    if (!read)
      return reportUsage(read.takeFinding());
    std::string text(reinterpret_cast<const char *>(read->bytes.data()), read->bytes.size());
    if (Result<void> good = timing::checkReport(text, file); !good)
      return reportUsage(good.takeFinding());
    runs.push_back(std::move(text));
  }
  if (Result<void> written = writeFileAtomically(output, timing::reportPage(runs)); !written)
    return reportUsage(written.takeFinding());
  return kSuccess;
}
