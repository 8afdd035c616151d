//===- forms.hpp - types that programs name in calls ------------*- C++ -*-===//
//
// HMEAN-33. Enumerations are in constants.hpp.
//
//===----------------------------------------------------------------------===//

#ifndef PTO_DETAIL_FORMS_HPP
#define PTO_DETAIL_FORMS_HPP

#include "pto/common/constants.hpp"

namespace pto {

/// Records that a merge took from each list.
struct MrgSortExecutedNumList {
  uint16_t mrgSortList0, mrgSortList1, mrgSortList2, mrgSortList3;
};

} // namespace pto

#endif // PTO_DETAIL_FORMS_HPP
