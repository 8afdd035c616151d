//===- TextIssuer.h - tile instructions of a core that runs text -*- C++ -*-===//

#ifndef PTOSCOPE_LIB_TILE_TEXTISSUER_H
#define PTOSCOPE_LIB_TILE_TEXTISSUER_H

#include "Issuer.h"
#include "ptoscope/Tile/Runtime.h"

namespace ptoscope::tile {

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
  void beginBlock() override { forgetAccesses(); }
  /// Null: this core has no such memory, which ended the block.
  uint8_t *hostAddress(const TileRef &tile, SiteId site);

private:
  std::vector<SiteState> sites; ///< by id
  Rules rules;
};

} // namespace ptoscope::tile

#endif // PTOSCOPE_LIB_TILE_TEXTISSUER_H
