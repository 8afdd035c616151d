//===- Cube.cpp - cube instructions of generated code ---------------------===//

#include "Cube.h"

#include "Kernels/Kernels.h"
#include "TextIssuer.h"
#include "Work.h"

#include <algorithm>

namespace ptoscope::tile {

namespace {

/// What waits in a queue.
struct Queued {
  CubePlan plan;
  L0Tiles *tiles;
};

Pipe pipeOf(CubeOp op) {
  switch (op) {
  case CubeOp::Frac:
  case CubeOp::Fill:
    return Pipe::MTE2;
  case CubeOp::Load:
  case CubeOp::Scales:
  case CubeOp::Bias:
    return Pipe::MTE1;
  case CubeOp::Mad:
    return Pipe::M;
  case CubeOp::Store:
    return Pipe::FIX;
  }
  return Pipe::FIX;
}

//===----------------------------------------------------------------------===//
// Effect
//===----------------------------------------------------------------------===//

void runMoves(const CubePlan &plan) {
  const Kernels &kernels = hostKernels();
  Conversion conversion = plan.conversion;
  Finish finish = plan.finish;
  conversion.words = &plan.matrix[CubePlan::kWords].matrix;
  finish.factors = plan.matrix[CubePlan::kFactors].matrix;
  if (finish.isNeeded())
    conversion.finish = &finish;
  for (size_t i = 0; i < plan.moves; ++i) {
    const CubePlan::Move &move = plan.move[i];
    kernels.moveMatrix(
        {plan.matrix[move.to].matrix, plan.matrix[CubePlan::kFrom].matrix, {0, 0}, move.from, move.rows, move.cols},
        conversion);
  }
  for (size_t i = 0; i < plan.fills; ++i) {
    const auto &[place, region] = plan.filled[i];
    kernels.fillMatrix(plan.matrix[place].matrix, {region.row, region.col}, region.rows, region.cols, plan.pattern);
  }
}

void runProduct(const CubePlan &plan) {
  MatrixProduct product = plan.product;
  const auto at = [&](uint8_t place) -> const Matrix & { return plan.matrix[place].matrix; };
  product.sum = at(CubePlan::kSum);
  product.left = at(CubePlan::kLeft);
  product.right = at(CubePlan::kRight);
  product.start = at(CubePlan::kStart).data ? at(CubePlan::kStart) : product.sum;
  product.leftScale = at(CubePlan::kLeftScale);
  product.rightScale = at(CubePlan::kRightScale);
  hostKernels().multiplyMatrices(product);
}

void runQueued(const void *payload) {
  const auto &[plan, tiles] = *static_cast<const Queued *>(payload);
  runCube(plan);
  if (plan.op == CubeOp::Load)
    tiles->load(plan.matrix[CubePlan::kTo], plan.move[0].rows, plan.move[0].cols, plan.pitch[0]);
}

void regionsOfQueued(const void *payload, std::vector<DirectRegion> &regions) {
  regionsOf(static_cast<const Queued *>(payload)->plan, regions);
}

Work workOfQueued(const void *payload) { return workOf(static_cast<const Queued *>(payload)->plan); }

/// Loads copy marks as they copy elements; a wide element is undefined if its narrow one is.
void carryQueued(const void *payload, const DirectMarks *marks) {
  CubePlan plan = static_cast<const Queued *>(payload)->plan;
  for (uint8_t place : {CubePlan::kFrom, CubePlan::kTo})
    if (const DirectMarks &mark = marks[plan.matrix[place].operand]; mark.bytes)
      plan.matrix[place].matrix.data = mark.bytes - (mark.begin - plan.matrix[place].address);
  if (plan.op != CubeOp::Bias)
    return runCube(plan);
  const Matrix &to = plan.matrix[CubePlan::kTo].matrix, &from = plan.matrix[CubePlan::kFrom].matrix;
  for (int64_t r = 0; r < plan.move[0].rows; ++r)
    for (int64_t c = 0; c < plan.move[0].cols; ++c) {
      const uint8_t *narrow = from.data + from.map.offset(r, c) * 2;
      std::fill_n(to.data + to.map.offset(r, c) * 4, 4, uint8_t(narrow[0] | narrow[1]));
    }
}

/// CUBE-4, CUBE-8
Fact problemOfProduct(const void *payload) {
  const auto &[plan, tiles] = *static_cast<const Queued *>(payload);
  constexpr const char *kNames[] = {"the left operand", "the right operand"};
  for (uint8_t side : {CubePlan::kLeft, CubePlan::kRight})
    if (const uint32_t loaded = tiles->pitchAt(plan.matrix[side]);
        loaded && plan.pitch[side] && loaded != plan.pitch[side])
      return say::kCubePitch(kNames[side], loaded, plan.pitch[side]);
  return {};
}

} // namespace

/// Of an atomic store: which update it is, by the numbers that CTRL has for them.
static AccessKind updateOf(const Conversion &conversion) {
  if (conversion.mode.atomic == AtomicType::AtomicNone)
    return AccessKind::Atomic;
  const auto type = unsigned(std::find(kAtomicElems, std::end(kAtomicElems), conversion.to) - kAtomicElems) + 1;
  return atomicUpdate(type, unsigned(conversion.mode.atomic) - 1);
}

void runCube(const CubePlan &plan) { plan.op == CubeOp::Mad ? runProduct(plan) : runMoves(plan); }

void regionsOf(const CubePlan &plan, std::vector<DirectRegion> &regions) {
  std::vector<Box> boxes;
  const AccessKind update = updateOf(plan.conversion);
  for (size_t i = 0; i < plan.accesses; ++i) {
    const MatrixAccess &access = plan.access[i];
    const PlacedMatrix &placed = plan.matrix[access.matrix];
    boxes.clear();
    appendBoxes(boxes, placed.matrix.map, access.region, placed.matrix.elem, placed.address);
    for (Box &box : boxes) {
      box.normalise(); // fractals side by side are one row
      regions.push_back({placed.space, access.role, placed.operand, std::move(box), nullptr, 0, placed.core, update});
    }
  }
}

//===----------------------------------------------------------------------===//
// L0
//===----------------------------------------------------------------------===//

void L0Tiles::load(const PlacedMatrix &placed, int64_t rows, int64_t cols, uint32_t pitch) {
  const Hull hull = hullOf(placed.matrix.map, {0, 0, rows, cols}, placed.matrix.elem);
  const Tile tile = {placed.space, placed.address, placed.address + uint64_t(hull.end), pitch};
  std::erase_if(
      tiles, [&](const Tile &old) { return old.space == tile.space && old.begin < tile.end && tile.begin < old.end; });
  tiles.push_back(tile);
}

uint32_t L0Tiles::pitchAt(const PlacedMatrix &placed) const {
  for (const Tile &tile : tiles)
    if (tile.space == placed.space && tile.begin == placed.address)
      return tile.pitch;
  return 0;
}

//===----------------------------------------------------------------------===//
// Issue
//===----------------------------------------------------------------------===//

static DirectHull hullOf(const PlacedMatrix &placed, const MatrixAccess &access) {
  const Hull hull = hullOf(placed.matrix.map, access.region, placed.matrix.elem);
  // What is filled behind the first element need not be aligned as the pointer is.
  const uint32_t alignment = access.region.row == 0 && access.region.col == 0 ? placed.alignment : 1;
  return {placed.space,
          placed.operand,
          writes(access.role),
          alignment,
          placed.address + uint64_t(hull.low),
          placed.address + uint64_t(hull.end)};
}

int32_t TextIssuer::issue(SiteId site, const PtoCubeCall &call) {
  Queued queued{{}, &l0};
  CubePlan &plan = queued.plan;
  if (const Fact problem = planCube(call, profileOf(core), controlWord(core), plan); problem.code) [[unlikely]]
    if (reportAt(core, site, problem, /*fatal=*/false) || findCode(problem.code)->severity == Severity::Error)
      return isStopped(core);
  DirectHull hulls[CubePlan::kMaxAccesses];
  size_t count = 0;
  for (size_t i = 0; i < plan.accesses; ++i) {
    const MatrixAccess &access = plan.access[i];
    PlacedMatrix &placed = plan.matrix[access.matrix];
    if (placed.space == Space::Gm) {
      placed.matrix.data = hostOf(core, placed.address);
    } else {
      uint8_t *memory = base(placed.space);
      if (placed.space == Space::Ub) {
        const UbTarget ub = ubOf(core, placed.subblock);
        memory = ub.base;
        placed.core = ub.core;
      }
      if (!memory) [[unlikely]]
        return reportAt(core, site, say::kNoMemoryHere(placed.space), /*fatal=*/true);
      placed.matrix.data = memory + placed.address;
    }
    hulls[count++] = hullOf(placed, access);
  }
  DirectInstruction instruction;
  instruction.pipe = pipeOf(plan.op);
  instruction.atomic = plan.isAtomic;
  if (plan.unitFlag != UnitFlag::None)
    instruction.unit = unitUse(plan.unitFlag, {hulls, count});
  instruction.payloadBytes = sizeof(queued);
  instruction.payload = &queued;
  instruction.run = runQueued;
  instruction.regions = regionsOfQueued;
  instruction.work = workOfQueued;
  if (plan.op == CubeOp::Load || plan.op == CubeOp::Scales || plan.op == CubeOp::Bias)
    instruction.carry = carryQueued;
  if (plan.op == CubeOp::Mad)
    instruction.problem = problemOfProduct;
  return issueDirect(core, site, instruction, {hulls, count});
}

CubeFootprint cubeFootprint(const PtoCubeCall &call, const Profile &profile) {
  CubeFootprint result;
  CubePlan plan{};
  result.problem = planCube(call, profile, /*control=*/0, plan);
  for (PlacedMatrix &placed : plan.matrix)
    if (placed.space == Space::Ub)
      placed.core = CoreId{uint8_t(1 + placed.subblock)};
  if (!result.problem.code || findCode(result.problem.code)->severity != Severity::Error)
    regionsOf(plan, result.regions);
  for (size_t i = 0; i < plan.accesses && !result.regions.empty(); ++i)
    result.hulls.push_back(hullOf(plan.matrix[plan.access[i].matrix], plan.access[i]));
  return result;
}

} // namespace ptoscope::tile

int32_t ptosc_cube(PtoContext *core, uint32_t site, const PtoCubeCall *call) {
  return ptoscope::tile::TextIssuer::of(core).issue(site, *call);
}
