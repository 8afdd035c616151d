"""Instructions that compute and convert: the reference of either step, one after the other."""
import numpy as np

import cvtref
from comprun import FORMS, Suite, registers, sources, variants, write_op
from ptoref import encode, random_bits, rng


def check(name, pairs, compute):
    suite = Suite(name, warns=["undefined-by-manual"])
    for k, (s, d) in enumerate(pairs):
        g = rng(name, s.name)
        more = [encode(g.uniform(-16, 16, 2 * s.lanes), s) if s.float else random_bits(s, 2 * s.lanes, j) for j in range(2)]
        a, b = (registers(np.concatenate(x), s) for x in zip(sources(2, s), more))
        middle = compute(a, b, s)
        rounding, saturation = ("", "") if d.bytes > s.bytes else ("R" if s.float else "", "SAT")
        table = {bits: cvtref.convert(bits, s, d, rounding, saturation) for bits in np.unique(middle).tolist()}
        lanes = [[table[bits] for bits in row] for row in middle.tolist()]
        for n, (note, mask, on) in enumerate(variants(s, len(a), k)):
            form = FORMS[(k + n) % len(FORMS)]

            def emit(results, values, scalar, gate):
                return [write_op(form, name, results, values + ([gate] if gate else []))]
            expected = np.array([cvtref.placed(row.__getitem__, s, d, "EVEN", active) for row, active in zip(lanes, on)])
            suite.add(f"{name} {s} {d} {note} as {form}", emit, [(s, a), (s, b)], [(d, expected)], mask)
    suite.run()
