"""A plain reference of vector compute: lane-wise instructions, comparisons, carries, reductions and histograms.

Written from documents 20, 22 and 23 of docs/isa only. Lanes are bits in unsigned NumPy arrays of any shape, the last axis being the register.
Floats are computed in float64 and rounded once where that is exact enough, and as ratios of integers where it is not.
"""
import math
from fractions import Fraction

import numpy as np

import cvtref
from ptoref import BINARY, INT, Type, UNARY, decode, encode, is_nan

F32 = Type("f32")


def signed(a, t):
    return a.view(INT[t.bytes]) if t.signed else a


def real(function):
    """A function of float64 as one of lanes."""
    def apply(*operands):
        *lanes, t = operands
        with np.errstate(all="ignore"):
            return encode(function(*(decode(a, t) for a in lanes)), t)
    return apply


# ---- one lane of each operand ------------------------------------------------------------------


def count_bits(a, t):
    bits = np.unpackbits(np.ascontiguousarray(a).view(np.uint8).reshape(*a.shape, t.bytes), axis=-1)
    return bits.sum(axis=-1).astype(t.bits)


def leading_signs(a, t):
    """Bits from the top that equal the topmost one, which counts."""
    n = 8 * t.bytes
    same = np.full(a.shape, True)
    count = np.zeros(a.shape, np.int64)
    for k in reversed(range(n)):
        same = same & ((a >> t.bits(k) & t.bits(1)) == a >> t.bits(n - 1))
        count += same
    return count.astype(t.bits)


def shift_count(b, t):
    return b & t.bits(8 * t.bytes - 1)


def shift_left(a, b, t):
    return a << shift_count(b, t)


def shift_right(a, b, t):
    n = shift_count(b, t)
    return (signed(a, t) >> signed(n, t)).view(t.bits) if t.signed else a >> n


def leaky(x, alpha, t):
    """x where x >= 0 (-0 too), else alpha * x."""
    product = BINARY["vmul"](x, alpha, t)
    keep = decode(x, t) >= 0
    return np.where(is_nan(x, t), t.bits(t.nan), np.where(keep, x, product))


def fused(a, b, c, t):
    """a * b + c, rounded once."""
    if not t.float:
        return a * b + c
    flat = [decode(v, t).ravel().tolist() for v in (a, b, c)]
    out = []
    for x, y, z in zip(*flat):
        if not (math.isfinite(x) and math.isfinite(y) and math.isfinite(z)):
            out.append(cvtref.float_bits(x * y + z, t, "R", False))
            continue
        exact = Fraction(x) * Fraction(y) + Fraction(z)
        if exact == 0:  # signs as of a sum of two zeros; cancelled numbers give +0
            out.append(t.sign if x * y == 0 and math.copysign(1, x) * math.copysign(1, y) < 0 and z == 0 and math.copysign(1, z) < 0 else 0)
        else:
            out.append(cvtref.narrow(exact, t, "R", False))
    return np.array(out, t.bits).reshape(a.shape)


def relu_after(name):
    return lambda a, b, t: UNARY["vrelu"](BINARY[name](a, b, t), t)


ONE = {
    **UNARY, "vln": real(np.log), "vsqrt": real(np.sqrt), "vrec": real(lambda x: 1 / x), "vrsqrt": real(lambda x: 1 / np.sqrt(x)),
    "vnot": lambda a, t: ~a, "vbcnt": count_bits, "vcls": leading_signs,
}
TWO = {
    **BINARY, "vand": lambda a, b, t: a & b, "vor": lambda a, b, t: a | b, "vxor": lambda a, b, t: a ^ b,
    "vshl": shift_left, "vshr": shift_right, "vprelu": leaky, "vlrelu": leaky, "vaddrelu": relu_after("vadd"), "vsubrelu": relu_after("vsub"),
}
for name in ("vadd", "vsub", "vmul", "vmax", "vmin", "vdiv", "vand", "vor", "vxor", "vshl", "vshr"):
    TWO[name + "s"] = TWO[name]  # the second operand is a scalar


def near(got, expected, t):
    """f32 within a unit in the last place, except results that have no neighbours to be mistaken for; f16 exact."""
    if t.name != "f32":
        return got == expected
    close = np.abs(got.astype(np.int64) - expected.astype(np.int64)) <= 1
    size = expected & 0x7FFFFFFF
    special = (size >= t.inf) | (size == 0) | (size == 0x3F800000)
    return np.where(special, got == expected, close)


def expdif(x, maximum, t, part):
    """x - maximum rounded to f32, then exp; `part` chooses lanes of f16. None: the older form, which gives T."""
    if t.name == "f16" and part:
        x, maximum = (v[..., part == "ODD"::2] for v in (x, maximum))
    with np.errstate(all="ignore"):
        difference = decode(encode(decode(x, t) - decode(maximum, t), F32), F32)
        return encode(np.exp(difference), F32 if part else t)


# ---- comparisons and carries -------------------------------------------------------------------

MODES = {
    "eq": lambda a, b: a == b, "ne": lambda a, b: a != b, "lt": lambda a, b: a < b, "le": lambda a, b: a <= b, "gt": lambda a, b: a > b,
    "ge": lambda a, b: a >= b, "one": lambda a, b: (a < b) | (a > b),
}


def compare(a, b, t, mode):
    x, y = (decode(v, t) if t.float else signed(v, t) for v in (a, b))
    return MODES[mode](x, y)


def carry(name, a, b, carry_in):
    """-> result, carry out. Subtraction carries where it does not borrow."""
    a, b = a.astype(np.int64), b.astype(np.int64)
    total = {"vaddc": a + b, "vaddcs": a + b + carry_in, "vsubc": a - b, "vsubcs": a - b - (1 - carry_in)}[name]
    out = total >= 1 << 32 if name.startswith("vadd") else total >= 0
    return (total & 0xFFFFFFFF).astype(np.uint32), out


def long_product(a, b, t):
    """-> low half, high half."""
    x, y = ((v.view(np.int32) if t.signed else v).astype(object) for v in (a, b))
    product = x * y
    return [np.array((product >> shift & 0xFFFFFFFF).tolist(), np.uint32) for shift in (0, 32)]


# ---- reductions of one register (RED-1 to RED-16) ----------------------------------------------


def wider(t):
    """What vcadd gives."""
    return t if t.float or t.bytes == 4 else Type(t.name.rstrip("0123456789") + str(16 * t.bytes))


def tree(lanes, t):
    """Neighbours are added until one is left; floats are rounded at each level."""
    while lanes.shape[-1] > 1:
        lanes = BINARY["vadd"](lanes[..., 0::2], lanes[..., 1::2], t)
    return lanes[..., 0]


def vcadd(a, on, t):
    u = wider(t)
    r = np.zeros(u.lanes, u.bits)
    chosen = np.where(on, a, 0).astype(t.bits)
    r[0] = tree(chosen, t) if t.float else int(signed(chosen, t).astype(np.int64).sum()) % (1 << 8 * u.bytes)
    return r


def key(bits, t):
    return cvtref.value_of(int(bits), t)


def vcextreme(better, name):
    def apply(a, on, t):
        r = np.zeros(t.lanes, t.bits)
        best = None
        for i in np.flatnonzero(on):
            x = key(a[i], t)
            if best is None or (x != x and best[0] == best[0]) or better(x, best[0]):
                best = (x, i)
        r[0], r[1] = (neutral(name, t), 0) if best is None else (t.nan if best[0] != best[0] else a[best[1]], best[1])
        return r
    return apply


def neutral(name, t):
    n = 8 * t.bytes
    if t.float:
        return t.inf | (t.sign if name == "vmax" else 0)
    low, high = (1 << (n - 1), (1 << (n - 1)) - 1) if t.signed else (0, (1 << n) - 1)
    return low if name == "vmax" else high


def in_groups(lanes):
    """The eight 32-byte groups, one a row."""
    return lanes.reshape(8, -1)


def first_lanes(values, t):
    r = np.zeros(t.lanes, t.bits)
    r[:len(values)] = values
    return r


def vcgadd(a, on, t):
    return first_lanes(tree(in_groups(np.where(on, a, 0).astype(t.bits)), t), t)


def group_extreme(name):
    def apply(a, on, t):
        lanes = in_groups(np.where(on, a, t.bits(neutral(name, t))))
        r = lanes[:, 0]
        for k in range(lanes.shape[1]):
            r = BINARY[name](r, lanes[:, k], t)
        return first_lanes(r, t)
    return apply


def vcpadd(a, on, t):
    chosen = np.where(on, a, 0).astype(t.bits)
    return first_lanes(BINARY["vadd"](chosen[0::2], chosen[1::2], t), t)


REDUCE = {
    "vcadd": vcadd, "vcpadd": vcpadd, "vcmax": vcextreme(lambda x, y: x > y, "vmax"), "vcmin": vcextreme(lambda x, y: x < y, "vmin"),
    "vcgadd": vcgadd, "vcgmax": group_extreme("vmax"), "vcgmin": group_extreme("vmin"),
}


def histogram(acc, src, on, bank, cumulative):
    counts = np.bincount(src[on], minlength=256)
    if cumulative:
        counts = np.cumsum(counts)
    return (acc + counts[bank * 128:bank * 128 + 128]).astype(np.uint16)
