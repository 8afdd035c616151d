"""Load, double, store, tile by tile through one set of buffers, ordered by buffer ids alone."""
import numpy as np

import ptorun
from ptoref import rng

TILES = 5
VREG, MASK, UB = "!pto.vreg<64xi32>", "!pto.mask<b32>", "!pto.ptr<i32, ub>"


def kernel(bracket, tiles=TILES):
    """`bracket(p, op, pipe, id, tile)` writes `op` (get_buf or rls_buf). Ids: 2t input, 2t+1 output, t = tile % 2."""
    p = ptorun.Program("%in: !pto.ptr<i32, gm>", "%out: !pto.ptr<i32, gm>")
    data = rng("brackets").integers(-1000, 1000, (tiles, 64)).astype(np.int32)
    zero = p.const(0)
    for tile in range(tiles):
        a, b = 2 * (tile % 2), 2 * (tile % 2) + 1
        at_in, at_out = 256 * a, 256 * b
        bracket(p, "get_buf", "MTE2", a, tile)
        p.gm_ub(p.gm("%in", 64 * tile, "i32"), at_in, 256, element="i32")
        bracket(p, "rls_buf", "MTE2", a, tile)
        bracket(p, "get_buf", "V", a, tile)
        bracket(p, "get_buf", "V", b, tile)
        x, y = p.value(), p.value()
        p("pto.vecscope {", f"{x} = pto.vlds {p.ub(at_in, 'i32')}[{zero}] : {UB} -> {VREG}",
          f"{y} = pto.vadd {x}, {x} : {VREG}, {VREG} -> {VREG}",
          f"pto.vsts {y}, {p.ub(at_out, 'i32')}[{zero}] : {VREG}, {UB}", "}")
        bracket(p, "rls_buf", "V", a, tile)
        bracket(p, "rls_buf", "V", b, tile)
        bracket(p, "get_buf", "MTE3", b, tile)
        p.ub_gm(at_out, p.gm("%out", 64 * tile, "i32"), 256, element="i32")
        bracket(p, "rls_buf", "MTE3", b, tile)
    return p, [data, np.zeros_like(data)], {1: 2 * data}
