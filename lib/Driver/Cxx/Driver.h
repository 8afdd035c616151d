//===- Driver.h - one command of `ptoscope c++` -----------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DRIVER_CXX_DRIVER_H
#define PTOSCOPE_LIB_DRIVER_CXX_DRIVER_H

#include "Host.h"
#include "ptoscope/Driver/SourceScan.h"

#include <cstdio>
#include <filesystem>

namespace ptoscope::cxx {

class Driver {
public:
  Driver(Command command, Words compiler, Home home)
      : command(std::move(command)), compiler(std::move(compiler)), home(std::move(home)), scratch(this->command.keep) {
  }

  int run();

private:
  int fail(const std::string &message) const {
    std::fprintf(stderr, "ptoscope c++: %s\n", message.c_str());
    return 2;
  }
  Words start() const {
    Words words = compiler;
    if (!command.hasStandard)
      words.push_back("-std=gnu++20");
    if (!command.hasStandard || command.raised) {
      words.push_back("-fno-char8_t");
      // What C++20 warns about in code that was right in C++17.
      if (isClang(compiler[0]))
        words.insert(words.end(), {"-Wno-deprecated-volatile", "-Wno-deprecated-enum-enum-conversion",
                                   "-Wno-deprecated-enum-float-conversion", "-Wno-ambiguous-reversed-operator"});
      else
        words.insert(words.end(), {"-Wno-volatile", "-Wno-deprecated-enum-enum-conversion"});
    }
    return words;
  }
  /// The real compiler warns about attributes that it does not know, and cannot be told names.
  void allowAttributes(Words &words, const Mentions &mentions) const {
    if (mentions.attributes)
      words.push_back(isClang(compiler[0]) ? "-Wno-unknown-attributes" : "-Wno-attributes");
  }
  void append(Words &words, Word::Use use) const {
    for (const Word &word : command.words)
      if (word.use == use)
        appendMoved(words, word);
  }
  /// A folder with other headers of the same names comes behind ours.
  void appendMoved(Words &words, const Word &word) const {
    if (word.text.starts_with("-I") && hasOtherHeaders(word.text.size() > 2 ? word.text.substr(2) : word.value))
      words.insert(words.end(), {"-idirafter", word.text.size() > 2 ? word.text.substr(2) : word.value});
    else
      word.appendTo(words);
  }
  bool hasOtherHeaders(const std::string &folder) const {
    std::error_code error;
    return std::filesystem::is_regular_file(std::filesystem::path(folder) / "pto" / "pto-inst.hpp", error) &&
           !std::filesystem::equivalent(folder, home.include, error);
  }
  std::vector<std::string> includeFolders() const;
  void appendHeaders(Words &words, const Mentions &mentions, bool launches);
  void appendDependencies(Words &words, const std::string &source, const std::string &object) const;
  void cleanDependencies(const std::string &source, const std::string &object) const;
  std::string dependencyFile(const std::string &source, const std::string &object) const;
  std::string generatedHeaders(const Mentions &mentions);

  /// Our headers in the form that the compiler loads, where all of the sources start with them.
  int headersFor(const Words &words, const std::vector<std::string> &sources, std::string &headers);
  /// Runs the commands, with these headers where there are some.
  int compile(std::vector<Words> commands, const std::vector<std::string> &headers);

  int passThrough();
  /// `changed`: inputs of the command were replaced by files of this process.
  int joinPasses(bool &changed);
  int compileTable(const std::vector<std::string> &functions, Cores cores, Target target, const std::string &object);
  /// Words that decide for which machine objects are.
  void appendMachine(Words &words) const;
  bool isPlain(const std::string &source, const Mentions &mentions) const {
    return coresOf(sideOf(source), mentions) == Cores::Unified && !mentions.launches && mentions.generatedNames.empty();
  }
  Command sideOf(const std::string &source) const;
  int build(const std::string &source, const Mentions &mentions, const std::string &output);
  /// What decides how our headers are read.
  Words commonWords(const Words &macros) const;
  Words passWords(const std::string &source, const Mentions &mentions, Cores pass);
  /// The command that compiles a pass of a source, after its text is made if it has launches.
  int prepare(const std::string &source, const Mentions &mentions, Cores pass, const std::string &object,
              const std::string &output, Words &words, bool *launches = nullptr);
  int finishObject(const Mentions &mentions, Cores cores, const std::string &vector, const std::string &cube,
                   const std::string &output);
  std::string nextFile(const std::string &suffix) { return scratch.path(std::to_string(files++) + suffix); }

  Command command;
  Words compiler;
  Home home;
  Scratch scratch;
  unsigned files = 0;
  bool hasPairs = false;
};

} // namespace ptoscope::cxx

#endif // PTOSCOPE_LIB_DRIVER_CXX_DRIVER_H
