//===- RandomInitTest.cpp - undefined bytes on their way ------------------===//
//
// Random programs move bytes between all memories, by transfers with gaps, odd
// rows and padding, through registers and masks, and compute nothing. Where bytes
// that no one wrote end up is found by moving marks instead of values. Required:
// exactly the scalar loads that read such bytes are reported, exactly the transfers
// that carry them to GM are remarked upon, and nothing else is said: copying is
// allowed. The same under every schedule.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "ptoscope/Driver/Session.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <iostream>
#include <map>
#include <sstream>

using namespace ptoscope;
using namespace ptoscope::randomprogram;

namespace {

/// The instruction of each line that has one.
std::map<uint32_t, size_t> positionsIn(const std::string &text) {
  std::map<uint32_t, size_t> positions;
  std::istringstream lines(text);
  std::string line;
  for (uint32_t number = 1; std::getline(lines, line); ++number)
    if (size_t at = line.find("// #"); at != std::string::npos)
      positions[number] = std::stoull(line.substr(at + 4));
  return positions;
}

TEST(RandomInit, EveryUndefinedReadAndNoOther) {
  const char *set = std::getenv("PTOSCOPE_RANDOM_PROGRAMS");
  uint64_t count = std::max<uint64_t>(1, (set ? std::strtoull(set, nullptr, 10) : 2000) / 10);
  uint64_t bad = 0, good = 0, stores = 0, cleanStores = 0;
  std::unique_ptr<Session> session;
  for (uint64_t seed = 1; seed <= count && !::testing::Test::HasFailure(); ++seed) {
    if (seed % 200 == 1)
      session = std::make_unique<Session>();
    Program program = generate(seed, true);
    UndefinedReads expected = findUndefined(program);
    std::string text = textOf(program);
    std::map<uint32_t, size_t> positions = positionsIn(text);
    FindingList findings;
    std::unique_ptr<ParsedProgram> parsed = session->parse("k.pto", text, {}, findings);
    ASSERT_TRUE(parsed->module) << text;
    CompileOptions compile;
    compile.schedule = ScheduleKind::Random;
    std::unique_ptr<CompiledKernel> kernel = session->compile(*parsed, compile, findings);
    ASSERT_TRUE(kernel) << text;
    for (Schedule schedule : {Schedule{}, Schedule{ScheduleKind::Lazy, 0}, Schedule{ScheduleKind::Random, seed}}) {
      std::vector<uint8_t> input = program.input(), gm = program.gm();
      Argument arguments[] = {std::span<uint8_t>(input), std::span<uint8_t>(gm)};
      LaunchOptions options;
      options.profile = parsed->profile;
      options.schedule = schedule;
      options.maxFindings = 1000;
      RunResult result = Session::launch(*kernel, arguments, options);
      UndefinedReads got;
      std::string others;
      for (const Finding &f : result.launch.findings.all()) {
        if (f.code == "init-scalar" || f.code == "init-clobbered")
          got.scalars.insert(positions[f.place.line]);
        else if (f.code == "init-store-gm")
          got.stores.insert(positions[f.place.line]);
        else if (f.severity != Severity::Remark)
          others += f.code + ": " + f.message + "\n";
      }
      EXPECT_EQ(others, "") << "seed " << seed << "\n" << text;
      EXPECT_EQ(got.scalars, expected.scalars) << "seed " << seed << "\n" << text;
      EXPECT_EQ(got.stores, expected.stores) << "seed " << seed << "\n" << text;
    }
    for (size_t k = 0; k < program.list.size(); ++k) {
      const Instruction &i = program.list[k];
      if (i.kind == Kind::Scalar)
        ++(expected.scalars.count(k) ? bad : good);
      if (i.kind == Kind::Transfer && i.transfer.dst.memory == Memory::Gm)
        ++(expected.stores.count(k) ? stores : cleanStores);
    }
  }
  std::cout << count << " programs: " << bad << " scalar loads of undefined bytes and " << good << " others, " << stores
            << " stores of undefined bytes and " << cleanStores << " others\n";
  if (count >= 100) { // both outcomes have to be common
    EXPECT_GT(bad, count);
    EXPECT_GT(good, count);
    EXPECT_GT(cleanStores, 20u);
  }
}

} // namespace
