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

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ptoscope {

using SiteId = uint32_t;
inline constexpr SiteId kNoSite = ~0u;

struct Site {
  Place place;
  Place next;              ///< of the instruction behind it in its block; may be nowhere
  std::string op;          ///< as written, with the dialect: "pto.vadd"
  std::string timingClass; ///< from the instruction's record
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
  uint32_t set = 0;      ///< by a set or a release
  uint32_t waited = 0;   ///< by a wait or an acquire
  bool computed = false; ///< some ids are known at run time only
  uint32_t all() const { return set | waited; }
};

class SiteTable {
public:
  SiteId add(Site site) {
    sites.push_back(std::move(site));
    return SiteId(sites.size() - 1);
  }
  const Site &operator[](SiteId id) const { return sites[id]; }
  Site &operator[](SiteId id) { return sites[id]; }
  size_t size() const { return sites.size(); }
  Place placeOf(SiteId id) const {
    return id < sites.size() ? sites[id].place : Place{};
  }


  NamedIds &events(Pipe src, Pipe dst) { return eventIds[{src, dst}]; }
  NamedIds events(Pipe src, Pipe dst) const {
    auto it = eventIds.find({src, dst});
    return it == eventIds.end() ? NamedIds() : it->second;
  }
  NamedIds buffers; ///< of get_buf and rls_buf

private:
  std::vector<Site> sites;
  std::map<std::pair<Pipe, Pipe>, NamedIds> eventIds;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_SITES_H
