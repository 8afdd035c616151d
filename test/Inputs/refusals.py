"""Which labelled constraints of which instructions a refusal names.

A finding names a label if it says "breaks LABEL" or if the page of its code lists the label under "Rules:"; it names an instruction if
its text or a note does, or if it stands at that line.

`check` looks at cases that the text alone breaks: an instruction, a label, a broken and a repaired program. Every broken one must have
exactly one error, which names both; every repaired one none. Tests that run programs tell what was refused with `refused`, and with
`complete` that nothing is missing; coverage.py relies on them.
"""
import functools
import json
import os
import re
import subprocess

ARCH = 'module attributes {pto.target_arch = "a5"} {\n'
SPELLED = {"u8": "ui8", "u16": "ui16", "u32": "ui32", "u64": "ui64", "e4m3": "f8E4M3FN"}
BYTES = {f"{kind}{8 * n}": n for kind in ("i", "ui", "f") for n in (1, 2, 4, 8)} | {"bf16": 2, "f8E4M3FN": 1}
# The same width, another type.
OTHER = {"f32": "i32", "i32": "f32", "ui32": "i32", "f16": "i16", "bf16": "f16", "i16": "f16", "ui16": "i16", "i8": "ui8", "ui8": "i8",
         "i64": "ui64"}


@functools.cache
def records():
    table = json.loads(subprocess.run(["ptoscope", "ops", "--json"], capture_output=True, check=True).stdout)
    return {row["name"]: row for row in table["instructions"] if row["implemented"]}


@functools.cache
def rules_of(code):
    """The labels on the page of a code."""
    page = subprocess.run(["ptoscope", "explain", code], capture_output=True, text=True, check=True).stdout
    return frozenset(re.findall(r"[A-Z0-9-]+", "".join(re.findall(r"^Rules: (.*)$", page, re.M))))


SEEN = set()  # (instruction, label)


def refused(name, code, label=None):
    """A finding with this code named the instruction. The label is the one that code and record share, unless it is told."""
    labels = rules_of(code) & labels_of().get(name, frozenset())
    assert label is None or label in labels, f"{name}: {code} does not name {label}"
    SEEN.update((name, one) for one in ([label] if label else labels))


@functools.cache
def labels_of():
    return {name: frozenset(text.split(":")[0] for text in row["constraints"]) for name, row in records().items()}


def complete(label, *names):
    """Every instruction with this label, or each of `names`, was refused for it."""
    names = names or [name.removeprefix("pto.") for name, labels in labels_of().items() if label in labels]
    if missing := [name for name in names if (f"pto.{name}", label) not in SEEN]:
        raise SystemExit(f"FAILED: nothing here is refused for {label} of {', '.join(missing)}")


def split(types):
    """Types between commas that stand outside of brackets."""
    return [part.strip() for part in re.split(r",(?![^<]*>)", types)] if types.strip() else []


def vreg(element):
    return f"!pto.vreg<{256 // BYTES[element]}x{element}>"


class Line:
    """One instruction as its record writes it, with the types of its operands and results apart."""

    def __init__(self, syntax, **types):
        """`types`: what the letters of the syntax stand for; T is the element, I an integer of its width, G its granularity."""
        types.setdefault("T", "f32")
        types = {"I": f"i{8 * BYTES[types['T']]}", "G": f"b{min(32, 8 * BYTES[types['T']])}", **types}

        def fill(text):
            text = re.sub(r"vreg<\w+?x(\w+)>", lambda m: vreg(types.get(m[1], m[1]))[5:], text)
            return re.sub(r"(?<![\w.])[TUIDG]\d?(?!\w)", lambda m: types.get(m[0], m[0]), text)

        head, _, listed = syntax.partition(" : ")
        self.results = re.findall(r"%\w+", head.partition(" = ")[0]) if " = pto." in head else []
        self.text = head.partition(" = ")[2] if self.results else head
        self.name = self.text.split()[0].split("[")[0]
        operands, _, results = listed.partition(" -> ")
        self.types = split(fill(operands))
        self.gives = split(fill(results))
        if self.results and not self.gives:  # a line such as `pset_b32 "PAT_ALL" : !pto.mask<b32>`
            self.gives, self.types = self.types, []
        self.names = re.findall(r"%\w+", self.text)
        bracketed = re.findall(r"\[(%\w+)\]", self.text)
        self.typed = self.names if len(self.names) == len(self.types) else [name for name in self.names if name not in bracketed]
        assert len(self.typed) == len(self.types) and len(self.results) == len(self.gives), syntax
        self.arrow = " -> " in listed

    def where(self, start, given=False):
        """Positions of the types that start so."""
        return [k for k, type_ in enumerate(self.gives if given else self.types) if type_.startswith(start)]

    def lines(self):
        """The instruction, with a definition of each operand before it and, for the state of a stream, a flush behind."""
        out, outside, parameters = [], [], []
        kinds = dict(zip(self.typed, self.types)) | {name: "index" for name in self.names if name not in self.typed}
        for name, kind in kinds.items():
            if m := re.match(r"!pto\.vreg<\d+x(\w+)>", kind):
                outside.append(f"{name}_p = pto.castptr %zero : i64 -> !pto.ptr<{m[1]}, ub>")
                out.append(f"{name} = pto.vlds {name}_p[%at] : !pto.ptr<{m[1]}, ub> -> {kind}")
            elif m := re.match(r"!pto\.mask<(\w+)>", kind):
                out.append(f'{name} = pto.pset_{m[1]} "PAT_ALL" : {kind}')
            elif kind == "!pto.align":
                out.append(f"{name} = pto.vldas %ub : !pto.ptr<f32, ub> -> !pto.align" if self.name == "pto.vldus"
                           else f"{name} = pto.init_align : !pto.align")
            elif kind.startswith("!pto.ptr") and kind.endswith(", ub>"):
                outside.append(f"{name} = pto.castptr %zero : i64 -> {kind}")
            elif re.fullmatch(r"i\d+|index", kind):
                outside.append(f"{name} = arith.constant 1 : {kind}")
            else:
                parameters.append(f"{name}: {kind}")
        left = f"{', '.join(self.results)} = " if self.results else ""
        types = ", ".join(self.types)
        if self.gives:
            types = f"{types} -> {', '.join(self.gives)}" if self.arrow else ", ".join(self.gives)
        out.append(f"{left}{self.text}" + (f" : {types}" if types else ""))
        if "!pto.align" in self.gives and self.name not in ("pto.vldas", "pto.vldus"):
            out.append(f"pto.vstar {self.results[self.gives.index('!pto.align')]}, %ub : !pto.align, !pto.ptr<f32, ub>")
        return parameters, outside, out


def program(line, scope=True):
    parameters, outside, inside = line.lines()
    if scope:
        inside = ["pto.vecscope {", *inside, "}"]
    return ARCH + "\n".join([f"func.func @k({', '.join(parameters)}) attributes {{pto.kernel}} {{", "%zero = arith.constant 0 : i64",
                             "%at = arith.constant 0 : index", "%ub = pto.castptr %zero : i64 -> !pto.ptr<f32, ub>", *outside, *inside,
                             "return", "}", "}", ""])


def check(cases, folder):
    """`cases`: (instruction, label, broken, repaired). The pairs that are covered, and what is wrong with the others."""
    os.makedirs(folder, exist_ok=True)
    sides = {"broken": [], "repaired": []}
    for number, (name, label, broken, repaired) in enumerate(cases):
        for side, text in (("broken", broken), ("repaired", repaired)):
            path = os.path.join(folder, f"{number}-{name}-{label}-{side}.pto")
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
            sides[side].append(path)
    found = {}
    for paths in sides.values():
        done = subprocess.run(["ptoscope", "check", "--verify-only", "--format", "json", *paths],
                              capture_output=True, text=True)
        for finding in json.loads(done.stdout)["findings"]:
            if finding["severity"] == "error":  # a warning about the instruction itself is in both
                found.setdefault(finding["place"]["file"], []).append(finding)
    covered, faults = set(), []
    for (name, label, *_), broken, repaired in zip(cases, *sides.values()):
        errors = found.get(broken, [])
        said = [" ".join([error["message"], *(note["message"] for note in error.get("notes", []))]) for error in errors]
        if len(said) != 1 or f" breaks {label}: " not in said[0] or f"`{name}`" not in said[0]:
            faults.append(f"{name} {label}: not refused for this alone: {broken}\n  " + "\n  ".join(said))
        elif repaired in found:
            faults.append(f"{name} {label}: the repaired program is refused: {repaired}\n  {found[repaired][0]['message']}")
        else:
            covered.add((name, label))
    return covered, faults
