//===- Context.h - a core that runs a C++ program ---------------*- C++ -*-===//
//
// Tile instructions have no argument that says which core runs them, so each
// thread knows the context of the core it runs: the only static state of this
// layer, beside the table of registered buffers. A core that waits for others
// lets them run on its thread; whoever calls the Machine sets the context again
// when it returns (`leave`).
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_TILE_CONTEXT_H
#define PTOSCOPE_LIB_TILE_CONTEXT_H

#include "Cluster.h"
#include "Queue.h"

#include <exception>
#include <map>
#include <mutex>
#include <set>

namespace ptoscope::tile {

/// Leaves a kernel whose block has ended. Not a std::exception: kernels that catch
/// those go on to their destructors all the same.
struct Stopped {};

/// Places of a program, for all blocks of a launch.
class Places {
public:
  SiteTable table{Language::Cpp};
  /// `what` names the operation and `name` is how the program writes it.
  SiteId find(const void *what, const char *name, Timing timing, const Source &source);

private:
  using Key = std::tuple<std::string_view, uint32_t, uint32_t, const void *>;
  std::mutex mutex;
  std::map<Key, SiteId> ids;
};

/// What the contexts of a launch share.
struct LaunchState {
  Places places;
  bool fullFill = false;
  bool counts = true; ///< someone wants to know how often a line ran
  bool memory = true; ///< the memory check is on
  /// Programs of the host profile (REPORT-6): sizes of the target's memories, by Space.
  std::array<uint32_t, kSpaceSlots> targetBytes{};
  bool isWidened = false; ///< those of the cores are larger
  bool takesMore = false; ///< tiles that do not fit get memory that the target does not have
  /// What one kind of core runs.
  struct Program {
    void (*invoke)(void *) = nullptr;
    void *closure = nullptr;
  };
  Program cube, vector; ///< those that there are; a core with all pipes runs `vector`
  bool isLaunch() const { return cube.invoke || vector.invoke; }
  bool messageArea = false; ///< the launcher has told cores where signals go (XSYNC-9)
  uint64_t cookie = 0;
  LaunchSignals signals;
  std::mutex mutex;
  std::exception_ptr thrown;                 ///< by a kernel, the first
  std::shared_ptr<struct Sessions> sessions; ///< Async.cpp
};

/// Storage of one memory in auto mode: first fit, neighbours joined when freed.
class Storage {
public:
  void reset(uint32_t begin, uint32_t bytes);
  /// ~0 when there is no room.
  uint64_t take(uint64_t bytes);
  void give(uint64_t address, uint64_t bytes);
  /// Takes bytes at a place that the program names; what is in use there stays.
  void reserve(uint64_t address, uint64_t bytes);
  uint64_t largest() const;

private:
  std::map<uint64_t, uint64_t> free; ///< address to bytes
};

class Context : public Issuer {
public:
  Context(PtoContext *core, LaunchState &launch);
  virtual ~Context() = default;

  /// Of the calling thread; an immediate one when no launch is around.
  static Context &here();
  /// The same without making one; may be null.
  static Context *running();
  static Context *exchange(Context *context);

  struct SiteEntry : SiteState {
    const void *what = nullptr;
    Source source{};
  };
  /// The site of an operation, whose execution is counted.
  SiteEntry &siteOf(const void *what, const char *name, Timing timing, const Source &source);
  SiteEntry &siteOf(const char *name, const Source &source) { return siteOf(name, name, Timing::scalar, source); }

  void issue(Call &call);
  /// The same, for a result that goes to the second vector core of the cluster.
  void issueToSecond(Call &call);
  /// After every call into the Machine: nonzero ends the program.
  void leave(int32_t status);
  /// Reports what the program did at `site`.
  void report(SiteId site, const Fact &fact, bool fatal = false);
  /// For what is reported once for each line.
  virtual bool isFirst(SiteId site) { return toldOf.insert(site).second; }

  Space spaceOf(uint8_t location, SiteId site) {
    Space space = tile::spaceOf(location);
    if (space == Space::None) [[unlikely]]
      refuse(location, site);
    return space;
  }
  /// Offset of a host address in a memory; false when it does not lie in it.
  bool addressOf(Space space, const void *data, uint64_t &address) const {
    address = uint64_t(static_cast<const uint8_t *>(data) - base(space));
    return address < kReach;
  }
  /// The same for a memory that the core does not have: tiles may be placed there by
  /// code that all cores run, as long as no instruction uses them (MIX-13).
  uint8_t *placeBase(Space space) const {
    uint8_t *own = base(space);
    return own ? own : baseOfAbsent(space);
  }
  static uint8_t *baseOfAbsent(Space space);
  bool absentAddressOf(Space space, const void *data, uint64_t &address) const;
  Storage &storage(Space space);
  /// Memory behind that of the target, for tiles that do not fit; null: there is none.
  Storage *moreStorage(Space space);
  int64_t nextToken(uint32_t src, uint32_t dst) { return tokens[(src & 15) << 4 | (dst & 15)]++ % kEventIds; }

  LaunchState &launch;
  uint64_t cookie;           ///< get_task_cookie
  bool storesAdd = false;    ///< set_atomic_add
  uint32_t scalarAtomic = 1; ///< of st_atomic: 0 stores, 1 adds
  QuantState quant;
  CoreSignals signals;

private:
  /// After set_atomic_add a store adds (SURF-31).
  void makeStoreAdd(Call &call, SiteId site);
  /// Reports a memory that is not modelled.
  void refuse(uint8_t location, SiteId site);
  /// Fills in addresses; false when a tile has none, which was reported.
  bool place(Call &call, SiteId site);
  /// Tile `i` lies in a memory that the core does not have: false, and ends the block.
  bool reportAbsent(const Call &call, size_t i, SiteId site);
  /// The block has been stopped.
  virtual void stop();

  /// How far offsets of a memory reach.
  static constexpr uint64_t kReach = uint64_t(1) << 32;
  static constexpr size_t kCacheEntries = 512;
  std::vector<SiteEntry> cache;
  std::vector<int64_t> executions; ///< of each site, so far
  std::array<uint8_t, 256> tokens{};
  std::map<Space, Storage> storages, more;
  std::set<SiteId> toldOf;

public:
  /// Registers of TIMG2COL, by ConvRegister and set (CONVT-12).
  struct ConvWord {
    uint64_t word = 0;
    bool written = false;
  };
  ConvWord convolution[3][2];
};

/// The context of a thread outside launches: one core that runs each instruction as
/// soon as it can. Made when it is first asked for, ended with the thread or by
/// finishDirectCalls().
Context &immediateContext();

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_CONTEXT_H
