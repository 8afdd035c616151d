//===- TileSentences.h - what findings of the tile API say ------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_TILESENTENCES_H
#define PTOSCOPE_MACHINE_TILESENTENCES_H

#include "ptoscope/Machine/Sentences.h"

namespace ptoscope::say {

/// "16 x 64": rows and columns.
constexpr Phrase<2> kShape{"{0} x {1}"};

//===----------------------------------------------------------------------===//
// Tiles and their places
//===----------------------------------------------------------------------===//

constexpr Sentence<1> kTileType{"not-modelled", "memories of tiles with TileType number {0} are not modelled",
                                "use Vec, Mat, Left, Right, Acc, Bias or Scaling tiles"};
constexpr Sentence<0> kOtherVersion{"not-modelled",
                                    "{op} is not in this libptoscope: the headers are of another version",
                                    "run the program with the library that was installed with its headers"};
constexpr Sentence<1> kLayout{"not-modelled", "{0}", ""};
constexpr Sentence<1> kTileUnplaced{
    "tile-unassigned", "{0} of {op} has no place in memory",
    "place the tile with TASSIGN before it is used, in the kernel that uses it; or compile with "
    "`-D__PTO_AUTO__`"};
constexpr Sentence<1> kTileElsewhere{"tile-unassigned", "{0} of {op} is placed in the memory of another core",
                                     kTileUnplaced.help};
constexpr Sentence<0> kAssignElsewhere{"tile-unassigned",
                                       "`TASSIGN` is given a host address that is not in the tile's memory",
                                       "pass a byte offset, or the `data()` of a tile in the same memory"};
constexpr Sentence<0> kDataUnplaced{"tile-unassigned", "`data()` of a tile that has no place in memory",
                                    "place the tile with TASSIGN first, or compile with `-D__PTO_AUTO__`"};
constexpr Sentence<0> kScalarUnplaced{"tile-unassigned", "a scalar access to a tile that has no place in memory",
                                      "place the tile with TASSIGN first"};
constexpr Sentence<0> kUnplaced{"tile-unassigned", "{op} of a tile that has no place in memory", kScalarUnplaced.help};
constexpr Sentence<2> kTileMisaligned{"ub-misaligned", "{0} of {op} starts at byte {1}, which is not a multiple of 32",
                                      "place tiles at multiples of 32 bytes"};
constexpr Sentence<1> kAssignMisaligned{
    "ub-misaligned", "`TASSIGN` places a tile at byte {0}, which is not a multiple of 32", kTileMisaligned.help};
constexpr Sentence<1> kPlacedMisaligned{
    "ub-misaligned", "{op} breaks PLAN-8: it places a tile at byte {0}, which is not a multiple of 32",
    kTileMisaligned.help};
constexpr Sentence<3> kTileOutside{"ub-out-of-bounds",
                                   "{op} breaks PLAN-8: it places a tile at byte {0} of {1}, which has {2} bytes",
                                   "check how the address is computed"};
constexpr Sentence<4> kTileBehind{
    "ub-out-of-bounds",
    "{op} breaks PLAN-8: it places a tile at byte {0} of {2}; its valid region ends at byte {1}, but {2} has {3}",
    "place the tile lower, or make its valid region smaller"};
constexpr Sentence<1> kNoMemoryHere{"local-out-of-bounds",
                                    "{op} breaks IRCORE-2: it uses {0}, which this core does not have",
                                    "let the other kind of core do it"};
constexpr Sentence<2> kTileElement{"ub-out-of-bounds",
                                   "{op} breaks TVAL-1: it names element {0} of a tile that has {1}",
                                   "keep the index below {1}; elements are counted as they are stored"};
constexpr Sentence<2> kNoSuchSlot{"operand-range",
                                  "{op} breaks ALLOC-6: it names slot {0}; there are {1}, counted from 0",
                                  "take the remainder by {1}, or check how the number is computed"};
constexpr Sentence<2> kMemoryFull{"tile-memory-full",
                                  "a tile of {0} bytes does not fit: the largest free part of its memory has {1} bytes",
                                  "use smaller tiles, or end the lifetime of those that are no longer needed"};
constexpr Sentence<5> kTilesOverlap{
    "tile-overlap", "{op} writes {0} over {1}, which it {2} too: both have byte {3} of {4}", "place the tiles apart"};
/// The memory, and what wrote to it.
constexpr Sentence<2> kClobbered{
    "tile-clobbered",
    "{op} reads {0} bytes of a tile that {1} has overwritten: it wrote another tile at the same place",
    "place the two tiles apart, or write this one again before it is read"};
constexpr Sentence<2> kReinterpreted{
    "tile-clobbered", kClobbered.message,
    "if they are two readings of one tile, make one from the other with `pto.treshape` "
    "or `pto.bitcast`; if not, place them apart"};
constexpr Phrase<2> kTileOf{"the tile placed at {0}, {1}"};
constexpr Phrase<2> kClobberedBytes{"{0}{1}"};
constexpr Phrase<2> kTileWritten{"{0} wrote them here, in {1}"};
constexpr Phrase<2> kTileOverwritten{"{0} overwrote them here, in {1}"};
constexpr Sentence<3> kTileExtent{"tile-extent", "{0} valid {1} in a tile that has {2}",
                                  "set at most {2}, or declare a larger tile; the run goes on with {2}"};
constexpr Sentence<2> kTileExtentNegative{"tile-extent", "{0} valid {1}, a negative number",
                                          "limit the number to 0 before it is set; the run goes on with 0"};
constexpr Sentence<1> kExtentUnset{"tile-extent", "{op} breaks ALLOC-3: {0} has no valid extents yet",
                                   "give `valid_row` and `valid_col` where it is allocated, or set them with "
                                   "`pto.set_validshape` first"};
constexpr Sentence<2> kPrintBounds{"ub-out-of-bounds", "{op} of a tile that ends at byte {0} of a memory of {1} bytes",
                                   "place the tile lower, or make its valid region smaller"};
constexpr Sentence<0> kPrintView{"gm-out-of-bounds", "{op} of a view that is not inside one buffer",
                                 "check pointer, extents and strides of the view"};

//===----------------------------------------------------------------------===//
// Values, as they are printed: where, what, and by whom
//===----------------------------------------------------------------------===//

constexpr Phrase<8> kSeenTile{"{0}: {1} {2} in {3} at {4:hex4}, {5}, valid {6}{7}"};
constexpr Phrase<8> kSeenView{"{0}: {1} {2} in GM at byte {3} of {4}, {5}, strides {6}{7}"};
constexpr Phrase<4> kSeenValue{"{0}: {1} {2}{3}"};
constexpr Phrase<4> kSeenScalar{"{0}: {1} {2}{3}"};
constexpr Phrase<5> kSeenBytes{"{0}: {1} {2} in {3}{4}"};
constexpr Phrase<3> kPrinted{"{0}{1}: {2}"};
constexpr Phrase<1> kSeenObject{"GM, by bytes of {0}"};
constexpr Phrase<3> kSeenBoxes{"blayout={0}, slayout={1}, fractal={2}"};
constexpr Phrase<1> kSeenLayout{"layout number {0}"};
constexpr Phrase<2> kSeenName{"{0}: {1}"};
constexpr Phrase<1> kSeenTime{", time {0}"};
constexpr Phrase<1> kUnseen{"{0}: not inside its memory"};

//===----------------------------------------------------------------------===//
// Shapes and windows
//===----------------------------------------------------------------------===//

/// Two tiles with their shapes, and the help.
constexpr Sentence<5> kShapesDiffer{"tile-shape", "the valid regions of {op} differ: {0} has {1}, {2} has {3}", "{4}"};
constexpr Sentence<6> kShapeTooSmall{
    "tile-shape", "the valid regions of {op} differ: {0} has {1}, {2} has {3}, which has to be at least {5}", "{4}"};
constexpr Sentence<5> kExtentsDiffer{"tile-shape", "the extents of {op} differ: {0} has {1}, {2} has {3}", "{4}"};
constexpr Sentence<6> kExtentTooSmall{
    "tile-shape", "the extents of {op} differ: {0} has {1}, {2} has {3}, which has to be at least {5}", "{4}"};
constexpr const char *kSameShape = "give both the same valid rows and columns";
constexpr const char *kPerColumn = "give it a valid row with a column for each of the other's";
constexpr const char *kPerRow = "give it a valid column with a row for each of the other's";
constexpr const char *kInner = "give it a valid row for each valid column of the other";
constexpr const char *kBits = "give the mask a row for each row of the other, with a bit for each column";
/// Shape of the tile's valid region, shape of the part, and of the tile.
constexpr Sentence<3> kLoadShape{
    "tile-shape", "{op} breaks IRLOAD-5: it loads a valid region of {0} in a tile of {2}, but the view covers {1}",
    "give the view at least the shape of the valid region, and at most that of the tile"};
constexpr Sentence<2> kStoreShape{"tile-shape",
                                  "{op} breaks IRSTORE-2: it stores a valid region of {0}, but the view covers {1}",
                                  "give the view the shape of the tile's valid region"};
/// Shape of the tile, shape of the part.
constexpr Sentence<2> kPartSmaller{
    "undefined-by-manual",
    "{op} breaks IRLOAD-5: it loads a valid region of {0}, but the view covers {1}; only "
    "what both have is loaded (IRLOAD-6)",
    "give the view at least the shape of the tile's valid region"};
constexpr Sentence<2> kPartDiffers{
    "undefined-by-manual",
    "{op} breaks IRSTORE-2: it stores a valid region of {0}, but the view covers {1}; only "
    "what both have is stored (IRSTORE-3)",
    "give the view the shape of the tile's valid region"};
constexpr Sentence<2> kRefactor{
    "not-modelled",
    "{op} breaks IRSTORE-2: it stores {0} elements as {1}, and neither the tile nor the view has them without gaps",
    "reshape the tile with `pto.treshape` before, or give the view the shape of the tile's valid region"};
constexpr Sentence<0> kViewLayout{
    "undefined-by-manual", "{op} breaks IRLOAD-2: the layout of the view is not that of the tile, which is taken",
    "give the view the layout of the tile"};
constexpr Sentence<0> kLayoutContradicted{"undefined-by-manual",
                                          "{op} breaks VIEW-6: its strides are not those of its `layout`",
                                          "leave the `layout` out, or give the one that the strides have"};
constexpr Sentence<1> kViewStride{
    "undefined-by-manual",
    "{op} breaks IRLOAD-7: the elements of its view are {0} elements apart; compilers want them next to each other, "
    "here any stride is followed",
    "make the innermost stride 1"};
constexpr Sentence<0> kLoadedSizes{"verify-error",
                                   "{op} breaks TLOAD-1: the elements of tile and view have different sizes",
                                   "give tile and view the same element type; nothing converts on this way"};
constexpr Sentence<0> kStoredSizes{
    "verify-error", "{op} breaks TSTORE-2: the elements of tile and view have different sizes", kLoadedSizes.help};
constexpr Sentence<1> kScaleWord{"operand-range",
                                 "{op} breaks IRSTORE-6: its scale is {0}, and bits above 31 are not modelled",
                                 "pass the scale as an f32 in the low 32 bits, and zeros above"};
constexpr Sentence<1> kUncovered{"undefined-by-manual",
                                 "{op} breaks IRPART-2: it writes {0} elements, and some of them are in neither source",
                                 "give one of the sources the valid extents of the destination"};
constexpr Sentence<3> kTileTooSmall{"tile-shape", "{0} of {op} has {1} elements, and needs {2}",
                                    "declare it with more rows or columns"};
constexpr Sentence<2> kDividesByZero{
    "undefined-by-manual",
    "{op} breaks IREW-8: it divides integers by zero, first at row {0}, column {1}; the quotient has all bits set, the "
    "remainder is the dividend",
    "replace zeros in the divisor before"};
constexpr Sentence<0> kExtraTile{"verify-error", "{op} breaks IRX-2: it does not take so many tiles",
                                 "leave the last one out"};
constexpr Sentence<1> kTileMemory{"verify-error", "{op} breaks TIR-11: it does not take a tile of this memory as {0}",
                                  "move it there with `pto.tmov`, or declare it with another `loc`"};
constexpr Sentence<1> kTileRows{"verify-error", "{op} breaks TIR-11: {0} has to be `row_major` without boxes",
                                "move it to such a tile with `pto.tmov` or `pto.ttrans`"};
constexpr Sentence<1> kRunLength{"operand-range",
                                 "{op} breaks IRSORT-4: its runs have {0} elements, which is not a multiple of 64",
                                 "pass a positive multiple of 64"};
constexpr Sentence<1> kTileElem{"verify-error", "{op} breaks TIR-11: it does not take this element type for {0}",
                                "convert the tile with `pto.tcvt`"};
constexpr Sentence<0> kGatherCompare{"not-modelled", "{op} breaks IRGATHER-3: it compares with `eq` and `gt` only",
                                     "compare with `pto.tcmps` instead"};
constexpr Sentence<0> kNoConversion{"verify-error",
                                    "{op} breaks TIR-11: it does not convert between the elements of its operands",
                                    "convert the tile with `pto.tcvt`, or use another element type"};
constexpr Sentence<0> kNotInPlace{"verify-error", "{op} breaks IREW-2: its destination may not be its source",
                                  "give it another destination"};
constexpr Sentence<1> kPowerRows{"verify-error", "{op} breaks IREW-11: {0} has to be `row_major`",
                                 "move it to such a tile with `pto.tmov` or `pto.ttrans`"};
constexpr Sentence<0> kPrecisePower{"verify-error", "{op} breaks IREW-11: only powers of floats have high precision",
                                    "leave the precision out"};
constexpr Sentence<0> kPrecisePowerOnA3{
    "verify-error", "{op} breaks IREW-11: a2 and a3 have powers of default precision only", "leave the precision out"};
constexpr Sentence<0> kPowerOnA3{"verify-error",
                                 "{op} breaks IREW-11: a2 and a3 have powers of integers and f32 elements only",
                                 "convert the tiles to f32 with `pto.tcvt`"};
constexpr Sentence<0> kPowerOfBf16{"verify-error", "{op} breaks IREW-11: powers of bf16 elements need high precision",
                                   "add `precisionType = #pto<pow_precision high_precision>`"};
constexpr Sentence<0> kIntegerScratch{"verify-error", "{op} breaks IREW-11: powers of integers take no scratch tile",
                                      "leave the scratch tile out"};
/// The valid columns, and the rule.
constexpr Sentence<2> kOneColumn{"tile-shape", "{op} breaks IRRED-1: its destination has {0} valid columns, not 1",
                                 "declare it with `valid={1}x1`"};
constexpr Sentence<2> kOneRow{"tile-shape", "{op} breaks IRRED-2: its destination has {0} valid rows, not 1",
                              "declare it with `valid=1x{1}`"};
constexpr Sentence<3> kExpandedBlock{
    "tile-shape", "{op} breaks IRRED-6: its vector {0} has {1} valid columns, neither 1 nor a block of {2}",
    "give it one valid column, or 32 bytes of them in a `row_major` tile"};
constexpr Sentence<2> kNeitherCovers{"tile-shape",
                                     "{op} breaks IRPART-2: neither source has the {0} x {1} valid elements of its "
                                     "destination",
                                     "give one of the sources the valid extents of the destination"};
constexpr Sentence<3> kJoinedColumns{"tile-shape", "{op} breaks IRCAT-1: it joins {0} and {1} valid columns into {2}",
                                     "declare the destination with more columns"};
constexpr Sentence<0> kNoPadValue{"verify-error", "{op} breaks IRPAD-4: its destination has no pad value",
                                  "declare the destination with `pad=1`, 2 or 3"};
constexpr Sentence<2> kPadExtents{"tile-shape",
                                  "{op} breaks IRPAD-5: it fills a tile of {0} from one of {1} rows and columns",
                                  "declare both with the same rows and columns, or use `pto.tfillpad_expand`"};
constexpr Sentence<0> kOtherMemory{"verify-error", "{op} breaks IRPAD-1: its tiles are in different memories",
                                   "move the source with `pto.tmov` first"};
constexpr Sentence<0> kNoPath{
    "verify-error", "{op} breaks IRMOV-5: there is no path between the memories of its tiles",
    "tiles go from vec to vec or mat, from mat to left, right, bias or scaling, from acc to vec "
    "or mat; other ways lead through global memory"};
constexpr Sentence<0> kNoPathOnA3{"verify-error",
                                  "{op} breaks IRMOV-5: a2 and a3 have no path between the memories of its tiles",
                                  "go through global memory: `pto.tstore` on one core, and `pto.tload` on the other"};
constexpr Sentence<2> kMoveExtents{"tile-shape",
                                   "{op} breaks IRMOV-2: it moves a tile of {1} rows and columns into one of {0}",
                                   "declare both with the same rows and columns, or move a part with `pto.textract`"};
constexpr Sentence<0> kNeedsQuantisation{"verify-error",
                                         "{op} breaks IRMOV-5: elements of the accumulator are extracted with a "
                                         "quantisation only",
                                         "give it a scale, or `fp` and a tile of words"};
constexpr Sentence<0> kAccOnly{"verify-error", "{op} breaks IRSTORE-5: relu and quantisation are for `acc` tiles only",
                               "use `pto.trelu` or `pto.tcvt` before"};
constexpr Sentence<1> kStoreColumns{
    "verify-error", "{op} breaks IRSTORE-5: {0} columns of an `acc` tile, but a3 has 4095", "store the tile in parts"};
constexpr Sentence<0> kScaledElem{"verify-error", "{op} breaks IRSTORE-7: a3 does not store this element with a scale",
                                  "store i8 or ui8, or f16 from i32"};
constexpr Sentence<0> kNoAtomic{"verify-error",
                                "{op} breaks IRSTORE-4: elements of this type are not added in global memory",
                                "add f32, f16, bf16, i8, i16 or i32"};
constexpr Sentence<0> kProductElems{
    "verify-error", "{op} breaks IRMM-1: these elements are not multiplied",
    "i8 by i8 gives i32; f16, bf16 and f32 by their own kind give f32, 8-bit floats too"};
constexpr Sentence<1> kProductLayout{"verify-error", "{op} breaks IRMM-2: {0} has another layout than products take",
                                     "`left` has row_major boxes, `right` is row_major with col_major boxes, `acc` is "
                                     "col_major with row_major boxes and fractal=1024, `bias` has rows"};
constexpr Sentence<3> kOneRowLeft{"tile-shape", "{op} breaks IRMM-1: {0} has {1} valid rows, not 1",
                                  "declare it with `valid=1x{2}`, or multiply with `pto.tmatmul`"};
constexpr Sentence<3> kOneRowBias{"tile-shape", "{op} breaks IRMM-2: {0} has {1} valid rows, not 1",
                                  "declare it with `valid=1x{2}`"};
constexpr Sentence<1> kProductExtent{
    "verify-error", "{op} breaks IRMM-3: an extent is {0}, but products have 1 to 4095", "multiply in parts"};
constexpr Sentence<0> kSortScratch{
    "verify-error", "{op} breaks IRSORT-3: rows that are not a multiple of 32 columns need a scratch tile",
    "add a scratch tile behind the indices"};
constexpr Sentence<1> kSortRows{"verify-error", "{op} breaks IRSORT-4: {0} has more than one row",
                                "sort one row at a time"};
constexpr Sentence<0> kIndexWidth{"verify-error", "{op} breaks IRGATHER-1: its indices have another width",
                                  "use indices of 4 bytes for elements of 4 bytes, of 2 bytes for smaller ones"};
constexpr Sentence<0> kWidePad{"verify-error", "{op} breaks IRLOAD-9: elements of 64 bits have no max and min",
                               "declare the tile with `pad=1`, or without"};
constexpr Sentence<0> kLoadLayout{"not-modelled",
                                  "{op} breaks IRLOAD-3: a `mat` tile of this layout does not take this view",
                                  "load nd into row_major or into boxes of row_major, dn into col_major"};
constexpr Sentence<0> kStoredMat{"undefined-by-manual",
                                 "{op} breaks IRSTORE-1: texts disagree whether a5 stores `mat` tiles; here it does",
                                 "move the data out by way of `vec` or `acc`"};
/// Shape of the view, row and column of its start, shape of the tile.
constexpr Sentence<4> kSubview{
    "tile-window", "{op} gives a view of {0} elements starting at row {1}, column {2} of a tile that has {3}",
    "begin at a lower row or column, or lower the valid rows and columns of the view"};
constexpr Sentence<4> kSubviewOutside{
    "tile-window",
    "{op} breaks ALIAS-5: it gives a window of {0} elements starting at row {1}, column {2} of a tile that has {3}",
    "begin at a lower row or column, or take a smaller window"};
constexpr Sentence<1> kSubviewByte{"tile-window",
                                   "{op} breaks ALIAS-1: it begins in the middle of a byte, at column {0}",
                                   "begin at an even column: two elements share a byte"};
/// Row and column, shape of a box, and the rule.
constexpr Sentence<4> kSubviewBox{
    "tile-window", "{op} breaks {3}: it begins at row {0}, column {1}, which is not the corner of a box of {2}",
    "begin at multiples of the box's rows and columns"};
constexpr Sentence<2> kReshapeWindow{"tile-window",
                                     "{op} breaks ALIAS-10: a window of {0} elements in a tile of {1} has gaps",
                                     "reshape the whole tile, or move the window to a tile of its own"};
/// One of the five dimensions of a view. A program may have fewer of them: all end at the last one.
constexpr const char *dimension(int k) {
  constexpr const char *kNames[] = {"the fifth dimension from the last", "the fourth dimension from the last",
                                    "the third dimension from the last", "the last dimension but one",
                                    "the last dimension"};
  return kNames[k];
}
/// Dimension and extent; size, dimension, offset, extent of the view.
constexpr Sentence<2> kViewExtent{"operand-range", "{op} breaks VIEW-4: it has the extent {1} in {0}",
                                  "limit the number to 0 before the view is made"};
constexpr Sentence<4> kPartition{
    "tile-window", "{op} breaks VIEW-10: it takes {0} elements from {2} on in {1}, where the view has {3}",
    "begin lower, or limit the size to what is left of the view"};
constexpr Sentence<0> kPartAddress{
    "operand-range", "{op} breaks VIEW-7: its offsets times the strides of the view are beyond any memory",
    "check how the strides of the view are computed"};
/// Verb, shape of the window, its row and column, the tile, its shape.
constexpr Sentence<8> kWindow{"tile-window",
                              "{op} {0} {1} elements starting at row {2}, column {3} of {4}, which has {5}",
                              "let the window begin at a row from 0 to {6} and a column from 0 to {7}"};
constexpr Sentence<6> kWindowTooLarge{"tile-window", kWindow.message,
                                      "lower the valid rows and columns of the other tile, or use a larger tile"};
constexpr Sentence<3> kQuantWords{"tile-shape", "{op} needs {0} words of quantisation, but {1} has {2}",
                                  "give the Scaling tile a valid column for each column of the result"};
constexpr Sentence<2> kTransposed{"tile-shape", "{op} transposes a valid region of {0} into one of {1}",
                                  "give the destination as many valid rows as the source has columns, and vice versa"};
constexpr Sentence<2> kPadApart{"tile-shape", "{op} pads in place, but its tiles start at bytes {0} and {1}",
                                "place both tiles at the same address, or use `TFILLPAD`"};
constexpr Sentence<0> kPadLayouts{"tile-shape", "{op} pads in place, but the layouts of its tiles differ",
                                  "give both tiles the same rows, columns and layout, or place them apart"};
constexpr Sentence<3> kJoined{"tile-shape", "{op} joins {0} and {1} valid rows into {2}",
                              "give the tiles the same number of valid rows"};
constexpr Sentence<3> kJoinCounts{"tile-shape", "{op} has {0} rows, but {1} has {2} counts",
                                  "give the tiles of counts a row for each row of the destination"};
constexpr Sentence<3> kDeinterleaved{"tile-shape", "{op} needs a valid region of {0}, but {1} has {2}",
                                     "give all tiles the same valid rows and columns"};
constexpr Sentence<3> kDeinterleavedOne{"tile-shape", kDeinterleaved.message,
                                        "give each destination a column for every second column of the source"};
/// What it is called, its value, row and column, how many there are of what.
constexpr Sentence<6> kIndexOutside{"ub-out-of-bounds",
                                    "{op} has the {0} {1} at row {2}, column {3} of the indices, but there are {4} {5}",
                                    "keep every {0} below {4}"};
constexpr Sentence<2> kPartialGroup{
    "undefined-by-manual",
    "{op} sorts rows of {0} columns, so that the last group has {1} of 32: hardware may count missing ones "
    "as large numbers, here they are left out",
    "fill the rows to a multiple of 32 columns, with a number that sorts last"};

constexpr Sentence<2> kFilledGroup{"undefined-by-manual",
                                   "{op} breaks IRSORT-2: it sorts rows of {0} columns, so that the last group has {1} "
                                   "of 32; missing ones count as large "
                                   "numbers, whose records come before most others",
                                   kPartialGroup.help};

//===----------------------------------------------------------------------===//
// Synchronisation and launch
//===----------------------------------------------------------------------===//

constexpr Sentence<2> kNoSuchFlag{"operand-range", "{op} names a flag from {0} to {1}, which does not exist",
                                  "name two different pipes"};
constexpr Sentence<2> kFlagToItself{"operand-range", kNoSuchFlag.message,
                                    "order instructions of one pipe with `pipe_barrier`"};
constexpr Sentence<1> kNoSuchPipe{"operand-range", "`pipe_barrier` of pipe number {0}",
                                  "name one of the PIPE_ constants"};
constexpr Sentence<1> kTooManyBlocks{"too-many-blocks",
                                     "`SYNCALL` waits for all {0} blocks, more than the target has cores",
                                     "launch at most one block per core and let each loop over its share of the work"};
constexpr Sentence<1> kNoTarget{"usage", "there is no target {0:`}", "use \"a5\", \"a3\" or \"a2\""};
constexpr Sentence<2> kUbSize{"usage", "a UB of {0} bytes is not modelled", "set `ubBytes` to at most {1}"};
constexpr Sentence<3> kOtherTiming{"usage", "{0:`} has the figures of {1}, and the launch is for {2}",
                                   "give the timing file of that target, or launch for the other one"};
constexpr Sentence<1> kTimeFile{"usage", "{0}", "give `trace` and `report` of the options another name"};
constexpr Sentence<1> kNoBlocks{"usage", "a launch needs at least 1 block, not {0}",
                                "pass a positive number after the kernel"};
constexpr Sentence<0> kNoFunction{"usage", "a launch without a kernel: its function is null", "pass a function"};
constexpr Sentence<1> kBuffers{"usage", "{0}", "register each buffer once, or as part of a larger one"};
constexpr Phrase<2> kBuffersOverlap{"{0:`} and {1:`} overlap in part"};

} // namespace ptoscope::say

#endif // PTOSCOPE_MACHINE_TILESENTENCES_H
