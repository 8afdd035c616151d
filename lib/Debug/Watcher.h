//===- Watcher.h - turns what a machine does into events --------*- C++ -*-===//
//
// Stands before the checkers of a run and hears of values. Everything here happens
// on the machine's thread.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_LIB_DEBUG_WATCHER_H
#define PTOSCOPE_LIB_DEBUG_WATCHER_H

#include "ptoscope/Debug/Debugger.h"
#include "ptoscope/Machine/Onlooker.h"

namespace ptoscope::debug {

/// What is known of a core.
struct SeenCore {
  const PtoContext *context = nullptr;
  int64_t block = 0;
  CoreId id;
  int unitStep = -1, scopeStep = -1; ///< where it stands, in Steps::steps
  struct Slot {
    uint64_t event = 0; ///< 0: nothing yet
    std::vector<uint8_t> bytes;
  };
  std::vector<Slot> values; ///< by Steps::values
};

class Watcher final : public ObserverFactory, public Onlooker {
public:
  explicit Watcher(const Target &target);
  /// A new run begins.
  void reset();
  void before(ObserverFactory *observers) { next = observers; }

  /// The machine does nothing more of interest.
  std::atomic<bool> abandoned{false};
  /// Called with each event, numbered. May stand still.
  std::function<void(const Event &)> onEvent;
  /// Called with each write: its bytes of the host, whose write it is. Null: no one asks.
  std::function<void(const uint8_t *begin, uint64_t bytes, const Event &writer)> onWrite;

  uint64_t count = 0;
  std::vector<Finding> found;            ///< of blocks that have ended
  std::vector<Finding> findings() const; ///< all so far
  /// Where those of a block begin.
  size_t placeOfFinding(int64_t block) const;
  const std::vector<SeenCore *> &cores() const { return order; }
  SeenCore *find(int64_t block, CoreId id) const;
  std::vector<Event> recent(size_t most) const;
  /// The last step before event `number` on a core; `unit`: of its scalar unit.
  std::optional<Event> stepBefore(uint64_t number, int64_t block, CoreId id, bool unit) const;

  // ObserverFactory
  std::unique_ptr<Observer> beginBlock(int64_t block, FindingList &findings) override;
  void endBlock(int64_t block, std::unique_ptr<Observer>, FindingList &findings) override;

  // Onlooker
  void direct(const PtoContext *core, SiteId site, const DirectInstruction &instruction) override;
  void transfer(const PtoContext *core, SiteId site, const SeenSide &src, const SeenSide &dst) override;
  void store(const PtoContext *core, SiteId site, uint32_t address, uint32_t bytes, const uint64_t *active) override;
  void scope(const PtoContext *core, SiteId site) override;
  void value(const PtoContext *core, uint32_t number, const void *bytes) override;

  // Of the observers of blocks.
  void happen(Event event);
  void happen(Event::Kind kind, int64_t block, const Instr &instr) {
    Event event;
    event.kind = kind;
    event.block = block;
    event.core = instr.core;
    event.pipe = instr.pipe;
    event.site = instr.site;
    happen(event);
  }
  void started(int64_t block, const Instr &instr);
  void scalarStore(int64_t block, const Instr &instr, const LocalAccess &access);

private:
  static constexpr size_t kRecent = 1 << 14;

  SeenCore &seen(const PtoContext *core);
  Event eventOf(Event::Kind kind, const PtoContext *core, SiteId site);
  void effect(const PtoContext *core, SiteId site);
  void tellBox(const Box &box, uintptr_t zero, const Event &writer);
  void remember(const Event &event);

  const Target &target;
  ObserverFactory *next = nullptr;
  std::map<std::pair<int64_t, uint8_t>, SeenCore> known;
  std::vector<SeenCore *> order;
  SeenCore *last = nullptr;
  std::vector<Event> ring, steps; ///< the last ones
  size_t stepCount = 0;
  std::vector<Pipe> pipeOfSite;
  struct OpenList {
    int64_t block;
    FindingList *list;
    size_t seen;
  };
  std::vector<OpenList> lists;
  std::map<int64_t, size_t> ended; ///< where the findings of blocks begin in `found`
};

} // namespace ptoscope::debug

#endif // PTOSCOPE_LIB_DEBUG_WATCHER_H
