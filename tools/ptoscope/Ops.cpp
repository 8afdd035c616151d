//===- Ops.cpp - ptoscope ops ---------------------------------------------===//

#include "Against.h"
#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Dialect/PTO/TileInstr.h"
#include "ptoscope/Manual/Manual.h"
#include "ptoscope/Support/JsonRenderer.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

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

/// The call in C++ and the operands of a tile instruction; null for others.
static nlohmann::ordered_json tileOf(const InstrInfo &info) {
  llvm::ArrayRef<TileForm> forms = tileFormsOf(info.name);
  if (forms.empty())
    return nullptr;
  const TileCallInfo *call = findTileCall(forms[0].record->name);
  const TileTextInfo *text = findTileText(info.name);
  const auto rules = tileRulesOf(info.name);
  auto records = nlohmann::ordered_json::array();
  for (const TileForm &form : forms) {
    if (!records.empty() && records.back()["name"] == form.record->name)
      continue;
    auto operands = nlohmann::ordered_json::array();
    for (const TileOperandInfo &operand : operandsOf(*form.record))
      operands.push_back({{"name", operand.name},
                          {"role", operand.role},
                          {"elements", operand.elements},
                          {"memories", operand.memories}});
    records.push_back({{"name", form.record->name}, {"operands", operands}});
  }
  return {{"call", call ? call->name.str() : ""},
          {"signature", call ? call->signature.str() : ""},
          {"meaning", call ? call->summary.str() : ""},
          {"pipe", text ? text->pipe.str() : info.pipeText().str()},
          {"rules", std::vector<std::string>(rules.begin(), rules.end())},
          {"records", records}};
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
                    {"transfer", transferOf(info)},
                    {"tile", tileOf(info)}});
  for (const NotModelledInfo &info : notModelled())
    rows.push_back({{"name", "pto." + info.name.str()},
                    {"implemented", false},
                    {"family", info.category.str()},
                    {"reason", info.reason.str()}});
  fputs(printJson(table).c_str(), stdout);
}

int ptoscope::opsVerb(std::span<const std::string> words) {
  bool json = false, help = false;
  std::string against;
  std::vector<Option> options = {
      {"--json", "", "the whole table, machine-readable",
       [&](const std::string &) { return json = true, std::nullopt; }},
      {"--against", "TABLE.tsv",
       "what a table of names and lines of syntax has that this tool lacks; status 1 if there is\n"
       "anything. Columns: `op`, and if there are any `syntax`, `element types` and `profiles`",
       [&](const std::string &value) { return against = value, std::nullopt; }},
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> names;
  if (Result<void> parsed = parseCommandLine(words, options, names); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope ops [NAME…]\n       ptoscope ops --against TABLE.tsv\n\nLists the instructions, shows the "
           "named ones, or compares a table with them.\n\n%s",
           describeOptions(options).c_str());
    return kSuccess;
  }
  if (!against.empty()) {
    if (!names.empty())
      return reportUsage(usageError("`--against` takes no names of instructions", "leave out `" + names[0] + "`"));
    return compareWith(against, json);
  }
  if (json && !names.empty())
    return reportUsage(
        usageError("`--json` prints the whole table, and takes no names", "leave out `" + names[0] + "`"));
  if (json)
    return printJsonTable(), kSuccess;
  for (const std::string &word : names) {
    const InstrInfo *info = findInstruction(word);
    if (!info) {
      llvm::StringRef name = word;
      name.consume_front("pto.");
      if (const NotModelledInfo *refused = findNotModelled(name))
        return reportUsage(usageError("`pto." + name.str() + "` is not modelled", refused->reason.str()));
      const llvm::StringRef nearest = nearestName(name);
      return reportUsage(
          usageError("there is no instruction `pto." + name.str() + "`",
                     nearest.empty() ? "`ptoscope ops` lists all" : "the nearest name is `pto." + nearest.str() + "`"));
    }
    printf("%s", textOf(*info).c_str());
    for (const std::string &line : pieces(info->constraints, '\n'))
      printf("  %s\n", line.c_str());
    if (const auto rules = tileRulesOf(info->name); !rules.empty())
      printf("  rules %s\n", llvm::join(rules, ", ").c_str());
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
