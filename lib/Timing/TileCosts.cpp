//===- TileCosts.cpp - vector instructions on tiles -----------------------===//
//
// Two tables say what an instruction is to the vector unit: which shape its loops
// have, and which loop costs like it. A name that has no row is an element-wise
// loop of its timing class (TIME-4).
//
//===----------------------------------------------------------------------===//

#include "Figures.h"

#include <algorithm>
#include <string_view>

namespace ptoscope::timing {

namespace {
uint64_t ceilDiv(uint64_t a, uint64_t b) { return (a + b - 1) / b; }

/// What the loops of an instruction do.
enum class Form : uint8_t {
  EachElement,
  Convert,
  Select,
  RowReduction,
  ColumnReduction,
  RowExpansion, ///< one element to all of its row
  Sort,
  Merge,
  Indices, ///< written one after the other by the scalar unit
};
struct TileRow {
  std::string_view name;
  Form form;
  Loop loop;
};
constexpr TileRow kTiles[] = {
    {"TRSQRT", Form::EachElement, Loop::Rsqrt},
    {"TROWSUM", Form::RowReduction, Loop::Add},
    {"TROWPROD", Form::RowReduction, Loop::Mul},
    {"TROWMAX", Form::RowReduction, Loop::Add},
    {"TROWMIN", Form::RowReduction, Loop::Add},
    {"TROWARGMAX", Form::RowReduction, Loop::Add},
    {"TROWARGMIN", Form::RowReduction, Loop::Add},
    {"TCOLSUM", Form::ColumnReduction, Loop::Add},
    {"TCOLPROD", Form::ColumnReduction, Loop::Mul},
    {"TCOLMAX", Form::ColumnReduction, Loop::Add},
    {"TCOLMIN", Form::ColumnReduction, Loop::Add},
    {"TCOLARGMAX", Form::ColumnReduction, Loop::Add},
    {"TCOLARGMIN", Form::ColumnReduction, Loop::Add},
    {"TROWEXPAND", Form::RowExpansion, Loop::Scalar},
    {"TSORT32", Form::Sort, Loop::Unary},
    {"TMRGSORT", Form::Merge, Loop::Unary},
    {"TMRGSORT_RUNS", Form::Merge, Loop::Unary},
    {"vmrgsort4", Form::Merge, Loop::Unary},
    {"TCI", Form::Indices, Loop::Unary},
    {"TEXPANDS", Form::EachElement, Loop::Scalar},
    {"TCOLEXPAND", Form::EachElement, Loop::Scalar},
    {"TTRI", Form::EachElement, Loop::Scalar},
    {"TFILLPAD", Form::EachElement, Loop::Scalar},
    {"TFILLPAD_INPLACE", Form::EachElement, Loop::Scalar},
    {"TFILLPAD_EXPAND", Form::EachElement, Loop::Scalar},
    {"TINTERLEAVE", Form::EachElement, Loop::Add},
    {"TDEINTERLEAVE", Form::EachElement, Loop::Add},
};

struct ClassRow {
  Timing timing;
  Form form;
  Loop loop;
};
/// Where no tile of a class was published, the nearest class that was.
constexpr ClassRow kClasses[] = {
    {Timing::vabs, Form::EachElement, Loop::Unary},
    {Timing::vneg, Form::EachElement, Loop::Unary},
    {Timing::vnot, Form::EachElement, Loop::Unary},
    {Timing::vrelu, Form::EachElement, Loop::Unary},
    {Timing::vadd, Form::EachElement, Loop::Add},
    {Timing::vaddc, Form::EachElement, Loop::Add},
    {Timing::vaddrelu, Form::EachElement, Loop::Add},
    {Timing::vsubrelu, Form::EachElement, Loop::Add},
    {Timing::vand, Form::EachElement, Loop::Add},
    {Timing::vmax, Form::EachElement, Loop::Add},
    {Timing::vshl, Form::EachElement, Loop::Add},
    {Timing::vcmp, Form::EachElement, Loop::Add},
    {Timing::vcpadd, Form::EachElement, Loop::Add},
    {Timing::vmul, Form::EachElement, Loop::Mul},
    {Timing::vmula, Form::EachElement, Loop::Mul},
    {Timing::vmull, Form::EachElement, Loop::Mul},
    {Timing::vaxpy, Form::EachElement, Loop::Mul},
    {Timing::vprelu, Form::EachElement, Loop::Mul},
    {Timing::vadds, Form::EachElement, Loop::Scalar},
    {Timing::vmuls, Form::EachElement, Loop::Scalar},
    {Timing::vmaxs, Form::EachElement, Loop::Scalar},
    {Timing::vshls, Form::EachElement, Loop::Scalar},
    {Timing::vdiv, Form::EachElement, Loop::Div},
    {Timing::vexp, Form::EachElement, Loop::Exp},
    {Timing::vexpdif, Form::EachElement, Loop::Exp},
    {Timing::vln, Form::EachElement, Loop::Exp},
    {Timing::vsqrt, Form::EachElement, Loop::Sqrt},
    {Timing::vpow, Form::EachElement, Loop::Rsqrt}, // two functions of the same unit, one after the other
    {Timing::vsel, Form::Select, Loop::Select},
    {Timing::vcvt, Form::Convert, Loop::Convert},
    {Timing::rearrange, Form::EachElement, Loop::Blocks},
    {Timing::vgatherb, Form::EachElement, Loop::Blocks},
    {Timing::vgather, Form::EachElement, Loop::Gather},
    {Timing::vscatter, Form::EachElement, Loop::Gather},
    {Timing::vchist, Form::EachElement, Loop::Gather},
    {Timing::vdhist, Form::EachElement, Loop::Gather},
    {Timing::random, Form::EachElement, Loop::Random},
    {Timing::vcadd, Form::RowReduction, Loop::Add},
    {Timing::vcmax, Form::RowReduction, Loop::Add},
    {Timing::vcgadd, Form::RowReduction, Loop::Add},
    {Timing::vcgmax, Form::RowReduction, Loop::Add},
    {Timing::sort, Form::Sort, Loop::Unary},
};

TileRow rowOf(const Work &work) {
  if (work.name)
    for (const TileRow &row : kTiles)
      if (row.name == work.name)
        return row;
  for (const ClassRow &row : kClasses)
    if (row.timing == work.timing)
      return {{}, row.form, row.loop};
  return {{}, Form::EachElement, Loop::Unary}; // loads, stores and masks: one access a register
}

/// Rows and registers of a row; `isLine` where one loop runs over all of it.
struct Nest {
  uint64_t rows, turns;
  bool isLine;
  uint64_t total() const { return rows * turns; }
};
Nest nestOf(const Work &work, uint64_t lanes) {
  Nest nest{std::max<uint32_t>(work.rows, 1), ceilDiv(std::max<uint32_t>(work.cols, 1), lanes), false};
  if (work.isContiguous && nest.rows > 1)
    nest = {1, ceilDiv(uint64_t(work.rows) * work.cols, lanes), true};
  nest.isLine |= nest.rows == 1;
  return nest;
}
unsigned bitsOf(const Work &work) { return std::max<unsigned>({work.fromBits, work.toBits, 8}); }
uint64_t lanesOf(const Work &work) { return kVectorBytes * 8 / bitsOf(work); }

// ---- A5 -----------------------------------------------------------------------------------

// TIME-20
double loopCycles(const CostFigures &f, Loop loop, Nest nest) {
  if (nest.turns == 1)
    nest = {1, nest.rows, true};
  const LoopSource source = sourceOf(loop);
  const double first = f.loop[size_t(source.first)].first, steady = f.loop[size_t(source.steady)].steady,
               rate = f.loop[size_t(source.rate)].rate;
  return std::max(first + nest.rows * (f.row + f.turn * nest.turns), steady + rate * nest.total());
}

Loop narrowed(Loop loop, const Work &work) {
  const bool hasNarrow =
      loop == Loop::Div || loop == Loop::Exp || loop == Loop::Sqrt || loop == Loop::Rsqrt || loop == Loop::Exact;
  return hasNarrow && work.fromBits <= 16 ? Loop(unsigned(loop) + 1) : loop;
}

// TIME-21: masks of 32-bit elements are read for two registers at once.
double selectCycles(const CostFigures &f, const Work &work) {
  Nest nest = nestOf(work, lanesOf(work));
  if (bitsOf(work) < 32)
    return loopCycles(f, Loop::Select, nest);
  if (nest.rows > 1 && nest.turns > 1)
    return f.wideSelect.nest + nest.rows * (f.wideSelect.row + f.wideSelect.turn * nest.turns);
  const uint64_t turns = nest.total();
  return f.wideSelect.first + f.wideSelect.rate * turns + (turns % 2 && turns > 1 ? f.wideSelect.odd : 0);
}

/// TIME-22: by widths, or by the ratio of widths where no such conversion was published. Lanes
/// of an iteration: of a single line, of rows.
struct Conversion {
  unsigned figures;
  uint64_t lineLanes, rowLanes;
};
Conversion conversionOf(const Work &work) {
  const unsigned from = work.fromBits ? work.fromBits : 32, to = work.toBits ? work.toBits : from;
  const uint64_t lanes = kVectorBytes * 8 / std::max({from, to, 8u});
  if (to >= 4 * from)
    return from == 4 ? Conversion{3, 2 * lanes, 2 * lanes} : Conversion{4, lanes, lanes};
  if (to == 2 * from)
    return {1, lanes, lanes};
  if (from >= 4 * to)
    return from == 16 ? Conversion{6, lanes, lanes} : Conversion{5, lanes, 2 * lanes};
  if (from == 2 * to && from > 16)
    return {2, lanes, 2 * lanes};
  return {0, lanes, lanes};
}
double conversionCycles(const CostFigures &f, const Work &work) {
  const Conversion conversion = conversionOf(work);
  const ConversionFigures &c = f.conversion[conversion.figures];
  const Nest line = nestOf(work, conversion.lineLanes);
  if (line.isLine)
    return std::max(c.shortLine + c.shortRate * line.total(), c.line + c.lineRate * line.total());
  const Nest nest = nestOf(work, conversion.rowLanes);
  if (nest.turns == 1)
    return c.flat + c.flatRate * nest.rows;
  return c.nest + nest.rows * (c.nestRow + c.nestTurn * nest.turns);
}

Cost costOnA5(const CostFigures &f, const TileRow &row, const Work &work) {
  const Nest nest = nestOf(work, lanesOf(work));
  switch (row.form) {
  case Form::EachElement:
    return {loopCycles(f, narrowed(work.isExact ? Loop::Exact : row.loop, work), nest)};
  case Form::RowExpansion: {
    Work rows = work;
    rows.isContiguous = false; // each row begins with an element of its own
    return {loopCycles(f, row.loop, nestOf(rows, lanesOf(work)))};
  }
  case Form::Convert:
    return {conversionCycles(f, work)};
  case Form::Select:
    return {selectCycles(f, work)};
  case Form::RowReduction: {
    const uint64_t turns = ceilDiv(std::max<uint32_t>(work.cols, 1), lanesOf(work));
    return {f.rowReduction.start + work.rows * (f.rowReduction.row + f.rowReduction.turn * turns)};
  }
  default: {
    const uint64_t turns = ceilDiv(std::max<uint32_t>(work.cols, 1), lanesOf(work));
    return {f.columnReduction.start + turns * (f.columnReduction.row + f.columnReduction.turn * work.rows)};
  }
  }
}

// ---- A2, A3 -------------------------------------------------------------------------------

/// TIME-31: only loops over one tile go on over the ends of rows where nothing lies between.
double repeatsOf(const Work &work, Loop loop) {
  const uint64_t lanes = lanesOf(work);
  const bool isByRows =
      loop == Loop::Add || loop == Loop::Mul || loop == Loop::Div || loop == Loop::Scalar || loop == Loop::Select;
  if (!isByRows && work.isContiguous)
    return double(ceilDiv(uint64_t(work.rows) * work.cols, lanes));
  return double(work.rows) * double(ceilDiv(work.cols, lanes));
}

// TIME-30
Cost costOnA3(const CostFigures &f, const TileRow &row, const Work &work) {
  const uint64_t repeatsOfRow = ceilDiv(std::max<uint32_t>(work.cols, 1), lanesOf(work));
  switch (row.form) {
  case Form::RowReduction:
    return {f.rowReduction.start + work.rows * (f.rowReduction.row + f.rowReduction.turn * (repeatsOfRow - 1))};
  case Form::ColumnReduction: {
    if (work.rows <= 1) { // TIME-32
      const Cost copy = costOfPath(f, Path::UbUb, uint64_t(work.cols) * bitsOf(work) / 8, 1, 1);
      return {copy.busy, copy.latency};
    }
    const double each = work.isExact ? f.binaryRow : bitsOf(work) > 16 ? f.columnRow32 : f.columnReduction.row;
    return {f.columnReduction.start + (work.rows - 1) * std::max(each, f.columnReduction.turn * double(repeatsOfRow))};
  }
  case Form::RowExpansion:
    return {f.rowExpansion.start + work.rows * (f.rowExpansion.row + f.rowExpansion.turn * (repeatsOfRow - 1))};
  default:
    break;
  }
  const RepeatFigures &r = f.repeat[size_t(work.isExact ? Loop::Exact : row.loop)];
  Cost cost;
  cost.busy = r.head + r.repeat * repeatsOf(work, row.loop);
  if (row.loop == Loop::Div && work.isScalarForm) // TIME-33
    cost.busy = r.head + f.scalarQuotient.start +
                (work.fromBits > 16 ? f.scalarQuotient.each32 : f.scalarQuotient.each16) * work.rows *
                    double(ceilDiv(work.cols, 64));
  cost.latency = r.latency + (row.loop == Loop::Sqrt && work.isInPlace ? f.inPlace : 0);
  return cost;
}
} // namespace

Cost costOfTile(const CostFigures &f, const Work &work, bool isA5) {
  if (work.rows == 0 || work.cols == 0)
    return {f.scalarOp};
  const TileRow row = rowOf(work);
  const double elements = double(work.rows) * work.cols;
  Cost cost;
  switch (row.form) {
  case Form::Sort: // TIME-25
    cost.busy = f.sorted * elements;
    break;
  case Form::Merge:
    cost.busy = f.merged * elements;
    break;
  case Form::Indices:
    cost.busy = f.scalarOp * work.cols;
    break;
  default:
    cost = isA5 ? costOnA5(f, row, work) : costOnA3(f, row, work);
  }
  cost.busy = std::max(cost.busy, 1.0);
  return cost;
}

} // namespace ptoscope::timing
