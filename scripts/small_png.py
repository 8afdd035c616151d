"""Makes PNG files of windows small: a palette of 256 colours instead of three bytes a pixel."""
import struct
import zlib

import numpy as np

SIGNATURE = b"\x89PNG\r\n\x1a\n"


def chunks(data):
    at = len(SIGNATURE)
    while at < len(data):
        length, = struct.unpack_from(">I", data, at)
        yield data[at + 4:at + 8], data[at + 8:at + 8 + length]
        at += 12 + length


def decode(data):
    """Rows of pixels, without transparency. Eight bits a channel, not interlaced: what browsers write."""
    parts = list(chunks(data))
    width, height, depth, kind, _, _, interlace = struct.unpack(">IIBBBBB", parts[0][1])
    if depth != 8 or kind not in (2, 6) or interlace:
        raise ValueError("this is not a PNG file of a window")
    step = 3 if kind == 2 else 4
    raw = np.frombuffer(zlib.decompress(b"".join(body for name, body in parts if name == b"IDAT")), np.uint8)
    raw = raw.reshape(height, 1 + width * step)
    above = np.zeros(width * step, np.uint8)
    rows = np.empty((height, width * step), np.uint8)
    for y in range(height):
        above = rows[y] = unfilter(int(raw[y, 0]), raw[y, 1:], above, step)
    return rows.reshape(height, width, step)[:, :, :3]


def unfilter(kind, line, above, step):
    if kind == 0:
        return line
    if kind == 1:
        return np.cumsum(line.reshape(-1, step), axis=0, dtype=np.uint8).reshape(-1)
    if kind == 2:
        return line + above
    done = [0] * (len(line) + step)  # the pixel on the left of the first one is black
    for i, value in enumerate(line.tolist()):
        left, up = done[i], int(above[i])
        corner = int(above[i - step]) if i >= step else 0
        if kind == 3:
            guess = (left + up) // 2
        else:
            guess = min((left, up, corner), key=lambda each: abs(left + up - corner - each))
        done[i + step] = (value + guess) & 255
    return np.array(done[step:], np.uint8)


def encode(pixels):
    """A palette of the commonest colours; the others take the nearest one."""
    height, width, _ = pixels.shape
    words = (pixels.astype(np.uint32) * [65536, 256, 1]).sum(axis=2).astype(np.uint32)
    colours, places, counts = np.unique(words.reshape(-1), return_inverse=True, return_counts=True)
    parts = np.stack([colours >> 16, colours >> 8 & 255, colours & 255], axis=1).astype(np.int32)
    kept = parts[np.argsort(-counts, kind="stable")[:256]]
    nearest = np.array([np.argmin(((kept - part) ** 2).sum(axis=1)) for part in parts], np.uint8)
    indices = nearest[places.reshape(-1)].reshape(height, width)
    rows = np.concatenate([np.zeros((height, 1), np.uint8), indices], axis=1).tobytes()
    header = struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)
    result = SIGNATURE
    for name, body in ((b"IHDR", header), (b"PLTE", kept.astype(np.uint8).tobytes()), (b"IDAT", zlib.compress(rows, 9)),
                       (b"IEND", b"")):
        result += struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body))
    return result
