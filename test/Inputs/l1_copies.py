"""Tests of the copies through L1. The cube core fills a window of L1, the vector cores their UB; after the copies the
bytes of a window are stored by the vector cores and compared with a plain model."""
import numpy as np

import ptorun
from cluster import GAP_CASES, Mixed, gap_copy
from ptoref import load, rng

WINDOW = 16384
PARAMETERS = ("%in: !pto.ptr<i8, gm>", "%fill: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
CUBE_TO_BOTH = ("pto.sync.set <PIPE_FIX>, 2", "pto.sync.set <PIPE_FIX>, 18")


def kernel(name):
    p = Mixed(*PARAMETERS)
    data, fill = (rng(name, k).integers(0, 256, WINDOW, dtype=np.uint8) for k in range(2))
    return p, data, fill


def finish(p, data, fill, first, second, path):
    """`first` and `second`: what the vector cores find in the window of their UB."""
    p.on("vector")("pto.sync.wait <PIPE_MTE3>, 2")
    p.bulk_out(0, p.sub_offset("%out", WINDOW), WINDOW)
    ptorun.expect(p.write(path), [data, fill, np.zeros(2 * WINDOW, np.uint8)], {2: np.concatenate([first, second])},
                  ways=ptorun.TWO_WAYS)


def into_l1(name, cases, emit):
    """GM to L1: cases are (source, destination, length, count, strides, loops)."""
    for k, (src, dst, length, n, ss, ds, loops) in enumerate(cases):
        p, data, fill = kernel(name)
        p.on("cube").mte("mte_gm_l1", "%fill", p.l1(0), WINDOW // 2, 2, WINDOW // 2, WINDOW // 2)
        p.barrier()
        emit(p, p.gm("%in", src), p.l1(dst), length, n, ss, ds, loops)
        p.barrier()
        for sub in (0, 1):
            p.copy("copy_cbuf_to_ubuf", ("l1", "ub"), p.l1(0), p.ub(0, "i8"), sub, 1, WINDOW // 32, 0, 0)
        p.barrier()
        p(*CUBE_TO_BOTH)
        expected = fill.copy()
        load(data, expected, src, dst, length, n, ss, ds, loops)
        finish(p, data, fill, expected, expected, f"case{k}")


def out_of_l1(name, cases, emit, subs):
    """L1 to UB: the vector cores fill their UB first and tell the cube core."""
    for k, (*case, loops) in enumerate(cases):
        for sub in subs:
            p, data, fill = kernel(name)
            p.on("vector").bulk_in("%fill", 0, WINDOW)
            p.flag("MTE2", "MTE3")
            p("pto.sync.set <PIPE_MTE3>, 5")
            p.on("cube").mte("mte_gm_l1", "%in", p.l1(0), WINDOW // 2, 2, WINDOW // 2, WINDOW // 2)
            p.flag("MTE2", "MTE1")
            p("pto.sync.wait <PIPE_MTE1>, 5", "pto.sync.wait <PIPE_MTE1>, 21")
            emit(p, sub, p.l1(case[0]), p.ub(case[1], "i8"), *case[2:], loops)
            p.flag("MTE1", "FIX")
            p(*CUBE_TO_BOTH)
            both = [fill.copy(), fill.copy()]
            gap_copy(data, both[sub], *case, loops)
            finish(p, data, fill, *both, f"case{k}_{sub}")


def ub_to_l1(name, emit):
    """UB to L1: each vector core copies to its half of L1, the cube core hands the whole of L1 back to both."""
    for k, (src, dst, length, n, sg, dg) in enumerate(GAP_CASES):
        p, data, fill = kernel(name)
        half = WINDOW // 2
        p.on("cube").mte("mte_gm_l1", "%fill", p.l1(0), half, 2, half, half)
        p.flag("MTE2", "FIX")
        p("pto.sync.set <PIPE_FIX>, 1", "pto.sync.set <PIPE_FIX>, 17",
          "pto.sync.wait <PIPE_MTE1>, 3", "pto.sync.wait <PIPE_MTE1>, 19")
        for sub in (0, 1):
            p.copy("copy_cbuf_to_ubuf", ("l1", "ub"), p.l1(0), p.ub(0, "i8"), sub, 1, WINDOW // 32, 0, 0)
        p.flag("MTE1", "FIX")
        p(*CUBE_TO_BOTH)
        p.on("vector").bulk_in("%in", 0, WINDOW)
        p.flag("MTE2", "MTE3")
        p("pto.sync.wait <PIPE_MTE3>, 1")
        first, on_first = p.value(), p.value()
        p(f"{first} = pto.get_subblock_idx", f"{on_first} = arith.cmpi eq, {first}, {p.i64(0)} : i64",
          f"scf.if {on_first} {{")
        emit(p, p.ub(src, "i8"), p.l1(dst - 8192), length, n, sg, dg)
        p("} else {")
        small = min(n, 2)  # the second core: fewer rows, to the upper half
        emit(p, p.ub(src + 32, "i8"), p.l1(dst), min(length, 64), small, sg, dg)
        p("}", "pto.sync.set <PIPE_MTE3>, 3")
        expected = fill.copy()
        gap_copy(data, expected, src, dst - 8192, length, n, sg, dg)
        gap_copy(data, expected, src + 32, dst, min(length, 64), small, sg, dg)
        finish(p, data, fill, expected, expected, f"case{k}")
