"""Cases for register-only instructions: one result or two, from registers of every element type."""
import rearref
from ptoref import Type
from vecrun import TYPES, Bench, lanes, register


def scalar_text(bits, t):
    """Bits as a constant of the type that feeds elements `t`: floats in hexadecimal, integers signless."""
    if t.float:
        return f"0x{bits:0{2 * t.bytes}X}", t.name
    n = 8 * t.bytes
    return (bits - (1 << n) if bits >> (n - 1) else bits), f"i{n}"


def check_pair(name, reference, types=TYPES):
    """(a, b) -> (low, high), lanes of T."""
    b = Bench(name)
    for t in types:
        (x, a), (y, c) = b.vector(t), b.vector(t)
        low, high = b.value(), b.value()
        b(f"{low}, {high} = pto.{name} {x}, {y} : {t.vreg}, {t.vreg} -> {t.vreg}, {t.vreg}")
        expected = reference(lanes(a, t), lanes(c, t))
        b.keep(low, t, register(expected[0], t), f"{t} low")
        b.keep(high, t, register(expected[1], t), f"{t} high")
        low, high = b.value(), b.value()  # one register twice, one result unused
        b(f"{low}, {high} = pto.{name} {x}, {x} : {t.vreg}, {t.vreg} -> {t.vreg}, {t.vreg}")
        b.keep(high, t, register(reference(lanes(a, t), lanes(a, t))[1], t), f"{t} high of a and a")
    t = types[-1]
    (x, a), (y, c) = b.vector(t), b.vector(t)
    r = b.value()
    b(f"{r}:2 = scf.for %i = {b.const(0)} to {b.const(3)} step {b.const(1)} iter_args(%x = {x}, %y = {y}) -> ({t.vreg}, {t.vreg}) {{",
      f"%l, %h = pto.{name} %x, %y : {t.vreg}, {t.vreg} -> {t.vreg}, {t.vreg}", f"scf.yield %l, %h : {t.vreg}, {t.vreg}", "}")
    a, c = lanes(a, t), lanes(c, t)
    for _ in range(3):
        a, c = reference(a, c)
    b.keep(r + "#0", t, register(a, t), "low round a loop")
    b.keep(r + "#1", t, register(c, t), "high round a loop")
    b.run()


def check_half(name, reference, types=TYPES):
    """(a, b) -> the low or the high result alone; on a5 with a warning."""
    for arch, options in (("a3", {}), ("a5", {"expected": ["unsupported-on-profile"]})):
        b = Bench(f"{name}_{arch}", arch)
        for t in types if arch == "a3" else types[-1:]:
            (x, a), (y, c) = b.vector(t), b.vector(t)
            for part, expected in zip(("LOWER", "HIGHER"), reference(lanes(a, t), lanes(c, t))):
                r = b.value()
                b(f'{r} = pto.{name} {x}, {y}, "{part}" : {t.vreg}, {t.vreg} -> {t.vreg}')
                b.keep(r, t, register(expected, t), f"{t} {part}")
        b.run(**options)


def check_select(name, types, arch="a5", out_of_range=False, **options):
    """(v, index) -> v[index], every lane; the index register has the width of T and is unsigned."""
    b = Bench(f"{name}_{arch}" + ("_stray" if out_of_range else ""), arch)
    for t in types:
        x, v = b.vector(t)
        for kind in ("i", "si", "ui"):
            it = Type(f"{kind}{8 * t.bytes}")
            top = 1 << 8 * t.bytes if out_of_range else t.lanes
            index = b.rng.integers(0, top, t.lanes)
            index[:2] = (top - 1, 0)
            y, raw = b.vector(it, index.astype(it.bits))
            r = b.value()
            b(f"{r} = pto.{name} {x}, {y} : {t.vreg}, {it.vreg} -> {t.vreg}")
            b.keep(r, t, register(rearref.vselr(lanes(v, t), lanes(raw, it)), t), f"{t} by {it}")
    b.run(**options)
