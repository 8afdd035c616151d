//===- Operations.cpp - random data instructions --------------------------===//

#include "Operations.h"

#include <algorithm>
#include <set>

namespace ptoscope::randomprogram {

static uint64_t roundUp(uint64_t bytes) { return (bytes + 31) / 32 * 32; }

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

/// Where a read may start: areas of GM that no one writes in this phase, or the
/// block's own.
Where Operations::source(Memory local, bool gm) {
  if (!gm)
    return {local};
  if (random.oneIn(3))
    return {Memory::Input};
  Where where{Memory::Gm};
  where.offset = kAreaBytes * random.below(phase + 1);
  if (where.offset != kAreaBytes * phase)
    where.neighbour = random.below(program.blocks);
  return where;
}
Where Operations::target(Memory local, bool gm) {
  if (!gm)
    return {local};
  return {Memory::Gm, kAreaBytes * phase};
}

/// Moves `where` to a random place at which `extent` bytes fit in every turn.
bool Operations::fit(Where &where, uint64_t extent, uint64_t turns) {
  uint64_t size = where.memory == Memory::Input ? kInputBytes : where.memory == Memory::Gm ? kAreaBytes : kLocalBytes;
  bool local = where.memory >= Memory::L1;
  if (turns > 1)
    where.perTurn = 32 * random.below(4);
  uint64_t span = extent + (turns - 1) * where.perTurn;
  if (span > size)
    return false;
  uint64_t unit = local || !random.oneIn(4) ? 32 : 4;
  where.offset += unit * random.below((size - span) / unit + 1);
  return true;
}

std::vector<Path> Operations::pathsOf(uint8_t core) const {
  std::vector<Path> paths;
  for (const PathInfo &info : kPaths) {
    bool reaches = info.path != Path::UbL1 || program.mixed;
    if (info.onCube == (core == kAic) && reaches && (!info.a5Only || program.arch == "a5"))
      paths.push_back(info.path);
  }
  return paths;
}

/// All blocks make the same updates of what they share, and those of one kind
/// need no order anywhere.
void Operations::makeAtomic(Transfer &t) {
  t.atomic = unsigned(program.seed % kAtomics.size());
  t.dst = {Memory::Shared};
  if (random.oneIn(2)) {
    t.atomic = unsigned(random.below(kAtomics.size()));
    t.dst = {Memory::Gm, kAreaBytes * phase};
  }
}

Instruction Operations::transfer(uint8_t core, Path path, uint64_t turns) {
  const PathInfo &info = infoOf(path);
  Memory ub = core == kAiv1 || (core == kAic && random.oneIn(2)) ? Memory::Ub1 : Memory::Ub0;
  bool fromGm = info.from == "gm", toGm = info.to == "gm";
  while (true) {
    Instruction i{Kind::Transfer, core, info.pipe};
    Transfer &t = i.transfer;
    t.path = path;
    // The grouped form writes the first vector core.
    t.legacy = (path == Path::L1Ub && ub == Memory::Ub1) || random.oneIn(2);
    t.src = source(info.from == "l1" ? Memory::L1 : ub, fromGm);
    t.dst = target(info.to == "l1" ? Memory::L1 : ub, toGm);
    t.len = 32 * (1 + random.below(4));
    t.count = 1 + random.below(4);
    if (toGm && random.oneIn(3) && !program.movesOnly)
      makeAtomic(t);
    if (path == Path::GmUb && program.movesOnly && random.oneIn(2))
      t.len = 1 + random.below(128); // the rest of a row's last block is no one's
    if (toGm && !t.atomic && random.oneIn(2))
      t.len = 1 + random.below(128);
    uint64_t row = t.len;
    if (path == Path::GmUb && random.oneIn(3)) {
      bool words = random.oneIn(2);
      uint64_t unit = words ? 4 : 1;
      t.len = unit * (1 + random.below(100 / unit));
      t.pad = Padding{words ? uint32_t(random.engine()) : uint32_t(random.below(256)), words ? 4u : 1u,
                      unit * random.below(32 / unit), unit * random.below(32 / unit)};
      row = t.pad->left + t.len + t.pad->right;
    }
    t.dstStep = t.atomic ? row + 4 * random.below(10)
                : toGm   ? row + random.below(40)
                         : roundUp(row) + 32 * random.below(2);
    t.srcStep = !fromGm ? roundUp(t.len) + 32 * random.below(2) : random.oneIn(4) ? 0 : t.len + random.below(40);
    uint64_t loops = info.gaps ? (path == Path::L1Ub && !t.legacy ? 1 : 0) : path == Path::GmL1 && t.legacy ? 0 : 2;
    loops = random.below(loops + 1);
    uint64_t srcExtent = t.count * t.srcStep, dstExtent = t.count * t.dstStep;
    for (uint64_t k = 0; k < loops; ++k) {
      OuterLoop loop{1 + random.below(3), 0, 0};
      loop.srcStep = !fromGm ? roundUp(srcExtent) : random.oneIn(4) ? 0 : srcExtent;
      loop.dstStep = toGm ? dstExtent : roundUp(dstExtent) + 32 * random.below(2);
      srcExtent = loop.count * loop.srcStep;
      dstExtent = loop.count * loop.dstStep;
      t.loops.push_back(loop);
    }
    // Only a5 has registers for the loops of the legacy form.
    t.legacy &= t.loops.empty() || program.arch == "a5";
    // The bytes really touched end before the last step does.
    srcExtent = dstExtent = 0;
    forEachRow(t, [&](uint64_t src, uint64_t dst) {
      srcExtent = std::max(srcExtent, src + t.len);
      dstExtent = std::max(dstExtent, dst + rowBytes(t));
    });
    if (!fit(t.src, srcExtent, turns) || !fit(t.dst, dstExtent, turns))
      continue;
    // A copy inside UB keeps away from itself.
    if (path == Path::UbUb) {
      uint64_t srcEnd = t.src.offset + (turns - 1) * t.src.perTurn + srcExtent;
      uint64_t dstEnd = t.dst.offset + (turns - 1) * t.dst.perTurn + dstExtent;
      if (t.src.offset < dstEnd && t.dst.offset < srcEnd)
        continue;
    }
    return i;
  }
}

Instruction Operations::scalar(uint8_t core) {
  Instruction i{Kind::Scalar, core, Pipe::S};
  Memory ub = core == kAiv1 ? Memory::Ub1 : Memory::Ub0;
  i.scalar.from = source(ub, core == kAic || random.oneIn(2));
  i.scalar.to = target(ub, core == kAic || random.oneIn(2));
  i.scalar.from.offset += 4 * random.below(512);
  i.scalar.to.offset += 4 * random.below(512);
  i.scalar.addend = uint32_t(random.engine());
  return i;
}

Instruction Operations::probe(uint8_t core) {
  Instruction i{Kind::Scalar, core, Pipe::S};
  i.scalar.from = {core == kAiv1 ? Memory::Ub1 : Memory::Ub0, 4 * random.below(512)};
  i.scalar.to = {Memory::Gm, kAreaBytes * phase + 4 * random.below(512)};
  return i;
}

Instruction Operations::any(uint8_t core, uint64_t turns) {
  if (random.oneIn(8) && !program.movesOnly)
    return scalar(core);
  if (core != kAic && random.oneIn(program.movesOnly ? 2 : 5)) // they are most of what compiling costs
    return scope(core);
  std::vector<Path> paths = pathsOf(core);
  return transfer(core, paths[random.below(paths.size())], turns);
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

namespace {

/// Builds the steps of a scope and puts a fence wherever one is needed.
struct ScopeBuilder {
  struct Access {
    uint8_t kind;
    std::vector<std::pair<uint64_t, uint64_t>> ranges; ///< [begin, end)
    std::set<size_t> derivedFrom;                      ///< loads whose values it stores
    uint8_t fenced = 0;                                ///< kinds that a fence behind it holds back
  };

  Random &random;
  bool fences; ///< the profile has them; without, no step is taken that needs one
  bool movesOnly;
  std::vector<Step> steps;
  std::vector<Access> accesses;
  std::vector<std::set<size_t>> registers; ///< which loads each derives from

  Mask mask() {
    switch (random.below(movesOnly ? 2 : 5)) {
    case 0:
      return {Mask::Pattern, unsigned(random.below(kPatterns.size()))};
    case 1:
      return {Mask::First, unsigned(random.below(kLanes + 1))};
    case 2:
      if (!registers.empty())
        return {Mask::Negative, someRegister()};
      [[fallthrough]];
    default:
      return {};
    }
  }
  /// Accesses of one scope lie in two registers' worth of UB, so that they meet.
  uint64_t base = kRegisterBytes * random.below(kLocalBytes / kRegisterBytes - 1);
  uint64_t place(uint64_t bytes, uint64_t alignment) {
    uint64_t room = kLocalBytes - bytes, last = std::min(base + kRegisterBytes, room);
    uint64_t first = std::min(base, last) / alignment * alignment;
    return first + alignment * random.below((last - first) / alignment + 1);
  }
  uint64_t word() { return base + 4 * random.below(2 * kRegisterBytes / 4); }
  unsigned someRegister() { return unsigned(random.below(registers.size())); }

  /// The fences that the accesses of one step need, then the accesses themselves:
  /// a fence never stands inside a step. Returns the number of the first, or
  /// nothing when the step cannot be taken.
  std::optional<size_t> touch(std::vector<Access> step) {
    for (const Access &access : step)
      for (size_t n = 0; n < accesses.size() && !fences; ++n)
        if (needsFence(accesses[n], access) && !access.derivedFrom.count(n))
          return std::nullopt;
    for (const Access &access : step)
      for (size_t n = 0; n < accesses.size(); ++n)
        if (needsFence(accesses[n], access) && !access.derivedFrom.count(n))
          fence(accesses[n].kind, access.kind);
    size_t first = accesses.size();
    for (Access &access : step)
      accesses.push_back(std::move(access));
    return first;
  }
  static bool needsFence(const Access &earlier, const Access &later) {
    constexpr uint8_t kStores = kVectorStore | kScalarStore, kScalars = kScalarLoad | kScalarStore;
    if (!((earlier.kind | later.kind) & kStores) || ((earlier.kind & kScalars) && (later.kind & kScalars)) ||
        (earlier.fenced & later.kind))
      return false;
    for (auto [begin, end] : later.ranges)
      for (auto [otherBegin, otherEnd] : earlier.ranges)
        if (begin < otherEnd && otherBegin < end)
          return true;
    return false;
  }
  void fence(uint8_t before, uint8_t after) {
    std::vector<size_t> enough;
    for (size_t k = 0; k < kFences.size(); ++k)
      if ((kFences[k].before & before) && (kFences[k].after & after))
        enough.push_back(k);
    size_t k = enough[random.below(enough.size())];
    Step step{Step::Fence};
    step.op = unsigned(k);
    steps.push_back(step);
    for (Access &access : accesses)
      if (access.kind & kFences[k].before)
        access.fenced |= kFences[k].after;
  }

  /// What a step touches, a class at a time: loads first.
  std::vector<Access> accessesOf(const Step &step, std::set<size_t> derivedFrom) {
    std::vector<Access> list;
    forEachAccess(step, [&](uint8_t kind, uint64_t begin, uint64_t bytes) {
      if (list.empty() || list.back().kind != kind)
        list.push_back({kind, {}, kind == kVectorStore ? derivedFrom : std::set<size_t>()});
      auto &ranges = list.back().ranges;
      if (!ranges.empty() && ranges.back().second == begin)
        ranges.back().second += bytes;
      else
        ranges.push_back({begin, begin + bytes});
    });
    return list;
  }
  void take(const Step &step, std::set<size_t> derivedFrom = {}) {
    if (touch(accessesOf(step, std::move(derivedFrom))))
      steps.push_back(step);
  }
  void takeLoad(Step step) {
    step.result = unsigned(registers.size());
    std::optional<size_t> n = touch(accessesOf(step, {}));
    if (!n)
      return;
    // Without an active lane nothing is loaded.
    registers.push_back(*n < accesses.size() ? std::set<size_t>{*n} : std::set<size_t>{});
    steps.push_back(step);
  }
  unsigned form(const std::vector<Distribution> &forms) {
    if (random.oneIn(2))
      return 0;
    unsigned n = unsigned(random.below(forms.size()));
    return forms[n].a5Only && !fences ? 0 : n;
  }
  void strides(Step &step) {
    step.blocks = 1 + random.below(3);
    step.repeat = random.below(3);
  }
  void indices(Step &step) {
    step.first = uint32_t(random.below(1000));
    step.factor = uint32_t(2 * random.below(50) + 1);
    step.mask = mask();
  }

  void load() {
    Step step{Step::Load};
    step.op = form(kLoads);
    step.from = place(kLoads[step.op].bytes, kLoads[step.op].alignment);
    strides(step);
    takeLoad(step);
  }
  void gather() {
    Step step{Step::Gather};
    step.from = place(4 * Step::kIndexed, 4);
    indices(step);
    takeLoad(step);
  }
  void scatter() {
    Step step{Step::Scatter};
    step.a = someRegister();
    step.to = place(4 * Step::kIndexed, 4);
    indices(step);
    take(step, registers[step.a]);
  }
  void stream() {
    Step step{Step::Stream};
    step.a = someRegister();
    step.b = someRegister();
    step.count = random.below(kLanes + 1);
    step.more = random.oneIn(2) ? random.below(kLanes + 1) : 0;
    step.to = place(4 * (step.count + step.more), 4);
    // The first blocks come from `a` alone, the last ones from `b` too.
    std::set<size_t> from;
    if (!step.more || step.a == step.b)
      from = registers[step.a];
    if (step.count + step.more)
      take(step, std::move(from));
  }
  void maskCopy() {
    Step step{Step::MaskCopy};
    step.from = place(32, 32);
    step.to = place(32, 32);
    if (step.from != step.to)
      take(step);
  }
  void lane() {
    Step step{Step::Lane};
    step.op = unsigned(random.below(kLaneOps.size()));
    step.a = someRegister();
    step.b = someRegister();
    step.mask = mask();
    step.result = unsigned(registers.size());
    std::set<size_t> from = registers[step.a];
    if (kLaneOps[step.op].operands == 2)
      from.insert(registers[step.b].begin(), registers[step.b].end());
    registers.push_back(std::move(from));
    steps.push_back(step);
  }
  void store() {
    Step step{Step::Store};
    step.a = someRegister();
    step.op = form(kStores);
    step.to = place(kStores[step.op].bytes, kStores[step.op].alignment);
    if (kStores[step.op].name == "NORM_B32" || kStores[step.op].name == "PK_B32")
      step.mask = mask(); // the others ignore masks, or differ in how they read them
    strides(step);
    take(step, registers[step.a]);
  }
  void scalar() {
    Step step{Step::Scalar};
    step.from = word();
    step.to = word();
    step.addend = uint32_t(random.engine());
    take(step);
  }
  void rows() {
    Step step{Step::Rows};
    step.op = unsigned(random.below(kLaneOps.size()));
    step.rows = 1 + random.below(3);
    uint64_t bytes = step.rows * kRegisterBytes;
    step.from = kRegisterBytes * random.below((kLocalBytes - bytes) / kRegisterBytes + 1);
    step.to = step.from; // in place, or somewhere else altogether
    if (random.oneIn(2)) {
      do
        step.to = kRegisterBytes * random.below((kLocalBytes - bytes) / kRegisterBytes + 1);
      while (step.to < step.from + bytes && step.from < step.to + bytes);
    }
    take(step);
  }
};

} // namespace

Instruction Operations::scope(uint8_t core) {
  ScopeBuilder builder{random, program.arch == "a5", program.movesOnly, {}, {}, {}};
  for (uint64_t n = 2 + random.below(4); n > 0; --n) {
    uint64_t kind = random.below(14);
    if (program.movesOnly && kind > 1 && kind < 9)
      kind = kind % 2 ? 0 : 4; // a load or a store
    if (builder.registers.empty() || kind < 2)
      builder.load();
    else if (kind < 4)
      builder.lane();
    else if (kind < 6)
      builder.store();
    else if (kind < 8)
      builder.scalar();
    else if (kind == 8)
      builder.rows();
    else if (kind == 9)
      builder.maskCopy();
    else if (kind == 10)
      builder.gather();
    else if (kind == 11)
      builder.scatter();
    else if (program.arch == "a5")
      builder.stream();
  }
  if (!builder.registers.empty())
    builder.store();
  Instruction i{Kind::Scope, core, Pipe::V};
  i.scope.steps = std::move(builder.steps);
  i.scope.carrier = unsigned(random.below(2));
  return i;
}

} // namespace ptoscope::randomprogram
