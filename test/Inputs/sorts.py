"""A plain reference of the sorting instructions (SORT-9 to SORT-17) and kernels that run them.

All of a window of UB comes in by DMA, each case runs with the flags it needs, the window goes out again: what the
reference does not write must keep its bytes.
"""
import struct

import numpy as np

import ptorun
from ptoref import rng

PARAMETERS = ("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>", "%counts: !pto.ptr<i64, gm>")
OUT = 32768
WINDOW = 65536
FORMATS = {"f32": ("<f", "<I", 4), "f16": ("<e", "<H", 2)}
SPECIAL = [0.0, -0.0, 1.0, 1.0, -1.0, 2.5, float("inf"), float("-inf"), float("nan")]


def order(score, element):
    """Greater is earlier: sign and magnitude, -0 below +0, NaNs beyond the infinities of their sign."""
    bits = struct.unpack(FORMATS[element][1], score)[0]
    sign = 1 << (8 * FORMATS[element][2] - 1)
    return -(bits - sign) - 1 if bits >= sign else bits


def scores(generator, n, element):
    """Ties, zeros, infinities and NaNs of both signs among random bits."""
    fmt, raw, size = FORMATS[element]
    result = []
    for _ in range(n):
        if generator.integers(2):
            bits = bytearray(struct.pack(fmt, SPECIAL[generator.integers(len(SPECIAL))]))
            if generator.integers(4) == 0:
                bits[-1] ^= 0x80
            result.append(bytes(bits))
        else:
            result.append(generator.bytes(size))
    return result


def record(score, index):
    return score.ljust(4, b"\0") + struct.pack("<I", index)


def bitsort(scores_, indices, element):
    """Groups of 32 -> bytes."""
    data = b""
    for q in range(0, len(scores_), 32):
        pairs = sorted(zip(scores_[q:q + 32], indices[q:q + 32]), key=lambda pair: -order(pair[0], element))
        data += b"".join(record(*pair) for pair in pairs)
    return data


def sorted_list(generator, n, element):
    """Records in descending order -> bytes."""
    own = sorted(scores(generator, n, element), key=lambda score: -order(score, element))
    return [record(score, int(generator.integers(1 << 32))) for score in own]


def merge(lists, element, suspends):
    """-> records in order, and how many of each list."""
    size = FORMATS[element][2]
    taken, result = [0] * 4, []
    while True:
        heads = [(-order(lists[j][taken[j]][:size], element), j) for j in range(4) if taken[j] < len(lists[j])]
        if not heads:
            return result, taken
        j = min(heads)[1]
        result.append(lists[j][taken[j]])
        taken[j] += 1
        if suspends and taken[j] == len(lists[j]):
            return result, taken


class Case(ptorun.Program):
    """One window of UB and what it becomes."""

    def __init__(self, name):
        super().__init__(*PARAMETERS)
        self.label = name
        self.rng = rng("sorts", name)
        self.start = self.rng.integers(0, 256, WINDOW, dtype=np.uint8)
        self.changes, self.counts = [], []
        self.bulk_in("%in", 0, WINDOW)
        self.flag("MTE2", "V")

    def put(self, address, data):
        self.start[address:address + len(data)] = np.frombuffer(data, np.uint8)

    def becomes(self, address, data):
        self.changes.append((address, np.frombuffer(data, np.uint8)))

    def bitsort(self, dst, scores_, indices, repeat, element, name="vbitsort", index="ui32"):
        self(f"pto.{name} {self.ub(dst, element)}, {self.ub(scores_, element)}, {self.ub(indices, index)}, "
             f"{self.const(repeat)} : !pto.ptr<{element}, ub>, !pto.ptr<{element}, ub>, !pto.ptr<{index}, ub>, index")

    def mergesort(self, dst, sources, count, config, element, name="vmrgsort4"):
        pointer = f"!pto.ptr<{element}, ub>"
        names = ", ".join(self.ub(at, element) for at in (dst, *sources))
        self(f"pto.{name} {names}, {self.i64(count)}, {self.i64(config)} : " + ", ".join([pointer] * 5) + ", i64, i64")

    def status(self, expected, wide=False, flag=True):
        """Stores the four counts behind those read before."""
        if flag:
            self.flag("V", "S")
        at = len(self.counts)
        if wide:
            word = self.value()
            self(f"{word} = pto.get_vms4_sr : i64", f"pto.store_scalar {word}, %counts[{self.const(at)}] : !pto.ptr<i64, gm>, i64")
            self.counts.append(sum(n << 16 * j for j, n in enumerate(expected)))
            return
        names = [self.value() for _ in range(4)]
        self(f"{', '.join(names)} = pto.get_vms4_sr : i16, i16, i16, i16")
        for j, name in enumerate(names):
            self(f"{name}_w = arith.extui {name} : i16 to i64",
                 f"pto.store_scalar {name}_w, %counts[{self.const(at + j)}] : !pto.ptr<i64, gm>, i64")
        self.counts += expected

    def arguments(self):
        return [self.start, np.zeros(WINDOW, np.uint8), np.full(max(1, len(self.counts)), -1, np.int64)]

    def finish(self):
        self.flag("V", "MTE3")
        self.bulk_out(0, "%out", WINDOW)
        return super().write(self.label)

    def check(self, ways=ptorun.ALL_WAYS):
        end = self.start.copy()
        for address, data in self.changes:
            end[address:address + len(data)] = data
        ptorun.expect(self.finish(), self.arguments(), {1: end, 2: np.array(self.counts or [-1], np.int64)}, ways=ways)

    def refused(self, *contains):
        return ptorun.refused(self.finish(), self.arguments(), contains=contains)
