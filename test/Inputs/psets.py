"""Shows mask images: a register is stored through each mask into known bytes, and gates an instruction."""
import numpy as np

import ptorun
from ptoref import PATTERNS, Type, plt, pset, rng, store_mask

IN, OUT = 0, 16 * 1024
g = rng("psets")
register = g.integers(1, 256, 256, dtype=np.uint8)  # no zero byte


def check_pset(width):
    """Every pattern of pset_b{8*width}: through a store into zeros, and through a zeroing negation."""
    t = Type(f"ui{8 * width}")
    mask, ptr = f"!pto.mask<{t.mask}>", f"!pto.ptr<{t}, ub>"

    def run(patterns, name, ways):
        p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
        expected = []
        p.gm_ub("%in", IN, 256)
        p.gm_ub(p.gm("%in", 256), OUT, 256, 2 * len(patterns), 0, 256)
        p.flag("MTE2", "V")
        p("pto.vecscope {", f"%v = pto.vlds {p.ub(IN, t)}[{p.const(0)}] : {ptr} -> {t.vreg}")
        for pattern in patterns:
            on = np.repeat(pset(pattern, width)[::width], width)
            m = p.mask((t.mask, pattern))
            n = p.value()
            p(f"pto.vsts %v, {p.ub(OUT + 256 * len(expected), t)}[{p.const(0)}], {m} : {t.vreg}, {ptr}, {mask}")
            expected.append(np.where(on, register, 0))
            p(f"{n} = pto.vneg %v, {m} : {t.vreg}, {mask} -> {t.vreg}",
              f"pto.vsts {n}, {p.ub(OUT + 256 * len(expected), t)}[{p.const(0)}] : {t.vreg}, {ptr}")
            expected.append(np.where(on, (t.bits(0) - register.view(t.bits)).view(np.uint8), 0))
        p("}")
        p.flag("V", "MTE3")
        p.bulk_out(OUT, "%out", 256 * len(expected))
        result = np.concatenate(expected).astype(np.uint8)
        args = [np.concatenate([register, np.zeros(256, np.uint8)]), np.full(len(result), 0xEE, np.uint8)]
        ptorun.expect(p.write(name), args, {1: result}, ways=ways, what=name)
        return p.write(name), args

    fitting = [q for q in PATTERNS if not q.startswith("PAT_VL") or int(q[6:]) <= t.lanes]
    run(fitting, f"pset_b{8 * width}", ptorun.ALL_WAYS)
    surplus = [q for q in PATTERNS if q not in fitting]
    if surplus:  # more lanes than there are: all on, with a warning (PSET-6)
        path, args = run(surplus, f"pset_b{8 * width}_surplus", ([], ["--check", "none"]))
        ptorun.refused(path, args, ["--werror"], ["PAT_VL128", "warning"])


def check_plt(width):
    """Counts that only the run knows: mask and remainder."""
    t = Type(f"ui{8 * width}")
    n = t.lanes
    mask, ptr = f"!pto.mask<{t.mask}>", f"!pto.ptr<{t}, ub>"

    def run(counts, name, ways):
        p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%counts: !pto.ptr<i32, gm>", "%out: !pto.ptr<i8, gm>")
        expected, rests = [], []
        rest_at = OUT + 256 * len(counts)
        p.gm_ub("%in", IN, 256)
        p.gm_ub(p.gm("%in", 256), OUT, 256, len(counts), 0, 256)
        p.flag("MTE2", "V")
        for k, count in enumerate(counts):
            p(f"%n{k} = pto.load_scalar %counts[{p.const(k)}] : !pto.ptr<i32, gm> -> i32")
        p("pto.vecscope {", f"%v = pto.vlds {p.ub(IN, t)}[{p.const(0)}] : {ptr} -> {t.vreg}")
        for k, count in enumerate(counts):
            image, rest = plt(count, width)
            p(f"%m{k}, %r{k} = pto.plt_{t.mask} %n{k} : i32 -> {mask}, i32",
              f"pto.vsts %v, {p.ub(OUT + 256 * k, t)}[{p.const(0)}], %m{k} : {t.vreg}, {ptr}, {mask}",
              f"pto.store_scalar %r{k}, {p.ub(rest_at, 'i32')}[{p.const(k)}] : !pto.ptr<i32, ub>, i32")
            expected.append(np.where(store_mask(image, t), register, 0))
            rests.append(rest)
        p("}")
        p.flag("V", "MTE3")
        p.bulk_out(OUT, "%out", 256 * len(counts))
        p.ub_gm(rest_at, p.gm("%out", 256 * len(counts)), 4 * len(counts))
        result = np.concatenate([*expected, np.array(rests, np.uint32).view(np.uint8)]).astype(np.uint8)
        args = [np.concatenate([register, np.zeros(256, np.uint8)]), np.array(counts, np.int32),
                np.full(len(result), 0xEE, np.uint8)]
        path = p.write(name)
        ptorun.expect(path, args, {2: result}, ways=ways, what=name)
        return path, args

    run([0, 1, 2, n // 2 - 1, n - 1, n, n + 1, 2 * n, 1000, 2**31 - 1], f"plt_b{8 * width}", ptorun.ALL_WAYS)
    # compared as unsigned: all lanes on, with a warning (PLT-3)
    path, args = run([-1, -2**31], f"plt_b{8 * width}_negative", ([], ["--check", "none"]))
    ptorun.refused(path, args, ["--werror"], ["negative-tail-count"])


def check_pltm(width):
    """Turns and bounds that only the run knows; nothing wraps."""
    t = Type(f"ui{8 * width}")
    n = t.lanes
    mask, ptr = f"!pto.mask<{t.mask}>", f"!pto.ptr<{t}, ub>"
    pairs = [(0, 0), (0, 1), (0, n - 1), (0, n), (0, n + 1), (1, n), (1, n + 1), (1, 2 * n - 1), (1, 2 * n), (3, 3 * n + n // 2), (3, 5),
             (-1, 0), (-1, -1), (-2, -n), (-2, -n - 1), (0, -1), (32767, 2**31 - 1), (-32768, -2**31), (-32768, 2**31 - 1), (7, 7 * n + 1)]
    p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%turns: !pto.ptr<i16, gm>", "%bounds: !pto.ptr<i32, gm>", "%out: !pto.ptr<i8, gm>")
    p.gm_ub("%in", IN, 256)
    p.gm_ub(p.gm("%in", 256), OUT, 256, len(pairs), 0, 256)
    p.flag("MTE2", "V")
    for k in range(len(pairs)):
        p(f"%t{k} = pto.load_scalar %turns[{p.const(k)}] : !pto.ptr<i16, gm> -> i16",
          f"%b{k} = pto.load_scalar %bounds[{p.const(k)}] : !pto.ptr<i32, gm> -> i32")
    p("pto.vecscope {", f"%v = pto.vlds {p.ub(IN, t)}[{p.const(0)}] : {ptr} -> {t.vreg}")
    expected = []
    for k, (turn, bound) in enumerate(pairs):
        p(f"%m{k} = pto.pltm_{t.mask} %t{k}, %b{k} : i16, i32 -> {mask}",
          f"pto.vsts %v, {p.ub(OUT + 256 * k, t)}[{p.const(0)}], %m{k} : {t.vreg}, {ptr}, {mask}")
        on = np.repeat([i + turn * n < bound for i in range(n)], width)  # Python's integers have no end
        expected.append(np.where(on, register, 0))
    p("}")
    p.flag("V", "MTE3")
    p.bulk_out(OUT, "%out", 256 * len(pairs))
    turns, bounds = zip(*pairs)
    args = [np.concatenate([register, np.zeros(256, np.uint8)]), np.array(turns, np.int16), np.array(bounds, np.int32),
            np.full(256 * len(pairs), 0xEE, np.uint8)]
    ptorun.expect(p.write(f"pltm_b{8 * width}"), args, {3: np.concatenate(expected).astype(np.uint8)}, what=f"pltm_b{8 * width}")
    # in a loop, as a tail of 5 registers and a bit
    p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
    count = 5 * n + 3
    p.gm_ub("%in", IN, 256, 6, 256, 256)
    p.gm_ub("%out", OUT, 256, 6, 256, 256)
    p.flag("MTE2", "V")
    p("pto.vecscope {", f"scf.for %i = {p.const(0)} to {p.const(6)} step {p.const(1)} {{", "%t = arith.index_cast %i : index to i16",
      f"%m = pto.pltm_{t.mask} %t, {p.const(count, 'i32')} : i16, i32 -> {mask}", f"%o = arith.muli %i, {p.const(n)} : index",
      f"%v = pto.vlds {p.ub(IN, t)}[%o] : {ptr} -> {t.vreg}", f"pto.vsts %v, {p.ub(OUT, t)}[%o], %m : {t.vreg}, {ptr}, {mask}", "}", "}")
    p.flag("V", "MTE3")
    p.bulk_out(OUT, "%out", 6 * 256)
    data, old = g.integers(0, 256, 6 * 256, dtype=np.uint8), np.full(6 * 256, 0xEE, np.uint8)
    ptorun.expect(p.write(f"pltm_b{8 * width}_loop"), [data, old],
                  {1: np.concatenate([data[:count * width], old[count * width:]])}, what=f"pltm_b{8 * width} in a loop")
