"""What tile instructions compute, on arrays of bits.

Written from the specification only: 30-cpp-tile-api.md, 31-tile-ir.md, 31b-tile-instructions.md, and 21-convert.md for number formats.
Floats are computed in float64 and rounded once; where float64 is not exact enough, the last bit of a rounded intermediate is made odd, so
that the second rounding sees what was lost.
"""
import math

import numpy as np

import cvtref
from cvtref import Small
from ptoref import BINARY, INT, Type, UNARY, decode, encode, is_nan

quiet = np.errstate(all="ignore")


def integers(bits, t):
    """Signed or unsigned NumPy integers."""
    return bits.view(INT[t.bytes]) if t.signed else bits


def wrapped(values, t):
    """Python or wide integers to bits."""
    return (np.asarray(values, object) & ((1 << 8 * t.bytes) - 1)).astype(t.bits)


def odd64(x):
    """A long double to float64, with the last bit odd if anything is lost: another rounding is then correct."""
    with quiet:
        y = x.astype(np.float64)
        lost = np.isfinite(y) & (y.astype(np.longdouble) != x)
    even = (y.view(np.int64) & 1) == 0
    toward = np.where(x > y.astype(np.longdouble), np.inf, -np.inf)
    return np.where(lost & even, np.nextafter(y, toward), y)


def sum_odd(a, b):
    """a + b of float64, rounded to odd."""
    with quiet:
        s = a + b
        z = s - a
        error = (a - (s - z)) + (b - z)
    fix = np.isfinite(s) & (error != 0) & ((s.view(np.int64) & 1) == 0)
    return np.where(fix, np.nextafter(s, np.where(error > 0, np.inf, -np.inf)), s)


def fused(a, b, c, t):
    """round(a * b + c); the product of two elements is exact in float64."""
    with quiet:
        return encode(sum_odd(a * b, c), t)


def lift(function):
    """A function of long doubles, rounded once."""
    def apply(*operands, t):
        with quiet:
            return encode(odd64(function(*(decode(a, t).astype(np.longdouble) for a in operands))), t)
    return apply


# ---- element by element (TEW-1 to TEW-18, IREW-1 to IREW-12) ----------------------------------------


def _divide(a, b, t):
    if t.float:
        return BINARY["vdiv"](a, b, t)
    x, y = integers(a, t).astype(object), integers(b, t).astype(object)
    q = [-1 if q == 0 else (abs(p) // abs(q)) * (1 if (p < 0) == (q < 0) else -1) for p, q in zip(x.ravel(), y.ravel())]
    return wrapped(np.array(q, object).reshape(a.shape), t)


def _fmod(a, b, t):
    """The sign of the dividend; an integer by zero is the dividend."""
    if t.float:
        with quiet:
            return encode(np.fmod(decode(a, t), decode(b, t)), t)
    x, y = integers(a, t).astype(object), integers(b, t).astype(object)
    r = [p if q == 0 else math.copysign(1, p) * 0 + (abs(p) % abs(q)) * (1 if p >= 0 else -1) for p, q in zip(x.ravel(), y.ravel())]
    return wrapped(np.array([int(v) for v in r], object).reshape(a.shape), t)


def _rem(a, b, t):
    """Floats have the sign of the divisor, integers in text that of the dividend."""
    if not t.float:
        return _fmod(a, b, t)
    with quiet:
        x, y = decode(a, t), decode(b, t)
        r = np.fmod(x, y)
        r = np.where((r != 0) & (np.signbit(r) != np.signbit(y)), sum_odd(r, y), r)
        return encode(np.where(r == 0, np.copysign(r, y), r), t)


def _shift(left):
    def apply(a, b, t):
        n = 8 * t.bytes
        result = []
        for x, count in zip(integers(a, t).astype(object).ravel(), b.astype(object).ravel()):
            count = min(count, n)
            result.append(x << count if left else x >> count)
        return wrapped(np.array(result, object).reshape(a.shape), t)
    return apply


def _prelu(a, b, t):
    return np.where(is_nan(a, t), t.nan, np.where(decode(a, t) > 0, a, BINARY["vmul"](a, b, t))).astype(t.bits)


def _power(a, b, t):
    if t.float:
        return lift(np.power)(a, b, t=t)
    result = []
    for x, n in zip(integers(a, t).astype(object).ravel(), integers(b, t).astype(object).ravel()):
        if n < 0:
            result.append(-1 if x == 0 else x ** (-n % 2) if abs(x) == 1 else 0)
        else:
            result.append(pow(int(x), int(n), 1 << 8 * t.bytes))
    return wrapped(np.array(result, object).reshape(a.shape), t)


TWO = {
    "tadd": BINARY["vadd"], "tsub": BINARY["vsub"], "tmul": BINARY["vmul"], "tdiv": _divide, "tmax": BINARY["vmax"], "tmin": BINARY["vmin"],
    "trem": _rem, "tfmod": _fmod, "tprelu": _prelu, "tpow": _power, "tshl": _shift(True), "tshr": _shift(False),
    "tand": lambda a, b, t: a & b, "tor": lambda a, b, t: a | b, "txor": lambda a, b, t: a ^ b,
    "taddrelu": lambda a, b, t: UNARY["vrelu"](BINARY["vadd"](a, b, t), t),
}
# With a scalar; `trems` has the sign of the dividend (IREW-7).
WITH_SCALAR = {**{name + "s": TWO[name] for name in ("tadd", "tsub", "tmul", "tdiv", "tmax", "tmin", "tand", "tor", "txor", "tshl", "tshr",
                                                     "tfmod", "tpow")}, "trems": _fmod, "tlrelu": _prelu}
ONE = {
    "tabs": UNARY["vabs"], "tneg": UNARY["vneg"], "trelu": UNARY["vrelu"], "tnot": lambda a, t: ~a,
    "texp": lambda a, t: lift(np.exp)(a, t=t), "tlog": lambda a, t: lift(np.log)(a, t=t), "tsqrt": lambda a, t: lift(np.sqrt)(a, t=t),
    "trecip": lambda a, t: lift(lambda x: 1 / x)(a, t=t), "trsqrt": lambda a, t: lift(lambda x: 1 / np.sqrt(x))(a, t=t),
}


def _sum(a, b, c, sign, t):
    """a + sign * b + c; of halves rounded once (IREW-12), else twice."""
    if t.name == "f16":
        return lift(lambda x, y, z: x + sign * y + z)(a, b, c, t=t)
    return TWO["tadd"](TWO["tadd" if sign > 0 else "tsub"](a, b, t), c, t)


THREE = {
    "taddc": lambda a, b, c, t: _sum(a, b, c, 1, t),
    "tsubc": lambda a, b, c, t: _sum(a, b, c, -1, t),
}


def axpy(d, a, k, t, s):
    """d + k * a, rounded once (TEW-3), of halves twice (HMEAN-19); the source may be narrower (TEW-16)."""
    if t.name == s.name == "f16":
        return TWO["tadd"](TWO["tmul"](a, k, t), d, t)
    return fused(decode(a, s), decode(k, t), decode(d, t), t)


# ---- reductions and expansions (TRED-1 to TRED-13) ---------------------------------------------------


def _in_f32(op):
    def apply(a, b):
        with quiet:
            return op(a.astype(np.float64), b.astype(np.float64)).astype(np.float32)
    return apply


def row_reduce(bits, t, name):
    """One value per row, as a column."""
    if name in ("trowmax", "trowmin"):
        result = bits[:, :1]
        if t.float:
            result = np.where(is_nan(result, t), t.nan, result).astype(t.bits)
        for c in range(1, bits.shape[1]):
            result = TWO["t" + name[4:]](result, bits[:, c:c + 1], t)
        return result
    if not t.float:
        op = (lambda a, b: a + b) if name == "trowsum" else (lambda a, b: a * b)
        result = bits[:, :1]
        for c in range(1, bits.shape[1]):
            result = op(result, bits[:, c:c + 1])
        return result
    op = _in_f32(np.add if name == "trowsum" else np.multiply)
    with quiet:
        x = decode(bits, t).astype(np.float32)
    lanes = list(x.T[:64])
    for c in range(64, x.shape[1]):
        lanes[c % 64] = op(lanes[c % 64], x[:, c])
    while len(lanes) > 1:
        lanes = [op(*lanes[k:k + 2]) if k + 1 < len(lanes) else lanes[k] for k in range(0, len(lanes), 2)]
    return encode(lanes[0].astype(np.float64), t)[:, None]


def col_reduce(bits, t, name, binary=False):
    """One value per column, as a row."""
    op = TWO[{"tcolsum": "tadd", "tcolprod": "tmul", "tcolmax": "tmax", "tcolmin": "tmin"}[name]]
    rows = [bits[r:r + 1] for r in range(bits.shape[0])]
    if t.float:
        rows = [np.where(is_nan(r, t), t.nan, r).astype(t.bits) for r in rows]
    if binary:
        while len(rows) > 1:
            rows = [op(*rows[k:k + 2], t) if k + 1 < len(rows) else rows[k] for k in range(0, len(rows), 2)]
        return rows[0]
    result = rows[0]
    for row in rows[1:]:
        result = op(result, row, t)
    return result


def first_extremum(bits, t, largest, axis):
    """Positions along an axis: the first NaN, or the first extremum; the zeros are equal."""
    values = decode(bits, t) if t.float else integers(bits, t).astype(np.float64)
    values = values if largest else -values
    if t.float:
        values = np.where(np.isnan(values), np.inf, values)
        nan = is_nan(bits, t)
        values = np.where(nan.any(axis=axis, keepdims=True), nan.astype(np.float64), values)
    return np.argmax(values, axis=axis)


def expdif(a, b, t):
    """The difference in f32, then the power, rounded to the element (TRED-13)."""
    f32 = Type("f32")
    with quiet:
        difference = encode(decode(a, t) - decode(b, t), f32)
        return encode(odd64(np.exp(decode(difference, f32).astype(np.longdouble))), t)


EXPAND = {"add": TWO["tadd"], "sub": TWO["tsub"], "mul": TWO["tmul"], "div": TWO["tdiv"], "max": TWO["tmax"], "min": TWO["tmin"],
          "expdif": expdif}


# ---- conversion (TCVT-1 to TCVT-8) ---------------------------------------------------------------------

ROUNDING = {"NONE": "R", "RINT": "R", "CAST_RINT": "R", "ROUND": "A", "FLOOR": "F", "CEIL": "C", "TRUNC": "Z", "ODD": "O"}
# Without a saturation mode these keep the low bits (TCVT-3).
KEEP_LOW_BITS = {("f16", "i8"), ("f16", "ui8"), ("f16", "i16"), ("f32", "i16"), ("i64", "i32"), ("i32", "i16")}


def canonical(name):
    return name[1:] if name.startswith("si") else name


def convert_one(bits, s, d, mode, sat):
    rnd = ROUNDING[mode]
    if sat is None:
        sat = (canonical(s.name), canonical(d.name)) not in KEEP_LOW_BITS
    x = cvtref.value_of(bits, s)
    n = 8 * d.bytes
    if not d.float:
        lo, hi = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if d.signed else (0, (1 << n) - 1)
        if s.float:
            if math.isnan(x):
                return 0
            if not sat and not (d.signed and n >= 32):
                lo, hi = -(1 << 63), (1 << 63) - 1
            x = (hi if x > 0 else lo) if math.isinf(x) else min(max(cvtref.integral(x, rnd), lo), hi)
        elif sat:
            x = min(max(x, lo), hi)
        return x & ((1 << n) - 1)
    if s.float and s.name == d.name:
        return cvtref.trc(bits, d, rnd)
    if isinstance(d, Small):
        return cvtref.small_bits(x, d, "A" if d.short == "hif8" else rnd, sat)
    if not s.float:
        return cvtref.narrow(x, d, rnd, sat)
    wider = isinstance(s, Small) or (s.name != "f32" and d.name == "f32")
    if wider:  # exact, and a NaN stays one (CVAL-7)
        return d.nan | (d.sign if math.copysign(1, x) < 0 else 0) if math.isnan(x) else cvtref.float_bits(x, d, rnd, False)
    return cvtref.float_bits(x, d, rnd, sat)


def convert(bits, s, d, mode="CAST_RINT", sat=None):
    seen = {}
    flat = [seen[b] if b in seen else seen.setdefault(b, convert_one(b, s, d, mode, sat)) for b in bits.ravel().tolist()]
    return np.array(flat, dtype=d.bits).reshape(bits.shape)


def f32_bits(x):
    with quiet:
        return np.asarray(x, np.float32)


def quantise(bits, scale, offset, signed):
    """TQUANT-1, steps in f32."""
    with quiet:
        x = bits.view(np.float32) * scale.view(np.float32)
        if offset is not None:
            x = x + offset.view(np.float32)
        lo, hi = (-128, 127) if signed else (0, 255)
        return np.clip(np.where(np.isnan(x), 0, np.rint(x)), lo, hi).astype(np.int64).astype(np.uint8)


def dequantise(bits, s, scale, offset):
    with quiet:
        x = integers(bits, s).astype(np.float32) - offset.view(np.float32)
        return encode((x * scale.view(np.float32)).astype(np.float64), Type("f32"))


# ---- packed bits (IRCMP-1 to IRCMP-5) -------------------------------------------------------------------

COMPARE = {"eq": np.equal, "ne": np.not_equal, "lt": np.less, "le": np.less_equal, "gt": np.greater, "ge": np.greater_equal}


def compare(a, b, t, name):
    x, y = ((decode(v, t) if t.float else integers(v, t)) for v in (a, b))
    return COMPARE[name](x, y)


def pack_pitched(holds, mask, width):
    """`tcmp`: rows of the mask, and zeros up to the next 16 bytes (32 for 8-bit elements) as far as the row goes. `mask`: rows x bytes."""
    rows, cols = holds.shape
    group = 32 if width == 1 else 16
    for r in range(rows):
        packed = np.packbits(holds[r], bitorder="little")
        end = min(-(-len(packed) // group) * group, mask.shape[1])
        mask[r, :end] = 0
        mask[r, :len(packed)] = packed


def pack_linear(holds, mask, width):
    """`tcmps`: without the pitch of the mask. `mask`: its bytes."""
    rows, cols = holds.shape
    if rows == 0 or cols == 0:
        return
    if width == 4:
        packed = np.packbits(holds.ravel(), bitorder="little")
        mask[:-(-len(packed) // 16) * 16] = 0
        mask[:len(packed)] = packed
        return
    lanes, group = (128, 16) if width == 2 else (256, 32)
    chunks = -(-cols // lanes)
    for r in range(rows):
        row = np.zeros(chunks * lanes, bool)
        row[:cols] = holds[r]
        mask[r * chunks * group:(r + 1) * chunks * group] = np.packbits(row, bitorder="little")


def select_bits(mask_rows, rows, cols):
    """Bits of (r, c): byte c div 8 of the row of the mask."""
    return np.unpackbits(mask_rows[:rows], axis=1, bitorder="little")[:, :cols].astype(bool)


# ---- pad values (IRLOAD-9) ------------------------------------------------------------------------------


def pad_bits(t, pad):
    """Zero, max, min: 1, 2, 3; floats have the largest finite numbers."""
    if pad == 1:
        return 0
    if t.float:
        return t.inf - 1 | (t.sign if pad == 3 else 0)
    n = 8 * t.bytes
    if t.signed:
        return (1 << (n - 1)) - 1 if pad == 2 else 1 << (n - 1)
    return (1 << n) - 1 if pad == 2 else 0


# ---- views (GT-5) ---------------------------------------------------------------------------------------


def covered(layout, n):
    n0, n1, n2, n3, n4 = n
    return {"nd": (n0 * n1 * n2 * n3, n4), "dn": (n3, n0 * n1 * n2 * n4), "nz": (n2 * n3, n0 * n1 * n4)}[layout]


def element(layout, n, s, r, c):
    """The place of (r, c) in elements after the pointer."""
    n0, n1, n2, n3, n4 = n
    if layout == "nd":
        i = (r // (n1 * n2 * n3), r // (n2 * n3) % n1, r // n3 % n2, r % n3, c)
    elif layout == "dn":
        i = (c // (n1 * n2 * n4), c // (n2 * n4) % n1, c // n4 % n2, r, c % n4)
    else:
        i = (c // n4 // n1, c // n4 % n1, r // n3, r % n3, c % n4)
    return sum(a * b for a, b in zip(i, s))


# ---- generators (IRGEN-2, IRGEN-4) ------------------------------------------------------------------------


def random_words(rows, cols, key, counter, rounds):
    """rows x cols words of Philox 4x32."""
    result = np.zeros((rows, cols), np.uint32)
    for r in range(rows):
        for c in range(cols):
            row_start = counter + c // 256 * 64
            result[r, c] = philox(row_start + c % 256 // 4 & (1 << 128) - 1, key, rounds)[c % 4]
        passes = -(-cols // 256)
        counter += 64 * (passes - 1) + (cols - 1) % 64 + 1
    return result


def philox(counter, key, rounds):
    x = [counter >> 32 * w & 0xFFFFFFFF for w in range(4)]
    a, b = key
    for _ in range(rounds):
        p, q = x[0] * 0xD2511F53, x[2] * 0xCD9E8D57
        x = [(q >> 32) ^ x[1] ^ a, q & 0xFFFFFFFF, (p >> 32) ^ x[3] ^ b, p & 0xFFFFFFFF]
        a, b = (a + 0x9E3779B9) & 0xFFFFFFFF, (b + 0xBB67AE85) & 0xFFFFFFFF
    return x


# ---- products (TMATMUL-1 to TMATMUL-4) ---------------------------------------------------------------------


def values(bits, t):
    """Bits of any element to float64."""
    if isinstance(t, Small):
        table = np.array([cvtref.small_value(code, t) for code in range(256)])
        return table[bits]
    return decode(bits, t) if t.float else integers(bits, t).astype(np.float64)


def matmul(a, b, ta, tb, start=None):
    """Ascending k, one fused multiply-add each; int32 wraps. Bits of f32 or i32."""
    m, n = a.shape[0], b.shape[1]
    if not ta.float:
        total = integers(a, ta).astype(np.int64) @ integers(b, tb).astype(np.int64)
        return (total + (0 if start is None else start.view(np.int32).astype(np.int64))).astype(np.uint64).astype(np.uint32)
    f32 = Type("f32")
    x, y = values(a, ta), values(b, tb)
    total = np.zeros((m, n), np.uint32) if start is None else np.broadcast_to(start, (m, n)).copy()
    for k in range(a.shape[1]):
        total = fused(x[:, k:k + 1], y[k:k + 1, :], decode(total, f32), f32)
    return total


def fixpipe(bits, acc, d, relu=False, scale=None):
    """An accumulator on its way out (TSTORE-7 to TSTORE-12). `scale`: f32, one or one per column."""
    f32 = Type("f32")
    if scale is None and acc.name == "i32" and d.name == "i32":
        return np.where(relu & (integers(bits, acc) < 0), 0, bits).astype(np.uint32)
    with quiet:
        x = decode(bits, f32).astype(np.float32) if acc.float else integers(bits, acc).astype(np.float32)
        if scale is not None:
            x = (x * np.asarray(scale, np.float32)).astype(np.float32)
        if relu:
            x = np.where(x > 0, x, np.where(np.isnan(x), x, np.float32(0)))
    if not d.float:
        lo, hi = (-128, 127) if d.signed else (0, 255)
        with quiet:
            return np.clip(np.where(np.isnan(x), 0, np.rint(x)), lo, hi).astype(np.int64).astype(np.uint8)
    raw = encode(x.astype(np.float64), f32)
    return raw if d.name == "f32" else convert(raw, f32, d, "RINT", True)
