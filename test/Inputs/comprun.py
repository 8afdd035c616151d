"""Runs compute instructions over registers, masks and scalars, and compares every byte of every result.

One kernel holds many cases. A case is one instruction in a vector scope of its own, in a loop over the registers of its operands, and in
a loop around that over scalars, if it takes one. Operands, masks and scalars come from UB, results go to fresh bytes.

The texts rotate through the accepted forms (TEXT-1, TEXT-2, TEXT-3, TEXT-4, TEXT-5, TEXT-7), so that each form meets each instruction.
"""
import re

import numpy as np

import maskref
import ptorun
from ptoref import Type, encode, operands, plt, pset, random_bits, rng, specials, whole_registers

IN, OUT, LIMIT = 0, 128 * 1024, 120 * 1024  # UB: sources below, results above
WAYS = (["--schedule", "random:1"], ["--check", "none"])
FORMS = ("plain", "functional", "few", "mi", "dps", "semicolon")


def write_op(form, name, results, values, words="", attributes=""):
    """`results` and `values` are (name, type); words are quoted behind the operands."""
    names, types = ", ".join(v for v, _ in values), [t for _, t in values]
    out, out_types = ", ".join(r for r, _ in results), [t for _, t in results]
    text = names + (f', "{words}"' if words else "") + (f" {{{attributes}}}" if attributes else "")
    arrow, listed = ", ".join(out_types), ", ".join(types)
    if form == "dps" and not words and not attributes:
        return f"pto.{name} ins({names} : {listed}) outs({out} : {arrow})"
    if form == "functional":
        arrow = f"({arrow})" if len(out_types) > 1 else arrow
        listed = f"({listed})"
    if form == "few":  # what a register implies is left out, scalars are not
        listed = ", ".join([types[0]] + [t for t in types[1:] if not t.startswith("!pto.")])
    return f"{out} = pto.{'mi.' if form == 'mi' else ''}{name} {text} : {listed} -> {arrow}" + (";" if form == "semicolon" else "")


def exact(got, expected, t):
    return got == expected


class Batch:
    """One kernel."""

    def __init__(self, name):
        self.p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
        self.name, self.sources, self.checks, self.known = name, [], [], {}
        self.used = self.made = 0

    def place(self, data):
        """Bytes in UB from the start -> their address; equal bytes are there once."""
        data = np.ascontiguousarray(data).view(np.uint8).ravel()
        key = data.tobytes()
        if key not in self.known:
            self.known[key] = IN + self.used
            data = np.concatenate([data, np.zeros(-len(data) % 256, np.uint8)])
            self.sources.append(data)
            self.used += len(data)
        return self.known[key]

    def index(self, factor, number):
        """The value number * factor, for an offset in elements."""
        v = self.p.value()
        self.p(f"{v} = arith.muli {number}, {self.p.const(factor)} : index")
        return v

    def add(self, note, emit, vectors, results, mask, scalars, same):
        p = self.p
        count = len(vectors[0][1])
        p("pto.vecscope {")
        gate = None
        if isinstance(mask, tuple):
            gate = (p.mask(mask), f"!pto.mask<{mask[0]}>")
        if scalars is not None:
            scalar_type, listed = scalars
            p(f"scf.for %j = {p.const(0)} to {p.const(len(listed))} step {p.const(1)} {{",
              f"%s = pto.load_scalar {p.ub(self.place(listed), scalar_type)}[%j] : !pto.ptr<{scalar_type}, ub> -> {scalar_type}")
        p(f"scf.for %i = {p.const(0)} to {p.const(count)} step {p.const(1)} {{")
        values = []
        for t, data in vectors:
            v, loaded = p.value(), t if not hasattr(t, "short") else "ui8"
            p(f"{v} = pto.vlds {p.ub(self.place(data), loaded)}[{self.index(t.lanes, '%i')}] : !pto.ptr<{loaded}, ub> -> !pto.vreg<{t.lanes}x{loaded}>")
            if loaded != t:
                w, v = v, p.value()
                p(f"{v} = pto.vbitcast {w} : !pto.vreg<256xui8> -> {t.vreg}")
            values.append((v, t.vreg))
        if isinstance(mask, dict):  # grain -> an image for each register
            (grain, images), = mask.items()
            gate = (p.value(), f"!pto.mask<{grain}>")
            at = self.place(np.packbits(images, axis=-1, bitorder="little"))
            p(f'{gate[0]} = pto.plds {p.ub(at, "ui8")}[{self.index(32, "%i")}], "NORM" : !pto.ptr<ui8, ub>, index -> {gate[1]}')
        names = [(p.value(), f"!pto.mask<{k}>" if isinstance(k, str) else k.vreg) for k, _ in results]
        p(*emit(names, values, ("%s", str(scalars[0])) if scalars is not None else None, gate))
        number = "%i"
        if scalars is not None:
            number = p.value()
            p(f"{number} = arith.addi {self.index(count, '%j')}, %i : index")
        for (r, type_), (kind, expected) in zip(names, results):
            at = OUT + self.made
            if isinstance(kind, str):
                expected = np.packbits(expected.reshape(-1, 256), axis=-1, bitorder="little").ravel()
                p(f'pto.psts {r}, {p.ub(at, "ui8")}[{self.index(32, number)}], "NORM" : {type_}, !pto.ptr<ui8, ub>, index')
            else:
                expected = np.ascontiguousarray(expected).view(np.uint8).ravel()
                stored = kind if not hasattr(kind, "short") else "ui8"
                if stored != kind:
                    w, r = r, p.value()
                    p(f"{r} = pto.vbitcast {w} : {type_} -> !pto.vreg<256xui8>")
                p(f"pto.vsts {r}, {p.ub(at, stored)}[{self.index(kind.lanes, number)}] : !pto.vreg<{kind.lanes}x{stored}>, !pto.ptr<{stored}, ub>")
            self.checks.append((self.made, expected, kind, note, same))
            self.made += -(-len(expected) // 256) * 256
        p(*["}"] * (2 if scalars is None else 3))

    def write(self):
        p = ptorun.Program(*self.p.parameters)
        p.head, p.known = self.p.head, self.p.known
        p.bulk_in("%in", IN, self.used)
        p.flag("MTE2", "V")
        p.body += self.p.body
        p.flag("V", "MTE3")
        p.bulk_out(OUT, "%out", self.made)
        return p.write(self.name)

    def run(self, tolerate, expected_codes, ways, printed=False):
        """`printed`: once more as the printer writes the program, which `--strict` accepts."""
        path = self.write()
        self.run_file(path, tolerate, expected_codes, ways)
        if printed:
            self.run_file(ptorun.printed(path), tolerate, expected_codes, [[*ways[0], "--strict"]])

    def run_file(self, path, tolerate, expected_codes, ways):
        args = [np.concatenate(self.sources), np.full(self.made, 0xA5, np.uint8)]
        for way in ways:
            (got,), shown = ptorun.tool(path, args, (1,), ["--max-findings", "100000", *way])
            codes = set(re.findall(r"(?:warning|error)\[([\w-]+)\]", shown))
            if codes - set(tolerate) - set(expected_codes) or (way[:2] != ["--check", "none"] and set(expected_codes) - codes):
                ptorun.fail(f"{path} with {way} reports {sorted(codes)}, expected {sorted(expected_codes)}:\n{shown[:3000]}")
            for at, expected, kind, note, same in self.checks:
                self.compare(got[at:at + len(expected)], expected, kind, note, same, f"{path} with {way}")

    def compare(self, got, expected, kind, note, same, where):
        if isinstance(kind, str):
            bad = np.flatnonzero(got != expected)
            if len(bad):
                k = bad[0]
                ptorun.fail(f"{note}: {len(bad)} bytes of masks differ, the first is byte {k % 32} of mask {k // 32}: got 0x{got[k]:02x}, "
                            f"expected 0x{expected[k]:02x} ({where})")
            return
        got, expected = got.view(kind.bits), expected.view(kind.bits)
        bad = np.flatnonzero(~same(got, expected, kind))
        if len(bad):
            k = bad[0]
            ptorun.fail(f"{note}: {len(bad)} of {len(got)} lanes differ, the first is lane {k % kind.lanes} of register {k // kind.lanes}: "
                        f"got 0x{int(got[k]):x}, expected 0x{int(expected[k]):x} ({where})")


class Suite:
    """The cases of one instruction, in as many kernels as they need."""

    def __init__(self, name, tolerate=(), warns=(), ways=WAYS):
        """`tolerate`: codes that may be reported; `warns`: codes that every kernel must report, with checks on."""
        self.name, self.tolerate, self.warns, self.ways, self.batches, self.cases = name, tolerate, warns, ways, [], 0

    def add(self, note, emit, vectors, results, mask=None, scalars=None, same=exact):
        """`vectors`: (type, registers); `results`: (type or grain, expected); `mask`: none, a generator, or {grain: images};
        `emit(results, values, scalar, gate)` gives lines."""
        sources = sum(data.nbytes + 512 for _, data in vectors) + 4096
        made = sum(-(-(e.size // 8 if isinstance(k, str) else e.nbytes) // 256) * 256 for k, e in results)
        if not self.batches or self.batches[-1].used + sources > LIMIT or self.batches[-1].made + made > LIMIT:
            self.batches.append(Batch(f"{self.name}{len(self.batches)}"))
        self.batches[-1].add(note, emit, vectors, results, mask, scalars, same)
        self.cases += 1

    def run(self):
        for k, batch in enumerate(self.batches):  # of many kernels the first goes every way, the others take turns
            batch.run(self.tolerate, self.warns, self.ways if k == 0 else self.ways[k % len(self.ways)::len(self.ways)], k == 0)
        print(f"{self.name}: {self.cases} cases in {len(self.batches)} kernels")


# ---- masks -------------------------------------------------------------------------------------

GENERATED = ("PAT_H", "PAT_M3", 37, "PAT_VL3", "PAT_ALLF", "PAT_ALL", 1, "PAT_M4", 0)


def image_of(spec):
    """What a generator makes."""
    grain, what = spec
    width = int(grain[1:]) // 8
    return pset(what, width) if isinstance(what, str) else plt(what, width)[0]


def sample_images(grain, count, *key):
    """An image for each of `count` registers: every kind, canonical or not, and all lanes for every third."""
    kinds = list(maskref.samples(int(grain[1:]) // 8, *key).values())
    full = maskref.canonical(np.ones(2048 // int(grain[1:]), bool), int(grain[1:]) // 8)
    return np.array([full if k % 3 == 1 else kinds[(k // 3 * 2 + k % 3 // 2) % len(kinds)] for k in range(count)])


def active(images, t):
    """Lanes of `t` that are on."""
    return images[..., ::t.bytes]


def registers(data, t):
    return data.reshape(-1, t.lanes)


# ---- families ----------------------------------------------------------------------------------


def masked(raw, on, keep=None):
    return np.where(on, raw, np.zeros_like(raw) if keep is None else keep)


def variants(t, count, k):
    """The masks of a type's cases: none, one from a generator, one image for each register."""
    generated = (t.mask, GENERATED[k % len(GENERATED)])
    images = sample_images(t.mask, count, t.name)
    return [(None, None, np.full((count, t.lanes), True)),
            (f"mask {generated}", generated, np.tile(active(image_of(generated), t), (count, 1))),
            ("any mask", {t.mask: images}, active(images, t))]


def check_lanes(name, types, reference, arity, scalar=None, make=None, same=exact, inactive=None, warns=(), masks=True):
    """A lane-wise instruction with one result of its operands' type. `scalar(t, k)`: type and values of the last operand, as bits.
    `inactive`: the operand that inactive lanes keep."""
    suite = Suite(name, warns=warns)
    for k, t in enumerate(types):
        data = [registers(x, t) for x in (make(t) if make else sources(arity, t))]
        count, vectors = len(data[0]), []
        vectors = [(t, x) for x in data]
        scalars = scalar(t, k) if scalar else None
        apply = with_scalars(reference, data, scalars, t) if scalar else lambda: reference(*data, t)
        with np.errstate(over="ignore"):
            raw = apply().astype(t.bits).reshape(-1, count, t.lanes)
        keep = None if inactive is None else np.broadcast_to(data[inactive], raw.shape)
        for n, (note, mask, on) in enumerate(variants(t, count, k)[:3 if masks else 1]):
            form = FORMS[(k + n) % len(FORMS)]

            def emit(results, values, s, gate):
                return [write_op(form, name, results, values + ([s] if s else []) + ([gate] if gate else []))]
            suite.add(f"{name} {t} {note} as {form}", emit, vectors, [(t, masked(raw, on, keep))], mask, scalars, same)
        if scalar:  # once more with a constant
            n = k % 6
            suite.add(f"{name} {t} with a constant", constant_emit(name, scalars, n), vectors, [(t, raw[n])], same=same)
    suite.run()


def with_scalars(reference, data, scalars, t):
    mask = (1 << 8 * t.bytes) - 1
    return lambda: np.stack([reference(*data, np.full_like(data[0], s & mask), t) for s in scalars[1].tolist()])


def constant_emit(name, scalars, n, *words):
    """No mask; the scalar is a constant of the program."""
    type_, listed = scalars
    bits, width = int(listed[n]) & ((1 << 8 * listed.itemsize) - 1), 8 * listed.itemsize
    floating = str(type_) in ("f16", "bf16", "f32")
    text = f"0x{bits:0{width // 4}X}" if floating else bits - (1 << width) if bits >> (width - 1) else bits
    own = str(type_) if floating else f"i{width}"

    def emit(results, values, s, gate):
        return [f"%c = arith.constant {text} : {own}", write_op("plain", name, results, [*values, ("%c", own)], *words)]
    return emit


def scalars_of(t, k):
    """Special values and random ones, by turns of the element's own type and of the signless one that feeds it."""
    s = specials(t)
    values = np.concatenate([s[:: -(-len(s) // 10)], rng("scalars", t.name).choice(s, 2), random_bits(t, 2, "scalars")])
    return t if t.float or k % 2 else f"i{8 * t.bytes}", values


def wide(t, *key):
    """Floats for functions of one operand: special values, all magnitudes, around 1, random bits."""
    g = rng(t.name, *key)
    x = np.concatenate([np.ldexp(g.uniform(1, 2, 500), g.integers(-149, 128, 500)), g.uniform(0.5, 2, 300), 1 + np.ldexp(g.uniform(-1, 1, 100), -10),
                        g.integers(0, 300, 100).astype(np.float64) ** 2, g.uniform(-4, 0, 20)])
    with np.errstate(all="ignore"):
        return [whole_registers(np.concatenate([specials(t), encode(x, t), random_bits(t, 256, *key)]), t)]


def every_half(name, reference):
    """All 65536 f16 values, in four parts."""
    every = np.arange(65536, dtype=np.uint16)
    for part in np.split(every, 4):
        check_lanes(name, [Type("f16")], reference, 1, make=lambda t: [part], masks=False)


def sources(arity, t, registers_=2):
    """Special values, for two operands all pairs, and random registers; a third operand is special values in turn."""
    data = operands(min(arity, 2), t, registers_)
    if arity == 3:
        s = specials(t)
        data.append(np.resize(np.concatenate([s, s[::-1], s[3:]]), len(data[0])))
    return data
