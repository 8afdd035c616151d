//===- Descriptors.h - what text does to tiles and views --------*- C++ -*-===//
//
// Operations of text that move no data: they make and change descriptors of tiles and
// of views of global memory. Generated code does so through Runtime.h; whoever follows
// a program without a run does the same with what is known, and hears the same
// problems.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_TILE_DESCRIPTORS_H
#define PTOSCOPE_TILE_DESCRIPTORS_H

#include "ptoscope/Tile/Runtime.h"

namespace ptoscope::tile {

/// A function returns nonzero where the program ends, or has no descriptor.
class Descriptors {
public:
  Descriptors(PtoContext *core, SiteId site) : core(core), site(site) {}
  /// Without a run: the first problem is kept.
  Descriptors(const Profile &profile, Fact &problem) : profile(&profile), problem(&problem) {}

  int32_t alloc(TileRef &tile, int64_t address, int64_t validRows, int64_t validCols) const;
  int32_t setValid(TileRef &tile, int64_t rows, int64_t cols) const;
  int32_t subview(TileRef &result, const TileRef &source, int64_t row, int64_t col, int64_t rows, int64_t cols,
                  int64_t validRows, int64_t validCols) const;
  int32_t reshape(TileRef &result, const TileRef &source) const;
  int32_t assign(TileRef &result, const TileRef &source, int64_t address) const;
  int32_t slot(TileRef &result, const TileRef &first, int64_t k, int64_t count) const;
  /// The address of an element of the storage.
  int32_t element(const TileRef &tile, int64_t index, std::optional<uint64_t> &address) const;

  int32_t make(GlobalRef &view) const;
  int32_t part(GlobalRef &result, const GlobalRef &source, const int64_t *offsets, const int64_t *sizes) const;

private:
  int32_t tell(const Fact &fact) const;
  int32_t end(const Fact &fact) const;
  int32_t setExtent(int32_t &extent, int64_t value, int64_t capacity, const char *which) const;
  int32_t setAddress(TileRef &tile, int64_t address) const;
  int64_t bytesOf(Space space) const;

  PtoContext *core = nullptr;
  SiteId site = kNoSite;
  const Profile *profile = nullptr;
  Fact *problem = nullptr;
};

/// Bytes from the first element to the last one of the storage.
int64_t storageBytes(const TileRef &tile);

} // namespace ptoscope::tile

#endif // PTOSCOPE_TILE_DESCRIPTORS_H
