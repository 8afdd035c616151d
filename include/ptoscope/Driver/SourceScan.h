//===- SourceScan.h - what a source asks of its compiler --------*- C++ -*-===//

#ifndef PTOSCOPE_DRIVER_SOURCESCAN_H
#define PTOSCOPE_DRIVER_SOURCESCAN_H

#include "ptoscope/Driver/CxxCommand.h"

#include <set>

namespace ptoscope::cxx {

/// What a source and the files that it includes mention, whether or not a condition hides it.
struct Mentions {
  bool cube = false, vector = false;    ///< macros of a kind of core, or code where the other kind's are not defined
  bool exchanges = false;               ///< signals between the kinds that stand in code of every core
  bool c220 = false, c310 = false;      ///< macros of a class of devices
  bool aicore = false;                  ///< __CCE_AICORE__
  bool device = false;                  ///< a kernel is declared or defined
  bool attributes = false;              ///< attributes that only compilers for the device know
  bool launches = false;                ///< `<<<`
  bool tests = false;                   ///< a main function, or tests that register themselves
  bool isHost = false;                  ///< the file itself has that, and nothing of a device
  bool flagsOfA3 = false;               ///< signals between cores that only A2 and A3 have
  bool flagsOfA5 = false;               ///< or only A5
  std::set<std::string> generatedNames; ///< of aclrtlaunch_NAME and ACLRT_LAUNCH_KERNEL(NAME)
};

/// Follows includes that are found beside the file or in `folders`.
Mentions scanSource(const std::string &path, const std::vector<std::string> &folders);
/// One text, without what it includes.
void scanText(std::string_view text, Mentions &mentions, std::vector<std::string> &includes);

/// The cores that a file is for: what the command says, else what it mentions (LSYN-6).
Cores coresOf(const Command &command, const Mentions &mentions);
Target targetOf(const Command &command, const Mentions &mentions);
/// Macros of a pass (LSYN-7), as words of a command. `pass` is Vector, Cube or Unified.
std::vector<std::string> macrosOf(const Command &command, const Mentions &mentions, Cores pass);

} // namespace ptoscope::cxx

#endif // PTOSCOPE_DRIVER_SOURCESCAN_H
