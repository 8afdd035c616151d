"""Many cases of vector instructions in one kernel, checked over every byte of UB.

All of UB comes in by DMA with random bytes, one vector scope holds the cases, all of UB goes out again. Beside the
text runs a model of UB: a case emits an instruction and applies the reference to the model. What the reference
does not write must keep its bytes, so a store that touches a byte too many is found wherever it lands.

Sources lie below OUT and are never written; every result gets fresh bytes above it, with random bytes around.
"""
import re

import numpy as np

import maskref
import ptorun
from ptoref import floats, ints, rng

UB = 256 * 1024
SIZES = {"a5": UB, "a3": 192 * 1024, "a2": 192 * 1024}
OUT = 96 * 1024
TYPES = ints(8, 16, 32, 64) + floats("f16", "bf16", "f32")
NARROW = [t for t in TYPES if t.bytes <= 4]
WAYS = (["--schedule", "random:1"], ["--check", "none"])


def lanes(register, t):
    """Bytes to a list of lanes."""
    return np.ascontiguousarray(register).view(t.bits).tolist()


def register(lanes_, t):
    """A list of lanes to bytes."""
    return np.array(lanes_, t.bits).view(np.uint8)


class Bench:
    def __init__(self, name, arch="a5"):
        self.name, self.p, self.arch = name, ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>"), arch
        self.rng = rng("bench", name)
        self.size = SIZES[arch]
        self.ub = self.rng.integers(0, 256, self.size, dtype=np.uint8)
        self.start = self.ub.copy()
        self.used, self.made, self.notes = 0, OUT, []
        self.limit = self.size  # results end here
        self.known = {}

    # ---- UB

    def place(self, data, align=32):
        """Bytes that are in UB from the start -> their address."""
        data = np.ascontiguousarray(data).view(np.uint8).ravel()
        at = -(-self.used // align) * align
        self.used = at + len(data)
        if self.used > OUT:
            ptorun.fail(f"{self.name}: no room for sources")
        self.ub[at:self.used] = self.start[at:self.used] = data
        return at

    def random(self, size, align=32):
        """Random bytes in UB from the start -> their address."""
        at = -(-self.used // align) * align
        self.used = at + size
        if self.used > OUT:
            ptorun.fail(f"{self.name}: no room for sources")
        return at

    def out(self, size, note, align=32, shift=0):
        """Fresh bytes at `shift` behind a multiple of `align`, with at least 32 random ones behind them."""
        at = -(-self.made // align) * align + shift
        self.made = at + size + 32
        if self.made > self.limit:
            ptorun.fail(f"{self.name}: no room for results")
        self.notes.append((at, at + size, note))
        return at

    def room(self, results, sources=0):
        return self.made + results <= self.limit and self.used + sources <= OUT

    # ---- text

    def __call__(self, *lines):
        self.p(*lines)

    def value(self):
        return self.p.value()

    def const(self, value, type_="index"):
        return self.p.const(value, type_)

    def ptr(self, address, element):
        return self.p.ub(address, element)

    def vector(self, t, data=None):
        """A register with given or random bytes -> (its name, its bytes)."""
        at = self.random(256) if data is None else self.place(data)
        v = self.value()
        self(f"{v} = pto.vlds {self.ptr(at, t)}[{self.const(0)}] : !pto.ptr<{t}, ub> -> {t.vreg}")
        return v, self.ub[at:at + 256].copy()

    def mask(self, image, grain):
        """Any image, canonical or not, as a mask value of b8, b16 or b32; made once."""
        key = (image.tobytes(), grain)
        if key not in self.known:
            at = self.place(maskref.packed(image))
            m = self.known[key] = self.value()
            self(f'{m} = pto.plds {self.ptr(at, "ui8")}[{self.const(0)}], "NORM" : !pto.ptr<ui8, ub>, index -> !pto.mask<{grain}>')
        return self.known[key]

    def keep(self, value, t, expected, note):
        """Stores a whole register whose bytes must be `expected`."""
        at = self.out(256, note)
        self(f"pto.vsts {value}, {self.ptr(at, t)}[{self.const(0)}] : {t.vreg}, !pto.ptr<{t}, ub>")
        self.ub[at:at + 256] = expected

    def keep_mask(self, value, grain, expected, note):
        """Stores a mask bit for bit."""
        at = self.out(32, note)
        self(f'pto.psts {value}, {self.ptr(at, "ui8")}[{self.const(0)}], "NORM" : !pto.mask<{grain}>, !pto.ptr<ui8, ub>, index')
        self.ub[at:at + 32] = maskref.packed(expected)

    # ---- the run

    def text(self):
        p = ptorun.Program(*self.p.parameters)
        p.head, p.known = self.p.head, self.p.known
        p.gm_ub("%in", 0, 32768, self.size // 32768, 32768, 32768)
        p.flag("MTE2", "V")
        p("pto.vecscope {", *self.p.body, "}")
        p.flag("V", "MTE3")
        p.ub_gm(0, "%out", 32768, self.size // 32768, 32768, 32768)
        return p.text().replace('pto.target_arch = "a5"', f'pto.target_arch = "{self.arch}"')

    def write(self):
        path = ptorun.scratch(self.name + ".pto")
        with open(path, "w") as file:
            file.write(self.text())
        return path

    def refused(self, *contains, options=()):
        """The kernel must fail, with or without a run, and say each of `contains`."""
        return ptorun.refused(self.write(), [self.start, np.zeros(self.size, np.uint8)], options, contains)

    def run(self, ways=WAYS, warnings=(), expected=()):
        """`warnings`: codes that may be reported; `expected`: codes that must be, with checks on."""
        path = self.write()
        for way in ways:
            (got,), shown = ptorun.tool(path, [self.start, np.zeros(self.size, np.uint8)], (1,), ["--max-findings", "100000", *way])
            self.compare(got, path, way)
            codes = set(re.findall(r"warning\[([\w-]+)\]", shown))
            if extra := codes - set(warnings) - set(expected):
                ptorun.fail(f"{path} with {way} reports {sorted(extra)}:\n{shown[:3000]}")
            if way[:2] != ["--check", "none"] and (missing := set(expected) - codes):
                ptorun.fail(f"{path} with {way} does not report {sorted(missing)}:\n{shown[:3000]}")

    def compare(self, got, path, way):
        if len(got) != self.size:
            ptorun.fail(f"{path} with {way}: {len(got)} bytes of UB, expected {self.size}")
        bad = np.flatnonzero(got != self.ub)
        if not len(bad):
            return
        k = int(bad[0])
        note = next((f"byte {k - lo} of {n} (at 0x{lo:x})" for lo, hi, n in self.notes if lo <= k < hi), None)
        if note is None:
            note = next((f"0x{k:x}, in front of {n} (at 0x{lo:x})" for lo, hi, n in self.notes if k < lo), f"0x{k:x}")
        lo = k // 32 * 32
        ptorun.fail(f"{path} with {way}: {len(bad)} bytes differ, the first is {note}\n  got      {bytes(got[lo:lo + 32]).hex(' ')}\n"
                    f"  expected {bytes(self.ub[lo:lo + 32]).hex(' ')}\n  before   {bytes(self.start[lo:lo + 32]).hex(' ')}")


class Suite:
    """Benches of one test, begun as room runs out."""

    def __init__(self, name, arch="a5", **options):
        self.name, self.arch, self.options, self.benches = name, arch, options, []

    def bench(self, results=1024, sources=1024):
        if not self.benches or not self.benches[-1].room(results, sources):
            self.benches.append(Bench(f"{self.name}{len(self.benches)}", self.arch))
        return self.benches[-1]

    def run(self, ways=WAYS):
        for b in self.benches:
            b.run(ways, **self.options)
        print(f"{self.name}: {sum(len(b.notes) for b in self.benches)} results in {len(self.benches)} kernels")


def byte_masks(grain, *key):
    """The sample images for a grain: name -> image."""
    return maskref.samples(int(grain[1:]) // 8, *key)
