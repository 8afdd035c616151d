"""Kernels of the cube core, written instruction by instruction and followed by the model of cuberef.py and fixref.py.

Each method adds an instruction to the program and does it in the model; a barrier of all pipes stands between two of them, so that the
order of the model is that of the machine. `run` compares every GM buffer bit for bit.
"""
import os
import re

import numpy as np

import ptorun
from cluster import Mixed
from cuberef import ELEMS, Machine, up
from fixref import Store
from ptoref import rng

EVERYTHING = bool(os.environ.get("PTOSCOPE_TEST_LONG"))
F32, F16, BF16, I8, I32 = (ELEMS[name] for name in ("f32", "f16", "bf16", "i8", "i32"))


PIPES = {"mte_gm": "MTE2", "raw_fill": "MTE2", "create_cbuf": "MTE2", "mte_l1": "MTE1", "load_cbuf": "MTE1", "copy_cbuf_to_bt": "MTE1", "mad": "M",
         "mte_l1_fb": "FIX", "copy_cbuf_to_f": "FIX", "mte_l0c": "FIX"}
SIZES = {"L1": 512 << 10, "L0A": 64 << 10, "L0B": 64 << 10, "L0C": 256 << 10, "BT": 4096, "UB": 256 << 10}


def beyond(memory, count):
    """What a report says of an instruction that leaves a memory by `count` bytes."""
    return f"..0x{SIZES[memory] + count - 1:x}; {memory} has {SIZES[memory]} bytes"


def noise(size, *key):
    return rng("noise", size, *key).integers(0, 256, size, dtype=np.uint8)


class Cube(Mixed):
    """GM buffers by name; they are the arguments of the kernel, in this order."""

    dynamic = False  # numbers and addresses are computed: no pass knows them

    def __init__(self, arch="a5", **gm):
        super().__init__(*(f"%{name}: !pto.ptr<i8, gm>" for name in gm), "%zero: i64", arch=arch)
        self.model = Machine(arch, **gm)
        self.inputs = {name: data.copy() for name, data in self.model.gm.items()}
        self.ordered, self.last = True, None
        self.on("cube")

    # ---- text ----------------------------------------------------------------------------------

    def i64(self, value):
        known = super().i64(value)
        return self._declare((value, "computed"), f"arith.addi {known}, %zero : i64") if self.dynamic else known

    def constants(self, values):
        return ", ".join(super(Cube, self).i64(v) for v in values)

    def at(self, space, address, elem):
        return self.local(space, address, elem.text), f"!pto.ptr<{elem.text}, {space}>"

    def buffer(self, name, offset, elem):
        """A pointer into a GM buffer, `offset` bytes on."""
        at, type_ = f"%{name}", f"!pto.ptr<{elem.text}, gm>"
        if offset:
            at = self._declare((name, offset), f"pto.addptr {at}, {self.const(offset)} : !pto.ptr<i8, gm> -> !pto.ptr<i8, gm>")
        if elem.text != "i8":
            at = self._declare((name, offset, elem.text), f"pto.castptr {at} : !pto.ptr<i8, gm> -> {type_}")
        return at, type_

    def numbers(self, values):
        return ", ".join(self.i64(v) for v in values)

    def line(self, text):
        """One instruction. `ordered`: True for a barrier behind it, "flags" for a flag from the pipe before it, False for nothing."""
        pipe = PIPES[re.match(r"pto\.(mte_gm|mte_l1_fb|mte_l1|mte_l0c|mad|raw_fill|create_cbuf|load_cbuf|copy_cbuf_to_bt|copy_cbuf_to_f)", text)[1]]
        if self.ordered == "flags" and self.last:
            if pipe != self.last:
                self.flag(self.last, pipe)
            elif pipe == "MTE2":  # HB4
                self("pto.barrier #pto.pipe<PIPE_MTE2>")
        self(text)
        self.last = pipe
        if self.ordered is True:
            self.barrier()
            self.last = None

    # ---- loads ---------------------------------------------------------------------------------

    def l1_from(self, name, size, dst=0, src=0):
        """Bytes of GM into L1, as they are."""
        rows = up(size, 1 << 15) >> 15
        length = size // rows
        assert rows * length == size
        (s, st), (t, tt) = self.buffer(name, src, I8), self.at("l1", dst, I8)
        text = f"pto.mte_gm_l1 {s}, {t}, {self.i64(length)} nburst({self.numbers([rows, length, length])}) : {st}, {tt}, i64, i64, i64, i64"
        if self.ordered is False:  # of tests that order what comes next
            self(text)
            self.barrier()
        else:
            self.line(text)
        self.model.l1[dst: dst + size] = self.model.gm[name][src: src + size]

    def frac(self, name, src, dst, n, d, elem, order="nd2nz", inner=None, outer=0, g=1, l2=1, l3=None, l4=0, small=False, cache=0):
        size = elem.bytes
        inner = (d if order == "nd2nz" else n) * size if inner is None else inner
        l3 = up(n, 16) if l3 is None else l3
        (s, st), (t, tt) = self.buffer(name, src, elem), self.at("l1", dst, elem)
        layout = [inner] if outer is None else [inner, outer]
        self.line(f"pto.mte_gm_l1_frac {s}, {t}, {order}, shape({self.numbers([n, d])}), src_layout({self.numbers(layout)}), "
                  f"dst_group({self.numbers([g, l2, l3, l4])}), ctrl({self.i64(cache)}, {self.const('true' if small else 'false', 'i1')})"
                  f" : {st}, {tt}, {order}, shape i64, i64, src_layout({', '.join(['i64'] * len(layout))}), dst_group i64, i64, i64, i64,"
                  " ctrl i64, i1")
        self.model.frac(name, src, dst, order, n, d, inner, outer or 0, g, l2, l3, l4, small, size)

    def l0(self, side, src, dst, p, k, elem, transpose=None, starts=False, name=None):
        """`p` is m of L0A, n of L0B."""
        sizes = self.numbers([p, k] if side == "a" else [k, p]) + (", " + self.constants([0, 0]) if starts else "")
        (s, st), (t, tt) = self.at("l1", src, elem), self.at("l0" + side, dst, elem)
        attribute = "" if transpose is None else f" {{transpose = {'true' if transpose else 'false'}}}"
        self.line(f"pto.mte_l1_l0{side} {s}, {t}, {sizes}{attribute} : {st}, {tt}, i64, i64" + ", i64, i64" * starts)
        self.model.to_l0(side, src, dst, p, k, elem, bool(transpose))

    def l0_raw(self, side, src, dst, steps, elem, transpose=None, name=None, named=False):
        """`steps`: m_start, k_start, m_step, k_step, src_stride, dst_stride."""
        (s, st), (t, tt) = self.at("l1", src, elem), self.at("l0" + side, dst, elem)
        words = ("m_start", "k_start", "m_step", "k_step", "src_stride", "dst_stride")
        # CUBE-13: where pairs of f4 values start counts bytes.
        written = [v * 32 if w == "k_start" and "f4E" in elem.text else v for w, v in zip(words, steps)]
        values = ", ".join(f"{w}({self.i64(v)})" for w, v in zip(words, written)) if named else self.numbers(written)
        attribute = "" if transpose is None else f" {{transpose = {'true' if transpose else 'false'}}}"
        self.line(f"pto.{name or 'mte_l1_l0' + side} {s}, {t}, {values}{attribute} : {st}, {tt}" + ", i64" * 6)
        self.model.raw_l0(side, src, dst, *steps, elem, bool(transpose))

    def mx(self, side, src, dst, p, k, elem, starts=False):
        sizes = self.numbers([p, k] if side == "a" else [k, p]) + (", " + self.constants([0, 0]) if starts else "")
        (s, st), (t, tt) = self.at("l1", src, elem), self.at("l0" + side, dst, elem)
        self.line(f"pto.mte_l1_l0{side}_mx {s}, {t}, {sizes} : {st}, {tt}, i64, i64" + ", i64, i64" * starts)
        self.model.shape_mx(side, src, dst, p, k)

    def mx_raw(self, side, src, dst, steps, elem, name=None, named=False):
        (s, st), (t, tt) = self.at("l1", src, elem), self.at("l0" + side, dst, elem)
        words = ("x_start", "y_start", "x_step", "y_step", "src_stride", "dst_stride")
        values = ", ".join(f"{w}({self.i64(v)})" for w, v in zip(words, steps)) if named else self.numbers(steps)
        self.line(f"pto.{name or f'mte_l1_l0{side}_mx'} {s}, {t}, {values} : {st}, {tt}" + ", i64" * 6)
        self.model.to_mx(side, src, dst, *steps)

    def bt(self, src, dst, length, n=1, sg=0, dg=0, source=F32, elem=F32, older=False):
        wide = source.bytes != elem.bytes
        (s, st), (t, tt) = self.at("l1", src, source), self.at("bt", dst, elem)
        if older:
            self.line(f"pto.copy_cbuf_to_bt {s}, {t}, {self.const('true' if wide else 'false', 'i1')}, {self.numbers([n, length, sg, dg])}"
                      f" : {st}, {tt}, i1, i64, i64, i64, i64")
        else:
            self.line(f"pto.mte_l1_bt {s}, {t}, {self.i64(length)} nburst({self.numbers([n, sg, dg])}) : {st}, {tt}, i64, i64, i64, i64")
        self.model.to_bt(src, dst, length, n, sg, dg, source if wide else None)

    def fb(self, src, dst, length, n=1, sg=0, dg=0, source=ELEMS["ui64"], elem=F32, older=False):
        (s, st), (t, tt) = self.at("l1", src, source), self.at("fb", dst, elem)
        if older:
            self.line(f"pto.copy_cbuf_to_fbuf {s}, {t}, {self.numbers([n, length, sg, dg])} : {st}, {tt}, i64, i64, i64, i64")
        else:
            self.line(f"pto.mte_l1_fb {s}, {t}, {self.i64(length)} nburst({self.numbers([n, sg, dg])}) : {st}, {tt}, i64, i64, i64, i64")
        self.model.to_fb(src, dst, length, n, sg, dg)

    def fill(self, dst, raw, repeat, blocks, gap, bits=32, offset=0, older=False):
        t, tt = self.at("l1", dst, ELEMS[f"ui{bits}"] if older else I8)
        if older:
            self.line(f"pto.create_cbuf_matrix {t}, {self.const(raw, 'i32')}, {self.numbers([repeat, blocks, gap])}"
                      f" {{fill_word_bits = {bits} : i64}} : {tt}, i32, i64, i64, i64")
        else:
            self.line(f"pto.raw_fill_l1 {t}, {self.i64(offset)}, {self.const(raw, 'i32')}, {self.numbers([repeat, blocks, gap])}"
                      f" {{fill_word_bits = {bits} : i64}} : {tt}, i64, i32, i64, i64, i64")
        self.model.fill(dst + offset, raw, repeat, blocks, gap, bits)

    # ---- products ------------------------------------------------------------------------------

    def mad(self, a, b, c, m, n, k, ta=F16, tb=None, start="zero", bias=0, mx=False, clauses="", raw=False):
        """`clauses` are written as they are and say what the model does."""
        tb, tc = tb or ta, I32 if ta.text.lstrip("su") in ("i8", "i4") else F32
        name = "mad" + ("_mx" if mx else "") + {"zero": "", "acc": "_acc", "bias": "_bias"}[start]
        pointers = [self.at("l0a", a, ta), self.at("l0b", b, tb), self.at("l0c", c, tc)]
        pointers += [self.at("bt", bias, tc)] if start == "bias" else []
        types = ", ".join(t for _, t in pointers)
        if raw:  # MAD-19
            word = m | k << 12 | n << 24 | ("disable_gemv" in clauses) << 61 | (start == "bias") << 62 | (start == "zero") << 63
            word -= (word >> 63) << 64
            name = "mad" + ("_mx" if mx else "") + ("_bias" if start == "bias" else "") + "_raw"
            self.line(f"pto.{name} {', '.join(v for v, _ in pointers)}, {self.i64(word)} : {types}, i64")
        else:
            self.line(f"pto.{name} {', '.join(v for v, _ in pointers)}, {self.numbers([m, n, k])} {clauses} : {types}, i64, i64, i64")
        words = clauses.split()
        mode = next((w[len("tf32_mode("):-1] for w in words if w.startswith("tf32_mode")), None)
        self.model.mad(a, b, c, m, n, k, ta, tb, start, bias, mx, "disable_gemv" not in words, "sat" in words, mode)

    # ---- stores --------------------------------------------------------------------------------

    def payload(self, value, type_, is_fb):
        """A scale or a slope: the bits of a float, or an FB address."""
        if is_fb:
            return self.local("fb", value, type_), f"!pto.ptr<{type_}, fb>"
        if type_ == "f32":
            return self.const(f"0x{value:08X}", "f32"), "f32"
        return self.const(f"0x{value >> 16:04X}", "bf16"), "bf16"

    def store(self, target, where, store, sub=None, sid=0, l2=0, unit="", text_type="f32", clip_type=None, comma=True):
        """`where`: (buffer, offset) of GM, an address elsewhere; `sub`: of UB, a number or split_m, split_n."""
        st, elem = store, ELEMS[store.dst]
        (s, stype) = self.at("l0c", st.src, ELEMS[st.source])
        (t, ttype) = self.buffer(*where, elem) if target == "gm" else self.at(target, where, elem)
        words = [st.m, st.n, st.ss, st.ds] + ([sid, l2] if target == "gm" else [])
        types, clauses = [stype, ttype] + ["i64"] * len(words), [unit] if unit else []
        text = f"pto.mte_l0c_{target} {s}, {t}, {self.numbers(words)}"
        if target == "ub":
            split = isinstance(sub, str)
            text += f", dst_mode({sub if split else self.i64(sub)})"
            types += [] if split else ["i64"]
        tail = []
        if st.mode:
            value, type_ = self.payload(st.scale, text_type, st.vector())
            clauses.append(f"pre_quant({value}, mode = {st.mode})")
            tail.append(type_)
        if st.relu_mode:
            parts = []
            if st.relu_mode in ("scalar_relu", "vector_relu"):
                value, type_ = self.payload(st.slope, text_type, st.relu_mode == "vector_relu")
                parts.append(value)
                tail.append(type_)
            parts.append(f"mode = {st.relu_mode}")
            if st.clip is not None:
                clip = f"0x{st.clip:04X}" if clip_type == "f16" else st.clip
                parts.append(f"clip = {self.const(clip, clip_type)}")
                tail.append(clip_type)
            clauses.append(f"pre_relu({', '.join(parts)})")
        if st.layout == "nz2nz":
            clauses.append(f"nz2nz({self.i64(st.split)})" if st.split is not None else "nz2nz")
            tail += ["i64"] if st.split is not None else []
        elif st.layout == "nz2dn":
            clauses.append(f"nz2dn({self.i64(st.loop0)})")
            tail.append("i64")
        elif st.layout:
            clauses.append(st.layout)
        if st.loop3 != (1, 0, 0):
            clauses.append(f"loop3({self.numbers(st.loop3)})")
            tail += ["i64"] * 3
        if st.sat_text:
            clauses.append({"preserve": "sat(preserve_nan)"}.get(st.sat_text, st.sat_text))
        if st.atomic:
            clauses.append(f"atomic(type = {st.atomic[0]}, op = {st.atomic[1]})")
        self.line(text + "".join(f", {clause}" for clause in clauses) + " : " + ", ".join(types + tail))
        if target == "gm":
            st.run(self.model, self.model.gm[where[0]], where[1])
        elif target == "l1":
            st.run(self.model, self.model.l1, where)
        elif sub == "split_m":
            st.run(self.model, self.model.ub[0], where, rows=slice(0, st.m // 2))
            st.run(self.model, self.model.ub[1], where, rows=slice(st.m // 2, st.m))
        elif sub == "split_n":
            st.run(self.model, self.model.ub[0], where, columns=slice(0, st.n // 2))
            st.run(self.model, self.model.ub[1], where, columns=slice(st.n // 2, st.n))
        else:
            st.run(self.model, self.model.ub[sub], where)

    # ---- whole programs ------------------------------------------------------------------------

    def show_l1(self, name, size, start=0):
        """The bytes of L1 from `start` on, through the UB of both vector cores, into two halves of a GM buffer."""
        for sub in (0, 1):
            self.copy("copy_cbuf_to_ubuf", ("l1", "ub"), self.l1(start), self.ub(0, "i8"), sub, 1, size // 32, 0, 0)
        self.barrier()
        self("pto.sync.set <PIPE_FIX>, 2", "pto.sync.set <PIPE_FIX>, 18")
        self.on("vector")("pto.sync.wait <PIPE_MTE3>, 2")
        self.bulk_out(0, self.sub_offset(f"%{name}", size), size)
        self.on("cube")
        self.model.gm[name][: 2 * size] = np.tile(self.model.l1[start: start + size], 2)

    def fill_ub(self, name, size):
        """Before the cube section: both vector cores load their UB from `name`; the cube core waits for them on FIX."""
        self.on("vector").bulk_in(f"%{name}", 0, size)
        self.flag("MTE2", "MTE3")
        self("pto.sync.set <PIPE_MTE3>, 5")
        self.on("cube")("pto.sync.wait <PIPE_FIX>, 5", "pto.sync.wait <PIPE_FIX>, 21")
        self.barrier()
        for ub in self.model.ub:
            ub[:size] = self.model.gm[name][:size]

    def show_ub(self, name, size):
        self("pto.sync.set <PIPE_FIX>, 2", "pto.sync.set <PIPE_FIX>, 18")
        self.on("vector")("pto.sync.wait <PIPE_MTE3>, 2")
        self.bulk_out(0, self.sub_offset(f"%{name}", size), size)
        self.on("cube")
        self.model.gm[name][: 2 * size] = np.concatenate([ub[:size] for ub in self.model.ub])

    alone = False  # a kernel of cube cores, without sections

    def text(self):
        if not self.alone:
            return super().text()
        lines = [f'module attributes {{pto.target_arch = "{self.arch}", pto.kernel_kind = #pto.kernel_kind<cube>}} {{',
                 f"func.func @{self.name}({', '.join(self.parameters)}) attributes {{pto.kernel}} {{", *self.head, *self.sections["cube"]]
        return "\n".join(lines + ["return", "}", "}", ""])

    def arguments(self):
        return [*self.inputs.values(), 0]

    runs = 0

    def run(self, path):
        """Every buffer after the run; one program in four, and all if everything is asked for, with each way of running."""
        ways = ptorun.ALL_WAYS if EVERYTHING or Cube.runs % 4 == 0 else ptorun.TWO_WAYS
        Cube.runs += 1
        expected = dict(enumerate(self.model.gm.values()))
        ptorun.expect(self.write(path), self.arguments(), expected, options=["--arch", self.arch], ways=ways)

    def half(self, name, src, dst, event):
        """A set or a wait by itself."""
        self(f'pto.{name}_flag["PIPE_{src}", "PIPE_{dst}", "EVENT_ID{event}"]')

    def finds(self, path, *contains, options=()):
        return ptorun.refused(self.write(path), self.arguments(), ["--arch", self.arch, *options], contains)


def fix(*args, **kw):
    """A store whose text has a saturation clause only if `sat` is given."""
    store = Store(*args, **kw)
    store.sat_text = kw.get("sat")
    return store
