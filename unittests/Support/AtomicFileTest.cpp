//===- AtomicFileTest.cpp - outputs written whole or not at all -----------===//
//
// Failures are provoked in a directory of its own; what remains there is counted.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/AtomicFile.h"
#include "Samples.h"

#include <sys/stat.h>
#include <unistd.h>

using namespace ptoscope;
namespace fs = std::filesystem;

namespace {

TEST(OutputSet, CommitsAllFiles) {
  TemporaryDirectory dir;
  writeText(dir / "b", "old b");
  OutputSet outputs;
  ASSERT_TRUE(outputs.stage(dir / "a", "new a"));
  ASSERT_TRUE(outputs.stage(dir / "b", "new b"));
  ASSERT_TRUE(outputs.stage(dir / "c", ""));
  EXPECT_EQ(outputs.size(), 3u);
  EXPECT_FALSE(fs::exists(dir / "a"));
  EXPECT_EQ(readText(dir / "b"), "old b");
  ASSERT_TRUE(outputs.commit());
  EXPECT_EQ(readText(dir / "a"), "new a");
  EXPECT_EQ(readText(dir / "b"), "new b");
  EXPECT_EQ(readText(dir / "c"), "");
  EXPECT_EQ(dir.entries(), 3u);
}

TEST(OutputSet, WritesPiecesInOrder) {
  TemporaryDirectory dir;
  const uint8_t one[] = {'a', 'b'}, two[] = {'c'};
  OutputSet outputs;
  ASSERT_TRUE(outputs.stage(dir / "x", {one, {}, two}));
  ASSERT_TRUE(outputs.commit());
  EXPECT_EQ(readText(dir / "x"), "abc");
}

TEST(OutputSet, LeavesNothingWithoutCommit) {
  TemporaryDirectory dir;
  writeText(dir / "a", "old");
  {
    OutputSet outputs;
    ASSERT_TRUE(outputs.stage(dir / "a", "new"));
    ASSERT_TRUE(outputs.stage(dir / "b", "new"));
    EXPECT_EQ(dir.entries(), 3u);
  }
  EXPECT_EQ(dir.entries(), 1u);
  EXPECT_EQ(readText(dir / "a"), "old");
}

TEST(OutputSet, RollsBackWhenOneRenameFails) {
  TemporaryDirectory dir;
  writeText(dir / "a", "old a");
  OutputSet outputs;
  ASSERT_TRUE(outputs.stage(dir / "a", "new a"));
  ASSERT_TRUE(outputs.stage(dir / "b", "new b"));
  ASSERT_TRUE(outputs.stage(dir / "c", "new c"));
  // Something took the place of `c` after it was staged.
  fs::create_directories(dir / "c/d");
  Result<void> done = outputs.commit();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.finding().code, "file-error");
  EXPECT_EQ(done.finding().place.file, dir / "c");
  EXPECT_EQ(readText(dir / "a"), "old a");
  EXPECT_FALSE(fs::exists(dir / "b"));
  EXPECT_EQ(dir.entries(), 2u); // a and the directory c
}

TEST(OutputSet, RefusesBadTargets) {
  TemporaryDirectory dir;
  OutputSet outputs;
  auto message = [&outputs](const std::string &path) {
    Result<void> done = outputs.stage(path, "x");
    EXPECT_FALSE(done) << path;
    Result<void> probed = OutputSet::probe(path);
    EXPECT_FALSE(probed) << path;
    EXPECT_EQ(done.finding().code, "file-error");
    return done ? std::string() : done.finding().message;
  };
  EXPECT_EQ(message(dir / "missing/x"), "cannot write this file: there is no directory `" + (dir / "missing") + "`");
  EXPECT_EQ(message(dir.path), "cannot write this file: this is a directory");
  EXPECT_EQ(message(dir.path + "/"), "cannot write this file: this names a directory");
  EXPECT_EQ(message("/dev/null"), "cannot write this file: not a regular file");
  EXPECT_EQ(message(""), "cannot write a file without a name");
  fs::create_symlink("loop", dir / "loop");
  EXPECT_EQ(message(dir / "loop"), "cannot write this file: too many symbolic links");
  if (::geteuid() != 0) { // root may write everywhere
    writeText(dir / "ro", "old");
    ::chmod((dir / "ro").c_str(), 0444);
    EXPECT_EQ(message(dir / "ro"), "cannot write this file: permission denied");
    ::chmod(dir.path.c_str(), 0555);
    EXPECT_EQ(message(dir / "x"),
              "cannot write this file: directory `" + fs::canonical(dir.path).string() + "`: permission denied");
    ::chmod(dir.path.c_str(), 0755);
  }
  EXPECT_EQ(outputs.size(), 0u);
}

TEST(OutputSet, RefusesOneFileTwice) {
  TemporaryDirectory dir;
  OutputSet outputs;
  ASSERT_TRUE(outputs.stage(dir / "a", "1"));
  Result<void> again = outputs.stage(dir.path + "/./a", "2");
  ASSERT_FALSE(again);
  EXPECT_EQ(again.finding().code, "usage");
}

TEST(OutputSet, KeepsRightsAndFollowsLinks) {
  TemporaryDirectory dir;
  fs::create_directory(dir / "real");
  writeText(dir / "real/x", "old");
  ::chmod((dir / "real/x").c_str(), 0640);
  fs::create_symlink("real/x", dir / "link");
  fs::create_symlink("real/new", dir / "dangling");
  ASSERT_TRUE(writeFileAtomically(dir / "link", "new"));
  ASSERT_TRUE(writeFileAtomically(dir / "dangling", "made"));
  EXPECT_TRUE(fs::is_symlink(dir / "link"));
  EXPECT_EQ(readText(dir / "real/x"), "new");
  EXPECT_EQ(readText(dir / "real/new"), "made");
  struct stat status;
  ASSERT_EQ(::stat((dir / "real/x").c_str(), &status), 0);
  EXPECT_EQ(status.st_mode & 0777, 0640u);
}

TEST(OutputSet, TakesLongNames) {
  TemporaryDirectory dir;
  std::string name(255, 'n');
  ASSERT_TRUE(writeFileAtomically(dir / name, "x"));
  EXPECT_EQ(readText(dir / name), "x");
  Result<void> tooLong = writeFileAtomically(dir / (name + "n"), "x");
  ASSERT_FALSE(tooLong);
  EXPECT_EQ(tooLong.finding().message, "cannot write this file: file name too long");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(OutputStream, IsThereWhenItIsWhole) {
  TemporaryDirectory dir;
  writeText(dir / "x", "old");
  Result<std::unique_ptr<OutputStream>> stream = OutputStream::open(dir / "x");
  ASSERT_TRUE(stream);
  const std::string piece(300'000, 'p'), large(3'000'000, 'l');
  std::string all;
  for (int i = 0; i < 10; ++i) {
    (*stream)->write(piece);
    all += piece;
  }
  (*stream)->write(large);
  (*stream)->write("end");
  EXPECT_EQ(readText(dir / "x"), "old");
  ASSERT_TRUE((*stream)->commit());
  EXPECT_EQ(readText(dir / "x"), all + large + "end");
  EXPECT_EQ(dir.entries(), 1u);
}

TEST(OutputStream, LeavesNothingBehind) {
  TemporaryDirectory dir;
  {
    Result<std::unique_ptr<OutputStream>> stream = OutputStream::open(dir / "x");
    ASSERT_TRUE(stream);
    (*stream)->write("some");
  }
  EXPECT_EQ(dir.entries(), 0u);
  EXPECT_FALSE(OutputStream::open(dir / "no/x"));
  // The place is gone when everything is written.
  fs::create_directory(dir / "d");
  Result<std::unique_ptr<OutputStream>> stream = OutputStream::open(dir / "d/x");
  ASSERT_TRUE(stream);
  fs::create_directories(dir / "d/x/y");
  Result<void> done = (*stream)->commit();
  ASSERT_FALSE(done);
  EXPECT_EQ(done.finding().code, "file-error");
  EXPECT_TRUE(fs::is_directory(dir / "d/x"));
  fs::remove_all(dir / "d/x");
  EXPECT_TRUE(fs::is_empty(dir / "d"));
}

} // namespace
