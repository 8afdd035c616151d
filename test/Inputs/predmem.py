"""Predicate loads and stores: every distribution at every alignment it allows, through pointers of any element type."""
import numpy as np

import maskref
from ptoref import Type, plt
from vecrun import TYPES, UB, Bench, byte_masks

GRAINS = ("b8", "b16", "b32")
UNITS = {"NORM": 32, "DS": 32, "US": 16, "PK": 16}  # of offsets of pldi and psti


def unit_of(name, token, align):
    """Bytes that an offset counts, and what its addresses are multiples of."""
    return (UNITS[token], UNITS[token]) if name in ("pldi", "psti") else (1, align)


def check_load(name, aliases=(), run_time=False):
    """The mask is stored bit for bit, and governs a store."""
    b = Bench(name)
    b.used, b.limit = 4096, UB - 4096
    turn = 0
    for token, (size, align, _) in maskref.PLDS.items():
        for t in TYPES:  # the offset counts bytes, whatever the pointer points to
            for op in (name, *aliases):
                grain = GRAINS[turn % 3]
                turn += 1
                unit, step = unit_of(name, token, align)
                address = step * (2 * int(b.rng.integers(8, 4000 // step // 2 - 4)) + 1)
                offset = step // unit * int(b.rng.integers(-7, 8)) if turn % 4 else 0
                m = b.value()
                b(f'{m} = pto.{op} {b.ptr(address - offset * unit, t)}[{b.const(offset)}], "{token}" : !pto.ptr<{t}, ub>, index -> !pto.mask<{grain}>')
                b.keep_mask(m, grain, maskref.plds(b.ub, token, address), f"{op} {token} {t} at {address}")
                # with a pointer result: at the base itself, and the next one there
                p, ptr, far = b.value(), f"!pto.ptr<{t}, ub>", step // unit * (turn % 3)
                b(f'{p}m, {p} = pto.{op} {b.ptr(address, t)}[{b.const(far)}], "{token}" : {ptr}, index -> !pto.mask<{grain}>, {ptr}',
                  f'{p}n, {p}q = pto.{op} {p}[{b.const(0)}], "{token}" : {ptr}, index -> !pto.mask<{grain}>, {ptr}')
                b.keep_mask(p + "m", grain, maskref.plds(b.ub, token, address), f"{op} {token} {t} post")
                b.keep_mask(p + "n", grain, maskref.plds(b.ub, token, address + far * unit), f"{op} {token} {t} behind")
        for address in (0, UB - size):
            m = b.value()
            b(f'{m} = pto.{name} {b.ptr(address, "ui8")}[{b.const(0)}], "{token}" : !pto.ptr<ui8, ub>, index -> !pto.mask<b8>')
            b.keep_mask(m, "b8", maskref.plds(b.ub, token, address), f"{token} at {address}")
    # an attribute instead of a string, and no distribution at all
    for attribute in (' {dist = "NORM"}', ""):
        m = b.value()
        b(f'{m} = pto.{name} {b.ptr(96, "ui8")}[{b.const(32 // unit_of(name, "NORM", 32)[0])}]{attribute} : !pto.ptr<ui8, ub>, index -> !pto.mask<b16>')
        b.keep_mask(m, "b16", maskref.plds(b.ub, "NORM", 128), f"{name} with `{attribute}`")
    t, image = Type("ui16"), maskref.plds(b.ub, "NORM", 128)
    v, data = b.vector(t)
    at = b.out(256, "a store under a loaded mask")
    b(f"pto.vsts {v}, {b.ptr(at, t)}[{b.const(0)}], {m} : {t.vreg}, !pto.ptr<{t}, ub>, !pto.mask<b16>")
    on = np.repeat(image[::2], 2)
    b.ub[at:at + 256][on] = data[on]
    if run_time:
        at = b.out(5 * 32, "round a loop")
        b(f"scf.for %i = {b.const(0)} to {b.const(160)} step {b.const(32)} {{",
          f'%m = pto.{name} {b.ptr(512, "ui8")}[%i], "DS" : !pto.ptr<ui8, ub>, index -> !pto.mask<b8>',
          f'pto.psts %m, {b.ptr(at, "ui8")}[%i], "NORM" : !pto.mask<b8>, !pto.ptr<ui8, ub>, index', "}")
        for i in range(5):
            maskref.psts(b.ub, "NORM", at + 32 * i, maskref.plds(b.ub, "DS", 512 + 32 * i))
    b.run()


def check_store(name, aliases=(), run_time=False):
    b = Bench(name)
    turn = 0
    for token, (size, align, _) in maskref.PSTS.items():
        for t in TYPES:
            for op in (name, *aliases):
                grain = GRAINS[turn % 3]
                images = byte_masks(grain, turn)
                key = list(images)[turn % len(images)]
                turn += 1
                unit, step = unit_of(name, token, align)
                at = b.out(size, f"{op} {token} {t}: {key}", shift=step % 32)
                offset = step // unit * int(b.rng.integers(-7, 8)) if turn % 4 else 0
                b(f'pto.{op} {b.mask(images[key], grain)}, {b.ptr(at - offset * unit, t)}[{b.const(offset)}], "{token}" : !pto.mask<{grain}>, !pto.ptr<{t}, ub>, index')
                maskref.psts(b.ub, token, at, images[key])
                # with a pointer result: at the base itself, and the next one behind it
                at, p, ptr, far = b.out(128, f"{op} {token} {t} post: {key}", shift=step % 32), b.value(), f"!pto.ptr<{t}, ub>", 64 // unit
                for turn_, (name_, result) in enumerate(((b.ptr(at, t), p), (p, p + "q"))):
                    b(f'{result} = pto.{op} {b.mask(images[key], grain)}, {name_}[{b.const(far)}], "{token}" : !pto.mask<{grain}>, {ptr}, index -> {ptr}')
                    maskref.psts(b.ub, token, at + 64 * turn_, images[key])
        # masks from generators, and the end of UB
        for grain in GRAINS:
            image = plt(13, int(grain[1:]) // 8)[0]
            at = b.out(size, f"{token} of 13 lanes of {grain}")
            b(f'pto.{name} {b.p.mask((grain, 13))}, {b.ptr(at, "ui8")}[{b.const(0)}], "{token}" : !pto.mask<{grain}>, !pto.ptr<ui8, ub>, index')
            maskref.psts(b.ub, token, at, image)
    at = UB - 16
    b(f'pto.{name} {b.p.mask(("b8", "PAT_M3"))}, {b.ptr(at, "ui8")}[{b.const(0)}], "PK" : !pto.mask<b8>, !pto.ptr<ui8, ub>, index')
    maskref.psts(b.ub, "PK", at, np.arange(256) % 3 == 0)
    for attribute in (' {dist = "NORM"}', ""):
        image = byte_masks("b16")["random bits"]
        at = b.out(32, f"{name} with `{attribute}`")
        b(f'pto.{name} {b.mask(image, "b16")}, {b.ptr(at, "ui8")}[{b.const(0)}]{attribute} : !pto.mask<b16>, !pto.ptr<ui8, ub>, index')
        maskref.psts(b.ub, "NORM", at, image)
    if run_time:  # eight-byte steps: a later store of the loop reaches into the window of none before it
        at, image = b.out(5 * 24, "round a loop"), byte_masks("b8")["few bits"]
        b(f"scf.for %i = {b.const(0)} to {b.const(120)} step {b.const(24)} {{",
          f'pto.{name} {b.mask(image, "b8")}, {b.ptr(at, "ui8")}[%i], "PK" : !pto.mask<b8>, !pto.ptr<ui8, ub>, index', "}")
        for i in range(5):
            maskref.psts(b.ub, "PK", at + 24 * i, image)
    b.run()
