"""Event-id arrays: a double buffer whose flags are numbered by an array, in the order the array says."""
import numpy as np
import ptorun
from ptoref import rng

ROWS, BYTES = 6, 256


def kernel(ids=(3, 5), size=2, read=None, write=None, unset=False):
    """Rows go through two buffers; `ids` are what the array holds, `read` and `write` replace an index."""
    p = ptorun.Program("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
    type_ = f"!pto.eventid_array<{size}>"
    p(f"%ids = pto.declare_eventid_array -> {type_}")
    for k, event in enumerate(ids[:1] if unset else ids):
        index = p.const(k if write is None or k else write)
        p(f"pto.eventid_array_set %ids[{index}], {p.const(event)} : {type_}")
    p(f"scf.for %k = {p.const(0)} to {p.const(ROWS)} step {p.const(1)} {{",
      f"%which = arith.remui %k, {p.const(2)} : index", f"%at = arith.muli %k, {p.const(BYTES)} : index",
      "%src = pto.addptr %in, %at : !pto.ptr<i8, gm> -> !pto.ptr<i8, gm>",
      "%dst = pto.addptr %out, %at : !pto.ptr<i8, gm> -> !pto.ptr<i8, gm>",
      f"%bytes = arith.muli %which, {p.const(BYTES)} : index", "%offset = arith.index_cast %bytes : index to i64",
      "%ub = pto.castptr %offset : i64 -> !pto.ptr<i8, ub>",
      f"%e = pto.eventid_array_get %ids[{'%which' if read is None else p.const(read)}] : {type_}",
      f"%later = arith.cmpi uge, %k, {p.const(2)} : index", "scf.if %later {",
      'pto.wait_flag_dyn["PIPE_MTE3", "PIPE_MTE2", %e]', "}")
    zero, one, length = p.i64(0), p.i64(1), p.i64(BYTES)
    p(f"pto.mte_gm_ub %src, %ub, {zero}, {length} nburst({one}, {zero}, {zero}) : !pto.ptr<i8, gm>, !pto.ptr<i8, ub>, i64, i64, i64, i64, i64",
      'pto.set_flag_dyn["PIPE_MTE2", "PIPE_MTE3", %e]', 'pto.wait_flag_dyn["PIPE_MTE2", "PIPE_MTE3", %e]',
      f"pto.mte_ub_gm %ub, %dst, {length} nburst({one}, {zero}, {zero}) : !pto.ptr<i8, ub>, !pto.ptr<i8, gm>, i64, i64, i64, i64",
      'pto.set_flag_dyn["PIPE_MTE3", "PIPE_MTE2", %e]', "}")
    for k in range(2):
        p(f"%d{k} = pto.eventid_array_get %ids[{p.const(k if read is None else read)}] : {type_}",
          f'pto.wait_flag_dyn["PIPE_MTE3", "PIPE_MTE2", %d{k}]')
    return p


def arguments():
    data = rng("event arrays").integers(0, 256, ROWS * BYTES, dtype=np.uint8)
    return [data, np.zeros_like(data)]


def works(**options):
    args = arguments()
    ptorun.expect(kernel(**options).write("works"), args, {1: args[0]})


def refused(contains, **options):
    return ptorun.refused(kernel(**options).write("refused"), arguments(), contains=contains)
