//===- Samples.h - findings and files that several tests use ----*- C++ -*-===//
//
// One finding with every field set, and a directory that removes itself.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_SUPPORT_SAMPLES_H
#define PTOSCOPE_UNITTESTS_SUPPORT_SAMPLES_H

#include "ptoscope/Support/Finding.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <gtest/gtest.h>
#include <sstream>

namespace ptoscope {

inline Finding sampleRace() {
  Finding finding =
      makeFinding("race-raw", {"add.pto", 31, 5}, "`vadd` reads `x` while `mte_gm_ub` may still be writing it");
  finding.notes.push_back({{"add.pto", 27, 5}, "the write is issued here on MTE2, unordered with V"});
  finding.notes.push_back({{}, "both belong to block 0"});
  finding.help = "after line 27 set a flag from MTE2 to V and wait for it before line 31";
  finding.edits.push_back({{"add.pto", 27, 1}, true, "pto.set_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]"});
  finding.edits.push_back({{"add.pto", 31, 1}, false, "pto.wait_flag[\"PIPE_MTE2\", \"PIPE_V\", \"EVENT_ID2\"]"});
  finding.bytes = ByteRange{"ub", "", 0, 1024};
  finding.iterations = {2};
  finding.count = 4;
  return finding;
}

class TemporaryDirectory {
public:
  TemporaryDirectory() {
    std::string pattern = testing::TempDir() + "ptoscope-XXXXXX";
    path = ::mkdtemp(pattern.data());
  }
  ~TemporaryDirectory() {
    std::error_code error;
    std::filesystem::permissions(path, std::filesystem::perms::owner_all, error);
    std::filesystem::remove_all(path, error);
  }
  std::string operator/(const std::string &name) const { return path + "/" + name; }
  size_t entries() const {
    size_t n = 0;
    for ([[maybe_unused]] const auto &entry : std::filesystem::directory_iterator(path))
      ++n;
    return n;
  }
  std::string path;
};

inline void writeText(const std::string &path, const std::string &text) {
  std::ofstream(path, std::ios::binary) << text;
}
inline std::string readText(const std::string &path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

} // namespace ptoscope

#endif // PTOSCOPE_UNITTESTS_SUPPORT_SAMPLES_H
