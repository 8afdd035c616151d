//===- Faults.cpp - makes a random program wrong --------------------------===//
//
// Mostly in its synchronisation; sometimes an operand lies 32 bytes beside its
// place, which the synchronisation around it does not know.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"

#include <algorithm>
#include <map>

namespace ptoscope::randomprogram {

/// Downwards where there is room: no memory is left at its end.
static void shift(uint64_t &offset) { offset += offset >= 32 ? uint64_t(0) - 32 : 32; }

/// Moves an operand of a data instruction. False when it has none to move.
static bool moveOperand(Instruction &i, Random &random) {
  if (i.kind == Kind::Scalar) {
    shift(random.oneIn(2) ? i.scalar.to.offset : i.scalar.from.offset);
    return true;
  }
  if (i.kind == Kind::Transfer) {
    Transfer &t = i.transfer;
    if (t.path == Path::UbUb) // it keeps away from itself
      return false;
    shift(t.src.memory == Memory::Input || random.oneIn(2) ? t.dst.offset : t.src.offset);
    return true;
  }
  if (i.scope.steps.empty())
    return false;
  Step &step = i.scope.steps[random.below(i.scope.steps.size())];
  if (step.kind == Step::Lane || step.kind == Step::Fence)
    return false;
  bool reads = step.kind == Step::Load || step.kind == Step::Gather;
  shift(reads || (step.kind == Step::Scalar && random.oneIn(2)) ? step.from : step.to);
  return true;
}

std::string breakOne(Program &program, uint64_t seed) {
  Random random{std::mt19937_64(seed)};
  if (random.oneIn(4)) {
    std::vector<size_t> data, updates;
    for (size_t k = 0; k < program.list.size(); ++k) {
      if (program.list[k].isData())
        data.push_back(k);
      if (program.list[k].transfer.atomic)
        updates.push_back(k);
    }
    if (!updates.empty() && random.oneIn(2)) { // an update of another kind in the same place
      size_t k = updates[random.below(updates.size())];
      Instruction other = program.list[k];
      other.transfer.atomic = unsigned((*other.transfer.atomic + 1) % kAtomics.size());
      program.list.insert(program.list.begin() + std::ptrdiff_t(k), std::move(other));
      return "another update beside instruction " + std::to_string(k);
    }
    size_t k = data[random.below(data.size())];
    if (moveOperand(program.list[k], random))
      return "instruction " + std::to_string(k) + " elsewhere";
  }
  // A synchronising instruction as a whole, or a fence of a scope.
  constexpr size_t kWhole = SIZE_MAX;
  // Kinds are equally likely, however often they occur.
  std::map<Kind, std::vector<std::pair<size_t, size_t>>> kinds;
  for (size_t k = 0; k < program.list.size(); ++k) {
    const Instruction &i = program.list[k];
    if (i.isSync())
      kinds[i.kind].push_back({k, kWhole});
    for (size_t s = 0; s < i.scope.steps.size(); ++s)
      if (i.scope.steps[s].kind == Step::Fence)
        kinds[Kind::Scope].push_back({k, s});
  }
  if (kinds.empty())
    return "";
  const auto &victims = std::next(kinds.begin(), std::ptrdiff_t(random.below(kinds.size())))->second;
  auto [k, s] = victims[random.below(victims.size())];
  Instruction &i = program.list[k];
  std::string name = "instruction " + std::to_string(k);
  auto at = program.list.begin() + std::ptrdiff_t(k);
  if (s != kWhole) {
    i.scope.steps.erase(i.scope.steps.begin() + std::ptrdiff_t(s));
    return "without a fence of " + name;
  }
  uint64_t action = random.below(3);
  bool numbered = i.kind != Kind::Barrier && i.kind != Kind::SyncAll;
  if (action == 0 && numbered) {
    bool buffer = i.kind == Kind::Get || i.kind == Kind::Rls;
    int64_t ids = i.kind <= Kind::WaitFlag ? 8 : buffer ? 32 : i.kind <= Kind::SyncWait && i.core == kAic ? 32 : 16;
    i.id = (i.id + 1 + int64_t(random.below(uint64_t(ids) - 1))) % ids;
    if (i.parity)
      i.id = std::min(i.id, ids - 2);
    return "another id in " + name;
  }
  if (action == 1 && random.oneIn(2)) {
    program.list.insert(at, Instruction(i));
    return name + " twice";
  }
  if (i.kind == Kind::Barrier && random.oneIn(2)) {
    std::erase_if(program.list, [core = i.core, pipe = i.pipe](const Instruction &j) {
      return j.kind == Kind::Barrier && j.core == core && j.pipe == pipe;
    });
    return "without " + name + " and all barriers like it";
  }
  // A set goes with its wait, or alone.
  Kind other = Kind(uint8_t(i.kind) + 1);
  bool set = i.kind == Kind::SetFlag || i.kind == Kind::SyncSet || i.kind == Kind::CrossSet;
  auto partner = std::find_if(at, program.list.end(), [&](const Instruction &j) {
    bool here = i.kind == Kind::SetFlag ? j.core == i.core && j.source == i.source && j.destination == i.destination
                                        : j.core != i.core;
    return j.kind == other && here && j.id % 16 == i.id % 16;
  });
  if (set && partner != program.list.end() && !random.oneIn(4)) {
    program.list.erase(partner);
    program.list.erase(at);
    return "without " + name + " and its wait";
  }
  program.list.erase(at);
  return "without " + name;
}

} // namespace ptoscope::randomprogram
