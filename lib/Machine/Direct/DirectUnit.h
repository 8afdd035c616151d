//===- DirectUnit.h - instructions that bring their own meaning -*- C++ -*-===//

#ifndef PTOSCOPE_LIB_MACHINE_DIRECT_DIRECTUNIT_H
#define PTOSCOPE_LIB_MACHINE_DIRECT_DIRECTUNIT_H

#include "Memory/AtomicOrder.h"
#include "Memory/Memories.h"
#include "Schedule/Operation.h"

#include <cstring>
#include <unordered_map>

namespace ptoscope {

class DirectUnit {
public:
  DirectUnit() = default;
  DirectUnit(const BlockSetup &setup, Report &report, const Memories &memories, AtomicOrder &atomics)
      : report(&report), memories(&memories), atomics(&atomics), observer(setup.observer),
        onlooker(setup.options->onlooker) {}

  /// The instruction takes effect.
  void effect(const Instr &instr, const DirectInstruction &instruction) {
    if (observer || onlooker || instruction.atomic || instruction.prepare || instruction.problem)
      return effectInSteps(instr, instruction);
    instruction.run(instruction.payload);
  }

  /// See numberOf in Direct.h.
  uint32_t numberOf(CoreId core, const Storage &storage);

private:
  void effectInSteps(const Instr &instr, const DirectInstruction &instruction);

  Report *report = nullptr;
  const Memories *memories = nullptr;
  AtomicOrder *atomics = nullptr;
  Observer *observer = nullptr;
  Onlooker *onlooker = nullptr;
  std::vector<DirectRegion> regions;               ///< reused between instructions
  std::unordered_map<uint64_t, uint32_t> storages; ///< numbers by site and address
};

/// Borrows the operands while it is issued; a copy in a queue owns them.
class DirectOperation final : public Operation {
public:
  DirectOperation(DirectUnit &unit, const DirectInstruction &instruction) : unit(&unit), instruction(instruction) {}
  DirectOperation(const DirectOperation &other)
      : Operation(other), unit(other.unit), instruction(other.instruction),
        own(std::make_unique<uint8_t[]>(instruction.payloadBytes)) {
    std::memcpy(own.get(), instruction.payload, instruction.payloadBytes);
    instruction.payload = own.get();
  }
  std::unique_ptr<Operation> keep() override { return std::make_unique<DirectOperation>(*this); }
  void effect(const Instr &instr) override { unit->effect(instr, instruction); }
  bool overtakes() const override { return true; }

private:
  DirectUnit *unit;
  DirectInstruction instruction;
  std::unique_ptr<uint8_t[]> own;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_DIRECT_DIRECTUNIT_H
