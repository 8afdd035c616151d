"""A conversation between the cores of a cluster, with any spelling of the signals: the cube core hands each vector core
its own rows, gets them back through L1, and hands them out again in the other order."""
import numpy as np

import ptorun
from cluster import Mixed
from ptoref import rng

SIZE = 512  # bytes per vector core
SCHEDULES = (["--werror"], ["--check", "none"], ["--schedule", "lazy"], *(["--schedule", f"random:{k}"] for k in range(4)))


def kernel(set_, wait, drop=None, change=None):
    """`set_(p, pipe, id)` and `wait(p, pipe, id)` write the signals; `drop` names the one to leave out, `change` is
    (name, id to use instead)."""
    p = Mixed("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")

    def signal(write, name, pipe, number):
        if name != drop:
            write(p, pipe, change[1] if change and change[0] == name else number)

    def out_of_l1(address, sub):
        p.copy("copy_cbuf_to_ubuf", ("l1", "ub"), p.l1(address), p.ub(0, "i8"), sub, 1, SIZE // 32, 0, 0)

    p.on("cube").mte("mte_gm_l1", "%in", p.l1(0), 2 * SIZE)
    p.flag("MTE2", "MTE1")
    out_of_l1(0, 0)
    out_of_l1(SIZE, 1)
    p.flag("MTE1", "FIX")
    signal(set_, "set 7", "FIX", 7)
    signal(set_, "set 23", "FIX", 23)
    signal(wait, "wait 0", "MTE1", 0)
    signal(wait, "wait 16", "MTE1", 16)
    out_of_l1(4096, 1)
    out_of_l1(4096 + SIZE, 0)
    p.flag("MTE1", "FIX", 1)
    signal(set_, "set 15", "FIX", 15)
    signal(set_, "set 31", "FIX", 31)
    p.on("vector")
    signal(wait, "wait 7", "MTE3", 7)
    sub, first = p.value(), p.value()
    p(f"{sub} = pto.get_subblock_idx", f"{first} = arith.cmpi eq, {sub}, {p.i64(0)} : i64", f"scf.if {first} {{")
    p.mte("mte_ub_l1", p.ub(0, "i8"), p.l1(4096), SIZE // 32)
    p("} else {")
    p.mte("mte_ub_l1", p.ub(0, "i8"), p.l1(4096 + SIZE), SIZE // 32)
    p("}")
    signal(set_, "set 0", "MTE3", 0)
    signal(wait, "wait 15", "MTE3", 15)
    p.ub_gm(0, p.sub_offset("%out", SIZE), SIZE)
    return p


def test(set_, wait, ways=SCHEDULES, options=()):
    data = rng("signals").integers(0, 256, 2 * SIZE, dtype=np.uint8)
    args = [data, np.zeros_like(data)]
    swapped = np.concatenate([data[SIZE:], data[:SIZE]])
    ptorun.expect(kernel(set_, wait).write("whole"), args, {1: swapped}, options, ways)
    for name, core in (("set 7", "AIV0"), ("set 23", "AIV1"), ("set 15", "AIV0"), ("set 31", "AIV1"), ("set 0", "AIC")):
        ptorun.refused(kernel(set_, wait, drop=name).write("no_" + name.replace(" ", "_")), args, options,
                       ["error[deadlock]", f"of {core} waits"])
    for name in ("wait 7", "wait 15", "wait 0", "wait 16"):
        ptorun.refused(kernel(set_, wait, drop=name).write("no_" + name.replace(" ", "_")), args, options, ["error[race-"])
    # one too low, one too high
    ptorun.refused(kernel(set_, wait, change=("set 31", 32)).write("high"), args, options, status=1)
    # a vector core counts modulo 16, which is said
    ptorun.expect(kernel(set_, wait, change=("set 0", 16)).write("vector_16"), args, {1: swapped}, options, ([],))
    ptorun.refused(kernel(set_, wait, change=("set 0", 16)).write("vector_16"), args, [*options, "--werror"], ["modulo 16"])
