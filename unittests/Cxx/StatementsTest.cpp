//===- StatementsTest.cpp - where a line of C++ may be inserted -----------===//

#include "ptoscope/Driver/CxxStatements.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>

using namespace ptoscope::cxx;

namespace {
/// Before the `@` of a text, which stands for the place of a call; `after`: behind its line.
bool canInsert(std::string text, bool after = false) {
  const size_t at = text.find('@');
  text.erase(at, 1);
  const size_t begin = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
  const auto line = uint32_t(1 + std::count(text.begin(), text.begin() + long(at), '\n'));
  return canInsertLine(text, line, uint32_t(at - begin + 1), after);
}
} // namespace

TEST(Statements, BetweenStatements) {
  EXPECT_TRUE(canInsert("void f() {\n  a();\n  @b();\n}"));
  EXPECT_TRUE(canInsert("void f() {\n  @b();\n}"));
  EXPECT_TRUE(canInsert("  if (x) {\n    a();\n  }\n  @b();"));
  EXPECT_TRUE(canInsert("  if (x) {\n    @b();\n  }"));
  EXPECT_TRUE(canInsert("  auto e = @b();"));
  EXPECT_TRUE(canInsert("  a(); // if (x)\n  @b();"));
  EXPECT_TRUE(canInsert("  a();\n#if X\n  @b();\n#endif"));
  EXPECT_TRUE(canInsert("  switch (x) {\n  case 0:\n    @b();\n  }"));
  EXPECT_TRUE(canInsert("  call([&] {\n    @b();\n  });"));
  EXPECT_TRUE(canInsert("  if (x) @b();")) << "before the whole statement";
  EXPECT_TRUE(canInsert("  pto::@b();"));
  EXPECT_TRUE(canInsert("  @a();\n  b();", true));
}

TEST(Statements, NotBetweenStatements) {
  EXPECT_FALSE(canInsert("  if (x)\n    @b();"));
  EXPECT_FALSE(canInsert("  if (x) {\n    a();\n  } else\n    @b();"));
  EXPECT_FALSE(canInsert("  if (x) {\n    a();\n  } else @b();"));
  EXPECT_FALSE(canInsert("  for (;;)\n    @b();"));
  EXPECT_FALSE(canInsert("  do\n    @b();\n  while (x);"));
  EXPECT_FALSE(canInsert("  switch (x) {\n  case 0: @b();\n  }"));
  EXPECT_FALSE(canInsert("  a(); @b();"));
  EXPECT_FALSE(canInsert("  auto f = [&] { @b(); };"));
  EXPECT_FALSE(canInsert("  x ? a() : @b();"));
  EXPECT_FALSE(canInsert("  x ? a() :\n    @b();"));
  EXPECT_FALSE(canInsert("  call(1,\n       @b());"));
  EXPECT_FALSE(canInsert("void\nf() { @b(); }"));
  EXPECT_FALSE(canInsert("  @a(1,\n    2);", true));
  EXPECT_FALSE(canInsert("  if (x) {\n    @a(); }\n  else\n    b();", true));
}
