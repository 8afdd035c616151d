//===- StaticProgramsTest.cpp - the static check against runs -------------===//
//
// Random programs, with everything about them known from their text. Required:
//   - of a legal program the static check says nothing;
//   - of a program with faults in its synchronisation every static error is an
//     error of the run too: a hang is a deadlock, a race is a race.
// PTOSCOPE_RANDOM_PROGRAMS and PTOSCOPE_RANDOM_SEED as in RandomProgramsTest.cpp.
//
//===----------------------------------------------------------------------===//

#include "Program.h"

#include "ptoscope/Analysis/StaticCheck.h"
#include "ptoscope/Driver/Session.h"

#include "gtest/gtest.h"

#include <cstdlib>
#include <iostream>

using namespace ptoscope;
using namespace ptoscope::randomprogram;

namespace {

struct Verdict {
  bool race = false, hang = false, error = false;
  std::string text;
};

Verdict verdictOf(const FindingList &findings) {
  Verdict verdict;
  for (const Finding &f : findings.all()) {
    if (f.severity == Severity::Remark || f.category == Category::UndefinedByManual)
      continue;
    bool error = f.severity == Severity::Error;
    verdict.error |= error;
    verdict.race |= error && f.code.starts_with("race-");
    verdict.hang |= error && (f.code == "deadlock" || f.code == "wait-without-set");
    verdict.text += "line " + std::to_string(f.place.line) + ": " + f.code + ": " + f.message + "\n";
  }
  return verdict;
}

Verdict staticVerdict(const ParsedProgram &program) {
  FindingList findings;
  checkStatically(program, findings);
  return verdictOf(findings);
}

Verdict runVerdict(Session &session, const Program &program, const ParsedProgram &parsed) {
  FindingList refusals;
  CompileOptions options;
  std::unique_ptr<CompiledKernel> kernel = session.compile(parsed, options, refusals);
  if (!kernel)
    return verdictOf(refusals);
  std::vector<uint8_t> source = program.input(), gm = program.gm();
  Argument arguments[] = {std::span<uint8_t>(source), std::span<uint8_t>(gm)};
  LaunchOptions launch;
  launch.profile = parsed.profile;
  launch.blocks = int64_t(program.blocks);
  return verdictOf(Session::launch(*kernel, arguments, launch).launch.findings);
}

} // namespace

TEST(StaticPrograms, LegalOnesAreSilent) {
  uint64_t count = numberFrom("PTOSCOPE_RANDOM_PROGRAMS", 2000), first = numberFrom("PTOSCOPE_RANDOM_SEED", 1);
  std::unique_ptr<Session> session;
  for (uint64_t k = 0; k < count; ++k) {
    if (k % 200 == 0)
      session = std::make_unique<Session>();
    Program program = generate(first + k);
    std::string text = textOf(program);
    FindingList refusals;
    auto parsed = session->parse("random.pto", text, {}, refusals);
    ASSERT_TRUE(parsed->module) << verdictOf(refusals).text << text;
    Verdict verdict = staticVerdict(*parsed);
    ASSERT_EQ(verdict.text, "") << "seed " << first + k << "\n" << text;
  }
}

TEST(StaticPrograms, ErrorsAreErrorsOfTheRun) {
  uint64_t count = std::max<uint64_t>(1, numberFrom("PTOSCOPE_RANDOM_PROGRAMS", 2000) / 8),
           first = numberFrom("PTOSCOPE_RANDOM_SEED", 1);
  uint64_t hangs = 0, staticHangs = 0, races = 0, staticRaces = 0;
  std::unique_ptr<Session> session;
  for (uint64_t k = 0; k < count; ++k) {
    if (k % 200 == 0)
      session = std::make_unique<Session>();
    Program program = generate(first + k);
    for (uint64_t fault = 0; fault <= (first + k) % 3; ++fault)
      breakOne(program, 3 * (first + k) + fault);
    std::string text = textOf(program);
    FindingList refusals;
    auto parsed = session->parse("broken.pto", text, {}, refusals);
    if (!parsed->module)
      continue;
    Verdict still = staticVerdict(*parsed), run = runVerdict(*session, program, *parsed);
    std::string both = "seed " + std::to_string(first + k) + ", static:\n" + still.text + "run:\n" + run.text + text;
    ASSERT_TRUE(!still.hang || run.hang) << both;
    // A run that hangs may not get as far as the race.
    ASSERT_TRUE(!still.race || run.race || run.hang) << both;
    ASSERT_TRUE(!still.error || run.error) << both;
    hangs += run.hang;
    staticHangs += still.hang;
    races += run.race && !run.hang;
    staticRaces += still.race && run.race && !run.hang;
  }
  std::cout << "found without a run: " << staticHangs << " of " << hangs << " hangs, " << staticRaces << " of " << races
            << " races\n";
  if (count >= 100) {
    EXPECT_GT(staticHangs, hangs / 2);
    EXPECT_GT(staticRaces, races / 4);
  }
}
