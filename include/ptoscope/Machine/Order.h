//===- Order.h - the edges of happens-before, stated once -------*- C++ -*-===//
//
// Which pipes run their instructions one after another, and what each
// synchronising instruction tells and learns (docs/isa/03-sync.md). The dynamic
// checker (Checkers/VectorClock), the static one (Analysis/PipeModel) and the
// schedules of the Machine read these tables; how they represent an order is their
// own affair. What fences order is in classesOf (Types.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_ORDER_H
#define PTOSCOPE_MACHINE_ORDER_H

#include "ptoscope/Machine/Types.h"

#include <vector>

namespace ptoscope {

/// Does an instruction of the pipe end before the next one starts (HB1, HB3, HB5)?
/// Others start in order and end in any (HB4).
constexpr bool isInOrder(const Profile &profile, Pipe pipe) {
  switch (pipe) {
  case Pipe::S:
  case Pipe::M:
  case Pipe::MTE1:
  case Pipe::FIX:
    return true;
  case Pipe::V:
    return profile.inOrderVectorPipe;
  default:
    return false;
  }
}

/// Does the profile have `mem_bar` (FENCE-20)?
inline bool hasScopeFences(const Profile &profile) { return profile.name == "a5"; }

/// Whose instructions an edge starts from or leads to.
enum class Reach : uint8_t {
  Nothing,
  OwnPipe, ///< the pipe that the instruction is queued on
  Holders, ///< every pipe that had got the buffer id, as far as issued
  Memory,  ///< every pipe that reaches a memory, see pipesOf
  Core,    ///< every pipe of the core, the scalar unit included
};

/// Synchronising instructions by what they order.
enum class SyncKind : uint8_t {
  SetFlag,
  WaitFlag,
  PipeBarrier,
  CoreBarrier,    ///< PIPE_ALL
  GetBuffer,      ///< mode 0
  GetBuffer1,     ///< mode 1
  ReleaseBuffer,  ///< mode 0
  ReleaseBuffer1, ///< mode 1
  SetSemaphore,   ///< of a pipe
  WaitSemaphore,  ///< of a pipe
  CoreSet,        ///< a semaphore set without a pipe: a PIPE_ALL barrier comes with it
  CoreWait,       ///< a semaphore wait that stops the scalar unit
  SyncAll,
  MemoryBarrier, ///< `dsb`
  // Not instructions of their own: the beginning and the end of one of PIPE_M or PIPE_FIX
  // with `unit_flag`. It learns before it starts, and tells of itself as well.
  UnitCheck,
  UnitPass,
};

struct SyncRule {
  /// Everything of these pipes before the instruction has ended when it is done,
  /// and so has what they had waited for themselves (RACE-3). That is what it tells,
  /// to whoever waits for it.
  Reach tells;
  /// What was told comes before everything of these pipes after the instruction.
  /// For an instruction that tells and learns, that is what it tells itself.
  Reach learns;
};

constexpr SyncRule ruleOf(SyncKind kind) {
  constexpr SyncRule kRules[] = {
      {Reach::OwnPipe, Reach::Nothing}, // SetFlag: HB6, FLAG-2; no barrier of its own pipe (RACE-3)
      {Reach::Nothing, Reach::OwnPipe}, // WaitFlag: HB6, FLAG-3
      {Reach::OwnPipe, Reach::OwnPipe}, // PipeBarrier: HB7, BAR-1
      {Reach::Core, Reach::Core},       // CoreBarrier: HB7, BAR-2
      {Reach::Nothing, Reach::OwnPipe}, // GetBuffer: HB8, BUF-2
      {Reach::Nothing, Reach::Nothing}, // GetBuffer1: BUF-4
      {Reach::OwnPipe, Reach::Nothing}, // ReleaseBuffer: HB8, BUF-3
      {Reach::Holders, Reach::Nothing}, // ReleaseBuffer1: BUF-5
      {Reach::OwnPipe, Reach::Nothing}, // SetSemaphore: HB9, SEM-2, SEM-16
      {Reach::Nothing, Reach::OwnPipe}, // WaitSemaphore: HB9, SEM-3, SEM-4
      {Reach::Core, Reach::Core},       // CoreSet: SEM-10, SEM-12
      {Reach::Nothing, Reach::Core},    // CoreWait: SEM-14, SEM-17: what is issued later
      {Reach::Core, Reach::Core},       // SyncAll: SYNCALL-1
      {Reach::Memory, Reach::Core},     // MemoryBarrier: HB12, DSB-2: what is issued later
      {Reach::Nothing, Reach::OwnPipe}, // UnitCheck: HB11, UNIT-2
      {Reach::OwnPipe, Reach::Nothing}, // UnitPass: HB11, UNIT-1
  };
  return kRules[size_t(kind)];
}

/// The pipes whose instructions may reach what a memory barrier is for, a bit each (DSB-2).
constexpr uint32_t pipesOf(Domain domain) {
  constexpr auto bit = [](Pipe pipe) { return 1u << unsigned(pipe); };
  constexpr uint32_t kGm = bit(Pipe::S) | bit(Pipe::MTE2) | bit(Pipe::MTE3) | bit(Pipe::FIX);
  constexpr uint32_t kUb = kGm | bit(Pipe::V) | bit(Pipe::MTE1);
  constexpr uint32_t kPipes[] = {kUb | bit(Pipe::M), kGm, kUb};
  return kPipes[size_t(domain)];
}

constexpr SyncKind barrierOf(Pipe pipe) { return pipe == Pipe::All ? SyncKind::CoreBarrier : SyncKind::PipeBarrier; }
constexpr SyncKind getOf(int64_t mode) { return mode == 0 ? SyncKind::GetBuffer : SyncKind::GetBuffer1; }
constexpr SyncKind releaseOf(int64_t mode) { return mode == 0 ? SyncKind::ReleaseBuffer : SyncKind::ReleaseBuffer1; }
/// A wait that is issued to `pipe`; on PIPE_S the scalar unit itself waits.
constexpr SyncKind semaphoreWaitOn(Pipe pipe) { return pipe == Pipe::S ? SyncKind::CoreWait : SyncKind::WaitSemaphore; }

/// `unit_flag` of an instruction of PIPE_M or PIPE_FIX (UNIT-1).
enum class UnitFlag : uint8_t {
  None,
  CheckOnly,
  CheckAndSet,   ///< of PIPE_M: hands the accumulator tile to PIPE_FIX
  CheckAndClear, ///< of PIPE_FIX: hands it back
};
constexpr bool passesTile(UnitFlag flag) { return flag == UnitFlag::CheckAndSet || flag == UnitFlag::CheckAndClear; }
/// The pipe from which a tile comes to one of PIPE_M and PIPE_FIX.
constexpr Pipe unitPartner(Pipe pipe) { return pipe == Pipe::M ? Pipe::FIX : Pipe::M; }

/// Who passed each part of L0C last, in program order (UNIT-2): of several that touch
/// the bytes of an instruction, the latest one on its pipe comes before it, and with it
/// the others, since both pipes are in order.
class UnitOrder {
public:
  /// Instruction `ordinal` of `pipe` (from 1) is issued, for bytes [begin, end) of L0C.
  /// The instruction of its partner that comes before it; 0: none.
  uint64_t issue(Pipe pipe, UnitFlag flag, uint64_t ordinal, uint64_t begin, uint64_t end) {
    if (flag == UnitFlag::None || begin >= end)
      return 0;
    size_t first = begin / kRowBytes, last = (end - 1) / kRowBytes;
    uint64_t before = 0;
    const std::vector<uint64_t> &passed = rows[pipe == Pipe::M];
    for (size_t row = first; row <= last && row < passed.size(); ++row)
      before = passed[row] > before ? passed[row] : before;
    if (passesTile(flag)) {
      std::vector<uint64_t> &own = rows[pipe != Pipe::M];
      if (own.size() <= last)
        own.resize(last + 1);
      for (size_t row = first; row <= last; ++row)
        own[row] = ordinal;
    }
    return before;
  }

private:
  /// What addresses in L0C are multiples of (FRAC-8).
  static constexpr uint64_t kRowBytes = 64;
  std::vector<uint64_t> rows[2]; ///< ordinals on PIPE_M, on PIPE_FIX
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_ORDER_H
