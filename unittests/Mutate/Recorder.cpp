//===- Recorder.cpp - makes the order graph of a run ----------------------===//

#include "Recorder.h"

#include "ptoscope/Machine/Direct.h"

#include <algorithm>
#include <array>

namespace ptoscope::mutate {

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

uint32_t ByteHistory::follow(uint32_t state, uint32_t who, AccessKind kind, Pairs &meeting) {
  auto [known, isNew] = followed.try_emplace(state, state);
  if (!isNew)
    return known->second;
  std::vector<Touch> after;
  bool present = false;
  // A write that was read since is before the read, and the read before this.
  bool wasRead = std::any_of(states[state].begin(), states[state].end(),
                             [](const Touch &touch) { return touch.kind == AccessKind::Read; });
  for (const Touch &touch : states[state]) {
    bool conflict = kind == AccessKind::Write ? touch.kind != AccessKind::Write || !wasRead
                                              : touch.kind == AccessKind::Write || kind != touch.kind;
    if (conflict && touch.who != who)
      meeting.emplace_back(touch.who, who);
    // A write stands for everything before it, which it was compared with.
    if (kind != AccessKind::Write)
      after.push_back(touch);
    present |= touch.who == who && touch.kind == kind;
  }
  if (kind != AccessKind::Write && present)
    return state;
  after.push_back({who, kind});
  states.push_back(std::move(after));
  return followed[state] = uint32_t(states.size() - 1);
}

void ByteHistory::touch(uint64_t begin, uint64_t bytes, const uint64_t *active, uint32_t who, AccessKind kind,
                        Pairs &meeting) {
  if (who != last.who || kind != last.kind)
    followed.clear();
  last = {who, kind};
  if (stateOf.size() < begin + bytes)
    stateOf.resize(begin + bytes);
  uint32_t old = ~0u, next = 0;
  for (uint64_t i = 0; i < bytes; ++i) {
    if (active && !(active[i / 64] >> (i % 64) & 1))
      continue;
    uint32_t &state = stateOf[begin + i];
    if (state != old) {
      old = state;
      next = follow(old, who, kind, meeting);
    }
    state = next;
  }
}

void ByteHistory::clear() {
  states.assign(1, {});
  stateOf.clear();
  followed.clear();
  last.who = ~0u;
}

//===----------------------------------------------------------------------===//
// Events
//===----------------------------------------------------------------------===//

class Recorder::BlockRecorder final : public Observer {
public:
  BlockRecorder(Recorder &all, int64_t block) : all(all), graph(all.recording.graph), block(block) {}

  void issue(const Instr &instr) override {
    Core &core = coreOf(instr);
    core.issued[size_t(instr.pipe)] = instr.ordinal;
    core.pending[{instr.pipe, instr.ordinal}] = {core.gate, core.issued};
  }

  void start(const Instr &instr) override {
    Core &core = coreOf(instr);
    InstrIndex self = graph.add(block, instr);
    core.byOrdinal[{instr.pipe, instr.ordinal}] = self;
    for (const Node &node : core.pending[{instr.pipe, instr.ordinal}].gate)
      graph.edge(node, {self, Graph::Start});
    Last &last = core.last[size_t(instr.pipe)];
    if (last.any) {
      graph.edge({last.instr, Graph::Start}, {self, Graph::Start});
      graph.edge({last.instr, Graph::Done}, {self, Graph::Done});
      // On pipes that only start in order, a later instruction has to wait for
      // nothing but what stopped the pipe.
      if (last.stopsPipe || inOrder(instr.pipe))
        graph.edge({last.instr, Graph::End}, {self, Graph::Start});
    }
    last = {self, true, false};
  }

  // --- accesses ---

  void transfer(const Instr &instr, const TransferEvent &event) override {
    InstrIndex self = at(instr);
    graph.work(self);
    box(self, event.src, event.srcSpace, event.srcObject, instr.core, AccessKind::Read);
    box(self, event.dst, event.dstSpace, event.dstObject, event.dstCore, event.write);
  }
  void scopeBegin(const Instr &instr) override {
    all.recording.scopes.emplace_back(at(instr), ScopeOrder());
    scopeBytes.clear();
    graph.work(at(instr));
  }
  uint32_t vectorLoad(const Instr &instr, const LocalAccess &access, uint64_t *defined) override {
    std::fill_n(defined, (access.windowBytes + 63) / 64, ~uint64_t(0));
    uint32_t step = local(instr, access, AccessKind::Read);
    return access.space == Space::Ub ? scope().stampOf(step) : 0;
  }
  void vectorStore(const Instr &instr, const LocalAccess &access, const uint64_t *, const uint32_t *stamps,
                   uint32_t count) override {
    local(instr, access, AccessKind::Write, {stamps, stamps + count});
  }
  uint32_t mergeStamps(const uint32_t *stamps, uint32_t n) override { return scope().merge({stamps, stamps + n}); }
  void scalarLoad(const Instr &instr, const LocalAccess &access) override { local(instr, access, AccessKind::Read); }
  void scalarStore(const Instr &instr, const LocalAccess &access) override { local(instr, access, AccessKind::Write); }
  void direct(const Instr &instr, const DirectEvent &event) override {
    InstrIndex self = at(instr);
    graph.work(self);
    for (const DirectRegion &region : event.regions) {
      CoreId owner = ownerOf(region, instr);
      if (!writes(region.role) || region.role == DirectRole::Update)
        box(self, region.box, region.space, region.object, owner, AccessKind::Read);
      if (writes(region.role))
        box(self, region.box, region.space, region.object, owner, AccessKind::Write);
    }
  }
  void statusRead(const Instr &instr, StatusRegister, const Instr &writer) override {
    graph.work(at(instr));
    if (writer.ordinal) // which may take effect later
      statusReads.emplace_back(writer, at(instr));
  }
  void blockEnd(bool) override {
    for (const auto &[writer, reader] : statusReads)
      if (auto found = coreOf(writer).byOrdinal.find({writer.pipe, writer.ordinal});
          found != coreOf(writer).byOrdinal.end())
        graph.meet(found->second, reader);
  }
  void fence(const Instr &, SiteId site, Fence fence) override { scope().fence(site, fence); }

  // --- edges inside a core ---

  void setFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    publish(instr);
    coreOf(instr).sets[{src, dst, id, ordinal}] = at(instr);
  }
  void waitFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) override {
    acquire(instr, coreOf(instr).sets.at({src, dst, id, ordinal}));
  }
  void barrier(const Instr &instr, Pipe pipe) override {
    if (pipe == Pipe::S)
      return; // nothing beyond the order that PIPE_S has anyway
    InstrIndex self = at(instr);
    stop(instr);
    if (pipe != Pipe::All)
      return publish(instr);
    Core &core = coreOf(instr);
    for (const Last &last : core.last)
      if (last.any && last.instr != self)
        graph.edge({last.instr, Graph::Done}, {self, Graph::End});
    core.gate = {{self, Graph::End}};
  }
  /// What these pipes did comes before it, and what is issued later after it.
  void memoryBarrier(const Instr &instr, uint32_t pipes) override {
    InstrIndex self = at(instr);
    Core &core = coreOf(instr);
    for (size_t pipe = 0; pipe < core.last.size(); ++pipe)
      if (const Last &last = core.last[pipe]; pipes >> pipe & 1 && last.any && last.instr != self)
        graph.edge({last.instr, Graph::Done}, {self, Graph::End});
    core.gate = {{self, Graph::End}};
  }
  void getBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t releasesBefore) override {
    Core &core = coreOf(instr);
    core.gets.push_back({id, instr.pipe, instr.ordinal});
    if (mode != 0)
      return;
    stop(instr);
    for (uint64_t k = 1; k <= releasesBefore; ++k)
      acquire(instr, core.releases.at({id, k}));
  }
  void rlsBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t ordinal) override {
    Core &core = coreOf(instr);
    publish(instr);
    core.releases[{id, ordinal}] = at(instr);
    if (mode == 0)
      return;
    const Issued &before = core.pending[{instr.pipe, instr.ordinal}].issued;
    for (const Get &get : core.gets) {
      uint64_t upTo = before[size_t(get.pipe)];
      if (get.id == id && get.pipe != instr.pipe && get.ordinal <= upTo)
        graph.edge({core.byOrdinal.at({get.pipe, upTo}), Graph::Done}, {at(instr), Graph::End});
    }
  }

  void unitCheck(const Instr &instr, Pipe from, uint64_t ordinal) override {
    graph.edge({coreOf(instr).byOrdinal.at({from, ordinal}), Graph::End}, {at(instr), Graph::Start});
  }

  // --- edges between cores ---

  void syncSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal, uint8_t) override {
    publish(instr);
    semaphores[{target.index, id, ordinal}].push_back(at(instr));
  }
  void syncWait(const Instr &instr, int64_t id, uint64_t ordinal) override {
    for (InstrIndex set : semaphores[{instr.core.index, id, ordinal}]) {
      acquire(instr, set);
      if (instr.pipe == Pipe::S)
        coreOf(instr).gate.push_back({set, Graph::End});
    }
  }
  void launchSet(const Instr &instr, uint32_t channel, uint64_t ordinal) override {
    publish(instr);
    all.raised[{channel, ordinal}].push_back(at(instr));
  }
  void launchWait(const Instr &instr, uint32_t channel, uint64_t ordinal) override {
    for (InstrIndex set : all.raised[{channel, ordinal}]) {
      acquire(instr, set);
      if (instr.pipe == Pipe::S)
        coreOf(instr).gate.push_back({set, Graph::End});
    }
  }
  void syncAllArrive(const Instr &instr, uint32_t channel, uint64_t ordinal) override {
    Instr arriving = instr;
    InstrIndex self = graph.add(block, arriving);
    for (const Last &last : coreOf(instr).last)
      if (last.any)
        graph.edge({last.instr, Graph::Done}, {self, Graph::End});
    all.arrivals[{channel, ordinal}].push_back(self);
  }
  void syncAllLeave(const Instr &instr, uint32_t channel, uint64_t ordinal) override {
    for (InstrIndex arrived : all.arrivals[{channel, ordinal}])
      acquire(instr, arrived);
    coreOf(instr).gate = {{at(instr), Graph::End}};
  }

private:
  using Graph = OrderGraph;
  using Node = OrderGraph::Node;
  using Issued = std::array<uint64_t, kPipeSlots>;
  struct Last {
    InstrIndex instr = 0;
    bool any = false;
    bool stopsPipe = false;
  };
  struct Pending {
    std::vector<Node> gate;
    Issued issued;
  };
  struct Get {
    int64_t id;
    Pipe pipe;
    uint64_t ordinal;
  };
  struct Core {
    std::array<Last, kPipeSlots> last;
    Issued issued{};
    std::vector<Node> gate; ///< what comes before everything that is issued now
    std::map<std::pair<Pipe, uint64_t>, Pending> pending;
    std::map<std::pair<Pipe, uint64_t>, InstrIndex> byOrdinal;
    std::map<std::tuple<Pipe, Pipe, int64_t, uint64_t>, InstrIndex> sets;
    std::map<std::pair<int64_t, uint64_t>, InstrIndex> releases;
    std::vector<Get> gets;
  };

  Core &coreOf(const Instr &instr) { return cores[instr.core.index]; }
  InstrIndex at(const Instr &instr) { return coreOf(instr).byOrdinal.at({instr.pipe, instr.ordinal}); }
  bool inOrder(Pipe pipe) const {
    return pipe == Pipe::V ? all.profile.inOrderVectorPipe : pipe != Pipe::MTE2 && pipe != Pipe::MTE3;
  }
  /// The instruction ends when everything before it on its pipe has.
  void publish(const Instr &instr) {
    InstrIndex self = at(instr);
    if (const auto &before = coreOf(instr).byOrdinal; instr.ordinal > 1)
      if (auto last = before.find({instr.pipe, instr.ordinal - 1}); last != before.end())
        graph.edge({last->second, Graph::Done}, {self, Graph::End});
  }
  /// Later instructions of the pipe start after this one has ended.
  void stop(const Instr &instr) { coreOf(instr).last[size_t(instr.pipe)].stopsPipe = true; }
  void acquire(const Instr &instr, InstrIndex from) {
    stop(instr);
    graph.edge({from, Graph::End}, {at(instr), Graph::End});
  }

  ScopeOrder &scope() { return all.recording.scopes.back().second; }
  ByteHistory &memory(Space space, const GmObject *object, CoreId core) {
    if (space == Space::Gm)
      return all.memories[{-1, 0, object->index}];
    // UB belongs to a vector core, the other memories to the cube core.
    uint32_t owner = space != Space::Ub ? 0 : core.index == 0 ? 1 : core.index;
    return all.memories[{block, owner, uint32_t(space)}];
  }
  void flush(bool inScope) {
    for (auto [first, second] : all.meeting)
      if (inScope)
        scope().meeting.emplace_back(first, second);
      else
        graph.meet(first, second);
    all.meeting.clear();
  }
  void box(InstrIndex self, const Box &box, Space space, const GmObject *object, CoreId core, AccessKind kind) {
    if (box.empty())
      return;
    uint64_t base = space == Space::Gm ? object->base : 0;
    ByteHistory &bytes = memory(space, object, core);
    box.forEachRow(
        [&](uint64_t start, uint64_t count) { bytes.touch(start - base, count, nullptr, self, kind, all.meeting); });
    flush(false);
  }
  /// The step of the scope, if it is in one.
  uint32_t local(const Instr &instr, const LocalAccess &access, AccessKind kind, std::vector<uint32_t> from = {}) {
    InstrIndex self = at(instr);
    graph.work(self);
    uint64_t base = access.space == Space::Gm ? access.object->base : 0;
    memory(access.space, access.object, instr.core)
        .touch(access.address - base, access.windowBytes, access.active, self, kind, all.meeting);
    flush(false);
    if (!access.inScope || access.space != Space::Ub)
      return 0;
    uint32_t step = scope().access(access.site, access.accessClass, std::move(from));
    scopeBytes.touch(access.address, access.windowBytes, access.active, step, kind, all.meeting);
    flush(true);
    return step;
  }

  Recorder &all;
  OrderGraph &graph;
  int64_t block;
  std::array<Core, kCoresPerBlock> cores;
  ByteHistory scopeBytes;
  std::vector<std::pair<Instr, InstrIndex>> statusReads; ///< writer, reader
  std::map<std::tuple<uint8_t, int64_t, uint64_t>, std::vector<InstrIndex>> semaphores;
};

std::unique_ptr<Observer> Recorder::beginBlock(int64_t block, FindingList &) {
  return std::make_unique<BlockRecorder>(*this, block);
}

Recording Recorder::take() {
  recording.graph.close();
  return std::move(recording);
}

} // namespace ptoscope::mutate
