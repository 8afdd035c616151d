//===- Sites.h - from generated code back to the program's text -*- C++ -*-===//
//
// Every instruction of a compiled program has a site id; the table says where
// it stands, what it is called and which loops surround it.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MACHINE_SITES_H
#define PTOSCOPE_MACHINE_SITES_H

#include "ptoscope/Support/Finding.h"

#include <cstdint>
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
  /// Loops around it, counted inside its scope if it has one: the index into
  /// PtoContext::iterations of its innermost loop is depth - 1.
  uint32_t depth = 0;
  std::string token; ///< distribution of a vector load or store; mostly empty
  std::string event; ///< symbolic event name it was written with; mostly empty
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

private:
  std::vector<Site> sites;
};

} // namespace ptoscope

#endif // PTOSCOPE_MACHINE_SITES_H
