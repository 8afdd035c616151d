"""Tests of the loads of MX scales: each scale by itself, as the product of a one in its group with a one of scale 1."""
import numpy as np

from cuberef import ELEMS, up
from cuberun import Cube, fix, noise
from ptoref import rng

E4M3, ONE = ELEMS["f8E4M3FN"], 0x38
GROUPS = 6  # K = 192
SCALES, ONES, PICK = 0, 1 << 14, 1 << 15  # places in GM and L1


def kernel(side, rows, dst):
    """The tile under test holds ones at `dst`; column g of the other picks group g, its scales are 1."""
    k, p16 = 32 * GROUPS, up(rows, 16)
    data = noise(1 << 16, "mx")
    data[SCALES: SCALES + (1 << 14)] = rng("scales").integers(1, 254, 1 << 14, dtype=np.uint8)
    data[ONES: ONES + p16 * k] = ONE
    pick = np.zeros((k // 32, 16, 32), np.uint8)  # blocks of 32 elements along K
    for g in range(GROUPS):
        pick[g, g, 0] = ONE
    data[PICK: PICK + pick.size] = pick.ravel()
    data[PICK + 4096: PICK + 4096 + 96] = 127
    c = Cube(data=data, out=noise(1 << 16, "out"))
    c.l1_from("data", 1 << 16)
    other = "b" if side == "a" else "a"
    c.l0(side, ONES, dst, rows, k, E4M3)
    c.l0(other, PICK, 0, 16, k, E4M3)
    c.mx(other, PICK + 4096, 0, 16, k, E4M3)
    return c


def show(c, side, rows, dst, out):
    """The scales of `rows` rows and 6 groups as powers of 2."""
    if side == "a":
        c.mad(dst, 0, 0, rows, 16, 32 * GROUPS, E4M3, mx=True, clauses="disable_gemv")
        c.store("gm", ("out", out), fix(0, rows, GROUPS, up(rows, 16), GROUPS))
    else:
        c.mad(0, dst, 0, 16, rows, 32 * GROUPS, E4M3, mx=True)
        c.store("gm", ("out", out), fix(0, GROUPS, rows, 16, rows))


def structured(side):
    for rows, dst, src, starts in ((16, 0, 0, False), (40, 0, 32, True), (33, 1024, 4096, False), (1, 512, 64, True)):
        c = kernel(side, rows, dst)
        c.mx(side, SCALES + src, dst, rows, 32 * GROUPS, E4M3, starts)
        show(c, side, rows, dst, 0)
        c.run("shape")


def raw(side, name=None, named=False):
    """Whole scales first, then a part of them again from elsewhere."""
    for steps in ((0, 0, 3, 3, 3, 3), (1, 2, 2, 1, 5, 3), (0, 1, 1, 2, 4, 3), (3, 0, 3, 1, 2, 3)):
        c = kernel(side, 48, 1024)
        c.mx(side, SCALES, 1024, 48, 32 * GROUPS, E4M3)
        c.mx_raw(side, SCALES + 8192, 1024, steps, E4M3, name, named)
        show(c, side, 48, 1024, 0)
        c.run("steps")


def line(side, src=0, dst=0, words=(16, 64), elem=E4M3, name=None):
    c = Cube(data=noise(1024))
    c.l1_from("data", 1024)
    (s, st), (t, tt) = c.at("l1", src, elem), c.at("l0" + side, dst, elem)
    words = words if side == "a" or len(words) != 2 else words[::-1]
    c(f"pto.{name or f'mte_l1_l0{side}_mx'} {s}, {t}, {c.numbers(words)} : {st}, {tt}" + ", i64" * len(words))
    return c


def findings(side):
    said = f"`pto.mte_l1_l0{side}_mx`"
    line(side, dst=(64 << 10) - 512).run("end")
    line(side, dst=(64 << 10) - 512, words=(32, 64)).finds("beyond", "error[local-out-of-bounds]", said)
    line(side, src=(512 << 10) - 32).run("source-end")
    line(side, src=(512 << 10) - 32, words=(17, 64)).finds("source", "error[local-out-of-bounds]", said)
    line(side, src=16).finds("source-aligned", "error[ub-misaligned]", said)
    line(side, words=(16, 64, 1, 0)).finds("start", "error[", said, "CUBE-6")
    line(side, words=(16, 65)).finds("k", "error[", said, "MXS-3")
    line(side, elem=ELEMS["f16"]).finds("type", "error[", said)
    # The product that uses scales waits for them.
    for waits in (False, True):
        c = kernel(side, 16, 0)
        c.ordered = False
        c.mx(side, SCALES, 0, 16, 32 * GROUPS, E4M3)
        if waits:
            c.flag("MTE1", "M")
        c.mad(0, 0, 0, 16, 16, 32 * GROUPS, E4M3, mx=True)
        if waits:
            c.run("ordered")
        else:
            c.finds("race", "error[race-raw]", "`pto.mad_mx` on PIPE_M")
