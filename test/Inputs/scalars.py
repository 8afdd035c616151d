"""Copies scalars of every type from one memory to another."""
import numpy as np

import ptorun
from ptoref import floats, ints, operands, rng

TYPES = ints(8, 16, 32, 64) + floats("f16", "bf16", "f32")
COUNT = 4  # elements of each type
ROW = 64   # bytes of a type: its elements at the front, sentinels behind


def check(load_space, store_space, in_scope, name):
    p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>", "%out_ub: !pto.ptr<i8, gm>")
    size = ROW * len(TYPES)
    source = np.zeros((len(TYPES), ROW), np.uint8)
    before = rng("scalars").integers(0, 256, (len(TYPES), ROW), dtype=np.uint8)
    expected = before.copy()
    fill = 2 * size
    p.gm_ub("%in", 0, ROW, len(TYPES), ROW, ROW)
    p.gm_ub("%out_ub", fill, ROW, len(TYPES), ROW, ROW)
    p.barrier()
    if in_scope:
        p("pto.vecscope {")
    for k, t in enumerate(TYPES):
        values = operands(1, t)[0]
        values = np.concatenate([values[[1, 8, 9]], values[[15 if t.float else 6]]])  # payload of a NaN, extremes
        source[k, :COUNT * t.bytes] = values.view(np.uint8)

        def pointer(space, at, gm):
            if space == "ub":
                return p.ub(at, t)
            q = p.value()
            p.head.append(f"{q} = pto.castptr {gm} : !pto.ptr<i8, gm> -> !pto.ptr<{t}, gm>")
            r = p.value()
            p.head.append(f"{r} = pto.addptr {q}, {p.const(ROW * k // t.bytes)} : !pto.ptr<{t}, gm> -> !pto.ptr<{t}, gm>")
            return r

        src = pointer(load_space, ROW * k, "%in")
        dst = pointer(store_space, fill + ROW * k, "%out")
        for i in range(COUNT):
            x = p.value()
            j = COUNT - 1 - i
            p(f"{x} = pto.load_scalar {src}[{p.const(i)}] : !pto.ptr<{t}, {load_space}> -> {t}",
              f"pto.store_scalar {x}, {dst}[{p.const(j)}] : !pto.ptr<{t}, {store_space}>, {t}")
            expected[k, j * t.bytes:(j + 1) * t.bytes] = source[k, i * t.bytes:(i + 1) * t.bytes]
    if in_scope:
        p("}")
    p.barrier()
    if store_space == "ub":
        p.ub_gm(fill, "%out", ROW, len(TYPES), ROW, ROW)
    ptorun.expect(p.write(name), [source, before, before], {1: expected},
                  ways=(["--werror"], ["--check", "none"], ["--schedule", "random:1"]), what=name)


def spellings(which):
    """Synonyms, negative indices and indices only the run knows."""
    p = ptorun.Program("%in: !pto.ptr<i32, gm>", "%out: !pto.ptr<i32, gm>")
    data = np.arange(10, 42, dtype=np.int32)
    out = np.zeros(32, np.int32)
    end = p.value()
    p(f"{end} = pto.addptr %in, {p.const(32)} : !pto.ptr<i32, gm> -> !pto.ptr<i32, gm>")
    loads = [("load_scalar", ""), ("load", ""), ("ldg", " l1cache(cache) l2cache(nmfv)")]
    stores = [("store_scalar", ""), ("store", ""), ("stg", " l1cache(uncache) l2cache(nmlv)")]
    p(f"scf.for %i = {p.const(0)} to {p.const(8)} step {p.const(1)} {{", f"%back = arith.subi %i, {p.const(32)} : index")
    for k in range(3):
        load, load_hints = loads[k if which == "load" else 0]
        store, store_hints = stores[k if which == "store" else 0]
        x, j = p.value(), p.value()
        p(f"{x} = pto.{load} {end}[%back]{load_hints} : !pto.ptr<i32, gm> -> i32",
          f"{j} = arith.addi %i, {p.const(8 * k)} : index",
          f"pto.{store} {x}, %out[{j}]{store_hints} : !pto.ptr<i32, gm>, i32")
        out[8 * k:8 * k + 8] = data[:8]
    p("}")
    ptorun.expect(p.write("spellings"), [data, np.zeros(32, np.int32)], {1: out}, ways=ptorun.ALL_WAYS[1:])


def check_device(load, store):
    """Integers of every type from GM to GM, with indices of either sign; the named accesses go past the cache."""
    p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
    kinds = ints(8, 16, 32, 64)
    source = rng("device").integers(0, 256, (len(kinds), ROW), dtype=np.uint8)
    expected = rng("device before").integers(0, 256, (len(kinds), ROW), dtype=np.uint8)
    before = expected.copy()
    for k, t in enumerate(kinds):
        ends = []
        for gm in ("%in", "%out"):
            q, r = p.value(), p.value()
            p(f"{q} = pto.castptr {gm} : !pto.ptr<i8, gm> -> !pto.ptr<{t}, gm>",
              f"{r} = pto.addptr {q}, {p.const((ROW * k + 32) // t.bytes)} : !pto.ptr<{t}, gm> -> !pto.ptr<{t}, gm>")
            ends.append(r)
        p(f"scf.for %i = {p.const(-3)} to {p.const(4)} step {p.const(1)} {{",
          f"%x = pto.{load} {ends[0]}[%i] : !pto.ptr<{t}, gm> -> {t}", f"%j = arith.subi {p.const(0)}, %i : index",
          f"pto.{store} %x, {ends[1]}[%j] : !pto.ptr<{t}, gm>, {t}", "}")
        for i in range(-3, 4):
            at, to = 32 + i * t.bytes, 32 - i * t.bytes
            expected[k, to:to + t.bytes] = source[k, at:at + t.bytes]
    ptorun.expect(p.write(f"{load}_{store}"), [source, before], {1: expected}, what=f"{load} and {store}")


def device_order(load, store):
    """They are accesses of PIPE_S in program order, and need an order against pipes."""
    for ordered in (True, False):
        p = ptorun.Program("%in: !pto.ptr<i32, gm>", "%out: !pto.ptr<i32, gm>")
        p.gm_ub("%in", 0, 256, element="i32")
        p.flag("MTE2", "MTE3")
        p.ub_gm(0, "%out", 256, element="i32")
        if ordered:
            p.flag("MTE3", "S")
        p(f"%a = pto.{load} %out[{p.const(3)}] : !pto.ptr<i32, gm> -> i32", f"%b = arith.addi %a, {p.const(1, 'i32')} : i32",
          f"pto.{store} %b, %out[{p.const(4)}] : !pto.ptr<i32, gm>, i32", f"%c = pto.{load} %out[{p.const(4)}] : !pto.ptr<i32, gm> -> i32",
          f"pto.{store} %c, %out[{p.const(5)}] : !pto.ptr<i32, gm>, i32")
        data = np.arange(100, 164, dtype=np.int32)
        path, args = p.write(f"order{int(ordered)}"), [data, np.zeros(64, np.int32)]
        if not ordered:
            ptorun.refused(path, args, contains=["error[race-raw]", f"`pto.{load}`"])
            continue
        data = data.copy()
        data[4] = data[5] = data[3] + 1
        ptorun.expect(path, args, {1: data})
