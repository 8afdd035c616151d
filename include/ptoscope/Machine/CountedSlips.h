//===- CountedSlips.h - the line that upsets the balance of flags -*- C++ -*-=//
//
// How often each line of a run set or waited for each flag tells more than the text
// alone: it knows loops, and C++. Two flags of which one has too many sets and the
// other as many waits too many are mostly one flag, of which a line was written with
// another id or with the pipes in reverse. Counts only suggest it: which line it is,
// and whether it is one at all, a trial decides (Remedies.h).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_COUNTEDSLIPS_H
#define PTOSCOPE_MACHINE_COUNTEDSLIPS_H

#include "ptoscope/Machine/Sites.h"
#include "ptoscope/Support/TextRenderer.h"

#include <optional>
#include <span>

namespace ptoscope {

/// A line that sets or waits for a flag, and how often it did.
struct FlagUse {
  SiteId site;
  Pipe src, dst;
  int64_t id;
  bool sets;
  bool outruns = false; ///< the first wait of the flag that was issued before its set
  uint64_t count = 0;
  uint32_t next; ///< another flag that the same line names
};

/// Counts what one core issues.
class FlagUses {
public:
  /// `outruns`: it is a wait, and the first one of the flag without a set before it.
  void count(SiteId site, Pipe src, Pipe dst, int64_t id, bool sets, bool outruns = false) {
    if (site == kNoSite)
      return;
    if (site >= first.size())
      first.resize(size_t(site) + 1, kNone);
    uint32_t *at = &first[site];
    while (*at != kNone) {
      FlagUse &use = uses[*at];
      if (use.src == src && use.dst == dst && use.id == id && use.sets == sets) {
        ++use.count;
        use.outruns |= outruns;
        return;
      }
      at = &use.next;
    }
    *at = uint32_t(uses.size());
    uses.push_back({site, src, dst, id, sets, outruns, 1, kNone});
  }
  void clear() {
    for (const FlagUse &use : uses)
      first[use.site] = kNone;
    uses.clear();
  }
  std::span<const FlagUse> all() const { return uses; }

private:
  static constexpr uint32_t kNone = ~0u;
  std::vector<FlagUse> uses;
  std::vector<uint32_t> first; ///< by site
};

/// What one line may have wrong.
struct CountedSlip {
  enum class What : uint8_t {
    Id,        ///< its event id
    Pipes,     ///< the order of its pipes
    Doubled,   ///< it repeats the wait before it
    Forgotten, ///< it sets a flag that nothing waits for
  };
  What what;
  Place at;   ///< of the line
  Note cause; ///< in words, where they are shown
  std::string help;
  /// The words that are wrong and those that are right; the two pipes; the line to remove or to add.
  std::string wrong, right;
  Pipe src, dst;  ///< as the line has them
  uint64_t count; ///< how often it ran
};

/// What would explain the counts of one core, the likelier first.
std::vector<CountedSlip> slipsOf(const SiteTable &sites, std::span<const FlagUse> uses);

/// The change of the line; none if its text is not written like that.
std::optional<Remedy> remedyOf(const CountedSlip &slip, const SourceLines &lines);
/// All of them that can be tried.
std::vector<Remedy> remediesOf(std::span<const CountedSlip> slips, const SourceLines &lines);
/// For programs that cannot be tried: the only explanation, or none. Without edits if either of two lines may be the
/// wrong one.
std::optional<Remedy> onlyCause(std::span<const CountedSlip> slips, const FindingList &findings,
                                const SourceLines &lines);

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_COUNTEDSLIPS_H
