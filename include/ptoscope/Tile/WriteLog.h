//===- WriteLog.h - who wrote what, for comparisons of runs -----*- C++ -*-===//
//
// Sees a launch through its onlooker and keeps every write to a memory: its place in
// the text and a digest of what it left there. For each byte of GM it knows the last
// write, and which instruction had put the byte into the on-chip memory that it came
// from. Stores of the scalar unit are not seen.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_WRITELOG_H
#define PTOSCOPE_TILE_WRITELOG_H

#include "ptoscope/Machine/Gm.h"
#include "ptoscope/Machine/Sites.h"

#include <nlohmann/json_fwd.hpp>

#include <memory>
#include <span>
#include <vector>

namespace ptoscope {
class Onlooker;
class OrderEdges;
} // namespace ptoscope

namespace ptoscope::tile {

struct LoggedWrite {
  SiteId site;
  int64_t block;
  Space space;
  uint64_t bytes;
  uint64_t digest; ///< of the bytes, in the order of its rows
};

/// Bytes [begin, end) of an object of GM with one history; numbers are those of writes.
struct GmHistory {
  static constexpr uint32_t kNone = UINT32_MAX;
  uint64_t begin, end;
  uint32_t write;
  uint32_t producer; ///< of the bytes on chip that were stored; kNone: unknown
};

class WriteLog {
public:
  static constexpr size_t kMaxWrites = 100'000;
  static constexpr uint64_t kMaxObjectBytes = uint64_t(64) << 20;

  WriteLog();
  ~WriteLog();
  Onlooker *onlooker();

  const std::vector<LoggedWrite> &writes() const;
  /// False: there were more writes than are kept, or a buffer is too large.
  bool isComplete() const;
  /// Of the object with this number (GmObject::index), rising; only bytes that were written.
  std::vector<GmHistory> historyOf(uint32_t object) const;

private:
  class Impl;
  std::unique_ptr<Impl> impl;
};

/// What a run leaves for others to compare: sites, order edges and writes. Either of the
/// last two may be null.
nlohmann::ordered_json recordingOf(const SiteTable &sites, const OrderEdges *edges, const WriteLog *log,
                                   std::span<const GmObject> objects);

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_WRITELOG_H
