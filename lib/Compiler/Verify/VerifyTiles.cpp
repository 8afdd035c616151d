//===- VerifyTiles.cpp - operands of tile instructions --------------------===//
//
// The runtime refuses elements, memories, layouts and extents that an instruction
// does not take. It is asked before a run, with what types say.
//
//===----------------------------------------------------------------------===//

#include "Verify/VerifyTiles.h"
#include "ptoscope/Tile/Runtime.h"

#include <algorithm>

using namespace mlir;
using namespace ptoscope;
using namespace ptoscope::pto;

/// Extents that a type leaves open are negative.
static bool describe(Type type, tile::GlobalView &view) {
  auto part = dyn_cast<PartitionTensorViewType>(type);
  if (!part || part.getShape().size() > std::size(view.ref.shape))
    return false;
  view.ref.elem = *TileBufType::elemOf(part.getElement());
  std::fill(std::begin(view.ref.shape), std::end(view.ref.shape), 1);
  int64_t *extent = std::end(view.ref.shape) - part.getShape().size();
  for (int64_t given : part.getShape())
    *extent++ = ShapedType::isDynamic(given) ? -1 : given;
  return true;
}

namespace {
/// The call as far as types tell.
struct StaticCall {
  PtoTileCall call{};
  tile::TileView tiles[tile::kMaxTiles] = {};
  tile::GlobalView view{};
  tile::Rules rules;

  StaticCall(const TileBinding &bound, const Profile &profile)
      : rules(profile.id == ProfileId::A5 ? tile::Rules::Text : tile::Rules::TextOfA3) {
    call.record = bound.form->recordNumber;
    call.mode = bound.mode;
    call.tiles = uint32_t(bound.tiles.size());
    for (auto [i, tile] : llvm::enumerate(bound.tiles)) {
      tiles[i].ref = cast<TileBufType>(tile.getType()).ref();
      call.tile[i] = &tiles[i];
    }
    if (bound.view && describe(bound.view.getType(), view))
      call.global = &view;
  }
};
} // namespace

Pipe ptoscope::pipeOfTile(const TileBinding &bound, const Profile &profile) {
  StaticCall made(bound, profile);
  return tile::staticPipe(made.call, made.rules);
}

LogicalResult ptoscope::verifyTileInstr(Operation *op, const Profile &profile) {
  FailureOr<TileBinding> bound = TileInstr(op).bind(/*emits=*/false);
  if (failed(bound))
    return success(); // refused already
  StaticCall made(*bound, profile);
  const Fact fact = bound->view && !made.call.global ? Fact{} : tile::staticProblem(made.call, made.rules);
  if (!fact.code)
    return success();
  const Finding finding = findingOf(fact, {}, ("`" + op->getName().getStringRef() + "`").str());
  InFlightDiagnostic diag = emitCoded(op->emitError(), finding.code) << finding.message;
  if (!finding.help.empty())
    diag << "; " << finding.help;
  return diag;
}
