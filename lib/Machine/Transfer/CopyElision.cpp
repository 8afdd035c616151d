//===- CopyElision.cpp - transfers whose bytes stay where they are --------===//

#include "Transfer/CopyElision.h"

#include "Scope/LoopOrder.h"
#include "ptoscope/Machine/LoopRuntime.h"

#include <algorithm>
#include <cstring>
#include <unistd.h>

namespace ptoscope {

static constexpr uint64_t kLineBytes = 64, kUsualCacheBytes = uint64_t(32) << 20;

//===----------------------------------------------------------------------===//
// Loans
//===----------------------------------------------------------------------===//

template <typename Ends, typename Needed> void CopyElision::repay(Ends ends, Needed isNeeded) {
  size_t kept = 0;
  for (const Loan &loan : loans())
    if (!ends(loan))
      room[kept++] = loan;
    else if (isNeeded(loan))
      std::memcpy(ub + loan.begin, loan.gm, loan.end - loan.begin);
  loanCount = kept;
}

const CopyElision::Loan *CopyElision::holderOf(uint64_t begin, uint64_t end) {
  auto found =
      std::ranges::find_if(loans(), [&](const Loan &loan) { return !loan.isNew && loan.contains(begin, end); });
  return found == loans().end() ? nullptr : &*found;
}

void CopyElision::lend(const Loan &loan) {
  if (loanCount == kMaxLoans)
    repay([](const Loan &) { return true; });
  room[loanCount++] = loan;
}

void CopyElision::overwrite(uint64_t begin, uint64_t end, bool full) {
  const Loan written{begin, end, nullptr, false};
  repay([&](const Loan &loan) { return !loan.isNew && loan.overlaps(begin, end); },
        [&](const Loan &loan) { return !full || !written.contains(loan.begin, loan.end); });
}

void CopyElision::settleAll() {
  runHeld();
  repay([](const Loan &) { return true; });
}

//===----------------------------------------------------------------------===//
// Transfers
//===----------------------------------------------------------------------===//

void CopyElision::move(const PlainRows &rows) {
  const uint8_t *local = rows.fromGm ? rows.to : rows.from;
  const uint64_t bytes = rows.len * rows.count, begin = uint64_t(local - ub);
  const bool isOneRow = rows.count == 1 || (rows.toStride == rows.len && rows.fromStride == rows.len);
  if (!on || !isOneRow || local < ub || begin > ubBytes || bytes > ubBytes - begin) {
    settle();
    rows.move();
  } else if (rows.fromGm) {
    load(begin, begin + bytes, rows.from);
  } else {
    store(rows, begin, begin + bytes);
  }
}

void CopyElision::load(uint64_t begin, uint64_t end, const uint8_t *gm) {
  // The scope that is held back reads what stood there before.
  if (held.function && (loanCount == kMaxLoans ||
                        std::ranges::any_of(loans(), [&](const Loan &loan) { return loan.overlaps(begin, end); })))
    runHeld();
  overwrite(begin, end, /*full=*/true);
  lend({begin, end, const_cast<uint8_t *>(gm), held.function != nullptr});
}

uint64_t CopyElision::hostCacheBytes() {
  static const long bytes = sysconf(_SC_LEVEL3_CACHE_SIZE);
  return bytes > 0 ? uint64_t(bytes) : kUsualCacheBytes;
}

bool CopyElision::goesPastCaches(const PlainRows &rows, uint64_t bytes) {
  runBytes = (rows.to == runEnd ? runBytes : 0) + bytes;
  runEnd = rows.to + bytes;
  return rows.object->bytes >= cacheBytes / 2 && runBytes >= cacheBytes / 64 && uintptr_t(rows.to) % kLineBytes == 0;
}

void CopyElision::store(const PlainRows &rows, uint64_t begin, uint64_t end) {
  uint8_t *const gm = rows.to, *const gmEnd = gm + (end - begin);
  const bool pastCaches = goesPastCaches(rows, end - begin);
  if (held.function) {
    // A transfer that was issued after the scope comes before this one.
    if (std::ranges::none_of(loans(), [&](const Loan &loan) {
          return loan.isNew && (loan.overlaps(begin, end) || loan.readsGm(gm, gmEnd));
        }))
      target = {begin, end, gm, false}, targetPastCaches = pastCaches;
    runHeld();
    target = {}, targetPastCaches = false;
  }
  const Loan *holder = holderOf(begin, end);
  if (holder && holder->gm + (begin - holder->begin) == gm)
    return; // they are where they should be
  repay([&](const Loan &loan) { return loan.readsGm(gm, gmEnd); });
  if (const Loan *left = holderOf(begin, end)) {
    std::memcpy(gm, left->gm + (begin - left->begin), end - begin);
    return;
  }
  repay([&](const Loan &loan) { return loan.overlaps(begin, end); });
  rows.move();
}

//===----------------------------------------------------------------------===//
// Scopes
//===----------------------------------------------------------------------===//

void CopyElision::hold(const Instr &instr, PtoScopeFunction function, const uint64_t *captures, uint32_t n) {
  runHeld();
  held.instr = instr;
  held.function = function;
  std::copy_n(captures, n, held.captures.begin());
}

void CopyElision::runHeld() {
  PtoScopeFunction function = std::exchange(held.function, nullptr);
  if (!function)
    return;
  if (!report->stopped)
    scopes->run(held.instr, function, held.captures.data());
#ifdef __x86_64__
  if (targetPastCaches)
    __builtin_ia32_sfence(); // only such stores are not in order there
#endif
  for (Loan &loan : loans())
    loan.isNew = false;
}

uint32_t CopyElision::placeLoop(const PtoLoopPlan &plan, uint64_t turns, uint64_t fullTurns, const int64_t *places,
                                uint8_t **hosts) {
  std::fill_n(hosts, plan.accessCount, ub);
  const bool hasTarget = target.begin != target.end && loanCount < kMaxLoans;
  if (turns == 0 || (!loanCount && !hasTarget))
    return 0;
  const auto *planned = reinterpret_cast<const PtoLoopAccess *>(&plan + 1);
  std::array<LoopAccess, PTO_MAX_LOOP_ACCESSES> accessRoom;
  const std::span<LoopAccess> accesses(accessRoom.data(), plan.accessCount);
  bool isPlain = turns <= ubBytes; // so that no product is too large
  for (uint32_t i = 0; i < plan.accessCount && isPlain; ++i) {
    const PtoLoopAccess &from = planned[i];
    const uint64_t address = uint32_t(places[2 * i]), stride = uint64_t(places[2 * i + 1]);
    accesses[i] = {from.site, from.writes != 0, from.windowBytes, address, stride, from.loads, from.stamps};
    isPlain = stride <= ubBytes && address + (turns - 1) * stride + from.windowBytes <= ubBytes;
    for (uint32_t j = 0; j < i && isPlain; ++j)
      isPlain = (!accesses[i].writes && !accesses[j].writes) || areOrdered(accesses, j, i, turns);
  }
  if (!isPlain) {
    // It may read what it wrote in an earlier turn, or fault.
    repay([](const Loan &loan) { return !loan.isNew; });
    return 0;
  }
  auto endOf = [&](const LoopAccess &access) {
    return access.address + (turns - 1) * access.stride + access.windowBytes;
  };
  const bool full = fullTurns == turns;
  auto isTarget = [&](const LoopAccess &access) {
    return hasTarget && full && access.writes && access.stride == access.windowBytes &&
           access.address == target.begin && endOf(access) == target.end;
  };
  if (std::ranges::any_of(accesses, isTarget))
    repay([&](const Loan &loan) {
      return !loan.isNew && loan.readsGm(target.gm, target.gm + (target.end - target.begin)) && !target.holds(loan);
    });
  for (size_t i = 0; i < accesses.size(); ++i) {
    const LoopAccess &access = accesses[i];
    if (access.writes)
      continue;
    if (const Loan *holder = holderOf(access.address, endOf(access)))
      hosts[i] = holder->gm - holder->begin;
    else
      repay([&](const Loan &loan) { return !loan.isNew && loan.overlaps(access.address, endOf(access)); });
  }
  uint32_t pastCaches = 0;
  for (size_t i = 0; i < accesses.size(); ++i) {
    const LoopAccess &access = accesses[i];
    if (!access.writes)
      continue;
    overwrite(access.address, endOf(access), full && access.stride == access.windowBytes);
    if (!isTarget(access))
      continue;
    hosts[i] = target.gm - target.begin;
    lend(target);
    if (targetPastCaches) // in whole lines: windows are halves of registers, or more
      pastCaches |= uint32_t(1) << i;
  }
  return pastCaches;
}

} // namespace ptoscope
