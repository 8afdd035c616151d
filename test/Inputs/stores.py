"""Tests of fixpipe stores. Numbers get into L0C as a bias: a chain of one product, -1 * 0, leaves every number as it is."""
import numpy as np

import ptorun
from cuberef import ELEMS, F32 as FLOAT, up
from cuberun import EVERYTHING, F32, I8, I32, Cube, beyond, fix, noise
from fixref import MODES, UNSCALED, mode_name
from ptoref import Type, decode, encode, random_bits, rng, specials

COLUMNS = 128
MINUS, ZERO, NUMBERS, WORDS, SLOPES = 0, 4096, 20480, 24576, 28672  # places in GM buffer `data` and in L1
SCALES = [0x3F800000, 0x3FA00000, 0x3F8003FF, 0xBDCCCFFF, 0x47000000, 0x33802000]


def numbers(source, dst, count=COLUMNS):
    """Where conversions go wrong: limits, ties, tiny and huge numbers, and for integers the ends of 8 and 4 bits."""
    g = rng("numbers", source, dst)
    if source == "i32":
        edge = [0, 1, -1, 127, 128, -128, -129, 255, 256, 7, 8, -8, -9, 65504, 65520, 2**24 + 1, 2**31 - 1, -2**31]
        rest = g.integers(-2**31, 2**31, count) >> g.integers(0, 31, count)
        return np.resize(np.concatenate([edge, rest]), count).astype(np.int32).view(np.uint32)
    special = specials(FLOAT)
    special = special[~(np.isnan(decode(special, FLOAT)) & (special != FLOAT.nan))]  # L0C holds one NaN, the canonical one
    edge = np.array([0.5, 1.5, 2.5, -0.5, -1.5, 126.5, 127.5, 128.5, -128.5, -129, 254.5, 255.5, 7.5, 8, -8.5, 12000 * 6, 65504, 65519, 65520,
                     448, 464, 465, 480, 57344, 61440, 32768, 49152, 2.0**-24, 2.0**-25, 2.0**-14, 3e38, 1e-40, 2.0**-10, 2.0**-9, 2.0**-17])
    if dst in ("f16", "bf16"):  # exactly between two results
        t = Type(dst)
        codes = g.integers(0, t.inf - 1, 24).astype(t.bits)
        edge = np.concatenate([edge, (decode(codes, t) + decode(codes + t.bits(1), t)) / 2])
    bits = np.concatenate([special, encode(edge, FLOAT), encode(-edge, FLOAT)])
    rest = encode(g.normal(0, 1, count) * 2.0 ** g.integers(-12, 20, count), FLOAT)
    return np.concatenate([bits, rest, random_bits(FLOAT, count, dst)])[:count]


def words(dst):
    """PARAM-3: a scale in bits 31:13, an offset, the sign of the result; noise where no field is read of the scale."""
    g = rng("words", dst)
    scale = encode(g.normal(0, 1, COLUMNS) * 2.0 ** g.integers(-6, 5, COLUMNS), FLOAT) & np.uint32(0xFFFFE000)
    scale[0], scale[1] = 0x3F800000, 0x3F800000
    word = scale.astype(np.uint64)
    if dst in ("i8", "ui8", "i4"):
        word |= g.integers(0, 512, COLUMNS, dtype=np.uint64) << np.uint64(37)
        word |= np.uint64(dst != "ui8") << np.uint64(46)
    return word


def kernel(bits, source, rows=16, words_=None, slopes=None, out=1 << 16, arch="a5", ub=0):
    """`rows` rows of the numbers in L0C from 0 on, scales in FB from 0, slopes from 0x10000."""
    data = noise(1 << 15, source)
    data[MINUS: ZERO] = np.full(1024, -1, np.float32).view(np.uint8)
    data[ZERO: NUMBERS] = 0
    n = len(bits)
    for at, part in ((NUMBERS, bits), (WORDS, words_), (SLOPES, slopes)):
        if part is not None:
            raw = np.ascontiguousarray(part).view(np.uint8)
            data[at: at + len(raw)] = raw
    extra = {"ubs": noise(ub, "ub")} if ub else {}
    c = Cube(arch, data=data, out=noise(out, "out"), **extra)
    if ub:
        c.fill_ub("ubs", ub)
    c.l1_from("data", 1 << 15)
    elem = F32 if source == "f32" else I8
    c.l0_raw("a", MINUS, 0, (0, 0, up(rows, 16) // 16, 1, 1, 1), elem)
    c.l0_raw("b", ZERO, 0, (0, 0, up(n, 16) // 16, 1, 1, 1), elem)
    c.bt(NUMBERS, 0, up(4 * n, 32) // 32, source=F32 if source == "f32" else I32, elem=F32 if source == "f32" else I32)
    c.mad(0, 0, 0, rows, n, 1, elem, start="bias", clauses="disable_gemv" if rows == 1 else "")
    if words_ is not None:
        c.fb(WORDS, 0, up(8 * n, 64) // 64)
    if slopes is not None:
        c.fb(SLOPES, 0x10000, up(4 * n, 64) // 64, source=F32)
    return c


def modes():
    for base, (source, results) in MODES.items():
        for dst in results:
            yield base, source, dst


def values(target="gm"):
    """Each mode, by a scalar and by columns, with each form of saturation, relu and clip; two rows of every number."""
    slopes = encode(rng("slopes").normal(0, 1, COLUMNS), FLOAT)
    for q, (base, source, dst) in enumerate(modes()):
        bits = numbers(source, dst)
        c = kernel(bits, source, 16, words(dst), slopes)
        out, size = 0, 2 * COLUMNS * (0.5 if dst == "i4" else ELEMS[dst].bytes)

        def store(vector, scale=0, text_type="f32", clip_type=None, **options):
            nonlocal out
            c.store("gm", ("out", out), fix(0, 2, COLUMNS, 16, COLUMNS, source, dst, mode_name(base, vector), scale, **options),
                    text_type=text_type, clip_type=clip_type)
            out += int(size)

        for scale in SCALES if EVERYTHING or base == "qf322f16_pre" else [SCALES[q % 2], SCALES[2 + q % 4]]:
            store(False, scale)
        store(False, 0x3F400000, text_type="bf16")
        for sat in ("sat", "preserve", "nosat"):
            store(False, SCALES[1], sat=sat)
        if base not in UNSCALED:
            for sat in (None, "nosat") if not EVERYTHING else (None, "sat", "preserve", "nosat"):
                store(True, sat=sat)
        vector = base not in UNSCALED
        store(vector, SCALES[0] if not vector else 0, relu_mode="normal_relu")
        store(False, SCALES[1], relu_mode="scalar_relu", slope=0x3E801FFF)
        store(vector, SCALES[0] if not vector else 0, relu_mode="vector_relu", slope=0x10000)
        clip = {"f16": (0x4200, "f16"), "i8": (5, "i8"), "ui8": (100, "i16"), "i4": (3, "i4")}.get(dst)
        if clip:
            for relu_mode in ("no_relu", "normal_relu"):
                store(vector, SCALES[0] if not vector else 0, relu_mode=relu_mode, clip=clip[0], clip_type=clip[1])
        c.run(f"{base}_{q}")
    for source in ("f32", "i32"):  # without a mode: as it is, or through relu
        c = kernel(numbers(source, source), source, 16, slopes=slopes)
        for k, options in enumerate([{}, {"relu_mode": "normal_relu"}, {"relu_mode": "no_relu"}, {"sat": "sat"}, {"sat": "preserve"}, {"sat": "nosat"}, {"mode": "no_convert", "scale": 0x40000000}]
                                    + [{"relu_mode": "scalar_relu", "slope": 0x3E801FFF}, {"relu_mode": "vector_relu", "slope": 0x10000}] * (source == "f32")):
            c.store("gm", ("out", 2048 * k), fix(0, 2, COLUMNS, 16, COLUMNS, source, **options))
        c.run(f"plain_{source}")


def control():
    """FIX-26: without a clause, bit 48 of CTRL decides."""
    for bit in (0, 1):
        c = kernel(numbers("f32", "f16"), "f32")
        c(f"pto.set_ctrl {c.i64(bit << 48)} : i64")
        for k, sat in enumerate((None, "sat", "nosat")):
            c.store("gm", ("out", 1024 * k), fix(0, 2, COLUMNS, 16, COLUMNS, "f32", "f16", "f32_f16", sat=sat, ctrl48=bit))
        c.run(f"ctrl{bit}")


LAYOUTS = [  # m, n, ss, ds, options: any part of a tile of 48 rows and 64 columns
    (40, 64, 48, 64, {}), (40, 64, 48, 72, {"layout": "nz2nd"}), (33, 50, 48, 50, {}), (1, 1, 48, 1, {}), (7, 17, 48, 24, {}),
    (40, 64, 48, 40, {"layout": "nz2dn"}), (33, 50, 48, 56, {"layout": "nz2dn"}), (9, 20, 48, 16, {"layout": "nz2dn", "loop0": 2}),
    (40, 64, 48, 640, {"layout": "nz2nz", "split": None}), (33, 40, 48, 768, {"layout": "nz2nz", "split": 0}),
    (40, 64, 48, 320, {"layout": "nz2nz", "split": 1}), (9, 20, 48, 128, {"layout": "nz2nz", "split": 1}),
    (16, 32, 48, 32, {"loop3": (3, 16, 512)}), (16, 16, 48, 48, {"loop3": (2, 48, 16)}), (5, 16, 48, 8, {"layout": "nz2dn", "loop3": (2, 12, 200)}),
    (20, 32, 24, 32, {})]


def tile(out=1 << 16, source="f32", ub=0):
    """A tile of 48 x 64 different numbers in L0C."""
    g = rng("tile")
    data = np.concatenate([encode(g.normal(0, 100, 48 * 64), FLOAT), np.eye(64, dtype=np.float32).view(np.uint32).ravel()]) if source == "f32" else \
        np.concatenate([g.integers(0, 256, 48 * 64, dtype=np.uint8), np.eye(64, dtype=np.uint8).ravel()])
    elem = F32 if source == "f32" else I8
    extra = {"ubs": noise(ub, "ub")} if ub else {}
    c = Cube(data=data, out=noise(out, "out"), **extra)
    if ub:
        c.fill_ub("ubs", ub)
    c.frac("data", 0, 0, 48, 64, elem)
    c.frac("data", 48 * 64 * elem.bytes, 1 << 16, 64, 64, elem)
    c.l0("a", 0, 0, 48, 64, elem)
    c.l0("b", 1 << 16, 0, 64, 64, elem, True)
    c.mad(0, 0, 0, 48, 64, 64, elem)
    return c


def layouts(target, source="f32", sub=None, dst=None, mode=None):
    """Each layout to its own place; GM keeps its noise elsewhere."""
    room, extent = 1 << 14, 1 << 17
    chosen = [layout for layout in LAYOUTS if (layout[4].get("layout") != "nz2nz" or (dst or source) == "f32")]
    for first in range(0, len(chosen), 8):
        c = tile(2 * extent, source, extent if target == "ub" else 0)
        if target == "l1":
            for k in range(2):
                c.l1_from("out", 1 << 16, k << 16)
        for k, (m, n, ss, ds, options) in enumerate(chosen[first: first + 8]):
            where = ("out", room * k) if target == "gm" else room * k
            c.store(target, where, fix(0, m, n, ss, ds, source, dst, mode, **options), sub=None if sub is None else (sub + k) % 2, sid=k % 4, l2=2 * k)
        if target == "l1":
            c.show_l1("out", extent)
        elif target == "ub":
            c.show_ub("out", extent)
        c.run(f"layout_{source}_{dst}_{first}")


def line(target="gm", c=None, out=1 << 14, where=0, src=0, m=16, n=16, ss=16, ds=16, dst=F32, source=F32, mode="", clauses="", types="", sid=0, l2=0):
    """One store, of which only the report matters, of a tile of 16 x 16 that was computed unless `c` is given."""
    if c is None:
        c = tile(out)
    s, st = c.at("l0c", src, source)
    t, tt = c.buffer("out", where, dst) if target == "gm" else c.at(target, where, dst)
    text = f"pto.mte_l0c_{target} {s}, {t}, {c.numbers([m, n, ss, ds] + ([sid, l2] if target == 'gm' else []))}"
    text += f", dst_mode({mode})" if target == "ub" else ""
    c(f"{text}{''.join(', ' + x for x in [clauses] if x)} : {st}, {tt}" + ", i64" * (6 if target == "gm" else 5 if mode.startswith("%") and target == "ub" else 4) + types)
    return c


def empty():
    return Cube(out=np.zeros(1 << 14, np.uint8))


def findings(target):
    """Ends and alignment of L0C and of the destination, ranges, types, what was never computed."""
    said = f"`pto.mte_l0c_{target}`"
    for size, value in (("m", 0), ("n", 0), ("m", 1 << 16), ("n", 1 << 16), ("ss", 0), ("ss", 1 << 16), ("ds", 0), ("ds", 1 << 32), ("m", -1)):
        one = empty()
        line(target, one, mode=one.i64(0), **{size: value}).finds("range", "error[", said)
    one = empty()
    line(target, one, mode=one.i64(0)).finds("never", "error[init-read]", said, "L0C")
    for src, bad in (((256 << 10) - 1024, False), ((256 << 10) - 960, True)):
        one = empty()
        line(target, one, mode=one.i64(0), src=src).finds("l0c", *(["error[local-out-of-bounds]", said, beyond("L0C", 64)] if bad else
                                                                   ["error[init-read]", said]))
    one = empty()
    line(target, one, mode=one.i64(0), src=32).finds("aligned", "error[ub-misaligned]", said, "not a multiple of 64")
    one = empty()
    line(target, one, mode=one.i64(0), dst=ELEMS["f16"]).finds("type", "error[verify-error]", said, "FIX-8")
    for clauses, types, label in (
            ("pre_quant(%q, mode = f32_f16)", ", f32", "FIX-32"), ("pre_relu(mode = scalar_relu)", "", "FIX-33"),
            ("pre_relu(%q, mode = normal_relu)", ", f32", "FIX-33"), ("pre_relu(%q, mode = pwl)", ", f32", "FIX-33"),
            ("nz2nd, loop3(%i, %i)", ", i64, i64", "FIX-37"), ("nz2nz, loop3(%i, %i, %i)", ", i64, i64, i64", "FIX-37")):
        one = empty()
        one.head += ["%q = arith.constant 1.0 : f32", "%i = arith.constant 1 : i64"]
        line(target, one, mode=one.i64(0), clauses=clauses, types=types).finds("clause", "error[", said)
    for mode in ("deqs32_int_scalar", "deqs16_scalar", "qf162s16_pre_scalar"):
        one = empty()
        one.head.append("%q = arith.constant 1.0 : f32")
        line(target, one, mode=one.i64(0), source=I32, dst=I32 if "32" in mode.split("_")[0] else ELEMS["i16"],
             clauses=f"pre_quant(%q, mode = {mode})", types=", f32").finds("mode", "error[not-modelled]", f"mode `{mode}`")
    for broken in (True, False):
        c = tile()
        if broken:  # without the barrier behind the product
            assert "barrier" in c.body[-1]
            c.body.pop()
        line(target, c, mode=c.i64(0))
        if broken:
            c.finds("race", "error[race-raw]", f"{said} on PIPE_FIX reads L0C")
        else:
            ptorun.tool(c.write("ordered"), c.arguments(), options=["--werror"])
    if target != "gm":
        one = empty()
        line(target, one, mode=one.i64(0), where=16).finds("destination", "error[ub-misaligned]", said, "not a multiple of 32")
        memory, size = {"l1": ("L1", 512), "ub": ("UB", 256)}[target]
        c = tile()
        ptorun.tool(line(target, c, mode=c.i64(0), where=(size << 10) - 1024).write("end"), c.arguments(), options=["--werror"])
        c = tile()
        line(target, c, mode=c.i64(0), where=(size << 10) - 992).finds("end", "out-of-bounds]", said, beyond(memory, 32))
