"""One way to break each constraint of each instruction on vectors of any length, in MLIR's generic form, which all of them have."""
import re

from refusals import ARCH

# Types of the letters in the syntax: N lanes of T, S to D, C groups, K lanes of a channel.
TYPES = {"T": "f32", "S": "f16", "D": "f32", "I": "i32"}
ELEMENTS = {  # where f32 is not taken
    **dict.fromkeys(["vand", "vor", "vxor", "vnot", "vshl", "vshr", "vshls", "vshrs", "vaddc", "vaddcs", "vmull", "cmpi", "vci"], "i32"),
    "active_prefix_index": "i32"}
OTHER = {"f32": "i32", "i32": "f32", "f16": "i16", "ui16": "si16", "ui8": "si8"}
ATTRIBUTES = {"create_group_mask": 'num_groups = 8 : i64, group_size = 8 : i64', "pset": 'pattern = "PAT_ALL"', "pge": 'pattern = "PAT_VL16"',
              "cmpf": 'predicate = "olt"', "cmpi": 'predicate = "slt"', "vcmp": 'cmp = "lt"', "vcmps": 'cmp = "lt"', "vcadd": "reassoc",
              "shuffle": "indices = array<i64: 1, 0>", "constant": "value = dense<1.0> : tensor<64xf32>",
              "constant_mask": "value = dense<[true, false]> : tensor<2xi1>"}
LAYOUT = "#pto.vmi.layout<contiguous>"


def split(text):
    """Between commas that stand outside of brackets."""
    parts, depth = [""], 0
    for c in text:
        depth += c in "<([{"
        depth -= c in ">)]}"
        if c == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += c
    return [part.strip() for part in parts if part.strip()]


class Line:
    """An instruction, taken apart: types of operands and results, attributes."""

    def __init__(self, record, label=""):
        self.name = record["name"]
        self.short = self.name.removeprefix("pto.vmi.")
        self.element = ELEMENTS.get(self.short, "f32")
        # The form that has what the rule is about.
        wanted = {"VMI-8": "mask<", "VMI-5": "mask<", "VMI-6": "vreg<", "VPERM-4": "vreg<1x"}.get(label, "")
        own = [line for line in record["syntax"] if re.search(rf"{re.escape(self.name)}[ \"]", line)]
        forms = [line for line in own if wanted in line.partition(" : ")[2].partition(" -> ")[0]
                 and (label != "VMI-8" or "vreg<" in line)]
        head, _, types = (forms or own)[0].partition(" : ")
        if '{value = ' in head:  # the type of the literal has a colon, too
            types = types.partition(" : ")[2]
        types = types.replace("tensor<2xi1>} : ", "").replace("tensor<64xf32>} : ", "")
        operands, arrow, results = types.partition(" -> ")
        if not arrow and " = " in head.partition("{")[0]:
            operands, results = "", operands
        self.types = [self.fill(t) for t in split(operands.strip("()"))]
        self.gives = [self.fill(t) for t in split(results.strip("()"))]
        for index in re.findall(r"\[(%\w+)\]", head):
            if index != "%idx":
                self.types.insert(next(k for k, t in enumerate(self.types) if t.startswith("!pto.ptr")) + 1, "index")
        self.attributes = split(ATTRIBUTES.get(self.short, ""))
        if self.short in ("vsstb", "stride_load") and "i16" not in self.types:
            self.types.insert(self.types.index("index") + 1, "i16")

    def fill(self, type_):
        types = {**TYPES, "T": self.element}
        type_ = re.sub(r"vreg<(\w+?)x(\w+)>", lambda m: f"vreg<{ {'N': 128 if self.short in ('pack', 'unpack') else 64, 'C': 8, 'K': 32, '2K': 64, 'M': 32, 'E': 64}.get(m[1], m[1]) }x{types.get(m[2], m[2])}>", type_)
        return re.sub(r"<N", "<64", re.sub(r"(?<![\w.])[TSDI](?!\w)", lambda m: types[m[0]], type_))

    def where(self, start, given=False):
        return [k for k, type_ in enumerate(self.gives if given else self.types) if type_.startswith(start)]

    def every(self, start):
        """(list, position) of operands and results that start so."""
        return [(self.types, k) for k in self.where(start)] + [(self.gives, k) for k in self.where(start, True)]

    def text(self):
        """The whole program."""
        outside, inside, parameters, operands = [], [], ["%at: index"], []
        for k, type_ in enumerate(self.types):
            name = f"%o{k}"
            operands.append(name)
            if m := re.match(r"!pto\.vmi\.vreg<\d+x([\w.!]+)", type_):
                outside.append(f"{name}_p = pto.castptr %zero : i64 -> !pto.ptr<{m[1]}, ub>")
                inside.append(f"{name} = pto.vmi.vload {name}_p[%at] : !pto.ptr<{m[1]}, ub> -> {type_}")
            elif type_.startswith("!pto.vmi.mask"):
                inside.append(f"{name} = pto.vmi.create_mask %at : index -> {type_}")
            elif m := re.match(r"!pto\.vreg<\d+x(\w+)>", type_):
                outside.append(f"{name}_p = pto.castptr %zero : i64 -> !pto.ptr<{m[1]}, ub>")
                inside.append(f"{name} = pto.vlds {name}_p[%at] : !pto.ptr<{m[1]}, ub> -> {type_}")
            elif type_.startswith("!pto.ptr") and type_.endswith(", ub>"):
                outside.append(f"{name} = pto.castptr %zero : i64 -> {type_}")
            else:
                parameters.append(f"{name}: {type_}")
        results = f"%r:{len(self.gives)} = " if self.gives else ""
        attributes = f" {{{', '.join(self.attributes)}}}" if self.attributes else ""
        inside.append(f'{results}"{self.name}"({", ".join(operands)}){attributes} : ({", ".join(self.types)}) -> ({", ".join(self.gives)})')
        return ARCH + "\n".join([f"func.func @k({', '.join(parameters)}) attributes {{pto.kernel}} {{", "%zero = arith.constant 0 : i64",
                                 *outside, "pto.vecscope {", *inside, "}", "return", "}", "}", ""])


def layout(line):
    types, k = line.every("!pto.vmi.vreg")[0] if line.every("!pto.vmi.vreg") else line.every("!pto.vmi.mask")[0]
    types[k] = types[k].replace(">", f", {LAYOUT}>")
    return True


def lanes(line):
    both = line.every("!pto.vmi.")
    types, k = both[-1]
    types[k] = re.sub(r"<\d+x", "<33x", types[k])
    return len(both) > 1


def one_type(line):
    both = line.every("!pto.vmi.vreg")
    if len(both) < 2:
        return False
    types, k = both[-1]
    types[k] = re.sub(r"x(\w+)>", lambda m: f"x{OTHER[m[1]]}>", types[k])
    return True


def foreign(line, record):
    """An element type that the instruction does not take, in every vector, pointer and scalar."""
    element = next((e for e in ("f32", "i32", "bf16", "i8", "f8E4M3FN") if e not in record["elements"]
                    and {"f8E4M3FN": "e4m3"}.get(e, e) not in record["elements"]), None)
    if not element or not line.every("!pto.vmi.vreg"):
        return False
    for types, k in line.every(""):
        types[k] = re.sub(rf"(?<!\w){line.element}(?!\w)|(?<=x){line.element}(?=>)", element, types[k])
    return True


def fewer(line):
    for types, k in line.every("!pto.vmi."):
        types[k] = re.sub(r"<\d+x", "<32x", types[k])
    return True


def grain(line):
    masks = line.every("!pto.vmi.mask")
    if not masks or not line.every("!pto.vmi.vreg"):
        return False
    types, k = masks[-1]
    types[k] = types[k].replace("xpred", f"xb{8 if line.short == 'vexpdif' else 16}, {LAYOUT}")
    return True


def attribute(text):
    def change(line):
        name = text.split(" =")[0]
        line.attributes = [each for each in line.attributes if each.split(" =")[0] != name] + [text]
        return True
    return change


def scalar(line):
    for k, type_ in enumerate(line.types):
        if re.fullmatch(r"[fi]\d+", type_):
            line.types[k] = "f16" if type_ != "f16" else "f32"
            return True


def space(line):
    for k in line.where("!pto.ptr"):
        line.types[k] = line.types[k].replace(", ub>", ", gm>")
    return True


def pointer(line):
    for k in line.where("!pto.ptr"):
        line.types[k] = line.types[k].replace(line.element, OTHER[line.element])
    return True


def blocks(line):
    line.types.insert(line.types.index("index") + 1, "i16")
    line.types.insert(line.types.index("index") + 1, "i16")
    line.attributes.append('dist_mode = "brc"' if line.short == "vload" else 'dist_mode = "continuous"')
    return True


def strided(line, *attributes):
    """Groups with their stride."""
    line.types.insert(line.types.index("index") + 1, "index")
    line.attributes += attributes
    return True


def store_mask(line):
    strided(line, "group = 8 : i64")
    line.types.append("!pto.vmi.mask<64xpred>")
    return True


def vector(number, pattern, by):
    """Changes the vector of that number among operands and results."""
    def change(line):
        types, k = line.every("!pto.vmi.vreg")[number]
        types[k] = re.sub(pattern, by, types[k])
        return True
    return change


def groups(line):
    if line.short in ("vload", "vstore"):
        return strided(line, "group = 7 : i64")
    line.attributes.append("group = 7 : i64")
    if line.short == "vbrc":
        line.types[0] = "!pto.vmi.vreg<7xf32>"
    elif line.short in ("vcadd", "vcmax", "vcmin"):
        line.gives[0] = "!pto.vmi.vreg<7xf32>"
    return True


def channels(line):
    types = line.gives if len(line.gives) > 1 else line.types
    types[:] = ["!pto.vmi.vreg<31xf32>"] * 2
    return True


def registers(line):
    types = line.gives if len(line.gives) > 1 else line.types
    types.append(types[0])
    return True


def convert(element, *attributes):
    def change(line):
        line.types[0] = "!pto.vmi.vreg<64xf32>"
        line.gives[0] = f"!pto.vmi.vreg<64x{element}>"
        line.attributes = list(attributes)
        return True
    return change


def mode(line):
    return attribute('pmode = "other"' if line.short == "vsel" else 'pmode = "merge"')(line)


def logic(line):
    line.types = ["!pto.vmi.mask<64xpred>"] * (1 if line.short == "vnot" else 2)
    line.gives = ["!pto.vmi.mask<64xpred>"]
    line.attributes.append('pmode = "zero"')
    return True


RULES = {
    "VMI-4": layout, "VMI-5": lanes, "VMI-6": one_type, "VMI-8": grain, "VMI-9": mode, "VMI-10": scalar,
    "VMI-11": attribute("other = 1 : i64"), "VMI-12": groups,
    "VMEM-1": space, "VMEM-2": pointer, "VMEM-3": attribute("group = 8 : i64"),
    "VMEM-4": lambda line: strided(line, "group = 8 : i64", 'dist_mode = "continuous"'), "VMEM-5": blocks,
    "VMEM-6": attribute('dist_mode = "dintlv"'), "VMEM-7": attribute('dist_mode = "other"'), "VMEM-8": store_mask,
    "VMEM-9": lambda line: vector(-1 if line.short == "vscatter" else 0, "i32", "si32")(line),
    "VMASK-1": attribute("group_size = 7 : i64"), "VMASK-2": attribute('pattern = "PAT_H"'), "VMASK-3": attribute('pattern = "PAT_VL65"'),
    "VMASK-4": attribute("value = dense<true> : tensor<3xi1>"), "VMASK-5": logic,
    "VLANE-1": scalar, "VLANE-2": fewer,
    "VLANE-3": vector(-1, "xf32", "xf16"), "VLANE-4": attribute('cmp = "slt"'), "VLANE-5": attribute('predicate = "lt"'),
    "VPERM-1": vector(1, "i32", "i16"), "VPERM-2": attribute("indices = array<i64: 0, 64>"), "VPERM-3": channels,
    "VPERM-4": lambda line: line.types.__setitem__(0, "!pto.vmi.vreg<2xf32>") or True,
    "VPERM-5": attribute('order = "UP"'), "VPERM-6": attribute("value = dense<1.0> : tensor<63xf32>"), "VPERM-7": registers,
    "VRED-1": lambda line: line.gives.__setitem__(0, line.gives[0].replace("<1x", "<2x")) or True,
    "VRED-2": lambda line: line.attributes.clear() or True, "VRED-3": vector(1, "ui8", "si8"),
    "VCVT-1": convert("f32"), "VCVT-2": convert("f16", 'rounding = "F"', 'saturate = "SAT"'), "VCVT-3": convert("f16"),
    "VCVT-4": vector(1, r"<\d+x", "<31x"),
}


def cases(records):
    """(instruction, label, broken, repaired) for each pair that has a rule above."""
    for name, record in records.items():
        if not name.startswith("pto.vmi."):
            continue
        for label in (constraint.split(":")[0] for constraint in record["constraints"]):
            broken, repaired = Line(record, label), Line(record, label).text()
            if foreign(broken, record) if label == "VMI-7" else RULES.get(label, lambda line: False)(broken):
                yield name, label, broken.text(), repaired
