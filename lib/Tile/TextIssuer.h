//===- TextIssuer.h - tile instructions of a core that runs text -*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_TEXTISSUER_H
#define PTOSCOPE_LIB_TILE_TEXTISSUER_H

#include "Cube.h"
#include "Issuer.h"
#include "ptoscope/Tile/Runtime.h"

#include <map>

namespace ptoscope::tile {

/// How tiles of L0A and L0B were loaded, for the products that read them.
class L0Tiles {
public:
  void load(const PlacedMatrix &placed, int64_t rows, int64_t cols, uint32_t pitch);
  /// Rows for each block of k of the tile that begins here; 0 where none does.
  uint32_t pitchAt(const PlacedMatrix &placed) const;

private:
  struct Tile {
    Space space;
    uint64_t begin, end;
    uint32_t pitch;
  };
  std::vector<Tile> tiles;
};

/// Lives with its core. What was prepared for a site serves later blocks too.
class TextIssuer final : public Issuer, public Attachment {
public:
  explicit TextIssuer(PtoContext *core);
  static TextIssuer &of(PtoContext *core) {
    std::unique_ptr<Attachment> &attachment = attachmentOf(core);
    if (!attachment) [[unlikely]]
      attachment = std::make_unique<TextIssuer>(core);
    return static_cast<TextIssuer &>(*attachment);
  }

  int32_t issue(SiteId site, const PtoTileCall &given);
  int32_t issue(SiteId site, const PtoCubeCall &call);
  void beginBlock() override {
    forgetAccesses();
    l0 = {};
  }
  /// What is remembered of a place of the program.
  SiteState &stateOf(SiteId site) {
    if (site >= sites.size()) [[unlikely]]
      growTo(site);
    return sites[site];
  }
  /// The same of the second of two instructions there.
  SiteState &secondStateOf(SiteId site) {
    SiteState &state = seconds[site];
    state.id = site;
    return state;
  }
  /// Null: this core has no such memory, which ended the block.
  uint8_t *hostAddress(const TileRef &tile, SiteId site);

private:
  Fact combineByControl(Call &call) const;
  void growTo(SiteId site);

  std::vector<SiteState> sites; ///< by id
  std::map<SiteId, SiteState> seconds;
  Rules rules;
  L0Tiles l0;
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_TEXTISSUER_H
