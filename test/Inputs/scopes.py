"""The same small computation in each of the three carriers of a vector scope."""
import numpy as np

import ptorun
from ptoref import rng

VREG, MASK, UB = "!pto.vreg<64xi32>", "!pto.mask<b32>", "!pto.ptr<i32, ub>"


def check(carrier):
    """out = 2 * in + in, 8 registers; offsets, pointers and a scalar come from outside."""
    p = ptorun.Program("%in: !pto.ptr<i32, gm>", "%out: !pto.ptr<i32, gm>", "%n: i32")
    data = rng("scopes").integers(-9999, 9999, 512).astype(np.int32)
    zero, step, end = p.const(0), p.const(64), p.const(512)
    a, b = p.ub(0, "i32"), p.ub(4096, "i32")
    p.gm_ub("%in", 0, 2048, element="i32")
    p.gm_ub("%in", 4096, 2048, element="i32")  # what the masked store leaves behind
    p.flag("MTE2", "V")
    inner = ["%m, %next = pto.plt_b32 %left : i32 -> !pto.mask<b32>, i32", "%x = pto.vlds %a[%i] : {0} -> {1}",
             "%y = pto.vadd %x, %x, %m : {1}, {1}, {2} -> {1}", "%z = pto.vadd %y, %x, %m : {1}, {1}, {2} -> {1}",
             "pto.vsts %z, %b[%i], %m : {1}, {0}, {2}"]
    inner = [line.format(UB, VREG, MASK) for line in inner]
    outside = [line.replace("%a[", a + "[").replace("%b[", b + "[") for line in inner]
    loop = "%done = scf.for %i = {0} to {1} step {2} iter_args(%left = {3}) -> (i32) {{"
    if carrier == "vecscope":
        p("pto.vecscope {", loop.format(zero, end, step, "%n"), *outside, "scf.yield %next : i32", "}", "}")
    elif carrier == "strict_vecscope":
        p(f"pto.strict_vecscope({a}, {b}, %n, {zero}, {end}, {step}) {{",
          f"^bb0(%a: {UB}, %b: {UB}, %count: i32, %lo: index, %hi: index, %by: index):",
          loop.format("%lo", "%hi", "%by", "%count"), *inner, "scf.yield %next : i32", "}",
          f"}} : ({UB}, {UB}, i32, index, index, index) -> ()")
    else:  # the loop itself is the scope
        p(loop.format(zero, end, step, "%n"), *outside, "scf.yield %next : i32", "} {llvm.loop.aivector_scope}")
    p("pto.vecscope {", "}")  # an empty scope is legal
    p.flag("V", "MTE3")
    p.ub_gm(4096, "%out", 2048, element="i32")
    for n in (0, 1, 63, 64, 300, 512):
        expected = np.where(np.arange(512) < n, 3 * data, data).astype(np.int32)
        ptorun.expect(p.write(carrier), [data, np.zeros_like(data), n], {1: expected},
                      ways=ptorun.ALL_WAYS if n == 300 else (["--werror"],))
