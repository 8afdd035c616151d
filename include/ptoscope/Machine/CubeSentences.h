//===- CubeSentences.h - what findings of the cube say ----------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_CUBESENTENCES_H
#define PTOSCOPE_MACHINE_CUBESENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// Label, what it is, its value, and the least and largest one.
constexpr Sentence<5> kCubeRange{"operand-range", "{op} breaks {0}: {1} is {2}, not {3} to {4}",
                                 "check how the number is computed"};
constexpr Sentence<4> kCubeMultiple{"operand-range", "{op} breaks {0}: {1} is {2}, not a multiple of {3}",
                                    kCubeRange.help};
constexpr Sentence<2> kCubeStart{"not-modelled",
                                 "{op} breaks CUBE-6: it starts at ({0}, {1}); texts differ in what a start counts",
                                 "use the form with six numbers, or move the source pointer"};
constexpr Sentence<1> kCubeOverlap{"undefined-by-manual",
                                   "elements that {op} writes overlap one another ({0}); the last one remains",
                                   "make each step of the destination at least as large as what it steps over"};
constexpr Sentence<1> kL0cPlace{"undefined-by-manual",
                                "the L0C pointer of {op} is {0:hex}, not a multiple of 1024 (FRAC-8)",
                                "begin each tile of L0C at a multiple of 1024 bytes"};
/// What it is loaded with, the operand, and what the product takes.
constexpr Sentence<3> kCubePitch{
    "tile-shape",
    "{op} breaks CUBE-4: {0} was loaded with {1} rows for each block of k; a product of this size takes {2}",
    "load it with the extent that the product has; a transposed load rounds that up to a block of 32 bytes"};
constexpr Sentence<1> kCubeMode{"not-modelled",
                                "`pre_quant` mode number {0} of {op} is not modelled: no manual says what it computes",
                                "use another mode"};
constexpr Sentence<0> kAtomicOfControl{
    "operand-range", "CTRL selects an atomic type for {op} that its destination does not have (FIX-27)",
    "write bits 6 to 10 of CTRL for the type of the destination, or 0"};
constexpr Sentence<1> kUnitFlagWord{"not-modelled", "unit flag {0} in the packed word of {op} is not modelled (MAD-19)",
                                    "use 0, 2 (check only) or 3 (check and set)"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_CUBESENTENCES_H
