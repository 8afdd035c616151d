"""Histograms: 128 counters, a bank of values, and source bytes under a mask."""
import numpy as np

from compref import histogram
from comprun import FORMS, Suite, variants, write_op
from ptoref import Type, rng


def check(name):
    suite = Suite(name)
    u16 = Type("ui16")
    g = rng(name)
    n = 12
    acc = g.integers(0, 65536, (n, 128), dtype=np.uint16)
    acc[0], acc[1] = 0, 65535
    kinds = [lambda: g.integers(0, 256, 256), lambda: np.arange(256), lambda: np.full(256, 127), lambda: np.full(256, 128), lambda: g.integers(100, 140, 256),
             lambda: np.full(256, 255), lambda: np.zeros(256)]
    src = np.array([kinds[k % len(kinds)]() for k in range(n)]).astype(np.uint8)
    for k, t in enumerate((Type("ui8"), Type("i8"))):
        for bank, word in enumerate(("BIN_N0", "BIN_N1")):
            for m, (note, mask, on) in enumerate(variants(t, n, k + bank)):
                form = FORMS[(k + m) % 2]
                expected = np.array([histogram(a, s, lanes, bank, name == "vchist") for a, s, lanes in zip(acc, src, on)])

                def emit(results, values, s, gate):
                    return [write_op(form, name, results, values + ([gate] if gate else []), word)]
                suite.add(f"{name} {t} {word} {note} as {form}", emit, [(u16, acc), (t, src)], [(u16, expected)], mask)
    suite.run()
