"""Reductions of one register: the mask chooses the lanes that take part and never gates a result."""
import numpy as np

import compref
from comprun import FORMS, Suite, exact, variants, write_op
from ptoref import encode, rng, specials


def material(t, *key):
    """Registers of numbers of ordinary size, of all sizes, with ties, of one value, with single special ones, and of specials only."""
    g, n = rng("reduce", t.name, *key), t.lanes
    s = specials(t)
    if t.float:
        numbers = [encode(x, t) for x in (g.normal(0, 8, n), g.normal(0, 8, n), np.ldexp(g.uniform(1, 2, n), g.integers(-24, 12, n)),
                                          g.choice([-0.0, 0.0], n), np.full(n, -0.0), g.integers(-3, 3, n).astype(np.float64),
                                          np.full(n, 60000.0), np.arange(n, dtype=np.float64))]
    else:
        numbers = [x.astype(np.int64).astype(t.bits) for x in (g.integers(0, 1 << 31, n), g.integers(0, 4, n), np.arange(n), np.full(n, -1),
                                                               g.integers(0, 2, n) << (8 * t.bytes - 1), np.arange(n)[::-1])]
    numbers.append(np.zeros(n, t.bits))
    one = []
    for value in s:  # one or two lanes hold something special
        x = numbers[len(one) % 3].copy()
        x[g.integers(0, n, 1 + len(one) % 2)] = value
        one.append(x)
    rest = [g.choice(s, n), g.integers(0, 256, n * t.bytes, dtype=np.uint8).view(t.bits)]
    return np.array([*numbers, *one, *rest])


def check(name, types):
    suite = Suite(name)
    for k, t in enumerate(types):
        a = material(t, name)
        u = compref.wider(t) if name == "vcadd" else t
        for n, (note, mask, on) in enumerate(variants(t, len(a), k)):
            form = FORMS[(k + n) % len(FORMS)]
            expected = np.array([compref.REDUCE[name](row, lanes, t) for row, lanes in zip(a, on)])

            def emit(results, values, s, gate):
                return [write_op(form, name, results, values + ([gate] if gate else []))]
            suite.add(f"{name} {t} {note} as {form}", emit, [(t, a)], [(u, expected)], mask, same=exact)
    suite.run()


def check_marked(name, types):
    """The extremum in lane 0, and a mask of all lanes that have it."""
    suite, plain = Suite(name), name.replace("vcb", "vc")
    for k, t in enumerate(types):
        a = material(t, name)
        for n, (note, mask, on) in enumerate(variants(t, len(a), k)):
            form = FORMS[(k + n) % len(FORMS)]
            values, places = [], []
            for row, lanes in zip(a, on):
                value = compref.REDUCE[plain](row, lanes, t).copy()
                value[1:] = 0  # no number
                values.append(value)
                places.append(np.zeros(256, bool))
                places[-1][::t.bytes] = lanes & same_number(row, value[0], t)

            def emit(results, operands, s, gate):
                return [write_op(form, name, results, operands + ([gate] if gate else []))]
            suite.add(f"{name} {t} {note} as {form}", emit, [(t, a)], [(t, np.array(values)), (t.mask, np.array(places))], mask, same=exact)
    suite.run()


def same_number(row, value, t):
    """Lanes that equal the value: zeros of both signs are one number, and so are all NaNs."""
    if not t.float:
        return row == value
    size, inf = t.bits(t.sign - 1), t.bits(t.inf)
    if value & size > inf:
        return (row & size) > inf
    return (row == value) | (((row & size) == 0) & (value & size == 0))
