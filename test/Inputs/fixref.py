"""A plain model of fixpipe stores: scale, relu, conversion, clip, places and atomic updates (FIX-2 to FIX-30)."""
import numpy as np

import cvtref
from cuberef import F32, gather
from ptoref import BINARY, Type, decode, encode

SMALL = {"!pto.hif8": (cvtref.HIF8, "A"), "f8E4M3FN": (cvtref.E4M3, "R"), "f8E5M2": (cvtref.E5M2, "R")}
# name without _vec or _scalar -> (source, results)
MODES = {"f32_f16": ("f32", ["f16"]), "f32_bf16": ("f32", ["bf16"]),
         "qf322f16_pre": ("f32", ["f16"]), "qf322bf16_pre": ("f32", ["bf16"]), "qf322f32_pre": ("f32", ["f32"]),
         "qf322hif8_pre": ("f32", ["!pto.hif8"]), "qf322hif8_pre_hybrid": ("f32", ["!pto.hif8"]),
         "qf322fp8_pre": ("f32", ["f8E4M3FN", "f8E5M2"]),
         "qf322b8_pre": ("f32", ["i8", "ui8"]), "qf322s4_pre": ("f32", ["i4"]),
         "qf162b8_pre": ("f32", ["i8", "ui8"]), "qf162s4_pre": ("f32", ["i4"]),
         "req8": ("i32", ["i8", "ui8"]), "req4": ("i32", ["i4"]), "deqf16": ("i32", ["f16"]), "qs322bf16_pre": ("i32", ["bf16"])}
UNSCALED = ("f32_f16", "f32_bf16")
RANGES = {"i8": (-128, 127), "si8": (-128, 127), "ui8": (0, 255), "i4": (-8, 7), "i32": (-2**31, 2**31 - 1)}
WIDTH = {"i4": 4, "i8": 8, "ui8": 8, "si8": 8, "i16": 16, "i32": 32}


def once(x):
    """float64, exact, to f32 and back."""
    with np.errstate(all="ignore"):
        return x.astype(np.float32).astype(np.float64)


def cut(bits):
    """An f32 without its low 13 bits, as float64."""
    return decode(np.asarray(bits, np.uint32) & np.uint32(0xFFFFE000), F32)


def family(mode):
    return mode.removesuffix("_vec").removesuffix("_scalar") if mode and mode != "no_convert" else None


def mode_name(base, vector):
    return base if base in UNSCALED else f"{base}_{'vec' if vector else 'scalar'}"


def to_float(x, dst, sat):
    """f32 numbers to the bits of a float format; `sat` is sat, preserve or nosat (FIX-25)."""
    if dst == "f32":
        return encode(x, F32)
    nan = np.isnan(x)
    if dst in SMALL:
        t, rnd = SMALL[dst]
        bits = np.array([cvtref.small_bits(float(v), t, rnd, sat != "nosat") for v in x.ravel()], np.uint8).reshape(x.shape)
        return np.where(nan & (sat == "preserve"), np.uint8(cvtref.small_bits(cvtref.NAN, t, rnd, False)), bits)
    t = Type(dst)
    bits = encode(np.where(nan, 0.0, x), t)
    if sat != "nosat":
        bits = np.where((bits & (t.sign - 1)) == t.inf, bits - 1, bits)
    return np.where(nan, 0 if sat == "sat" else t.nan, bits).astype(t.bits)


def relu(x, mode, slope):
    """FIX-23."""
    with np.errstate(all="ignore"):
        if mode == "normal_relu":
            return np.where(np.isnan(x), x, np.where(x > 0, x, 0.0))
        if mode in ("scalar_relu", "vector_relu"):
            return np.where(x < 0, once(slope * x), x)
    return x


def convert(raw, source, dst, mode, scale, offset, signed, relu_mode, slope, clip, sat):
    """Bits of L0C [m, n] to bits of the destination (i4: in the low half of a byte). scale, offset, signed and slope go by column."""
    x = decode(raw, F32) if source == "f32" else once(raw.view(np.int32).astype(np.float64))  # FIX-45
    base, integer = family(mode), dst in RANGES
    if not base and (not relu_mode or relu_mode == "no_relu"):
        return raw
    if not base and source == "i32":  # nothing becomes a float
        return np.where(raw.view(np.int32) > 0, raw, 0).astype(np.uint32)
    with np.errstate(all="ignore"):
        if base in ("qf162b8_pre", "qf162s4_pre"):
            x = decode(encode(x, Type("f16")), Type("f16"))
        if base and base not in UNSCALED:
            x = once(x * scale)  # exact in float64: 24 and 11 bits
        if integer and base:
            x = np.rint(x) + offset
    x = relu(x, relu_mode, slope)
    if not integer:
        y = to_float(x, dst, sat)
        if clip is not None:  # an f16 as bits
            t = Type(dst)
            y = np.where(decode(y, t) > decode(np.asarray(clip, t.bits), t), np.asarray(clip, t.bits), y)
        return y
    low, high = RANGES[dst]
    if signed is not None:
        n = WIDTH[dst]
        low, high = np.where(signed, -(1 << (n - 1)), 0), np.where(signed, (1 << (n - 1)) - 1, (1 << n) - 1)
    y = np.clip(np.rint(np.where(np.isnan(x), 0, x)), low, high).astype(np.int64)
    if clip is not None:
        y = np.minimum(y, clip)
    return (y & ((1 << WIDTH[dst]) - 1)).astype({4: np.uint8, 8: np.uint8, 32: np.uint32}[WIDTH[dst]])


class Store:
    """One fixpipe store; `run(machine, memory, base)` writes the bytes of its destination."""

    def __init__(self, src, m, n, ss, ds, source="f32", dst=None, mode=None, scale=0, relu_mode=None, slope=0, clip=None, layout=None,
                 loop0=1, split=0, loop3=(1, 0, 0), sat=None, atomic=None, ctrl48=0):
        self.src, self.m, self.n, self.ss, self.ds, self.source = src, m, n, ss, ds, source
        self.dst = dst or source
        self.mode, self.scale, self.relu_mode, self.slope, self.clip = mode, scale, relu_mode, slope, clip
        self.layout, self.loop0, self.split, self.loop3 = layout, loop0, split, loop3
        self.sat = sat or ("nosat" if ctrl48 else "sat")
        self.atomic = atomic

    def parameters(self, machine):
        """PARAM-3, PARAM-4, FIX-22: scale, offset, sign (None: of the destination) and slope of each column."""
        j = np.arange(self.n)
        scale, offset, signed, slope = cut(self.scale if not self.vector() else 0), 0, None, 0
        if self.vector():
            word = gather(machine.fb[self.scale >> 16], (self.scale & 0xFFFF) + 8 * j, 8)
            scale = cut((word & np.uint64(0xFFFFFFFF)).astype(np.uint32))
            offset = (word >> np.uint64(37) & np.uint64(511)).astype(np.int64)
            offset = np.where(offset > 255, offset - 512, offset)
            signed = (word >> np.uint64(46) & np.uint64(1)).astype(bool)
        if self.relu_mode == "scalar_relu":
            slope = cut(self.slope)
        elif self.relu_mode == "vector_relu":
            slope = cut(gather(machine.fb[self.slope >> 16], (self.slope & 0xFFFF) + 4 * j, 4))
        return scale, offset, signed, slope

    def vector(self):
        return bool(self.mode) and self.mode.endswith("_vec")

    def places(self, t):
        """Element of the destination of each (row, column)."""
        i, j = np.ogrid[:self.m, :self.n]
        first = t * self.loop3[2]
        if self.layout == "nz2dn":
            return first + j * self.ds + i
        if self.layout == "nz2nz":
            width = 8 if self.split else 16
            return j // width * self.ds + i * width + j % width
        return first + i * self.ds + j

    def values(self, machine, t=0):
        i, j = np.ogrid[:self.m, :self.n]
        step = self.loop0 if self.layout == "nz2dn" else 1
        raw = gather(machine.l0c, self.src + t * self.loop3[1] * 64 + 4 * (j // 16 * self.ss * 16 + i * step * 16 + j % 16), 4)
        scale, offset, signed, slope = self.parameters(machine)
        return convert(raw, self.source, self.dst, self.mode, scale, offset, signed, self.relu_mode, slope, self.clip, self.sat)

    def run(self, machine, memory, base, rows=slice(None), columns=slice(None)):
        """`rows` and `columns`: the part that goes to this memory (FIX-29)."""
        for t in range(self.loop3[0]):
            bits, at = self.values(machine, t)[rows, columns], self.places(t)[:, :]
            at = at[: bits.shape[0], : bits.shape[1]]  # counted from 0 again
            if self.dst == "i4":
                for e, y in zip(at.ravel(), bits.ravel()):
                    byte = base + e // 2
                    memory[byte] = memory[byte] & (0x0F if e % 2 else 0xF0) | int(y) << 4 * (e % 2)
                continue
            size = bits.dtype.itemsize
            for e, y in zip(at.ravel(), bits.ravel()):
                place = memory[base + e * size: base + (e + 1) * size]
                if self.atomic:
                    y = self.combine(place.view(bits.dtype), y)
                place[:] = np.array([y], bits.dtype).view(np.uint8)

    def combine(self, old, new):
        kind, op = self.atomic
        t = Type(kind.replace("s", "i") if kind[0] == "s" else kind)
        with np.errstate(over="ignore"):
            return BINARY[{"add": "vadd", "max": "vmax", "min": "vmin"}[op]](old.astype(t.bits), np.array([new], t.bits), t)[0]
