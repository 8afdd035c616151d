//===- Anchors.h - published timing figures, read from a table --*- C++ -*-===//
//
// Rows of the form of docs/isa/timing-anchors.tsv: what was measured, of what, and
// how long it took. Nothing here knows what a row means; the texts of shapes and
// extras are taken apart, so that other rows of the same form can be read, too.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_VALIDATE_ANCHORS_H
#define PTOSCOPE_VALIDATE_ANCHORS_H

#include "ptoscope/Machine/Types.h"
#include "ptoscope/Support/Result.h"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope::validate {

/// A text of parts between semicolons: `tile=64x64;cores=24;ND to NZ`.
class Fields {
public:
  Fields() = default;
  explicit Fields(std::string_view text);

  /// The value of a part `key=value`; of `S0=S1=64` that of either key. Empty: there is none.
  std::string_view operator[](std::string_view key) const;
  bool has(std::string_view key) const { return values.contains(std::string(key)); }
  /// The whole number that the value begins with.
  std::optional<int64_t> number(std::string_view key) const;
  /// Extents of a value such as `128x64x256(MxKxN)`; empty where it is none.
  std::vector<int64_t> extents(std::string_view key) const;
  /// A part without `=` that contains this text.
  bool says(std::string_view text) const;
  /// The whole number right before ` word`, of a part without `=`: 24 of `24 cores`.
  std::optional<int64_t> before(std::string_view word) const;
  /// The text itself.
  const std::string &text() const { return whole; }

private:
  std::string whole;
  std::map<std::string, std::string> values;
  std::vector<std::string> words; ///< parts without `=`
};

/// `64x64`: its extents; empty where the text is of another form.
std::vector<int64_t> parseExtents(std::string_view text);

struct Anchor {
  std::string id, name, dtype, source, notes;
  ProfileId profile;
  bool isKernel;                ///< else one instruction
  std::vector<int64_t> extents; ///< of a shape `RxC…`
  Fields shape, extra;
  double value;
  enum class Unit : uint8_t { Cycles, Microseconds, Percent, GigabytesPerSecond } unit;
  enum class Convention : uint8_t { None, Latency, Occupancy } convention;
  uint32_t line;

  /// Figures that cannot be those of the instruction; they are not scored.
  bool isSuspect() const { return notes.starts_with("suspect"); }
  /// What a figure of a kernel says: `task`, `cube_busy` …
  std::string_view metric() const { return extra["metric"]; }
  /// Rows of one run of a kernel have one name, and so have rows of one instruction with one
  /// type on tiles of one shape.
  std::string run() const;
};

/// All rows of a table; the first malformed one is the failure, with its line.
Result<std::vector<Anchor>> parseAnchors(std::string_view text, const std::string &path);

} // namespace ptoscope::validate

#endif // PTOSCOPE_VALIDATE_ANCHORS_H
