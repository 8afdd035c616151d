//===- Memory.cpp - ptoscope memory ---------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Compiler/TileLife.h"
#include "ptoscope/Driver/Session.h"
#include "ptoscope/Support/AtomicFile.h"

#include <cstdio>

using namespace ptoscope;

int ptoscope::memoryVerb(std::span<const std::string> words) {
  FrontendOptions frontend;
  ReportOptions reporting;
  std::string kernel, svg;
  bool help = false;
  std::vector<Option> options = {
      {"--kernel", "NAME", "only this kernel",
       [&](const std::string &word) { return kernel = word.substr(word.starts_with("@")), std::nullopt; }},
      {"--svg", "PATH", "write the map as a picture, too",
       [&](const std::string &word) { return svg = word, std::nullopt; }},
      archOption(frontend),
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> files;
  if (Result<void> parsed = parseCommandLine(words, options, files); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope memory FILE\n\nDraws the tiles of each on-chip memory over the program: addresses upwards, "
           "the\nprogram to the right. Tiles without addresses are planned first; nothing is run.\n\n%s",
           describeOptions(options).c_str());
    return kSuccess;
  }
  if (files.size() != 1)
    return reportUsage(usageError("`memory` needs one file", "ptoscope memory kernel.pto"));

  Session session;
  FindingList findings;
  std::unique_ptr<ParsedProgram> program = session.parseFile(files[0], frontend, findings);
  std::vector<MemoryMap> maps;
  if (program->module)
    maps = memoryMaps(*program, kernel, findings);
  if (ExitStatus status = report(findings, reporting, {{program.get()}}); status != kSuccess)
    return status;
  if (maps.empty())
    printf("%s holds no kernel\n", files[0].c_str());
  std::string text;
  for (const MemoryMap &map : maps)
    text += (text.empty() ? "" : "\n") + mapText(map);
  fwrite(text.data(), 1, text.size(), stdout);
  if (!svg.empty())
    if (Result<void> written = writeFileAtomically(svg, mapSvg(maps)); !written)
      return reportUsage(written.takeFinding());
  return kSuccess;
}
