//===- Ops.cpp - ptoscope ops ---------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Dialect/PTO/InstrTable.h"
#include "ptoscope/Support/JsonRenderer.h"

#include "llvm/ADT/SmallVector.h"

#include <cstdio>
#include <nlohmann/json.hpp>

using namespace ptoscope;
using namespace ptoscope::pto;

static std::vector<std::string> pieces(llvm::StringRef text, char separator) {
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, separator, -1, /*KeepEmpty=*/false);
  return {parts.begin(), parts.end()};
}

static std::vector<std::string> aliasesOf(llvm::StringRef name) {
  std::vector<std::string> result;
  for (const AliasInfo &alias : aliases())
    if (alias.name == name)
      result.push_back("pto." + alias.alias.str());
  return result;
}

/// Names that other profiles have than their instruction.
static nlohmann::ordered_json aliasProfilesOf(const InstrInfo &info) {
  auto result = nlohmann::ordered_json::object();
  for (const AliasInfo &alias : aliases())
    if (alias.name == info.name && alias.profiles != info.profiles)
      result["pto." + alias.alias.str()] = pieces(alias.profiles, ' ');
  return result;
}

static void printJsonTable() {
  nlohmann::ordered_json table = {{"schema", kJsonSchema}, {"tool", "ptoscope"}, {"version", kVersion}};
  auto &rows = table["instructions"] = nlohmann::ordered_json::array();
  for (const InstrInfo &info : instructions())
    rows.push_back({{"name", "pto." + info.name.str()},
                    {"implemented", true},
                    {"family", info.family.str()},
                    {"summary", info.summary.str()},
                    {"pipe", info.pipe.str()},
                    {"footprint", info.footprint.str()},
                    {"definedness", info.definedness.str()},
                    {"timing", info.timing.str()},
                    {"elements", pieces(info.elements, ' ')},
                    {"profiles", pieces(info.profiles, ' ')},
                    {"aliases", aliasesOf(info.name)},
                    {"alias_profiles", aliasProfilesOf(info)},
                    {"syntax", pieces(info.syntax, '\n')},
                    {"constraints", pieces(info.constraints, '\n')}});
  for (const NotModelledInfo &info : notModelled())
    rows.push_back({{"name", "pto." + info.name.str()}, {"implemented", false}, {"family", info.category.str()}});
  fputs(printJson(table).c_str(), stdout);
}

int ptoscope::opsVerb(std::span<const std::string> words) {
  bool json = false, help = false;
  std::vector<Option> options = {
      {"--json", "", "the whole table, machine-readable", [&](const std::string &) { return json = true, std::nullopt; }},
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> names;
  if (Result<void> parsed = parseCommandLine(words, options, names); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope ops [NAME…]\n\nLists the instructions, or shows the named ones.\n\n%s",
           describeOptions(options).c_str());
    return kSuccess;
  }
  if (json)
    return printJsonTable(), kSuccess;
  for (const std::string &word : names) {
    llvm::StringRef name = word;
    name.consume_front("pto.");
    if (const AliasInfo *alias = findAlias(name))
      name = alias->name;
    const InstrInfo *info = findInstr(name);
    if (!info) {
      if (const NotModelledInfo *refused = findNotModelled(name))
        return reportUsage(usageError("`pto." + name.str() + "` is not modelled", refused->reason.str()));
      return reportUsage(usageError("there is no instruction `pto." + name.str() + "`",
                                    "the nearest name is `pto." + nearestName(name).str() + "`"));
    }
    printf("pto.%s: %s\n\n", info->name.data(), info->summary.data());
    for (const std::string &line : pieces(info->syntax, '\n'))
      printf("  %s\n", line.c_str());
    printf("\n  pipe %s, elements %s, profiles %s\n", info->pipe.data(),
           info->elements.empty() ? "-" : info->elements.data(), info->profiles.data());
    for (const std::string &line : pieces(info->constraints, '\n'))
      printf("  %s\n", line.c_str());
    printf("\n");
  }
  if (!names.empty())
    return kSuccess;
  for (const InstrInfo &info : instructions())
    printf("%-26s %-12s %-8s %s\n", ("pto." + info.name.str()).c_str(), info.family.data(), info.pipe.data(),
           info.summary.data());
  printf("\n%zu instructions and %zu further names are implemented; %zu names are recognised and refused as not "
         "modelled\n",
         instructions().size(), aliases().size(), notModelled().size());
  return kSuccess;
}
