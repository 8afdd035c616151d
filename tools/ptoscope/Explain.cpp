//===- Explain.cpp - ptoscope explain -------------------------------------===//
//
// Pages of the table of codes, instructions by their names, and rules of the
// specification by their labels, for people and for programs.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Manual/Manual.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Support/Text.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

using namespace ptoscope;

static std::string nearestLabel(const std::string &word) {
  std::vector<std::string_view> labels;
  for (const Rule &rule : rules())
    labels.push_back(rule.label);
  return std::string(nearestOf(word, labels));
}

/// A letter or more and a number behind them, with or without a dash; no code ends so.
static bool looksLikeLabel(llvm::StringRef word) {
  const llvm::StringRef family = familyOf(word);
  return !family.empty() && family != word && llvm::all_of(family, llvm::isAlnum);
}

static void printRule(const Rule &rule) {
  printf("%s (%s, %s)\n\n%s\n", rule.label.data(), rule.document.data(), rule.heading.data(), rule.text.data());
  const std::vector<std::string> names = instructionsWith(rule.label);
  constexpr size_t kMaxNames = 8;
  for (size_t i = 0; i < std::min(names.size(), kMaxNames); ++i)
    printf("%s%s", i == 0 ? "\nRule of " : ", ", names[i].c_str());
  if (names.size() > kMaxNames)
    printf(" and %zu more", names.size() - kMaxNames);
  printf(names.empty() ? "\n" : "\n\n");
}

static void printInstructionPage(const pto::InstrInfo &info) {
  printf("%s\n", textOf(info).c_str());
  for (const std::string &line : rulesOf(info))
    printf("%s\n", line.c_str());
  printf("\n");
}

static nlohmann::ordered_json ruleJson(const Rule &rule) {
  return {{"label", rule.label.str()},
          {"text", rule.text.str()},
          {"document", rule.document.str()},
          {"heading", rule.heading.str()},
          {"instructions", instructionsWith(rule.label)}};
}

static void printPage(const CodeInfo &info) {
  printf("%s (%s): %s\n\n%s\n", std::string(info.code).c_str(), std::string(toString(info.severity)).c_str(),
         std::string(info.title).c_str(), std::string(info.page.text).c_str());
}

static nlohmann::ordered_json pageJson(const CodeInfo &info) {
  nlohmann::ordered_json json;
  json["code"] = std::string(info.code);
  json["severity"] = std::string(toString(info.severity));
  json["category"] = std::string(toString(info.category));
  json["title"] = std::string(info.title);
  json["meaning"] = std::string(info.page.meaning);
  json["example"] = std::string(info.page.example);
  json["repair"] = std::string(info.page.repair);
  json["ignore"] = std::string(info.page.ignore);
  json["assumes"] = std::string(info.page.assumes);
  return json;
}

/// Every code, then the families of labels, which are sorted.
static void printList() {
  for (const CodeInfo &info : codes())
    printf("%-28s %-8s %s\n", std::string(info.code).c_str(), std::string(toString(info.severity)).c_str(),
           std::string(info.title).c_str());
  printf("\nRules of the specification are explained by their labels:\n");
  for (const Rule *first = rules().begin(); first != rules().end();) {
    const Rule *end = std::find_if(first, rules().end(),
                                   [&](const Rule &rule) { return familyOf(rule.label) != familyOf(first->label); });
    printf(end - first > 1 ? "%s to %s%s" : "%s%.0s%s", first->label.data(), end[-1].label.data(),
           end == rules().end() ? "\n" : ", ");
    first = end;
  }
}

/// For a word that is no code, no label and no instruction.
static Finding unknownWord(const std::string &word) {
  const bool isLabel = looksLikeLabel(word);
  std::string nearest = isLabel ? nearestLabel(word) : std::string(nearestCode(word));
  if (nearest.empty())
    nearest = pto::nearestName(llvm::StringRef(word).take_front(64)).str();
  return usageError((isLabel ? "there is no rule `" : "there is no code `") + word + "`",
                    (nearest.empty() ? "" : "did you mean `" + nearest + "`? ") + "`ptoscope explain` lists all");
}

int ptoscope::explainVerb(std::span<const std::string> words) {
  bool json = false, help = false;
  const std::vector<Option> options = {
      choiceOption<bool>("--format", "how pages are printed (default: text)", "format",
                         {{"text", false}, {"json", true}}, json),
      {"--help", "", "this text", [&](const std::string &) { return help = true, std::nullopt; }},
  };
  std::vector<std::string> names;
  if (Result<void> parsed = parseCommandLine(words, options, names); !parsed)
    return reportUsage(parsed.takeFinding());
  if (help) {
    printf("usage: ptoscope explain [--format text|json] [CODE | LABEL | INSTRUCTION...]\n\n"
           "Prints the pages of codes of findings (`race-raw`), rules of the specification by their\n"
           "labels (`P8`, `TLOAD-1`), and instructions with their rules (`vadd`, `tadd`, `TADD`);\n"
           "without any, the list of codes and labels, and with `--format json` every page and\n"
           "rule. `ptoscope ops` lists the instructions.\n\n%s",
           describeOptions(options).c_str());
    return kSuccess;
  }
  std::vector<const CodeInfo *> pages;
  std::vector<const Rule *> labelled;
  std::vector<const pto::InstrInfo *> instructions;
  for (const std::string &word : names) {
    if (const CodeInfo *info = findCode(word))
      pages.push_back(info);
    else if (const Rule *rule = findRule(word))
      labelled.push_back(rule);
    else if (const pto::InstrInfo *instruction = findInstruction(word))
      instructions.push_back(instruction);
    else
      return reportUsage(unknownWord(word));
  }
  if (json && !instructions.empty())
    return reportUsage(
        usageError("`--format json` prints codes and rules only", "`ptoscope ops --json` prints every instruction"));
  const bool list = pages.empty() && labelled.empty() && instructions.empty();
  if (list && !json) {
    printList();
    return kSuccess;
  }
  if (list) {
    for (const CodeInfo &info : codes())
      pages.push_back(&info);
    for (const Rule &rule : rules())
      labelled.push_back(&rule);
  }
  if (!json) {
    for (const CodeInfo *info : pages)
      printPage(*info);
    for (const Rule *rule : labelled)
      printRule(*rule);
    for (const pto::InstrInfo *instruction : instructions)
      printInstructionPage(*instruction);
    return kSuccess;
  }
  nlohmann::ordered_json all;
  all["schema"] = kJsonSchema;
  all["codes"] = nlohmann::ordered_json::array();
  for (const CodeInfo *info : pages)
    all["codes"].push_back(pageJson(*info));
  all["rules"] = nlohmann::ordered_json::array();
  for (const Rule *rule : labelled)
    all["rules"].push_back(ruleJson(*rule));
  printf("%s", printJson(all).c_str());
  return kSuccess;
}
