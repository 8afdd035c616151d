"""Runs one lane-wise instruction over types and masks, and compares every byte with ptoref.

One kernel holds all cases: the operands come in by DMA, one vector scope per (type, mask) stores whole
registers, and the results go out by DMA.
"""
import numpy as np

import ptoref
import ptorun

IN, OUT = 0, 128 * 1024  # UB: operands below, results above
LIMIT = 120 * 1024
WAYS = (["--werror"], ["--check", "none"])


def masks(t):
    """One of each kind: all, none, prefix, sparse, halves, run-time tail; and no mask at all."""
    g = t.mask
    return [None, (g, "PAT_ALL"), (g, "PAT_ALLF"), (g, "PAT_VL3"), (g, "PAT_M3"), (g, "PAT_H"), (g, 37)]


def image(spec):
    if spec is None:
        return np.ones(256, bool)
    grain, what = spec
    width = int(grain[1:]) // 8
    return ptoref.pset(what, width) if isinstance(what, str) else ptoref.plt(what, width)[0]


class Batch:
    def __init__(self, number):
        self.p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
        self.number, self.ins, self.outs, self.notes = number, [], [], []
        self.used = self.made = 0

    def fits(self, operand_bytes, result_bytes):
        return self.used + operand_bytes <= LIMIT and self.made + result_bytes <= LIMIT

    def place(self, operands):
        """Puts operands in the input; returns their UB addresses."""
        addresses = []
        for x in operands:
            addresses.append(IN + self.used)
            self.ins.append(x.view(np.uint8))
            self.used += x.nbytes
        return addresses

    def add(self, name, t, spec, addresses, expected, note):
        p = self.p
        ptr = f"!pto.ptr<{t}, ub>"
        at_out = OUT + self.made
        p("pto.vecscope {")
        m = None if spec is None else p.mask(spec)
        p(f"scf.for %i = {p.const(0)} to {p.const(len(expected))} step {p.const(t.lanes)} {{")
        values = []
        for address in addresses:
            values.append(p.value())
            p(f"{values[-1]} = pto.vlds {p.ub(address, t)}[%i] : {ptr} -> {t.vreg}")
        r = p.value()
        vectors, types = ", ".join(values), ", ".join([t.vreg] * len(values))
        gate, gate_type = ("", "") if m is None else (f", {m}", f", !pto.mask<{t.mask}>")
        p(f"{r} = pto.{name} {vectors}{gate} : {types}{gate_type} -> {t.vreg}",
          f"pto.vsts {r}, {p.ub(at_out, t)}[%i] : {t.vreg}, {ptr}", "}", "}")
        self.outs.append((expected, note, t))
        self.made += expected.nbytes

    def run(self, name, same):
        p = self.p
        body, p.body = p.body, []
        p.bulk_in("%in", IN, self.used)
        p.flag("MTE2", "V")
        p.body += body
        p.flag("V", "MTE3")
        p.bulk_out(OUT, "%out", self.made)
        path = p.write(f"{name}{self.number}")
        args = [np.concatenate(self.ins), np.zeros(self.made, np.uint8)]
        first = None
        for way in WAYS:
            (got,), _ = ptorun.tool(path, args, (1,), way)
            if first is None:
                first = got
            ptorun.compare(got, first, f"{name} with {way} against the first run", path)
        at = 0
        for expected, note, t in self.outs:
            got = first[at:at + expected.nbytes].view(t.bits)
            at += expected.nbytes
            bad = np.flatnonzero(~same(got, expected, t))
            if len(bad):
                k = bad[0]
                ptorun.fail(f"{note}: {len(bad)} of {len(got)} lanes differ, the first is lane {k % t.lanes} of register "
                            f"{k // t.lanes}: got 0x{int(got[k]):x}, expected 0x{int(expected[k]):x} ({path})")


def exact(got, expected, t):
    return got == expected


def check(name, types, make=None, same=exact):
    """`make(t)` gives operand arrays; the default is specials and random registers."""
    arity = 1 if name in ptoref.UNARY else 2
    batches, cases = [], 0
    for t in types:
        operands = make(t) if make else ptoref.operands(arity, t)
        size, place = operands[0].nbytes, None
        for spec in masks(t):
            if not batches or not batches[-1].fits(0 if place else arity * size, size):
                batches.append(Batch(len(batches)))
                place = None
            place = place or batches[-1].place(operands)
            expected = ptoref.lane_op(name, operands, image(spec), t)
            batches[-1].add(name, t, spec, place, expected, f"{name} {t} mask {spec}")
            cases += 1
    for batch in batches:
        batch.run(name, same)
    print(f"{name}: {cases} cases in {len(batches)} kernels")
