"""Tests of matrix products: every pair of elements, ragged shapes, noise in every byte that must not matter."""
import numpy as np

from cuberef import ELEMS, up
from cubedata import A_L1, kernel, load, matrix
from cuberun import EVERYTHING, F16, I8, Cube, beyond, fix, noise
from ptoref import rng

PAIRS = [("f16", "f16"), ("bf16", "bf16"), ("f32", "f32"), ("i8", "i8"), ("ui8", "ui8"), ("si8", "si8"), ("ui8", "si8"),
         ("si8", "ui8"), ("i8", "ui8"), ("f8E4M3FN", "f8E4M3FN"), ("f8E4M3FN", "f8E5M2"), ("f8E5M2", "f8E4M3FN"),
         ("f8E5M2", "f8E5M2"), ("!pto.hif8", "!pto.hif8")]
MX = ["f8E4M3FN", "f8E5M2"]
MX4 = ["!pto.f4E1M2x2", "!pto.f4E2M1x2"]
SHAPES = [(40, 64, 50), (16, 16, 16), (33, 17, 70), (3, 32, 1)]  # m, n, k


def result(tx):
    return "i32" if tx.text.lstrip("su").startswith("i") else "f32"


class Job:
    """Operands of products in one GM buffer: `add` returns their offsets."""

    def __init__(self):
        self.parts, self.size = [], 0

    def add(self, bits):
        raw = np.ascontiguousarray(bits).view(np.uint8).ravel()
        offset = self.size
        self.parts.append(np.resize(raw, len(raw)) if len(raw) % 64 == 0 else np.concatenate([raw, np.zeros(-len(raw) % 64, np.uint8)]))
        self.size += len(self.parts[-1])
        return offset

    def data(self):
        return np.concatenate(self.parts + [np.zeros(64, np.uint8)])


def turned(elem, n):
    """B goes as [N, K] where a transposed load has another pitch (CUBE-4) or does not exist."""
    return elem.packed == 2 or (elem.bytes == 1 and 1 <= n % 32 <= 16)


def pair(tx, ty, kind, shapes, start="zero", clauses="", arch="a5", mx=False, name="case", bias=None, raw=False):
    """The products of one pair of elements, one after the other, each stored as it is."""
    job, plans = Job(), []
    tx, ty = ELEMS[tx], ELEMS[ty]
    for m, n, k in shapes:
        flip = turned(ty, n)
        a = matrix(tx, m, k, kind, "a", n)
        b = matrix(ty, *((n, k) if flip else (k, n)), kind, "b", m)
        plan = {"shape": (m, n, k), "flip": flip, "a": job.add(a), "b": job.add(b)}
        if mx:
            groups = up(k, 64) // 64
            low, high = (100, 140) if kind == "plain" else (0, 256 if "sat" not in clauses.split() else 255)
            for side, p in (("sa", m), ("sb", n)):
                plan[side] = job.add(rng(side, m, n, k, kind).integers(low, high, (up(p, 16) // 16 * groups, 32), dtype=np.uint8))
        if start == "bias" or bias is not None:
            values = matrix(ELEMS[bias or result(tx)], 1, up(n, 16), kind, "bias", k)
            plan["bias"] = job.add(np.resize(values, up(n, 16)))
        plans.append(plan)
    c, out = kernel(arch, 1 << 16, data=job.data()), 0
    for plan in plans:
        m, n, k = plan["shape"]
        row = m == 1 and "disable_gemv" not in clauses
        if row:  # contiguous (MAD-14)
            c.frac("data", plan["a"], A_L1, 1, k * tx.bytes // tx.packed, I8, l3=1)
            c.l0_raw("a", A_L1, 0, (0, 0, up(k * tx.bytes, 512) // 512, 1, 1, 1), I8)
        else:
            load(c, "a", "data", plan["a"], m, k, tx)
        load(c, "b", "data", plan["b"], n, k, ty, plan["flip"])
        if mx:
            for side, p, elem, key in (("a", m, tx, "sa"), ("b", n, ty, "sb")):
                c.l1_from("data", up(p, 16) // 16 * (up(k, 64) // 64) * 32, A_L1 + (96 << 10), plan[key])
                c.mx(side, A_L1 + (96 << 10), 0, p, k, elem, starts=side == "b")
        if "bias" in plan:
            source = ELEMS[bias or result(tx)]
            c.l1_from("data", up(n, 16) * source.bytes, A_L1 + (112 << 10), plan["bias"])
            unit = 64 if arch != "a5" else 32
            c.bt(A_L1 + (112 << 10), 0, up(up(n, 16) * source.bytes, unit) // unit, source=source, elem=ELEMS[result(tx)])
        if start == "acc":  # on top of another product
            c.mad(0, 0, 0, m, n, max(1, k // 2) if not mx else k, tx, ty, mx=mx, clauses=clauses)
        c.mad(0, 0, 0, m, n, k, tx, ty, start, mx=mx, clauses=clauses, raw=raw)
        c.store("gm", ("out", out), fix(0, m, n, up(m, 16), n, result(tx)))
        out += up(m * n * 4, 64)
    c.run(name)


def every(start, mx=False, pairs=None, bias=None):
    """Plain and wild operands of all pairs; a sample of shapes unless everything is asked for."""
    for q, (tx, ty) in enumerate(pairs or PAIRS):
        shapes = SHAPES if EVERYTHING or q == 0 else [SHAPES[q % 2], SHAPES[2 + q % 2]]
        if mx:
            shapes = [(16, 16, 64), (40, 48, 128)] if EVERYTHING or q == 0 else [(20, 33, 128)]
        pair(tx, ty, "plain", shapes, start, mx=mx, name=f"pair{q}", bias=bias)
        if result(ELEMS[tx]) == "f32":
            pair(tx, ty, "wild", shapes[:1], start, mx=mx, name=f"wild{q}", bias=bias)


def ready(m=16, n=16, k=16, elem=F16, a_rows=None, types=None, turn=False, **extra):
    """Loads of both operands, for one product to come; L0C is as the run starts."""
    c = Cube(data=noise(1 << 14), out=np.zeros(1 << 14, np.uint8))
    c.l1_from("data", 1 << 14)
    c.l0("a", 0, 0, a_rows or m, k, elem)
    c.l0("b", 0, 0, n, k, elem, True if turn else None)
    return c


def line(c, name="mad", a=0, b=0, d=0, m=16, n=16, k=16, types=("f16", "f16", "f32"), clauses="", bias=None):
    """A product of which only the report matters."""
    pointers = [c.at(space, at, ELEMS[t]) for space, at, t in zip(("l0a", "l0b", "l0c"), (a, b, d), types)]
    if bias is not None:
        pointers.append(c.at("bt", bias[0], ELEMS[bias[1]]))
    c(f"pto.{name} {', '.join(v for v, _ in pointers)}, {c.numbers([m, n, k])} {clauses} : {', '.join(t for _, t in pointers)}, i64, i64, i64")
    return c


def findings(name):
    """MAD-18, MAD-20 to MAD-24, FRAC-8, CUBE-4 and the ends of L0C."""
    bias = (0, "f32") if "bias" in name else None
    said, mx = f"`pto.{name}`", "mx" in name
    types = ("f8E4M3FN", "f8E4M3FN", "f32") if mx else ("f16", "f16", "f32")
    sizes = {"k": 64} if mx else {}
    for size in ("m", "n", "k"):
        for value in (0, 4096, -1):
            line(Cube(), name, types=types, bias=bias, **{**sizes, size: value}).finds("range", "error[", said, "MAD-18")
    for space, at, unit in (("a", 256, 512), ("b", 256, 512), ("d", 32, 64)):
        line(Cube(), name, types=types, bias=bias, **sizes, **{space: at}).finds("aligned", "error[ub-misaligned]", said, f"not a multiple of {unit}")
    line(Cube(), name, types=types, bias=bias, d=(256 << 10) - 960, **sizes).finds("l0c", "error[local-out-of-bounds]", said, beyond("L0C", 64))
    if bias:
        line(Cube(), name, types=types, bias=(32, "f32"), **sizes).finds("bt", "error[ub-misaligned]", said, "not a multiple of 64")
        line(Cube(), name, types=types, bias=(4096 - 64, "f32"), n=32, **sizes).finds("bt-end", "error[local-out-of-bounds]", said, beyond("BT", 64))
        line(Cube(), name, types=types, bias=(0, "i32"), **sizes).finds("bias", "error[verify-error]", said, "MAD-20")
