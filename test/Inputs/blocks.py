"""Strides and masks of the block instructions vsldb and vsstb, in both surfaces."""
import numpy as np

from vecrun import byte_masks


def strides(b, seed, block, repeat):
    """The stride operands -> (text, types)."""
    def signed(value, bits):
        return value - (1 << bits) if value >> (bits - 1) else value
    if seed:
        return b.const(signed(block << 16 | repeat, 32), "i32"), "i32"
    return f"{b.const(signed(block, 16), 'i16')}, {b.const(signed(repeat, 16), 'i16')}", "i16, i16"


def masks(t):
    """Name -> (image, grain): full ones, whole blocks, parts of blocks, single bits."""
    width = min(t.bytes, 4)
    k = np.arange(256)
    on = k % width == 0
    images = {f"{n} blocks": on & (k < 32 * n) for n in (0, 1, 3, 7)}
    images |= {"all lanes": on, "odd blocks": on & (k // 32 % 2 == 1), "last lane of block 5": k == 192 - width,
               "half blocks": on & (k % 32 < 16)}
    images |= {name: byte_masks(t.mask)[name] for name in ("few bits", "all bits", "first lane")}
    return images
