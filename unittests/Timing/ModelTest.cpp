//===- ModelTest.cpp - timing files ---------------------------------------===//

#include "ptoscope/Timing/Model.h"

#include <gtest/gtest.h>

using namespace ptoscope;
using namespace ptoscope::timing;

namespace {

/// The figures of a model as a file.
std::string fileOf(const Model &model) {
  std::string text = "profile " + std::string(profileOf(model.profile()).name) + "\n";
  for (const Model::Figure &figure : model.figures())
    text += figure.key + " " + std::to_string(figure.value) + " " + figure.source + " " + figure.remark + "\n";
  return text;
}

/// The line of `key` in such a file gives way to `line`.
std::string withLine(std::string_view key, const std::string &line) {
  std::string text = fileOf(Model::of(ProfileId::A3));
  const size_t begin = text.find("\n" + std::string(key) + " ") + 1;
  text.replace(begin, text.find('\n', begin) - begin, line);
  return text;
}

uint32_t lineOf(const std::string &text, std::string_view begin) {
  const size_t at = text.find("\n" + std::string(begin)) + 1;
  return 1 + uint32_t(std::count(text.begin(), text.begin() + at, '\n'));
}

Finding problemOf(const std::string &text) {
  Result<std::unique_ptr<Model>> model = Model::parse(text, "my.timing");
  EXPECT_FALSE(model);
  return model ? Finding() : model.takeFinding();
}

TEST(ModelFile, BuiltInFilesAreComplete) {
  for (ProfileId id : {ProfileId::A5, ProfileId::A3, ProfileId::A2}) {
    const Model &model = Model::of(id);
    EXPECT_EQ(model.profile(), id);
    size_t keys = 0;
    for (const FigureInfo &info : figureTable())
      keys += info.profiles >> unsigned(id) & 1;
    EXPECT_EQ(model.figures().size(), keys);
    EXPECT_TRUE(Model::parse(fileOf(model), "copy"));
  }
  EXPECT_TRUE(Model::of(ProfileId::A2).serves(ProfileId::A3));
  EXPECT_FALSE(Model::of(ProfileId::A2).serves(ProfileId::A5));
}

TEST(ModelFile, EveryKeyHasUnitAndMeaning) {
  for (const FigureInfo &info : figureTable()) {
    EXPECT_FALSE(info.unit.empty() || info.meaning.empty()) << info.key;
    EXPECT_LT(info.smallest, info.largest) << info.key;
    EXPECT_NE(info.profiles, 0) << info.key;
  }
}

struct BadLine {
  const char *line, *message;
};
TEST(ModelFile, BadLinesAreRefusedWithTheirPlace) {
  const BadLine kLines[] = {
      {"gm.hbm.rat 5 D", "there is no figure `gm.hbm.rat`"},
      {"gm.hbm.rate -5 D", "the value of `gm.hbm.rate` is out of range: `-5`"},
      {"gm.hbm.rate 1e99 D", "the value of `gm.hbm.rate` is out of range: `1e99`"},
      {"gm.hbm.rate fast D", "the value of `gm.hbm.rate` is not a number: `fast`"},
      {"gm.hbm.rate nan D", "the value of `gm.hbm.rate` is not a number: `nan`"},
      {"gm.hbm.rate inf D", "the value of `gm.hbm.rate` is not a number: `inf`"},
      {"gm.hbm.rate 12x D", "the value of `gm.hbm.rate` is not a number: `12x`"},
      {"gm.hbm.rate", "the figure `gm.hbm.rate` has no value"},
      {"gm.hbm.rate 1480", "the figure `gm.hbm.rate` has no source"},
      {"gm.hbm.rate 1480 # D", "the figure `gm.hbm.rate` has no source"},
      {"gm.hbm.rate 1480 guess", "the source of `gm.hbm.rate` is not known: `guess`"},
      {"gm.hbm.rate 1480 D,", "the source of `gm.hbm.rate` is not known: `D,`"},
      {"gm.hbm.rate 1480 fit", "the fit of `gm.hbm.rate` does not say what it was fitted to"},
      {"tile.row 5 U", "profile `a3` has no figure `tile.row`"},
      {"profile a5", "the profile is named again"},
      {"profile a9", "no profile is called `a9`"},
      {"clock.mhz 1850 D", "the figure `clock.mhz` is given again"},
      {"\x01\xff", "there is no figure `??`"},
  };
  for (const BadLine &bad : kLines) {
    const std::string text = withLine("gm.hbm.rate", bad.line);
    const Finding finding = problemOf(text);
    EXPECT_EQ(finding.code, "timing-file");
    EXPECT_EQ(finding.message, bad.message);
    EXPECT_EQ(finding.place.file, "my.timing");
    EXPECT_EQ(finding.place.line, lineOf(text, bad.line)) << bad.line;
    EXPECT_FALSE(finding.help.empty()) << bad.line;
  }
}

TEST(ModelFile, RepeatsNameTheOtherLine) {
  const std::string text = fileOf(Model::of(ProfileId::A5)) + "clock.mhz 1 D\n";
  const Finding finding = problemOf(text);
  ASSERT_EQ(finding.notes.size(), 1u);
  EXPECT_EQ(finding.notes[0].place.line, lineOf(text, "clock.mhz "));
}

TEST(ModelFile, MissingFiguresAreNamed) {
  EXPECT_EQ(problemOf(withLine("clock.mhz", "# gone")).message,
            "this timing file lacks the figure `clock.mhz` (clock of the cores, MHz)");
  EXPECT_NE(problemOf("profile a5\n").message.find("more"), std::string::npos);
  EXPECT_EQ(problemOf("").message, "this timing file names no profile");
  EXPECT_EQ(problemOf("clock.mhz 1850 D\nprofile a5\n").message, "a figure stands before the profile it is of");
}

TEST(ModelFile, CommentsSpacesAndLineEndsDoNotMatter) {
  std::string text = "# comment\n\n  profile\ta3\r\n";
  for (const Model::Figure &figure : Model::of(ProfileId::A3).figures())
    text +=
        "\t" + figure.key + "  " + std::to_string(figure.value) + "\t" + figure.source + "  " + figure.remark + " \r\n";
  Result<std::unique_ptr<Model>> model = Model::parse(text, "spaces");
  ASSERT_TRUE(model) << model.finding().message;
  EXPECT_EQ((**model)["clock.mhz"], 1850);
  EXPECT_EQ((*model)->figures()[0].remark, Model::of(ProfileId::A3).figures()[0].remark);
}

TEST(ModelFile, MissingFileIsAFileError) {
  Result<std::unique_ptr<Model>> model = Model::read("/no/such/file.timing");
  ASSERT_FALSE(model);
  EXPECT_EQ(model.finding().code, "file-error");
}

TEST(Model, SetChangesACopyAndItsCosts) {
  Model model = Model::of(ProfileId::A3);
  Work work;
  work.kind = Work::Kind::Product;
  work.fromBits = 16;
  work.rows = work.cols = work.depth = 16;
  const double before = model.costOf(work).busy;
  model.set("cube.head", model["cube.head"] + 10);
  EXPECT_EQ(model.costOf(work).busy, before + 10);
  EXPECT_EQ(Model::of(ProfileId::A3).costOf(work).busy, before);
}

} // namespace
