//===- Math.h - scalar functions of generated code --------------*- C++ -*-===//

#ifndef PTOSCOPE_MACHINE_MATH_H
#define PTOSCOPE_MACHINE_MATH_H

#include <cstdint>

/// A function by its position in math.def (STD-8).
extern "C" double ptosc_math(uint32_t function, double a, double b, double c);

#endif // PTOSCOPE_MACHINE_MATH_H
