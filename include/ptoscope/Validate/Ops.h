//===- Ops.h - rows of single instructions as work --------------*- C++ -*-===//

#ifndef PTOSCOPE_VALIDATE_OPS_H
#define PTOSCOPE_VALIDATE_OPS_H

#include "ptoscope/Machine/Work.h"
#include "ptoscope/Validate/Anchors.h"

namespace ptoscope::validate {

/// Something, or why there is none: a reason to print.
template <typename T> struct OrReason {
  std::optional<T> value;
  std::string reason;
  OrReason(T value) : value(std::move(value)) {}
  static OrReason none(std::string reason) {
    OrReason result;
    result.reason = std::move(reason);
    return result;
  }

private:
  OrReason() = default;
};

/// What the instruction of a row has to do, as the tile instruction itself would say.
OrReason<Work> workOf(const Anchor &anchor);

} // namespace ptoscope::validate

#endif // PTOSCOPE_VALIDATE_OPS_H
