//===- Texts.h - values as text ---------------------------------*- C++ -*-===//

#ifndef PTOSCOPE_LIB_DEBUG_TEXTS_H
#define PTOSCOPE_LIB_DEBUG_TEXTS_H

#include "ptoscope/Debug/Debugger.h"
#include "ptoscope/Tile/Images.h"

namespace ptoscope::debug {

/// Its elements in one line, at most so many of them.
std::string itemsText(const tile::Image &image, uint64_t most);
/// A line for each row.
std::string tableText(const tile::Image &image);
/// The elements of a register, mask or tile; nothing for scalars, and for tiles outside their memory.
std::optional<tile::Image> imageOf(const PtoContext *core, const NamedValue &named, const SeenValue &value);

} // namespace ptoscope::debug

#endif // PTOSCOPE_LIB_DEBUG_TEXTS_H
