"""Runs transfers and compares UB and GM with the plain model of ptoref.

A kernel is a list of cases. Each case first fills a UB window with known bytes, so that what a transfer leaves alone
is seen too; afterwards the window goes out to its own part of the output.
"""
import numpy as np

import ptoref
import ptorun

WINDOW = 32 * 1024  # bytes of UB a case may touch, from address 0


class Cases:
    """Transfers with `pto.barrier PIPE_ALL` between cases; one source buffer, one output per case."""

    def __init__(self, name, gm, window=WINDOW):
        self.name, self.window = name, window
        self.gm = gm  # uint8, the source
        self.fill = ptoref.rng(name, "fill").integers(0, 256, window, dtype=np.uint8)
        self.p = ptorun.Program("%gm: !pto.ptr<i8, gm>", "%fill: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
        self.expected = []
        self.typed = {}
        self.registers = {"outtoub": [(1, 1), (0, 0), (0, 0)], "ubtoout": [(1, 1), (0, 0), (0, 0)]}
        self.pad = b"\0"

    def source(self, element, offset=0):
        """The source buffer as a pointer to `element`, `offset` bytes in."""
        p = self.p
        if element not in self.typed:
            self.typed[element] = p.value()
            p.head.append(f"{self.typed[element]} = pto.castptr %gm : !pto.ptr<i8, gm> -> !pto.ptr<{element}, gm>")
        return p.gm(self.typed[element], offset // ptoref.Type(element).bytes, element)

    def begin(self, stale=False):
        """Fills the window. Loop counts are set again: the fill is a grouped transfer, and old counts behind one are a
        warning of their own."""
        self.p.bulk_in("%fill", 0, self.window)
        self.p.barrier()
        self.ub = self.fill.copy()
        if not stale and self.registers["outtoub"][0] != (1, 1):
            self.set_size("outtoub", *self.registers["outtoub"][0])

    def end(self):
        """The window of UB is this case's result."""
        self.p.barrier()
        self.p.bulk_out(0, self.p.gm("%out", self.window * len(self.expected)), self.window)
        self.p.barrier()
        self.expected.append(self.ub)

    def load(self, length, n=1, ss=0, ds=0, loops=(), pad=None, counts=None, element="i32", src=0, dst=0):
        """mte_gm_ub; pad is (text of the value, type, its bytes)."""
        self.p.gm_ub(self.source(element, src), dst, length, n, ss, ds, loops, pad and pad[:2], counts, element)
        left, right = counts or (0, 0)
        ptoref.load(self.gm, self.ub, src, dst, length, n, ss, ds, loops, pad and pad[2], ptoref.Type(element).bytes,
                    left, right)

    def set_size(self, direction, n1, n2):
        self._set(f"set_loop_size_{direction}", direction, 0, n1, n2)

    def set_stride(self, direction, loop, src, dst):
        self._set(f"set_loop{loop}_stride_{direction}", direction, loop, src, dst)

    def _set(self, op, direction, which, a, b):
        self.p(f"pto.{op} {self.p.i64(a)}, {self.p.i64(b)} : i64, i64")
        self.registers[direction][which] = (a, b)

    def set_pad(self, value, type_, raw):
        self.p(f"pto.set_mov_pad_val {self.p.const(value, type_)} : {type_}")
        self.pad = raw

    def loops(self, direction):
        (n1, n2), (s1, d1), (s2, d2) = self.registers[direction]
        return [(n1, s1, d1), (n2, s2, d2)]

    def copy_in(self, n, length, ss, ds, select=False, left=0, right=0, element="i32", src=0, dst=0, sid=0, l2=0):
        """copy_gm_to_ubuf with the registers as they are."""
        p = self.p
        operands = [p.i64(v) for v in (sid, n, length, left, right)] + [p.const("true" if select else "false", "i1")]
        operands += [p.i64(v) for v in (l2, ss, ds)]
        p(f"pto.copy_gm_to_ubuf {self.source(element, src)}, {p.ub(dst, element)}, {', '.join(operands)} : "
          f"!pto.ptr<{element}, gm>, !pto.ptr<{element}, ub>, i64, i64, i64, i64, i64, i1, i64, i64, i64")
        ptoref.load(self.gm, self.ub, src, dst, length, n, ss, ds, self.loops("outtoub"),
                    self.pad if select else None, ptoref.Type(element).bytes, left, right)

    def run(self, ways=ptorun.ALL_WAYS, contains=()):
        result = np.concatenate(self.expected)
        path = self.p.write(self.name)
        args = [self.gm, self.fill, np.zeros(len(result), np.uint8)]
        ptorun.expect(path, args, {2: result}, ways=ways, what=self.name)
        if contains:
            ptorun.refused(path, args, ["--werror"], contains)
        print(f"{self.name}: {len(self.expected)} cases")


class Stores:
    """Transfers UB to GM: UB holds a known image, every case writes its own pre-filled part of the output."""

    def __init__(self, name, part=32 * 1024):
        g = ptoref.rng(name)
        self.name, self.part = name, part
        self.ub = g.integers(0, 256, WINDOW, dtype=np.uint8)
        self.before = g.integers(0, 256, part, dtype=np.uint8)
        self.p = ptorun.Program("%ub: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
        self.p.bulk_in("%ub", 0, WINDOW)
        self.p.flag("MTE2", "MTE3")
        self.expected = []
        self.registers = [(1, 1), (0, 0), (0, 0)]

    def begin(self, element):
        self.now = self.before.copy()
        self.expected.append(self.now)
        p = self.p
        raw = p.gm("%out", self.part * (len(self.expected) - 1))
        typed = p.value()
        p(f"{typed} = pto.castptr {raw} : !pto.ptr<i8, gm> -> !pto.ptr<{element}, gm>")
        return typed

    def store(self, length, n=1, ss=0, ds=0, loops=(), element="i32", src=0, dst=0):
        """One mte_ub_gm into a fresh part."""
        out = self.begin(element)
        out = self.p.gm(out, dst // ptoref.Type(element).bytes, element)
        self.p.ub_gm(src, out, length, n, ss, ds, loops, element)
        ptoref.store(self.now, self.ub, src, dst, length, n, ss, ds, loops)

    def set_size(self, n1, n2):
        self.p(f"pto.set_loop_size_ubtoout {self.p.i64(n1)}, {self.p.i64(n2)} : i64, i64")
        self.registers[0] = (n1, n2)

    def set_stride(self, loop, src, dst):
        self.p(f"pto.set_loop{loop}_stride_ubtoout {self.p.i64(src)}, {self.p.i64(dst)} : i64, i64")
        self.registers[loop] = (src, dst)

    def copy_out(self, n, length, ds, ss, element="i32", src=0, dst=0, sid=0):
        """One copy_ubuf_to_gm into a fresh part; the destination stride comes first."""
        out = self.p.gm(self.begin(element), dst // ptoref.Type(element).bytes, element)
        p = self.p
        operands = ", ".join(p.i64(v) for v in (sid, n, length, 0, ds, ss))
        p(f"pto.copy_ubuf_to_gm {p.ub(src, element)}, {out}, {operands} : "
          f"!pto.ptr<{element}, ub>, !pto.ptr<{element}, gm>, i64, i64, i64, i64, i64, i64")
        (n1, n2), (s1, d1), (s2, d2) = self.registers
        ptoref.store(self.now, self.ub, src, dst, length, n, ss, ds, [(n1, s1, d1), (n2, s2, d2)])

    def run(self, ways=ptorun.ALL_WAYS, contains=()):
        result = np.concatenate(self.expected)
        path = self.p.write(self.name)
        args = [self.ub, np.tile(self.before, len(self.expected))]
        ptorun.expect(path, args, {1: result}, ways=ways, what=self.name)
        if contains:
            ptorun.refused(path, args, ["--werror"], contains)
        print(f"{self.name}: {len(self.expected)} cases")
