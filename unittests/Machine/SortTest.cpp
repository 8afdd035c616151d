//===- SortTest.cpp - sorting instructions on PIPE_V ----------------------===//
//
// Records against a plain model: a stable sort of everything by an order of
// scores of its own, and for merges that stop early the part up to the first
// list's last record. Under every schedule, with the flags a program needs.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "ptoscope/Machine/Direct.h"

#include <algorithm>
#include <cstring>
#include <random>

using namespace ptoscope;

namespace {

struct Record {
  uint32_t score, index; ///< bits
  unsigned list = 0;
};
using Records = std::vector<Record>;
using Random = std::mt19937_64;

/// -NaN < -inf < ... < -0 < +0 < ... < +NaN, by sign and magnitude.
int64_t rank(uint32_t score, uint32_t scoreBytes) {
  uint32_t sign = scoreBytes == 4 ? 0x80000000 : 0x8000;
  int64_t magnitude = score & (sign - 1);
  return score & sign ? -1 - magnitude : magnitude;
}

void sortDescending(Records &records, uint32_t scoreBytes) {
  Records result;
  for (const Record &record : records) {
    // Behind everything that is as high.
    auto at = std::find_if(result.begin(), result.end(), [&](const Record &other) {
      return rank(other.score, scoreBytes) < rank(record.score, scoreBytes);
    });
    result.insert(at, record);
  }
  records = std::move(result);
}

/// Ties, both zeros, infinities, NaNs of both signs, and raw bits.
uint32_t randomScore(Random &random, uint32_t scoreBytes) {
  static constexpr uint32_t kF32[] = {0,          0x80000000, 0x3f800000, 0xbf800000,
                                      0x7f800000, 0xff800000, 0x7fc00001, 0xffc00000};
  static constexpr uint32_t kF16[] = {0, 0x8000, 0x3c00, 0xbc00, 0x7c00, 0xfc00, 0x7e01, 0xfe00};
  uint64_t word = random();
  if (word % 3 == 0)
    return (scoreBytes == 4 ? kF32 : kF16)[word / 3 % 8];
  return uint32_t(word >> 20) & (scoreBytes == 4 ? 0xffffffff : 0xffff);
}

std::vector<uint8_t> bytesOf(const Records &records) {
  std::vector<uint8_t> bytes;
  for (const Record &record : records)
    for (uint32_t word : {record.score, record.index})
      for (int i = 0; i < 4; ++i)
        bytes.push_back(uint8_t(word >> (8 * i)));
  return bytes;
}

void bitSort(Su &su, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices, int64_t repeat) {
  su.issue([&] { return ptosc_bitsort(su.context, su.site, scoreBytes, dst, scores, indices, repeat); });
}
void merge(Su &su, uint32_t scoreBytes, uint64_t dst, std::array<uint64_t, 4> lists, uint64_t count, uint64_t config) {
  su.issue([&] {
    return ptosc_mrgsort4(su.context, su.site, scoreBytes, dst, lists[0], lists[1], lists[2], lists[3], count, config);
  });
}
uint64_t status(Su &su) {
  uint64_t value = 0;
  su.issue([&] { return ptosc_get_vms4_sr(su.context, su.site, &value); });
  return value;
}
void flag(Su &su, Pipe src, Pipe dst) {
  su.set(src, dst);
  su.wait(src, dst);
}

/// What the machine says of the instruction on UB itself.
struct RangeLog : Observer {
  std::string &out;
  explicit RangeLog(std::string &out) : out(out) {}
  void direct(const Instr &instr, const DirectEvent &event) override {
    EXPECT_EQ(instr.pipe, Pipe::V);
    for (const DirectRegion &region : event.regions) {
      EXPECT_EQ(region.space, Space::Ub);
      EXPECT_TRUE(region.box.dims.empty());
      EXPECT_TRUE(region.role == DirectRole::Read || region.role == DirectRole::Write);
      out += std::string(region.role == DirectRole::Write ? "write " : "read ") + std::to_string(region.box.base) +
             "+" + std::to_string(region.box.rowBytes) + "\n";
    }
  }
  void statusRead(const Instr &instr, StatusRegister reg, const Instr &writer) override {
    out += std::string(nameOf(reg)) + " by " + std::string(nameOf(instr.pipe)) + " after " +
           std::to_string(writer.ordinal) + " of " + std::string(nameOf(writer.pipe)) + "\n";
  }
};
struct RangeLogs : ObserverFactory {
  std::string text;
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return std::make_unique<RangeLog>(text); }
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}
};

constexpr uint64_t kOut = 65536; ///< where results stand in UB

struct SortTest : ::testing::Test, Bench {
  uint64_t in = 0, out = 0;
  size_t outBytes = 0;

  /// All of `ub` comes in, `body` runs on PIPE_V, `bytes` behind kOut go out.
  std::vector<uint8_t> runIn(const std::vector<uint8_t> &ub, size_t bytes, const Program &body) {
    if (!in) {
      in = buffer(kOut);
      out = buffer(kOut);
    }
    std::fill(buffers[0].begin(), buffers[0].end(), uint8_t(0xa5));
    std::copy(ub.begin(), ub.end(), buffers[0].begin());
    std::fill(buffers[1].begin(), buffers[1].end(), uint8_t(0));
    LaunchResult result = run([&](Su &su) {
      su.load({.src = in, .dst = 0, .len = 32768, .count = 2, .srcStride = 32768, .dstStride = 32768});
      flag(su, Pipe::MTE2, Pipe::V);
      su.at(sortSite);
      body(su);
      flag(su, Pipe::V, Pipe::MTE3);
      su.store({.src = kOut, .dst = out, .len = 32768, .count = 2, .srcStride = 32768, .dstStride = 32768});
    });
    EXPECT_TRUE(result.completed) << textOf(result);
    codes = codesOf(result);
    text = textOf(result);
    return {buffers[1].begin(), buffers[1].begin() + std::ptrdiff_t(bytes)};
  }
  uint32_t sortSite = site("pto.vmrgsort4", 7);
  std::string codes, text;
};

/// Lists in a row from byte 0 of UB on.
struct Lists {
  std::vector<Records> list;
  std::vector<uint8_t> ub;
  std::array<uint64_t, 4> at{};
  uint64_t count = 0;

  Lists(Random &random, uint32_t scoreBytes, std::array<uint32_t, 4> lengths) {
    for (unsigned k = 0; k < 4; ++k) {
      Records records;
      for (uint32_t i = 0; i < lengths[k]; ++i)
        records.push_back({randomScore(random, scoreBytes), uint32_t(random()), k});
      sortDescending(records, scoreBytes);
      at[k] = ub.size();
      count |= uint64_t(lengths[k]) << (16 * k);
      std::vector<uint8_t> bytes = bytesOf(records);
      ub.insert(ub.end(), bytes.begin(), bytes.end());
      list.push_back(std::move(records));
    }
  }

  /// Records of the enabled lists as they come out, and how many of each.
  Records merged(unsigned enabled, bool suspends, uint32_t scoreBytes, std::array<uint32_t, 4> &taken) const {
    Records all;
    for (unsigned k = 0; k < 4; ++k)
      if (enabled >> k & 1)
        all.insert(all.end(), list[k].begin(), list[k].end());
    sortDescending(all, scoreBytes);
    taken = {};
    Records result;
    for (const Record &record : all) {
      result.push_back(record);
      if (++taken[record.list] == list[record.list].size() && suspends)
        break;
    }
    return result;
  }
};

uint64_t word(const std::array<uint32_t, 4> &taken) {
  return uint64_t(taken[0]) | uint64_t(taken[1]) << 16 | uint64_t(taken[2]) << 32 | uint64_t(taken[3]) << 48;
}

} // namespace

TEST_F(SortTest, GroupsUnderEverySchedule) {
  Random random(1);
  for (uint32_t scoreBytes : {4u, 2u})
    for (int64_t repeat : {0, 1, 2, 7, 31}) {
      std::vector<uint8_t> ub(16384);
      Records expected;
      for (uint32_t q = 0; q < repeat; ++q) {
        Records group;
        for (uint32_t i = 0; i < 32; ++i) {
          Record record{randomScore(random, scoreBytes), uint32_t(random())};
          std::memcpy(&ub[(q * 32 + i) * scoreBytes], &record.score, scoreBytes);
          std::memcpy(&ub[8192 + (q * 32 + i) * 4], &record.index, 4);
          group.push_back(record);
        }
        sortDescending(group, scoreBytes);
        expected.insert(expected.end(), group.begin(), group.end());
      }
      std::vector<uint8_t> bytes = bytesOf(expected);
      bytes.resize(bytes.size() + 64); // nothing behind the records
      for (unsigned i = 0; i < 6; ++i) {
        options.schedule = schedule(i);
        EXPECT_EQ(runIn(ub, bytes.size(), [&](Su &su) { bitSort(su, scoreBytes, kOut, 0, 8192, repeat); }), bytes);
        EXPECT_EQ(codes, "");
      }
    }
}

TEST_F(SortTest, MergesUnderEverySchedule) {
  Random random(2);
  std::array<uint32_t, 4> shapes[] = {{1, 1, 1, 1}, {32, 32, 32, 32}, {5, 0, 9, 2},
                                      {0, 0, 0, 0}, {100, 3, 64, 1},  {4, 300, 17, 8}};
  for (uint32_t scoreBytes : {4u, 2u})
    for (const auto &lengths : shapes)
      for (unsigned enabled : {0x3u, 0x7u, 0xfu})
        for (bool suspends : {false, true}) {
          Lists lists(random, scoreBytes, lengths);
          std::array<uint32_t, 4> taken;
          std::vector<uint8_t> bytes = bytesOf(lists.merged(enabled, suspends, scoreBytes, taken));
          bytes.resize(bytes.size() + 64);
          uint64_t config = 1 | enabled << 8 | uint64_t(suspends) << 12;
          for (unsigned i = 0; i < 4; ++i) {
            options.schedule = schedule(i);
            uint64_t counts = ~uint64_t(0);
            auto body = [&](Su &su) {
              merge(su, scoreBytes, kOut, lists.at, lists.count, config);
              flag(su, Pipe::V, Pipe::S);
              counts = status(su);
            };
            EXPECT_EQ(runIn(lists.ub, bytes.size(), body), bytes);
            EXPECT_EQ(counts, word(taken));
            EXPECT_EQ(codes, "");
          }
        }
}

TEST_F(SortTest, RepeatedMergesAdvanceByFourLists) {
  Random random(3);
  for (bool suspends : {false, true}) {
    std::vector<uint8_t> ub, expected(3 * 4 * 16 * 8 + 64);
    std::array<uint32_t, 4> taken{};
    for (size_t q = 0; q < 3; ++q) {
      Lists lists(random, 4, {16, 16, 16, 16});
      ub.insert(ub.end(), lists.ub.begin(), lists.ub.end());
      std::vector<uint8_t> part = bytesOf(lists.merged(0xf, suspends, 4, taken));
      std::copy(part.begin(), part.end(), expected.begin() + std::ptrdiff_t(q * 4 * 16 * 8));
    }
    uint64_t counts = 0;
    auto body = [&](Su &su) {
      merge(su, 4, kOut, {0, 128, 256, 384}, 0x0010001000100010, 0x0f03 | uint64_t(suspends) << 12);
      flag(su, Pipe::V, Pipe::S);
      counts = status(su);
    };
    EXPECT_EQ(runIn(ub, expected.size(), body), expected);
    EXPECT_EQ(counts, word(taken)) << "of the last turn";
    EXPECT_EQ(codes, "");
  }
}

TEST_F(SortTest, ConformanceVectors) {
  // Heads 9, 7, 8, 6 with one record each (SORT-14).
  Records heads = {{0x41100000, 0}, {0x40e00000, 1}, {0x41000000, 2}, {0x40c00000, 3}};
  std::vector<uint8_t> ub = bytesOf(heads);
  uint64_t counts = 0;
  auto body = [&](uint64_t config) {
    return [&, config](Su &su) {
      merge(su, 4, kOut, {0, 8, 16, 24}, 0x0001000100010001, config);
      flag(su, Pipe::V, Pipe::S);
      counts = status(su);
    };
  };
  std::vector<uint8_t> expected = bytesOf({heads[0]});
  expected.resize(32);
  EXPECT_EQ(runIn(ub, 32, body(0x1f01)), expected);
  EXPECT_EQ(counts, 1u);
  EXPECT_EQ(runIn(ub, 32, body(0x0f01)), bytesOf({heads[0], heads[2], heads[1], heads[3]}));
  EXPECT_EQ(counts, 0x0001000100010001u);
}

/// SORT-19.
TEST_F(SortTest, RangesAreExact) {
  RangeLogs logs;
  options.observers = &logs;
  Records heads = {{0x41100000, 0}, {0x41000000, 4}, {0x40e00000, 1}, {0x40c00000, 2}, {0x40a00000, 3}};
  runIn(bytesOf(heads), 0, [&](Su &su) {
    status(su);
    bitSort(su, 2, kOut, 4096, 8192, 3);
    // Two records of the first list beat the second one's head, of which no more is read.
    merge(su, 4, kOut + 4096, {0, 16, 777, 777}, 0x00030002, 0x1301);
    flag(su, Pipe::V, Pipe::S);
    status(su);
  });
  EXPECT_EQ(logs.text, "VMS4_SR by PIPE_S after 0 of PIPE_S\n"
                       "read 4096+192\nread 8192+384\nwrite 65536+768\n"
                       "read 0+16\nread 16+8\nwrite 69632+16\n"
                       "VMS4_SR by PIPE_S after 3 of PIPE_V\n");
  EXPECT_EQ(codes, "");
}

TEST_F(SortTest, BadAddressesAreReportedAndSortNothing) {
  uint64_t size = options.profile->bytes[size_t(Space::Ub)];
  auto report = [&](const Program &body) {
    EXPECT_EQ(runIn({}, 64, body), std::vector<uint8_t>(64));
    return codes;
  };
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, kOut, 16, 4096, 1); }), "ub-misaligned");
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, kOut, 0, 4112, 1); }), "ub-misaligned");
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, kOut + 8, 0, 4096, 1); }), "ub-misaligned");
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, kOut, size - 128, 4096, 2); }), "ub-out-of-bounds");
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, size - 256, 0, 4096, 2); }), "ub-out-of-bounds");
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, kOut, 0, uint64_t(-4096), 2); }), "ub-out-of-bounds");
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, kOut, 0, 4096, 256); }), "sort-operand");
  EXPECT_EQ(report([&](Su &su) { bitSort(su, 4, kOut, 0, 4096, -1); }), "sort-operand");
  EXPECT_EQ(report([&](Su &su) { merge(su, 4, kOut, {4, 8, 16, 24}, 0x00010001, 0x0301); }), "ub-misaligned");
  EXPECT_EQ(report([&](Su &su) { merge(su, 4, kOut, {size - 8, 8, 16, 24}, 0x00010002, 0x0301); }), "ub-out-of-bounds");
  EXPECT_EQ(report([&](Su &su) { merge(su, 4, size - 8, {0, 8, 16, 24}, 0x00010001, 0x0301); }), "ub-out-of-bounds");
  EXPECT_NE(text.find("`pto.vmrgsort4` writes 16 bytes of UB at 0x3fff8; UB has 262144 bytes"), std::string::npos)
      << text;
}

TEST_F(SortTest, WithoutChecksABadAddressEndsTheBlock) {
  options.checks = Checks::none();
  uint64_t size = options.profile->bytes[size_t(Space::Ub)];
  LaunchResult result = run([&](Su &su) { bitSort(su, 4, size, 0, 4096, 1); });
  EXPECT_FALSE(result.completed);
  EXPECT_EQ(codesOf(result), "ub-out-of-bounds");
  EXPECT_EQ(codesOf(run([&](Su &su) { bitSort(su, 4, 8, 16, 4096, 1); })), "");
}

/// A merge that stops early needs no room for what it does not write.
TEST_F(SortTest, BoundsOfAMergeAreThoseOfWhatItWrites) {
  uint64_t size = options.profile->bytes[size_t(Space::Ub)];
  Records heads = {{0x41100000, 0}, {0x40e00000, 1}};
  runIn(bytesOf(heads), 0, [&](Su &su) { merge(su, 4, size - 8, {0, 8, 0, 0}, 0x00010001, 0x1301); });
  EXPECT_EQ(codes, "");
}

TEST_F(SortTest, WhatNoManualDefines) {
  Random random(4);
  Lists lists(random, 4, {4, 4, 4, 4});
  auto report = [&](std::array<uint64_t, 4> at, uint64_t count, uint64_t config) {
    runIn(lists.ub, 0, [&](Su &su) { merge(su, 4, kOut, at, count, config); });
    return codes;
  };
  EXPECT_EQ(report(lists.at, lists.count, 0x2f01), "undefined-by-manual");
  EXPECT_NE(text.find("bits above bit 12"), std::string::npos) << text;
  EXPECT_EQ(report(lists.at, lists.count, 0x0501), "undefined-by-manual");
  EXPECT_EQ(report(lists.at, lists.count, 0x0f00), "undefined-by-manual");
  EXPECT_EQ(report(lists.at, lists.count, 0x0702), "undefined-by-manual");
  EXPECT_EQ(report({0, 32, 64, 104}, lists.count, 0x0f02), "undefined-by-manual");
  EXPECT_EQ(report(lists.at, 0x0004000400030004, 0x0f02), "undefined-by-manual");
  EXPECT_EQ(report(lists.at, lists.count, 0x0f02), "");
}

/// In place: as if everything were read before the first record is written (SORT-18).
TEST_F(SortTest, OverlapIsReportedAndReadsFirst) {
  Random random(5);
  Lists lists(random, 4, {16, 16, 16, 16});
  std::array<uint32_t, 4> taken;
  std::vector<uint8_t> expected = bytesOf(lists.merged(0xf, false, 4, taken));
  EXPECT_EQ(runIn(lists.ub, expected.size(),
                  [&](Su &su) {
                    merge(su, 4, 0, lists.at, lists.count, 0x0f01);
                    su.copy({.src = 0, .dst = kOut, .len = int64_t(expected.size())});
                  }),
            expected);
  EXPECT_EQ(codes, "undefined-by-manual");
  std::vector<uint8_t> ub(4096);
  for (uint8_t &byte : ub)
    byte = uint8_t(random());
  std::vector<uint8_t> apart = runIn(ub, 512, [&](Su &su) { bitSort(su, 4, kOut, 0, 1024, 2); });
  EXPECT_EQ(codes, "");
  EXPECT_EQ(runIn(ub, 512,
                  [&](Su &su) {
                    bitSort(su, 4, 1024, 0, 1024, 2);
                    su.copy({.src = 1024, .dst = kOut, .len = 512});
                  }),
            apart);
  EXPECT_EQ(codes, "undefined-by-manual");
}

/// Without the flag the scalar unit may read too early, and lazily does.
TEST_F(SortTest, TheStatusIsReadAtOnce) {
  Records heads = {{0x41100000, 0}, {0x40e00000, 1}};
  auto counts = [&](ScheduleKind kind, bool flagged) {
    options.schedule.kind = kind;
    uint64_t value = ~uint64_t(0);
    runIn(bytesOf(heads), 0, [&](Su &su) {
      merge(su, 4, kOut, {0, 8, 0, 0}, 0x00010001, 0x0301);
      if (flagged)
        flag(su, Pipe::V, Pipe::S);
      value = status(su);
    });
    return value;
  };
  EXPECT_EQ(counts(ScheduleKind::Eager, false), 0x10001u);
  EXPECT_EQ(counts(ScheduleKind::Lazy, false), 0u);
  EXPECT_EQ(counts(ScheduleKind::Lazy, true), 0x10001u);
}
