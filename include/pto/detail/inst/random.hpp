//===- random.hpp - counter-based random words ------------------*- C++ -*-===//

#ifndef PTO_DETAIL_INST_RANDOM_HPP
#define PTO_DETAIL_INST_RANDOM_HPP

#include "pto/detail/forms.hpp"
#include "pto/detail/inst/shapes.hpp"

namespace pto {
PTO_MODE_BEGIN

/// Words of Philox 4x32 (TGEN-3). `key` has two words and `counter` four, the
/// lowest first: arrays, or anything with operator [].
template <uint16_t Rounds = 10, typename D, typename K, typename C>
RecordEvent TRANDOM(D &dst, const K &key, const C &counter, PTO_AFTER) {
  static_assert(Rounds == 7 || Rounds == 10, "TRANDOM has 7 or 10 rounds");
  PTO_WAIT;
  ptoscope_detail::Call call = ptoscope_detail::makeCall<ptoscope_detail::record::TRANDOM>(at, dst);
  const auto pair = [](uint32_t low, uint32_t high) { return uint64_t(high) << 32 | low; };
  ptoscope_detail::setScalar(call, 0, pair(key[0], key[1]));
  ptoscope_detail::setScalar(call, 1, pair(counter[0], counter[1]));
  ptoscope_detail::setScalar(call, 2, pair(counter[2], counter[3]));
  call.operands.mode = Rounds;
  return ptoscope_detail::finish(call);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_RANDOM_HPP
