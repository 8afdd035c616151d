//===- SortTest.cpp - sorts and their status under the checkers -----------===//
//
// Each kernel broken and repaired, under every schedule: what a sort reads and
// writes in UB, definedness of what it sorts, and the status register that PIPE_V
// writes and the scalar unit reads.
//
//===----------------------------------------------------------------------===//

#include "../Machine/Bench.h"
#include "ptoscope/Checkers/Checkers.h"

#include <algorithm>
#include <set>

using namespace ptoscope;

namespace {

constexpr uint64_t kOut = 8192;

struct SortTest : ::testing::Test, Bench {
  uint32_t loads = site("pto.mte_gm_ub", 2), sorts = site("pto.vbitsort", 3), merges = site("pto.vmrgsort4", 4),
           stores = site("pto.mte_ub_gm", 5), reads = site("pto.get_vms4_sr", 6), flags = site("pto.set_flag", 7);
  uint64_t in = pattern(4096), out = buffer(4096);
  std::string text;

  /// Codes and lines, the same under every schedule.
  std::set<std::string> found(const Program &program) {
    std::set<std::string> result;
    for (unsigned i = 0; i < 12; ++i) {
      options.schedule = schedule(i);
      auto checkers = makeCheckers(sites, gm, *options.profile, options.checks);
      options.observers = checkers.get();
      LaunchResult launched = run(program);
      EXPECT_TRUE(launched.completed) << textOf(launched);
      std::set<std::string> codes;
      for (const Finding &f : launched.findings.all())
        codes.insert(f.code + " " + std::to_string(f.place.line));
      // Where bytes come too late, whether anybody misses them depends on the schedule.
      if (std::any_of(codes.begin(), codes.end(), [](const std::string &code) { return code.starts_with("race-"); }))
        std::erase_if(codes, [](const std::string &code) { return code.starts_with("init-"); });
      if (i == 0)
        result = codes;
      EXPECT_EQ(codes, result) << "schedule " << i << "\n" << textOf(launched);
      text = textOf(launched);
    }
    return result;
  }

  void load(Su &su, int64_t bytes = 4096) { su.at(loads).load({.src = in, .dst = 0, .len = bytes}); }
  void flag(Su &su, Pipe src, Pipe dst) {
    su.at(flags).set(src, dst);
    su.wait(src, dst);
  }
  void bitSort(Su &su) {
    su.issue([&] { return ptosc_bitsort(su.context, sorts, 4, kOut, 0, 128, 1); });
  }
  void merge(Su &su, uint64_t config = 0x0301, uint64_t count = 0x00040004) {
    su.issue([&] { return ptosc_mrgsort4(su.context, merges, 4, kOut, 0, 32, 0, 0, count, config); });
  }
  uint64_t status(Su &su) {
    uint64_t value = 0;
    su.issue([&] { return ptosc_get_vms4_sr(su.context, reads, &value); });
    return value;
  }
  void store(Su &su) { su.at(stores).store({.src = kOut, .dst = out, .len = 64}); }
};

using Codes = std::set<std::string>;

TEST_F(SortTest, UbIsOrderedByFlags) {
  for (bool merging : {false, true})
    for (int missing = 0; missing < 3; ++missing) {
      Codes codes = found([&](Su &su) {
        load(su);
        if (missing != 1)
          flag(su, Pipe::MTE2, Pipe::V);
        merging ? merge(su) : bitSort(su);
        if (missing != 2)
          flag(su, Pipe::V, Pipe::MTE3);
        store(su);
      });
      std::string sort = merging ? "race-raw 4" : "race-raw 3";
      EXPECT_EQ(codes, missing == 0 ? Codes{} : missing == 1 ? Codes{sort} : Codes{"race-raw 5"}) << text;
    }
}

TEST_F(SortTest, SortedBytesHaveToBeDefined) {
  auto program = [&](int64_t bytes) {
    return [&, bytes](Su &su) {
      load(su, bytes);
      flag(su, Pipe::MTE2, Pipe::V);
      bitSort(su);
    };
  };
  EXPECT_EQ(found(program(256)), Codes{});
  EXPECT_EQ(found(program(224)), Codes{"init-read 3"});
  EXPECT_NE(
      text.find("`pto.vbitsort` computes with UB bytes that were never written\n  note 3: UB bytes 0x00e0..0x00ff "
                "(32 bytes), 32 "
                "of them undefined"),
      std::string::npos)
      << text;
}

/// Of a list that is not used up only the head is looked at.
TEST_F(SortTest, AMergeThatStopsReadsNoFurther) {
  float scores[] = {9, 0, 8, 0, 7, 0, 6, 0, 5, 0};
  std::copy_n(reinterpret_cast<const uint8_t *>(scores), sizeof(scores), buffers[0].begin());
  auto program = [&](uint64_t config) {
    return [&, config](Su &su) {
      load(su, 40); // four records of the first list, one of the second
      flag(su, Pipe::MTE2, Pipe::V);
      merge(su, config);
    };
  };
  EXPECT_EQ(found(program(0x1301)), Codes{});
  EXPECT_EQ(found(program(0x0301)), Codes{"init-read 4"});
}

TEST_F(SortTest, RecordsAreDefined) {
  EXPECT_EQ(found([&](Su &su) {
              load(su);
              flag(su, Pipe::MTE2, Pipe::V);
              bitSort(su);
              flag(su, Pipe::V, Pipe::S);
              su.loadScalar(Space::Ub, kOut + 252);
            }),
            Codes{});
}

TEST_F(SortTest, TheStatusNeedsAFlag) {
  auto program = [&](int order) {
    return [&, order](Su &su) {
      load(su);
      flag(su, Pipe::MTE2, Pipe::V);
      merge(su);
      if (order == 1)
        flag(su, Pipe::V, Pipe::S);
      if (order == 2)
        su.at(flags).barrier(Pipe::All);
      status(su);
    };
  };
  EXPECT_EQ(found(program(1)), Codes{});
  EXPECT_EQ(found(program(2)), Codes{});
  EXPECT_EQ(found(program(0)), Codes{"race-raw 6"});
  EXPECT_NE(
      text.find("`pto.get_vms4_sr` on PIPE_S reads VMS4_SR, which `pto.vmrgsort4` on PIPE_V may still be writing"),
      std::string::npos)
      << text;
  EXPECT_NE(text.find("pto.wait_flag[\"PIPE_V\", \"PIPE_S\", \"EVENT_ID0\"]"), std::string::npos) << text;
}

/// The value is in the scalar unit's hands when it issues the next merge.
TEST_F(SortTest, TheNextMergeNeedsNoFlagBack) {
  EXPECT_EQ(found([&](Su &su) {
              load(su);
              flag(su, Pipe::MTE2, Pipe::V);
              for (int i = 0; i < 3; ++i) {
                merge(su);
                flag(su, Pipe::V, Pipe::S);
                status(su);
              }
            }),
            Codes{});
}

TEST_F(SortTest, TheStatusIsUndefinedBeforeTheFirstMerge) {
  EXPECT_EQ(found([&](Su &su) { status(su); }), Codes{"init-scalar 6"});
  EXPECT_NE(text.find("`pto.get_vms4_sr` reads VMS4_SR, which no instruction has written"), std::string::npos) << text;
}

} // namespace
