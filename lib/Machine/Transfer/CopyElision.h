//===- CopyElision.h - transfers whose bytes stay where they are -*- C++ -*-===//
//
// A transfer from GM to UB need not copy if all that becomes of the bytes is that
// loops of a scope load them: the loops can load from GM. In the same way a store of a
// scope can go to where the next transfer would take it. Both are put off here until
// it is known: loans are bytes of UB that stand in GM, and the last scope is held back
// until a transfer asks for its results. Whatever else may look at the bytes settles
// first: it makes the copies and runs the scope.
//
// Only where no one can tell the difference: under the eager schedule, without
// observers, on a core that no other core waits for.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_TRANSFER_COPYELISION_H
#define PTOSCOPE_LIB_MACHINE_TRANSFER_COPYELISION_H

#include "Scope/ScopeUnit.h"
#include "Transfer/Transfer.h"

struct PtoLoopPlan;

namespace ptoscope {

class CopyElision {
public:
  CopyElision() = default;
  CopyElision(const BlockSetup &setup, const Report &report, const Memories &memories, ScopeUnit &scopes)
      : on(setup.options->elideCopies && !setup.group && !setup.mixed && !setup.observer && !setup.options->onlooker &&
           !setup.options->dataless && setup.options->schedule.kind == ScheduleKind::Eager),
        report(&report), scopes(&scopes), ub(memories.base(Space::Ub)), ubBytes(memories.bytesOf(Space::Ub)),
        cacheBytes(on ? setup.options->cacheBytes ? setup.options->cacheBytes : hostCacheBytes() : 0) {}

  /// Nothing is put off any more.
  void settle() {
    if (held.function || loanCount) [[unlikely]]
      settleAll();
  }
  /// The program has ended. What was lent is of no use to anyone, unless memories are kept.
  void end(bool keeps) {
    runHeld();
    if (!keeps)
      loanCount = 0;
    settle();
  }
  /// Moves the bytes, or sees to it that no one misses them.
  void move(const PlainRows &rows);
  /// Can a scope be held back whose loops ask for their places, with so many captures?
  bool holds(uint32_t captures) const { return on && captures <= kMaxCaptures; }
  void hold(const Instr &instr, PtoScopeFunction function, const uint64_t *captures, uint32_t n);
  /// See ptosc_place_loop.
  uint32_t placeLoop(const PtoLoopPlan &plan, uint64_t turns, uint64_t fullTurns, const int64_t *places,
                     uint8_t **hosts);

private:
  static constexpr size_t kMaxLoans = 16, kMaxCaptures = 32;
  /// Bytes [begin, end) of UB stand at `gm`.
  struct Loan {
    uint64_t begin, end;
    uint8_t *gm;
    bool isNew; ///< made after the scope that is held back

    bool contains(uint64_t from, uint64_t to) const { return begin <= from && to <= end; }
    bool overlaps(uint64_t from, uint64_t to) const { return begin < to && from < end; }
    /// Are these bytes among its own, and stand where they stand there?
    bool holds(const Loan &other) const {
      return contains(other.begin, other.end) && other.gm == gm + (other.begin - begin);
    }
    bool readsGm(const uint8_t *from, const uint8_t *to) const { return gm < to && from < gm + (end - begin); }
  };
  struct HeldScope {
    Instr instr{};
    PtoScopeFunction function = nullptr; ///< null: none
    std::array<uint64_t, kMaxCaptures> captures;
  };

  std::span<Loan> loans() { return {room.data(), loanCount}; }
  void settleAll();
  void runHeld();
  void load(uint64_t begin, uint64_t end, const uint8_t *gm);
  void store(const PlainRows &rows, uint64_t begin, uint64_t end);
  static uint64_t hostCacheBytes();
  /// Is this part of more bytes, written in order, than the caches can hold?
  bool goesPastCaches(const PlainRows &rows, uint64_t bytes);
  /// While a scope is held back, there has to be room.
  void lend(const Loan &loan);
  /// The loan without which these bytes cannot be read; null: none.
  const Loan *holderOf(uint64_t begin, uint64_t end);
  /// Ends the loans that `ends` picks, with the copy that each stands for, unless `isNeeded` says that nothing reads
  /// it.
  template <typename Ends, typename Needed> void repay(Ends ends, Needed isNeeded);
  template <typename Ends> void repay(Ends ends) {
    repay(ends, [](const Loan &) { return true; });
  }
  /// UB is about to be written here, all of it if `full`: ends the loans that overlap.
  void overwrite(uint64_t begin, uint64_t end, bool full);

  bool on = false;
  const Report *report = nullptr;
  ScopeUnit *scopes = nullptr;
  uint8_t *ub = nullptr;
  uint64_t ubBytes = 0;
  HeldScope held;
  /// Where results of the running scope go at once: bytes of UB, and GM. Empty: nowhere.
  Loan target{};
  bool targetPastCaches = false;
  uint64_t cacheBytes = 0;
  /// Where the last store to GM ended, and how many bytes have come there in order.
  const uint8_t *runEnd = nullptr;
  uint64_t runBytes = 0;
  std::array<Loan, kMaxLoans> room{};
  size_t loanCount = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_TRANSFER_COPYELISION_H
