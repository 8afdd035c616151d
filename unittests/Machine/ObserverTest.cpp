//===- ObserverTest.cpp - the stream of events ----------------------------===//
//
// What an observer sees of small programs, as text, under eager and lazy
// schedules, and invariants under random ones.
//
//===----------------------------------------------------------------------===//

#include "Bench.h"
#include "ptoscope/Machine/SequenceRuntime.h"

#include <map>
#include <sstream>

using namespace ptoscope;

namespace {
struct Log : Observer {
  std::string &out;
  explicit Log(std::string &out) : out(out) {}

  static std::string head(const Instr &i) {
    std::string text = std::string(nameOf(i.pipe)).substr(5) + "#" + std::to_string(i.ordinal);
    for (uint32_t d = 0; d < i.depth; ++d)
      text += (d ? "," : "[") + std::to_string(i.iterations[d]) + (d + 1 == i.depth ? "]" : "");
    return text;
  }
  static std::string boxText(const Box &b) {
    std::ostringstream s;
    s << b.base << "+" << b.rowBytes;
    for (const Box::Dim &d : b.dims)
      s << "x" << d.count << "@" << d.stride;
    return s.str();
  }
  static std::string flagText(Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
    return std::string(nameOf(src)).substr(5) + ">" + std::string(nameOf(dst)).substr(5) + "." + std::to_string(id) +
           " k" + std::to_string(ordinal);
  }
  void line(const std::string &text) { out += text + "\n"; }
  void issue(const Instr &i) override { line("issue " + head(i)); }
  void start(const Instr &i) override { line("start " + head(i)); }
  void transfer(const Instr &i, const TransferEvent &e) override {
    line("transfer " + head(i) + " " + boxText(e.src) + " -> " + boxText(e.dst) + " copied " + boxText(e.copied) +
         (e.srcObject ? " from " + e.srcObject->name : "") + (e.dstObject ? " to " + e.dstObject->name : "") +
         (isAtomic(e.write) ? " atomic" : ""));
  }
  void scopeBegin(const Instr &i) override { line("begin " + head(i)); }
  void scopeEnd(const Instr &i) override { line("end " + head(i)); }
  uint32_t vectorLoad(const Instr &i, const LocalAccess &a, uint64_t *defined) override {
    line("vld " + head(i) + " " + std::to_string(a.address) + "+" + std::to_string(a.windowBytes));
    for (uint32_t word = 0; word * 64 < a.windowBytes; ++word)
      defined[word] = word ? ~uint64_t(0) : 0xf0;
    return 42;
  }
  void vectorStore(const Instr &i, const LocalAccess &a, const uint64_t *defined, const uint32_t *stamps,
                   uint32_t n) override {
    line("vst " + head(i) + " " + std::to_string(a.address) + "+" + std::to_string(a.windowBytes) + " defined " +
         std::to_string(defined[0] & 0xff) + " stamps " + std::to_string(n ? stamps[0] : 0) +
         (a.active ? " masked" : ""));
  }
  uint32_t mergeStamps(const uint32_t *s, uint32_t n) override { return n ? s[0] + n : 0; }
  void scalarLoad(const Instr &i, const LocalAccess &a) override {
    line("ld " + head(i) + " " + std::string(nameOf(a.space)) +
         std::to_string(a.object ? a.address - a.object->base : a.address) + "+" + std::to_string(a.windowBytes) +
         (a.inScope ? " scope" : "") + (a.object ? " " + a.object->name : ""));
  }
  void scalarStore(const Instr &i, const LocalAccess &a) override {
    line("st " + head(i) + " " + std::string(nameOf(a.space)) +
         std::to_string(a.object ? a.address - a.object->base : a.address) + "+" + std::to_string(a.windowBytes) +
         (a.inScope ? " scope" : ""));
  }
  void fence(const Instr &i, SiteId s, Fence f) override {
    line("fence " + head(i) + " " + std::string(nameOf(f)) + " site " + std::to_string(s));
  }
  void undefinedUse(const Instr &i, SiteId s, const RegisterUse &use, const uint64_t *, const uint64_t *) override {
    line("use " + head(i) + " site " + std::to_string(s) + " operand " + std::to_string(use.operand));
  }
  void setFlag(const Instr &i, Pipe s, Pipe d, int64_t id, uint64_t k) override {
    line("set " + head(i) + " " + flagText(s, d, id, k));
  }
  void waitFlag(const Instr &i, Pipe s, Pipe d, int64_t id, uint64_t k) override {
    line("wait " + head(i) + " " + flagText(s, d, id, k));
  }
  void barrier(const Instr &i, Pipe p) override { line("barrier " + head(i) + " " + std::string(nameOf(p))); }
  void getBuf(const Instr &i, int64_t id, int64_t mode, uint64_t before) override {
    line("get " + head(i) + " " + std::to_string(id) + " mode " + std::to_string(mode) + " after " +
         std::to_string(before));
  }
  void rlsBuf(const Instr &i, int64_t id, int64_t mode, uint64_t ordinal) override {
    line("rls " + head(i) + " " + std::to_string(id) + " mode " + std::to_string(mode) + " k" +
         std::to_string(ordinal));
  }
  void blockEnd(bool completed) override { line(completed ? "done" : "stopped"); }
};

struct Factory : ObserverFactory {
  std::string text;
  std::unique_ptr<Observer> beginBlock(int64_t, FindingList &) override { return std::make_unique<Log>(text); }
  void endBlock(int64_t, std::unique_ptr<Observer>, FindingList &) override {}
};

struct ObserverTest : ::testing::Test, Bench {
  Factory factory;
  uint64_t x = pattern(256), out = buffer(256);
  uint32_t inLoop = site("pto.mte_gm_ub", 5, 2);
  ObserverTest() { options.observers = &factory; }
  std::string events(const Program &program) {
    factory.text.clear();
    run(program);
    return factory.text;
  }
};
} // namespace

TEST_F(ObserverTest, EagerOrder) {
  EXPECT_EQ(events([&](Su &su) {
              su.context->suIterations[0] = 3;
              su.context->suIterations[1] = 1;
              su.at(inLoop).load({.src = x, .dst = 64, .len = 32, .count = 2, .srcStride = 64, .dstStride = 64});
              su.at(0).set(Pipe::MTE2, Pipe::MTE3, 1);
              su.wait(Pipe::MTE2, Pipe::MTE3, 1);
              su.store({.src = 64, .dst = out, .len = 32});
              su.barrier(Pipe::MTE3);
              su.barrier(Pipe::All);
            }),
            "issue MTE2#1[3,1]\nstart MTE2#1[3,1]\n"
            "transfer MTE2#1[3,1] " +
                std::to_string(x) +
                "+32x2@64 -> 64+32x2@64 copied 64+32x2@64 from %arg0\n"
                "issue MTE2#2\nstart MTE2#2\nset MTE2#2 MTE2>MTE3.1 k1\n"
                "issue MTE3#1\nstart MTE3#1\nwait MTE3#1 MTE2>MTE3.1 k1\n"
                "issue MTE3#2\nstart MTE3#2\n"
                "transfer MTE3#2 64+32 -> " +
                std::to_string(out) + "+32 copied " + std::to_string(out) +
                "+32 to %arg1\n"
                "issue MTE3#3\nstart MTE3#3\nbarrier MTE3#3 PIPE_MTE3\n"
                "issue S#1\nstart S#1\nbarrier S#1 PIPE_ALL\n"
                "done\n");
}

TEST_F(ObserverTest, LazyOrderKeepsIterationsOfIssue) {
  options.schedule.kind = ScheduleKind::Lazy;
  EXPECT_EQ(events([&](Su &su) {
              for (int64_t i = 0; i < 2; ++i) {
                su.context->suIterations[0] = i;
                su.at(inLoop).load({.src = x, .dst = uint64_t(i) * 32, .len = 32});
              }
              su.at(0).set(Pipe::MTE2, Pipe::S);
              su.wait(Pipe::MTE2, Pipe::S);
            }),
            "issue MTE2#1[0,0]\nissue MTE2#2[1,0]\nissue MTE2#3\nissue S#1\n"
            "start MTE2#1[0,0]\ntransfer MTE2#1[0,0] " +
                std::to_string(x) +
                "+32 -> 0+32 copied 0+32 from %arg0\n"
                "start MTE2#2[1,0]\ntransfer MTE2#2[1,0] " +
                std::to_string(x) +
                "+32 -> 32+32 copied 32+32 from %arg0\n"
                "start MTE2#3\nset MTE2#3 MTE2>S.0 k1\n"
                "start S#1\nwait S#1 MTE2>S.0 k1\n"
                "done\n");
}

TEST_F(ObserverTest, PaddingClippingAndAtomics) {
  EXPECT_EQ(events([&](Su &su) {
              su.load({.src = x,
                       .len = 24,
                       .count = 2,
                       .srcStride = 24,
                       .dstStride = 64,
                       .flags = PTO_TRANSFER_PAD,
                       .padLeft = 2});
              su.load({.src = x + 200, .dst = 256, .len = 96});
              su.load({.src = x + 128, .dst = 512, .len = 32, .count = 8, .srcStride = 64, .dstStride = 32});
              su.load({.src = x, .len = 0});
              su.ctrl(5 << 6);
              su.store({.src = 0, .dst = out + 250, .len = 32, .elementBytes = 1});
            }),
            "issue MTE2#1\nstart MTE2#1\ntransfer MTE2#1 " + std::to_string(x) +
                "+24x2@24 -> 0+128 copied 8+24x2@64 from %arg0\n"
                "issue MTE2#2\nstart MTE2#2\ntransfer MTE2#2 " +
                std::to_string(x + 200) +
                "+56 -> 256+96 copied 256+56 from %arg0\n"
                "issue MTE2#3\nstart MTE2#3\ntransfer MTE2#3 " +
                std::to_string(x + 128) +
                "+32x2@64 -> 512+256 copied 512+32x2@32 from %arg0\n"
                "issue MTE2#4\nstart MTE2#4\n"
                "issue MTE3#1\nstart MTE3#1\ntransfer MTE3#1 0+6 -> " +
                std::to_string(out + 250) + "+6 copied " + std::to_string(out + 250) +
                "+6 to %arg1 atomic\n"
                "done\n");
}

TEST_F(ObserverTest, ScopesAndScalars) {
  Scope body = [](PtoContext *c) {
    PtoLoadShadow shadow;
    ptosc_check_load(c, 0, 64, 256, 32, nullptr, &shadow);
    EXPECT_EQ(shadow.stamp, 42u);
    EXPECT_EQ(shadow.defined[0], 0xf0u);
    EXPECT_EQ(shadow.defined[1], ~uint64_t(0));
    uint32_t stamps[2] = {shadow.stamp, 7};
    EXPECT_EQ(ptosc_merge_stamps(c, stamps, 2), 44u);
    ptosc_fence(c, 9, uint32_t(Fence::VST_VLD));
    const uint64_t mask[4] = {1, 0, 0, 0};
    ptosc_check_store(c, 0, 0, 256, 32, mask, nullptr, stamps, 1);
    ptosc_check_store(c, 0, 0, 32, 32, nullptr, shadow.defined, nullptr, 0);
    uint64_t value;
    ptosc_load_scalar(c, 0, uint32_t(Space::Ub), 8, 4, 1, &value);
    ptosc_store_scalar(c, 0, uint32_t(Space::Ub), 12, 4, 1, 1);
    ptosc_undefined_use(c, 3, 1, mask, mask);
  };
  EXPECT_EQ(events([&](Su &su) {
              su.scope(body);
              su.storeScalar(Space::Ub, 4, 1);
              su.loadScalar(Space::Gm, x + 16, 8);
            }),
            "issue V#1\nstart V#1\nbegin V#1\n"
            "vld V#1 64+256\nfence V#1 VST_VLD site 9\n"
            "vst V#1 0+256 defined 255 stamps 42 masked\nvst V#1 0+32 defined 240 stamps 0\n"
            "ld V#1 ub8+4 scope\nst V#1 ub12+4 scope\nuse V#1 site 3 operand 1\n"
            "end V#1\n"
            "issue S#1\nstart S#1\nst S#1 ub4+4\n"
            "issue S#2\nstart S#2\nld S#2 gm16+8 %arg0\n"
            "done\n");
}

// One call for all registers of a vector tells the observer what calls for each of them tell it.
TEST_F(ObserverTest, RegistersOfAVector) {
  constexpr uint32_t kCount = 3, kStep = 512, kLast = 100;
  auto windowOf = [](uint32_t k) { return k + 1 == kCount ? kLast : 256; };
  uint64_t active[4 * kCount], defined[8 * kCount] = {};
  ptosc_prefix_bits(130, 4, kCount, active);
  for (uint32_t k = 0; k < kCount; ++k)
    defined[8 * k] = k + 1;
  Scope single = [&](PtoContext *c) {
    PtoLoadShadow shadows[kCount];
    for (uint32_t k = 0; k < kCount; ++k)
      ptosc_check_load(c, 0, 64 + k * kStep, windowOf(k), 32, nullptr, &shadows[k]);
    for (uint32_t k = 0; k < kCount; ++k) {
      const uint32_t stamps[] = {k + 5, 7};
      ptosc_check_store(c, 0, 4096 + k * kStep, windowOf(k), 32, active + 4 * k, defined + 8 * k, stamps, 2);
    }
    ptosc_check_store(c, 0, 256, 256, 32, nullptr, nullptr, nullptr, 0);
    ptosc_check_store(c, 0, 0, 256, 32, nullptr, nullptr, nullptr, 0);
  };
  Scope grouped = [&](PtoContext *c) {
    const uint8_t *ub = c->local[size_t(Space::Ub)], *from[kCount];
    PtoLoadShadow shadows[kCount];
    const PtoRegisters loads{0, kCount, kStep, 256, kLast, 32, 0, 0};
    EXPECT_EQ(ptosc_check_loads(c, &loads, 64, shadows, from), 0u);
    uint8_t *to[kCount];
    const uint32_t own[] = {5, 0, 6, 0, 7, 0}, all[] = {7};
    const uint8_t *sources[] = {reinterpret_cast<const uint8_t *>(own), reinterpret_cast<const uint8_t *>(all)};
    const struct {
      PtoRegisters registers;
      PtoStampSource sources[2];
    } stores{{0, kCount, kStep, 256, kLast, 32, 64, 2}, {{1, 0, 8, 0}, {1, 0, 0, 0}}};
    ptosc_check_stores(c, &stores.registers, 4096, active, defined, sources, to);
    for (uint32_t k = 0; k < kCount; ++k) {
      EXPECT_EQ(shadows[k].stamp, 42u);
      EXPECT_EQ(shadows[k].defined[0], 0xf0u);
      EXPECT_EQ(from[k], ub + 64 + k * kStep);
      EXPECT_EQ(to[k], ub + 4096 + k * kStep);
    }
    const PtoRegisters down{0, 2, -256, 256, 256, 32, 0, 0};
    ptosc_check_stores(c, &down, 256, nullptr, nullptr, nullptr, to);
    EXPECT_EQ(to[1], ub);
  };
  const std::string expected = events([&](Su &su) { su.scope(single); });
  EXPECT_NE(expected.find("vst V#1 5120+100 defined 3 stamps 7 masked\n"), std::string::npos) << expected;
  EXPECT_EQ(events([&](Su &su) { su.scope(grouped); }), expected);
}

// Several stamps at equal distances are one source.
TEST_F(ObserverTest, StampsOfAVector) {
  Scope body = [](PtoContext *c) {
    uint32_t stamps[] = {11, 0, 12, 0, 13, 0};
    const uint8_t *sources[] = {reinterpret_cast<const uint8_t *>(stamps + 2)};
    const struct {
      PtoRegisters registers;
      PtoStampSource source;
    } stores{{0, 2, 256, 256, 256, 32, 0, 1}, {2, 8, 0, 0}};
    uint8_t *to[2];
    ptosc_check_stores(c, &stores.registers, 0, nullptr, nullptr, sources, to);
  };
  EXPECT_NE(events([&](Su &su) {
              su.scope(body);
            }).find("vst V#1 0+256 defined 255 stamps 12\nvst V#1 256+256 defined 255 stamps 12\n"),
            std::string::npos);
}

TEST_F(ObserverTest, OrdinalsAreByIssueOrder) {
  options.schedule.kind = ScheduleKind::Lazy;
  EXPECT_EQ(events([&](Su &su) {
              su.get(Pipe::MTE2, 1);
              su.rls(Pipe::MTE2, 1);
              su.get(Pipe::V, 1, 1);
              su.rls(Pipe::V, 1, 1);
              su.get(Pipe::MTE3, 1);
            }),
            "issue MTE2#1\nissue MTE2#2\nissue V#1\nissue V#2\nissue MTE3#1\n"
            "start MTE2#1\nget MTE2#1 1 mode 0 after 0\nstart MTE2#2\nrls MTE2#2 1 mode 0 k1\n"
            "start V#1\nget V#1 1 mode 1 after 1\nstart V#2\nrls V#2 1 mode 1 k2\n"
            "start MTE3#1\nget MTE3#1 1 mode 0 after 2\ndone\n");
}

TEST_F(ObserverTest, RandomSchedulesStartInOrderAndAnnounceOnce) {
  for (uint64_t seed = 0; seed < 40; ++seed) {
    options.schedule = {ScheduleKind::Random, seed};
    std::string text = events([&](Su &su) {
      for (int i = 0; i < 10; ++i) {
        su.load({.src = x, .dst = uint64_t(i) * 128, .len = 32, .count = 4, .srcStride = 32, .dstStride = 32});
        if (i % 3 == 2) {
          su.set(Pipe::MTE2, Pipe::V, i % 8);
          su.wait(Pipe::MTE2, Pipe::V, i % 8);
        }
      }
    });
    std::istringstream lines(text);
    std::map<std::string, uint64_t> started, issued;
    std::map<std::string, int> announced;
    for (std::string word, what; lines >> word;) {
      if (word != "start" && word != "issue" && word != "transfer")
        continue;
      lines >> what;
      std::string pipe = what.substr(0, what.find('#'));
      uint64_t ordinal = std::stoull(what.substr(what.find('#') + 1));
      if (word == "start") {
        EXPECT_EQ(ordinal, ++started[pipe]);
        EXPECT_LE(ordinal, issued[pipe]);
      } else if (word == "issue") {
        EXPECT_EQ(ordinal, ++issued[pipe]);
      } else {
        EXPECT_LE(ordinal, started[pipe]);
        EXPECT_EQ(++announced[what], 1);
      }
    }
    EXPECT_EQ(announced.size(), 10u);
    EXPECT_EQ(started, issued);
  }
}

TEST_F(ObserverTest, StoppedBlocksSaySo) {
  EXPECT_EQ(events([&](Su &su) { su.wait(Pipe::MTE2, Pipe::V); }), "issue V#1\nstopped\n");
}
