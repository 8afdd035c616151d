//===- CxxProgram.cpp - a C++ file as a program ---------------------------===//

#include "ptoscope/Audit/CxxProgram.h"
#include "ptoscope/Audit/Alignment.h"
#include "ptoscope/Driver/CxxDriver.h"
#include "ptoscope/Support/Array.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <tuple>

namespace ptoscope::audit {

namespace fs = std::filesystem;

bool includesTileApi(std::string_view text) {
  for (std::string_view line : linesOf(text)) {
    const std::string plain = normalised(line);
    if (!plain.starts_with("#"))
      continue;
    if (plain.find("include") != std::string::npos &&
        (plain.find("pto/") != std::string::npos || plain.find("kernel_operator.h") != std::string::npos))
      return true;
  }
  return false;
}

/// Without comments, so that what they show is no code.
static std::string withoutComments(std::string_view text) {
  std::string code;
  for (size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i, 2) == "//")
      i = std::min(text.find('\n', i), text.size());
    else if (text.substr(i, 2) == "/*")
      i = std::min(text.find("*/", i), text.size() - 2) + 2;
    if (i < text.size())
      code += text[i];
  }
  return code;
}

std::vector<std::string> kernelNames(std::string_view text) {
  const std::string code = withoutComments(text);
  std::vector<std::string> names;
  constexpr std::string_view kMark = "__global__";
  for (size_t at = code.find(kMark); at != std::string::npos; at = code.find(kMark, at + 1)) {
    const size_t open = code.find('(', at), body = code.find_first_of("{;", at);
    if (open == std::string::npos || body == std::string::npos || open > body || code[body] == ';')
      continue; // a declaration
    size_t end = open;
    while (end > at && std::isspace(static_cast<unsigned char>(code[end - 1])))
      --end;
    size_t begin = end;
    while (begin > at && (std::isalnum(static_cast<unsigned char>(code[begin - 1])) || code[begin - 1] == '_'))
      --begin;
    // `template <…>` in front, since the end of what comes before.
    const size_t before = code.find_last_of(";}", at);
    const std::string head =
        code.substr(before == std::string::npos ? 0 : before, at - (before == std::string::npos ? 0 : before));
    std::string name = code.substr(begin, end - begin);
    if (head.find("template") == std::string::npos && std::ranges::find(names, name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

bool hasMain(std::string_view text) {
  static const std::regex kMain(R"(\bint\s+main\s*\()");
  return std::regex_search(withoutComments(text), kMain);
}

std::optional<std::string> CxxProgram::compile(const std::string &kernel) {
  const std::string absolute = fs::absolute(path).lexically_normal().string();
  std::string source = absolute;
  if (!kernel.empty()) {
    source = work + "/main.cpp";
    std::ofstream(source) << "#include \"" << absolute << "\"\n#include <ptoscope/launch_files.hpp>\n"
                          << "int main(int argc, char **argv) { return ptoscope::launchFiles(" << kernel << ", \""
                          << kernel << "\", argc, argv); }\n";
  }
  std::vector<std::string> command = {"-O1", "-g0", "-w", "-I", fs::path(absolute).parent_path().string()};
  command.insert(command.end(), words.begin(), words.end());
  command.insert(command.end(), {source, "-o", program()});
  const Ended ended = runProcess({}, {}, work, [&] { return cxx::compilerMain(command); });
  if (ended.signal == 0 && ended.status == 0)
    return std::nullopt;
  for (std::string_view line : linesOf(ended.output))
    if (line.find("error") != std::string_view::npos)
      return std::string(line);
  return ended.output.empty() ? "the compiler ended with status " + std::to_string(ended.status)
                              : std::string(linesOf(ended.output)[0]);
}

std::optional<std::vector<CxxProgram::Parameter>> CxxProgram::parameters() const {
  const Ended ended = runProcess({program(), "--describe"}, {}, work);
  if (ended.signal || ended.status)
    return std::nullopt;
  std::vector<Parameter> result;
  for (std::string_view line : linesOf(ended.output)) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || line.starts_with("other"))
      return std::nullopt;
    result.push_back({line.starts_with("pointer"), std::string(line.substr(space + 1))});
  }
  return result;
}

bool CxxProgram::Run::failed() const {
  return std::ranges::any_of(findings, [](const Json &finding) { return finding["severity"] == "error"; });
}

std::string CxxProgram::contentsFile(size_t launch, uint64_t object) const {
  return work + "/launch-" + std::to_string(launch) + "." + std::to_string(object) + ".bin";
}

static Json readJson(const std::string &file) {
  std::ifstream in(file);
  return in ? Json::parse(in, nullptr, /*allow_exceptions=*/false) : Json();
}

CxxProgram::Run CxxProgram::run(const std::vector<std::string> &arguments, const std::string &schedule, bool records,
                                const std::string &arch) const {
  std::error_code ignored;
  const std::string report = work + "/report.json";
  fs::remove(report, ignored);
  for (size_t i = 1; fs::remove(work + "/launch-" + std::to_string(i) + ".json", ignored); ++i)
    ;
  std::vector<std::string> variables = {
      "PTOSCOPE_CHECK=all",        "PTOSCOPE_SCHEDULE=" + schedule,
      "PTOSCOPE_FORMAT=json",      "PTOSCOPE_REPORT=" + report,
      "PTOSCOPE_MAX_FINDINGS=100", "PTOSCOPE_RECORD=" + (records ? work : std::string())};
  if (!arch.empty())
    variables.push_back("PTOSCOPE_ARCH=" + arch);
  std::vector<std::string> command = {program()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  Run result;
  result.ended = runProcess(command, variables, work);
  if (const Json found = readJson(report); found.is_object() && found.contains("findings"))
    for (const Json &finding : found["findings"])
      result.findings.push_back(finding);
  for (size_t i = 1; records; ++i) {
    Json recording = readJson(work + "/launch-" + std::to_string(i) + ".json");
    if (!recording.is_object())
      break;
    result.recordings.push_back(std::move(recording));
  }
  return result;
}

std::optional<std::vector<std::string>> CxxProgram::filesOf(const std::vector<std::string> &argumentWords) const {
  std::vector<std::string> files;
  for (size_t i = 0; i < argumentWords.size(); ++i) {
    const std::string &word = argumentWords[i];
    char *end = nullptr;
    std::strtod(word.c_str(), &end);
    if (end != word.c_str() && !*end) {
      files.push_back(word);
      continue;
    }
    Result<Array> array = loadArray(word);
    if (!array)
      return std::nullopt;
    files.push_back(work + "/argument-" + std::to_string(i) + ".bin");
    std::ofstream(files.back(), std::ios::binary)
        .write(reinterpret_cast<const char *>(array->bytes.data()), std::streamsize(array->bytes.size()));
  }
  return files;
}

std::vector<std::string> CxxProgram::chooseArguments(const std::vector<Parameter> &parameters, int64_t blocks,
                                                     const std::string &arch) const {
  constexpr uint64_t kMaxBytes = uint64_t(1) << 26;
  constexpr int kMaxRounds = 24;
  const auto itemBytes = [](const std::string &element) {
    const std::optional<ElementType> type = parseElementType(element);
    return uint64_t(type ? infoOf(*type).bytes : 1);
  };
  struct Choice {
    std::vector<std::string> words;
    size_t errors = SIZE_MAX, work = 0;
  };
  const auto attempt = [&](int64_t scalar, bool zeros) {
    std::vector<uint64_t> sizes(parameters.size(), 32);
    Choice choice;
    std::optional<Choice> beforeAll; // buffers grew at once
    for (int round = 0; round < kMaxRounds; ++round) {
      choice.words.clear();
      for (size_t i = 0; i < parameters.size(); ++i) {
        const std::string &element = parameters[i].element;
        const bool isFloat = element.starts_with("f") || element.starts_with("bf");
        if (!parameters[i].isPointer)
          choice.words.push_back(isFloat ? "0.5" : std::to_string(scalar));
        else
          choice.words.push_back((zeros && !isFloat ? "zeros:" : "random:") + element + ":" +
                                 std::to_string(sizes[i] / itemBytes(element)) +
                                 (zeros && !isFloat ? "" : ":" + std::to_string(i + 1)));
      }
      std::vector<std::string> command = {std::to_string(blocks)};
      const std::optional<std::vector<std::string>> files = filesOf(choice.words);
      if (!files)
        return choice;
      command.insert(command.end(), files->begin(), files->end());
      const Run run = this->run(command, "eager", /*records=*/true, arch);
      choice.errors = run.ended.signal ? SIZE_MAX - 1 : 0;
      bool grows = false, isAway = false;
      for (const Json &finding : run.findings) {
        choice.errors += finding["severity"] == "error";
        isAway |= finding["code"] == "unmapped-gm-address";
        if (finding["code"] != "gm-out-of-bounds" || !finding["bytes"].is_object())
          continue;
        const std::string name = finding["bytes"]["parameter"];
        const uint64_t end = finding["bytes"]["end"];
        for (size_t i = 0; i < sizes.size(); ++i)
          if (name == "argument " + std::to_string(i) && end <= kMaxBytes && end > sizes[i]) {
            sizes[i] = (std::max(end, std::min(2 * sizes[i], kMaxBytes)) + 31) / 32 * 32;
            grows = true;
          }
      }
      choice.work = 0;
      for (const Json &recording : run.recordings)
        choice.work += recording["writes"].size();
      // An access far behind a buffer does not tell which one: all of them grow, unless that is no help.
      if (isAway && !grows) {
        if (!beforeAll)
          beforeAll = choice;
        for (size_t i = 0; i < sizes.size(); ++i)
          if (parameters[i].isPointer && sizes[i] < kMaxBytes) {
            sizes[i] = std::min(16 * sizes[i], kMaxBytes);
            grows = true;
          }
      }
      if (!grows)
        return isAway && beforeAll ? *std::move(beforeAll) : choice;
    }
    return choice;
  };
  const bool hasNumbers = std::ranges::any_of(parameters, [](const Parameter &p) {
    return !p.isPointer && !p.element.starts_with("f") && !p.element.starts_with("bf");
  });
  Choice best;
  int64_t bestScalar = 1;
  for (int64_t scalar : {256, 1024, 128, 64, 32, 16, 8, 4, 2, 1}) {
    Choice choice = attempt(scalar, /*zeros=*/false);
    if (choice.errors < best.errors || (choice.errors == best.errors && choice.work > best.work)) {
      best = std::move(choice);
      bestScalar = scalar;
    }
    if (!hasNumbers || (best.errors == 0 && best.work > 0))
      break;
  }
  if (best.errors)
    if (Choice choice = attempt(bestScalar, /*zeros=*/true); choice.errors < best.errors)
      best = std::move(choice);
  return best.words;
}

} // namespace ptoscope::audit
