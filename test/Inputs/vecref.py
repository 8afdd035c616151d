"""A plain reference of vector loads and stores, gathers, scatters and unaligned streams.

Written from the rules of docs/isa/10-vector-memory.md datum by datum (not from its byte maps,
which the tool uses). UB is a NumPy array of bytes, a register is 256 bytes, a mask is 256 bools: bit k
governs byte k, and a consumer of width w looks at bit w*i for lane i.
"""
import numpy as np


def rows(data, width):
    """Bytes as data of `width` bytes, one a row."""
    return data.reshape(-1, width)


def flat(data):
    return np.ascontiguousarray(data).reshape(-1).view(np.uint8)


# ---- loads: token -> (window in bytes, alignment, window bytes -> register) --------------------

LOADS = {
    "NORM": (256, 32, lambda x: x),
    "BRC_BLK": (32, 32, lambda x: np.tile(x, 8)),
    "UNPK4": (64, 32, lambda x: np.hstack([rows(x, 1), np.zeros((64, 3), np.uint8)])),
    "SPLT4CHN": (1024, 32, lambda x: x[0::4]),
}
for w in (1, 2, 4):
    LOADS[f"BRC_B{8 * w}"] = (w, w, lambda x: np.resize(x, 256))
    LOADS[f"UNPK_B{8 * w}"] = (128, 32, lambda x, w=w: np.hstack([rows(x, w), np.zeros((128 // w, w), np.uint8)]))
    LOADS[f"DINTLV_B{8 * w}"] = (512, 32, lambda x, w=w: rows(x, w)[0::2])
for w in (1, 2):
    LOADS[f"US_B{8 * w}"] = (128, 32, lambda x, w=w: np.repeat(rows(x, w), 2, axis=0))
    LOADS[f"DS_B{8 * w}"] = LOADS[f"SPLT2CHN_B{8 * w}"] = (512, 32, lambda x, w=w: rows(x, w)[0::2])
for w in (2, 4):
    LOADS[f"E2B_B{8 * w}"] = (8 * w, 8 * w, lambda x, w=w: np.repeat(rows(x, w), 32 // w, axis=0))

PAIR_LOADS = {"DINTLV_B8": 1, "DINTLV_B16": 2, "DINTLV_B32": 4, "BDINTLV": 32}  # bytes that stay together

STRIDES = {"STRIDE_S3_B16": (3, 2), "STRIDE_S2_B64": (2, 8), "STRIDE_S4_B64": (4, 8), "STRIDE_S8_B32": (8, 4)}


def load(ub, token, address):
    window, _, read = LOADS[token]
    assert 0 <= address and address + window <= len(ub)
    return flat(read(ub[address:address + window])).copy()


def load_pair(ub, token, address):
    data = rows(ub[address:address + 512], PAIR_LOADS[token])
    return flat(data[0::2]).copy(), flat(data[1::2]).copy()


def stride_window(token):
    k, w = STRIDES[token]
    return (256 // w - 1) * k * w + w


def load_stride(ub, token, address):
    k, w = STRIDES[token]
    return np.concatenate([ub[address + i * k * w:address + i * k * w + w] for i in range(256 // w)])


# ---- stores: they change `ub` ------------------------------------------------------------------

# token -> (slots, bytes of a slot in the register, bytes written of it, mask bits a slot, alignment)
STORES = {"PK4_B32": (64, 4, 1, 4, 32)}
for w in (1, 2, 4):
    STORES[f"NORM_B{8 * w}"] = (256 // w, w, w, w, 32)
    STORES[f"1PT_B{8 * w}"] = (1, w, w, None, w)  # whatever the mask says
    STORES[f"PK_B{16 * w}"] = (128 // w, 2 * w, w, 2 * w, 32)
MERGES = {"MRG4CHN_B8": (1, 4), "MRG2CHN_B8": (1, 2), "MRG2CHN_B16": (2, 2)}  # bytes of a datum, channels
PAIR_STORES = {"INTLV_B8": 1, "INTLV_B16": 2, "INTLV_B32": 4}


def merge(register, token):
    """Within each block the planes of the channels become pixels."""
    w, channels = MERGES[token]
    return flat(register.reshape(8, channels, 32 // channels // w, w).transpose(0, 2, 1, 3))


def store(ub, token, address, register, mask):
    if token in MERGES:
        register = merge(register, token)
        w, channels = MERGES[token]
        slots, wide, narrow, step = 256 // (w * channels), w * channels, w * channels, w * channels
    else:
        slots, wide, narrow, step, _ = STORES[token]
    for i in range(slots):
        if step is None or mask[step * i]:
            ub[address + narrow * i:address + narrow * (i + 1)] = register[wide * i:wide * i + narrow]


def store_pair(ub, token, address, low, high):
    w = PAIR_STORES[token]
    ub[address:address + 512] = flat(np.stack([rows(low, w), rows(high, w)], axis=1))


def store_stride(ub, token, address, register):
    k, w = STRIDES[token]
    for i in range(256 // w):
        ub[address + i * k * w:address + i * k * w + w] = register[w * i:w * (i + 1)]


# ---- blocks ------------------------------------------------------------------------------------


def block_active(mask, b):
    return mask[32 * b:32 * b + 32].any()


def load_blocks(ub, address, block_stride, repeat_stride, mask):
    register = np.zeros(256, np.uint8)
    for b in range(8):
        if block_active(mask, b):
            at = address + 32 * (repeat_stride + b * block_stride)
            register[32 * b:32 * b + 32] = ub[at:at + 32]
    return register


def store_blocks(ub, address, block_stride, repeat_stride, mask, register):
    for b in range(8):
        if block_active(mask, b):
            at = address + 32 * (repeat_stride + b * block_stride)
            ub[at:at + 32] = register[32 * b:32 * b + 32]


# ---- gather and scatter ------------------------------------------------------------------------


def lanes_of(active, count, slot):
    """`active` is a mask, or how many lanes from the first are on."""
    return [i for i in range(count) if (i < active if np.isscalar(active) else active[slot * i])]


def unsigned(register, width):
    return register.view({1: np.uint8, 2: np.uint16, 4: np.uint32}[width]).tolist()


def gather(ub, address, element, slot, index, index_width, active):
    """`slot`: the wider of result lane and index lane; a narrower element is zero-extended into it."""
    index = unsigned(index, index_width)
    register = np.zeros(256, np.uint8)
    for i in lanes_of(active, 256 // slot, slot):
        at = address + index[i] * element
        register[slot * i:slot * i + element] = ub[at:at + element]
    return register


def scatter(ub, address, element, slot, index, index_width, active, register):
    index = unsigned(index, index_width)
    for i in reversed(lanes_of(active, 256 // slot, slot)):  # of two lanes the lower one wins
        at = address + index[i] * element
        ub[at:at + element] = register[slot * i:slot * i + element]


def gather_blocks(ub, address, offsets, active):
    offsets = unsigned(offsets, 4)
    register = np.zeros(256, np.uint8)
    for b in lanes_of(active, 8, 4):
        at = address + offsets[b]
        register[32 * b:32 * b + 32] = ub[at:at + 32]
    return register


# ---- unaligned streams -------------------------------------------------------------------------


class LoadState:
    """The 32-byte block in which an unaligned load begins."""

    def __init__(self, ub, address):
        self.block = address // 32 * 32


def load_unaligned(ub, address, state):
    """Memory as it is now, the block of the state too."""
    assert state.block == address // 32 * 32
    return ub[address:address + 256].copy(), LoadState(ub, address + 256)


class StoreState:
    """Bytes of a stream that are not written yet: a run inside one 32-byte block."""

    def __init__(self):
        self.pending = []  # (address, byte)

    def push(self, ub, address, data):
        assert not self.pending or self.pending[-1][0] + 1 == address
        for k, byte in enumerate(data):
            self.pending.append((address + k, byte))
            if (address + k + 1) % 32 == 0:
                self.flush(ub)

    def flush(self, ub):
        for address, byte in self.pending:
            ub[address] = byte
        self.pending = []
