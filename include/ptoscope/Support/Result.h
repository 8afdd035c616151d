//===- Result.h - a value, or the Finding that says why not ------*- C++ -*-===//
//
// How errors travel in the layers that know neither MLIR nor LLVM. A Result
// holds either a value or one Finding, never both and never neither. Reading
// the side that is not there is our own mistake and asserts.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_RESULT_H
#define PTOSCOPE_SUPPORT_RESULT_H

#include "ptoscope/Support/Finding.h"

#include <cassert>
#include <optional>
#include <utility>
#include <variant>

namespace ptoscope {

template <typename T> class [[nodiscard]] Result {
public:
  Result(T value) : state(std::in_place_index<0>, std::move(value)) {}
  Result(Finding finding) : state(std::in_place_index<1>, std::move(finding)) {}

  explicit operator bool() const { return state.index() == 0; }

  T &operator*() & { return value(); }
  const T &operator*() const & { return value(); }
  T &&operator*() && { return std::move(value()); }
  T *operator->() { return &value(); }
  const T *operator->() const { return &value(); }

  T &value() {
    assert(*this && "a failed Result has no value");
    return *std::get_if<0>(&state);
  }
  const T &value() const {
    assert(*this && "a failed Result has no value");
    return *std::get_if<0>(&state);
  }

  const Finding &finding() const {
    assert(!*this && "a successful Result has no finding");
    return *std::get_if<1>(&state);
  }
  /// Moves the finding out, to pass it on as the failure of another Result.
  Finding takeFinding() {
    assert(!*this && "a successful Result has no finding");
    return std::move(*std::get_if<1>(&state));
  }

private:
  std::variant<T, Finding> state;
};

/// Success, or the reason why not: `return {};` or `return makeFinding(…);`.
template <> class [[nodiscard]] Result<void> {
public:
  Result() = default;
  Result(Finding finding) : failure(std::move(finding)) {}

  explicit operator bool() const { return !failure; }

  const Finding &finding() const {
    assert(failure && "a successful Result has no finding");
    return *failure;
  }
  Finding takeFinding() {
    assert(failure && "a successful Result has no finding");
    return std::move(*failure);
  }

private:
  std::optional<Finding> failure;
};

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_RESULT_H
