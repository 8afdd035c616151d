//===- Model.h - the figures of a profile -----------------------*- C++ -*-===//
//
// A timing file has one figure a line: key, value, source, remark. The built-in
// files are share/timing/*.timing; `--timing FILE` reads another one in their
// place. Every key is known: a file that lacks one, repeats one, has one too many
// or a value out of range is refused with its line (docs/timing.md).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TIMING_MODEL_H
#define PTOSCOPE_TIMING_MODEL_H

#include "ptoscope/Machine/Work.h"
#include "ptoscope/Support/Result.h"

#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace ptoscope::timing {

/// What one instruction costs when nothing else is in its way, in core cycles.
struct Cost {
  double busy = 0;       ///< its pipe can take the next instruction after this
  double latency = 0;    ///< beyond `busy`, until others see what it did
  uint64_t gmBytes = 0;  ///< that share the launch's bandwidth
  double overhead = 0;   ///< of `busy`, where gmBytes are moved: starts and bursts, which no bandwidth hides
  bool writesGm = false; ///< gmBytes are written
  double restart = 0;    ///< busy beyond `busy`, at most as long as its pipe has waited before it
};

struct CostFigures; // of the library: figures by what uses them

/// A value: copies are changed without a change of what they were copied from.
class Model {
public:
  /// Of a profile, as built in.
  static const Model &of(ProfileId profile);
  static Result<std::unique_ptr<Model>> parse(std::string_view text, const std::string &path);
  /// The file itself.
  static Result<std::unique_ptr<Model>> read(const std::string &path);

  ProfileId profile() const { return id; }
  /// A2 and A3 share their figures: a file for one serves the other.
  bool serves(ProfileId profile) const { return (profile == ProfileId::A5) == (id == ProfileId::A5); }
  /// The figure with this key; an unknown key is a fault of the caller. A search: not for
  /// every instruction.
  double operator[](std::string_view key) const;
  /// Another value for a key: what-if, and fitting.
  void set(std::string_view key, double value);

  struct Figure {
    std::string key;
    double value;
    std::string source; ///< tags of docs/isa/05-timing.md, or "assumed"
    std::string remark;
    bool isFitted; ///< source "fit": cross-validation fits it again
  };
  /// In the order of their keys.
  const std::vector<Figure> &figures() const { return list; }

  Cost costOf(const Work &work) const;

private:
  Model(ProfileId id, std::vector<Figure> figures);

  ProfileId id;
  std::vector<Figure> list;
  std::shared_ptr<const CostFigures> resolved;
};

/// What is known about a key. `profiles` has a bit for each ProfileId whose files have it.
struct FigureInfo {
  std::string key, unit, meaning;
  double smallest, largest;
  uint8_t profiles;
};
/// All keys, sorted.
const std::vector<FigureInfo> &figureTable();

} // namespace ptoscope::timing

#endif // PTOSCOPE_TIMING_MODEL_H
