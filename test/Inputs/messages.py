"""Signals as messages: mode 2 between the cube core and both vector cores of a cluster, mode 1 between its vector cores, mode 0 between the
cores of a kind in all blocks. Data travel through GM."""
import numpy as np

import ptorun
from cluster import Mixed
from ptoref import rng

SIZE = 512
GM = "!pto.ptr<i8, gm>"
WAYS = (["--werror"], ["--check", "none"], ["--schedule", "lazy"], *(["--schedule", f"random:{k}"] for k in range(4)))


def cluster_kernel(arch, set_, wait, drop=None):
    """Cube to both vector cores and back: a row through GM and UB, each way one message."""
    p = Mixed(f"%in: {GM}", f"%out: {GM}", arch=arch)

    def signal(write, name, pipe, n):
        if name != drop:
            p(write(p, pipe, n, name))

    p.on("cube")
    p.mte("mte_gm_l1", "%in", p.l1(0), SIZE)
    signal(set_, "cube set", "MTE2", 3)
    signal(wait, "cube wait", "MTE2", 4)
    p.mte("mte_gm_l1", "%out", p.l1(1024), 2 * SIZE)  # what both vector cores have written
    p.on("vector")
    signal(wait, "vector wait", "MTE2", 3)
    p.gm_ub("%in", 0, SIZE)
    p.flag("MTE2", "MTE3")
    p.ub_gm(0, p.sub_offset("%out", SIZE), SIZE)
    signal(set_, "vector set", "MTE3", 4)
    return p


def check_cluster(arch, set_, wait):
    data = rng("messages").integers(0, 256, SIZE, dtype=np.uint8)
    args = [data, np.zeros(2 * SIZE, np.uint8)]
    p = cluster_kernel(arch, set_, wait)
    ptorun.expect(p.write(f"{arch}_whole"), args, {1: np.tile(data, 2)}, ways=WAYS)
    for name, code in (("cube set", "error[deadlock]"), ("vector set", "error[deadlock]"), ("cube wait", "error[race-")):
        ptorun.refused(cluster_kernel(arch, set_, wait, drop=name).write(f"{arch}_no_{name.replace(' ', '_')}"), args, contains=[code])
    # a message of one vector core alone does not count
    q = Mixed(f"%in: {GM}", f"%out: {GM}", arch=arch)
    q.on("cube")(wait(q, "MTE2", 4, ""))
    q.on("vector")("%s = pto.get_subblock_idx", f"%first = arith.cmpi eq, %s, {q.i64(0)} : i64", "scf.if %first {", set_(q, "MTE3", 4, ""), "}")
    ptorun.refused(q.write(f"{arch}_half"), args, contains=["error[deadlock]", "AIV1"])


def check_vectors(arch, set_, wait):
    """Mode 1: the vector cores swap rows."""
    def kernel(with_wait):
        p = Mixed(f"%in: {GM}", f"%mid: {GM}", f"%out: {GM}", arch=arch)
        p.on("vector")
        p.gm_ub(p.sub_offset("%in", SIZE), 0, SIZE)
        p.flag("MTE2", "MTE3")
        p.ub_gm(0, p.sub_offset("%mid", SIZE), SIZE)
        p(set_(p, "MTE3", 9, ""))
        if with_wait:
            p(wait(p, "MTE2", 9, ""))
        sub, index, offset, source = (p.value() for _ in range(4))
        p(f"{sub} = pto.get_subblock_idx", f"{index} = arith.index_cast {sub} : i64 to index", f"{offset}a = arith.muli {index}, {p.const(SIZE)} : index",
          f"{offset} = arith.subi {p.const(SIZE)}, {offset}a : index", f"{source} = pto.addptr %mid, {offset} : {GM} -> {GM}")
        p.gm_ub(source, 1024, SIZE)
        p.flag("MTE2", "MTE3", 1)
        p.ub_gm(1024, p.sub_offset("%out", SIZE), SIZE)
        return p
    data = rng("vectors").integers(0, 256, 2 * SIZE, dtype=np.uint8)
    args = [data, np.zeros_like(data), np.zeros_like(data)]
    ptorun.expect(kernel(True).write(f"{arch}_vectors"), args, {1: data, 2: np.roll(data, SIZE)}, ways=WAYS)
    _, shown = ptorun.tool(kernel(False).write(f"{arch}_vectors_broken"), args, status=1)
    if "error[race-" not in shown:
        ptorun.fail(shown)


def check_blocks(arch, set_, wait, blocks=3):
    """Mode 0: each block reads the row of its neighbour."""
    def kernel(with_wait):
        p = ptorun.Program(f"%in: {GM}", f"%mid: {GM}", f"%out: {GM}")

        def row(pointer, number):
            offset, result = p.value(), p.value()
            p(f"{offset}i = arith.index_cast {number} : i64 to index", f"{offset} = arith.muli {offset}i, {p.const(SIZE)} : index",
              f"{result} = pto.addptr {pointer}, {offset} : {GM} -> {GM}")
            return result
        p("%own = pto.get_block_idx", f"%far = arith.addi %own, {p.i64(1)} : i64", f"%next = arith.remsi %far, {p.i64(blocks)} : i64")
        p.gm_ub(row("%in", "%own"), 0, SIZE)
        p.flag("MTE2", "MTE3")
        p.ub_gm(0, row("%mid", "%own"), SIZE)
        p(set_(p, "MTE3", 5, ""))
        if with_wait:
            p(wait(p, "MTE2", 5, ""))
        p.gm_ub(row("%mid", "%next"), 1024, SIZE)
        p.flag("MTE2", "MTE3", 1)
        p.ub_gm(1024, row("%out", "%own"), SIZE)
        path = ptorun.scratch(f"{arch}_blocks{int(with_wait)}.pto")
        with open(path, "w") as file:
            file.write(p.text().replace('"a5"', f'"{arch}"'))
        return path
    data = rng("blocks").integers(0, 256, (blocks, SIZE), dtype=np.uint8)
    args, options = [data, np.zeros_like(data), np.zeros_like(data)], ["--block-dim", str(blocks)]
    for way in WAYS:
        ptorun.expect(kernel(True), args, {1: data, 2: np.roll(data, -1, axis=0)}, options, ways=(way,))
    ptorun.refused(kernel(False), args, options, ["error[race-blocks]"])
    # one block: it joins no one, which is said
    data = data[:1]
    args = [data, np.zeros_like(data), np.zeros_like(data)]
    text = open(kernel(True)).read().replace(f"constant {blocks} : i64", "constant 1 : i64")
    path = ptorun.scratch(f"{arch}_alone.pto")
    with open(path, "w") as file:
        file.write(text)
    ptorun.expect(path, args, {2: data}, ways=([],))
    ptorun.refused(path, args, ["--werror"], ["undefined-by-manual", "one block"])
