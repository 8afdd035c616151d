//===- CxxDriver.cpp - `ptoscope c++` -------------------------------------===//
//
// A source without launches and without a word about kinds of cores is compiled by
// the real compiler as it is. Passes.cpp does the others.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Driver/CxxDriver.h"

#include "Driver.h"

#include <algorithm>

namespace ptoscope::cxx {

namespace fs = std::filesystem;

static constexpr const char *kHelp = R"(ptoscope c++: compile C++ programs for the device, and run them here

usage: ptoscope c++ [words of a C++ compiler] FILE… [-o PROGRAM]

A C++ compiler that also knows `kernel<<<blocks, l2ctrl, stream>>>(arguments)`, compiles files
that ask for the kind of the core (__DAV_CUBE__, __DAV_VEC__) once for each kind, has the headers
of the tile API, and links libptoscope. Works as CXX of a build system. It uses the compiler in
PTOSCOPE_CXX, else clang++, else g++; words that it does not know go to that compiler, and
words that only compilers for the device know are dropped.

  --ptoscope-cores=KIND   of kernels in the files: mixed, vector, cube, unified (a core with
                          everything), aic (the cube half; the vector half is another file),
                          or auto: what the files ask for (the default)
  --ptoscope-arch=TARGET  a5, a3 or a2 (default: what flags and files say, else a5)
  --ptoscope-verbose      print the commands
  --ptoscope-keep         keep the files between the steps
)";

std::vector<std::string> Driver::includeFolders() const {
  std::vector<std::string> folders;
  for (const Word &word : command.words) {
    if (word.use != Word::Preprocess)
      continue;
    for (std::string_view flag : {"-I", "-isystem", "-iquote", "-idirafter"})
      if (word.text.starts_with(flag)) {
        const std::string folder = word.text.size() > flag.size() ? word.text.substr(flag.size()) : word.value;
        // Headers of the API mention every macro; what counts is what the program mentions.
        std::error_code error;
        if (!hasOtherHeaders(folder) && !fs::equivalent(folder, home.include, error))
          folders.push_back(folder);
      }
  }
  return folders;
}

/// In a command that has files of both folders `aic` and `aiv`, these are halves (LSYN-5).
Command Driver::sideOf(const std::string &source) const {
  Command side = command;
  const std::string folder = fs::absolute(source).parent_path().filename();
  if (hasPairs && command.cores == Cores::Unknown && folder == "aic")
    side.cores = Cores::CubeHalf;
  else if (hasPairs && command.cores == Cores::Unknown && folder == "aiv")
    side.cores = Cores::Vector;
  return side;
}

/// The real compiler does it all; it only gets our headers and library.
int Driver::passThrough() {
  bool hasFiles = false;
  if (command.goal == Command::LinkIt)
    if (int status = joinPasses(hasFiles))
      return status;
  Words words = start();
  Mentions mentions;
  std::vector<std::string> sources;
  std::string headers;
  bool attributes = false;
  bool isCxx = false; // what `-x` says; behind the last input clang warns about it
  for (const Word &word : command.words) {
    if (word.use != Word::Source) {
      if (word.use == Word::Input && isCxx)
        words.insert(words.end(), {"-x", "none"});
      isCxx &= word.use != Word::Input;
      appendMoved(words, word);
      continue;
    }
    if (!isCxx)
      words.insert(words.end(), {"-x", "c++"});
    isCxx = true;
    words.push_back(word.text);
    sources.push_back(word.text);
    mentions = scanSource(word.text, includeFolders());
    attributes |= mentions.attributes;
  }
  if (command.hasSources() || command.readsInput) {
    const Cores cores = coresOf(command, mentions);
    const Words macros = macrosOf(command, mentions, cores == Cores::Mixed ? Cores::Vector : cores);
    words.insert(words.end(), macros.begin(), macros.end());
    words.insert(words.end(), {"-isystem", home.include});
    mentions.attributes = attributes; // of all files
    allowAttributes(words, mentions);
    // The dependencies of several sources are several files, which only the compiler knows.
    if (command.goal != Command::Preprocess && (sources.size() == 1 || !command.dependencies)) {
      Words first = commonWords(macros);
      first.insert(first.end(), {"-isystem", home.include});
      if (int status = headersFor(first, sources, headers))
        return status;
    }
  }
  constexpr const char *kGoals[] = {"", "-c", "-S", "", "-fsyntax-only"};
  if (*kGoals[command.goal])
    words.push_back(kGoals[command.goal]);
  if (!command.output.empty())
    words.insert(words.end(), {"-o", command.output});
  if (command.dependencies)
    words.push_back(command.systemDependencies ? "-MD" : "-MMD");
  if (!command.dependencyFile.empty())
    words.insert(words.end(), {"-MF", command.dependencyFile});
  words.insert(words.end(), command.dependencyTargets.begin(), command.dependencyTargets.end());
  if (command.goal == Command::LinkIt && command.hasInputs()) {
    words.insert(words.end(), {PTOSCOPE_LINK_WORDS});
    words.insert(words.end(), {"-L" + home.library, "-Wl,-rpath," + home.library, "-Wl,--push-state,--as-needed",
                               "-lptoscope", "-Wl,--pop-state"});
    words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  }
  if (headers.empty())
    return hasFiles ? runAll({words}, command.verbose) : become(words, command.verbose);
  const int status = compile({words}, {headers});
  if (!status)
    cleanDependencies(sources[0], command.output);
  return status;
}

int Driver::run() {
  if (!command.hasInputs() || command.goal == Command::Preprocess)
    return passThrough();
  if (command.isStatic && command.goal == Command::LinkIt)
    return fail("-static: libptoscope is a shared library; link without it");
  std::set<std::string> sides;
  for (const Word &word : command.words)
    if (word.use == Word::Source)
      sides.insert(fs::absolute(word.text).parent_path().filename());
  hasPairs = sides.count("aic") && sides.count("aiv");

  const std::vector<std::string> folders = includeFolders();
  std::vector<Mentions> mentions;
  bool plain = true;
  for (const Word &word : command.words)
    if (word.use == Word::Source) {
      mentions.push_back(scanSource(word.text, folders));
      plain &= isPlain(word.text, mentions.back());
    }
  if (plain)
    return passThrough();

  if (mentions.size() > 1 && !command.output.empty() && command.goal != Command::LinkIt)
    return fail("-o names one file, and there are several sources");
  size_t i = 0;
  for (Word &word : command.words) {
    if (word.use != Word::Source)
      continue;
    std::string output = command.output;
    if (command.goal == Command::LinkIt)
      output = nextFile(".o");
    else if (output.empty())
      output = fs::path(word.text).filename().replace_extension(command.goal == Command::Assembly ? ".s" : ".o");
    if (int status = build(word.text, mentions[i++], output))
      return status;
    if (command.goal == Command::LinkIt)
      word = {Word::Input, output, ""};
  }
  if (command.goal != Command::LinkIt)
    return 0;
  bool hasFiles = false;
  if (int status = joinPasses(hasFiles))
    return status;
  // Not in place of this process: it removes its files.
  Words words = compiler;
  for (const Word &word : command.words)
    if (word.use != Word::Preprocess)
      word.appendTo(words);
  if (!command.output.empty())
    words.insert(words.end(), {"-o", command.output});
  words.insert(words.end(), {PTOSCOPE_LINK_WORDS});
  words.insert(words.end(), {"-L" + home.library, "-Wl,-rpath," + home.library, "-lptoscope"});
  words.erase(std::remove(words.begin(), words.end(), ""), words.end());
  return runAll({words}, command.verbose);
}
int compilerMain(std::span<const std::string> words) {
  const auto fail = [](const std::string &problem) {
    std::fprintf(stderr, "ptoscope c++: %s\n", problem.c_str());
    return 2;
  };
  std::string problem;
  const std::optional<std::vector<std::string>> expanded = expandResponseFiles(words, problem);
  if (!expanded)
    return fail(problem);
  Command command = parseCommand(*expanded, problem);
  if (command.help || words.empty()) {
    std::fputs(kHelp, words.empty() ? stderr : stdout);
    return words.empty() ? 2 : 0;
  }
  Words compiler;
  Home home;
  if (!problem.empty() || !findCompiler(compiler, problem) || !findHome(home, problem))
    return fail(problem);
  return Driver(std::move(command), std::move(compiler), std::move(home)).run();
}

} // namespace ptoscope::cxx
