//===- Sources.cpp - files that an audit looks at -------------------------===//

#include "Sources.h"
#include "ptoscope/Audit/Alignment.h"
#include "ptoscope/Audit/CxxProgram.h"
#include "ptoscope/Driver/CxxCommand.h"
#include "ptoscope/Driver/Usage.h"
#include "ptoscope/Support/Array.h"

#include <algorithm>
#include <filesystem>
#include <map>

namespace ptoscope::audit {

namespace fs = std::filesystem;

/// Reads a file; what cannot be read is kept as such.
static Source sourceOf(const std::string &folder, const fs::path &path) {
  Source source;
  source.path = path.string();
  source.relative = path.lexically_relative(folder).string();
  const std::string ending = path.extension().string();
  source.isCxx = ending != ".pto";
  std::error_code error;
  const fs::file_status status = fs::status(path, error);
  if (!fs::is_regular_file(status)) {
    source.problem = fs::exists(status) ? "it is not a regular file" : "it does not exist; is it a broken link?";
    return source;
  }
  Result<Array> read = readRaw(source.path);
  if (!read)
    source.problem = read.takeFinding().message;
  else
    source.text.assign(reinterpret_cast<const char *>(read->bytes.data()), read->bytes.size());
  return source;
}

Result<std::vector<Source>> findSources(const std::string &folder) {
  std::error_code error;
  if (!fs::is_directory(folder, error))
    return usageError("`" + folder + "` is not a folder", "give the folder that a compiler wrote its output to");
  std::vector<Source> sources;
  const auto refuse = [&](const std::string &path, const std::error_code &why) {
    Source source;
    source.path = path;
    source.relative = fs::path(path).lexically_relative(folder).string();
    source.problem = why.message();
    sources.push_back(std::move(source));
  };
  // Folder by folder: one that cannot be read is told, and does not end the others.
  std::vector<fs::path> folders = {folder};
  while (!folders.empty()) {
    const fs::path next = std::move(folders.back());
    folders.pop_back();
    fs::directory_iterator it(next, error);
    if (error) {
      refuse(next.string(), error);
      continue;
    }
    for (const fs::directory_iterator end; it != end; it.increment(error)) {
      if (error) {
        refuse(next.string(), error);
        break;
      }
      std::error_code ignored;
      if (it->is_directory(ignored) && !it->is_symlink(ignored))
        folders.push_back(it->path());
      else if (it->path().extension() == ".pto")
        sources.push_back(sourceOf(folder, it->path()));
      else if (cxx::isCxxSource(it->path().native()))
        if (Source source = sourceOf(folder, it->path()); !source.problem.empty() || includesTileApi(source.text))
          sources.push_back(std::move(source));
    }
  }
  if (sources.empty())
    return usageError("no kernel under `" + folder + "`",
                      "an audit looks at .pto files, and at C++ files that include the tile API (pto/…)");
  std::ranges::sort(sources, {}, &Source::relative);
  return sources;
}

std::vector<std::optional<size_t>> matchSources(const std::vector<Source> &before, const std::vector<Source> &after) {
  std::map<std::string, size_t> byName;
  for (size_t i = 0; i < before.size(); ++i)
    byName.emplace(before[i].relative, i);
  std::vector<std::optional<size_t>> match(after.size());
  std::vector<bool> taken(before.size());
  for (size_t i = 0; i < after.size(); ++i)
    if (auto it = byName.find(after[i].relative); it != byName.end()) {
      match[i] = it->second;
      taken[it->second] = true;
    }
  for (size_t i = 0; i < after.size(); ++i) {
    double best = 0.5;
    for (size_t j = 0; j < before.size() && !(match[i] && best == 0.5); ++j)
      if (!taken[j] && before[j].isCxx == after[i].isCxx)
        if (const double like = likeness(before[j].text, after[i].text); like > best) {
          best = like;
          match[i] = j;
        }
    if (match[i])
      taken[*match[i]] = true;
  }
  return match;
}

} // namespace ptoscope::audit
