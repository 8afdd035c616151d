# Random tile programs for tests: tiles, windows, reshapes, branches, loops, carried tiles and scalar accesses. Nothing reads
# what is not surely written.
import random
import subprocess
import sys

ROWS = 512
T, H, R, V = ("!pto.tile_buf<vec, 8x64xi32>", "!pto.tile_buf<vec, 8x32xi32>", "!pto.tile_buf<vec, 16x32xi32>",
              "!pto.partition_tensor_view<8x64xi32>")


class Program:
    """`depths`: of loops and branches; `scalars`: with scalar accesses to tiles."""

    def __init__(self, seed, depths=3, scalars=False):
        self.random, self.lines, self.names, self.stored = random.Random(seed), [], 0, 0
        self.depths, self.scalars = depths, scalars
        self.say(1, "func.func @k(%src: !pto.ptr<i32, gm>, %dst: !pto.ptr<i32, gm>, %n: index) attributes {pto.entry} {")
        for name, value in (("c0", 0), ("c1", 1), ("c2", 2), ("c3", 3), ("c8", 8), ("c32", 32), ("c64", 64), ("rows", ROWS)):
            self.say(2, f"%{name} = arith.constant {value} : index")
        self.say(2, "%seven = arith.constant 7 : i32")
        for name, pointer in (("in", "src"), ("out", "dst")):
            self.say(2, f"%{name} = pto.make_tensor_view %{pointer}, shape = [%rows, %c64], strides = [%c64, %c1] : !pto.tensor_view<?x?xi32>")
        tiles = [self.alloc(2) for _ in range(4)]
        written = []
        for tile in tiles[:2]:
            self.load(2, tile)
            written.append(tile)
        self.block(2, tiles, written, 0, "%n")
        # Few: what is stored at the end is in use all the time.
        for _ in range(2):
            self.store(2, self.random.choice(written))
        self.say(2, "return")
        self.say(1, "}")

    def say(self, depth, text):
        self.lines.append("  " * depth + text)

    def new(self, what="v"):
        self.names += 1
        return f"%{what}{self.names}"

    def alloc(self, depth):
        name = self.new("t")
        self.say(depth, f"{name} = pto.alloc_tile : {T}")
        return name

    def part(self, depth, view, row):
        at, name = self.new("r"), self.new("p")
        self.say(depth, f"{at} = arith.constant {row} : index")
        self.say(depth, f"{name} = pto.partition_view {view}, offsets = [{at}, %c0], sizes = [%c8, %c64] : !pto.tensor_view<?x?xi32> -> {V}")
        return name

    def load(self, depth, tile):
        part = self.part(depth, "%in", 8 * self.random.randrange(8))
        self.say(depth, f"pto.tload ins({part} : {V}) outs({tile} : {T})")

    def store(self, depth, tile):
        if 8 * self.stored + 8 > ROWS:
            return
        part = self.part(depth, "%out", 8 * self.stored)
        self.stored += 1
        self.say(depth, f"pto.tstore ins({tile} : {T}) outs({part} : {V})")

    def half(self, depth, tile):
        name = self.new("w")
        self.say(depth, f"{name} = pto.subview {tile}[%c0, {self.random.choice(['%c0', '%c32'])}] sizes [8, 32] : {T} -> {H}")
        return name

    def block(self, depth, tiles, written, nest, counter, turns=False):
        """Statements that read only what is in `written`; adds to it what they surely write. `turns`: of a loop with `counter`."""
        pick, tiles = self.random.choice, list(tiles)
        for _ in range(self.random.randrange(3, 9)):
            kind = self.random.randrange(14 if turns else 12)
            if kind == 0:
                tiles.append(self.alloc(depth))
                self.load(depth, tiles[-1])
                written.append(tiles[-1])
            elif kind == 1:
                self.store(depth, pick(written))
            elif kind <= 4:
                target = pick(tiles)
                a, b = pick(written), pick(written)
                self.say(depth, f"pto.{pick(['tadd', 'tsub', 'tmax'])} ins({a}, {b} : {T}, {T}) outs({target} : {T})")
                written.append(target)
            elif kind == 5:
                window = self.half(depth, pick(written))
                self.say(depth, f"pto.texpands ins(%seven : i32) outs({window} : {H})")
            elif kind == 6:
                source, target = self.half(depth, pick(written)), self.half(depth, pick(written))
                self.say(depth, f"pto.tadds ins({source}, %seven : {H}, i32) outs({target} : {H})")
            elif kind == 7:
                name = self.new()
                self.say(depth, f"{name} = pto.treshape {pick(written)} : {T} -> {R}")
                self.say(depth, f"pto.tadds ins({name}, %seven : {R}, i32) outs({name} : {R})")
            elif kind >= 12:
                # Written by the first turn, read by all of them.
                first, tile = self.new("b"), self.alloc(depth)
                self.say(depth, f"{first} = arith.cmpi eq, {counter}, %c0 : index")
                self.say(depth, f"scf.if {first} {{")
                self.load(depth + 1, tile)
                self.say(depth, "}")
                tiles.append(tile)
                written.append(tile)
            elif self.scalars and self.random.randrange(4) == 0:
                value = self.new()
                self.say(depth, f"{value} = pto.tgetval ins({pick(written)}, %c3 : {T}, index) outs : i32")
                self.say(depth, f"pto.tsetval ins(%c8, {value} : index, i32) outs({pick(written)} : {T})")
            elif nest == self.depths:
                continue
            elif kind == 8:
                odd, rest = self.new("b"), self.new()
                self.say(depth, f"{rest} = arith.remui {counter}, %c2 : index")
                self.say(depth, f"{odd} = arith.cmpi eq, {rest}, %c1 : index")
                self.say(depth, f"scf.if {odd} {{")
                one, other = list(written), list(written)
                self.block(depth + 1, tiles, one, nest + 1, counter)
                self.say(depth, "} else {")
                self.block(depth + 1, tiles, other, nest + 1, counter)
                self.say(depth, "}")
                written += [tile for tile in tiles if tile in one and tile in other]
            elif kind <= 10:
                turn = self.new("i")
                self.say(depth, f"scf.for {turn} = %c0 to {pick(['%c2', '%c3', '%n'])} step %c1 {{")
                self.block(depth + 1, tiles, list(written), nest + 1, turn, turns=True)
                self.say(depth, "}")
            else:
                turn, p, q, result = self.new("i"), self.new("p"), self.new("q"), self.new("s")
                self.say(depth, f"{result}:2 = scf.for {turn} = %c0 to %c3 step %c1 iter_args({p} = {pick(written)}, {q} = {pick(written)}) -> ({T}, {T}) {{")
                self.block(depth + 1, tiles + [p, q], written + [p, q], nest + 1, turn, turns=True)
                self.say(depth + 1, f"scf.yield {q}, {p} : {T}, {T}")
                self.say(depth, "}")
                written += [f"{result}#0", f"{result}#1"]


def run(*command):
    done = subprocess.run(["ptoscope", *command], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
    if done.returncode != 0:
        sys.exit(f"{' '.join(command)}\n{done.stdout}")
    return done.stdout


def module(program):
    return "module attributes {pto.target_arch = \"a5\"} {\n" + "\n".join(program.lines) + "\n}\n"
