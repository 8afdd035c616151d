"""Tile programs in text: builds them, runs many small cases as one kernel, compares bytes.

A `Tile` is its storage as bytes, with the layout of TILE-5 on top: a case loads the whole storage, runs its instruction, changes the same
bytes as its model says, and stores the whole storage again. So bytes outside the valid region prove that nothing else was written.
Cases of one `Suite` stand one behind the other in one kernel; each has its own range of the two buffers, and tiles at the addresses of
those before it (level 3), or without addresses (level 2). Of level 3, the same calls in C++ give the same bytes (tilecpp.py). The first command-line argument is a scratch path.
"""
import json
import os
import re
import subprocess
import sys

import numpy as np

import ptoref
import ptorun
import tilecpp
from ptoref import UINT

# Every case, or a sample that is the same each time.
EVERYTHING = bool(os.environ.get("PTOSCOPE_TEST_LONG"))
SEED = os.environ.get("PTOSCOPE_TILE_TEXT_SEED")  # another sample
# Level 2 has no addresses, level 3 has them all (PLAN-1).
LEVELS = [int(n) for n in os.environ.get("PTOSCOPE_TILE_TEXT_LEVELS", "23")]
SHOWN = int(os.environ.get("PTOSCOPE_TILE_TEXT_SHOWN", "10"))

# name -> blayout, slayout (TILE-5)
LAYOUTS = {"nd": ("row_major", "none_box"), "dn": ("col_major", "none_box"), "nz": ("col_major", "row_major"),
           "zn": ("row_major", "col_major"), "zz": ("row_major", "row_major"), "nn": ("col_major", "col_major")}
# the memory's alignment of tiles, and the pointer space
SPACES = {"vec": 32, "mat": 32, "left": 512, "right": 512, "acc": 512, "bias": 32, "scaling": 32}


def box(elem_bytes, layout, fractal=512):
    """Rows and columns of a box (TILE-6)."""
    if layout in ("nd", "dn"):
        return 1, 1
    if fractal == 1024:
        return 16, 16
    inner = (16, 2) if fractal == 32 else (16, 32 // elem_bytes)
    return inner if layout in ("nz", "zz") else inner[::-1]


def offsets(layout, rows, cols, elem_bytes, fractal=512):
    """The place of every (r, c), counted in elements (TILE-5)."""
    r, c = np.arange(rows)[:, None], np.arange(cols)[None, :]
    ir, ic = box(elem_bytes, layout, fractal)
    within = (r % ir) * ic + c % ic if layout in ("nd", "dn", "nz", "zz") else (c % ic) * ir + r % ir
    if layout == "nd":
        return r * cols + c
    if layout == "dn":
        return c * rows + r
    if layout in ("nz", "nn"):
        return (c // ic) * rows * ic + (r // ir) * ir * ic + within
    return (r // ir) * cols * ir + (c // ic) * ir * ic + within


def tile_type(elem, rows, cols, valid, layout="nd", loc="vec", fractal=None, pad=0, verbose=False):
    """Both spellings of TBUF-1; `valid` has "?" for what is dynamic."""
    bl, sl = LAYOUTS[layout]
    fractal = fractal or (1024 if loc == "acc" else 512)
    if verbose:
        return (f"!pto.tile_buf<loc={loc}, dtype={elem}, rows={rows}, cols={cols}, v_row={valid[0]}, v_col={valid[1]}, "
                f"blayout={bl}, slayout={sl}, fractal={fractal}, pad={pad}>")
    options = [f"{loc}, {rows}x{cols}x{elem}"]
    if tuple(valid) != (rows, cols):
        options.append(f"valid={valid[0]}x{valid[1]}")
    options += [f"{key}={value}" for key, value, usual in (("blayout", bl, "row_major"), ("slayout", sl, "none_box"),
                                                           ("fractal", fractal, 512), ("pad", pad, 0)) if value != usual]
    return f"!pto.tile_buf<{', '.join(options)}>"


class Tile:
    """A tile value of a case: name, type, storage. `valid` is what it is at run time."""

    def __init__(self, case, name, elem, rows, cols, valid, layout="nd", loc="vec", fractal=None, pad=0, dynamic=(False, False),
                 storage=None, base=0, pitch=None):
        self.case, self.name, self.elem, self.rows, self.cols = case, name, elem, rows, cols
        case.tiles[name] = self
        self.valid, self.layout, self.loc, self.fractal, self.pad, self.dynamic = valid, layout, loc, fractal, pad, dynamic
        shape = pitch or (rows, cols)
        self.places = base + offsets(layout, *shape, elem.bytes, fractal or (1024 if loc == "acc" else 512))[:rows, :cols]
        self.storage = np.zeros(rows * cols * elem.bytes, np.uint8) if storage is None else storage

    @property
    def t(self):
        """The type, in the two spellings by turns."""
        self.case.turn += 1
        valid = ["?" if d else v for d, v in zip(self.dynamic, self.valid)]
        return tile_type(self.elem, self.rows, self.cols, valid, self.layout, self.loc, self.fractal, self.pad, self.case.turn % 5 == 0)

    def __str__(self):
        return self.name

    @property
    def vr(self):
        return self.valid[0]

    @property
    def vc(self):
        return self.valid[1]

    @property
    def flat(self):
        """Elements of the storage as bits, a view."""
        return self.storage.view(UINT[self.elem.bytes])

    def get(self, rows=None, cols=None):
        """Bits of the valid region, or of a larger one."""
        return self.flat[self.places[:self.vr if rows is None else rows, :self.vc if cols is None else cols]]

    def put(self, bits, row=0, col=0):
        bits = np.asarray(bits)
        self.flat[self.places[row:row + bits.shape[0], col:col + bits.shape[1]]] = bits.astype(UINT[self.elem.bytes])


class Case:
    def __init__(self, suite, name):
        self.suite, self.name, self.lines, self.turn = suite, name, [], sum(name.encode())
        self.checks = []  # (offset in out, expected bytes, what, mask of bytes that count, tolerance)
        self.tolerate = set()  # codes of warnings that are part of the case
        self.initial = []  # (offset in out, bytes before the run)
        self.used = {}
        self.tiles, self.parts = {}, {}  # by name
        self.differs = ""  # the rule by which C++ gives other bytes

    def __call__(self, *lines):
        self.lines += lines

    def value(self):
        self.suite.fresh += 1
        return f"%x{self.suite.fresh}"

    def index(self, n):
        return self.suite.constant(n, "index")

    def scalar(self, bits, elem):
        """An element as a constant; signless, as arith wants it."""
        bits = int(bits)
        if elem.float:
            return self.suite.constant(f"0x{bits:0{2 * elem.bytes}X}", elem.name), elem.name
        n = 8 * elem.bytes
        value = bits - (1 << n) if bits >> (n - 1) else bits
        return self.suite.constant(value, f"i{n}"), f"i{n}"

    # -- tiles

    def address(self, bytes_, loc):
        """The next free place of a memory, in this case (level 3); "" at level 2."""
        if self.suite.level == 2:
            return ""
        step = SPACES[loc]
        at = self.used.get(loc, 0)
        self.used[loc] = -(-(at + bytes_) // step) * step
        return f"addr = {self.suite.constant(at, 'i64')} "

    def alloc(self, elem, rows, cols, valid=None, **kind):
        """A tile that nothing has been written to."""
        tile = Tile(self, self.value(), elem, rows, cols, tuple(valid or (rows, cols)), **kind)
        address = self.address(rows * cols * elem.bytes, tile.loc)
        extents = "".join(f"valid_{word} = {self.index(v)} " for word, v, d in zip(("row", "col"), tile.valid, tile.dynamic) if d)
        self(f"{tile} = pto.alloc_tile {address}{extents}: {tile.t}")
        return tile

    def tile(self, elem, rows, cols, valid=None, bits=None, **kind):
        """A tile whose whole storage is loaded: random bytes, and `bits` in the valid region."""
        valid = tuple(valid or (rows, cols))
        boxed = kind.get("layout", "nd") not in ("nd", "dn")
        raw = self.alloc(I8, *self.raw_shape(rows * cols * elem.bytes, boxed), layout="nz" if boxed else "nd")
        raw.storage[:] = self.suite.random(len(raw.storage))
        dynamic = kind.pop("dynamic", False)
        tile = Tile(self, self.value(), elem, rows, cols, valid, storage=raw.storage, dynamic=(dynamic, dynamic), **kind)
        tile.raw = raw
        if bits is not None:
            tile.put(np.asarray(bits).reshape(valid))
        part = self.raw_part("in", self.suite.put(raw.storage.copy()), raw)
        self(f"pto.tload ins({part}) outs({raw} : {raw.t})", f"{tile} = pto.treshape {raw} : {raw.t} -> {tile.t}")
        if dynamic:
            self(f"pto.set_validshape {tile}, {self.index(valid[0])}, {self.index(valid[1])} : {tile.t}")
        return tile

    @staticmethod
    def raw_shape(size, boxed):
        assert size % (512 if boxed else 32) == 0, size
        return (16, size // 16) if boxed else (1, size)

    def raw_part(self, buffer, offset, raw):
        """A part of GM that has the bytes of a raw tile."""
        if raw.layout == "nd":
            return self.part(buffer, I8, offset, [raw.cols], [1])
        return self.part(buffer, I8, offset, [1, raw.cols // 32, 1, 16, 32], [16 * raw.cols, 512, 512, 32, 1], layout="nz")

    def part(self, buffer, elem, offset, shape, strides, layout=None, fixed=True, origin=None):
        """`%p : type` of a view of GM with all of it as its part; `offset` in bytes, strides in elements."""
        assert offset % elem.bytes == 0
        view, part = self.value(), self.value()
        pointer = self.suite.pointer(buffer, elem)
        if offset:
            base, pointer = pointer, self.value()
            self(f"{pointer} = pto.addptr {base}, {self.index(offset // elem.bytes)} : !pto.ptr<{elem}> -> !pto.ptr<{elem}>")
        unknown = "x".join("?" * len(shape))
        sizes = "x".join(str(n) if fixed else "?" for n in shape)
        names = [", ".join(map(self.index, numbers)) for numbers in (shape, strides, origin or [0] * len(shape))]
        attribute = f" {{layout = #pto.layout<{layout}>}}" if layout else ""
        whole = shape if origin is None else [n + o for n, o in zip(shape, origin)]
        extents = ", ".join(map(self.index, whole))
        self(f"{view} = pto.make_tensor_view {pointer}, shape = [{extents}], strides = [{names[1]}]{attribute} "
             f": !pto.tensor_view<{unknown}x{elem}>",
             f"{part} = pto.partition_view {view}, offsets = [{names[2]}], sizes = [{names[0]}] "
             f": !pto.tensor_view<{unknown}x{elem}> -> !pto.partition_tensor_view<{sizes}x{elem}>")
        start = offset + elem.bytes * sum(o * s for o, s in zip(origin or [], strides))
        self.parts[part] = (buffer, elem, start, list(shape), list(strides), layout or view_layout(whole, strides, elem))
        return f"{part} : !pto.partition_tensor_view<{sizes}x{elem}>"

    def window(self, source, row, col, rows, cols, valid=None):
        """A subview; shares the storage and its pitch (ALIAS-2)."""
        valid = tuple(valid or (rows, cols))
        name = self.value()
        window = Tile(self, name, source.elem, rows, cols, valid, source.layout, source.loc, source.fractal, source.pad,
                      storage=source.storage, base=0, pitch=source.places.shape)
        window.places = source.places[row:row + rows, col:col + cols]
        given = "" if valid == (rows, cols) else f" valid [{self.index(valid[0])}, {self.index(valid[1])}]"
        self(f"{name} = pto.subview {source}[{self.index(row)}, {self.index(col)}] sizes [{rows}, {cols}]{given} "
             f": {source.t} -> {window.t}")
        return window

    def destination(self, size, data=None):
        """A range of the output buffer, and the bytes that are in it before the run."""
        offset = self.suite.room(size)
        data = self.suite.random(size) if data is None else np.ascontiguousarray(data).view(np.uint8).ravel()
        self.initial.append((offset, data.copy()))
        return offset, data.copy()

    # -- what must come out

    def check(self, tile, known=None, close=None):
        """The whole storage of a tile made by `tile` goes to GM and is compared; `known` masks bytes that count."""
        raw = tile.raw
        offset = self.suite.room(len(raw.storage))
        self(f"pto.tstore ins({raw} : {raw.t}) outs({self.raw_part('out', offset, raw)})")
        self.checks.append((offset, raw.storage.copy(), tile, known, close))

    def expect(self, offset, expected, elem, close=None):
        """Bytes of `out` from `offset` on, however the case has written them."""
        self.checks.append((offset, np.ascontiguousarray(expected).view(np.uint8).ravel().copy(), elem, None, close))


def view_layout(n, s, elem):
    """VIEW-5: of a view without a layout."""
    if len(n) == 5 and n[2] == 16 and n[2] * n[3] * elem.bytes == 512 and s[4] == 1 and s[3] == n[4]:
        return "nz"
    if all(n[k] == 1 or s[k] == int(np.prod(n[k + 1:])) for k in range(len(n))):
        return "nd"
    rows = n[-2] if len(n) > 1 else 1
    dn = rows > 1 and s[-2] == 1 and (n[-1] == 1 or s[-1] == rows)
    return "dn" if dn else "nd"


I8 = ptoref.Type("i8")


class Suite:
    """Cases that run as one kernel, or a few: `case` begins the next one, `run` ends the last."""

    def __init__(self, name, level=3, arch="a5", kind="vector", limit=150):
        self.name, self.level, self.arch, self.kind, self.limit = name, level, arch, kind, limit
        self.runs, self.failures, self.total, self.twins = 0, [], 0, 0
        self.reset()

    def reset(self):
        self.cases, self.constants, self.pointers, self.fresh = [], {}, {}, 0
        self.source, self.size = [], 0
        self.out = 0

    def random(self, count):
        return ptoref.rng(self.name, self.total, count, self.size).integers(0, 256, count, dtype=np.uint8)

    def constant(self, value, type_):
        return self.constants.setdefault((value, type_), f"%k{len(self.constants)}")

    def pointer(self, buffer, elem):
        return self.pointers.setdefault((buffer, str(elem)), f"%p{len(self.pointers)}")

    def put(self, data):
        """Bytes for the input buffer -> their offset; guards between."""
        data = np.ascontiguousarray(data).view(np.uint8).ravel()
        at, self.size = self.size, self.size + -(-len(data) // 64) * 64 + 64
        self.source.append((at, data))
        return at

    def room(self, size):
        """A range of the output buffer, with 64 bytes of guard before and after it."""
        at = self.out + 64
        self.out = at + -(-size // 64) * 64
        return at

    def case(self, name):
        if len(self.cases) >= self.limit:
            self.flush()
        self.total += 1
        case = Case(self, name)
        self.cases.append(case)
        return case

    # -- text

    def text(self, cases):
        """The program, and the case of each line."""
        lines = [f'module attributes {{pto.target_arch = "{self.arch}", pto.kernel_kind = #pto.kernel_kind<{self.kind}>}} {{',
                 "func.func @cases(%in: !pto.ptr<i8>, %out: !pto.ptr<i8>) attributes {pto.entry} {"]
        lines += [f"  {name} = arith.constant {value} : {type_}" for (value, type_), name in self.constants.items()]
        lines += [f"  {name} = pto.castptr %{buffer} : !pto.ptr<i8> -> !pto.ptr<{elem}>" for (buffer, elem), name in self.pointers.items()]
        owner = {}
        for case in cases:
            lines.append(f"  // {case.name}")
            for line in case.lines:
                lines.append("  " + line)
                owner[len(lines)] = case
        return "\n".join(lines + ["  return", "}", "}", ""]), owner

    def flush(self):
        if self.cases:
            cases = self.cases
            self.runs += 1
            while cases:
                cases = self.attempt(cases)
                if len(self.failures) > 40:
                    break
        self.reset()

    def attempt(self, cases):
        """One run. Cases with a finding fail and are left out of another run. What a run accepts, `check` accepts too."""
        text, owner = self.text(cases)
        stem = f"{self.name}{self.runs}"
        path = ptorun.scratch(stem + ".pto")
        with open(path, "w") as file:
            file.write(text)
        source = np.zeros(max(self.size, 64), np.uint8)
        for at, data in self.source:
            source[at:at + len(data)] = data
        before = ptoref.rng(self.name, "out").integers(0, 256, self.out + 128, dtype=np.uint8)
        for case in cases:
            for at, data in case.initial:
                before[at:at + len(data)] = data
        files = [ptorun.scratch(f"{stem}.{x}.bin") for x in ("in", "before", "after")]
        source.tofile(files[0])
        before.tofile(files[1])
        if os.path.exists(files[2]):
            os.remove(files[2])
        command = ["ptoscope", "run", path, "--arg", files[0], "--arg", files[1], "--out", f"1={files[2]}", "--format", "json",
                   "--max-findings", "1000"]
        done = subprocess.run(command, capture_output=True, text=True)
        found = {}
        try:
            findings = json.loads(done.stdout)["findings"]
        except ValueError:
            self.fail(None, f"status {done.returncode}: {' '.join(command)}\n{done.stdout[:2000]}{done.stderr[:2000]}")
            return []
        for finding in findings or json.loads(subprocess.run(["ptoscope", "check", path, "--format", "json"], capture_output=True,
                                                             text=True).stdout)["findings"]:
            if finding["severity"] == "remark":
                continue
            case = owner.get((finding["place"] or {}).get("line"))
            if case and finding["code"] in case.tolerate and finding["severity"] == "warning":
                continue
            found.setdefault(case, []).append(f"{finding['severity']}[{finding['code']}] {finding['message']}")
        for case, messages in found.items():
            self.fail(case, "\n".join(messages[:3]))
        if found:
            return [] if None in found else [case for case in cases if case not in found]
        if done.returncode:
            self.fail(None, f"status {done.returncode} without a finding: {' '.join(command)}\n{done.stderr[:2000]}")
            return []
        after = np.fromfile(files[2], np.uint8)
        ptorun.RESULTS.update(after.tobytes())
        self.compare(cases, before, after)
        if self.level == 3 and not self.failures:
            tilecpp.check(self, self.of_each(cases), stem, files, before, after)
        return []

    @staticmethod
    def of_each(cases):
        """The first of three cases of an instruction, all in long tests: compilers take their time."""
        groups = {}
        for case in cases:
            groups.setdefault(re.split(r"[ :]", case.name)[0], []).append(case)
        return cases if EVERYTHING else [case for group in groups.values() for case in group[::3]]

    def compare(self, cases, before, after):
        guard = np.ones(len(before), bool)
        for case in cases:
            for offset, expected, what, known, close in case.checks:
                got = after[offset:offset + len(expected)]
                guard[offset:offset + len(expected)] = False
                wrong = got != expected
                if known is not None:
                    wrong &= known
                if close is not None and wrong.any():
                    wrong = ~np.repeat(close(got, expected), len(got) // len(close(got, expected))) & wrong
                if wrong.any():
                    self.fail(case, describe(what, got, expected, wrong))
                    break
        touched = np.flatnonzero(guard & (before != after))
        if len(touched):
            near = max((c for c in cases if c.checks and c.checks[0][0] <= touched[0] + 64), key=lambda c: c.checks[0][0], default=None)
            self.fail(near, f"{len(touched)} bytes outside all results were written, the first at {touched[0]}")

    def fail(self, case, message):
        """Shown at once: constants have their names only as long as this kernel is built."""
        self.failures.append(case)
        if len(self.failures) <= SHOWN:
            print(f"FAILED {self.name} (level {self.level}): {case.name if case else '?'}\n{message}")
            if case:
                print("\n".join("    " + line for line in with_constants(case)))

    def sample(self, combinations, each):
        """`each` of the combinations that begin with the same instruction, spread evenly; all of them in long tests."""
        groups = {}
        for combination in combinations:
            groups.setdefault(combination[0], []).append(combination)
        for group in groups.values():
            count = len(group) if EVERYTHING else min(max(each // 4, 1), len(group))
            order = ptoref.rng(self.name, str(group[0][0]), SEED).permutation(len(group))[:count]
            yield from (group[k] for k in sorted(order))

    def run(self):
        """The rest of the cases."""
        self.flush()
        if self.failures:
            names = sorted({re.split(r"[ :]", case.name)[0] for case in self.failures if case})
            FAILED.append(f"{len(self.failures)} of {self.total} cases of {self.name} fail: {' '.join(names)}")
        print(f"{self.name}: {self.total} cases, {self.runs} kernels, {self.twins} in C++, too")


FAILED = []


def finish():
    """The end of a test: fails it if a case of any suite failed."""
    if FAILED:
        sys.exit("\n".join(FAILED))


def with_constants(case):
    """Lines of a case with numbers in the place of constants, and without those that bring tiles from and to GM."""
    values = {name: str(value) for (value, _), name in case.suite.constants.items()}
    known = {name: i for i, name in enumerate(dict.fromkeys(re.findall(r"%x\d+", "\n".join(case.lines))))}
    lines = [line for line in case.lines if not re.search(r"addptr|_view %|tload.* outs\(%x\d+ : [^)]*i8[,>]|treshape %x\d+ : [^)]*1x\d+xi8", line)]
    return [re.sub(r"%[kx]\d+", lambda m: values.get(m.group(0)) or f"%{known.get(m.group(0))}", line) for line in lines]


def describe(what, got, expected, wrong):
    """The first wrong element, where it stands, and how many."""
    elem = what.elem if isinstance(what, Tile) else what
    n = elem.bytes if len(got) % elem.bytes == 0 else 1
    bad = np.flatnonzero(wrong.reshape(-1, n).any(axis=1))
    a, b = (x.view(UINT[n])[bad[0]] if len(x) % n == 0 else 0 for x in (got, expected))
    where = f"element {bad[0]} of the result"
    if isinstance(what, Tile):
        spot = np.argwhere(what.places == bad[0])
        where = f"storage element {bad[0]}" + (f" = ({spot[0][0]}, {spot[0][1]})" if len(spot) else "") + f", valid {what.valid}"
    return f"  {len(bad)} elements differ; {where}: got 0x{int(a):0{2 * n}x}, expected 0x{int(b):0{2 * n}x}"


# ---- what cases are made of ------------------------------------------------------------------------

INTS = ["i8", "ui8", "i16", "ui16", "i32", "ui32"]
FLOATS = ["f16", "bf16", "f32"]
ARITHMETIC = INTS + FLOATS


def shapes(elem, layout):
    """Capacities and valid extents: all of it, odd parts, one row or column, nothing."""
    c0 = 32 // elem.bytes
    if layout == "nd":
        wide = 8 * c0 + c0
        return [(3, 2 * c0, (3, 2 * c0)), (4, 3 * c0, (3, 2 * c0 + 1)), (2, wide, (2, wide - 3)), (1, c0, (1, 1)), (5, c0, (0, c0)),
                (5, c0, (5, 0))]
    if layout == "dn":
        return [(2 * c0, 3, (2 * c0, 3)), (3 * c0, 4, (2 * c0 + 1, 3)), (c0, 5, (1, 5)), (c0, 1, (c0 - 1, 1)), (c0, 5, (0, 5))]
    ir, ic = box(elem.bytes, layout)
    return [(2 * ir, 2 * ic, (2 * ir, 2 * ic)), (2 * ir, 3 * ic, (ir + 3, 2 * ic + 1)), (ir, ic, (1, 1)), (ir, 2 * ic, (ir - 1, 0))]


def some_bits(t, shape, *key):
    """Special values and random ones, in no particular order."""
    count = int(np.prod(shape))
    pool = np.concatenate([ptoref.specials(t), ptoref.random_bits(t, max(2 * count, 8), *key)])
    picks = ptoref.rng("pick", t.name, shape, *key).integers(0, len(pool), count)
    special = ptoref.rng("special", t.name, shape, *key).integers(0, len(ptoref.specials(t)), count)
    which = ptoref.rng("which", t.name, shape, *key).integers(0, 2, count)
    return pool[np.where(which, picks, special)].reshape(shape)
