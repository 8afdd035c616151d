"""What a load leaves in FB: scales as products with 1, slopes as those of -1."""
import numpy as np

import stores
from cuberun import ELEMS, F32, fix
from ptoref import Type, encode, rng

FLOAT = Type("f32")
CHANNELS = 512
CASES = [(0, 0, 64, 1, 0, 0), (64, 128, 3, 1, 2, 5), (0, 64, 2, 4, 1, 3), (128, 0, 1, 6, 2, 0), (0, 0, 0, 3, 1, 1), (0, 0, 3, 0, 1, 1)]  # src dst len n sg dg


def words(key):
    return encode(rng("fb", key).normal(0, 1, CHANNELS) * 2.0 ** rng("fb2", key).integers(-20, 20, CHANNELS), FLOAT)


def check(older=False):
    """Both regions, first filled, then loaded in rows; all channels of each."""
    ones = np.full(CHANNELS, np.float32(1)).view(np.uint32)
    for k, case in enumerate(CASES):
        for region in (0, 1):
            bits = ones ^ np.uint32(0x80000000 * region)
            scales, slopes = words("a").astype(np.uint64), np.concatenate([words("b"), words("c")])
            c = stores.kernel(bits, "f32", 16, scales, None, out=1 << 15)
            c.inputs["data"][stores.SLOPES: stores.SLOPES + 4096] = slopes.view(np.uint8)
            c.model.gm["data"][:] = c.inputs["data"]
            c.model.l1[stores.SLOPES: stores.SLOPES + 4096] = slopes.view(np.uint8)
            c.fb(stores.SLOPES, 0x10000, 64, source=F32)
            src = stores.WORDS if region == 0 else stores.SLOPES
            c.fb(src + case[0], region << 16 | case[1], *case[2:], source=ELEMS["ui64" if region == 0 else "f32"], older=older)
            if region == 0:
                c.store("gm", ("out", 0), fix(0, 1, CHANNELS, 16, CHANNELS, "f32", "f32", "qf322f32_pre_vec", 0))
                c.store("gm", ("out", 8192), fix(0, 1, 48, 16, 48, "f32", "f32", "qf322f32_pre_vec", 128))
            else:
                c.store("gm", ("out", 0), fix(0, 1, CHANNELS, 16, CHANNELS, "f32", relu_mode="vector_relu", slope=0x10000))
                c.store("gm", ("out", 8192), fix(0, 1, CHANNELS, 16, CHANNELS, "f32", relu_mode="vector_relu", slope=0x10800))
            c.run(f"fb{k}_{region}")
