//===- Drive.h - drives the checkers with hand-made events ------*- C++ -*-===//
//
// World holds what a launch shares; Drive plays one block: every call issues an
// instruction and lets it take effect at once, which is what the eager schedule
// does with a program that never waits for something later. Sites get their
// line number from the test, so expected reports name lines.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_CHECKERS_DRIVE_H
#define PTOSCOPE_UNITTESTS_CHECKERS_DRIVE_H

#include "ptoscope/Checkers/Checkers.h"
#include "ptoscope/Machine/Direct.h"

#include "gtest/gtest.h"

#include <map>
#include <string>
#include <tuple>

namespace ptoscope::testing {

inline Box box(uint64_t base, uint64_t row, std::vector<Box::Dim> dims = {}) {
  Box result;
  result.base = base;
  result.rowBytes = row;
  result.dims = std::move(dims);
  result.normalise();
  return result;
}

struct World {
  SiteTable sites;
  GmTable gm;
  uint8_t host = 0; ///< no one reads through the table here
  const Profile *profile;
  FindingList findings;
  std::unique_ptr<CheckerFactory> factory;

  explicit World(const char *profileName = "a5", Checks checks = {}) : World(*findProfile(profileName), checks) {}
  World(const Profile &profile, Checks checks) : profile(&profile) {
    gm.add(&host, 1 << 20, "%x");
    gm.add(&host, 1 << 20, "%y");
    factory = makeCheckers(sites, gm, profile, checks);
  }
  /// A site in file "k.pto".
  SiteId site(uint32_t line, std::string op, SiteId loop = kNoSite, SiteId scope = kNoSite) {
    Site s;
    s.place = {"k.pto", line, 5};
    s.next = {"k.pto", line + 1, 5};
    s.op = std::move(op);
    s.loop = loop;
    s.scope = scope;
    return sites.add(s);
  }
  const GmObject &x() const { return gm.objects()[0]; }
  const GmObject &y() const { return gm.objects()[1]; }
  /// Codes with lines: "race-raw 2->5" for the first place on line 2 and the
  /// second on line 5; "init-read 7" for findings with one place.
  std::vector<std::string> summary() const {
    std::vector<std::string> result;
    for (const Finding &f : findings.all()) {
      std::string text = f.code + " ";
      if (f.code.starts_with("race"))
        text += std::to_string(firstLine(f)) + "->";
      result.push_back(text + std::to_string(f.place.line));
    }
    return result;
  }
  /// Line of the earlier access of a race.
  static uint32_t firstLine(const Finding &f) {
    for (const Note &note : f.notes)
      if (note.message.starts_with("the write is") || note.message.starts_with("the read is") ||
          note.message.starts_with("the earlier store") || note.message.starts_with("the earlier load") ||
          note.message.ends_with("them here"))
        return note.place.line;
    return 0;
  }
};

class Drive {
public:
  /// `factory`: whose observers see the block; those of the world where it is null.
  explicit Drive(World &world, int64_t block = 0, ObserverFactory *factory = nullptr)
      : world(world), block(block), factory(factory ? *factory : *world.factory),
        observer(this->factory.beginBlock(block, world.findings)) {}
  ~Drive() { end(); }

  void end() {
    if (!observer)
      return;
    observer->blockEnd(true);
    factory.endBlock(block, std::move(observer), world.findings);
  }

  std::vector<int64_t> iterations;
  CoreId core; ///< that issues what follows; AIV0 at first

  Drive &on(uint8_t index) {
    core = CoreId{index};
    return *this;
  }
  Instr issue(Pipe pipe, SiteId site) {
    Instr result{core, pipe, ++ordinals[{core.index, pipe}], site, iterations.data(), uint32_t(iterations.size())};
    observer->issue(result);
    return result;
  }
  Instr instr(Pipe pipe, SiteId site) {
    Instr result = issue(pipe, site);
    observer->start(result);
    return result;
  }
  Observer &events() { return *observer; }

  void transfer(Pipe pipe, SiteId site, Space from, Box src, Space to, Box dst, AccessKind write = AccessKind::Write) {
    transferCopied(pipe, site, from, src, to, dst, dst, write);
  }
  void transferCopied(Pipe pipe, SiteId site, Space from, Box src, Space to, Box dst, Box copied,
                      AccessKind write = AccessKind::Write) {
    Instr i = instr(pipe, site);
    auto object = [&](Space space, const Box &b) { return space == Space::Gm ? world.gm.find(b.base) : nullptr; };
    TransferEvent event{from, to, src, dst, copied, object(from, src), object(to, dst), write, dstCore(to)};
    observer->transfer(i, event);
  }
  /// The cube core's MTE1: L1 to the UB of a vector core.
  void l1ToUb(SiteId site, uint64_t l1, uint64_t ub, uint64_t bytes, uint8_t subblock = 0) {
    target = subblock;
    transfer(Pipe::MTE1, site, Space::L1, box(l1, bytes), Space::Ub, box(ub, bytes));
    target = 0;
  }
  /// An instruction of PIPE_FIX that puts bytes of L0C into the UB of a vector core.
  void l0cToUb(SiteId site, uint64_t l0c, uint64_t ub, uint64_t bytes, uint8_t subblock,
               DirectRole role = DirectRole::Read) {
    std::vector<DirectRegion> regions = {{Space::L0C, role, 1, box(l0c, bytes)},
                                         {Space::Ub, DirectRole::Write, 0, box(ub, bytes)}};
    regions[1].core = CoreId{uint8_t(1 + subblock)};
    DirectInstruction instruction{Pipe::FIX};
    instruction.carry = [](const void *, const DirectMarks *marks) { marks[0].bytes[0] = marks[1].bytes[0]; };
    observer->direct(instr(Pipe::FIX, site), {regions, instruction});
  }
  void direct(Pipe pipe, SiteId site, std::vector<DirectRegion> regions) {
    DirectInstruction instruction{pipe};
    observer->direct(instr(pipe, site), {regions, instruction});
  }
  void ubToL1(SiteId site, uint64_t ub, uint64_t l1, uint64_t bytes) {
    transfer(Pipe::MTE3, site, Space::Ub, box(ub, bytes), Space::L1, box(l1, bytes));
  }
  /// MTE2: %x[gm …] to UB.
  void load(SiteId site, uint64_t gmOffset, uint64_t ub, uint64_t bytes) {
    transfer(Pipe::MTE2, site, Space::Gm, box(world.x().base + gmOffset, bytes), Space::Ub, box(ub, bytes));
  }
  /// MTE3: UB to %y[gm …].
  void store(SiteId site, uint64_t ub, uint64_t gmOffset, uint64_t bytes, AccessKind write = AccessKind::Write) {
    transfer(Pipe::MTE3, site, Space::Ub, box(ub, bytes), Space::Gm, box(world.y().base + gmOffset, bytes), write);
  }

  void set(Pipe src, Pipe dst, int64_t id, SiteId site = kNoSite) {
    observer->setFlag(instr(src, site), src, dst, id, ++sets[{src, dst, id}]);
  }
  void wait(Pipe src, Pipe dst, int64_t id, SiteId site = kNoSite) {
    observer->waitFlag(instr(dst, site), src, dst, id, ++waits[{src, dst, id}]);
  }
  void flag(Pipe src, Pipe dst, int64_t id) {
    set(src, dst, id);
    wait(src, dst, id);
  }
  /// Semaphore `id` of core `to`; PIPE_S: the scalar unit itself.
  void syncSet(Pipe pipe, uint8_t to, int64_t id) {
    Instr i = instr(pipe, kNoSite);
    if (pipe == Pipe::S)
      observer->barrier(i, Pipe::All);
    // Flags of the cube core of A2/A3 need both vector cores.
    const bool both = to == 0 && !world.profile->pipeSemaphores;
    const uint8_t senders = both ? 2 | 4 : uint8_t(1u << core.index);
    observer->syncSet(i, CoreId{to}, id, ++syncSets[{core.index, to, id}], senders);
  }
  void syncWait(Pipe pipe, int64_t id) { observer->syncWait(instr(pipe, kNoSite), id, ++syncWaits[{core.index, id}]); }
  /// Every core of `cores` passes barrier `ordinal` of `channel`.
  void syncAll(std::vector<uint8_t> cores, uint32_t channel, uint64_t ordinal) {
    CoreId before = core;
    std::vector<Instr> instructions;
    for (uint8_t index : cores) {
      instructions.push_back(on(index).instr(Pipe::S, kNoSite));
      observer->syncAllArrive(instructions.back(), channel, ordinal);
    }
    for (const Instr &i : instructions)
      observer->syncAllLeave(i, channel, ordinal);
    core = before;
  }
  void barrier(Pipe pipe, SiteId site = kNoSite) {
    observer->barrier(instr(pipe == Pipe::All ? Pipe::S : pipe, site), pipe);
  }
  void get(Pipe pipe, int64_t id, int64_t mode = 0, SiteId site = kNoSite) {
    observer->getBuf(instr(pipe, site), id, mode, releases[id]);
  }
  void rls(Pipe pipe, int64_t id, int64_t mode = 0, SiteId site = kNoSite) {
    observer->rlsBuf(instr(pipe, site), id, mode, ++releases[id]);
  }

  void scope(SiteId site) {
    running = instr(Pipe::V, site);
    observer->scopeBegin(running);
  }
  void endScope() { observer->scopeEnd(running); }
  uint32_t vlds(SiteId site, uint64_t ub, uint32_t bytes = 256, const uint64_t *active = nullptr) {
    LocalAccess access{site, Space::Ub, nullptr, ub, bytes, active, VectorLoad, true};
    return observer->vectorLoad(running, access, defined);
  }
  void vsts(SiteId site, uint64_t ub, std::vector<uint32_t> stamps = {}, uint32_t bytes = 256,
            const uint64_t *active = nullptr, const uint64_t *definedBits = nullptr) {
    LocalAccess access{site, Space::Ub, nullptr, ub, bytes, active, VectorStore, true};
    observer->vectorStore(running, access, definedBits, stamps.data(), uint32_t(stamps.size()));
  }
  uint32_t merge(std::vector<uint32_t> stamps) { return observer->mergeStamps(stamps.data(), uint32_t(stamps.size())); }
  void fence(Fence kind) { observer->fence(running, kNoSite, kind); }
  /// Scalar accesses inside the running scope.
  void scopeLoadScalar(SiteId site, uint64_t ub, uint32_t bytes = 4) {
    observer->scalarLoad(running, {site, Space::Ub, nullptr, ub, bytes, nullptr, ScalarLoad, true});
  }
  void scopeStoreScalar(SiteId site, uint64_t ub, uint32_t bytes = 4) {
    observer->scalarStore(running, {site, Space::Ub, nullptr, ub, bytes, nullptr, ScalarStore, true});
  }
  /// Scalar accesses of the SU.
  void loadScalar(SiteId site, uint64_t ub, uint32_t bytes = 4) {
    observer->scalarLoad(instr(Pipe::S, site), {site, Space::Ub, nullptr, ub, bytes, nullptr, ScalarLoad, false});
  }
  void storeScalar(SiteId site, uint64_t ub, uint32_t bytes = 4) {
    observer->scalarStore(instr(Pipe::S, site), {site, Space::Ub, nullptr, ub, bytes, nullptr, ScalarStore, false});
  }
  void loadScalarGm(SiteId site, uint64_t address, uint32_t bytes = 4) {
    observer->scalarLoad(instr(Pipe::S, site),
                         {site, Space::Gm, world.gm.find(address), address, bytes, nullptr, ScalarLoad, false});
  }

  uint64_t defined[16] = {};
  Instr running{};

private:
  World &world;
  int64_t block;
  ObserverFactory &factory;
  std::unique_ptr<Observer> observer;
  CoreId dstCore(Space to) const { return core.index == 0 && to == Space::Ub ? CoreId{uint8_t(1 + target)} : core; }
  uint8_t target = 0;
  std::map<std::pair<uint8_t, Pipe>, uint64_t> ordinals;
  std::map<std::tuple<uint8_t, uint8_t, int64_t>, uint64_t> syncSets;
  std::map<std::pair<uint8_t, int64_t>, uint64_t> syncWaits;
  std::map<std::tuple<Pipe, Pipe, int64_t>, uint64_t> sets, waits;
  std::map<int64_t, uint64_t> releases;
};

using Lines = std::vector<std::string>;

} // namespace ptoscope::testing

#endif // PTOSCOPE_UNITTESTS_CHECKERS_DRIVE_H
