"""A plain reference of element types, masks, lane arithmetic and transfers.

Written from documents 02, 10, 11 and 20 of docs/isa only. Values are kept as bits (unsigned NumPy arrays);
every float result is computed in float64 and rounded once by `encode`, which is this file's own code:
float64 is wide enough that the second rounding of + - * / is innocuous.
"""
import zlib

import numpy as np

UINT = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}
INT = {1: np.int8, 2: np.int16, 4: np.int32, 8: np.int64}
FLOATS = {"f16": (5, 10), "bf16": (8, 7), "f32": (8, 23)}  # exponent bits, fraction bits


# Formats that registers carry as bits (TYPE-22), with their bytes.
STORAGE = {"f8E4M3FN": 1, "f8E5M2": 1, "!pto.hif8": 1, "!pto.f4E1M2x2": 1, "!pto.f4E2M1x2": 1, "!pto.f8E8M0": 1, "!pto.hif8x2": 2,
           "!pto.bf16x2": 4}


class Type:
    """An element type by its name in program text."""

    def __init__(self, name):
        self.name = name
        self.float = name in FLOATS
        self.bytes = int(name.lstrip("bfsiu")) // 8
        self.signed = not self.float and not name.startswith("ui")  # signless is signed
        self.lanes = 256 // self.bytes
        self.vreg = f"!pto.vreg<{self.lanes}x{name}>"
        self.mask = f"b{8 * min(self.bytes, 4)}"  # 64-bit elements are governed by b32
        self.bits = UINT[self.bytes]
        if self.float:
            self.ebits, self.fbits = FLOATS[name]
            self.inf = ((1 << self.ebits) - 1) << self.fbits
            self.nan = self.inf | 1 << (self.fbits - 1)
            self.sign = 1 << (self.ebits + self.fbits)

    def __repr__(self):
        return self.name


def ints(*widths):
    """i, si and ui of each width."""
    return [Type(f"{s}i{w}") for w in widths for s in ("", "s", "u")]


def floats(*names):
    return [Type(name) for name in names]


# ---- numbers ---------------------------------------------------------------------------------


def decode(bits, t):
    """Bits to float64, exactly."""
    b = bits.astype(np.int64)
    bias = (1 << (t.ebits - 1)) - 1
    exponent = (b >> t.fbits) & ((1 << t.ebits) - 1)
    fraction = b & ((1 << t.fbits) - 1)
    normal = exponent > 0
    magnitude = np.ldexp((fraction + np.where(normal, 1 << t.fbits, 0)).astype(np.float64),
                         np.where(normal, exponent, 1) - bias - t.fbits)
    special = exponent == (1 << t.ebits) - 1
    magnitude = np.where(special, np.where(fraction == 0, np.inf, np.nan), magnitude)
    return np.where(b & t.sign, -magnitude, magnitude)


def encode(x, t):
    """float64 to bits: nearest, ties to even; overflow to infinity; one NaN, quiet and positive."""
    x = np.asarray(x, np.float64)
    bias = (1 << (t.ebits - 1)) - 1
    lowest = 1 - bias
    finite = np.isfinite(x)
    magnitude = np.abs(np.where(finite, x, 0.0))
    exponent = np.where(magnitude == 0, lowest, np.maximum(np.frexp(magnitude)[1].astype(np.int64) - 1, lowest))
    # in units of the last place; np.rint rounds halves to even, scaling by powers of two is exact
    units = np.rint(np.ldexp(magnitude, t.fbits - exponent)).astype(np.int64)
    bits = np.minimum(((exponent - lowest) << t.fbits) + units, t.inf)
    bits = np.where(np.isinf(x), t.inf, bits)
    bits = np.where(np.signbit(x), bits | t.sign, bits)
    return np.where(np.isnan(x), t.nan, bits).astype(t.bits)


def is_nan(bits, t):
    return (bits.astype(np.int64) & (t.sign - 1)) > t.inf


def _integer(bits, t):
    return bits.view(INT[t.bytes]) if t.signed else bits


def _wrap(op):
    def apply(a, b, t):
        if not t.float:
            return op(a, b)  # unsigned NumPy arithmetic is modulo 2^n
        with np.errstate(all="ignore"):
            return encode(op(decode(a, t), decode(b, t)), t)
    return apply


def _extreme(pick):
    def apply(a, b, t):
        if not t.float:
            return pick(_integer(a, t), _integer(b, t)).view(t.bits)
        x, y = decode(a, t), decode(b, t)
        nan = np.isnan(x) | np.isnan(y)
        # equal values differ only as zeros: max is +0 unless both are -0, min the other way round
        zero = np.where(pick(1, 2) == 2, a & b, a | b)
        chosen = np.where(x == y, zero, np.where(pick(x, y) == x, a, b))
        return np.where(nan, t.nan, chosen).astype(t.bits)
    return apply


def _vabs(a, t):
    if t.float:
        return a & t.bits(t.sign - 1)
    return np.where(_integer(a, t) < 0, t.bits(0) - a, a).astype(t.bits) if t.signed else a


def _vneg(a, t):
    return a ^ t.bits(t.sign) if t.float else t.bits(0) - a


def _vrelu(a, t):
    if not t.float:
        return np.where(_integer(a, t) > 0, a, 0).astype(t.bits)
    return np.where(is_nan(a, t), t.nan, np.where(decode(a, t) > 0, a, 0)).astype(t.bits)


def _vexp(a, t):
    with np.errstate(all="ignore"):
        return encode(np.exp(decode(a, t)), t)


UNARY = {"vabs": _vabs, "vneg": _vneg, "vrelu": _vrelu, "vexp": _vexp}
BINARY = {"vadd": _wrap(lambda a, b: a + b), "vsub": _wrap(lambda a, b: a - b), "vmul": _wrap(lambda a, b: a * b),
          "vdiv": _wrap(lambda a, b: a / b), "vmax": _extreme(np.maximum), "vmin": _extreme(np.minimum)}


def lane_op(name, operands, mask, t):
    """What an instruction gives: zero in inactive lanes (LANE-3)."""
    with np.errstate(over="ignore"):
        raw = UNARY[name](operands[0], t) if name in UNARY else BINARY[name](operands[0], operands[1], t)
    on = active(mask, t.bytes)
    return np.where(np.resize(on, raw.shape), raw, 0).astype(t.bits)


# ---- inputs ----------------------------------------------------------------------------------


def specials(t):
    """The values where implementations go wrong, as bits."""
    if not t.float:
        n = 8 * t.bytes
        values = [0, 1, 2, 3, 5, 7, (1 << n) - 1, (1 << n) - 2, (1 << (n - 1)) - 1, 1 << (n - 1), (1 << (n - 1)) + 1,
                  1 << (n // 2), (1 << (n // 2)) - 1, 0x5555555555555555 & ((1 << n) - 1), 0x6B]
    else:
        bias = (1 << (t.ebits - 1)) - 1
        one = bias << t.fbits
        positive = [0, 1, 2, (1 << t.fbits) - 1, 1 << t.fbits, (1 << t.fbits) + 1, one, one + 1, one - 1,
                    one + (1 << (t.fbits - 1)), (bias + 3) << t.fbits, (bias - 3) << t.fbits,
                    t.inf - 1, t.inf - (1 << t.fbits), t.inf, t.inf + 1, t.nan, t.nan + 5,
                    (bias + t.fbits) << t.fbits, (bias + t.fbits + 1 << t.fbits) + 1]
        values = positive + [v | t.sign for v in positive]
    return np.array(values, dtype=t.bits)


def rng(*key):
    return np.random.default_rng(zlib.crc32(repr(key).encode()))


def random_bits(t, count, *key):
    raw = rng(t.name, count, *key).integers(0, 256, count * t.bytes, dtype=np.uint8).view(t.bits)
    if t.float and len(raw) > 1:  # half of them of ordinary size
        small = encode(rng(t.name, "small", *key).normal(0, 8, count), t)
        raw[::2] = small[::2]
    return raw


def whole_registers(bits, t):
    return np.resize(bits, -(-len(bits) // t.lanes) * t.lanes)


def operands(arity, t, registers=2):
    """Specials (for two operands all pairs of them), then random registers."""
    s = specials(t)
    tail = [random_bits(t, registers * t.lanes, k) for k in range(arity)]
    heads = [s] if arity == 1 else [np.repeat(s, len(s)), np.tile(s, len(s))]
    return [np.concatenate([whole_registers(h, t), r]) for h, r in zip(heads, tail)]


# ---- masks (MASK-8 to MASK-11, PSET-2 to PSET-5, PLT-2) -------------------------------------------

PATTERNS = ["PAT_ALL", "PAT_VL1", "PAT_VL2", "PAT_VL3", "PAT_VL4", "PAT_VL8", "PAT_VL16", "PAT_VL32", "PAT_VL64",
            "PAT_VL128", "PAT_M3", "PAT_M4", "PAT_H", "PAT_Q", "PAT_ALLF"]


def _image(lanes_on, width):
    image = np.zeros(256, bool)
    image[::width] = lanes_on  # canonical: only the lowest bit of a group
    return image


def pset(pattern, width):
    n = 256 // width
    i = np.arange(n)
    if pattern.startswith("PAT_VL"):
        on = i < int(pattern[6:])
    else:
        on = {"PAT_ALL": i >= 0, "PAT_ALLF": i < 0, "PAT_M3": i % 3 == 0, "PAT_M4": i % 4 == 0,
              "PAT_H": i < n // 2, "PAT_Q": i < n // 4}[pattern]
    return _image(on, width)


def plt(count, width):
    """The mask and what remains; the count is unsigned 32 bits."""
    n = 256 // width
    count &= 0xFFFFFFFF
    return _image(np.arange(n) < count, width), (0 if count < n else count - n)


def active(image, width):
    """Which lanes of `width` bytes are on: only bit width*i is looked at."""
    return image[::width]


def store_mask(image, t):
    """Which of the 256 bytes vsts NORM writes: 64-bit elements go as words, each with its own bit."""
    width = min(t.bytes, 4)
    return np.repeat(active(image, width), width)


# ---- transfers (DMA-18, DMA-22, DMA-26, ROW-2) ------------------------------------------------------


def rows(n, src, dst, loops):
    """Row starts in transfer order: nburst(n, src, dst) innermost, loops[0] around it, and so on."""
    starts = [(r * src, r * dst) for r in range(n)]
    for count, s, d in loops:
        starts = [(a + k * s, b + k * d) for k in range(count) for a, b in starts]
    return starts


def load(gm, ub, src, dst, length, n, ss, ds, loops=(), pad=None, element=4, left=0, right=0):
    """GM to UB. `pad` is the pad value as little-endian bytes, or None."""
    for a, b in rows(n, ss, ds, loops):
        if length == 0:
            continue
        row = gm[src + a: src + a + length]
        u = dst + b
        if pad is None:
            ub[u: u + length] = row
            continue
        lo = left * element
        end = lo + length + right * element
        fill = max((end + 31) // 32 * 32, ds)
        ub[u: u + fill] = np.resize(np.frombuffer(pad, np.uint8), fill)
        ub[u + lo: u + lo + length] = row


def store(gm, ub, src, dst, length, n, ss, ds, loops=()):
    """UB to GM."""
    for a, b in rows(n, ss, ds, loops):
        gm[dst + b: dst + b + length] = ub[src + a: src + a + length]
