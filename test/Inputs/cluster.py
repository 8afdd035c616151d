"""Kernels with a cube and a vector section, and a plain model of copies with gaps (MIX-2, DMA-10)."""
import ptorun

BLOCK = 32  # bytes; lengths and gaps count blocks


class Mixed(ptorun.Program):
    """Text goes into the section chosen last; constants and pointers are common code."""

    def __init__(self, *parameters, arch="a5"):
        super().__init__(*parameters)
        self.arch = arch
        self.sections = {"cube": [], "vector": []}

    def on(self, section):
        self.body = self.sections[section]
        return self

    def l1(self, address, element="i8"):
        return self.local("l1", address, element)

    def mte(self, name, src, dst, length, n=1, a=0, b=0, loops=(), element="i8"):
        """mte_X_Y without l2 and pad; `src` and `dst` are values in the spaces of the name."""
        from_, to = name.split("_")[1:]
        self._transfer(name, (src, f"!pto.ptr<{element}, {from_}>"), (dst, f"!pto.ptr<{element}, {to}>"), False,
                       length, n, a, b, loops, None, None)

    def copy(self, name, spaces, src, dst, *words, element="i8"):
        values = "".join(f", {self.i64(word)}" for word in words)
        self(f"pto.{name} {src}, {dst}{values} : !pto.ptr<{element}, {spaces[0]}>, !pto.ptr<{element}, {spaces[1]}>"
             + ", i64" * len(words))

    def sub_offset(self, pointer, step):
        """`pointer` moved on by `step` elements on the second vector core."""
        sub, index, offset, result = (self.value() for _ in range(4))
        self(f"{sub} = pto.get_subblock_idx", f"{index} = arith.index_cast {sub} : i64 to index",
             f"{offset} = arith.muli {index}, {self.const(step)} : index",
             f"{result} = pto.addptr {pointer}, {offset} : !pto.ptr<i8, gm> -> !pto.ptr<i8, gm>")
        return result

    def text(self):
        lines = [f'module attributes {{pto.target_arch = "{self.arch}"}} {{',
                 f"func.func @{self.name}({', '.join(self.parameters)}) attributes {{pto.aicore}} {{", *self.head]
        for section, body in self.sections.items():
            lines += [f"pto.section.{section} {{", *body, "}"]
        return "\n".join(lines + ["return", "}", "}", ""])


def gap_copy(source, target, src, dst, length, n, sg, dg, loops=()):
    """Rows of `length` blocks; `sg` and `dg` blocks are skipped after each row; loop steps are bytes."""
    starts = [(r * (length + sg) * BLOCK, r * (length + dg) * BLOCK) for r in range(n)]
    for count, s, d in loops:
        starts = [(a + k * s, b + k * d) for k in range(count) for a, b in starts]
    for a, b in starts:
        target[dst + b: dst + b + length * BLOCK] = source[src + a: src + a + length * BLOCK]


GAP_CASES = [  # source, destination, length, count, gaps
    (0, 8192, 1, 3, 1, 0),  # DMAEX-7: blocks 0, 2, 4
    (0, 8192, 8, 1, 0, 0), (0, 8192, 8, 1, 5, 7), (32, 8224, 3, 5, 0, 2), (64, 8192, 2, 7, 3, 1), (0, 8192, 256, 1, 0, 0),
    (0, 8192, 1, 64, 3, 2), (0, 8192, 0, 4, 1, 1), (0, 8192, 4, 0, 1, 1)]
