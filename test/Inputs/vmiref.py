"""A plain reference of vectors of any length, `pto.vmi.*`, lane by lane.

Written from docs/isa/40-vmi.md only; values of lanes come from the references of micro instructions, compref and cvtref. A vector is a NumPy
array of the bits of its N lanes, a mask an array of N booleans, memory an array of elements.
"""
import math

import numpy as np

import compref
import cvtref
from ptoref import BINARY, Type, decode, encode

F32, F16 = Type("f32"), Type("f16")


class Pair(Type):
    """A packed element: two numbers in one lane (VSEQ-4)."""

    def __init__(self, text, size):
        self.name, self.float, self.signed, self.bytes = text, True, True, size
        self.bits, self.lanes = {1: np.uint8, 2: np.uint16, 4: np.uint32}[size], 256 // size


BF16X2 = Pair("!pto.bf16x2", 4)
E8M0 = Pair("!pto.f8E8M0", 1)  # moved, never computed with
HIF8X2 = Pair("!pto.hif8x2", 2)


def meaning(t):
    """The micro type whose rules hold: signless is unsigned (VSEQ-5)."""
    return Type("u" + t.name) if t.name in ("i8", "i16", "i32") else t


def gate(lanes, mask):
    """Zero bits where the mask is false (VGATE-8)."""
    return lanes if mask is None else np.where(mask, lanes, 0).astype(lanes.dtype)


# ---- masks (VGATE-1 to VGATE-7) ----------------------------------------------------------------


def create_mask(count, n):
    return np.arange(n) < count


def create_group_mask(count, groups, size):
    return np.arange(groups * size) % size < count


def plt(rem, n):
    """-> mask, what remains."""
    a = min(rem, n)
    return np.arange(n) < a, rem - a


MASK_LOGIC = {"and": np.logical_and, "or": np.logical_or, "xor": np.logical_xor}


# ---- lanes (VOP-1 to VOP-10) -------------------------------------------------------------------


def lanewise(name, operands, t, mask=None):
    """One and two operands; a scalar is an operand that has it in every lane."""
    u = meaning(t)
    with np.errstate(over="ignore"):
        raw = compref.ONE[name](*operands, u) if len(operands) == 1 else compref.TWO[name](*operands, u)
    return gate(raw.astype(t.bits), mask)


def multiply_add(a, b, c, t, mask=None):
    with np.errstate(over="ignore"):
        return gate(compref.fused(a, b, c, t), mask)


def expdif(x, maximum, t, mask=None):
    with np.errstate(all="ignore"):
        difference = decode(encode(decode(x, t) - decode(maximum, t), F32), F32)
        return gate(encode(np.exp(difference), F32), mask)


def carry(a, b, carry_in, mask):
    total = a.astype(np.int64) + b.astype(np.int64) + carry_in
    return gate((total & 0xFFFFFFFF).astype(np.uint32), mask), (total >= 1 << 32) & mask


def long_product(a, b, t, mask):
    """-> low half, high half; i32 is signed (VSEQ-6)."""
    low, high = compref.long_product(a, b, t)
    return gate(low, mask), gate(high, mask)


# ---- comparison and order of lanes (VPICK-1 to VPICK-11) ---------------------------------------

ORDERED = {"oeq": "eq", "olt": "lt", "ole": "le", "ogt": "gt", "oge": "ge"}


def compare(mode, a, b, t, seed=True):
    return compref.compare(a, b, meaning(t), ORDERED.get(mode, mode)) & seed


def compare_integers(word, a, b, t):
    """cmpi: the word has the sign."""
    sign = {"s": "si", "u": "ui"}.get(word[0] if len(word) == 3 else "", "ui")
    return compref.compare(a, b, Type(f"{sign}{8 * t.bytes}"), word[-2:])


def interleave(a, b, mask=None):
    """-> low, high"""
    z = np.stack([a, b], axis=-1).ravel()
    return gate(z[:len(a)], mask), gate(z[len(a):], mask)


def deinterleave(a, b, mask=None):
    """-> even, odd"""
    z = np.concatenate([a, b])
    return gate(z[0::2], mask), gate(z[1::2], mask)


def prefix_index(mask, t):
    return (np.cumsum(mask) - mask).astype(t.bits)


def compress(v, mask):
    r = np.zeros_like(v)
    r[:mask.sum()] = v[mask]
    return r


# ---- broadcasts, counters (VGEN-1 to VGEN-3) ---------------------------------------------------


def group_broadcast(s, n):
    return np.repeat(s, n // len(s))


def count_up(base, n, t, descending=False, groups=1):
    i = np.tile(np.arange(n // groups), groups)
    if not t.float:
        return ((int(base) + (-i if descending else i)) & ((1 << 8 * t.bytes) - 1)).astype(t.bits)
    x = cvtref.value_of(int(base), t)
    with np.errstate(all="ignore"):
        return encode(x - i if descending else x + i, t)


# ---- reductions and histograms (VSUM-1 to VSUM-7) ----------------------------------------------


def tree(lanes):
    """Sum of f32, level by level; one without a neighbour waits."""
    while len(lanes) > 1:
        pairs = BINARY["vadd"](lanes[0:-1:2], lanes[1::2], F32)
        lanes = np.concatenate([pairs, lanes[-1:]]) if len(lanes) % 2 else pairs
    return lanes[0]


def reduce_sum(v, t, mask, groups=1):
    chosen = gate(v, mask).reshape(groups, -1)
    if not t.float:
        return (chosen.astype(np.int64).sum(axis=1) & ((1 << 8 * t.bytes) - 1)).astype(t.bits)
    with np.errstate(all="ignore"):
        rows = encode(decode(chosen, t), F32) if t.name == "f16" else chosen
        sums = np.array([tree(row) for row in rows], np.uint32)
        return encode(decode(sums, F32), t)


def reduce_extreme(name, v, t, mask, groups=1):
    """`vmax` or `vmin` of the lanes that take part."""
    u = meaning(t)
    rows = np.where(mask, v, t.bits(compref.neutral(name, u))).reshape(groups, -1)
    r = rows[:, 0]
    for k in range(rows.shape[1]):  # the first with itself, for the canonical NaN
        r = BINARY[name](r, rows[:, k], u)
    return r.astype(t.bits)


def histogram(acc, v, mask, cumulative=False):
    counts = np.bincount(v[mask], minlength=256)
    if cumulative:
        counts = np.cumsum(counts)
    return (acc.astype(np.int64) + counts[:len(acc)]).astype(np.uint16)


# ---- conversions (VTO-1 to VTO-10) -------------------------------------------------------------

FP4 = (cvtref.E1M2, cvtref.E2M1)
BF16 = Type("bf16")


def convert(v, s, d, rounding=None, saturate=None):
    return np.array([convert_lane(x, s, d, rounding, saturate) for x in v.tolist()], d.bits)


def convert_lane(x, s, d, rounding, saturate):
    hif8 = getattr(d, "short", "") == "hif8"
    rounding = rounding or ("A" if hif8 else "R")
    if rounding == "H" and not hif8:
        rounding = "Z"  # VTO-3
    if d in FP4:  # two numbers, the first in the low half
        low, high = (cvtref.convert(x >> shift & 0xFFFF, BF16, d, rounding) for shift in (0, 16))
        return low | high << 4
    if s in FP4:
        low, high = (cvtref.convert(x >> shift & 15, s, BF16) for shift in (0, 4))
        return low | high << 16
    if not s.float and not d.float:
        return convert_integer(x, s, d, saturate)
    if s.float and not d.float:
        return cvtref.convert(x, s, meaning(d), rounding, saturate or "SAT")
    if s.float and s.bytes == 1 and d.bytes == 2 and math.isnan(cvtref.value_of(x, s)):
        return d.nan  # VTO-11
    widens = s.float and d.bytes > s.bytes
    return cvtref.convert(x, s, d, "" if widens else rounding, saturate or "")


def convert_integer(x, s, d, saturate):
    n = 8 * d.bytes
    if not saturate:  # to a wider one
        s = meaning(s) if d.name.startswith("si") else Type(f"ui{8 * s.bytes}")
        return cvtref.value_of(x, s) & ((1 << n) - 1)
    value, u = cvtref.value_of(x, meaning(s)), meaning(d)
    if saturate == "SAT":
        low, high = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if u.signed else (0, (1 << n) - 1)
        value = min(max(value, low), high)
    return value & ((1 << n) - 1)


def same_numbers(got, expected, t):
    """A NaN of a wider float may carry a payload (CVAL-7)."""
    if t is BF16X2 or not hasattr(t, "nan"):
        return got == expected
    nan = (expected & t.bits(t.sign - 1)) > t.inf
    return np.where(nan, (got & t.bits(t.sign | t.nan)) == (expected & t.bits(t.sign | t.nan)), got == expected)


# ---- memory (VUB-5 to VUB-21): indices into an array of elements -------------------------------


def rows(off, stride, groups, n):
    """Element of lane i, for rows."""
    size = n // groups
    return off + np.repeat(np.arange(groups), size) * stride + np.tile(np.arange(size), groups)


def blocks(off, block_stride, n, t):
    """Element of lane i, and the block it is in, for a stride of blocks."""
    lanes = 32 // t.bytes
    block = np.arange(n) // lanes
    return off + block * block_stride * lanes + np.arange(n) % lanes, block


def block_mask(mask, block):
    """Whole blocks move: lanes of a block that has a true one."""
    return np.isin(block, block[mask])


def expanded(mask):
    """How many elements lie before that of lane i."""
    return np.cumsum(mask) - mask
