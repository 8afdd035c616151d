//===- MutatedTextTest.cpp - programs with typing errors ------------------===//
//
// Takes the programs of the tree, removes, doubles and exchanges lines, exchanges
// words and numbers, and does with each what `check` and `run` do. Whatever comes
// of it, the tool has to end by itself within seconds, in bounded memory, and
// without calling anything its own bug. Each batch runs in a process of its own.
//
// PTOSCOPE_MUTANTS=N tries N of them, PTOSCOPE_MUTANT_SEED=S others;
// PTOSCOPE_MUTANT=K alone, and prints it. PTOSCOPE_MUTANT_FOLDER=F takes the programs
// of that folder instead.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Analysis/StaticCheck.h"
#include "ptoscope/Driver/Session.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
#include <random>
#include <regex>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace ptoscope;

namespace {

constexpr uint64_t kBatch = 100;
constexpr unsigned kSeconds = 20; // for one, on a busy machine
constexpr long kMaxKilobytes = 3'000'000;

uint64_t fromEnvironment(const char *name, uint64_t otherwise) {
  const char *word = getenv(name);
  return word ? strtoull(word, nullptr, 0) : otherwise;
}

using Folders = std::vector<std::filesystem::path>;
std::vector<std::string> programs(Folders folders) {
  if (const char *other = getenv("PTOSCOPE_MUTANT_FOLDER"))
    folders = {other};
  std::vector<std::string> paths, texts;
  for (const std::filesystem::path &folder : folders)
    for (const auto &entry : std::filesystem::directory_iterator(std::filesystem::path(PTOSCOPE_SOURCE) / folder))
      if (entry.path().extension() == ".pto")
        paths.push_back(entry.path());
  std::ranges::sort(paths);
  for (const std::string &path : paths) {
    std::ifstream file(path);
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  return texts;
}

/// The repaired programs of a test with cases (test/Inputs/repairs.py).
std::vector<std::string> repaired(const char *path) {
  std::ifstream file(std::filesystem::path(PTOSCOPE_SOURCE) / path);
  std::vector<std::string> texts;
  std::string prologue, epilogue, text, *part = nullptr;
  bool raw = false;
  const auto finish = [&] {
    if (part == &text && !text.empty())
      texts.push_back(raw ? text : prologue + text + epilogue);
  };
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      finish();
      raw = line.ends_with(" raw");
      part = line.starts_with("=== prologue") ? &prologue : line == "=== epilogue" ? &epilogue : &text;
      part->clear();
    } else if (part && (line.starts_with(" ") || line.starts_with("+"))) {
      *part += line.substr(1) + "\n";
    }
  }
  finish();
  return texts;
}

class Mutator {
public:
  explicit Mutator(uint64_t seed) : random(seed) {}

  uint64_t below(uint64_t n) { return random() % n; }

  std::string mutate(std::string text) {
    // Comments only make it less likely to meet code.
    text = std::regex_replace(text, std::regex("//[^\n]*"), "");
    for (uint64_t i = 0, n = 1 + below(3); i < n; ++i)
      text = below(3) == 0 ? mutateLines(text) : mutateTokens(text);
    return text;
  }

private:
  std::string mutateLines(const std::string &text) {
    std::vector<std::string> lines;
    std::istringstream stream(text);
    for (std::string line; std::getline(stream, line);)
      if (line.find_first_not_of(' ') != std::string::npos)
        lines.push_back(line);
    if (lines.size() < 2)
      return text;
    size_t at = below(lines.size()),
           other = below(3) ? std::min(lines.size() - 1, at + 1 + below(4)) : below(lines.size());
    switch (below(4)) {
    case 0:
      lines.erase(lines.begin() + ptrdiff_t(at));
      break;
    case 1:
      lines.insert(lines.begin() + ptrdiff_t(other), lines[at]);
      break;
    default:
      std::swap(lines[at], lines[other]);
    }
    std::string result;
    for (const std::string &line : lines)
      result += line + "\n";
    return result;
  }

  struct Token {
    size_t begin, size;
    char kind; ///< of its first character: value, number, word, or the character itself
  };

  std::string mutateTokens(const std::string &text) {
    static const std::regex pattern(R"([%@^!#]?[A-Za-z_][\w.$]*|%\w+|-?\d[\w.]*|"[^"\n]*"|->|[^\s\w])");
    std::vector<Token> tokens;
    for (std::sregex_iterator it(text.begin(), text.end(), pattern), end; it != end; ++it) {
      char c = it->str()[0], kind = isalpha(c) ? 'a' : isdigit(c) || (c == '-' && it->length() > 1) ? '0' : c;
      tokens.push_back({size_t(it->position()), size_t(it->length()), kind});
    }
    if (tokens.empty())
      return text;
    // One word of the text in the place of another, mostly of the same kind, or a number no one expects.
    const Token &to = tokens[below(tokens.size())];
    static const char *const kNumbers[] = {
        "0",          "1",      "-1",  "64", "65536", "4294967296", "9223372036854775807", "-9223372036854775808",
        "2147483647", "262144", "255", "1.5"};
    std::string word;
    if (to.kind == '0' && below(2))
      word = kNumbers[below(std::size(kNumbers))];
    for (unsigned tries = 0; word.empty() && tries < 40; ++tries)
      if (const Token &from = tokens[below(tokens.size())]; from.kind == to.kind || tries > 36)
        word = text.substr(from.begin, from.size);
    return text.substr(0, to.begin) + word + text.substr(to.begin + to.size);
  }

  std::mt19937_64 random;
};

/// What `check` and `run` do; the codes that call it our own bug.
std::string tryOut(Session &session, const std::string &text, Mutator &choose, uint64_t &launched) {
  std::string faults;
  auto note = [&](const FindingList &findings) {
    for (const Finding &finding : findings.all())
      if (finding.category == Category::Internal)
        faults += finding.code + ": " + finding.message + "\n";
  };
  FindingList findings(20);
  std::unique_ptr<ParsedProgram> program = session.parse("mutant.pto", text, {}, findings);
  if (!program->module)
    return note(findings), faults;
  checkStatically(*program, findings);
  CompileOptions compile;
  if (choose.below(4) == 0)
    compile.checks = Checks::none();
  compile.schedule = ScheduleKind(choose.below(8) == 0 ? 1 + choose.below(2) : 0);
  std::smatch name;
  if (std::regex_search(text, name, std::regex(R"(func\.func @(\w+))")))
    compile.kernel = name[1];
  std::unique_ptr<CompiledKernel> kernel = session.compile(*program, compile, findings);
  if (kernel) {
    ++launched;
    std::vector<std::vector<uint8_t>> buffers(kernel->parameters.size(), std::vector<uint8_t>(1 << 15, 1));
    std::vector<Argument> arguments;
    for (size_t i = 0; i < buffers.size(); ++i)
      if (kernel->parameters[i].isPointer)
        arguments.push_back(std::span<uint8_t>(buffers[i]));
      else
        arguments.push_back(uint64_t(1 + choose.below(100)));
    LaunchOptions launch;
    launch.profile = program->profile;
    launch.checks = compile.checks;
    launch.schedule = {compile.schedule, 1};
    launch.maxSteps = 100'000;
    launch.blocks = int64_t(1 + choose.below(2));
    findings.merge(std::move(Session::launch(*kernel, arguments, launch).launch.findings));
  }
  return note(findings), faults;
}

/// What a batch tells the test, in memory both see.
struct Shared {
  uint64_t at; ///< the mutant in work
  uint64_t launched;
  char faults[4096];
};

class MutatedText : public testing::Test {
protected:
  std::string mutant(Mutator &random) { return random.mutate(texts[random.below(texts.size())]); }
  void endsWell(uint64_t mutants);

  uint64_t seed = fromEnvironment("PTOSCOPE_MUTANT_SEED", 1);
  std::vector<std::string> texts;
};

void MutatedText::endsWell(uint64_t mutants) {
  uint64_t count = fromEnvironment("PTOSCOPE_MUTANTS", mutants), only = fromEnvironment("PTOSCOPE_MUTANT", UINT64_MAX);
  auto *shared =
      static_cast<Shared *>(mmap(nullptr, sizeof(Shared), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(shared, MAP_FAILED);
  uint64_t next = only == UINT64_MAX ? 0 : only, end = only == UINT64_MAX ? count : only + 1;
  uint64_t launched = 0;
  while (next < end) {
    uint64_t batchEnd = std::min(end, next + kBatch);
    *shared = {};
    pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      Session session;
      for (uint64_t number = next; number < batchEnd; ++number) {
        alarm(kSeconds);
        shared->at = number;
        Mutator random(seed * 1'000'003 + number);
        std::string text = mutant(random);
        if (only != UINT64_MAX)
          puts(text.c_str()), fflush(stdout);
        std::string faults = tryOut(session, text, random, shared->launched);
        if (!faults.empty()) {
          snprintf(shared->faults, sizeof(shared->faults), "%s", faults.c_str());
          _exit(3);
        }
      }
      _exit(0);
    }
    int status = 0;
    rusage used{};
    ASSERT_EQ(wait4(child, &status, 0, &used), child);
    std::string which = " at mutant " + std::to_string(shared->at) + " of seed " + std::to_string(seed);
    EXPECT_FALSE(WIFSIGNALED(status)) << "signal " << WTERMSIG(status) << which;
    EXPECT_LT(used.ru_maxrss, kMaxKilobytes) << "kilobytes" << which;
    if (WIFEXITED(status))
      EXPECT_EQ(WEXITSTATUS(status), 0) << shared->faults << which;
    launched += shared->launched;
    next = status == 0 ? batchEnd : shared->at + 1;
  }
  munmap(shared, sizeof(Shared));
  if (only == UINT64_MAX)
    EXPECT_GT(launched, count / 20) << "most are refused before they run";
}

TEST_F(MutatedText, EndsWell) {
  texts = programs({"examples", "examples/broken", "test/Dialect", "test/EndToEnd", "test/Checkers"});
  ASSERT_GT(texts.size(), 40u);
  endsWell(3000);
}

TEST_F(MutatedText, TilesEndWell) {
  texts = programs({"examples/tile-ir"});
  for (const char *test : {"test/TileText/refused.test", "test/TileText/reported.test"}) {
    std::vector<std::string> more = repaired(test);
    ASSERT_GT(more.size(), 30u);
    texts.insert(texts.end(), more.begin(), more.end());
  }
  endsWell(2000);
}

} // namespace
