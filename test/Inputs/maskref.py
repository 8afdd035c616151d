"""A plain reference of mask registers, from docs/isa/11-predicates.md: 256 bools, bit k belongs to byte k of a vector register (MASK-7)."""
import numpy as np

from ptoref import rng


def pand(a, b, g):
    return a & b & g


def por(a, b, g):
    return (a | b) & g


def pxor(a, b, g):
    return (a ^ b) & g


def pnot(a, g):
    return ~a & g


def psel(a, b, s):
    return np.where(s, a, b)


def groups(image, width):
    return [image[k:k + width] for k in range(0, 256, width)]


def pintlv(a, b, width):
    z = [g for pair in zip(groups(a, width), groups(b, width)) for g in pair]
    return np.concatenate(z[:len(z) // 2]), np.concatenate(z[len(z) // 2:])


def pdintlv(a, b, width):
    z = groups(a, width) + groups(b, width)
    return np.concatenate(z[0::2]), np.concatenate(z[1::2])


def ppack(a, part):
    r = np.zeros(256, bool)
    at = {"LOWER": 0, "HIGHER": 128}[part]
    for i in range(128):
        r[at + i] = a[2 * i]
    return r


def punpack(a, part):
    r = np.zeros(256, bool)
    at = {"LOWER": 0, "HIGHER": 128}[part]
    for i in range(128):
        r[2 * i] = a[at + i]
    return r


def bits(data):
    """Bytes to bits, the lowest bit of a byte first."""
    return np.array([byte >> k & 1 for byte in data.tolist() for k in range(8)], bool)


def packed(image):
    """Bits to bytes."""
    return np.array([sum(int(bit) << k for k, bit in enumerate(image[n:n + 8])) for n in range(0, len(image), 8)], np.uint8)


PLDS = {"NORM": (32, 32, lambda b: b), "US": (16, 8, lambda b: np.repeat(b, 2)), "DS": (64, 32, lambda b: b[::2])}
PSTS = {"NORM": (32, 32, lambda m: m), "PK": (16, 8, lambda m: m[::2])}  # bytes, alignment, what


def plds(ub, token, address):
    size, _, read = PLDS[token]
    return read(bits(ub[address:address + size]))


def psts(ub, token, address, image):
    size, _, write = PSTS[token]
    ub[address:address + size] = packed(write(image))


def pstu_bytes(image, width):
    """One bit a lane."""
    return packed(image[::width])


def canonical(lanes, width):
    image = np.zeros(256, bool)
    image[::width] = lanes
    return image


def samples(width, *key):
    """Images that tell readings apart: empty, full, single bits, random ones that no generator makes, and canonical ones."""
    g = rng("masks", width, *key)
    n = 256 // width
    images = {"empty": np.zeros(256, bool), "all bits": np.ones(256, bool), "all lanes": canonical(np.ones(n, bool), width),
              "first lane": canonical(np.arange(n) == 0, width), "last lane": canonical(np.arange(n) == n - 1, width),
              "one lane": canonical(np.arange(n) == int(g.integers(1, n - 1)), width),
              "tail": canonical(np.arange(n) < int(g.integers(1, n)), width),
              "random lanes": canonical(g.integers(0, 2, n).astype(bool), width),
              "random bits": g.integers(0, 2, 256).astype(bool), "few bits": g.integers(0, 8, 256) == 0}
    if width > 1:  # every bit but the ones that count
        images["ignored bits"] = np.arange(256) % width != 0
    return images
