//===- Figures.h - the figures of a model, by what uses them ----*- C++ -*-===//
//
// Keys are for people and files; costs read fields. Figures.cpp names each field once.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TIMING_FIGURES_H
#define PTOSCOPE_LIB_TIMING_FIGURES_H

#include "ptoscope/Timing/Model.h"

#include <array>

namespace ptoscope::timing {

/// Ways between memories (TIME-10).
enum class Path : uint8_t { GmUb, GmL1, UbGm, L1Gm, UbUb, UbL1, L1Ub, L1L0A, L1L0B, L1L1, L1Bt, L1Fb, L1Mx };
inline constexpr std::array kPathNames = {"gm_ub",  "gm_l1",  "ub_gm", "l1_gm", "ub_ub", "ub_l1", "l1_ub",
                                          "l1_l0a", "l1_l0b", "l1_l1", "l1_bt", "l1_fb", "l1_mx"};
struct PathFigures {
  double start;   ///< busy, each transfer
  double latency; ///< not busy, each transfer
  double burst;   ///< busy, each burst
  double rate;    ///< bytes a cycle
  double least;   ///< busy, each burst, whatever its bytes
};

/// Kinds of loops over a tile that cost alike (TIME-20, TIME-30). Those with elements of at
/// most 16 bits follow where they differ.
enum class Loop : uint8_t {
  Unary,
  Scalar,
  Add,
  Mul,
  Div,
  Div16,
  Exp,
  Exp16,
  Sqrt,
  Sqrt16,
  Rsqrt,
  Rsqrt16,
  Exact,
  Exact16,
  Select,
  Convert,
  Blocks,
  Gather,
  Random,
};
inline constexpr std::array kLoopNames = {"unary",  "scalar",  "add",    "mul",    "div",     "div16", "exp",
                                          "exp16",  "sqrt",    "sqrt16", "rsqrt",  "rsqrt16", "exact", "exact16",
                                          "select", "convert", "blocks", "gather", "random"};
/// A5: max(first + rows * (row + turn * turns), steady + rate * rows * turns).
struct LoopFigures {
  double first, steady, rate;
};
/// Loops of A5 whose figures stand for those of others, too: width does not change when a loop
/// begins, and loops that are limited by the same unit have its rate.
struct LoopSource {
  Loop first, steady, rate;
};
LoopSource sourceOf(Loop loop);
/// A2, A3: repeat * repeats + head busy, and `latency` behind it.
struct RepeatFigures {
  double repeat, head, latency;
};

/// Conversions of A5 by the bits of source and destination (TIME-22).
inline constexpr std::array kConversionNames = {"16_16", "16_32", "32_16", "4_16", "8_32", "32_8", "16_4"};
struct ConversionFigures {
  double shortLine, shortRate; ///< one line of elements: the larger of these …
  double line, lineRate;       ///< … and these
  double flat, flatRate;       ///< rows of one turn
  double nest, nestRow, nestTurn;
};

struct CostFigures {
  std::array<PathFigures, kPathNames.size()> path;
  double interval; ///< between transfers of GM
  double unalignedUb, unalignedL1;
  double gmElement; ///< of a gather or scatter of GM

  double row, turn; ///< of a loop over a tile, A5
  std::array<LoopFigures, kLoopNames.size()> loop;
  std::array<RepeatFigures, kLoopNames.size()> repeat;
  std::array<ConversionFigures, kConversionNames.size()> conversion;
  struct {
    double first, rate, odd, nest, row, turn;
  } wideSelect;   ///< A5, 32 bits
  double inPlace; ///< A2, A3: latency of a root in place
  struct {
    double start, each16, each32;
  } scalarQuotient; ///< A2, A3: 64 elements of a quotient with a scalar
  struct {
    double start, row, turn;
  } rowReduction, columnReduction, rowExpansion; ///< the last on A2 and A3
  double columnRow32, binaryRow;                 ///< A2, A3: of a column reduction of 32 bits, of one by halves
  double sorted, merged;                         ///< an element

  double cubeHead, cubeFirst, cubeSum, cubeWait, cubePasses32;
  double drainFixed, drainLatency, drainFloor, drainRate, drainPenalty;
  double scalarOp, configOp, syncOp, fenceOp;
};

/// Whose files have a key.
inline constexpr uint8_t kOfA5 = 1 << unsigned(ProfileId::A5),
                         kOfA3 = 1 << unsigned(ProfileId::A3) | 1 << unsigned(ProfileId::A2), kOfAll = kOfA5 | kOfA3;

/// The field that a figure of figureTable() fills; null for those that others read by key.
double *fieldOf(CostFigures &figures, const FigureInfo &info);

Cost costOfTile(const CostFigures &figures, const Work &work, bool isA5);
/// From one memory to another, with the latency of all its transfers.
Cost costOfPath(const CostFigures &figures, Path path, uint64_t bytes, uint64_t bursts, uint64_t transfers);

} // namespace ptoscope::timing

#endif // PTOSCOPE_LIB_TIMING_FIGURES_H
