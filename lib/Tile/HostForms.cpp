//===- HostForms.cpp - functions behind some forms of instructions --------===//

#include "Context.h"
#include "Print.h"

#include "pto/detail/mean_abi.hpp"
#include "ptoscope/Machine/FormSentences.h"
#include "ptoscope/Support/ProcessMutex.h"

#include <cstring>
#include <iomanip>
#include <iostream>
#include <mutex>
#include <sstream>

namespace ptoscope::tile {

void refuseNull(const char *instruction, const char *operand, const Source &source) {
  Context &context = Context::here();
  context.report(context.siteOf(instruction, source).id, say::kNullOperand(operand));
}

namespace {
/// HMEAN-37: a line for each row.
void writeRows(std::ostream &out, const Image &image, int width, int precision) {
  const uint32_t bytes = image.itemBytes();
  const uint64_t cols = image.shape[1];
  out << "TPRINT " << image.shape[0] << 'x' << cols << '\n';
  for (uint64_t r = 0; r < image.shape[0]; ++r) {
    for (uint64_t c = 0; c < cols; ++c) {
      uint64_t bits = 0;
      std::memcpy(&bits, image.items.data() + (r * cols + c) * bytes, bytes);
      out << (c ? " " : "") << std::setw(width);
      if (const std::optional<double> real = realOf(image.elem, bits))
        out << std::fixed << std::setprecision(precision) << *real;
      else
        out << elementText(image.elem, bits);
    }
    out << '\n';
  }
}
} // namespace

void printTileOnHost(const TileView &tile, int width, int precision, const Source &source) {
  Context &context = Context::here();
  const SiteId site = context.siteOf("TPRINT", source).id;
  const std::optional<TileView> placed = printedTile(context, site, tile);
  if (!placed)
    return;
  const std::optional<Image> image = readTile(context.core, site, *placed);
  if (!image)
    return context.leave(isStopped(context.core));
  std::ostringstream text;
  writeRows(text, *image, width, precision);
  // Programs take the stream's buffer for their own; the place goes elsewhere.
  static ProcessMutex oneAtATime;
  const std::lock_guard lock(oneAtATime);
  std::cerr << titleOf({siteText(context.core, site), whoText(context.core)}, placed->ref) << '\n';
  std::cout << text.str() << std::flush;
}

} // namespace ptoscope::tile
