//===- StreamsTest.cpp - unaligned accesses against plain models ----------===//
//
// Models follow VLDUS-2, VLDUS-3 and STREAM-1 to STREAM-6 byte by byte. UB ends at a page that
// cannot be accessed: what reads or writes behind it crashes.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Meaning/Streams.h"
#include "../Sample.h"
#include "Registers.h"

#include <sys/mman.h>

#include <cstring>

using namespace ptoscope::meaning;

namespace reference {

class Ub {
public:
  static constexpr uint32_t kBytes = 4096;

  Ub() {
    void *pages = mmap(nullptr, 2 * kBytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    EXPECT_NE(pages, MAP_FAILED);
    data = static_cast<uint8_t *>(pages);
    EXPECT_EQ(mprotect(data, kBytes, PROT_READ | PROT_WRITE), 0);
    Random random(1);
    for (uint32_t k = 0; k < kBytes; ++k)
      data[k] = uint8_t(random());
  }
  ~Ub() { munmap(data, 2 * kBytes); }
  Ub(const Ub &) = delete;
  Ub &operator=(const Ub &) = delete;

  std::vector<uint8_t> copy() const { return {data, data + kBytes}; }
  void apply(const PtoWrite &write) {
    ASSERT_LE(write.bytes, 287u);
    ASSERT_LE(write.address + write.bytes, kBytes);
    std::memcpy(data + write.address, write.data, write.bytes);
  }

  uint8_t *data;
};

/// Section 11.1 as it stands.
struct Stream {
  std::vector<uint8_t> ub;
  bool empty = true;
  uint32_t lo = 0, hi = 0;
  uint8_t buffer[32] = {};

  void push(uint32_t address, const uint8_t *bytes, uint32_t n) {
    if (!empty && hi != address)
      write();
    if (empty)
      lo = hi = address;
    for (uint32_t k = 0; k < n; ++k) {
      buffer[hi % 32] = bytes[k];
      hi += 1;
      empty = false;
      if (hi % 32 == 0)
        write();
    }
  }
  void flush() {
    if (!empty)
      write();
  }

private:
  void write() {
    for (uint32_t x = lo; x < hi; ++x)
      ub[x] = buffer[x % 32];
    lo = hi;
    empty = true;
  }
};

/// Pushes on both sides and compares memory and what is pending.
struct Streams {
  Ub ub;
  Stream model{ub.copy()};
  PtoAlign state = {};

  void push(uint32_t address, const Register &bytes, uint32_t n) {
    if (!storeContinues(&state, address))
      flush();
    PtoAlign next;
    PtoWrite write;
    std::memset(&next, 0xA5, sizeof(next));
    std::memset(&write, 0xA5, sizeof(write));
    ptoscope::meaning::push(&next, &write, &state, address, &bytes, n);
    ub.apply(write);
    state = next;
    model.push(address, bytes.byte, n);
    compare();
    ASSERT_EQ(state.kind == kPtoAlignEmpty, model.empty);
    if (!model.empty) {
      ASSERT_EQ(state.kind, kPtoAlignStore);
      ASSERT_EQ(state.lo, model.lo);
      ASSERT_EQ(state.hi, model.hi);
    }
  }
  void flush() {
    PtoWrite write;
    std::memset(&write, 0xA5, sizeof(write));
    ptoscope::meaning::flush(&write, &state);
    ub.apply(write);
    state = {};
    model.flush();
    compare();
  }
  void compare() { ASSERT_EQ(std::memcmp(ub.data, model.ub.data(), Ub::kBytes), 0); }
};

} // namespace reference

using namespace reference;

namespace {

/// Starts in two blocks, counts: nothing outside of [start, end) is
/// written, all of it is, and before the flush only whole blocks.
TEST(Streams, OnePushAndFlush) {
  Random random(2);
  Register bytes = randomRegister(random);
  Sample sample(5);
  for (uint32_t start = 512; start < 512 + 64; ++start)
    for (uint32_t count = 0; count <= 256; ++count) {
      if (!sample.next())
        continue;
      Streams streams;
      std::vector<uint8_t> before = streams.ub.copy();
      streams.push(start, bytes, count);
      streams.flush();
      for (uint32_t x = 0; x < Ub::kBytes; ++x) {
        bool inside = x >= start && x < start + count;
        ASSERT_EQ(+streams.ub.data[x], inside ? +bytes.byte[x - start] : +before[x]) << "byte " << x;
      }
      ASSERT_FALSE(testing::Test::HasFatalFailure());
    }
}

TEST(Streams, ManyPushes) {
  Random random(3);
  for (int round = 0; round < 2000; ++round) {
    Streams streams;
    uint32_t address = uint32_t(random() % 512);
    for (int step = 0, steps = 1 + int(random() % 12); step < steps; ++step) {
      Register bytes = randomRegister(random);
      uint32_t most = round % 3 == 0 ? 12 : 257;
      uint32_t count = uint32_t(random() % most);
      streams.push(address, bytes, count);
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "round " << round << " step " << step;
      address += count;
    }
    streams.flush();
    ASSERT_FALSE(testing::Test::HasFatalFailure()) << "round " << round;
  }
}

/// A stream that jumps is broken, which is for the caller to see; bytes that
/// are pending then can be flushed first.
TEST(Streams, BrokenStreams) {
  Random random(4);
  for (int round = 0; round < 2000; ++round) {
    Streams streams;
    for (int step = 0; step < 6; ++step) {
      Register bytes = randomRegister(random);
      streams.push(uint32_t(random() % 2048), bytes, uint32_t(random() % 257));
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "round " << round << " step " << step;
    }
    streams.flush();
  }
}

TEST(Streams, ContinuesAtTheEndOnly) {
  PtoAlign empty = {}, next;
  PtoWrite write;
  Register bytes = zeros();
  push(&next, &write, &empty, 100, &bytes, 10);
  EXPECT_EQ(write.bytes, 0u);
  for (uint32_t address = 90; address < 130; ++address) {
    EXPECT_TRUE(storeContinues(&empty, address));
    EXPECT_EQ(storeContinues(&next, address), address == 110);
  }
  // A load's state that begins a store stream has nothing pending.
  Ub ub;
  PtoAlign load;
  vldas(&load, ub.data, 100);
  EXPECT_TRUE(storeContinues(&load, 4));
  push(&next, &write, &load, 4, &bytes, 10);
  EXPECT_EQ(next.lo, 4u);
  EXPECT_EQ(next.hi, 14u);
  flush(&write, &load);
  EXPECT_EQ(write.bytes, 0u);
}

/// Counts beyond a register do not read beyond it.
TEST(Streams, PushesOneRegisterAtMost) {
  PtoAlign empty = {}, next;
  PtoWrite write;
  Register bytes = zeros();
  push(&next, &write, &empty, 64, &bytes, 0xFFFFFFFF);
  EXPECT_EQ(write.address, 64u);
  EXPECT_EQ(write.bytes, 256u);
  EXPECT_EQ(next.kind, kPtoAlignEmpty);
}

/// Every byte comes from memory as it is now, whatever a state has read before.
TEST(Streams, LoadsWhatIsInMemoryNow) {
  for (uint32_t start = 1024; start < 1024 + 64; ++start) {
    Ub ub;
    PtoAlign state;
    vldas(&state, ub.data, start);
    for (uint32_t step = 0; step < 4; ++step) {
      uint32_t address = start + 256 * step;
      std::memset(ub.data + address / 32 * 32, 0xEE, 32); // after it was read ahead
      Register r = garbage(), expected;
      std::memcpy(expected.byte, ub.data + address, 256);
      PtoAlign next;
      ASSERT_TRUE(loadContinues(&state, address));
      vldus(&r, &next, ub.data, address, Ub::kBytes);
      expectEqual(r, expected);
      ASSERT_EQ(next.kind, kPtoAlignLoad);
      ASSERT_EQ(next.lo, (address + 256) / 32 * 32);
      ASSERT_EQ(next.hi, next.lo + 32);
      ASSERT_EQ(std::memcmp(next.data, ub.data + next.lo, 32), 0);
      ASSERT_FALSE(testing::Test::HasFatalFailure()) << "start " << start << " step " << step;
      state = next;
    }
  }
}

/// A state goes with addresses of its own block; one of a store stream with none.
TEST(Streams, LoadStatesBelongToABlock) {
  Ub ub;
  PtoAlign state, empty = {};
  vldas(&state, ub.data, 512);
  for (uint32_t address : {480u, 500u, 511u, 512u, 520u, 543u, 544u, 545u, 1000u}) {
    EXPECT_EQ(loadContinues(&state, address), address / 32 == 16);
    EXPECT_FALSE(loadContinues(&empty, address));
  }
}

/// Reading ahead stops at the end of UB.
TEST(Streams, LoadsTheEndOfUb) {
  Ub ub;
  for (uint32_t address = Ub::kBytes - 256 - 40; address <= Ub::kBytes - 256; ++address) {
    PtoAlign state, next;
    vldas(&state, ub.data, address);
    Register r = garbage(), expected;
    std::memcpy(expected.byte, ub.data + address, 256);
    vldus(&r, &next, ub.data, address, Ub::kBytes);
    expectEqual(r, expected);
    for (uint32_t k = 0; k < 32; ++k)
      ASSERT_EQ(+next.data[k], next.lo < Ub::kBytes ? +ub.data[next.lo + k] : 0);
  }
}

} // namespace
