"""Cases for instructions from masks to masks; every result is stored bit for bit."""
import numpy as np

from ptoref import PATTERNS, Type, plt, pset
from vecrun import Bench, Suite, byte_masks

GRAINS = ("b8", "b16", "b32")


def pairs(grain):
    """Operands that tell bits apart: names of sample images, two at a time."""
    names = list(byte_masks(grain))
    return [(a, names[(k * 3 + 5) % len(names)], names[(k * 7 + 2) % len(names)]) for k, a in enumerate(names)]


def check(name, arity, reference, grains=GRAINS, extra=False):
    """`reference` on images; masks of one granularity in, one out. Also with masks from generators."""
    suite = Suite(name)
    for grain in grains:
        mask, width = f"!pto.mask<{grain}>", int(grain[1:]) // 8
        for turn, trio in enumerate(pairs(grain)):
            b = suite.bench(512, 512)
            images = [byte_masks(grain, turn)[n] for n in trio[:arity]]
            operands, note = [b.mask(i, grain) for i in images], f"{grain}: {', '.join(trio[:arity])}"
            if turn == 3:  # generators: the result must not depend on how a mask was made
                specs = ["PAT_M3", 37, "PAT_H"][:arity]
                operands, note = [b.p.mask((grain, s)) for s in specs], f"{grain}: {specs}"
                images = [pset(s, width) if isinstance(s, str) else plt(s, width)[0] for s in specs]
            r = b.value()
            b(f"{r} = pto.{name} {', '.join(operands)} : {', '.join([mask] * arity)} -> {mask}")
            b.keep_mask(r, grain, reference(*images), note)
            if extra and turn % 2:  # an operand more, ANDed in
                g = byte_masks(grain, turn, "governing")["random bits"]
                r = b.value()
                b(f"{r} = pto.{name} {', '.join(operands)}, {b.mask(g, grain)} : {', '.join([mask] * (arity + 1))} -> {mask}")
                b.keep_mask(r, grain, reference(*images) & g, note + ", governed")
    suite.run()


def check_pair(name, grain, reference):
    """Two masks to two masks, all of one granularity; chained into the next one round a loop."""
    b = Bench(f"{name}_{grain}")
    mask, width = f"!pto.mask<{grain}>", int(grain[1:]) // 8
    for turn, (x, y, _) in enumerate(pairs(grain)):
        images = byte_masks(grain, turn)
        low, high = b.value(), b.value()
        b(f"{low}, {high} = pto.{name}_{grain} {b.mask(images[x], grain)}, {b.mask(images[y], grain)} : {mask}, {mask} -> {mask}, {mask}")
        expected = reference(images[x], images[y], width)
        b.keep_mask(low, grain, expected[0], f"low of {x}, {y}")
        b.keep_mask(high, grain, expected[1], f"high of {x}, {y}")
    specs = ("PAT_M4", 19)
    low, high = b.value(), b.value()
    b(f"{low}, {high} = pto.{name}_{grain} {b.p.mask((grain, specs[0]))}, {b.p.mask((grain, specs[1]))} : {mask}, {mask} -> {mask}, {mask}")
    x, y = pset(specs[0], width), plt(specs[1], width)[0]
    expected = reference(x, y, width)
    b.keep_mask(low, grain, expected[0], "low of generators")
    b.keep_mask(high, grain, expected[1], "high of generators")
    # used as masks: the low bit of a group decides
    t = Type(f"ui{8 * width}")
    v, data = b.vector(t)
    at = b.out(256, "a store under the low result")
    b(f"pto.vsts {v}, {b.ptr(at, t)}[{b.const(0)}], {low} : {t.vreg}, !pto.ptr<{t}, ub>, {mask}")
    on = np.repeat(expected[0][::width], width)
    b.ub[at:at + 256][on] = data[on]
    r = b.value()
    x, y = byte_masks(grain)["random bits"], byte_masks(grain)["random lanes"]
    b(f"{r}:2 = scf.for %i = {b.const(0)} to {b.const(3)} step {b.const(1)} iter_args(%x = {b.mask(x, grain)}, %y = {b.mask(y, grain)}) -> ({mask}, {mask}) {{",
      f"%l, %h = pto.{name}_{grain} %x, %y : {mask}, {mask} -> {mask}, {mask}", f"scf.yield %l, %h : {mask}, {mask}", "}")
    for _ in range(3):
        x, y = reference(x, y, width)
    b.keep_mask(r + "#0", grain, x, "low round a loop")
    b.keep_mask(r + "#1", grain, y, "high round a loop")
    b.run()


def check_pge(grain):
    """Patterns give the images of pset, a count those of plt; seen bit for bit and through a masked store."""
    width = int(grain[1:]) // 8
    t = Type(f"ui{8 * width}")
    mask = f"!pto.mask<{grain}>"
    b = Bench(f"pge_{grain}")
    v, data = b.vector(t)

    def keep(m, image, note):
        b.keep_mask(m, grain, image, note)
        at = b.out(256, f"a store under {note}")
        b(f"pto.vsts {v}, {b.ptr(at, t)}[{b.const(0)}], {m} : {t.vreg}, !pto.ptr<{t}, ub>, {mask}")
        on = np.repeat(image[::width], width)
        b.ub[at:at + 256][on] = data[on]

    fitting = [q for q in PATTERNS if not q.startswith("PAT_VL") or int(q[6:]) <= t.lanes]
    for pattern in fitting:
        m = b.value()
        b(f'{m} = pto.pge_{grain} "{pattern}" : {mask}')
        keep(m, pset(pattern, width), pattern)
    for count in (0, 1, 5, t.lanes - 1, t.lanes, t.lanes + 1, 100000):
        m = b.value()
        b(f"{m} = pto.pge_{grain} {b.const(count, 'i32')} : i32 -> {mask}")
        keep(m, plt(count, width)[0], f"count {count}")
    b.run()
    for pattern in [q for q in PATTERNS if q not in fitting]:
        b = Bench(f"pge_{grain}_surplus")
        m = b.value()
        b(f'{m} = pto.pge_{grain} "{pattern}" : {mask}')
        b.keep_mask(m, grain, pset("PAT_ALL", width), pattern)
        b.run(expected=["undefined-by-manual"])
