"""One way to break each constraint that the types and words of a line can break, for all instructions that have it."""
import re

from refusals import BYTES, OTHER, SPELLED, Line, program, vreg

# Types of the letters in the syntax where f32, or the first float or integer of the record, is not enough.
LETTERS = {
    "pto.vbitcast": {"U": "i32"}, "pto.vbitsort": {"D": "f32"}, "pto.vcadd": {"U": "f32"}, "pto.vmulconv": {"T": "f16", "U": "i8"},
    "pto.vaddreluconv": {"T": "f16", "U": "i8"}, "pto.vcvt": {"T": "f32", "U": "f16"}, "pto.vpack": {"T": "i32", "U": "ui16"},
    "pto.vsunpack": {"T": "i16", "U": "i32"}, "pto.vzunpack": {"T": "ui16", "U": "ui32"}, "pto.vscatter": {"I": "i32"},
    "pto.ppack": {"G1": "b32", "G2": "b16"}, "pto.punpack": {"G1": "b16", "G2": "b32"},
}
# The other spelling of a record, where the first has nothing to break.
SPELLING = {("pto.vci", "MASK-2"): 1, ("pto.vdup", "VDUP-3"): 1, ("pto.vlds", "VLD-2"): 1, ("pto.vsts", "POST-1"): 1,
            ("pto.vldus", "POST-1"): 1, ("pto.vsstb", "POST-1"): 1, ("pto.vstu", "POST-1"): 1, ("pto.vstus", "POST-1"): 1,
            ("pto.vldsx2", "POST-1"): 1, ("pto.vsldb", "POST-1"): 1, ("pto.vstas", "POST-1"): 1, ("pto.plds", "POST-1"): 3,
            ("pto.pldi", "POST-1"): 2, ("pto.psts", "POST-1"): 1, ("pto.psti", "POST-1"): 2, ("pto.sprsti", "POST-1"): 1, ("pto.sprsts", "POST-1"): 1,
            ("pto.vstus", "MODE-1"): 2, ("pto.vsunpack", "PART-1"): 1, ("pto.vzunpack", "PART-1"): 1,
            ("pto.vgatherb", "LANE-2"): 1}
EVERY = {"pto.vand", "pto.vor", "pto.vxor"}  # they take every element that a load gives
OUTSIDE = {"pto.vbitsort", "pto.vmrgsort4", "pto.vsort32", "pto.vtranspose"}


def element_of(type_):
    return re.search(r"<(?:\d+x)?(\w+)", type_)[1]


def another_register(line):
    """LANE-1 and its like: the last register has the same width and another type."""
    for types in (line.gives, line.types):
        for k in reversed(range(len(types))):
            if types[k].startswith("!pto.vreg") and len(line.where("!pto.vreg")) + len(line.where("!pto.vreg", True)) > 1:
                types[k] = vreg(OTHER[element_of(types[k])])
                return True


def another_grain(line):
    """The last mask has another granularity."""
    for types in (line.types, line.gives):
        for k in reversed(range(len(types))):
            if types[k].startswith("!pto.mask"):
                types[k] = "!pto.mask<b16>" if "b32" in types[k] else "!pto.mask<b32>"
                return True


def another_scalar(line):
    for k in line.where("f") + line.where("i"):
        if line.types[k] != "index":
            line.types[k] = "f16" if line.types[k] != "f16" else "f32"
            return True


def another_element(line):
    """ADDR-1: the pointer's element is wider; so is that of the advanced pointer."""
    for types in (line.types, line.gives):
        for k, type_ in enumerate(types):
            types[k] = re.sub(r"ptr<(\w+),", lambda m: "ptr<i64," if BYTES[m[1]] < 8 else "ptr<i8,", type_)
    return True


def another_space(line):
    for types in (line.types, line.gives):
        for k, type_ in enumerate(types):
            types[k] = type_.replace(", ub>", ", gm>")
    return True


def another_pointer(line):
    """POST-1: the advanced pointer has another element of the same width."""
    for k in line.where("!pto.ptr", True):
        element = element_of(line.gives[k])
        line.gives[k] = line.gives[k].replace(element, OTHER[element])
        return True


def another_word(line):
    line.text, count = re.subn(r'"\w+"', '"OTHER"', line.text, count=1)
    return count


def float_count(line):
    """Integers of every width are taken."""
    for k in line.where("i16"):
        line.types[k] = "f32"
        return True


RULES = {"LANE-1": another_register, "INTLV-1": another_register, "VLDX2-1": another_register, "EXPD-1": another_register,
         "VSELR-1": another_register, "VUSQZ-1": another_register, "HIST-1": another_register, "VDUP-3": another_register,
         "CONV-1": another_register, "RED-1": another_register,
         "P8": another_grain, "MASK-2": another_grain, "MASK-3": another_grain, "MASK-4": another_grain, "VDUP-1": another_grain,
         "VSLDB-2": another_grain, "VST-1": another_grain, "CVT-5": another_grain, "VGB-2": another_grain, "VGBC-1": another_grain,
         "PSTU-1": another_grain,
         "SCAL-1": another_scalar, "ADDR-1": another_element, "ADDR-2": another_space, "PLD-3": another_space,
         "VLD-2": another_pointer, "POST-1": another_pointer,
         "PSET-1": another_word, "PART-1": another_word, "MODE-1": another_word, "PLD-1": another_word, "CMP-1": another_word,
         "HIST-2": another_word, "EXPD-2": another_word, "TRC-1": another_word, "SPR-1": another_word,
         "SHIFT-1": float_count}


def line_of(record, label, **types):
    syntax = record["syntax"][SPELLING.get((record["name"], label), 0)]
    return Line(syntax, **types)


def foreign(record):
    """An element type that the record does not take."""
    taken = {SPELLED.get(name, name) for name in record["elements"]}
    return next(element for element in ("f32", "i32", "i8", "f8E4M3FN", "f64") if element not in taken)


def cases(records):
    """(instruction, label, broken, repaired) for each pair that has a rule above."""
    for name, record in records.items():
        if record["family"] == "ub-vector":  # refused_ub.py
            continue
        types = {"T": next((e for e in ("f32", "i32", "f16", "i16", "i8") if e in record["elements"]), "f32"), **LETTERS.get(name, {})}
        for label in (constraint.split(":")[0] for constraint in record["constraints"]):
            if label == "LANE-2" and name in EVERY:
                continue
            if label in ("LANE-2", "SORT-1"):
                broken = line_of(record, label, **{**types, "T": foreign(record)})
            elif label not in RULES:
                continue
            else:
                broken = line_of(record, label, **types)
                if not RULES[label](broken):
                    continue
            repaired = line_of(record, label, **types)
            yield name, label, program(broken, name not in OUTSIDE), program(repaired, name not in OUTSIDE)
