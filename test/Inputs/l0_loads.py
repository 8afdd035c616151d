"""Tests of the loads of L0A and L0B: what is there afterwards, byte by byte, through products with an identity.

A tile of any element is rows of 32 bytes in blocks; read as i8, a block of it times the identity is the block itself.
"""
import numpy as np

from cuberef import ELEMS, up
from cuberun import EVERYTHING, F16, F32, I8, Cube, beyond, fix, noise

TYPES = [ELEMS[name] for name in ("f16", "i8", "f32", "bf16", "ui8", "si8", "f8E4M3FN", "f8E5M2", "!pto.hif8")]
PACKED = [ELEMS[name] for name in ("!pto.f4E1M2x2", "!pto.f4E2M1x2")]
SHAPES = [(16, 16), (40, 50), (1, 1), (33, 70), (64, 32), (17, 33)]
IDENTITY = 63 << 10  # of L0A or L0B, behind every tile
SPACE = 1 << 15  # of L0, noise before the loads


def kernel(side, out=1 << 16):
    """Noise in L1 and in the L0 under test, an identity in the other."""
    c = Cube(noise=noise(1 << 16, side), identity=np.eye(32, dtype=np.uint8), out=noise(out, "out"))
    c.l1_from("noise", 1 << 16)
    c.l1_from("identity", 1024, 1 << 16)
    c.l0_raw(side, 0, 0, (0, 0, SPACE // 512, 1, 1, 1), I8)
    c.l0_raw("b" if side == "a" else "a", 1 << 16, IDENTITY, (0, 0, 2, 1, 2, 2), I8)
    return c


def show(c, side, base, rows, blocks, out):
    """Bytes of `blocks` blocks of `rows` rows to GM as i32; returns the end of what was written."""
    for block in range(blocks):
        tile = base + block * rows * 32
        if side == "a":
            c.mad(tile, IDENTITY, 0, rows, 32, 32, I8)
            c.store("gm", ("out", out), fix(0, rows, 32, rows, 32, "i32"))
        else:
            c.mad(IDENTITY, tile, 0, 32, rows, 32, I8)
            c.store("gm", ("out", out), fix(0, 32, rows, 32, rows, "i32"))
        out += rows * 128
    return out


def tile(c, side, base, p, k, elem, transpose, out):
    """What a structured load writes: padding as well, and the block of noise behind it."""
    al = max(16, elem.block) if transpose else 16
    rows, columns = up(p, al), up(k, al) if transpose else k
    return show(c, side, base, rows, up(columns, elem.block) // elem.block + 1, out)


def structured(side):
    """CUBE-1, CUBE-2, CUBE-5: every element, shape and direction."""
    for q, elem in enumerate(TYPES + PACKED):
        for turn in (None, False, True):
            if elem.packed == 2 and turn is not None:
                continue
            shapes = SHAPES if EVERYTHING or (q < 3 and turn is not False) else [SHAPES[q % len(SHAPES)]]
            c, out = kernel(side, 1 << 18), 0
            for n, (p, k) in enumerate(shapes):
                c.l0(side, 64 * n, 512 * n, p, k, elem, turn, starts=n % 2 == 1)
                out = tile(c, side, 512 * n, p, k, elem, bool(turn), out)
            c.run(f"{side}{q}_{turn}")


STEPS = [(0, 0, 1, 1, 1, 1), (0, 0, 3, 2, 3, 3), (1, 2, 2, 2, 4, 3), (0, 1, 2, 3, 5, 2), (2, 0, 1, 4, 3, 1)]


def raw(side, name=None, named=False, turns=(None, True), elems=(F16, I8, F32)):
    """CUBE-7, CUBE-8: fractals one by one, with starts and strides."""
    for elem in elems:
        for turn in turns:
            c, out = kernel(side, 1 << 18), 0
            for steps in STEPS:
                if turn:  # whole blocks of K: the last rows of a tile are half a block of 8-bit elements otherwise
                    steps = (*steps[:2], up(steps[2], 2), steps[3], steps[4], up(steps[3] * elem.block, 32) // 16)
                c.l0_raw(side, 0, 0, steps, elem, turn, name, named)
                rows = steps[5] * 16
                blocks = steps[3] if not turn else up(steps[2] * 16, elem.block) // elem.block
                out = show(c, side, 0, rows, min(blocks, 3), out)
            c.run(f"{side}_{elem.bytes}_{turn}")


def single(side, src=0, dst=0, p=16, k=16, elem=F16, steps=None, other=None, starts=None, transpose=None, name=None):
    """One load, of which only the report matters."""
    c = Cube(data=noise(1 << 10))
    c.l1_from("data", 1 << 10)
    (s, st), (t, tt) = c.at("l1", src, elem), c.at("l0" + side, dst, other or elem)
    words = list(steps) if steps else ([p, k] if side == "a" else [k, p]) + list(starts or ())
    attribute = " {transpose = true}" if transpose else ""
    c(f"pto.{name or 'mte_l1_l0' + side} {s}, {t}, {c.numbers(words)}{attribute} : {st}, {tt}" + ", i64" * len(words))
    return c


def ends(side):
    """FRAC-8, CUBE-6, CUBE-10, and the ends of both memories."""
    name, l1, l0 = f"`pto.mte_l1_l0{side}`", 512 << 10, 64 << 10
    memory = "L0" + side.upper()
    single(side, dst=l0 - 512).run("end")
    single(side, dst=l0 - 512, p=17).finds("beyond", "error[local-out-of-bounds]", name, beyond(memory, 512))
    single(side, dst=l0 - 512, k=17).finds("beyond-k", "error[local-out-of-bounds]", name, beyond(memory, 512))
    single(side, src=l1 - 512).run("source-end")
    single(side, src=l1 - 480).finds("source", "error[local-out-of-bounds]", name, beyond("L1", 32))
    single(side, src=l1 - 1024, steps=(0, 1, 1, 1, 1, 1)).run("source-steps")
    single(side, src=l1 - 1024, steps=(0, 2, 1, 1, 1, 1)).finds("source-steps", "error[local-out-of-bounds]", name)
    single(side, dst=l0 - 2048, steps=(0, 0, 1, 2, 1, 3)).run("steps")
    single(side, dst=l0 - 2048, steps=(0, 0, 1, 2, 1, 4)).finds("steps", "error[local-out-of-bounds]", name)
    single(side, dst=256).finds("aligned", "error[ub-misaligned]", name, "not a multiple of 512")
    single(side, src=16).finds("source-aligned", "error[ub-misaligned]", name, "not a multiple of 32")
    single(side, starts=(1, 0)).finds("start", "error[", name, "CUBE-6")
    single(side, starts=(0, -1)).finds("negative", "error[", name, "CUBE-6")
    single(side, other=ELEMS["bf16"]).finds("types", "error[verify-error]", name, "CUBE-10")
    for steps in ((0, 0, 0, 1, 1, 1), (0, 0, 256, 1, 1, 1), (0, 0, 1, 0, 1, 1), (0, 0, 1, 1, 0, 1), (0, 0, 1, 1, 1, 1 << 16), (1 << 16, 0, 1, 1, 1, 1),
                  (-1, 0, 1, 1, 1, 1)):
        single(side, steps=steps).finds("range", "error[", name)


def races(side):
    """A product that does not wait for its load, and a load that does not wait for the product before it."""
    memory = "L0" + side.upper()
    for broken in ("raw", "war", None):
        c = Cube(data=noise(1024), out=np.zeros(1024, np.uint8))
        c.l1_from("data", 1024)
        c.ordered = False
        for s in ("ba" if side == "a" else "ab"):  # the one under test is the last
            c.l0(s, 0, 0, 16, 16, F16)
            if s != side or broken != "raw":
                c.flag("MTE1", "M", "ab".index(s))
        c.mad(0, 0, 0, 16, 16, 16)
        if broken != "war":
            c.flag("M", "MTE1")
        c.flag("M", "FIX")
        c.store("gm", ("out", 0), fix(0, 16, 16, 16, 16))
        if broken != "raw":
            c.l0(side, 512, 0, 16, 16, F16)
        if broken:
            c.finds(f"race-{broken}", f"error[race-{broken}]", memory)
        else:
            c.run("ordered")
