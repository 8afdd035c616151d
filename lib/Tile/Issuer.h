//===- Issuer.h - what issues tile instructions of a core -------*- C++ -*-===//
//
// A tile instruction is one Call of plain data, however the program writes it. The
// Issuer checks it and hands it to the Machine; who calls it knows where the call
// stands in the program, and what a stop means there: C++ (Context) leaves the
// kernel by an exception, text (TextIssuer) returns the status.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_ISSUER_H
#define PTOSCOPE_LIB_TILE_ISSUER_H

#include "Footprint.h"
#include "Phases.h"
#include "pto/detail/record.hpp"
#include "ptoscope/Machine/Cores.h"

#include <memory>
#include <span>
#include <vector>

namespace ptoscope::tile {

/// What a record's instruction means here.
struct Meaning {
  const char *name;
  RunFunction run;
  FootprintFunction footprint; ///< null: the record says it all
  bool carries;                ///< moves bytes between tiles, defined or not
  bool indexed;                ///< has tiles that name places of others
  const PhaseRow *phases;      ///< its rows in the table of phases, or null
};
/// Null when no instruction has this name.
const Meaning *findMeaning(std::string_view name);

/// UNIT-2: an instruction with a unit flag, and the bytes of L0C among its own.
UnitUse unitUse(UnitFlag flag, std::span<const DirectHull> hulls);

class Issuer {
public:
  explicit Issuer(PtoContext *core) : core(core), kind(kindOf(core)) {}

  /// Operands that were found right at a site, and what follows from them: the same
  /// elsewhere in their memories needs no second look.
  struct Prepared {
    Operands operands;
    Hulls hulls; ///< of operands at address 0
    Pipe pipe;
    bool hasScratch;      ///< in C++
    const Phases *phases; ///< null: one pipe does it all
  };
  /// What is remembered of a place of the program.
  struct SiteState {
    SiteId id = kNoSite;
    const Meaning *meaning = nullptr;
    std::unique_ptr<Prepared> prepared{};
  };

  /// Issues a call whose operands have their addresses, both ways. Nonzero: stop.
  int32_t issue(Call &call, SiteState &site);
  /// A cube core moves a tile of the accumulator into UB of its vector cores (MIX-14).
  bool goesToVectors(const Call &call) const {
    return kind == CoreKind::AIC && call.operands.tiles > 1 && !call.operands.hasGlobal &&
           call.operands.tile[0].ref.location == uint8_t(TileType::Vec);
  }
  /// Such a move, to the vector core that it names or a half to each. `second` remembers
  /// the move of the second half. Nonzero: stop.
  int32_t issueToVectors(Call &call, SiteState &site, SiteState &second, unsigned subblock);
  /// Auto mode, before something whose accesses are not known: a barrier, if there is
  /// anything to wait for. Nonzero: stop.
  int32_t orderAll(SiteId site);
  void forgetAccesses() {
    sinceBarrier.clear();
    unknownSinceBarrier = false;
  }

  /// A store of a tile to GM that names no operation itself: one that the core has selected holds
  /// for it (DMA-24, SURF-31).
  static bool takesSelected(const Call &call);
  static void combine(Call &call, AtomicType operation);

  /// A pop put a tile there: its number. `again`: what lies there already, once more.
  uint32_t notePop(const TileRef &tile, SiteId site, bool again);

  uint8_t *base(Space space) const { return core->local[size_t(space)]; }

  PtoContext *const core;
  const CoreKind kind;

protected:
  bool fullFill = false; ///< TLOAD fills the whole tile
  bool memory = true;    ///< the memory check is on
  /// Sizes of the target's memories, by Space, where those of the core are larger
  /// (REPORT-6); null where they are not.
  const uint32_t *targetBytes = nullptr;

private:
  /// Issues an instruction that several pipes do. Nonzero: stop.
  int32_t issueInPhases(const Phases &phases, DirectInstruction &instruction, const Hulls &hulls, SiteId site);
  // Cores.cpp
  /// The pipe that runs the call on this kind of core.
  Pipe pipeHere(const Call &call) const;
  /// Why this kind of core cannot run it; no code where it can.
  Fact coreProblem(const Call &call, Pipe pipe) const;

  /// Null when the operands do not fit, which was reported.
  const Prepared *prepare(const Call &call, SiteState &site);
  /// Auto mode: a barrier if the instruction depends on one since the last barrier that
  /// its pipe does not wait for by itself. Nonzero: stop.
  int32_t order(Pipe pipe, const Hulls &hulls, SiteId site);

  // Reported.cpp
  uint64_t targetEnd(Space space, uint64_t address) const;
  /// Leaves out scratch tiles that cannot be what they are said to be. True: there were
  /// some, which was reported.
  bool checkScratch(Call &call, SiteId site, const Hulls &hulls);
  /// Where the core has more memory than the target. False: the call may not use it,
  /// which was reported.
  bool admitsHost(const Call &call, SiteId site, const Hulls &hulls);

  // Popped.cpp
  /// Tiles of C++ that were popped, and whose place was popped again, are not read. Nonzero: stop.
  int32_t checkPopped(Call &call, SiteId site);
  /// A place that tiles are popped to.
  struct Landing {
    uint8_t location;
    uint32_t address, pop; ///< the last one; 0: something else was written there
  };
  std::vector<Landing> landings;
  struct Pop {
    SiteId site;
    uint32_t number;
  };
  static constexpr uint32_t kPopsKept = 64;
  Pop pops[kPopsKept] = {}; ///< the last ones, by their numbers
  uint32_t lastPop = 0;

  struct Access {
    Pipe pipe;
    DirectHull hull;
  };
  std::vector<Access> sinceBarrier;
  bool unknownSinceBarrier = false; ///< and something whose accesses are not known
};

/// Why the shapes of a call's operands do not agree; no code where they do.
Fact shapeProblem(const Call &call, bool refused = false);
/// Why a call cannot be issued, or what is odd about it, and its hulls; no code where
/// nothing is.
Fact callProblem(const Call &call, Hulls &hulls);
/// What is odd about the extents of the view; no code where nothing is.
Fact viewProblem(const Call &call);
/// Whether tile `i` is scratch in this call.
bool isScratch(const Call &call, size_t i);
/// What is said about a call that is computed all the same; no code where nothing is.
Fact remarkOf(const Call &call);
/// HMEAN-17: integers of the host profile that have no logarithm or reciprocal.
const Meaning *logMeaning();
const Meaning *recipMeaning();
Fact integerProblem(const void *call);
/// A destination that shares bytes with another operand, other than in place.
Fact sharingProblem(const Call &call, const Hulls &hulls);
/// ORDER-2, TSYNC-1.
Pipe pipeOf(const Call &call);
/// The exact bytes of a Call that takes effect.
void regionsOf(const void *call, std::vector<DirectRegion> &regions);

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_ISSUER_H
