//===- ScaleSentences.h - what findings of products with scales say *- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_SCALESENTENCES_H
#define PTOSCOPE_MACHINE_SCALESENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// The scale tile, its address, the data tile, its address, and where its scales are.
constexpr Sentence<5> kScaleAddress{
    "mx-scale-address",
    "{op} breaks MXT-6: {0} is at byte {1:hex}, but the scales of {2} at byte {3:hex} are taken from byte {4:hex}",
    "place the scales with `TASSIGN(scale, GetScaleAddr(tile.data()))`; the run goes on with the tile that is given"};
/// Addresses of both sums.
constexpr Sentence<2> kSumAddress{
    "mx-sum-address", "{op} breaks MXT-10: the sum it starts from is at byte {0:hex}, its result at byte {1:hex}",
    "place both at the same address, or pass the same tile twice; the run goes on with the tile that is given"};
constexpr Sentence<0> kScaleElsewhere{"mx-scale-address",
                                      "{op} breaks MXT-5: the address is not that of a Left or Right tile",
                                      "pass the `data()` of the tile that is multiplied"};
/// The scale tile, its shape, and what it needs.
constexpr Sentence<3> kScaleShape{"tile-shape", "{op} breaks MXT-8: {0} has {1} valid scales, and needs {2}",
                                  "give it a scale for each row or column of the other tile and each 32 along K"};
constexpr Sentence<2> kScaledExtent{"operand-range", "{op} breaks MXT-8: {0} is {1}, not 1 to 4095",
                                    "multiply in parts"};
/// Row and column of the window, what they have to be multiples of.
constexpr Sentence<4> kScaleWindow{
    "tile-window", "{op} breaks MXT-3: it begins at row {0}, column {1} of the scales, not at multiples of {2} and {3}",
    "begin at a whole fragment of 16 rows or columns by 2 groups"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_SCALESENTENCES_H
