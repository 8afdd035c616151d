"""Runs operations of `pto.vmi.*` and compares every byte that they leave.

One kernel holds many cases, each in a vector scope of its own. Operands come from UB, results go to bytes of UB that have a pattern before, so
that a byte too many is seen (VSEQ-2, VUB-14). Texts rotate through the forms that the parser takes and through both spellings of masks (VSEQ-3).
"""
import os
import re
import subprocess
import sys

import numpy as np

import cvtref
import ptorun
import vmiref
from ptoref import Type, rng, random_bits, specials

EVERYTHING = bool(os.environ.get("PTOSCOPE_TEST_LONG"))
LENGTHS = (64, 1, 300, 6, 512, 2)
MASKS = ("none", "any", "create", "all", "empty", "literal")
OUT, LIMIT, CASES = 128 * 1024, 120 * 1024, 400  # UB: operands below, results above
WAYS = (["--schedule", "random:1"], ["--check", "none"])


def vreg(n, t):
    return f"!pto.vmi.vreg<{n}x{t}>"


def write(form, name, results, operands, attributes=""):
    """`results` and `operands` are (name, type)."""
    out, out_types = ", ".join(r for r, _ in results), ", ".join(t for _, t in results)
    names, types = ", ".join(v for v, _ in operands), ", ".join(t for _, t in operands)
    words = f" {{{attributes}}}" if attributes else ""
    head = f"{out} = " if results else ""
    if form == "generic":
        return f'{head}"pto.vmi.{name}"({names}){words} : ({types}) -> ({out_types})'
    return f"{head}pto.vmi.{name} {names}{words} : {types}" + (f" -> {out_types}" if results else "")


def sizes(k, *chosen, count=1):
    """Lengths of case k: a few of them, or all."""
    lengths = chosen or LENGTHS
    return lengths if EVERYTHING else [lengths[(k + j) % len(lengths)] for j in range(min(count, len(lengths)))]


def sampled(k, every):
    """Whether case k is run: all of them, or one in `every`."""
    return EVERYTHING or k % every == 0


def masks(k, *chosen):
    kinds = chosen or MASKS
    return kinds if EVERYTHING else [kinds[k % len(kinds)]]


def lanes(t, n, *key):
    """Special values and random ones."""
    g = rng("vmi", str(t), n, *key)
    if not hasattr(t, "fbits") and t.float:  # bytes of small formats, pairs
        return g.integers(0, 256, n * t.bytes, dtype=np.uint8).view(t.bits)
    chosen = g.choice(specials(t), n)
    return np.where(g.random(n) < 0.5, chosen, random_bits(t, n, "vmi", *key)).astype(t.bits)


def exact(got, expected, t):
    return got == expected


USED = set()  # names of operations in programs that ran


def complete():
    """Every name that the test lists under `Instructions:` was in a program."""
    with open(sys.modules["__main__"].__file__) as file:
        listed = set(" ".join(re.findall(r"^# Instructions: (.*)$", file.read(), re.M)).split())
    if missing := sorted(listed - USED):
        ptorun.fail(f"listed, but in no program: {missing}")


class Batch:
    """One kernel."""

    def __init__(self, name):
        self.p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
        self.name, self.known, self.sources, self.before, self.checks = name, {}, [], [], []
        self.used = self.made = self.cases = 0

    def place(self, data):
        """Bytes of UB that hold `data`; equal ones are there once."""
        data = np.ascontiguousarray(data).view(np.uint8).ravel()
        if data.tobytes() not in self.known:
            self.known[data.tobytes()] = self.used
            self.sources.append(np.concatenate([data, np.zeros(-len(data) % 256, np.uint8)]))
            self.used += len(self.sources[-1])
        return self.known[data.tobytes()]

    def room(self, before, expected, t, note, same):
        """Bytes that hold `before`, and afterwards `expected`."""
        at = self.made
        size = -(-len(before) // 256) * 256
        pattern = np.full(size, 0xA5, np.uint8)
        pattern[:len(before)] = before
        self.before.append(pattern)
        self.checks.append((at, np.concatenate([expected, pattern[len(expected):]]), t, note, same))
        self.made += size
        return OUT + at

    def write(self):
        p = ptorun.Program(*self.p.parameters)
        p.head, p.known = self.p.head, self.p.known
        if self.used:
            p.bulk_in("%in", 0, self.used)
        p.bulk_in("%out", OUT, self.made)
        p.flag("MTE2", "V")
        p.body += self.p.body
        p.flag("V", "MTE3")
        p.bulk_out(OUT, "%out", self.made)
        return p.write(self.name)

    def run(self, warns, ways, printed):
        path = self.write()
        USED.update(re.findall(r"\bpto\.(vmi\.\w+)", open(path).read()))
        for way in ways:
            self.run_file(path, warns, way)
        if printed:
            self.strict(ptorun.printed(path), warns, ways[0])

    def strict(self, path, warns, way):
        """What the printer writes is accepted by `--strict`, and runs the same if everything is wanted."""
        if EVERYTHING:
            return self.run_file(path, warns, [*way, "--strict"])
        done = subprocess.run(["ptoscope", "check", "--strict", path], capture_output=True, text=True)
        if done.returncode:
            ptorun.fail(f"`check --strict` refuses {path}:\n{done.stderr[:3000]}")

    def run_file(self, path, warns, way):
        args = [np.concatenate(self.sources or [np.zeros(256, np.uint8)]), np.concatenate(self.before)]
        (got,), shown = ptorun.tool(path, args, (1,), ["--max-findings", "100000", *way])
        codes = set(re.findall(r"(?:warning|error)\[([\w-]+)\]", shown))
        if codes - set(warns) or (way[:2] != ["--check", "none"] and set(warns) - codes):
            ptorun.fail(f"{path} with {way} reports {sorted(codes)}, expected {sorted(warns)}:\n{shown[:3000]}")
        for at, expected, t, note, same in self.checks:
            compare(got[at:at + len(expected)], expected, t, same, f"{note} ({path} with {way})")


def compare(got, expected, t, same, note):
    got, expected = got.view(t.bits), expected.view(t.bits)
    bad = np.flatnonzero(~same(got, expected, t))
    if len(bad):
        k = bad[0]
        ptorun.fail(f"{note}: {len(bad)} of {len(got)} elements differ, the first is {k}: got 0x{int(got[k]):x}, expected 0x{int(expected[k]):x}")


class Case:
    """One scope: values are loaded, lines added, results stored."""

    def __init__(self, suite, note):
        self.suite, self.note, self.turn = suite, note, suite.cases
        self.batch, self.p = suite.batches[-1], suite.batches[-1].p
        self.p("pto.vecscope {")

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.p("}")

    def line(self, text):
        self.p(text)

    def value(self):
        return self.p.value()

    def const(self, value, type_="index"):
        return self.p.const(value, type_)

    def vector(self, t, bits):
        """-> (name, type) of lanes that are loaded."""
        n, v = len(bits), self.value()
        at = self.batch.place(bits)
        loaded = t if isinstance(t, Type) and not isinstance(t, (cvtref.Small, vmiref.Pair)) else Type(f"ui{8 * t.bytes}")
        self.line(f"{v} = pto.vmi.vload {self.p.ub(at, loaded)}[{self.const(0)}] : !pto.ptr<{loaded}, ub> -> {vreg(n, loaded)}")
        if loaded != t:
            w, v = v, self.value()
            self.line(f"{v} = pto.vmi.vinterpret_cast {w} : {vreg(n, loaded)} -> {vreg(n, t)}")
        return v, vreg(n, t)

    def scalar(self, type_, bits):
        """-> (name, type) of a scalar that the run reads."""
        v = self.value()
        self.line(f"{v} = pto.load_scalar {self.p.ub(self.batch.place(np.array([bits])), type_)}[{self.const(0)}] : !pto.ptr<{type_}, ub> -> {type_}")
        return v, str(type_)

    def index(self, number):
        v, i = self.value(), self.scalar("i32", np.int32(number))
        self.line(f"{v} = arith.index_cast {i[0]} : i32 to index")
        return v

    def mask_type(self, n):
        return f"!pto.vmi.mask<{n}>" if self.turn % 2 else f"!pto.vmi.mask<{n}xpred>"

    def mask(self, kind, n):
        """-> (name, type), booleans; nothing and None for `none`."""
        if kind == "none":
            return [], None
        m, type_ = self.value(), self.mask_type(n)
        on = np.ones(n, bool)
        if kind == "all":
            self.line(f'{m} = pto.vmi.pset "PAT_ALL" : {type_}')
        elif kind in ("create", "empty"):
            count = 0 if kind == "empty" else max(1, n * 3 // 5)
            on = vmiref.create_mask(count, n)
            number = self.index(count) if self.turn % 3 else self.const(count)
            self.line(f"{m} = pto.vmi.create_mask {number} : index -> {type_}")
        else:
            on = rng("mask", n, self.turn).random(n) < 0.6
            if kind == "literal":
                text = ", ".join("true" if b else "false" for b in on)
                self.line(f'{m} = "pto.vmi.constant_mask"() {{value = dense<[{text}]> : tensor<{n}xi1>}} : () -> {type_}')
            else:
                m = self.mask_of(on)[0]
        return [(m, type_)], on

    def mask_of(self, on):
        """-> (name, type) of these booleans, as the run reads them."""
        n, m, full = len(on), self.value(), self.value()
        type_ = self.mask_type(n)
        v = self.vector(Type("i8"), on.astype(np.uint8) * rng("true", n).integers(1, 256, n, dtype=np.uint8))
        self.line(f'{full} = pto.vmi.pset "PAT_ALL" : {type_}')
        self.line(f'{m} = pto.vmi.vcmps {v[0]}, {self.const(0, "i8")}, {full} {{cmp = "ne"}} : {v[1]}, i8, {type_} -> {type_}')
        return m, type_

    def op(self, name, results, operands, attributes="", form=None):
        """Adds the operation -> names of its results, whose types are given."""
        named = [(self.value(), type_) for type_ in results]
        self.line(write(form or ("pretty", "pretty", "generic")[self.turn % 3], name, named, operands, attributes))
        return [name for name, _ in named]

    def room(self, t, before, after, same=exact):
        """-> pointer to elements in UB that hold `before`, and shall hold `after`."""
        before, after = (np.ascontiguousarray(x).view(np.uint8) for x in (before, after))
        return self.p.ub(self.batch.room(before, after, t, self.note, same), t)

    def data(self, t, elements):
        """-> pointer to elements in UB."""
        return self.p.ub(self.batch.place(elements), t)

    def result(self, value, t, expected, same=exact):
        n = len(expected)
        stored = Type(f"ui{8 * t.bytes}") if isinstance(t, (cvtref.Small, vmiref.Pair)) else t
        if stored != t:
            w, value = value, self.value()
            self.line(f"{value} = pto.vmi.vinterpret_cast {w} : {vreg(n, t)} -> {vreg(n, stored)}")
        expected = np.ascontiguousarray(expected.astype(t.bits)).view(np.uint8)
        at = self.batch.room(np.zeros(0, np.uint8) if len(expected) == 0 else np.full(len(expected), 0xA5, np.uint8), expected, t, self.note, same)
        self.line(f"pto.vmi.vstore {value}, {self.p.ub(at, stored)}[{self.const(0)}] : {vreg(n, stored)}, !pto.ptr<{stored}, ub>")

    def mask_result(self, value, expected):
        """A mask as bytes of 1 and 0."""
        n, r, one, zero = len(expected), self.value(), self.value(), self.value()
        v = vreg(n, "i8")
        for name, number in ((one, 1), (zero, 0)):
            self.line(f"{name} = pto.vmi.vbrc {self.const(number, 'i8')} : i8 -> {v}")
        self.line(f"{r} = pto.vmi.vsel {value}, {one}, {zero} : {self.mask_type(n)}, {v}, {v} -> {v}")
        self.result(r, Type("i8"), expected.astype(np.uint8))


class Suite:
    """Cases in as many kernels as they need. `warns`: codes that every kernel reports with checks on."""

    def __init__(self, name, warns=(), ways=WAYS, strict=True):
        """`strict`: what the printer makes of the first kernel runs with `--strict`, too."""
        self.name, self.warns, self.ways, self.strict, self.batches, self.cases = name, warns, ways, strict, [], 0

    def case(self, note, size=4096):
        """`size`: bytes that the case may take in each half of UB."""
        last = self.batches[-1] if self.batches else None
        if not last or last.used + size > LIMIT or last.made + size > LIMIT or last.cases >= CASES:
            self.batches.append(Batch(f"{self.name}{len(self.batches)}"))
        self.batches[-1].cases += 1
        self.cases += 1
        return Case(self, note)

    def run(self):
        for k, batch in enumerate(self.batches):  # the first kernel goes every way, the others take turns
            batch.run(self.warns, self.ways if k == 0 else self.ways[k % len(self.ways)::len(self.ways)], self.strict and k == 0)
        print(f"{self.name}: {self.cases} cases in {len(self.batches)} kernels")


# ---- families ----------------------------------------------------------------------------------


def check_lanes(suite, name, types, arity, plain=None, same=exact, make=lanes):
    """An operation of `arity` vectors with an optional mask; `plain(t)` is its name without one."""
    for k, t in enumerate(types):
        for n in sizes(k + len(name), count=-(-6 // len(types))):
            for kind in masks(k + n):
                operands = [make(t, n, j) for j in range(arity)]
                with suite.case(f"{name} {t} {n} {kind}", 16 * 1024) as case:
                    gates, on = case.mask(kind, n)
                    values = [case.vector(t, x) for x in operands]
                    r, = case.op(name, [vreg(n, t)], values + gates)
                    case.result(r, t, vmiref.lanewise(name, operands, t, on), same)
        if plain and plain(t) and sampled(k // 2, 2):
            n = sizes(k)[0]
            operands = [make(t, n, j) for j in range(arity)]
            with suite.case(f"{plain(t)} {t} {n}", 16 * 1024) as case:
                r, = case.op(plain(t), [vreg(n, t)], [case.vector(t, x) for x in operands])
                case.result(r, t, vmiref.lanewise(name, operands, t), same)
