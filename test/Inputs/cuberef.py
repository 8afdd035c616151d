"""A plain model of the cube side: its memories as bytes, its loads, fills and matrix products.

Written from docs/isa/04-cube.md only. Memory is NumPy bytes; an operand is gathered by the address formulas of the layouts. Products of
two f32 numbers are exact in float64 (48 bits, and 2^-298 is far from its end); their sum with an f32 is rounded once: float64 addition is
made to round to odd by its exact error, and 53 bits are enough for a second rounding to 24 to be the first.
"""
import numpy as np

import cvtref
from ptoref import Type, decode as decode_float, encode

F32 = Type("f32")
LARGEST = float(np.finfo(np.float32).max)


def up(x, a):
    return -(-x // a) * a


class Elem:
    """An element of cube memories: its name in programs, bytes, values in an element, and values of its bits."""

    def __init__(self, text, size, values, packed=1):
        self.text, self.bytes, self.values, self.packed = text, size, values, packed
        self.block = 32 * packed // size  # values of a 32-byte block
        self.bits = {1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[size]

    def __repr__(self):
        return self.text


def _float(name):
    return Elem(name, Type(name).bytes, lambda raw: decode_float(raw, Type(name)))


def _small(t, packed=1):
    table = np.array([cvtref.small_value(code, t) for code in range(16 if packed == 2 else 256)], np.float64)
    return Elem(t.name, 1, lambda raw: table[raw], packed)


def _integer(name, bits, signed, size, packed=1):
    def values(raw):
        wide = raw.astype(np.int64)
        return np.where(wide >> (bits - 1), wide - (1 << bits), wide) if signed else wide
    return Elem(name, size, values, packed)


ELEMS = {e.text: e for e in [
    *(_float(name) for name in ("f16", "bf16", "f32")),
    *(_small(t) for t in (cvtref.E4M3, cvtref.E5M2, cvtref.HIF8)), *(_small(t, 2) for t in (cvtref.E1M2, cvtref.E2M1)),
    *(_integer(f"{sign}i{bits}", bits, sign != "u", bits // 8) for bits in (8, 16, 32, 64) for sign in ("", "s", "u")),
    _integer("i4", 4, True, 1, 2)]}


def gather(memory, addresses, size):
    """Elements of `size` bytes at an array of addresses, as unsigned integers."""
    raw = np.ascontiguousarray(memory[np.asarray(addresses)[..., None] + np.arange(size)])
    return raw.view({1: np.uint8, 2: np.uint16, 4: np.uint32, 8: np.uint64}[size])[..., 0]


def scatter(memory, addresses, bits):
    size = bits.dtype.itemsize
    at = np.asarray(addresses)[..., None] + np.arange(size)
    memory[at] = np.ascontiguousarray(bits)[..., None].view(np.uint8)


def add_once(a, b):
    """a + b rounded once to f32, where a is an f32 and b exact in float64; both and the result are float64."""
    with np.errstate(all="ignore"):
        s = a + b
        part = s - a
        error = (a - (s - part)) + (b - part)  # of infinities and NaN it is a NaN, which is neither less nor greater
        bits = s.view(np.int64)
        outward = np.where(s > 0, error > 0, error < 0)
        bits = bits + (bits & 1 == 0) * (2 * outward - 1) * ((error > 0) | (error < 0))
        return bits.view(np.float64).astype(np.float32).astype(np.float64)


def tf32(x, mode):
    """MAD-16 on an array of f32 numbers in float64."""
    bits = encode(x, F32).astype(np.uint64)
    u = bits + (0xFFF + (bits >> 13 & 1) if mode == "round_even" else 0x1000) & 0xFFFFE000
    return np.where(np.isfinite(x), decode_float(u.astype(np.uint32), F32), x)


def finite(x):
    """MAD-15."""
    return np.clip(np.where(np.isnan(x), 0.0, x), -LARGEST, LARGEST)


class Machine:
    """One cube core, the UB of two vector cores, and GM buffers by name."""

    def __init__(self, arch="a5", **gm):
        self.arch, self.old = arch, arch != "a5"
        self.gm = {name: np.array(np.ascontiguousarray(data).view(np.uint8).ravel()) for name, data in gm.items()}
        sizes = {"l1": 512, "l0a": 64, "l0b": 64, "l0c": 128 if self.old else 256, "bt": 1 if self.old else 4}
        for name, kilobytes in sizes.items():
            setattr(self, name, np.zeros(kilobytes << 10, np.uint8))
        self.fb = [np.zeros(4096, np.uint8) for _ in range(2)]
        self.mx = {"a": np.zeros(4096, np.uint8), "b": np.zeros(4096, np.uint8)}
        self.ub = [np.zeros((192 if self.old else 256) << 10, np.uint8) for _ in range(2)]

    # ---- into L1 (FRAC-9 to FRAC-12, FILL) -----------------------------------------------------

    def frac(self, source, src, dst, order, n, d, inner, outer, g, l2, l3, l4, small, size):
        gm, width = self.gm[source], 4 * size if small else up(d * size, 32)
        known = min(d, width // size)
        row = np.zeros(width, np.uint8)
        for gi in range(g):
            for i in range(n):
                a, step = src + gi * outer + i * (inner if order == "nd2nz" else size), size if order == "nd2nz" else inner
                row[:known * size] = gm[a + np.arange(known)[:, None] * step + np.arange(size)].ravel()
                if small:
                    p = dst + gi * l4 * 32 + i * width
                    self.l1[p: p + width] = row
                    continue
                for b in range(width // 32):
                    p = dst + 32 * (gi * l4 + b * l3 + i * l2)
                    self.l1[p: p + 32] = row[b * 32: (b + 1) * 32]
            if small:
                end = dst + gi * l4 * 32 + n * 4 * size
                self.l1[end: dst + gi * l4 * 32 + up(n * 4 * size, 32)] = 0

    def fill(self, dst, raw, repeat, blocks, gap, bits):
        word = np.frombuffer(int(raw & ((1 << bits) - 1)).to_bytes(bits // 8, "little"), np.uint8)
        for r in range(repeat):
            a = dst + r * (blocks + gap) * 32
            self.l1[a: a + blocks * 32] = np.resize(word, blocks * 32)

    # ---- L1 to L0, BT, FB ----------------------------------------------------------------------

    def to_l0(self, side, src, dst, p, k, elem, transpose=False):
        """CUBE-1, CUBE-2; on a3 and a2 fractals of L0A are in rows (FRAC-3)."""
        l0, size = self.l0a if side == "a" else self.l0b, elem.bytes
        rows = self.old and side == "a"
        if not transpose:
            down, across = up(p, 16) // 16, up(k, elem.block) // elem.block
            for kk in range(across):
                for mm in range(down):
                    to = dst + 512 * (mm * across + kk if rows else kk * down + mm)
                    at = src + 512 * (kk * down + mm)
                    l0[to: to + 512] = self.l1[at: at + 512]
            return
        c0, al = 32 // size, max(16, 32 // size)
        ka, pa = up(k, al), up(p, al)
        kk, pp = np.ogrid[:ka, :pa]
        to = (pp // 16 * (ka // c0) + kk // c0) * 512 + pp % 16 * 32 if rows else kk // c0 * pa * 32 + pp * 32
        scatter(l0, dst + to + kk % c0 * size, gather(self.l1, src + pp // c0 * ka * 32 + kk * 32 + pp % c0 * size, size))

    def raw_l0(self, side, src, dst, m_start, k_start, m_step, k_step, src_stride, dst_stride, elem, transpose=False):
        """CUBE-7; transposed, the numbers are those of CUBE-8: `m` goes along K, `k` along P, the pitch is 16 dst_stride rows."""
        l0, size, c0 = self.l0a if side == "a" else self.l0b, elem.bytes, 32 // elem.bytes
        for kk in range(k_step):
            for mm in range(m_step):
                at = src + ((k_start + kk) * src_stride + m_start + mm) * 512
                if not transpose:
                    to = dst + (kk * dst_stride + mm) * 512
                    l0[to: to + 512] = self.l1[at: at + 512]
                    continue
                r, j = np.ogrid[:16, :c0]
                k, p = mm * 16 + r, kk * c0 + j
                scatter(l0, dst + k // c0 * dst_stride * 512 + p * 32 + k % c0 * size, gather(self.l1, at + r * 32 + j * size, size))

    def to_mx(self, side, src, dst, x_start, y_start, x_step, y_step, src_stride, dst_stride):
        """Scales, in fragments of 16 rows and 2 groups; the memory is addressed by the L0 address / 16."""
        for x in range(x_step):
            for y in range(y_step):
                at, to = src + ((x_start + x) * src_stride + y_start + y) * 32, dst // 16 + (x * dst_stride + y) * 32
                self.mx[side][to: to + 32] = self.l1[at: at + 32]

    def shape_mx(self, side, src, dst, p, k):
        y = up(up(k, 32) // 32, 2) // 2
        self.to_mx(side, src, dst, 0, 0, up(p, 16) // 16, y, y, y)

    def to_bt(self, src, dst, length, n, sg, dg, source=None):
        """BIAS-2; `source` is the element that is widened to f32."""
        unit, times = 64 if self.old else 32, 2 if source else 1
        for r in range(n):
            at, to = src + r * (length + sg) * unit, dst + r * (length + dg) * unit * times
            row = self.l1[at: at + length * unit]
            if source:
                row = encode(source.values(row.view(source.bits)), F32).view(np.uint8)
            self.bt[to: to + len(row)] = row

    def to_fb(self, src, dst, length, n, sg, dg):
        unit, region, offset = 128 if self.old else 64, dst >> 16, dst & 0xFFFF
        for r in range(n):
            at, to = src + r * (length + sg) * unit, offset + r * (length + dg) * unit
            self.fb[region][to: to + length * unit] = self.l1[at: at + length * unit]

    # ---- products (MAD-1 to MAD-17) ------------------------------------------------------------

    def operand(self, side, base, rows, k, elem, contiguous=False):
        r, kk = np.ogrid[:rows, :k]
        block, inside = kk // elem.block, kk % elem.block * elem.bytes // elem.packed
        if contiguous:
            at = r * 0 + kk * elem.bytes // elem.packed
        elif self.old and side == "a":
            at = (r // 16 * (up(k, elem.block) // elem.block) + block) * 512 + r % 16 * 32 + inside
        else:
            at = block * up(rows, 16) * 32 + r * 32 + inside
        raw = gather(self.l0a if side == "a" else self.l0b, base + at, elem.bytes)
        return elem.values(raw >> 4 * (kk % 2) & 15 if elem.packed == 2 else raw)

    def scales(self, side, base, rows, k):
        r, g = np.ogrid[:rows, :up(k, 32) // 32]
        raw = self.mx[side][base // 16 + (r // 16 * (up(k, 64) // 64) + g // 2) * 32 + r % 16 * 2 + g % 2]
        return np.where(raw == 255, np.nan, np.ldexp(1.0, raw.astype(np.int64) - 127))

    @staticmethod
    def l0c_at(base, m, n, pitch):
        i, j = np.ogrid[:m, :n]
        return base + 4 * (j // 16 * pitch * 16 + i * 16 + j % 16)

    def mad(self, a, b, c, m, n, k, ta, tb, start="zero", bias=0, mx=False, gemv=True, sat=False, tf32_mode=None):
        x = self.operand("a", a, m, k, ta, contiguous=m == 1 and gemv)
        y = self.operand("b", b, n, k, tb)
        at = self.l0c_at(c, m, n, up(m, 16))
        before = {"zero": lambda: np.zeros((m, n), np.uint32), "acc": lambda: gather(self.l0c, at, 4),
                  "bias": lambda: np.broadcast_to(gather(self.bt, bias + 4 * np.arange(n), 4), (m, n))}[start]()
        if x.dtype == np.int64:
            scatter(self.l0c, at, ((before.astype(np.int64) + x @ y.T) & 0xFFFFFFFF).astype(np.uint32))
            return
        if sat:
            x, y = finite(x), finite(y)
        if tf32_mode:
            x, y = tf32(x, tf32_mode), tf32(y, tf32_mode)
        s, t = (self.scales("a", a, m, k), self.scales("b", b, n, k)) if mx else (None, None)
        chain = decode_float(before, F32)
        with np.errstate(all="ignore"):
            for kk in range(k):
                product = x[:, kk, None] * y[None, :, kk]
                if mx:
                    product = product * s[:, kk // 32, None] * t[None, :, kk // 32]
                chain = add_once(chain, product)
        scatter(self.l0c, at, encode(finite(chain) if sat else chain, F32))
