"""Index registers for gathers and scatters: in range where a lane is on, stray where it is off."""
import numpy as np

from ptoref import Type

SHAPES = {  # pointer element -> (data register, index registers) that go together
    "i32": ("i32", ["i32", "ui32"]), "ui32": ("ui32", ["ui32"]), "si32": ("si32", ["i32"]), "f32": ("f32", ["i32", "ui32"]),
    "i16": ("i16", ["i16", "ui16"]), "ui16": ("ui16", ["ui16"]), "si16": ("si16", ["i16"]), "f16": ("f16", ["ui16"]),
    "bf16": ("bf16", ["i16"]),
}


def shapes():
    return [(Type(p), Type(d), Type(i)) for p, (d, indices) in SHAPES.items() for i in indices]


def indices(b, index, slot, on, limit, distinct=False):
    """A register of indices below `limit` in the lanes that are on; any bits in the others."""
    n = 256 // slot
    bits = b.rng.integers(0, 256, 256, dtype=np.uint8).view(index.bits)
    good = b.rng.permutation(limit)[:n] if distinct else b.rng.integers(0, limit, n)
    bits[:n] = np.where(on, good, bits[:n])
    return bits.view(np.uint8)


def active_forms(b, slot, samples):
    """Each mask as a mask, then counts: yields (what is active, text, type, note)."""
    n = 256 // slot
    grain = f"b{8 * slot}"
    for name, image in samples.items():
        yield image[::slot], image, b.mask(image, grain), f"!pto.mask<{grain}>", name
    for count in (0, 1, n // 2 + 1, n):
        yield np.arange(n) < count, count, b.const(count), "index", f"{count} lanes"
