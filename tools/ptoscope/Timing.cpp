//===- Timing.cpp - ptoscope timing ---------------------------------------===//

#include "Report.h"
#include "Verbs.h"
#include "ptoscope/Driver/Session.h"
#include "ptoscope/Support/Array.h"
#include "ptoscope/Support/JsonRenderer.h"
#include "ptoscope/Validate/Validation.h"

#include <nlohmann/json.hpp>

#include <cstdio>
#include <map>

using namespace ptoscope;
using namespace ptoscope::validate;

namespace {

struct TimingOptions {
  bool list = false, fit = false, quick = false, help = false;
  std::string table, figures, profile, format = "text";

  std::vector<Option> options() {
    auto text = [](std::string &target) {
      return [&target](const std::string &word) { return target = word, std::nullopt; };
    };
    auto flag = [](bool &target) {
      return [&target](const std::string &) -> std::optional<std::string> { return target = true, std::nullopt; };
    };
    return {
        {"--list", "", "show every figure of the model: value, source, what it is; as text or json", flag(list)},
        {"--validate", "FILE.tsv",
         "estimate published figures, rows as in docs/isa/timing-anchors.tsv, and\nshow the errors", text(table)},
        {"--quick", "", "with --validate: without cross-validation", flag(quick)},
        {"--fit", "", "with --validate: print the figures tagged `fit`, fitted to all rows", flag(fit)},
        {"--profile", "a5|a3|a2", "only this profile",
         [this](const std::string &word) -> std::optional<std::string> {
           profile = word;
           return findProfile(word) ? std::nullopt : std::optional("`" + word + "` is not a profile; use a5, a3 or a2");
         }},
        {"--timing", "FILE", "figures of this file instead of the built-in ones of its profile", text(figures)},
        choiceOption<std::string>("--format", "how it is printed (default: text)", "format",
                                  {{"text", "text"}, {"json", "json"}, {"markdown", "markdown"}}, format),
        {"--help", "", "this text", flag(help)},
    };
  }
};

bool isOf(ProfileId profile, const Profile *wanted) {
  return !wanted || (profile == ProfileId::A5) == (wanted->id == ProfileId::A5);
}

/// One profile of `--list`.
nlohmann::ordered_json figuresOf(const timing::Model &model, const Profile &profile) {
  std::map<std::string, timing::FigureInfo> infos;
  for (const timing::FigureInfo &info : timing::figureTable())
    infos.emplace(info.key, info);
  auto rows = nlohmann::ordered_json::array();
  for (const timing::Model::Figure &figure : model.figures()) {
    const timing::FigureInfo &info = infos[figure.key];
    rows.push_back({{"key", figure.key},
                    {"value", figure.value},
                    {"unit", info.unit},
                    {"source", figure.source},
                    {"meaning", info.meaning},
                    {"remark", figure.remark}});
  }
  return {{"profile", std::string(profile.name)}, {"figures", std::move(rows)}};
}

void printFigures(const nlohmann::ordered_json &profile) {
  auto text = [](const nlohmann::ordered_json &value) { return value.get<std::string>(); };
  printf("%s\n", text(profile["profile"]).c_str());
  for (const nlohmann::ordered_json &row : profile["figures"]) {
    const std::string remark = text(row["remark"]);
    printf("  %-28s %11.6g %-12s %-8s %s%s%s\n", text(row["key"]).c_str(), row["value"].get<double>(),
           text(row["unit"]).c_str(), text(row["source"]).c_str(), text(row["meaning"]).c_str(),
           remark.empty() ? "" : "; ", remark.c_str());
  }
}

int validateTable(const TimingOptions &options, const Models &models, const Profile *wanted) {
  Result<Array> file = readRaw(options.table);
  if (!file)
    return reportUsage(file.takeFinding());
  std::string_view text(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
  Result<std::vector<Anchor>> anchors = parseAnchors(text, options.table);
  if (!anchors)
    return reportUsage(anchors.takeFinding());
  std::erase_if(*anchors, [&](const Anchor &anchor) { return !isOf(anchor.profile, wanted); });
  if (anchors->empty())
    return reportUsage(
        usageError("`" + options.table + "` has no row of " + options.profile, "choose another --profile, or none"));
  Session session;
  Validation validation(session, std::move(*anchors));
  validation.estimateAll(models);
  if (options.fit) {
    fputs(validation.fitted(models).c_str(), stdout);
    return kSuccess;
  }
  if (!options.quick)
    validation.crossValidate(models);
  fputs((options.format == "json"       ? validationJson(validation)
         : options.format == "markdown" ? validationMarkdown(validation)
                                        : validationText(validation))
            .c_str(),
        stdout);
  return kSuccess;
}

} // namespace

int ptoscope::timingVerb(std::span<const std::string> words) {
  TimingOptions options;
  std::vector<Option> table = options.options();
  const OptionRule rules[] = {{"--quick", OptionRule::Needs, {"--validate"}},
                              {"--fit", OptionRule::Needs, {"--validate"}},
                              {"--fit", OptionRule::Excludes, {"--quick", "--format"}}};
  std::vector<std::string> rest;
  if (Result<void> parsed = parseCommandLine(words, table, rest, rules); !parsed)
    return reportUsage(parsed.takeFinding());
  if (options.help) {
    printf("usage: ptoscope timing --list | --validate FILE.tsv\n\nShows what the timing model consists of, and how "
           "far it "
           "is from published figures.\n\n%s",
           describeOptions(table).c_str());
    return kSuccess;
  }
  if (!rest.empty() || options.list == !options.table.empty())
    return reportUsage(usageError(rest.empty() ? "`timing` needs either --list or --validate"
                                               : "`timing` takes no file, got `" + rest[0] + "`",
                                  "ptoscope timing --list, or ptoscope timing --validate docs/isa/timing-anchors.tsv"));
  if (options.list && options.format == "markdown")
    return reportUsage(usageError("`--list` has no form `markdown`", "it is text or json"));
  Models models{timing::Model::of(ProfileId::A5), timing::Model::of(ProfileId::A3)};
  const Profile *wanted = options.profile.empty() ? nullptr : findProfile(options.profile);
  if (!options.figures.empty()) {
    Result<std::unique_ptr<timing::Model>> model = timing::Model::read(options.figures);
    if (!model)
      return reportUsage(model.takeFinding());
    const Profile &own = profileOf((*model)->profile());
    if (wanted && !(*model)->serves(wanted->id))
      return reportUsage(usageError("`" + options.figures + "` has the figures of " + std::string(own.name) +
                                        ", and `--profile` is " + options.profile,
                                    "leave out `--profile`, or give a file of that profile"));
    models.of(own.id) = **model;
    if (!wanted)
      wanted = &own;
  }
  if (!options.list)
    return validateTable(options, models, wanted);
  nlohmann::ordered_json listed = {{"profiles", nlohmann::ordered_json::array()}};
  for (ProfileId profile : {ProfileId::A5, ProfileId::A3})
    if (isOf(profile, wanted)) // A2 has the figures of A3, and keeps its name
      listed["profiles"].push_back(figuresOf(models.of(profile), wanted ? *wanted : profileOf(profile)));
  if (options.format == "json")
    fputs(printJson(listed).c_str(), stdout);
  else
    for (const nlohmann::ordered_json &profile : listed["profiles"])
      printFigures(profile);
  return kSuccess;
}
