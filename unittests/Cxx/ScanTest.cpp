//===- ScanTest.cpp - which passes a file gets (LSYN-6, LSYN-7) -----------===//

#include "ptoscope/Driver/SourceScan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

using namespace ptoscope::cxx;

namespace {
Mentions scan(std::string_view text) {
  Mentions mentions;
  std::vector<std::string> includes;
  scanText(text, mentions, includes);
  return mentions;
}
Command parse(std::vector<std::string> words) {
  std::string problem;
  return parseCommand(words, problem);
}
bool has(const std::vector<std::string> &words, const std::string &word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
constexpr const char *kBoth = "#ifdef __DAV_CUBE__\n#endif\n#if defined(__DAV_VEC__)\n#endif\n";
} // namespace

TEST(SourceScan, ChoosesCoresByWhatAFileAsksFor) {
  EXPECT_EQ(coresOf(parse({}), scan("void f();")), Cores::Unified);
  EXPECT_EQ(coresOf(parse({}), scan(kBoth)), Cores::Mixed);
  EXPECT_EQ(coresOf(parse({}), scan("#ifdef __DAV_C220_VEC__\n#endif")), Cores::Vector);
  EXPECT_EQ(coresOf(parse({}), scan("#ifdef __DAV_C310_CUBE__\n#endif")), Cores::Cube);
  EXPECT_EQ(coresOf(parse({}), scan("// __DAV_VEC__ \n\"__DAV_CUBE__\"")), Cores::Unified);
}

TEST(SourceScan, CodeWithoutAKindIsForTheOther) {
  const auto cores = [](std::string_view text) { return coresOf(parse({}), scan(text)); };
  EXPECT_EQ(cores("#ifdef __DAV_CUBE__\na();\n#else\nb();\n#endif"), Cores::Mixed);
  EXPECT_EQ(cores("#if defined(__DAV_C220_VEC__) && X\na();\n#else // no\n#include \"b.h\"\n#endif"), Cores::Mixed);
  EXPECT_EQ(cores("#ifndef __DAV_CUBE__\nb();\n#endif"), Cores::Mixed);
  EXPECT_EQ(cores("  # if X && \\\n !defined __DAV_VEC__\n b();\n#endif"), Cores::Mixed);
  EXPECT_EQ(cores("#if !(X || defined(__DAV_CUBE__))\nb();\n#endif"), Cores::Mixed);
  EXPECT_EQ(cores("#ifdef __DAV_VEC__\n#define KIND 1\n#else\n#define KIND 2\n#endif"), Cores::Mixed);
  EXPECT_EQ(cores("#\n#ifdef __DAV_VEC__\r\na();\r\n#else\r\nb();\r\n#endif\r\n#else\n#endif\n#"), Cores::Mixed);
  // Nothing stands there, or nothing that a core runs.
  EXPECT_EQ(cores("#ifdef __DAV_CUBE__\na();\n#endif\nb();"), Cores::Cube);
  EXPECT_EQ(cores("#ifdef __DAV_CUBE__\na();\n#else\n// none\n#endif"), Cores::Cube);
  EXPECT_EQ(cores("#ifndef __DAV_VEC__\n#define __DAV_VEC__ 1\n#endif\na();"), Cores::Vector);
  EXPECT_EQ(cores("#ifndef __DAV_VEC__\n#error vector cores only\n#endif\na();"), Cores::Vector);
  EXPECT_EQ(cores("#ifndef __DAV_VEC__\n#else\na();\n#endif"), Cores::Vector);
  EXPECT_EQ(cores("#ifdef X\n#ifdef __DAV_VEC__\na();\n#endif\n#else\nb();\n#endif"), Cores::Vector);
  // Of another class, and of programs on a host.
  EXPECT_EQ(cores("#ifdef __DAV_VEC__\n#ifdef __DAV_C220_VEC__\na();\n#else\nb();\n#endif\n#endif"), Cores::Vector);
  EXPECT_EQ(cores("#ifdef __DAV_VEC__\na();\n#elif defined(__CPU_SIM)\nb();\n#endif"), Cores::Vector);
  EXPECT_EQ(cores("#if defined(__DAV_VEC__) && !defined(__CPU_SIM)\na();\n#else\nb();\n#endif"), Cores::Vector);
}

TEST(SourceScan, MetadataAndSignalsNameKinds) {
  const auto cores = [](std::string text) { return coresOf(parse({}), scan(text)); };
  EXPECT_EQ(cores("PTO_SYNCALL_MIX_AIC_KERNEL_META(k, 1, 2);"), Cores::Mixed);
  EXPECT_EQ(cores("PTO_SYNCALL_AIV_KERNEL_META(k);"), Cores::Vector);
  EXPECT_EQ(cores("PTO_SYNCALL_AIV_KERNEL_META(k); PTO_SYNCALL_AIC_KERNEL_META(l);"), Cores::Mixed);
  const std::string cube = "#ifdef __DAV_CUBE__\na(); return;\n#endif\n";
  for (const char *signal :
       {"ffts_cross_core_sync(PIPE_MTE3, 0x121)", "ffts_cross_core_sync(PIPE_MTE3, 1 | (2 << 4) | (3 << 8))",
        "__builtin_cce_ffts_cross_core_sync(PIPE_MTE3, getFFTSMsg(FFTS_MODE_VAL, f(3)))",
        "ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(2, 1))", "set_intra_block(PIPE_MTE3, 1)",
        "SYNCALL<SyncCoreType::Mix>()"})
    EXPECT_EQ(cores(cube + signal), Cores::Mixed) << signal;
  for (const char *other : {"ffts_cross_core_sync(PIPE_FIX, 0x101)", "ffts_cross_core_sync(PIPE_FIX, 1 | (0 << 4))",
                            "ffts_cross_core_sync(PIPE_FIX, getFFTSMsg(0, 2))", "SYNCALL<SyncCoreType::AICOnly>()"})
    EXPECT_EQ(cores(cube + other), Cores::Cube) << other;
  // Half of a kernel whose other half is another file.
  EXPECT_EQ(cores("#ifdef __DAV_CUBE__\nset_intra_block(PIPE_FIX, 0);\n#endif"), Cores::Cube);
  EXPECT_EQ(cores("set_intra_block(PIPE_FIX, 0);"), Cores::Unified);
}

TEST(SourceScan, FlagsComeBeforeWhatAFileAsksFor) {
  EXPECT_EQ(coresOf(parse({"--cce-aicore-arch=dav-c220-vec"}), scan(kBoth)), Cores::Vector);
  EXPECT_EQ(coresOf(parse({"--cce-aicore-arch=dav-c220"}), scan("#ifdef __DAV_VEC__\n#endif")), Cores::Mixed);
  EXPECT_EQ(coresOf(parse({"--cce-aicore-arch=dav-c220"}), scan("")), Cores::Unified);
  EXPECT_EQ(coresOf(parse({"-D__DAV_CUBE__"}), scan(kBoth)), Cores::Cube);
  EXPECT_EQ(coresOf(parse({"-D__DAV_CUBE__", "-D__DAV_VEC__"}), scan(kBoth)), Cores::Unified);
  // Host simulators run both parts as one program, unless there is a launch.
  EXPECT_EQ(coresOf(parse({"-D__CPU_SIM"}), scan(kBoth)), Cores::Unified);
  EXPECT_EQ(coresOf(parse({"-D__CPU_SIM"}), scan(std::string(kBoth) + "k<<<1, 0, s>>>();")), Cores::Mixed);
}

TEST(SourceScan, AttributesOfTheDevice) {
  EXPECT_TRUE(scan("__attribute__((aiv)) void f();").attributes);
  EXPECT_TRUE(scan("__attribute__((aic)) void f();").attributes);
  EXPECT_FALSE(scan("__attribute__((always_inline)) void f(int aiv) { aic[aiv] = g(aic); }").attributes);
}

TEST(SourceScan, Targets) {
  EXPECT_EQ(targetOf(parse({}), scan("")), Target::A5);
  EXPECT_EQ(targetOf(parse({}), scan("__DAV_C220_VEC__")), Target::A3);
  EXPECT_EQ(targetOf(parse({}), scan("__DAV_C220_VEC__ __DAV_C310_VEC__")), Target::A5);
  EXPECT_EQ(targetOf(parse({"--cce-aicore-arch=dav-c310"}), scan("__DAV_C220_VEC__")), Target::A5);
  EXPECT_EQ(targetOf(parse({}), scan("ffts_cross_core_sync(PIPE_MTE3, 1)")), Target::A3);
  EXPECT_EQ(targetOf(parse({}), scan("ffts_cross_core_sync(PIPE_MTE3, 1); set_intra_block(PIPE_FIX, 0)")), Target::A5);
}

TEST(SourceScan, MacrosOfAPass) {
  const Mentions both = scan(kBoth);
  const std::vector<std::string> cube = macrosOf(parse({}), both, Cores::Cube);
  EXPECT_TRUE(has(cube, "-D__DAV_CUBE__=1") && has(cube, "-D__DAV_C310_CUBE__=1") && has(cube, "-D__DAV_C310__=1"));
  EXPECT_TRUE(has(cube, "-D__CCE_AICORE__=310"));
  EXPECT_FALSE(has(cube, "-D__DAV_VEC__=1"));
  const std::vector<std::string> vector = macrosOf(parse({"--ptoscope-arch=a3"}), both, Cores::Vector);
  EXPECT_TRUE(has(vector, "-D__DAV_VEC__=1") && has(vector, "-D__DAV_C220_VEC__=1"));
  EXPECT_TRUE(has(vector, "-D__NPU_ARCH__=2201") && has(vector, "-D__CCE_AICORE__=220"));
  for (const char *word : {"-DPTO_NPU_ARCH_A2A3", "-DMEMORY_BASE", "--cce-aicore-arch=dav-c220"})
    EXPECT_TRUE(has(macrosOf(parse({word}), both, Cores::Cube), "-D__NPU_ARCH__=2201")) << word;
  EXPECT_TRUE(has(macrosOf(parse({"--npu-arch=dav-3510"}), both, Cores::Cube), "-D__NPU_ARCH__=3510"));
  EXPECT_TRUE(has(macrosOf(parse({"--npu-arch=dav-3101"}), both, Cores::Cube), "-D__NPU_ARCH__=3101"));
  EXPECT_FALSE(has(macrosOf(parse({"-D__NPU_ARCH__=3510"}), both, Cores::Cube), "-D__NPU_ARCH__=3101"));
  EXPECT_TRUE(has(macrosOf(parse({"-DPTO_NPU_ARCH_A5"}), scan("AICORE"), Cores::Unified), "-D__NPU_ARCH__=3101"));
  EXPECT_TRUE(macrosOf(parse({"-DPTO_NPU_ARCH_A5"}), scan(""), Cores::Unified).empty()) << "code of a host";
  EXPECT_TRUE(macrosOf(parse({}), scan(""), Cores::Unified).empty());
  EXPECT_TRUE(macrosOf(parse({}), scan("__CCE_AICORE__"), Cores::Unified).empty()) << "code of a host";
  EXPECT_TRUE(has(macrosOf(parse({}), scan("__CCE_AICORE__ __global__"), Cores::Unified), "-D__CCE_AICORE__=310"));
  EXPECT_FALSE(has(macrosOf(parse({"-D__CPU_SIM"}), both, Cores::Cube), "-D__CCE_AICORE__=310"));
}

TEST(SourceScan, FollowsIncludesAndGeneratedHeaders) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "scan";
  std::filesystem::create_directories(folder / "inc");
  std::ofstream(folder / "a.cpp")
      << "#include \"b.h\"\n#include <c.h>\n#include \"aclrtlaunch_add.h\"\n#include MACRO\n";
  std::ofstream(folder / "b.h") << "#include \"a.cpp\"\n#ifdef __DAV_VEC__\n#endif\n";
  std::ofstream(folder / "inc" / "c.h") << "#ifdef __DAV_CUBE__\n#endif\nint x = ACLRT_LAUNCH_KERNEL(mul)(1, s, p);";
  const Mentions mentions = scanSource(folder / "a.cpp", {folder / "inc"});
  EXPECT_TRUE(mentions.vector && mentions.cube);
  EXPECT_EQ(mentions.generatedNames, (std::set<std::string>{"add", "mul"}));
}

TEST(SourceScan, FilesOfTheHostAreCompiledOnce) {
  const std::filesystem::path folder = std::filesystem::path(testing::TempDir()) / "host";
  std::filesystem::create_directories(folder);
  std::ofstream(folder / "common.h") << kBoth << "AICORE void f();";
  std::ofstream(folder / "test.cpp") << "#include \"common.h\"\nTEST(A, B) { f(); }";
  std::ofstream(folder / "kernel.cpp") << "#include \"common.h\"\n__global__ void k() {}\nint main() {}";
  std::ofstream(folder / "launch.cpp") << "#include \"common.h\"\nint main() { k<<<1, 0, s>>>(); }";
  const auto cores = [&](const char *file) { return coresOf(parse({}), scanSource(folder / file, {})); };
  EXPECT_EQ(cores("test.cpp"), Cores::Unified);
  EXPECT_EQ(cores("kernel.cpp"), Cores::Mixed);
  EXPECT_EQ(cores("launch.cpp"), Cores::Mixed);
}
