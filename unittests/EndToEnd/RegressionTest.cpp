//===- RegressionTest.cpp - mistakes that checkers are known to make ------===//
//
// Each seed is a kernel that must be silent beside a twin that must be reported.
// All run in one session, one after another, so that nothing of one may reach
// the next.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/Session.h"

#include "gtest/gtest.h"

#include <algorithm>

using namespace ptoscope;

namespace {

using Codes = std::vector<std::string>;

/// Parameters, numbers and places that the bodies below use.
const std::string kHead = R"((%in: !pto.ptr<i32, gm>, %out: !pto.ptr<i32, gm>) attributes {pto.kernel} {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c8 = arith.constant 8 : index
  %c64 = arith.constant 64 : index
  %n0 = arith.constant 0 : i64
  %n1 = arith.constant 1 : i64
  %n8 = arith.constant 8 : i64
  %n32 = arith.constant 32 : i64
  %n128 = arith.constant 128 : i64
  %n256 = arith.constant 256 : i64
  %s5 = arith.constant 5 : i32
  %a = pto.castptr %n0 : i64 -> !pto.ptr<i32, ub>
  %a32 = pto.castptr %n32 : i64 -> !pto.ptr<i32, ub>
  %b = pto.castptr %n256 : i64 -> !pto.ptr<i32, ub>
)";

std::string flag(const std::string &from, const std::string &to) {
  std::string operands = "[\"PIPE_" + from + "\", \"PIPE_" + to + "\", \"EVENT_ID0\"]\n";
  return "pto.set_flag" + operands + "pto.wait_flag" + operands;
}
/// `rows` rows of `len` bytes, each a number of kHead.
std::string load(const std::string &to, const std::string &len = "%n256", const std::string &rows = "%n1",
                 const std::string &step = "%n256") {
  return "pto.mte_gm_ub %in, " + to + ", %n0, " + len + " nburst(" + rows + ", " + step + ", " + step +
         ") : !pto.ptr<i32, gm>, !pto.ptr<i32, ub>, i64, i64, i64, i64, i64\n";
}
std::string store(const std::string &from, const std::string &to = "%out", const std::string &len = "%n256",
                  const std::string &rows = "%n1", const std::string &step = "%n256") {
  return "pto.mte_ub_gm " + from + ", " + to + ", " + len + " nburst(" + rows + ", " + step + ", " + step +
         ") : !pto.ptr<i32, ub>, !pto.ptr<i32, gm>, i64, i64, i64, i64\n";
}
std::string scope(const std::string &from, const std::string &to) {
  return "pto.vecscope {\n  %v = pto.vlds " + from + "[%c0] : !pto.ptr<i32, ub> -> !pto.vreg<64xi32>\n" +
         "  %w = pto.vneg %v : !pto.vreg<64xi32> -> !pto.vreg<64xi32>\n  pto.vsts %w, " + to +
         "[%c0] : !pto.vreg<64xi32>, !pto.ptr<i32, ub>\n}\n";
}
std::string control(int value) {
  std::string name = "%ctrl" + std::to_string(value);
  return name + " = arith.constant " + std::to_string(value) + " : i64\npto.set_ctrl " + name + " : i64\n";
}
constexpr int kAddS32 = 4 << 6, kMaxS32 = 4 << 6 | 1 << 9;
const char *const kAll = "pto.barrier #pto.pipe<PIPE_ALL>\n";

struct Runner {
  Session session;
  std::vector<uint8_t> out;

  std::string module(const std::string &kernels, const std::string &arch) {
    return "module attributes {pto.target_arch = \"" + arch + "\", pto.kernel_kind = #pto.kernel_kind<vector>} {\n" +
           kernels + "}\n";
  }
  static std::string kernel(const std::string &name, const std::string &body) {
    return "func.func @" + name + kHead + body + "return\n}\n";
  }
  /// The codes of a run, without remarks, each once.
  Codes run(const std::string &text, const std::string &name, int64_t blocks = 1, Checks checks = {}) {
    FindingList findings;
    std::unique_ptr<ParsedProgram> parsed = session.parse("k.pto", text, {}, findings);
    CompileOptions compile;
    compile.kernel = name;
    compile.checks = checks;
    std::unique_ptr<CompiledKernel> compiled = parsed->module ? session.compile(*parsed, compile, findings) : nullptr;
    if (compiled) {
      std::vector<uint8_t> in(4096, 1);
      out.assign(4096, 0);
      Argument arguments[] = {std::span<uint8_t>(in), std::span<uint8_t>(out)};
      LaunchOptions options;
      options.profile = parsed->profile;
      options.blocks = blocks;
      options.checks = checks;
      RunResult result = Session::launch(*compiled, arguments, options);
      for (const Finding &f : result.launch.findings.all())
        findings.add(Finding(f));
    }
    Codes codes;
    for (const Finding &f : findings.all())
      if (f.severity != Severity::Remark && std::find(codes.begin(), codes.end(), f.code) == codes.end())
        codes.push_back(f.code);
    return codes;
  }
};

struct Seed {
  const char *about;
  std::string body;
  Codes expected;
  const char *arch = "a5";
};

TEST(Regression, KernelsAndTheirTwins) {
  std::string getV = "pto.get_buf \"PIPE_V\", ", rlsV = "pto.rls_buf \"PIPE_V\", ";
  auto buffers = [&](int released, int got) {
    std::string r = std::to_string(released) + ", 0\n", g = std::to_string(got) + ", 0\n";
    return "pto.get_buf \"PIPE_MTE2\", " + r + load("%a") + "pto.rls_buf \"PIPE_MTE2\", " + r + getV + g +
           scope("%a", "%b") + rlsV + g;
  };
  auto dynamic = [](const std::string &id) {
    std::string operands = "_dyn[#pto.pipe<PIPE_MTE2>, #pto.pipe<PIPE_V>, " + id + "]\n";
    return load("%a") + "pto.set_flag" + operands + "pto.wait_flag" + operands + scope("%a", "%b");
  };
  std::string column = "%out8 = pto.addptr %out, %c8 : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>\n";
  auto blocksOfScope = [](const std::string &second) {
    return load("%a") + flag("MTE2", "V") +
           "%two = arith.constant 2 : i16\n%none = arith.constant 0 : i16\npto.vecscope {\n"
           "%v = pto.vlds %a[%c0] : !pto.ptr<i32, ub> -> !pto.vreg<64xi32>\n"
           "%m = pto.pset_b32 \"PAT_ALL\" : !pto.mask<b32>\n"
           "%p = pto.addptr %b, %c64 : !pto.ptr<i32, ub> -> !pto.ptr<i32, ub>\n"
           "%q = pto.addptr %p, " +
           second +
           " : !pto.ptr<i32, ub> -> !pto.ptr<i32, ub>\n"
           "pto.vsstb %v, %p, %two, %none, %m : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, i16, i16, "
           "!pto.mask<b32>\n"
           "pto.vsstb %v, %q, %two, %none, %m : !pto.vreg<64xi32>, !pto.ptr<i32, ub>, i16, i16, "
           "!pto.mask<b32>\n}\n";
  };
  std::string value = "pto.store_scalar %s5, %a[%c0] : !pto.ptr<i32, ub>, i32\n";
  std::string read = "%x = pto.load_scalar %a[%c0] : !pto.ptr<i32, ub> -> i32\n";
  const Seed seeds[] = {
      // Columns of a matrix: rows of one lie between the rows of the other.
      {"two columns of UB", load("%a", "%n32", "%n8", "%n128") + load("%a32", "%n32", "%n8", "%n128"), {}},
      {"one column of UB twice", load("%a", "%n32", "%n8", "%n128") + load("%a", "%n32", "%n8", "%n128"), {"race-waw"}},
      {"two columns of GM",
       column + load("%a", "%n256", "%n8") + flag("MTE2", "MTE3") + store("%a", "%out", "%n32", "%n8", "%n128") +
           store("%a", "%out8", "%n32", "%n8", "%n128"),
       {}},
      {"columns of GM that meet",
       column + load("%a", "%n256", "%n8") + flag("MTE2", "MTE3") + store("%a", "%out", "%n32", "%n8", "%n128") +
           store("%a", "%out8", "%n128", "%n8", "%n128"),
       {"race-waw"}},
      {"two columns of blocks in a scope", blocksOfScope("%c8"), {}},
      {"one column of blocks in a scope", blocksOfScope("%c0"), {"race-scope"}},
      // Ids that differ beyond their low three bits.
      {"buffer ids 8 and 8", buffers(8, 8), {}},
      {"buffer ids 8 and 0", buffers(8, 0), {"race-raw"}},
      {"buffer ids 31 and 7", buffers(31, 7), {"race-raw"}},
      {"event id 1", dynamic("%c1"), {}},
      {"event id 8", dynamic("%c8"), {"event-id-range"}},
      // Atomic updates.
      {"two sums", load("%a") + flag("MTE2", "MTE3") + control(kAddS32) + store("%a") + store("%a"), {}},
      {"a sum and a plain store",
       load("%a") + flag("MTE2", "MTE3") + control(kAddS32) + store("%a") + control(0) + store("%a"),
       {"race-waw"}},
      {"a sum and a maximum",
       load("%a") + flag("MTE2", "MTE3") + control(kAddS32) + store("%a") + control(kMaxS32) + store("%a"),
       {"race-waw"}},
      {"a sum, a barrier and a maximum",
       load("%a") + flag("MTE2", "MTE3") + control(kAddS32) + store("%a") + "pto.pipe_barrier \"PIPE_MTE3\"\n" +
           control(kMaxS32) + store("%a"),
       {}},
      // Accesses of the scalar unit.
      {"scalar store, transfer", load("%a") + kAll + value + flag("S", "MTE3") + store("%a"), {}},
      {"scalar store, transfer, no flag", load("%a") + kAll + value + store("%a"), {"race-raw"}},
      {"transfer, scalar load", load("%a") + flag("MTE2", "S") + read, {}},
      {"transfer, scalar load, no flag", load("%a") + read, {"race-raw"}},
      {"scalar load, transfer over it", load("%a") + kAll + read + flag("S", "MTE2") + load("%a"), {}},
      {"scalar load, transfer over it, no flag", load("%a") + kAll + read + load("%a"), {"race-war"}},
      {"scalar load, scope over it", load("%a") + kAll + read + flag("S", "V") + scope("%a", "%a"), {}},
      {"scalar load, scope over it, no flag", load("%a") + kAll + read + scope("%a", "%a"), {"race-war"}},
      {"scalar accesses among themselves", value + read + value, {}},
      // One pipe: scopes are in order on a5, transfers are not.
      {"scopes one after another", load("%a") + flag("MTE2", "V") + scope("%a", "%b") + scope("%b", "%b"), {}},
      {"scopes one after another on a3",
       load("%a") + flag("MTE2", "V") + scope("%a", "%b") + scope("%b", "%b"),
       {"race-raw"},
       "a3"},
      {"scopes with a barrier on a3",
       load("%a") + flag("MTE2", "V") + scope("%a", "%b") + "pto.pipe_barrier \"PIPE_V\"\n" + scope("%b", "%b"),
       {},
       "a3"},
      {"transfers to one place", load("%a") + load("%a"), {"race-waw"}},
      {"transfers to one place, a barrier", load("%a") + "pto.pipe_barrier \"PIPE_MTE2\"\n" + load("%a"), {}},
      {"transfers side by side", load("%a") + load("%b"), {}},
  };
  Runner runner;
  for (int turn = 0; turn < 2; ++turn) // in any company
    for (const Seed &seed : seeds) {
      Codes got = runner.run(runner.module(Runner::kernel("k", seed.body), seed.arch), "k");
      std::sort(got.begin(), got.end());
      Codes expected = seed.expected;
      std::sort(expected.begin(), expected.end());
      EXPECT_EQ(got, expected) << seed.about << ", turn " << turn;
    }
}

// What one kernel leaves behind, the next one does not find: bytes and their
// definedness, flags, CTRL, unfinished orders.
TEST(Regression, KernelsStartAnew) {
  Runner runner;
  std::string leaves = load("%a") + load("%b") + control(kAddS32) +
                       "pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID3\"]\n"
                       "pto.get_buf \"PIPE_MTE2\", 4, 0\npto.rls_buf \"PIPE_MTE2\", 4, 0\n";
  std::string text = runner.module(
      Runner::kernel("leaves", leaves) + Runner::kernel("uses", scope("%a", "%b")) +
          Runner::kernel("writes", load("%a") + flag("MTE2", "V") + scope("%a", "%b")) +
          Runner::kernel("waits", "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID3\"]\n" + scope("%a", "%b")) +
          Runner::kernel("stores", load("%a") + flag("MTE2", "MTE3") + store("%a")) +
          Runner::kernel("copies", store("%a")),
      "a5");
  for (int turn = 0; turn < 3; ++turn) {
    EXPECT_EQ(runner.run(text, "leaves"), Codes{"flag-leftover"});
    EXPECT_EQ(runner.run(text, "uses"), Codes{"init-read"});
    EXPECT_EQ(runner.run(text, "leaves"), Codes{"flag-leftover"});
    EXPECT_EQ(runner.run(text, "writes"), Codes());
    EXPECT_EQ(runner.run(text, "waits"), Codes{"deadlock"});
    EXPECT_EQ(runner.run(text, "stores"), Codes());
    EXPECT_EQ(runner.out[0], 1); // stored, not added to
    EXPECT_EQ(runner.run(text, "leaves"), Codes{"flag-leftover"});
    runner.run(text, "copies", 1, Checks::none());
    EXPECT_EQ(runner.out[0], 0); // UB reads as zero
  }
}

// Blocks may run on one host thread, one after another.
TEST(Regression, BlocksStartAnew) {
  Runner runner;
  auto text = [&](const std::string &condition) {
    return runner.module(Runner::kernel("k", "%block = pto.get_block_idx\n%first = arith.cmpi " + condition +
                                                 ", %block, %n0 : i64\nscf.if %first {\n" + load("%a") + kAll + "}\n" +
                                                 scope("%a", "%b")),
                         "a5");
  };
  EXPECT_EQ(runner.run(text("eq"), "k", 1), Codes());
  EXPECT_EQ(runner.run(text("eq"), "k", 3), Codes{"init-read"});
  EXPECT_EQ(runner.run(text("sge"), "k", 3), Codes());
}

} // namespace
