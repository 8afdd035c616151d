"""A plain reference of number formats, rounding and conversions, one value at a time.

Written from docs/isa/21-convert.md only. A value is an int or a float (exact in double); roundings work on the exact ratio of two integers. The
8- and 4-bit formats are tables of values made from their layouts, and encoding searches them.
"""
import bisect
import math

import numpy as np

from ptoref import Type

INF, NAN = float("inf"), float("nan")


class Small(Type):
    """An 8-bit element that holds one or two small floats."""

    def __init__(self, text, name):
        self.name, self.short = text, name
        self.float, self.signed, self.bytes, self.lanes, self.mask, self.bits = True, True, 1, 256, "b8", np.uint8
        self.vreg = f"!pto.vreg<256x{text}>"


# ---- rounding (RND-1 to RND-6) -----------------------------------------------------------------


def round_ratio(n, d, rnd, negative):
    """The magnitude n/d to an integer; `negative` is the sign of the value."""
    whole, rest = divmod(n, d)
    if rest == 0:
        return whole
    up = {"R": 2 * rest > d or (2 * rest == d and whole % 2 == 1), "A": 2 * rest >= d, "H": 2 * rest >= d, "Z": False,
          "F": negative, "C": not negative, "O": whole % 2 == 0}[rnd]
    return whole + up


def integral(x, rnd):
    """A finite float to an int."""
    n, d = abs(x).as_integer_ratio()
    k = round_ratio(n, d, rnd, x < 0)
    return -k if x < 0 else k


def narrow(x, t, rnd, sat):
    """An int or a float to the bits of f16, bf16 or f32. NaN and infinities are the caller's."""
    negative = math.copysign(1, x) < 0
    sign = t.sign if negative else 0
    n, d = abs(x).as_integer_ratio()
    if n == 0:
        return sign
    lowest = 2 - (1 << (t.ebits - 1))  # exponent of the smallest normal
    e = n.bit_length() - d.bit_length()
    if n < d << e if e >= 0 else n << -e < d:
        e -= 1
    q = max(e, lowest) - t.fbits  # weight of the last bit that is kept
    k = round_ratio(n << -q, d, rnd, negative) if q < 0 else round_ratio(n, d << q, rnd, negative)
    bits = ((q - (lowest - t.fbits)) << t.fbits) + k
    return sign | (bits if bits < t.inf else t.inf - 1 if sat else t.inf)


def float_bits(x, t, rnd, sat):
    """Any float to a float format with infinities."""
    if math.isnan(x):
        return 0 if sat else t.nan
    if math.isinf(x):
        return (t.sign if x < 0 else 0) | (t.inf - 1 if sat else t.inf)
    return narrow(x, t, rnd, sat)


# ---- small formats (FMT-2 to FMT-9) ------------------------------------------------------------


def ieee_values(ebits, fbits, bias, codes):
    """Values of the codes 0, 1, 2 ... of sign-less floats."""
    values = []
    for code in range(codes):
        e, f = code >> fbits, code & ((1 << fbits) - 1)
        values.append(math.ldexp(f, 1 - bias - fbits) if e == 0 else math.ldexp((1 << fbits) + f, e - bias - fbits))
    return values


def hif8_value(code):
    """A code below 0x80; 0x6F is infinity."""
    bits = f"{code:07b}"
    if code == 0x6F:
        return INF
    if bits.startswith("0000"):
        return 0.0 if code == 0 else math.ldexp(1, code - 23)
    for prefix, width, mantissa, offset in (("11", 3, 1, 8), ("10", 2, 2, 4), ("01", 1, 3, 2), ("001", 0, 3, 1)):
        if bits.startswith(prefix):
            rest = bits[len(prefix):]
            e = offset + int("0" + rest[1:1 + width], 2)
            return math.ldexp(1 + int(rest[1 + width:], 2) / (1 << mantissa), -e if rest[0] == "1" else e)
    return 1 + int(bits[4:], 2) / 8  # 0001mmm


E4M3, E5M2 = Small("f8E4M3FN", "e4m3"), Small("f8E5M2", "e5m2")
HIF8 = Small("!pto.hif8", "hif8")
E1M2, E2M1 = Small("!pto.f4E1M2x2", "e1m2x2"), Small("!pto.f4E2M1x2", "e2m1x2")

# values by code; what would follow the largest finite one, for roundings near it
TABLES = {
    "e4m3": (ieee_values(4, 3, 7, 0x7F), 480.0),
    "e5m2": (ieee_values(5, 2, 15, 0x7C), 65536.0),
    "e2m1x2": ([0, .5, 1, 1.5, 2, 3, 4, 6], 8.0),
    "e1m2x2": ([0, .25, .5, .75, 1, 1.25, 1.5, 1.75], 2.0),
}
_hif8 = sorted((hif8_value(code), code) for code in range(0x80) if code != 0x6F)
_hif8_values, _hif8_codes = [v for v, _ in _hif8] + [1.5 * 2.0 ** 15], [code for _, code in _hif8]


def nearest(x, values, codes, rnd):
    """The index into rising `values` to which the magnitude x is rounded; len(codes) is beyond the format."""
    if x >= values[-1]:
        return len(codes)
    k = bisect.bisect_right(values, x) - 1
    if x == values[k]:
        return k
    middle = (values[k] + values[k + 1]) / 2  # exact: few bits
    even = (codes[k] if k < len(codes) else 0) % 2 == 0
    return k + {"R": x > middle or (x == middle and not even), "A": x >= middle, "H": x >= middle, "Z": False, "C": True, "F": False}[rnd]


def small_bits(x, t, rnd, sat):
    """A float to one of the small formats; of the packed ones a nibble."""
    name = t.short
    negative = math.copysign(1, x) < 0
    if name == "hif8":
        if math.isnan(x):
            return 0 if sat else 0x80
        k = nearest(abs(x), _hif8_values, _hif8_codes, rnd)
        code = _hif8_codes[k] if k < len(_hif8_codes) else 0x6E if sat else 0x6F
        return code | 0x80 if negative and code else code
    values, beyond = TABLES[name]
    rnd = "Z" if rnd == "H" else rnd
    sign = 8 if name.endswith("x2") else 0x80
    if math.isnan(x):
        return 0 if sat or sign == 8 else {"e4m3": 0x7F, "e5m2": 0x7E}[name]
    if negative and rnd in "FC":  # magnitudes go the other way
        rnd = "C" if rnd == "F" else "F"
    k = nearest(abs(x), [*values, beyond], range(len(values)), rnd)
    if k < len(values):
        return k | (sign if negative else 0)
    if sat or sign == 8:
        return len(values) - 1 | (sign if negative else 0)
    return 0x7F if name == "e4m3" else 0x7C | (sign if negative else 0)


def small_value(code, t):
    name = t.short
    if name == "hif8":
        return NAN if code == 0x80 else (-1 if code & 0x80 else 1) * hif8_value(code & 0x7F)
    sign = 8 if name.endswith("x2") else 0x80
    size, values = code & (sign - 1), TABLES[name][0]
    x = values[size] if size < len(values) else INF if name == "e5m2" and size == 0x7C else NAN
    return math.copysign(x, -1 if code & sign else 1)


# ---- values of lanes (CVAL-1 to CVAL-11) -------------------------------------------------------


def value_of(bits, t):
    """One lane to an int or a float."""
    if isinstance(t, Small):
        return small_value(bits, t)
    n = 8 * t.bytes
    if not t.float:
        return bits - (1 << n) if t.signed and bits >> (n - 1) else bits
    e, f = bits >> t.fbits & ((1 << t.ebits) - 1), bits & ((1 << t.fbits) - 1)
    bias = (1 << (t.ebits - 1)) - 1
    if e == (1 << t.ebits) - 1:
        x = NAN if f else INF
    else:
        x = math.ldexp(f | ((1 << t.fbits) if e else 0), max(e, 1) - bias - t.fbits)
    return math.copysign(x, -1 if bits & t.sign else 1)


def to_int(x, t, rnd, sat):
    """A float to the bits of an integer type. Without `sat` the value is clamped to 32 bits (64 for 64-bit results), then cut."""
    n = 8 * t.bytes
    lo, hi = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if t.signed else (0, (1 << n) - 1)
    if not sat:
        wide = 64 if n == 64 else 32
        lo, hi = -(1 << (wide - 1)), (1 << (wide - 1)) - 1
    if math.isnan(x):
        return 0
    v = (hi if x > 0 else lo) if math.isinf(x) else min(max(integral(x, rnd), lo), hi)
    return v & ((1 << n) - 1)


def convert(bits, s, d, rnd="", sat=""):
    """One lane of `s` to one of `d`. A NaN that widens keeps its sign and becomes quiet; its payload is not modelled."""
    x = value_of(bits, s)
    n = 8 * d.bytes
    if s.float and not d.float:
        return to_int(x, d, rnd, sat != "NOSAT")
    if not s.float and not d.float:
        lo, hi = (-(1 << (n - 1)), (1 << (n - 1)) - 1) if d.signed else (0, (1 << n) - 1)
        if sat == "SAT" or (not sat and s.signed and not d.signed):
            x = min(max(x, lo), hi)
        return x & ((1 << n) - 1)
    if isinstance(d, Small):
        return small_bits(x, d, rnd, sat == "SAT")
    if s.float and math.isnan(x) and not sat:  # widening
        return d.nan | (d.sign if math.copysign(1, x) < 0 else 0)
    return float_bits(x, d, rnd or "R", sat == "SAT") if s.float else narrow(x, d, rnd or "R", False)


def placed(values, s, d, part, on):
    """Lanes of one source register -> bytes of the result (CVT-9 to CVT-12). `values(i)` is the result of source lane i."""
    result = np.zeros(d.lanes, d.bits)
    p = {"": 0, "EVEN": 0, "ODD": 1}.get(part, int(part[1:]) if part[:1] == "P" else None)
    if isinstance(d, Small) and d.short.endswith("x2"):  # two lanes to the nibbles of a byte
        for i in range(s.lanes):
            if on[i]:
                result[4 * (i // 2) + p] |= values(i) << 4 * (i % 2)
    elif isinstance(s, Small) and s.short.endswith("x2"):
        for k in range(d.lanes):
            byte = 4 * (k // 2) + p
            if on[byte]:
                result[k] = values(2 * byte + k % 2)  # lanes are nibbles
    elif d.bytes <= s.bytes:
        r = s.bytes // d.bytes
        for i in range(s.lanes):
            if on[i]:
                result[r * i + p] = values(i)
    else:
        r = d.bytes // s.bytes
        for i in range(d.lanes):
            if on[r * i + p]:
                result[i] = values(r * i + p)
    return result.view(np.uint8)


def trc(bits, t, rnd):
    """Round to an integral value; the sign of a zero result is that of the operand."""
    x = value_of(bits, t)
    if math.isnan(x):
        return t.nan
    return bits if math.isinf(x) else narrow(math.copysign(integral(x, rnd), x), t, "Z", False)
