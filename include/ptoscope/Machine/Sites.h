//===- Sites.h - from generated code back to the program's text -*- C++ -*-===//
//
// Every instruction of a compiled program has a site id; the table says where
// it stands, what it is called and which loops surround it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_SITES_H
#define PTOSCOPE_MACHINE_SITES_H

#include "ptoscope/Machine/Types.h"
#include "ptoscope/Support/Finding.h"
#include "ptoscope/timing.hpp"

#include <array>
#include <atomic>
#include <bit>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ptoscope {

using SiteId = uint32_t;
inline constexpr SiteId kNoSite = ~0u;

struct Site {
  Place place;
  Place next;                   ///< of the next instruction in its block of the text; may be nowhere
  std::string op;               ///< as written, with the dialect: "pto.vadd"
  Timing timing = Timing::none; ///< from the instruction's record
  /// Innermost loop around it (a site too), or kNoSite. For an instruction in
  /// a vector scope the chain ends at the scope; scopeSite continues it.
  SiteId loop = kNoSite;
  SiteId scope = kNoSite; ///< the vector scope around it, if any
  uint32_t block = 0;     ///< the same for sites that execute equally often per turn of their loop
  /// Loops around it, counted inside its scope if it has one: the index into
  /// PtoContext::iterations of its innermost loop is depth - 1.
  uint32_t depth = 0;
  std::string token; ///< distribution of a vector load or store; mostly empty
  std::string event; ///< symbolic event name it was written with; mostly empty
};

/// Ids that the program's text names, a bit each. A repair takes another one,
/// also when the text that names it was not executed yet.
struct NamedIds {
  uint32_t set = 0;                                         ///< by a set or a release
  uint32_t waited = 0;                                      ///< by a wait or an acquire
  uint32_t waitedByTurns = 0;                               ///< likewise, in a loop
  bool computed = false;                                    ///< some ids are known at run time only
  SiteId computedSetAt = kNoSite, computedWaitAt = kNoSite; ///< the first ones of these
  std::array<SiteId, kBufferIds> setAt, waitedAt;           ///< the first of each id; kNoSite = none
  std::array<SiteId, kBufferIds> turnSetAt;                 ///< the first one in a loop
  NamedIds() {
    setAt.fill(kNoSite);
    waitedAt.fill(kNoSite);
    turnSetAt.fill(kNoSite);
  }
  void nameComputed(bool sets, SiteId site) {
    computed = true;
    if (SiteId &first = sets ? computedSetAt : computedWaitAt; first == kNoSite)
      first = site;
  }
  void name(int64_t id, bool sets, SiteId site, bool inLoop = false) {
    if (uint64_t(id) >= setAt.size())
      return; // there is no such id, which is told where it is used
    if (inLoop && !sets)
      waitedByTurns |= uint32_t(1) << id;
    if (SiteId &first = turnSetAt[size_t(id)]; inLoop && sets && first == kNoSite)
      first = site;
    uint32_t &ids = sets ? set : waited;
    if (!(ids >> id & 1))
      (sets ? setAt : waitedAt)[size_t(id)] = site;
    ids |= uint32_t(1) << id;
  }
  uint32_t all() const { return set | waited; }
  uint32_t lost() const { return set & ~waited; }  ///< nothing waits for these
  uint32_t unset() const { return waited & ~set; } ///< nothing sets these
  /// Turns of a loop set these, and only something outside waits for them.
  uint32_t lostByTurns() const {
    uint32_t setByTurns = 0;
    for (size_t id = 0; id < turnSetAt.size(); ++id)
      setByTurns |= uint32_t(turnSetAt[id] != kNoSite) << id;
    return setByTurns & waited & ~waitedByTurns;
  }
};

/// What the program is written in: how repairs are spelled, and what the one
/// "iteration" of a site counts.
enum class Language : uint8_t {
  Pto, ///< text; loops are known
  Cpp, ///< C++; loops are not known, executions of a line are numbered
};

/// One thread adds at a time; others may read meanwhile what they know to be there:
/// nothing moves once it is added.
class SiteTable {
public:
  explicit SiteTable(Language language = Language::Pto) : language(language) {}
  SiteTable(const SiteTable &other)
      : buffers(other.buffers), semaphores(other.semaphores), language(other.language), eventIds(other.eventIds),
        pipeBuffers(other.pipeBuffers) {
    append(other);
  }
  SiteTable(SiteTable &&other) noexcept
      : buffers(other.buffers), semaphores(other.semaphores), language(other.language), chunks(std::move(other.chunks)),
        eventIds(std::move(other.eventIds)), pipeBuffers(std::move(other.pipeBuffers)) {
    count = other.count.exchange(0);
  }
  SiteTable &operator=(SiteTable &&other) noexcept {
    language = other.language;
    chunks = std::move(other.chunks);
    buffers = other.buffers;
    semaphores = other.semaphores;
    eventIds = std::move(other.eventIds);
    pipeBuffers = std::move(other.pipeBuffers);
    count = other.count.exchange(0);
    return *this;
  }

  SiteId add(Site site) {
    SiteId id = SiteId(size());
    auto &chunk = chunks[chunkOf(id)];
    if (!chunk)
      chunk = std::make_unique<Site[]>(kFirstSites << chunkOf(id));
    at(id) = std::move(site);
    count.store(id + 1, std::memory_order_release);
    return id;
  }
  const Site &operator[](SiteId id) const { return at(id); }
  Site &operator[](SiteId id) { return at(id); }
  size_t size() const { return count.load(std::memory_order_acquire); }
  Place placeOf(SiteId id) const { return id < size() ? at(id).place : Place{}; }
  bool isCpp() const { return language == Language::Cpp; }

  NamedIds &events(Pipe src, Pipe dst) { return eventIds[{src, dst}]; }
  NamedIds events(Pipe src, Pipe dst) const {
    auto it = eventIds.find({src, dst});
    return it == eventIds.end() ? NamedIds() : it->second;
  }
  NamedIds buffers; ///< of get_buf and rls_buf
  /// Those of one pipe.
  NamedIds &buffersOf(Pipe pipe) { return pipeBuffers[pipe]; }
  NamedIds buffersOf(Pipe pipe) const {
    auto it = pipeBuffers.find(pipe);
    return it == pipeBuffers.end() ? NamedIds() : it->second;
  }
  /// Of the cube core and of the vector cores: whose they are waits for them. Numbers are
  /// those of the cube core, which tell the vector cores of a5 apart.
  struct {
    NamedIds ofCube, ofVectors;
  } semaphores;

private:
  /// Chunk k holds 64 << k sites.
  static constexpr size_t kFirstSites = 64, kChunks = 27;
  static unsigned chunkOf(SiteId id) { return unsigned(std::bit_width(id / kFirstSites + 1)) - 1; }
  Site &at(SiteId id) const {
    unsigned chunk = chunkOf(id);
    return chunks[chunk][id - kFirstSites * ((size_t(1) << chunk) - 1)];
  }
  void append(const SiteTable &other) {
    for (SiteId id = 0; id < other.size(); ++id)
      add(other[id]);
  }

  Language language;
  std::array<std::unique_ptr<Site[]>, kChunks> chunks;
  std::map<std::pair<Pipe, Pipe>, NamedIds> eventIds;
  std::map<Pipe, NamedIds> pipeBuffers;
  std::atomic<SiteId> count = 0;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_SITES_H
