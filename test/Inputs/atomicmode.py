"""set_atomic_*: the field of CTRL that each writes (CREG-18), and what stores to GM become (CREG-7, CREG-8, DMA-24)."""
import numpy as np
import ptorun
from ptoref import BINARY, Type, specials

TYPES = {"f32": ("f32", 1), "f16": ("f16", 2), "s16": ("i16", 3), "s32": ("i32", 4), "s8": ("i8", 5), "bf16": ("bf16", 6)}
OPERATIONS = {"add": ("vadd", 0), "max": ("vmax", 1), "min": ("vmin", 2)}


def after(word, ctrl):
    """CTRL after the instruction."""
    if word in OPERATIONS:
        return ctrl & ~(3 << 9) | OPERATIONS[word][1] << 9
    return ctrl & ~(7 << 6) | (TYPES[word][1] if word in TYPES else 0) << 6


def check_field(word):
    """Other bits stay, whatever they are."""
    p = ptorun.Program("%out: !pto.ptr<i64, gm>")
    starts = [0, -1, 0x5555555555555555, 7 << 6, 3 << 9, ~(7 << 6), ~(3 << 9)]
    for k, start in enumerate(starts):
        p(f"pto.set_ctrl {p.i64(start)} : i64", f"pto.set_atomic_{word}", f"%c{k} = pto.get_ctrl : i64",
          f"pto.store_scalar %c{k}, %out[{p.const(k)}] : !pto.ptr<i64, gm>, i64")
    p(f"pto.set_ctrl {p.i64(0)} : i64")
    expected = np.array([after(word, start) for start in starts], np.int64)
    ptorun.expect(p.write(f"field_{word}"), [np.full_like(expected, 7)], {0: expected})


def check_stores(pairs):
    """Pairs of type and operation: all pairs of special values; then a store that is plain again."""
    p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
    ins, before, results, size = [], [], [], 0
    for kind, operation in pairs:
        t = Type(TYPES[kind][0])
        s = specials(t)
        s = s[~((s.astype(np.int64) & (t.sign - 1)) > t.inf)] if t.float else s  # NaN is for vadd.test
        n = -(-len(s) * len(s) * t.bytes // 256) * 256 // t.bytes
        new, old = np.resize(np.repeat(s, len(s)), n), np.resize(np.tile(s, len(s)), n)
        p(f"pto.set_atomic_{operation}", f"pto.set_atomic_{kind}")
        q, out = p.value(), p.gm("%out", size)
        p(f"{q} = pto.castptr {out} : !pto.ptr<i8, gm> -> !pto.ptr<{t}, gm>")
        p.ub_gm(size, q, 256, new.nbytes // 256, 256, 256, element=t.name)
        with np.errstate(over="ignore"):
            result = BINARY[OPERATIONS[operation][0]](old, new, t)
        ins.append(new.view(np.uint8)), before.append(old.view(np.uint8)), results.append(result.view(np.uint8))
        size += new.nbytes
    p("pto.set_atomic_none")
    p.ub_gm(0, p.gm("%out", size), 256)
    body, p.body = p.body, []
    p.bulk_in("%in", 0, size)
    p.flag("MTE2", "MTE3")
    p.body += body
    ins = np.concatenate(ins)
    before.append(np.full(256, 9, np.uint8)), results.append(ins[:256])
    ptorun.expect(p.write("_".join(pairs[0])), [ins, np.concatenate(before)], {1: np.concatenate(results)})


def check_width(kind):
    """Elements have the width of the type, or are bytes; a transfer that breaks that does nothing."""
    t, size = Type(TYPES[kind][0]), 256
    for element in ("i8", "i16", "f32", "i64"):
        p = ptorun.Program(f"%in: !pto.ptr<{element}, gm>", f"%out: !pto.ptr<{element}, gm>")
        p.gm_ub("%in", 0, size, element=element)
        p.flag("MTE2", "MTE3")
        p(f"pto.set_atomic_{kind}", "pto.set_atomic_add")
        p.ub_gm(0, "%out", size, element=element)
        p("pto.set_atomic_none")
        path = p.write(f"width_{kind}_{element}")
        new, old = np.arange(size, dtype=np.uint8) % 64, np.full(size, 1, np.uint8)  # no NaN
        width = Type(element).bytes
        if width in (1, t.bytes):
            total = BINARY["vadd"](old.view(t.bits), new.view(t.bits), t).view(np.uint8)
            ptorun.expect(path, [new, old], {1: total})
        else:
            ptorun.refused(path, [new, old], contains=["transfer-operand", "DMA-24", f"elements of {width} bytes"])
