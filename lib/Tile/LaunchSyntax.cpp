//===- LaunchSyntax.cpp - launches as programs write them -----------------===//
//
// LSYN-1 to LSYN-8. A launch looks for the cube half of its kernel: by the address
// of the kernel, in tables that `ptoscope c++` adds to objects, or by the place of
// the launch, which the cube pass of the same file has too.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/launch_syntax.hpp"

#include "ptoscope/Support/ProcessMutex.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <cxxabi.h>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>

namespace ptoscope::syntax {

namespace {
struct Metadata {
  unsigned kind, cubes, vectors;
};
/// Filled by constructors of the program, in any order, and by shared objects later.
struct Known {
  ProcessMutex mutex;
  SiteHalf *sites = nullptr;
  EntryTable *tables = nullptr;
  std::map<std::string, Metadata, std::less<>> metadata;
  std::atomic<bool> failed = false;
};
Known &known() {
  static Known *instance = new Known; // outlives destructors of the program
  return *instance;
}

/// Two passes of a compiler number functions without a name apart: `3$_0` and `4$_12`
/// may be the same one.
std::string withoutNumbers(std::string_view type) {
  std::string name;
  for (size_t i = 0; i < type.size(); ++i) {
    if (type.substr(i, 2) == "$_") {
      while (!name.empty() && name.back() >= '0' && name.back() <= '9')
        name.pop_back();
      name += '$';
      for (++i; i + 1 < type.size() && type[i + 1] >= '0' && type[i + 1] <= '9'; ++i) {
      }
    } else {
      name += type[i];
    }
  }
  return name;
}

const SiteHalf *findSite(const Launch &launch) {
  if (!launch.site)
    return nullptr;
  const std::string type = withoutNumbers(launch.type);
  for (const SiteHalf *half = known().sites; half; half = half->next)
    if (std::string_view(half->site) == launch.site && withoutNumbers(half->type) == type)
      return half;
  return nullptr;
}

/// The row of a function, and its table.
std::pair<const EntryHalf *, const EntryTable *> findEntry(const void *entry) {
  for (const EntryTable *table = known().tables; entry && table; table = table->next)
    for (size_t i = 0; i < table->count; ++i)
      if (table->halves[i].entry == entry)
        return {&table->halves[i], table};
  return {};
}

/// `ns::work` of the symbol of `ns::work(float *)`.
std::string writtenName(const char *symbol) {
  const std::unique_ptr<char, void (*)(void *)> text{abi::__cxa_demangle(symbol, nullptr, nullptr, nullptr), std::free};
  const std::string_view whole = text ? text.get() : symbol;
  return std::string(whole.substr(0, whole.find('(')));
}

/// The cube half of a function whose halves are two files: by its symbol, or as a launch writes it.
const void *findCubeFile(std::string_view name, bool isWritten = false) {
  for (const EntryTable *table = known().tables; table; table = table->next)
    for (size_t i = 0; i < table->count; ++i)
      if (const EntryHalf &half = table->halves[i];
          !half.entry && (isWritten ? writtenName(half.name) : half.name) == name)
        return half.cube;
  return nullptr;
}

void apply(const Metadata &metadata, Plan &plan) {
  enum { CubeOnly = 1, VectorOnly = 2 };
  if (plan.kind != Mixed)
    return;
  if (metadata.kind == CubeOnly || metadata.vectors == 0)
    plan.kind = Cube;
  else if (metadata.kind == VectorOnly || metadata.cubes == 0)
    plan.kind = Vector;
  else
    plan.vectorCores = int(metadata.vectors / metadata.cubes);
}

[[noreturn]] void refuse(const Launch &launch) {
  std::fprintf(
      stderr,
      "ptoscope: %s: the cube half of %s%s%s cannot be found: the file is compiled for both kinds of cores, and "
      "the launch is by a pointer to a static function. Launch the function by its name, or let it be "
      "visible to other files\n",
      launch.site ? launch.site : "a launch", *launch.kernel ? "`" : "the kernel", launch.kernel,
      *launch.kernel ? "`" : "");
  std::fflush(nullptr);
  std::_Exit(1);
}
} // namespace

bool addHalf(SiteHalf &half, const char *site, const char *type) {
  std::lock_guard lock(known().mutex);
  half.site = site;
  half.type = type;
  half.next = known().sites;
  known().sites = &half;
  return true;
}

bool addTable(EntryTable &table) {
  std::lock_guard lock(known().mutex);
  table.next = known().tables;
  known().tables = &table;
  return true;
}

bool addMetadata(const char *kernel, unsigned kind, unsigned cubes, unsigned vectors) {
  std::string_view name = kernel;
  // Symbols of the two halves on a device.
  for (std::string_view suffix : {"_mix_aic", "_mix_aiv"})
    if (name.ends_with(suffix))
      name.remove_suffix(suffix.size());
  std::lock_guard lock(known().mutex);
  known().metadata.insert_or_assign(std::string(name), Metadata{kind, cubes, vectors});
  return true;
}

const void *cubeHalf(const void *entry) {
  std::lock_guard lock(known().mutex);
  const auto [row, table] = findEntry(entry);
  if (const void *file = row ? findCubeFile(row->name) : nullptr)
    return file;
  if (row && row->cube)
    return row->cube;
  std::fprintf(
      stderr,
      "ptoscope: the kernel%s%s was not compiled for both kinds of cores: compile its file with `ptoscope c++`, "
      "and let it mention __DAV_CUBE__ and __DAV_VEC__ or add --ptoscope-cores=mixed\n",
      row ? " " : "", row ? row->name : "");
  std::fflush(nullptr);
  std::_Exit(1);
}

Plan plan(const Launch &launch) {
  std::lock_guard lock(known().mutex);
  Plan plan{Unified, 2, launch.arch, nullptr, nullptr};
  if (const auto [row, table] = findEntry(launch.entry); row) {
    plan.kind = table->kind;
    plan.arch = table->arch;
    plan.entry = row->cube;
    // A file that is the cube half comes before what the file of the vector half has for cube cores.
    if (plan.kind == Vector || plan.kind == Mixed)
      if (const void *other = findCubeFile(row->name)) {
        plan.kind = Mixed;
        plan.entry = other;
      }
  } else if (const SiteHalf *half = launch.kind == Cube ? nullptr : findSite(launch)) {
    plan.kind = Mixed;
    plan.site = half->invoke;
  } else if (const void *cube = findCubeFile(launch.kernel, /*isWritten=*/true)) {
    // LSYN-5: the vector half, compiled without a word about cores, has no table.
    plan.kind = Mixed;
    plan.entry = cube;
  } else if (launch.site) {
    if (launch.kind == Mixed)
      refuse(launch);
    plan.kind = launch.kind;
  }
  if (const auto it = known().metadata.find(std::string_view(launch.kernel)); it != known().metadata.end())
    apply(it->second, plan);
  return plan;
}

/// A program in another language that says how launches of its thread run, and takes their findings.
struct Listener {
  bool listens = false;
  Options options;
  std::string reports; ///< the JSON object of each launch
  bool allOk = true;
};
static thread_local Listener listener;

int run(const Launch &launch, const Plan &plan, const detail::Cores &cores) {
  Options options = listener.options;
  options.arch = plan.arch;
  const Result result = detail::launchCores(options, launch.blocks, nullptr, 0, cores);
  if (listener.listens) {
    listener.reports += std::string(listener.reports.empty() ? "" : ",") + result.text(Result::Json);
    listener.allOk = listener.allOk && result.ok();
  } else if (result.size()) {
    result.print();
  }
  if (!result.ok())
    known().failed = true;
  return result.ok() ? 0 : 1;
}

bool takeError() { return known().failed.exchange(false); }

} // namespace ptoscope::syntax

// For programs in other languages that load a shared object with kernels. 0, or 1 where
// nothing is registered.
extern "C" {
PTOSCOPE_API int ptoscope_register(void *pointer, uint64_t bytes, const char *name);
PTOSCOPE_API int ptoscope_unregister(void *pointer);
/// Until ptoscope_heard: how launches of this thread run. `checks` has bits for race, memory, init and sync,
/// from the lowest; `schedule` is Options::Order.
PTOSCOPE_API void ptoscope_listen(uint32_t checks, int schedule, uint64_t seed, uint32_t threads);
/// Ends it. The findings of these launches, an array of what `--format json` prints; valid until the next call
/// of this thread. `ok`: 1 where none of them failed.
PTOSCOPE_API const char *ptoscope_heard(int *ok);
}

void ptoscope_listen(uint32_t checks, int schedule, uint64_t seed, uint32_t threads) {
  ptoscope::syntax::Listener &listener = ptoscope::syntax::listener;
  listener = {};
  listener.listens = true;
  listener.options.race = checks & 1;
  listener.options.memory = checks & 2;
  listener.options.init = checks & 4;
  listener.options.sync = checks & 8;
  listener.options.schedule = ptoscope::Options::Order(schedule);
  listener.options.seed = seed;
  listener.options.threads = threads;
}

const char *ptoscope_heard(int *ok) {
  static thread_local std::string text;
  text = "[" + ptoscope::syntax::listener.reports + "]";
  *ok = ptoscope::syntax::listener.allOk;
  ptoscope::syntax::listener = {};
  return text.c_str();
}

static ptoscope::ProcessMutex foreignMutex;
static std::map<void *, std::unique_ptr<ptoscope::Registration>> &foreign() {
  static auto *registered = new std::map<void *, std::unique_ptr<ptoscope::Registration>>;
  return *registered;
}

int ptoscope_register(void *pointer, uint64_t bytes, const char *name) {
  if (!pointer || !bytes)
    return 1;
  std::lock_guard lock(foreignMutex);
  std::unique_ptr<ptoscope::Registration> &slot = foreign()[pointer];
  slot.reset(); // of the same place with another size
  slot = std::make_unique<ptoscope::Registration>(static_cast<uint8_t *>(pointer), bytes, name);
  return 0;
}

int ptoscope_unregister(void *pointer) {
  std::lock_guard lock(foreignMutex);
  return foreign().erase(pointer) ? 0 : 1;
}
