//===- ReportTest.cpp - a timeline as the data of a report ----------------===//

#include "ptoscope/Timing/Report.h"
#include "ptoscope/Timing/Lives.h"
#include "ptoscope/Timing/Sinks.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

using namespace ptoscope;
using namespace ptoscope::timing;
using Json = nlohmann::ordered_json;

namespace {

class NoTimer final : public Timer {
public:
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return nullptr; }
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}
  LaunchTime solve(const Model &, TimelineSink *, const Change &) override { return {}; }
};

class ReportTest : public testing::Test {
protected:
  ReportTest() {
    for (const char *op : {"pto.load", "pto.vecscope", "pto.vadd", "pto.unused"}) {
      Site site;
      site.place = {"k.pto", uint32_t(sites.size() + 10), 3};
      site.op = op;
      if (sites.size() == 2)
        site.scope = 1;
      sites.add(site);
    }
  }
  static Slice sliceOf(int64_t block, Pipe pipe, uint64_t ordinal, double start, double end, SiteId site = 0) {
    Slice slice{};
    slice.track = {block, {1}, pipe};
    slice.physicalCore = uint32_t(block);
    slice.site = site;
    slice.ordinal = ordinal;
    slice.issued = slice.start = start;
    slice.end = slice.visible = end;
    return slice;
  }
  Json finish(ReportSink &sink, int64_t blocks = 1) {
    Stats stats;
    StatsContext statsContext{sites, Model::of(ProfileId::A5), "a5, built in", false, {}};
    ReportContext context{sites, profileOf(ProfileId::A5), findings, timer, stats, statsContext, "k", blocks, "1", {}};
    context.text = [](const std::string &) { return std::optional<std::string>("a </script> of text\n"); };
    return reportData(sink, context);
  }
  SiteTable sites;
  FindingList findings;
  NoTimer timer;
};

std::vector<double> startsOf(const Json &track) {
  std::vector<double> starts;
  int64_t now = 0;
  for (size_t i = 0; i < track["gap"].size(); ++i) {
    now += track["gap"][i].get<int64_t>();
    starts.push_back(double(now) / 100);
    now += track["length"][i].get<int64_t>();
  }
  return starts;
}

TEST_F(ReportTest, KeepsWholeBlocksWhateverOrderTheyComeIn) {
  ReportSink sink(10);
  for (uint64_t i = 1; i <= 4; ++i)
    for (int64_t block : {2, 0, 1})
      sink.slice(sliceOf(block, Pipe::V, i, double(10 * i), double(10 * i + 5)));
  Json data = finish(sink, 3);
  ASSERT_EQ(data["tracks"].size(), 2u);
  EXPECT_EQ(data["tracks"][0]["block"], 0);
  EXPECT_EQ(data["tracks"][1]["block"], 1);
  EXPECT_EQ(startsOf(data["tracks"][1]), (std::vector<double>{10, 20, 30, 40}));
  EXPECT_EQ(data["leftOut"], (Json{{"slices", 4}, {"arrows", 0}, {"blocks", 1}}));
}

TEST_F(ReportTest, KeepsTheBeginningOfALongBlock) {
  ReportSink sink(100);
  for (uint64_t i = 1; i <= 50'000; ++i)
    for (Pipe pipe : {Pipe::MTE2, Pipe::V})
      sink.slice(sliceOf(0, pipe, i, double(i), double(i) + 0.5));
  Json data = finish(sink);
  ASSERT_EQ(data["tracks"].size(), 2u);
  EXPECT_EQ(data["tracks"][0]["site"].size(), 50u);
  EXPECT_EQ(data["tracks"][1]["site"].size(), 50u);
  EXPECT_EQ(data["leftOut"]["slices"], 99'900);
}

TEST_F(ReportTest, TimesDoNotDrift) {
  ReportSink sink;
  for (uint64_t i = 0; i < 3000; ++i)
    sink.slice(sliceOf(0, Pipe::V, i + 1, double(i) / 3, double(i) / 3 + 0.1));
  const std::vector<double> starts = startsOf(finish(sink)["tracks"][0]);
  for (size_t i = 0; i < starts.size(); ++i)
    ASSERT_NEAR(starts[i], double(i) / 3, 0.0051) << i;
}

TEST_F(ReportTest, WaitsHaveTheirCause) {
  ReportSink sink;
  sink.slice(sliceOf(0, Pipe::MTE2, 1, 0, 100, 0));
  Slice waiting = sliceOf(0, Pipe::V, 1, 120.5, 130, 1);
  waiting.waited = 120.5;
  waiting.reason = Reason::Flag;
  waiting.cause = 0;
  waiting.causeTrack = {0, {1}, Pipe::MTE2};
  waiting.visible = 133.25;
  waiting.issued = 3;
  sink.slice(waiting);
  sink.arrow({{0, {1}, Pipe::MTE2}, {0, {1}, Pipe::V}, 0, 1, 1, 1, 110, 120.5, Reason::Flag, 3});
  Json data = finish(sink);
  const Json &vector = data["tracks"][0]; // by the number of the pipe
  const Json &load = data["tracks"][1];
  EXPECT_EQ(vector["pipe"], "VECTOR");
  EXPECT_EQ(vector["waited"], (Json{12050}));
  EXPECT_EQ(data["reasons"][vector["reason"][0].get<size_t>()], "flag");
  EXPECT_EQ(data["sites"][vector["cause"][0].get<size_t>()]["line"], 10);
  EXPECT_EQ(vector["causeTrack"], (Json{1}));
  EXPECT_EQ(vector["issued"], (Json{11750}));
  EXPECT_EQ(vector["visible"], (Json{325}));
  EXPECT_FALSE(load.contains("waited")); // columns of zeros are left out
  EXPECT_EQ(data["arrows"]["from"], (Json{1}));
  EXPECT_EQ(data["arrows"]["left"], (Json{11000}));
  EXPECT_EQ(data["arrows"]["travel"], (Json{1050}));
  EXPECT_EQ(data["sites"].size(), 2u); // those that are not used have no number
}

TEST_F(ReportTest, FindingsAreWhereTheirInstructionRan) {
  ReportSink sink;
  sink.slice(sliceOf(0, Pipe::V, 1, 0, 100, 1));
  Finding finding = makeFinding("race-raw", {"k.pto", 12, 3}, "in a scope");
  finding.iterations = {4};
  findings.add(finding);
  finding = makeFinding("race-raw", {"k.pto", 10, 3}, "outside");
  finding.iterations = {4};
  findings.add(finding);
  Json data = finish(sink);
  EXPECT_EQ(data["findings"][0]["sites"], data["tracks"][0]["site"]); // that of the scope
  EXPECT_EQ(data["findings"][0]["turn"], -1);
  EXPECT_EQ(data["findings"][1]["turn"], 4);
}

TEST_F(ReportTest, MemoryIsJoinedWithTimes) {
  ReportSink sink;
  Touches touches(100, nullptr);
  Lives lives(touches);
  Sinks both;
  both.add(sink);
  both.add(lives);
  std::unique_ptr<Observer> observer = touches.beginBlock(0, findings);
  auto copy = [&](Pipe pipe, uint64_t ordinal, Space from, Space to, uint64_t address) {
    TransferEvent event{};
    event.srcSpace = from;
    event.dstSpace = to;
    event.src = event.dst = event.copied = {address, 64, {}};
    observer->transfer({{1}, pipe, ordinal, 0, nullptr, 0}, event);
  };
  copy(Pipe::MTE2, 1, Space::Gm, Space::Ub, 64);
  copy(Pipe::V, 1, Space::Ub, Space::Gm, 64);
  copy(Pipe::V, 2, Space::Gm, Space::Ub, 0); // its slice is not kept
  touches.endBlock(0, std::move(observer), findings);
  both.slice(sliceOf(0, Pipe::MTE2, 1, 5, 10, 0));
  both.slice(sliceOf(0, Pipe::V, 1, 20, 30, 1));
  lives.slice(sliceOf(0, Pipe::V, 2, 40, 50, 1));
  lives.tell(both);
  Json data = finish(sink);
  ASSERT_EQ(data["memory"].size(), 1u);
  const Json &memory = data["memory"][0];
  EXPECT_EQ(memory["from"], (Json{500}));
  EXPECT_EQ(memory["length"], (Json{2500}));
  EXPECT_EQ(memory["begin"], (Json{64}));
  EXPECT_EQ(memory["bytes"], (Json{64}));
}

TEST_F(ReportTest, APageHoldsWhatIsAccepted) {
  ReportSink sink;
  sink.slice(sliceOf(0, Pipe::V, 1, 0, 100));
  const std::string text = printReport(finish(sink));
  EXPECT_TRUE(checkReport(text, "a.json"));
  EXPECT_FALSE(checkReport(text.substr(0, text.size() / 2), "a.json"));
  const std::string page = reportPage(std::array{text, text});
  EXPECT_EQ(page.find("a </script> of text"), std::string::npos);
  EXPECT_NE(page.find("a \\u003c/script> of text"), std::string::npos);
}

} // namespace
