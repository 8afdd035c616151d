//===- Generator.cpp - random legal programs ------------------------------===//
//
// Data instructions come one after another. Before each one stands what orders
// it behind every earlier one it conflicts with and is not yet ordered behind,
// and no more: a flag, a barrier, brackets of buffer ids, semaphores between the
// cores of a cluster. Running the list from front to back is one legal run, so
// nothing can hang. At the end the issue order is shuffled as far as no pipe
// notices, so that waits are issued long before their sets.
//
//===----------------------------------------------------------------------===//

#include "Operations.h"
#include "Ordering.h"

#include <map>
#include <set>
#include <tuple>

namespace ptoscope::randomprogram {

namespace {

constexpr size_t kNowhere = SIZE_MAX;
/// Ids 6 and 7 belong to the double-buffered loops, and so do the last buffer ids.
constexpr int64_t kFlagIds = 6, kLoopFlag = 6, kLoopInput = 28, kLoopOutput = 30;
/// A counter holds 15.
constexpr int64_t kSemaphoreIds = 16, kSemaphoreUses = 14;

class Generator {
public:
  Generator(uint64_t seed, bool movesOnly) {
    program.seed = seed;
    random.engine.seed(seed);
    uint64_t kind = random.below(8);
    program.mixed = kind < 4;
    program.arch = kind != 0 && kind != 4 ? "a5" : random.oneIn(2) ? "a3" : "a2";
    program.movesOnly = movesOnly;
    program.blocks = random.oneIn(3) && !movesOnly ? 1 + random.below(4) : 1;
    a5 = program.arch == "a5";
    brackets = a5 && random.oneIn(2);
    ordering = Ordering(a5);
  }

  Program make() {
    std::vector<uint8_t> cores = {kAiv0};
    if (program.mixed)
      cores = {kAic, kAiv0, kAiv1};
    for (uint8_t core : cores)
      if (!program.movesOnly || random.oneIn(2))
        fill(core);
    for (uint64_t n = (program.movesOnly ? 6 : 2) + random.below(5); n > 0; --n) {
      uint8_t core = cores[random.below(cores.size())];
      uint64_t kind = random.below(20);
      if ((kind == 0 || (kind > 17 && program.blocks > 1)) && operations.phase + 1 < kPhases)
        syncAll(cores);
      else if (kind == 1)
        region(core, Kind::Loop, 1 + random.below(4));
      else if (kind == 2)
        region(core, Kind::If, 1);
      else if (kind == 3 && core != kAic && !program.movesOnly)
        doubleBuffer(core);
      else
        add(operations.any(core, 1));
    }
    for (uint64_t n = program.movesOnly ? 12 : 0; n > 0; --n)
      add(operations.probe(cores.back() == kAiv1 && random.oneIn(2) ? kAiv1 : kAiv0));
    for (size_t k = cores.size(); k-- > 0;)
      dump(cores[k]);
    shuffle();
    return std::move(program);
  }

private:
  //===--- data -----------------------------------------------------------===//

  /// A data instruction that is part of the program.
  struct Record {
    uint8_t core;
    Pipe pipe;
    uint32_t number; ///< on its pipe
    std::vector<Range> ranges;
    size_t position; ///< in the list, if a set may be put right behind it
    Clock known, published;
  };

  size_t push(Instruction i) {
    i.spelling = unsigned(random.below(12));
    program.list.push_back(std::move(i));
    return program.list.size() - 1;
  }
  void insert(size_t position, Instruction i) {
    i.spelling = unsigned(random.below(12));
    program.list.insert(program.list.begin() + std::ptrdiff_t(position), std::move(i));
    for (Record &record : records)
      if (record.position != kNowhere && record.position >= position)
        ++record.position;
  }

  static bool conflict(const std::vector<Range> &a, const std::vector<Range> &b) {
    for (const Range &x : a)
      for (const Range &y : b)
        if (x.memory == y.memory && (x.writes || y.writes) && x.begin < y.end && y.begin < x.end &&
            !(x.atomic && x.atomic == y.atomic)) // equal updates commute
          return true;
    return false;
  }

  /// Orders the next instruction of a pipe behind everything that conflicts.
  void orderBehind(uint8_t core, Pipe pipe, const std::vector<Range> &ranges) {
    for (size_t k = records.size(); k-- > 0;) {
      const Record &r = records[k];
      bool mine = r.core == core && r.pipe == pipe && ordering.inOrder(pipe);
      if (!mine && ordering.known(core, pipe)[Ordering::number(r.core, r.pipe)] < r.number &&
          conflict(r.ranges, ranges))
        order(k, core, pipe);
    }
  }

  /// Without what orders it.
  void place(Instruction i, uint64_t turns, bool setsBehind) {
    Record record{i.core, i.pipe, 0, touches(i, turns), kNowhere, {}, {}};
    record.number = ordering.issue(i.core, i.pipe);
    record.known = ordering.known(i.core, i.pipe);
    record.published = ordering.published(i.core, i.pipe);
    size_t position = push(std::move(i));
    record.position = setsBehind ? position : kNowhere;
    records.push_back(std::move(record));
  }

  void add(Instruction i, uint64_t turns = 1) {
    std::vector<Range> ranges = touches(i, turns);
    uint8_t core = i.core;
    Pipe pipe = i.pipe;
    std::vector<int64_t> ids;
    if (brackets && core != kAic && pipe != Pipe::S)
      for (int64_t id = 0; id < int64_t(kLocalBytes / kRegisterBytes); ++id) {
        Memory ub = core == kAiv1 ? Memory::Ub1 : Memory::Ub0;
        uint64_t begin = uint64_t(id) * kRegisterBytes, end = begin + kRegisterBytes;
        if (std::any_of(ranges.begin(), ranges.end(),
                        [&](const Range &r) { return r.memory == ub && r.begin < end && begin < r.end; }))
          ids.push_back(id);
      }
    int64_t mode = random.oneIn(4);
    for (int64_t id : ids) {
      bracket(Kind::Get, core, pipe, id, false, mode);
      ordering.issue(core, pipe);
      if (mode == 0)
        ordering.learn(core, pipe, released[core][id]);
      holders[core][id].insert(pipe);
    }
    orderBehind(core, pipe, ranges);
    place(std::move(i), turns, true);
    for (int64_t id : ids) {
      bracket(Kind::Rls, core, pipe, id, false, mode);
      released[core][id].join(ordering.published(core, pipe));
      if (mode == 1) // waits for every pipe that has got the id
        for (Pipe holder : holders[core][id])
          released[core][id].join(ordering.published(core, holder));
    }
  }
  void bracket(Kind kind, uint8_t core, Pipe pipe, int64_t id, bool parity = false, int64_t mode = 0) {
    Instruction i{kind, core, pipe};
    i.id = id;
    i.mode = mode;
    i.parity = parity;
    push(std::move(i));
  }

  //===--- orders inside a core -------------------------------------------===//

  void barrier(uint8_t core, Pipe pipe) {
    push({Kind::Barrier, core, pipe});
    ordering.barrier(core, pipe);
  }
  static Instruction flag(Kind kind, uint8_t core, Pipe a, Pipe b, int64_t id, bool parity = false) {
    Instruction i{kind, core, kind == Kind::SetFlag ? a : b, a, b};
    i.id = id;
    i.parity = parity;
    return i;
  }
  /// An id of the pair whose last wait pipe `a` knows to be over, or -1.
  int64_t freeFlag(uint8_t core, Pipe a, Pipe b, const Clock &known) {
    int64_t first = int64_t(random.below(kFlagIds));
    for (int64_t k = 0; k < kFlagIds; ++k) {
      int64_t id = (first + k) % kFlagIds;
      if (known[Ordering::number(core, b)] >= lastWait[{core, a, b, id}])
        return id;
    }
    return -1;
  }
  void waitFlag(uint8_t core, Pipe a, Pipe b, int64_t id, const Clock &published) {
    push(flag(Kind::WaitFlag, core, a, b, id));
    lastWait[{core, a, b, id}] = ordering.issue(core, b);
    ordering.learn(core, b, published);
  }
  /// Everything so far on pipe `a` before what follows on pipe `b`.
  void orderPipes(uint8_t core, Pipe a, Pipe b) {
    int64_t id = freeFlag(core, a, b, ordering.known(core, a));
    if (id < 0)
      return barrier(core, Pipe::All);
    push(flag(Kind::SetFlag, core, a, b, id));
    waitFlag(core, a, b, id, ordering.published(core, a));
  }

  void order(size_t k, uint8_t core, Pipe pipe) {
    const Record r = records[k];
    if (r.core != core)
      return orderCores(r.core, r.pipe, core, pipe);
    if (r.pipe == pipe)
      return barrier(core, pipe);
    if (random.oneIn(12))
      return barrier(core, Pipe::All);
    int64_t id = -1;
    if (r.position != kNowhere && random.oneIn(2))
      id = freeFlag(core, r.pipe, pipe, r.known);
    if (id < 0)
      return orderPipes(core, r.pipe, pipe);
    insert(r.position + 1, flag(Kind::SetFlag, core, r.pipe, pipe, id));
    waitFlag(core, r.pipe, pipe, id, r.published);
  }

  //===--- orders between cores -------------------------------------------===//

  void signal(Kind kind, uint8_t core, Pipe pipe, int64_t id) {
    Instruction i{kind, core, pipe};
    i.id = id;
    push(std::move(i));
  }
  int64_t freeSemaphore(uint8_t from, uint8_t to) {
    int64_t id = int64_t(random.below(kSemaphoreIds));
    while (semaphoreUses[{from, to, id}] >= kSemaphoreUses)
      id = (id + 1) % kSemaphoreIds;
    ++semaphoreUses[{from, to, id}];
    return id;
  }

  void orderCores(uint8_t from, Pipe a, uint8_t to, Pipe b) {
    if (from != kAic && to != kAic) { // vector cores meet through the cube core
      orderCores(from, a, kAic, Pipe::FIX);
      return orderCores(kAic, Pipe::FIX, to, b);
    }
    if (!a5)
      return crossCores(from == kAic);
    Pipe gate = from == kAic ? Pipe::FIX : Pipe::MTE3;
    if (a != gate)
      orderPipes(from, a, gate);
    Pipe arrival = b != Pipe::S ? b : to == kAic ? Pipe::FIX : Pipe::MTE3;
    int64_t id = freeSemaphore(from, to);
    signal(Kind::SyncSet, from, gate, id + (to == kAiv1 ? 16 : 0));
    Clock published = ordering.published(from, gate);
    signal(Kind::SyncWait, to, arrival, id + (from == kAiv1 ? 16 : 0));
    ordering.issue(to, arrival);
    ordering.learn(to, arrival, published);
    if (b != arrival)
      orderPipes(to, arrival, b);
  }
  /// a3: the cube core reaches both vector cores, and waits for both.
  void crossCores(bool fromCube) {
    uint8_t vectors[] = {kAiv0, kAiv1};
    int64_t id = freeSemaphore(fromCube, 0);
    Clock published{};
    for (uint8_t core : vectors)
      if (!fromCube || core == kAiv0) {
        uint8_t sender = fromCube ? kAic : core;
        signal(Kind::CrossSet, sender, Pipe::S, id);
        published.join(ordering.published(sender));
      }
    for (uint8_t core : vectors)
      if (fromCube || core == kAiv0) {
        uint8_t receiver = fromCube ? core : kAic;
        signal(Kind::CrossWait, receiver, Pipe::S, id);
        ordering.learn(receiver, published);
      }
  }

  void syncAll(const std::vector<uint8_t> &cores) {
    unsigned spelling = unsigned(random.below(12));
    for (uint8_t core : cores) {
      size_t position = push({Kind::SyncAll, core});
      program.list[position].spelling = spelling; // every core takes part in the same barrier
    }
    Clock all{};
    for (uint8_t core : cores)
      all.join(ordering.published(core));
    for (uint8_t core : cores)
      ordering.learn(core, all);
    records.clear();
    ++operations.phase;
  }

  //===--- loops and branches ---------------------------------------------===//

  void marker(Kind kind, uint8_t core, uint64_t turns = 0) {
    Instruction i{kind, core};
    i.id = int64_t(turns);
    push(std::move(i));
  }
  /// No set of a later flag may go into the region that ends here.
  void closeRegion(uint8_t core) {
    marker(Kind::End, core);
    for (Record &record : records)
      if (record.core == core)
        record.position = kNowhere;
  }

  /// A loop or branch around some instructions. Other cores are waited for before
  /// it. A loop empties the pipes in every turn, a branch before it begins.
  void region(uint8_t core, Kind kind, uint64_t turns) {
    std::vector<Instruction> body;
    for (uint64_t n = 1 + random.below(4); n > 0; --n)
      body.push_back(operations.any(core, turns));
    for (const Instruction &i : body)
      orderBehind(core, i.pipe, touches(i, turns));
    if (kind == Kind::If)
      barrier(core, Pipe::All);
    marker(kind, core, turns);
    for (Record &record : records)
      if (record.core == core)
        record.position = kNowhere;
    if (kind == Kind::Loop)
      barrier(core, Pipe::All);
    for (Instruction &i : body)
      add(std::move(i), turns);
    closeRegion(core);
  }

  /// SYNCEX-3 and SYNCEX-4: load, compute and store tile by tile through
  /// two buffers each, with primed flags or with buffer ids.
  void doubleBuffer(uint8_t core) {
    uint64_t tiles = 1 + random.below(5), base = kRegisterBytes * random.below(5);
    Memory ub = core == kAiv1 ? Memory::Ub1 : Memory::Ub0;
    bool byFlags = !a5 || random.oneIn(2);
    Instruction load{Kind::Transfer, core, Pipe::MTE2}, work{Kind::Scope, core, Pipe::V},
        store{Kind::Transfer, core, Pipe::MTE3};
    auto tile = [&] { return kRegisterBytes * random.below(8 - tiles + 1); };
    load.transfer.path = Path::GmUb;
    load.transfer.src = {Memory::Input, tile(), kRegisterBytes};
    load.transfer.dst = {ub, base, 0, kRegisterBytes};
    store.transfer.path = Path::UbGm;
    store.transfer.src = {ub, base + 2 * kRegisterBytes, 0, kRegisterBytes};
    store.transfer.dst = {Memory::Gm, operations.phase * kAreaBytes + tile(), kRegisterBytes};
    for (Transfer *t : {&load.transfer, &store.transfer}) {
      t->len = t->srcStep = t->dstStep = kRegisterBytes;
      t->legacy = random.oneIn(2);
    }
    Step rows{Step::Rows};
    rows.op = unsigned(random.below(kLaneOps.size()));
    rows.rows = 1;
    rows.from = base;
    rows.to = base + 2 * kRegisterBytes;
    work.scope.steps = {rows};
    work.scope.perParity = kRegisterBytes;

    if (doubleBuffers[core]++)
      barrier(core, Pipe::All); // the flags of the loop before are used again
    for (const Instruction *i : {&load, &work, &store})
      orderBehind(core, i->pipe, touches(*i, tiles));
    auto both = [&](Kind kind, Pipe a, Pipe b) {
      for (int64_t id : {kLoopFlag, kLoopFlag + 1})
        push(flag(kind, core, a, b, id));
    };
    auto turn = [&](Kind kind, Pipe a, Pipe b) { push(flag(kind, core, a, b, kLoopFlag, true)); };
    auto hold = [&](Kind kind, Pipe pipe, int64_t id) { bracket(kind, core, pipe, id, true); };
    if (byFlags) {
      both(Kind::SetFlag, Pipe::V, Pipe::MTE2);
      both(Kind::SetFlag, Pipe::MTE3, Pipe::V);
    }
    marker(Kind::Loop, core, tiles);
    if (byFlags)
      turn(Kind::WaitFlag, Pipe::V, Pipe::MTE2);
    else
      hold(Kind::Get, Pipe::MTE2, kLoopInput);
    place(std::move(load), tiles, false);
    if (byFlags) {
      turn(Kind::SetFlag, Pipe::MTE2, Pipe::V);
      turn(Kind::WaitFlag, Pipe::MTE2, Pipe::V);
      turn(Kind::WaitFlag, Pipe::MTE3, Pipe::V);
    } else {
      hold(Kind::Rls, Pipe::MTE2, kLoopInput);
      hold(Kind::Get, Pipe::V, kLoopInput);
      hold(Kind::Get, Pipe::V, kLoopOutput);
    }
    place(std::move(work), tiles, false);
    if (byFlags) {
      turn(Kind::SetFlag, Pipe::V, Pipe::MTE2);
      turn(Kind::SetFlag, Pipe::V, Pipe::MTE3);
      turn(Kind::WaitFlag, Pipe::V, Pipe::MTE3);
    } else {
      hold(Kind::Rls, Pipe::V, kLoopInput);
      hold(Kind::Rls, Pipe::V, kLoopOutput);
      hold(Kind::Get, Pipe::MTE3, kLoopOutput);
    }
    place(std::move(store), tiles, false);
    if (byFlags)
      turn(Kind::SetFlag, Pipe::MTE3, Pipe::V);
    else
      hold(Kind::Rls, Pipe::MTE3, kLoopOutput);
    closeRegion(core);
    if (byFlags) {
      both(Kind::WaitFlag, Pipe::V, Pipe::MTE2);
      both(Kind::WaitFlag, Pipe::MTE3, Pipe::V);
    }
  }

  //===--- beginning and end ----------------------------------------------===//

  Instruction whole(uint8_t core, Path path, Where src, Where dst) {
    Instruction i{Kind::Transfer, core, infoOf(path).pipe};
    i.transfer.path = path;
    i.transfer.src = src;
    i.transfer.dst = dst;
    i.transfer.len = i.transfer.srcStep = i.transfer.dstStep = kRegisterBytes;
    i.transfer.count = kLocalBytes / kRegisterBytes;
    i.transfer.legacy = random.oneIn(2);
    return i;
  }
  /// Local memories start with the bytes of the input.
  void fill(uint8_t core) {
    if (core == kAic)
      add(whole(core, Path::GmL1, {Memory::Input}, {Memory::L1}));
    else
      add(whole(core, Path::GmUb, {Memory::Input}, {core == kAiv1 ? Memory::Ub1 : Memory::Ub0}));
  }
  /// Local memories end in GM; L1 comes last, if at all, through the UB of AIV1.
  void dump(uint8_t core) {
    auto room = [](uint64_t k) { return Where{Memory::Gm, (kPhases + k) * kAreaBytes}; };
    if (core != kAic)
      return add(whole(core, Path::UbGm, {core == kAiv1 ? Memory::Ub1 : Memory::Ub0}, room(core)));
    if (!a5 || random.oneIn(2))
      return;
    Instruction copy = whole(kAic, Path::L1Ub, {Memory::L1}, {Memory::Ub1});
    copy.transfer.legacy = true;
    add(std::move(copy));
    add(whole(kAiv1, Path::UbGm, {Memory::Ub1}, room(kAic)));
  }

  //===--- issue order ----------------------------------------------------===//

  /// True if no pipe notices in which order the scalar unit issues the two.
  static bool mayPass(const Instruction &a, const Instruction &b) {
    for (const Instruction *i : {&a, &b})
      if (i->pipe == Pipe::S || i->pipe == Pipe::All || i->kind >= Kind::SyncAll ||
          (i->kind == Kind::Rls && i->mode == 1)) // that one covers what is issued before it on any pipe
        return false;
    auto bracket = [](const Instruction &i) { return i.kind == Kind::Get || i.kind == Kind::Rls; };
    if (bracket(a) && bracket(b)) // a get waits for the releases issued before it
      return a.pipe != b.pipe && a.id != b.id;
    if (a.kind == Kind::SyncWait && b.kind == Kind::SyncWait)
      return a.pipe != b.pipe && a.id != b.id;
    return a.pipe != b.pipe;
  }
  void shuffle() {
    for (uint8_t core = 0; core < kCores; ++core) {
      std::vector<Instruction *> mine;
      for (Instruction &i : program.list)
        if (i.core == core)
          mine.push_back(&i);
      for (size_t n = random.oneIn(2) || mine.empty() ? 0 : 3 * mine.size(); n > 0; --n) {
        size_t k = random.below(mine.size());
        if (k + 1 < mine.size() && mayPass(*mine[k], *mine[k + 1]))
          std::swap(mine[k], mine[k + 1]);
      }
      for (size_t k = 0; k < mine.size(); ++k)
        mine[k]->issue = k;
    }
  }

  Random random;
  Program program;
  bool a5 = true;
  bool brackets = false; ///< accesses of UB stand in brackets of buffer ids
  Ordering ordering{true};
  Operations operations{random, program};
  std::vector<Record> records;
  std::map<std::tuple<uint8_t, Pipe, Pipe, int64_t>, uint32_t> lastWait;
  std::map<std::tuple<uint8_t, uint8_t, int64_t>, int64_t> semaphoreUses;
  Clock released[kCores][32] = {};
  std::set<Pipe> holders[kCores][32]; ///< pipes that have got the id
  unsigned doubleBuffers[kCores] = {};
};

} // namespace

Program generate(uint64_t seed, bool movesOnly) { return Generator(seed, movesOnly).make(); }

} // namespace ptoscope::randomprogram
