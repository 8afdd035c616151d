//===- SourceScan.cpp - what a source asks of its compiler ----------------===//

#include "ptoscope/Driver/SourceScan.h"

#include "Lexer.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

namespace ptoscope::cxx {

namespace {
using Flag = bool Mentions::*;
struct Meaning {
  std::string_view word;
  Flag flags[2];
};
constexpr Meaning kWords[] = {
    {"__DAV_CUBE__", {&Mentions::cube}},
    {"__DAV_VEC__", {&Mentions::vector}},
    {"__DAV_C220_CUBE__", {&Mentions::cube, &Mentions::c220}},
    {"__DAV_C220_VEC__", {&Mentions::vector, &Mentions::c220}},
    {"__DAV_C310_CUBE__", {&Mentions::cube, &Mentions::c310}},
    {"__DAV_C310_VEC__", {&Mentions::vector, &Mentions::c310}},
    {"__DAV_C220__", {&Mentions::c220}},
    {"__DAV_C310__", {&Mentions::c310}},
    {"__CCE_AICORE__", {&Mentions::aicore}},
    {"PTO_SYNCALL_AIC_KERNEL_META", {&Mentions::cube}},
    {"PTO_SYNCALL_AIV_KERNEL_META", {&Mentions::vector}},
    {"PTO_SYNCALL_MIX_AIC_KERNEL_META", {&Mentions::cube, &Mentions::vector}},
    {"__global__", {&Mentions::device}},
    {"__aicore__", {&Mentions::device}},
    {"AICORE", {&Mentions::device}},
    {"kernel_entry", {&Mentions::device}},
    {"ffts_cross_core_sync", {&Mentions::flagsOfA3}},
    {"__builtin_cce_ffts_cross_core_sync", {&Mentions::flagsOfA3}},
    {"set_ffts_base_addr", {&Mentions::flagsOfA3}},
    {"set_intra_block", {&Mentions::flagsOfA5}},
    {"wait_intra_block", {&Mentions::flagsOfA5}},
    {"__builtin_cce_set_intra_block", {&Mentions::flagsOfA5}},
    {"__builtin_cce_wait_intra_block", {&Mentions::flagsOfA5}},
};
constexpr std::string_view kGenerated = "aclrtlaunch_";

/// `__attribute__((aiv))` and its kin. Not `[[block_local]]`, which means something that does not happen here.
bool isDeviceAttribute(std::string_view word) { return word == "aiv" || word == "aic" || word == "aicore"; }

/// `"x.h"` or `<x.h>` behind the name at `i`; empty for a macro.
std::string includedPath(std::string_view text, const std::vector<Token> &tokens, size_t i) {
  if (i + 1 >= tokens.size())
    return {};
  const Token &next = tokens[i + 1];
  std::string_view word = next.in(text);
  if (next.kind == Token::Text && word.size() > 2)
    return std::string(word.substr(1, word.size() - 2));
  const size_t close = text.find_first_of(">\n", next.begin);
  if (word != "<" || close == text.npos || text[close] != '>')
    return {};
  return std::string(text.substr(next.end, close - next.end));
}

/// Macros of a kind of core, as bits.
enum Kinds : unsigned char { NoKind = 0, CubeKind = 1, VectorKind = 2 };
unsigned kindOf(std::string_view word) {
  if (!word.starts_with("__DAV_"))
    return NoKind;
  return word.ends_with("CUBE__") ? CubeKind : word.ends_with("VEC__") ? VectorKind : NoKind;
}

/// Follows conditions about kinds of cores. Code where a macro of one kind is not defined is code for the other kind,
/// though the text need not name that one.
class Branches {
public:
  Branches(std::string_view text, const std::vector<Token> &tokens, Mentions &mentions)
      : text(text), tokens(tokens), mentions(mentions) {}

  /// The tokens in order.
  void take(size_t i) {
    if (tokens[i].begin < lineEnd)
      return;
    if (is(i, '#') && startsLine(i))
      directive(i);
    else
      code(i);
  }

private:
  struct Branch {
    unsigned asked = 0, denied = 0;     ///< kinds that are defined here, and that are not
    unsigned earlier = 0, inverted = 0; ///< the same of the branches in front, which an `#else` turns round
  };

  std::string_view word(size_t i) const { return i < tokens.size() ? tokens[i].in(text) : std::string_view(); }
  bool is(size_t i, char c) const {
    return i < tokens.size() && tokens[i].kind == Token::Punctuation && text[tokens[i].begin] == c;
  }
  bool startsLine(size_t i) const {
    const size_t last = tokens[i].begin ? text.find_last_not_of(" \t", tokens[i].begin - 1) : text.npos;
    return last == text.npos || text[last] == '\n';
  }

  void directive(size_t i) {
    const auto goesOn = [&](std::string_view line) {
      line.remove_suffix(line.ends_with('\r'));
      return line.ends_with('\\');
    };
    lineEnd = std::min(text.find('\n', tokens[i].begin), text.size());
    while (lineEnd < text.size() && goesOn(text.substr(tokens[i].begin, lineEnd - tokens[i].begin)))
      lineEnd = std::min(text.find('\n', lineEnd + 1), text.size());
    const std::string_view name = word(i + 1);
    if (name == "if" || name == "ifdef" || name == "ifndef") {
      branches.emplace_back();
      condition(i + 2, name == "ifndef");
    } else if (branches.empty()) {
      return;
    } else if (name == "elif" || name == "elifdef" || name == "elifndef") {
      condition(i + 2, name == "elifndef");
    } else if (name == "else") {
      branches.back().asked = branches.back().inverted;
      branches.back().denied = branches.back().earlier;
    } else if (name == "endif") {
      branches.pop_back();
    } else if (name.starts_with("include") || (name == "define" && !kindOf(word(i + 2)))) {
      code(i);
    }
  }

  /// `defined(A) && !(defined(B) || C)`: A is asked for, B and C are denied.
  void condition(size_t i, bool inverted) {
    unsigned found[2] = {0, 0};
    bool host[2] = {false, false};
    std::vector<bool> outer;
    bool within = inverted, next = false;
    for (; i < tokens.size() && tokens[i].begin < lineEnd; ++i) {
      if (is(i, '!') && !is(i + 1, '=')) {
        next = !next;
      } else if (is(i, '(')) {
        outer.push_back(within);
        within = within != next;
        next = false;
      } else if (is(i, ')') && !outer.empty()) {
        within = outer.back();
        outer.pop_back();
      } else if (tokens[i].kind == Token::Name && word(i) != "defined") {
        found[within != next] |= kindOf(word(i));
        host[within != next] |= word(i) == "__CPU_SIM" || word(i) == "__CCE_KT_TEST__";
        next = false;
      }
    }
    // A branch for programs on a host says nothing about cores.
    Branch &branch = branches.back();
    branch.asked = found[false];
    branch.denied = host[false] ? 0 : found[true];
    branch.earlier |= host[true] ? 0 : found[false];
    branch.inverted |= found[true];
  }

  void code(size_t i) {
    unsigned asked = 0, denied = 0;
    for (const Branch &branch : branches) {
      asked |= branch.asked;
      denied |= branch.denied;
    }
    denied &= ~asked;
    mentions.vector |= denied == CubeKind;
    mentions.cube |= denied == VectorKind;
    mentions.exchanges |= !asked && !denied && isExchange(i);
  }

  /// A signal from one kind of core to the other.
  bool isExchange(size_t i) const {
    const std::string_view name = word(i);
    if (name == "Mix")
      return i >= 3 && word(i - 3) == "SyncCoreType";
    if (!is(i + 1, '('))
      return false;
    if (name == "set_cross_core" || name == "wait_cross_core" || name.ends_with("set_intra_block") ||
        name.ends_with("wait_intra_block"))
      return true;
    return name.ends_with("ffts_cross_core_sync") && hasModeOfBoth(i + 2);
  }
  /// Of the messages of A2 and A3, those of mode 2, which is in bits 4 and 5.
  bool hasModeOfBoth(size_t i) const {
    int depth = 1;
    for (; i < tokens.size() && depth; ++i) {
      depth += is(i, '(') - is(i, ')');
      if (word(i) == "FFTS_MODE_VAL")
        return true;
      if (tokens[i].kind != Token::Number)
        continue;
      const unsigned long value = std::strtoul(std::string(word(i)).c_str(), nullptr, 0);
      const bool isMode = (is(i + 1, '<') && is(i + 2, '<')) || (is(i - 1, '(') && word(i - 2).ends_with("getFFTSMsg"));
      const bool isWhole = is(i - 1, ',') && is(i + 1, ')') && depth == 1;
      if ((isMode && value == 2) || (isWhole && (value >> 4 & 3) == 2))
        return true;
    }
    return false;
  }

  std::string_view text;
  const std::vector<Token> &tokens;
  Mentions &mentions;
  std::vector<Branch> branches;
  size_t lineEnd = 0; ///< of the last directive
};
} // namespace

void scanText(std::string_view text, Mentions &mentions, std::vector<std::string> &includes) {
  static const std::map<std::string_view, const Meaning *> kMeanings = [] {
    std::map<std::string_view, const Meaning *> map;
    for (const Meaning &meaning : kWords)
      map[meaning.word] = &meaning;
    return map;
  }();
  const std::vector<Token> tokens = lex(text, /*openDirectives=*/true);
  const auto is = [&](size_t i, char c) {
    return i < tokens.size() && tokens[i].kind == Token::Punctuation && text[tokens[i].begin] == c;
  };
  Branches branches(text, tokens, mentions);
  for (size_t i = 0; i < tokens.size(); ++i) {
    branches.take(i);
    if (is(i, '<') && is(i + 1, '<') && is(i + 2, '<'))
      mentions.launches = true;
    if (tokens[i].kind != Token::Name)
      continue;
    const std::string_view word = tokens[i].in(text);
    if (const auto it = kMeanings.find(word); it != kMeanings.end()) {
      for (Flag flag : it->second->flags)
        if (flag)
          mentions.*flag = true;
    } else if (is(i + 1, '(') && (word == "main" || word == "TEST" || word == "TEST_F" || word == "TEST_P")) {
      mentions.tests = true;
    } else if (isDeviceAttribute(word) && i >= 2 && is(i - 1, '(') && is(i - 2, '(')) {
      mentions.attributes = true;
    } else if (word.starts_with(kGenerated) && word.size() > kGenerated.size()) {
      mentions.generatedNames.emplace(word.substr(kGenerated.size()));
    } else if (word == "ACLRT_LAUNCH_KERNEL" && is(i + 1, '(') && i + 2 < tokens.size() &&
               tokens[i + 2].kind == Token::Name) {
      mentions.generatedNames.emplace(tokens[i + 2].in(text));
    } else if ((word == "include" || word == "include_next" || word == "import") && i && is(i - 1, '#')) {
      if (std::string path = includedPath(text, tokens, i); !path.empty())
        includes.push_back(std::move(path));
    }
  }
}

Mentions scanSource(const std::string &path, const std::vector<std::string> &folders) {
  namespace fs = std::filesystem;
  constexpr size_t kMostFiles = 2000;
  Mentions mentions;
  std::set<std::string> seen;
  std::vector<std::string> open{path};
  while (!open.empty() && seen.size() < kMostFiles) {
    const std::string file = fs::path(open.back()).lexically_normal();
    open.pop_back();
    if (!seen.insert(file).second)
      continue;
    std::ifstream in(file, std::ios::binary);
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    std::vector<std::string> includes;
    scanText(text, mentions, includes);
    if (seen.size() == 1)
      mentions.isHost = mentions.tests && !mentions.cube && !mentions.vector && !mentions.device && !mentions.aicore;
    for (const std::string &include : includes) {
      std::error_code error;
      const fs::path beside = fs::path(file).parent_path() / include;
      if (fs::is_regular_file(beside, error)) {
        open.push_back(beside);
        continue;
      }
      for (const std::string &folder : folders)
        if (const fs::path candidate = fs::path(folder) / include; fs::is_regular_file(candidate, error)) {
          open.push_back(candidate);
          break;
        }
      // The header of a launch function is made by other builds: its name says of which kernel.
      const std::string name = fs::path(include).stem();
      if (name.starts_with(kGenerated))
        mentions.generatedNames.insert(name.substr(kGenerated.size()));
    }
  }
  return mentions;
}

Cores coresOf(const Command &command, const Mentions &mentions) {
  if (command.cores != Cores::Unknown)
    return command.cores;
  const auto given = [&](const char *plain, const char *c220, const char *c310) {
    return command.defines(plain) || command.defines(c220) || command.defines(c310);
  };
  const bool cube = given("__DAV_CUBE__", "__DAV_C220_CUBE__", "__DAV_C310_CUBE__");
  const bool vector = given("__DAV_VEC__", "__DAV_C220_VEC__", "__DAV_C310_VEC__");
  if (cube || vector)
    return cube && vector ? Cores::Unified : cube ? Cores::Cube : Cores::Vector;
  if (!mentions.cube && !mentions.vector)
    return Cores::Unified;
  // Programs for host simulators call their kernels, with both parts in one. A file of the
  // host may include headers of kernels, and its static objects are to be made once.
  if (!mentions.launches && (command.hostProfile || mentions.isHost))
    return Cores::Unified;
  // A signal to the other kind in code of every core: that kind has a part, too. Without a macro it may be in another
  // file.
  const bool meetsOther = mentions.exchanges && (mentions.cube || mentions.vector);
  if (command.bothCores || meetsOther || (mentions.cube && mentions.vector))
    return Cores::Mixed;
  return mentions.cube ? Cores::Cube : Cores::Vector;
}

Target targetOf(const Command &command, const Mentions &mentions) {
  if (command.target != Target::Unknown)
    return command.target;
  if (mentions.c220 != mentions.c310)
    return mentions.c220 ? Target::A3 : Target::A5;
  return mentions.flagsOfA3 && !mentions.flagsOfA5 && !mentions.c310 ? Target::A3 : Target::A5;
}

std::vector<std::string> macrosOf(const Command &command, const Mentions &mentions, Cores pass) {
  const bool isA3 = targetOf(command, mentions) == Target::A3;
  std::vector<std::string> words;
  const auto define = [&](std::string name, const char *value) {
    if (!command.defines(name))
      words.push_back("-D" + name + "=" + value);
  };
  if (pass != Cores::Unified) {
    const std::string kind = pass == Cores::Cube || pass == Cores::CubeHalf ? "CUBE__" : "VEC__";
    define("__DAV_" + kind, "1");
    define((isA3 ? "__DAV_C220_" : "__DAV_C310_") + kind, "1");
    define(isA3 ? "__DAV_C220__" : "__DAV_C310__", "1");
  }
  // Headers know the target by it, or by macros of the command; code of a host is not to be taken for that of a device.
  const bool isDevice = pass != Cores::Unified || (mentions.device && !command.hostProfile);
  const bool isKnown = command.defines("PTO_NPU_ARCH_A2A3") || command.defines("PTO_NPU_ARCH_A5");
  const bool isChosen = pass != Cores::Unified || isA3 || command.target != Target::Unknown;
  if (isChosen && (isDevice || !isKnown))
    define("__NPU_ARCH__", isA3 ? "2201" : command.is3510 ? "3510" : "3101");
  // Programs for host simulators do not expect it, nor does the code of a host.
  if (!command.hostProfile && (pass != Cores::Unified || (mentions.aicore && mentions.device)))
    define("__CCE_AICORE__", isA3 ? "220" : "310");
  return words;
}

} // namespace ptoscope::cxx
