//===- TraceTest.cpp - files for trace viewers ----------------------------===//
//
// test/Timing/trace.test decodes whole traces with protoc; here is what needs
// timelines of a particular kind.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Timing/Trace.h"
#include "Sketch.h"

#include "gtest/gtest.h"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>

using namespace ptoscope;
using namespace ptoscope::timing;
using namespace ptoscope::timing::testing;
namespace fs = std::filesystem;

namespace {

class TraceTest : public ::testing::Test {
protected:
  TraceTest() {
    std::string name = (fs::temp_directory_path() / "ptoscope-trace-XXXXXX").string();
    folder = mkdtemp(name.data());
    options.sites = &sites;
    options.title = "@k";
    options.source = [](const std::string &, uint32_t line) { return "  line " + std::to_string(line); };
  }
  ~TraceTest() override { fs::remove_all(folder); }

  void open(const std::string &name) {
    Result<std::unique_ptr<TraceSink>> opened = TraceSink::open(folder / name, options);
    ASSERT_TRUE(opened);
    trace = std::move(*opened);
    sketch.emplace(*trace, sites);
  }
  std::string read(const std::string &name) {
    std::ifstream in(folder / name, std::ios::binary);
    std::stringstream text;
    text << in.rdbuf();
    return text.str();
  }
  nlohmann::json events(const std::string &name) { return nlohmann::json::parse(read(name))["traceEvents"]; }
  static std::vector<nlohmann::json> ofPhase(const nlohmann::json &events, const char *phase) {
    std::vector<nlohmann::json> some;
    for (const auto &event : events)
      if (event["ph"] == phase)
        some.push_back(event);
    return some;
  }

  fs::path folder;
  SiteTable sites;
  TraceOptions options;
  std::unique_ptr<TraceSink> trace;
  std::optional<Sketch> sketch;
};

TEST_F(TraceTest, SlicesAndFlows) {
  open("t.json");
  SiteId load = sketch->site(2, "pto.mte_gm_ub"), set = sketch->site(3, "pto.set_flag", Timing::sync),
         wait = sketch->site(4, "pto.wait_flag", Timing::sync);
  sketch->transfer(sketch->make(Pipe::MTE2, load, 0, 1, 101), Space::Gm, Space::Ub, 4096, 365);
  Slice from = sketch->make(Pipe::MTE2, set, 1, 101, 102), to = sketch->make(Pipe::V, wait, 2, 375, 376);
  trace->slice(from);
  // Whichever is told first.
  trace->arrow({from.track, to.track, set, wait, from.ordinal, to.ordinal, 365, 375, Reason::Flag, 0});
  sketch->waited(to, Reason::Flag, 0, set, Pipe::MTE2);
  ASSERT_TRUE(trace->commit());
  EXPECT_EQ(trace->written(), 3u);
  auto all = events("t.json");
  auto slices = ofPhase(all, "X");
  ASSERT_EQ(slices.size(), 3u);
  EXPECT_EQ(slices[0]["name"], "mte_gm_ub");
  EXPECT_EQ(slices[0]["args"]["source"], "k.pto:2");
  EXPECT_EQ(slices[0]["args"]["instruction"], "line 2");
  EXPECT_EQ(slices[0]["args"]["bytes"], 4096);
  EXPECT_EQ(slices[0]["args"]["path"], "GM to UB");
  EXPECT_DOUBLE_EQ(slices[0]["ts"], 0.001);
  EXPECT_DOUBLE_EQ(slices[0]["dur"], 0.1);
  EXPECT_EQ(slices[2]["args"]["waited for"], "flag");
  EXPECT_EQ(slices[2]["args"]["cause"], "k.pto:3 set_flag");
  auto begins = ofPhase(all, "s"), ends = ofPhase(all, "f");
  ASSERT_EQ(begins.size(), 1u);
  ASSERT_EQ(ends.size(), 1u);
  EXPECT_EQ(begins[0]["id"], ends[0]["id"]);
  EXPECT_EQ(begins[0]["tid"], slices[1]["tid"]);
  EXPECT_EQ(ends[0]["tid"], slices[2]["tid"]);
  std::vector<std::string> tracks;
  for (const auto &event : ofPhase(all, "M"))
    if (event["name"] == "thread_name")
      tracks.push_back(event["args"]["name"]);
  EXPECT_EQ(tracks, (std::vector<std::string>{"MTE2", "VECTOR"}));
}

TEST_F(TraceTest, BytesInFlightAreInTheOrderOfTime) {
  open("t.json");
  SiteId load = sketch->site(2, "pto.mte_gm_ub"), store = sketch->site(3, "pto.mte_ub_gm");
  sketch->transfer(sketch->make(Pipe::MTE2, load, 0, 0, 10), Space::Gm, Space::Ub, 100, 50);
  sketch->transfer(sketch->make(Pipe::MTE3, store, 1, 20, 30), Space::Ub, Space::Gm, 7, 40);
  sketch->transfer(sketch->make(Pipe::MTE2, load, 2, 10, 20), Space::Gm, Space::Ub, 100, 60);
  trace->memory({0, CoreId{1}, Space::Ub, {{0, 512, 25, 35, load, {}}, {512, 768, 30, 40, load, {}}}});
  trace->memory({0, CoreId{1}, Space::Bt, {{0, 64, 25, 35, load, {}}}}); // is not drawn
  ASSERT_TRUE(trace->commit());
  std::vector<std::pair<double, int>> values, used;
  for (const auto &event : ofPhase(events("t.json"), "C"))
    if (event["name"] == "bytes in flight")
      values.push_back({event["ts"].get<double>() * 1000, event["args"]["bytes"]});
    else if (event["name"] == "UB bytes in use")
      used.push_back({event["ts"].get<double>() * 1000, event["args"]["bytes"]});
    else
      ADD_FAILURE() << event;
  EXPECT_EQ(used, (std::vector<std::pair<double, int>>{{25, 512}, {30, 768}, {35, 256}, {40, 0}}));
  EXPECT_EQ(values,
            (std::vector<std::pair<double, int>>{{0, 100}, {10, 200}, {20, 207}, {40, 200}, {50, 100}, {60, 0}}));
}

TEST_F(TraceTest, LimitCountsWhatIsLeftOut) {
  options.limit = 10;
  open("t.json");
  SiteId load = sketch->site(2, "pto.mte_gm_ub");
  for (int i = 0; i < 25; ++i)
    sketch->slice(Pipe::MTE2, load, i, i, i + 1);
  ASSERT_TRUE(trace->commit());
  EXPECT_EQ(trace->written(), 10u);
  EXPECT_EQ(trace->leftOut(), 15u);
  EXPECT_EQ(ofPhase(events("t.json"), "X").size(), 10u);
}

TEST_F(TraceTest, OddTextIsStillJson) {
  options.source = [](const std::string &, uint32_t) { return std::string("a \"b\" \\ \t c"); };
  open("t.json");
  sketch->slice(Pipe::MTE2, sketch->site(2, "pto.x"), 0, 0, 1);
  ASSERT_TRUE(trace->commit());
  EXPECT_EQ(ofPhase(events("t.json"), "X")[0]["args"]["instruction"], "a \"b\" \\ \t c");
}

TEST_F(TraceTest, PlacesThatCannotBeWritten) {
  EXPECT_TRUE(TraceSink::refusePath("t.txt"));
  EXPECT_FALSE(TraceSink::refusePath("t.pftrace"));
  EXPECT_EQ(TraceSink::open("t", options).finding().code, "usage");
  EXPECT_EQ(TraceSink::open(folder / "no/t.json", options).finding().code, "file-error");
  fs::create_directory(folder / "d.json");
  EXPECT_EQ(TraceSink::open(folder / "d.json", options).finding().code, "file-error");
  open("t.pftrace");
  trace.reset();
  EXPECT_FALSE(fs::exists(folder / "t.pftrace")) << "nothing is half-written";
  EXPECT_EQ(std::distance(fs::directory_iterator(folder), {}), 1);
}

/// Bytes that the process has used at most.
size_t mostMemory() {
  std::ifstream in("/proc/self/status");
  for (std::string word; in >> word;)
    if (size_t kilobytes = 0; word == "VmHWM:" && in >> kilobytes)
      return kilobytes * 1024;
  return 0;
}

TEST_F(TraceTest, MemoryDoesNotGrowWithTheTrace) {
  open("t.pftrace");
  SiteId load = sketch->site(2, "pto.mte_gm_ub");
  auto tell = [&](int from, int to) {
    for (int i = from; i < to; ++i)
      sketch->transfer(sketch->make(i % 2 ? Pipe::MTE2 : Pipe::MTE3, load, i, i, i + 2), Space::Gm, Space::Ub, 64,
                       i + 300);
  };
  tell(0, 200'000);
  const size_t before = mostMemory();
  tell(200'000, 800'000);
  ASSERT_TRUE(trace->commit());
  EXPECT_LT(mostMemory(), before + (8 << 20));
  EXPECT_GT(fs::file_size(folder / "t.pftrace"), 20u << 20);
}

} // namespace
