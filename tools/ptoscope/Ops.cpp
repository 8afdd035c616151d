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
      result["pto." + alias.alias.str()] = pieces(alias.profiles.text(), ' ');
  return result;
}

/// Path, rows and registers of a transfer; null for others.
static nlohmann::ordered_json transferOf(const InstrInfo &info) {
  if (!info.transfer)
    return nullptr;
  auto roles = nlohmann::ordered_json::object(), registers = nlohmann::ordered_json::array();
  for (size_t role = 0; role < kTransferRoles; ++role)
    if (info.transfer->operand[role] >= 0)
      roles[nameOf(TransferRole(role)).str()] = info.transfer->operand[role];
  for (PtoRegister reg : info.transfer->registers())
    for (const InstrInfo &setter : instructions())
      if (setter.sets == reg)
        registers.push_back("pto." + setter.name.str());
  return {{"source", nameOf(info.transfer->src)},
          {"destination", nameOf(info.transfer->dst)},
          {"steps", nameOf(info.transfer->steps).str()},
          {"units", info.transfer->units},
          {"operands", roles},
          {"registers", registers}};
}

/// What lengths count: "bytes", "32-byte blocks", or by profile.
static std::string unitText(const TransferInfo &info) {
  auto [a5, a3, a2] = info.units;
  if (a5 == 1 && a3 == 1 && a2 == 1)
    return "bytes";
  std::string blocks = std::to_string(a5) + "-byte blocks";
  return a5 == a3 && a5 == a2 ? blocks : blocks + " (a3: " + std::to_string(a3) + ", a2: " + std::to_string(a2) + ")";
}

static void printJsonTable() {
  nlohmann::ordered_json table = {{"schema", kJsonSchema}, {"tool", "ptoscope"}, {"version", kVersion}};
  auto &rows = table["instructions"] = nlohmann::ordered_json::array();
  for (const InstrInfo &info : instructions())
    rows.push_back({{"name", "pto." + info.name.str()},
                    {"implemented", true},
                    {"family", nameOf(info.family).str()},
                    {"summary", info.summary.str()},
                    {"pipe", info.pipeText().str()},
                    {"footprint", nameOf(info.footprint).str()},
                    {"definedness", nameOf(info.definedness).str()},
                    {"timing", nameOf(info.timing)},
                    {"elements", pieces(info.elements, ' ')},
                    {"profiles", pieces(info.profiles.text(), ' ')},
                    {"aliases", aliasesOf(info.name)},
                    {"alias_profiles", aliasProfilesOf(info)},
                    {"syntax", pieces(info.syntax, '\n')},
                    {"constraints", pieces(info.constraints, '\n')},
                    {"transfer", transferOf(info)}});
  for (const NotModelledInfo &info : notModelled())
    rows.push_back({{"name", "pto." + info.name.str()}, {"implemented", false}, {"family", info.category.str()}});
  fputs(printJson(table).c_str(), stdout);
}

int ptoscope::opsVerb(std::span<const std::string> words) {
  bool json = false, help = false;
  std::vector<Option> options = {
      {"--json", "", "the whole table, machine-readable",
       [&](const std::string &) { return json = true, std::nullopt; }},
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
    printf("\n  pipe %s, elements %s, profiles %s\n", info->pipeText().str().c_str(),
           info->elements.empty() ? "-" : info->elements.data(), info->profiles.text().c_str());
    if (const TransferInfo *transfer = info->transfer)
      printf("  path %s to %s, %ss, lengths and steps of rows in %s\n", nameOf(transfer->src).data(),
             nameOf(transfer->dst).data(), nameOf(transfer->steps).data(), unitText(*transfer).c_str());
    for (const std::string &line : pieces(info->constraints, '\n'))
      printf("  %s\n", line.c_str());
    printf("\n");
  }
  if (!names.empty())
    return kSuccess;
  for (const InstrInfo &info : instructions())
    printf("%-26s %-12s %-8s %s\n", ("pto." + info.name.str()).c_str(), nameOf(info.family).data(),
           info.pipeText().str().c_str(), info.summary.data());
  printf("\n%zu instructions and %zu further names are implemented; %zu names are recognised and refused as not "
         "modelled\n",
         instructions().size(), aliases().size(), notModelled().size());
  return kSuccess;
}
