//===- Sort.h - a sort with its operands resolved ---------------*- C++ -*-===//
//
// The instructions of PIPE_V that sort records in UB by themselves, outside
// vector scopes (SORT-8). A record is 8 bytes (SORT-9): the score in the first
// 4 (f32) or 2 (f16), the index in the last 4.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_MACHINE_SORT_SORT_H
#define PTOSCOPE_LIB_MACHINE_SORT_SORT_H

#include <array>
#include <cstddef>
#include <cstdint>

namespace ptoscope {

inline constexpr uint32_t kRecordBytes = 8;
inline constexpr uint32_t kSortGroup = 32; ///< records that vbitsort sorts at a time
inline constexpr size_t kMergeLists = 4;

/// Addresses are bytes of UB.
struct Sort {
  bool merges = false;     ///< lists of records into one; else scores and indices into records
  uint32_t scoreBytes = 4; ///< of f32 or f16
  uint32_t repeat = 0;
  uint64_t dst = 0;
  std::array<uint64_t, kMergeLists> src{};    ///< the lists; or scores and indices
  std::array<uint32_t, kMergeLists> length{}; ///< of each list, in records; 0 when it is disabled
  bool suspends = false;                      ///< a merge ends when one list is used up
  uint32_t room = UINT32_MAX;                 ///< or when it has written so many records
};

/// A place in the order of scores: -NaN < -inf < ... < -0 < +0 < ... < +NaN.
uint32_t scoreKey(const uint8_t *score, uint32_t scoreBytes);

/// Records of one group, by descending score; equal ones stay in order.
void sortGroup(uint32_t scoreBytes, const uint8_t *scores, const uint8_t *indices, uint8_t *records);

/// Merges descending lists; of equal heads the lowest list comes first. Returns
/// the number of records written; `taken` are those of each list.
uint32_t mergeLists(const Sort &sort, const std::array<const uint8_t *, kMergeLists> &lists, uint8_t *records,
                    std::array<uint32_t, kMergeLists> &taken);

} // namespace ptoscope

#endif // PTOSCOPE_LIB_MACHINE_SORT_SORT_H
