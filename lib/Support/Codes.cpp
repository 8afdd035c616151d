//===- Codes.cpp - the table of codes -------------------------------------===//
//
// A new code is a row here and a page, docs/findings/CODE.md. Renderers,
// `ptoscope explain` and the SARIF rules read the two as one table.
//
//===----------------------------------------------------------------------===//

#include "ptoscope/Support/Finding.h"
#include "ptoscope/Support/Text.h"

#include <algorithm>

namespace ptoscope {

namespace {
struct Row {
  std::string_view code;
  Severity severity;
  Category category;
  std::string_view title;
};
} // namespace

static constexpr Row kRows[] = {
    // what can be wrong before anything runs, and wrong use
    {"parse-error", Severity::Error, Category::Program, "the program text does not parse"},
    {"not-text", Severity::Error, Category::Program, "the file is not program text"},
    {"nesting-too-deep", Severity::Error, Category::Program, "brackets or regions nest deeper than 256"},
    {"verify-error", Severity::Error, Category::Program, "an instruction breaks a rule of its definition"},
    {"unknown-instruction", Severity::Error, Category::Program, "no PTO instruction has this name"},
    {"not-modelled", Severity::Error, Category::NotModelled, "valid, but PTOScope does not model it"},
    {"not-on-profile", Severity::Error, Category::Program, "the selected profile does not have this"},
    {"loose-spelling", Severity::Remark, Category::Program, "accepted, but not the canonical spelling"},
    {"older-form", Severity::Remark, Category::Program, "a form that only older manuals have"},
    {"published-differs", Severity::Remark, Category::Program, "published compilers do something else"},
    {"no-kernel", Severity::Error, Category::Program, "no kernel, or several and none chosen"},
    {"usage", Severity::Error, Category::Usage, "the command line is wrong"},
    {"file-error", Severity::Error, Category::Usage, "a file cannot be read or written"},
    {"timing-file", Severity::Error, Category::Usage, "a timing file is wrong"},
    {"internal-error", Severity::Error, Category::Internal, "a bug in PTOScope"},
    {"undefined-by-manual", Severity::Warning, Category::UndefinedByManual, "no manual defines this"},
    // text of vector instructions: distributions, masks, pointers, unaligned streams; sorts
    {"bad-dist-token", Severity::Error, Category::Program, "no such distribution"},
    {"mask-granularity", Severity::Error, Category::Program, "the mask has the wrong granularity"},
    {"ptr-vreg-type-mismatch", Severity::Error, Category::Program, "pointer and register elements differ in size"},
    {"not-ub", Severity::Error, Category::Program, "a vector instruction needs a pointer into UB"},
    {"post-update-type", Severity::Error, Category::Program, "the advanced pointer has the wrong type"},
    {"align-chain", Severity::Error, Category::Program, "the state of an unaligned stream is misused"},
    {"align-not-flushed", Severity::Error, Category::Program, "an unaligned store stream is not flushed"},
    {"unsupported-on-profile", Severity::Warning, Category::Program, "manuals list this, but the hardware lacks it"},
    {"sort-operand", Severity::Error, Category::Program, "a sort operand is out of range"},
    // two accesses to the same bytes, at least one of them a write, that nothing orders (RACE-1)
    {"race-raw", Severity::Error, Category::Program, "a read may come before the write it needs"},
    {"race-war", Severity::Error, Category::Program, "a write may overtake an earlier read"},
    {"race-waw", Severity::Error, Category::Program, "two writes are not ordered"},
    {"race-scope", Severity::Error, Category::Program, "a `mem_bar` is missing inside a vector scope"},
    {"race-blocks", Severity::Error, Category::Program, "two blocks conflict in global memory"},
    {"stale-line", Severity::Warning, Category::Program, "a scalar load may see an old cache line"},
    {"order-dependent", Severity::Warning, Category::Program, "the result depends on the order of atomics"},
    // accesses outside their memory, on the wrong boundary, or without the right
    {"ub-out-of-bounds", Severity::Error, Category::Program, "an access leaves the unified buffer"},
    {"local-out-of-bounds", Severity::Error, Category::Program, "an access leaves an on-chip memory"},
    {"gm-out-of-bounds", Severity::Error, Category::Program, "an access leaves its GM buffer"},
    {"unmapped-gm-address", Severity::Error, Category::Program, "a GM address belongs to no buffer"},
    {"gm-read-only", Severity::Error, Category::Program, "a write to a read-only GM buffer"},
    {"gm-unregistered", Severity::Warning, Category::Program, "the bounds of a GM buffer are not known"},
    {"ub-misaligned", Severity::Error, Category::Program, "an on-chip address is not aligned"},
    {"scalar-misaligned", Severity::Error, Category::Program, "a scalar access is not naturally aligned"},
    {"gm-misaligned", Severity::Error, Category::Program, "a view of GM does not start at an element"},
    {"gather-misaligned", Severity::Error, Category::Program, "a gathered or scattered datum is not aligned"},
    {"scatter-alias", Severity::Warning, Category::UndefinedByManual, "several lanes write the same place"},
    {"align-stream-break", Severity::Error, Category::Program, "an unaligned stream does not continue where it ended"},
    {"stream-count", Severity::Error, Category::Program, "an unaligned store is longer than a register"},
    // what a single transfer can get wrong by its own operands (D4 to D14)
    {"stride-misaligned", Severity::Error, Category::Program, "an on-chip stride is not a multiple of 32"},
    {"stride-overlap", Severity::Error, Category::Program, "rows of a transfer overlap on chip"},
    {"gm-stride-overlap", Severity::Warning, Category::Program, "rows of a transfer overlap in GM"},
    {"transfer-operand", Severity::Error, Category::Program, "a transfer operand is out of range"},
    {"transfer-width", Severity::Warning, Category::Program, "a length or count exceeds 16 bits"},
    {"transfer-empty", Severity::Remark, Category::Program, "a transfer moves nothing"},
    {"pad-ignored", Severity::Warning, Category::Program, "pad counts without padding"},
    {"pad-phase", Severity::Warning, Category::Program, "the pad value starts in the middle of an element"},
    {"pad-overlap", Severity::Warning, Category::Program, "fill bytes overlap the next row"},
    {"stale-loop-size", Severity::Warning, Category::Program, "loop registers may hold stale values"},
    // uses of on-chip bytes that were never written, or that became undefined later
    {"init-read", Severity::Error, Category::Program, "an instruction computes with bytes that were never written"},
    {"init-clobbered", Severity::Error, Category::Program, "bytes are used after an instruction made them undefined"},
    {"init-index", Severity::Error, Category::Program, "an index was never written"},
    {"init-scalar", Severity::Error, Category::Program, "a scalar load reads bytes that were never written"},
    {"init-store-gm", Severity::Remark, Category::Program, "bytes that were never written are stored to GM"},
    // synchronisation that hangs, leaks or names what does not exist (S3 to S14)
    {"deadlock", Severity::Error, Category::Program, "the kernel hangs"},
    {"livelock", Severity::Error, Category::Program, "every core spins and nothing changes"},
    // several devices
    {"signal-plain-access", Severity::Warning, Category::Program, "a signal is read or written as plain data"},
    {"comm-flag", Severity::Warning, Category::Program, "a transfer uses a flag that the program has set"},
    {"comm-operand", Severity::Error, Category::Program, "an operand of a transfer between devices does not fit"},
    {"comm-async", Severity::Error, Category::Program, "an asynchronous transfer does not run as written"},
    {"flag-leftover", Severity::Warning, Category::Program, "a flag is still set at the end"},
    {"flag-overwritten", Severity::Warning, Category::Program, "a flag is set again before a wait for it"},
    {"flag-overflow", Severity::Error, Category::Program, "a flag counter overflows"},
    {"semaphore-overflow", Severity::Error, Category::Program, "a semaphore counter overflows"},
    {"semaphore-id-range", Severity::Error, Category::Program, "a semaphore id is out of range"},
    {"syncall-mismatch", Severity::Error, Category::Program, "a core takes part in the wrong barrier"},
    {"too-many-blocks", Severity::Error, Category::Program, "more blocks than cores with an all-core barrier"},
    {"event-id-range", Severity::Error, Category::Program, "an event id is out of range"},
    {"event-array-bounds", Severity::Error, Category::Program, "an index is outside an event-id array"},
    {"event-array-unset", Severity::Error, Category::Program, "an element of an event-id array was never set"},
    {"buffer-id-range", Severity::Error, Category::Program, "a buffer id is out of range"},
    {"buffer-mode", Severity::Error, Category::Program, "a buffer mode is neither 0 nor 1"},
    {"buffer-nested", Severity::Error, Category::Program, "a buffer is acquired twice by one pipe"},
    {"buffer-held", Severity::Warning, Category::Program, "a buffer is still held at the end"},
    {"buffer-release-unacquired", Severity::Warning, Category::Program, "a buffer is released but not held"},
    // what only `check` reports; what a run would find as well has the code of the run
    {"wait-without-set", Severity::Error, Category::Program, "a wait that no set can end"},
    {"ub-overlap", Severity::Warning, Category::Program, "two unordered accesses may touch the same bytes"},
    {"analysis-bounded", Severity::Remark, Category::NotModelled, "the static check stopped early"},
    // scalar faults, limits of the run, and the comparison with expected results
    {"loop-step", Severity::Error, Category::Program, "a loop step is not positive"},
    {"division", Severity::Error, Category::Program, "an integer division is undefined"},
    {"shift-range", Severity::Error, Category::Program, "a shift count is outside the width"},
    {"operand-range", Severity::Error, Category::Program, "a number is outside what an instruction takes"},
    {"trap", Severity::Error, Category::Program, "the program reached a trap"},
    {"max-steps", Severity::Error, Category::Program, "the run took more steps than allowed"},
    {"max-seconds", Severity::Error, Category::Program, "the run took more processor time than allowed"},
    {"max-memory", Severity::Error, Category::Program, "the run needs more memory than there is"},
    {"interrupted", Severity::Error, Category::Program, "the run was interrupted"},
    {"queue-exhausted", Severity::Error, Category::NotModelled, "too much work is queued"},
    {"expect-mismatch", Severity::Error, Category::Program, "a result differs from what was expected"},
    {"negative-tail-count", Severity::Warning, Category::UndefinedByManual, "a tail mask gets a negative count"},
    // faults that the types of tiles and views cannot express, found at run time
    {"tile-unassigned", Severity::Error, Category::Program, "a tile has no place in memory"},
    {"tile-shape", Severity::Error, Category::Program, "the shapes of operands do not match"},
    {"tile-window", Severity::Error, Category::Program, "a window leaves its tile"},
    {"tile-overlap", Severity::Warning, Category::Program, "a destination shares bytes with another operand"},
    {"tile-clobbered", Severity::Error, Category::Program, "a tile is read after another one was written over it"},
    {"tile-extent", Severity::Error, Category::Program, "a valid extent exceeds the tile"},
    {"tile-memory-full", Severity::Error, Category::Program, "no room for a tile"},
    {"mx-scale-address", Severity::Error, Category::Program, "scales are not where their tile says"},
    {"mx-sum-address", Severity::Error, Category::Program, "a product with scales starts from a sum elsewhere"},
    {"conv-register-unset", Severity::Warning, Category::Program, "a convolution register was never written"},
    {"hidden-flag", Severity::Warning, Category::Program, "an instruction takes a flag of the program"},
    {"host-only", Severity::Warning, Category::Program, "only host simulators do this"},
    // cores of one kind, and their signals
    {"core-kind", Severity::Error, Category::Program, "a kind of core does not have what a program uses"},
    {"signal-config", Severity::Error, Category::Program, "the config word of a signal has no meaning"},
    {"signal-reserved", Severity::Warning, Category::Program, "a signal uses an id that `SYNCALL` takes"},
    {"signal-leftover", Severity::Remark, Category::Program, "a cross-core flag is above 0 at the end"},
    {"ffts-base-unset", Severity::Warning, Category::Program, "a signal before its address was set"},
    {"syncall-count", Severity::Warning, Category::Program, "a soft barrier counts fewer cores than there are"},
    {"syncall-cube-only", Severity::Warning, Category::Program, "a barrier of cube cores that hardware does not pass"},
    {"cube-subblocks", Severity::Remark, Category::Program, "a cube core asks for the number of vector cores"},
    // tile queues between the cores of a cluster
    {"queue-ids", Severity::Error, Category::Program, "two queues, or a queue and a signal, take the same ids"},
    {"queue-shape", Severity::Error, Category::Program, "a queue is declared or used with sizes that do not fit"},
    {"queue-use", Severity::Error, Category::Program, "a core uses the side of a queue that it does not have"},
    {"queue-free", Severity::Error, Category::Program, "an entry of a queue is freed that was not popped"},
    {"queue-leak", Severity::Warning, Category::Program, "entries of a queue are left at the end"},
    {"queue-weak", Severity::Warning, Category::Program, "the library of the device does less for this queue"},
};

/// In the order of their codes.
static const CodePage kPages[] = {
#include "Pages.inc"
};
static_assert(std::size(kPages) == std::size(kRows), "a code has a row and a page");

const std::vector<CodeInfo> &codes() {
  static const std::vector<CodeInfo> table = [] {
    std::vector<Row> rows(std::begin(kRows), std::end(kRows));
    std::sort(rows.begin(), rows.end(), [](const Row &a, const Row &b) { return a.code < b.code; });
    std::vector<CodeInfo> joined;
    for (const Row &row : rows)
      joined.push_back({row.code, row.severity, row.category, row.title, kPages[joined.size()]});
    return joined;
  }();
  return table;
}

const CodeInfo *findCode(std::string_view code) {
  const std::vector<CodeInfo> &table = codes();
  auto it = std::lower_bound(table.begin(), table.end(), code,
                             [](const CodeInfo &row, std::string_view wanted) { return row.code < wanted; });
  return it != table.end() && it->code == code ? &*it : nullptr;
}

std::string_view nearestCode(std::string_view code) {
  std::vector<std::string_view> names;
  for (const CodeInfo &row : codes())
    names.push_back(row.code);
  return nearestOf(code, names);
}

} // namespace ptoscope
