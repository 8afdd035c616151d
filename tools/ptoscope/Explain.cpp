//===- Explain.cpp - ptoscope explain -------------------------------------===//
//
// The pages of the table of codes, for people and for programs.
//
//===----------------------------------------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Support/JsonRenderer.h"

#include <cstdio>
#include <nlohmann/json.hpp>

using namespace ptoscope;

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

int ptoscope::explainVerb(std::span<const std::string> words) {
  bool json = false;
  std::vector<const CodeInfo *> chosen;
  for (size_t i = 0; i < words.size(); ++i) {
    const std::string &word = words[i];
    if (word == "--help") {
      printf("usage: ptoscope explain [--format text|json] [CODE...]\n\n"
             "Prints the pages of codes of findings; without CODE, the list of codes, and with\n"
             "`--format json` every page.\n");
      return kSuccess;
    }
    if (word == "--format") {
      std::string format = i + 1 < words.size() ? words[++i] : "";
      if (format != "text" && format != "json")
        return reportUsage(usageError("`--format` takes `text` or `json`, not `" + format + "`", ""));
      json = format == "json";
      continue;
    }
    const CodeInfo *info = findCode(word);
    if (!info)
      return reportUsage(
          usageError("there is no code `" + word + "`",
                     "the nearest one is `" + std::string(nearestCode(word)) + "`; `ptoscope explain` lists all"));
    chosen.push_back(info);
  }
  bool list = chosen.empty();
  if (list)
    for (const CodeInfo &info : codes())
      chosen.push_back(&info);
  if (json) {
    nlohmann::ordered_json all;
    all["schema"] = kJsonSchema;
    all["codes"] = nlohmann::ordered_json::array();
    for (const CodeInfo *info : chosen)
      all["codes"].push_back(pageJson(*info));
    printf("%s", printJson(all).c_str());
    return kSuccess;
  }
  for (const CodeInfo *info : chosen) {
    std::string code(info->code), severity(toString(info->severity)), title(info->title);
    if (list)
      printf("%-28s %-8s %s\n", code.c_str(), severity.c_str(), title.c_str());
    else
      printf("%s (%s): %s\n\n%s\n", code.c_str(), severity.c_str(), title.c_str(), std::string(info->page.text).c_str());
  }
  return kSuccess;
}
