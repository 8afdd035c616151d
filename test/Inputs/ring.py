"""A kernel in which every ordered pair of S, V, MTE2 and MTE3 hands data on, once per round.

`order(program, src, dst, round)` writes what orders dst after src. Dropping one pair leaves a race, so a clean run shows
that each of the twelve orders, and nothing else, makes the kernel correct.
"""
import numpy as np

import ptorun
from ptoref import rng

ROUNDS = 8
A, B, W, C, D, E, F = range(0, 7 * 256, 256)  # UB: one register each
PAIRS = [("MTE2", "V"), ("V", "MTE3"), ("MTE3", "S"), ("V", "S"), ("S", "MTE3"), ("S", "V"), ("MTE2", "MTE3"),
         ("MTE3", "MTE2"), ("MTE2", "S"), ("S", "MTE2"), ("V", "MTE2"), ("MTE3", "V")]
VREG, MASK = "!pto.vreg<64xi32>", "!pto.mask<b32>"
UB, GM = "!pto.ptr<i32, ub>", "!pto.ptr<i32, gm>"


def kernel(order, rounds=ROUNDS, drop=None):
    """(program, arguments, expected bytes of argument 1). Output rows of a round: double, word, copy, scalar, word back."""
    p = ptorun.Program("%in: !pto.ptr<i32, gm>", "%out: !pto.ptr<i32, gm>")
    data = rng("ring").integers(-1000, 1000, (rounds, 64)).astype(np.int32)
    out = np.zeros((rounds, 5, 64), np.int32)
    zero = p.const(0)

    def sync(src, dst, e):
        if (src, dst) != drop:
            order(p, src, dst, e)

    def double(src, dst, pattern):
        p("pto.vecscope {")
        m, x, y = p.mask(("b32", pattern)), p.value(), p.value()
        p(f"{x} = pto.vlds {p.ub(src, 'i32')}[{zero}] : {UB} -> {VREG}",
          f"{y} = pto.vadd {x}, {x}, {m} : {VREG}, {VREG}, {MASK} -> {VREG}",
          f"pto.vsts {y}, {p.ub(dst, 'i32')}[{zero}], {m} : {VREG}, {UB}, {MASK}", "}")

    def load(pointer, space, index):
        x = p.value()
        p(f"{x} = pto.load_scalar {pointer}[{p.const(index)}] : !pto.ptr<i32, {space}> -> i32")
        return x

    for e in range(rounds):
        row = [p.gm("%out", (e * 5 + k) * 64, "i32") for k in range(5)]
        source = p.gm("%in", e * 64, "i32")
        p.gm_ub(source, A, 256, element="i32")
        sync("MTE2", "V", e)
        double(A, B, "PAT_ALL")
        out[e, 0] = 2 * data[e]
        sync("V", "MTE3", e)
        p.ub_gm(B, row[0], 256, element="i32")
        sync("MTE3", "V", e)          # B is read by MTE3, and made again
        double(A, B, "PAT_ALL")
        sync("V", "MTE2", e)          # A is read by V, and loaded again
        p.gm_ub(source, A, 256, element="i32")
        sync("MTE3", "S", e)
        x = load(row[0], "gm", 3)
        sync("V", "S", e)
        y = load(p.ub(B, "i32"), "ub", 5)
        z = p.value()
        p(f"{z} = arith.addi {x}, {y} : i32",
          f"pto.store_scalar {z}, {p.ub(W, 'i32')}[{zero}] : {UB}, i32")
        word = out[e, 0, 3] + out[e, 0, 5]
        sync("S", "MTE3", e)
        p.ub_gm(W, row[1], 4, element="i32")
        out[e, 1, 0] = word
        sync("S", "V", e)
        double(W, C, "PAT_VL1")
        sync("V", "S", e)
        doubled = load(p.ub(C, "i32"), "ub", 0)
        if e:
            sync("MTE3", "MTE2", e)   # D is read by MTE3
        p.gm_ub(source, D, 256, element="i32")
        sync("MTE2", "MTE3", e)
        p.ub_gm(D, row[2], 256, element="i32")
        out[e, 2] = data[e]
        sync("MTE3", "MTE2", e)
        if e:
            sync("S", "MTE2", e)      # E is read by S
        p.gm_ub(row[2], E, 256, element="i32")
        sync("MTE2", "S", e)
        s, t = load(p.ub(E, "i32"), "ub", 7), p.value()
        p(f"{t} = arith.addi {s}, {doubled} : i32",
          f"pto.store_scalar {t}, {row[3]}[{zero}] : {GM}, i32")
        out[e, 3, 0] = data[e, 7] + 2 * word
        sync("S", "MTE2", e)
        p.gm_ub(row[3], F, 4, element="i32")
        sync("MTE2", "MTE3", e)
        p.ub_gm(F, row[4], 4, element="i32")
        out[e, 4, 0] = out[e, 3, 0]
        sync("MTE3", "S", e)          # W is read by MTE3 and rewritten in the next round
        sync("MTE3", "MTE2", e)       # F likewise
    return p, [data, np.zeros_like(out)], {1: out}
