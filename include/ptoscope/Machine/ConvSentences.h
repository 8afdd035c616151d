//===- ConvSentences.h - what findings of convolutions say ------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_CONVSENTENCES_H
#define PTOSCOPE_MACHINE_CONVSENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// What it is called, the set, and who writes it.
constexpr Sentence<3> kConvRegister{
    "conv-register-unset",
    "{op} breaks CONVT-12: it reads the {0} register of set {1}, which was never written and counts as 0",
    "call `{2}` with the mode of {op} before, or use a mode AUTO"};
constexpr Sentence<0> kConvEmpty{
    "operand-range",
    "{op} breaks CONVT-11: the feature map, with its padding, is smaller than the filter, or "
    "an extent, stride or dilation is 0",
    "set size, padding, filter, strides and dilations of the convolution tile, and call "
    "SETFMATRIX with them"};
constexpr Sentence<4> kConvPosition{
    "operand-range", "{op} breaks CONVT-11: it begins at row {0}, column {1}, not at multiples of {2} and {3}",
    "begin at a multiple of 16 rows, and of the channels in 32 bytes"};
/// Height and width of the register, then of the tile.
constexpr Sentence<4> kConvSize{
    "undefined-by-manual",
    "{op} breaks CONVT-12: the feature map has {0} x {1} elements in the register and {2} x {3} in the tile; the "
    "register counts",
    "set FmapH and FmapW to the extents of the tile before SETFMATRIX"};
constexpr Sentence<1> kConvOption{
    "not-modelled", "{0} of {op} is not modelled (CONVT-13): no document says what it does", "leave it at its default"};
constexpr Sentence<1> kConvShapes{"tile-shape", "{op} breaks {0}", "give both the shapes that the layouts need"};
constexpr Phrase<2> kConvWhy{"{0}: {1}"};
constexpr Sentence<3> kFilterWindow{
    "tile-window", "{op} breaks CONVT-10: it begins at row {0}, column {1}, not at multiples of {2} and 16",
    "begin at a whole fractal of the filter"};
constexpr Sentence<1> kConvExtent{"tile-extent", "{0} is not an extent of a convolution tile",
                                  "pass numbers from 1 to 2097151"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_CONVSENTENCES_H
