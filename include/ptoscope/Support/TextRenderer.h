//===- TextRenderer.h - findings for people ---------------------*- C++ -*-===//
//
//   add.pto:31:5: error[race-raw]: `vadd` reads `x` while `tload` may still …
//      31 |     vadd %z, %x, %y
//         |     ^
//      note: UB bytes 0x0000..0x03ff, loop iteration 2 (from 0)
//   add.pto:27:5: note: the write is issued here on MTE2, unordered with V
//      note: seen 4 times
//      help: after line 27 set a flag from MTE2 to V and …
//      after line 27: pto.set_flag["PIPE_MTE2", "PIPE_V", "EVENT_ID2"]
//
// Every message starts with `PLACE: SEVERITY[CODE]: `; lines that belong to it
// are indented or are notes. A finding without a place starts with `ptoscope: `.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_SUPPORT_TEXTRENDERER_H
#define PTOSCOPE_SUPPORT_TEXTRENDERER_H

#include "ptoscope/Support/Finding.h"

#include <functional>
#include <span>

namespace ptoscope {

/// The text of a line (counted from 1, without its newline), if it is to be had.
using SourceLines = std::function<std::optional<std::string>(const std::string &file, uint32_t line)>;

struct TextOptions {
  SourceLines source;  ///< may be empty
  bool colour = false; ///< ANSI escapes, for terminals
};

std::string renderText(const Finding &finding, const TextOptions &options = {});
std::string renderText(std::span<const Finding> findings, const TextOptions &options = {});

/// "2 errors, 1 warning, 3 remarks; 5 more findings are not listed"; empty when
/// there is nothing to count.
std::string summarize(const FindingList &findings);

} // namespace ptoscope

#endif // PTOSCOPE_SUPPORT_TEXTRENDERER_H
