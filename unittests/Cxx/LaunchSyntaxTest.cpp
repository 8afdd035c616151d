//===- LaunchSyntaxTest.cpp - launches in C++ text (LSYN-1, LSYN-2) -------===//

#include "ptoscope/Driver/LaunchSyntax.h"

#include <gtest/gtest.h>

#include <algorithm>

using namespace ptoscope::cxx;

namespace {
Rewritten rewrite(std::string_view text) { return rewriteLaunches(text, "main.cpp"); }

/// The callee of the only launch; "none" or "many" otherwise.
std::string calleeOf(std::string_view text) {
  const Rewritten result = rewrite(text);
  return result.sites.size() == 1 ? result.sites[0].callee : result.sites.empty() ? "none" : "many";
}
} // namespace

TEST(LaunchSyntax, FindsTheCallee) {
  EXPECT_EQ(calleeOf("{ k<<<1, nullptr, s>>>(a); }"), "k");
  EXPECT_EQ(calleeOf("return k<<<1, nullptr, s>>>(a);"), "k");
  EXPECT_EQ(calleeOf("else k<<<1, nullptr, s>>>(a);"), "k");
  EXPECT_EQ(calleeOf("(void)k<<<1, nullptr, s>>>(a);"), "k");
  EXPECT_EQ(calleeOf("if (x) k <<< n , nullptr , s >>> (a);"), "k");
  EXPECT_EQ(calleeOf("k<T, 64, 128><<<1, nullptr, s>>>(a);"), "k<T, 64, 128>");
  EXPECT_EQ(calleeOf("a::b<int>::k<T, (x > y), f(1, 2)><<<1, nullptr, s>>>(a);"), "a::b<int>::k<T, (x > y), f(1, 2)>");
  EXPECT_EQ(calleeOf("k<A<B<int>>><<<1, nullptr, s>>>(a);"), "k<A<B<int>>>");
  EXPECT_EQ(calleeOf("k<1 << S><<<1, nullptr, s>>>(a);"), "k<1 << S>");
  EXPECT_EQ(calleeOf("k<(1 << 2), A<3<<1>><<<1, nullptr, s>>>(a);"), "k<(1 << 2), A<3<<1>>");
  EXPECT_EQ(calleeOf("::k<<<1, nullptr, s>>>(a);"), "::k");
  EXPECT_EQ(calleeOf("x = 1; table[i]<<<1, nullptr, s>>>(a);"), "table[i]");
  EXPECT_EQ(calleeOf("(*pick(1, 2))<<<1, nullptr, s>>>(a);"), "(*pick(1, 2))");
  EXPECT_EQ(calleeOf("this->runner.template k<3><<<1, nullptr, s>>>(a);"), "this->runner.template k<3>");
  EXPECT_EQ(calleeOf("k</* > */ '<', \">>>\"><<<1, nullptr, s>>>(a);"), "k< '<', \">>>\">");
}

TEST(LaunchSyntax, FindsTheEndOfTheConfiguration) {
  EXPECT_EQ(calleeOf("k<<<(n >> 1) + f<A<B<int>>>(x), nullptr, s>>>(a >> 1);"), "k");
  EXPECT_EQ(calleeOf("k<<<n >> 1, nullptr, s>>>(a);"), "k");
  EXPECT_EQ(calleeOf("k<<<n, nullptr, g(\")>>>(\", h[1 >> 2])>>>(a);"), "k");
  EXPECT_EQ(calleeOf("k<<<dim{1, 2}, 0>>>(a);"), "k");
  const Rewritten result = rewrite("k<<<n >> 1, nullptr, s>>>(a >> 1, b);");
  EXPECT_NE(result.text.find(", n >> 1, nullptr, s)(a >> 1, b);"), std::string::npos) << result.text;
}

TEST(LaunchSyntax, BracesNeedTheParametersOfTheKernel) {
  const auto isNamed = [](std::string arguments) {
    const Rewritten result = rewrite("void k() {}\nvoid f() { k<<<1, nullptr, s>>>(" + arguments + "); }");
    return result.text.find("::entry(k)") != std::string::npos;
  };
  EXPECT_TRUE(isNamed("{a, 7}") && isNamed("1, {}") && isNamed("f(1, 2), { {1}, 2 }"));
  EXPECT_FALSE(isNamed("") || isNamed("a") || isNamed("T{1, 2}, g({1}, {2})"));
}

TEST(LaunchSyntax, SaysWhatALaunchLacks) {
  auto problemOf = [](std::string_view text) {
    const Rewritten result = rewrite(text);
    EXPECT_EQ(result.text, text);
    return result.problems.size() == 1 ? result.problems[0] : "none or many";
  };
  const std::string form = ": `k<2><<<blocks, l2ctrl, stream>>>(arguments)`";
  const std::string incomplete =
      "main.cpp:2: error: a launch has two to four operands, then `>>>` and the arguments in parentheses" + form;
  EXPECT_EQ(problemOf("{\nk<2><<<1>>>(a); }"), incomplete);
  EXPECT_EQ(problemOf("{\nk<2><<<1, nullptr, s>>>; }"), incomplete);
  EXPECT_EQ(problemOf("{\nk<2><<<1, nullptr, s>>(a); }"), incomplete);
  const std::string lacks = "main.cpp:1: error: a launch lacks an operand here" + form;
  EXPECT_EQ(problemOf("k<2><<<1, , s>>>(a);"), lacks);
  EXPECT_EQ(problemOf("k<2><<<, nullptr, s>>>(a);"), lacks);
  EXPECT_EQ(problemOf("k<2><<<1, nullptr, >>>(a);"), lacks);
  EXPECT_TRUE(rewrite("os.operator<<<int>(1, 2);").problems.empty());
}

TEST(LaunchSyntax, LeavesOtherTextAlone) {
  for (const char *text :
       {"// k<<<1, 2, 3>>>(4)\n", "/* k<<<1, 2, 3>>>(4) */", "\"k<<<1, 2, 3>>>(4)\"", "R\"x(k<<<1, 2, 3>>>(4) )\" )x\"",
        "a << b; c >> d; x<y<z<int>>>(3);", "'<' '<' '<'", "#pragma k<<<1, 2, 3>>>(4)\n", "k<<<1, 2, 3;",
        "<<<1, 2, 3>>>(4)", "int i = 1'000'000; // '", "#error don't\nint a;"}) {
    const Rewritten result = rewrite(text);
    EXPECT_EQ(result.text, text);
    EXPECT_TRUE(result.sites.empty()) << text;
  }
}

TEST(LaunchSyntax, KeepsLinesAndPlaces) {
  const Rewritten result = rewrite("# 1 \"a.cpp\"\n"
                                   "void k(int) {}\n"
                                   "void f() { k<<<1,\n"
                                   "   nullptr, s>>>\n"
                                   "   (1); k<<<2, nullptr, s>>>(2); k<<<3, nullptr, s>>>(3);\n"
                                   "# 70 \"dir/b \\\"q\\\".h\" 2\n"
                                   "\n"
                                   "  k<int\n,2><<<1, 0, s>>>(4); }\n");
  ASSERT_EQ(result.sites.size(), 4u);
  EXPECT_EQ(result.sites[0].line, 2u);
  EXPECT_EQ(result.sites[1].line, 4u);
  EXPECT_EQ(result.sites[3].line, 72u);
  EXPECT_EQ(result.sites[3].file, "dir/b \\\"q\\\".h");
  EXPECT_EQ(std::count(result.text.begin(), result.text.end(), '\n'), 9);
  // Two launches of a line have places of their own.
  EXPECT_NE(result.text.find("\"a.cpp:4:0\""), std::string::npos);
  EXPECT_NE(result.text.find("\"a.cpp:4:1\""), std::string::npos);
}

TEST(LaunchSyntax, KnowsWhereTheKernelIs) {
  const Rewritten result = rewrite("extern \"C\" void other(int *, int);\n"
                                   "template <int N> void here(int *p) noexcept { }\n"
                                   "void f(void (*pointer)(int)) {\n"
                                   "  other<<<1, 0, s>>>(a); here<3><<<1, 0, s>>>(a); pointer<<<1, 0, s>>>(a); }\n");
  ASSERT_EQ(result.sites.size(), 3u);
  EXPECT_EQ(result.sites[0].form, LaunchSite::Declared);
  EXPECT_EQ(result.sites[1].form, LaunchSite::Defined);
  EXPECT_EQ(result.sites[2].form, LaunchSite::Value);
  EXPECT_EQ(result.sites[1].kernel, "here");
}

TEST(LaunchSyntax, RestoresColumnsOfCalls) {
  const std::string second = "ON(f(1);) /* g(0) */ n::g<1, 2>(2); h(3);   h(4);";
  const std::string third = "  ON(f(1)); \"f(\"_s(5); if (x) a.b(6);";
  const auto read = [&](const std::string &path, std::string &text) {
    text = "#define ON(x) x\n" + second + "\n" + third + "\n";
    return path == "a \"q\".cpp";
  };
  const std::string begin = "# 2 \"a \\\"q\\\".cpp\"\n";
  const auto at = [&](unsigned number, const std::string &line, const std::string &call) {
    return "\n# " + std::to_string(number) + " \"a \\\"q\\\".cpp\"\n" + std::string(line.find(call), ' ') + call;
  };
  EXPECT_EQ(restoreColumns(begin + "f(1); n::g<1, 2>(2); h(3); h(4);\n  f(1); \"f(\"_s(5); if (x) a.b(6);\n", read),
            begin + at(2, second, "f(1)") + "; " + at(2, second, "n::g<1, 2>(2)") + "; h(3); " + at(2, second, "h(4)") +
                ";\n  " + at(3, third, "f(1)") + "; \"f(\"_s(5); if (x) " + at(3, third, "a.b(6)") + ";\n");
  // A call that is not in the file leaves no way to tell which is which; other files are left alone.
  for (const std::string &text :
       std::vector<std::string>{begin + "h(0); h(3); h(4);\n", "# 2 \"a \\\"q\\\".cpp\" 1 3\nf(1);\n",
                                "# 2 \"none.cpp\"\nf(1);\n", "f(1);", "#"})
    EXPECT_EQ(restoreColumns(text, read), text);
}
