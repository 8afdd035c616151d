//===- EnvironmentTest.cpp - PTOSCOPE_ variables (LSYN-11) ----------------===//

#include "Environment.h"

#include <gtest/gtest.h>

#include <map>

using namespace ptoscope;
using tile::Environment;

namespace {
std::map<std::string, std::string> variables;

Environment read(std::map<std::string, std::string> values, std::string &problem) {
  variables = std::move(values);
  return Environment::read(
      [](const char *name) -> const char * {
        const auto it = variables.find(name);
        return it == variables.end() ? nullptr : it->second.c_str();
      },
      problem);
}
Options over(std::map<std::string, std::string> values, Options options = {}) {
  std::string problem;
  static Environment environment; // the options point to its name of the target
  environment = read(std::move(values), problem);
  EXPECT_EQ(problem, "");
  return environment.over(options);
}
std::string problemOf(const char *name, const char *value) {
  std::string problem;
  read({{name, value}}, problem);
  return problem;
}
} // namespace

TEST(Environment, NothingChangesNothing) {
  Options own;
  own.arch = "a3";
  own.schedule = Options::Lazy;
  own.race = false;
  own.threads = 3;
  const Options result = over({{"PTOSCOPE_CHECK", ""}}, own);
  EXPECT_STREQ(result.arch, "a3");
  EXPECT_EQ(result.schedule, Options::Lazy);
  EXPECT_FALSE(result.race);
  EXPECT_TRUE(result.sync);
  EXPECT_EQ(result.threads, 3u);
}

TEST(Environment, ComesBeforeTheProgram) {
  Options own;
  own.unchecked();
  const Options result = over({{"PTOSCOPE_CHECK", "race,sync"},
                               {"PTOSCOPE_ARCH", "a2"},
                               {"PTOSCOPE_SCHEDULE", "random:0x10"},
                               {"PTOSCOPE_THREADS", "2"},
                               {"PTOSCOPE_MAX_FINDINGS", "7"}},
                              own);
  EXPECT_TRUE(result.race && result.sync);
  EXPECT_FALSE(result.memory || result.init);
  EXPECT_STREQ(result.arch, "a2");
  EXPECT_EQ(result.schedule, Options::Random);
  EXPECT_EQ(result.seed, 16u);
  EXPECT_EQ(result.threads, 2u);
  EXPECT_EQ(result.maxFindings, 7u);
  EXPECT_EQ(over({{"PTOSCOPE_SCHEDULE", "random"}, {"PTOSCOPE_SEED", "5"}}).seed, 5u);
  EXPECT_FALSE(over({{"PTOSCOPE_CHECKS", "none"}}).race);
  EXPECT_TRUE(over({{"PTOSCOPE_CHECK", "all"}}, own).init);
}

TEST(Environment, FormatsReportsAndColour) {
  std::string problem;
  const Environment result =
      read({{"PTOSCOPE_FORMAT", "sarif"}, {"PTOSCOPE_REPORT", "a/b"}, {"PTOSCOPE_COLOR", "always"}}, problem);
  EXPECT_EQ(result.format, Result::Sarif);
  EXPECT_EQ(result.report, "a/b");
  EXPECT_TRUE(result.colourFor(-1));
  EXPECT_FALSE(read({}, problem).colourFor(-1)) << "not a terminal";
}

TEST(Environment, WrongValuesGetOneMessage) {
  EXPECT_EQ(problemOf("PTOSCOPE_CHECK", "race,all,xyz"),
            "PTOSCOPE_CHECK=race,all,xyz: not checks; write all, none, or a list of race, memory, init, sync");
  EXPECT_NE(problemOf("PTOSCOPE_CHECK", "race,none"), "");
  EXPECT_NE(problemOf("PTOSCOPE_CHECK", "race,"), "");
  EXPECT_EQ(problemOf("PTOSCOPE_ARCH", "a7"), "PTOSCOPE_ARCH=a7: not a target; there are a5, a3 and a2");
  EXPECT_NE(problemOf("PTOSCOPE_SCHEDULE", "random:x"), "");
  EXPECT_NE(problemOf("PTOSCOPE_SEED", "-1"), "");
  EXPECT_NE(problemOf("PTOSCOPE_THREADS", "0"), "");
  EXPECT_NE(problemOf("PTOSCOPE_THREADS", "2 "), "");
  EXPECT_NE(problemOf("PTOSCOPE_MAX_FINDINGS", "99999999999999999999"), "");
  EXPECT_NE(problemOf("PTOSCOPE_FORMAT", "xml"), "");
  EXPECT_NE(problemOf("PTOSCOPE_COLOR", "yes"), "");
  EXPECT_NE(problemOf("PTOSCOPE_TIMING", "/no/such/file"), "");
  EXPECT_NE(problemOf("PTOSCOPE_TRACE", "a.txt"), "");
  EXPECT_NE(problemOf("PTOSCOPE_TRACE", "/no/such/folder/a.json"), "");
  EXPECT_NE(problemOf("PTOSCOPE_REPORT", "/no/such/folder/a.html"), "");
}

TEST(Environment, FilesOfLaunchesAreNumbered) {
  std::string problem;
  const Environment result = read({{"PTOSCOPE_TRACE", "t.b.pftrace"}, {"PTOSCOPE_REPORT", "a.html"}}, problem);
  EXPECT_EQ(problem, "");
  EXPECT_EQ(result.report, "") << "a page is not for findings";
  EXPECT_EQ(result.filesOf(1).trace, "t.b.pftrace");
  EXPECT_EQ(result.filesOf(1).page, "a.html");
  EXPECT_EQ(result.filesOf(12).trace, "t.b-12.pftrace");
  EXPECT_EQ(result.filesOf(2).page, "a-2.html");
  EXPECT_EQ(read({}, problem).filesOf(2).trace, "");
  Options own;
  own.trace = "own.json";
  const Environment::Files files = result.filesOf(1);
  EXPECT_STREQ(result.over(own, files).trace, "t.b.pftrace");
  EXPECT_STREQ(result.over(own, files).report, "a.html");
  EXPECT_STREQ(read({}, problem).over(own, {}).trace, "own.json");
}
