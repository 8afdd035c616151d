"""Stores what the four queries give in every block of a launch."""
import numpy as np

import ptorun

QUERIES = ["get_block_idx", "get_block_num", "get_subblock_idx", "get_subblock_num"]


def check(query):
    value = {"get_block_idx": lambda k, n: k, "get_block_num": lambda k, n: n, "get_subblock_idx": lambda k, n: 0,
             "get_subblock_num": lambda k, n: 1}[query]
    p = ptorun.Program("%out: !pto.ptr<i64, gm>")
    p("%block = pto.get_block_idx", "%i = arith.index_cast %block : i64 to index",
      f"%two = arith.muli %i, {p.const(2)} : index", f"%next = arith.addi %two, {p.const(1)} : index",
      f"%x = pto.{query}", f"%y = pto.{query} : i64",
      "pto.store_scalar %x, %out[%two] : !pto.ptr<i64, gm>, i64", "pto.store_scalar %y, %out[%next] : !pto.ptr<i64, gm>, i64")
    for blocks in (1, 2, 5):
        expected = np.repeat(np.array([value(k, blocks) for k in range(blocks)], np.int64), 2)
        for threads in ("1", "4"):
            ptorun.expect(p.write(query), [np.full(2 * blocks, -1, np.int64)], {0: expected},
                          ["--block-dim", str(blocks), "--threads", threads], ways=(["--werror"], ["--check", "none"]))
