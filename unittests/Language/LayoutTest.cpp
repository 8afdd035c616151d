//===- LayoutTest.cpp - tokens and layout of texts ------------------------===//

#include "ptoscope/Language/Layout.h"
#include "ptoscope/Language/Tokens.h"

#include "gtest/gtest.h"

using namespace ptoscope;

namespace {

std::vector<std::string> wordsOf(std::string_view text) {
  std::vector<std::string> words;
  for (const Token &token : tokensOf(text))
    words.push_back(std::string(token.in(text)));
  return words;
}

using Words = std::vector<std::string>;

TEST(Tokens, areThoseOfPrograms) {
  EXPECT_EQ(wordsOf("%a:2, %b = pto.vadd %a#1 // x "), (Words{"%a:2", ",", "%b", "=", "pto.vadd", "%a#1", "// x"}));
  EXPECT_EQ(wordsOf("!pto.tile_buf<vec, 8x64xf32>->1.0e-3"),
            (Words{"!pto.tile_buf", "<", "vec", ",", "8x64xf32", ">", "->", "1.0e-3"}));
  EXPECT_EQ(wordsOf("^bb1(%i: index) @k @\"a b\" \"\\\"x\" #pto.pipe"),
            (Words{"^bb1", "(", "%i", ":", "index", ")", "@k", "@\"a b\"", "\"\\\"x\"", "#pto.pipe"}));
  EXPECT_EQ(wordsOf("\"open\n\"x\\"), (Words{"\"open", "\"x\\"}));
  EXPECT_EQ(wordsOf("é % ! # \\"), (Words{"é", "%", "!", "#", "\\"}));
}

TEST(Tokens, nothingButBlanksIsLeftOut) {
  constexpr std::string_view kCharacters = "%@^!#\"/-> \n{}[]()<>=:,aZ09_.$\\\r\t\xc3\xa9";
  std::string text;
  for (unsigned i = 0; i < 20000; ++i)
    text += kCharacters[(i * 7919u + i / 31u * 104729u) % kCharacters.size()];
  size_t at = 0;
  for (const Token &token : tokensOf(text)) {
    ASSERT_LT(token.begin, token.end);
    for (; at < token.begin; ++at)
      ASSERT_TRUE(strchr(" \t\r\n", text[at])) << at;
    at = token.end;
  }
}

/// Formatted, and again: the second time nothing changes.
std::string laidOut(const std::string &text) {
  std::string once = formatted(text);
  EXPECT_EQ(formatted(once), once);
  return once;
}

TEST(Layout, keepsAByteOrderMark) {
  EXPECT_EQ(laidOut("\xef\xbb\xbf// what it is\nmodule {\n}\n"), "\xef\xbb\xbf// what it is\nmodule {\n}\n");
  EXPECT_EQ(laidOut("\xef\xbb\xbf\n  module {\n}\n"), "\xef\xbb\xbfmodule {\n}\n");
}

TEST(Layout, indentsByNesting) {
  EXPECT_EQ(
      laidOut("module {\nfunc.func @k() {\nscf.for %i = %a to %b step %c {\n\tpto.x %i   \n}\nreturn\n}\n}"),
      "module {\n  func.func @k() {\n    scf.for %i = %a to %b step %c {\n      pto.x %i\n    }\n    return\n  }\n}\n");
  // a head of several lines, a statement of several, a second region, a label
  EXPECT_EQ(
      laidOut("func.func @k(%a: i32,\n              %b: i32) attributes {pto.kernel} {\npto.x %a, %b\n: i32, i32\n"
              "scf.if %c {\npto.y\n} else {\npto.z\n}\n    ^bb1:\nreturn\n}\n"),
      "func.func @k(%a: i32,\n  %b: i32) attributes {pto.kernel} {\n  pto.x %a, %b\n    : i32, i32\n"
      "  scf.if %c {\n    pto.y\n  } else {\n    pto.z\n  }\n^bb1:\n  return\n}\n");
  // generic regions
  EXPECT_EQ(laidOut("\"scf.for\"(%a) ({\n^bb0(%i: index):\n\"pto.x\"() : () -> ()\n}, {\n\"pto.y\"() : () -> ()\n}) : "
                    "(index) -> ()\n"),
            "\"scf.for\"(%a) ({\n^bb0(%i: index):\n  \"pto.x\"() : () -> ()\n}, {\n  \"pto.y\"() : () -> ()\n}) : "
            "(index) -> ()\n");
  // dictionaries
  EXPECT_EQ(laidOut("module attributes {\npto.a = 1,\n     b = 2\n} {\n}\n"),
            "module attributes {\n  pto.a = 1,\n  b = 2\n} {\n}\n");
}

TEST(Layout, setsBlanksBetweenWords) {
  EXPECT_EQ(laidOut("%a=pto.vadd %b ,%c{x=1}:  i32->i32"), "%a = pto.vadd %b, %c {x = 1}: i32 -> i32\n");
  EXPECT_EQ(laidOut("pto.x( %a , %b ) [ 1,2 ]"), "pto.x(%a, %b) [1, 2]\n");
  EXPECT_EQ(laidOut("pto.set_flag[\"PIPE_V\",\"PIPE_MTE3\",\"EVENT_ID0\"]"),
            "pto.set_flag[\"PIPE_V\", \"PIPE_MTE3\", \"EVENT_ID0\"]\n");
  EXPECT_EQ(laidOut("%t = pto.alloc_tile : !pto.tile_buf<loc=vec,  dtype=f32>"),
            "%t = pto.alloc_tile : !pto.tile_buf<loc=vec, dtype=f32>\n"); // types as they were written
  EXPECT_EQ(laidOut("%r:2 = scf.if %c -> (i32,i32) {"), "%r:2 = scf.if %c -> (i32, i32) {\n");
  EXPECT_EQ(laidOut("pto.x  \"two  blanks\"    // and  more"), "pto.x \"two  blanks\" // and  more\n");
}

TEST(Layout, keepsLinesAndComments) {
  EXPECT_EQ(laidOut("\n\n// top\n\n\n\nfunc.func @k() {\n// in\n\n\n  pto.x\n      // end\n}\n// last\n\n\n"),
            "// top\n\nfunc.func @k() {\n  // in\n\n  pto.x\n  // end\n}\n// last\n");
  EXPECT_EQ(laidOut(""), "");
  EXPECT_EQ(laidOut("\n \n"), "");
  EXPECT_EQ(laidOut("module {\r\nfunc.func @k() {\r\n}\r\n}\r\n"), "module {\r\n  func.func @k() {\r\n  }\r\n}\r\n");
}

TEST(Layout, survivesAnything) {
  const std::string text = "func.func @k(%a: !pto.ptr<f32, gm>) {\n  pto.x %a {a = [1, (2)]} // c\n}\n";
  for (size_t i = 0; i < text.size(); ++i) {
    laidOut(text.substr(i));
    laidOut(text.substr(0, i) + "}" + text.substr(i));
    laidOut(text.substr(0, i) + "<({" + text.substr(i));
  }
  EXPECT_TRUE(bracketsBalance(text));
  EXPECT_FALSE(bracketsBalance("{ ( }"));
  EXPECT_FALSE(bracketsBalance(")"));
  EXPECT_TRUE(bracketsBalance("// {\n\"{\""));
}

} // namespace
