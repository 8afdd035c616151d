//===- Signals.h - waiting for words of global memory -----------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_MACHINE_SYNC_SIGNALS_H
#define PTOSCOPE_LIB_MACHINE_SYNC_SIGNALS_H

#include "Memory/Memories.h"
#include "Schedule/Operation.h"
#include "Setup.h"
#include "ptoscope/Machine/Signals.h"

namespace ptoscope {

/// The scalar unit waits for all words of a tensor.
struct WaitSignals final : OperationOf<WaitSignals> {
  WaitSignals(const Memories &memories, Observer *observer, const SignalWords &words, int32_t value,
              SignalCompare compare)
      : memories(&memories), observer(observer), words(words), value(value), compare(compare) {}
  bool ready() const override;
  Wait wait() const override { return {Wait::For::Signal, Pipe::S, Pipe::S, 0, 0}; }
  void effect(const Instr &instr) override;
  /// The first word that does not, as a phrase after "waits for".
  std::string text() const;

  const Memories *memories;
  Observer *observer;
  SignalWords words;
  int32_t value;
  SignalCompare compare;
};

/// Turns of a polling program in which no core did anything.
struct IdleTurns {
  uint64_t seen = 0;  ///< what all cores had done at the last one
  uint64_t turns = 0; ///< since that changed
};

/// "rank 2", "block 1 of rank 2", or "block 3" of a launch on one device.
std::string blockText(const BlockSetup &setup);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SYNC_SIGNALS_H
