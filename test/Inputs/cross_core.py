"""The broadcast and reduce signals of a2 and a3: the cube core writes a number, both vector cores answer, and the cube
core adds the answers. Everything goes through GM, 64 bytes apart."""
import numpy as np

import ptorun
from cluster import Mixed


def kernel(drop=None, only_first=False):
    p = Mixed("%m: !pto.ptr<i64, gm>", arch="a3")
    place = {k: p.const(8 * k) for k in range(4)}

    def load(index):
        value = p.value()
        p(f"{value} = pto.load_scalar %m[{index}] : !pto.ptr<i64, gm> -> i64")
        return value

    def add(a, b, type_="i64"):
        value = p.value()
        p(f"{value} = arith.addi {a}, {b} : {type_}")
        return value

    def signal(text, name):
        if drop != name:
            p(text)

    p.on("cube")(f"pto.store_scalar {p.i64(40)}, %m[{place[0]}] : !pto.ptr<i64, gm>, i64")
    signal(f"pto.set_cross_core {p.i64(0)}, {p.i64(3)} : i64, i64", "ask")
    signal(f"pto.wait_flag_dev {p.i64(15)} : i64", "collect")
    total = add(load(place[1]), load(place[2]))
    p(f"pto.store_scalar {total}, %m[{place[3]}] : !pto.ptr<i64, gm>, i64")

    p.on("vector")
    signal(f"pto.wait_flag_dev {p.i64(0)}, {p.i64(3)} : i64, i64", "hear")
    sub, index, step, first = (p.value() for _ in range(4))
    p(f"{sub} = pto.get_subblock_idx", f"{index} = arith.index_cast {sub} : i64 to index",
      f"{step} = arith.muli {index}, {place[1]} : index", f"{first} = arith.cmpi eq, {sub}, {p.i64(0)} : i64")
    answer = add(load(place[0]), add(sub, p.i64(1)))  # 41 and 42
    p(f"pto.store_scalar {answer}, %m[{add(step, place[1], 'index')}] : !pto.ptr<i64, gm>, i64")
    if only_first:
        p(f"scf.if {first} {{")
    signal(f"pto.set_cross_core {p.i64(15)} : i64", "answer")
    if only_first:
        p("}")
    return p


def run(arch="a3"):
    expected = np.zeros(32, np.int64)
    expected[[0, 8, 16, 24]] = [40, 41, 42, 83]
    args, options = [np.zeros(32, np.int64)], ["--arch", arch]
    ptorun.expect(kernel().write("whole"), args, {0: expected}, options,
                  [*ptorun.ALL_WAYS, *(["--schedule", f"random:{k}"] for k in range(2, 6))])
    return args, options
