//===- SortUnit.h - sorting instructions on PIPE_V --------------*- C++ -*-===//
//
// Checks and effect of vbitsort and vmrgsort4, and the status register that the
// latter leaves behind. Operands are looked at when the instruction is issued,
// addresses when it takes effect, since only then is known how far a merge gets.
// A bad one is reported and ends the instruction.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SORT_SORTUNIT_H
#define PTOSCOPE_LIB_MACHINE_SORT_SORTUNIT_H

#include "Memory/Memories.h"
#include "Sort/Sort.h"

namespace ptoscope {

class SortUnit {
public:
  SortUnit() = default;
  SortUnit(Report &report, const Memories &memories) : report(&report), memories(&memories) {}

  /// A sort with its unit: the payload of its instruction.
  struct Call {
    SortUnit *unit;
    Sort sort;
  };
  /// False: it cannot be issued, which was reported.
  bool groups(SiteId site, uint32_t scoreBytes, uint64_t dst, uint64_t scores, uint64_t indices, int64_t repeat,
              Call &call);
  bool merge(SiteId site, uint32_t scoreBytes, uint64_t dst, const std::array<uint64_t, kMergeLists> &lists,
             uint64_t count, uint64_t config, Call &call);
  static DirectInstruction instruction(const Call &call);

  struct MergeStatus {
    uint64_t value = 0; ///< VMS4_SR: records taken from each list, 16 bits each
    Instr writer{};     ///< the merge issued last; its ordinal is 0 without one
  } vms4;

private:
  void checkMerge(SiteId site, const Sort &sort, uint64_t count, uint64_t config);
  bool prepare(const Sort &sort, const Instr &instr);
  void prepareMerge(const Sort &sort, const Instr &instr);
  void prepareGroups(const Sort &sort, const Instr &instr);
  bool inside(const Instr &instr, uint64_t address, uint64_t bytes, uint32_t alignment, std::string_view verb);
  void checkOverlap(const Instr &instr, uint64_t dst, uint64_t input, uint64_t inputBytes, uint64_t bytes);
  void touch(uint8_t operand, uint64_t address, uint64_t bytes, DirectRole role);

  Report *report = nullptr;
  const Memories *memories = nullptr;
  std::vector<uint8_t> records;      ///< of the sort that takes effect, one result after another
  std::vector<DirectRegion> regions; ///< that it touches; the results in the order of `records`
};

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SORT_SORTUNIT_H
