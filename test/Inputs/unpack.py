"""vsunpack and vzunpack: half of the lanes, twice as wide."""
import rearref
from ptoref import Type
from vecrun import Bench, lanes, register


def check(name, signed):
    b = Bench(name)
    for bits, kinds in ((8, ("i", "si", "ui")), (16, ("i", "si", "ui")), (32, ("i", "si", "ui"))):
        for kind in kinds:
            t, wide = Type(f"{kind}{bits}"), Type(f"{kind}{2 * bits}")
            x, a = b.vector(t)
            for part in (0, 1):
                expected = register(rearref.unpack(lanes(a, t), bits, part, signed), wide)
                for text, types in ((b.const(part), t.vreg), (b.const(part), f"{t.vreg}, index"), (f'"{("LOWER", "HIGHER")[part]}"', t.vreg)):
                    r = b.value()
                    b(f"{r} = pto.{name} {x}, {text} : {types} -> {wide.vreg}")
                    b.keep(r, wide, expected, f"{t} part {text}, types {types}")
    t, wide = Type("i8"), Type("i16")
    x, a = b.vector(t)
    at = b.out(512, "both parts, round a loop")
    b(f"scf.for %i = {b.const(0)} to {b.const(2)} step {b.const(1)} {{", f"%r = pto.{name} {x}, %i : {t.vreg} -> {wide.vreg}",
      f"%o = arith.muli %i, {b.const(128)} : index", f"pto.vsts %r, {b.ptr(at, wide)}[%o] : {wide.vreg}, !pto.ptr<{wide}, ub>", "}")
    for part in (0, 1):
        b.ub[at + 256 * part:][:256] = register(rearref.unpack(lanes(a, t), 8, part, signed), wide)
    b.run()
    b = Bench(f"{name}_part2")
    x, a = b.vector(t)
    b(f"%r = pto.{name} {x}, {b.const(2)} : {t.vreg} -> {wide.vreg}")
    b.keep("%r", wide, a, "")
    b.refused(name, "2")
