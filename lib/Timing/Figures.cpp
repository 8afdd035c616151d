//===- Figures.cpp - which figures there are ------------------------------===//
//
// The schema of timing files: one row for each key, or for each family of keys.
//
//===----------------------------------------------------------------------===//

#include "Figures.h"
#include "ScopeFigures.h"

#include <algorithm>
#include <cassert>

namespace ptoscope::timing {

namespace {
constexpr double kMostCycles = 1e9;
struct Row {
  const char *key;
  uint8_t profiles;
  const char *unit;
  double smallest, largest;
  const char *meaning;
};
/// Figures that are no cost of one instruction: the solver reads them by key, once.
constexpr Row kRows[] = {
    {"clock.mhz", kOfAll, "MHz", 1, 1e5, "clock of the cores"},
    {"gm.hbm.rate", kOfAll, "bytes/cycle", 1e-3, 1e9, "what HBM gives to all cores together"},
    {"gm.l2.rate", kOfAll, "bytes/cycle", 1e-3, 1e9, "what the L2 cache gives to all cores together"},
    {"gm.l2.bytes", kOfAll, "bytes", 0, 1e15, "size of the L2 cache"},
    {"gm.shared", kOfAll, "cycles", 0, 1e4, "a line of 512 bytes is loaded, for each other core that loads it, too"},
    {"launch.start", kOfAll, "cycles", 0, kMostCycles, "of a launch, beside its blocks"},
    {"launch.block", kOfAll, "cycles", 0, kMostCycles, "between two blocks on one core"},
    {"scalar.issue", kOfAll, "cycles", 0, 1e4, "the scalar unit issues an instruction"},
    {"scalar.gm", kOfAll, "cycles", 0, kMostCycles, "a scalar access to GM"},
    {"scalar.local", kOfAll, "cycles", 0, kMostCycles, "a scalar access to a memory of the core"},
    {"queue.depth", kOfAll, "instructions", 1, 1e6, "entries of a pipe's queue"},
    {"sync.flag.latency", kOfAll, "cycles", 0, kMostCycles, "a flag or buffer is set until the other pipe goes on"},
    {"sync.barrier.latency", kOfAll, "cycles", 0, kMostCycles, "the last instruction ends until a barrier passes"},
    {"sync.semaphore.latency", kOfAll, "cycles", 0, kMostCycles, "a core signals until another of its cluster goes on"},
    {"sync.all.latency", kOfAll, "cycles", 0, kMostCycles, "the last core arrives until all cores go on"},
    {"sync.signal.latency", kOfAll, "cycles", 0, kMostCycles, "a signal until another block or device goes on"},
};
} // namespace

namespace {
struct Described {
  FigureInfo info;
  const double *field; ///< of the figures that were described
};
} // namespace

LoopSource sourceOf(Loop loop) {
  struct Row {
    Loop loop;
    LoopSource source;
  };
  static constexpr Row kRows[] = {
      {Loop::Scalar, {Loop::Scalar, Loop::Scalar, Loop::Unary}},
      {Loop::Mul, {Loop::Mul, Loop::Add, Loop::Add}},
      {Loop::Div, {Loop::Div, Loop::Div, Loop::Exp}},
      {Loop::Div16, {Loop::Div, Loop::Div16, Loop::Exp16}},
      {Loop::Exp16, {Loop::Exp, Loop::Exp16, Loop::Exp16}},
      {Loop::Sqrt, {Loop::Sqrt, Loop::Sqrt, Loop::Exp}},
      {Loop::Sqrt16, {Loop::Sqrt, Loop::Sqrt16, Loop::Exp16}},
      {Loop::Rsqrt16, {Loop::Rsqrt, Loop::Rsqrt16, Loop::Rsqrt16}},
      {Loop::Exact16, {Loop::Exact, Loop::Exact, Loop::Exact16}},
  };
  for (const Row &row : kRows)
    if (row.loop == loop)
      return row.source;
  return {loop, loop, loop};
}

static std::vector<Described> describe(const CostFigures &f) {
  std::vector<Described> all;
  for (const Row &row : kRows)
    all.push_back({{row.key, row.unit, row.meaning, row.smallest, row.largest, row.profiles}, nullptr});
  for (FigureInfo &info : figuresOfScopes())
    all.push_back({std::move(info), nullptr});
  auto add = [&](std::string key, uint8_t profiles, const char *unit, double smallest, std::string meaning,
                 const double &field) {
    all.push_back({{std::move(key), unit, std::move(meaning), smallest, kMostCycles, profiles}, &field});
  };
  auto cycles = [&](std::string key, uint8_t profiles, std::string meaning, const double &field) {
    add(std::move(key), profiles, "cycles", 0, std::move(meaning), field);
  };
  // Fits may have terms below 0; costs do not (TIME-5).
  auto term = [&](std::string key, uint8_t profiles, std::string meaning, const double &field) {
    add(std::move(key), profiles, "cycles", -kMostCycles, std::move(meaning), field);
  };

  for (size_t i = 0; i < kPathNames.size(); ++i) {
    const std::string path = std::string("path.") + kPathNames[i];
    const uint8_t profiles = Path(i) == Path::L1Mx ? kOfA5 : kOfAll; // scales
    cycles(path + ".start", profiles, "busy, each transfer", f.path[i].start);
    cycles(path + ".latency", profiles, "until others see it, each transfer", f.path[i].latency);
    cycles(path + ".burst", profiles, "busy, each burst", f.path[i].burst);
    add(path + ".rate", profiles, "bytes/cycle", 1e-3, "inside a transfer", f.path[i].rate);
    if (Path(i) == Path::GmUb || Path(i) == Path::GmL1)
      cycles(path + ".least", kOfAll, "busy, each burst, at least", f.path[i].least);
  }
  cycles("gm.interval", kOfAll, "between the starts of two transfers of GM", f.interval);
  add("gm.unaligned_ub", kOfAll, "share", 0, "more time for rows that are no multiple of 32 bytes apart, to UB",
      f.unalignedUb);
  add("gm.unaligned_l1", kOfAll, "share", 0, "the same, to L1", f.unalignedL1);
  cycles("gm.element", kOfAll, "an element that a gather or scatter finds in GM", f.gmElement);

  cycles("tile.row", kOfA5, "a row of a loop nest", f.row);
  cycles("tile.turn", kOfA5, "an iteration, where nothing else limits it", f.turn);
  for (size_t i = 0; i < kLoopNames.size(); ++i) {
    const std::string loop = std::string("tile.") + kLoopNames[i];
    const bool isNarrow = loop.ends_with("16");
    if (Loop(i) != Loop::Convert) { // which has lines of its own on A5
      const LoopSource source = sourceOf(Loop(i));
      if (source.first == Loop(i))
        term(loop + ".first", kOfA5, "start of the loop, by issue", f.loop[i].first);
      if (source.steady == Loop(i))
        term(loop + ".steady", kOfA5, "start of the loop, by throughput", f.loop[i].steady);
      if (source.rate == Loop(i))
        cycles(loop + ".rate", kOfA5, "an iteration in the steady state", f.loop[i].rate);
    }
    if (isNarrow)
      continue;
    cycles(loop + ".repeat", kOfA3, "a repeat of 256 bytes", f.repeat[i].repeat);
    cycles(loop + ".head", kOfA3, "busy beside the repeats", f.repeat[i].head);
    cycles(loop + ".latency", kOfA3, "fill and drain, when not busy", f.repeat[i].latency);
  }
  for (size_t i = 0; i < kConversionNames.size(); ++i) {
    const std::string cvt = std::string("convert.") + kConversionNames[i];
    const ConversionFigures &c = f.conversion[i];
    term(cvt + ".short", kOfA5, "a single line, as long as start-up covers it", c.shortLine);
    term(cvt + ".short_rate", kOfA5, "its iteration", c.shortRate);
    term(cvt + ".line", kOfA5, "a single line, beyond that", c.line);
    term(cvt + ".line_rate", kOfA5, "its iteration", c.lineRate);
    term(cvt + ".flat", kOfA5, "rows of one iteration", c.flat);
    term(cvt + ".flat_rate", kOfA5, "such a row", c.flatRate);
    term(cvt + ".nest", kOfA5, "rows of several iterations", c.nest);
    term(cvt + ".nest_row", kOfA5, "such a row", c.nestRow);
    term(cvt + ".nest_turn", kOfA5, "its iteration", c.nestTurn);
  }
  term("select32.first", kOfA5, "32-bit elements, start of the loop", f.wideSelect.first);
  cycles("select32.rate", kOfA5, "an iteration of one loop", f.wideSelect.rate);
  cycles("select32.odd", kOfA5, "the last of several iterations that has no other beside it", f.wideSelect.odd);
  term("select32.nest", kOfA5, "rows of several iterations: start", f.wideSelect.nest);
  cycles("select32.row", kOfA5, "such a row", f.wideSelect.row);
  cycles("select32.turn", kOfA5, "its iteration", f.wideSelect.turn);
  cycles("tile.in_place", kOfA3, "more latency of a root that is computed in place", f.inPlace);
  cycles("scalar_quotient.start", kOfA3, "beside its elements, more than that of tiles", f.scalarQuotient.start);
  cycles("scalar_quotient.each16", kOfA3, "64 elements of at most 16 bits", f.scalarQuotient.each16);
  cycles("scalar_quotient.each32", kOfA3, "64 wider elements", f.scalarQuotient.each32);
  auto lines = [&](const std::string &name, uint8_t profiles, auto &r) {
    cycles(name + ".start", profiles, "beside its rows", r.start);
    cycles(name + ".row", profiles, "a row", r.row);
    cycles(name + ".turn", profiles, "a register of a row; on A2 and A3, one beyond the first", r.turn);
  };
  lines("row_reduction", kOfAll, f.rowReduction);
  lines("column_reduction", kOfAll, f.columnReduction);
  lines("row_expansion", kOfA3, f.rowExpansion);
  cycles("column_reduction.row32", kOfA3, "a row of 32-bit elements", f.columnRow32);
  cycles("column_reduction.binary_row", kOfA3, "a row of a sum by halves", f.binaryRow);
  cycles("sort.element", kOfAll, "an element of a sort of 32", f.sorted);
  cycles("sort.merged", kOfAll, "an element of a merge", f.merged);

  cycles("cube.head", kOfAll, "busy beside the blocks of a product", f.cubeHead);
  cycles("cube.first", kOfAll, "more of it where nothing was queued before: latency", f.cubeFirst);
  cycles("cube.sum", kOfAll, "busy, where a product is added to a sum", f.cubeSum);
  cycles("cube.wait", kOfAll, "busy, where the matrix unit has waited for it: at most so long", f.cubeWait);
  add("cube.passes32", kOfAll, "cycles", 1, "a block of 32-bit elements", f.cubePasses32);
  cycles("drain.fixed", kOfAll, "busy, each instruction of the fixpipe", f.drainFixed);
  cycles("drain.latency", kOfAll, "until others see it", f.drainLatency);
  cycles("drain.row", kOfAll, "a row, at least", f.drainFloor);
  add("drain.rate", kOfAll, "bytes/cycle", 1e-3, "of L0C, to elements of at most 16 bits; half of it to wider ones",
      f.drainRate);
  cycles("drain.odd", kOfAll, "a row and an extra pass: columns whose blocks of 8 are no power of two", f.drainPenalty);

  cycles("scalar.op", kOfAll, "an instruction of the scalar unit", f.scalarOp);
  cycles("config.op", kOfAll, "a configuration register", f.configOp);
  cycles("sync.op", kOfAll, "a flag, barrier or semaphore that does not wait", f.syncOp);
  cycles("fence.op", kOfAll, "a fence of a scope, beside what it waits for", f.fenceOp);
  std::sort(all.begin(), all.end(), [](auto &a, auto &b) { return a.info.key < b.info.key; });
  assert(std::adjacent_find(all.begin(), all.end(), [](auto &a, auto &b) { return a.info.key == b.info.key; }) ==
             all.end() &&
         "a key has one row");
  return all;
}

namespace {
/// Fields by their distance from the begin, in the order of the table.
struct Schema {
  std::vector<FigureInfo> table;
  std::vector<std::ptrdiff_t> places; ///< -1: there is no field
};
} // namespace

static const Schema &schema() {
  static const Schema schema = [] {
    Schema result;
    const CostFigures any{};
    for (Described &row : describe(any)) {
      result.table.push_back(std::move(row.info));
      result.places.push_back(row.field ? row.field - reinterpret_cast<const double *>(&any) : -1);
    }
    return result;
  }();
  return schema;
}

const std::vector<FigureInfo> &figureTable() { return schema().table; }

double *fieldOf(CostFigures &figures, const FigureInfo &info) {
  static_assert(sizeof(CostFigures) % sizeof(double) == 0 && std::is_trivially_copyable_v<CostFigures>);
  const std::ptrdiff_t place = schema().places[size_t(&info - schema().table.data())];
  return place < 0 ? nullptr : reinterpret_cast<double *>(&figures) + place;
}

} // namespace ptoscope::timing
