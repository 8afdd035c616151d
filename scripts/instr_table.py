#!/usr/bin/env python3
"""Turns the instruction records into tables.

  instr_table.py table RECORDS.json TIMING.def NAMES.tsv… OUT.inc      C++ rows of InstrInfo
  instr_table.py enums RECORDS.json TIMING.def NAMES.tsv… OUT.inc      C++ enumerations that the rows use
  instr_table.py vmi RECORDS.json TIMING.def NAMES.tsv… OUT.inc        C++ rows of VmiInfo and VmiAlias
  instr_table.py reference RECORDS.json TIMING.def NAMES.tsv… OUT.md   the instruction reference

RECORDS.json is `llvm-tblgen --dump-json` of PTOOps.td, NAMES.tsv are the tables of docs/isa. A
record that lacks a required field, or has a value outside its list, fails the build here.
"""
import io
import json
import pathlib
import re
import sys

REQUIRED = ["family", "pipe", "footprint", "definedness", "timing", "syntax", "summary"]
PROFILES = ["a5", "a3", "a2"]  # in the order of ptoscope::ProfileId
CHOICES = {
    "pipe": ["S", "V", "M", "MTE1", "MTE2", "MTE3", "FIX", "operand"],
    "footprint": ["none", "transfer", "vector-load", "vector-store", "gather", "scatter", "stream", "direct", "tile",
                  "cube", "status", "scalar-load", "scalar-store", "fence"],
    "definedness": ["none", "copy", "use", "define"],
    "nan": ["", "arith", "canonical", "bits"],
    "meaning": ["", "lanes", "register"],
    "steps": ["stride", "gap"],
}
SPACES = ["gm", "l1", "l0a", "l0b", "l0c", "ub", "bt", "fb"]
# What an operand of a transfer is: the names that operands of their records have.
ROLES = {
    "src": "address that is read", "dst": "address that is written",
    "len": "of a row", "count": "of rows", "src_step": "from row to row", "dst_step": "from row to row",
    "loops": "loops around the rows, innermost first: count, source step and destination step of each, in bytes",
    "pad": "value around the data", "pad_select": "whether rows are padded, with the value of the register",
    "left": "elements of padding before the data", "right": "elements of padding behind the data",
    "subblock": "whose UB is written", "widen": "whether elements widen", "sid": "hint", "l2": "hint", "cache": "hint",
}


def identifier(word):
    """vector-load, src_step: VectorLoad, SrcStep."""
    return "".join(part[:1].upper() + part[1:] for part in re.split(r"[-_]", word)) or "Other"


def operands(record):
    return [name for _, name in record["arguments"]["args"]]


def transfer_faults(record):
    """What is wrong with the fields that only transfers have."""
    if record.get("footprint") != "transfer":
        return ["has the fields of a transfer, but another footprint"] if "path" in record else []
    if "path" not in record:
        return ["is a transfer, but no PTO_TransferOp"]
    faults = [f"`path` names {space!r}, not one of {SPACES}" for space in record["path"] if space not in SPACES]
    whole = 32 if record["steps"] == "gap" else 1
    if len(record["units"]) != len(PROFILES) or any(unit < 1 or unit % whole for unit in record["units"]):
        faults.append(f"`units` is {record['units']}, not a multiple of {whole} for each of {PROFILES}")
    faults += [f"operand `{name}` has no role of {sorted(ROLES)}" for name in operands(record) if name not in ROLES]
    faults += [f"the record has no operand `{name}`" for name in ("src", "dst", "len", "count") if name not in operands(record)]
    return faults


def records(path, timing):
    data = json.load(open(path))
    classes = re.findall(r"^PTO_TIMING\((\w+),", open(timing).read(), re.M)
    choices = {**CHOICES, "timing": classes}
    out, faults = [], []
    for name in data["!instanceof"]["PTO_Op"]:
        record = data[name]
        wrong = [f"the record has no `{field}`" for field in REQUIRED if not record.get(field)]
        for field, allowed in choices.items():
            if (value := record.get(field)) is not None and value not in allowed:
                hint = " (timing.def lists them)" if field == "timing" else ""
                wrong.append(f"`{field}` is {value!r}, not one of {sorted(allowed)}{hint}")
        if stray := set(record["profiles"]) - set(PROFILES):
            wrong.append(f"`profiles` names {sorted(stray)}, not of {PROFILES}")
        if not re.fullmatch(r"zero|none|source|operand \d", record["inactive"]):
            wrong.append("`inactive` has no such value")
        if stray := set(alias_profiles(record)) - set(record["aliases"]):
            wrong.append(f"`aliasProfiles` names {sorted(stray)}, which are no aliases")
        faults += [f"{name}: {fault}" for fault in wrong + transfer_faults(record)]
        others = [data[other] for other in data["!instanceof"].get("PTO_VmiAlias", []) if data[other]["target"] == record["opName"]]
        out.append({**record, "name": record["opName"], "others": others, "aliases": record["aliases"] + [o["aliasName"] for o in others],
                    "syntax": record["syntax"] + [line for other in others for line in other["syntax"]]})
    if faults:
        sys.exit("instruction records are incomplete:\n  " + "\n  ".join(faults))
    return sorted(out, key=lambda r: r["name"])


def names(paths):
    """Every name of the instruction set, with its category and why it is refused if there is more to say."""
    known = {}
    for path in paths:
        columns, *rows = [line.rstrip("\n").split("\t") for line in open(path)]
        for row in rows:
            facts = row[1:] if columns == ["op", "category", "reason"] else row[1:2]
            if row[0].startswith("pto.") and (len(facts) == 2 or row[0][4:] not in known):
                known[row[0][4:]] = facts
    return known


def alias_profiles(record):
    """Alias to profiles, for those that differ from the record."""
    return {words[0]: words[1:] for words in map(str.split, record["aliasProfiles"])}


def quote(text):
    return json.dumps(text)


def enumeration(out, name, words):
    """enum class NAME with an enumerator for each word, and nameOf to get the word back."""
    out.write(f"enum class {name} : uint8_t {{ {', '.join(map(identifier, words))} }};\n"
              f"constexpr llvm::StringLiteral nameOf({name} value) {{\n"
              f"  constexpr llvm::StringLiteral kNames[] = {{{', '.join(map(quote, words))}}};\n"
              "  return kNames[size_t(value)];\n}\n")


def enums(recs, _, out):
    out.write("// Generated by scripts/instr_table.py from the instruction records.\n")
    enumeration(out, "Family", sorted({r["family"] for r in recs}))
    enumeration(out, "Footprint", CHOICES["footprint"])
    enumeration(out, "Definedness", CHOICES["definedness"])
    enumeration(out, "NanRule", CHOICES["nan"])
    enumeration(out, "MeaningKind", CHOICES["meaning"])
    enumeration(out, "StepModel", CHOICES["steps"])
    enumeration(out, "TransferRole", ROLES)
    out.write(f"inline constexpr size_t kTransferRoles = {len(ROLES)};\n")


def profile_set(profiles):
    return " | ".join(f"ProfileSet(ProfileId::{identifier(p)})" for p in profiles)


def transfer(record):
    """The row of a transfer: TransferInfo."""
    places = operands(record)
    src, dst = (f"Space::{identifier(space) if space in ('gm', 'ub', 'bt', 'fb') else space.upper()}" for space in record["path"])
    segments = any(trait["def"] == "AttrSizedOperandSegments" for trait in record["traits"])
    return (f"static constexpr TransferInfo k{identifier(record['name'])} = {{{src}, {dst}, "
            f"StepModel::{identifier(record['steps'])}, {{{', '.join(map(str, record['units']))}}}, {len(places)}, {str(segments).lower()}, "
            f"{str(any(label.startswith('D2: ') for label in record['elementLabels'])).lower()}, "
            f"{{{', '.join(str(places.index(role) if role in places else -1) for role in ROLES)}}}, "
            f"{{{', '.join('PTO_REG_' + name for name in record['reads'])}}}, {len(record['reads'])}}};\n")


def flag(bit):
    return "true" if bit else "false"


def row(r):
    kept = re.fullmatch(r"operand (\d)", r["inactive"])
    fields = [quote(r["name"]), f"Family::{identifier(r['family'])}",
              "std::nullopt" if r["pipe"] == "operand" else f"Pipe::{r['pipe']}", f"Footprint::{identifier(r['footprint'])}",
              f"Definedness::{identifier(r['definedness'])}", f"Timing::{r['timing']}", profile_set(r["profiles"]),
              f"NanRule::{identifier(r['nan'])}", f"MeaningKind::{identifier(r['meaning'])}",
              "Inactive::Operand" if kept else f"Inactive::{identifier(r['inactive'])}", kept.group(1) if kept else "0",
              quote(r["summary"]), quote(" ".join(r["elements"])), quote("\n".join(r["syntax"])),
              quote("\n".join(r["constraints"])), quote(r["symbol"] or r["name"] + "_{r}"),
              f"PTO_REG_{r['sets']}" if r["sets"] else "std::nullopt", flag(r.get("mayLackMask")),
              f"&k{identifier(r['name'])}" if "path" in r else "nullptr"]
    return "PTO_INSTR(" + ", ".join(fields) + ")\n"


def table(recs, known, out):
    implemented = {n for r in recs for n in [r["name"], *r["aliases"]]}
    missing = sorted(n for n in implemented if n not in known)
    if missing:
        sys.exit("records whose names are not in docs/isa/ops-*.tsv: " + ", ".join(missing))
    out.write("// Generated by scripts/instr_table.py from the instruction records.\n#ifdef PTO_TRANSFERS\n")
    out.writelines(transfer(r) for r in recs if "path" in r)
    out.write("#undef PTO_TRANSFERS\n#endif\n")
    out.writelines(map(row, recs))
    for r in recs:
        own = alias_profiles(r)
        for alias in r["aliases"]:
            out.write(f"PTO_ALIAS({quote(alias)}, {quote(r['name'])}, {profile_set(own.get(alias, r['profiles']))})\n")
    for name, (category, *reason) in sorted(known.items()):
        if name not in implemented:
            out.write(f"PTO_NOT_MODELLED({quote(name)}, {quote(category)}, {quote(''.join(reason))})\n")
    out.write("#undef PTO_INSTR\n#undef PTO_ALIAS\n#undef PTO_NOT_MODELLED\n")


def vmi(recs, _, out):
    """Rows of the virtual vector instructions and of their other names, both sorted by name."""
    out.write("// Generated by scripts/instr_table.py from the instruction records.\n")
    own = [r for r in recs if "vmiKind" in r]
    for r in own:
        labels = [constraint.split(":")[0] for constraint in r["constraints"]]
        out.write(f"PTO_VMI({quote(r['name'])}, VmiKind::{identifier(r['vmiKind'])}, {quote(r['micro'])}, {quote(r['signature'])}, "
                  f"{quote(' '.join(r['attributeNames']))}, {quote(' '.join(labels))}, {flag(r['maskDropped'])}, {flag(r['helper'])}, {flag(r['generic'])})\n")
    for other in sorted((other for r in own for other in r["others"]), key=lambda other: other["aliasName"]):
        texts = [other["aliasName"], other["target"], other["signature"], *(" ".join(other[f]) for f in ("elements", "attributeMap")),
                 other["needs"], "\n".join(other["syntax"])]
        out.write(f"PTO_VMI_ALIAS({', '.join(map(quote, texts))}, {flag(other['helper'])})\n")
    out.write("#undef PTO_VMI\n#undef PTO_VMI_ALIAS\n")


def transfer_facts(r):
    """What the reference says of a transfer beyond other instructions."""
    if "path" not in r:
        return []
    steps = {"stride": "strides, from start to start", "gap": "gaps, skipped after a row"}[r["steps"]]
    units = [f"{size}-byte blocks" if size > 1 else "bytes" for size in r["units"]]
    unit = units[0] if len(set(units)) == 1 else ", ".join(f"{u} on {p}" for u, p in zip(units, PROFILES))
    roles = [f"{name}: {ROLES[name]}" for name in operands(r)]
    return [("path", " to ".join(r["path"])), ("rows", f"{steps}; lengths and steps count {unit}"), ("operands", "; ".join(roles)),
            ("registers", " ".join(name.lower() for name in r["reads"]))]


def reference(recs, known, out):
    out.write("# Instruction reference\n\nGenerated from the instruction records by `make docs`; do not edit.\n\n")
    families = []
    for r in recs:
        if r["family"] not in families:
            families.append(r["family"])
    for family in sorted(families):
        out.write(f"## {family}\n\n")
        for r in [r for r in recs if r["family"] == family]:
            out.write(f"### `pto.{r['name']}`\n\n{r['summary']}\n\n")
            if r["description"].strip():
                out.write(" ".join(r["description"].split()) + "\n\n")
            out.write("```\n" + "\n".join(r["syntax"]) + "\n```\n\n")
            if r["aliases"]:
                own = alias_profiles(r)
                names_of = [f"`pto.{a}`" + (f" ({' '.join(own[a])})" if a in own else "") for a in r["aliases"]]
                out.write("Also: " + ", ".join(names_of) + "\n\n")
            facts = [("pipe", r["pipe"]), ("elements", " ".join(r["elements"])), ("profiles", " ".join(r["profiles"])),
                     ("footprint", r["footprint"]), ("definedness", r["definedness"]), ("timing class", r["timing"]),
                     *transfer_facts(r)]
            out.write("| | |\n|---|---|\n" + "".join(f"| {k} | {v} |\n" for k, v in facts if v) + "\n")
            for constraint in r["constraints"]:
                label, text = constraint.split(": ", 1)
                out.write(f"- **{label}** {text}\n")
            out.write("\n" if r["constraints"] else "")
    implemented = {n for r in recs for n in [r["name"], *r["aliases"]]}
    out.write("## Not modelled\n\nRecognised and refused by name:\n\n")
    by_category = {}
    for name, (category, *reason) in sorted(known.items()):
        if name not in implemented:
            by_category.setdefault(category, []).append(f"`{name}`" + "".join(f" ({text})" for text in reason))
    for category in sorted(by_category):
        out.write(f"- {category}: " + ", ".join(by_category[category]) + "\n")


def main():
    makers = {"table": table, "enums": enums, "vmi": vmi, "reference": reference}
    if len(sys.argv) < 6 or sys.argv[1] not in makers:
        sys.exit(__doc__)
    out, path = io.StringIO(), pathlib.Path(sys.argv[-1])
    makers[sys.argv[1]](records(sys.argv[2], sys.argv[3]), names(sys.argv[4:-1]), out)
    if not path.exists() or path.read_text() != out.getvalue():  # what includes it is compiled again only if it changed
        path.write_text(out.getvalue())


if __name__ == "__main__":
    main()
