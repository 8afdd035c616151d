//===- Diagnostics.cpp - what `check` says, while someone types -----------===//

#include "Diagnostics.h"

#include "ptoscope/Compiler/ProgramText.h"
#include "ptoscope/Language/Check.h"

#include <algorithm>

namespace ptoscope {

/// Long enough that no one is told of a word half typed, short enough to seem at once.
static constexpr std::chrono::milliseconds kPause(120);

//===----------------------------------------------------------------------===//
// Findings
//===----------------------------------------------------------------------===//

FindingList diagnose(const std::string &path, const std::string &text, const std::function<bool()> &stale) {
  // A context keeps every type and attribute that it has seen: none outlives a text.
  Session session;
  FrontendOptions options;
  FindingList findings;
  std::unique_ptr<ParsedProgram> program = session.parse(path, text, options, findings);
  if (stale())
    return findings;
  if (program->module) {
    checkParsed(session, *program, options, findings, stale);
    return findings;
  }
  const std::string closed = closedByIndentation(text);
  if (closed == text)
    return findings;
  FindingList more;
  session.parse(path, closed, options, more);
  for (const Finding &finding : more.all()) {
    const bool told = std::ranges::any_of(findings.all(),
                                          [&](const Finding &known) { return known.place.line == finding.place.line; });
    if (finding.severity == Severity::Error && !told)
      findings.add(finding);
  }
  return findings;
}

std::string closedByIndentation(const std::string &text) {
  const std::string code = codeOnly(text);
  if (std::ranges::count(code, '{') == std::ranges::count(code, '}'))
    return text;
  std::string result, line;
  std::vector<size_t> open; // indentation of the lines that open braces
  size_t lastCode = 0;      // in `result`, behind the last character of code
  for (size_t begin = 0; begin <= code.size();) {
    const size_t end = std::min(code.find('\n', begin), code.size());
    const size_t first = std::min(code.find_first_not_of(" \t\r", begin), end), indent = first - begin;
    size_t closers = 0;
    if (first < end) {
      // What begins left of a region, or beside its head, is not in it.
      if (code[first] != '}' && code[first] != '^')
        while (!open.empty() && indent <= open.back()) {
          open.pop_back();
          ++closers;
        }
      std::string braces;
      for (size_t k = 0; k < closers; ++k)
        braces += " }";
      result.insert(lastCode, braces);
    }
    std::string kept = text.substr(begin, end - begin);
    for (size_t i = first; i < end; ++i) {
      if (code[i] == '{')
        open.push_back(indent);
      else if (code[i] == '}' && open.empty())
        kept[i - begin] = ' '; // closes nothing
      else if (code[i] == '}')
        open.pop_back();
    }
    const size_t last = code.find_last_not_of(" \t\r\n", end ? end - 1 : 0);
    if (first < end && last != std::string::npos && last >= begin)
      lastCode = result.size() + (last + 1 - begin);
    result += kept;
    if (end < code.size())
      result += '\n';
    begin = end + 1;
  }
  std::string braces;
  for (size_t k = 0; k < open.size(); ++k)
    braces += " }";
  return result.insert(lastCode, braces);
}

//===----------------------------------------------------------------------===//
// The thread
//===----------------------------------------------------------------------===//

Watcher::Watcher(Publish publish) : publish(std::move(publish)), thread([this] { work(); }) {}

Watcher::~Watcher() {
  {
    std::lock_guard lock(mutex);
    stopping = currentStale = true;
  }
  changed.notify_all();
  thread.join();
}

void Watcher::submit(const std::string &uri, std::string path, std::string text, int64_t version, bool typing) {
  {
    std::lock_guard lock(mutex);
    currentStale |= current == uri;
    jobs[uri] = {std::move(path), std::move(text), version, typing ? Clock::now() + kPause : Clock::now()};
  }
  changed.notify_all();
}

void Watcher::forget(const std::string &uri) {
  std::lock_guard lock(mutex);
  currentStale |= current == uri;
  jobs.erase(uri);
}

void Watcher::work() {
  std::unique_lock lock(mutex);
  while (!stopping) {
    auto next = std::ranges::min_element(jobs, {}, [](const auto &entry) { return entry.second.due; });
    if (next == jobs.end()) {
      changed.wait(lock);
      continue;
    }
    if (next->second.due > Clock::now()) {
      changed.wait_until(lock, Clock::time_point(next->second.due));
      continue;
    }
    Job job = std::move(next->second);
    current = next->first;
    currentStale = false;
    jobs.erase(next);
    const std::string uri = current;
    lock.unlock();
    FindingList findings = diagnose(job.path, job.text, [this] {
      std::lock_guard asking(mutex);
      return currentStale;
    });
    lock.lock();
    current.clear();
    if (currentStale)
      continue;
    lock.unlock();
    publish(uri, job.version, findings);
    lock.lock();
  }
}

} // namespace ptoscope
