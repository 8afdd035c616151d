//===- host_elems.hpp - elements beyond those of a record -------*- C++ -*-===//
//
// What an instruction of C++ takes beside the elements of its record, which are those
// of devices and of text: in the host profile mostly (HMEAN-17, HMEAN-18).
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_HOST_ELEMS_HPP
#define PTO_DETAIL_HOST_ELEMS_HPP

#include "pto/detail/record.hpp"

namespace ptoscope::tile {

template <typename... R> constexpr bool isOneOf(const Record &record, const R &...records) {
  return ((&record == &records) || ...);
}

/// HMEAN-17: integers that devices do not have there.
constexpr bool takesIntegersOnHost(const Record &r) {
  return isOneOf(r, record::TLOG, record::TRECIP, record::TLRELU, record::TPRELU);
}
/// HMEAN-18: bf16 wherever there is half.
constexpr bool takesBfloatOnHost(const Record &r) {
  return takesIntegersOnHost(r) || isOneOf(r, record::TEXP, record::TSQRT, record::TRSQRT, record::TADDRELU,
                                           record::TROWEXPANDEXPDIF, record::TCOLEXPANDEXPDIF);
}

/// Instructions whose kernels read rows: other sources are brought there first (REPORT-15).
constexpr bool readsRows(const Record &r) {
  using namespace record;
  return isOneOf(r, TROWSUM, TROWPROD, TROWMAX, TROWMIN, TCOLSUM, TCOLPROD, TCOLMAX, TCOLMIN, TROWARGMAX, TROWARGMIN,
                 TCOLARGMAX, TCOLARGMIN, TPAIRREDUCESUM, THISTOGRAM, TCMP, TCMPS, TSEL, TSELS);
}

/// For tile `i` of the record.
constexpr ElemSet moreElems(const Record &r, size_t i, bool host) {
  if (&r == &record::TQUANT_MX && i == 0) // HMEAN-4: bytes that hold e4m3
    return elems(Elem::i8);
  if (r.tile[i].elems == kSameElem || r.tile[i].elems == kAnyElem)
    return 0;
  if (&r == &record::TCVT) // HMEAN-10, TCVT-9
    return elems(host ? Elem::i4 : Elem::i4x2);
  if (!host)
    return 0;
  return (takesIntegersOnHost(r) ? elems(Elem::i16, Elem::i32) : 0) | (takesBfloatOnHost(r) ? elems(Elem::bf16) : 0);
}

} // namespace ptoscope::tile

#endif // PTO_DETAIL_HOST_ELEMS_HPP
