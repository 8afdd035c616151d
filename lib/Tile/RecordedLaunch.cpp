//===- RecordedLaunch.cpp - PTOSCOPE_RECORD -------------------------------===//

#include "RecordedLaunch.h"

#include "ptoscope/Support/AtomicFile.h"
#include "ptoscope/Support/JsonRenderer.h"

#include <nlohmann/json.hpp>

namespace ptoscope::tile {

RecordedLaunch::RecordedLaunch(const SiteTable &sites, LaunchOptions &options)
    : sites(sites), edges(makeOrderEdges(sites, *options.profile, options.observers)) {
  options.observers = edges.get();
  options.onlooker = log.onlooker();
  options.threads = 1;
}

std::optional<Finding> RecordedLaunch::write(const std::string &folder, unsigned number, const GmTable &gm,
                                             bool completed) const {
  nlohmann::ordered_json json = recordingOf(sites, edges.get(), &log, gm.objects());
  json["completed"] = completed;
  const std::string name = folder + "/launch-" + std::to_string(number);
  OutputSet staging;
  for (const GmObject &object : gm.objects())
    if (object.bytes <= WriteLog::kMaxObjectBytes)
      if (Result<void> staged = staging.stage(name + "." + std::to_string(object.index) + ".bin",
                                              {std::span<const uint8_t>(object.host, object.bytes)});
          !staged)
        return staged.takeFinding();
  if (Result<void> staged = staging.stage(name + ".json", printJson(json)); !staged)
    return staged.takeFinding();
  if (Result<void> written = staging.commit(); !written)
    return written.takeFinding();
  return std::nullopt;
}

} // namespace ptoscope::tile
