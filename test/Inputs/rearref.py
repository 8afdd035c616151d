"""A plain reference of materialisation and rearrangement, from docs/isa/12-rearrange.md. Registers are lists of lanes (unsigned bits)."""
import numpy as np

from ptoref import decode, encode


def vintlv(a, b):
    z = [x for pair in zip(a, b) for x in pair]
    return z[:len(a)], z[len(a):]


def vdintlv(a, b):
    z = a + b
    return z[0::2], z[1::2]


def vselr(v, index):
    return [v[i % len(v)] for i in index]


def vslide(a, b, n):
    return [a[i - n] if i >= n else b[len(a) - n + i] for i in range(len(a))]


def vshift(a, n):
    return [a[i - n] if i >= n else 0 for i in range(len(a))]


def vsel(a, b, on):
    return [x if m else y for x, y, m in zip(a, b, on)]


def masked(a, on):
    return [x if m else 0 for x, m in zip(a, on)]


def vsqz(v, on):
    kept = [x for x, m in zip(v, on) if m]
    return kept + [0] * (len(v) - len(kept))


def vusqz(on):
    return [sum(bool(m) for m in on[:i]) for i in range(len(on))]


def vpack(v, bits, part):
    """Lanes of 2*bits bits to bits."""
    low = [x & (1 << bits) - 1 for x in v]
    return low + [0] * len(v) if part == "LOWER" else [0] * len(v) + low


def unpack(v, bits, part, signed):
    """Half of the lanes, twice as wide."""
    half = v[len(v) // 2:] if part else v[:len(v) // 2]
    return [(x - (1 << bits) if signed and x >> (bits - 1) else x) & (1 << 2 * bits) - 1 for x in half]


def vci(base, t, order):
    """`base` and result are bits."""
    if t.float:
        value, steps = decode(np.array([base], t.bits), t)[0], np.arange(t.lanes, dtype=np.float64)
        return encode(value + steps if order == "ASC" else value - steps, t).tolist()
    return [(base + i if order == "ASC" else base - i) & (1 << 8 * t.bytes) - 1 for i in range(t.lanes)]
