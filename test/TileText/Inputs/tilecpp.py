"""The cases of a suite as a C++ program: the same tiles at the same addresses, the same calls in the same order, on the same bytes.

Lines of a case are translated one by one. What a line means that C++ does not have, or has in another way, is told by the rule that
says so (`Differs`); everything else has to compile and to give the bytes that text gives.
"""
import os
import re
import shutil
import subprocess

import numpy as np

import ptorun

ELEMENTS = {"f16": "half", "bf16": "bfloat16_t", "f32": "float", "f8E4M3FN": "float8_e4m3_t", "f8E5M2": "float8_e5m2_t",
            "!pto.hif8": "hifloat8_t", **{f"{s}i{n}": f"{'u' if s == 'u' else ''}int{n}_t" for s in ("", "s", "u") for n in (8, 16, 32, 64)}}
LAYOUTS = {"nd": ("RowMajor", "NoneBox"), "dn": ("ColMajor", "NoneBox"), "nz": ("ColMajor", "RowMajor"), "zn": ("RowMajor", "ColMajor"),
           "zz": ("RowMajor", "RowMajor"), "nn": ("ColMajor", "ColMajor")}
INCLUDE = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../../include"))
COMPARES = {"equal": "eq", "not_equal": "ne", "less_than": "lt", "less_equal": "le", "greater_than": "gt", "greater_equal": "ge"}
PADS = ["Null", "Zero", "Max", "Min"]
HEAD = """#include <pto/pto-inst.hpp>
#include <ptoscope/launch.hpp>
#include <bit>
#include <fstream>
#include <iterator>
#include <vector>
using namespace pto;
static auto order() { return pipe_barrier(PIPE_ALL); }
struct Counts { uint16_t list[4]; };
using Bytes = std::vector<uint8_t>;
static Bytes read(const char *path) {
  std::ifstream file(path, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}
"""
TAIL = """int main(int, char **argv) {
  Bytes in = read(argv[1]), out = read(argv[2]);
  ptoscope::Options options;
  options.arch = argv[4];
  options.maxFindings = 1000;
  ptoscope::Result result = ptoscope::launch(options, [](uint8_t *in, uint8_t *out) { %s }, 1, in, out);
  if (!result.ok())
    return result.print(), 1;
  std::ofstream(argv[3], std::ios::binary).write(reinterpret_cast<char *>(out.data()), long(out.size()));
}
"""


# Around tiles: what a line is, and what it becomes.
SCALARS = [(r"scf\.for (%\w+) = (%\w+) to (%\w+) step (%\w+) {", "for (int64_t {0} = {1}; {0} < {2}; {0} += {3}) {{"), (r"}", "}}"),
           (r"(%\w+) = arith\.addi (%\w+), (%\w+) : index", "const int64_t {} = {} + {};"),
           (r"(%\w+) = arith\.index_cast (%\w+) : index to i32", "const auto {} = int32_t({});"),
           (r"pto\.set_validshape (%\w+), (%\w+), (%\w+) : .*", "{}.SetValidShape({}, {});"),
           (r"(%\w+), (%\w+) = pto\.get_validshape (%\w+) : .*", "const auto {0} = {2}.GetValidRow(), {1} = {2}.GetValidCol();"),
           (r"(%\w+) = pto\.tile_valid_rows (%\w+) : .*", "const auto {} = {}.GetValidRow();"),
           (r"(%\w+) = pto\.tile_valid_cols (%\w+) : .*", "const auto {} = {}.GetValidCol();")]


class Differs(Exception):
    """C++ says it in another way, or not at all: the rule."""


def need(same, rule):
    if not same:
        raise Differs(rule)


def values_of(text):
    return re.findall(r"%\w+", re.sub(r"!pto\.\w+<(?:[^<>]|<[^<>]*>)*>", "", text))


def attributes_of(line):
    found = {}
    for key, word, shape, value, text in re.findall(r'(\w+) = (?:#pto[.<]\w+[ <](\w+)>|(?:(true|false))|(-?\d+) :|"(\w+)")', line):
        found[key] = word or shape or text or int(value)
    return found


class Translation:
    def __init__(self, case):
        self.case, self.text, self.shape = case, [], {}
        self.constants = {name: key for key, name in case.suite.constants.items()}
        self.fresh = 0

    def run(self):
        need(not self.case.differs, self.case.differs)
        for line in self.case.lines:
            self.line(line)
        return "\n".join("  " + line for line in self.text)

    # -- operands

    def tile(self, name):
        return self.case.tiles[name]

    def var(self, name):
        return name.replace("%", "v_")

    def number(self, name):
        value, _ = self.constants[name]
        return int(value)

    def value(self, name):
        return f"int64_t({self.number(name)})" if name in self.constants else self.var(name)

    def scalar(self, name, elem):
        """A constant as the element it is converted to."""
        value, type_ = self.constants[name]
        cpp = ELEMENTS[str(elem)]
        if isinstance(value, str):
            bits = 4 * (len(value) - 2)
            own = ELEMENTS[type_]
            text = f"std::bit_cast<{own}>(uint{bits}_t({value}))"
            return text if own == cpp else f"{cpp}({text})"
        return f"{cpp}({value}ll)"

    def declare(self, name, tile, rows=None, cols=None, valid=None):
        rows, cols = rows or tile.rows, cols or tile.cols
        self.shape[name] = (rows, cols)
        block, inner = LAYOUTS[tile.layout]
        if tile.loc == "left":
            block = "ColMajor"  # TBUF-8
        fractal = tile.fractal or (1024 if tile.loc == "acc" else 512)
        extents = ["DYNAMIC" if d else v for d, v in zip(tile.dynamic, valid or tile.valid)]
        self.text.append(f"Tile<TileType::{tile.loc.capitalize()}, {ELEMENTS[str(tile.elem)]}, {rows}, {cols}, BLayout::{block}, {extents[0]}, "
                         f"{extents[1]}, SLayout::{inner}, {fractal}, PadValue::{PADS[tile.pad]}> {self.var(name)};")
        for what, value, dynamic in zip(("Row", "Col"), tile.valid, tile.dynamic):
            if dynamic:
                self.text.append(f"{self.var(name)}.SetValid{what}({value});")

    def scratch(self, like, bytes_=None):
        """A tile where the C++ call wants one and the text has none."""
        self.fresh += 1
        at = -(-self.case.used.get("vec", 0) // 32) * 32
        self.case.used["vec"] = at + like.rows * like.cols * like.elem.bytes
        self.text.append(f"Tile<TileType::Vec, {ELEMENTS[str(like.elem)]}, {like.rows}, {like.cols}, BLayout::{LAYOUTS[like.layout][0]}> "
                         f"tmp{self.fresh}; TASSIGN(tmp{self.fresh}, {at});")
        return f"tmp{self.fresh}"

    def with_scratch(self, names, wanted, like):
        names = [self.var(n) for n in names]
        return names if len(names) == wanted else names + [self.scratch(like)]

    def call(self, name, *arguments):
        self.text.append(f"{name}({', '.join(map(str, arguments))}); order();")

    # -- lines

    def line(self, line):
        for pattern, text in SCALARS:
            if match := re.fullmatch(pattern, line):
                return self.text.append(text.format(*map(self.value, match.groups())))
        match = re.match(r"(?:(%\w+) = )?pto\.([\w.]+)", line)
        if not match:
            raise Differs(f"nothing translates `{line}`")
        result, word = match.groups()
        handler = getattr(self, "do_" + word.replace(".", "_"), None)
        if handler and result:
            return handler(result, line)
        if result:
            raise Differs(f"nothing translates pto.{word}")
        inside, outside = self.groups(line)
        attributes = attributes_of(line)
        if handler:
            return handler(inside, outside, attributes)
        return self.plain(word, inside, outside)

    @staticmethod
    def groups(line):
        """Values of `ins` and of `outs`."""
        found = {}
        for word in ("ins", "outs"):
            at = line.find(f"{word}(")
            depth, end = 0, at
            while at >= 0:
                depth += (line[end] == "(") - (line[end] == ")")
                if depth == 0 and line[end] == ")":
                    break
                end += 1
            found[word] = values_of(line[at:end]) if at >= 0 else []
        return found["ins"], found["outs"]

    def plain(self, word, ins, outs):
        arguments = [self.var(n) for n in outs]
        for name in ins:
            arguments.append(self.scalar(name, self.tile(outs[0]).elem) if name in self.constants else self.var(name))
        self.call(word.upper(), *arguments)

    def do_alloc_tile(self, name, line):
        tile = self.tile(name)
        self.declare(name, tile)
        at = re.search(r"addr = (%\w+)", line)
        self.text.append(f"TASSIGN({self.var(name)}, {self.number(at.group(1))});")

    def do_treshape(self, name, line):
        source = re.search(r"treshape (%\w+)", line).group(1)
        self.declare(name, self.tile(name))
        self.text.append(f"TRESHAPE({self.var(name)}, {self.var(source)});")

    def do_bitcast(self, name, line):
        self.do_treshape(name, line.replace("bitcast", "treshape"))

    def do_tassign(self, name, line):
        self.declare(name, self.tile(name))
        address = re.search(r", (%\w+) :", line).group(1)
        self.text.append(f"TASSIGN({self.var(name)}, {self.number(address)});")

    def do_alloc_multi_tile(self, name, line):
        raise Differs("ALLOC-5")

    def do_tgetval(self, name, line):
        (tile, index), _ = self.groups(line)
        self.text.append(f"const auto {self.var(name)} = {self.var(tile)}.GetValue({self.number(index)});")

    def do_tsetval(self, ins, outs, attributes):
        value = self.scalar(ins[1], self.tile(outs[0]).elem) if ins[1] in self.constants else self.var(ins[1])
        self.text.append(f"{self.var(outs[0])}.SetValue({self.number(ins[0])}, {value}); order();")

    def do_subview(self, name, line):
        source, row, col = re.search(r"subview (%\w+)\[(%\w+), (%\w+)\]", line).groups()
        tile = self.tile(name)
        need(tile.layout in ("nd", "dn"), "TMOV-8")
        # It keeps the pitch of its tile (ALIAS-2), which in C++ its type has.
        self.declare(name, tile, *self.shape[source])
        self.text.append(f"TSUBVIEW({self.var(name)}, {self.var(source)}, {self.number(row)}, {self.number(col)});")

    def do_addptr(self, name, line):
        pass

    do_make_tensor_view = do_addptr

    def do_partition_view(self, name, line):
        buffer, elem, offset, shape, strides, layout = self.case.parts[name]
        lead = 5 - len(shape)
        numbers = [", ".join(map(str, given + list(each))) for given, each in (([1] * lead, shape), ([1] * lead, strides))]
        self.text.append(f"GlobalTensor<{ELEMENTS[str(elem)]}, Shape<{numbers[0]}>, Stride<{numbers[1]}>, Layout::{layout.upper()}> "
                         f"{self.var(name)}(reinterpret_cast<{ELEMENTS[str(elem)]} *>({buffer} + {offset}));")

    # -- transfers

    def view_layout(self, name, tile):
        """IRLOAD-2: in C++ the layout of the view is that of the tile."""
        buffer, elem, offset, shape, strides, layout = self.case.parts[name]
        if tile.loc == "vec":
            self.case.parts[name] = (buffer, elem, offset, shape, strides, tile.layout if tile.layout in ("nd", "dn") else "nz")
        self.do_partition_view(name, "")
        self.text[-1] = "{ " + self.text[-1]

    def covered(self, name, tile):
        n = [1] * (5 - len(self.case.parts[name][3])) + list(self.case.parts[name][3])
        layout = tile.layout if tile.loc == "vec" and tile.layout in ("nd", "dn") else "nz" if tile.loc == "vec" else self.case.parts[name][5]
        if layout == "nd":
            return n[0] * n[1] * n[2] * n[3], n[4]
        return (n[3], n[0] * n[1] * n[2] * n[4]) if layout == "dn" else (n[2] * n[3], n[0] * n[1] * n[4])

    def do_tload(self, ins, outs, attributes, name="TLOAD"):
        tile = self.tile(outs[0])
        need(tuple(self.covered(ins[0], tile)) == tuple(tile.valid), "IRLOAD-5")
        need(tile.pad < 2 or not tile.elem.float, "IRLOAD-9")
        need(tile.loc == "vec" or tile.pad == 0, "IRLOAD-8")
        self.view_layout(ins[0], tile)
        self.call(name, self.var(outs[0]), self.var(ins[0]))
        self.text[-1] += " }"

    def do_tprefetch(self, ins, outs, attributes):
        self.do_tload(ins, outs, attributes, "TPREFETCH")

    def do_tstore(self, ins, outs, attributes):
        tile = self.tile(ins[0])
        need(tuple(self.covered(outs[0], tile)) == tuple(tile.valid), "IRSTORE-2")
        self.view_layout(outs[0], tile)
        modes = []
        if attributes.get("atomicType") == "atomic_add" or attributes.get("reluPreMode") == "normal_relu":
            modes = ["AtomicType::" + ("AtomicAdd" if attributes.get("atomicType") == "atomic_add" else "AtomicNone"),
                     "ReluPreMode::" + ("NormalRelu" if attributes.get("reluPreMode") == "normal_relu" else "NoRelu")]
        words = [f"decltype({self.var(n)})" for n in ins[:1]] + [f"decltype({self.var(outs[0])})"]
        fp = len(ins) > 1 and ins[1] in self.case.tiles
        words += [f"decltype({self.var(n)})" for n in ins[1:] if fp]
        name = ("TSTORE_FP" if fp else "TSTORE") + (f"<{', '.join(words + modes)}>" if modes else "")
        extra = [self.var(ins[1])] if fp else [self.word(ins[1], self.case.parts[outs[0]][1])] if len(ins) > 1 else []
        self.call(name, self.var(outs[0]), self.var(ins[0]), *extra)
        self.text[-1] += " }"

    do_tstore_fp = do_tstore

    def word(self, name, result):
        """TSTORE-9: the sign of 8-bit results is in bit 46."""
        return f"uint64_t({self.number(name)}ull | {int(str(result) in ('i8', 'si8'))}ull << 46)"

    # -- elementwise

    def do_tdivs(self, ins, outs, attributes):
        elem = self.tile(outs[0]).elem
        self.call("TDIVS", self.var(outs[0]), *(self.scalar(n, elem) if n in self.constants else self.var(n) for n in ins))

    def binary_scratch(self, name, ins, outs):
        self.call(name, self.var(outs[0]), *self.with_scratch(ins, 3, self.tile(ins[0])))

    def do_txor(self, ins, outs, attributes):
        self.binary_scratch("TXOR", ins, outs)

    def do_tprelu(self, ins, outs, attributes):
        self.binary_scratch("TPRELU", ins, outs)

    def do_tpow(self, ins, outs, attributes):
        self.binary_scratch("TPOW", ins, outs)

    def do_trem(self, ins, outs, attributes):
        need(self.tile(outs[0]).elem.float, "IREW-6")
        self.binary_scratch("TREM", ins, outs)

    def scalar_scratch(self, name, ins, outs):
        extra = self.var(ins[2]) if len(ins) > 2 else self.scratch(self.tile(ins[0]))
        self.call(name, self.var(outs[0]), self.var(ins[0]), self.scalar(ins[1], self.tile(outs[0]).elem), extra)

    def do_txors(self, ins, outs, attributes):
        self.scalar_scratch("TXORS", ins, outs)

    def do_tpows(self, ins, outs, attributes):
        self.scalar_scratch("TPOWS", ins, outs)

    def do_trems(self, ins, outs, attributes):
        raise Differs("IREW-7")

    def shift(self, ins, outs, attributes):
        raise Differs("IREW-5")

    do_tshl = do_tshr = do_tshls = do_tshrs = shift

    def do_tlrelu(self, ins, outs, attributes):
        self.call("TLRELU", self.var(outs[0]), self.var(ins[0]), self.scalar(ins[1], self.tile(outs[0]).elem))

    def do_taxpy(self, ins, outs, attributes):
        self.call("TAXPY", self.var(outs[0]), self.var(ins[0]), self.scalar(ins[1], self.tile(outs[0]).elem))

    def do_texpands(self, ins, outs, attributes):
        self.call("TEXPANDS", self.var(outs[0]), self.scalar(ins[0], self.tile(outs[0]).elem))

    # -- reductions

    def reduction(self, name, ins, outs):
        self.call(name, self.var(outs[0]), *self.with_scratch(ins, 2, self.tile(ins[0])))

    def do_tcolsum(self, ins, outs, attributes):
        if len(ins) == 1 and attributes.get("isBinary") != "true":
            return self.plain("tcolsum", ins, outs)
        arguments = self.with_scratch(ins, 2, self.tile(ins[0]))
        self.call("TCOLSUM", self.var(outs[0]), *arguments, attributes.get("isBinary", "false"))

    def do_thistogram(self, ins, outs, attributes):
        self.call(f"THISTOGRAM<HistByte::BYTE_{attributes.get('byte', 1)}>", *map(self.var, outs + ins))

    # -- conversion

    def do_tcvt(self, ins, outs, attributes):
        mode = attributes.get("rmode", "CAST_RINT")
        saturation = attributes.get("sat_mode") or attributes.get("satmode")
        self.call("TCVT", *map(self.var, outs + ins), f"RoundMode::CAST_{mode.removeprefix('CAST_')}",
                  *([f"SaturationMode::{saturation}"] if saturation else []))

    def do_tpack(self, ins, outs, attributes):
        self.call("TCVT", *map(self.var, outs + ins), "RoundMode::CAST_TRUNC", "SaturationMode::OFF")

    def do_tquant(self, ins, outs, attributes):
        kind = attributes.get("quant_type", "INT8_SYM")
        if kind == "INT8_ASYM" and len(ins) == 4:
            return self.call(f"TQUANT<QuantType::{kind}>", self.var(outs[0]), self.var(ins[0]), self.var(ins[1]), self.var(ins[3]), "&" + self.var(ins[2]))
        self.call(f"TQUANT<QuantType::{kind}>", *map(self.var, outs + ins))

    # -- bits

    def do_tcmp(self, ins, outs, attributes):
        mask, source = self.tile(outs[0]), self.tile(ins[0])
        group = 32 if source.elem.bytes == 1 else 16
        need(source.vc % (8 * group) == 0 or source.vc == 0 or mask.cols == -(-source.vc // 8), "IRCMP-2")
        mode = attributes.get("cmpMode", "eq")
        self.call("TCMP", *map(self.var, outs + ins), f"CmpMode::{COMPARES.get(mode, mode).upper()}")

    def do_tcmps(self, ins, outs, attributes):
        raise Differs("IRCMP-3")

    def do_tsel(self, ins, outs, attributes):
        self.call("TSEL", self.var(outs[0]), *self.with_scratch(ins, 4, self.tile(ins[1])))

    def do_tsels(self, ins, outs, attributes):
        extra = self.var(ins[2]) if len(ins) == 4 else self.scratch(self.tile(ins[1]))
        self.call("TSELS", self.var(outs[0]), self.var(ins[0]), self.var(ins[1]), extra, self.scalar(ins[-1], self.tile(outs[0]).elem))

    # -- sources of different extents

    def partial(self, name, ins, outs):
        d, a, b = (self.tile(n) for n in (outs[0], ins[0], ins[1]))
        rows = [min(t.vr, d.vr) for t in (a, b)]
        cols = [min(t.vc, d.vc) for t in (a, b)]
        both = min(rows) * min(cols)
        need(rows[0] * cols[0] + rows[1] * cols[1] - both == d.vr * d.vc, "IRPART-2")
        if len(outs) == 1:
            return self.plain(name, ins, outs)
        self.call(name.upper(), *map(self.var, [outs[0], ins[0], ins[1], outs[1], ins[2], ins[3]]))

    def do_tconcatidx(self, ins, outs, attributes):
        raise Differs("IRCAT-2")

    def pad(self, name, ins, outs):
        d, s = self.tile(outs[0]), self.tile(ins[0])
        need(tuple(d.valid) == (d.rows, d.cols), "IRPAD-2")
        need(not d.elem.float or d.pad < 2, "IRLOAD-9")
        need(str(d.elem) != "f32" or d.pad != 1 or tuple(d.valid) == tuple(s.valid), "IRPAD-3")
        self.plain(name, ins, outs)

    # -- moves

    def move(self, name, ins, outs, attributes):
        d = self.tile(outs[0])
        tiles = [n for n in ins if n in self.case.tiles]
        numbers = [n for n in ins if n in self.constants]
        places = [self.number(n) for n in numbers[:2]] if name[1] in "EI" else []
        words = numbers[len(places):]
        modes = []
        if attributes.get("reluPreMode") == "normal_relu":
            modes.append("ReluPreMode::NormalRelu")
        split = attributes.get("accToVecMode")
        if split:
            modes.append("AccToVecMode::" + "".join(part.capitalize() for part in split.split("_")))
        arguments = [self.var(n) for n in tiles] + [self.word(n, d.elem) for n in words] + places
        if name.endswith("_FP") and modes:
            name += "<" + ", ".join([f"decltype({self.var(n)})" for n in [outs[0], *tiles]] + modes) + ">"
        elif modes:
            name += f"<{', '.join(modes)}>"
        self.call(name, self.var(outs[0]), *arguments)

    def do_ttrans(self, ins, outs, attributes):
        self.call("TTRANS", self.var(outs[0]), *self.with_scratch(ins, 2, self.tile(ins[0])))

    # -- products

    def product(self, name, ins, outs):
        l, r = (self.tile(n) for n in (ins[1:] if name.endswith("_ACC") else ins[:2]))
        d = self.tile(outs[0])
        need(l.rows == d.rows and l.cols == r.rows and r.cols == d.cols, "IRMM-3")
        self.call(name, *map(self.var, outs + ins))

    # -- indices

    def do_tgather(self, ins, outs, attributes):
        if len(outs) == 2:
            raise Differs("IRGATHER-3")
        if "axis" in attributes:
            raise Differs("IRGATHER-7")  # only in programs for the host profile
        if "maskPattern" in attributes:
            types = ", ".join(f"decltype({self.var(n)})" for n in outs + ins)
            return self.call(f"TGATHER<{types}, MaskPattern::{attributes['maskPattern']}>", *map(self.var, outs + ins))
        self.call("TGATHER", *map(self.var, outs + ins))

    def do_tscatter(self, ins, outs, attributes):
        if "maskPattern" not in attributes:
            raise Differs("IRGATHER-5")
        if "axis" in attributes:
            raise Differs("IRGATHER-7")
        self.call(f"TSCATTER<MaskPattern::{attributes['maskPattern']}>", *map(self.var, outs + ins))

    def coalesce(self, data, index, attributes):
        if "coalesce" in attributes:
            return attributes["coalesce"].capitalize()
        return "Elem" if tuple(self.tile(data).valid) == tuple(self.tile(index).valid) else "Row"

    def do_mgather(self, ins, outs, attributes):
        outside = attributes.get("gatherOob", "undefined").capitalize()
        self.call(f"MGATHER<Coalesce::{self.coalesce(outs[0], ins[1], attributes)}, GatherOOB::{outside}>", *map(self.var, outs + ins))

    def do_mscatter(self, ins, outs, attributes):
        outside, atomic = attributes.get("scatterOob", "undefined").capitalize(), attributes.get("scatterAtomicOp", "none").capitalize()
        self.call(f"MSCATTER<Coalesce::{self.coalesce(ins[0], ins[1], attributes)}, ScatterAtomicOp::{atomic}, ScatterOOB::{outside}>",
                  *map(self.var, outs + ins))

    def do_tsort32(self, ins, outs, attributes):
        need(self.tile(ins[0]).vc % 32 == 0, "IRSORT-2")
        self.call("TSORT32", *map(self.var, outs + ins))

    def do_tmrgsort(self, ins, outs, attributes):
        if ins[-1] in self.constants:
            return self.call("TMRGSORT", self.var(outs[0]), self.var(ins[0]), f"uint32_t({self.number(ins[-1])})")
        outs = [n for n in outs if n in self.case.tiles]
        lists, tmp = (ins, outs[1]) if len(outs) > 1 else (ins[:-1], ins[-1])
        self.fresh += 1
        self.text.append(f"Counts executed{self.fresh}{{}};")
        types = ", ".join(f"decltype({self.var(n)})" for n in [outs[0], tmp, *lists])
        self.call(f"TMRGSORT<{types}, {attributes.get('exhausted', 'false')}>", self.var(outs[0]), f"executed{self.fresh}", self.var(tmp),
                  *map(self.var, lists))

    # -- generators

    def do_tci(self, ins, outs, attributes):
        elem = self.tile(outs[0]).elem
        self.call(f"TCI<decltype({self.var(outs[0])}), {ELEMENTS[str(elem)]}, {attributes.get('descending', 'false')}>", self.var(outs[0]),
                  self.scalar(ins[0], elem), *map(self.var, ins[1:]))

    def do_ttri(self, ins, outs, attributes):
        self.call(f"TTRI<decltype({self.var(outs[0])}), {attributes.get('upperOrLower', 0)}>", self.var(outs[0]), self.number(ins[0]))

    def do_trandom(self, *_):
        need(False, "IRGEN-4")


def by_name(names, method):
    for word in names.split():
        setattr(Translation, "do_" + word.replace(".", "_"), method(word.upper().replace(".", "_")))


by_name("trowsum trowprod trowmax trowmin trowargmax trowargmin tcolargmax tcolargmin",
        lambda name: lambda self, ins, outs, attributes: self.reduction(name, ins, outs))
by_name("tpartadd tpartmul tpartmax tpartmin tpartargmax tpartargmin",
        lambda name: lambda self, ins, outs, attributes: self.partial(name, ins, outs))
by_name("tfillpad tfillpad_expand tfillpad_inplace", lambda name: lambda self, ins, outs, attributes: self.pad(name, ins, outs))
by_name("tmov tmov.fp textract textract_fp tinsert tinsert_fp",
        lambda name: lambda self, ins, outs, attributes: self.move(name, ins, outs, attributes))
by_name("tmatmul tmatmul.acc tmatmul.bias tgemv tgemv.acc tgemv.bias",
        lambda name: lambda self, ins, outs, attributes: self.product(name, ins, outs))


def program(cases):
    """The text of those that C++ has, their numbers, and the rules of the others."""
    text, chosen, others = [HEAD], [], {}
    for case in cases:
        used = dict(case.used)
        try:
            body = Translation(case).run()
        except Differs as why:
            others.setdefault(str(why), []).append(case)
            case.used = used
            continue
        text.append(f"static void case{len(chosen)}([[maybe_unused]] uint8_t *in, [[maybe_unused]] uint8_t *out) {{ // {case.name}\n{body}\n}}")
        chosen.append(case)
    text.append(TAIL % " ".join(f"case{k}(in, out);" for k in range(len(chosen))))
    return "\n".join(text), chosen, others


def check(suite, cases, stem, files, before, after):
    """Compiles and runs the cases; their results have to be those of text."""
    text, chosen, others = program(cases)
    for rule, left in others.items():
        if not re.fullmatch(r"[A-Z]+-\d+", rule):
            suite.fail(left[0], rule)
    if not chosen:
        return
    source, binary, result = (ptorun.scratch(f"{stem}.{end}") for end in ("cpp", "out", "cpp.bin"))
    with open(source, "w") as file:
        file.write(text)
    library = os.path.join(os.path.dirname(os.path.dirname(shutil.which("ptoscope"))), "lib")
    link = os.environ.get("PTOSCOPE_TILE_LINK", f"-L{library} -lptoscope -Wl,-rpath,{library}")
    command = ["clang++-19", "-std=c++20", f"-I{INCLUDE}", "-O0", "-w", "-ferror-limit=0", source, "-o", binary, *link.split()]
    done = subprocess.run(command, capture_output=True, text=True)
    if done.returncode:
        lines = [line for line in done.stderr.splitlines() if "error:" in line or "requested here" in line and stem in line]
        return suite.fail(None, "C++: " + " ".join(command) + "\n" + "\n".join(lines[:40]))
    done = subprocess.run([binary, files[0], files[1], result, suite.arch], capture_output=True, text=True)
    if done.returncode:
        return suite.fail(None, f"C++: status {done.returncode} of {binary}\n{done.stderr[:3000]}")
    other = np.fromfile(result, np.uint8)
    untouched = np.ones(len(before), bool)
    for case in chosen:
        for offset, expected, what, known, _ in case.checks:
            untouched[offset:offset + len(expected)] = False
            wrong = other[offset:offset + len(expected)] != after[offset:offset + len(expected)]
            if known is not None:
                wrong &= known
            if wrong.any():
                suite.fail(case, f"C++ and text differ in {wrong.sum()} bytes, the first is byte {np.flatnonzero(wrong)[0]} of {what}")
                break
    if (untouched & (before != other)).any():
        suite.fail(None, "C++: bytes outside all results were written")
    suite.twins += len(chosen)
