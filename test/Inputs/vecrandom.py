"""Random vector programs: loads, rearrangements, mask operations, arithmetic and stores, nested in loops.

A program is a list of steps; a step has text and a function that does to the model what the text does to the machine.
Loops repeat their steps and carry registers and masks round.
"""
import numpy as np

import maskref
import ptoref
import rearref
import vecref
from ptoref import Type
from vecrun import OUT, Bench, lanes, register

TYPES = [Type(n) for n in ("i8", "ui8", "i16", "ui16", "f16", "i32", "ui32", "f32")]
GRAINS = ("b8", "b16", "b32")


class Maker:
    def __init__(self, name, seed):
        self.b = Bench(name)
        self.rng = ptoref.rng(name, seed)
        self.b.used = OUT
        self.steps = []
        self.registers, self.masks = [], []  # (name, type) in reach
        self.depth = 0

    def pick(self, options):
        return options[int(self.rng.integers(len(options)))]

    def emit(self, text, run):
        self.steps.append((text, run))

    # ---- values

    def reg(self, fits=lambda t: True):
        found = [v for v in self.registers if fits(v[1])]
        return self.pick(found[-8:]) if found else None

    def mask(self, grain):
        found = [m for m, g in self.masks if g == grain]
        return self.pick(found[-6:]) if found else self.new_mask(grain)

    def result(self, t):
        v = self.b.value()
        self.registers.append((v, t))
        return v

    def mask_result(self, grain):
        m = self.b.value()
        self.masks.append((m, grain))
        return m

    def new_mask(self, grain=None):
        grain = grain or self.pick(GRAINS)
        width, kind, m = int(grain[1:]) // 8, int(self.rng.integers(3)), self.mask_result(grain)
        if kind == 0:
            pattern = self.pick(["PAT_ALL", "PAT_M3", "PAT_M4", "PAT_H", "PAT_Q", "PAT_VL3", "PAT_VL16"])
            self.emit(f'{m} = pto.pset_{grain} "{pattern}" : !pto.mask<{grain}>', lambda env, ub, i: env.__setitem__(m, ptoref.pset(pattern, width)))
        elif kind == 1:
            count = int(self.rng.integers(0, 300 // width))
            self.emit(f"{m}, {m}r = pto.plt_{grain} {self.b.const(count, 'i32')} : i32 -> !pto.mask<{grain}>, i32",
                      lambda env, ub, i: env.__setitem__(m, ptoref.plt(count, width)[0]))
        else:
            token = self.pick(["NORM", "US", "DS"])
            at = 32 * int(self.rng.integers(0, 2000))
            self.emit(f'{m} = pto.plds {self.b.ptr(at, "ui8")}[{self.b.const(0)}], "{token}" : !pto.ptr<ui8, ub>, index -> !pto.mask<{grain}>',
                      lambda env, ub, i: env.__setitem__(m, maskref.plds(ub, token, at)))
        return m

    # ---- steps, one function a kind

    def load(self):
        t, token = self.pick(TYPES), self.pick(list(vecref.LOADS))
        v, at = self.result(t), 32 * int(self.rng.integers(0, 2900))
        self.emit(f'{v} = pto.vlds {self.b.ptr(at, t)}[{self.b.const(0)}] {{dist = "{token}"}} : !pto.ptr<{t}, ub> -> {t.vreg}',
                  lambda env, ub, i: env.__setitem__(v, vecref.load(ub, token, at)))

    def unaligned(self):
        t = self.pick(TYPES)
        v, at = self.result(t), t.bytes * int(self.rng.integers(0, 90000 // t.bytes))
        self.emit(f"{v} = pto.uvld {self.b.ptr(at, t)}[{self.b.const(0)}] : !pto.ptr<{t}, ub> -> {t.vreg}",
                  lambda env, ub, i: env.__setitem__(v, ub[at:at + 256].copy()))

    def gathered(self):
        x, t = self.reg(lambda u: u.name == "ui16"), self.pick([t for t in TYPES if t.bytes == 2])
        if not x:
            return
        u, m, base = x[1], self.mask("b16"), 2 * int(self.rng.integers(0, 1000))
        low, v = self.result(u), self.result(t)
        # indices are cut to 14 bits, so that they stay among the sources
        self.emit(f"{low}c = pto.vbr {self.b.const(0x3FFF, 'i16')} : i16 -> {u.vreg}\n{low} = pto.vmin {x[0]}, {low}c : {u.vreg}, {u.vreg} -> {u.vreg}",
                  lambda env, ub, i: env.__setitem__(low, register([min(k, 0x3FFF) for k in lanes(env[x[0]], u)], u)))
        self.emit(f"{v} = pto.vgather2 {self.b.ptr(base, t)}, {low}, {m} : !pto.ptr<{t}, ub>, {u.vreg}, !pto.mask<b16> -> {t.vreg}",
                  lambda env, ub, i: env.__setitem__(v, vecref.gather(ub, base, 2, 2, env[low], 2, env[m])))

    def pair(self):
        x = self.reg()
        y = self.reg(lambda t: t.name == x[1].name)
        name = self.pick(["vintlv", "vdintlv"])
        t, low, high = x[1], self.result(x[1]), self.result(x[1])

        def run(env, ub, i):
            got = getattr(rearref, name)(lanes(env[x[0]], t), lanes(env[y[0]], t))
            env[low], env[high] = (register(g, t) for g in got)
        self.emit(f"{low}, {high} = pto.{name} {x[0]}, {y[0]} : {t.vreg}, {t.vreg} -> {t.vreg}, {t.vreg}", run)

    def one(self):
        """One register result from a register or two, often under a mask."""
        x = self.reg()
        t = x[1]
        y, m, width = self.reg(lambda u: u.name == t.name), self.mask(t.mask), t.bytes
        n = int(self.rng.integers(0, t.lanes + 1))
        mask, vregs = f"!pto.mask<{t.mask}>", f"{t.vreg}, {t.vreg}"
        text, f = self.pick([
            (f"vsel {x[0]}, {y[0]}, {m} : {vregs}, {mask}", lambda a, c, on: rearref.vsel(a, c, on)),
            (f"vslide {x[0]}, {y[0]}, {self.b.const(n, 'i16')} : {vregs}, i16", lambda a, c, on: rearref.vslide(a, c, n)),
            (f"vshift {x[0]}, {self.b.const(n, 'i16')} : {t.vreg}, i16", lambda a, c, on: rearref.vshift(a, n)),
            (f"vsqz {x[0]}, {m} : {t.vreg}, {mask}", lambda a, c, on: rearref.vsqz(a, on)),
            (f'vdup {x[0]}, {m} {{position = "HIGHEST"}} : {t.vreg}, {mask}', lambda a, c, on: rearref.masked([a[-1]] * t.lanes, on)),
        ])
        v = self.result(t)
        self.emit(f"{v} = pto.{text} -> {t.vreg}", lambda env, ub, i: env.__setitem__(
            v, register(f(lanes(env[x[0]], t), lanes(env[y[0]], t), env[m][::width]), t)))

    def arithmetic(self):
        x = self.reg(lambda t: not t.float)
        if not x:
            return
        t = x[1]
        y, m, name = self.reg(lambda u: u.name == t.name), self.mask(t.mask), self.pick(["vadd", "vsub", "vmax", "vmin"])
        v = self.result(t)
        self.emit(f"{v} = pto.{name} {x[0]}, {y[0]}, {m} : {t.vreg}, {t.vreg}, !pto.mask<{t.mask}> -> {t.vreg}", lambda env, ub, i: env.__setitem__(
            v, ptoref.lane_op(name, [env[x[0]].view(t.bits), env[y[0]].view(t.bits)], env[m], t).view(np.uint8)))

    def cast(self):
        x, t = self.reg(), self.pick(TYPES)
        v = self.result(t)
        self.emit(f"{v} = pto.vbitcast {x[0]} : {x[1].vreg} -> {t.vreg}", lambda env, ub, i: env.__setitem__(v, env[x[0]]))

    def masks_together(self):
        grain = self.pick(GRAINS)
        a, c, g = (self.mask(grain) for _ in range(3))
        name, r, mask = self.pick(["pand", "por", "pxor", "psel"]), self.mask_result(grain), f"!pto.mask<{grain}>"
        self.emit(f"{r} = pto.{name} {a}, {c}, {g} : {mask}, {mask}, {mask} -> {mask}",
                  lambda env, ub, i: env.__setitem__(r, getattr(maskref, name)(env[a], env[c], env[g])))

    def mask_moves(self):
        grain = self.pick(GRAINS)
        width, mask, a, c = int(grain[1:]) // 8, f"!pto.mask<{grain}>", self.mask(grain), self.mask(grain)
        kind = int(self.rng.integers(3))
        if kind == 0:
            name, low, high = self.pick(["pintlv", "pdintlv"]), self.mask_result(grain), self.mask_result(grain)

            def run(env, ub, i):
                env[low], env[high] = getattr(maskref, name)(env[a], env[c], width)
            self.emit(f"{low}, {high} = pto.{name}_{grain} {a}, {c} : {mask}, {mask} -> {mask}, {mask}", run)
        elif kind == 1:
            name, part, r = self.pick(["ppack", "punpack"]), self.pick(["LOWER", "HIGHER"]), self.mask_result(grain)
            self.emit(f'{r} = pto.{name} {a}, "{part}" : {mask} -> {mask}', lambda env, ub, i: env.__setitem__(r, getattr(maskref, name)(env[a], part)))
        else:
            to = self.pick(GRAINS)
            r = self.mask_result(to)
            self.emit(f"{r} = pto.pbitcast {a} : {mask} -> !pto.mask<{to}>", lambda env, ub, i: env.__setitem__(r, env[a]))

    def store(self):
        x = self.reg()
        t, token = x[1], self.pick(["NORM_B8", "NORM_B16", "NORM_B32", "PK_B16", "PK_B32", "1PT_B8"])
        grain = {"PK_B16": "b16", "PK_B32": "b32"}.get(token, t.mask)
        m, turns = self.mask(grain), 3 ** self.depth
        at = self.b.out(256 * turns, f"{token} of {t}")
        offset = self.loop_offset(256 // t.bytes)
        self.emit(f"{offset[0]}pto.vsts {x[0]}, {self.b.ptr(at, t)}[{offset[1]}], {m} {{dist = \"{token}\"}} : {t.vreg}, !pto.ptr<{t}, ub>, !pto.mask<{grain}>",
                  lambda env, ub, i: vecref.store(ub, token, at + 256 * i, env[x[0]], env[m]))

    def store_mask(self):
        if not self.masks:
            return
        (m, grain), turns = self.pick(self.masks[-6:]), 3 ** self.depth
        at = self.b.out(32 * turns, f"mask {grain}")
        offset = self.loop_offset(32)
        self.emit(f'{offset[0]}pto.psts {m}, {self.b.ptr(at, "ui8")}[{offset[1]}], "NORM" : !pto.mask<{grain}>, !pto.ptr<ui8, ub>, index',
                  lambda env, ub, i: maskref.psts(ub, "NORM", at + 32 * i, env[m]))

    def loop_offset(self, step):
        """Lines that compute the offset of this turn, and its name; turns of nested loops are numbered as one."""
        if not self.depth:
            return "", self.b.const(0)
        k = self.b.value()
        lines = f"{k}t = arith.muli %i1, {self.b.const(3 ** (self.depth - 1))} : index\n"
        last = f"{k}t"
        for d in range(2, self.depth + 1):
            lines += f"{k}m{d} = arith.muli %i{d}, {self.b.const(3 ** (self.depth - d))} : index\n{k}a{d} = arith.addi {last}, {k}m{d} : index\n"
            last = f"{k}a{d}"
        return lines + f"{k} = arith.muli {last}, {self.b.const(step)} : index\n", k

    def loop(self):
        """Three turns; two registers and a mask are carried."""
        if self.depth == 2 or len(self.registers) < 4 or not self.masks:
            return
        carried = [self.pick(self.registers), self.pick(self.registers), self.pick(self.masks)]
        types = [c[1].vreg if isinstance(c[1], Type) else f"!pto.mask<{c[1]}>" for c in carried]
        inner = [self.b.value() for _ in carried]
        outer, held = self.steps, (list(self.registers), list(self.masks))
        self.steps, self.depth = [], self.depth + 1
        depth = self.depth
        self.registers += [(inner[0], carried[0][1]), (inner[1], carried[1][1])]
        self.masks.append((inner[2], carried[2][1]))
        self.fill(int(self.rng.integers(4, 9)))
        yields = [self.reg(lambda t: t.name == carried[k][1].name)[0] for k in (0, 1)]
        yields.append(self.pick([m for m, g in self.masks if g == carried[2][1]]))
        body, self.steps = self.steps, outer
        self.depth -= 1
        self.registers, self.masks = held
        r = self.b.value()
        text = (f"{r}:3 = scf.for %i{depth} = {self.b.const(0)} to {self.b.const(3)} step {self.b.const(1)} iter_args("
                + ", ".join(f"{n} = {c[0]}" for n, c in zip(inner, carried)) + f") -> ({', '.join(types)}) {{\n"
                + "\n".join(step[0] for step in body) + f"\nscf.yield {', '.join(yields)} : {', '.join(types)}\n}}")

        def run(env, ub, i):
            values = [env[c[0]] for c in carried]
            for k in range(3):
                inside = dict(env)
                inside.update(zip(inner, values))
                for _, step in body:
                    step(inside, ub, 3 * i + k)
                values = [inside[y] for y in yields]
            for k, value in enumerate(values):
                env[f"{r}#{k}"] = value
        self.emit(text, run)
        self.registers += [(f"{r}#0", carried[0][1]), (f"{r}#1", carried[1][1])]
        self.masks.append((f"{r}#2", carried[2][1]))

    # ---- the program

    KINDS = ["load"] * 3 + ["unaligned", "gathered"] + ["pair"] * 2 + ["one"] * 4 + ["arithmetic"] * 4 + ["cast"] * 2 + ["new_mask"] * 2 + [
        "masks_together", "mask_moves", "mask_moves", "store", "store", "store_mask", "loop"]

    def fill(self, count):
        for _ in range(count):
            getattr(self, "load" if not self.registers else self.pick(self.KINDS))()

    def run(self, steps, ways):
        self.fill(steps)
        env = {}
        for text, step in self.steps:
            self.b(text)
            step(env, self.b.ub, 0)
        for v, t in self.registers[-12:]:
            self.b.keep(v, t, env[v], f"{v}, {t}")
        for m, grain in self.masks[-12:]:
            self.b.keep_mask(m, grain, env[m], f"{m}, {grain}")
        self.b.run(ways, warnings=["undefined-by-manual"])  # tokens on elements of another width
