//===- DirectUnit.h - instructions that bring their own meaning -*- C++ -*-===//

#ifndef PTOSCOPE_LIB_MACHINE_DIRECT_DIRECTUNIT_H
#define PTOSCOPE_LIB_MACHINE_DIRECT_DIRECTUNIT_H

#include "Memory/AtomicOrder.h"
#include "Memory/Memories.h"
#include "Schedule/Pipes.h"

#include <cstring>
#include <unordered_map>

namespace ptoscope {

class DirectUnit {
public:
  DirectUnit() = default;
  DirectUnit(const BlockSetup &setup, Report &report, const Memories &memories, AtomicOrder &atomics)
      : report(&report), memories(&memories), atomics(&atomics), observer(setup.observer),
        wantsRegions(observer && observer->wantsRegions()), onlooker(setup.options->onlooker),
        dataless(setup.options->dataless) {}

  /// The instruction takes effect.
  void effect(const Instr &instr, const DirectInstruction &instruction) {
    if (observer || onlooker || instruction.atomic || instruction.prepare || instruction.problem)
      return effectInSteps(instr, instruction);
    if (!dataless)
      instruction.run(instruction.payload);
  }
  /// The same with a unit flag; `after` as UnitOrder says.
  void effectOfUnit(const Instr &instr, const DirectInstruction &instruction, uint64_t after);

  /// See numberOf in Direct.h.
  uint32_t numberOf(CoreId core, const Storage &storage);

private:
  void effectInSteps(const Instr &instr, const DirectInstruction &instruction);

  Report *report = nullptr;
  const Memories *memories = nullptr;
  AtomicOrder *atomics = nullptr;
  Observer *observer = nullptr;
  bool wantsRegions = false; ///< the observer does
  Onlooker *onlooker = nullptr;
  bool dataless = false;                           ///< LaunchOptions::dataless
  std::vector<DirectRegion> regions;               ///< reused between instructions
  std::unordered_map<uint64_t, uint32_t> storages; ///< numbers by site and address
};

/// Borrows the operands while it is issued; a copy in a queue owns them.
class DirectOperation : public Operation {
public:
  DirectOperation(DirectUnit &unit, const DirectInstruction &instruction) : unit(&unit), instruction(instruction) {}
  DirectOperation(const DirectOperation &other)
      : Operation(other), unit(other.unit), instruction(other.instruction),
        own(std::make_unique<uint8_t[]>(instruction.payloadBytes)) {
    if (instruction.payloadBytes)
      std::memcpy(own.get(), instruction.payload, instruction.payloadBytes);
    instruction.payload = own.get();
  }
  std::unique_ptr<Operation> keep() override { return std::make_unique<DirectOperation>(*this); }
  void effect(const Instr &instr) override { unit->effect(instr, instruction); }
  bool overtakes() const override { return true; }

protected:
  DirectUnit *unit;
  DirectInstruction instruction;

private:
  std::unique_ptr<uint8_t[]> own;
};

/// One with a unit flag, which waits for an instruction of the other pipe.
class UnitOperation final : public DirectOperation {
public:
  UnitOperation(DirectUnit &unit, const DirectInstruction &instruction, const Pipes &pipes, uint64_t after)
      : DirectOperation(unit, instruction), pipes(&pipes), after(after) {}
  std::unique_ptr<Operation> keep() override { return std::make_unique<UnitOperation>(*this); }
  bool ready() const override { return (*pipes)[unitPartner(instruction.pipe)].started >= after; }
  Wait wait() const override { return {Wait::For::Tile}; }
  std::optional<Blocker> blocker() const override {
    return ready() ? std::nullopt : std::optional(Blocker{unitPartner(instruction.pipe), after});
  }
  void effect(const Instr &instr) override { unit->effectOfUnit(instr, instruction, after); }

private:
  const Pipes *pipes;
  uint64_t after; ///< its ordinal; 0: none
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_DIRECT_DIRECTUNIT_H
