//===- Cache.cpp - results of runs, kept on disk --------------------------===//
//
// The rules are those of compiled code (CodeCache.h): an entry has a digest of itself and is
// named by what it depends on.
//
//===----------------------------------------------------------------------===//

#include "Cache.h"
#include "ptoscope/Compiler/CodeCache.h"
#include "ptoscope/Driver/Usage.h"

#include <nlohmann/json.hpp>

#include <bit>

namespace ptoscope::suite {

static std::optional<std::string> contentsOf(const std::string &path) {
  Result<Array> file = readRaw(path);
  if (!file)
    return std::nullopt;
  return std::string(reinterpret_cast<const char *>(file->bytes.data()), file->bytes.size());
}

static std::string bitsOf(double value) { return std::to_string(std::bit_cast<uint64_t>(value)); }

std::string keyOf(const Variant &variant, bool warningsAreErrors) {
  const Case &one = *variant.of;
  const RunRequest &request = one.request;
  std::vector<std::string> parts = {
      "suite result 1",
      one.file,
      one.name,
      one.place.file,
      std::to_string(one.place.line),
      std::to_string(variant.blocks),
      scheduleName(variant.schedule),
      request.compile.kernel,
      request.frontend.arch,
      checkNames(request.launch.checks),
      std::to_string(request.compile.asWritten),
      std::to_string(request.frontend.strict),
      std::to_string(warningsAreErrors),
      request.tolerance ? bitsOf(request.tolerance->atol) + " " + bitsOf(request.tolerance->rtol) : "exact"};
  auto addFile = [&](const std::string &path) {
    std::optional<std::string> contents = contentsOf(path);
    parts.push_back(contents ? *contents : "");
    return contents.has_value();
  };
  bool known = addFile(one.file);
  for (const std::string &code : one.finds)
    parts.push_back("finds " + code);
  for (const std::string &word : request.arguments) {
    parts.push_back("argument " + word);
    // Words that name a file are paths; a number is no file for anyone.
    if (word != "auto" && !isGeneratorWord(word))
      addFile(word);
  }
  for (const std::string &word : request.expectations) {
    parts.push_back("expect " + word);
    const std::string path = word.substr(word.find('=') + 1);
    if (!isGeneratorWord(path))
      known &= addFile(path);
  }
  if (!known)
    return "";
  std::vector<llvm::StringRef> views(parts.begin(), parts.end());
  return CodeCache::keyOf(views);
}

std::optional<Outcome> findOutcome(const std::string &key) {
  std::optional<CodeCache> cache = CodeCache::open();
  std::optional<std::vector<ObjectFile>> entry = cache && !key.empty() ? cache->find(key) : std::nullopt;
  if (!entry || entry->size() != 1)
    return std::nullopt;
  const ObjectFile &bytes = entry->front();
  std::optional<Outcome> outcome =
      outcomeFromJson(nlohmann::ordered_json::parse(bytes.begin(), bytes.end(), nullptr, /*allow_exceptions=*/false));
  if (outcome)
    outcome->cached = true;
  return outcome;
}

void keepOutcome(const std::string &key, const Outcome &outcome) {
  std::optional<CodeCache> cache = CodeCache::open();
  // What a host did once, it may not do again.
  if (!cache || key.empty() || outcome.verdict == Verdict::Crashed || outcome.verdict == Verdict::TimedOut)
    return;
  const std::string text = printJson(toJson(outcome));
  ObjectFile bytes(text.begin(), text.end());
  cache->keep(key, bytes);
}

} // namespace ptoscope::suite
