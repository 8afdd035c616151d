//===- Passes.cpp - a source of `ptoscope c++` becomes an object ----------===//
//
// Launches are rewritten in preprocessed text, so that macros, conditions and
// included files do not matter. A file for both kinds of cores becomes one object:
// the vector pass, which is the host's code too, the cube pass with other names,
// and a table of the functions that are in both.
//
//===----------------------------------------------------------------------===//

#include "Driver.h"
#include "Generated.h"
#include "Objects.h"
#include "Precompiled.h"
#include "ptoscope/Driver/LaunchSyntax.h"

#include <algorithm>
#include <unistd.h>

namespace ptoscope::cxx {

namespace fs = std::filesystem;

/// Headers that other builds generate: `aclrtlaunch_NAME.h` declares the function that
/// launches NAME (LSYN-4). One file with all of them is included in any case.
std::string Driver::generatedHeaders(const Mentions &mentions) {
  if (mentions.generatedNames.empty())
    return {};
  const std::string folder = scratch.path("include");
  std::error_code error;
  fs::create_directory(folder, error);
  for (const std::string &name : mentions.generatedNames)
    writeFile(folder + "/aclrtlaunch_" + name + ".h", "#pragma once\n");
  writeFile(folder + "/ptoscope_generated.hpp", launchFunctions(mentions.generatedNames));
  return folder;
}

void Driver::appendHeaders(Words &words, const Mentions &mentions, bool launches) {
  if (std::string folder = generatedHeaders(mentions); !folder.empty())
    words.insert(words.end(), {"-isystem", folder, "-include", folder + "/ptoscope_generated.hpp"});
  if (launches)
    words.insert(words.end(), {"-include", home.include + "/ptoscope/launch_syntax.hpp"});
  words.insert(words.end(), {"-isystem", home.include});
}

std::string Driver::dependencyFile(const std::string &source, const std::string &object) const {
  if (!command.dependencyFile.empty())
    return command.dependencyFile;
  return fs::path(command.output.empty() ? fs::path(source).filename().string() : object).replace_extension(".d");
}

void Driver::appendDependencies(Words &words, const std::string &source, const std::string &object) const {
  if (!command.dependencies)
    return;
  words.push_back(command.systemDependencies ? "-MD" : "-MMD");
  words.insert(words.end(), {"-MF", dependencyFile(source, object)});
  const auto &targets = command.dependencyTargets;
  words.insert(words.end(), targets.begin(), targets.end());
  if (std::find(targets.begin(), targets.end(), "-MT") == targets.end() &&
      std::find(targets.begin(), targets.end(), "-MQ") == targets.end())
    words.insert(words.end(), {"-MT", object});
}

/// Files that were made for one command are gone when a build system looks for them, and what `-include` names
/// counts as a header of the program.
void Driver::cleanDependencies(const std::string &source, const std::string &object) const {
  if (!command.dependencies)
    return;
  const std::string path = dependencyFile(source, object);
  std::string text;
  if (!readFile(path, text))
    return;
  if (!scratch.folder().empty())
    text = dependenciesOutside(scratch.folder(), text);
  writeFile(path, command.systemDependencies ? text : dependenciesOutside(home.include, text));
}

Words Driver::commonWords(const Words &macros) const {
  Words words = start();
  append(words, Word::Compile);
  append(words, Word::Preprocess);
  words.insert(words.end(), macros.begin(), macros.end());
  return words;
}

Words Driver::passWords(const std::string &source, const Mentions &mentions, Cores pass) {
  const Command side = sideOf(source);
  const Cores cores = pass == Cores::Unified ? pass : coresOf(side, mentions);
  Words words = commonWords(macrosOf(side, mentions, pass));
  words.push_back("-DPTOSCOPE_CORES=" + std::to_string(int(cores == Cores::CubeHalf ? Cores::Cube : cores)));
  if (pass == Cores::Cube)
    words.push_back("-DPTOSCOPE_CUBE_PASS");
  appendHeaders(words, mentions, mentions.launches);
  return words;
}

/// `object` is what the pass becomes, and `output` what the program's build asks for: a target in
/// dependencies, which the first pass writes.
int Driver::prepare(const std::string &source, const Mentions &mentions, Cores pass, const std::string &object,
                    const std::string &output, Words &words, bool *launches) {
  const bool apart = coresOf(sideOf(source), mentions) != Cores::Unified;
  const bool isSecond = apart && pass == Cores::Cube && coresOf(sideOf(source), mentions) == Cores::Mixed;
  words = passWords(source, mentions, pass);
  if (!isSecond)
    appendDependencies(words, source, output);
  std::string text = source;
  if (mentions.launches) {
    text = nextFile(".ii");
    words.insert(words.end(), {"-E", "-x", "c++", source, "-o", text});
    if (int status = runAll({words}, command.verbose))
      return status;
    std::string contents;
    if (!readFile(text, contents))
      return fail("cannot read " + text);
    const Rewritten rewritten = rewriteLaunches(contents, source);
    for (const std::string &problem : rewritten.problems)
      std::fprintf(stderr, "%s\n", problem.c_str());
    if (!rewritten.problems.empty())
      return 1;
    if (launches)
      *launches = !rewritten.sites.empty();
    const auto read = [&](const std::string &path, std::string &file) {
      std::error_code error; // g++ names the working folder, too
      return !path.starts_with(home.include) && fs::is_regular_file(path, error) && readFile(path, file);
    };
    if (!writeFile(text, restoreColumns(rewritten.text, read)))
      return fail("cannot write " + text);
    words = start();
    append(words, Word::Compile);
    words.push_back("-frtti"); // a launch tells instances of templates apart by it
    if (isClang(compiler[0]))
      words.push_back("-Wno-parentheses-equality"); // of macros, where there are none any more
  }
  allowAttributes(words, mentions);
  if (apart)
    words.push_back("-fno-lto"); // names are changed in machine code
  // What one pass of a file does not use, the other does.
  if (coresOf(sideOf(source), mentions) == Cores::Mixed)
    words.insert(words.end(), {"-Wno-unused-parameter", "-Wno-unused-variable", "-Wno-unused-but-set-variable",
                               "-Wno-unused-function"});
  words.push_back(command.goal == Command::Assembly ? "-S" : command.goal == Command::Syntax ? "-fsyntax-only" : "-c");
  if (text == source)
    words.insert(words.end(), {"-x", "c++"});
  words.push_back(text);
  if (command.goal != Command::Syntax)
    words.insert(words.end(), {"-o", object});
  return 0;
}

/// Joins the passes with the table of their functions (LSYN-8).
int Driver::finishObject(const Mentions &mentions, Cores cores, const std::string &vector, const std::string &cube,
                         const std::string &output) {
  std::string problem;
  std::vector<std::string> functions = functionsOf(vector.empty() ? cube : vector, problem);
  if (!cube.empty() && !vector.empty()) {
    std::vector<std::string> others = functionsOf(cube, problem), both;
    std::sort(functions.begin(), functions.end());
    std::sort(others.begin(), others.end());
    std::set_intersection(functions.begin(), functions.end(), others.begin(), others.end(), std::back_inserter(both));
    functions = std::move(both);
  }
  const bool renamed = cores == Cores::Mixed || cores == Cores::CubeHalf;
  if (problem.empty() && renamed)
    prefixSymbols(cube, kCubePrefix, problem);
  if (!problem.empty())
    return fail(problem);

  const std::string object = nextFile(".o");
  if (int status = compileTable(functions, cores, targetOf(command, mentions), object))
    return status;
  Words join = compiler;
  join.insert(join.end(), {"-r", "-nostdlib", "-o", output});
  appendMachine(join);
  for (const std::string &part : {vector, cube, object})
    if (!part.empty())
      join.push_back(part);
  return runAll({join}, command.verbose);
}

void Driver::appendMachine(Words &words) const {
  for (const Word &word : command.words)
    if (word.use == Word::Compile &&
        (word.text.starts_with("-m32") || word.text.starts_with("--target") || word.text == "-target"))
      word.appendTo(words);
}

int Driver::compileTable(const std::vector<std::string> &functions, Cores cores, Target target,
                         const std::string &object) {
  const std::string table = nextFile(".cpp");
  if (!writeFile(table, tableOf(functions, cores, target)))
    return fail("cannot write " + table);
  Words compile = compiler;
  compile.insert(compile.end(), {"-std=c++20", "-w", "-fPIC", "-I" + home.include, "-c", table, "-o", object});
  appendMachine(compile);
  return runAll({compile}, command.verbose);
}

/// Passes of a file that were compiled one by one define the same names (LSYN-5). The cube pass gets other names for
/// those, in a copy. It is done here and not when it is compiled because it may be all that a program has.
int Driver::joinPasses(bool &changed) {
  std::set<std::string> names; // of vector passes
  std::vector<size_t> cubes;
  std::string problem;
  for (size_t i = 0; i < command.words.size(); ++i) {
    const Word &word = command.words[i];
    std::error_code error;
    if (word.use != Word::Input || !word.text.ends_with(".o") || !fs::is_regular_file(word.text, error))
      continue;
    if (const Cores pass = passOf(word.text); pass == Cores::Cube)
      cubes.push_back(i);
    else if (pass == Cores::Vector)
      names.merge(namesOf(word.text, problem));
  }
  if (names.empty())
    return 0;
  for (size_t i : cubes) {
    std::vector<std::string> functions = functionsOf(command.words[i].text, problem);
    std::erase_if(functions, [&](const std::string &name) { return !names.count(name); });
    if (functions.empty())
      continue;
    const std::string copy = nextFile(".o"), table = nextFile(".o");
    std::string bytes;
    if (copy.empty() || !readFile(command.words[i].text, bytes) || !writeFile(copy, bytes))
      return fail("cannot copy " + command.words[i].text + " to a folder for temporary files");
    if (!prefixSymbols(copy, kCubePrefix, problem, &names))
      return fail(problem);
    if (int status = compileTable(functions, Cores::CubeHalf, targetOf(command, {}), table))
      return status;
    command.words[i].text = copy;
    command.words.push_back({Word::Input, table, ""});
    changed = true;
  }
  return 0;
}

int Driver::headersFor(const Words &words, const std::vector<std::string> &sources, std::string &headers) {
  if (!allowsHeaders(command))
    return 0;
  for (const std::string &source : sources)
    if (std::string text; !readFile(source, text) || !startsWithHeaders(text))
      return 0;
  return precompiledHeaders(words, home, scratch, command.verbose, headers);
}

int Driver::compile(std::vector<Words> commands, const std::vector<std::string> &headers) {
  std::vector<Words> faster = commands;
  bool isFaster = false;
  for (size_t i = 0; i < commands.size(); ++i)
    if (!headers[i].empty()) {
      appendPrecompiled(faster[i], headers[i]);
      isFaster = true;
    }
  std::vector<std::string> messages;
  if (isFaster || commands.size() > 1)
    for (size_t i = 0; i < commands.size(); ++i) {
      messages.push_back(nextFile(".txt"));
      if (isatty(STDERR_FILENO))
        for (Words *one : {&commands[i], &faster[i]})
          one->insert(one->begin() + long(compiler.size()), "-fdiagnostics-color=always");
    }
  int status = isFaster ? runAll(faster, command.verbose, messages) : 1;
  if (status && !wasInterrupted(status)) {
    status = runAll(commands, command.verbose, messages);
    // Without them it works: they are of headers that have changed.
    std::error_code error;
    for (const std::string &path : headers)
      if (isFaster && !status && !path.empty())
        fs::remove(path, error);
  }
  showMessages(messages);
  return status;
}

int Driver::build(const std::string &source, const Mentions &mentions, const std::string &output) {
  Cores cores = coresOf(sideOf(source), mentions);
  const bool isObject = command.goal == Command::Compile || command.goal == Command::LinkIt;
  Cores first = cores == Cores::Unified                            ? Cores::Unified
                : cores == Cores::Cube || cores == Cores::CubeHalf ? Cores::Cube
                                                                   : Cores::Vector;
  std::string object = cores == Cores::Unified || !isObject ? output : nextFile(".o");
  if (object.empty())
    return fail("cannot make a folder for temporary files; TMPDIR names the place for it");
  Words words, others;
  bool launches = mentions.launches;
  if (int status = prepare(source, mentions, first, object, output, words, &launches))
    return status;
  // Programs for host simulators often hide their launches from them, and call instead.
  if (command.hostProfile && command.cores == Cores::Unknown && !launches && first != Cores::Unified) {
    cores = first = Cores::Unified;
    object = output;
    if (int status = prepare(source, mentions, first, object, output, words))
      return status;
  }
  std::vector<Words> commands{words};
  std::vector<std::string> headers(2);
  const auto findHeaders = [&](Cores pass, std::string &found) {
    return mentions.launches ? 0 : headersFor(passWords(source, mentions, pass), {source}, found);
  };
  if (int status = findHeaders(first, headers[0]))
    return status;
  std::string second;
  if (cores == Cores::Mixed && isObject) {
    second = nextFile(".o");
    if (int status = prepare(source, mentions, Cores::Cube, second, output, others))
      return status;
    commands.push_back(others);
    if (int status = findHeaders(Cores::Cube, headers[1]))
      return status;
  }
  const int status = compile(std::move(commands), headers);
  if (!status)
    cleanDependencies(source, output);
  if (status || cores == Cores::Unified || !isObject)
    return status;
  return cores == Cores::CubeHalf ? finishObject(mentions, cores, "", object, output)
                                  : finishObject(mentions, cores, object, second, output);
}

} // namespace ptoscope::cxx
