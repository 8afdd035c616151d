//===- Elementwise.cpp - element by element -------------------------------===//
//
// isa/30 section 8.
//
//===----------------------------------------------------------------------===//

#include "Lanes.h"

namespace ptoscope::tile::PTOSCOPE_LEVEL {

using namespace lanes;

void tadd(const Operands &ops) {
  forElem<i8, u8, i16, u16, i32, u32, f16, bf16, f32>(ops.tile[0].ref.elem, [&]<typename T>() {
    mapTiles<T, 2>(ops, [](Group<T> a, Group<T> b) { return leaveArithmetic<T>(vadd<T>(a, b)); });
  });
}

} // namespace ptoscope::tile::PTOSCOPE_LEVEL
