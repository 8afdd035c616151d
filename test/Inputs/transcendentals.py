"""The inputs of a stored table of f32 results of vexp, vln, vsqrt and vrsqrt, and what makes the table.

    transcendentals.py TABLE.npy     computes the results anew, in decimal arithmetic of 60 digits, and writes them

25600 inputs for each function: evenly spaced bit patterns of an odd step, so that they end in all bits. Each result is correctly
rounded. No library of a host has a part in them: they are the same on every machine.
"""
import decimal
import sys
from fractions import Fraction

import numpy as np

import cvtref
from ptoref import Type

COUNT = 25600
F32 = Type("f32")
NAMES = ("vexp", "vln", "vsqrt", "vrsqrt")


def spaced(first, last):
    """Bit patterns from `first` up to `last` at most."""
    step = ((last - first) // COUNT - 1) | 1
    return (first + step * np.arange(COUNT, dtype=np.uint64)).astype(np.uint32)


def inputs(name):
    """exp: 2^-26 up to 89 and down to -104, by turns, beyond which results are infinite or 0; otherwise every positive finite number."""
    if name != "vexp":
        return spaced(1, 0x7F7FFFFF)
    up, down = spaced(0x32800000, 0x42B20000), spaced(0xB2800000, 0xC2D00000)
    return np.where(np.arange(COUNT) % 2, down, up)


def result(name, bits):
    x = cvtref.value_of(int(bits), F32)
    d = decimal.Decimal(x)  # exact
    value = {"vexp": lambda: d.exp(), "vln": lambda: d.ln(), "vsqrt": lambda: d.sqrt(), "vrsqrt": lambda: 1 / d.sqrt()}[name]()
    return cvtref.narrow(Fraction(value), F32, "R", False) if value else 0


if __name__ == "__main__":
    decimal.getcontext().prec = 60
    np.save(sys.argv[1], np.array([[result(name, bits) for bits in inputs(name)] for name in NAMES], np.uint32))
