"""What a load leaves in the bias table, element by element: as the start of chains of one product, -1 * 0."""
import numpy as np

from cuberef import ELEMS
from cuberun import F32, I8, I32, Cube, fix, noise
from ptoref import Type, random_bits, specials

ENTRIES = 1024  # of BT
SOURCE, MINUS, ZERO = 0, 1 << 14, 1 << 15  # places in GM and in L1


def contents(name):
    """Numbers, with one NaN and no other: a chain makes every NaN the canonical one."""
    if name == "i32":
        return noise(1 << 14, "bias")
    t = Type(name)
    bits = np.concatenate([specials(t), random_bits(t, (1 << 14) // t.bytes, "bias")])[: (1 << 14) // t.bytes]
    return np.where((bits & (t.sign - 1)) > t.inf, t.nan, bits).astype(t.bits).view(np.uint8)


CASES = [(0, 0, 16, 1, 0, 0), (32, 64, 3, 1, 5, 7), (0, 128, 2, 5, 1, 0), (64, 64, 1, 8, 0, 1), (0, 0, 4, 3, 2, 2), (0, 0, 0, 4, 1, 1)]  # src dst len n sg dg


def check(source, older=False):
    """A table of noise, then a load with gaps, then the whole table."""
    source = ELEMS[source]
    result = I32 if source.text == "i32" else F32
    for k, case in enumerate(CASES):
        data = noise(1 << 16, "bt")
        data[SOURCE: SOURCE + (1 << 14)] = contents(source.text)
        data[MINUS: MINUS + 1024] = np.full(256, -1, np.float32).view(np.uint8)
        data[ZERO: ZERO + (1 << 15)] = 0
        c = Cube(data=data, first=contents(result.text)[::-1].copy() if result is I32 else contents("f32"), out=noise(1 << 12, "out"))
        c.l1_from("data", 1 << 16)
        c.l1_from("first", 4096, 1 << 17)
        elem = I8 if result is I32 else F32
        c.l0_raw("a", MINUS, 0, (0, 0, 1, 1, 1, 1), elem)
        c.l0_raw("b", ZERO, 0, (0, 0, 64, 1, 64, 64), elem)
        c.bt(1 << 17, 0, 128, source=result, elem=result)
        c.bt(SOURCE + case[0], *case[1:], source=source, elem=result, older=older)
        c.mad(0, 0, 0, 1, ENTRIES, 1, elem, start="bias", clauses="disable_gemv")
        c.store("gm", ("out", 0), fix(0, 1, ENTRIES, 16, ENTRIES, result.text))
        c.run(f"{source}_{k}")
