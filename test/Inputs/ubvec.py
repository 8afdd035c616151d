"""A plain reference of the `ub` instructions (UBV-4 to UBV-10) and kernels that run them, on a3.

All of a window of UB comes in by DMA, instructions follow with a barrier between them, and the window goes out again: what
the reference does not write must keep its bytes.
"""
import numpy as np

import ptorun
from compref import near
from ptoref import BINARY, INT, UNARY, Type, decode, encode, random_bits, rng

WINDOW = 98304
PARAMETERS = ("%in: !pto.ptr<i8, gm>", "%out: !pto.ptr<i8, gm>")
A3 = ["--arch", "a3"]


def real(function):
    def apply(a, t):
        with np.errstate(all="ignore"):
            return encode(function(decode(a, t)), t)
    return apply


def quotient(a, b, t):
    """Toward zero; divisors of 0 are not tried."""
    if t.float:
        return BINARY["vdiv"](a, b, t)
    x, y = a.view(INT[t.bytes]).astype(np.int64), b.view(INT[t.bytes]).astype(np.int64)
    whole = np.abs(x) // np.maximum(np.abs(y), 1) * np.sign(x) * np.sign(y)
    return whole.astype(INT[t.bytes]).view(t.bits)


def add_relu(a, b, t):
    return UNARY["vrelu"](BINARY["vadd"](a, b, t), t)


def shifted(left):
    def apply(a, distance, t):
        count = min(int(distance) % (1 << 64), 8 * t.bytes)
        wide = a.astype(np.uint64)
        return (wide << np.uint64(count) if left else wide >> np.uint64(count)).astype(t.bits)
    return apply


def with_scalar(name):
    return lambda a, scalar, t: BINARY[name](a, np.full_like(a, int(scalar) & ((1 << 8 * t.bytes) - 1)), t)


ARITHMETIC, FLOATS, BITS = ["i16", "i32", "f16", "f32"], ["f16", "f32"], ["i16", "ui16"]
SHIFTED = ["i16", "ui16", "i32", "ui32"]
TWO = {**{name: (ARITHMETIC, BINARY[name]) for name in ("vadd", "vsub", "vmul", "vmax", "vmin")},
       "vdiv": (ARITHMETIC, quotient), "vaddrelu": (["i16", "f16", "f32"], add_relu),
       "vand": (BITS, lambda a, b, t: a & b), "vor": (BITS, lambda a, b, t: a | b)}
ONE = {"vnot": (BITS, lambda a, t: ~a), "vabs": (FLOATS, UNARY["vabs"]), "vrelu": (FLOATS, UNARY["vrelu"]),
       "vexp": (FLOATS, UNARY["vexp"]), "vln": (FLOATS, real(np.log)), "vsqrt": (FLOATS, real(np.sqrt)),
       "vrsqrt": (FLOATS, real(lambda x: 1 / np.sqrt(x)))}
SCALAR = {**{f"{name}s": (ARITHMETIC, with_scalar(name)) for name in ("vadd", "vmul", "vmax", "vmin")},
          "vshl": (SHIFTED, shifted(True)), "vshr": (SHIFTED, shifted(False))}
DUP = {"vdup": ([*SHIFTED, "f16", "bf16", "f32"], lambda scalar, t: t.bits(int(scalar) & ((1 << 8 * t.bytes) - 1)))}
APPROXIMATE = {"vexp", "vln", "vrsqrt"}


class Case(ptorun.Program):
    def __init__(self, name, element):
        super().__init__(*PARAMETERS)
        self.label, self.t = name, Type(element)
        self.rng = rng("ub", name, element)
        self.start = random_bits(self.t, WINDOW // self.t.bytes, "ub", name).view(np.uint8)
        self.end = self.start.copy()
        self.mask, self.counts = (-1, -1), False
        self.bulk_in("%in", 0, WINDOW)
        self.flag("MTE2", "V")

    def words(self, low, high):
        """As Python numbers; the text has them as signed ones."""
        signed = [word - (1 << 64) if word >= 1 << 63 else word for word in (low, high)]
        self(f"pto.ub.set_mask {self.i64(signed[0])}, {self.i64(signed[1])} : i64, i64")
        self.mask = (low, high)

    def mode(self, counts):
        self("pto.ub.set_mask_count" if counts else "pto.ub.set_mask_norm")
        self.counts = counts

    def selected(self, repeat):
        """UBV-5, UBV-7: the elements of each repeat."""
        lanes = 256 // self.t.bytes
        if self.counts:
            n = self.mask[0]
            return [np.arange(min(lanes, n - r * lanes)) for r in range(-(-n // lanes))]
        on = np.array([i for i in range(lanes) if self.mask[i // 64] >> (i % 64) & 1], int)
        return [on] * repeat

    def issue(self, name, places, scalar, repeat, blocks, steps, short=False):
        pointer = f"!pto.ptr<{self.t.name}, ub>"
        numbers = ([] if scalar is None else [scalar]) + [repeat, *blocks, *steps]
        types = [pointer] * len(places) + ([f"i64 x{len(numbers)}"] if short else ["i64"] * len(numbers))
        self.barrier_v()
        self(f"pto.ub.{name} {', '.join([self.ub(at, self.t.name) for at in places] + [self.i64(n) for n in numbers])} : {', '.join(types)}")

    def barrier_v(self):
        self("pto.barrier #pto.pipe<PIPE_V>")

    def run(self, name, function, places, repeat, blocks, steps, scalar=None, short=False):
        """Issues the instruction and does what it does to the model, repeat by repeat (UBV-4, UBV-8)."""
        self.issue(name, places, scalar, repeat, blocks, steps, short)
        per, words = 32 // self.t.bytes, self.end.view(self.t.bits)
        for r, lanes in enumerate(self.selected(repeat)):
            if not len(lanes):
                continue
            at = [place // self.t.bytes + per * (r * step + lanes // per * block) + lanes % per
                  for place, block, step in zip(places, blocks, steps)]
            with np.errstate(over="ignore"):
                values = function(*[words[k] for k in at[1:]], *([] if scalar is None else [scalar]), self.t)
            words[at[0]] = np.broadcast_to(values, len(lanes))  # of elements in the same place the last stays

    def finish(self):
        self.flag("V", "MTE3")
        self.bulk_out(0, "%out", WINDOW)
        return super().write(f"{self.label}_{self.t.name}")

    def arguments(self):
        return [self.start, np.zeros(WINDOW, np.uint8)]

    def check(self, approximate=False):
        path = self.finish()
        if not approximate:
            return ptorun.expect(path, self.arguments(), {1: self.end}, options=A3)
        for way in ptorun.ALL_WAYS:
            (got,), _ = ptorun.tool(path, self.arguments(), (1,), [*A3, *way])
            wrong = ~near(got.view(self.t.bits), self.end.view(self.t.bits), self.t)
            if wrong.any():
                k = np.flatnonzero(wrong)[0]
                ptorun.fail(f"{path}: element {k} is {got.view(self.t.bits)[k]:#x}, not {self.end.view(self.t.bits)[k]:#x}")

    def refused(self, *contains, status=1):
        return ptorun.refused(self.finish(), self.arguments(), A3, contains, status)


def avoid_zero(case, places):
    """Divisors of integers."""
    words = case.start.view(INT[case.t.bytes])
    words[words == 0] = 3
    words[words == -1] = 5
    case.end = case.start.copy()
