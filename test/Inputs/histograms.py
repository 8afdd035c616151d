"""Histograms: 128 counters, a bank of values, and source bytes under a mask."""
import numpy as np

import ptorun
from compref import histogram
from comprun import FORMS, Suite, variants, write_op
from ptoref import Type, rng


def check(name, bank_operand=False):
    """`bank_operand`: the newer spelling, with the bank as a number."""
    suite = Suite(name)
    u16 = Type("ui16")
    g = rng(name)
    n = 12
    acc = g.integers(0, 65536, (n, 128), dtype=np.uint16)
    acc[0], acc[1] = 0, 65535
    kinds = [lambda: g.integers(0, 256, 256), lambda: np.arange(256), lambda: np.full(256, 127), lambda: np.full(256, 128), lambda: g.integers(100, 140, 256),
             lambda: np.full(256, 255), lambda: np.zeros(256)]
    src = np.array([kinds[k % len(kinds)]() for k in range(n)]).astype(np.uint8)
    # the newer spelling takes signed types as well; all are read as unsigned
    for k, (t, counts) in enumerate([(Type("ui8"), u16), (Type("i8"), u16)] + [(Type("si8"), Type("si16")), (Type("ui8"), Type("si16"))] * bank_operand):
        for bank, word in enumerate(("BIN_N0", "BIN_N1")):
            for m, (note, mask, on) in enumerate(variants(t, n, k + bank)):
                if bank_operand and mask is None:  # only the older spelling does without
                    continue
                form = FORMS[(k + m) % 3]
                expected = np.array([histogram(a, s, lanes, bank, "chist" in name) for a, s, lanes in zip(acc, src, on)])

                def emit(results, values, s, gate):
                    if bank_operand:
                        number = results[0][0] + "b"
                        return [f"{number} = arith.constant {bank} : i32",
                                write_op(form, name, results, values + ([gate] if gate else []) + [(number, "i32")])]
                    return [write_op(form, name, results, values + ([gate] if gate else []), word)]
                suite.add(f"{name} {t} {word} {note} as {form}", emit, [(counts, acc), (t, src)], [(counts, expected)], mask)
    suite.run()


def check_banks(name):
    """A bank that only the run knows; of numbers beyond 1 the lowest bit counts, which is warned of."""
    p = ptorun.Program("%in: !pto.ptr<ui8, gm>", "%banks: !pto.ptr<i32, gm>", "%out: !pto.ptr<ui16, gm>")
    banks = [0, 1, 16, 17, -1]
    src = rng(name, "banks").integers(0, 256, 256, dtype=np.uint8)
    p.gm_ub("%in", 0, 256, element="ui8")
    p.flag("MTE2", "V")
    for k in range(len(banks)):
        p(f"%b{k} = pto.load_scalar %banks[{p.const(k)}] : !pto.ptr<i32, gm> -> i32")
    p("pto.vecscope {", f"%s = pto.vlds {p.ub(0, 'ui8')}[{p.const(0)}] : !pto.ptr<ui8, ub> -> !pto.vreg<256xui8>",
      '%m = pto.pset_b8 "PAT_ALL" : !pto.mask<b8>', f"%z = pto.vbr {p.const(0, 'i16')} : i16 -> !pto.vreg<128xui16>")
    for k in range(len(banks)):
        p(f"%r{k} = pto.{name} %z, %s, %m, %b{k} : !pto.vreg<128xui16>, !pto.vreg<256xui8>, !pto.mask<b8>, i32 -> !pto.vreg<128xui16>",
          f"pto.vsts %r{k}, {p.ub(1024 + 256 * k, 'ui16')}[{p.const(0)}] : !pto.vreg<128xui16>, !pto.ptr<ui16, ub>")
    p("}")
    p.flag("V", "MTE3")
    p.ub_gm(1024, "%out", 256 * len(banks), element="ui16")
    zero, on = np.zeros(128, np.uint16), np.ones(256, bool)
    expected = np.concatenate([histogram(zero, src, on, bank & 1, "chist" in name) for bank in banks])
    path, args = p.write("banks"), [src, np.array(banks, np.int32), np.zeros(128 * len(banks), np.uint16)]
    ptorun.expect(path, args, {2: expected}, ways=([], ["--check", "none"], ["--schedule", "random:2"]))
    ptorun.refused(path, args, ["--werror"], ["undefined-by-manual", "names bank 16"])
