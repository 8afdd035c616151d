//===- Precompiled.cpp - our headers, parsed once -------------------------===//
//
// The name of a file in the cache is a digest of the compiler and of every word that
// it was made with. clang itself looks whether the headers have changed since.
//
//===----------------------------------------------------------------------===//

#include "Precompiled.h"

#include "Lexer.h"
#include "ptoscope/Support/CacheFolder.h"
#include "ptoscope/Support/Text.h"

#include <algorithm>
#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

namespace ptoscope::cxx {

namespace fs = std::filesystem;

/// `<name>` or `"name"` of a line `#include …`; empty for others.
static std::string_view included(std::string_view line) {
  const auto skip = [&](size_t count) {
    line.remove_prefix(count);
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip(1);
  if (!line.starts_with("include"))
    return {};
  skip(7);
  const size_t close =
      line.empty() || (line[0] != '<' && line[0] != '"') ? line.npos : line.find(line[0] == '<' ? '>' : '"', 1);
  return close == line.npos ? std::string_view() : line.substr(0, close + 1);
}

static bool isOfStandard(std::string_view name) {
  constexpr std::string_view kOfC[] = {"<assert.h>", "<float.h>", "<limits.h>", "<math.h>",  "<stddef.h>",
                                       "<stdint.h>", "<stdio.h>", "<stdlib.h>", "<string.h>"};
  return name.starts_with("<") &&
         (name.find_first_of("./") == name.npos || std::find(std::begin(kOfC), std::end(kOfC), name) != std::end(kOfC));
}

bool startsWithHeaders(std::string_view text) {
  for (const Token &token : lex(text, /*openDirectives=*/false)) {
    if (token.kind != Token::Directive)
      return false;
    const std::string_view name = included(token.in(text));
    if (name == "<pto/pto-inst.hpp>")
      return true;
    if (!isOfStandard(name))
      return false;
  }
  return false;
}

/// Words that mean the same for a header and for a file that includes it.
static bool isKnown(const Word &word) {
  constexpr std::string_view kKnown[] = {"-O",       "-g",         "-f",       "-W",    "-w",  "-m",
                                         "-std=",    "-pthread",   "-stdlib=", "-D",    "-U",  "-I",
                                         "-isystem", "-idirafter", "-pipe",    "-ansi", "-ped"};
  constexpr std::string_view kOthers[] = {"-gmodules", "-gsplit",       "-fmodule", "-fcxx-modules",
                                          "-fplugin",  "-fpass-plugin", "-ftime-",  "-fproc-",
                                          "-fcrash-",  "-fdepfile",     "-mllvm",   "-Wp,"};
  const auto starts = [&](std::string_view prefix) { return word.text.starts_with(prefix); };
  if (word.use == Word::Input) // a source in another language is compiled by the same command
    return word.text.ends_with(".o") || word.text.ends_with(".a") || word.text.ends_with(".so");
  return word.use == Word::Source || word.use == Word::Link ||
         (std::any_of(std::begin(kKnown), std::end(kKnown), starts) &&
          std::none_of(std::begin(kOthers), std::end(kOthers), starts) &&
          word.text.find("native") == std::string::npos);
}

bool allowsHeaders(const Command &command) {
  return !command.readsInput && std::all_of(command.words.begin(), command.words.end(), isKnown);
}

/// 64 bits of FNV-1a.
static std::string digestOf(std::string_view text) {
  uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text)
    hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return hex(hash, 16);
}

/// Another build of a program may read headers in another way, or have others.
static std::string identityOf(const std::string &program) {
  struct stat status;
  if (stat(program.c_str(), &status) != 0)
    return {};
  std::error_code error;
  return fs::canonical(program, error).string() + " " + std::to_string(status.st_size) + " " +
         std::to_string(status.st_mtim.tv_sec);
}

static std::string keyOf(const Words &words) {
  std::string key = identityOf(words[0]) + " " + identityOf("/proc/self/exe");
  for (const char *variable : {"CPATH", "CPLUS_INCLUDE_PATH"})
    if (const char *value = std::getenv(variable))
      key += std::string(" ") + variable + "=" + value;
  std::error_code error;
  bool isFolder = false;
  for (const std::string &word : words) {
    // `-I folder` and `-Ifolder`, `-isystem folder`
    const std::string_view folder = isFolder                 ? std::string_view(word)
                                    : word.starts_with("-I") ? std::string_view(word).substr(2)
                                                             : std::string_view();
    if (!folder.empty() && !folder.starts_with('/'))
      key += " " + fs::current_path(error).string();
    isFolder = !isFolder && (word == "-I" || word.starts_with("-i"));
    key += '\0' + word;
  }
  return digestOf(key);
}

/// Leaves room for a new one: those that were used last stay.
static void removeOld(const fs::path &folder) {
  constexpr uintmax_t kMaxBytes = 128 << 20;
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (const fs::directory_entry &entry : fs::directory_iterator(folder, error))
    files.emplace_back(entry.last_write_time(error), entry.path());
  std::sort(files.rbegin(), files.rend());
  uintmax_t bytes = 0;
  for (const auto &[time, path] : files)
    if ((bytes += fs::file_size(path, error)) > kMaxBytes)
      fs::remove(path, error);
}

int precompiledHeaders(const Words &words, const Home &home, Scratch &scratch, bool verbose, std::string &headers) {
  const std::string caches = isClang(words[0]) ? cacheFolder() : "";
  if (caches.empty() || scratch.path("").empty())
    return 0;
  const fs::path folder = fs::path(caches) / "headers", path = folder / (keyOf(words) + ".pch");
  std::error_code error;
  if (fs::is_regular_file(path, error)) {
    fs::last_write_time(path, fs::file_time_type::clock::now(), error);
    headers = path;
    return 0;
  }
  mkdir(folder.c_str(), S_IRWXU); // others could make the compiler load theirs
  if (access(folder.c_str(), W_OK) != 0)
    return 0;
  removeOld(folder);
  const std::string made = path.string() + "." + std::to_string(getpid());
  Words command = words;
  command.insert(command.end(), {"-fpch-instantiate-templates", "-x", "c++-header",
                                 home.include + "/ptoscope/precompiled.hpp", "-o", made});
  const int status = runAll({command}, verbose, {scratch.path("headers.txt")});
  if (!status)
    fs::rename(made, path, error);
  if (!status && !error)
    headers = path;
  else
    fs::remove(made, error);
  return wasInterrupted(status) ? status : 0;
}

void appendPrecompiled(Words &command, const std::string &headers) {
  // clang does not look at headers of the system otherwise.
  command.insert(command.end(), {"-include-pch", headers, "-Xclang", "-fmodules-validate-system-headers"});
}

} // namespace ptoscope::cxx
