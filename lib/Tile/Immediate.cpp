//===- Immediate.cpp - instructions without a launch ----------------------===//
//
// Programs that call a kernel like any function get a core of their thread. What
// it finds is printed when it ends. There is no trampoline to leave the kernel
// for: a finding that ends a block ends the process, with the exit status 1.
//
//===----------------------------------------------------------------------===//

#include "Buffers.h"
#include "Environment.h"
#include "HostProfile.h"
#include "HostThreads.h"
#include "Run.h"

#include "ptoscope/Machine/Remedies.h"
#include "ptoscope/Support/ProcessMutex.h"

#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace ptoscope {
namespace tile {

/// A block could not go on when its kernels had ended, and the program does not know: its status says so
/// (TLAUNCH-3). Static objects of the program are gone before this one.
static struct Unfinished {
  std::atomic<bool> block = false;
  ~Unfinished() {
    if (!block)
      return;
    std::fflush(nullptr);
    std::_Exit(1);
  }
} unfinished;

namespace {
/// A block and all it needs, in the order of construction.
struct Immediate {
  Setup setup;
  GmTable gm;
  LaunchState state;
  bool open = true;
  std::unique_ptr<CheckerFactory> checkers;
  std::unique_ptr<OpenBlock> block;
  std::unique_ptr<Context> context;

  /// With the memories of `before`, which has ended; may be null.
  explicit Immediate(const Immediate *before);
  ~Immediate() {
    close();
    if (Context *current = Context::exchange(nullptr); current != context.get())
      Context::exchange(current);
  }
  /// Prints what was found; false when there is an error.
  bool close();
};

class ImmediateContext final : public Context {
public:
  ImmediateContext(Immediate &owner, PtoContext *core, LaunchState &launch) : Context(core, launch), owner(owner) {}

  /// In the whole program: a block of direct calls is no unit that users know of.
  bool isFirst(SiteId site) override {
    using Line = std::tuple<std::string, uint32_t, uint32_t>;
    static ProcessMutex mutex;
    static std::set<Line> told;
    const ptoscope::Place place = site == kNoSite ? ptoscope::Place{} : launch.places.table[site].place;
    std::lock_guard lock(mutex);
    return told.insert({place.file, place.line, place.column}).second;
  }

private:
  void stop() override {
    owner.close();
    std::fputs("ptoscope: a kernel that was called without `ptoscope::launch` cannot go on\n", stderr);
    // No destructors: those of this thread would look for the block that has just ended.
    std::fflush(nullptr);
    std::_Exit(1);
  }
  Immediate &owner;
};

Immediate::Immediate(const Immediate *before) {
  Options options;
  options.arch = archOfThread();
  options = Environment::process().over(options);
  setup.set(options, state);
  std::string problem = Buffers::process().table({}, gm);
  if (!problem.empty())
    std::fprintf(stderr, "ptoscope: %s: register each buffer once, or as part of a larger one\n", problem.c_str());
  admitHostMemory(gm);
  checkers = makeCheckers(state.places.table, gm, setup.profile, setup.machine.checks);
  if (before)
    checkers->inherit(*before->checkers);
  setup.machine.observers = checkers.get();
  block = openBlock(gm, state.places.table, setup.machine, before ? before->block.get() : nullptr);
  if (!block) {
    std::fputs("ptoscope: the host refuses the address space for the on-chip memories\n", stderr);
    std::abort();
  }
  context = std::make_unique<ImmediateContext>(*this, block->core(), state);
  takeIdentity(*context);
}

bool Immediate::close() {
  if (!open)
    return true;
  open = false;
  LaunchResult result = block->close();
  suggestRemedies(result.findings, onlyCause(result.slips, result.findings, sourceLines()));
  if (!result.findings.empty())
    printFindings(result.findings);
  addToReport(result.findings);
  if (!result.completed)
    unfinished.block = true;
  return !result.findings.failed();
}
} // namespace

namespace {
/// The last block that ended keeps the memories of the thread: programs look at tiles
/// afterwards, and the next block finds them where they were, with what they hold.
struct Blocks {
  std::unique_ptr<Immediate> ended, open;
  bool failed = false; ///< an earlier one, and the program has not asked since
};
} // namespace

static Blocks &ofThread() {
  static thread_local Blocks blocks;
  return blocks;
}

Context &immediateContext() {
  auto &[ended, open, failed] = ofThread();
  if (!open)
    open = std::make_unique<Immediate>(ended.get());
  return *open->context;
}

/// False: the open block of this thread had an error.
static bool closeOpen() {
  auto &[ended, open, failed] = ofThread();
  if (!open)
    return true;
  Context *current = Context::exchange(nullptr);
  if (current != open->context.get())
    Context::exchange(current); // inside a launch
  bool fine = open->close();
  ended = std::move(open);
  return fine;
}

void endDirectCalls() {
  if (!closeOpen())
    ofThread().failed = true;
}

bool directCallsWereFine() {
  endDirectCalls();
  return !std::exchange(ofThread().failed, false);
}
void programKnows() { unfinished.block = false; }

} // namespace tile

bool finishDirectCalls() {
  const bool fine = tile::closeOpen();
  if (!fine)
    tile::programKnows();
  return fine;
}

} // namespace ptoscope
