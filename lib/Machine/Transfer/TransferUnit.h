//===- TransferUnit.h - from operands to bytes that move --------*- C++ -*-===//
//
// Resolves and checks a transfer when it is issued, and moves its rows when it
// takes effect.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_TRANSFER_TRANSFERUNIT_H
#define PTOSCOPE_LIB_MACHINE_TRANSFER_TRANSFERUNIT_H

#include "Memory/AtomicOrder.h"
#include "Scalar/ScalarUnit.h"
#include "Schedule/Operation.h"
#include "Transfer/Transfer.h"

namespace ptoscope {

class TransferUnit {
public:
  TransferUnit() = default;
  TransferUnit(const BlockSetup &setup, CoreId core, CoreKind kind, Report &report, const Memories &memories,
               Registers &registers, AtomicOrder &atomics)
      : memories(&memories), core(core), kind(kind), keepsRows(setup.options->schedule.kind == ScheduleKind::Random),
        dataless(setup.options->dataless), report(&report), registers(&registers), observer(setup.observer),
        onlooker(setup.options->onlooker), atomics(&atomics) {}

  /// Recognises the ordinary transfer: rows between GM and a memory of this core,
  /// without padding, registers or atomics, about which there is nothing to say.
  /// False: it may be of another kind; nothing is decided.
  bool plainRows(const PtoTransfer &operands, PlainRows &rows);
  void planRows(const PtoTransfer &operands, const PlainRows &rows);
  /// Resolves and checks any transfer into `planned`. Nonzero: stop.
  int32_t plan(SiteId site, const PtoTransfer &operands);
  /// Tells observers that a transfer takes effect.
  void announce(const Instr &instr, const Transfer &transfer);
  /// Tells the onlooker that it has taken effect.
  void show(const Instr &instr, const Transfer &transfer);
  bool isDataless() const { return dataless; }
  /// Its rows move, unless nothing does.
  void move(const Transfer &transfer) {
    if (!dataless)
      runTransfer(*memories, transfer);
  }
  void count(const PlainRows &rows) {
    ++transfers;
    bytes += rows.count * rows.len;
  }

  Transfer planned;                  ///< the one being issued
  uint64_t transfers = 0, bytes = 0; ///< that took effect
  const Memories *memories = nullptr;

private:
  bool planTarget(SiteId site, const PtoTransfer &operands);
  bool planOperands(SiteId site, const PtoTransfer &operands);
  bool checkOperands(SiteId site, const PtoTransfer &operands, const OperandLimits &limits);
  void checkLoopSize(SiteId site);
  bool shapeRows(SiteId site, const PtoTransfer &operands);
  bool planAtomic(SiteId site, uint32_t elementBytes);
  LoopRegisters *loopRegisters();
  void mergeRows();
  // Bounds.cpp
  bool planLocalSide(SiteId site, bool isSource);
  bool planGmSide(SiteId site, bool isSource);
  void planOverlap(SiteId site);
  void planPadding(SiteId site, const PtoTransfer &operands);

  CoreId core;
  CoreKind kind = CoreKind::AIV;
  bool keepsRows = false; ///< to interleave them
  bool dataless = false;  ///< LaunchOptions::dataless
  Report *report = nullptr;
  Registers *registers = nullptr;
  Observer *observer = nullptr;
  Onlooker *onlooker = nullptr;
  AtomicOrder *atomics = nullptr;
  std::vector<PtoLoop> planLoops;
  /// What ordinary transfers to and from GM used last. The object's fields beside it
  /// keep its own memory out of the way.
  struct LastObject {
    uint64_t base = 0, bytes = 0;
    uint8_t *host = nullptr;
    const GmObject *object = nullptr; ///< null: none
    bool readOnly = false;
  };
  LastObject lastObject[2];
};

/// Borrows the plan while it is issued; a copy in a queue owns one.
class TransferOperation final : public Operation {
public:
  TransferOperation(TransferUnit &unit, const Transfer &transfer) : unit(&unit), transfer(&transfer) {}
  TransferOperation(const TransferOperation &other) : Operation(other), unit(other.unit), transfer(other.transfer) {}
  std::unique_ptr<Operation> keep() override;
  void effect(const Instr &instr) override;
  bool overtakes() const override { return !transfer->skip; }
  bool advance(const Instr &instr, Random &random) override;

private:
  TransferUnit *unit;
  const Transfer *transfer;
  std::unique_ptr<Transfer> own;
  RowCursor cursor; ///< of the rows that have moved
  bool moved = false;
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_TRANSFER_TRANSFERUNIT_H
