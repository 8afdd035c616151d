//===- Sources.cpp - C++ programs that are changed where they are ---------===//

#include "ptoscope/Fix/Examiners.h"
#include "ptoscope/Support/AtomicFile.h"

#include <filesystem>
#include <unistd.h>

namespace fs = std::filesystem;

namespace ptoscope {

static Result<std::string> readText(const std::string &path) {
  Result<Array> file = readRaw(path);
  if (!file)
    return file.takeFinding();
  return std::string(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
}

Result<SourceFiles> SourceFiles::open(std::span<const std::string> paths) {
  SourceFiles files;
  for (const std::string &path : paths) {
    std::error_code ignored;
    if (const std::string kept = path + kKeptEnding; fs::exists(kept, ignored)) {
      Finding finding =
          makeFinding("file-error", {path, 0, 0}, "an earlier `fix` was killed while it had changed this file");
      finding.help = "its old text is in `" + kept + "`: move that back, or remove it";
      return finding;
    }
    Result<std::string> text = readText(path);
    if (!text)
      return text.takeFinding();
    if (Result<void> writable = OutputSet::probe(path); !writable)
      return writable.takeFinding();
    if (!files.originals.emplace(path, *text).second) {
      Finding finding = makeFinding("usage", {}, "`" + path + "` is given twice");
      return finding;
    }
  }
  files.current = files.originals;
  return std::move(files);
}

Result<void> SourceFiles::put(const Texts &texts) {
  OutputSet outputs;
  for (const auto &[path, text] : texts) {
    Result<std::string> there = readText(path);
    if (!there)
      return there.takeFinding();
    if (*there != current.at(path))
      return makeFinding("file-error", {path, 0, 0}, "someone else changed this file meanwhile");
    if (text == current.at(path))
      continue;
    if (current.at(path) == originals.at(path))
      if (Result<void> kept = writeFileAtomically(path + kKeptEnding, originals.at(path)); !kept)
        return kept;
    if (Result<void> staged = outputs.stage(path, text); !staged)
      return staged;
  }
  if (Result<void> done = outputs.commit(); !done)
    return done;
  current = texts;
  for (const auto &[path, text] : texts)
    if (text == originals.at(path))
      ::unlink((path + kKeptEnding).c_str());
  return {};
}

Result<void> SourceFiles::restore() { return originals == current ? Result<void>() : put(originals); }

void SourceFiles::release() {
  for (const auto &[path, text] : current)
    if (text != originals.at(path))
      ::unlink((path + kKeptEnding).c_str());
  originals = current;
}

std::string SourceFiles::pathOf(const std::string &named) const {
  std::error_code ignored;
  for (const auto &[path, text] : originals)
    if (fs::equivalent(path, named, ignored))
      return path;
  // A command may have changed its folder: the only file with this name.
  std::string found;
  for (const auto &[path, text] : originals)
    if (fs::path(path).filename() == fs::path(named).filename()) {
      if (!found.empty())
        return "";
      found = path;
    }
  return found;
}

} // namespace ptoscope
