//===- CommandTest.cpp - words of compilers (LSYN-9, LSYN-10) -------------===//

#include "ptoscope/Driver/CxxCommand.h"

#include <gtest/gtest.h>

#include <fstream>

using namespace ptoscope::cxx;

namespace {
Command parse(std::vector<std::string> words, std::string *problem = nullptr) {
  std::string own;
  Command command = parseCommand(words, problem ? *problem : own);
  EXPECT_TRUE(problem || own.empty()) << own;
  return command;
}
/// Words of a use, with their values.
std::string joined(const Command &command, Word::Use use) {
  std::vector<std::string> words;
  for (const Word &word : command.words)
    if (word.use == use)
      word.appendTo(words);
  std::string text;
  for (const std::string &word : words)
    text += (text.empty() ? "" : " ") + word;
  return text;
}
} // namespace

TEST(CxxCommand, SortsWords) {
  const Command command =
      parse({"-O2", "-Iinc", "-I", "dir", "-DA=1", "-include", "x.h", "-Wall", "kernel.cpp", "old.o", "-Lout", "-lm",
             "-Wl,-rpath,x", "-o", "prog", "-Xclang", "-fast", "-pthread", "main.cc"});
  EXPECT_EQ(command.goal, Command::LinkIt);
  EXPECT_EQ(command.output, "prog");
  EXPECT_EQ(joined(command, Word::Source), "kernel.cpp main.cc");
  EXPECT_EQ(joined(command, Word::Input), "old.o");
  EXPECT_EQ(joined(command, Word::Preprocess), "-Iinc -I dir -DA=1 -include x.h");
  EXPECT_EQ(joined(command, Word::Compile), "-O2 -Wall -Xclang -fast -pthread");
  EXPECT_EQ(joined(command, Word::Link), "-Lout -lm -Wl,-rpath,x");
  EXPECT_TRUE(command.defines("A"));
}

TEST(CxxCommand, GoalsAndDependencies) {
  const Command command = parse({"-MD", "-MT", "x.o", "-MF", "x.d", "-o", "x.o", "-c", "x.cpp"});
  EXPECT_EQ(command.goal, Command::Compile);
  EXPECT_TRUE(command.dependencies);
  EXPECT_EQ(command.dependencyFile, "x.d");
  EXPECT_EQ(command.dependencyTargets, (std::vector<std::string>{"-MT", "x.o"}));
  EXPECT_EQ(parse({"-E", "-c", "x.cpp"}).goal, Command::Preprocess);
  EXPECT_EQ(parse({"-S", "x.cpp"}).goal, Command::Assembly);
  EXPECT_EQ(parse({"-fsyntax-only", "x.cpp"}).goal, Command::Syntax);
  EXPECT_FALSE(parse({"--version"}).hasInputs());
}

TEST(CxxCommand, RaisesOldStandards) {
  EXPECT_EQ(joined(parse({"-std=c++17"}), Word::Compile), "-std=c++20");
  EXPECT_EQ(joined(parse({"-std=gnu++14"}), Word::Compile), "-std=gnu++20");
  EXPECT_EQ(joined(parse({"-std=c++23"}), Word::Compile), "-std=c++23");
  EXPECT_TRUE(parse({"-std=c++17"}).raised);
  EXPECT_FALSE(parse({"-std=c++20"}).raised);
  EXPECT_FALSE(parse({"x.cpp"}).hasStandard);
}

TEST(CxxCommand, UnderstandsAndDropsFlagsOfDeviceBuilds) {
  const Command vector = parse({"-xcce", "--cce-aicore-arch=dav-c220-vec", "-mllvm", "-cce-aicore-stack-size=0x8000",
                                "-mllvm", "-inline-threshold=3", "--cce-aicore-only", "k.txt", "-O2"});
  EXPECT_EQ(vector.cores, Cores::Vector);
  EXPECT_EQ(vector.target, Target::A3);
  EXPECT_EQ(joined(vector, Word::Compile), "-mllvm -inline-threshold=3 -O2");
  EXPECT_EQ(joined(vector, Word::Source), "k.txt");
  EXPECT_EQ(parse({"--cce-aicore-arch=dav-c310-cube"}).cores, Cores::Cube);
  EXPECT_EQ(parse({"--cce-aicore-arch=dav-c310-cube"}).target, Target::A5);
  const Command both = parse({"--cce-aicore-arch=dav-c220"});
  EXPECT_EQ(both.cores, Cores::Unknown);
  EXPECT_TRUE(both.bothCores);
  EXPECT_EQ(parse({"--npu-arch=dav-2201"}).target, Target::A3);
  EXPECT_EQ(parse({"-DMEMORY_BASE"}).target, Target::A3);
  EXPECT_EQ(parse({"-DREGISTER_BASE"}).target, Target::A5);
  EXPECT_EQ(parse({"-D", "__NPU_ARCH__=2201"}).target, Target::A3);
  EXPECT_TRUE(parse({"-D__CPU_SIM"}).hostProfile);
}

TEST(CxxCommand, OwnOptions) {
  EXPECT_EQ(parse({"--ptoscope-cores=mixed", "--cce-aicore-arch=dav-c220-vec"}).cores, Cores::Mixed);
  EXPECT_EQ(parse({"--ptoscope-arch=a3"}).target, Target::A3);
  std::string problem;
  parse({"--ptoscope-cores=both"}, &problem);
  EXPECT_NE(problem.find("--ptoscope-cores=both"), std::string::npos) << problem;
  problem.clear();
  parse({"--ptoscope-core=cube"}, &problem);
  EXPECT_NE(problem.find("unknown option"), std::string::npos) << problem;
}

TEST(CxxCommand, ResponseFiles) {
  const std::string path = testing::TempDir() + "words.rsp";
  std::ofstream(path) << "-DA=\"x y\" 'b c'\n-DQ=\\\"q\\\" \"d\\\\e\"";
  std::string problem;
  const std::vector<std::string> words{"-c", "@" + path, "z.cpp"};
  EXPECT_EQ(*expandResponseFiles(words, problem),
            (std::vector<std::string>{"-c", "-DA=x y", "b c", "-DQ=\"q\"", "d\\e", "z.cpp"}));
  const std::vector<std::string> missing{"@" + path + ".none"};
  EXPECT_FALSE(expandResponseFiles(missing, problem));
  EXPECT_NE(problem.find(".none"), std::string::npos);
}
