//===- impl.hpp - instructions under the names of their back ends *- C++ -*-===//
//
// NAME_IMPL is NAME without events (CPP-9, SURF-32). Those that stand in the header of
// their family know their place in the program; the others are found at this line.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_INST_IMPL_HPP
#define PTO_DETAIL_INST_IMPL_HPP

#include "pto/detail/inst/assign.hpp"
#include "pto/detail/inst/memory.hpp"

namespace pto {
PTO_MODE_BEGIN

template <typename T, typename A>
void TASSIGN_IMPL(T &tile, A address, ptoscope_detail::Here at = ptoscope_detail::Here::current()) {
  if constexpr (is_global_data_v<T>)
    TASSIGN(tile, address);
  else
    TASSIGN(tile, address, at);
}
template <typename T, typename G, auto... Modes, typename... A>
RecordEvent TSTORE_IMPL(G &dst, T &src, const A &...words) {
  if constexpr (sizeof...(Modes) == 0)
    return TSTORE(dst, src, words...);
  else
    return TSTORE<T, G, Modes...>(dst, src, words...);
}
template <typename G, typename T, typename... A> RecordEvent TStoreAcc(G &dst, T &src, const A &...words) {
  return TSTORE(dst, src, words...);
}

PTO_MODE_END
} // namespace pto

#endif // PTO_DETAIL_INST_IMPL_HPP
