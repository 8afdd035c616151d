//===- RecordedOrder.cpp - keeps what orders the instructions of a block --===//

#include "Recorder.h"

namespace ptoscope::timing {

void Recorder::flag(const Instr &instr, Act act, Pipe src, Pipe dst, int64_t id) {
  const bool waits = act == Act::WaitFlag;
  uint32_t &known =
      flagDeeds[((size_t(waits) * kPipeSlots + size_t(src)) * kPipeSlots + size_t(dst)) * kEventIds + size_t(id)];
  if (known == 0) {
    Deed deed;
    deed.act = act;
    deed.src = src;
    deed.dst = dst;
    deed.id = int16_t(id);
    known = deeds.deeds.number(deed);
  }
  put(instr, known);
}

void Recorder::setFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  flag(instr, Act::SetFlag, src, dst, id);
  ForwardingObserver::setFlag(instr, src, dst, id, ordinal);
}

void Recorder::waitFlag(const Instr &instr, Pipe src, Pipe dst, int64_t id, uint64_t ordinal) {
  flag(instr, Act::WaitFlag, src, dst, id);
  ForwardingObserver::waitFlag(instr, src, dst, id, ordinal);
}

void Recorder::barrier(const Instr &instr, Pipe pipe) {
  change(instr, [&](Deed &deed) {
    deed.act = pipe == Pipe::All ? Act::CoreBarrier : Act::Barrier;
    deed.drains = pipe == Pipe::All;
  });
  ForwardingObserver::barrier(instr, pipe);
}

/// Costs what a barrier of all pipes does: which of them an instruction behind it waits
/// for is not kept (docs/limits.md).
void Recorder::memoryBarrier(const Instr &instr, uint32_t pipes) {
  change(instr, [](Deed &deed) {
    deed.act = Act::CoreBarrier;
    deed.drains = true;
  });
  ForwardingObserver::memoryBarrier(instr, pipes);
}

void Recorder::getBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t releasesBefore) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::GetBuffer;
    deed.id = int16_t(id);
    deed.mode = uint8_t(mode);
  });
  ForwardingObserver::getBuf(instr, id, mode, releasesBefore);
}

void Recorder::rlsBuf(const Instr &instr, int64_t id, int64_t mode, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::ReleaseBuffer;
    deed.id = int16_t(id);
    deed.mode = uint8_t(mode);
  });
  ForwardingObserver::rlsBuf(instr, id, mode, ordinal);
}

void Recorder::unitCheck(const Instr &instr, Pipe from, uint64_t ordinal) {
  change(instr, [](Deed &deed) { deed.checksUnit = true; });
  takes(instr, ordinal);
  ForwardingObserver::unitCheck(instr, from, ordinal);
}

void Recorder::unitPass(const Instr &instr) {
  PipeState &pipe = pipeOf(instr);
  if (pipe.changed != instr.ordinal && pipe.positions.knows(instr.ordinal)) {
    // A plain instruction until now: what it does stays.
    const uint32_t known = record.cores[instr.core.index].entries.at(pipe.positions.of(instr.ordinal)).deed;
    pipe.changed = instr.ordinal;
    pipe.deed = deeds.deeds[known];
  }
  change(instr, [](Deed &deed) { deed.passesUnit = true; });
  ForwardingObserver::unitPass(instr);
}

void Recorder::syncSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal, uint8_t senders) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::SetSemaphore;
    deed.id = int16_t(id);
    deed.targets |= uint8_t(1u << target.index);
    deed.senders = senders;
  });
  ForwardingObserver::syncSet(instr, target, id, ordinal, senders);
}

void Recorder::syncWait(const Instr &instr, int64_t id, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::WaitSemaphore;
    deed.id = int16_t(id);
  });
  ForwardingObserver::syncWait(instr, id, ordinal);
}

void Recorder::launchSet(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::SetLaunch;
    deed.id = int16_t(channel);
  });
  launchSets.insert({instr.core.index, channel});
  ForwardingObserver::launchSet(instr, channel, ordinal);
}

void Recorder::launchWait(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::WaitLaunch;
    deed.id = int16_t(channel);
  });
  ForwardingObserver::launchWait(instr, channel, ordinal);
}

void Recorder::queueSet(const Instr &instr, CoreId target, int64_t id, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::SetQueue;
    deed.id = int16_t(id);
    deed.targets |= uint8_t(1u << target.index);
  });
  ForwardingObserver::queueSet(instr, target, id, ordinal);
}

void Recorder::queueWait(const Instr &instr, CoreId sender, int64_t id, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::WaitQueue;
    deed.id = int16_t(id);
    deed.targets |= uint8_t(1u << sender.index);
  });
  takes(instr, ordinal); // of senders that rise
  ForwardingObserver::queueWait(instr, sender, id, ordinal);
}

void Recorder::syncAllArrive(const Instr &instr, uint32_t channel, uint64_t ordinal) {
  change(instr, [&](Deed &deed) {
    deed.act = Act::AllCores;
    deed.drains = true;
    deed.id = int16_t(channel);
  });
  takes(instr, ordinal);
  arrivals.emplace_back(channel, ordinal);
  ForwardingObserver::syncAllArrive(instr, channel, ordinal);
}

void Recorder::signalSet(const Instr &instr, const SignalSet &set) {
  change(instr, [](Deed &deed) { deed.act = Act::SetSignal; });
  takes(instr, {shared.signals.set(set.address)});
  ForwardingObserver::signalSet(instr, set);
}

void Recorder::signalFlush(const Instr &instr, uint64_t begin, uint64_t end) {
  change(instr, [](Deed &deed) { deed.act = Act::SetSignal; });
  takes(instr, {shared.signals.set(begin)});
  ForwardingObserver::signalFlush(instr, begin, end);
}

void Recorder::takes(const Instr &instr, const std::vector<SignalWordCounts::Count> &words) {
  takes(instr, uint64_t(words.size()));
  for (const SignalWordCounts::Count &word : words) {
    takes(instr, uint64_t(word.number));
    takes(instr, word.sets);
  }
}

void Recorder::signalWait(const Instr &instr, const SignalWait &wait) {
  std::vector<SignalWordCounts::Count> words;
  for (uint64_t address : wait.addresses)
    for (const SignalWordCounts::Count &word : shared.signals.seen(address, address + 1))
      words.push_back(word);
  change(instr, [](Deed &deed) { deed.act = Act::WaitSignal; });
  takes(instr, words);
  ForwardingObserver::signalWait(instr, wait);
}

void Recorder::signalLook(const Instr &instr, uint64_t begin, uint64_t end) {
  // TIME-65: how often a program polls is not its own doing: only a look that sees something counts.
  if (std::vector<SignalWordCounts::Count> words = shared.signals.seen(begin, end); !words.empty()) {
    change(instr, [](Deed &deed) { deed.act = Act::WaitSignal; });
    takes(instr, words);
  }
  ForwardingObserver::signalLook(instr, begin, end);
}

void Recorder::engineStart(const Instr &instr, const EngineTransfer &transfer) {
  const Work work =
      workOf({Space::Gm, Space::Gm, transfer.src, transfer.dst, transfer.dst, transfer.srcObject, transfer.dstObject},
             Timing::load);
  change(instr, [&](Deed &deed) {
    deed.act = Act::StartEngine;
    deed.work = deeds.works.number(work);
  });
  takes(instr, transfer.session);
  takes(instr, transfer.number);
  touch(instr, transfer.srcObject, transfer.src, false);
  touch(instr, transfer.dstObject, transfer.dst, true);
  ForwardingObserver::engineStart(instr, transfer);
}

void Recorder::engineDone(const Instr &instr, uint64_t session, uint64_t number) {
  change(instr, [](Deed &deed) { deed.act = Act::WaitEngine; });
  takes(instr, session);
  takes(instr, number);
  ForwardingObserver::engineDone(instr, session, number);
}

void Recorder::statusRead(const Instr &instr, StatusRegister status, const Instr &writer) {
  change(instr, [](Deed &deed) { deed.act = Act::ReadStatus; });
  ForwardingObserver::statusRead(instr, status, writer);
}

void Recorder::scalarLoad(const Instr &instr, const LocalAccess &access) {
  if (!access.inScope)
    change(instr, [&](Deed &deed) {
      deed.act = Act::ScalarAccess;
      deed.space = access.space;
    });
  ForwardingObserver::scalarLoad(instr, access);
}

void Recorder::scalarStore(const Instr &instr, const LocalAccess &access) {
  if (!access.inScope)
    change(instr, [&](Deed &deed) {
      deed.act = Act::ScalarAccess;
      deed.space = access.space;
    });
  ForwardingObserver::scalarStore(instr, access);
}

} // namespace ptoscope::timing
