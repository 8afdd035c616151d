//===- Lanes.h - meanings of lane-wise instructions -------------*- C++ -*-===//
//
// What each elementwise instruction does to its lanes (docs/isa/20-compute.md,
// FUSE-1 to FUSE-11): functions on lane groups, free of masks, memory and pipes,
// one header per family.
//
// Operands are groups, scalars by value in the element's C++ type, shift counts
// as 16-bit integers. Masks that are data or a result are groups of 0 and -1.
// An instruction with two results has one function for each.
//
// Arithmetic returns NaNs as they come; whoever lets a value leave arithmetic
// applies canon<T>. Sign operations act on bits. Integers wrap: signed
// arithmetic is done on unsigned lanes.
//
//===----------------------------------------------------------------------===//

#ifndef PTOSCOPE_MEANING_LANES_H
#define PTOSCOPE_MEANING_LANES_H

#include "ptoscope/Meaning/Arithmetic.h"
#include "ptoscope/Meaning/Bitwise.h"
#include "ptoscope/Meaning/Carry.h"
#include "ptoscope/Meaning/Compare.h"
#include "ptoscope/Meaning/Fused.h"

#endif // PTOSCOPE_MEANING_LANES_H
