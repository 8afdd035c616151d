"""Carry instructions: a register and a mask from two registers and, for some, a mask that is data."""
import numpy as np

import compref
import maskref
from comprun import FORMS, Suite, active, masked, registers, sample_images, sources, variants, write_op
from ptoref import ints, whole_registers


def boundary(t):
    """Sums and differences around 0, 2^31 and 2^32, and equal operands."""
    edges = np.array([0, 1, 2, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFE, 0xFFFFFFFF, 0x12345678, 0xEDCBA987, 0xEDCBA988], t.bits)
    a, b = sources(2, t)
    n = len(edges)
    return [registers(np.concatenate([whole_registers(x, t), y]), t) for x, y in ((np.repeat(edges, n), a), (np.tile(edges, n), b))]


def check(name):
    suite = Suite(name)
    takes_carry = name.endswith("cs")
    for k, t in enumerate(ints(32)):
        a, b = boundary(t)
        # the images of the carry: any bits, of which only the lowest of a lane counts
        images = sample_images("b32", len(a), "carry")[::-1] if takes_carry else np.zeros((len(a), 256), bool)
        raw, out = compref.carry(name, a, b, active(images, t))
        for n, (note, mask, on) in enumerate(variants(t, len(a), k)):
            form = FORMS[(k + n) % len(FORMS)]

            def emit(results, values, s, gate):
                lines, batch = [], suite.batches[-1]
                if takes_carry:
                    at, row = batch.place(np.packbits(images, axis=-1, bitorder="little")), batch.index(32, "%i")
                    values = [*values, ("%cin", "!pto.mask<b32>")]
                    lines = [f'%cin = pto.plds {batch.p.ub(at, "ui8")}[{row}], "NORM" : !pto.ptr<ui8, ub>, index -> !pto.mask<b32>']
                return lines + [write_op(form, name, results, values + ([gate] if gate else []))]

            bits = np.array([maskref.canonical(row, 4) for row in out & on])
            suite.add(f"{name} {t} {note} as {form}", emit, [(t, a), (t, b)], [(t, masked(raw, on)), ("b32", bits)], mask)
    suite.run()
