//===- PushEpilogue.h - what a pipe applies to pushes -----------*- C++ -*-===//
//
// The conversions of `acc_push_epilogue` (FIFO-79) as the fixpipe has them, for the
// verifier and the lowering.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_COMPILER_PROGRAM_PUSHEPILOGUE_H
#define PTOSCOPE_LIB_COMPILER_PROGRAM_PUSHEPILOGUE_H

#include "pto/detail/modes.hpp"
#include "ptoscope/Dialect/PTO/PTO.h"

namespace ptoscope {

/// From an accumulator's element to one of two; the first one counts where nothing tells.
struct PushWay {
  llvm::StringLiteral name;
  tile::Quant quant;
  tile::Elem from, to, orTo;
};
/// Null for `no_convert`, which changes no element.
inline const PushWay *wayOf(pto::AccPushEpilogueAttr epilogue) {
  using enum tile::Elem;
  using tile::Quant;
  static constexpr PushWay kWays[] = {{"f32_f16", Quant::None, f32, f16, f16},
                                      {"f32_bf16", Quant::None, f32, bf16, bf16},
                                      {"req8_scalar", Quant::Scalar, i32, i8, u8},
                                      {"req8_vec", Quant::Vector, i32, i8, u8},
                                      {"deqf16_scalar", Quant::Scalar, i32, f16, f16},
                                      {"deqf16_vec", Quant::Vector, i32, f16, f16},
                                      {"qf322b8_pre_scalar", Quant::Scalar, f32, i8, u8},
                                      {"qf322b8_pre_vec", Quant::Vector, f32, i8, u8},
                                      {"qf322f16_pre_scalar", Quant::Scalar, f32, f16, f16},
                                      {"qf322bf16_pre_scalar", Quant::Scalar, f32, bf16, bf16},
                                      {"qs322bf16_pre_scalar", Quant::Scalar, i32, bf16, bf16},
                                      {"qs322bf16_pre_vec", Quant::Vector, i32, bf16, bf16},
                                      {"qf322hif8_pre_scalar", Quant::Scalar, f32, hif8, hif8},
                                      {"qf322fp8_pre_scalar", Quant::Scalar, f32, e4m3, e5m2}};
  const PushWay *way = llvm::find_if(kWays, [&](const PushWay &each) { return each.name == epilogue.getQuant(); });
  return way == std::end(kWays) ? nullptr : way;
}

/// The epilogue of a pipe; null without one.
inline pto::AccPushEpilogueAttr epilogueOf(mlir::Operation *pipe) {
  return pipe ? pipe->getAttrOfType<pto::AccPushEpilogueAttr>("acc_push_epilogue") : pto::AccPushEpilogueAttr();
}

} // namespace ptoscope

#endif // PTOSCOPE_LIB_COMPILER_PROGRAM_PUSHEPILOGUE_H
