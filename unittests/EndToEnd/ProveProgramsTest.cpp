//===- ProveProgramsTest.cpp - proofs against runs ------------------------===//
//
// Random programs, legal and with faults in their synchronisation. Required:
//   - no run of a program that is proved reports a race;
//   - at least half are decided: proved, or with arguments whose run reports one.
// Programs for the cores of a cluster are undecided (docs/proving.md).
// PTOSCOPE_RANDOM_PROGRAMS and PTOSCOPE_RANDOM_SEED as in RandomProgramsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "ptoscope/Analysis/Prove.h"
#include "ptoscope/Driver/Session.h"

#include "gtest/gtest.h"

#include <iostream>

using namespace ptoscope;
using namespace ptoscope::randomprogram;

namespace {

bool runHasRace(Session &session, const Program &program, const ParsedProgram &parsed) {
  FindingList findings;
  std::unique_ptr<CompiledKernel> kernel = session.compile(parsed, CompileOptions(), findings);
  EXPECT_TRUE(kernel);
  std::vector<uint8_t> source = program.input(), gm = program.gm();
  Argument arguments[] = {std::span<uint8_t>(source), std::span<uint8_t>(gm)};
  LaunchOptions launch;
  launch.profile = parsed.profile;
  launch.blocks = int64_t(program.blocks);
  const RunResult result = Session::launch(*kernel, arguments, launch);
  return llvm::any_of(result.launch.findings.all(), [](const Finding &f) { return f.code.starts_with("race-"); });
}

} // namespace

TEST(ProvePrograms, ProofsHold) {
  const uint64_t count = std::max<uint64_t>(1, numberFrom("PTOSCOPE_RANDOM_PROGRAMS", 2000) / 5),
                 first = numberFrom("PTOSCOPE_RANDOM_SEED", 1);
  // Of programs for one core, by whether a fault was put in.
  uint64_t programs[2] = {}, proved[2] = {}, refuted[2] = {};
  std::unique_ptr<Session> session;
  for (uint64_t seed = first; seed < first + count; ++seed) {
    if ((seed - first) % 200 == 0)
      session = std::make_unique<Session>();
    Program program = generate(seed);
    const bool isBroken = seed % 2;
    if (isBroken)
      breakOne(program, seed);
    std::string text = textOf(program);
    FindingList refusals;
    auto parsed = session->parse("random.pto", text, {}, refusals);
    if (!parsed->module)
      continue; // not all faults are programs
    std::optional<Proof> proof = prove(*parsed, {}, refusals);
    ASSERT_TRUE(proof) << text;
    ASSERT_FALSE(proof->isProved && program.mixed) << text;
    if (program.mixed)
      continue;
    const bool race = (proof->isProved || !proof->candidates.empty()) && runHasRace(*session, program, *parsed);
    ASSERT_FALSE(proof->isProved && race) << "seed " << seed << "\n" << text;
    ++programs[isBroken];
    proved[isBroken] += proof->isProved;
    refuted[isBroken] += race;
  }
  std::cout << "legal: " << proved[0] << " of " << programs[0] << " proved; with a fault: " << proved[1]
            << " proved and " << refuted[1] << " refuted of " << programs[1] << "\n";
  if (count >= 100) {
    EXPECT_GT(proved[0], programs[0] / 2);
    EXPECT_GT(proved[1] + refuted[1], programs[1] / 2);
  }
}
