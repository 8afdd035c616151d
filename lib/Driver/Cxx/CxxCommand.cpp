//===- CxxCommand.cpp - a compiler's command line -------------------------===//

#include "ptoscope/Driver/CxxCommand.h"

#include <algorithm>
#include <fstream>
#include <iterator>

namespace ptoscope::cxx {

bool Command::hasSources() const {
  return std::any_of(words.begin(), words.end(), [](const Word &word) { return word.use == Word::Source; });
}
bool Command::hasInputs() const {
  return std::any_of(words.begin(), words.end(),
                     [](const Word &word) { return word.use == Word::Source || word.use == Word::Input; });
}
bool Command::defines(std::string_view name) const {
  return std::find(defined.begin(), defined.end(), name) != defined.end();
}

namespace {
/// Words of a response file: quotes and backslashes as the compilers read them.
std::vector<std::string> split(const std::string &text) {
  std::vector<std::string> words;
  std::string word;
  bool inWord = false;
  char quote = 0;
  for (size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\\' && i + 1 < text.size() && quote != '\'') {
      word += text[++i];
      inWord = true;
    } else if (quote) {
      if (c == quote)
        quote = 0;
      else
        word += c;
    } else if (c == '"' || c == '\'') {
      quote = c;
      inWord = true;
    } else if (c == ' ' || c == '\t' || c == '\n' || c == '\r') {
      if (inWord)
        words.push_back(std::move(word));
      word.clear();
      inWord = false;
    } else {
      word += c;
      inWord = true;
    }
  }
  if (inWord)
    words.push_back(std::move(word));
  return words;
}

bool expand(std::span<const std::string> words, std::vector<std::string> &result, std::string &problem, int depth) {
  for (const std::string &word : words) {
    if (word.size() < 2 || word[0] != '@') {
      result.push_back(word);
      continue;
    }
    std::ifstream in(word.substr(1), std::ios::binary);
    if (!in || depth > 16) {
      problem =
          depth > 16 ? "response files nest too deep: " + word : "cannot read the response file " + word.substr(1);
      return false;
    }
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    if (!expand(split(text), result, problem, depth + 1))
      return false;
  }
  return true;
}

constexpr std::string_view kPreprocess[] = {"-I", "-D", "-U"};
/// Take the next word, or the rest of this one.
constexpr std::string_view kPreprocessPath[] = {
    "-include", "-include-pch", "-imacros",           "-isystem",     "-iquote",       "-idirafter",
    "-iprefix", "-iwithprefix", "-iwithprefixbefore", "-cxx-isystem", "-Xpreprocessor"};
constexpr std::string_view kCompileNext[] = {"-Xclang", "-Xassembler", "-arch", "-target",   "--param",   "-aux-info",
                                             "-mllvm",  "-Xarch_host", "-B",    "--sysroot", "-isysroot", "-specs"};
constexpr std::string_view kLinkNext[] = {"-Xlinker", "-z", "-T", "-u", "-e", "-L", "-l", "-framework", "-rpath"};
constexpr std::string_view kLinkAlone[] = {"-shared",        "-rdynamic",         "-s",
                                           "-static-libgcc", "-static-libstdc++", "-static-pie",
                                           "-nostartfiles",  "-nostdlib",         "-nodefaultlibs"};
constexpr std::string_view kLinkPrefix[] = {"-Wl,", "-l", "-L", "-fuse-ld=", "--ld-path=", "-Wl@"};

template <size_t N> bool contains(const std::string_view (&list)[N], std::string_view word) {
  return std::find(std::begin(list), std::end(list), word) != std::end(list);
}

class Parser {
public:
  Parser(std::span<const std::string> words, std::string &problem) : words(words), problem(problem) {}

  Command run() {
    for (at = 0; at < words.size(); ++at)
      take(words[at]);
    return std::move(command);
  }

private:
  std::string next() { return at + 1 < words.size() ? words[++at] : std::string(); }
  void add(Word::Use use, const std::string &text, std::string value = "") {
    command.words.push_back({use, text, std::move(value)});
  }

  void take(const std::string &word) {
    if (word.empty() || word[0] != '-' || word == "-")
      return takeInput(word);
    if (takeOurs(word) || takeDevice(word) || takeGoal(word) || takeDependencies(word))
      return;
    if (takeStandard(word))
      return;
    if (contains(kPreprocess, word))
      return addPreprocess(word, next());
    if (contains(kPreprocessPath, word))
      return add(Word::Preprocess, word, next());
    for (std::string_view prefix : kPreprocess)
      if (word.starts_with(prefix))
        return addPreprocess(word, "");
    for (std::string_view prefix : kPreprocessPath)
      if (word.starts_with(prefix) && word[1] == 'i')
        return add(Word::Preprocess, word);
    if (contains(kCompileNext, word))
      return add(Word::Compile, word, next());
    if (contains(kLinkNext, word))
      return add(Word::Link, word, next());
    if (word == "-static" || word == "-shared") {
      command.isStatic |= word == "-static";
      command.isShared |= word == "-shared";
      return add(Word::Link, word);
    }
    if (contains(kLinkAlone, word))
      return add(Word::Link, word);
    for (std::string_view prefix : kLinkPrefix)
      if (word.starts_with(prefix))
        return add(Word::Link, word);
    if (word == "-v")
      command.verbose = true;
    add(Word::Compile, word);
  }

  void takeInput(const std::string &word) {
    const bool isSource = language.empty() ? isCxxSource(word) : language == "c++";
    if (word == "-" && isSource) {
      command.readsInput = true;
      add(Word::Compile, "-x", "c++");
      add(Word::Input, word);
      return add(Word::Compile, "-x", "none");
    }
    add(isSource ? Word::Source : Word::Input, word);
  }

  /// `-DNAME=value` and `-D NAME`.
  void addPreprocess(const std::string &word, std::string value) {
    if (word.starts_with("-D")) {
      std::string name = word.size() > 2 ? word.substr(2) : value;
      name.resize(std::min(name.find('='), name.size()));
      const std::string &whole = word.size() > 2 ? word : value;
      const bool is2201 = whole.ends_with("=2201");
      if (name == "__CPU_SIM")
        command.hostProfile = true;
      else if (name == "PTO_NPU_ARCH_A2A3" || name == "MEMORY_BASE" || (name == "__NPU_ARCH__" && is2201))
        command.target = Target::A3;
      else if (name == "PTO_NPU_ARCH_A5" || name == "REGISTER_BASE" || name == "__NPU_ARCH__")
        command.target = Target::A5;
      command.defined.push_back(std::move(name));
    }
    add(Word::Preprocess, word, std::move(value));
  }

  bool takeOurs(const std::string &word) {
    if (word == "--help") {
      command.help = true;
      return true;
    }
    if (!word.starts_with("--ptoscope-"))
      return false;
    const std::string name = word.substr(0, word.find('='));
    const std::string value = name.size() < word.size() ? word.substr(name.size() + 1) : "";
    if (name == "--ptoscope-cores") {
      constexpr std::string_view kNames[] = {"unified", "vector", "cube", "mixed", "aic", "auto"};
      const auto found = std::find(std::begin(kNames), std::end(kNames), value);
      if (found == std::end(kNames))
        problem = "`" + word +
                  "`: the kinds are unified, vector, cube, mixed, aic (the cube half of a pair of files) and auto";
      else
        command.cores = Cores(found - std::begin(kNames));
      explicitCores = true;
    } else if (name == "--ptoscope-arch") {
      if (value != "a5" && value != "a3" && value != "a2")
        problem = "`" + word + "`: the targets are a5, a3 and a2";
      command.target = value == "a5" ? Target::A5 : Target::A3;
    } else if (word == "--ptoscope-verbose") {
      command.verbose = true;
    } else if (word == "--ptoscope-keep") {
      command.keep = true;
    } else {
      problem = "unknown option `" + word +
                "`: there are --ptoscope-cores=KIND, --ptoscope-arch=TARGET, --ptoscope-verbose and --ptoscope-keep";
    }
    return true;
  }

  /// `dav-c220-vec` and its kin.
  void takeArchitecture(std::string_view name) {
    if (name.find("c220") != name.npos || name.find("2201") != name.npos || name.find("910b") != name.npos ||
        name.find("910B") != name.npos)
      command.target = Target::A3;
    else if (name.find("c310") != name.npos || name.find("31") != name.npos || name.find("35") != name.npos ||
             name.find("950") != name.npos)
      command.target = Target::A5;
    command.is3510 = name.find("3510") != name.npos;
    if (explicitCores)
      return;
    if (name.ends_with("-vec"))
      command.cores = Cores::Vector;
    else if (name.ends_with("-cube"))
      command.cores = Cores::Cube;
    else
      command.bothCores = true;
  }

  bool takeDevice(const std::string &word) {
    if (word == "-x" || (word.starts_with("-x") && word.size() > 2)) {
      language = word == "-x" ? next() : word.substr(2);
      if (language == "cce" || language == "asc" || language == "aicore")
        language = "c++";
      else if (language != "c++")
        add(Word::Compile, "-x", language);
      if (language == "none")
        language.clear();
      return true;
    }
    if (word == "-mllvm" && at + 1 < words.size() && words[at + 1].find("cce") != std::string::npos) {
      ++at;
      return true;
    }
    for (std::string_view prefix : {"--cce-aicore-arch=", "-cce-aicore-arch=", "--npu-arch=", "--cce-soc-version="})
      if (word.starts_with(prefix)) {
        takeArchitecture(std::string_view(word).substr(prefix.size()));
        return true;
      }
    if (word.starts_with("--cce-soc-core-type=")) {
      if (!explicitCores && word.ends_with("VecCore"))
        command.cores = Cores::Vector;
      else if (!explicitCores && word.ends_with("CubeCore"))
        command.cores = Cores::Cube;
      return true;
    }
    return word.starts_with("--cce-") || word.starts_with("-cce-") || word.starts_with("-fcce") ||
           word.starts_with("--aicore-") || word.starts_with("--npu-") || word == "-Xhost-start" ||
           word == "-Xhost-end" || word == "-Xaicore-start" || word == "-Xaicore-end";
  }

  bool takeGoal(const std::string &word) {
    if (word == "-o") {
      command.output = next();
    } else if (word.starts_with("-o") && word.size() > 2 && word != "-objcmt-migrate-all") {
      command.output = word.substr(2);
    } else if (word == "-c") {
      command.goal = std::max(command.goal, Command::Compile);
    } else if (word == "-S") {
      command.goal = std::max(command.goal, Command::Assembly);
    } else if (word == "-E" || word == "-M" || word == "-MM") {
      command.goal = std::max(command.goal, Command::Preprocess);
      add(Word::Compile, word);
    } else if (word == "-fsyntax-only") {
      command.goal = Command::Syntax;
    } else {
      return false;
    }
    return true;
  }

  bool takeDependencies(const std::string &word) {
    if (word == "-MD" || word == "-MMD") {
      command.dependencies = true;
      command.systemDependencies = word == "-MD";
    } else if (word == "-MF") {
      command.dependencyFile = next();
    } else if (word == "-MT" || word == "-MQ") {
      command.dependencyTargets.push_back(word);
      command.dependencyTargets.push_back(next());
    } else if (word.starts_with("-MF") || word.starts_with("-MT") || word.starts_with("-MQ")) {
      if (word[2] == 'F')
        command.dependencyFile = word.substr(3);
      else
        command.dependencyTargets.insert(command.dependencyTargets.end(), {word.substr(0, 3), word.substr(3)});
    } else if (word == "-MP" || word == "-MG") {
      command.dependencyTargets.push_back(word);
    } else {
      return false;
    }
    return true;
  }

  /// Our headers are C++20, in which nearly all C++17 means the same.
  bool takeStandard(const std::string &word) {
    const std::string_view prefix = word.starts_with("--std=") ? "--std=" : "-std=";
    if (!word.starts_with(prefix))
      return false;
    const std::string_view name = std::string_view(word).substr(prefix.size());
    const bool gnu = name.starts_with("gnu++");
    if (!gnu && !name.starts_with("c++")) {
      add(Word::Compile, word);
      return true;
    }
    const std::string_view year = name.substr(gnu ? 5 : 3);
    constexpr std::string_view kOld[] = {"98", "03", "0x", "11", "1y", "14", "1z", "17"};
    command.raised = contains(kOld, year);
    command.hasStandard = true;
    add(Word::Compile, command.raised ? (gnu ? "-std=gnu++20" : "-std=c++20") : word);
    return true;
  }

  std::span<const std::string> words;
  std::string &problem;
  size_t at = 0;
  std::string language;
  bool explicitCores = false;
  Command command;
};
} // namespace

std::optional<std::vector<std::string>> expandResponseFiles(std::span<const std::string> words, std::string &problem) {
  std::vector<std::string> result;
  if (!expand(words, result, problem, 0))
    return std::nullopt;
  return result;
}

Command parseCommand(std::span<const std::string> words, std::string &problem) { return Parser(words, problem).run(); }

} // namespace ptoscope::cxx
