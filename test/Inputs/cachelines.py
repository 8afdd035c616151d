"""A scalar load of GM after the line was cached and something else changed the memory."""
import numpy as np

import ptorun

LINE = 16  # i32 elements


def outcome(path, args, expected, stale, arch="a5"):
    """Values never depend on the cache; what is stale is told, once for each pair of places."""
    ptorun.expect(path, args, {1: expected}, ["--arch", arch], ways=([], ["--check", "none"], ["--schedule", "random:1"], ["--schedule", "lazy"]))
    _, shown = ptorun.tool(path, args, options=["--arch", arch, "--werror"], status=1 if stale else 0)
    if stale and shown.count("[stale-line]") != stale:
        ptorun.fail(f"{path}: expected {stale} of stale-line:\n{shown}")


def check(between=(), load="load_scalar", stale=True, first=3, then=5, arch="a5", name="stale"):
    """Load element `first`, change the row by MTE3, do what stands `between`, load element `then`."""
    p = ptorun.Program("%in: !pto.ptr<i32, gm>", "%out: !pto.ptr<i32, gm>")
    p.gm_ub("%in", 0, 512, element="i32")
    p(f"%a = pto.load_scalar %out[{p.const(first)}] : !pto.ptr<i32, gm> -> i32")
    p.barrier()
    p.ub_gm(0, "%out", 512, element="i32")
    p.barrier()
    p(*between)
    p(f"%b = pto.{load} %out[{p.const(then)}] : !pto.ptr<i32, gm> -> i32", "%c = arith.addi %a, %b : i32",
      f"pto.store_scalar %c, %out[{p.const(200)}] : !pto.ptr<i32, gm>, i32")
    data, old = np.arange(1000, 1128, dtype=np.int32), np.arange(256, dtype=np.int32)
    expected = old.copy()
    expected[:128] = data
    expected[200] = old[first] + data[then]
    text = p.text().replace('"a5"', f'"{arch}"')
    path = ptorun.scratch(name + ".pto")
    with open(path, "w") as file:
        file.write(text)
    outcome(path, [data, old], expected, int(stale), arch)


def check_own(store, stale):
    """The scalar unit itself changes a line that it has cached."""
    p = ptorun.Program("%in: !pto.ptr<i32, gm>", "%out: !pto.ptr<i32, gm>")
    p(f"%a = pto.load_scalar %out[{p.const(0)}] : !pto.ptr<i32, gm> -> i32", f"pto.{store} {p.const(77, 'i32')}, %out[{p.const(1)}] : !pto.ptr<i32, gm>, i32",
      f"%b = pto.load_scalar %out[{p.const(1)}] : !pto.ptr<i32, gm> -> i32", f"pto.store_scalar %b, %out[{p.const(40)}] : !pto.ptr<i32, gm>, i32")
    old = np.arange(64, dtype=np.int32)
    expected = old.copy()
    expected[1] = expected[40] = 77
    outcome(p.write(f"own_{store}"), [old, old], expected, int(stale))
