//===- Convolution.cpp - convolution tiles, as they are issued ------------===//
//
// Footprints of their loads and moves, and the registers of TIMG2COL, which are state of
// the core: an instruction takes their values when it is issued (CONVT-12).
//
//===----------------------------------------------------------------------===//

#include "Context.h"
#include "ConvShape.h"
#include "Footprints.h"

#include "pto/detail/modes.hpp"
#include "ptoscope/Machine/ConvSentences.h"

#include <algorithm>

namespace ptoscope::tile {

//===----------------------------------------------------------------------===//
// Footprints
//===----------------------------------------------------------------------===//

void tloadconvFootprint(const Operands &ops, Footprint &footprint) {
  const ConvMove move = convLoad(unpackConv(ops.scalar[0], ops.scalar[1], ops.mode), ops.global.ref);
  if (*move.problem)
    return footprint.outside(say::kConvShapes(say::kConvWhy("CONVT-6", move.problem)));
  const ConvBox &box = move.box;
  footprint.global(move.from.map(box), {0, 0, box.n * box.d * box.h, box.c * box.g * box.w}, DirectRole::Read);
  footprint.tile(0, validRegion(ops.tile[0].ref), Role::Write);
}

void ttransconvFootprint(const Operands &ops, Footprint &footprint) {
  const ConvMove move =
      convTranspose(unpackConv(ops.scalar[0], ops.scalar[1], ops.mode),
                    unpackConv(ops.scalar[2], ops.scalar[3], ops.mode >> 16), bitsOf(ops.tile[0].ref.elem));
  if (*move.problem)
    return footprint.outside(say::kConvShapes(say::kConvWhy("CONVT-14", move.problem)));
  footprint.tile(0, validRegion(ops.tile[0].ref), Role::Write);
  footprint.tile(1, validRegion(ops.tile[1].ref), Role::Copy);
}

/// Rows of the feature map from the first to the last that a window reaches, for each image
/// and block of channels.
void timg2colFootprint(const Operands &ops, Footprint &footprint) {
  const Img2col conv(ops);
  const TileRef &left = ops.tile[0].ref;
  if (conv.empty())
    return footprint.outside(say::kConvEmpty());
  if (left.validRows < 1 || left.validCols < 1)
    return;
  const int64_t cols = std::min<int64_t>(roundUp(left.validCols, conv.c0), left.cols);
  footprint.tile(0, {0, 0, left.validRows, cols}, Role::Write);
  const int64_t outH = conv.outH(), outW = conv.outW(), each = conv.kh * conv.kw * conv.c0;
  const int64_t first = conv.posM / outW, last = (conv.posM + left.validRows - 1) / outW; // rows of the result
  const int64_t c1End = std::min(conv.c1, (conv.posK + cols - 1) / each + 1);
  for (int64_t image = first / outH; image <= last / outH && image < conv.n * conv.d; ++image) {
    const int64_t from = std::max(first - image * outH, int64_t(0)), to = std::min(last - image * outH, outH - 1);
    const int64_t begin = std::max<int64_t>(from * conv.strideH - conv.top, 0);
    const int64_t end = std::min(to * conv.strideH - conv.top + (conv.kh - 1) * conv.dilationH + 1, conv.h);
    for (int64_t c1 = conv.posK / each; c1 < c1End; ++c1)
      footprint.tile(1, {((image * conv.c1 + c1) * conv.h + begin) * conv.w, 0, (end - begin) * conv.w, conv.c0},
                     Role::Copy);
  }
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// a3 has one set of repeat and padding registers (CONVT-12).
static size_t setOf(const Context &context, ConvRegister which, bool second) {
  const bool shared = which != ConvRegister::Fmatrix && profileOf(context.core).id != ProfileId::A5;
  return second && !shared;
}

void setConvRegister(ConvRegister which, bool second, uint64_t word, const Source &) {
  Context &context = Context::here();
  context.convolution[size_t(which)][setOf(context, which, second)] = {word, true};
}

void issueImg2col(Call &call, const ConvParameters &parameters) {
  Context &context = Context::here();
  const Record &record = *call.record;
  const auto report = [&](const Fact &fact) {
    context.report(context.siteOf(&record, record.name, record.timing, call.source).id, fact);
  };
  constexpr const char *kNames[] = {"feature map", "repeat", "padding"};
  constexpr const char *kCalls[] = {"SETFMATRIX", "SET_IMG2COL_RPT", "SET_IMG2COL_PADDING"};
  const uint64_t own[] = {parameters.fmatrix, parameters.repeat, parameters.padding};
  uint64_t word[3];
  const bool host = call.operands.isHost();
  for (size_t i = 0; i < 3; ++i) {
    const size_t set = setOf(context, ConvRegister(i), parameters.second);
    Context::ConvWord &known = context.convolution[i][set];
    if (parameters.setsItself)
      known = {own[i], true};
    if (!known.written && !host) {
      report(say::kConvRegister(kNames[i], set ? "B" : "A", kCalls[i]));
      // One report for a register, not one for every tile of a loop.
      known.written = true;
      known.word = i == size_t(ConvRegister::Repeat) ? uint64_t(1) << 16 : 0;
    }
    word[i] = host ? own[i] : known.word;
  }
  const uint64_t repeat = word[size_t(ConvRegister::Repeat)];
  const auto field = [](uint64_t value, int low, int bits) { return value >> low & ((uint64_t(1) << bits) - 1); };
  if (parameters.transpose)
    return report(say::kConvOption("Transpose"));
  if (field(repeat, 24, 8) != 0 || field(repeat, 16, 8) != 1)
    return report(say::kConvOption(field(repeat, 24, 8) != 0 ? "RepeatMode" : "RepeatTime"));
  if (field(repeat, 48, 16) != 0)
    return report(say::kConvOption("DstMposition"));
  Operands &ops = call.operands;
  TileRef &left = ops.tile[0].ref;
  const auto block = uint64_t(32 * 8 / bitsOf(left.elem));
  if (!host && (parameters.posM % 16 != 0 || parameters.posK % block != 0))
    report(say::kConvPosition(parameters.posM, parameters.posK, 16, block));
  const uint64_t fmatrix = word[0], h = field(fmatrix, 16, 16), w = field(fmatrix, 0, 16);
  if (!host && h && w && (int64_t(h) != parameters.h || int64_t(w) != parameters.w))
    report(say::kConvSize(h, w, parameters.h, parameters.w));
  ops.scalar[0] = fmatrix;
  ops.scalar[1] = parameters.filter;
  ops.scalar[2] = parameters.posM | parameters.posK << 16 | uint64_t(parameters.n) << 32;
  ops.scalar[3] = uint64_t(parameters.d) | uint64_t(parameters.c1) << 32;
  left.pad = uint64_t(PadValue::CustomBase) | field(word[size_t(ConvRegister::Padding)], 0, 32);
  context.issue(call);
}

void checkFilterWindow(int64_t row, int64_t col, int64_t block, const Source &source) {
  Context &context = Context::here();
  if (context.launch.memory && (row % block != 0 || col % 16 != 0))
    context.report(context.siteOf("TEXTRACT", source).id, say::kFilterWindow(row, col, block));
}

void badConvExtent(int64_t value, const Source &source) {
  Context &context = Context::here();
  context.report(context.siteOf("ConvTile", source).id, say::kConvExtent(value));
}

} // namespace ptoscope::tile
