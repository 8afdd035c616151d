//===- MutatedTextTest.cpp - programs with typing errors ------------------===//
//
// Takes the programs of the tree, removes, doubles and exchanges lines, exchanges
// words and numbers, and does with each what `check` and `run` do. Whatever comes
// of it, the tool has to end by itself within seconds, in bounded memory, and
// without calling anything its own bug. Each batch runs in a process of its own.
//
// `make test-long` tries twice as many; PTOSCOPE_MUTANTS=N tries N, PTOSCOPE_MUTANT_SEED=S others;
// PTOSCOPE_MUTANT=K alone, and prints it. PTOSCOPE_MUTANT_FOLDER=F takes the programs
// of that folder instead.
//
//===----------------------------------------------------------------------===//

#include "../Sample.h"
#include "Trial.h"

#include "gtest/gtest.h"

#include <filesystem>
#include <fstream>
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

/// What a batch tells the test, in memory both see.
struct Shared {
  uint64_t at; ///< the mutant in work
  uint64_t launched;
  char faults[4096];
};

class MutatedText : public testing::Test {
protected:
  std::string mutant(TextMutator &random) { return random.mutate(texts[random.below(texts.size())]); }
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
        TextMutator random(seed * 1'000'003 + number);
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
  endsWell(takesEveryCase() ? 3000 : 1500);
}

TEST_F(MutatedText, TilesEndWell) {
  texts = programs({"examples/tile-ir"});
  for (const char *test : {"test/TileText/refused.test", "test/TileText/reported.test"}) {
    std::vector<std::string> more = repaired(test);
    ASSERT_GT(more.size(), 30u);
    texts.insert(texts.end(), more.begin(), more.end());
  }
  endsWell(takesEveryCase() ? 2000 : 1000);
}

} // namespace
