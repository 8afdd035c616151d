//===- Parts.h - what one part of a core needs to stand alone ---*- C++ -*-===//
//
// Settings of a block, plain arrays as memories and a list of findings; no core.
// A test makes the part it is about on top of them.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_UNITTESTS_MACHINE_PARTS_H
#define PTOSCOPE_UNITTESTS_MACHINE_PARTS_H

#include "Memory/Memories.h"
#include "Schedule/Operation.h"

#include <gtest/gtest.h>

namespace ptoscope {

struct Parts {
  LaunchOptions options;
  GmTable gm;
  SiteTable sites;
  FindingList findings;
  BlockSetup setup;
  PtoContext context{};
  std::vector<uint8_t> ub = std::vector<uint8_t>(1024), buffer = std::vector<uint8_t>(256);
  Profile profile = *findProfile("a5");
  uint64_t x = gm.add(buffer.data(), buffer.size(), "%x"); ///< device address of `buffer`
  Report report;
  Memories memories;

  Parts() {
    profile.bytes[size_t(Space::Ub)] = uint32_t(ub.size());
    options.profile = &profile;
    setup.options = &options;
    setup.gm = &gm;
    setup.sites = &sites;
    setup.findings = &findings;
    context.local[size_t(Space::Ub)] = ub.data();
    restart();
  }
  /// After a change of the settings.
  void restart() {
    report = Report(setup, CoreId{1}, context);
    memories = Memories(context.local, profile, gm);
  }
  SiteId site(const char *op, uint32_t line, uint32_t depth = 0) {
    Site site;
    site.op = op;
    site.place = {"part.pto", line, 3};
    site.depth = depth;
    return sites.add(std::move(site));
  }
  std::string codes() const {
    std::string text;
    for (const Finding &finding : findings.all())
      text += (text.empty() ? "" : " ") + finding.code;
    return text;
  }
};

} // namespace ptoscope

#endif // PTOSCOPE_UNITTESTS_MACHINE_PARTS_H
