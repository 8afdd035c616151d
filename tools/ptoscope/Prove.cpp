//===- Prove.cpp - `check --prove` ----------------------------------------===//
//
// A kernel is refuted only by a run: each candidate of the prover is tried with all
// races checked, on buffers as large as the kernel needs (`--arg auto`).
//
//===----------------------------------------------------------------------===//

#include "Prove.h"
#include "ptoscope/Driver/Runs.h"
#include "ptoscope/Driver/Usage.h"

#include <algorithm>
#include <map>

namespace ptoscope {

/// Steps of a run that tries a candidate.
static constexpr uint64_t kMaxTrialSteps = 2'000'000;

/// All that `known`, of the static check, says is in `shown`, which may say more. What the former
/// is not sure of has a code of its own.
static bool isShownBy(const Finding &known, const Finding &shown) {
  auto isNamed = [&](const Note &note) {
    return !note.place.line || std::ranges::find(shown.notes, note.place, &Note::place) != shown.notes.end();
  };
  return (known.code == shown.code || known.code == "ub-overlap") && known.place == shown.place &&
         known.message == shown.message && std::ranges::all_of(known.notes, isNamed);
}

/// The static check may have found the same race. A run knows the bytes and the iterations, so it
/// takes its place.
static void addShown(Finding shown, FindingList &findings) {
  FindingList others = findings.withoutFindings();
  for (const Finding &known : findings.all()) {
    if (!isShownBy(known, shown)) {
      others.add(known);
    } else if (shown.help.empty()) {
      shown.help = known.help;
      shown.edits = known.edits;
    }
  }
  others.add(std::move(shown));
  findings = std::move(others);
}

/// True when a run with the candidate's arguments shows a race; it is added to `findings`.
static bool confirm(Session &session, const ParsedProgram &program, const FrontendOptions &frontend,
                    const Candidate &candidate, Verdict &verdict, FindingList &findings) {
  RunRequest request;
  request.frontend = frontend;
  request.compile.kernel = verdict.proof.kernel;
  request.launch.blocks = candidate.blocks;
  request.launch.maxSteps = kMaxTrialSteps;
  request.launch.print = [](std::string_view) {};
  for (size_t i = 0; i < verdict.proof.parameters; ++i) {
    auto scalar = candidate.scalars.find(i);
    request.arguments.push_back(scalar == candidate.scalars.end() ? "auto" : std::to_string(scalar->second));
  }
  PreparedRun run;
  FindingList own;
  if (!prepareRun(session, program, request, run, own))
    return false;
  executeRun(session, program, request, run, own);
  for (const Finding &finding : own.all())
    if (finding.code.starts_with("race-")) {
      verdict.kind = Verdict::Refuted;
      verdict.words = run.words;
      verdict.blocks = candidate.blocks;
      verdict.code = finding.code;
      addShown(finding, findings);
      return true;
    }
  return false;
}

/// One behind which nothing is left of the numbers that a parameter may be.
static const Assumption *contradiction(const std::vector<Assumption> &assumptions) {
  std::map<std::string, std::pair<int64_t, int64_t>> ranges;
  for (const Assumption &each : assumptions) { // factor * n + base >= 0, with a factor of 1 or -1
    auto &[low, high] =
        ranges.try_emplace(each.parameter, each.parameter == "blocks" ? 1 : INT32_MIN, INT32_MAX).first->second;
    if (each.factor > 0)
      low = std::max(low, -each.base);
    else
      high = std::min(high, each.base);
    if (low > high)
      return &each;
  }
  return nullptr;
}

std::vector<Verdict> proveKernels(Session &session, const ParsedProgram &program, const FrontendOptions &frontend,
                                  ProveOptions options, FindingList &findings) {
  std::vector<std::string> kernels = kernelNames(program);
  if (!options.kernel.empty() || kernels.empty())
    kernels = {options.kernel};
  std::vector<Verdict> verdicts;
  for (const std::string &kernel : kernels) {
    options.kernel = kernel;
    std::optional<Proof> proof = prove(program, options, findings);
    if (!proof)
      continue;
    if (proof->unknown) {
      findings.add(usageError("option `--assume`: `" + proof->unknown->text + "`: kernel `" + proof->kernel +
                                  "` has no integer `" + proof->unknown->parameter + "`",
                              "name a parameter of the kernel, and choose the kernel with `--kernel`"));
      continue;
    }
    if (const Assumption *last = contradiction(options.assumptions)) {
      findings.add(usageError("option `--assume`: no value of `" + last->parameter + "` fits `" + last->text +
                                  "` and the other assumptions",
                              "anything could be proved of no run at all; correct one of them"));
      break;
    }
    Verdict verdict;
    verdict.proof = std::move(*proof);
    if (verdict.proof.isProved)
      verdict.kind = Verdict::Proved;
    for (const Candidate &candidate : verdict.proof.candidates)
      if (confirm(session, program, frontend, candidate, verdict, findings))
        break;
    verdicts.push_back(std::move(verdict));
  }
  return verdicts;
}

static std::string commandOf(const Verdict &verdict, const std::string &path) {
  std::string command = "ptoscope run " + path + " --kernel " + verdict.proof.kernel;
  if (verdict.blocks > 1)
    command += " --block-dim " + std::to_string(verdict.blocks);
  for (const std::string &word : verdict.words)
    command += " --arg " + word;
  return command;
}

std::string textOf(const Verdict &verdict, const std::string &path) {
  const Proof &proof = verdict.proof;
  std::string line = path + ": @" + proof.kernel + ": ";
  if (verdict.kind == Verdict::Refuted)
    return line + "refuted: " + verdict.code + " with\n  " + commandOf(verdict, path) + "\n";
  if (verdict.kind == Verdict::Undecided)
    return line + "undecided: line " + std::to_string(proof.place.line) + ": " + proof.reason + "\n";
  line += "proved: no race" + std::string(proof.boundsProved ? ", no access outside a memory on chip" : "") +
          ", for all arguments\n";
  for (const std::string &each : proof.assumed)
    line += "  assumed: " + each + "\n";
  return line;
}

nlohmann::ordered_json jsonOf(const Verdict &verdict, const std::string &path) {
  static constexpr const char *kNames[] = {"proved", "refuted", "undecided"};
  const Proof &proof = verdict.proof;
  nlohmann::ordered_json json = {{"file", path},
                                 {"kernel", proof.kernel},
                                 {"verdict", kNames[verdict.kind]},
                                 {"affine", proof.isAffine},
                                 {"properties", nlohmann::ordered_json::array()},
                                 {"assumed", proof.assumed},
                                 {"pairs", proof.pairs},
                                 {"queries", proof.queries}};
  if (verdict.kind == Verdict::Proved)
    json["properties"].push_back("races");
  if (proof.boundsProved)
    json["properties"].push_back("bounds on chip");
  if (verdict.kind == Verdict::Undecided)
    json.update({{"reason", proof.reason}, {"line", proof.place.line}});
  if (verdict.kind == Verdict::Refuted)
    json.update({{"code", verdict.code},
                 {"arguments", verdict.words},
                 {"blocks", verdict.blocks},
                 {"command", commandOf(verdict, path)}});
  return json;
}

} // namespace ptoscope
