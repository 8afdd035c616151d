"""Which types vcvt converts, with which attributes (CVT-1), and values that tell roundings apart."""
import numpy as np

import cvtref
from cvtref import E1M2, E2M1, E4M3, E5M2, HIF8
from ptoref import Type, encode, random_bits, rng, specials, whole_registers

ALL, BF = "RAFCZO", "RAFCZ"
HALVES, QUARTERS = ("EVEN", "ODD"), ("P0", "P1", "P2", "P3")

# source, result, roundings, takes `sat`, parts
_TABLE = """
f32 f16 RAFCZO s 2 | f32 bf16 RAFCZ s 2 | f32 si16 RAFCZO s 2 | f32 si32 RAFCZO s 1 | f32 si64 RAFCZO s 2 | f16 f32 - - 2
f16 si32 RAFCZO - 2 | f16 si16 RAFCZO s 1 | f16 si8 RAFCZO s 2 | f16 ui8 RAFCZO s 2 | bf16 f16 RAFCZO s 1 | bf16 f32 - - 2
bf16 si32 RAFCZO s 2 | ui8 f16 - - 2 | ui8 ui16 - - 2 | ui8 ui32 - - 4 | si8 f16 - - 2 | si8 si16 - - 2 | si8 si32 - - 4
ui16 ui8 - s 2 | ui16 ui32 - - 2 | si16 f16 RAFCZO - 1 | si16 f32 - - 2 | si16 ui8 - s 2 | si16 ui32 - - 2 | si16 si32 - - 2
ui32 ui8 - s 4 | ui32 ui16 - s 2 | ui32 si16 - s 2 | si32 f32 RAFCZO - 1 | si32 ui8 - s 4 | si32 ui16 - s 2 | si32 si16 - s 2
si32 si64 - - 2 | si64 f32 RAFCZO - 2 | si64 si32 - s 2 | ui32 f32 RAFCZO - 1 | f16 bf16 RAFCZ s 1
"""
PAIRS = []
for row in _TABLE.replace("\n", "|").split("|"):
    if row.split():
        s, d, rnd, sat, parts = row.split()
        PAIRS.append((Type(s), Type(d), rnd.strip("-"), sat == "s", {"1": ("",), "2": HALVES, "4": QUARTERS}[parts]))
F32, F16, BF16 = Type("f32"), Type("f16"), Type("bf16")
SMALL_PAIRS = [(F32, E4M3, "RAHZ", True, QUARTERS), (F32, E5M2, "RAHZ", True, QUARTERS), (F16, E4M3, BF, True, HALVES),
               (F16, E5M2, BF, True, HALVES), (BF16, E4M3, BF, True, HALVES), (BF16, E5M2, BF, True, HALVES), (F32, HIF8, "AH", True, QUARTERS), (F16, HIF8, "AH", True, HALVES),
               (E4M3, F32, "", False, QUARTERS), (E5M2, F32, "", False, QUARTERS), (HIF8, F32, "", False, QUARTERS),
               (BF16, E1M2, BF, False, QUARTERS), (BF16, E2M1, BF, False, QUARTERS), (E1M2, BF16, "", False, QUARTERS), (E2M1, BF16, "", False, QUARTERS)]


def signless(t):
    """`i` for `si`: signless counts as signed."""
    return Type(t.name[1:]) if t.name.startswith("si") else t


def boundaries(d):
    """Where results of type `d` change, as floats: its extremes, and middles between its values."""
    g = rng("boundaries", d.name)
    if isinstance(d, cvtref.Small):
        values = sorted({abs(cvtref.small_value(code, d)) for code in range(128)} - {cvtref.INF})
        values = np.array([v for v in values if v == v])
        top = values[-1] * np.array([1, 1.03, 1.036, 1.04, 1.07, 1.072, 1.1, 1.14, 1.15, 1.25, 1.2499, 1.26, 1.5, 2, 100])
        return np.concatenate([values, (values[1:] + values[:-1]) / 2, values * 1.01, top])
    if d.float:
        scale = np.ldexp(1.0, g.integers(-(1 << (d.ebits - 1)) - d.fbits + 1, 1 << (d.ebits - 1), 120))
        whole = g.integers(1 << d.fbits, 2 << d.fbits, 120)
        top = cvtref.value_of(d.inf - 1, d)
        half = np.ldexp(top, -d.fbits - 2)
        small = np.ldexp(np.array([0.5, 0.25, 0.75, 1, 1.5, 2.5, 0.499, 0.501]), 2 - (1 << (d.ebits - 1)) - d.fbits)  # denormals
        return np.concatenate([np.ldexp((whole + g.choice([0, .25, .5, .75, .5], 120)) * scale, -d.fbits), small,
                               [top, top + half / 2, top + half, top + 1.5 * half, 2 * top]])
    n = 8 * d.bytes
    edges = [v * 2.0 ** e + f for e in (n - 1, n, 31, 63) for v in (1, -1) for f in (-1, -.75, -.5, -.25, 0, .25, .5, .75, 1)]
    return np.concatenate([np.arange(-6, 6.25, .25), edges, g.uniform(-300, 300, 60), np.round(g.uniform(-70000, 70000, 40)) + .5])


def material(s, d):
    """Registers of the source: special values, boundaries of the result with their neighbours, and random ones."""
    if isinstance(s, cvtref.Small):
        return np.arange(256, dtype=np.uint8).reshape(1, 256)
    parts = [specials(s)]
    if s.float:
        with np.errstate(all="ignore"):
            near = encode(boundaries(d), s)
        parts += [near, near | s.bits(s.sign), near + s.bits(1), near - s.bits(1)]
    else:
        bounds = [k for n in (7, 8, 15, 16, 24, 31, 32, 63) for k in (1 << n, -(1 << n))]
        with np.errstate(over="ignore"):
            parts.append(np.array([(b + k) & ((1 << 8 * s.bytes) - 1) for b in bounds for k in (-2, -1, 0, 1, 2)], s.bits))
            if s.bytes >= 2:  # around the middles of f16 and f32 values
                top = np.array([(1 << 8 * s.bytes - 2) >> k for k in range(0, 8 * s.bytes - 12)], object)
                parts.append(np.array([int(v + j * (v >> w)) & ((1 << 8 * s.bytes) - 1) for v in top for j in (1, 3, -1, 5) for w in (11, 24, 12)], s.bits))
    parts.append(random_bits(s, s.lanes, d.name))
    return whole_registers(np.unique(np.concatenate(parts)), s).reshape(-1, s.lanes)


def results(data, s, d, rnd, sat):
    """Of every lane, or nibble of a packed lane, of every register."""
    if isinstance(s, cvtref.Small) and s.short.endswith("x2"):
        data = np.stack([data & 15, data >> 4], axis=-1).reshape(len(data), -1)
    table = {}
    for bits in np.unique(data).tolist():
        table[bits] = cvtref.convert(bits, s, d, rnd, sat)
    return [[table[bits] for bits in row] for row in data.tolist()]
