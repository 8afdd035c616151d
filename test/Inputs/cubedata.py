"""Operands of cube kernels: matrices of any element, kernels with noise in every memory, and their way into L0."""
import numpy as np

from cuberef import up
from cuberun import F32, I8, Cube, noise
from ptoref import Type, encode, rng, specials


def matrix(elem, rows, columns, kind, *key):
    """Bits of a matrix, [rows, columns] (packed: two columns in a byte). plain: numbers of ordinary size; wild: any bits."""
    g = rng("matrix", elem.text, rows, columns, kind, *key)
    if elem.packed == 2 or elem.text.lstrip("su").startswith("i") or (elem.bytes == 1 and kind == "wild"):
        return g.integers(0, 256, (rows, columns * elem.bytes // elem.packed), dtype=np.uint8).view(elem.bits)
    if elem.bytes == 1:  # finite: below the last codes of either sign
        return (g.integers(0, 0x58, (rows, columns)) | g.integers(0, 2, (rows, columns)) << 7).astype(np.uint8)
    t = Type(elem.text)
    bits = encode(g.normal(0, 1, (rows, columns)) * 2.0 ** g.integers(-6, 7, (rows, columns)), t)
    if kind == "wild":
        odd = specials(t)
        places = g.random((rows, columns)) < 0.1
        bits[places] = odd[g.integers(0, len(odd), int(places.sum()))]
    return bits


def kernel(arch="a5", out=1 << 16, poison=True, **gm):
    """A program with noise everywhere, so that what should not be touched or used shows."""
    c = Cube(arch, **gm, noise=noise(1 << 16), out=noise(out, "out"))
    if poison:
        for k in range(8):
            c.l1_from("noise", 1 << 16, k << 16)
        for side in "ab":
            c.l0_raw(side, 0, 0, (0, 0, 128, 1, 128, 128), I8)
        columns = 128 if c.model.old else 256
        c.mad(0, 0, 0, 256, columns, 8, F32)
    return c


A_L1, B_L1 = 0, 1 << 18  # where `load` puts operands in L1


def load(c, side, name, offset, p, k, elem, turned=False, dst=0):
    """A as [M, K] and B as [K, N] in GM, through L1 into L0; `turned`: the other way round, A as [K, M], B as [N, K]."""
    at, transpose = A_L1 if side == "a" else B_L1, (side == "b") != turned
    if elem.packed == 2:
        assert not transpose
        c.frac(name, offset, at, p, up(k, 2) // 2, I8)
    elif transpose:
        c.frac(name, offset, at, k, p, elem, l3=up(k, max(16, elem.block)))
    else:
        c.frac(name, offset, at, p, k, elem)
    c.l0(side, at, dst, p, k, elem, True if transpose else None)
