//===- BitcodeTest.cpp - the embedded bitcode is what the JIT relies on ---===//
//
// Reads the disassembled module: there is a function for every instruction and
// variant of the meanings, those on groups take and return plain vectors and
// reach no memory, and all consist of generic instructions without fast-math.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Meaning/Bitcode.h"
#include "ptoscope/Meaning/ForEach.h"
#include "ptoscope/Meaning/Vec.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <map>
#include <regex>
#include <set>
#include <string>
#include <vector>

namespace ptoscope::meaning {

struct IrFunction {
  std::string header;
  std::vector<std::string> body;
};

struct IrModule {
  std::vector<std::string> lines;
  std::map<std::string, IrFunction> functions; ///< by name
};

static IrModule readModule() {
  IrModule module;
  std::ifstream file(PTOM_DISASSEMBLY);
  std::regex name("@([A-Za-z0-9_]+)\\(");
  IrFunction *current = nullptr;
  for (std::string line; std::getline(file, line);) {
    module.lines.push_back(line);
    std::smatch match;
    if (line.starts_with("define ") && std::regex_search(line, match, name)) {
      current = &module.functions[match[1]];
      current->header = line;
    } else if (line == "}") {
      current = nullptr;
    } else if (current && !line.empty()) {
      current->body.push_back(line);
    }
  }
  return module;
}

static const IrModule &module() {
  static const IrModule module = readModule();
  return module;
}

/// As LLVM writes the type of a scalar or a group: bf16 lanes are plain integers.
template <typename E> struct IrType {
  static std::string text() {
    if constexpr (kIsSame<E, _Float16>)
      return "half";
    else if constexpr (kIsSame<E, float>)
      return "float";
    else
      return "i" + std::to_string(8 * sizeof(E));
  }
};
template <typename E, int N> struct IrType<Vec<E, N>> {
  static std::string text() { return "<" + std::to_string(N) + " x " + IrType<E>::text() + ">"; }
};
template <typename T> static std::string irType() { return IrType<Group<T>>::text(); }

/// Whether it is a meaning on whole registers or on UB, which takes pointers.
static bool takesPointers(const IrFunction &function) { return function.header.find("(ptr ") != std::string::npos; }

static void checkHeader(const std::string &name, const std::string &pattern) {
  auto found = module().functions.find(name);
  ASSERT_NE(found, module().functions.end()) << "no function `" << name << "` in the bitcode";
  EXPECT_TRUE(std::regex_search(found->second.header, std::regex(pattern))) << found->second.header;
}

/// Parameter attributes that hide a pointer (byval, sret) do not match.
template <typename R, typename... P> static void checkExport(const std::string &name, R (*)(P...)) {
  std::string pattern = "define (dso_local )?(noundef )?" + IrType<R>::text() + " @" + name + "\\(";
  const char *separator = "";
  for (const std::string &type : {IrType<P>::text()...}) {
    pattern += separator + type + "( noundef| returned| signext| zeroext)* %[0-9a-z]+";
    separator = ", ";
  }
  checkHeader(name, pattern + "\\)");
}

TEST(BitcodeTest, IsEmbedded) {
  EXPECT_TRUE(std::ranges::is_sorted(meaningParts(), {}, &MeaningPart::name));
  std::set<std::string> embedded, compiled;
  for (const auto &[name, bytes] : meaningParts()) {
    ASSERT_GT(bytes.size(), 4u);
    EXPECT_EQ(bytes.size() % 4, 0u);
    EXPECT_EQ(reinterpret_cast<uintptr_t>(bytes.data()) % 8, 0u);
    EXPECT_EQ(std::memcmp(bytes.data(), "BC\xC0\xDE", 4), 0);
    EXPECT_TRUE(embedded.emplace(name).second) << name;
  }
  for (const auto &[name, function] : module().functions)
    compiled.insert(name);
  EXPECT_EQ(embedded, compiled);
}

TEST(BitcodeTest, HoldsGenericInstructionsOnly) {
  const std::set<std::string> allowed = {
      "add",           "sub",    "mul",    "and",    "or",      "xor",           "shl",
      "lshr",          "ashr",   "icmp",   "select", "fadd",    "fsub",          "fmul",
      "fdiv",          "fneg",   "fcmp",   "fpext",  "fptrunc", "zext",          "sext",
      "trunc",         "ret",    "call",   "freeze", "bitcast", "insertelement", "extractelement",
      "shufflevector", "sitofp", "uitofp", "fptosi"};
  const std::set<std::string> allowedWithPointers = {"load", "store", "getelementptr", "alloca", "phi", "br"};
  std::regex opcode("^  (?:%[0-9a-z.]+ = )?(?:tail |notail )?([a-z]+)");
  std::regex label("^[0-9]+:");
  std::regex genericCall("call .*@(ptom_shared_|llvm\\.(abs|fabs|fma|smax|smin|sqrt|umax|umin)\\.v)");
  std::regex genericCallWithPointers("call .*@llvm\\.(smax|smin|umax|umin|usub\\.sat|ctpop)\\.[iv]|"
                                     "@llvm\\.(memcpy|memset|lifetime|experimental\\.noalias\\.scope)\\.|"
                                     "@llvm\\.fabs\\.v");
  ASSERT_FALSE(module().functions.empty());
  for (const auto &[name, function] : module().functions) {
    EXPECT_TRUE(name.starts_with("ptom_")) << name;
    bool pointers = takesPointers(function);
    for (const std::string &line : function.body) {
      std::smatch match;
      if (pointers && std::regex_search(line, label))
        continue;
      ASSERT_TRUE(std::regex_search(line, match, opcode)) << name << ": " << line;
      EXPECT_TRUE(allowed.count(match[1]) || (pointers && allowedWithPointers.count(match[1]))) << name << ": " << line;
      if (match[1] == "call")
        EXPECT_TRUE(std::regex_search(line, pointers ? genericCallWithPointers : genericCall)) << name << ": " << line;
    }
  }
}

TEST(BitcodeTest, HasNoFastMathNoGlobalsNoTargetIntrinsics) {
  std::regex fast("\\b(fast|nnan|ninf|nsz|arcp|contract|afn|reassoc)\\b");
  for (const std::string &line : module().lines) {
    if (line.starts_with("  "))
      EXPECT_FALSE(std::regex_search(line, fast)) << line;
    EXPECT_FALSE(line.starts_with("@")) << line;
    EXPECT_EQ(line.find("llvm.x86"), std::string::npos) << line;
    EXPECT_EQ(line.find("unsafe-fp-math"), std::string::npos) << line;
  }
}

/// Without either the inliner would refuse, or code would be kept alive.
TEST(BitcodeTest, FunctionsAreInlinedAndTouchNoOtherMemory) {
  std::map<std::string, std::string> attributes; // "#0" -> text
  std::regex group("^attributes (#[0-9]+) = ");
  for (const std::string &line : module().lines) {
    std::smatch match;
    if (std::regex_search(line, match, group))
      attributes[match[1]] = line;
  }
  std::regex reference("(#[0-9]+) \\{$");
  for (const auto &[name, function] : module().functions) {
    std::smatch match;
    ASSERT_TRUE(std::regex_search(function.header, match, reference)) << function.header;
    const std::string &text = attributes[match[1]];
    // What several functions share is inlined by the reader.
    const char *inlining = name.starts_with("ptom_shared_") ? " noinline " : " alwaysinline ";
    EXPECT_NE(text.find(inlining), std::string::npos) << name;
    EXPECT_NE(text.find(takesPointers(function) ? "memory(argmem: " : "memory(none)"), std::string::npos) << name;
    EXPECT_NE(text.find("nounwind"), std::string::npos) << name;
    EXPECT_EQ(text.find("no-builtins"), std::string::npos) << name;
  }
}

} // namespace ptoscope::meaning

#define PTOM_TEST(op, variant)                                                                                         \
  TEST(Export_##op, variant) { checkExport("ptom_" #op "_" #variant, static_cast<decltype(&op<variant>)>(nullptr)); }
#define PTOM_UNARY(op, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_BINARY(op, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_TERNARY(op, ...) PTOM_FOR_EACH(PTOM_TEST, op, __VA_ARGS__)
#define PTOM_TEST_LANES(op, type)                                                                                      \
  TEST(Export_##op, type) {                                                                                            \
    checkHeader("ptom_" #op "_" #type, irType<type>() + " @ptom_" #op "_" #type "\\(i64( noundef)? %0\\)");            \
  }
#define PTOM_FROM_WORD(op, ...) PTOM_FOR_EACH(PTOM_TEST_LANES, op, __VA_ARGS__)
#define PTOM_TEST_WORD(op, type)                                                                                       \
  TEST(Export_##op, type) {                                                                                            \
    checkHeader("ptom_" #op "_" #type, "i64 @ptom_" #op "_" #type "\\(" + irType<type>() + " noundef %0\\)");          \
  }
#define PTOM_TO_WORD(op, ...) PTOM_FOR_EACH(PTOM_TEST_WORD, op, __VA_ARGS__)
#define PTOM_TEST_POINTERS(op, variant)                                                                                \
  TEST(Export_##op, variant) { checkHeader("ptom_" #op "_" #variant, "\\(ptr "); }
#define PTOM_FUNCTIONS(op, parameters, arguments, ...) PTOM_FOR_EACH(PTOM_TEST_POINTERS, op, __VA_ARGS__)
#define PTOM_FUNCTION(op, parameters, arguments)                                                                       \
  TEST(Export_##op, One) { checkHeader("ptom_" #op, "\\(ptr "); }

#define PTOM_TRUNCATION(type, rnd)                                                                                     \
  TEST(Export_vtrc, type##_##rnd) {                                                                                    \
    checkExport("ptom_vtrc_" #type "_" #rnd, static_cast<Group<type> (*)(Group<type>)>(nullptr));                      \
  }
#define PTOM_FUSED_CONVERSION(op, src, dst)                                                                            \
  TEST(Export_##op, src##_##dst) {                                                                                     \
    checkExport("ptom_" #op "_" #src "_" #dst, static_cast<Group<dst> (*)(Group<src>, Group<src>)>(nullptr));          \
  }

#include "ptoscope/Meaning/Convert.h"
#include "ptoscope/Meaning/Lanes.h"
#include "ptoscope/Meaning/Memory.h"
#include "ptoscope/Meaning/Rearrange.h"
#include "ptoscope/Meaning/Reduce.h"
#include "ptoscope/Meaning/Streams.h"

namespace ptoscope::meaning {

#undef PTOM_CONVERSION
#define PTOM_CONVERSION(src, dst, rnd, sat, part)                                                                      \
  checkExport("ptom_vcvt_" #src "_" #dst "_" #rnd #sat #part, static_cast<Group<dst> (*)(Group<src>)>(nullptr));

TEST(Export_vcvt, EveryCombination) { PTOM_EACH_CONVERSION }

} // namespace ptoscope::meaning
