//===- VmiFootprints.cpp - bytes that a vector of any length touches ------===//
//
// Runs of N elements and rows at a stride that is known (VUB-3, VUB-4). What masks
// and indices choose may be anywhere.
//
//===----------------------------------------------------------------------===//

#include "Footprints.h"

using namespace mlir;
using namespace ptoscope::pto;

namespace ptoscope {

/// Rows that are looked at one by one.
static constexpr int64_t kMaxVectorRows = 64;

void Footprints::vmiAccess(VmiOp op, bool certain, bool instructionCertain, Pieces &pieces) {
  const VmiKind kind = op.getInfo().kind;
  const bool writes = kind == VmiKind::Store || kind == VmiKind::Scatter;
  if (!writes && kind != VmiKind::Load && kind != VmiKind::Gather)
    return;
  const Access access{op, writes, certain, instructionCertain};
  auto anywhere = [&] { pieces.push_back(somewhere(op, uint32_t(Space::Ub), writes)); };
  auto pointer = dyn_cast<PtrType>(op.getBase().getType());
  SmallVector<Value> vectors = op.getVectors();
  const bool plain = op.getInfo().name == "vmi.vload" || op.getInfo().name == "vmi.vstore";
  if (!plain || !pointer || !op.getOffset() || op.getBlockStride())
    return anywhere();
  const int64_t bytes = pointer.getElementBytes();
  const int64_t lanes = cast<VmiVRegType>(writes ? vectors[0].getType() : op->getResult(0).getType()).getLanes();
  MaybeKnown first = address(op.getBase(), op.getOffset(), bytes);
  const bool one = op.getDistMode() == "brc";
  if (!op.getStride()) {
    const int64_t count = one ? 1 : op.getDistMode() == "dintlv" ? 2 * lanes : lanes;
    return window(access, first, op.getMask() ? 0 : count * bytes, count * bytes, count * bytes >= 32 ? 32 : bytes,
                  pieces);
  }
  std::optional<int64_t> stride = values.constant(op.getStride());
  const int64_t rows = op.getGroups();
  if (!stride || !first || rows > kMaxVectorRows || std::abs(*stride) > INT32_MAX)
    return anywhere();
  for (int64_t row = 0; row < rows; ++row) {
    MaybeKnown at = added(*first, Known(row * *stride * bytes), 1);
    window(access, at, (one ? 1 : lanes / rows) * bytes, (one ? 1 : lanes / rows) * bytes, bytes, pieces);
  }
}

} // namespace ptoscope
